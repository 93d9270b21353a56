/* function.h - what a law supplies in one of its roles, as a function of named inputs: what C is generated
 * from, what is differentiated, what tests look at.
 *
 * Names are those of generated code: "joint->frame[0].R[3]", "s1->twist[2]", "q[0]", "rows[2].w[1][0]".
 */
#ifndef KI_LAWS_FUNCTION_H
#define KI_LAWS_FUNCTION_H

#include "laws/force.h"
#include "laws/joint.h"

enum { KI_LAW_INPUTS = 160, KI_LAW_OUTPUTS = 256, KI_LAW_NAME = 32 };

typedef struct ki_law_function {
    ki_graph *g; /* owned */
    bool plane;
    char input[KI_LAW_INPUTS][KI_LAW_NAME]; /* the name of symbol i */
    int inputs;
    char output[KI_LAW_OUTPUTS][KI_LAW_NAME];
    ki_node value[KI_LAW_OUTPUTS];
    bool unwanted[KI_LAW_OUTPUTS]; /* is not written, yet the others are computed as if it were */
    int outputs;
} ki_law_function;

void ki_law_function_free(ki_law_function *f);

/* Of the tree. False: there is none (no such role, a bias that is always zero). */
bool ki_law_place_function(const ki_joint_law_role *role, bool plane, ki_law_function *f);
bool ki_law_columns_function(const ki_joint_law_role *role, bool plane, ki_law_function *f);
bool ki_law_bias_function(const ki_joint_law_role *role, bool plane, ki_law_function *f);
bool ki_law_fit_function(const ki_joint_law_role *role, bool plane, ki_law_function *f);

/* Rows, and coordinate k measured as one; moving: with gamma. What does not depend on twists is the same in
 * both bit by bit. */
bool ki_law_rows_function(const ki_joint_law_role *role, bool plane, bool moving, ki_law_function *f);
bool ki_law_measure_function(const ki_joint_law_role *role, bool plane, int k, bool moving,
                             ki_law_function *f);

/* Between points r0 and r1 of two bodies: component k of their difference, or for k = -1 their distance. */
void ki_law_between_function(bool plane, int k, bool moving, ki_law_function *f);

/* What a force element does. */
void ki_law_force_function(const ki_force_law *law, bool plane, ki_law_function *f);

#endif

/* joint.h - the law of a type of joint; one file of joints/ each, one line in table.c.
 *
 * In the tree it has coordinates q and velocities v; cut it has rows, n_h holonomic ones, then n_n
 * nonholonomic ones. In both roles its coordinates can be measured as rows. mechanism/joint.h tells what the
 * facts are for; tools/generate_laws.c makes that table, and the functions, of these.
 */
#ifndef KI_LAWS_JOINT_H
#define KI_LAWS_JOINT_H

#include "laws/law.h"

/* The law in the plane or in space. */
typedef struct ki_joint_law_role {
    int conditions; /* freedoms it takes away: n_h + n_n (Gruebler) */

    /* in the tree. n_v = -1: it has no such role. Where n_q = n_v + 1 the last four coordinates are a
     * quaternion, and the last three velocities its angular velocity in the axes of frame 1 */
    int n_q, n_v;
    const char *q_name[KI_LAW_Q], *v_name[KI_LAW_V];
    void (*place)(const ki_law *law, ki_law_hinge *out); /* zeros and R = 1 are there */
    void (*fit)(const ki_law *law, ki_node *q);          /* q nearest to law->pose; quaternions are set */
    bool is_pin;                                         /* q = (angle about z) and nothing else */

    /* cut */
    int n_h, n_n, world_rows, turning_rows;
    const char *row_name[KI_LAW_ROWS];
    void (*rows)(const ki_law *law, ki_law_row *out);
    int pressing; /* rows, the first ones, whose multipliers press its surfaces together; 0: no friction */

    int coordinates;
    const char *coordinate_name[KI_LAW_COORDINATES];
    bool turns[KI_LAW_COORDINATES];
    ki_law_row (*measure)(const ki_law *law, int k);
} ki_joint_law_role;

typedef struct ki_joint_law {
    const char *word;
    const char *summary;
    const ki_joint_law_role *planar, *spatial; /* NULL: does not exist there */
    bool needs_axis, needs_length, needs_pitch, needs_radius, needs_ratio, one_way, couples;
} ki_joint_law;

/* All, in the order of the documents; NULL-terminated. */
extern const ki_joint_law *const ki_joint_laws[];

/* The law called `word`, or NULL. */
const ki_joint_law *ki_joint_law_of(const char *word);

static inline const ki_joint_law_role *ki_joint_law_in(const ki_joint_law *law, bool plane) {
    return plane ? law->planar : law->spatial;
}

/* What a joint of the tree does with law->q, v and turn; false: it has no such role. */
bool ki_joint_law_place(const ki_joint_law_role *role, const ki_law *law, ki_law_hinge *out);

#endif

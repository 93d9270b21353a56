/* force.h - the laws of force elements; one file of forces/ each, one line in its table. */
#ifndef KI_LAWS_FORCE_H
#define KI_LAWS_FORCE_H

#include "laws/law.h"

/* What a builder is given. */
typedef struct ki_force_inputs {
    ki_graph *g;
    bool plane;
    ki_law_body body[2];
    vec r[2]; /* its points, body components */
    /* value of its formula: components of a force or torque; of a resistance the coordinate x and its rate */
    vec f;
    ki_node stiffness, damping, free; /* of a resistance */
    ki_node K[36], C[36];             /* of a bushing */
} ki_force_inputs;

/* What it does: a force on either body, at an arm from its reference point, and a torque. A resistance acts
 * along its coordinate alone. What has no potential has power. */
typedef struct ki_law_load {
    vec arm[2], force[2], torque[2];
    ki_node along, power, potential;
    ki_node x[6]; /* of a bushing: its deformation */
} ki_law_load;

typedef struct ki_force_law {
    const char *word;
    void (*load)(const ki_force_inputs *in, ki_law_load *out); /* zeros are there */
    bool scalar;                                               /* along a coordinate: knows no bodies */
} ki_force_law;

extern const ki_force_law ki_law_resistance, ki_law_push, ki_law_push_in_body, ki_law_twist,
    ki_law_twist_in_body, ki_law_bushing;

/* All; NULL-terminated. */
extern const ki_force_law *const ki_force_laws[];

void ki_force_law_load(const ki_force_law *law, const ki_force_inputs *in, ki_law_load *out);

#endif

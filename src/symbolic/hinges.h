/* hinges.h - hinges as formulas. */
#ifndef KI_SYMBOLIC_HINGES_H
#define KI_SYMBOLIC_HINGES_H

#include "mechanism/joint.h"
#include "symbolic/algebra.h"

/* Frame 1 of a hinge in its frame 0, in the axes of that. */
typedef struct ki_placed {
    mat R;         /* space */
    ki_node angle; /* plane */
    vec r;
    vec Omega[KI_JOINT_VELOCITIES], V[KI_JOINT_VELOCITIES]; /* columns */
    vec bias;                                               /* Omega' with v' = 0; no hinge has one of V */
} ki_placed;

/* Coordinates and velocities as the hinge counts them; turn: of those coordinates that are angles. */
typedef struct ki_hinged {
    ki_node q[KI_JOINT_VELOCITIES], v[KI_JOINT_VELOCITIES];
    ki_turn turn[KI_JOINT_VELOCITIES];
} ki_hinged;

/* False: this type is not written. */
bool ki_symbolic_hinge(ki_graph *g, const ki_joint *hinge, int d, const ki_hinged *at, ki_placed *out);

#endif

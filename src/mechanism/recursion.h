/* recursion.h - one body of a recursion, in the plane and in space. The parent's values are known. */
#ifndef KI_MECHANISM_RECURSION_H
#define KI_MECHANISM_RECURSION_H

#include "mechanism/work.h"

/* Pose and columns S of body b from the coordinates of its hinge. */
void ki_place_planar(const ki_mech *mech, ki_mech_work *w, int b);
void ki_place_spatial(const ki_mech *mech, ki_mech_work *w, int b);

/* Twist and bias from its velocities. */
void ki_move_planar(const ki_mech *mech, ki_mech_work *w, int b, const double *v);
void ki_move_spatial(const ki_mech *mech, ki_mech_work *w, int b, const double *v);

/* inertia x rate + gyroscopic terms, about the reference point. */
void ki_inertia_force_planar(const ki_body *body, const double rate[3], double wrench[3]);
void ki_inertia_force_spatial(const ki_body *body, const ki_state *s, const double rate[6], double wrench[6]);

/* y = R I R^T x with I = (xx yy zz xy yz zx). */
void ki_rotated_inertia(const double R[9], const double I[6], const double x[3], double y[3]);

#endif

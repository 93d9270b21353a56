/* recursion.h - the passes over the tree, in the plane and in space. What each does: work.h. */
#ifndef KI_MECHANISM_RECURSION_H
#define KI_MECHANISM_RECURSION_H

#include "mechanism/work.h"

void ki_place_planar(const ki_mech *mech, ki_mech_work *w);
void ki_place_spatial(const ki_mech *mech, ki_mech_work *w);

void ki_move_planar(const ki_mech *mech, ki_mech_work *w, const double *v);
void ki_move_spatial(const ki_mech *mech, ki_mech_work *w, const double *v);

/* That of the ground is zero already. */
void ki_accelerate_planar(const ki_mech *mech, ki_mech_work *w, const double *v_rate);
void ki_accelerate_spatial(const ki_mech *mech, ki_mech_work *w, const double *v_rate);

void ki_body_wrenches_planar(const ki_mech *mech, ki_mech_work *w, bool with_rates);
void ki_body_wrenches_spatial(const ki_mech *mech, ki_mech_work *w, bool with_rates);

void ki_gather_planar(const ki_mech *mech, ki_mech_work *w, double *Q);
void ki_gather_spatial(const ki_mech *mech, ki_mech_work *w, double *Q);

/* y = R I R^T x with I = (xx yy zz xy yz zx). */
void ki_rotated_inertia(const double R[9], const double I[6], const double x[3], double y[3]);

static inline double ki_dot6(const double a[6], const double b[6]) {
    return ki_dot3(a, b) + ki_dot3(a + 3, b + 3);
}

#endif

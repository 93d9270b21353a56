/* force.h - force elements: one file each. A force adds wrenches to bodies, and either has a potential or
 * does work that is counted as power. */
#ifndef KI_MECHANISM_FORCE_H
#define KI_MECHANISM_FORCE_H

#include "mechanism/quantity.h"

struct ki_force {
    const char *name;
    keel_location where;
    keel_force_kind kind;
    int body[2];        /* tree numbers */
    double r[2][3];     /* points, from the reference points, body components */
    ki_measure measure; /* SPRING: its length; TORSION and TWIST on a joint: the coordinate */
    bool on_joint;
    double stiffness, damping, free;
    ki_formula law; /* or components */
    bool in_body_axes;
    const double *K, *C; /* BUSHING */
    ki_frame frame[2];   /* BUSHING: its axes on either body */
};

/* Description -> mech->force, mech->force_count. Bodies, joints and points are in place. */
keel_status ki_forces_compile(const ki_names *names, ki_mech *mech, keel_diagnostics *diagnostics);

/* Adds the wrenches of gravity, of all force elements and of viscous and Coulomb friction in joints, and sets
 * w->potential and w->power (power of what has no potential). ki_move is done. lambda may be NULL: no Coulomb
 * friction then. */
void ki_apply_forces(const ki_mech *mech, ki_mech_work *w, double t, const double *lambda);

/* Potential energy alone: ki_place is done. */
double ki_potential(const ki_mech *mech, ki_mech_work *w);

/* The bodies whose motion force element i depends on or acts on: at most `most` of them; returns how many. */
int ki_force_bodies(const ki_mech *mech, int i, int *bodies, int most);

/* Coulomb friction: derivative of the generalized forces with respect to the multipliers. The pattern (built
 * in mech->arena; no rows if no joint has friction) and its entries (ki_move and rows done). */
keel_status ki_friction_pattern(ki_mech *mech);
void ki_friction_lambda(const ki_mech *mech, ki_mech_work *w, const double *lambda, double *Q_lambda);

#endif

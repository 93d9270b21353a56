/* force.h - force elements: one file each for what is special to its description; laws are in
 * src/laws/forces/. A force adds wrenches to bodies, and either has a potential or does work that is counted
 * as power. */
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
    ki_formula law;   /* or components */
    ki_formula sides; /* switching functions of the law that are not of t alone; no tape: there are none */
    bool in_body_axes;
    const double *K, *C; /* BUSHING */
};

/* What a force does, as its law has it (src/laws/forces/). */
typedef struct ki_load {
    double w[2][6]; /* [d] wrench on either body */
    double along;   /* of a resistance: force along its coordinate */
    double power, potential;
    double x[6]; /* of a bushing: its deformation */
} ki_load;

/* f: what its formula gives, or x and its rate of a resistance. ki_move_bodies is done, or ki_place for what
 * does not depend on twists. */
void ki_force_load(const ki_mech *mech, const ki_mech_work *w, const ki_force *force, const double f[3],
                   ki_load *load);

/* Adds a load of bodies, and its potential and power. */
void ki_add_load(const ki_mech *mech, ki_mech_work *w, const ki_force *force, const ki_load *load);

/* What a kind of force element supplies; one file each. */
typedef struct ki_force_type {
    /* What is special to the kind; names, bodies and points are in place. */
    keel_status (*compile)(const ki_names *names, ki_mech *mech, const keel_force *description,
                           keel_diagnostics *diagnostics, ki_force *force);
    /* Adds wrenches, and to w->potential and w->power. */
    void (*apply)(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t);
    double (*potential)(const ki_mech *mech, ki_mech_work *w, const ki_force *force); /* NULL: has none */
} ki_force_type;

extern const ki_force_type ki_spring, ki_torsion, ki_push, ki_twist, ki_bushing;

/* Description -> mech->force, mech->force_count. Bodies, joints and points are in place. */
keel_status ki_forces_compile(const ki_names *names, ki_mech *mech, keel_diagnostics *diagnostics);

/* Adds the wrenches of all force elements and of viscous and Coulomb friction in joints, and sets
 * w->potential (without gravity, whose wrenches are in ki_body_wrenches) and w->power (power of what has no
 * potential). ki_move_bodies is done. lambda may be NULL: no Coulomb friction then. */
void ki_apply_forces(const ki_mech *mech, ki_mech_work *w, double t, const double *lambda);

/* The first force element whose wrench is not finite or has a pole at t, or -1. ki_move_bodies is done; the
 * wrenches are lost. */
int ki_unsound_force(const ki_mech *mech, ki_mech_work *w, double t);

/* Where laws of forces and motions change over from one branch to another; forces and motions are in place.
 * (switching.c) */
keel_status ki_switching_build(ki_mech *mech);

/* Potential energy alone: ki_place is done. */
double ki_potential(const ki_mech *mech, ki_mech_work *w);

/* Coulomb friction (friction_lambda.c): mech->dry and the pattern of dQ/dlambda, without rows if no joint has
 * any.
 */
keel_status ki_friction_build(ki_mech *mech);
void ki_friction_prepare(const ki_mech *mech, ki_arena *arena, ki_dry_work *work);

/* Q (may be NULL), w->potential and w->power of a mechanism with mech->dry; and the entries of dQ/dlambda.
 * ki_move_bodies is done. What does not depend on lambda is found once for a t, and again when bodies have
 * moved.
 */
void ki_dry_forces(const ki_mech *mech, ki_mech_work *w, double t, const double *lambda, double *Q);
void ki_friction_lambda(const ki_mech *mech, ki_mech_work *w, double t, const double *lambda,
                        double *Q_lambda);

/* ---- shared by the kinds ------------------------------------------------------------------------------- */

/* k (x - free) + c x' or a law of x, x' and t, along a row: resistance.c. The pull of a spring, the torque
 * with which a torsion spring resists. */
double ki_resistance(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t);
void ki_resistance_apply(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t);
double ki_resistance_potential(const ki_mech *mech, ki_mech_work *w, const ki_force *force);
keel_status ki_resistance_compile(const ki_names *names, ki_mech *mech, const keel_force *description,
                                  const char *value_name, keel_diagnostics *diagnostics, ki_force *force);

/* x and its rate, along which it acts. */
void ki_resistance_inputs(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double x[2]);

/* Displacement and rotation vector of a bushing, in its axes on body 0; ki_place is done. */
void ki_bushing_deformation(const ki_mech *mech, const ki_mech_work *w, const ki_force *force, double x[6]);

/* The coordinate named in keel_force.joint -> force->measure and its bodies. */
keel_status ki_force_on_joint(const ki_names *names, const keel_force *description,
                              keel_diagnostics *diagnostics, ki_force *force);

double ki_gravity_potential(const ki_mech *mech, const ki_mech_work *w);
void ki_apply_friction(const ki_mech *mech, ki_mech_work *w, const double *lambda);

#endif

/* friction.h - friction in joints, and how it depends on the multipliers. */
#ifndef KI_MECHANISM_FRICTION_H
#define KI_MECHANISM_FRICTION_H

#include "mechanism/forces/force.h"
#include "mechanism/joint.h"

/* Whether a joint has Coulomb friction that acts. */
bool ki_is_dry(const ki_mech *mech, const ki_joint *joint);

/* Rows of J that a joint has, which its pressing force comes from. */
static inline int ki_friction_rows(const ki_mech *mech, const ki_joint *joint) {
    const ki_joint_role *role = ki_role(joint, mech->d);
    return role->n_h + role->n_n;
}

static inline int ki_dry_row(const ki_mech *mech, const ki_dry_joint *dry, int i) {
    return mech->layout->part[mech->layout->joint_part[dry->number] + i].row;
}

/* N of joint j, and its derivative by the multipliers of its own rows. */
double ki_pressing_force(const ki_mech *mech, int j, const double *lambda, double *derivative);

/* The coordinates of a joint: their rows and rates, and the Coulomb friction along each per N. */
typedef struct ki_slip {
    int count;
    ki_row row[KI_JOINT_COORDINATES];
    double rate[KI_JOINT_COORDINATES], per_force[KI_JOINT_COORDINATES];
} ki_slip;

ki_slip ki_slip_of(const ki_mech *mech, ki_mech_work *w, int j);

#endif

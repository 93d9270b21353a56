/* friction.c - friction in joints, along their coordinates c_k.
 *
 *     viscous    f_k = -k c_k'                      (of a screw: along its angle only)
 *     Coulomb    f_k = -mu N(lambda) rho_k u_k,    u = (rho_k c_k') / s tanh(s / slip),    s = |rho_k c_k'|
 *
 * rho_k is the lever arm of a coordinate that turns, 1 of one that slides: s is the speed at which the
 * surfaces slip, and the friction is against its direction, of size mu N in all directions together. N is the
 * force that presses the surfaces together, from the multipliers of the joint's own rows; a joint with
 * Coulomb friction is never in the tree. A force along c adds f w_c to the generalized forces; how these
 * depend on the multipliers is in friction_lambda.c.
 */
#include "mechanism/forces/friction.h"

#include <math.h>

static ki_measure coordinate(const ki_joint *joint, int j, int k) {
    return (ki_measure){KI_MEASURE_JOINT, j, k, 0, {joint->body[0], joint->body[1]}};
}

bool ki_is_dry(const ki_mech *mech, const ki_joint *joint) {
    return joint->coulomb > 0 && !joint->tree && !joint->made_up && ki_role(joint, mech->d)->pressing > 0;
}

double ki_pressing_force(const ki_mech *mech, int j, const double *lambda, double *derivative) {
    const ki_joint *joint = &mech->joint[j];
    const ki_part *part = &mech->layout->part[mech->layout->joint_part[j]];
    double own[KI_JOINT_ROWS];
    for (int i = 0; i < ki_friction_rows(mech, joint); i++)
        own[i] = lambda[part[i].row];
    return ki_normal_force(ki_role(joint, mech->d), own, derivative);
}

ki_slip ki_slip_of(const ki_mech *mech, ki_mech_work *w, int j) {
    const ki_joint *joint = &mech->joint[j];
    const ki_joint_role *role = ki_role(joint, mech->d);
    ki_slip x = {.count = role->coordinates};
    double rho[KI_JOINT_COORDINATES], slip = joint->slip > 0 ? joint->slip : 1e-3, square = 0;
    for (int k = 0; k < x.count; k++) {
        ki_measure c = coordinate(joint, j, k);
        ki_measure_row(mech, w, &c, KI_AT_POSITION, &x.row[k]);
        x.rate[k] = ki_row_rate(mech, w, c.body, &x.row[k]);
        rho[k] = role->turns[k] ? joint->friction_radius : 1;
        square += rho[k] * x.rate[k] * rho[k] * x.rate[k];
    }
    double s = sqrt(square), factor = s > 1e-12 * slip ? tanh(s / slip) / s : 1 / slip;
    for (int k = 0; k < x.count; k++)
        x.per_force[k] = -joint->coulomb * rho[k] * rho[k] * x.rate[k] * factor;
    return x;
}

void ki_apply_friction(const ki_mech *mech, ki_mech_work *w, const double *lambda) {
    for (int i = 0; i < mech->layout->rubbing_count; i++) {
        int j = mech->layout->rubbing[i];
        const ki_joint *joint = &mech->joint[j];
        bool dry = lambda && ki_is_dry(mech, joint);
        if (!dry && joint->viscous == 0)
            continue; /* the multipliers are not known yet */
        double slope[KI_JOINT_ROWS], N = dry ? ki_pressing_force(mech, j, lambda, slope) : 0;
        ki_slip x = ki_slip_of(mech, w, j);
        for (int k = 0; k < x.count; k++) {
            bool own = k < ki_role(joint, mech->d)->n_v; /* a screw has two coordinates, but one freedom */
            double f = N * x.per_force[k] - (own ? joint->viscous * x.rate[k] : 0);
            ki_add_row_force(mech, w, joint->body, &x.row[k], f);
            w->power += f * x.rate[k];
        }
    }
}

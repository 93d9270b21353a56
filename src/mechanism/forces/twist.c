/* twist.c - a torque T on body 1 and -T on body 0, or a force along a coordinate of a joint.
 *
 *     power = T . (omega_1 - omega_0)
 */
#include "mechanism/forces/force.h"

static keel_status compile(const ki_names *names, ki_mech *mech, const keel_force *description,
                           keel_diagnostics *diagnostics, ki_force *force) {
    keel_status status = KEEL_OK;
    if (force->on_joint)
        status = ki_force_on_joint(names, description, diagnostics, force);
    if (status < 0)
        return status;
    return ki_formula_compile(names, mech, description->component, force->on_joint ? 1 : 3, NULL, 0,
                              KI_FOR_FORCE, diagnostics, &force->law);
}

static void apply_on_joint(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t) {
    ki_row row;
    double T;
    ki_formula_run(mech, w, &force->law, 0, NULL, t, &T);
    ki_measure_row(mech, w, &force->measure, KI_AT_POSITION, &row);
    ki_add_row_force(mech, w, force->measure.body, &row, T);
    w->power += T * ki_row_rate(mech, w, force->measure.body, &row);
}

static void apply(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t) {
    double local[3], T[3], back[3] = {0}, omega[2][3];
    if (force->on_joint) {
        apply_on_joint(mech, w, force, t);
        return;
    }
    ki_formula_run(mech, w, &force->law, 0, NULL, t, local);
    if (mech->d == KI_PLANAR)
        local[0] = local[1] = 0;
    if (force->in_body_axes)
        ki_rotate(w->state[force->body[1]].R, local, T);
    else
        ki_copy3(local, T);
    ki_add_scaled(-1, T, back);
    ki_add_torque(mech, w, force->body[1], T);
    ki_add_torque(mech, w, force->body[0], back);
    for (int k = 0; k < 2; k++)
        ki_spin_of(mech, &w->state[force->body[k]], omega[k]);
    w->power += ki_dot3(T, omega[1]) - ki_dot3(T, omega[0]);
}

const ki_force_type ki_twist = {compile, apply, NULL};

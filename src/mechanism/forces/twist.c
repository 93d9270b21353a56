/* twist.c - a torque on body 1 and the opposite on body 0, or a force along a coordinate of a joint. */
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
    double T[3];
    ki_load load;
    if (force->on_joint) {
        apply_on_joint(mech, w, force, t);
        return;
    }
    ki_formula_run(mech, w, &force->law, 0, NULL, t, T);
    ki_force_load(mech, w, force, T, &load);
    ki_add_load(mech, w, force, &load);
}

const ki_force_type ki_twist = {compile, apply, NULL};

/* push.c - a force on a point of body 1, and its reaction at the same place on body 0. */
#include "mechanism/forces/force.h"

static keel_status compile(const ki_names *names, ki_mech *mech, const keel_force *description,
                           keel_diagnostics *diagnostics, ki_force *force) {
    return ki_formula_compile(names, mech, description->component, 3, NULL, 0, KI_FOR_FORCE, diagnostics,
                              &force->law);
}

static void apply(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t) {
    double f[3];
    ki_load load;
    ki_formula_run(mech, w, &force->law, 0, NULL, t, f);
    ki_force_load(mech, w, force, f, &load);
    ki_add_load(mech, w, force, &load);
}

const ki_force_type ki_push = {compile, apply, NULL};

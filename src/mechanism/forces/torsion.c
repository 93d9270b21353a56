/* torsion.c - a spring and damper on a coordinate of a joint. The angle is the joint's, reading included. */
#include "mechanism/forces/force.h"

static keel_status compile(const ki_names *names, ki_mech *mech, const keel_force *description,
                           keel_diagnostics *diagnostics, ki_force *force) {
    keel_status status = ki_force_on_joint(names, description, diagnostics, force);
    if (status < 0)
        return status;
    const char *value_name = ki_is_turn(mech, &force->measure) ? "angle" : "displacement";
    return ki_resistance_compile(names, mech, description, value_name, diagnostics, force);
}

const ki_force_type ki_torsion = {compile, ki_resistance_apply, ki_resistance_potential};

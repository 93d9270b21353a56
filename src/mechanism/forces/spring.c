/* spring.c - a spring and damper between two points: it pulls along the line between them. */
#include "mechanism/forces/force.h"

static keel_status compile(const ki_names *names, ki_mech *mech, const keel_force *description,
                           keel_diagnostics *diagnostics, ki_force *force) {
    force->measure =
        (ki_measure){KI_MEASURE_LENGTH, (int)(force - mech->force), 0, 0, {force->body[0], force->body[1]}};
    return ki_resistance_compile(names, mech, description, "length", diagnostics, force);
}

const ki_force_type ki_spring = {compile, ki_resistance_apply, ki_resistance_potential};

/* bushing.c - an elastic bearing between two bodies. */
#include "mechanism/forces/force.h"

#include <string.h>

static keel_status compile(const ki_names *names, ki_mech *mech, const keel_force *description,
                           keel_diagnostics *diagnostics, ki_force *force) {
    (void)names, (void)diagnostics;
    double *matrices = KI_NEW(&mech->arena, double, 72);
    if (!matrices)
        return KEEL_ERROR_MEMORY;
    memcpy(matrices, description->K, sizeof description->K);
    memcpy(matrices + 36, description->C, sizeof description->C);
    force->K = matrices;
    force->C = matrices + 36;
    return KEEL_OK;
}

static ki_load load_of(const ki_mech *mech, const ki_mech_work *w, const ki_force *force) {
    static const double NONE[3] = {0};
    ki_load load = {.power = 0};
    ki_force_load(mech, w, force, NONE, &load);
    return load;
}

void ki_bushing_deformation(const ki_mech *mech, const ki_mech_work *w, const ki_force *force, double x[6]) {
    ki_load load = load_of(mech, w, force);
    memcpy(x, load.x, sizeof load.x);
}

static double potential(const ki_mech *mech, ki_mech_work *w, const ki_force *force) {
    return load_of(mech, w, force).potential;
}

static void apply(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t) {
    (void)t;
    ki_load load = load_of(mech, w, force);
    ki_add_load(mech, w, force, &load);
}

const ki_force_type ki_bushing = {compile, apply, potential};

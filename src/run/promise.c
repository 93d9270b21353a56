/* promise.c - what methods promise: one table for positions and velocities, by formulation and stabiliser,
 * one for energy, by integrator. */
#include "keel/verdict.h"

#define EXACT   KEEL_KEEPS_EXACT
#define BOUNDED KEEL_KEEPS_BOUNDED
#define DRIFTS  KEEL_KEEPS_DRIFTS
#define YIELDS  KEEL_KEEPS_YIELDS

/* Positions, velocities. An index-3 form solves for positions, and its velocities are as exact as its rule;
 * an index-2 form the other way round; a partition solves for what it does not integrate. */
static const struct {
    keel_keeping none[2], baumgarte[2], projection[2], gradient[2];
} KEEPING[KEEL_FORMULATIONS] = {
    [KEEL_INDEX1] = {{DRIFTS, DRIFTS}, {BOUNDED, BOUNDED}, {EXACT, EXACT}, {EXACT, EXACT}},
    [KEEL_NULLSPACE] = {{DRIFTS, DRIFTS}, {BOUNDED, BOUNDED}, {EXACT, EXACT}, {EXACT, EXACT}},
    [KEEL_INDEPENDENT] = {{DRIFTS, EXACT}, {DRIFTS, EXACT}, {EXACT, EXACT}, {EXACT, EXACT}},
    [KEEL_PARTITIONED] = {{EXACT, EXACT}, {EXACT, EXACT}, {EXACT, EXACT}, {EXACT, EXACT}},
    [KEEL_PENALTY] = {{DRIFTS, DRIFTS}, {YIELDS, YIELDS}, {YIELDS, YIELDS}, {YIELDS, YIELDS}},
    [KEEL_AUGMENTED] = {{DRIFTS, DRIFTS}, {BOUNDED, BOUNDED}, {EXACT, EXACT}, {EXACT, EXACT}},
    [KEEL_GENERALIZED_INVERSE] = {{DRIFTS, DRIFTS}, {BOUNDED, BOUNDED}, {EXACT, EXACT}, {EXACT, EXACT}},
    [KEEL_INDEX3] = {{BOUNDED, BOUNDED}, {BOUNDED, BOUNDED}, {EXACT, EXACT}, {EXACT, EXACT}},
    [KEEL_INDEX2] = {{DRIFTS, BOUNDED}, {DRIFTS, BOUNDED}, {EXACT, EXACT}, {EXACT, EXACT}},
    [KEEL_GGL] = {{BOUNDED, BOUNDED}, {BOUNDED, BOUNDED}, {EXACT, EXACT}, {EXACT, EXACT}},
};

static const keel_energy_promise ENERGY[KEEL_INTEGRATORS] = {
    [KEEL_RK4] = KEEL_ENERGY_ACCURATE,         [KEEL_DOPRI5] = KEEL_ENERGY_ACCURATE,
    [KEEL_DOP853] = KEEL_ENERGY_ACCURATE,      [KEEL_ADAMS] = KEEL_ENERGY_ACCURATE,
    [KEEL_RADAU5] = KEEL_ENERGY_ACCURATE,      [KEEL_RADAU9] = KEEL_ENERGY_ACCURATE,
    [KEEL_BDF] = KEEL_ENERGY_ACCURATE,         [KEEL_BDF_FIXED] = KEEL_ENERGY_DAMPED,
    [KEEL_IDA] = KEEL_ENERGY_ACCURATE,         [KEEL_NEWMARK] = KEEL_ENERGY_ACCURATE,
    [KEEL_HHT] = KEEL_ENERGY_DAMPED,           [KEEL_GENERALIZED_ALPHA] = KEEL_ENERGY_DAMPED,
    [KEEL_TRAPEZOIDAL] = KEEL_ENERGY_ACCURATE, [KEEL_MIDPOINT] = KEEL_ENERGY_ACCURATE,
    [KEEL_CONSERVING] = KEEL_ENERGY_CONSERVED,
};

keel_promise keel_method_promise(keel_method method) {
    const keel_keeping *levels[KEEL_STABILIZERS] = {
        [KEEL_STABILIZE_NONE] = KEEPING[method.formulation].none,
        [KEEL_BAUMGARTE] = KEEPING[method.formulation].baumgarte,
        [KEEL_PROJECTION] = KEEPING[method.formulation].projection,
        [KEEL_GRADIENT] = KEEPING[method.formulation].gradient,
    };
    return (keel_promise){.position = levels[method.stabilize][0],
                          .velocity = levels[method.stabilize][1],
                          .energy = method.formulation == KEEL_PENALTY ? KEEL_ENERGY_YIELDS
                                                                       : ENERGY[method.integrator]};
}

const char *keel_keeping_word(keel_keeping keeping) {
    static const char *const WORDS[] = {
        [EXACT] = "exact", [BOUNDED] = "bounded", [DRIFTS] = "drifts", [YIELDS] = "yields"};
    return WORDS[keeping];
}

const char *keel_energy_promise_word(keel_energy_promise promise) {
    static const char *const WORDS[] = {[KEEL_ENERGY_ACCURATE] = "accurate",
                                        [KEEL_ENERGY_CONSERVED] = "conserved",
                                        [KEEL_ENERGY_DAMPED] = "damped",
                                        [KEEL_ENERGY_YIELDS] = "yields"};
    return WORDS[promise];
}

const char *keel_check_word(keel_check check) {
    static const char *const WORDS[KEEL_CHECKS] = {[KEEL_CHECK_END] = "end",
                                                   [KEEL_CHECK_POSITIONS] = "positions",
                                                   [KEEL_CHECK_VELOCITIES] = "velocities",
                                                   [KEEL_CHECK_ENERGY] = "energy",
                                                   [KEEL_CHECK_STEPS] = "steps",
                                                   [KEEL_CHECK_OUTPUTS] = "outputs"};
    return WORDS[check];
}

keel_check keel_run_verdict_failed(const keel_run_verdict *verdict) {
    if (!verdict)
        return KEEL_CHECK_END;
    int i = 0;
    while (i < KEEL_CHECKS && (!verdict->check[i].made || verdict->check[i].ok))
        i++;
    return (keel_check)i;
}

/* systems.h - small analytic systems in C for tests, with exact solutions. */
#ifndef TEST_SYSTEMS_H
#define TEST_SYSTEMS_H

#include <math.h>

#include "keel/keel.h"

/* Pendulum x^2 + y^2 = 1 with a period of exactly 2 s from (1, 0) at rest (g from Eich 1993, corrected: the
 * printed value is 1.29e-9 too large). At t = 1/2 it passes (0, -1) with speed sqrt(2 g) in -x; every half
 * period this repeats. */
#define PENDULUM_G 13.750371636040745654980191559621

/* How often the rod is written: 1 is the plain pendulum, more makes dependent rows. */
typedef struct pendulum_model {
    int copies;
    long calls;      /* number of evaluations so far             */
    long fail_after; /* > 0: return NaN forces from this call on */
} pendulum_model;

static keel_status pendulum_evaluate(const keel_system *system, void *work, unsigned what,
                                     const keel_point *at, keel_terms *terms) {
    pendulum_model *model =
        (pendulum_model *)(size_t)system->model; /* a test counts its calls in the model */
    double x = at->q[0], y = at->q[1], vx = at->v[0], vy = at->v[1];
    (void)work;
    model->calls++;
    if (what & KEEL_MASS)
        terms->M[0] = terms->M[1] = 1;
    if (what & KEEL_FORCE) {
        terms->Q[0] = model->fail_after && model->calls > model->fail_after ? NAN : 0;
        terms->Q[1] = -PENDULUM_G;
    }
    for (int i = 0; i < model->copies; i++) {
        if (what & KEEL_POSITION)
            terms->Phi[i] = x * x + y * y - 1;
        if (what & KEEL_JACOBIAN)
            terms->J[2 * i] = 2 * x, terms->J[2 * i + 1] = 2 * y;
        if (what & KEEL_VELOCITY)
            terms->rate[i] = 2 * (x * vx + y * vy);
        if (what & KEEL_XI)
            terms->xi[i] = -2 * (vx * vx + vy * vy);
    }
    if (what & KEEL_ENERGY)
        terms->energy = (vx * vx + vy * vy) / 2 + PENDULUM_G * y;
    if (what & KEEL_POWER)
        terms->power = 0;
    return KEEL_OK;
}

static inline keel_system pendulum_system(pendulum_model *model) {
    static const int M_start[] = {0, 1, 2}, M_index[] = {0, 1}, J_start[] = {0, 2, 4, 6},
                     J_index[] = {0, 1, 0, 1, 0, 1};
    static const char *const q_names[] = {"x", "y"}, *const rows[] = {"rod", "rod again", "rod once more"};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 2;
    system.n_h = model->copies;
    system.M = (keel_pattern){2, 2, M_start, M_index};
    system.J = (keel_pattern){model->copies, 2, J_start, J_index};
    system.has_energy = 1;
    system.model = model;
    system.evaluate = pendulum_evaluate;
    system.names.q = system.names.v = q_names;
    system.names.constraint = rows;
    return system;
}

#endif

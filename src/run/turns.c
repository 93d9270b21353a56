/* turns.c - between two steps an angle goes on by h (phi_0' + phi_1') / 2, as nearly as it takes to tell
 * whole turns; inside of a step it is near to the cubic through both ends. */
#include "run/turns.h"

#include <math.h>
#include <string.h>

#include "run/held.h"
#include "run/simulation.h"

static const double TURN = 6.283185307179586;

/* The angles at the end of the last step, as the pose tells them. */
static void look(keel_simulation *sim, double *angle, double *rate) {
    const ki_integrator *in = sim->integrator;
    const keel_system *sys = sim->system;
    const double *y = in->y;
    keel_point at = {.t = in->t,
                     .q = y,
                     .v = y + sys->n_q,
                     .z = y + sys->n_q + sys->n_v,
                     .s = sim->rows.s,
                     .lambda = sim->rows.lambda};
    sys->turns.values(sys, ki_work_of_all(sim), &at, angle, rate);
}

keel_status ki_turns_init(keel_simulation *sim) {
    ki_turns *turns = &sim->turns;
    int n = turns->count = sim->system->turns.count;
    if (n == 0)
        return KEEL_OK;
    for (int end = 0; end < 2; end++) {
        turns->angle[end] = KI_NEW(&sim->arena, double, n);
        turns->rate[end] = KI_NEW(&sim->arena, double, n);
    }
    turns->near = KI_NEW(&sim->arena, double, n);
    if (sim->arena.failed)
        return KEEL_ERROR_MEMORY;
    turns->t[0] = turns->t[1] = sim->integrator->t;
    look(sim, turns->angle[1], turns->rate[1]);
    memcpy(turns->angle[0], turns->angle[1], (size_t)n * sizeof(double));
    memcpy(turns->rate[0], turns->rate[1], (size_t)n * sizeof(double));
    return KEEL_OK;
}

static void swap(double *x[2]) {
    double *keep = x[0];
    x[0] = x[1];
    x[1] = keep;
}

void ki_count_turns(keel_simulation *sim) {
    ki_turns *turns = &sim->turns;
    if (turns->count == 0)
        return;
    turns->t[0] = turns->t[1];
    turns->t[1] = sim->integrator->t;
    swap(turns->angle);
    swap(turns->rate);
    look(sim, turns->angle[1], turns->rate[1]);
    double h = turns->t[1] - turns->t[0];
    for (int i = 0; i < turns->count; i++) {
        double guess = turns->angle[0][i] + h * (turns->rate[0][i] + turns->rate[1][i]) / 2;
        turns->angle[1][i] += TURN * round((guess - turns->angle[1][i]) / TURN);
    }
}

void ki_tell_turns(keel_simulation *sim, double t) {
    ki_turns *turns = &sim->turns;
    if (turns->count == 0)
        return;
    double h = turns->t[1] - turns->t[0], a = h > 0 ? (t - turns->t[0]) / h : 1, b = 1 - a;
    for (int i = 0; i < turns->count; i++) {
        double x0 = turns->angle[0][i], x1 = turns->angle[1][i];
        double bend = b * (h * turns->rate[0][i] - (x1 - x0)) - a * (h * turns->rate[1][i] - (x1 - x0));
        turns->near[i] = b * x0 + a * x1 + a * b * bend;
    }
    sim->system->turns.near(sim->system, ki_work_of_all(sim), turns->near);
}

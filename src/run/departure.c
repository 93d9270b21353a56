/* departure.c - the first step of a run that starts in a singular pose (docs/singular.md). */
#include <math.h>

#include "run/crossing.h"

/* A search for the length of a bridge away from a start. */
typedef struct departure {
    double t, H;
    const double *y, *rate;
    bool resting;
    double best, least; /* the length with the least error, and that */
    double first;       /* the longest one that was found without one before it */
    ki_meeting meeting;
} departure;

/* Its error; infinite: none was found. */
static double try_length(keel_simulation *sim, departure *from, bool again) {
    const ki_integrator *bridge = sim->crossing.bridge;
    keel_status status =
        ki_try_bridge_away(sim, from->t, from->y, from->H, from->rate, from->resting, again, &from->meeting);
    double error = !status && bridge->bridge_found ? bridge->bridge_error : INFINITY;
    if (error < from->least)
        from->least = error, from->best = from->H;
    return error;
}

static const double SHORTER = 0.7, LONGER = 1.2;

/* Long ones miss the motion, and of short ones the rates are round-off, so near to the pose: shorter until
 * one is good, and where none is longer again, each from the one before it. */
static void find_length(keel_simulation *sim, departure *from) {
    enum { MOST_SHORTER = 12, MOST_LONGER = 16 };
    static const double ENOUGH = 100;
    for (int k = 0; k < MOST_SHORTER && from->least > KI_LARGEST_BRIDGE_ERROR; k++, from->H *= SHORTER)
        if (try_length(sim, from, false) > ENOUGH * from->least)
            break;
    from->H = from->first = from->best;
    if (!(from->least > KI_LARGEST_BRIDGE_ERROR) || from->least == INFINITY)
        return;
    try_length(sim, from, false);
    for (int k = 0; k < MOST_LONGER && from->least > KI_LARGEST_BRIDGE_ERROR; k++) {
        from->H *= LONGER;
        if (!(try_length(sim, from, true) < ENOUGH * from->least))
            break;
    }
}

/* Once more the way to the best one. */
static keel_status take_best(keel_simulation *sim, departure *from, bool *taken) {
    from->H = from->first;
    keel_status status = KEEL_OK;
    for (bool again = false; !status && from->H < 1.01 * from->best; again = true, from->H *= LONGER)
        status = ki_try_bridge_away(sim, from->t, from->y, from->H, from->rate, from->resting, again,
                                    &from->meeting);
    return ki_take_if_good(sim, status, INFINITY, &from->meeting, taken);
}

keel_status ki_leave_singular_start(keel_simulation *sim, double t, const double *y, const double *rate) {
    double speed = 0, pull = 0, H = sim->dynamics.t_last - t;
    const keel_system *sys = sim->system;
    for (int j = 0; j < sys->n_v; j++) {
        double size = sim->held.look.size[j];
        speed = fmax(speed, fabs(y[sys->n_q + j]) / size);
        pull = fmax(pull, fabs(rate[sys->n_q + j]) / size);
    }
    /* as long as it takes to get half of a natural size away */
    if (speed > 0)
        H = fmin(H, 0.5 / speed);
    if (pull > 0)
        H = fmin(H, 1 / sqrt(pull));
    departure from = {.t = t, .H = H, .y = y, .rate = rate, .resting = speed == 0, .least = INFINITY};
    sim->crossing.bridge->work_allowed = 0;
    find_length(sim, &from);
    bool taken = false;
    keel_status status = from.best > 0 ? take_best(sim, &from, &taken) : KEEL_OK;
    return status || taken ? status : KEEL_ERROR_CONVERGENCE;
}

/* advance.c - a simulation that the caller leads: to a time, to another state, beyond its end. */
#include <math.h>
#include <string.h>

#include "keel/simulation.h"
#include "run/past.h"
#include "run/restart.h"
#include "run/simulation.h"

static keel_status refuse_time(const keel_simulation *sim, double t) {
    const ki_integrator *in = ki_present((keel_simulation *)sim)->integrator;
    keel_diagnostics *log = sim->past->diagnostics;
    if (isfinite(t))
        keel_diagnostics_add(
            log, KEEL_ERROR, (keel_location){0},
            "t = %.10g has passed: the last step began at t = %.10g. keel_simulation_set_state "
            "goes back",
            t, in->t_old);
    else
        keel_diagnostics_add(log, KEEL_ERROR, (keel_location){0}, "the time to advance to is not finite");
    return KEEL_ERROR_INPUT;
}

/* The end as far again from the start: whoever advances in small steps moves it seldom. */
static double later_end(const ki_past *past, double t) {
    return t + (t - past->start->t);
}

/* Fixed steps are parts of the way to the end, so another end asks for an integrator that begins anew: with
 * all that the run remembers (base.h), or in a place where it cannot be taken down, with the workspaces. */
static keel_status move_end(keel_simulation *sim, double t) {
    ki_past *past = sim->past;
    keel_simulation *now = ki_present(sim);
    ki_integrator *in = now->integrator;
    past->settings.until = now->settings.until = later_end(past, t);
    ki_look_for_switches(now);
    past->next = past->steps; /* the time to begin anew has come */
    keel_status status = ki_begin_anew(sim);
    if (status || ki_present(sim) != now)
        return status;
    past->elsewhere = true; /* until there is a place */
    memcpy(now->row_y, in->y, (size_t)now->dynamics.n_y * sizeof *in->y);
    return ki_restart(now, in->t, in->t - in->t_old);
}

void ki_halt_at(keel_simulation *sim, double t) {
    ki_past_add_asked(sim->past, KI_ASKED_HALT, t);
    keel_simulation *now = ki_present(sim);
    now->switching.halt = t;
    if (now->integrator->settings.fixed) /* a whole number of steps leads there */
        now->switching.jumped = true;
}

keel_status keel_simulation_set_input(keel_simulation *sim, int input, double value) {
    if (!sim || !sim->past || input < 0 || input >= sim->past->system->n_inputs || !isfinite(value))
        return KEEL_ERROR_INPUT;
    ki_past_add_asked(sim->past, input, value);
    keel_simulation *now = ki_present(sim);
    const keel_system *system = sim->past->system;
    double *at = &now->integrator->y[system->n_q + system->n_v + system->input[input]];
    now->switching.jumped = now->switching.jumped || *at != value;
    *at = value;
    return KEEL_OK;
}

double keel_simulation_input(const keel_simulation *sim, int input) {
    if (!sim || !sim->past || input < 0 || input >= sim->past->system->n_inputs)
        return NAN;
    const keel_simulation *now = ki_present((keel_simulation *)sim);
    const keel_system *system = sim->past->system;
    return now->integrator->y[system->n_q + system->n_v + system->input[input]];
}

keel_status keel_simulation_advance(keel_simulation *sim, double t, keel_row *row) {
    if (!sim)
        return KEEL_ERROR_INPUT;
    if (!isfinite(t) || t < ki_present(sim)->integrator->t_old)
        return refuse_time(sim, t);
    keel_status status = KEEL_OK;
    bool halts = sim->past->system->n_inputs > 0;
    while (!status && keel_simulation_time(sim) < t) {
        if (keel_simulation_time(sim) >= keel_simulation_until(sim))
            status = move_end(sim, t);
        if (!status && halts && ki_present(sim)->switching.halt != t)
            ki_halt_at(sim, fmin(t, keel_simulation_until(sim)));
        if (!status)
            status = keel_simulation_step(sim);
    }
    return status || !row ? status : keel_simulation_row(sim, t, row);
}

keel_status keel_simulation_state(keel_simulation *sim, keel_state *state) {
    keel_row row;
    if (!sim || !state)
        return KEEL_ERROR_INPUT;
    keel_status status = keel_simulation_row(sim, keel_simulation_time(sim), &row);
    if (status)
        return status;
    keel_state view = {row.t,           (double *)row.q, (double *)row.v,
                       (double *)row.z, (double *)row.s, (double *)row.lambda};
    keel_state_copy(sim->past->system, state, &view);
    return KEEL_OK;
}

/* Another run takes the place of this one; the handle stays the user's, and knows how it began. */
static void take_over(keel_simulation *sim, keel_simulation *next) {
    ki_past *past = sim->past, *first = past->first ? past->first : past;
    if (first != past)
        past->first = NULL;
    sim->past = next->past;
    sim->past->first = first;
    next->past = NULL;
    ki_clear_run(sim);
    sim->goes_on = next;
    if (first != past)
        ki_past_free(past);
}

static keel_simulation *run_from(const keel_simulation *sim, const keel_state *state, int velocities_given,
                                 double until, keel_status *status) {
    keel_settings settings = sim->past->settings;
    settings.until = until;
    return keel_simulation_new(sim->past->system, state, velocities_given, &settings, sim->past->diagnostics,
                               status);
}

keel_status keel_simulation_set_state(keel_simulation *sim, const keel_state *state) {
    if (!sim || !state)
        return KEEL_ERROR_INPUT;
    const ki_past *past = sim->past;
    double length = past->settings.until - past->start->t;
    keel_status status;
    keel_simulation *next = run_from(sim, state, 1, fmax(past->settings.until, state->t + length), &status);
    if (next)
        take_over(sim, next);
    return status;
}

keel_status keel_simulation_reset(keel_simulation *sim) {
    if (!sim)
        return KEEL_ERROR_INPUT;
    const ki_past *first = sim->past->first ? sim->past->first : sim->past;
    keel_status status;
    keel_simulation *next =
        run_from(sim, first->start, first->velocities_given, first->settings.until, &status);
    if (next)
        take_over(sim, next);
    return status;
}

double keel_simulation_until(const keel_simulation *sim) {
    return sim ? sim->past->settings.until : 0;
}

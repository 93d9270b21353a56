#include "run/stiffness.h"

#include <stdio.h>

#include "run/events.h"
#include "run/simulation.h"

/* Over how many steps the work of an integrator is measured. BDF begins at order one with tiny steps: what it
 * costs shows only later. */
enum { EXPLICIT_STEPS = 20, BDF_STEPS = 150 };

/* A linearisation with all that comes with it in a step of BDF (LU factors, Newton's method, projection,
 * the history), in evaluations: measured as CPU time on the flexible crank (7.1) and the governor (8.6). */
static const double JACOBIAN_WORK = 7;

static double work_so_far(const keel_simulation *sim) {
    return (double)sim->dynamics.evaluations + JACOBIAN_WORK * (double)sim->integrator->jacobians;
}

static void measure_from_here(keel_simulation *sim) {
    sim->stiffness.t = sim->integrator->t;
    sim->stiffness.work = work_so_far(sim);
    sim->stiffness.steps = sim->integrator->steps;
}

static double work_per_time(const keel_simulation *sim) {
    return (work_so_far(sim) - sim->stiffness.work) / (sim->integrator->t - sim->stiffness.t);
}

/* Goes on with another integrator from the state reached; counts go on. */
static keel_status change_to(keel_simulation *sim, keel_integrator kind) {
    const ki_integrator *old = sim->integrator;
    keel_status status;
    ki_integrator *next = ki_start_integrator(sim, kind, old->t, old->y, &status);
    if (!next)
        return status;
    next->steps = old->steps;
    next->rejected = old->rejected;
    next->jacobians = old->jacobians;
    next->moved_position = old->moved_position;
    next->moved_velocity = old->moved_velocity;
    ki_integrator_free(sim->integrator);
    sim->integrator = next;
    sim->settings.method.integrator = kind;
    measure_from_here(sim);
    return KEEL_OK;
}

static keel_status go_to_bdf(keel_simulation *sim, double h) {
    const char *name = keel_integrator_word(sim->settings.method.integrator).name;
    sim->stiffness.work_before = work_per_time(sim);
    keel_status status = change_to(sim, KEEL_BDF);
    keel_event *event = status ? NULL : ki_new_event(sim, sim->integrator->t, KEEL_EVENT_METHOD);
    if (event)
        snprintf(event->text, sizeof event->text,
                 "stiff: a strong damper brings the steps of %s (h = %.2g) near their stability limit: bdf "
                 "goes on",
                 name, h);
    sim->method_reason = "the system is stiff: bdf took over from an explicit method (see the events)";
    return status;
}

static keel_status go_back(keel_simulation *sim, double work) {
    const char *reason;
    keel_integrator kind = keel_method_choose(sim->dynamics.m + sim->system->n_i, &reason).integrator;
    double before = sim->stiffness.work_before;
    keel_status status = change_to(sim, kind);
    keel_event *event = status ? NULL : ki_new_event(sim, sim->integrator->t, KEEL_EVENT_METHOD);
    if (event)
        snprintf(event->text, sizeof event->text,
                 "bdf needs more work per time (%.3g evaluations) than %s did (%.3g): %s goes on", work,
                 keel_integrator_word(kind).name, before, keel_integrator_word(kind).name);
    sim->method_reason = reason;
    sim->stiffness.settled = true;
    return status;
}

keel_status ki_follow_stiffness(keel_simulation *sim) {
    ki_stiffness *s = &sim->stiffness;
    const ki_integrator *in = sim->integrator;
    if (!sim->settings.method.automatic || s->settled)
        return KEEL_OK;
    long steps = in->steps - s->steps;
    if (sim->settings.method.integrator == KEEL_BDF) {
        if (steps < BDF_STEPS)
            return KEEL_OK;
        double work = work_per_time(sim);
        s->settled = true;
        return work > s->work_before ? go_back(sim, work) : KEEL_OK;
    }
    if (in->stiff && steps > 0)
        return go_to_bdf(sim, in->t - in->t_old);
    if (steps >= EXPLICIT_STEPS)
        measure_from_here(sim);
    return KEEL_OK;
}

#include "run/stiffness.h"

#include <stdio.h>

#include "run/events.h"
#include "run/simulation.h"

/* Over how many steps the work of an integrator is measured; an implicit one first has to find its step. */
enum { EXPLICIT_STEPS = 20, STARTING_STEPS = 3, IMPLICIT_STEPS = 5 };

/* A linearisation with all that comes with it in an implicit step (LU factors, their solves, projection), in
 * evaluations: measured as CPU time on the flexible crank (18 with three stages, 26 with five) and the
 * governor (9 and 10). */
static const double JACOBIAN_WORK = 15;

/* Below this tolerance five stages take less time than three. */
static const double TIGHT = 3e-3;

/* An implicit method damps the fast oscillation that it steps over, which its error estimate does not see:
 * where nobody asked for more digits than that leaves. */
static const double LOOSE = 5e-5;

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
static keel_status change_to(keel_simulation *sim, keel_integrator kind, double first_step) {
    const ki_integrator *old = sim->integrator;
    keel_status status;
    ki_integrator *next = ki_start_integrator(sim, kind, old->t, old->y, first_step, &status);
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

static keel_status go_to_radau(keel_simulation *sim) {
    const ki_integrator *in = sim->integrator;
    const char *name = keel_integrator_word(sim->settings.method.integrator).name;
    keel_integrator kind = sim->settings.tolerance < TIGHT ? KEEL_RADAU9 : KEEL_RADAU5;
    ki_stiff found = in->stiff;
    double h = in->t - in->t_old;
    sim->stiffness.work_before = work_per_time(sim);
    sim->stiffness.is_implicit = true;
    keel_status status = change_to(sim, kind, h);
    keel_event *event = status ? NULL : ki_new_event(sim, sim->integrator->t, KEEL_EVENT_METHOD);
    if (event)
        snprintf(event->text, sizeof event->text,
                 "stiff: a %s brings the steps of %s (h = %.2g) near their stability limit: %s goes on",
                 found == KI_STIFF_DAMPER ? "strong damper" : "fast spring", name, h,
                 keel_integrator_word(kind).name);
    sim->method_reason =
        "the system is stiff: an implicit method took over from an explicit one (see the events)";
    return status;
}

static keel_status go_back(keel_simulation *sim, double work) {
    const char *reason, *name = keel_integrator_word(sim->settings.method.integrator).name;
    keel_integrator kind = keel_method_choose(sim->dynamics.m + sim->system->n_i, &reason).integrator;
    double before = sim->stiffness.work_before;
    keel_status status = change_to(sim, kind, sim->settings.first_step);
    keel_event *event = status ? NULL : ki_new_event(sim, sim->integrator->t, KEEL_EVENT_METHOD);
    if (event)
        snprintf(event->text, sizeof event->text,
                 "%s needs more work per time (%.3g evaluations) than %s did (%.3g): %s goes on", name, work,
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
    if (s->is_implicit) {
        if (!s->is_running && steps == STARTING_STEPS) {
            s->is_running = true;
            measure_from_here(sim);
        }
        if (!s->is_running || steps < IMPLICIT_STEPS)
            return KEEL_OK;
        double work = work_per_time(sim);
        s->settled = true;
        return work > s->work_before ? go_back(sim, work) : KEEL_OK;
    }
    bool pays =
        in->stiff == KI_STIFF_DAMPER || (in->stiff == KI_STIFF_SPRING && sim->settings.tolerance > LOOSE);
    if (pays && steps > 0)
        return go_to_radau(sim);
    if (steps >= EXPLICIT_STEPS)
        measure_from_here(sim);
    return KEEL_OK;
}

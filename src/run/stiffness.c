#include "run/stiffness.h"

#include <stdio.h>

#include "integrate/spectrum.h"
#include "integrate/tableau.h"
#include "run/events.h"
#include "run/simulation.h"

/* Over how many steps the work of an integrator is measured. An implicit one first has to find its step, and
 * at tight tolerances it follows what a strong damper does away with in the beginning: that takes some of the
 * explicit steps that stability allows. (Governor at 1e-12: measured after three steps radau9 lost, and
 * dop853 took 244 ms in place of 2.) */
enum { EXPLICIT_STEPS = 20, STARTING_STEPS = 3, MOST_STARTING_STEPS = 60, IMPLICIT_STEPS = 5 };
static const double STARTING_TIME = 7;

/* A linearisation with all that comes with it in an implicit step (factors, their solves, projection), in
 * evaluations: measured as CPU time 7 on the governor, 11 on the flexible crank with three stages, 13 with
 * five; more in larger systems. */
static const double JACOBIAN_WORK = 15;

/* Below this tolerance five stages take less time than three. */
static const double TIGHT = 3e-3;

/* An implicit method damps the fast oscillation that it steps over, which its error estimate does not see:
 * where nobody asked for more digits than that leaves. */
static const double LOOSE = 5e-5;

/* So many explicit steps that stability alone asks for are far more than a try of the implicit method costs.
 * Of the shipped models the flexible crank has 370, the governor 13000, and those that are not stiff have at
 * most 130. */
static const double MANY_STEPS = 250;

static double work_so_far(const keel_simulation *sim) {
    return (double)sim->dynamics.evaluations + JACOBIAN_WORK * (double)sim->integrator->jacobians;
}

void ki_measure_work_from_here(keel_simulation *sim) {
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
    ki_carry_counts(old, next);
    ki_integrator_free(sim->integrator);
    sim->integrator = next;
    sim->settings.method.integrator = kind;
    ki_measure_work_from_here(sim);
    return KEEL_OK;
}

static keel_integrator implicit_method(const keel_simulation *sim) {
    return sim->settings.tolerance < TIGHT ? KEEL_RADAU9 : KEEL_RADAU5;
}

/* Whether an implicit method is worth a try where such a thing limits explicit steps. */
static bool may_pay(const keel_simulation *sim, ki_stiff found) {
    return found == KI_STIFF_DAMPER || (found == KI_STIFF_SPRING && sim->settings.tolerance > LOOSE);
}

static const char *name_of(ki_stiff found) {
    return found == KI_STIFF_DAMPER ? "strong damper" : "fast spring";
}

/* Explicit steps are no longer than stiff_limit / |lambda|. A model that cannot be looked at is left to the
 * steps, whose workspace is not touched. */
static bool is_stiff_from_start(keel_simulation *sim, double t, const double *y, ki_spectrum *found,
                                keel_status *status) {
    const keel_settings *set = &sim->settings;
    ki_allowance allowed = {set->absolute_tolerance > 0 ? set->absolute_tolerance : set->tolerance,
                            set->tolerance, sim->dynamics.scales->y};
    keel_status looked = ki_find_spectrum(sim->aside, t, y, allowed, found);
    if (looked == KEEL_ERROR_MEMORY)
        *status = looked;
    double steps = (sim->settings.until - t) * found->size / KI_DOP853.stiff_limit;
    return !looked && may_pay(sim, found->kind) && steps > MANY_STEPS;
}

static void begin_implicit(keel_simulation *sim, double t, const ki_spectrum *found) {
    double h = KI_DOP853.stiff_limit / found->size;
    keel_integrator kind = implicit_method(sim);
    sim->stiffness.is_implicit = sim->stiffness.from_start = true;
    sim->stiffness.explicit_step = h;
    sim->stiffness.work_before = KI_DOP853.stages / h;
    sim->settings.method.integrator = kind;
    sim->method_reason =
        "the system is stiff at the start: an implicit method takes fewer steps (see the events)";
    keel_event *event = ki_new_event(sim, t, KEEL_EVENT_METHOD);
    if (event)
        snprintf(event->text, sizeof event->text,
                 "stiff: a %s would keep the steps of dop853 below h = %.2g: %s begins", name_of(found->kind),
                 h, keel_integrator_word(kind).name);
}

ki_integrator *ki_start_by_stiffness(keel_simulation *sim, double t, const double *y, keel_status *status) {
    ki_spectrum found;
    const keel_method *method = &sim->settings.method;
    bool open = method->automatic && method->integrator == KEEL_DOP853;
    if (open && is_stiff_from_start(sim, t, y, &found, status))
        begin_implicit(sim, t, &found);
    if (*status)
        return NULL;
    ki_integrator *first =
        ki_start_integrator(sim, method->integrator, t, y, sim->settings.first_step, status);
    sim->stiffness.t = t;
    sim->stiffness.work = (double)sim->dynamics.evaluations;
    return first;
}

static keel_status go_to_radau(keel_simulation *sim) {
    const ki_integrator *in = sim->integrator;
    const char *name = keel_integrator_word(sim->settings.method.integrator).name;
    keel_integrator kind = implicit_method(sim);
    ki_stiff found = in->stiff;
    double h = in->t - in->t_old;
    sim->stiffness.work_before = work_per_time(sim);
    sim->stiffness.is_implicit = true;
    sim->stiffness.explicit_step = h;
    keel_status status = change_to(sim, kind, h);
    keel_event *event = status ? NULL : ki_new_event(sim, sim->integrator->t, KEEL_EVENT_METHOD);
    if (event)
        snprintf(event->text, sizeof event->text,
                 "stiff: a %s brings the steps of %s (h = %.2g) near their stability limit: %s goes on",
                 name_of(found), name, h, keel_integrator_word(kind).name);
    sim->method_reason =
        "the system is stiff: an implicit method took over from an explicit one (see the events)";
    return status;
}

static keel_status go_back(keel_simulation *sim, double work) {
    const char *reason, *name = keel_integrator_word(sim->settings.method.integrator).name;
    keel_integrator kind = keel_method_choose(sim->dynamics.m + sim->system->n_i, &reason).integrator;
    ki_stiffness *s = &sim->stiffness;
    double before = s->work_before;
    keel_status status = change_to(sim, kind, sim->settings.first_step);
    keel_event *event = status ? NULL : ki_new_event(sim, sim->integrator->t, KEEL_EVENT_METHOD);
    if (event)
        snprintf(event->text, sizeof event->text,
                 "%s needs more work per time (%.3g evaluations) than %s %s (%.3g): %s goes on", name, work,
                 keel_integrator_word(kind).name, s->from_start ? "may" : "did", before,
                 keel_integrator_word(kind).name);
    sim->method_reason = reason;
    /* what the start let expect may still come true */
    s->settled = !s->from_start;
    s->is_implicit = s->is_running = s->from_start = false;
    return status;
}

/* Whether the implicit method has found its step. */
static bool has_begun(const ki_stiffness *s, double t, long steps) {
    bool long_enough = t - s->t >= STARTING_TIME * s->explicit_step;
    return steps >= STARTING_STEPS && (long_enough || steps >= MOST_STARTING_STEPS);
}

keel_status ki_follow_stiffness(keel_simulation *sim) {
    ki_stiffness *s = &sim->stiffness;
    const ki_integrator *in = sim->integrator;
    if (!sim->settings.method.automatic || s->settled)
        return KEEL_OK;
    long steps = in->steps - s->steps;
    if (s->is_implicit) {
        if (!s->is_running && has_begun(s, in->t, steps)) {
            s->is_running = true;
            ki_measure_work_from_here(sim);
            return KEEL_OK;
        }
        if (!s->is_running || steps < IMPLICIT_STEPS)
            return KEEL_OK;
        double work = work_per_time(sim);
        if (work > s->work_before)
            return go_back(sim, work);
        s->settled = true;
        return KEEL_OK;
    }
    if (may_pay(sim, in->stiff) && steps > 0)
        return go_to_radau(sim);
    if (steps >= EXPLICIT_STEPS)
        ki_measure_work_from_here(sim);
    return KEEL_OK;
}

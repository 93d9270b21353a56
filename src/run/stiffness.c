#include "run/stiffness.h"

#include <math.h>
#include <stdio.h>

#include "integrate/spectrum.h"
#include "integrate/tableau.h"
#include "run/events.h"
#include "run/simulation.h"

/* Over how many steps the work of an integrator is measured. An implicit one first has to find its step, and
 * at tight tolerances it follows what a strong damper does away with in the beginning: that takes some of the
 * explicit steps that stability allows. (Governor at 1e-12: measured after three steps radau9 lost, and
 * dop853 took 244 ms in place of 2.) */
enum { EXPLICIT_STEPS = 20, STARTING_STEPS = 3, MOST_STARTING_STEPS = 60, IMPLICIT_STEPS = 5, WINDOW = 10 };
static const double STARTING_TIME = 7;

/* A multistep method begins with order 1. */
enum { HISTORY_STEPS = 30 };

/* A trial may cost so much, or half of the run so far; how many times that a run waits for the next one; and
 * steps whose work per time is so many times the least have collapsed, if they stay so for a while: at the
 * end of a slip all methods take a few short steps. */
static const double MOST_TRIAL = 1000, A_WHILE = 2500, COSTLY = 1.1, WAITING = 2, COLLAPSED = 20;

/* A linearisation with all that comes with it in an implicit step (factors, their solves, projection), in
 * evaluations: measured as CPU time 7 on the governor, 11 on the flexible crank with three stages, 13 with
 * five; more in larger systems. */
static const double JACOBIAN_WORK = 15;

/* Below this tolerance five stages take less time than three. */
static const double TIGHT = 1e-3;

/* An implicit method damps the fast oscillation that it steps over, which its error estimate does not see:
 * where nobody asked for more digits than that leaves. */
static const double LOOSE = 5e-5;

/* So many explicit steps that stability alone asks for are far more than a try of the implicit method costs.
 * Of the shipped models the flexible crank has 370, the governor 13000, and those that are not stiff have at
 * most 130. */
static const double MANY_STEPS = 250;

const char *const KI_STIFF_REASON[2] = {
    "the system is stiff at the start: an implicit method takes fewer steps (see the events)",
    "the system is stiff: an implicit method took over from an explicit one (see the events)"};

static double work_so_far(const keel_simulation *sim) {
    return (double)sim->dynamics.evaluations + JACOBIAN_WORK * (double)sim->integrator->jacobians;
}

static void measure_work_from_here(keel_simulation *sim) {
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
    measure_work_from_here(sim);
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
    keel_status looked = ki_find_spectrum(&sim->rows, t, y, allowed, found);
    if (looked == KEEL_ERROR_MEMORY)
        *status = looked;
    double steps = (sim->settings.until - t) * found->size / KI_DOP853.stiff_limit;
    return !looked && may_pay(sim, found->kind) && steps > MANY_STEPS;
}

static void begin_implicit(keel_simulation *sim, double t, const ki_spectrum *found) {
    double h = KI_DOP853.stiff_limit / found->size;
    keel_integrator kind = implicit_method(sim);
    sim->stiffness.is_implicit = sim->stiffness.on_trial = sim->stiffness.from_start = true;
    sim->stiffness.trial_work = (double)sim->dynamics.evaluations;
    sim->stiffness.trial_t = t;
    sim->stiffness.explicit_step = h;
    sim->stiffness.work_before = KI_DOP853.stages / h;
    sim->settings.method.integrator = kind;
    sim->method_reason = KI_STIFF_REASON[0];
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

static const char *name_of_method(keel_integrator kind) {
    return keel_integrator_word(kind).name;
}

static void begin_trial(keel_simulation *sim, double work_before) {
    ki_stiffness *s = &sim->stiffness;
    s->before = sim->settings.method.integrator;
    s->work_before = work_before;
    s->trial_work = work_so_far(sim);
    s->trial_t = sim->integrator->t;
    s->on_trial = true;
    s->is_running = s->from_start = false;
}

/* The one that has worked last, else the implicit methods in turn: one works where another does not. */
static keel_integrator next_implicit(keel_simulation *sim) {
    enum { TURNS = 3 };
    keel_integrator first = implicit_method(sim), now = sim->settings.method.integrator;
    keel_integrator other = first == KEEL_RADAU9 ? KEEL_RADAU5 : KEEL_RADAU9, kind = now;
    const keel_integrator TURN[TURNS] = {first, other, KEEL_BDF};
    if (sim->stiffness.has_worked && sim->stiffness.worked != now)
        return sim->stiffness.worked;
    while (kind == now)
        kind = TURN[sim->stiffness.trials++ % TURNS];
    return kind;
}

static double first_step_of(keel_integrator kind, double h) {
    return kind == KEEL_BDF ? 0 : h;
}

static keel_status try_implicit(keel_simulation *sim) {
    const ki_integrator *in = sim->integrator;
    keel_integrator kind = next_implicit(sim);
    ki_stiff found = in->stiff;
    double h = in->t - in->t_old;
    begin_trial(sim, work_per_time(sim));
    sim->stiffness.explicit_work = sim->stiffness.work_before;
    sim->stiffness.is_implicit = true;
    sim->stiffness.explicit_step = h;
    keel_status status = change_to(sim, kind, first_step_of(kind, h));
    keel_event *event = status ? NULL : ki_new_event(sim, sim->integrator->t, KEEL_EVENT_METHOD);
    if (event)
        snprintf(event->text, sizeof event->text,
                 "stiff: a %s brings the steps of %s (h = %.2g) near their stability limit: %s goes on",
                 name_of(found), name_of_method(sim->stiffness.before), h, name_of_method(kind));
    sim->method_reason = KI_STIFF_REASON[1];
    return status;
}

/* From an implicit method whose steps have collapsed to another one. */
static keel_status try_other_implicit(keel_simulation *sim, double work) {
    ki_stiffness *s = &sim->stiffness;
    const ki_integrator *in = sim->integrator;
    keel_integrator kind = next_implicit(sim);
    double h = in->t - in->t_old, least = s->least;
    begin_trial(sim, work);
    s->explicit_step = h;
    keel_status status = change_to(sim, kind, first_step_of(kind, h));
    keel_event *event = status ? NULL : ki_new_event(sim, sim->integrator->t, KEEL_EVENT_METHOD);
    if (event)
        snprintf(event->text, sizeof event->text,
                 "the steps of %s have collapsed (h = %.2g, %.0f times the work per time): %s is tried",
                 name_of_method(s->before), h, work / least, name_of_method(kind));
    return status;
}

static keel_integrator explicit_method(keel_simulation *sim, const char **reason) {
    return keel_method_choose(sim->dynamics.m + sim->system->n_i, reason).integrator;
}

static bool is_implicit(keel_integrator kind) {
    return kind == KEEL_RADAU5 || kind == KEEL_RADAU9 || kind == KEEL_BDF;
}

/* Work per time of the method on trial: once it has found its step, or all in all, whichever is less. A
 * method that has come far has shown what it is good for, even if the last few steps were short. */
static double work_of_trial(const keel_simulation *sim) {
    const ki_stiffness *s = &sim->stiffness;
    double all = (work_so_far(sim) - s->trial_work) / (sim->integrator->t - s->trial_t);
    return fmin(work_per_time(sim), all);
}

/* Waits for the next trial; `failed`: for longer each time. */
static void end_trial(keel_simulation *sim, bool failed) {
    ki_stiffness *s = &sim->stiffness;
    double now = work_so_far(sim), cost = WAITING * (now - s->trial_work);
    s->cost = cost;
    s->patience = fmax(cost, (failed ? 2 : 0.5) * s->patience);
    s->judged = now;
    s->on_trial = s->is_running = s->from_start = false;
    s->least = INFINITY;
    s->well = now;
    s->taken = sim->integrator->t;
}

static keel_status go_back(keel_simulation *sim, double work) {
    const char *reason, *name = name_of_method(sim->settings.method.integrator);
    ki_stiffness *s = &sim->stiffness;
    bool from_start = s->from_start;
    keel_integrator kind = from_start ? explicit_method(sim, &reason) : s->before;
    double before = s->work_before;
    end_trial(sim, s->on_trial);
    if (from_start) /* what the start let expect may still come true */
        s->patience = 0;
    keel_status status = change_to(sim, kind, first_step_of(kind, sim->settings.first_step));
    keel_event *event = status ? NULL : ki_new_event(sim, sim->integrator->t, KEEL_EVENT_METHOD);
    if (event)
        snprintf(event->text, sizeof event->text,
                 "%s needs more work per time (%.3g evaluations) than %s %s (%.3g): %s goes on", name, work,
                 name_of_method(kind), from_start ? "may" : "did", before, name_of_method(kind));
    s->is_implicit = is_implicit(kind);
    if (!s->is_implicit)
        explicit_method(sim, &sim->method_reason);
    return status;
}

/* Whether the method on trial has found its step. */
static bool has_begun(const keel_simulation *sim, long steps) {
    const ki_stiffness *s = &sim->stiffness;
    if (sim->settings.method.integrator == KEEL_BDF)
        return steps >= HISTORY_STEPS;
    bool long_enough = sim->integrator->t - s->t >= STARTING_TIME * s->explicit_step;
    return steps >= STARTING_STEPS && (long_enough || steps >= MOST_STARTING_STEPS);
}

static keel_status follow_trial(keel_simulation *sim, long steps) {
    ki_stiffness *s = &sim->stiffness;
    double most = fmax(MOST_TRIAL, 0.5 * s->trial_work);
    bool too_much = work_so_far(sim) - s->trial_work > most && !s->from_start;
    if (!s->is_running && has_begun(sim, steps)) {
        s->is_running = true;
        measure_work_from_here(sim);
        return KEEL_OK;
    }
    if ((!s->is_running || steps < IMPLICIT_STEPS) && !(too_much && steps > 0))
        return KEEL_OK;
    double work = work_of_trial(sim);
    if (work > s->work_before) {
        s->has_worked &= s->worked != sim->settings.method.integrator;
        return go_back(sim, work);
    }
    end_trial(sim, false);
    s->has_worked = true;
    s->worked = sim->settings.method.integrator;
    s->least = work;
    measure_work_from_here(sim);
    return KEEL_OK;
}

/* An implicit method that has come to need more than the explicit one did: the motion is not what it was. */
static keel_status leave_implicit(keel_simulation *sim, double work) {
    ki_stiffness *s = &sim->stiffness;
    const char *reason;
    s->before = explicit_method(sim, &reason);
    s->work_before = s->explicit_work;
    s->trial_work = s->judged;
    return go_back(sim, work);
}

/* Whether it has cost more than the explicit one did, since it was taken. */
static bool is_costly(const keel_simulation *sim) {
    const ki_stiffness *s = &sim->stiffness;
    double work = work_so_far(sim) - s->judged, time = sim->integrator->t - s->taken;
    return s->explicit_work > 0 && work > A_WHILE && work > COSTLY * s->explicit_work * time;
}

static keel_status follow_implicit(keel_simulation *sim, long steps, bool may_try) {
    ki_stiffness *s = &sim->stiffness;
    const ki_integrator *in = sim->integrator;
    if (steps < WINDOW)
        return KEEL_OK;
    double work = work_per_time(sim), usual = (in->t - s->t) / (double)steps;
    s->least = fmin(s->least, work);
    if (work <= COLLAPSED * s->least)
        s->well = work_so_far(sim);
    bool grows = in->t - in->t_old > 2 * usual; /* it recovers */
    bool for_long = work_so_far(sim) - s->well > A_WHILE && !grows;
    if (!grows && is_costly(sim))
        return leave_implicit(sim, (work_so_far(sim) - s->judged) / (in->t - s->taken));
    if (for_long && may_try)
        return try_other_implicit(sim, work);
    measure_work_from_here(sim);
    return KEEL_OK;
}

/* What the last trial has told is not true any more if the explicit method takes many times the work. */
static bool has_worsened(const keel_simulation *sim, long steps) {
    static const double MUCH = 4;
    const ki_stiffness *s = &sim->stiffness;
    return steps >= WINDOW && s->explicit_work > 0 && work_so_far(sim) - s->judged >= s->cost &&
           work_per_time(sim) > MUCH * s->explicit_work;
}

keel_status ki_follow_stiffness(keel_simulation *sim) {
    ki_stiffness *s = &sim->stiffness;
    const ki_integrator *in = sim->integrator;
    if (!sim->settings.method.automatic)
        return KEEL_OK;
    long steps = in->steps - s->steps;
    bool may_try = work_so_far(sim) - s->judged >= s->patience;
    if (s->on_trial)
        return follow_trial(sim, steps);
    if (s->is_implicit)
        return follow_implicit(sim, steps, may_try);
    if (may_pay(sim, in->stiff) && steps > 0 && (may_try || has_worsened(sim, steps)))
        return try_implicit(sim);
    if (steps >= EXPLICIT_STEPS)
        measure_work_from_here(sim);
    return KEEL_OK;
}

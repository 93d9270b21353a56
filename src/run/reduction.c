#include "run/reduction.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/events.h"
#include "run/trouble.h"

static const keel_location NOWHERE = {0};

/* ---- choice */

/* Options that say how constraints are kept mean that there should be some. */
static bool asks_for_projection(const keel_settings *s) {
    return s->projection_penalty > 0 || s->levels != KEEL_LEVELS_POSITION_VELOCITY ||
           s->metric != KEEL_METRIC_NATURAL || s->projection_mode != KEEL_MODE_SEQUENTIAL;
}

/* Why a run cannot be reduced, as a clause; NULL: it can, if the start allows it. */
static const char *obstacle(const keel_system *system, const keel_settings *s) {
    if (!system->reduction)
        return "no loop of this system has a closed form that is known (docs/closed-forms.md)";
    if (system->n_i || system->n_z || system->n_s)
        return "it is for systems without invariants, first-order states and auxiliaries";
    if (s->method.formulation != KEEL_INDEX1)
        return "it goes with the formulation index1";
    if (s->method.stabilize != KEEL_PROJECTION && s->method.stabilize != KEEL_STABILIZE_NONE)
        return "nothing is left to be stabilised: it goes with projection and none";
    return NULL;
}

static keel_status refuse(const char *why, keel_diagnostics *diagnostics) {
    keel_diagnostics_add(diagnostics, KEEL_ERROR, NOWHERE,
                         "closed_forms = yes: %s; closed_forms = no runs with all coordinates", why);
    return KEEL_ERROR_INPUT;
}

/* 1, 0: the state is on another branch, or KEEL_ERROR_MEMORY */
static int is_on_branch(const keel_reduction *r, const keel_state *start) {
    const keel_system *sys = r->system;
    ki_arena arena;
    ki_arena_init(&arena);
    double *u = KI_NEW(&arena, double, sys->n_q), *u_rate = KI_NEW(&arena, double, sys->n_v);
    void *work = NULL;
    int answer = arena.failed || (sys->work_new && sys->work_new(sys, &work)) ? KEEL_ERROR_MEMORY : 0;
    if (!answer) {
        answer = r->shrink(r, work, start->q, start->v, u, u_rate);
        if (sys->work_free)
            sys->work_free(work);
    }
    ki_arena_free(&arena);
    return answer;
}

keel_status ki_choose_reduction(const keel_system *system, const keel_state *start,
                                const keel_settings *settings, keel_diagnostics *diagnostics,
                                const keel_reduction **chosen) {
    bool wanted = settings->closed_forms == KEEL_CLOSED_FORMS_YES;
    *chosen = NULL;
    if (settings->closed_forms == KEEL_CLOSED_FORMS_NO ||
        (!wanted && (!settings->method.automatic || asks_for_projection(settings))))
        return KEEL_OK;
    const char *why = obstacle(system, settings);
    if (why)
        return wanted ? refuse(why, diagnostics) : KEEL_OK;
    int on_branch = is_on_branch(system->reduction, start);
    if (on_branch < 0)
        return KEEL_ERROR_MEMORY;
    if (on_branch)
        *chosen = system->reduction;
    return !on_branch && wanted
               ? refuse("the start is on another branch, or in a pose where branches meet", diagnostics)
               : KEEL_OK;
}

/* ---- workspaces and states */

/* The settings of what is left: an unconstrained system. */
static keel_settings without_constraints(const keel_settings *settings) {
    keel_settings plain = *settings;
    plain.method.formulation = KEEL_INDEX1;
    plain.method.stabilize = KEEL_STABILIZE_NONE;
    plain.metric = KEEL_METRIC_NATURAL;
    plain.K_D = plain.K_P = plain.penalty = plain.non_ideal = plain.metric_matrix = (keel_gain){0};
    return plain;
}

keel_status ki_make_reduced_workspaces(keel_simulation *sim) {
    const keel_system *moving = sim->reduction->system;
    keel_settings plain = without_constraints(&sim->settings);
    keel_status status = ki_law_init(&sim->law, &sim->arena, moving, &plain, sim->diagnostics);
    if (!status)
        status = ki_law_init(&sim->law_of_rows, &sim->arena, sim->system, &plain, sim->diagnostics);
    if (!status)
        status = ki_dynamics_init(&sim->dynamics, moving, &sim->law);
    if (!status)
        status = ki_dynamics_init(&sim->reduced_rows, moving, &sim->law);
    if (!status)
        status = ki_dynamics_init(&sim->rows, sim->system, &sim->law_of_rows);
    if (status)
        return status;
    sim->aside = &sim->reduced_rows;
    sim->full = &sim->rows;
    sim->reduced_y = KI_NEW(&sim->arena, double, sim->dynamics.n_y);
    sim->pose = KI_NEW(&sim->arena, double, sim->reduction->n_poses);
    sim->pose_now = KI_NEW(&sim->arena, double, sim->reduction->n_poses);
    return sim->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

keel_status ki_shrink_start(keel_simulation *sim, double t) {
    const keel_reduction *r = sim->reduction;
    double *y = sim->reduced_y;
    if (!r->shrink(r, sim->dynamics.work, ki_q(sim->row_y), ki_v(sim->full, sim->row_y), ki_q(y),
                   ki_v(&sim->dynamics, y))) {
        keel_diagnostics_add(sim->diagnostics, KEEL_ERROR, NOWHERE,
                             "t = %.6g: the start, made consistent, is on another branch than before; "
                             "closed_forms = no runs with all coordinates",
                             t);
        return KEEL_ERROR_START;
    }
    *ki_work(&sim->dynamics, y) = 0;
    if (r->n_poses)
        r->poses(r, ki_q(y), sim->pose);
    return KEEL_OK;
}

void ki_expand_state(keel_simulation *sim, const double *y) {
    const keel_reduction *r = sim->reduction;
    double *full = sim->row_y;
    r->expand(r, sim->reduced_rows.work, y, y + r->system->n_q, ki_q(full), ki_v(sim->full, full));
    *ki_work(sim->full, full) = y[sim->dynamics.n_y - 1];
}

keel_status ki_measure_expanded(keel_simulation *sim, ki_violation *w) {
    ki_expand_state(sim, sim->integrator->y);
    return ki_measure_violation(sim->full, sim->integrator->t, sim->row_y, w);
}

/* ---- singular poses */

/* value[i] - target at a time of the last step; NAN where the state cannot be had. */
static double distance(keel_simulation *sim, int i, double target, double t) {
    const keel_reduction *r = sim->reduction;
    ki_integrator *in = sim->integrator;
    if (in->method->interpolate(in, t, sim->reduced_y))
        return NAN;
    r->poses(r, ki_q(sim->reduced_y), sim->pose_now);
    return sim->pose_now[i] - target;
}

/* When value[i] passes `target` between the two ends of the last step: regula falsi, the end that stays is
 * trusted half as much each time (Illinois). */
static double time_of_pose(keel_simulation *sim, int i, double target, double before, double after) {
    enum { MOST = 50 };
    const ki_integrator *in = sim->integrator;
    double a = in->t_old, b = in->t, f_a = before - target, f_b = after - target, t = b;
    for (int k = 0; k < MOST && f_b != f_a && fabs(b - a) > 1e-13 * fabs(in->t - in->t_old); k++) {
        t = b - f_b * (b - a) / (f_b - f_a);
        double f = distance(sim, i, target, t);
        if (!(fabs(f) > 1e-14))
            break;
        if ((f > 0) != (f_b > 0)) {
            a = b, f_a = f_b;
        } else {
            f_a /= 2;
        }
        b = t, f_b = f;
    }
    return t;
}

static keel_status report_pose(keel_simulation *sim, double t, int i) {
    char name[160];
    ki_constraint_text(sim->system, sim->reduction->pose_row[i], name, sizeof name);
    keel_event *event = ki_new_event(sim, t, KEEL_EVENT_SINGULAR);
    if (event)
        snprintf(event->text, sizeof event->text,
                 "singular pose: %.120s becomes dependent; another branch begins here, the motion stays on "
                 "its own",
                 name);
    if (sim->settings.singular != KEEL_SINGULAR_STOP)
        return KEEL_OK;
    keel_diagnostics_add(
        sim->diagnostics, KEEL_ERROR, NOWHERE,
        "t = %.6g: the pose is singular: %s becomes dependent; the option singular = stop ends the run here",
        t, name);
    return KEEL_ERROR_SINGULAR;
}

keel_status ki_look_for_poses(keel_simulation *sim) {
    const keel_reduction *r = sim->reduction;
    keel_status status = KEEL_OK;
    if (!r->n_poses || sim->integrator->steps == 0)
        return KEEL_OK;
    r->poses(r, sim->integrator->y, sim->pose_now);
    for (int i = 0; i < r->n_poses && !status; i++) {
        double before = sim->pose[i], after = sim->pose_now[i];
        int way = after > before ? 1 : -1;
        /* the whole numbers in (before, after], in the order in which they are passed */
        double first = way > 0 ? floor(before) + 1 : ceil(before) - 1;
        for (double k = first; way * (after - k) >= 0 && !status; k += way)
            status = report_pose(sim, time_of_pose(sim, i, k, before, after), i);
    }
    r->poses(r, sim->integrator->y, sim->pose);
    return status;
}

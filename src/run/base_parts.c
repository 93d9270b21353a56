/* base_parts.c - what of each part of a run is written down: every field once, for both directions. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "run/base.h"

/* ---- the constraints that are held */

static void visit_violation(ki_stream *s, keel_violation *x, int m) {
    ki_visit_double(s, &x->max);
    ki_visit_double(s, &x->final);
    ki_visit_double(s, &x->max_scaled);
    ki_visit_double(s, &x->time);
    ki_visit_int(s, &x->worst, -1, m - 1);
}

static void visit_look(ki_stream *s, ki_independence *look) {
    enum { CLASSES = sizeof look->class_rank / sizeof *look->class_rank };
    ki_visit_int(s, &look->rank, 0, look->m);
    ki_visit_int(s, &look->rank_here, 0, look->m);
    ki_visit_ints(s, look->class_rank, CLASSES, 0, look->m);
    ki_visit_ints(s, look->class_here, CLASSES, 0, look->m);
    ki_visit_double(s, &look->least);
    ki_visit_double(s, &look->most);
    ki_visit_doubles(s, look->scale, look->m);
    ki_visit_bytes(s, &look->random, sizeof look->random);
}

void ki_visit_held(ki_stream *s, keel_simulation *sim, double t, const double *y, const double *s_guess,
                   keel_status *status) {
    ki_held *h = &sim->held;
    int m = keel_system_m(sim->system);
    h->repeated.worst = s->loading ? -1 : h->repeated.worst;
    ki_visit_bool(s, &h->known);
    if (!h->known || s->failed)
        return;
    if (s->loading && (*status = ki_prepare_held(sim)))
        return;
    bool selected = h->selection;
    visit_look(s, &h->look);
    ki_visit_doubles(s, h->look.size, h->look.n);
    ki_visit_bool(s, &h->singular_start);
    ki_visit_doubles(s, h->lambda, m);
    ki_visit_double(s, &h->gap);
    ki_visit_double(s, &h->limit);
    ki_visit_int(s, &h->open_row, -1, sim->system->n_h > 0 ? sim->system->n_h - 1 : 0);
    ki_visit_double(s, &h->open);
    visit_violation(s, &h->repeated, m);
    ki_visit_bool(s, &selected);
    if (!selected || s->failed)
        return;
    bool *rows = s->loading ? h->look.taken : h->selection->held;
    ki_visit_bools(s, rows, m);
    if (s->loading && !s->failed)
        *status = ki_hold_again(sim, t, y, s_guess);
}

/* ---- workspaces */

void ki_visit_workspace(ki_stream *s, ki_dynamics *d) {
    const keel_system *sys = d->system;
    ki_visit_doubles(s, d->s, sys->n_s);
    ki_visit_doubles(s, d->lambda, d->m);
    ki_visit_double(s, &d->step);
    ki_visit_double(s, &d->motion_rate);
    ki_visit_doubles(s, d->D, d->m);
    ki_visit_doubles(s, d->largest_position, d->m);
    ki_visit_doubles(s, d->largest_velocity, d->m);
    ki_visit_bool(s, &d->invariants_known);
    ki_visit_doubles(s, d->invariant_start, sys->n_i);
    ki_visit_doubles(s, d->largest_invariant, sys->n_i);
}

void ki_visit_counts(ki_stream *s, ki_dynamics *d) {
    ki_visit_long(s, &d->evaluations, 0, LONG_MAX);
    ki_visit_long(s, &d->factorizations, 0, LONG_MAX);
    ki_visit_long(s, &d->projections, 0, LONG_MAX);
    ki_visit_long(s, &d->projection_factorizations, 0, LONG_MAX);
    ki_visit_long(s, &d->projection_iterations, 0, LONG_MAX);
}

void ki_visit_scales(ki_stream *s, ki_scales *scales, const keel_system *system) {
    ki_visit_doubles(s, scales->y, system->n_q + system->n_v + system->n_z + 1);
    ki_visit_doubles(s, scales->move, system->n_v);
    ki_visit_doubles(s, scales->share, system->n_v);
    ki_visit_bools(s, scales->grows, system->n_v);
    ki_visit_double(s, &scales->rate);
    ki_visit_bool(s, &scales->known);
}

/* ---- switches */

void ki_visit_switching(ki_stream *s, ki_switching *x, int n_y) {
    if (!x->work)
        return;
    double *numbers[] = {&x->t_first, &x->t_last, &x->at,  &x->after,       &x->passed,
                         &x->usual,   &x->t_old,  &x->cut, &x->last_before, &x->halt};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ki_visit_double(s, numbers[i]);
    ki_visit_long(s, &x->met, 0, LONG_MAX);
    ki_visit_int(s, &x->missed, 0, INT_MAX / 2);
    ki_visit_bool(s, &x->on_switch);
    if (!x->count)
        return;
    ki_visit_doubles(s, x->g_start, x->count);
    ki_visit_doubles(s, x->g, x->count);
    for (int i = 0; i < x->count; i++)
        KI_VISIT_AS_INT(s, x->side[i], -1, 1);
    ki_visit_doubles(s, x->latest, x->count);
    ki_visit_ints(s, x->returned, x->count, 0, INT_MAX / 2);
    ki_visit_bools(s, x->ignored, x->count);
    ki_visit_doubles(s, x->largest, x->count);
    ki_visit_doubles(s, x->y_old, n_y);
}

/* ---- the integrator */

static void visit_kind(ki_stream *s, ki_steps_of_a_kind *x) {
    ki_visit_int(s, &x->count, 0, INT_MAX / 2);
    ki_visit_int(s, &x->others, 0, INT_MAX / 2);
}

/* How rough fixed steps have been. */
static void visit_rough(ki_stream *s, ki_rough_step *rough, int n) {
    bool active = rough->active;
    ki_visit_bool(s, &active);
    s->failed = s->failed || active != rough->active;
    if (s->failed || !active)
        return;
    ki_visit_bool(s, &rough->is_pending);
    double *states[] = {rough->largest, rough->error, rough->t, rough->pending_y, rough->pending_e};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        ki_visit_doubles(s, states[i], n);
    ki_visit_double(s, rough->pending_t);
}

void ki_visit_integrator(ki_stream *s, ki_integrator *in) {
    ki_visit_long(s, &in->steps, 0, LONG_MAX / 2);
    ki_visit_long(s, &in->rejected, 0, LONG_MAX / 2);
    ki_visit_long(s, &in->jacobians, 0, LONG_MAX / 2);
    in->rejected_before = in->rejected;
    ki_visit_double(s, &in->moved_position);
    ki_visit_double(s, &in->moved_velocity);
    ki_visit_double(s, &in->longest_step);
    visit_kind(s, &in->damped);
    visit_kind(s, &in->slow);
    visit_kind(s, &in->fast);
    KI_VISIT_AS_INT(s, in->stiff, KI_NOT_STIFF, KI_STIFF_SPRING);
    ki_visit_double(s, &in->singular_at);
    visit_rough(s, &in->rough, in->n);
}

/* ---- the watch */

void ki_visit_watch(ki_stream *s, ki_watch *w, int m, int n) {
    bool active = w->active;
    ki_visit_bool(s, &active);
    s->failed = s->failed || active != w->active;
    if (s->failed || !active)
        return;
    double *numbers[] = {&w->largest,         &w->gap,      &w->before,   &w->t,
                         &w->t_before,        &w->steepest, &w->smallest, &w->smallest_time,
                         &w->steepest_inside, &w->logged,   &w->held,     &w->held_largest};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ki_visit_double(s, numbers[i]);
    ki_visit_int(s, &w->of.rank, 0, m);
    ki_visit_doubles(s, w->of.length, m);
    ki_visit_bools(s, w->of.dependent, m);
    ki_visit_doubles(s, w->of.y, m);
    ki_visit_doubles(s, w->of.x, n);
}

/* ---- all that is told of a run */

static void visit_stiffness(ki_stream *s, ki_stiffness *x) {
    double *numbers[] = {&x->t,       &x->work,   &x->explicit_step, &x->work_before, &x->trial_work,
                         &x->trial_t, &x->judged, &x->cost,          &x->patience,    &x->least,
                         &x->well,    &x->taken,  &x->explicit_work};
    bool *answers[] = {&x->is_implicit, &x->on_trial, &x->is_running, &x->from_start, &x->has_worked};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ki_visit_double(s, numbers[i]);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        ki_visit_bool(s, answers[i]);
    ki_visit_long(s, &x->steps, 0, LONG_MAX / 2);
    KI_VISIT_AS_INT(s, x->before, 0, KEEL_INTEGRATORS - 1);
    KI_VISIT_AS_INT(s, x->worked, 0, KEEL_INTEGRATORS - 1);
    ki_visit_int(s, &x->trials, 0, INT_MAX / 2);
}

static void visit_mark(ki_stream *s, ki_mark *x) {
    ki_visit_double(s, &x->attempts);
    ki_visit_double(s, &x->t);
}

/* Without the last trouble, which is told only if nothing has gone well since. */
static void visit_collapse(ki_stream *s, ki_collapse *x) {
    visit_mark(s, &x->last);
    ki_visit_double(s, &x->best);
    for (int i = 0; i < KI_COLLAPSE_MARKS; i++)
        visit_mark(s, &x->marks[i]);
    ki_visit_int(s, &x->count, 0, KI_COLLAPSE_MARKS);
    ki_visit_double(s, &x->spacing);
    ki_visit_double(s, &x->stalled);
    ki_visit_int(s, &x->order, 0, INT_MAX / 2);
}

static void visit_sum(ki_stream *s, keel_audit *x) {
    ki_visit_double(s, &x->integrator);
    ki_visit_double(s, &x->projection);
    ki_visit_double(s, &x->projection_1);
    ki_visit_double(s, &x->projection_2);
}

static void visit_audit(ki_stream *s, ki_audit *x) {
    double *numbers[] = {&x->drift, &x->gain_max, &x->size, &x->speed, &x->yielded, &x->exchanged};
    visit_sum(s, &x->last);
    visit_sum(s, &x->sum);
    ki_visit_long(s, &x->gains, 0, LONG_MAX);
    ki_visit_long(s, &x->losses, 0, LONG_MAX);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ki_visit_double(s, numbers[i]);
    bool open = x->metric_open;
    ki_visit_bool(s, &open);
    x->metric_open = x->metric_open && open; /* it has its memory where it may be open */
}

/* Before a bridge, and of poses that have been crossed. */
static void visit_crossing(ki_stream *s, ki_crossing *x, const keel_system *system) {
    int n_y = system->n_q + system->n_v + system->n_z + 1, last_row = system->n_h > 0 ? system->n_h - 1 : 0;
    double *numbers[] = {&x->declined,   &x->nothing,    &x->best_t,    &x->best_pose,
                         &x->best_error, &x->far_t,      &x->far_gap,   &x->usual_step,
                         &x->latest_t,   &x->latest_gap, &x->earlier_t, &x->earlier_gap};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ki_visit_double(s, numbers[i]);
    ki_visit_doubles(s, x->best_y, n_y);
    ki_visit_doubles(s, x->far_y, n_y);
    ki_visit_bool(s, &x->looked);
    ki_visit_bool(s, &x->inexact);
    ki_visit_bool(s, &x->blurred);
    ki_visit_int(s, &x->exact, 0, INT_MAX / 2);
    ki_visit_int(s, &x->open_row, 0, last_row);
}

static void visit_turns(ki_stream *s, ki_turns *x) {
    for (int end = 0; end < 2 && x->count; end++) {
        ki_visit_double(s, &x->t[end]);
        ki_visit_doubles(s, x->angle[end], x->count);
        ki_visit_doubles(s, x->rate[end], x->count);
    }
}

static void visit_event(ki_stream *s, keel_event *event, ki_pose *pose, int m) {
    ki_visit_double(s, &event->t);
    KI_VISIT_AS_INT(s, event->kind, KEEL_EVENT_SINGULAR, KEEL_EVENT_METRIC);
    ki_visit_bytes(s, event->text, sizeof event->text);
    event->text[sizeof event->text - 1] = 0;
    ki_visit_int(s, &pose->open_row, -1, m > 0 ? m - 1 : 0);
    ki_visit_double(s, &pose->open);
    ki_visit_int(s, &pose->before, -m - 1, m);
    ki_visit_int(s, &pose->at, -m - 1, m);
    ki_visit_int(s, &pose->after, -m - 1, m);
    ki_visit_double(s, &pose->gap);
}

static void visit_events(ki_stream *s, keel_simulation *sim) {
    int m = keel_system_m(sim->system);
    ki_visit_int(s, &sim->event_count, 0, KEEL_EVENTS_MAX);
    ki_visit_long(s, &sim->events_dropped, 0, LONG_MAX / 2);
    for (int i = 0; i < sim->event_count; i++)
        visit_event(s, &sim->events[i], &sim->poses[i], m);
    ki_visit_bools(s, sim->was_dependent, sim->system->n_v);
    ki_visit_bool(s, &sim->partition_known);
}

/* An array that may not be there. */
static void visit_flags(ki_stream *s, keel_simulation *sim, int **flags, int count) {
    bool there = *flags != NULL;
    ki_visit_bool(s, &there);
    if (s->loading && there)
        *flags = KI_NEW(&sim->arena, int, count);
    if (there && *flags)
        ki_visit_ints(s, *flags, count, 0, 1);
}

/* Which multipliers and outputs are shared, and what is left to be asked about that. */
static void visit_sharing(ki_stream *s, keel_simulation *sim) {
    int m = keel_system_m(sim->system), outputs = sim->system->n_outputs;
    int count = sim->null_space ? sim->null_count : 0;
    visit_flags(s, sim, &sim->shared, m);
    visit_flags(s, sim, &sim->output_shared, outputs);
    ki_visit_int(s, &count, 0, m);
    if (s->loading && count) {
        sim->null_count = count;
        sim->null_space = KI_NEW(&sim->arena, double, (size_t)count *(size_t)m);
        sim->shifted = KI_NEW(&sim->arena, double, m + outputs);
        s->failed = s->failed || !sim->output_shared;
    }
    if (count && sim->null_space)
        ki_visit_doubles(s, sim->null_space, count * m);
    ki_visit_bools(s, sim->output_told, outputs);
    ki_visit_int(s, &sim->outputs_told, 0, INT_MAX / 2);
    ki_visit_int(s, &sim->unsound_count, 0, outputs);
    ki_visit_int(s, &sim->unsound_output, 0, outputs > 0 ? outputs - 1 : 0);
    ki_visit_double(s, &sim->unsound_time);
}

void ki_visit_totals(ki_stream *s, keel_simulation *sim) {
    int m = keel_system_m(sim->system);
    keel_violation *worst[] = {&sim->position, &sim->velocity, &sim->position_in_pose,
                               &sim->velocity_in_pose};
    double *numbers[] = {&sim->energy_initial,   &sim->energy_final,         &sim->energy_drift,
                         &sim->energy_drift_max, &sim->start_position_moved, &sim->start_velocity_moved};
    for (size_t i = 0; i < sizeof worst / sizeof *worst; i++)
        visit_violation(s, worst[i], m);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ki_visit_double(s, numbers[i]);
    for (int i = 0; i < sim->system->n_i; i++)
        ki_visit_bytes(s, &sim->invariants[i], sizeof sim->invariants[i]);
    ki_visit_bool(s, &sim->refuted);
    visit_stiffness(s, &sim->stiffness);
    visit_collapse(s, &sim->collapse);
    visit_audit(s, &sim->audit);
    visit_crossing(s, &sim->crossing, sim->system);
    visit_turns(s, &sim->turns);
    visit_events(s, sim);
    visit_sharing(s, sim);
}

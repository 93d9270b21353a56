#include "run/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/crossing.h"
#include "run/events.h"
#include "run/judge.h"
#include "run/past.h"
#include "run/restart.h"
#include "run/sides.h"
#include "run/singular_start.h"
#include "run/start.h"
#include "run/state_scale.h"
#include "run/trouble.h"
#include "stabilize/invariants.h"

keel_status ki_make_workspaces(keel_simulation *sim) {
    keel_status status = ki_law_init(&sim->law, &sim->arena, sim->active, &sim->settings, sim->diagnostics);
    if (!status)
        status = ki_dynamics_init(&sim->dynamics, sim->active, &sim->law);
    if (!status)
        status = ki_dynamics_init(&sim->rows, sim->active, &sim->law);
    if (!status)
        ki_tell_switches(sim);
    sim->rows.scales = sim->dynamics.scales;
    return status ? status : ki_stiff_rows_init(sim);
}

keel_status ki_allocate_run(keel_simulation *sim) {
    const keel_system *sys = sim->system;
    int n_y = sys->n_q + sys->n_v + sys->n_z + 1;
    sim->row_y = KI_NEW(&sim->arena, double, n_y);
    sim->row_k = KI_NEW(&sim->arena, double, n_y);
    sim->row_outputs = KI_NEW(&sim->arena, double, sys->n_outputs);
    sim->output_told = KI_NEW(&sim->arena, bool, sys->n_outputs);
    sim->invariants = KI_NEW(&sim->arena, keel_invariant, sys->n_i);
    sim->events = KI_NEW(&sim->arena, keel_event, KEEL_EVENTS_MAX);
    sim->poses = KI_NEW(&sim->arena, ki_pose, KEEL_EVENTS_MAX);
    sim->was_dependent = KI_NEW(&sim->arena, bool, sys->n_v);
    if (ki_crossing_init(sim))
        return KEEL_ERROR_MEMORY;
    return sim->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

static void load_start(keel_simulation *sim, const keel_state *start) {
    const keel_system *sys = sim->system;
    double *y = sim->row_y;
    memcpy(y, start->q, (size_t)sys->n_q * sizeof(double));
    memcpy(y + sys->n_q, start->v, (size_t)sys->n_v * sizeof(double));
    memcpy(y + sys->n_q + sys->n_v, start->z, (size_t)sys->n_z * sizeof(double));
    y[sys->n_q + sys->n_v + sys->n_z] = 0;
}

void ki_track_violation(keel_violation *total, double t, double violation, double scaled, int row) {
    if (total->worst < 0 || violation > total->max) {
        total->max = violation;
        total->time = t;
        total->worst = row;
    }
    total->final = violation;
    total->max_scaled = fmax(total->max_scaled, scaled);
}

keel_violation ki_worse_violation(const keel_violation *a, const keel_violation *b) {
    keel_violation worse = b->worst >= 0 && (a->worst < 0 || b->max > a->max) ? *b : *a;
    worse.max_scaled = fmax(a->max_scaled, b->max_scaled);
    worse.final = a->final;
    return worse;
}

static keel_status measure_violation(keel_simulation *sim) {
    ki_violation w;
    const ki_integrator *in = sim->integrator;
    keel_status status = ki_measure_violation(&sim->dynamics, in->t, in->y, &w);
    if (status)
        return status;
    ki_track_violation(&sim->position, in->t, w.position, w.position_scaled,
                       ki_row_of_all(sim, w.position_row));
    ki_track_violation(&sim->velocity, in->t, w.velocity, w.velocity_scaled,
                       ki_row_of_all(sim, w.velocity_row));
    return KEEL_OK;
}

keel_status ki_measure_energy(ki_dynamics *d, double t, double *y, double energy_start, double *energy,
                              double *drift) {
    *energy = *drift = 0;
    if (!d->system->has_energy)
        return KEEL_OK;
    keel_status status = ki_evaluate_once(d, KEEL_ENERGY, t, y);
    *energy = d->at.energy;
    *drift = d->at.energy - energy_start - *ki_work(d, y);
    return status;
}

/* Values and changes; that they are constant at all is checked wherever rows are written. */
static keel_status measure_invariants(keel_simulation *sim) {
    const ki_integrator *in = sim->integrator;
    ki_dynamics *d = &sim->dynamics;
    if (sim->system->n_i == 0)
        return KEEL_OK;
    keel_status status = ki_evaluate_terms(d, KEEL_INVARIANTS, in->t, in->y);
    for (int i = 0; !status && i < sim->system->n_i; i++) {
        keel_invariant *invariant = &sim->invariants[i];
        invariant->initial = d->invariant_start[i];
        invariant->final = d->at.invariant[i];
        invariant->drift = invariant->final - invariant->initial;
        invariant->drift_max = fmax(invariant->drift_max, fabs(invariant->drift));
    }
    return status;
}

static keel_status measure_rank(keel_simulation *sim) {
    sim->rank = keel_system_m(sim->system) ? -1 : 0;
    sim->rank_gap = INFINITY;
    return sim->held.known ? ki_tell_held_rank(sim) : KEEL_OK;
}

static keel_status after_step(keel_simulation *sim) {
    double energy, drift;
    keel_status status = ki_look_for_events(sim); /* first: it uses J at the new point */
    if (!status)
        status = measure_violation(sim);
    if (!status)
        status = ki_measure_energy(&sim->dynamics, sim->integrator->t, sim->integrator->y,
                                   sim->energy_initial, &energy, &drift);
    if (!status)
        status = measure_invariants(sim);
    if (!status) {
        sim->energy_final = energy;
        sim->energy_drift = drift;
        sim->energy_drift_max = fmax(sim->energy_drift_max, fabs(drift));
        ki_size_motion(sim, energy);
        ki_count_turns(sim);
        status = ki_audit_step(sim, drift);
    }
    return status;
}

void ki_carry_counts(const ki_integrator *old, ki_integrator *next) {
    next->steps = old->steps;
    next->rejected = next->rejected_before = old->rejected;
    next->jacobians += old->jacobians;
    next->moved_position = old->moved_position;
    next->moved_velocity = old->moved_velocity;
}

static ki_problem problem_from(keel_simulation *sim, keel_integrator kind, double t, const double *y,
                               double first_step) {
    const keel_settings *set = &sim->settings;
    /* those that can do both take fixed steps when given one */
    bool fixed = keel_integrator_takes_step(kind) && set->step > 0;
    return (ki_problem){.kind = kind,
                        .flow = {&sim->dynamics, set->method.stabilize},
                        .flow_rows = {&sim->rows, set->method.stabilize},
                        .settings = {.tolerance = set->tolerance,
                                     .absolute_tolerance = set->absolute_tolerance > 0
                                                               ? set->absolute_tolerance
                                                               : set->tolerance,
                                     .step = fixed ? set->step : first_step,
                                     .fixed = fixed,
                                     .max_step = set->max_step,
                                     .most_steps = set->max_steps,
                                     .order = (int)set->order,
                                     .projected_error = set->projected_error == KEEL_YES},
                        .options = set,
                        .t = t,
                        .t_end = ki_step_limit(sim),
                        .y = y};
}

ki_integrator *ki_start_integrator(keel_simulation *sim, keel_integrator kind, double t, const double *y,
                                   double first_step, keel_status *status) {
    ki_problem problem = problem_from(sim, kind, t, y, first_step);
    ki_integrator *in = ki_integrator_new(&problem, status);
    if (!in || !(*status = ki_prepare_follower(sim, in)))
        return in;
    ki_integrator_free(in);
    return NULL;
}

ki_integrator *ki_new_bridge(keel_simulation *sim, keel_status *status) {
    ki_problem problem = problem_from(sim, sim->settings.method.integrator, 0, sim->row_y, 0);
    problem.bridge = true;
    return ki_integrator_new(&problem, status);
}

const double *ki_state_scale(keel_simulation *sim) {
    return ki_present(sim)->dynamics.scales->y;
}

keel_status ki_begin_watch(keel_simulation *sim, double t, const double *y) {
    ki_dynamics *d = &sim->dynamics;
    keel_status status = ki_solve_auxiliaries(d, t, y);
    if (!status)
        status = ki_factor_at(d, t, y);
    if (!status)
        ki_watch_init(&sim->watch, &sim->arena, d, t, sim->held.selection || sim->rank == d->m ? d->m : -1);
    if (!status && sim->held.selection && !sim->held.look.large)
        ki_watch_all(&sim->watch, ki_gap_on_the_way, sim, t, y);
    return !status && sim->arena.failed ? KEEL_ERROR_MEMORY : status;
}

/* What the start tells before the first step, from the workspace at the start itself: the integrator has
 * looked at other points. */
static keel_status measure_start(keel_simulation *sim, double t, double *y) {
    ki_dynamics *d = &sim->dynamics;
    keel_status status = ki_begin_watch(sim, t, y);
    if (!status)
        status = ki_measure_energy(d, t, y, 0, &sim->energy_initial, &sim->energy_drift);
    return status ? status : after_step(sim);
}

keel_status ki_prepare_workspaces(keel_simulation *sim, double t, double *y) {
    ki_dynamics *d = &sim->dynamics;
    /* a system too large for its rank to be computed: what the factorization met is a hint */
    bool redundant = sim->rank >= 0 ? sim->rank < d->m : keel_saddle_regularized(d->K);
    if (d->m) {
        ki_fix_penalty(d);
        memcpy(sim->rows.D, d->D, (size_t)d->m * sizeof(double));
    }
    if (redundant) {
        ki_expect_redundancy(d);
        ki_expect_redundancy(&sim->rows);
    }
    memmove(sim->rows.s, d->s, (size_t)sim->system->n_s * sizeof(double));
    keel_status status = ki_set_invariants(d, t, y);
    if (!status)
        status = ki_set_invariants(&sim->rows, t, y);
    return status ? status : ki_audit_init(sim);
}

/* Workspaces for the constraints that are to be held. */
static keel_status choose_constraints(keel_simulation *sim, const keel_state *start) {
    keel_status status = ki_choose_held(sim, start->t, sim->row_y);
    if (!status)
        status = ki_make_workspaces(sim);
    if (status == KEEL_ERROR_MEMORY)
        keel_diagnostics_add(sim->diagnostics, KEEL_ERROR, (keel_location){0}, "%s",
                             keel_status_text(status));
    if (status)
        return status;
    memcpy(sim->dynamics.s, start->s, (size_t)sim->system->n_s * sizeof(double));
    ki_normalize(&sim->dynamics, sim->row_y);
    return KEEL_OK;
}

/* A start that was off the constraints hides which of them repeat others. */
static keel_status choose_again(keel_simulation *sim, double t) {
    if (sim->held.selection || !sim->held.known || sim->start_position_moved == 0)
        return KEEL_OK;
    keel_status status = ki_choose_held(sim, t, sim->row_y);
    if (status || !sim->held.selection)
        return status;
    ki_clear_workspaces(sim);
    return ki_replace_workspaces(sim);
}

/* Penalties do not divide by J, and fixed steps walk over poses as they come. */
static bool crosses_poses(const keel_simulation *sim) {
    const keel_settings *s = &sim->settings;
    return s->method.formulation != KEEL_PENALTY && s->method.formulation != KEEL_AUGMENTED &&
           !(keel_integrator_takes_step(s->method.integrator) && s->step > 0);
}

static bool starts_in_pose(const keel_simulation *sim) {
    return sim->held.singular_start && crosses_poses(sim) &&
           sim->settings.start_state == KEEL_START_CONSISTENT;
}

/* Off the constraints on purpose. */
static keel_status start_as_given(keel_simulation *sim, double t) {
    keel_status status = ki_solve_auxiliaries(&sim->dynamics, t, sim->row_y);
    return status ? status : ki_factor_at(&sim->dynamics, t, sim->row_y);
}

static keel_status consistent_start(keel_simulation *sim, double t, int velocities_given) {
    ki_start_report report = {0};
    keel_status status = KEEL_OK;
    /* in a singular pose of a drawing with some digits all constraints together ask for any velocity */
    if (!sim->held.singular_start || !crosses_poses(sim) || !ki_start_next_to_pose(sim, t, sim->row_y))
        status = ki_make_consistent(&sim->dynamics, &sim->settings, velocities_given, t, sim->row_y,
                                    sim->diagnostics, &report);
    if (status)
        return status;
    sim->start_position_moved = report.position_moved;
    sim->start_velocity_moved = report.velocity_moved;
    if ((status = choose_again(sim, t)))
        return status;
    status = ki_factor_at(&sim->dynamics, t, sim->row_y);
    return status ? status : ki_check_repeated(sim, t);
}

static keel_status begin(keel_simulation *sim, const keel_state *start, int velocities_given) {
    keel_status status = keel_settings_validate(&sim->settings, start->t, sim->diagnostics);
    if (status)
        return status;
    load_start(sim, start);
    ki_collapse_init(&sim->collapse, start->t);
    status = choose_constraints(sim, start);
    if (!status && !sim->system->q_size) /* not known without: sizes of constraints are measured by them */
        ki_find_scales(&sim->dynamics, start->t, sim->row_y, sim->settings.until - start->t);
    if (!status)
        status = sim->settings.start_state == KEEL_START_AS_GIVEN
                     ? start_as_given(sim, start->t)
                     : consistent_start(sim, start->t, velocities_given);
    if (status)
        return status;
    ki_dynamics *d = &sim->dynamics;
    double *y = sim->row_y;
    status = measure_rank(sim);
    if (!status)
        status = ki_prepare_workspaces(sim, start->t, sim->row_y);
    if (!status)
        status = ki_switching_init(sim, start->t);
    if (!status)
        ki_find_scales(&sim->rows, start->t, y, sim->settings.until - start->t);
    if (!status)
        status = ki_prepare_bridge(sim);
    if (!status)
        status = ki_across_init(sim);
    if (!status && starts_in_pose(sim))
        status = ki_begin_singular(sim, start->t, y);
    else if (!status)
        sim->integrator = ki_start_by_stiffness(sim, start->t, y, &status);
    if (status == KEEL_ERROR_START) /* has told why */
        return status;
    if (!status)
        status = ki_turns_init(sim);
    if (!status)
        status = measure_start(sim, start->t, y);
    if (status)
        ki_report_failure(d, status, start->t, sim->diagnostics);
    return status;
}

void ki_choose_method(keel_simulation *sim) {
    int kept = keel_system_m(sim->system) + sim->system->n_i;
    if (!sim->settings.method.automatic)
        return;
    sim->settings.method = keel_method_choose(kept, &sim->method_reason);
    sim->settings.method.automatic = 1;
}

keel_simulation *ki_simulation_begin(const keel_system *system, const keel_state *start, int velocities_given,
                                     const keel_settings *settings, keel_diagnostics *diagnostics,
                                     keel_status *status) {
    keel_simulation *sim = calloc(1, sizeof *sim);
    if (!sim) {
        *status = KEEL_ERROR_MEMORY;
        return NULL;
    }
    sim->system = sim->active = system;
    sim->settings = *settings;
    sim->diagnostics = diagnostics;
    sim->position.worst = sim->velocity.worst = sim->held.repeated.worst = -1;
    sim->position_in_pose.worst = sim->velocity_in_pose.worst = -1;
    ki_arena_init(&sim->arena);
    ki_choose_method(sim);
    *status = ki_allocate_run(sim);
    if (!*status)
        *status = begin(sim, start, velocities_given);
    else if (*status == KEEL_ERROR_MEMORY)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0}, "%s", keel_status_text(*status));
    if (*status) {
        keel_simulation_free(sim);
        return NULL;
    }
    return sim;
}

keel_simulation *ki_present(keel_simulation *sim) {
    return sim->goes_on ? sim->goes_on : sim;
}

void ki_clear_run(keel_simulation *sim) {
    keel_simulation_free(sim->goes_on);
    ki_integrator_free(sim->integrator);
    ki_integrator_free(sim->crossing.bridge);
    if (sim->system)
        ki_switching_clear(sim);
    ki_clear_workspaces(sim);
    ki_held_clear(&sim->held);
    ki_arena_free(&sim->arena);
    *sim = (keel_simulation){.past = sim->past};
}

void keel_simulation_free(keel_simulation *sim) {
    if (!sim)
        return;
    ki_clear_run(sim);
    ki_past_free(sim->past);
    free(sim);
}

keel_status ki_take_step(keel_simulation *sim) {
    if (sim->watch.active) /* it may be another one than before */
        ki_watch_ends(&sim->watch, sim->integrator);
    ki_remember_beginning(sim);
    sim->integrator->work_allowed = sim->integrator->estimates_work ? ki_allowed_work(sim) : 0;
    keel_status status = ki_follow_stiffness(sim);
    return status ? status : ki_step_to_switch(sim);
}

/* After ki_report_failure: what the numbers of the run add to it. */
static void explain_failure(keel_simulation *sim) {
    if (!ki_explain_energy(sim))
        ki_explain_looseness(sim, &sim->dynamics.trouble);
    ki_explain_singular(sim);
    ki_explain_sides(sim);
}

/* Before a step, so that all that belongs to the last one has been told. */
static bool has_collapsed(keel_simulation *sim) {
    ki_collapse *c = &sim->collapse;
    const ki_integrator *in = sim->integrator;
    ki_collapse_scale scale = {.until = sim->settings.until,
                               .most_steps = sim->settings.max_steps,
                               .longest_step = sim->settings.max_step,
                               .tolerance = ki_allowed(in).relative * in->relax};
    if (in->settings.fixed)
        return false;
    c->order = in->order > c->order ? in->order : c->order;
    if (sim->dynamics.trouble.kind != KI_TROUBLE_NONE)
        c->trouble = sim->dynamics.trouble;
    return ki_has_collapsed(c, &scale, (double)(in->steps + in->rejected), in->t);
}

static keel_status tell_collapse(keel_simulation *sim) {
    sim->dynamics.trouble = sim->collapse.trouble;
    ki_report_collapse(sim, &sim->collapse);
    explain_failure(sim);
    return KEEL_ERROR_STEP_SIZE;
}

static keel_status step(keel_simulation *sim) {
    if (has_collapsed(sim))
        return tell_collapse(sim);
    keel_status status = ki_renew_held(sim);
    ki_before_step(sim);
    if (!status)
        status = ki_prepare_crossing(sim);
    if (!status && !sim->crossing.bridging)
        status = ki_take_step(sim);
    if (status)
        status = ki_cross_after_failure(sim, status);
    status = ki_after_step(sim, status);
    bool stepped = !status;
    if (stepped)
        status = after_step(sim);
    if (stepped && !status)
        ki_remember_far(sim);
    if (status && !(stepped && status == KEEL_ERROR_SINGULAR)) /* a pose that ends the run has told so */
        ki_report_step_failure(sim, status);
    if (status && !stepped)
        explain_failure(sim);
    return status;
}

keel_status keel_simulation_step(keel_simulation *sim) {
    if (!sim)
        return KEEL_ERROR_INPUT;
    keel_status status = ki_begin_anew(sim);
    if (!status)
        status = step(ki_present(sim));
    ki_past_add_step(sim->past, status);
    return status;
}

keel_step keel_simulation_last_step(const keel_simulation *sim) {
    if (!sim)
        return (keel_step){.gap = -1};
    sim = ki_present((keel_simulation *)sim);
    const ki_integrator *in = sim->integrator;
    return (keel_step){.t = in->t,
                       .size = in->t - in->t_old,
                       .order = in->order,
                       .gap = sim->watch.active ? sim->watch.gap : -1};
}

double keel_simulation_time(const keel_simulation *sim) {
    if (!sim)
        return 0;
    return ki_present((keel_simulation *)sim)->integrator->t;
}

#include "run/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/events.h"
#include "run/start.h"
#include "run/trouble.h"
#include "stabilize/invariants.h"

/* Rank of J costs a dense singular value decomposition: beyond this many entries a run does without (keel
 * check does it). */
enum { LARGEST_RANK_PROBLEM = 100000 };

static keel_status allocate(keel_simulation *sim) {
    const keel_system *sys = sim->system;
    keel_status status = ki_law_init(&sim->law, &sim->arena, sys, &sim->settings, sim->diagnostics);
    if (!status)
        status = ki_dynamics_init(&sim->dynamics, sys, &sim->law);
    if (!status)
        status = ki_dynamics_init(&sim->rows, sys, &sim->law);
    if (status)
        return status;
    sim->row_y = KI_NEW(&sim->arena, double, sim->dynamics.n_y);
    sim->row_k = KI_NEW(&sim->arena, double, sim->dynamics.n_y);
    sim->row_outputs = KI_NEW(&sim->arena, double, sys->n_outputs);
    sim->invariants = KI_NEW(&sim->arena, keel_invariant, sys->n_i);
    sim->events = KI_NEW(&sim->arena, keel_event, KEEL_EVENTS_MAX);
    sim->was_dependent = KI_NEW(&sim->arena, bool, sys->n_v);
    return sim->arena.failed ? KEEL_ERROR_MEMORY : status;
}

static void load_start(keel_simulation *sim, const keel_state *start) {
    const keel_system *sys = sim->system;
    ki_dynamics *d = &sim->dynamics;
    double *y = sim->row_y;
    memcpy(ki_q(y), start->q, (size_t)sys->n_q * sizeof(double));
    memcpy(ki_v(d, y), start->v, (size_t)sys->n_v * sizeof(double));
    memcpy(ki_z(d, y), start->z, (size_t)sys->n_z * sizeof(double));
    memcpy(d->s, start->s, (size_t)sys->n_s * sizeof(double));
    *ki_work(d, y) = 0;
}

/* The largest violation so far at each level. */
static void track(keel_violation *total, double t, double violation, double scaled, int row) {
    if (total->worst < 0 || violation > total->max) {
        total->max = violation;
        total->time = t;
        total->worst = row;
    }
    total->final = violation;
    total->max_scaled = fmax(total->max_scaled, scaled);
}

static keel_status measure_violation(keel_simulation *sim) {
    ki_violation w;
    const ki_integrator *in = sim->integrator;
    keel_status status = ki_measure_violation(&sim->dynamics, in->t, in->y, &w);
    if (status)
        return status;
    track(&sim->position, in->t, w.position, w.position_scaled, w.position_row);
    track(&sim->velocity, in->t, w.velocity, w.velocity_scaled, w.velocity_row);
    return KEEL_OK;
}

static keel_status measure_energy(ki_dynamics *d, double t, double *y, double energy_start, double *energy,
                                  double *drift) {
    *energy = *drift = 0;
    if (!d->system->has_energy)
        return KEEL_OK;
    keel_status status = ki_evaluate_terms(d, KEEL_ENERGY, t, y);
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
    const keel_system *sys = sim->system;
    sim->rank = sim->dynamics.m ? -1 : 0;
    sim->rank_gap = INFINITY;
    if (sim->dynamics.m == 0 || (double)sim->dynamics.m * sys->n_v > LARGEST_RANK_PROBLEM)
        return KEEL_OK;
    keel_rank rank;
    keel_status status = keel_rank_compute(sys->J, sim->dynamics.at.J, 0, &rank);
    if (status)
        return status;
    sim->rank = rank.rank;
    sim->rank_gap = rank.gap;
    sim->shared = KI_NEW(&sim->arena, int, sim->dynamics.m);
    if (sim->shared)
        ki_shared_multipliers(&rank, sim->dynamics.m, sim->shared);
    keel_rank_clear(&rank);
    return sim->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

static keel_status after_step(keel_simulation *sim) {
    double energy, drift;
    keel_status status = ki_look_for_events(sim); /* first: it uses J at the new point */
    if (!status)
        status = measure_violation(sim);
    if (!status)
        status = measure_energy(&sim->dynamics, sim->integrator->t, sim->integrator->y, sim->energy_initial,
                                &energy, &drift);
    if (!status)
        status = measure_invariants(sim);
    if (!status) {
        sim->energy_final = energy;
        sim->energy_drift = drift;
        sim->energy_drift_max = fmax(sim->energy_drift_max, fabs(drift));
        status = ki_audit_step(sim, drift);
    }
    return status;
}

ki_integrator *ki_start_integrator(keel_simulation *sim, keel_integrator kind, double t, const double *y,
                                   keel_status *status) {
    const keel_settings *set = &sim->settings;
    /* those that can do both take fixed steps when given one */
    bool fixed = keel_integrator_takes_step(kind) && set->step > 0;
    ki_problem problem = {.kind = kind,
                          .flow = {&sim->dynamics, set->method.stabilize},
                          .flow_rows = {&sim->rows, set->method.stabilize},
                          .settings = {.tolerance = set->tolerance,
                                       .absolute_tolerance = set->absolute_tolerance > 0
                                                                 ? set->absolute_tolerance
                                                                 : set->tolerance,
                                       .step = fixed ? set->step : set->first_step,
                                       .fixed = fixed,
                                       .max_step = set->max_step,
                                       .most_steps = set->max_steps,
                                       .order = (int)set->order,
                                       .projected_error = set->projected_error == KEEL_YES},
                          .options = set,
                          .t = t,
                          .t_end = set->until,
                          .y = y};
    return ki_integrator_new(&problem, status);
}

/* What the start tells before the first step, from the workspace at the start itself: the integrator has
 * looked at other points. */
static keel_status measure_start(keel_simulation *sim, double t) {
    ki_dynamics *d = &sim->dynamics;
    keel_status status = ki_solve_auxiliaries(d, t, sim->row_y);
    if (!status)
        status = ki_factor_at(d, t, sim->row_y);
    if (!status)
        ki_watch_init(&sim->watch, &sim->arena, d, t);
    if (!status && sim->arena.failed)
        status = KEEL_ERROR_MEMORY;
    if (!status)
        status = measure_energy(d, t, sim->row_y, 0, &sim->energy_initial, &sim->energy_drift);
    return status ? status : after_step(sim);
}

static keel_status begin(keel_simulation *sim, const keel_state *start, int velocities_given) {
    ki_dynamics *d = &sim->dynamics;
    keel_status status = keel_settings_validate(&sim->settings, start->t, sim->diagnostics);
    if (status)
        return status;
    load_start(sim, start);
    ki_normalize(d, sim->row_y);
    ki_start_report report;
    status = ki_make_consistent(d, &sim->settings, velocities_given, start->t, sim->row_y, sim->diagnostics,
                                &report);
    if (status)
        return status;
    sim->start_position_moved = report.position_moved;
    sim->start_velocity_moved = report.velocity_moved;
    status = measure_rank(sim);
    /* a system too large for its rank to be computed: what the factorization met is a hint */
    bool redundant = sim->rank >= 0 ? sim->rank < d->m : keel_saddle_regularized(d->K);
    if (d->m) {
        ki_fix_penalty(d);
        memcpy(sim->rows.D, d->D, (size_t)d->m * sizeof(double));
    }
    if (!status && redundant) {
        ki_expect_redundancy(d);
        ki_expect_redundancy(&sim->rows);
    }
    memcpy(sim->rows.s, d->s, (size_t)sim->system->n_s * sizeof(double));
    if (!status)
        status = ki_set_invariants(d, start->t, sim->row_y);
    if (!status)
        status = ki_set_invariants(&sim->rows, start->t, sim->row_y);
    if (!status)
        status = ki_audit_init(sim);
    if (!status)
        sim->integrator =
            ki_start_integrator(sim, sim->settings.method.integrator, start->t, sim->row_y, &status);
    if (!status)
        status = measure_start(sim, start->t);
    if (status)
        ki_report_failure(d, status, start->t, sim->diagnostics);
    return status;
}

keel_simulation *keel_simulation_new(const keel_system *system, const keel_state *start, int velocities_given,
                                     const keel_settings *settings, keel_diagnostics *diagnostics,
                                     keel_status *status) {
    char message[160];
    *status = keel_system_validate(system, message, sizeof message);
    if (*status) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0}, "%s", message);
        return NULL;
    }
    keel_simulation *sim = calloc(1, sizeof *sim);
    if (!sim) {
        *status = KEEL_ERROR_MEMORY;
        return NULL;
    }
    sim->system = system;
    sim->settings = *settings;
    if (settings->method.automatic) {
        sim->settings.method = keel_method_choose(keel_system_m(system) + system->n_i, &sim->method_reason);
        sim->settings.method.automatic = 1;
    }
    sim->diagnostics = diagnostics;
    sim->position.worst = sim->velocity.worst = -1;
    ki_arena_init(&sim->arena);
    *status = allocate(sim);
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

void keel_simulation_free(keel_simulation *sim) {
    if (!sim)
        return;
    ki_integrator_free(sim->integrator);
    ki_dynamics_clear(&sim->dynamics);
    ki_dynamics_clear(&sim->rows);
    ki_arena_free(&sim->arena);
    free(sim);
}

keel_status keel_simulation_step(keel_simulation *sim) {
    keel_status status = ki_follow_stiffness(sim);
    if (!status)
        status = sim->integrator->method->step(sim->integrator, sim->settings.until);
    bool stepped = !status;
    if (stepped)
        status = after_step(sim);
    if (status && !(stepped && status == KEEL_ERROR_SINGULAR)) /* a pose that ends the run has told so */
        ki_report_failure(&sim->dynamics, status, sim->integrator->t, sim->diagnostics);
    if (status && !stepped)
        ki_explain_singular(sim);
    return status;
}

double keel_simulation_time(const keel_simulation *sim) {
    return sim->integrator->t;
}

/* The state at t, put onto the constraints if the method does so. */
static keel_status state_of_row(keel_simulation *sim, double t) {
    ki_dynamics *d = &sim->rows;
    ki_integrator *in = sim->integrator;
    memcpy(d->s, sim->dynamics.s, (size_t)sim->system->n_s * sizeof(double));
    memcpy(d->lambda, sim->dynamics.lambda, (size_t)d->m * sizeof(double));
    keel_status status = in->method->interpolate(in, t, sim->row_y);
    d->factored = false; /* the factors of another row are no metric for this one */
    d->step = sim->dynamics.step;
    if (status)
        return status;
    if (t != in->t) {
        ki_normalize(d, sim->row_y);
        return ki_settle(d, in->flow_rows.stabilize, t, sim->row_y);
    }
    if (d->m && d->by_velocity.d) /* d_i of this row; ki_settle chooses on its way */
        return ki_choose_partition(d, t, sim->row_y);
    return KEEL_OK;
}

/* Its accelerations and multipliers: those of the method if it has its own, otherwise from the index-1
 * form.
 */
static keel_status rates_of_row(keel_simulation *sim, double t) {
    ki_dynamics *d = &sim->rows;
    ki_integrator *in = sim->integrator;
    keel_status status;
    if (in->own_values && !sim->law.keep_invariants) {
        status = ki_solve_auxiliaries(d, t, sim->row_y);
        if (!status)
            status = ki_factor_at(d, t, sim->row_y);
    } else {
        status = ki_rate(d, t, sim->row_y, sim->row_k);
    }
    if (!status && sim->law.formulation == KEEL_AUGMENTED)
        status = ki_factor_at(d, t, sim->row_y);
    if (!status && sim->law.keep_invariants && !sim->refuted) { /* a statement about exact accelerations */
        status = ki_check_invariants(d, t, sim->row_y, sim->row_k);
        sim->refuted = status < 0; /* said once; the last state is still worth a row */
    }
    if (!status && in->own_values)
        in->own_values(in, t, ki_v(d, sim->row_k), d->lambda);
    return status;
}

static keel_status evaluate_row(keel_simulation *sim, double t) {
    ki_dynamics *d = &sim->rows;
    keel_status status = state_of_row(sim, t);
    if (!status)
        status = rates_of_row(sim, t);
    /* Dependent constraints share their multiplier. Penalty masses share it themselves, but where they are
     * iterated to exact multipliers they leave noise in it; the generalized inverse has been told how. */
    if (!status && d->factored && sim->law.formulation != KEEL_GENERALIZED_INVERSE)
        status = keel_saddle_least_norm(d->K, d->lambda);
    return status < 0 ? status : KEEL_OK;
}

keel_status keel_simulation_row(keel_simulation *sim, double t, keel_row *row) {
    const keel_system *sys = sim->system;
    ki_dynamics *d = &sim->rows;
    ki_violation violation = {0};
    *row = (keel_row){0};
    keel_status status = evaluate_row(sim, t);
    if (!status)
        status = ki_measure_violation(d, t, sim->row_y, &violation);
    if (!status)
        status = measure_energy(d, t, sim->row_y, sim->energy_initial, &row->energy, &row->energy_drift);
    keel_point at = ki_point(d, t, sim->row_y);
    const double *v_rate = ki_v(d, sim->row_k);
    if (!status && sys->n_outputs)
        status = sys->outputs(sys, d->work, &at, v_rate, sim->row_outputs);
    if (status) {
        ki_report_failure(d, status, t, sim->diagnostics);
        return status;
    }
    row->t = t;
    row->q = at.q, row->v = at.v, row->z = at.z, row->s = at.s, row->lambda = at.lambda;
    row->v_rate = v_rate;
    row->outputs = sim->row_outputs;
    row->shared = sim->shared;
    bool newton = sim->settings.newton_report == KEEL_YES && sim->integrator->has_newton;
    row->newton = newton ? &sim->integrator->newton : NULL;
    row->audit = sim->audit.active ? &sim->audit.last : NULL;
    row->projections = d->by_velocity.rank ? d->by_velocity.d : NULL;
    row->position_violation = violation.position;
    row->velocity_violation = violation.velocity;
    if (t != sim->integrator->t) { /* ends of steps are tracked already */
        double final_position = sim->position.final, final_velocity = sim->velocity.final;
        track(&sim->position, t, violation.position, violation.position_scaled, violation.position_row);
        track(&sim->velocity, t, violation.velocity, violation.velocity_scaled, violation.velocity_row);
        sim->position.final = final_position;
        sim->velocity.final = final_velocity;
    }
    return KEEL_OK;
}

/* A copy of n doubles that the result owns. */
static double *owned(const double *x, int n, keel_status *status) {
    double *copy = calloc((size_t)n + 1, sizeof *copy);
    if (!copy)
        *status = KEEL_ERROR_MEMORY;
    else
        memcpy(copy, x, (size_t)n * sizeof *copy);
    return copy;
}

static double root_mean(double sum, long count) {
    return count ? sqrt(sum / (double)count) : 0;
}

/* Copies of the lists that the result owns. */
static keel_status copy_lists(const keel_simulation *sim, keel_result *result) {
    size_t events = (size_t)sim->event_count, m = (size_t)sim->dynamics.m;
    size_t invariants = (size_t)sim->system->n_i;
    result->events = calloc(events + 1, sizeof *result->events);
    result->shared = sim->shared ? calloc(m + 1, sizeof *result->shared) : NULL;
    result->invariants = calloc(invariants + 1, sizeof *result->invariants);
    if (!result->events || !result->invariants || (sim->shared && !result->shared))
        return KEEL_ERROR_MEMORY;
    memcpy(result->invariants, sim->invariants, invariants * sizeof *result->invariants);
    memcpy(result->events, sim->events, events * sizeof *result->events);
    if (sim->shared)
        memcpy(result->shared, sim->shared, m * sizeof *result->shared);
    return KEEL_OK;
}

static keel_status copy_final(keel_simulation *sim, keel_result *result) {
    const keel_system *sys = sim->system;
    keel_row row;
    keel_status status = keel_simulation_row(sim, sim->integrator->t, &row);
    if (status)
        return status;
    result->final = keel_state_new(sys);
    result->v_rate = owned(row.v_rate, sys->n_v, &status);
    result->outputs = owned(row.outputs, sys->n_outputs, &status);
    if (!result->final || status)
        return KEEL_ERROR_MEMORY;
    keel_state view = {row.t,           (double *)row.q, (double *)row.v,
                       (double *)row.z, (double *)row.s, (double *)row.lambda};
    keel_state_copy(sys, result->final, &view);
    return KEEL_OK;
}

keel_status keel_simulation_result(keel_simulation *sim, keel_result *result) {
    const ki_integrator *in = sim->integrator;
    *result = (keel_result){.method = sim->settings.method,
                            .method_reason = sim->method_reason,
                            .position = sim->position,
                            .velocity = sim->velocity,
                            .has_energy = sim->system->has_energy,
                            .energy_initial = sim->energy_initial,
                            .energy_final = sim->energy_final,
                            .energy_drift = sim->energy_drift,
                            .energy_drift_max = sim->energy_drift_max,
                            .audit = sim->audit.sum,
                            .gains = sim->audit.gains,
                            .losses = sim->audit.losses,
                            .start_position_moved = sim->start_position_moved,
                            .start_velocity_moved = sim->start_velocity_moved,
                            .correction_position = root_mean(in->moved_position, in->steps),
                            .correction_velocity = root_mean(in->moved_velocity, in->steps),
                            .event_count = sim->event_count,
                            .events_dropped = sim->events_dropped,
                            .gap_smallest = sim->watch.active ? sim->watch.smallest : -1,
                            .gap_time = sim->watch.smallest_time,
                            .rank = sim->rank,
                            .rank_gap = sim->rank_gap};
    result->count = (keel_counts){.steps = in->steps,
                                  .rejected = in->rejected,
                                  .evaluations = sim->dynamics.evaluations,
                                  .jacobians = in->jacobians,
                                  .factorizations = sim->dynamics.factorizations,
                                  .projections = sim->dynamics.projections,
                                  .projection_factorizations = sim->dynamics.projection_factorizations};
    keel_status status = copy_lists(sim, result);
    return status ? status : copy_final(sim, result);
}

void keel_result_clear(keel_result *result) {
    keel_state_free(result->final);
    free(result->v_rate);
    free(result->outputs);
    free(result->events);
    free(result->shared);
    free(result->invariants);
    *result = (keel_result){0};
}

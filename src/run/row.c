/* row.c - a row of output: the state at any time of the last step, and all that belongs to it. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run/events.h"
#include "run/past.h"
#include "run/simulation.h"
#include "run/trouble.h"
#include "stabilize/invariants.h"

/* How near the state y is to a singular pose, in parts of the largest gap so far; 0 if nobody watches. */
static double distance_to_pose(keel_simulation *sim, double t, const double *y) {
    const ki_watch *w = &sim->watch;
    return !w->active ? 0 : (sim->held.look.large ? w->gap : ki_gap_of_all(sim, t, y)) / w->largest;
}

/* How near the state in row_k is to a singular pose inside of the step or next to one of its ends; else 1. */
static double distance_in_step(keel_simulation *sim, double t) {
    static const double NEAR = 0.1;
    const ki_watch *w = &sim->watch;
    if (!sim->held.known || !w->active)
        return 1;
    bool near = fmin(w->gap, w->before) < NEAR * w->largest || w->logged >= sim->integrator->t_old;
    return near ? distance_to_pose(sim, t, sim->row_k) : 1;
}

/* Puts a state in which some constraints do not tell how to be met onto the others: those of which more is
 * left than `least`. */
static void settle_next_to_pose(keel_simulation *sim, double t, double least) {
    size_t bytes = (size_t)sim->rows.n_y * sizeof *sim->row_k;
    memcpy(sim->row_y, sim->row_k, bytes);
    if (!ki_settle_next_to_pose(sim, t, least, sim->row_y)) /* off them by as much as the step is */
        memcpy(sim->row_y, sim->row_k, bytes);
    sim->row_in_pose = true;
}

/* Whether positions, or velocities, of the method are on the constraints at the ends of its steps by itself.
 */
static bool closes_positions(keel_formulation f) {
    return f == KEEL_INDEX3 || f == KEEL_GGL;
}
static bool closes_velocities(keel_formulation f) {
    return f == KEEL_INDEX3 || f == KEEL_INDEX2 || f == KEEL_GGL;
}

/* What a stabiliser does at the end of a step is done in a row. Where the step itself solves for constraints
 * the row meets them as well; one that cannot stays as it was, off by as much as its step is too long. */
static keel_status settle_row(keel_simulation *sim, double t) {
    ki_dynamics *d = &sim->rows;
    keel_stabilize kind = sim->integrator->flow_rows.stabilize;
    keel_formulation f = sim->law.formulation;
    if (kind != KEEL_STABILIZE_NONE || !closes_velocities(f))
        return ki_settle(d, kind, t, sim->row_y);
    keel_status status = closes_positions(f) ? ki_project_position(d, t, sim->row_y) : KEEL_OK;
    if (!status)
        status = ki_project_velocity(d, t, sim->row_y);
    if (status == KEEL_ERROR_CONVERGENCE) {
        memcpy(sim->row_y, sim->row_k, (size_t)d->n_y * sizeof *sim->row_k);
        status = KEEL_OK;
    }
    return status;
}

/* Distances from a pose, as gaps: a row that is nearer is made of states on both sides; or, nearer than the
 * second, does not meet all constraints; beyond the last it has to. */
static const double ACROSS = 1e-2, IN = 1e-3, NEXT = 0.1;

/* Puts a row onto all constraints, to the last digit. */
static void settle_exactly(keel_simulation *sim, double t, double distance) {
    static const double ALL = 0.1; /* of the distance: rows of which less is left repeat others */
    memcpy(sim->row_k, sim->row_y, (size_t)sim->rows.n_y * sizeof *sim->row_k);
    settle_next_to_pose(sim, t, ALL * distance);
}

/* Positions are differences of numbers of the size Phi_size: what that leaves of their digits. */
static double round_off_of_positions(const keel_system *sys) {
    double largest = 1;
    for (int i = 0; sys->Phi_size && sys->row_size && i < sys->n_h; i++)
        largest = fmax(largest, sys->Phi_size[i] / sys->row_size[i]);
    return largest * DBL_EPSILON;
}

/* At a distance d constraints tell a row that is off them by x in its position, and by x' in its velocity, to
 * eps / d and eps / d^2, and it is off by x / d and x' / d: whether they know better. Newton's method finds
 * it where x is small against d^2. */
static bool is_worth_settling(keel_simulation *sim, double t, double d) {
    static const double POSITION = 5e-14, VELOCITY = 1e-15, NEAR = 0.1;
    ki_violation off;
    if (ki_measure_violation_anew(&sim->rows, t, sim->row_y, &off) || off.position_scaled > NEAR * d * d)
        return false;
    double round_off = round_off_of_positions(sim->system);
    return off.position_scaled > fmax(POSITION, 10 * round_off) ||
           off.velocity_scaled > fmax(VELOCITY, 4 * round_off) / d;
}

/* A row made of states on both sides: next to the pose it is better known from those, unless a loose
 * tolerance leaves them at odds with each other. */
static bool settle_across(keel_simulation *sim, double t, double distance) {
    sim->row_across = distance < ACROSS && ki_state_across(sim, t);
    if (!sim->row_across)
        return false;
    memcpy(sim->row_k, sim->row_y, (size_t)sim->rows.n_y * sizeof *sim->row_k);
    settle_next_to_pose(sim, t, ACROSS);
    if (is_worth_settling(sim, t, distance))
        settle_exactly(sim, t, distance);
    return true;
}

/* In a singular pose the nearest state that meets all constraints may be far away; next to one there may be
 * none that an iteration finds. */
static keel_status settle_as_in_step(keel_simulation *sim, double t) {
    keel_stabilize kind = sim->integrator->flow_rows.stabilize;
    bool projects = kind == KEEL_PROJECTION || kind == KEEL_GRADIENT;
    double distance = projects ? distance_in_step(sim, t) : 1;
    if (settle_across(sim, t, distance))
        return KEEL_OK;
    if (distance < ACROSS)
        memcpy(sim->row_y, sim->row_k, (size_t)sim->rows.n_y * sizeof *sim->row_k);
    keel_status status = distance < IN ? KEEL_ERROR_CONVERGENCE : settle_row(sim, t);
    if (status == KEEL_ERROR_CONVERGENCE && distance < NEXT) {
        settle_next_to_pose(sim, t, IN);
        return KEEL_OK;
    }
    if (!status && distance < NEXT) {
        settle_exactly(sim, t, distance);
        sim->row_in_pose = false;
    }
    return status;
}

/* The state at t, put onto the constraints if the method does so. */
static keel_status state_of_row(keel_simulation *sim, double t) {
    ki_dynamics *d = &sim->rows;
    ki_integrator *in = sim->integrator;
    memcpy(d->s, sim->dynamics.s, (size_t)sim->system->n_s * sizeof(double));
    memcpy(d->lambda, sim->dynamics.lambda, (size_t)d->m * sizeof(double));
    d->step =
        sim->dynamics.step; /* first: dense output may take further stages, with the gains of the step */
    d->motion_rate = sim->dynamics.motion_rate;
    d->gain_limit = sim->dynamics.gain_limit;
    keel_status status = in->method->interpolate(in, t, sim->row_y);
    d->factored = false; /* the factors of another row are no metric for this one */
    if (status)
        return status;
    if (t != in->t) {
        ki_normalize(d, sim->row_y);
        memcpy(sim->row_k, sim->row_y, (size_t)d->n_y * sizeof *sim->row_k);
        status = settle_as_in_step(sim, t);
        return status || sim->row_in_pose ? status : ki_follow_to_row(sim, d, t, sim->row_y);
    }
    if (d->m && d->by_velocity.d) /* d_i of this row; ki_settle chooses on its way */
        return ki_choose_partition(d, t, sim->row_y);
    return KEEL_OK;
}

/* Whether the method's own accelerations and multipliers are better than those of the index-1 form. Those of
 * a bridge are polynomials of low degree over a long step: better only where the pose takes the digits of the
 * others, 1e-16 / distance^2 of them. */
static bool has_better_values(keel_simulation *sim, double t) {
    static const double LOST = 1e-3;
    if (sim->row_across)
        return true;
    if (!sim->integrator->own_values)
        return false;
    return !sim->crossing.bridging || distance_to_pose(sim, t, sim->row_y) < LOST;
}

/* Its accelerations and multipliers: those of the method if it has better ones, otherwise of the index-1 form
 * at the state, and of its order. The unknowns of an implicit step may oscillate, or belong to its middle. */
static keel_status rates_of_row(keel_simulation *sim, double t) {
    ki_dynamics *d = &sim->rows;
    ki_integrator *in = sim->integrator;
    keel_status status;
    bool own = has_better_values(sim, t);
    if (own && !sim->law.keep_invariants) {
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
    if (!status && sim->row_across)
        ki_rates_across(sim, t, ki_v(d, sim->row_k), d->lambda);
    else if (!status && own)
        in->own_values(in, t, ki_v(d, sim->row_k), d->lambda);
    if (!status && own && (sim->row_across || sim->crossing.bridging))
        status = ki_multipliers_of_rates(sim, t);
    return status;
}

static keel_status evaluate_row(keel_simulation *sim, double t) {
    ki_dynamics *d = &sim->rows;
    sim->row_in_pose = sim->row_across = false;
    keel_status status = state_of_row(sim, t);
    if (!status)
        status = rates_of_row(sim, t);
    /* Dependent constraints share their multiplier. Penalty masses share it themselves, but where they are
     * iterated to exact multipliers they leave noise in it; the generalized inverse has been told how. */
    if (!status && sim->held.selection) {
        keel_point at = ki_point(d, t, sim->row_y);
        status = ki_expand_multipliers(sim, &at);
    } else if (!status && d->factored && sim->law.formulation != KEEL_GENERALIZED_INVERSE) {
        status = keel_saddle_least_norm(d->K, d->lambda);
    }
    return status < 0 ? status : KEEL_OK;
}

/* ... and how far the constraints that it holds are off, by their numbers among all. */
static keel_status evaluate_and_measure(keel_simulation *sim, double t) {
    ki_violation *w = &sim->row_violation;
    keel_status status = evaluate_row(sim, t);
    *w = (ki_violation){0};
    if (!status)
        status = ki_measure_violation(&sim->rows, t, sim->row_y, w);
    w->position_row = ki_row_of_all(sim, w->position_row);
    w->velocity_row = ki_row_of_all(sim, w->velocity_row);
    return status;
}

/* Outputs that are not finite are told once each, and not more of them than one would read. */
static void tell_unsound_outputs(keel_simulation *sim, double t) {
    enum { MOST = 8 };
    char name[32];
    for (int i = 0; i < sim->system->n_outputs; i++) {
        if (isfinite(sim->row_outputs[i]) || sim->output_told[i])
            continue;
        sim->output_told[i] = true;
        if (sim->unsound_count++ == 0) {
            sim->unsound_output = i;
            sim->unsound_time = t;
        }
        if (sim->outputs_told > MOST)
            continue;
        keel_location nowhere = {0}, where = sim->system->output_at ? sim->system->output_at[i] : nowhere;
        if (sim->outputs_told++ < MOST)
            keel_diagnostics_add(sim->diagnostics, KEEL_WARNING, where,
                                 "output '%s' is not finite from t = %.10g",
                                 keel_system_name(sim->system, KEEL_NAME_OUTPUT, i, name), t);
        else
            keel_diagnostics_add(sim->diagnostics, KEEL_WARNING, nowhere, "further outputs are not finite");
    }
}

static void track_row(keel_simulation *sim, double t, const ki_violation *w) {
    keel_violation *position = sim->row_in_pose ? &sim->position_in_pose : &sim->position;
    keel_violation *velocity = sim->row_in_pose ? &sim->velocity_in_pose : &sim->velocity;
    double final_position = position->final, final_velocity = velocity->final;
    ki_track_violation(position, t, w->position, w->position_scaled, w->position_row);
    ki_track_violation(velocity, t, w->velocity, w->velocity_scaled, w->velocity_row);
    position->final = final_position;
    velocity->final = final_velocity;
}

keel_status keel_simulation_row(keel_simulation *sim, double t, keel_row *row) {
    if (!sim || !row)
        return KEEL_ERROR_INPUT;
    ki_past_add_row(sim->past, t);
    sim = ki_present(sim);
    const keel_system *sys = sim->system;
    ki_dynamics *d = &sim->rows;
    *row = (keel_row){0};
    keel_status status = ki_meet_inputs(sim);
    if (!status)
        status = evaluate_and_measure(sim, t);
    if (!status && !has_better_values(sim, t))
        status = ki_row_by_better_rows(sim, t, evaluate_and_measure);
    const ki_violation violation = sim->row_violation;
    if (!status)
        status = ki_measure_energy(d, t, sim->row_y, sim->energy_initial, &row->energy, &row->energy_drift);
    keel_point at = ki_point(d, t, sim->row_y);
    const double *v_rate = ki_v(d, sim->row_k);
    if (sim->held.selection)
        at.lambda = sim->held.lambda;
    if (!status)
        ki_tell_turns(sim, t);
    if (!status && sys->n_outputs)
        status = sys->outputs(sys, ki_work_of_all(sim), &at, v_rate, sim->row_outputs);
    if (!status && sim->null_space)
        status = ki_find_shared_outputs(sim, &at, v_rate, sim->row_outputs);
    if (status) {
        ki_report_failure(d, status, t, sim->diagnostics);
        ki_explain_looseness(sim, &d->trouble);
        return status;
    }
    tell_unsound_outputs(sim, t);
    row->t = t;
    row->q = at.q, row->v = at.v, row->z = at.z, row->s = at.s, row->lambda = at.lambda;
    row->v_rate = v_rate;
    row->outputs = sim->row_outputs;
    row->shared = sim->shared;
    row->output_shared = sim->output_shared;
    bool newton = sim->settings.newton_report == KEEL_YES && sim->integrator->has_newton;
    row->newton = newton ? &sim->integrator->newton : NULL;
    row->audit = sim->audit.active ? &sim->audit.last : NULL;
    row->projections = d->by_velocity.rank ? d->by_velocity.d : NULL;
    row->position_violation = violation.position;
    row->velocity_violation = violation.velocity;
    if (t != sim->integrator->t) /* ends of steps are tracked already */
        track_row(sim, t, &violation);
    return KEEL_OK;
}

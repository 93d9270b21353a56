/* Formulations in independent velocities and in independent coordinates.
 *
 * The partition (partition.h) splits q and v into dependent and independent components. A stage brings the
 * independent ones; the dependent ones are solved from the constraints before the accelerations are
 * evaluated:
 *
 *     independent (eq. 18 of Terze, Naudet and Lefeber, R the null-space basis that belongs to the
 * partition): q as integrated,  v_d from J v = tau          velocities satisfy the constraints exactly,
 * positions drift partitioned (Wehage and Haug 1982): q_d from Phi = 0, v_d from J v = tau          nothing
 * drifts
 *
 * The whole vector y is carried along, so that a one-step method may change the partition between any two
 * steps without a restart: ki_settle_partition chooses it anew after each step.
 */
#include <math.h>
#include <string.h>

#include "formulate/sizes.h"

enum { MOST_ITERATIONS = 30 };

/* Violations relative to the size of the terms: round-off, and what may be left when Newton's method stands
 * still. Off the constraints the velocities of redundant ones contradict each other (as in ki_solve_motion).
 */
static const double TOLERANCE = 1e-15, ROUND_OFF = 1e-11, CONTRADICTION = 1e-2;

/* True when Newton's method is at its end. */
static bool settled(double violation, double previous, double standstill) {
    return violation <= TOLERANCE || (violation <= standstill && violation > 0.5 * previous);
}

keel_status ki_solve_dependent_position(ki_dynamics *d, double t, double *y) {
    const keel_system *sys = d->system;
    double previous = INFINITY;
    int worst = 0;
    if (sys->n_h == 0)
        return KEEL_OK;
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        keel_status status = ki_solve_auxiliaries(d, t, y);
        d->factored = false;
        if (!status)
            status = ki_evaluate_terms(d, KEEL_POSITION | KEEL_JACOBIAN, t, y);
        if (status)
            return status;
        ki_position_sizes(d, y, d->size);
        double violation = ki_worst_relative(d->at.Phi, d->size, sys->n_h, &worst);
        if (settled(violation, previous, ROUND_OFF))
            return KEEL_OK;
        if (!(violation < 2 * previous) || !ki_partition_factor(&d->by_position, sys->J, d->at.J))
            break;
        previous = violation;
        for (int k = 0; k < sys->n_h; k++)
            d->b_m[k] = -d->at.Phi[k];
        ki_partition_solve(&d->by_position, d->b_m, d->x);
        ki_move(d, y, d->x);
    }
    return ki_trouble_at(d, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_POSITION, t, worst, fabs(d->at.Phi[worst]));
}

keel_status ki_solve_dependent_velocity(ki_dynamics *d, double t, double *y) {
    double *v = ki_v(d, y), previous = INFINITY;
    int worst = 0;
    if (d->m == 0)
        return KEEL_OK;
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        d->factored = false;
        keel_status status = ki_evaluate_terms(d, KEEL_VELOCITY | KEEL_JACOBIAN, t, y);
        if (status)
            return status;
        ki_velocity_sizes(d, v, d->size);
        double violation = ki_worst_relative(d->at.rate, d->size, d->m, &worst);
        if (settled(violation, previous, d->redundant ? CONTRADICTION : ROUND_OFF))
            return KEEL_OK;
        if (!(violation < 2 * previous) || !ki_partition_factor(&d->by_velocity, d->system->J, d->at.J))
            break;
        previous = violation;
        for (int k = 0; k < d->m; k++)
            d->b_m[k] = -d->at.rate[k];
        ki_partition_solve(&d->by_velocity, d->b_m, d->x);
        for (int k = 0; k < d->system->n_v; k++)
            v[k] += d->x[k];
    }
    return ki_trouble_at(d, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_VELOCITY, t, worst, fabs(d->at.rate[worst]));
}

keel_status ki_choose_partition(ki_dynamics *d, double t, const double *y) {
    const keel_system *sys = d->system;
    ki_partition_choice choice = (ki_partition_choice)d->law->choice;
    d->factored = false;
    keel_status status = ki_evaluate_terms(d, KEEL_MASS | KEEL_JACOBIAN, t, y);
    if (status)
        return status;
    ki_partition_choose(&d->by_velocity, sys->M, d->at.M, sys->J, d->at.J, choice);
    if (sys->n_n == 0) /* the same rows, the same partition */
        d->by_position = d->by_velocity;
    else if (sys->n_h)
        ki_partition_choose(&d->by_position, sys->M, d->at.M, sys->J, d->at.J, choice);
    return KEEL_OK;
}

/* The partition of the first evaluation of a workspace. */
static keel_status ensure_partition(ki_dynamics *d, double t, const double *y) {
    return d->by_velocity.rank || d->m == 0 ? KEEL_OK : ki_choose_partition(d, t, y);
}

static keel_status consistent_rate(ki_dynamics *d, double t, const double *y, double *k, bool positions) {
    memcpy(d->y_stage, y, (size_t)d->n_y * sizeof(double));
    keel_status status = ensure_partition(d, t, y);
    if (!status && positions)
        status = ki_solve_dependent_position(d, t, d->y_stage);
    if (!status && !positions)
        status = ki_solve_auxiliaries(d, t, d->y_stage);
    if (!status)
        status = ki_solve_dependent_velocity(d, t, d->y_stage);
    return status ? status : ki_index1_rate(d, t, d->y_stage, k);
}

keel_status ki_independent_rate(ki_dynamics *d, double t, const double *y, double *k) {
    return consistent_rate(d, t, y, k, false);
}

keel_status ki_partitioned_rate(ki_dynamics *d, double t, const double *y, double *k) {
    return consistent_rate(d, t, y, k, true);
}

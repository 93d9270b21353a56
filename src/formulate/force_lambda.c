/* Forces that depend on the multipliers (joint friction, creep of a wheel).
 *
 *     M v' + J^T lambda = Q(lambda),   J v' = xi
 *
 * Let Y(r) be the multiplier part of the solution of the saddle-point system with right-hand side (r, xi).
 * Only a few multipliers, the active ones a, enter Q; lambda_a is a zero of
 *
 *     F(lambda_a) = Y(Q(lambda))_a - lambda_a,        dF = (Y' Q_lambda)_aa - I
 *
 * Newton: (I - Y' Q_lambda)_aa dlambda = F. Y' is the solve with xi = 0, so each column costs one solve with
 * the factors that are there anyway.
 */
#include <math.h>
#include <string.h>

#include "formulate/dynamics.h"
#include "linalg/dense.h"

/* out = column `column` of Q_lambda */
static void force_column(const ki_dynamics *d, int column, double *out) {
    keel_pattern P = d->system->Q_lambda;
    for (int i = 0; i < P.rows; i++) {
        out[i] = 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            if (P.index[k] == column)
                out[i] = d->at.Q_lambda[k];
    }
}

/* active_matrix = (I - Y' Q_lambda)_aa, factored */
static keel_status newton_matrix(ki_dynamics *d, double t) {
    int k = d->active_count;
    for (int j = 0; j < k; j++) {
        force_column(d, d->active[j], d->b_v);
        memset(d->b_m, 0, (size_t)d->m * sizeof(double));
        keel_status status = ki_solve_motion(d, t, d->b_v, d->b_m, d->x, d->y);
        if (status)
            return status;
        for (int i = 0; i < k; i++)
            d->active_matrix[i * k + j] = (i == j) - d->y[d->active[i]];
    }
    int column = ki_dense_lu_factor(k, d->active_matrix, d->active_pivot);
    return column < 0
               ? KEEL_OK
               : ki_trouble_at(d, KEEL_ERROR_SINGULAR, KI_TROUBLE_MULTIPLIER, t, d->active[column], INFINITY);
}

/* d->x, d->y = solution with the present Q; active_step = F; returns the largest |F_i| relative to lambda. */
static keel_status residual(ki_dynamics *d, double t, const double *y, double *largest, int *worst) {
    keel_status status = ki_evaluate_terms(d, KEEL_FORCE | KEEL_FORCE_LAMBDA, t, y);
    if (!status && !ki_all_finite(d->at.Q, d->system->n_v, worst))
        return ki_trouble_at(d, KEEL_ERROR_NOT_FINITE, KI_TROUBLE_FORCE, t, *worst, NAN);
    if (!status)
        status = ki_solve_motion(d, t, d->at.Q, d->target, d->x, d->y);
    if (!status &&
        keel_saddle_regularized(d->K)) /* dependent rows: the forces must see one definite lambda */
        status = keel_saddle_least_norm(d->K, d->y);
    if (status < 0)
        return status;
    double length = 0;
    *largest = 0;
    for (int i = 0; i < d->m; i++)
        length = fmax(length, fabs(d->y[i]));
    for (int i = 0; i < d->active_count; i++) {
        int row = d->active[i];
        d->active_step[i] = d->y[row] - d->lambda[row];
        if (fabs(d->active_step[i]) > *largest) {
            *largest = fabs(d->active_step[i]);
            *worst = row;
        }
    }
    *largest = length > 0 ? *largest / length : 0;
    return KEEL_OK;
}

keel_status ki_solve_force_lambda(ki_dynamics *d, double t, const double *y) {
    enum { MOST_ITERATIONS = 40 };
    static const double TOLERANCE = 1e-13, ROUND_OFF = 1e-10;
    double largest = 0, previous = INFINITY;
    int worst = 0;
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        keel_status status = residual(d, t, y, &largest, &worst);
        if (status)
            return status;
        bool stalled = largest <= ROUND_OFF && largest > 0.5 * previous;
        if (largest <= TOLERANCE || stalled) {
            memcpy(d->lambda, d->y, (size_t)d->m * sizeof(double));
            return KEEL_OK;
        }
        previous = largest;
        if ((status = newton_matrix(d, t)))
            return status;
        ki_dense_lu_solve(d->active_count, d->active_matrix, d->active_pivot, d->active_step);
        for (int i = 0; i < d->active_count; i++)
            d->lambda[d->active[i]] += d->active_step[i];
    }
    return ki_trouble_at(d, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_MULTIPLIER, t, worst, largest);
}

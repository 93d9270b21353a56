/* Modified Lagrange equations (Mukharlyamov and Deressa, eq. 30) and the augmented Lagrangian.
 *
 *     (M + J^T A J) v' = Q + J^T A s        lambda = A (J v' - s)        s = xi - K_D rate - K_P Phi
 *
 * The constraints are replaced by penalty masses A, moved by springs and dampers. With diagonal A this is the
 * saddle-point system with D = A^-1,
 *
 *     [ M   J^T  ] [ v'     ]   [ Q ]
 *     [ J  -A^-1 ] [ lambda ] = [ s ]
 *
 * positive definite after elimination whatever the rank of J: singular poses are passed. With a full A the n
 * x n matrix is factored densely. Forces that depend on multipliers see those of the evaluation before
 * (`lambda` is defined by eq. 31).
 *
 * The augmented Lagrangian repeats the solve with s - A^-1 lambda_k in place of s until lambda stands still:
 * then J v' = s holds exactly and lambda is the multiplier of the index-1 form.
 *
 * Automatic masses: the load of a constraint may come from any body, not only from those that it touches. So
 * they are so many times heavier than the heaviest of all, with natural sizes s_j of displacements,
 *
 *     A_i = factor max_j (M_jj s_j^2) / (sum_j |J_ij| s_j)^2           factor = 10 / tolerance, 1e6 .. 1e10
 *
 * at the start: a spring gives way by about 1/factor of the size of the mechanism, so little that the
 * tolerance does not see it. They stay what they are: a mass that followed J would grow without bound where a
 * row of J vanishes.
 */
#include <math.h>
#include <string.h>

#include "formulate/dynamics.h"
#include "linalg/dense.h"

/* s_j: the natural size of a displacement, or `most`, the largest coordinate, 1 where all are zero. Scales
 * that errors are measured by are no measure here: they are the larger the lighter a part is. */
static double natural_length(const keel_system *sys, double most, int j) {
    return sys->q_size && sys->q_size[j] > 0 ? sys->q_size[j] : most > 0 ? most : 1;
}

/* max_j (M_jj s_j^2) */
static double heaviest(const ki_dynamics *d, double most) {
    const keel_system *sys = d->system;
    double mass = 0;
    for (int j = 0; j < sys->n_v; j++) {
        double length = natural_length(sys, most, j);
        mass = fmax(mass, d->at.M[sys->M.start[j + 1] - 1] * length * length);
    }
    return mass > 0 ? mass : 1;
}

/* D = A^-1 from the M and J at hand */
void ki_fix_penalty(ki_dynamics *d) {
    const keel_system *sys = d->system;
    const ki_gain *A = &d->law->penalty;
    double most = ki_max_norm(sys->n_q, d->factored_q), mass = heaviest(d, most);
    for (int i = 0; i < d->m; i++) {
        if (A->given && !A->full) {
            d->D[i] = 1 / A->values[i];
            continue;
        }
        double size = 0;
        for (int k = sys->J.start[i]; k < sys->J.start[i + 1]; k++)
            size += fabs(d->at.J[k]) * natural_length(sys, most, sys->J.index[k]);
        d->D[i] = (size > 0 ? size * size : 1) / (d->law->penalty_factor * mass);
    }
}

static keel_status factor_with_penalty(ki_dynamics *d, double t) {
    keel_status status = keel_saddle_factor(d->K_D, d->at.M, d->at.J, d->D);
    if (status == KEEL_ERROR_SINGULAR)
        return ki_trouble_at(d, status, KI_TROUBLE_MASS, t, keel_saddle_bad_pivot(d->K_D), 0);
    if (status < 0)
        return ki_trouble_at(d, status, KI_TROUBLE_MATRIX, t, -1, 0);
    d->factorizations++;
    return KEEL_OK;
}

/* dense (M + J^T A J) in d->dense; J rows in d->J_rows, A J in d->AJ */
static keel_status factor_full(ki_dynamics *d, double t) {
    const keel_system *sys = d->system;
    const ki_gain *A = &d->law->penalty;
    int n = sys->n_v, m = d->m;
    memset(d->dense, 0, (size_t)n * (size_t)n * sizeof(double));
    memset(d->J_rows, 0, (size_t)m * (size_t)n * sizeof(double));
    memset(d->AJ, 0, (size_t)m * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int k = sys->M.start[i]; k < sys->M.start[i + 1]; k++)
            d->dense[i * n + sys->M.index[k]] = d->at.M[k];
    for (int i = 0; i < m; i++)
        for (int k = sys->J.start[i]; k < sys->J.start[i + 1]; k++)
            d->J_rows[i * n + sys->J.index[k]] = d->at.J[k];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            ki_axpy(n, A->values[i * m + j], d->J_rows + j * n, d->AJ + i * n);
    for (int k = 0; k < m; k++)
        for (int i = 0; i < n; i++)
            ki_axpy(i + 1, d->J_rows[k * n + i], d->AJ + k * n, d->dense + i * n);
    d->factorizations++;
    int row = ki_dense_cholesky(n, d->dense);
    return row < 0 ? KEEL_OK : ki_trouble_at(d, KEEL_ERROR_SINGULAR, KI_TROUBLE_MASS, t, row, 0);
}

/* v' and lambda with a full A: v' = (..)^-1 (Q + (A J)^T s), lambda = A (J v' - s) */
static void solve_full(ki_dynamics *d) {
    const keel_system *sys = d->system;
    int n = sys->n_v, m = d->m;
    memcpy(d->x, d->at.Q, (size_t)n * sizeof(double));
    for (int i = 0; i < m; i++)
        ki_axpy(n, d->target[i], d->AJ + i * n, d->x);
    ki_dense_cholesky_solve(n, d->dense, d->x);
    memset(d->lambda, 0, (size_t)m * sizeof(double));
    for (int i = 0; i < m; i++)
        d->b_m[i] = ki_dot(n, d->J_rows + i * n, d->x) - d->target[i];
    ki_gain_apply(&d->law->penalty, 1, d->b_m, d->lambda);
}

keel_status ki_penalty_rate(ki_dynamics *d, double t, const double *y, double *k) {
    keel_status status = ki_begin_rate(d, t, y);
    if (status)
        return status;
    if (d->law->penalty.full) {
        status = factor_full(d, t);
        if (!status)
            solve_full(d);
    } else {
        status = factor_with_penalty(d, t);
        if (!status && keel_saddle_solve(d->K_D, d->at.Q, d->target, d->x, d->lambda, NULL) < 0)
            status = ki_trouble_at(d, KEEL_ERROR_SINGULAR, KI_TROUBLE_CONSTRAINT, t, 0, INFINITY);
    }
    return status ? status : ki_end_rate(d, t, y, k);
}

/* Largest sum_j |J_ij| |x|: the size of J v'. */
static double acceleration_size(const ki_dynamics *d) {
    keel_pattern P = d->system->J;
    double most = 0;
    for (int i = 0; i < d->m; i++) {
        double row = 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            row += fabs(d->at.J[k]);
        most = fmax(most, row);
    }
    return most * ki_max_norm(d->system->n_v, d->x);
}

/* One more pass of the augmented Lagrangian; *change is the largest step of D lambda relative to the size of
 * J v'. */
static keel_status augment(ki_dynamics *d, double *change, int *worst) {
    for (int i = 0; i < d->m; i++)
        d->b_m[i] = d->target[i] - d->D[i] * d->lambda[i];
    keel_status status = keel_saddle_solve(d->K_D, d->at.Q, d->b_m, d->x, d->y, NULL);
    double size = fmax(acceleration_size(d), ki_max_norm(d->m, d->target));
    *change = 0;
    for (int i = 0; i < d->m; i++) {
        double step = fabs(d->D[i] * (d->y[i] - d->lambda[i]));
        if (step > *change) {
            *change = step;
            *worst = i;
        }
        d->lambda[i] = d->y[i];
    }
    *change = size > 0 ? *change / size : 0;
    return status < 0 ? status : KEEL_OK;
}

keel_status ki_augmented_rate(ki_dynamics *d, double t, const double *y, double *k) {
    enum { MOST_ITERATIONS = 200 };
    static const double TOLERANCE = 1e-14, ROUND_OFF = 1e-10, DISAGREEMENT = 1e-2;
    /* redundant constraints agree only as well as the state satisfies them: what is left then stands still */
    double acceptable = d->redundant ? DISAGREEMENT : ROUND_OFF;
    double change = INFINITY, previous = INFINITY;
    int worst = 0;
    keel_status status = ki_begin_rate(d, t, y);
    if (!status)
        status = factor_with_penalty(d, t);
    for (int i = 0; !status && i < MOST_ITERATIONS; i++) {
        status = augment(d, &change, &worst);
        if (change <= TOLERANCE || (change <= acceptable && change > 0.5 * previous))
            break;
        previous = change;
    }
    if (status || change > acceptable)
        return ki_trouble_at(d, status ? status : KEEL_ERROR_CONVERGENCE, KI_TROUBLE_CONSTRAINT, t, worst,
                             change);
    return ki_end_rate(d, t, y, k);
}

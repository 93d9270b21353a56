#include "stabilize/energy.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/eigen.h"

/* An eigenvalue that is negative by less, relative to the largest, is round-off. */
static const double ROUND_OFF = 1e-12;

keel_status ki_audit_on(ki_dynamics *d) {
    d->audit_M = KI_NEW(&d->arena, double, keel_pattern_count(d->system->M));
    return d->audit_M ? KEEL_OK : KEEL_ERROR_MEMORY;
}

keel_status ki_energy_at(ki_dynamics *d, double t, const double *y, double *energy) {
    keel_status status = ki_solve_auxiliaries(d, t, y);
    if (!status)
        status = ki_evaluate_once(d, KEEL_ENERGY | (d->system->n_h ? KEEL_POSITION : 0u), t, y);
    *energy = d->at.energy;
    return status;
}

keel_status ki_audit_correction(ki_dynamics *d, double t, const double *y, const double *change,
                                double energy_before) {
    int n_q = d->system->n_q, n_v = d->system->n_v;
    const double *v = y + n_q, *minus_d = change + n_q;
    double *M = d->at.M, *Md = d->b_v, *Mv = d->x; /* Md = -M d */
    keel_status status = ki_solve_auxiliaries(d, t, y);
    d->settled = (ki_energy_change){0};
    if (status)
        return status;
    if (!ki_is_factored(d, t, y)) {
        d->at.M = d->audit_M; /* the values in d->at.M may belong to factors that are still in use */
        status = ki_evaluate_terms(d, KEEL_MASS, t, y);
        ki_mass_times(d, minus_d, Md);
    }
    if (!status)
        status = ki_evaluate_once(d, KEEL_ENERGY, t, y);
    ki_mass_times(d, v, Mv);
    d->at.M = M;
    if (status)
        return status;
    d->settled.all = d->at.energy - energy_before;
    d->settled.part_1 = ki_dot(n_v, v, Md);
    d->settled.part_2 = -ki_dot(n_v, minus_d, Md) / 2;
    d->settled.size = fmax(fmax(fabs(energy_before), fabs(d->at.energy)), ki_dot(n_v, v, Mv) / 2);
    return KEEL_OK;
}

void ki_metric_init(ki_metric *metric, ki_arena *arena, int n, int m) {
    size_t square = (size_t)n * (size_t)n, rows = (size_t)m * (size_t)n;
    *metric = (ki_metric){.n = n, .m = m};
    metric->M = KI_NEW(arena, double, square);
    metric->A = KI_NEW(arena, double, square);
    metric->J = KI_NEW(arena, double, rows);
    metric->L = KI_NEW(arena, double, square);
    metric->U = KI_NEW(arena, double, rows);
    metric->basis = KI_NEW(arena, double, rows);
    metric->B = KI_NEW(arena, double, square);
}

/* out [P.rows x P.columns] = the matrix with these values; `mirror` fills the upper triangle too. */
static void unpack(keel_pattern P, const double *values, int columns, bool mirror, double *out) {
    memset(out, 0, (size_t)P.rows * (size_t)columns * sizeof *out);
    for (int i = 0; i < P.rows; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++) {
            out[i * columns + P.index[k]] = values[k];
            if (mirror)
                out[P.index[k] * columns + i] = values[k];
        }
}

void ki_metric_load(ki_metric *metric, const ki_dynamics *d) {
    int n = metric->n;
    const ki_gain *A = &d->law->metric_matrix;
    metric->exact = d->law->projection_penalty == 0;
    unpack(d->system->M, d->at.M, n, true, metric->M);
    unpack(d->system->J, d->at.J, n, false, metric->J);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            metric->A[i * n + j] = d->law->metric == KEEL_METRIC_MATRIX ? A->values[i * n + j] : i == j;
}

/* U^T = M A^-1 J^T, column by column */
static void multiply_rows(ki_metric *metric) {
    int n = metric->n;
    for (int k = 0; k < metric->m; k++) {
        double *x = metric->B, *u = metric->U + k * n; /* B is not in use yet */
        memcpy(x, metric->J + k * n, (size_t)n * sizeof *x);
        ki_dense_cholesky_solve(n, metric->L, x);
        for (int i = 0; i < n; i++)
            u[i] = ki_dot(n, metric->M + i * n, x);
    }
}

/* Whether M A^-1 J^T leads out of the range of J^T. U is used up. */
static bool leads_out(ki_metric *metric) {
    static const double LEAST = 1e-10; /* parts shorter than that are round-off */
    int n = metric->n;
    memcpy(metric->basis, metric->J, (size_t)metric->m * (size_t)n * sizeof *metric->basis);
    int rank = ki_orthonormalize(metric->m, n, metric->basis, n, LEAST);
    for (int k = 0; k < metric->m; k++)
        if (ki_orthogonalize(rank, n, metric->basis, n, metric->U + k * n) > LEAST)
            return true;
    return false;
}

keel_status ki_metric_classify(ki_metric *metric, ki_metric_case *which) {
    int n = metric->n;
    memcpy(metric->L, metric->A, (size_t)n * (size_t)n * sizeof *metric->L);
    if (ki_dense_cholesky(n, metric->L) >= 0)
        return KEEL_ERROR_SINGULAR;
    multiply_rows(metric);
    memset(metric->B, 0, (size_t)n * (size_t)n * sizeof *metric->B);
    for (int k = 0; k < metric->m; k++)
        for (int i = 0; i < n; i++) { /* B^s = 1/2 (U^T J + J^T U) */
            const double *u = metric->U + k * n, *J = metric->J + k * n;
            ki_axpy(n, u[i] / 2, J, metric->B + i * n);
            ki_axpy(n, J[i] / 2, u, metric->B + i * n);
        }
    keel_status status = ki_eigenvalue_range(n, metric->B, &metric->smallest, &metric->largest);
    bool indefinite = metric->smallest < -ROUND_OFF * metric->largest;
    *which = indefinite && (!metric->exact || leads_out(metric)) ? KI_CASE_II : KI_CASE_IV;
    return status;
}

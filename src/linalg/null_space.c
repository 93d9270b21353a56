/* The null-space method: exact for J of any rank, and for A that is positive definite on the null space of J
 * only.
 *
 * Rows with D_i > 0 are penalties, y_i = (J_i x - s_i) / D_i, and go into A and r:
 *
 *     A_D = A + sum J_i^T J_i / D_i        r_D = r + sum J_i^T s_i / D_i
 *
 * The other rows, scaled to unit Euclidean length, are factored with exchanges by size (Householder):
 *
 *     J^T P = Q [R]      R [rank x rows], Q = [Q1 Z], Z a basis of the null space of J
 *               [0]
 *     R^T   = H [U]      so that J = P H [U 0; 0 0] Q^T   (complete orthogonal decomposition)
 *               [0]
 *
 *     x = Q1 U^-1 (H^T P^T s)_1 + Z w        Z^T A_D Z w = Z^T (r_D - A_D Q1 Q1^T x)
 *     y = P H [U^-T Q1^T (r_D - A_D x); 0]
 *
 * which satisfies s in the least-squares sense, and y has the least norm, both in the scaled rows.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/saddle_internal.h"

struct ki_null_space {
    int rows;                        /* rows of J with D_i = 0                                  */
    int rank;                        /* of those rows                                           */
    int *row;                        /* [m] in the order of the exchanges                       */
    double *QR;                      /* [m x n] scaled rows, reflected; R below, then the reflections */
    double *Q_beta;                  /* [m]                                                     */
    double *Q;                       /* [n x n] row k is column k of Q: rank of Q1, then Z      */
    double *H, *H_beta;              /* [m x m] row k is column k of R^T, reflected; [m]       */
    double *R_diagonal, *U_diagonal; /* [m], the reflections stand in their place   */
    double *A_D;                     /* [n x n]                                                 */
    double *reduced;                 /* [n x n] Cholesky factor of Z^T A_D Z                    */
    double *basis;                   /* [m x m] rows: orthonormal basis of {y: J^T y = 0}       */
    bool has_basis;
    double *a, *c, *d; /* [n] scratch                                             */
    double *b;         /* [m] scratch                                             */
};

static double *row_of(double *matrix, int i, int columns) {
    return matrix + (size_t)i * (size_t)columns;
}

void ki_null_space_analyse(keel_saddle *K) {
    size_t n = (size_t)K->n, m = (size_t)K->m;
    ki_arena *arena = &K->arena;
    ki_null_space *N = KI_NEW(arena, ki_null_space, 1);
    if (!N)
        return;
    N->row = KI_NEW(arena, int, m);
    N->QR = KI_NEW(arena, double, m *n);
    N->Q_beta = KI_NEW(arena, double, m);
    N->Q = KI_NEW(arena, double, n *n);
    N->H = KI_NEW(arena, double, m *m);
    N->H_beta = KI_NEW(arena, double, m);
    N->R_diagonal = KI_NEW(arena, double, m);
    N->U_diagonal = KI_NEW(arena, double, m);
    N->A_D = KI_NEW(arena, double, n *n);
    N->reduced = KI_NEW(arena, double, n *n);
    N->basis = KI_NEW(arena, double, m *m);
    N->a = KI_NEW(arena, double, n);
    N->b = KI_NEW(arena, double, m);
    N->c = KI_NEW(arena, double, n);
    N->d = KI_NEW(arena, double, n);
    K->null_space = N;
}

/* A_D, and the scaled rows with D_i = 0 into QR. */
static void collect(keel_saddle *K) {
    ki_null_space *N = K->null_space;
    int n = K->n;
    memset(N->A_D, 0, (size_t)n * (size_t)n * sizeof(double));
    memset(N->QR, 0, (size_t)K->m * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int p = K->A.start[i]; p < K->A.start[i + 1]; p++) {
            int j = K->A.index[p];
            row_of(N->A_D, i, n)[j] = row_of(N->A_D, j, n)[i] = K->A_values[p];
        }
    N->rows = 0;
    for (int i = 0; i < K->m; i++) {
        int begin = K->J.start[i], end = K->J.start[i + 1];
        const int *index = K->J.index;
        const double *J = K->J_values;
        if (K->D[i] > 0) {
            for (int p = begin; p < end; p++)
                for (int k = begin; k < end; k++)
                    row_of(N->A_D, index[p], n)[index[k]] += J[p] * J[k] / K->D[i];
            continue;
        }
        for (int p = begin; p < end; p++)
            row_of(N->QR, i, n)[index[p]] = J[p] * K->y_scale[i];
        N->row[N->rows++] = i;
    }
}

/* Brings the row with the longest rest beyond column k to place k; its length. Of equal ones the first. */
static double exchange(ki_null_space *N, int k, int n) {
    int best = k;
    double most = -1;
    for (int i = k; i < N->rows; i++) {
        const double *v = row_of(N->QR, N->row[i], n) + k;
        double square = ki_dot(n - k, v, v);
        if (square > most * (1 + 1e-8)) {
            most = square;
            best = i;
        }
    }
    /* shift instead of swap: equal rows keep their order */
    int row = N->row[best];
    memmove(N->row + k + 1, N->row + k, (size_t)(best - k) * sizeof(int));
    N->row[k] = row;
    return sqrt(most);
}

/* J^T P = Q R; the rank. A row counts while its part outside the rows before is longer than
 * settings.dependent. */
static void factor_rows(keel_saddle *K) {
    ki_null_space *N = K->null_space;
    int n = K->n, most = N->rows < n ? N->rows : n;
    for (N->rank = 0; N->rank < most; N->rank++) {
        int k = N->rank;
        if (exchange(N, k, n) <= K->settings.dependent)
            break;
        double *v = row_of(N->QR, N->row[k], n) + k;
        N->Q_beta[k] = ki_reflection_make(n - k, v, &N->R_diagonal[k]);
        for (int i = k + 1; i < N->rows; i++)
            ki_reflection_apply(n - k, v, N->Q_beta[k], row_of(N->QR, N->row[i], n) + k);
    }
}

static void form_Q(keel_saddle *K) {
    ki_null_space *N = K->null_space;
    int n = K->n;
    memset(N->Q, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int column = 0; column < n; column++) {
        double *q = row_of(N->Q, column, n);
        q[column] = 1;
        for (int k = N->rank - 1; k >= 0; k--)
            ki_reflection_apply(n - k, row_of(N->QR, N->row[k], n) + k, N->Q_beta[k], q + k);
    }
}

/* R^T = H [U; 0], U_ab = H[b][a] for a < b. */
static void factor_R(keel_saddle *K) {
    ki_null_space *N = K->null_space;
    int n = K->n, rows = N->rows;
    for (int k = 0; k < N->rank; k++) {
        double *column = row_of(N->H, k, rows);
        for (int i = 0; i < rows; i++)
            column[i] = i < k ? 0 : i == k ? N->R_diagonal[k] : row_of(N->QR, N->row[i], n)[k];
    }
    for (int k = 0; k < N->rank; k++) {
        double *v = row_of(N->H, k, rows) + k;
        N->H_beta[k] = ki_reflection_make(rows - k, v, &N->U_diagonal[k]);
        for (int j = k + 1; j < N->rank; j++)
            ki_reflection_apply(rows - k, v, N->H_beta[k], row_of(N->H, j, rows) + k);
    }
}

/* The unknown that moves most in the direction in which Z^T A_D Z has no positive pivot at row k. */
static int culprit(keel_saddle *K, int k) {
    ki_null_space *N = K->null_space;
    int n = K->n, size = n - N->rank;
    /* v = [-L^-T L_k; 1] */
    double *v = N->c, *z = N->a;
    for (int i = 0; i < k; i++)
        v[i] = -row_of(N->reduced, k, size)[i];
    for (int i = k - 1; i >= 0; i--) {
        const double *L = row_of(N->reduced, i, size);
        v[i] /= L[i];
        ki_axpy(i, -v[i], L, v);
    }
    memcpy(z, row_of(N->Q, N->rank + k, n), (size_t)n * sizeof(double));
    for (int i = 0; i < k; i++)
        ki_axpy(n, v[i], row_of(N->Q, N->rank + i, n), z);
    int worst = 0;
    for (int i = 1; i < n; i++)
        if (fabs(z[i]) > fabs(z[worst]))
            worst = i;
    return worst;
}

/* Cholesky factor of Z^T A_D Z. */
static keel_status factor_reduced(keel_saddle *K) {
    ki_null_space *N = K->null_space;
    int n = K->n, size = n - N->rank;
    for (int i = 0; i < size; i++) {
        const double *z = row_of(N->Q, N->rank + i, n);
        for (int k = 0; k < n; k++)
            N->a[k] = ki_dot(n, row_of(N->A_D, k, n), z);
        for (int j = 0; j <= i; j++)
            row_of(N->reduced, i, size)[j] = ki_dot(n, row_of(N->Q, N->rank + j, n), N->a);
    }
    int failed = ki_dense_cholesky(size, N->reduced);
    if (failed < 0)
        return KEEL_OK;
    K->bad_pivot = culprit(K, failed);
    return KEEL_ERROR_SINGULAR;
}

keel_status ki_null_space_factor(keel_saddle *K) {
    K->null_space->has_basis = false;
    collect(K);
    factor_rows(K);
    form_Q(K);
    factor_R(K);
    return factor_reduced(K);
}

int ki_null_space_dependent(const keel_saddle *K) {
    return K->null_space->rows - K->null_space->rank;
}

/* b <- H^T b or H b */
static void reflect(const ki_null_space *N, bool transposed, double *b) {
    for (int i = 0; i < N->rank; i++) {
        int k = transposed ? i : N->rank - 1 - i;
        ki_reflection_apply(N->rows - k, row_of(N->H, k, N->rows) + k, N->H_beta[k], b + k);
    }
}

/* b <- U \ b */
static void solve_U(const ki_null_space *N, double *b) {
    for (int k = N->rank - 1; k >= 0; k--) {
        b[k] /= N->U_diagonal[k];
        ki_axpy(k, -b[k], row_of(N->H, k, N->rows), b);
    }
}

/* b <- U^T \ b */
static void solve_U_transposed(const ki_null_space *N, double *b) {
    for (int k = 0; k < N->rank; k++)
        b[k] = (b[k] - ki_dot(k, row_of(N->H, k, N->rows), b)) / N->U_diagonal[k];
}

/* a <- a - A_D x */
static void subtract_A_D(const ki_null_space *N, int n, const double *x, double *a) {
    for (int i = 0; i < n; i++)
        a[i] -= ki_dot(n, row_of(N->A_D, i, n), x);
}

/* sum over the entries of row i of J times x */
static double row_times(const keel_saddle *K, int i, const double *x) {
    double sum = 0;
    for (int p = K->J.start[i]; p < K->J.start[i + 1]; p++)
        sum += K->J_values[p] * x[K->J.index[p]];
    return sum;
}

/* x = Q1 U^-1 (H^T P^T s)_1 + Z w; a = r_D comes back as r_D - A_D x */
static void solve_x(keel_saddle *K, const double *s, double *a, double *x) {
    ki_null_space *N = K->null_space;
    int n = K->n, size = n - N->rank;
    for (int i = 0; i < N->rows; i++)
        N->b[i] = K->y_scale[N->row[i]] * s[N->row[i]];
    reflect(N, true, N->b);
    solve_U(N, N->b);
    memset(x, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < N->rank; k++)
        ki_axpy(n, N->b[k], row_of(N->Q, k, n), x);
    memcpy(N->c, a, (size_t)n * sizeof(double));
    subtract_A_D(N, n, x, N->c);
    double *w = N->d;
    for (int i = 0; i < size; i++)
        w[i] = ki_dot(n, row_of(N->Q, N->rank + i, n), N->c);
    ki_dense_cholesky_solve(size, N->reduced, w);
    for (int i = 0; i < size; i++)
        ki_axpy(n, w[i], row_of(N->Q, N->rank + i, n), x);
    subtract_A_D(N, n, x, a);
}

void ki_null_space_apply(keel_saddle *K, double *x, double *y) {
    ki_null_space *N = K->null_space;
    int n = K->n;
    double *a = N->a;
    memcpy(a, x, (size_t)n * sizeof(double));
    for (int i = 0; i < K->m; i++)
        if (K->D[i] > 0)
            for (int p = K->J.start[i]; p < K->J.start[i + 1]; p++)
                a[K->J.index[p]] += K->J_values[p] * y[i] / K->D[i];
    solve_x(K, y, a, x);
    /* y = P H [U^-T Q1^T a; 0] */
    memset(N->b, 0, (size_t)N->rows * sizeof(double));
    for (int k = 0; k < N->rank; k++)
        N->b[k] = ki_dot(n, row_of(N->Q, k, n), a);
    solve_U_transposed(N, N->b);
    reflect(N, false, N->b);
    for (int i = 0; i < N->rows; i++)
        y[N->row[i]] = K->y_scale[N->row[i]] * N->b[i];
    for (int i = 0; i < K->m; i++)
        if (K->D[i] > 0)
            y[i] = (row_times(K, i, x) - y[i]) / K->D[i];
}

void ki_null_space_remove(keel_saddle *K, double *y_rest) {
    ki_null_space *N = K->null_space;
    for (int i = 0; i < N->rows; i++)
        N->b[i] = K->y_scale[N->row[i]] * y_rest[N->row[i]];
    reflect(N, true, N->b);
    memset(N->b + N->rank, 0, (size_t)(N->rows - N->rank) * sizeof(double));
    reflect(N, false, N->b);
    for (int i = 0; i < N->rows; i++)
        y_rest[N->row[i]] = N->b[i] / K->y_scale[N->row[i]];
}

/* {y: J^T y = 0} is spanned by the last columns of H, in the scaled rows. */
static void form_basis(keel_saddle *K) {
    ki_null_space *N = K->null_space;
    int count = N->rows - N->rank;
    for (int k = 0; k < count; k++) {
        memset(N->b, 0, (size_t)N->rows * sizeof(double));
        N->b[N->rank + k] = 1;
        reflect(N, false, N->b);
        double *v = row_of(N->basis, k, K->m);
        memset(v, 0, (size_t)K->m * sizeof(double));
        for (int i = 0; i < N->rows; i++)
            v[N->row[i]] = K->y_scale[N->row[i]] * N->b[i];
    }
    ki_orthonormalize(count, K->m, N->basis, K->m, 0);
    N->has_basis = true;
}

void ki_null_space_least_norm(keel_saddle *K, double *y) {
    ki_null_space *N = K->null_space;
    if (!N->has_basis)
        form_basis(K);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < N->rows - N->rank; k++) {
            const double *v = row_of(N->basis, k, K->m);
            ki_axpy(K->m, -ki_dot(K->m, v, y), v, y);
        }
}

/* The null-space method: exact for J of any rank, and for A that is positive definite on the null space of J
 * only.
 *
 * A row with D_i > 0 gets an unknown z_i of its own, of mass w = max A_ii, and is then a row like any other:
 *
 *     J_i x - e_i z_i = s_i,   e_i = (D_i w)^(1/2),     since w z_i = e_i y_i makes e_i z_i = D_i y_i
 *
 * In the following x stands for x and all z, A and J for the larger matrices. The rows, scaled to unit
 * Euclidean length, are factored with exchanges by size (Householder):
 *
 *     J^T P = Q [R]      R [rank x m], Q = [Q1 Z], Z a basis of the null space of J
 *               [0]
 *     R^T   = H [U]      so that J = P H [U 0; 0 0] Q^T   (complete orthogonal decomposition)
 *               [0]
 *
 *     x = Q1 U^-1 (H^T P^T s)_1 + Z w        Z^T A Z w = Z^T (r - A Q1 Q1^T x)
 *     y = P H [U^-T Q1^T (r - A x); 0]
 *
 * which satisfies s in the least-squares sense, and y has the least norm, both in the scaled rows.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/saddle_internal.h"

struct ki_null_space {
    int size;                        /* unknowns: n + rows with D_i > 0                              */
    double mass;                     /* max A_ii                                                     */
    int rank;                        /* of the rows                                                  */
    int *row;                        /* [m] in the order of the exchanges                            */
    double *scale;                   /* [m] 1 / length of a row                                      */
    double *QR;                      /* [m x size] scaled rows, reflected: R, then the reflections   */
    double *Q_beta;                  /* [m]                                                          */
    double *Q;                       /* [size x size] row k is column k of Q: rank of Q1, then Z     */
    double *H, *H_beta;              /* [m x m] row k is column k of R^T, reflected; [m]             */
    double *R_diagonal, *U_diagonal; /* [m] the reflections stand in their place                     */
    double *A;                       /* [size x size]                                                */
    double *reduced;                 /* [size x size] Cholesky factor of Z^T A Z                     */
    double *basis;                   /* [m x m] rows: orthonormal basis of {y: J^T y = 0}            */
    bool has_basis;
    double *x, *a, *c, *d; /* [size] scratch */
    double *b;             /* [m] scratch    */
};

static double *row_of(double *matrix, int i, int columns) {
    return matrix + (size_t)i * (size_t)columns;
}

void ki_null_space_analyse(keel_saddle *K) {
    size_t m = (size_t)K->m, most = (size_t)K->n + m;
    ki_arena *arena = &K->arena;
    ki_null_space *N = KI_NEW(arena, ki_null_space, 1);
    if (!N)
        return;
    N->row = KI_NEW(arena, int, m);
    N->QR = KI_NEW(arena, double, m *most);
    N->Q = KI_NEW(arena, double, most *most);
    N->H = KI_NEW(arena, double, m *m);
    N->A = KI_NEW(arena, double, most *most);
    N->reduced = KI_NEW(arena, double, most *most);
    N->basis = KI_NEW(arena, double, m *m);
    double **of_m[] = {&N->scale, &N->Q_beta, &N->H_beta, &N->R_diagonal, &N->U_diagonal, &N->b};
    double **of_all[] = {&N->x, &N->a, &N->c, &N->d};
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        *of_m[i] = KI_NEW(arena, double, m);
    for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++)
        *of_all[i] = KI_NEW(arena, double, most);
    K->null_space = N;
}

/* A with the masses of the z_i. */
static void collect_A(keel_saddle *K, double mass) {
    ki_null_space *N = K->null_space;
    memset(N->A, 0, (size_t)N->size * (size_t)N->size * sizeof(double));
    for (int i = 0; i < K->n; i++)
        for (int p = K->A.start[i]; p < K->A.start[i + 1]; p++) {
            int j = K->A.index[p];
            row_of(N->A, i, N->size)[j] = row_of(N->A, j, N->size)[i] = K->A_values[p];
        }
    for (int i = K->n; i < N->size; i++)
        row_of(N->A, i, N->size)[i] = mass;
}

/* The scaled rows with their z_i. */
static void collect_rows(keel_saddle *K, double mass) {
    ki_null_space *N = K->null_space;
    memset(N->QR, 0, (size_t)K->m * (size_t)N->size * sizeof(double));
    for (int i = 0, next = K->n; i < K->m; i++) {
        double *row = row_of(N->QR, i, N->size);
        double e_square = K->D[i] > 0 ? K->D[i] * mass : 0, length = 1 / K->y_scale[i];
        N->scale[i] = e_square > 0 ? 1 / sqrt(length * length + e_square) : K->y_scale[i];
        for (int p = K->J.start[i]; p < K->J.start[i + 1]; p++)
            row[K->J.index[p]] = K->J_values[p] * N->scale[i];
        if (K->D[i] > 0)
            row[next++] = -sqrt(e_square) * N->scale[i];
        N->row[i] = i;
    }
}

static void collect(keel_saddle *K) {
    ki_null_space *N = K->null_space;
    double mass = 0;
    for (int i = 0; i < K->n; i++)
        mass = fmax(mass, K->A_values[K->A.start[i + 1] - 1]);
    N->mass = mass = mass > 0 ? mass : 1;
    N->size = K->n;
    for (int i = 0; i < K->m; i++)
        N->size += K->D[i] > 0;
    collect_A(K, mass);
    collect_rows(K, mass);
}

/* Brings the row with the longest rest beyond column k to place k; its length. Of equal ones the first. */
static double exchange(ki_null_space *N, int k, int rows) {
    int best = k;
    double most = -1;
    for (int i = k; i < rows; i++) {
        const double *v = row_of(N->QR, N->row[i], N->size) + k;
        double square = ki_dot(N->size - k, v, v);
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
    int size = N->size, most = K->m < size ? K->m : size;
    for (N->rank = 0; N->rank < most; N->rank++) {
        int k = N->rank;
        if (exchange(N, k, K->m) <= K->settings.dependent)
            break;
        double *v = row_of(N->QR, N->row[k], size) + k;
        N->Q_beta[k] = ki_reflection_make(size - k, v, &N->R_diagonal[k]);
        for (int i = k + 1; i < K->m; i++)
            ki_reflection_apply(size - k, v, N->Q_beta[k], row_of(N->QR, N->row[i], size) + k);
    }
}

static void form_Q(ki_null_space *N) {
    int size = N->size;
    memset(N->Q, 0, (size_t)size * (size_t)size * sizeof(double));
    for (int column = 0; column < size; column++) {
        double *q = row_of(N->Q, column, size);
        q[column] = 1;
        for (int k = N->rank - 1; k >= 0; k--)
            ki_reflection_apply(size - k, row_of(N->QR, N->row[k], size) + k, N->Q_beta[k], q + k);
    }
}

/* R^T = H [U; 0], U_ab = H[b][a] for a < b. */
static void factor_R(keel_saddle *K) {
    ki_null_space *N = K->null_space;
    int m = K->m;
    for (int k = 0; k < N->rank; k++) {
        double *column = row_of(N->H, k, m);
        for (int i = 0; i < m; i++)
            column[i] = i < k ? 0 : i == k ? N->R_diagonal[k] : row_of(N->QR, N->row[i], N->size)[k];
    }
    for (int k = 0; k < N->rank; k++) {
        double *v = row_of(N->H, k, m) + k;
        N->H_beta[k] = ki_reflection_make(m - k, v, &N->U_diagonal[k]);
        for (int j = k + 1; j < N->rank; j++)
            ki_reflection_apply(m - k, v, N->H_beta[k], row_of(N->H, j, m) + k);
    }
}

/* Column k of Z, as a row. */
static const double *Z_of(const ki_null_space *N, int k) {
    return row_of(N->Q, N->rank + k, N->size);
}

/* z: the direction in which Z^T A Z vanishes at row j, rows before k eliminated. */
static void free_direction(ki_null_space *N, int k, int j, double *z) {
    int free_count = N->size - N->rank;
    /* v = [-L^-T L_j; 1] */
    double *v = N->c;
    for (int i = 0; i < k; i++)
        v[i] = -row_of(N->reduced, j, free_count)[i];
    for (int i = k - 1; i >= 0; i--) {
        const double *L = row_of(N->reduced, i, free_count);
        v[i] /= L[i];
        ki_axpy(i, -v[i], L, v);
    }
    memcpy(z, Z_of(N, j), (size_t)N->size * sizeof(double));
    for (int i = 0; i < k; i++)
        ki_axpy(N->size, v[i], Z_of(N, i), z);
}

/* The unknown that is most free where no pivot is left from row k on. A, which is lost, makes room. */
static int culprit(keel_saddle *K, int k) {
    ki_null_space *N = K->null_space;
    int count = N->size - N->rank - k;
    for (int j = 0; j < count; j++)
        free_direction(N, k, k + j, row_of(N->A, j, N->size));
    return ki_most_free(count, N->size, N->A, K->n);
}

static void swap_doubles(double *a, double *b) {
    double keep = *a;
    *a = *b;
    *b = keep;
}

/* Exchanges two columns of Z: rows of Q, and rows and columns of Z^T A Z. */
static void exchange_free(ki_null_space *N, int a, int b) {
    int count = N->size - N->rank;
    for (int i = 0; i < N->size && a != b; i++)
        swap_doubles(&row_of(N->Q, N->rank + a, N->size)[i], &row_of(N->Q, N->rank + b, N->size)[i]);
    for (int i = 0; i < count && a != b; i++)
        swap_doubles(&row_of(N->reduced, a, count)[i], &row_of(N->reduced, b, count)[i]);
    for (int i = 0; i < count && a != b; i++)
        swap_doubles(&row_of(N->reduced, i, count)[a], &row_of(N->reduced, i, count)[b]);
    swap_doubles(&N->d[a], &N->d[b]);
}

/* Whether column i of Z lies among coordinates without mass, but for round-off. That is eps / |R_kk| of the
 * last row, and what it leaves in Z^T A Z must not pass for a pivot. */
static bool is_massless(const ki_null_space *N, int i, double reduced) {
    double last = N->rank > 0 ? fabs(N->R_diagonal[N->rank - 1]) : 1, light = 0;
    double error = fmax(KI_PIVOT_NOISE_A, 1e-15 / last);
    if (!(fabs(reduced) <= error * error * N->mass))
        return false;
    const double *z = Z_of(N, i);
    for (int k = 0; k < N->size; k++)
        if (row_of(N->A, k, N->size)[k] == 0)
            light += z[k] * z[k];
    return light > 0.5;
}

/* Z^T A Z, both triangles, and its diagonal in d. */
static void form_reduced(ki_null_space *N) {
    int size = N->size, count = size - N->rank;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < size; k++)
            N->a[k] = ki_dot(size, row_of(N->A, k, size), Z_of(N, i));
        for (int j = 0; j <= i; j++)
            row_of(N->reduced, i, count)[j] = row_of(N->reduced, j, count)[i] =
                ki_dot(size, Z_of(N, j), N->a);
        double *diagonal = &row_of(N->reduced, i, count)[i];
        if (is_massless(N, i, *diagonal))
            *diagonal = 0;
        N->d[i] = *diagonal;
    }
}

/* Where the pivot from k on that is largest against its diagonal entry stands. */
static int largest_pivot(const ki_null_space *N, int k) {
    int count = N->size - N->rank, best = k;
    double most = -1;
    for (int i = k; i < count; i++) {
        double pivot = row_of(N->reduced, i, count)[i], part = N->d[i] > 0 ? pivot / N->d[i] : -1;
        if (part > most) {
            most = part;
            best = i;
        }
    }
    return best;
}

/* Cholesky factor of Z^T A Z, with exchanges: what is singular shows in the last pivots. */
static keel_status factor_reduced(keel_saddle *K) {
    ki_null_space *N = K->null_space;
    int count = N->size - N->rank;
    form_reduced(N);
    for (int k = 0; k < count; k++) {
        exchange_free(N, k, largest_pivot(N, k));
        double *row = row_of(N->reduced, k, count);
        if (!(row[k] > KI_PIVOT_NOISE_A * N->d[k]) || !isfinite(row[k])) {
            K->bad_pivot = culprit(K, k);
            return KEEL_ERROR_SINGULAR;
        }
        row[k] = sqrt(row[k]);
        for (int i = k + 1; i < count; i++)
            row_of(N->reduced, i, count)[k] /= row[k];
        for (int i = k + 1; i < count; i++)
            for (int j = k + 1; j < count; j++)
                row_of(N->reduced, i, count)[j] -=
                    row_of(N->reduced, i, count)[k] * row_of(N->reduced, j, count)[k];
    }
    return KEEL_OK;
}

keel_status ki_null_space_factor(keel_saddle *K) {
    K->null_space->has_basis = false;
    collect(K);
    factor_rows(K);
    form_Q(K->null_space);
    factor_R(K);
    return factor_reduced(K);
}

int ki_null_space_dependent(const keel_saddle *K) {
    return K->m - K->null_space->rank;
}

/* b <- H^T b or H b */
static void reflect(const ki_null_space *N, int m, bool transposed, double *b) {
    for (int i = 0; i < N->rank; i++) {
        int k = transposed ? i : N->rank - 1 - i;
        ki_reflection_apply(m - k, row_of(N->H, k, m) + k, N->H_beta[k], b + k);
    }
}

/* b <- U \ b */
static void solve_U(const ki_null_space *N, int m, double *b) {
    for (int k = N->rank - 1; k >= 0; k--) {
        b[k] /= N->U_diagonal[k];
        ki_axpy(k, -b[k], row_of(N->H, k, m), b);
    }
}

/* b <- U^T \ b */
static void solve_U_transposed(const ki_null_space *N, int m, double *b) {
    for (int k = 0; k < N->rank; k++)
        b[k] = (b[k] - ki_dot(k, row_of(N->H, k, m), b)) / N->U_diagonal[k];
}

/* a <- a - A x */
static void subtract_A(const ki_null_space *N, const double *x, double *a) {
    for (int i = 0; i < N->size; i++)
        a[i] -= ki_dot(N->size, row_of(N->A, i, N->size), x);
}

/* b = P^T s, scaled */
static void take_rows(const keel_saddle *K, const double *s, double *b) {
    const ki_null_space *N = K->null_space;
    for (int i = 0; i < K->m; i++)
        b[i] = N->scale[N->row[i]] * s[N->row[i]];
}

/* x = Q1 U^-1 (H^T P^T s)_1 + Z w; a = r comes back as r - A x */
static void solve_x(keel_saddle *K, const double *s, double *a, double *x) {
    ki_null_space *N = K->null_space;
    int size = N->size, free_count = size - N->rank;
    take_rows(K, s, N->b);
    reflect(N, K->m, true, N->b);
    solve_U(N, K->m, N->b);
    memset(x, 0, (size_t)size * sizeof(double));
    for (int k = 0; k < N->rank; k++)
        ki_axpy(size, N->b[k], row_of(N->Q, k, size), x);
    memcpy(N->c, a, (size_t)size * sizeof(double));
    subtract_A(N, x, N->c);
    double *w = N->d;
    for (int i = 0; i < free_count; i++)
        w[i] = ki_dot(size, Z_of(N, i), N->c);
    ki_dense_cholesky_solve(free_count, N->reduced, w);
    for (int i = 0; i < free_count; i++)
        ki_axpy(size, w[i], Z_of(N, i), x);
    subtract_A(N, x, a);
}

void ki_null_space_apply(keel_saddle *K, double *x, double *y) {
    ki_null_space *N = K->null_space;
    double *a = N->a;
    memset(a, 0, (size_t)N->size * sizeof(double));
    memcpy(a, x, (size_t)K->n * sizeof(double));
    solve_x(K, y, a, N->x);
    memcpy(x, N->x, (size_t)K->n * sizeof(double));
    /* y = P H [U^-T Q1^T a; 0] */
    memset(N->b, 0, (size_t)K->m * sizeof(double));
    for (int k = 0; k < N->rank; k++)
        N->b[k] = ki_dot(N->size, row_of(N->Q, k, N->size), a);
    solve_U_transposed(N, K->m, N->b);
    reflect(N, K->m, false, N->b);
    for (int i = 0; i < K->m; i++)
        y[N->row[i]] = N->scale[N->row[i]] * N->b[i];
}

void ki_null_space_remove(keel_saddle *K, double *y_rest) {
    ki_null_space *N = K->null_space;
    take_rows(K, y_rest, N->b);
    reflect(N, K->m, true, N->b);
    memset(N->b + N->rank, 0, (size_t)(K->m - N->rank) * sizeof(double));
    reflect(N, K->m, false, N->b);
    for (int i = 0; i < K->m; i++)
        y_rest[N->row[i]] = N->b[i] / N->scale[N->row[i]];
}

/* {y: J^T y = 0} is spanned by the last columns of H, in the scaled rows. */
static void form_basis(keel_saddle *K) {
    ki_null_space *N = K->null_space;
    int m = K->m, count = m - N->rank;
    for (int k = 0; k < count; k++) {
        memset(N->b, 0, (size_t)m * sizeof(double));
        N->b[N->rank + k] = 1;
        reflect(N, m, false, N->b);
        for (int i = 0; i < m; i++)
            row_of(N->basis, k, m)[N->row[i]] = N->scale[N->row[i]] * N->b[i];
    }
    ki_orthonormalize(count, m, N->basis, m, 0);
    N->has_basis = true;
}

void ki_null_space_least_norm(keel_saddle *K, double *y) {
    ki_null_space *N = K->null_space;
    int m = K->m;
    if (!N->has_basis)
        form_basis(K);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < m - N->rank; k++) {
            const double *v = row_of(N->basis, k, m);
            ki_axpy(m, -ki_dot(m, v, y), v, y);
        }
}

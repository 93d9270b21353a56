#include "formulate/partition.h"

#include <math.h>
#include <string.h>

#include "formulate/partition_large.h"
#include "linalg/dense.h"

/* Columns, and rows unless asked for otherwise, whose independent part is shorter than this (relative) are
 * dependent. */
static const double LEAST_PART = 1e-8;

void ki_partition_init(ki_partition *p, ki_arena *arena, int n, int m) {
    size_t nn = (size_t)n * (size_t)n, nm = (size_t)n * (size_t)m;
    *p = (ki_partition){.n = n, .m = m, .least = LEAST_PART};
    p->dependent = KI_NEW(arena, int, n);
    p->is_dependent = KI_NEW(arena, bool, n);
    p->d = KI_NEW(arena, double, n);
    p->M = KI_NEW(arena, double, nn);
    p->rows = KI_NEW(arena, double, nm);
    p->columns = KI_NEW(arena, double, nm);
    p->basis = KI_NEW(arena, double, nm);
    p->QR = KI_NEW(arena, double, nm);
    p->beta = KI_NEW(arena, double, n);
    p->R = KI_NEW(arena, double, nn);
    p->work = KI_NEW(arena, double, n > m ? n : m);
    p->order = KI_NEW(arena, int, n);
}

/* Up to so many components full matrices are as fast. */
enum { FULL_MATRICES = 40 };

bool ki_partition_init_for(ki_partition *p, ki_arena *arena, keel_pattern M, keel_pattern J) {
    if (M.rows <= FULL_MATRICES || J.rows == 0) {
        ki_partition_init(p, arena, M.rows, J.rows);
        return !arena->failed;
    }
    *p = (ki_partition){.n = M.rows, .m = J.rows, .least = LEAST_PART};
    p->dependent = KI_NEW(arena, int, p->n);
    p->is_dependent = KI_NEW(arena, bool, p->n);
    p->d = KI_NEW(arena, double, p->n);
    p->large = ki_partition_large_new(M, J);
    return p->large && !arena->failed;
}

void ki_partition_clear(ki_partition *p) {
    ki_partition_large_free(p->large);
    p->large = NULL;
}

/* M = L L^T in p->M; the identity where M is not positive definite */
static void factor_mass(ki_partition *p, keel_pattern M, const double *values) {
    int n = p->n;
    memset(p->M, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int k = M.start[i]; k < M.start[i + 1]; k++)
            p->M[i * n + M.index[k]] = values[k];
    if (ki_dense_cholesky(n, p->M) < 0)
        return;
    memset(p->M, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        p->M[i * n + i] = 1;
}

/* rows of J in p->rows, columns in p->columns */
static void load_jacobian(ki_partition *p, keel_pattern J, const double *values) {
    memset(p->rows, 0, (size_t)p->n * (size_t)p->m * sizeof(double));
    memset(p->columns, 0, (size_t)p->n * (size_t)p->m * sizeof(double));
    for (int i = 0; i < p->m; i++)
        for (int k = J.start[i]; k < J.start[i + 1]; k++) {
            p->rows[i * p->n + J.index[k]] = values[k];
            p->columns[J.index[k] * p->m + i] = values[k];
        }
}

/* x <- L^-1 x */
static void forward(const ki_partition *p, double *x) {
    for (int i = 0; i < p->n; i++)
        x[i] = (x[i] - ki_dot(i, p->M + i * p->n, x)) / p->M[i * p->n + i];
}

/* x <- L^-T x */
static void backward(const ki_partition *p, double *x) {
    for (int i = p->n - 1; i >= 0; i--) {
        x[i] /= p->M[i * p->n + i];
        ki_axpy(i, -x[i], p->M + i * p->n, x);
    }
}

/* d_i of partition.h; returns the rank of J */
static int project_coordinates(ki_partition *p) {
    int n = p->n;
    for (int i = 0; i < p->m; i++)
        forward(p, p->rows + i * n);
    int rank = ki_orthonormalize(p->m, n, p->rows, n, p->least);
    memset(p->d, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < rank; k++) {
        backward(p, p->rows + k * n);
        for (int i = 0; i < n; i++)
            p->d[i] += p->rows[k * n + i] * p->rows[k * n + i];
    }
    for (int i = 0; i < n; i++) { /* column i of L^-1 is row i of L^-T */
        memset(p->work, 0, (size_t)n * sizeof(double));
        p->work[i] = 1;
        forward(p, p->work);
        p->d[i] = 1 - p->d[i] / ki_dot(n, p->work, p->work);
    }
    return rank;
}

/* p->order by increasing d (or decreasing); equal ones keep their order */
static void sort_coordinates(ki_partition *p, bool increasing) {
    for (int i = 0; i < p->n; i++) {
        int k = i;
        for (; k > 0; k--) {
            double before = p->d[p->order[k - 1]];
            if (increasing ? before <= p->d[i] : before >= p->d[i])
                break;
            p->order[k] = p->order[k - 1];
        }
        p->order[k] = i;
    }
}

/* True if column i of J is independent of the first `count` columns in p->basis; it is added there then. */
static bool extends_basis(ki_partition *p, int count, int i) {
    double *next = p->basis + count * p->m;
    memcpy(next, p->columns + i * p->m, (size_t)p->m * sizeof(double));
    return ki_orthogonalize(count, p->m, p->basis, p->m, next) > LEAST_PART;
}

/* Takes coordinates in the order of p->order as long as they add to the rank of J_d. */
static void take_in_order(ki_partition *p, int rank) {
    int count = 0;
    memset(p->is_dependent, 0, (size_t)p->n * sizeof(bool));
    for (int k = 0; k < p->n && count < rank; k++)
        if (extends_basis(p, count, p->order[k])) {
            p->is_dependent[p->order[k]] = true;
            count++;
        }
}

static bool is_regular(ki_partition *p, int rank) {
    int count = 0;
    for (int i = 0; i < p->n; i++)
        if (p->is_dependent[i] && !extends_basis(p, count++, i))
            return false;
    return count == rank;
}

/* From the best choice: the exchange of a dependent and an independent coordinate that raises the sum of d
 * the least. */
static void exchange_one(ki_partition *p, int rank) {
    int out = -1, in = -1;
    double least = INFINITY;
    for (int a = 0; a < p->n; a++)
        for (int b = 0; b < p->n; b++) {
            if (!p->is_dependent[a] || p->is_dependent[b] || p->d[b] - p->d[a] >= least)
                continue;
            p->is_dependent[a] = false, p->is_dependent[b] = true;
            if (is_regular(p, rank))
                least = p->d[b] - p->d[a], out = a, in = b;
            p->is_dependent[a] = true, p->is_dependent[b] = false;
        }
    if (out >= 0)
        p->is_dependent[out] = false, p->is_dependent[in] = true;
}

/* p->dependent from p->is_dependent; true if it changed */
static bool list_dependent(ki_partition *p) {
    bool changed = false;
    int count = 0;
    for (int i = 0; i < p->n; i++) {
        if (!p->is_dependent[i])
            continue;
        changed = changed || count >= p->rank || p->dependent[count] != i;
        p->dependent[count++] = i;
    }
    changed = changed || count != p->rank;
    p->rank = count;
    return changed;
}

bool ki_partition_choose(ki_partition *p, keel_pattern M, const double *M_values, keel_pattern J,
                         const double *J_values, ki_partition_choice choice) {
    if (p->large) {
        ki_partition_large_choose(p, M_values, J_values, choice);
        return list_dependent(p);
    }
    factor_mass(p, M, M_values);
    load_jacobian(p, J, J_values);
    int rank = project_coordinates(p);
    sort_coordinates(p, choice != KI_PARTITION_WORST);
    take_in_order(p, rank);
    if (choice == KI_PARTITION_SECOND)
        exchange_one(p, rank);
    return list_dependent(p);
}

bool ki_partition_factor(ki_partition *p, keel_pattern J, const double *J_values) {
    int m = p->m, r = p->rank;
    if (p->large)
        return ki_partition_large_factor(p, J_values);
    load_jacobian(p, J, J_values);
    for (int k = 0; k < r; k++)
        memcpy(p->QR + k * m, p->columns + p->dependent[k] * m, (size_t)m * sizeof(double));
    for (int k = 0; k < r; k++) {
        double *column = p->QR + k * m, size = ki_max_norm(m, column);
        p->beta[k] = ki_reflection_make(m - k, column + k, &p->R[k * r + k]);
        if (!(fabs(p->R[k * r + k]) > 1e-13 * size))
            return false;
        for (int j = k + 1; j < r; j++) {
            ki_reflection_apply(m - k, column + k, p->beta[k], p->QR + j * m + k);
            p->R[k * r + j] = p->QR[j * m + k];
        }
    }
    return true;
}

void ki_partition_solve(const ki_partition *p, double *b, double *x) {
    int m = p->m, r = p->rank;
    if (p->large) {
        ki_partition_large_solve(p, b, x);
        return;
    }
    for (int k = 0; k < r; k++)
        ki_reflection_apply(m - k, p->QR + k * m + k, p->beta[k], b + k);
    for (int k = r - 1; k >= 0; k--) {
        for (int j = k + 1; j < r; j++)
            b[k] -= p->R[k * r + j] * b[j];
        b[k] /= p->R[k * r + k];
    }
    memset(x, 0, (size_t)p->n * sizeof(double));
    for (int k = 0; k < r; k++)
        x[p->dependent[k]] = b[k];
}

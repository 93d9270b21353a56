/* The dense path: plain loops over contiguous rows, for systems too small to be worth an index.
 *
 *     A = L_A d L_A^T     L_A unit lower
 *     Y = L_A^-1 J^T      n x m, without the d^(-1/2) of saddle_internal.h
 *     S = Y^T d^-1 Y + D = L_S p L_S^T
 *
 * Each row is stored in full, but the loops run over the part that can be non-zero only: from A_first[i] or
 * S_first[i] to the diagonal (elimination does not leave this skyline), and in row k of Y from low[k] to
 * high[k].
 */
#include <string.h>

#include "linalg/dense.h"
#include "linalg/saddle_internal.h"

struct ki_saddle_dense {
    int *A_first, *S_first;  /* [n], [m] first column of a row              */
    int *low, *high;         /* [n] first and last + 1 column of row k of Y */
    int *A_gaps, *Y_gaps;    /* [n] entries of these ranges without a value */
    size_t *A_slot, *J_slot; /* place of each value in L_A and Y            */
    double *L_A, *d_inverse; /* [n x n], [n]                                */
    double *Y;               /* [n x m]                                     */
    double *L_S, *p_inverse; /* [m x m], [m]                                */
};

static double *row_of(double *matrix, int row, int columns) {
    return matrix + (size_t)row * (size_t)columns;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

static void find_slots(keel_saddle *K) {
    ki_saddle_dense *F = K->dense;
    for (int i = 0; i < K->n; i++) {
        F->A_first[i] = K->A.index[K->A.start[i]];
        F->low[i] = K->m;
        F->A_gaps[i] = i + 1 - F->A_first[i] - (K->A.start[i + 1] - K->A.start[i]);
        for (int p = K->A.start[i]; p < K->A.start[i + 1]; p++)
            F->A_slot[p] = (size_t)i * (size_t)K->n + (size_t)K->A.index[p];
    }
    for (int i = 0; i < K->m; i++)
        for (int p = K->J.start[i]; p < K->J.start[i + 1]; p++) {
            int k = K->J.index[p];
            F->J_slot[p] = (size_t)k * (size_t)K->m + (size_t)i;
            F->low[k] = smaller(F->low[k], i);
            F->high[k] = i + 1;
            F->Y_gaps[k]--;
        }
}

/* Row k of Y mixes the rows of Y that row k of L_A has; S couples what a row of Y has. */
static void find_ranges(keel_saddle *K) {
    ki_saddle_dense *F = K->dense;
    for (int i = 0; i < K->m; i++)
        F->S_first[i] = i;
    for (int k = 0; k < K->n; k++) {
        for (int j = F->A_first[k]; j < k; j++) {
            F->low[k] = smaller(F->low[k], F->low[j]);
            F->high[k] = larger(F->high[k], F->high[j]);
        }
        F->low[k] = smaller(F->low[k], F->high[k]);
        F->Y_gaps[k] += F->high[k] - F->low[k];
        for (int i = F->low[k]; i < F->high[k]; i++)
            F->S_first[i] = smaller(F->S_first[i], F->low[k]);
    }
}

void ki_saddle_dense_analyse(keel_saddle *K) {
    ki_arena *arena = &K->arena;
    ki_saddle_dense *F = K->dense = KI_NEW(arena, ki_saddle_dense, 1);
    if (!F)
        return;
    F->A_first = KI_NEW(arena, int, K->n);
    F->S_first = KI_NEW(arena, int, K->m);
    F->low = KI_NEW(arena, int, K->n);
    F->high = KI_NEW(arena, int, K->n);
    F->A_gaps = KI_NEW(arena, int, K->n);
    F->Y_gaps = KI_NEW(arena, int, K->n);
    F->A_slot = KI_NEW(arena, size_t, keel_pattern_count(K->A));
    F->J_slot = KI_NEW(arena, size_t, keel_pattern_count(K->J));
    if (arena->failed)
        return;
    find_slots(K);
    find_ranges(K);
}

void ki_saddle_dense_allocate(keel_saddle *K) {
    size_t n = (size_t)K->n, m = (size_t)K->m;
    ki_arena *arena = &K->arena;
    ki_saddle_dense *F = K->dense;
    F->L_A = KI_NEW(arena, double, n *n);
    F->d_inverse = KI_NEW(arena, double, n);
    F->Y = KI_NEW(arena, double, n *m);
    F->L_S = KI_NEW(arena, double, m *m);
    F->p_inverse = KI_NEW(arena, double, m);
}

static void clear(double *from, int count) {
    memset(from, 0, (size_t)count * sizeof(double));
}

static void scatter(keel_saddle *K) {
    ki_saddle_dense *F = K->dense;
    for (int i = 0; i < K->n; i++) {
        if (F->A_gaps[i])
            clear(row_of(F->L_A, i, K->n) + F->A_first[i], i - F->A_first[i]);
        if (F->Y_gaps[i])
            clear(row_of(F->Y, i, K->m) + F->low[i], F->high[i] - F->low[i]);
    }
    int A_count = keel_pattern_count(K->A), J_count = keel_pattern_count(K->J);
    for (int p = 0; p < A_count; p++)
        F->L_A[F->A_slot[p]] = K->A_values[p];
    for (int p = 0; p < J_count; p++)
        F->Y[F->J_slot[p]] = K->J_values[p];
}

/* Row i of L d L^T, in place: v_j = a_j - sum_k L_jk v_k, then l_j = v_j / d_j. Returns the pivot,
 * a_i - sum_j v_j^2 / d_j. The squares do not wait for the pivots before, nor the other terms for the last
 * one: from one pivot to the next it is a product, a difference and a division. */
static inline double eliminate_row(double *L, int size, const int *first, const double *d_inverse, int i) {
    double *row = row_of(L, i, size), pivot = row[i];
    int from = first[i];
    for (int j = from + 1; j < i; j++) {
        int begin = larger(first[j], from);
        row[j] -= ki_dot(j - begin, row_of(L, j, size) + begin, row + begin);
    }
    for (int j = from; j < i; j++) {
        double v = row[j];
        row[j] = v * d_inverse[j];
        pivot -= v * v * d_inverse[j];
    }
    return pivot;
}

/* Row i of Y = L_A \ J^T. */
static void solve_Y_row(keel_saddle *K, int i) {
    ki_saddle_dense *F = K->dense;
    const double *L = row_of(F->L_A, i, K->n);
    double *row = row_of(F->Y, i, K->m);
    for (int k = F->A_first[i]; k < i; k++) {
        int low = F->low[k];
        ki_axpy(F->high[k] - low, -L[k], row_of(F->Y, k, K->m) + low, row + low);
    }
}

/* Lower triangle of S = Y^T d^-1 Y + D. */
static void form_S(keel_saddle *K) {
    ki_saddle_dense *F = K->dense;
    int m = K->m;
    if (m <= KI_SHORT)
        clear(F->L_S, m * m);
    else
        for (int i = 0; i < m; i++)
            clear(row_of(F->L_S, i, m) + F->S_first[i], i - F->S_first[i]);
    for (int i = 0; i < m; i++)
        row_of(F->L_S, i, m)[i] = 0;
    for (int k = 0; k < K->n; k++) {
        int low = F->low[k], count = F->high[k] - low;
        const double *Y = row_of(F->Y, k, m) + low;
        double *row = row_of(F->L_S, low, m) + low, d_inverse = F->d_inverse[k];
        for (int i = 0; i < count; i++, row += m)
            ki_axpy(i + 1, Y[i] * d_inverse, Y, row);
    }
    for (int i = 0; i < m; i++)
        row_of(F->L_S, i, m)[i] += K->D[i];
}

void ki_saddle_dense_factor_S(keel_saddle *K) {
    ki_saddle_dense *F = K->dense;
    form_S(K);
    for (int i = 0; i < K->m; i++) {
        double size = K->S_size[i] = row_of(F->L_S, i, K->m)[i];
        double pivot = eliminate_row(F->L_S, K->m, F->S_first, F->p_inverse, i);
        F->p_inverse[i] = 1 / ki_pivots_judge(&K->pivots, i, pivot, size);
    }
}

keel_status ki_saddle_dense_factor(keel_saddle *K) {
    ki_saddle_dense *F = K->dense;
    scatter(K);
    for (int i = 0; i < K->n; i++) {
        double size = row_of(F->L_A, i, K->n)[i];
        double pivot = eliminate_row(F->L_A, K->n, F->A_first, F->d_inverse, i);
        if (!(pivot > KI_PIVOT_NOISE_A * size)) {
            K->bad_pivot = i;
            return KEEL_ERROR_SINGULAR;
        }
        F->d_inverse[i] = 1 / pivot;
        solve_Y_row(K, i);
    }
    ki_saddle_dense_factor_S(K);
    return KEEL_OK;
}

/* b <- L \ b */
static inline void solve_lower(double *L, int size, const int *first, double *b) {
    for (int i = 0; i < size; i++) {
        int from = first[i];
        b[i] -= ki_dot(i - from, row_of(L, i, size) + from, b + from);
    }
}

/* b <- L^T \ b */
static inline void solve_lower_transposed(double *L, int size, const int *first, double *b) {
    for (int i = size - 1; i > 0; i--) {
        int from = first[i];
        ki_axpy(i - from, -b[i], row_of(L, i, size) + from, b + from);
    }
}

/* The last one first: of the multipliers, which are known in this order. */
static inline double dot_backwards(int n, const double *a, const double *b) {
    if (n > KI_SHORT)
        return ki_dot_long(n, a, b);
    double sum = 0;
    for (int i = n - 1; i >= 0; i--)
        sum += a[i] * b[i];
    return sum;
}

void ki_saddle_dense_apply(keel_saddle *K, double *x, double *y) {
    const ki_saddle_dense *F = K->dense;
    int n = K->n, m = K->m;
    /* x = d \ L_A \ r,  y = S \ (Y^T x - s) */
    for (int i = 0; i < m; i++)
        y[i] = -y[i];
    solve_lower(F->L_A, n, F->A_first, x);
    for (int k = 0; k < n; k++) {
        int low = F->low[k];
        x[k] *= F->d_inverse[k];
        ki_axpy(F->high[k] - low, x[k], row_of(F->Y, k, m) + low, y + low);
    }
    solve_lower(F->L_S, m, F->S_first, y);
    for (int i = 0; i < m; i++)
        y[i] *= F->p_inverse[i];
    solve_lower_transposed(F->L_S, m, F->S_first, y);
    /* x = L_A^T \ (x - d \ Y y) */
    for (int k = 0; k < n; k++) {
        int low = F->low[k];
        x[k] -= F->d_inverse[k] * dot_backwards(F->high[k] - low, row_of(F->Y, k, m) + low, y + low);
    }
    solve_lower_transposed(F->L_A, n, F->A_first, x);
}

double ki_saddle_dense_work(const keel_saddle *K) {
    const ki_saddle_dense *F = K->dense;
    double work = 0;
    for (int k = 0; k < K->n; k++) {
        double width = k - F->A_first[k], height = F->high[k] - F->low[k];
        work += width * (width + 3) / 2 + width * height + height * (height + 1) / 2;
    }
    for (int i = 0; i < K->m; i++) {
        double width = i - F->S_first[i];
        work += width * (width + 3) / 2;
    }
    return work;
}

void ki_saddle_dense_pivots(const keel_saddle *K, double *pivot) {
    for (int i = 0; i < K->m; i++)
        pivot[i] = 1 / K->dense->p_inverse[i];
}

bool ki_saddle_dense_is_good(const keel_saddle *K) {
    const ki_saddle_dense *F = K->dense;
    bool good = true;
    for (int i = 0; i < K->n; i++)
        good &= K->A_values[K->A.start[i + 1] - 1] * F->d_inverse[i] < KI_STAGE_CONDITION;
    for (int i = 0; i < K->m; i++)
        good &= K->S_size[i] * F->p_inverse[i] < KI_STAGE_CONDITION;
    return good;
}

void ki_saddle_dense_places(keel_saddle *K, ki_saddle_places *places) {
    const ki_saddle_dense *F = K->dense;
    places->L_A = F->L_A;
    places->d_inverse = F->d_inverse;
    places->Y = F->Y;
    places->L_S = F->L_S;
    places->p_inverse = F->p_inverse;
}

void ki_saddle_dense_clear(keel_saddle *K) {
    ki_saddle_dense *F = K->dense;
    clear(F->L_A, K->n * K->n);
    clear(F->Y, K->n * K->m);
    clear(F->L_S, K->m * K->m);
}

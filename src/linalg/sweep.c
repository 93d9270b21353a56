#include "linalg/sweep.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

/* Pivots of an earlier matrix serve if they are not smaller than this part of the largest possible ones: the
 * squares of all l of rows that are left are added up, four sums of them. */
static const double SERVES = 0.05;

void ki_sweep_init(ki_sweep *s, ki_arena *arena, int n) {
    assert(n <= KI_SWEEP_MOST);
    size_t stride = (size_t)ki_padded(n) + KI_FOUR;
    *s = (ki_sweep){.n = n, .stride = (int)stride};
    s->A = KI_NEW(arena, double, (size_t)n *stride);
    s->unit = KI_NEW(arena, double, (size_t)n *stride);
    s->left = KI_NEW(arena, double, (size_t)n *stride);
    s->scale = KI_NEW(arena, double, stride);
    s->b = KI_NEW(arena, double, stride);
    s->row = KI_NEW(arena, int, n);
    for (int p = 0; p < n && !arena->failed; p++)
        s->unit[(size_t)p * (stride + 1)] = 1;
}

KI_INLINE void scale_rows(const ki_sweep *s, int length) {
    ki_four R[KI_SWEEP_MOST / KI_FOUR];
    double *A_j = s->A, *end = A_j + (size_t)s->n * (size_t)s->stride;
    int stride = s->stride;
    for (int i = 0; i < length; i += KI_FOUR)
        R[i / KI_FOUR] = *ki_const_four_at(s->scale, i);
    for (; A_j < end; A_j += stride)
        for (int i = 0; i < length; i += KI_FOUR)
            *ki_four_at(A_j, i) *= R[i / KI_FOUR];
}

/* A_j <- A_j + A_pj (-l) for the columns from `first` to before `end`: a sum reads the column in the same
 * instruction, a difference would not. */
KI_INLINE void take_from(double *A, int stride, int first, int end, int p, int length,
                         const ki_four *minus_l) {
    double *A_j = A + (size_t)first * (size_t)stride, *A_end = A + (size_t)end * (size_t)stride;
    for (; A_j < A_end; A_j += stride) {
        double factor = A_j[p];
        for (int i = 0; i < length; i += KI_FOUR)
            *ki_four_at(A_j, i) = factor * minus_l[i / KI_FOUR] + *ki_four_at(A_j, i);
    }
}

/* Exchanges unknown k and row p; adds the squares of l in the rows that are left to `squares`. */
KI_INLINE void exchange(const ki_sweep *s, int n, int length, int k, int p, ki_four *squares) {
    int stride = s->stride;
    double *A = s->A, *A_k = A + (size_t)k * (size_t)stride, inverse = -1 / A_k[p];
    const double *left = s->left + (size_t)k * (size_t)stride, *unit = s->unit + (size_t)p * (size_t)stride;
    ki_four minus_l[KI_SWEEP_MOST / KI_FOUR];
    for (int i = 0; i < length; i += KI_FOUR) {
        ki_four e = *ki_const_four_at(unit, i), minus = (*ki_four_at(A_k, i) - e) * inverse;
        ki_four here = minus * *ki_const_four_at(left, i);
        *ki_four_at(A_k, i) = e + minus;
        minus_l[i / KI_FOUR] = minus;
        *squares += here * here;
    }
    take_from(A, stride, 0, k, p, length, minus_l);
    take_from(A, stride, k + 1, n, p, length, minus_l);
}

/* In the order that is known. */
KI_INLINE bool exchange_all(const ki_sweep *s, int length) {
    ki_four squares = {0, 0, 0, 0};
    const int *row = s->row;
    scale_rows(s, length);
    for (int k = 0, n = s->n; k < n; k++)
        exchange(s, n, length, k, row[k], &squares);
    for (int i = 0; i < KI_FOUR; i++)
        if (!(squares[i] < 1 / (SERVES * SERVES)))
            return false;
    return true;
}

KI_TWICE static bool invert_in_order(const ki_sweep *s) {
    switch (ki_padded(s->n)) {
    case 4:
        return exchange_all(s, 4);
    case 8:
        return exchange_all(s, 8);
    case 12:
        return exchange_all(s, 12);
    case 16:
        return exchange_all(s, 16);
    case 20:
        return exchange_all(s, 20);
    case 24:
        return exchange_all(s, 24);
    case 28:
        return exchange_all(s, 28);
    default:
        return exchange_all(s, ki_padded(s->n));
    }
}

/* False if a row is zero or not finite. */
static bool find_scale(ki_sweep *s) {
    for (int i = 0; i < s->n; i++) {
        double size = 0;
        for (int j = 0; j < s->n; j++)
            size += fabs(s->A[(size_t)j * (size_t)s->stride + (size_t)i]);
        s->scale[i] = 1 / size;
        if (!(size > 0 && s->scale[i] > 0))
            return false;
    }
    return true;
}

/* Of the rows from place k on the one with the largest entry of column k comes to place k. False if there is
 * none but zero. */
static bool choose_row(ki_sweep *s, int k) {
    const double *A_k = s->A + (size_t)k * (size_t)s->stride;
    int best = k;
    double most = 0;
    for (int i = k; i < s->n; i++) {
        double size = fabs(A_k[s->row[i]]);
        best = size > most ? i : best;
        most = size > most ? size : most;
    }
    int chosen = s->row[best];
    s->row[best] = s->row[k];
    s->row[k] = chosen;
    return most > 0 && most < INFINITY;
}

static void mark_rows_left(ki_sweep *s, int k) {
    double *left = s->left + (size_t)k * (size_t)s->stride;
    for (int i = 0; i < s->n; i++)
        left[s->row[i]] = i > k;
}

KI_TWICE static void exchange_one(const ki_sweep *s, int k) {
    ki_four squares = {0, 0, 0, 0};
    exchange(s, s->n, ki_padded(s->n), k, s->row[k], &squares);
}

static bool invert_with_search(ki_sweep *s) {
    for (int k = 0; k < s->n; k++)
        s->row[k] = k;
    if (!find_scale(s))
        return false;
    scale_rows(s, ki_padded(s->n));
    for (int k = 0; k < s->n; k++) {
        if (!choose_row(s, k))
            return false;
        mark_rows_left(s, k);
        exchange_one(s, k);
    }
    return true;
}

bool ki_sweep_invert(ki_sweep *s) {
    return s->ordered = s->ordered ? invert_in_order(s) : invert_with_search(s);
}

/* y = sum_j (R b)_p_j A_j,  x_k = y_p_k */
KI_INLINE void multiply(const ki_sweep *s, int length, double *restrict x) {
    ki_four y[KI_SWEEP_MOST / KI_FOUR] = {{0}};
    const int *row = s->row;
    const double *A_j = s->A, *R = s->scale;
    double *b = s->b;
    int n = s->n, stride = s->stride;
    for (int j = 0; j < n; j++, A_j += stride) {
        double factor = x[row[j]] * R[row[j]];
        for (int i = 0; i < length; i += KI_FOUR)
            y[i / KI_FOUR] += factor * *ki_const_four_at(A_j, i);
    }
    for (int i = 0; i < length; i += KI_FOUR)
        *ki_four_at(b, i) = y[i / KI_FOUR];
    for (int k = 0; k < n; k++)
        x[k] = b[row[k]];
}

KI_TWICE static void solve(const ki_sweep *s, double *x) {
    switch (ki_padded(s->n)) {
    case 4:
        multiply(s, 4, x);
        break;
    case 8:
        multiply(s, 8, x);
        break;
    case 12:
        multiply(s, 12, x);
        break;
    case 16:
        multiply(s, 16, x);
        break;
    case 20:
        multiply(s, 20, x);
        break;
    case 24:
        multiply(s, 24, x);
        break;
    case 28:
        multiply(s, 28, x);
        break;
    default:
        multiply(s, ki_padded(s->n), x);
    }
}

void ki_sweep_solve(ki_sweep *s, double *x) {
    solve(s, x);
}

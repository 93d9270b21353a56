#include "linalg/lu_columns.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void ki_lu_columns_init(ki_lu_columns *lu, ki_arena *arena, int n) {
    size_t stride = (size_t)ki_padded(n) + KI_FOUR;
    *lu = (ki_lu_columns){.n = n, .stride = (int)stride};
    lu->A = KI_NEW(arena, double, (size_t)n *stride);
    lu->L = KI_NEW(arena, double, (size_t)n *stride);
    lu->scale = KI_NEW(arena, double, stride);
    lu->open = KI_NEW(arena, double, stride);
    lu->inverse = KI_NEW(arena, double, n);
    lu->b = KI_NEW(arena, double, stride);
    lu->row = KI_NEW(arena, int, n);
}

/* The parts of ki_lu_columns, so that nothing that is written seems to change them. */
typedef struct parts {
    int n, stride;
    double *restrict A, *restrict L, *restrict scale, *restrict open, *restrict inverse;
    int *restrict row;
} parts;

/* The size of a row is the sum of its entries' sizes. */
KI_INLINE void begin(const parts *p, int length) {
    static const long long MAGNITUDE = 0x7fffffffffffffff;
    for (int i = 0; i < length; i += KI_FOUR) {
        ki_four sum = {0, 0, 0, 0};
        for (int j = 0; j < p->n; j++) {
            ki_four_bits size =
                *(const ki_four_bits *)ki_const_four_at(p->A + (size_t)j * (size_t)p->stride, i) & MAGNITUDE;
            sum += (ki_four)size;
        }
        *ki_four_at(p->scale, i) = 1 / sum;
        *ki_four_at(p->open, i) = (ki_four){1, 1, 1, 1};
    }
    for (int i = 0; i < p->n; i++)
        p->row[i] = i;
}

/* Of the rows from place k on that with the largest entry comes to place k. */
KI_INLINE int choose_row(const parts *p, const double *A_k, int k) {
    int best = k;
    double most = -1;
    for (int i = k; i < p->n; i++) {
        int row = p->row[i];
        double size = fabs(A_k[row]) * p->scale[row];
        best = size > most ? i : best;
        most = size > most ? size : most;
    }
    int chosen = p->row[best];
    p->row[best] = p->row[k];
    return p->row[k] = chosen;
}

/* Column k becomes that of U and of L; the latter also in `top`. */
KI_INLINE void divide(const parts *p, int length, int k, int row, ki_four *top) {
    double *A_k = p->A + (size_t)k * (size_t)p->stride, *L_k = p->L + (size_t)k * (size_t)p->stride;
    double inverse = p->inverse[k];
    for (int i = 0; i < length; i += KI_FOUR) {
        ki_four a = *ki_four_at(A_k, i), below = a * *ki_four_at(p->open, i);
        *ki_four_at(L_k, i) = top[i / KI_FOUR] = below * inverse;
        *ki_four_at(A_k, i) = a - below;
    }
    A_k[row] = 0;
}

/* `length` is a constant where this is called with one: a column of L then stays in registers. */
KI_INLINE bool factor_length(const parts *p, int length) {
    begin(p, length);
    for (int k = 0; k < p->n; k++) {
        const double *A_k = p->A + (size_t)k * (size_t)p->stride;
        int row = choose_row(p, A_k, k);
        if (!(fabs(A_k[row]) > 0 && fabs(A_k[row]) < INFINITY))
            return false;
        ki_four top[KI_LU_COLUMNS_MOST / KI_FOUR];
        p->inverse[k] = 1 / A_k[row];
        p->open[row] = 0;
        divide(p, length, k, row, top);
        for (int j = k + 1; j < p->n; j++) {
            double *A_j = p->A + (size_t)j * (size_t)p->stride, factor = A_j[row];
            for (int i = 0; i < length; i += KI_FOUR)
                *ki_four_at(A_j, i) -= factor * top[i / KI_FOUR];
        }
    }
    return true;
}

KI_TWICE static bool factor(const parts *p) {
    switch (ki_padded(p->n)) {
    case 12:
        return factor_length(p, 12);
    case 16:
        return factor_length(p, 16);
    case 20:
        return factor_length(p, 20);
    case 24:
        return factor_length(p, 24);
    case 28:
        return factor_length(p, 28);
    default:
        return factor_length(p, ki_padded(p->n));
    }
}

bool ki_lu_columns_factor(ki_lu_columns *lu) {
    parts p = {lu->n, lu->stride, lu->A, lu->L, lu->scale, lu->open, lu->inverse, lu->row};
    return factor(&p);
}

KI_INLINE void take(int length, double *restrict b, double factor, const double *restrict column) {
    for (int i = 0; i < length; i += KI_FOUR)
        *ki_four_at(b, i) -= factor * *ki_const_four_at(column, i);
}

KI_INLINE void solve_length(const ki_lu_columns *lu, int length, double *restrict x) {
    double *restrict b = lu->b;
    int n = lu->n;
    for (int k = 0; k < n - 1; k++)
        take(length, b, b[lu->row[k]], lu->L + (size_t)k * (size_t)lu->stride);
    for (int k = n - 1; k >= 0; k--) {
        x[k] = b[lu->row[k]] * lu->inverse[k];
        take(length, b, x[k], lu->A + (size_t)k * (size_t)lu->stride);
    }
}

KI_TWICE static void solve(const ki_lu_columns *lu, double *x) {
    switch (ki_padded(lu->n)) {
    case 12:
        solve_length(lu, 12, x);
        break;
    case 16:
        solve_length(lu, 16, x);
        break;
    case 20:
        solve_length(lu, 20, x);
        break;
    case 24:
        solve_length(lu, 24, x);
        break;
    case 28:
        solve_length(lu, 28, x);
        break;
    default:
        solve_length(lu, ki_padded(lu->n), x);
    }
}

void ki_lu_columns_solve(ki_lu_columns *lu, double *x) {
    memcpy(lu->b, x, (size_t)lu->n * sizeof *x);
    solve(lu, x);
}

/* P A = L U for complex A, row by row as in lu.c: dense with separate real and imaginary parts, so that the
 * inner loops are real ones, or KLU, which wants pairs. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/inverse.h"
#include "linalg/lu_internal.h"

struct ki_lu_complex {
    const ki_lu *real;
    ki_arena arena;
    bool factored;

    double *re, *im;                 /* [n x n] dense factors; NULL: sparse */
    double *inverse_re, *inverse_im; /* [n] 1 / pivots                      */
    int *pivot;                      /* [n]                                 */

    double *b_re, *b_im, *x_re, *x_im; /* [n], [stride] of products with the inverse */
    bool inverted;                     /* re and im are that of inverse.h, not factors */

    double *pairs, *b; /* [2 count], [2 n] */
    klu_common common;
    klu_numeric *numeric;
};

static bool prepare(ki_lu_complex *lu) {
    size_t n = (size_t)lu->real->n;
    if (lu->real->dense) {
        size_t stride = lu->real->inverse ? (size_t)ki_padded(lu->real->n) : n;
        lu->re = KI_NEW(&lu->arena, double, n *stride);
        lu->im = KI_NEW(&lu->arena, double, n *stride);
        if (lu->real->inverse) {
            lu->b_re = KI_NEW(&lu->arena, double, n);
            lu->b_im = KI_NEW(&lu->arena, double, n);
            lu->x_re = KI_NEW(&lu->arena, double, stride);
            lu->x_im = KI_NEW(&lu->arena, double, stride);
        }
        lu->inverse_re = KI_NEW(&lu->arena, double, n);
        lu->inverse_im = KI_NEW(&lu->arena, double, n);
        lu->pivot = KI_NEW(&lu->arena, int, n);
    } else {
        lu->pairs = KI_NEW(&lu->arena, double, 2 * (size_t)lu->real->count);
        lu->b = KI_NEW(&lu->arena, double, 2 * n);
        lu->common = lu->real->common;
    }
    return !lu->arena.failed;
}

ki_lu_complex *ki_lu_complex_new(const ki_lu *real) {
    ki_lu_complex *lu = calloc(1, sizeof *lu);
    if (!lu)
        return NULL;
    lu->real = real;
    ki_arena_init(&lu->arena);
    if (prepare(lu))
        return lu;
    ki_lu_complex_free(lu);
    return NULL;
}

void ki_lu_complex_free(ki_lu_complex *lu) {
    if (!lu)
        return;
    klu_z_free_numeric(&lu->numeric, &lu->common);
    ki_arena_free(&lu->arena);
    free(lu);
}

static void fill_dense(ki_lu_complex *lu, const double *re, const double *im) {
    const ki_lu *real = lu->real;
    size_t n = (size_t)real->n;
    memset(lu->re, 0, n * n * sizeof(double));
    memset(lu->im, 0, n * n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        for (int p = real->start[i]; p < real->start[i + 1]; p++) {
            size_t j = (size_t)real->index[p];
            double scale = real->row[i] * real->column[j];
            lu->re[i * n + j] = re[p] * scale;
            lu->im[i * n + j] = im[p] * scale;
        }
}

/* (R A C)^T */
static void fill_transposed(ki_lu_complex *lu, const double *re, const double *im) {
    const ki_lu *real = lu->real;
    size_t size = (size_t)real->n * (size_t)ki_padded(real->n) * sizeof(double);
    memset(lu->re, 0, size);
    memset(lu->im, 0, size);
    for (int p = 0; p < real->count; p++) {
        lu->re[real->spot[p]] = re[p] * real->scale[p];
        lu->im[real->spot[p]] = im[p] * real->scale[p];
    }
}

static void exchange(size_t n, double *a, double *b) {
    for (size_t j = 0; j < n; j++) {
        double keep = a[j];
        a[j] = b[j];
        b[j] = keep;
    }
}

/* The row at or below k with the largest entry in column k comes to place k. Returns the size of that. */
static double choose_pivot(ki_lu_complex *lu, size_t n, size_t k) {
    size_t best = k;
    double most = -1;
    for (size_t i = k; i < n; i++) {
        double size = fabs(lu->re[i * n + k]) + fabs(lu->im[i * n + k]);
        if (size > most) {
            most = size;
            best = i;
        }
    }
    lu->pivot[k] = (int)best;
    if (best != k) {
        exchange(n, lu->re + k * n, lu->re + best * n);
        exchange(n, lu->im + k * n, lu->im + best * n);
    }
    return most;
}

/* row <- row - (a + ib) top, `count` entries */
static void subtract(size_t count, double a, double b, const double *restrict top_re,
                     const double *restrict top_im, double *restrict row_re, double *restrict row_im) {
    for (size_t j = 0; j < count; j++) {
        row_re[j] -= a * top_re[j] - b * top_im[j];
        row_im[j] -= a * top_im[j] + b * top_re[j];
    }
}

static void eliminate(ki_lu_complex *lu, size_t n, size_t k) {
    const double *top_re = lu->re + k * n, *top_im = lu->im + k * n;
    double square = top_re[k] * top_re[k] + top_im[k] * top_im[k];
    double p_re = lu->inverse_re[k] = top_re[k] / square, p_im = lu->inverse_im[k] = -top_im[k] / square;
    for (size_t i = k + 1; i < n; i++) {
        double *re = lu->re + i * n, *im = lu->im + i * n;
        if (re[k] == 0 && im[k] == 0)
            continue;
        double a = re[k] * p_re - im[k] * p_im, b = re[k] * p_im + im[k] * p_re;
        re[k] = a;
        im[k] = b;
        subtract(n - k - 1, a, b, top_re + k + 1, top_im + k + 1, re + k + 1, im + k + 1);
    }
}

static keel_status factor_dense(ki_lu_complex *lu) {
    size_t n = (size_t)lu->real->n;
    double least = INFINITY, most = 0;
    for (size_t k = 0; k < n; k++) {
        double size = choose_pivot(lu, n, k);
        least = fmin(least, size);
        most = fmax(most, size);
        if (!(least > KI_PIVOT_NOISE * most)) /* also where an entry is not finite */
            return KEEL_ERROR_SINGULAR;
        eliminate(lu, n, k);
    }
    return isfinite(most) ? KEEL_OK : KEEL_ERROR_SINGULAR;
}

static keel_status invert_or_factor(ki_lu_complex *lu, const double *re, const double *im) {
    lu->inverted = false;
    if (lu->real->inverted) { /* these are matrices for that */
        fill_transposed(lu, re, im);
        lu->inverted = ki_invert_complex(lu->real->n, lu->re, lu->im, lu->pivot);
    }
    if (lu->inverted)
        return KEEL_OK;
    fill_dense(lu, re, im);
    return factor_dense(lu);
}

/* *a + i *b -= the product of a row with x + iy; the four sums do not wait for each other */
static void subtract_product(int count, const double *restrict re, const double *restrict im,
                             const double *restrict x, const double *restrict y, double *a, double *b) {
    double re_x = 0, im_y = 0, re_y = 0, im_x = 0;
    for (int j = 0; j < count; j++) {
        re_x += re[j] * x[j];
        im_y += im[j] * y[j];
        re_y += re[j] * y[j];
        im_x += im[j] * x[j];
    }
    *a -= re_x - im_y;
    *b -= re_y + im_x;
}

static void solve_dense(const ki_lu_complex *lu, double *x, double *y) {
    int n = lu->real->n;
    for (int k = 0; k < n; k++) {
        int p = lu->pivot[k];
        double a = x[p], b = y[p];
        x[p] = x[k], y[p] = y[k];
        x[k] = a, y[k] = b;
    }
    for (int i = 1; i < n; i++) { /* L */
        size_t row = (size_t)i * (size_t)n;
        subtract_product(i, lu->re + row, lu->im + row, x, y, x + i, y + i);
    }
    for (int i = n - 1; i >= 0; i--) { /* U */
        size_t right = (size_t)i * (size_t)n + (size_t)i + 1;
        double a = x[i], b = y[i];
        subtract_product(n - i - 1, lu->re + right, lu->im + right, x + i + 1, y + i + 1, &a, &b);
        x[i] = a * lu->inverse_re[i] - b * lu->inverse_im[i];
        y[i] = a * lu->inverse_im[i] + b * lu->inverse_re[i];
    }
}

static void fill_pairs(ki_lu_complex *lu, const double *re, const double *im) {
    const ki_lu *real = lu->real;
    for (int i = 0; i < real->n; i++)
        for (int p = real->start[i]; p < real->start[i + 1]; p++) {
            double scale = real->row[i] * real->column[real->index[p]];
            lu->pairs[2 * p] = re[p] * scale;
            lu->pairs[2 * p + 1] = im[p] * scale;
        }
}

static bool is_regular(ki_lu_complex *lu) {
    return klu_z_rcond(lu->real->symbolic, lu->numeric, &lu->common) && lu->common.rcond > KI_PIVOT_NOISE;
}

/* With the pivots of the last factorization while these are not small: Newton's method notices if they were
 * not good enough. */
static keel_status factor_sparse(ki_lu_complex *lu) {
    static const double GOOD_PIVOTS = 1e-10;
    const ki_lu *real = lu->real;
    if (lu->numeric &&
        klu_z_refactor(real->start, real->index, lu->pairs, real->symbolic, lu->numeric, &lu->common) &&
        is_regular(lu) && lu->common.rcond > GOOD_PIVOTS)
        return KEEL_OK;
    klu_z_free_numeric(&lu->numeric, &lu->common);
    lu->numeric = klu_z_factor(real->start, real->index, lu->pairs, real->symbolic, &lu->common);
    if (!lu->numeric)
        return lu->common.status == KLU_SINGULAR ? KEEL_ERROR_SINGULAR : KEEL_ERROR_MEMORY;
    return is_regular(lu) ? KEEL_OK : KEEL_ERROR_SINGULAR;
}

keel_status ki_lu_complex_factor(ki_lu_complex *lu, const double *re, const double *im) {
    assert(lu->real->scaled);
    keel_status status;
    if (lu->re) {
        status = invert_or_factor(lu, re, im);
    } else {
        fill_pairs(lu, re, im);
        status = factor_sparse(lu);
    }
    lu->factored = status == KEEL_OK;
    return status;
}

static void solve_sparse(ki_lu_complex *lu, double *x, double *y) {
    enum { CONJUGATE = 0 };
    int n = lu->real->n;
    for (int i = 0; i < n; i++) {
        lu->b[2 * i] = x[i];
        lu->b[2 * i + 1] = y[i];
    }
    klu_z_tsolve(lu->real->symbolic, lu->numeric, n, 1, lu->b, CONJUGATE, &lu->common);
    for (int i = 0; i < n; i++) {
        x[i] = lu->b[2 * i];
        y[i] = lu->b[2 * i + 1];
    }
}

/* b <- C (R A C)^-1 R b */
static void apply_inverse(ki_lu_complex *lu, double *re, double *im) {
    const ki_lu *real = lu->real;
    for (int i = 0; i < real->n; i++) {
        lu->b_re[i] = re[i] * real->row[i];
        lu->b_im[i] = im[i] * real->row[i];
    }
    ki_inverse_apply_complex(real->n, lu->re, lu->im, lu->b_re, lu->b_im, lu->x_re, lu->x_im);
    for (int i = 0; i < real->n; i++) {
        re[i] = lu->x_re[lu->pivot[i]] * real->column[i];
        im[i] = lu->x_im[lu->pivot[i]] * real->column[i];
    }
}

void ki_lu_complex_solve(ki_lu_complex *lu, double *re, double *im) {
    assert(lu->factored);
    const ki_lu *real = lu->real;
    if (lu->inverted) {
        apply_inverse(lu, re, im);
        return;
    }
    for (int i = 0; i < real->n; i++) {
        re[i] *= real->row[i];
        im[i] *= real->row[i];
    }
    if (lu->re)
        solve_dense(lu, re, im);
    else
        solve_sparse(lu, re, im);
    for (int i = 0; i < real->n; i++) {
        re[i] *= real->column[i];
        im[i] *= real->column[i];
    }
}

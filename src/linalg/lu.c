/* What is factored is R A C: rows and columns are scaled by powers of two until their largest entries are
 * about one (Ruiz 2001), so that neither the choice of pivots nor the test of their size depends on the units
 * of equations and unknowns. A scaling is kept as long as it serves.
 *
 * Compressed rows of A are compressed columns of A^T: KLU factors the transpose and solves transposed.
 */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/inverse.h"
#include "linalg/lu_internal.h"

/* Below SMALL unknowns an index costs more than it saves; beyond, KLU is the faster one up to a third of all
 * entries (measured from 8 to 128 unknowns: a band of three 2 to 25 times, a quarter of the entries from 2
 * times faster to 2 times slower). */
enum { SMALL = 8, FULL_FROM = 3, SCALING_ROUNDS = 5 };

/* COLAMD among the orderings of KLU. */
enum { BY_COLUMNS = 1 };

/* So many factorizations after an inverse that did not serve none is tried. */
enum { PAUSE = 16 };

/* Old pivots are kept while the factors reproduce the matrix this well. */
static const double ACCURATE = 1e-12;

/* A pivot on the diagonal is taken if it is not smaller than this part of the largest in its column: less
 * keeps the ordering better, more lets rounding errors grow less. */
static const double PIVOT_PREFERENCE = 0.1;

static bool prefers_dense(int n, int count) {
    return n < SMALL || (long)FULL_FROM * count >= (long)n * n;
}

static bool prepare_dense(ki_lu *lu) {
    lu->dense = KI_NEW(&lu->arena, double, (size_t)lu->n *(size_t)lu->n);
    lu->pivot = KI_NEW(&lu->arena, int, lu->n);
    if (lu->n <= KI_INVERTED_MOST) {
        size_t n = (size_t)lu->n, stride = (size_t)ki_padded(lu->n);
        lu->inverse = KI_NEW(&lu->arena, double, n *stride);
        lu->scale = KI_NEW(&lu->arena, double, lu->count);
        lu->spot = KI_NEW(&lu->arena, int, lu->count);
        lu->scaled_b = KI_NEW(&lu->arena, double, n);
        lu->x = KI_NEW(&lu->arena, double, stride);
    }
    return !lu->arena.failed;
}

/* Without constraints KLU finds an order by itself. */
static bool analyse(ki_lu *lu, keel_pattern pattern, int first, int count) {
    if (count == 0) {
        lu->symbolic = klu_analyze(lu->n, lu->start, lu->index, &lu->common);
        return lu->symbolic != NULL;
    }
    int *order = KI_NEW(&lu->arena, int, lu->n);
    if (!order || !ki_lu_order(pattern, first, count, order))
        return false;
    lu->common.btf = 0; /* diagonal blocks would need orders of their own */
    lu->symbolic = klu_analyze_given(lu->n, lu->start, lu->index, order, order, &lu->common);
    return lu->symbolic != NULL;
}

static bool prepare_sparse(ki_lu *lu, keel_pattern pattern, int first, int count, bool always) {
    lu->probe = KI_NEW(&lu->arena, double, lu->n);
    lu->rest = KI_NEW(&lu->arena, double, lu->n);
    if (lu->arena.failed)
        return false;
    klu_defaults(&lu->common);
    if (always) /* no diagonal that means anything: columns by their degrees in A^T A */
        lu->common.ordering = BY_COLUMNS;
    lu->common.scale = -1;
    lu->common.tol = PIVOT_PREFERENCE;
    return analyse(lu, pattern, first, count);
}

static bool prepare(ki_lu *lu, keel_pattern pattern, int first, int constraints, bool always) {
    ki_arena *arena = &lu->arena;
    int n = lu->n = pattern.rows;
    lu->count = keel_pattern_count(pattern);
    lu->start = KI_NEW(arena, int, n + 1);
    lu->index = KI_NEW(arena, int, lu->count);
    lu->values = KI_NEW(arena, double, lu->count);
    lu->row = KI_NEW(arena, double, n);
    lu->column = KI_NEW(arena, double, n);
    lu->row_exponent = KI_NEW(arena, int, n);
    lu->column_exponent = KI_NEW(arena, int, n);
    if (arena->failed)
        return false;
    if (n > 0)
        memcpy(lu->start, pattern.start, (size_t)(n + 1) * sizeof(int));
    if (lu->count > 0)
        memcpy(lu->index, pattern.index, (size_t)lu->count * sizeof(int));
    return !always && prefers_dense(n, lu->count) ? prepare_dense(lu)
                                                  : prepare_sparse(lu, pattern, first, constraints, always);
}

static ki_lu *make(keel_pattern pattern, int first, int count, bool always) {
    assert(pattern.rows == 0 || pattern.rows == pattern.cols);
    ki_lu *lu = calloc(1, sizeof *lu);
    if (!lu)
        return NULL;
    ki_arena_init(&lu->arena);
    if (prepare(lu, pattern, first, count, always))
        return lu;
    ki_lu_free(lu);
    return NULL;
}

ki_lu *ki_lu_new(keel_pattern pattern) {
    return make(pattern, 0, 0, false);
}

ki_lu *ki_lu_new_saddle(keel_pattern pattern, int first, int count) {
    return make(pattern, first, count, false);
}

ki_lu *ki_lu_new_sparse(keel_pattern pattern) {
    return make(pattern, 0, 0, true);
}

void ki_lu_free(ki_lu *lu) {
    if (!lu)
        return;
    klu_free_numeric(&lu->numeric, &lu->common);
    klu_free_symbolic(&lu->symbolic, &lu->common);
    ki_arena_free(&lu->arena);
    free(lu);
}

/* 0 * v is 0 only if v is finite. */
static bool is_finite(int count, const double *values) {
    double zero = 0;
    for (int p = 0; p < count; p++)
        zero += 0 * values[p];
    return zero == 0;
}

/* The largest binary exponents of the rows and columns of R A C; NO_ENTRY where all is zero. */
enum { NO_ENTRY = INT_MIN };

static void find_exponents(ki_lu *lu, const double *values) {
    for (int i = 0; i < lu->n; i++)
        lu->row_exponent[i] = lu->column_exponent[i] = NO_ENTRY;
    for (int i = 0; i < lu->n; i++)
        for (int p = lu->start[i]; p < lu->start[i + 1]; p++) {
            int j = lu->index[p], exponent;
            double value = values[p] * lu->row[i] * lu->column[j];
            if (value == 0)
                continue;
            frexp(value, &exponent);
            if (exponent > lu->row_exponent[i])
                lu->row_exponent[i] = exponent;
            if (exponent > lu->column_exponent[j])
                lu->column_exponent[j] = exponent;
        }
}

/* Each round halves the exponents that are left. False if a row or column is zero. */
static bool find_scaling(ki_lu *lu, const double *values) {
    for (int i = 0; i < lu->n; i++)
        lu->row[i] = lu->column[i] = 1;
    for (int round = 0; round < SCALING_ROUNDS; round++) {
        find_exponents(lu, values);
        for (int i = 0; i < lu->n; i++) {
            if (lu->row_exponent[i] == NO_ENTRY || lu->column_exponent[i] == NO_ENTRY)
                return false;
            lu->row[i] = ldexp(lu->row[i], -lu->row_exponent[i] / 2);
            lu->column[i] = ldexp(lu->column[i], -lu->column_exponent[i] / 2);
        }
    }
    return true;
}

static void scale_values(ki_lu *lu, const double *values) {
    for (int i = 0; i < lu->n; i++)
        for (int p = lu->start[i]; p < lu->start[i + 1]; p++)
            lu->values[p] = values[p] * lu->row[i] * lu->column[lu->index[p]];
}

static void fill_dense(ki_lu *lu) {
    size_t n = (size_t)lu->n;
    memset(lu->dense, 0, n * n * sizeof(double));
    for (int i = 0; i < lu->n; i++)
        for (int p = lu->start[i]; p < lu->start[i + 1]; p++)
            lu->dense[(size_t)i * n + (size_t)lu->index[p]] = lu->values[p];
}

/* The row at or below k with the largest entry in column k comes to place k. */
static void exchange_rows(ki_lu *lu, int k) {
    size_t n = (size_t)lu->n;
    int best = k;
    for (int i = k + 1; i < lu->n; i++)
        if (fabs(lu->dense[(size_t)i * n + (size_t)k]) > fabs(lu->dense[(size_t)best * n + (size_t)k]))
            best = i;
    lu->pivot[k] = best;
    double *a = lu->dense + (size_t)k * n, *b = lu->dense + (size_t)best * n;
    for (int j = 0; j < lu->n && best != k; j++) {
        double keep = a[j];
        a[j] = b[j];
        b[j] = keep;
    }
}

/* Row by row, which is faster than ki_dense_lu_factor; the factors have the same form. */
static keel_status factor_dense(ki_lu *lu) {
    int n = lu->n;
    double least = INFINITY, most = 0;
    fill_dense(lu);
    for (int k = 0; k < n; k++) {
        exchange_rows(lu, k);
        const double *top = lu->dense + (size_t)k * (size_t)n;
        least = fmin(least, fabs(top[k]));
        most = fmax(most, fabs(top[k]));
        if (!(least > KI_PIVOT_NOISE * most))
            return KEEL_ERROR_SINGULAR;
        for (int i = k + 1; i < n; i++) {
            double *row = lu->dense + (size_t)i * (size_t)n;
            if (row[k] == 0)
                continue;
            row[k] /= top[k];
            ki_axpy(n - k - 1, -row[k], top + k + 1, row + k + 1);
        }
    }
    return KEEL_OK;
}

/* Where the entries of A go, transposed, and by what they are multiplied. */
static void place_entries(ki_lu *lu) {
    int stride = ki_padded(lu->n);
    for (int i = 0; i < lu->n; i++)
        for (int p = lu->start[i]; p < lu->start[i + 1]; p++) {
            lu->spot[p] = lu->index[p] * stride + i;
            lu->scale[p] = lu->row[i] * lu->column[lu->index[p]];
        }
}

/* New R and C for these values; false if a row or column is zero. */
static bool rescale(ki_lu *lu, const double *values) {
    lu->scaled = find_scaling(lu, values);
    if (lu->scaled && lu->inverse)
        place_entries(lu);
    return lu->scaled;
}

static bool invert_scaled(ki_lu *lu, const double *values) {
    memset(lu->inverse, 0, (size_t)lu->n * (size_t)ki_padded(lu->n) * sizeof(double));
    for (int p = 0; p < lu->count; p++)
        lu->inverse[lu->spot[p]] = values[p] * lu->scale[p];
    return ki_invert(lu->n, lu->inverse, lu->pivot);
}

/* With the scaling at hand or a new one. What is no matrix for that will not be for a while. */
static bool invert(ki_lu *lu, const double *values) {
    lu->inverted = false;
    if (!lu->inverse || lu->pause > 0) {
        lu->pause -= lu->pause > 0;
        return false;
    }
    lu->inverted = (lu->scaled && invert_scaled(lu, values)) ||
                   (is_finite(lu->count, values) && rescale(lu, values) && invert_scaled(lu, values));
    lu->pause = lu->inverted ? 0 : PAUSE;
    return lu->inverted;
}

/* No pivot is round-off. */
static bool is_regular(ki_lu *lu) {
    return klu_rcond(lu->symbolic, lu->numeric, &lu->common) && lu->common.rcond > KI_PIVOT_NOISE;
}

/* Whether the factors give back a known vector: A e - A x, x = (L U)^-1 A e, against the sizes of the terms.
 * With pivots that were chosen for other values they may not. */
static bool is_accurate(ki_lu *lu) {
    double *x = lu->probe, *rest = lu->rest, most = 0, size = 0;
    for (int i = 0; i < lu->n; i++) {
        double sum = 0;
        for (int p = lu->start[i]; p < lu->start[i + 1]; p++) {
            int j = lu->index[p];
            sum += lu->values[p] * (j % 2 ? 1 + 0.37 * (j % 5) : -1 - 0.29 * (j % 7));
        }
        x[i] = rest[i] = sum;
    }
    klu_tsolve(lu->symbolic, lu->numeric, lu->n, 1, x, &lu->common);
    for (int i = 0; i < lu->n; i++) {
        double terms = fabs(rest[i]);
        for (int p = lu->start[i]; p < lu->start[i + 1]; p++) {
            double term = lu->values[p] * x[lu->index[p]];
            rest[i] -= term;
            terms += fabs(term);
        }
        most = fmax(most, fabs(rest[i]));
        size = fmax(size, terms);
    }
    return most <= ACCURATE * size && isfinite(size);
}

/* With the pivots of the last factorization; false if there is none or they do not serve. */
static bool refactor_sparse(ki_lu *lu) {
    return lu->numeric &&
           klu_refactor(lu->start, lu->index, lu->values, lu->symbolic, lu->numeric, &lu->common) &&
           is_regular(lu) && is_accurate(lu);
}

static keel_status factor_sparse(ki_lu *lu) {
    klu_free_numeric(&lu->numeric, &lu->common);
    lu->numeric = klu_factor(lu->start, lu->index, lu->values, lu->symbolic, &lu->common);
    if (!lu->numeric)
        return lu->common.status == KLU_SINGULAR ? KEEL_ERROR_SINGULAR : KEEL_ERROR_MEMORY;
    return is_regular(lu) ? KEEL_OK : KEEL_ERROR_SINGULAR;
}

/* With what is known from the last matrix: its scaling, and on the sparse path its pivots. */
static bool factor_as_before(ki_lu *lu, const double *values) {
    if (!lu->scaled)
        return false;
    scale_values(lu, values);
    return lu->dense ? factor_dense(lu) == KEEL_OK : refactor_sparse(lu);
}

keel_status ki_lu_factor(ki_lu *lu, const double *values) {
    lu->factored = invert(lu, values);
    if (lu->factored)
        return KEEL_OK;
    if (!is_finite(lu->count, values))
        return KEEL_ERROR_SINGULAR;
    keel_status status = KEEL_OK;
    if (!factor_as_before(lu, values)) {
        if (!rescale(lu, values))
            return KEEL_ERROR_SINGULAR;
        scale_values(lu, values);
        status = lu->dense ? factor_dense(lu) : factor_sparse(lu);
    }
    lu->factored = status == KEEL_OK;
    return status;
}

long ki_lu_entries(const ki_lu *lu) {
    if (!lu->symbolic)
        return (long)lu->n * lu->n;
    return lu->numeric ? (long)lu->numeric->lnz + lu->numeric->unz : 0;
}

/* b <- C (R A C)^-1 R b */
static void apply_inverse(ki_lu *lu, double *b) {
    for (int i = 0; i < lu->n; i++)
        lu->scaled_b[i] = b[i] * lu->row[i];
    ki_inverse_apply(lu->n, lu->inverse, lu->scaled_b, lu->x);
    for (int i = 0; i < lu->n; i++)
        b[i] = lu->x[lu->pivot[i]] * lu->column[i];
}

void ki_lu_solve(ki_lu *lu, double *b) {
    assert(lu->factored);
    if (lu->inverted) {
        apply_inverse(lu, b);
        return;
    }
    for (int i = 0; i < lu->n; i++)
        b[i] *= lu->row[i];
    if (lu->dense)
        ki_dense_lu_solve(lu->n, lu->dense, lu->pivot, b);
    else
        klu_tsolve(lu->symbolic, lu->numeric, lu->n, 1, b, &lu->common);
    for (int i = 0; i < lu->n; i++)
        b[i] *= lu->column[i];
}

/* A^T x = b is (R A C)^T (R^-1 x) = C b, and KLU has the factors of that transpose. */
bool ki_lu_solve_transposed(ki_lu *lu, double *b) {
    if (!lu->factored || !lu->numeric)
        return false;
    for (int i = 0; i < lu->n; i++)
        b[i] *= lu->column[i];
    klu_solve(lu->symbolic, lu->numeric, lu->n, 1, b, &lu->common);
    for (int i = 0; i < lu->n; i++)
        b[i] *= lu->row[i];
    return true;
}

double ki_lu_pivot_ratio(const ki_lu *lu) {
    return lu->common.rcond;
}

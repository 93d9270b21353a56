/* Singular values of the rows scaled to unit length decide the rank; the left singular vectors of the ones
 * counted as zero, scaled back, span {y: J^T y = 0}. Which rows to call dependent is a choice: they are taken
 * in order, and a row that the independent ones before it already span is dependent, so that of two equal
 * rows it is the later one. Where that walk does not end with as many rows as the rank (singular values that
 * fall slowly) the choice of a pivoted QR is taken. */
#include "keel/rank.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/singular_values.h"

static const double TOLERANCE = 1e-10;

/* Rows without a larger entry count as zero: their length has no inverse. */
static const double TINY = 1e-290;

typedef struct rank_work {
    int m, n, least;  /* least = min(m, n)                              */
    double *rows;     /* [m x n] scaled rows                            */
    double *copy;     /* [m x n] overwritten by each factorization      */
    double *scale;    /* [m] 1 / length of the rows                     */
    double *singular; /* [m] decreasing                                 */
    double *vectors;  /* [m x m] rows: left singular vectors            */
    double *null;     /* [m x m] the result's null_space                */
    int *dependent;   /* [m] the result's dependent                     */
    bool *taken;      /* [m] by the rows with pivots                    */
} rank_work;

static void release(rank_work *W) {
    void *all[] = {W->rows, W->copy, W->scale, W->singular, W->vectors, W->null, W->dependent, W->taken};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* False when out of memory. */
static bool prepare(rank_work *W, int m, int n) {
    size_t rows = (size_t)m, cols = (size_t)n, least = rows < cols ? rows : cols;
    *W = (rank_work){.m = m, .n = n, .least = (int)least};
    W->rows = calloc(rows * cols + 1, sizeof(double));
    W->copy = calloc(rows * cols + 1, sizeof(double));
    W->scale = calloc(rows + 1, sizeof(double));
    W->singular = calloc(rows + 1, sizeof(double));
    W->vectors = calloc(rows * rows + 1, sizeof(double));
    W->null = calloc(rows * rows + 1, sizeof(double));
    W->dependent = calloc(rows + 1, sizeof(int));
    W->taken = calloc(rows + 1, sizeof(bool));
    return W->rows && W->copy && W->scale && W->singular && W->vectors && W->null && W->dependent && W->taken;
}

/* Dense rows of unit length; false if a value is not finite. */
static bool scale_rows(rank_work *W, keel_pattern J, const double *values) {
    for (int i = 0; i < W->m; i++) {
        double most = 0, square = 0;
        for (int p = J.start[i]; p < J.start[i + 1]; p++) {
            if (!isfinite(values[p]))
                return false;
            most = fmax(most, fabs(values[p]));
        }
        W->scale[i] = 1;
        if (most < TINY)
            continue;
        for (int p = J.start[i]; p < J.start[i + 1]; p++)
            square += (values[p] / most) * (values[p] / most);
        double length = sqrt(square);
        W->scale[i] = 1 / length / most;
        for (int p = J.start[i]; p < J.start[i + 1]; p++)
            W->rows[(size_t)i * (size_t)W->n + (size_t)J.index[p]] = values[p] / most / length;
    }
    return true;
}

static void copy_rows(rank_work *W) {
    memcpy(W->copy, W->rows, (size_t)W->m * (size_t)W->n * sizeof(double));
}

static void find_rank(const rank_work *W, double tolerance, keel_rank *result) {
    double cut = W->least > 0 ? tolerance * W->singular[0] : 0;
    while (result->rank < W->least && W->singular[result->rank] > cut)
        result->rank++;
    result->smallest = result->rank > 0 ? W->singular[result->rank - 1] : 0;
    result->largest_dropped = result->rank < W->least ? W->singular[result->rank] : 0;
    result->gap = result->largest_dropped > 0 ? result->smallest / result->largest_dropped : INFINITY;
}

/* Rows that the ones before them span, as far as `least` of their length tells. Returns how many. */
static int walk_rows(rank_work *W, double least) {
    int rank = 0, count = 0;
    for (int i = 0; i < W->m; i++) {
        double *basis = W->copy, *next = basis + (size_t)rank * (size_t)W->n;
        memmove(next, W->rows + (size_t)i * (size_t)W->n, (size_t)W->n * sizeof(double));
        if (ki_orthogonalize(rank, W->n, basis, W->n, next) > least)
            rank++;
        else
            W->dependent[count++] = i;
    }
    return count;
}

/* All rows but the `rank` longest, each as long as those taken before have left it (a QR factorization with
 * pivots). */
static void take_pivoted(rank_work *W, int rank) {
    size_t n = (size_t)W->n;
    int count = 0;
    bool *taken = W->taken;
    copy_rows(W);
    for (int k = 0; k < rank; k++) {
        int longest = -1;
        double most = -1;
        for (int i = 0; i < W->m; i++) {
            double square = taken[i] ? -1 : ki_dot(W->n, W->copy + (size_t)i * n, W->copy + (size_t)i * n);
            longest = square > most ? i : longest;
            most = fmax(square, most);
        }
        taken[longest] = true;
        for (int i = 0; i < W->m && most > 0; i++)
            if (!taken[i]) {
                double part = ki_dot(W->n, W->copy + (size_t)longest * n, W->copy + (size_t)i * n) / most;
                ki_axpy(W->n, -part, W->copy + (size_t)longest * n, W->copy + (size_t)i * n);
            }
    }
    for (int i = 0; i < W->m; i++)
        if (!taken[i])
            W->dependent[count++] = i;
}

static void find_dependent(rank_work *W, const keel_rank *found) {
    /* half-way (in decades) between the singular values counted and those that are not */
    double noise = fmax(found->largest_dropped, 1e-15);
    int count = walk_rows(W, sqrt(found->smallest * noise));
    if (count != W->m - found->rank)
        take_pivoted(W, found->rank);
}

static void find_null_space(rank_work *W, int rank) {
    size_t m = (size_t)W->m;
    for (int k = rank; k < W->m; k++)
        for (size_t i = 0; i < m; i++)
            W->null[(size_t)(k - rank) * m + i] = W->scale[i] * W->vectors[(size_t)k * m + i];
    ki_orthonormalize(W->m - rank, W->m, W->null, W->m, 0);
}

static keel_status compute(rank_work *W, double tolerance, keel_rank *result) {
    copy_rows(W);
    keel_status status = ki_singular_values(W->m, W->n, W->copy, W->singular, W->vectors);
    if (status)
        return status;
    find_rank(W, tolerance > 0 ? tolerance : TOLERANCE, result);
    if (result->rank < W->m)
        find_dependent(W, result);
    return KEEL_OK;
}

keel_status keel_rank_compute(keel_pattern J, const double *values, double tolerance, keel_rank *result) {
    if ((!values && keel_pattern_count(J)) || !result) {
        if (result)
            *result = (keel_rank){0};
        return KEEL_ERROR_INPUT;
    }
    *result = (keel_rank){.gap = INFINITY};
    rank_work W;
    keel_status status = KEEL_ERROR_MEMORY;
    if (prepare(&W, J.rows, J.cols))
        status = scale_rows(&W, J, values) ? compute(&W, tolerance, result) : KEEL_ERROR_NOT_FINITE;
    if (status == KEEL_OK) {
        find_null_space(&W, result->rank);
        result->dependent_count = W.m - result->rank;
        result->dependent = W.dependent;
        result->null_space = W.null;
        W.dependent = NULL;
        W.null = NULL;
    } else {
        *result = (keel_rank){.gap = INFINITY};
    }
    release(&W);
    return status;
}

void keel_rank_clear(keel_rank *result) {
    if (!result)
        return;
    free(result->dependent);
    free(result->null_space);
    *result = (keel_rank){.gap = INFINITY};
}

/* Condition numbers that do not suffer from what they measure: the matrix scaled on both sides, B, is well
 * conditioned at every step; the matrix in use and its inverse differ from it by factors of rows and columns,
 *
 *     S = diag(l, 1) B diag(1, 1/r),    S^-1 = diag(1, r) B^-1 diag(1/l, 1)
 *
 * with l on the motion and r on the multipliers.
 *
 * Large sparse matrices have no full inverse: |S| and |S^-1| come from power iteration with S^T S and with
 * S^-1 S^-T, by the entries and the factors of S. What it finds is too small, by less than a per cent once it
 * has come to rest.
 */
#include <math.h>
#include <string.h>

#include "integrate/index3_parts.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"

static bool has_scratch(ki_index3 *self) {
    size_t n = (size_t)self->size;
    if (self->pivot)
        return true;
    self->matrix = KI_NEW(&self->arena, double, n *n);
    self->inverse = KI_NEW(&self->arena, double, n *n);
    self->square = KI_NEW(&self->arena, double, n *n);
    self->column = KI_NEW(&self->arena, double, n);
    self->pivot = KI_NEW(&self->arena, int, n);
    return !self->arena.failed;
}

/* matrix = B */
static void assemble_scaled(ki_index3 *self) {
    int n = self->size;
    keel_scaling scaling = self->scaling;
    self->scaling = KEEL_SCALING_BOTH;
    ki_index3_assemble(self);
    self->scaling = scaling;
    ki_index3_set_scales(self);
    memset(self->matrix, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int k = self->pattern.start[i]; k < self->pattern.start[i + 1]; k++)
            self->matrix[i * n + self->pattern.index[k]] = self->values[k];
}

/* inverse = B^-1; the matrix becomes its factors. False if there is none. */
static bool invert(ki_index3 *self) {
    int n = self->size;
    if (ki_dense_lu_factor(n, self->matrix, self->pivot) >= 0)
        return false;
    for (int j = 0; j < n; j++) {
        memset(self->column, 0, (size_t)n * sizeof(double));
        self->column[j] = 1;
        ki_dense_lu_solve(n, self->matrix, self->pivot, self->column);
        for (int i = 0; i < n; i++)
            self->inverse[i * n + j] = self->column[i];
    }
    return true;
}

/* The factors on the motion and on the multipliers. */
typedef struct scales {
    double motion, multipliers;
} scales;

static double factor_of(const ki_index3 *self, scales of, int i) {
    int n_v = self->dynamics->system->n_v;
    return i < n_v ? of.motion : i < n_v + self->dynamics->m ? of.multipliers : 1;
}

/* |S|_2 of S = diag(rows) A diag(columns): the root of the largest eigenvalue of S^T S, exact to round-off
 * however small the others are. */
static double norm(ki_index3 *self, const double *A, scales rows, scales columns) {
    int n = self->size;
    double least, most;
    memset(self->square, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int k = 0; k < n; k++) {
        double row = factor_of(self, rows, k);
        for (int j = 0; j < n; j++)
            self->column[j] = row * A[k * n + j] * factor_of(self, columns, j);
        for (int i = 0; i < n; i++)
            ki_axpy(i + 1, self->column[i], self->column, self->square + i * n);
    }
    if (ki_eigenvalue_range(n, self->square, &least, &most))
        return NAN;
    return sqrt(most);
}

/* out = S v or S^T v */
static void multiply(const ki_index3 *self, bool transposed, const double *v, double *out) {
    memset(out, 0, (size_t)self->size * sizeof *out);
    for (int i = 0; i < self->size; i++)
        for (int k = self->pattern.start[i]; k < self->pattern.start[i + 1]; k++) {
            int j = self->pattern.index[k];
            out[transposed ? j : i] += self->values[k] * v[transposed ? i : j];
        }
}

/* Divides by the length, which it returns. */
static double normalize(int n, double *v) {
    double length = sqrt(ki_dot(n, v, v));
    for (int i = 0; i < n; i++)
        v[i] /= length;
    return length;
}

/* The square of |S|, or of |S^-1|; NaN if there are no sparse factors. */
static double power_iteration(ki_index3 *self, bool inverse) {
    enum { MOST_STEPS = 200, PATIENCE = 3 };
    static const double AT_REST = 1e-4;
    int n = self->size, resting = 0;
    double *v = self->residual, *w = self->base, square = 0; /* scratch of differences */
    for (int i = 0; i < n; i++)
        v[i] = 1 + 0.6 * sin(2.3 * i + 0.1 * i * i);
    normalize(n, v);
    for (int step = 0; step < MOST_STEPS && resting < PATIENCE; step++) {
        if (inverse) {
            if (!ki_lu_solve_transposed(self->lu, v))
                return NAN;
            ki_lu_solve(self->lu, v);
        } else {
            multiply(self, false, v, w);
            multiply(self, true, w, v);
        }
        double before = square;
        square = normalize(n, v);
        resting = fabs(square - before) <= AT_REST * square ? resting + 1 : 0;
    }
    return square;
}

/* By the factors that were made last; NaN if they are not sparse. */
static double condition_of_large(ki_index3 *self) {
    ki_index3_assemble(self);
    return sqrt(power_iteration(self, false)) * sqrt(power_iteration(self, true));
}

double ki_index3_condition(ki_index3 *self) {
    enum { FULL_MATRICES = 300 };
    double large = self->size > FULL_MATRICES ? condition_of_large(self) : NAN;
    if (!isnan(large))
        return large;
    if (!has_scratch(self))
        return NAN;
    assemble_scaled(self);
    double l = self->left * self->mass / self->s, r = self->lambda_scale * self->mass / self->s;
    double forward = norm(self, self->matrix, (scales){l, 1}, (scales){1, 1 / r});
    if (!invert(self))
        return INFINITY;
    return forward * norm(self, self->inverse, (scales){1, r}, (scales){1 / l, 1});
}

/* Condition numbers that do not suffer from what they measure: the matrix scaled on both sides, B, is well
 * conditioned at every step; the matrix in use and its inverse differ from it by factors of rows and columns,
 *
 *     S = diag(l, 1) B diag(1, 1/r),    S^-1 = diag(1, r) B^-1 diag(1/l, 1)
 *
 * with l on the motion and r on the multipliers.
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

double ki_index3_condition(ki_index3 *self) {
    if (!has_scratch(self))
        return NAN;
    assemble_scaled(self);
    double l = self->left * self->mass / self->s, r = self->lambda_scale * self->mass / self->s;
    double forward = norm(self, self->matrix, (scales){l, 1}, (scales){1, 1 / r});
    if (!invert(self))
        return INFINITY;
    return forward * norm(self, self->inverse, (scales){1, r}, (scales){1 / l, 1});
}

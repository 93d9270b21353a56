/* start_mass.c - is the mass matrix good enough for M v' + J^T lambda = Q, J v' = xi to have one v'?
 *
 * M must not be indefinite, and must be positive on the null space of J: a point without mass is fine if
 * constraints determine its motion. With M scaled to unit diagonal and the rows of J to unit length:
 *
 *     M positive definite                          -> fine
 *     M + small I not positive definite            -> M is indefinite
 *     M + J^T J not positive definite              -> some direction has neither mass nor constraint
 *
 * Dense Cholesky, up to KI_DENSE_MAX coordinates; larger systems have only their diagonal looked at, the
 * solver reports the rest.
 */
#include <math.h>
#include <string.h>

#include "equations/start.h"
#include "linalg/dense.h"

/* Round-off of a pivot in a scaled matrix of this size; a true negative eigenvalue is far larger. */
static const double SMALL = 1e-10;

/* Newton form: where the diagonal entry is given; otherwise where the coordinate is defined. */
static keel_location place_of_mass(const ki_builder *b, int i) {
    const ki_item *coordinate = b->of[KEEL_EQ_COORDINATE].at[i];
    for (int k = 0; k < b->of[KEEL_EQ_MASS].count; k++) {
        const ki_item *mass = b->of[KEEL_EQ_MASS].at[k];
        if (mass->about == coordinate && (!mass->about_other || mass->about_other == coordinate))
            return mass->entry->text_at;
    }
    return coordinate->entry->name_at;
}

static double diagonal(const ki_builder *b, const keel_terms *terms, int i) {
    return terms->M[b->model->system.M.start[i + 1] - 1];
}

static const char *name_of(const ki_builder *b, int i) {
    return b->of[KEEL_EQ_COORDINATE].at[i]->name;
}

static void report_massless(ki_builder *b, int i) {
    ki_report(b, b->of[KEEL_EQ_COORDINATE].at[i]->entry, place_of_mass(b, i),
              "'%s' has no mass, and no constraint determines its motion", name_of(b, i));
}

static void check_diagonal(ki_builder *b, const keel_terms *terms) {
    keel_pattern J = b->model->system.J;
    bool *constrained = KI_SCRATCH(b, bool, b->inputs.n);
    if (!constrained)
        return;
    for (int k = 0; k < keel_pattern_count(J); k++)
        constrained[J.index[k]] = true;
    for (int i = 0; i < b->inputs.n; i++) {
        double mass = diagonal(b, terms, i);
        if (mass < 0)
            ki_report(b, b->of[KEEL_EQ_COORDINATE].at[i]->entry, place_of_mass(b, i),
                      "the mass of '%s' is negative: %g", name_of(b, i), mass);
        else if (mass == 0 && !constrained[i])
            report_massless(b, i);
    }
}

/* A <- scaled M + shift I, lower triangle; scale[i] = 1/sqrt(M_ii), 1 for a massless coordinate */
static void fill_mass(const ki_builder *b, const keel_terms *terms, double shift, double *scale, double *A) {
    int n = b->inputs.n;
    keel_pattern M = b->model->system.M;
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
    for (int i = 0; i < n; i++) {
        double mass = diagonal(b, terms, i);
        scale[i] = mass > 0 ? 1 / sqrt(mass) : 1;
        for (int k = M.start[i]; k < M.start[i + 1]; k++)
            A[i * n + M.index[k]] = scale[i] * terms->M[k] * scale[M.index[k]];
        A[i * n + i] += shift;
    }
}

/* A <- A + J^T J, lower triangle, columns of J scaled like those of M, rows to unit length */
static void add_constraints(const ki_builder *b, const keel_terms *terms, const double *scale, double *A) {
    keel_pattern J = b->model->system.J;
    for (int c = 0; c < J.rows; c++) {
        double square = 0;
        for (int k = J.start[c]; k < J.start[c + 1]; k++)
            square += pow(terms->J[k] * scale[J.index[k]], 2);
        for (int k = J.start[c]; square > 0 && k < J.start[c + 1]; k++)
            for (int l = J.start[c]; l <= k; l++)
                A[J.index[k] * b->inputs.n + J.index[l]] +=
                    terms->J[k] * scale[J.index[k]] * terms->J[l] * scale[J.index[l]] / square;
    }
}

static void check_dense(ki_builder *b, const keel_terms *terms) {
    int n = b->inputs.n;
    double *A = KI_SCRATCH(b, double, n *n), *scale = KI_SCRATCH(b, double, n);
    if (!A || !scale)
        return;
    fill_mass(b, terms, 0, scale, A);
    if (ki_dense_cholesky(n, A) < 0)
        return;
    fill_mass(b, terms, SMALL, scale, A);
    int row = ki_dense_cholesky(n, A);
    if (row >= 0) {
        ki_report(b, b->of[KEEL_EQ_COORDINATE].at[row]->entry, place_of_mass(b, row),
                  "the mass matrix is not positive definite at the start: look at the row of '%s'",
                  name_of(b, row));
        return;
    }
    fill_mass(b, terms, 0, scale, A);
    add_constraints(b, terms, scale, A);
    row = ki_dense_cholesky(n, A);
    if (row >= 0 && diagonal(b, terms, row) == 0)
        report_massless(b, row);
    else if (row >= 0)
        ki_report(b, b->of[KEEL_EQ_COORDINATE].at[row]->entry, place_of_mass(b, row),
                  "the mass matrix is singular at the start, and no constraint makes up for it: look at the "
                  "row of '%s'",
                  name_of(b, row));
}

void ki_check_mass(ki_builder *b, const keel_terms *terms) {
    check_diagonal(b, terms);
    if (ki_builder_ok(b) && b->inputs.n <= KI_DENSE_MAX)
        check_dense(b, terms);
}

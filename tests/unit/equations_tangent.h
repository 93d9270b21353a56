/* equations_tangent.h - exact derivatives of the equations against differences. */
#ifndef EQUATIONS_TANGENT_H
#define EQUATIONS_TANGENT_H

#include "equations_helper.h"

/* (M a + J^T lambda - Q, J a - xi, -f), then the rates of the constraints, then the invariants */
static inline int residual_size(const keel_system *s) {
    return s->n_v + 2 * keel_system_m(s) + s->n_z + s->n_i;
}

static inline void residual(model *m, double *R) {
    const keel_system *s = m->system;
    int n = s->n_v, rows = keel_system_m(s);
    evaluate(m, KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI | KEEL_STATES | KEEL_VELOCITY |
                    KEEL_INVARIANTS);
    for (int i = 0; i < n; i++)
        R[i] = -m->terms.Q[i];
    for (int i = 0; i < n; i++)
        for (int k = s->M.start[i]; k < s->M.start[i + 1]; k++) {
            int j = s->M.index[k];
            R[i] += m->terms.M[k] * m->a[j];
            if (i != j)
                R[j] += m->terms.M[k] * m->a[i];
        }
    for (int c = 0; c < rows; c++) {
        R[n + c] = -m->terms.xi[c];
        R[n + rows + s->n_z + c] = m->terms.rate[c];
        for (int k = s->J.start[c]; k < s->J.start[c + 1]; k++) {
            R[s->J.index[k]] += m->terms.J[k] * m->at->lambda[c];
            R[n + c] += m->terms.J[k] * m->a[s->J.index[k]];
        }
    }
    for (int i = 0; i < s->n_z; i++)
        R[n + rows + i] = -m->terms.f[i];
    for (int i = 0; i < s->n_i; i++)
        R[n + 2 * rows + s->n_z + i] = m->terms.invariant[i];
}

/* dR/dx for a number x of the point, with an error of the order h^4 */
static inline void difference(model *m, double *x, double *dR) {
    const double h = 1e-3, at = *x, STEP[4] = {-2, -1, 1, 2}, WEIGHT[4] = {1, -8, 8, -1};
    int size = residual_size(m->system);
    double *R = numbers(size);
    memset(dR, 0, (size_t)size * sizeof *dR);
    for (int k = 0; k < 4; k++) {
        *x = at + STEP[k] * h;
        residual(m, R);
        for (int i = 0; i < size; i++)
            dR[i] += WEIGHT[k] * R[i] / (12 * h);
    }
    *x = at;
    free(R);
}

/* An entry of the tangent, of rate_q or of invariant_y: the derivative of number i of the residual. */
static inline double exact(const model *m, int i, int column) {
    const keel_system *s = m->system;
    int motion = s->n_v + keel_system_m(s) + s->n_z, constraints = motion + keel_system_m(s);
    if (i < motion)
        return entry(s->tangent, m->terms.tangent, i, column);
    if (i < constraints)
        return entry(s->rate_q, m->terms.rate_q, i - motion, column);
    return entry(s->invariant_y, m->terms.invariant_y, i - constraints, column);
}

/* Every entry, and every zero beside the pattern, within `tolerance` of the size of its row. */
static inline void check_against_differences(model *m, double tolerance) {
    const keel_system *s = m->system;
    int n = s->n_v, rows = residual_size(s), cols = 2 * n + s->n_z;
    int rate = n + keel_system_m(s) + s->n_z, invariant = rate + keel_system_m(s);
    double *R = numbers(rows), *D = numbers(rows * cols);
    assert_int_equal(s->tangent.rows, rate);
    assert_int_equal(s->rate_q.rows, keel_system_m(s));
    residual(m, R);
    for (int j = 0; j < cols; j++)
        difference(m,
                   j < n       ? &m->at->q[j]
                   : j < 2 * n ? &m->at->v[j - n]
                               : &m->at->z[j - 2 * n],
                   D + j * rows);
    evaluate(m, EVERYTHING);
    for (int i = 0; i < rows; i++) {
        double size = fabs(R[i]);
        for (int j = 0; j < cols; j++)
            size = fmax(size, fabs(D[j * rows + i]));
        for (int j = 0; j < (i >= rate && i < invariant ? n : cols); j++)
            if (!(fabs(exact(m, i, j) - D[j * rows + i]) <= tolerance * size))
                fail_msg("row %d, column %d: %.17g, by differences %.17g; the row is about %g", i, j,
                         exact(m, i, j), D[j * rows + i], size);
    }
    free(R);
    free(D);
}

#endif

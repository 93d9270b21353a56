/* Projection onto the null space of J^T without a basis of it.
 *
 * If all rows E whose pivot was raised are dependent (deflation.c), every null vector is
 *
 *     N u = S'^-1 E delta diag(S) u        with u its values in the rows E,
 *
 * one solve. The part of a vector in the span of N is the least-squares problem min |vector - N u|, solved by
 * conjugate gradients on its normal equations; N^T N >= I makes them converge fast. Round-off of N is removed
 * from the result (ki_deflation_polish) and the rest projected again.
 */
#include <math.h>
#include <string.h>

#include "linalg/deflation.h"
#include "linalg/dense.h"

enum { MOST_ITERATIONS = 200, ROUNDS = 3 };

/* A gradient this small against the vector is round-off: iterating on it would only let it grow. */
static const double ROUND_OFF = 1e-14;

/* y = S'^-1 y */
static void solve_S(keel_saddle *K, double *y) {
    ki_deflation *F = K->deflation;
    memset(F->x, 0, (size_t)K->n * sizeof(double));
    ki_saddle_sparse_solve(K, F->x, y, F->x, y);
    for (int i = 0; i < K->m; i++)
        y[i] = -y[i];
}

/* What S' has more than S in row `row`. */
static double raise_of(const keel_saddle *K, int row) {
    double raise = K->pivots.delta * K->S_size[row];
    return raise > 0 ? raise : 1;
}

/* y = N u */
static void combine(keel_saddle *K, const double *u, double *y) {
    memset(y, 0, (size_t)K->m * sizeof(double));
    for (int j = 0; j < K->pivots.count; j++)
        y[K->pivots.row[j]] = raise_of(K, K->pivots.row[j]) * u[j];
    solve_S(K, y);
}

/* g = N^T y; y is lost */
static void combine_transposed(keel_saddle *K, double *y, double *g) {
    solve_S(K, y);
    for (int j = 0; j < K->pivots.count; j++)
        g[j] = raise_of(K, K->pivots.row[j]) * y[K->pivots.row[j]];
}

/* `scale` [m] turns rows into rows of the length in which the projection is orthogonal; NULL means 1. */
static double scale_of(const double *scale, int row) {
    return scale ? scale[row] : 1;
}

/* The fit is in vectors C^-1 N C_E, C = diag(scale): each column has a 1 in its row of E. */
static void apply_N(keel_saddle *K, const double *scale, const double *u, double *image) {
    ki_deflation *F = K->deflation;
    for (int j = 0; j < K->pivots.count; j++)
        F->u_scaled[j] = u[j] * scale_of(scale, K->pivots.row[j]);
    combine(K, F->u_scaled, image);
    for (int i = 0; i < K->m; i++)
        image[i] /= scale_of(scale, i);
}

static void apply_N_transposed(keel_saddle *K, const double *scale, const double *rest, double *gradient) {
    double *y = K->deflation->image;
    for (int i = 0; i < K->m; i++)
        y[i] = rest[i] / scale_of(scale, i);
    combine_transposed(K, y, gradient);
    for (int j = 0; j < K->pivots.count; j++)
        gradient[j] *= scale_of(scale, K->pivots.row[j]);
}

/* u = argmin |rest - C^-1 N C_E u| by conjugate gradients; `rest` becomes what is left. */
static void fit(keel_saddle *K, const double *scale, double *rest, double *u) {
    ki_deflation *F = K->deflation;
    int k = K->pivots.count;
    memset(u, 0, (size_t)k * sizeof(double));
    double size = ki_dot(K->m, rest, rest), left = size;
    apply_N_transposed(K, scale, rest, F->gradient);
    memcpy(F->direction, F->gradient, (size_t)k * sizeof(double));
    double square = ki_dot(k, F->gradient, F->gradient);
    for (int i = 0; i < MOST_ITERATIONS && square > ROUND_OFF * ROUND_OFF * size; i++) {
        apply_N(K, scale, F->direction, F->image);
        double step = square / ki_dot(K->m, F->image, F->image);
        ki_axpy(k, step, F->direction, u);
        ki_axpy(K->m, -step, F->image, rest);
        double now = ki_dot(K->m, rest, rest);
        if (!(now <= left))
            break;
        left = now;
        apply_N_transposed(K, scale, rest, F->gradient);
        double next = ki_dot(k, F->gradient, F->gradient);
        for (int j = 0; j < k; j++)
            F->direction[j] = F->gradient[j] + next / square * F->direction[j];
        square = next;
    }
}

/* Whether J^T y vanishes against the sizes of its terms. */
static bool is_null_vector(keel_saddle *K, const double *y) {
    ki_deflation *F = K->deflation;
    ki_minus_J_transposed(K, y, F->x);
    double most = 0;
    for (int i = 0; i < K->m; i++)
        most = fmax(most, fabs(y[i]) / K->y_scale[i]);
    return ki_max_norm(K->n, F->x) <= K->settings.dependent * most;
}

void ki_implicit_null_remove(keel_saddle *K, const double *scale, double *vector) {
    ki_deflation *F = K->deflation;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < K->m; i++)
            F->rest[i] = vector[i] * scale_of(scale, i);
        fit(K, scale, F->rest, F->u);
        for (int j = 0; j < K->pivots.count; j++)
            F->u[j] *= scale_of(scale, K->pivots.row[j]);
        combine(K, F->u, F->rest);
        ki_deflation_polish(K, F->rest);
        if (!is_null_vector(K, F->rest))
            return;
        for (int i = 0; i < K->m; i++)
            vector[i] -= F->rest[i] / (scale_of(scale, i) * scale_of(scale, i));
    }
}

/* The sparse way out when rows of J are dependent, nearly dependent, or contradict each other.
 *
 * The rows E whose pivot was raised leave a small subspace in which S' is not S: the span of S'^-1 E. In rows
 * scaled by c (saddle_internal.h) it has the orthonormal basis v_1 .. v_k, made by inverse iteration
 *
 *     v <- v - S'^-1 S v
 *
 * and turned so that T_j = [Y; D^(1/2)] v_j are orthogonal (one-sided Jacobi). sigma_j = |T_j| are then the
 * small singular values of the scaled rows; computed from Y, not from S = Y^T Y, they are right down to
 * 1e-15, not 1e-8.
 *
 * Where sigma_j <= settings.dependent v_j is a null vector: J^T C v_j = 0. The part of s along it is out of
 * reach, the part of y along it is arbitrary.
 *
 * The other v_j are directions that S' resolves too weakly. A solve is followed by the exact solution on
 * them,
 *
 *     z_j = -(v_j^T C y_rest - T_j^T d^(-1/2) L_A^-1 x_rest) / sigma_j^2
 *     y += C v_j z_j,    x -= A^-1 J^T C v_j z_j = L_A^-T d^(-1/2) T_j z_j
 *
 * With more than `most` rows in E no basis is kept: all are taken for dependent (implicit_null.c).
 */
#include <math.h>
#include <string.h>

#include "linalg/augment.h"
#include "linalg/deflation.h"
#include "linalg/dense.h"

/* Enough for the redundant rows of any mechanism but very large ones; bounds the memory. */
enum { MOST_VECTORS = 64 };

/* What round-off in Y leaves of a zero (measured: up to 1e-15). */
static const double SIGMA_NOISE = 1e-14;

static double *V_of(const ki_deflation *F, int j) {
    return F->V + (size_t)j * (size_t)F->m;
}

static double *T_of(const ki_deflation *F, int j) {
    return F->T + (size_t)j * (size_t)(F->n + F->m);
}

void ki_deflation_analyse(keel_saddle *K) {
    ki_arena *arena = &K->arena;
    ki_deflation *F = KI_NEW(arena, ki_deflation, 1);
    if (!F)
        return;
    F->n = K->n;
    F->m = K->m;
    F->most = K->m < MOST_VECTORS ? K->m : MOST_VECTORS;
    size_t most = (size_t)F->most, m = (size_t)K->m, n = (size_t)K->n;
    F->V = KI_NEW(arena, double, most *m);
    F->T = KI_NEW(arena, double, most *(n + m));
    F->sigma = KI_NEW(arena, double, most);
    F->c = KI_NEW(arena, double, m);
    F->x = KI_NEW(arena, double, n);
    F->t = KI_NEW(arena, double, n);
    double **of_m[] = {&F->y, &F->rest, &F->image, &F->u, &F->u_scaled, &F->gradient, &F->direction};
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        *of_m[i] = KI_NEW(arena, double, m);
    K->deflation = F;
}

/* x = -J^T y */
void ki_minus_J_transposed(const keel_saddle *K, const double *y, double *x) {
    memset(x, 0, (size_t)K->n * sizeof(double));
    for (int i = 0; i < K->m; i++)
        for (int p = K->J.start[i]; p < K->J.start[i + 1]; p++)
            x[K->J.index[p]] -= K->J_values[p] * y[i];
}

/* y <- y - S'^-1 S y (not scaled): the refinement step of the homogeneous system */
void ki_deflation_polish(keel_saddle *K, double *y) {
    ki_deflation *F = K->deflation;
    ki_minus_J_transposed(K, y, F->x);
    for (int i = 0; i < K->m; i++)
        F->y[i] = K->D_factored[i] * y[i];
    ki_saddle_sparse_solve(K, F->x, F->y, F->x, F->y);
    for (int i = 0; i < K->m; i++)
        y[i] += F->y[i];
}

/* v_1 .. v_k: one solve with E, then inverse iteration. The first round takes out what S' resolves well, the
 * others its round-off, down to that of Y. */
static void span_weak_rows(keel_saddle *K) {
    ki_deflation *F = K->deflation;
    for (int j = 0; j < K->pivots.count; j++) {
        double *y = V_of(F, j);
        int row = K->pivots.row[j];
        memset(F->x, 0, (size_t)K->n * sizeof(double));
        memset(y, 0, (size_t)K->m * sizeof(double));
        y[row] = K->S_size[row] > 0 ? K->S_size[row] : 1;
        ki_saddle_sparse_solve(K, F->x, y, F->x, y);
        for (int round = 0; round < 3; round++)
            ki_deflation_polish(K, y);
        for (int i = 0; i < K->m; i++)
            y[i] /= F->c[i];
    }
    F->count = ki_orthonormalize(K->pivots.count, K->m, F->V, K->m, 1e-10);
}

/* T_j = [d^(-1/2) L_A^-1 J^T C v_j; (D^(1/2) C v_j)] */
static void form_T(keel_saddle *K, int j) {
    ki_deflation *F = K->deflation;
    double *v = V_of(F, j), *T = T_of(F, j);
    for (int i = 0; i < K->m; i++) {
        F->y[i] = F->c[i] * v[i];
        T[K->n + i] = sqrt(K->D_factored[i]) * F->y[i];
    }
    ki_minus_J_transposed(K, F->y, F->x);
    for (int i = 0; i < K->n; i++)
        F->x[i] = -F->x[i];
    ki_saddle_sparse_half(K, F->x, T);
}

static void rotate(int length, double cosine, double sine, double *a, double *b) {
    for (int i = 0; i < length; i++) {
        double a_i = a[i], b_i = b[i];
        a[i] = cosine * a_i - sine * b_i;
        b[i] = sine * a_i + cosine * b_i;
    }
}

/* Makes T_a and T_b orthogonal by turning both pairs; false if they were. */
static bool turn_pair(ki_deflation *F, int a, int b) {
    int length = F->n + F->m;
    double *T_a = T_of(F, a), *T_b = T_of(F, b);
    double aa = ki_dot(length, T_a, T_a), bb = ki_dot(length, T_b, T_b);
    if (aa <= SIGMA_NOISE * SIGMA_NOISE && bb <= SIGMA_NOISE * SIGMA_NOISE)
        return false;
    double ab = ki_dot(length, T_a, T_b);
    if (fabs(ab) <= 1e-15 * sqrt(aa * bb))
        return false;
    double zeta = (bb - aa) / (2 * ab);
    double tangent = (zeta > 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
    rotate(length, cosine, sine, T_a, T_b);
    rotate(F->m, cosine, sine, V_of(F, a), V_of(F, b));
    return true;
}

/* Sweeps over all pairs; a handful is enough. */
static void turn_all(ki_deflation *F) {
    bool turned = true;
    for (int sweep = 0; turned && sweep < 30; sweep++) {
        turned = false;
        for (int a = 0; a < F->count; a++)
            for (int b = a + 1; b < F->count; b++)
                turned |= turn_pair(F, a, b);
    }
}

static void swap_vectors(int length, double *a, double *b) {
    rotate(length, 0, 1, a, b);
}

/* Whether J^T C v_j is zero. A small sigma_j alone may also mean that the rows differ on heavy bodies only;
 * but below what Y resolves there is nothing to tell them apart. */
static bool is_null(keel_saddle *K, int j) {
    ki_deflation *F = K->deflation;
    if (F->sigma[j] > K->settings.dependent)
        return false;
    if (F->sigma[j] <= SIGMA_NOISE)
        return true;
    const double *v = V_of(F, j);
    double size = 0;
    for (int i = 0; i < K->m; i++) {
        F->y[i] = F->c[i] * v[i];
        size += (F->y[i] / K->y_scale[i]) * (F->y[i] / K->y_scale[i]);
    }
    ki_minus_J_transposed(K, F->y, F->x);
    return ki_dot(K->n, F->x, F->x) <= K->settings.dependent * K->settings.dependent * size;
}

/* Null vectors first, with sigma_j of the others. */
static void sort_out(keel_saddle *K) {
    ki_deflation *F = K->deflation;
    int length = F->n + F->m;
    F->null_count = 0;
    for (int j = 0; j < F->count; j++) {
        F->sigma[j] = sqrt(ki_dot(length, T_of(F, j), T_of(F, j)));
        if (!is_null(K, j))
            continue;
        int k = F->null_count++;
        if (k == j)
            continue;
        swap_vectors(F->m, V_of(F, k), V_of(F, j));
        swap_vectors(length, T_of(F, k), T_of(F, j));
        double keep = F->sigma[k];
        F->sigma[k] = F->sigma[j];
        F->sigma[j] = keep;
    }
}

/* Two orthonormal bases of the null vectors y = C v: as they are, in place of v, for the least norm; in rows
 * of J of unit Euclidean length, in place of T, for what of s no x can satisfy. */
static void form_null_bases(keel_saddle *K) {
    ki_deflation *F = K->deflation;
    for (int j = 0; j < F->null_count; j++) {
        double *v = V_of(F, j), *w = T_of(F, j);
        for (int i = 0; i < K->m; i++) {
            v[i] *= F->c[i];
            w[i] = v[i] / K->y_scale[i];
        }
    }
    ki_orthonormalize(F->null_count, F->m, F->V, F->m, 0);
    ki_orthonormalize(F->null_count, F->m, F->T, F->n + F->m, 0);
}

/* c = S_ii^(-1/2) */
static void scale_rows(keel_saddle *K) {
    for (int i = 0; i < K->m; i++)
        K->deflation->c[i] = K->S_size[i] > 0 ? 1 / sqrt(K->S_size[i]) : 1;
}

/* L_A and d. A may be singular although K was factored: rows of J that were eliminated early made up for it;
 * then K is factored again, with rows added to A, which also factors A. */
static bool factor_A(keel_saddle *K) {
    if (K->augment && K->augment->active)
        return true;
    return ki_ldl_factor(&K->sparse->A, K->values, NULL, K->sparse->A_failed) ||
           ki_augment_factor(K) == KEEL_OK;
}

bool ki_deflation_factor(keel_saddle *K) {
    ki_deflation *F = K->deflation;
    if (!factor_A(K))
        return false;
    /* rows that passed closely belong to the subspace too, unless they are too many */
    if (K->pivots.near > 0) {
        ki_factor(K, KI_PIVOT_NEAR);
        if (K->pivots.count > F->most)
            ki_factor(K, KI_PIVOT_NOISE);
    }
    F->count = F->null_count = 0;
    F->implicit = K->pivots.count > F->most;
    scale_rows(K);
    if (F->implicit)
        return true;
    span_weak_rows(K);
    for (int j = 0; j < F->count; j++)
        form_T(K, j);
    turn_all(F);
    sort_out(K);
    form_null_bases(K);
    return F->count > 0;
}

void ki_deflation_correct(keel_saddle *K) {
    ki_deflation *F = K->deflation;
    if (F->null_count == F->count)
        return;
    if (K->augment)
        ki_augment_right_side(K, K->y_rest, K->x_rest);
    for (int i = 0; i < K->m; i++)
        F->y[i] = F->c[i] * K->y_rest[i];
    ki_saddle_sparse_half(K, K->x_rest, F->t);
    memset(F->x, 0, (size_t)K->n * sizeof(double));
    memset(F->rest, 0, (size_t)K->m * sizeof(double));
    for (int j = F->null_count; j < F->count; j++) {
        const double *v = V_of(F, j), *T = T_of(F, j);
        double z = (ki_dot(K->n, T, F->t) - ki_dot(K->m, v, F->y)) / (F->sigma[j] * F->sigma[j]);
        for (int i = 0; i < K->m; i++)
            F->rest[i] += F->c[i] * v[i] * z;
        ki_axpy(K->n, z, T, F->x);
    }
    if (K->augment)
        ki_augment_multipliers(K, F->rest);
    for (int i = 0; i < K->m; i++)
        K->y[i] += F->rest[i];
    ki_saddle_sparse_half_back(K, F->x, F->t);
    for (int i = 0; i < K->n; i++)
        K->x[i] -= F->t[i];
}

/* vector <- vector minus its part in the span of `count` orthonormal vectors */
static void project_out(int count, int length, const double *basis, int stride, double *vector) {
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < count; j++) {
            const double *v = basis + (size_t)j * (size_t)stride;
            ki_axpy(length, -ki_dot(length, v, vector), v, vector);
        }
}

void ki_deflation_remove(keel_saddle *K, double *y_rest) {
    ki_deflation *F = K->deflation;
    if (F->implicit) {
        ki_implicit_null_remove(K, K->y_scale, y_rest);
        return;
    }
    for (int i = 0; i < K->m; i++)
        y_rest[i] *= K->y_scale[i];
    project_out(F->null_count, K->m, F->T, F->n + F->m, y_rest);
    for (int i = 0; i < K->m; i++)
        y_rest[i] /= K->y_scale[i];
}

void ki_deflation_least_norm(keel_saddle *K, double *y) {
    ki_deflation *F = K->deflation;
    if (F->implicit)
        ki_implicit_null_remove(K, NULL, y);
    else
        project_out(F->null_count, K->m, F->V, F->m, y);
}

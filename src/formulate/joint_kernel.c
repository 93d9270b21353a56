#include "formulate/joint_kernel.h"

#include <math.h>
#include <string.h>

/* theta. A step halves the distance to a solution where c is quadratic; with this it still does, nearly. */
static const double DAMPING = 1e-3;

/* The metric A, n x n, lower triangle: column `first` + 0, 1, ... of row i up to the diagonal. */
static int metric_row(const keel_system *system, keel_metric metric, int i, int first, int *index) {
    keel_pattern M = system->M;
    int count = 0;
    if (metric == KEEL_METRIC_MASS)
        for (int k = M.start[i]; k < M.start[i + 1]; k++)
            index[count++] = first + M.index[k];
    else
        for (int j = metric == KEEL_METRIC_MATRIX ? 0 : i; j <= i; j++)
            index[count++] = first + j;
    return count;
}

static int metric_count(const keel_system *system, keel_metric metric) {
    int n = system->n_v;
    if (metric == KEEL_METRIC_MASS)
        return keel_pattern_count(system->M);
    return metric == KEEL_METRIC_MATRIX ? n * (n + 1) / 2 : n;
}

/* diag(A, A, 1) */
static keel_pattern make_A(ki_arena *arena, const keel_system *system, keel_metric metric) {
    int n_v = system->n_v, n = 2 * n_v + system->n_z, count = 0;
    int *start = KI_NEW(arena, int, n + 1);
    int *index = KI_NEW(arena, int, 2 * metric_count(system, metric) + system->n_z);
    if (arena->failed)
        return (keel_pattern){0};
    for (int i = 0; i < n; i++) {
        int block = i < n_v ? 0 : n_v;
        if (i < 2 * n_v)
            count += metric_row(system, metric, i - block, block, index + count);
        else
            index[count++] = i;
        start[i + 1] = count;
    }
    return (keel_pattern){n, n, start, index};
}

/* Row i of P, shifted by `first` columns. */
static int copy_row(keel_pattern P, int i, int first, int *index) {
    int count = P.start[i + 1] - P.start[i];
    for (int k = 0; k < count; k++)
        index[k] = first + P.index[P.start[i] + k];
    return count;
}

static keel_pattern make_H(ki_arena *arena, const keel_system *system, int n_i) {
    int n_h = system->n_h, m = keel_system_m(system), rows = n_h + m + n_i, count = 0;
    int *start = KI_NEW(arena, int, rows + 1);
    int *index = KI_NEW(arena, int,
                        2 * keel_pattern_count(system->J) + keel_pattern_count(system->rate_q) +
                            keel_pattern_count(system->invariant_y));
    if (arena->failed)
        return (keel_pattern){0};
    for (int i = 0; i < rows; i++) {
        int level = i - n_h, invariant = level - m;
        if (level < 0)
            count += copy_row(system->J, i, 0, index + count);
        else if (invariant < 0) {
            count += copy_row(system->rate_q, level, 0, index + count);
            count += copy_row(system->J, level, system->n_v, index + count);
        } else
            count += copy_row(system->invariant_y, invariant, 0, index + count);
        start[i + 1] = count;
    }
    return (keel_pattern){rows, 2 * system->n_v + system->n_z, start, index};
}

void ki_joint_init(ki_joint *joint, ki_arena *arena, const keel_system *system, const ki_law *law) {
    joint->n = 2 * system->n_v + system->n_z;
    joint->n_i = law->keep_invariants ? system->n_i : 0;
    joint->m = system->n_h + keel_system_m(system) + joint->n_i;
    joint->A = make_A(arena, system, law->metric);
    joint->H = make_H(arena, system, joint->n_i);
    joint->A_values = KI_NEW(arena, double, keel_pattern_count(joint->A));
    joint->H_values = KI_NEW(arena, double, keel_pattern_count(joint->H));
    joint->x = KI_NEW(arena, double, joint->n);
    double **of_m[] = {&joint->D, &joint->y, &joint->c, &joint->size, &joint->least};
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        *of_m[i] = KI_NEW(arena, double, joint->m);
    if (!arena->failed)
        joint->K = keel_saddle_new(joint->A, joint->H, NULL);
}

static double *append(double *to, keel_pattern P, int i, const double *values) {
    int count = P.start[i + 1] - P.start[i];
    memcpy(to, values + P.start[i], (size_t)count * sizeof(double));
    return to + count;
}

static void assemble_H(ki_joint *joint, const keel_system *system, const keel_terms *at) {
    int m = keel_system_m(system);
    double *to = joint->H_values;
    for (int i = 0; i < system->n_h; i++)
        to = append(to, system->J, i, at->J);
    for (int i = 0; i < m; i++) {
        to = append(to, system->rate_q, i, at->rate_q);
        to = append(to, system->J, i, at->J);
    }
    for (int i = 0; i < joint->n_i; i++)
        to = append(to, system->invariant_y, i, at->invariant_y);
}

/* (H A^-1 H^T)_ii, with the diagonal of A for A; 0 where A has zeros, for it is not a metric by itself there.
 */
static double squared_length(const ki_joint *joint, int i) {
    double sum = 0;
    for (int k = joint->H.start[i]; k < joint->H.start[i + 1]; k++) {
        double a = joint->A_values[joint->A.start[joint->H.index[k] + 1] - 1];
        if (!(a > 0))
            return 0;
        sum += joint->H_values[k] * joint->H_values[k] / a;
    }
    return sum;
}

static void assemble_D(ki_joint *joint, int n_h) {
    double position = 0;
    for (int i = 0; i < joint->m; i++) {
        double eps = fmin(fabs(joint->c[i]) / joint->size[i], 1);
        if (i < n_h)
            position = fmax(position, eps);
        else if (i < joint->m - joint->n_i)
            eps = position;
        joint->D[i] = DAMPING * eps * squared_length(joint, i);
    }
}

/* w^2 sum_j A_jj s_j^2 */
static double energy_of(const ki_joint *joint, const ki_scales *scales, int n_v) {
    double sum = 0;
    for (int j = 0; j < n_v; j++)
        sum += joint->A_values[joint->A.start[j + 1] - 1] * scales->move[j] * scales->move[j];
    return sum > 0 ? sum : 1; /* A has w^2 in it */
}

void ki_joint_assemble(ki_joint *joint, const keel_system *system, const double *metric,
                       const ki_scales *scales, const keel_terms *at) {
    int count = (keel_pattern_count(joint->A) - system->n_z) / 2;
    double w = scales ? scales->rate : 1;
    for (int k = 0; k < count; k++) {
        joint->A_values[k] = w * w * metric[k];
        joint->A_values[count + k] = metric[k];
    }
    const double *size = scales ? scales->y + system->n_q + system->n_v : NULL;
    double energy = scales && system->n_z ? energy_of(joint, scales, system->n_v) : 1;
    for (int i = 0; i < system->n_z; i++)
        joint->A_values[2 * count + i] = size ? energy / (size[i] * size[i]) : 1;
    assemble_H(joint, system, at);
    assemble_D(joint, system->n_h);
}

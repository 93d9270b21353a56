/* self_stress.c - joints that say the same, from states of self-stress.
 *
 * For every dependent row r there is one y with J^T y = 0, y_r = 1 and y = 0 in the other dependent rows: how
 * row r follows from the independent ones. With the null space N (one y per row) and its columns N_D of the
 * dependent rows these are N_D^-1 N. The forces in the joints that y makes, tree joints included, tell which
 * joints take part.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/mobility.h"
#include "linalg/dense.h"

/* N <- N_D^-1 N */
static keel_status reduce(ki_look *look, double *N) {
    int k = look->rank.dependent_count, m = look->rows;
    double *N_D = KI_NEW(&look->arena, double, (size_t)k *(size_t)k),
           *column = KI_NEW(&look->arena, double, k);
    int *pivot = KI_NEW(&look->arena, int, k);
    if (look->arena.failed)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < k; i++) /* y = sum_i c_i N_i: N_D^T c is a unit vector */
        for (int j = 0; j < k; j++)
            N_D[i * k + j] = N[j * m + look->rank.dependent[i]];
    if (ki_dense_lu_factor(k, N_D, pivot) >= 0)
        return KEEL_OK; /* cannot be: then the null space stays as it is, and more joints are named */
    double *reduced = KI_NEW(&look->arena, double, (size_t)k *(size_t)m);
    if (look->arena.failed)
        return KEEL_ERROR_MEMORY;
    for (int r = 0; r < k; r++) {
        memset(column, 0, (size_t)k * sizeof *column);
        column[r] = 1;
        ki_dense_lu_solve(k, N_D, pivot, column);
        for (int i = 0; i < k; i++)
            ki_axpy(m, column[i], N + i * m, reduced + r * m);
    }
    memcpy(N, reduced, (size_t)k * (size_t)m * sizeof *N);
    return KEEL_OK;
}

static double size_of(const keel_reaction *reaction) {
    double most = 0;
    for (int k = 0; k < 3; k++)
        most = fmax(most, fmax(fabs(reaction->force[k]), fabs(reaction->torque[k])));
    return most;
}

/* carries[j] = 1 for the joints that the self-stress y loads; entries that are set stay. */
static keel_status mark_loaded(ki_look *look, const double *y, int joints, double *lambda,
                               keel_reaction *reactions, int *carries) {
    keel_point at = look->at;
    double most = 0;
    memset(lambda, 0, (size_t)keel_system_m(look->system) * sizeof *lambda);
    for (int i = 0; i < look->rows; i++)
        lambda[look->row_of[i]] = y[i] / look->length[i];
    at.lambda = lambda;
    keel_status status = keel_mechanism_reactions(look->system, look->work, &at, NULL, reactions);
    if (status < 0)
        return status;
    for (int j = 0; j < joints; j++)
        most = fmax(most, size_of(&reactions[j]));
    for (int j = 0; j < joints; j++)
        carries[j] |= size_of(&reactions[j]) > KI_MOBILITY_ZERO * most;
    return KEEL_OK;
}

/* The others are the joints marked in `carries`. */
static keel_status add_repetition(keel_mobility *mobility, int joint, int conditions, const int *carries) {
    keel_repetition *r = &mobility->repetitions[mobility->repetition_count];
    r->others = calloc((size_t)mobility->joints + 1, sizeof *r->others);
    if (!r->others)
        return KEEL_ERROR_MEMORY;
    mobility->repetition_count++;
    r->joint = joint;
    r->conditions = conditions;
    for (int j = 0; j < mobility->joints; j++) {
        if (carries[j])
            mobility->shared[j] = 1;
        if (carries[j] && j != joint)
            r->others[r->other_count++] = j;
    }
    return KEEL_OK;
}

keel_status ki_find_repetitions(ki_look *look, keel_mobility *mobility) {
    const keel_rank *rank = &look->rank;
    int k = rank->dependent_count, m = look->rows;
    double *lambda = KI_NEW(&look->arena, double, keel_system_m(look->system));
    double *N = KI_NEW(&look->arena, double, (size_t)k *(size_t)m);
    keel_reaction *reactions = KI_NEW(&look->arena, keel_reaction, mobility->joints);
    int *carries = KI_NEW(&look->arena, int, mobility->joints);
    if (look->arena.failed)
        return KEEL_ERROR_MEMORY;
    if (k == 0)
        return KEEL_OK;
    memcpy(N, rank->null_space, (size_t)k * (size_t)m * sizeof *N);
    keel_status status = reduce(look, N);
    for (int i = 0, next; !status && i < k; i = next) {
        int joint = look->joint_of[rank->dependent[i]];
        memset(carries, 0, (size_t)mobility->joints * sizeof *carries);
        for (next = i; !status && next < k && look->joint_of[rank->dependent[next]] == joint; next++)
            status = mark_loaded(look, N + next * m, mobility->joints, lambda, reactions, carries);
        if (!status)
            status = add_repetition(mobility, joint, next - i, carries);
    }
    return status;
}

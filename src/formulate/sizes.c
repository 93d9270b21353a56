/* How large a constraint is: what its violation is compared with. */
#include <math.h>

#include "formulate/sizes.h"

/* fmax, which is a call. */
static inline double larger(double a, double b) {
    return b > a ? b : a;
}

static double largest(const double *x, int n) {
    double max = 0;
    for (int i = 0; i < n; i++)
        max = larger(max, fabs(x[i]));
    return max;
}

/* size = |J| length for the first `rows` rows */
static void row_sums(const ki_dynamics *d, int rows, const double *length, double *size) {
    const int *start = d->system->J.start, *index = d->system->J.index;
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int k = start[i]; k < start[i + 1]; k++)
            sum += fabs(d->at.J[k]) * length[index[k]];
        size[i] = sum;
    }
}

/* sum_j |J_ij| max(|x_j|, floor, least_j) for the first `rows` rows; x = NULL takes `floor` for all, least =
 * NULL zeros. A row that was larger before keeps a hundredth of that size: at a singular pose a row of J may
 * vanish, but not the terms of its constraint. */
static void row_sizes(const ki_dynamics *d, int rows, const double *x, double floor, const double *least,
                      const double *largest_so_far, double *size) {
    double *length = d->length;
    for (int j = 0; !x && j < d->system->n_v; j++)
        length[j] = floor;
    for (int j = 0; x && j < d->system->n_v; j++)
        length[j] = larger(floor, fabs(x[j]));
    for (int j = 0; least && j < d->system->n_v; j++)
        length[j] = larger(length[j], least[j]);
    if (rows < d->m || !ki_saddle_row_sums(d->K, d->at.J, length, size))
        row_sums(d, rows, length, size);
    for (int i = 0; i < rows; i++) {
        double sum = larger(0.01 * largest_so_far[i], size[i]);
        size[i] = sum > 0 ? sum : 1; /* an empty row: nothing to compare with */
    }
}

/* Positions far from the origin. A tenth of them, so that the default tolerance of projections is two of
 * their round-offs: at a singular pose a window of four-bars opens with the root of what a projection leaves,
 * and ten round-offs were seen in the motion after it (tests/physics/mechanism_branch.c). */
static void raise_to_positions(const double *position, int rows, double *size) {
    for (int i = 0; position && i < rows; i++)
        size[i] = larger(size[i], 0.1 * position[i]);
}

void ki_position_sizes(const ki_dynamics *d, const double *q, double *size) {
    const keel_system *sys = d->system;
    double length = largest(q, sys->n_q);
    const double *least = sys->q_size;
    if (length == 0)
        row_sizes(d, sys->n_h, NULL, least ? 0 : 1, least, d->largest_position, size);
    else if (sys->kinematics) /* columns of J are not the components of q */
        row_sizes(d, sys->n_h, NULL, length, least, d->largest_position, size);
    else
        row_sizes(d, sys->n_h, q, 0.01 * length, least, d->largest_position, size);
    raise_to_positions(sys->Phi_size, sys->n_h, size);
}

void ki_velocity_sizes(const ki_dynamics *d, const double *v, double *size) {
    double speed = largest(v, d->system->n_v);
    if (speed == 0)
        row_sizes(d, d->m, NULL, 1, NULL, d->largest_velocity, size);
    else
        row_sizes(d, d->m, v, 0.01 * speed, NULL, d->largest_velocity, size);
}

/* What counts as the length of component j: not less than a hundredth of the largest, 1 where all are zero.
 */
static double length_of(const double *x, int j, double most) {
    return most > 0 ? fmax(fabs(x[j]), 0.01 * most) : 1;
}

void ki_invariant_sizes(const ki_dynamics *d, const double *y, double *size) {
    const keel_system *sys = d->system;
    keel_pattern P = sys->invariant_y;
    int n_v = sys->n_v;
    const double *v = y + sys->n_q, *z = v + n_v;
    double most_q = largest(y, sys->n_q), most_v = largest(v, n_v), most_z = largest(z, sys->n_z);
    for (int i = 0; i < sys->n_i; i++) {
        size[i] = 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++) {
            int j = P.index[k];
            double length;
            if (j >= 2 * n_v)
                length = length_of(z, j - 2 * n_v, most_z);
            else if (j >= n_v)
                length = length_of(v, j - n_v, most_v);
            else if (sys->kinematics) /* columns are not the components of q */
                length = most_q > 0 ? most_q : 1;
            else
                length = length_of(y, j, most_q);
            size[i] += fabs(d->at.invariant_y[k]) * length;
        }
        size[i] = fmax(size[i], fmax(fabs(d->invariant_start[i]), 0.01 * d->largest_invariant[i]));
        if (!(size[i] > 0))
            size[i] = 1;
    }
}

/* Only for states that were accepted: what a failed attempt passes through says nothing about the
 * constraints. */
static void remember_largest(const double *size, int rows, double *largest_so_far) {
    for (int i = 0; i < rows; i++)
        largest_so_far[i] = larger(largest_so_far[i], size[i]);
}

static void worst_row(const double *violation, const double *size, int rows, double *max, double *scaled,
                      int *row) {
    *max = *scaled = 0;
    *row = rows ? 0 : -1;
    for (int i = 0; i < rows; i++) {
        if (!(fabs(violation[i]) <= *max)) {
            *max = fabs(violation[i]);
            *row = i;
        }
        *scaled = larger(*scaled, fabs(violation[i]) / size[i]);
    }
}

/* How far the invariants are from where they started. */
static keel_status measure_invariants(ki_dynamics *d, double t, const double *y, ki_violation *w) {
    int n_i = d->system->n_i;
    w->invariant = w->invariant_scaled = 0;
    w->invariant_row = -1;
    if (!d->invariants_known)
        return KEEL_OK;
    keel_status status = ki_evaluate_terms(d, KEEL_INVARIANTS, t, y);
    if (status)
        return status;
    for (int i = 0; i < n_i; i++)
        d->invariant_error[i] = d->at.invariant[i] - d->invariant_start[i];
    ki_invariant_sizes(d, y, d->invariant_size);
    remember_largest(d->invariant_size, n_i, d->largest_invariant);
    worst_row(d->invariant_error, d->invariant_size, n_i, &w->invariant, &w->invariant_scaled,
              &w->invariant_row);
    return KEEL_OK;
}

keel_status ki_measure_violation(ki_dynamics *d, double t, const double *y, ki_violation *w) {
    keel_status status = ki_evaluate_once(d, KEEL_POSITION | KEEL_VELOCITY, t, y);
    if (status)
        return status;
    ki_position_sizes(d, y, d->size);
    remember_largest(d->size, d->system->n_h, d->largest_position);
    worst_row(d->at.Phi, d->size, d->system->n_h, &w->position, &w->position_scaled, &w->position_row);
    ki_velocity_sizes(d, y + d->system->n_q, d->size);
    remember_largest(d->size, d->m, d->largest_velocity);
    worst_row(d->at.rate, d->size, d->m, &w->velocity, &w->velocity_scaled, &w->velocity_row);
    return measure_invariants(d, t, y, w);
}

double ki_worst_relative(const double *violation, const double *size, int rows, int *worst) {
    double most = 0;
    *worst = 0;
    for (int i = 0; i < rows; i++) {
        double relative = fabs(violation[i]) / size[i];
        if (!(relative <= most)) {
            most = relative;
            *worst = i;
            if (isnan(relative)) /* nothing is worse */
                break;
        }
    }
    return most;
}

/* How large a constraint is: what its violation is compared with. */
#include <math.h>

#include "formulate/sizes.h"

/* Positions far from the origin count as a tenth of what they are, so that the default tolerance of
 * projections is two of their round-offs: at a singular pose a window of four-bars opens with the root of
 * what a projection leaves, and ten round-offs were seen in the motion after it
 * (tests/physics/mechanism_branch.c). */
static const double POSITION_PART = 0.1;

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

/* length_j = max(|x_j|, floor, least_j); x = NULL: zeros, least = NULL: zeros */
static void set_lengths(int n, const double *x, double floor, const double *least, double *restrict length) {
    if (x && !least)
        for (int j = 0; j < n; j++)
            length[j] = larger(floor, fabs(x[j]));
    else if (x)
        for (int j = 0; j < n; j++)
            length[j] = larger(larger(floor, fabs(x[j])), least[j]);
    else
        for (int j = 0; j < n; j++)
            length[j] = least ? larger(floor, least[j]) : floor;
}

/* |J| d->length for the first `rows` rows, not below `least` (NULL: zeros). A row that was larger before
 * keeps a hundredth of that size: at a singular pose a row of J may vanish, but not the terms of its
 * constraint. */
static void row_sizes(const ki_dynamics *d, int rows, const double *largest_so_far, const double *least,
                      double *restrict size) {
    if (rows < d->m || !ki_saddle_row_sums(d->K, d->at.J, d->length, size))
        row_sums(d, rows, d->length, size);
    for (int i = 0; i < rows; i++) {
        double sum = larger(0.01 * largest_so_far[i], size[i]);
        sum = sum > 0 ? sum : 1; /* an empty row: nothing to compare with */
        size[i] = least ? larger(sum, POSITION_PART * least[i]) : sum;
    }
}

void ki_position_sizes(const ki_dynamics *d, const double *q, double *size) {
    const keel_system *sys = d->system;
    double length = largest(q, sys->n_q);
    const double *least = sys->q_size;
    if (length == 0)
        set_lengths(sys->n_v, NULL, least ? 0 : 1, least, d->length);
    else if (sys->kinematics) /* columns of J are not the components of q */
        set_lengths(sys->n_v, NULL, length, least, d->length);
    else
        set_lengths(sys->n_v, q, 0.01 * length, least, d->length);
    row_sizes(d, sys->n_h, d->largest_position, sys->Phi_size, size);
}

/* Turning about a place far from the origin, positions change by far more than their differences do, and so
 * does their round-off. */
static void raise_by_reach(const keel_system *sys, const double *v, double *size) {
    double turning = 0;
    for (int j = 0; j < sys->n_v; j++)
        turning = larger(turning, sys->q_size[j] == 1 ? fabs(v[j]) : 0);
    for (int i = 0; i < sys->n_h; i++)
        size[i] = larger(size[i], POSITION_PART * turning * sys->Phi_size[i]);
}

void ki_velocity_sizes(const ki_dynamics *d, const double *v, double *size) {
    const keel_system *sys = d->system;
    int n = sys->n_v;
    double speed = largest(v, n);
    set_lengths(n, speed == 0 ? NULL : v, speed == 0 ? 1 : 0.01 * speed, NULL, d->length);
    row_sizes(d, d->m, d->largest_velocity, NULL, size);
    if (sys->Phi_size && sys->q_size)
        raise_by_reach(sys, v, size);
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

/* The largest violation, its row, and the largest relative to its size. Sizes are remembered, as only states
 * that were accepted are looked at: what a failed attempt passes through says nothing about the constraints.
 */
static void judge(const double *violation, const double *size, int rows, double *restrict largest_so_far,
                  double *max, double *scaled, int *row) {
    double most = 0, most_scaled = 0;
    int worst = rows ? 0 : -1;
    for (int i = 0; i < rows; i++) {
        double amount = fabs(violation[i]);
        if (!(amount <= most)) {
            most = amount;
            worst = i;
        }
        most_scaled = larger(most_scaled, amount / size[i]);
        largest_so_far[i] = larger(largest_so_far[i], size[i]);
    }
    *max = most;
    *scaled = most_scaled;
    *row = worst;
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
    judge(d->invariant_error, d->invariant_size, n_i, d->largest_invariant, &w->invariant,
          &w->invariant_scaled, &w->invariant_row);
    return KEEL_OK;
}

/* With Phi and the rate in d->at. */
static keel_status measure(ki_dynamics *d, double t, const double *y, ki_violation *w) {
    ki_position_sizes(d, y, d->size);
    judge(d->at.Phi, d->size, d->system->n_h, d->largest_position, &w->position, &w->position_scaled,
          &w->position_row);
    ki_velocity_sizes(d, y + d->system->n_q, d->size);
    judge(d->at.rate, d->size, d->m, d->largest_velocity, &w->velocity, &w->velocity_scaled,
          &w->velocity_row);
    return measure_invariants(d, t, y, w);
}

keel_status ki_measure_violation(ki_dynamics *d, double t, const double *y, ki_violation *w) {
    *w = (ki_violation){.position_row = -1, .velocity_row = -1};
    if (d->m == 0)
        return measure_invariants(d, t, y, w);
    keel_status status = ki_evaluate_once(d, KEEL_POSITION | KEEL_VELOCITY, t, y);
    return status ? status : measure(d, t, y, w);
}

keel_status ki_measure_violation_anew(ki_dynamics *d, double t, const double *y, ki_violation *w) {
    keel_status status = ki_evaluate_terms(d, KEEL_POSITION | KEEL_VELOCITY, t, y);
    return status ? status : measure(d, t, y, w);
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

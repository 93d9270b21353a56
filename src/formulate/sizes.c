/* How large a constraint is: what its violation is compared with. */
#include <math.h>

#include "formulate/sizes.h"

/* Positions far from the origin count as a tenth of what they are, so that the default tolerance of
 * projections is two of their round-offs: at a singular pose a window of four-bars opens with the root of
 * what a projection leaves, and ten round-offs were seen in the motion after it
 * (tests/physics/mechanism_branch.c). */
static const double POSITION_PART = 0.1;

/* Components below this part of their scale count as that. */
static const double SMALL_PART = 0.01;

/* fmax, which is a call. */
static inline double larger(double a, double b) {
    return b > a ? b : a;
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

/* |J| d->length for the first `rows` rows, not below `least` (NULL: zeros). A row that was larger before
 * keeps a hundredth of that size: at a singular pose a row of J may vanish, but not the terms of its
 * constraint. */
static void row_sizes(const ki_dynamics *d, int rows, const double *largest_so_far, const double *least,
                      double *restrict size) {
    const double *natural = d->system->row_size;
    if (rows < d->m || !ki_saddle_row_sums(d->K, d->at.J, d->length, size))
        row_sums(d, rows, d->length, size);
    for (int i = 0; i < rows; i++) {
        double sum = larger(0.01 * largest_so_far[i], size[i]);
        sum = sum > 0 ? sum : natural ? natural[i] : 1; /* an empty row */
        size[i] = least ? larger(sum, POSITION_PART * least[i]) : sum;
    }
}

/* How many times its natural size the configuration is, at least 1: where columns of J are not the components
 * of q, all displacements count as so much larger. */
static double stretch(const ki_dynamics *d, const double *q) {
    double most = 1;
    for (int i = 0; i < d->system->n_q; i++)
        most = larger(most, fabs(q[i]) / d->scales->y[i]);
    return most;
}

/* What of a natural size the smallest coordinate counts as: those of a mechanism are differences from its
 * drawing, those of a model of equations are what they are. */
static double least_part(const ki_dynamics *d) {
    return d->system->q_size ? 1 : SMALL_PART;
}

/* length_j = max(|q_j|, least s_j) */
static void set_displacements(const ki_dynamics *d, const double *q, double *restrict length) {
    const double *size = d->scales->move;
    int n = d->system->n_v;
    double least = least_part(d);
    if (d->system->kinematics) {
        double part = stretch(d, q);
        for (int j = 0; j < n; j++)
            length[j] = part * size[j];
    } else {
        for (int j = 0; j < n; j++)
            length[j] = larger(fabs(q[j]), least * size[j]);
    }
}

/* length_j = max(|v_j|, SMALL_PART w s_j) with the rate w of this state, or that of the motion where nothing
 * moves. */
static void set_velocities(const ki_dynamics *d, const double *v, double *restrict length) {
    const double *size = d->scales->move;
    int n = d->system->n_v;
    double rate = 0;
    for (int j = 0; j < n; j++)
        rate = larger(rate, fabs(v[j]) / size[j]);
    rate = rate > 0 ? SMALL_PART * rate : d->scales->rate;
    for (int j = 0; j < n; j++)
        length[j] = larger(fabs(v[j]), rate * size[j]);
}

void ki_position_sizes(const ki_dynamics *d, const double *q, double *size) {
    const keel_system *sys = d->system;
    set_displacements(d, q, d->length);
    row_sizes(d, sys->n_h, d->largest_position, sys->Phi_size, size);
}

/* Turning about a place far from the origin, positions change by far more than their differences do, and so
 * does their round-off. */
static void raise_by_reach(const keel_system *sys, const double *v, double *size) {
    double turning = 0;
    for (int j = 0; j < sys->n_v; j++)
        turning = larger(turning, sys->q_turns[j] ? fabs(v[j]) : 0);
    for (int i = 0; i < sys->n_h; i++)
        size[i] = larger(size[i], POSITION_PART * turning * sys->Phi_size[i]);
}

void ki_velocity_sizes(const ki_dynamics *d, const double *v, double *size) {
    const keel_system *sys = d->system;
    set_velocities(d, v, d->length);
    row_sizes(d, d->m, d->largest_velocity, NULL, size);
    if (sys->Phi_size && sys->q_turns)
        raise_by_reach(sys, v, size);
}

/* |I_y| of the rates of change of a kind, whose column is `first` or behind it, times `length`. */
static void add_parts(const ki_dynamics *d, int first, int count, const double *length, double *size) {
    keel_pattern P = d->system->invariant_y;
    for (int i = 0; i < d->system->n_i; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            if (P.index[k] >= first && P.index[k] < first + count)
                size[i] += fabs(d->at.invariant_y[k]) * length[P.index[k] - first];
}

/* length_j = max(|x_j|, SMALL_PART part size_j) with the largest part of its size that any component is; x =
 * NULL: components that are not those of the columns, part size_j; the sizes themselves where all are zero.
 */
static void set_parts(int n, const double *x, double part, const double *size, double *restrict length) {
    for (int j = 0; j < n; j++)
        length[j] = !(part > 0) ? size[j]
                    : x         ? larger(fabs(x[j]), SMALL_PART * part * size[j])
                                : part * size[j];
}

/* |I_z| |z| of invariant i */
static double of_states(const ki_dynamics *d, int i, const double *z) {
    const keel_system *sys = d->system;
    keel_pattern P = sys->invariant_y;
    const double *size = d->scales->y + sys->n_q + sys->n_v;
    double sum = 0, part = ki_most_of(sys->n_z, z, size);
    for (int k = P.start[i]; k < P.start[i + 1]; k++) {
        int j = P.index[k] - 2 * sys->n_v;
        if (j >= 0)
            sum += fabs(d->at.invariant_y[k]) *
                   (part > 0 ? larger(fabs(z[j]), SMALL_PART * part * size[j]) : size[j]);
    }
    return sum;
}

void ki_invariant_sizes(const ki_dynamics *d, const double *y, double *size) {
    const keel_system *sys = d->system;
    int n_v = sys->n_v, of_z = sys->n_q + n_v;
    for (int i = 0; i < sys->n_i; i++)
        size[i] = 0;
    set_parts(n_v, sys->kinematics ? NULL : y, ki_most_of(sys->n_q, y, d->scales->y), d->scales->move,
              d->length);
    add_parts(d, 0, n_v, d->length, size);
    set_velocities(d, y + sys->n_q, d->length);
    add_parts(d, n_v, n_v, d->length, size);
    for (int i = 0; i < sys->n_i; i++)
        size[i] += of_states(d, i, y + of_z);
    for (int i = 0; i < sys->n_i; i++) {
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

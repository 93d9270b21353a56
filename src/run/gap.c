#include "run/gap.h"

#include <math.h>
#include <string.h>

#include "base/four.h"
#include "linalg/dense.h"
#include "linalg/saddle_internal.h"

/* Of independent rows at the start more than this is left; round-off of pivots leaves up to 1e-7. */
static const double RANK_BY_ROWS = 1e-8, RANK_BY_PIVOTS = 1e-6;

/* m^2 n up to which orthogonalising costs little against a step. */
static const double LARGEST_BY_ROWS = 1e3;

/* Inverse iterations per step for the direction with J^T y small: at most, and as long as one leaves it
 * turned, since the last step, by more than the little that is added to it (cosine of the angle). What is
 * added does not matter after one of them: of a direction with a larger J^T y the square of the ratio is
 * left. */
enum { ITERATIONS = 3 };
static const double SETTLED = 0.99;

/* Sizes of the displacements, NULL: they count as they are, where a model of equations tells no unit of any.
 */
static const double *natural_sizes(const ki_dynamics *d) {
    const keel_system *sys = d->system;
    bool known = sys->stated_v && !sys->q_size;
    for (int j = 0; !known && !sys->q_size && sys->units.q && j < sys->n_q; j++)
        known = sys->units.q[j] && sys->units.q[j][0];
    return known ? d->scales->move : NULL;
}

/* Entry k of J for a displacement of natural size. */
static inline double entry(const ki_dynamics *d, const double *size, int k) {
    return size ? d->at.J[k] * size[d->system->J.index[k]] : d->at.J[k];
}

/* Rows of J as far apart as whole fours are, zero behind their ends. */
static void load_rows(ki_gap *gap, const ki_dynamics *d) {
    keel_pattern P = d->system->J;
    const double *size = natural_sizes(d);
    int wide = ki_padded(d->system->n_v);
    memset(gap->rows, 0, (size_t)d->m * (size_t)wide * sizeof(double));
    for (int i = 0; i < d->m; i++) {
        double square = 0, length = gap->length[i], *row = gap->rows + (size_t)i * (size_t)wide;
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            square += entry(d, size, k) * entry(d, size, k);
        if (square > length * length) /* no root where a row was longer before */
            gap->length[i] = length = fmax(length, sqrt(square));
        for (int k = P.start[i]; k < P.start[i + 1] && length > 0; k++)
            row[P.index[k]] = entry(d, size, k) / length;
    }
}

/* Exchanges two rows; the one that comes first now, of the given length, becomes a unit vector. */
KI_INLINE void to_front(int n, double *first, double *other, double length) {
    for (int j = 0; j < n; j++) {
        double swap = first[j];
        first[j] = other[j] / length;
        if (other != first)
            other[j] = swap;
    }
}

/* a^T b of rows in whole fours */
KI_INLINE double product(int wide, const double *a, const double *b) {
    ki_four sum = {0};
    for (int j = 0; j < wide; j += KI_FOUR)
        sum += *ki_const_four_at(a, j) * *ki_const_four_at(b, j);
    return ki_four_sum(&sum);
}

/* Takes what lies along the unit vector u out of a row, and updates the square of its length. Rows of bodies
 * that have nothing to do with each other are orthogonal as they are. */
KI_INLINE void take_out(int wide, const double *u, double *row, double *square) {
    double along = product(wide, u, row);
    ki_four sum = {0};
    if (along == 0)
        return;
    for (int j = 0; j < wide; j += KI_FOUR) {
        ki_four left = *ki_four_at(row, j) - along * *ki_const_four_at(u, j);
        sum += left * left;
        *ki_four_at(row, j) = left;
    }
    *square = ki_four_sum(&sum);
}

/* Orthogonalises the rows, always the longest rest next. */
KI_INLINE void orthogonalise(ki_gap *gap, int m, int wide) {
    double *square = gap->sorted; /* of the rests; not in use where lengths are those of rows */
    memset(gap->left, 0, (size_t)m * sizeof(double));
    for (int i = 0; i < m; i++)
        square[i] = product(wide, gap->rows + i * wide, gap->rows + i * wide);
    for (int k = 0; k < m; k++) {
        int longest = k;
        for (int i = k + 1; i < m; i++)
            longest = square[i] > square[longest] ? i : longest;
        double length = gap->left[k] = sqrt(square[longest]);
        if (!(length > 0) || k == m - 1)
            break;
        double *row_k = gap->rows + k * wide;
        to_front(wide, row_k, gap->rows + longest * wide, length);
        square[longest] = square[k];
        for (int i = k + 1; i < m; i++)
            take_out(wide, row_k, gap->rows + i * wide, &square[i]);
    }
}

/* Rows of one or two fours are straight lines. */
KI_TWICE static void lengths_by_rows(ki_gap *gap, int m, int wide) {
    if (wide == KI_FOUR)
        orthogonalise(gap, m, KI_FOUR);
    else if (wide == 2 * KI_FOUR)
        orthogonalise(gap, m, 2 * KI_FOUR);
    else
        orthogonalise(gap, m, wide);
}

/* Row i of the rows to combine: J_i of unit length, behind it column i of the unit matrix. Returns 1 / |J_i|.
 */
static double load_combination(const ki_dynamics *d, int i, double *row) {
    keel_pattern P = d->system->J;
    int n = d->system->n_v;
    const double *size = natural_sizes(d);
    double square = 0;
    memset(row, 0, (size_t)(n + d->m) * sizeof(double));
    for (int k = P.start[i]; k < P.start[i + 1]; k++)
        square += entry(d, size, k) * entry(d, size, k);
    double scale = square > 0 ? 1 / sqrt(square) : 1;
    for (int k = P.start[i]; k < P.start[i + 1]; k++)
        row[P.index[k]] = entry(d, size, k) * scale;
    row[n + i] = 1;
    return scale;
}

/* Orthogonalises the first n of `wide` columns, the longest rest next, down to a rest of `least`; the others
 * come along. Returns how many rows that makes. */
static int combine_rows(int m, int n, int wide, double least, double *rows) {
    for (int k = 0; k < m; k++) {
        double *first = rows + k * wide, *longest = first;
        for (double *row = first; row < rows + m * wide; row += wide)
            longest = ki_dot(n, row, row) > ki_dot(n, longest, longest) ? row : longest;
        double length = sqrt(ki_dot(n, longest, longest));
        if (!(length > least))
            return k;
        to_front(wide, first, longest, length);
        for (double *row = first + wide; row < rows + m * wide; row += wide)
            ki_axpy(wide, -ki_dot(n, first, row), first, row);
    }
    return m;
}

void ki_gap_parts(ki_gap *gap, const ki_dynamics *d, double least, double *part) {
    int m = d->m, n = d->system->n_v, wide = n + m;
    double *scale = gap->sorted;
    for (int i = 0; i < m; i++)
        scale[i] = load_combination(d, i, gap->combined + i * wide);
    int rank = combine_rows(m, n, wide, least, gap->combined);
    memset(part, 0, (size_t)m * sizeof *part);
    if (rank == m)
        return;
    double *null = gap->combined + rank * wide + n; /* y with J^T y = 0 in rows of unit length */
    for (int k = 0; k < m - rank; k++)
        for (int i = 0; i < m; i++)
            null[k * wide + i] *= scale[i];
    ki_orthonormalize(m - rank, m, null, wide, 0);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m - rank; k++)
            part[i] = fmax(part[i], fabs(null[k * wide + i]));
}

/* sqrt(pivot / S_ii), S_ii the largest so far; nothing without factors */
static bool lengths_by_pivots(ki_gap *gap, const ki_dynamics *d) {
    if (!d->factored || !ki_saddle_pivots(d->K, gap->left, gap->sorted))
        return false;
    for (int i = 0; i < d->m; i++) {
        gap->length[i] = fmax(gap->length[i], sqrt(gap->sorted[i]));
        gap->left[i] = gap->left[i] > 0 && gap->length[i] > 0 ? sqrt(gap->left[i]) / gap->length[i] : 0;
    }
    return true;
}

static bool find_lengths(ki_gap *gap, const ki_dynamics *d) {
    if (gap->by_pivots)
        return lengths_by_pivots(gap, d);
    load_rows(gap, d);
    lengths_by_rows(gap, d->m, ki_padded(d->system->n_v));
    return true;
}

/* Number k (from 0) of the values by increasing size; they are moved about (Hoare's selection). */
static double nth_smallest(double *values, int count, int k) {
    for (int low = 0, high = count - 1; low < high;) {
        double middle = values[(low + high) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (values[i] < middle)
                i++;
            while (middle < values[j])
                j--;
            if (i > j)
                break;
            double swap = values[i];
            values[i++] = values[j];
            values[j--] = swap;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return values[k];
}

double ki_gap_measure(ki_gap *gap, ki_dynamics *d) {
    if (!find_lengths(gap, d))
        return INFINITY;
    if (!gap->by_pivots)
        return gap->left[gap->rank - 1];
    memcpy(gap->sorted, gap->left, (size_t)d->m * sizeof(double));
    return nth_smallest(gap->sorted, d->m, d->m - gap->rank);
}

int ki_gap_rank(ki_gap *gap, const ki_dynamics *d, double least) {
    int above = 0;
    if (!find_lengths(gap, d))
        return gap->rank;
    for (int i = 0; i < d->m; i++)
        above += gap->left[i] > least;
    return above;
}

/* Part i of a vector that is not orthogonal to any direction to be expected: +-1, without a pattern. */
static double any_sign(int i) {
    unsigned bits = (unsigned)i * 2654435761u;
    return bits >> 31 ? 1 : -1;
}

/* y <- S^-1 y, scaled to unit length; x <- M^-1 J^T y. In rows of unit length, C S C with C = 1 / length.
 * Returns the cosine of the angle by which y has turned from y_0, another vector of unit length. */
static double iterate(ki_gap *gap, ki_dynamics *d, const double *y_0, double *y, double *x) {
    int m = d->m, n = d->system->n_v;
    double square = 0, cosine = 0;
    for (int i = 0; i < m; i++)
        y[i] *= gap->length[i];
    memset(x, 0, (size_t)n * sizeof(double));
    ki_apply(d->K, x, y);
    for (int i = 0; i < m; i++) {
        y[i] *= -gap->length[i];
        square += y[i] * y[i];
    }
    double scale = square > 0 && square < INFINITY ? 1 / sqrt(square) : 0;
    for (int i = 0; i < m; i++) {
        y[i] *= scale;
        cosine += y[i] * y_0[i];
    }
    for (int j = 0; j < n; j++)
        x[j] *= scale;
    return cosine;
}

bool ki_gap_turned(ki_gap *gap, ki_dynamics *d) {
    keel_pattern P = d->system->J;
    double product = 0, little = 0.1 / sqrt(d->m);
    /* a little of everything: what is small now may have been out of sight */
    double *y_0 = gap->sorted;
    for (int i = 0; i < d->m; i++) {
        y_0[i] = gap->y[i];
        gap->y[i] += little * any_sign(i);
    }
    for (int k = 0; k < ITERATIONS && iterate(gap, d, y_0, gap->y, gap->x_new) < SETTLED; k++)
        ;
    for (int i = 0; i < d->m; i++) {
        double along = 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            along += d->at.J[k] * gap->x[P.index[k]];
        product += gap->length[i] > 0 ? gap->y[i] / gap->length[i] * along : 0;
    }
    double *swap = gap->x;
    gap->x = gap->x_new;
    gap->x_new = swap;
    return product < 0;
}

keel_status ki_gap_prepare(const ki_gap *gap, ki_dynamics *d, double t, const double *y) {
    if (gap->by_pivots)
        return ki_factor_at(d, t, y);
    d->factored = false;
    return ki_evaluate_terms(d, KEEL_JACOBIAN, t, y);
}

/* Rows of unit length turn no faster than the bodies that they belong to. */
double ki_gap_speed(const keel_system *system, const double *y) {
    const double *v = y + system->n_q;
    keel_pattern P = system->J;
    double most = 0;
    for (int k = 0; system->q_size && k < keel_pattern_count(P); k++)
        most = fmax(most, fabs(v[P.index[k]]) / system->q_size[P.index[k]]);
    return most;
}

/* A row that is round-off in the pose of the start has no length to begin with. */
static void begin_with_natural_lengths(ki_gap *gap, const keel_system *sys) {
    static const double PART = 1e-3;
    for (int i = 0; sys->row_size && sys->q_size && i < sys->J.rows; i++) {
        double widest = 0;
        for (int k = sys->J.start[i]; k < sys->J.start[i + 1]; k++)
            widest = fmax(widest, sys->q_size[sys->J.index[k]]);
        gap->length[i] = widest > 0 ? PART * sys->row_size[i] / widest : 0;
    }
}

void ki_gap_init(ki_gap *gap, ki_arena *arena, ki_dynamics *d, int rank) {
    size_t m = (size_t)d->m, n = (size_t)d->system->n_v;
    *gap = (ki_gap){0};
    gap->length = KI_NEW(arena, double, m);
    gap->left = KI_NEW(arena, double, m);
    gap->sorted = KI_NEW(arena, double, m);
    gap->dependent = KI_NEW(arena, bool, m);
    gap->y = KI_NEW(arena, double, m);
    gap->x = KI_NEW(arena, double, n);
    gap->x_new = KI_NEW(arena, double, n);
    if (arena->failed)
        return;
    gap->by_pivots =
        (double)m * (double)m * (double)n > LARGEST_BY_ROWS && ki_saddle_pivots(d->K, gap->left, gap->sorted);
    if (!gap->by_pivots)
        gap->rows = KI_NEW(arena, double, m *(size_t)ki_padded((int)n));
    if (!gap->by_pivots)
        gap->combined = KI_NEW(arena, double, m *(m + n));
    if (arena->failed)
        return;
    if (!gap->by_pivots)
        begin_with_natural_lengths(gap, d->system);
    double least = gap->by_pivots ? RANK_BY_PIVOTS : RANK_BY_ROWS;
    gap->rank = ki_gap_rank(gap, d, least);
    if (rank >= 0)
        gap->rank = rank;
    for (size_t i = 0; i < m; i++)
        gap->dependent[i] = gap->left[i] <= least;
    ki_gap_turned(gap, d);
}

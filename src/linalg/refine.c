/* Residuals and refinement.
 *
 * With x_scale = A_ii^(-1/2) and y_scale = 1 / length of the rows of J, the relative residual is the larger
 * of
 *
 *     max_i x_scale_i |r - A x - J^T y|_i              max_i y_scale_i |s - J x + D y|_i
 *     -------------------------------------------      -----------------------------------------
 *     max_i x_scale_i (|r| + |A||x| + |J^T||y|)_i      max_i y_scale_i (|s| + |J||x| + D|y|)_i
 *
 * that is, each block in the max-norm, relative to the sizes of its terms (a backward error).
 *
 * Where x is small against A^-1 r (forces in balance) it carries round-off of that size, and the residual of
 * the second block may be round-off although it is not small against |J||x|. If refinement stalls there,
 * without rows that are dependent, |x| in the second denominator is replaced by diag(A)^-1 (|r| + |A||x| +
 * |J^T||y|). Where rows look nearly dependent that is done only if x is next to nothing against diag(A)^-1 r.
 */
#include <math.h>
#include <string.h>

#include "base/hints.h"
#include "linalg/saddle_internal.h"

/* rest = right-hand side - product, size = the same with magnitudes, for the rows of A */
static void subtract_A(const keel_saddle *K) {
    const int *start = K->A.start, *index = K->A.index;
    const double *x = K->x;
    double *rest = K->x_rest, *size = K->x_size;
    for (int i = 0; i < K->n; i++) {
        double product = 0, magnitude = 0, x_i = x[i];
        for (int p = start[i]; p < start[i + 1]; p++) {
            int j = index[p];
            double a = K->A_values[p], here = a * x[j];
            product += here;
            magnitude += fabs(here);
            if (j < i) {
                double there = a * x_i;
                rest[j] -= there;
                size[j] += fabs(there);
            }
        }
        rest[i] = K->r[i] - product;
        size[i] = fabs(K->r[i]) + magnitude;
    }
}

/* both blocks get their share of J, the second also D */
static void subtract_J(const keel_saddle *K) {
    const int *start = K->J.start, *index = K->J.index;
    for (int i = 0; i < K->m; i++) {
        double y_i = K->y[i], damped = K->D[i] * y_i;
        double rest = K->s[i] + damped, size = fabs(K->s[i]) + fabs(damped);
        for (int p = start[i]; p < start[i + 1]; p++) {
            int k = index[p];
            double v = K->J_values[p], here = v * K->x[k], there = v * y_i;
            rest -= here;
            size += fabs(here);
            K->x_rest[k] -= there;
            K->x_size[k] += fabs(there);
        }
        K->y_rest[i] = rest;
        K->y_size[i] = size;
    }
}

/* Scaled max-norm of `rest`, and the row that has it. */
static double largest(int count, const double *rest, const double *scale, int *row) {
    double most = 0;
    *row = count > 0 ? 0 : -1;
    for (int i = 0; i < count; i++) {
        double size = fabs(rest[i]) * scale[i];
        if (size > most) {
            most = size;
            *row = i;
        }
    }
    return most;
}

/* Scaled max-norm of sizes; their sum goes to *sum, for a NaN would slip through the comparisons. */
static double largest_size(int count, const double *size, const double *scale, double *sum) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        double scaled = size[i] * scale[i];
        most = scaled > most ? scaled : most;
        *sum += scaled;
    }
    return most;
}

/* The first look: residuals without the sizes of all terms, and without roots. A bound from below on the
 * sizes is enough to accept,
 *
 *     size_i >= |r_i| + |A_ii x_i|     in the first block, and all of it in the second
 *
 * and all is compared squared: x_scale_i^2 = 1 / A_ii, y_scale_i^2 = 1 / (square of the length of row i).
 * Both functions leave 1 / scale^2 in x_size and y_size, return the largest squared and scaled size. */
KI_INLINE double look_at_A(const keel_saddle *K) {
    const int *start = K->A.start, *index = K->A.index;
    const double *x = K->x, *value = K->A_values, *r = K->r;
    double *rest = K->x_rest, *square = K->x_size, most = 0;
    for (int i = 0, p = 0; i < K->n; i++) {
        int diagonal = start[i + 1] - 1; /* the last entry of each row */
        double x_i = x[i], product = 0;
        for (; p < diagonal; p++) {
            int j = index[p];
            product += value[p] * x[j];
            rest[j] -= value[p] * x_i;
        }
        double A_ii = value[p++], own = A_ii * x_i, size = fabs(r[i]) + fabs(own);
        rest[i] = r[i] - (product + own);
        square[i] = A_ii > 0 ? A_ii : 1;
        most = size * size > most * square[i] ? size * size / square[i] : most;
    }
    return most;
}

KI_INLINE double look_at_J(const keel_saddle *K) {
    const int *start = K->J.start, *index = K->J.index;
    const double *x = K->x, *value = K->J_values;
    double *x_rest = K->x_rest, most = 0;
    for (int i = 0, p = 0; i < K->m; i++) {
        double y_i = K->y[i], damped = K->D[i] * y_i, square = 0;
        double rest = K->s[i] + damped, size = fabs(K->s[i]) + fabs(damped);
        for (int end = start[i + 1]; p < end; p++) {
            int k = index[p];
            double v = value[p], here = v * x[k];
            rest -= here;
            size += fabs(here);
            square += v * v;
            x_rest[k] -= v * y_i;
        }
        K->y_rest[i] = rest;
        K->y_size[i] = square = square > 0 ? square : 1;
        most = size * size > most * square ? size * size / square : most;
    }
    return most;
}

/* Squares in this range neither vanish nor overflow when they are multiplied by tolerance^2. */
static const double LEAST_SQUARE = 1e-200, MOST_SQUARE = 1e200;

/* Whether rest_i^2 < bound square_i for all i; false for a NaN, and where the bound vanishes. */
KI_INLINE bool is_small(int count, const double *rest, const double *square, double bound) {
    bool small = true;
    for (int i = 0; i < count; i++)
        small &= rest[i] * rest[i] < bound * square[i];
    return small;
}

/* Whether the relative residual is below the tolerance as far as the first look can tell. Nine tenths
 * of the tolerance leave room for the round-off of comparing. */
KI_TWICE static bool is_plainly_small(const keel_saddle *K) {
    double tolerance = 0.9 * K->settings.tolerance, bound = tolerance * tolerance;
    double first = look_at_A(K), second = look_at_J(K);
    if (!(first > LEAST_SQUARE && first < MOST_SQUARE && second < MOST_SQUARE))
        return false;
    if (K->m > 0 && !(second > LEAST_SQUARE))
        return false;
    return is_small(K->n, K->x_rest, K->x_size, bound * first) &&
           is_small(K->m, K->y_rest, K->y_size, bound * second);
}

/* Residual of the system as given at K->x, K->y, into x_rest and y_rest. */
static void subtract(keel_saddle *K) {
    subtract_A(K);
    subtract_J(K);
}

static ki_measure measure_rest(const keel_saddle *K) {
    ki_measure measure;
    int ignored;
    double sum = 0;
    measure.first = largest(K->n, K->x_rest, K->x_scale, &ignored);
    measure.second = largest(K->m, K->y_rest, K->y_scale, &measure.worst_row);
    measure.first_size = largest_size(K->n, K->x_size, K->x_scale, &sum);
    measure.second_size = largest_size(K->m, K->y_size, K->y_scale, &sum);
    measure.finite = isfinite(sum);
    return measure;
}

ki_measure ki_residual(keel_saddle *K) {
    subtract(K);
    return measure_rest(K);
}

static double ratio(double a, double b) {
    return a > 0 ? a / b : 0;
}

double ki_measure_relative(ki_measure measure) {
    double first = ratio(measure.first, measure.first_size);
    double second = ratio(measure.second, measure.second_size);
    return first > second ? first : second;
}

/* Takes the part of the second block's residual that no x can remove out of y_rest. */
static void remove_unreachable(keel_saddle *K) {
    if (K->dense)
        ki_null_space_remove(K, K->y_rest);
    else
        ki_deflation_remove(K, K->y_rest);
}

/* Below this a relative residual is nothing but round-off of its own evaluation. */
static const double ROUND_OFF = 1e-15;

/* Nearly dependent rows make y large, and with it the round-off of the first block, which is relative to
 * |J^T||y|. Correcting it would disturb x by as much. */
static void drop_round_off(keel_saddle *K, ki_measure measure) {
    if (K->rescued && measure.first <= ROUND_OFF * measure.first_size)
        memset(K->x_rest, 0, (size_t)K->n * sizeof(double));
}

/* The same as below on the directions that K' resolves too weakly, unless the second block is at round-off:
 * these directions would magnify it. */
static void correct_weak(keel_saddle *K) {
    ki_measure measure = ki_residual(K);
    remove_unreachable(K);
    int ignored;
    if (largest(K->m, K->y_rest, K->y_scale, &ignored) <= K->settings.tolerance * measure.second_size)
        return;
    drop_round_off(K, measure);
    ki_deflation_correct(K);
}

/* x, y <- x, y + K'^-1 (residual), K' the matrix that was factored */
static void correct(keel_saddle *K, ki_measure measure) {
    drop_round_off(K, measure);
    if (ki_saddle_by_operator(
            K)) /* what is left is round-off of the size of the block's condition: the cheaper way */
        ki_saddle_sparse_apply(K, K->x_rest, K->y_rest);
    else
        ki_apply(K, K->x_rest, K->y_rest);
    for (int i = 0; i < K->n; i++)
        K->x[i] += K->x_rest[i];
    for (int i = 0; i < K->m; i++)
        K->y[i] += K->y_rest[i];
    if (K->rescued && K->sparse)
        correct_weak(K);
}

static void copy_solution(const keel_saddle *K, double *x_to, double *y_to, const double *x,
                          const double *y) {
    memcpy(x_to, x, (size_t)K->n * sizeof(double));
    memcpy(y_to, y, (size_t)K->m * sizeof(double));
}

/* The relative residual without what no x can remove; that is taken out of y_rest. */
static double removable(keel_saddle *K, ki_measure measure) {
    if (!K->rescued)
        return ki_measure_relative(measure);
    remove_unreachable(K);
    int ignored;
    measure.second = largest(K->m, K->y_rest, K->y_scale, &ignored);
    return ki_measure_relative(measure);
}

/* Whether all that is left stands in rows whose pivot was raised, and is not more than dependent rows may
 * contradict each other by. All other rows are then satisfied, and the multipliers of these are small: the
 * slower way would share what is left among all rows of a dependent set, at ten times the cost. */
static bool is_left_to_raised(keel_saddle *K, ki_measure measure) {
    const ki_pivots *pivots = &K->pivots;
    if (!(K->may_leave > 0) || K->rescued || !pivots->count || pivots->near || !measure.finite)
        return false;
    double allowed = K->may_leave * measure.second_size;
    for (int k = 0; k < pivots->count; k++) {
        int row = pivots->row[k];
        if (!(fabs(K->y_rest[row]) * K->y_scale[row] <= allowed))
            return false;
        K->y_rest[row] = 0;
    }
    int ignored;
    measure.second = largest(K->m, K->y_rest, K->y_scale, &ignored);
    return ki_measure_relative(measure) <= K->settings.tolerance;
}

/* The first solution of the slower way: all of the right-hand side that some x can satisfy, corrected once.
 */
static void start_rescued(keel_saddle *K) {
    memset(K->x, 0, (size_t)K->n * sizeof(double));
    memset(K->y, 0, (size_t)K->m * sizeof(double));
    ki_measure measure = ki_residual(K);
    remove_unreachable(K);
    correct(K, measure);
}

void ki_start(keel_saddle *K) {
    if (K->rescued && K->sparse) {
        start_rescued(K);
        return;
    }
    if (K->sparse && !K->augment && !ki_saddle_by_operator(K)) {
        ki_saddle_sparse_solve(K, K->r, K->s, K->x, K->y);
        return;
    }
    copy_solution(K, K->x, K->y, K->r, K->s);
    ki_apply(K, K->x, K->y);
}

/* Switches to the slower way and solves again; false if there is none. */
static bool rescue(keel_saddle *K) {
    if (K->rescued || !ki_rescue(K))
        return false;
    start_rescued(K);
    return true;
}

/* second_size with |x| replaced by diag(A)^-1 times these sizes of terms in the rows of A */
static double size_of_terms(const keel_saddle *K, const double *size_of) {
    double most = 0;
    for (int i = 0; i < K->m; i++) {
        double size = K->y_size[i];
        for (int p = K->J.start[i]; p < K->J.start[i + 1]; p++) {
            int k = K->J.index[p];
            size += fabs(K->J_values[p] * size_of[k]) * K->x_scale[k] * K->x_scale[k];
        }
        size *= K->y_scale[i];
        most = size > most ? size : most;
    }
    return most;
}

/* A refinement that does not halve the residual is not worth repeating. */
static const double STALL = 0.5;

/* Where rows look nearly dependent y may be large, and with it the round-off that would be allowed. There all
 * of J x and s must be below this part of what r alone would give: then so is whatever is wrong with it. */
static const double BALANCED = 1e-8;

/* Whether what is left of the residual is round-off of r. */
static bool is_balanced(const keel_saddle *K, ki_measure *measure) {
    if (K->pivots.count > 0 || K->rescued || !measure->finite)
        return false;
    if (K->pivots.near > 0 && K->dense)
        return false; /* its slower way does better */
    if (K->pivots.near > 0 && !(measure->second_size <= BALANCED * size_of_terms(K, K->r)))
        return false;
    measure->second_size = size_of_terms(K, K->x_size);
    return ki_measure_relative(*measure) <= K->settings.tolerance;
}

/* Where rows look nearly dependent and forces are in balance x may fall to zero as fast as the residual does,
 * which then stays where it was against x. */
static bool falls_with_x(const keel_saddle *K, const ki_measure *measure, double before) {
    return K->sparse && K->pivots.near > 0 && K->pivots.count == 0 && !K->rescued &&
           measure->second < STALL * before;
}

static void report(keel_saddle_info *info, ki_measure measure) {
    info->residual = measure.finite ? ki_measure_relative(measure) : INFINITY;
    info->worst_row = measure.worst_row;
}

keel_status ki_refine(keel_saddle *K, keel_saddle_info *info) {
    double tolerance = K->settings.tolerance, before = INFINITY, second_before = 0;
    keel_saddle_info best = {.residual = INFINITY, .worst_row = -1}, unasked = best;
    bool asked = info;
    for (info = asked ? info : &unasked;;) {
        if (!asked && is_plainly_small(K))
            return KEEL_OK;
        ki_saddle_scale(K);
        subtract(K);
        ki_measure measure = measure_rest(K);
        report(info, measure);
        if (info->residual <= tolerance)
            return KEEL_OK;
        if (is_left_to_raised(K, measure))
            return KEEL_INACCURATE;
        if (info->residual < best.residual) {
            best = *info;
            copy_solution(K, K->x_best, K->y_best, K->x, K->y);
        }
        double left = measure.finite ? removable(K, measure) : INFINITY;
        if (left <= tolerance)
            return info->residual <= K->settings.dependent ? KEEL_INACCURATE : KEEL_INCONSISTENT;
        bool stalled = !(left < STALL * before);
        if (stalled && is_balanced(K, &measure)) {
            report(info, measure);
            return KEEL_OK;
        }
        stalled &= !falls_with_x(K, &measure, second_before);
        if (info->refinements == K->settings.refinements || (stalled && !rescue(K)))
            break;
        before = stalled ? INFINITY : left;
        second_before = stalled ? 0 : measure.second;
        if (!stalled)
            correct(K, measure);
        info->refinements++;
    }
    best.refinements = info->refinements;
    *info = best;
    copy_solution(K, K->x, K->y, K->x_best, K->y_best);
    return isfinite(best.residual) ? KEEL_INACCURATE : KEEL_ERROR_NOT_FINITE;
}

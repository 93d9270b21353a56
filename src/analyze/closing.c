/* closing.c - positions of an assembly: damped Gauss-Newton with Levenberg-Marquardt in reserve.
 *
 * A Gauss-Newton step is the shortest one in the metric A that closes the linearised rows,
 *
 *     [ A  G^T ] [ x]   [  0   ]
 *     [ G   0  ] [mu] = [ -Phi ]
 *
 * It is shortened until |Phi|_w falls by a quarter of what the linearised rows promise. Where none of that
 * helps, G is singular or nearly so, and a Levenberg-Marquardt step is taken instead,
 *
 *     min 1/2 x^T A x + 1/2 sum_i (G x + Phi)_i^2 / D_i,      D_i = mu scale w_i^2,
 *
 * which is the same matrix with -D in its lower right block; mu grows until the step is a good one.
 * (Nocedal and Wright, Numerical Optimization, 2006, section 10.3.)
 *
 * Such an iteration can end where |Phi|_w is least and not zero. An attempt that does is followed by others
 * from disturbed poses: a linkage that is drawn straight does not know to which side it should bend.
 */
#include <math.h>
#include <string.h>

#include "analyze/assembly.h"

enum { FURTHER_ATTEMPTS = 7, PATIENCE = 10 };

/* The shortest part of a Gauss-Newton step that is tried. */
static const double LEAST_FRACTION = 1.0 / 16;

/* A violation that no longer falls is at round-off if it is this small relative to its row. */
static const double ROUND_OFF = 1e-11;

/* What a step must achieve of what it promises. */
static const double LEAST_GAIN = 0.25;

/* mu beyond which steps are too short to be worth it; what |Phi|_w must lose in PATIENCE steps. */
static const double LARGEST_MU = 1e8, LEAST_PROGRESS = 0.005;

/* |Phi|_w below which rows that are independent are told apart from those that repeat them. */
static const double NEARLY_CLOSED = 1e-2;

/* Rows of redundant joints differ by as much as they are open; closer rows count as one. */
static const double DEPENDENT_LEAST = 1e-10, DEPENDENT_MOST = 1e-3;

static double weighted_norm(const ki_assembly *a, const double *Phi) {
    double sum = 0;
    for (int i = 0; i < a->d.system->n_h; i++)
        sum += (Phi[i] / a->w[i]) * (Phi[i] / a->w[i]);
    return isfinite(sum) ? sqrt(sum) : INFINITY;
}

static double worst_relative(const ki_assembly *a) {
    int worst;
    return ki_worst_relative(a->Phi, a->size, a->d.system->n_h, &worst);
}

static void copy(double *to, const double *from, int n) {
    memcpy(to, from, (size_t)n * sizeof *to);
}

/* a->y becomes the state in a->trial, with the auxiliaries and the Phi in a->d. */
static void accept(ki_assembly *a) {
    copy(a->y, a->trial, a->d.n_y);
    copy(a->s, a->d.s, a->d.system->n_s);
    copy(a->Phi, a->d.at.Phi, a->d.system->n_h);
}

/* |Phi|_w at y (+) fraction x; infinite where the model cannot be evaluated. The state is in a->trial. */
static double norm_at(ki_assembly *a, double fraction) {
    ki_dynamics *d = &a->d;
    copy(a->trial, a->y, d->n_y);
    copy(d->s, a->s, d->system->n_s);
    for (int i = 0; i < d->system->n_v; i++)
        d->b_v[i] = fraction * a->x[i];
    ki_move(d, a->trial, d->b_v);
    if (ki_solve_auxiliaries(d, a->t, a->trial) || ki_evaluate_terms(d, KEEL_POSITION, a->t, a->trial))
        return INFINITY;
    return weighted_norm(a, d->at.Phi);
}

/* Shortens a->x to what rows can be linear over: a coordinate changes by no more than itself, or its natural
 * size if it is small. */
static void limit_step(ki_assembly *a) {
    const keel_system *sys = a->d.system;
    const ki_scales *scales = a->d.scales;
    double fraction = 1, most = sys->kinematics ? fmax(1, ki_most_of(sys->n_q, a->y, scales->y)) : 1;
    for (int j = 0; j < sys->n_v; j++) {
        double length = sys->kinematics ? most * scales->move[j] : fmax(fabs(a->y[j]), scales->move[j]);
        fraction = fmin(fraction, length / fabs(a->x[j]));
    }
    for (int j = 0; fraction < 1 && j < sys->n_v; j++)
        a->x[j] *= fraction;
}

/* a->x from the matrices of the last linearisation; false if there is no such step. */
static bool find_step(ki_assembly *a, const double *D) {
    ki_dynamics *d = &a->d;
    double dependent = fmin(fmax(10 * worst_relative(a), DEPENDENT_LEAST), DEPENDENT_MOST);
    keel_saddle_set_dependent(d->K_G, dependent);
    if (keel_saddle_factor(d->K_G, a->A, d->at.J, D) < 0)
        return false;
    for (int i = 0; i < d->m; i++)
        d->b_m[i] = i < d->system->n_h ? -a->Phi[i] : 0;
    if (keel_saddle_solve(d->K_G, NULL, d->b_m, a->x, d->y, NULL) < 0)
        return false;
    limit_step(a);
    return true;
}

/* A Gauss-Newton step, whole or shortened; false if it does not help. */
static bool plain_step(ki_assembly *a, double norm) {
    if (!find_step(a, NULL))
        return false;
    for (double fraction = 1; fraction >= LEAST_FRACTION; fraction /= 2)
        if (norm_at(a, fraction) <= (1 - LEAST_GAIN * fraction) * norm) {
            accept(a);
            return true;
        }
    return false;
}

/* |Phi + G x|_w */
static double promised_norm(const ki_assembly *a) {
    keel_pattern P = a->d.system->J;
    double sum = 0;
    for (int i = 0; i < a->d.system->n_h; i++) {
        double value = a->Phi[i];
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            value += a->d.at.J[k] * a->x[P.index[k]];
        sum += (value / a->w[i]) * (value / a->w[i]);
    }
    return sqrt(sum);
}

/* A Levenberg-Marquardt step; false if |Phi|_w does not fall however short it is. */
static bool damped_step(ki_assembly *a, double norm) {
    for (; a->mu <= LARGEST_MU; a->mu *= 6) {
        for (int i = 0; i < a->d.m; i++)
            a->D[i] = a->mu * a->scale * a->w[i] * a->w[i];
        if (!find_step(a, a->D))
            continue;
        double promised = norm * norm - promised_norm(a) * promised_norm(a);
        double reached = norm_at(a, 1);
        if (!(reached < norm) || norm * norm - reached * reached < LEAST_GAIN * promised)
            continue;
        accept(a);
        a->mu = fmax(a->mu / 10, 1e-12);
        return true;
    }
    return false;
}

/* The natural size of a row; of systems that know none, what the coordinates change it by: where those are
 * angles and all small, 1 is the least that they count. */
static double natural_size(const ki_assembly *a, int i, double sum) {
    const keel_system *sys = a->d.system;
    if (!sys->row_size)
        return sum;
    return sys->Phi_size ? fmax(sys->row_size[i], sys->Phi_size[i]) : sys->row_size[i];
}

/* True if every row is open by no more than `least` of its size, or the tolerance of its natural size. */
static bool is_closed(const ki_assembly *a, double least) {
    const keel_system *sys = a->d.system;
    keel_pattern P = sys->J;
    for (int i = 0; i < sys->n_h; i++) {
        double sum = 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            sum += fabs(a->d.at.J[k]);
        if (!(fabs(a->Phi[i]) <= fmax(least * a->size[i], a->settings.tolerance * natural_size(a, i, sum))))
            return false;
    }
    return true;
}

/* Where all rows are nearly closed: the independent ones are closed alone, and the others follow. */
static bool close_independent(ki_assembly *a, double norm) {
    ki_dynamics *d = &a->d;
    if (!a->looking || !(norm < NEARLY_CLOSED))
        return false;
    copy(a->trial, a->y, d->n_y);
    keel_point at = ki_point(d, a->t, a->trial);
    if (!ki_close_rows(&a->look, &at, ki_q(a->trial)) || ki_evaluate_terms(d, KEEL_POSITION, a->t, a->trial))
        return false;
    accept(a);
    return true;
}

/* Steps from a->y until closed, or until |Phi|_w no longer falls. What is closed is closed as well as
 * round-off allows. */
static keel_status attempt(ki_assembly *a, bool *closed) {
    double earlier = INFINITY; /* |Phi|_w at the last look */
    a->mu = 1e-3;
    *closed = false;
    for (int step = 0;; step++, a->iterations++) {
        keel_status status = ki_assembly_linearize(a);
        if (status)
            return status;
        double norm = weighted_norm(a, a->Phi);
        *closed = is_closed(a, a->settings.tolerance);
        if (norm == 0 || (*closed && a->iterations == 0) || a->iterations >= a->settings.iterations)
            return KEEL_OK;
        if (a->d.system->row_size && close_independent(a, norm)) {
            *closed = true;
            return ki_assembly_linearize(a);
        }
        if (!plain_step(a, norm) && (*closed || !damped_step(a, norm)))
            break;
        if (step % PATIENCE == 0 && norm > (1 - LEAST_PROGRESS) * earlier)
            break;
        if (step % PATIENCE == 0)
            earlier = norm;
    }
    *closed = *closed || is_closed(a, ROUND_OFF) || close_independent(a, weighted_norm(a, a->Phi));
    return KEEL_OK;
}

/* A number in [-1, 1]. */
static double noise(ki_assembly *a) {
    a->random = a->random * 1664525u + 1013904223u;
    return (double)(a->random >> 8) / 8388608.0 - 1;
}

/* The largest |Phi_i| / w_i. */
static double largest_gap(const ki_assembly *a) {
    int worst;
    return ki_worst_relative(a->Phi, a->w, a->d.system->n_h, &worst);
}

/* Back to the first pose, disturbed: every row is pushed by up to `amount` w_i. */
static keel_status disturb(ki_assembly *a, double amount) {
    ki_dynamics *d = &a->d;
    bool moves = false;
    copy(a->y, a->first, d->n_y);
    keel_status status = ki_assembly_linearize(a);
    if (status)
        return status;
    for (int i = 0; i < d->m; i++)
        a->D[i] = 0.01 * a->scale * a->w[i] * a->w[i];
    for (int i = 0; i < d->m; i++)
        d->b_m[i] = i < d->system->n_h ? amount * a->w[i] * noise(a) : 0;
    if (keel_saddle_factor(d->K_G, a->A, d->at.J, a->D) >= 0 &&
        keel_saddle_solve(d->K_G, NULL, d->b_m, a->x, d->y, NULL) >= 0)
        for (int j = 0; j < d->system->n_v; j++)
            moves |= a->x[j] != 0;
    for (int j = 0; !moves && j < d->system->n_v; j++) /* no row sees any coordinate */
        a->x[j] = amount * noise(a);
    if (norm_at(a, 1) == INFINITY)
        norm_at(a, 0);
    accept(a);
    return KEEL_OK;
}

static void keep_best(ki_assembly *a) {
    copy(a->best, a->y, a->d.n_y);
    copy(a->best_s, a->s, a->d.system->n_s);
    copy(a->best_Phi, a->Phi, a->d.system->n_h);
}

/* To the pose nearest to the drawing, from a->y; false, and a->y stays, if it is not found. */
static bool close_by_drawing(ki_assembly *a, bool ranked) {
    ki_dynamics *d = &a->d;
    int steps;
    copy(a->trial, a->y, d->n_y);
    keel_point at = ki_point(d, a->t, a->trial);
    bool found = ki_nearest_pose(&a->nearest, &at, ranked, ki_q(a->trial), &steps);
    a->iterations += steps;
    if (!found || (steps > 0 && !ki_close_rows(&a->look, &at, ki_q(a->trial))) ||
        ki_evaluate_terms(d, KEEL_POSITION, a->t, a->trial))
        return false;
    if (steps == 0 && !is_closed(a, a->settings.tolerance))
        return false;
    accept(a);
    return true;
}

/* The same; where the ranks lead nowhere from here they may from the pose without them, and that is taken
 * otherwise. */
static bool close_nearest(ki_assembly *a) {
    if (close_by_drawing(a, true))
        return true;
    if (!a->nearest.has_ranks || !close_by_drawing(a, false))
        return false;
    close_by_drawing(a, true);
    return true;
}

/* From the drawing straight to the nearest pose if that succeeds, else to any closed one and on from there.
 */
static keel_status first_attempt(ki_assembly *a, bool *closed) {
    *closed = a->nearest_found = a->by_drawing && close_nearest(a);
    if (*closed)
        return ki_assembly_linearize(a);
    a->iterations = 0;
    return attempt(a, closed);
}

keel_status ki_assembly_close(ki_assembly *a, bool *closed) {
    static const double AMOUNTS[FURTHER_ATTEMPTS] = {0.1, 0.3, 1, 1, 1, 1, 1}; /* of the first gap */
    keel_status status = ki_assembly_linearize(a);
    double gap = status ? 0 : largest_gap(a);
    if (!status)
        status = first_attempt(a, closed);
    keep_best(a);
    for (int k = 0; !status && !*closed && k < FURTHER_ATTEMPTS; k++) {
        if (a->iterations >= a->settings.iterations)
            break;
        status = disturb(a, AMOUNTS[k] * gap);
        if (!status)
            status = attempt(a, closed);
        if (!status && (*closed || weighted_norm(a, a->Phi) < weighted_norm(a, a->best_Phi)))
            keep_best(a);
    }
    copy(a->y, a->best, a->d.n_y);
    copy(a->s, a->best_s, a->d.system->n_s);
    copy(a->d.s, a->s, a->d.system->n_s);
    copy(a->Phi, a->best_Phi, a->d.system->n_h);
    if (!status && *closed && a->by_drawing && !a->nearest_found)
        close_nearest(a);
    return status;
}

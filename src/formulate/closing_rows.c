/* closing_rows.c - poses and velocities moved onto the rows that are independent: independence.h. */
#include <math.h>
#include <string.h>

#include "formulate/taking.h"
#include "linalg/dense.h"

/* Of the size of a row; and how many times that a violation may be that does not fall any more. */
static const double ROUND_OFF = 1e-14, STALLED = 1e3;

enum { MOST_ITERATIONS = 25 };

bool ki_is_round_off(const keel_system *system, int i, double amount) {
    if (!system->row_size || i < 0 || i >= keel_system_m(system))
        return false;
    double size = system->row_size[i];
    if (system->Phi_size && i < system->n_h)
        size = fmax(size, system->Phi_size[i]);
    return fabs(amount) <= STALLED * ROUND_OFF * size;
}

/* q <- q (+) C x */
void ki_move_naturally(const ki_independence *look, const double *x, double *q) {
    const keel_system *sys = look->system;
    for (int j = 0; j < look->n; j++)
        look->x[j] = x[j] * look->size[j];
    if (sys->advance)
        sys->advance(sys, q, look->x);
    else
        for (int j = 0; j < look->n; j++)
            q[j] += look->x[j];
}

/* What counts as nothing in Phi_i: round-off of the positions it is the difference of. */
static double round_off(const ki_independence *look, int i) {
    double size = look->scale[i] > 0 ? 1 / look->scale[i] : 1;
    return ROUND_OFF * (look->system->Phi_size ? fmax(size, look->system->Phi_size[i]) : size);
}

/* Largest |Phi_i| / size_i of the first classes. */
static double largest_violation(const ki_independence *look, int classes) {
    double most = 0;
    for (int i = 0; i < look->system->n_h; i++)
        if (look->class_of[i] < classes && !look->ignored[i])
            most = fmax(most, fabs(look->terms.Phi[i]) * look->scale[i]);
    return most;
}

/* Largest |Phi_i| / round-off of the rows taken. */
static double largest_held(const ki_independence *look, int count) {
    double most = 0;
    for (int k = 0; k < count; k++) {
        int i = look->order[k];
        most = fmax(most, fabs(look->terms.Phi[i]) / round_off(look, i));
    }
    return most;
}

/* Whether the rows that were not taken are as near as the precision of the drawing asks for; without one, as
 * near as those that were taken need to be. */
static bool others_follow(const ki_independence *look, int classes) {
    for (int i = 0; i < look->system->n_h; i++)
        if (look->class_of[i] < classes && !look->taken[i] && !look->ignored[i] &&
            !(fabs(look->terms.Phi[i]) <= fmax(ki_open_limit(look->system, i), STALLED * round_off(look, i))))
            return false;
    return true;
}

/* The shortest displacement that changes the rows taken by minus `value`: L y = -value, x = basis^T y. */
static void closing_step(ki_independence *look, int count, const double *value, double *x) {
    if (look->large) {
        ki_close_large(look, value, x);
        return;
    }
    memset(x, 0, (size_t)look->n * sizeof *x);
    for (int k = 0; k < count; k++) {
        int i = look->order[k];
        const double *L = look->L + (size_t)i * (size_t)look->m;
        double y = -value[i] * look->scale[i];
        for (int l = 0; l < k; l++)
            y -= L[l] * look->y[l];
        look->y[k] = y / L[k];
        ki_axpy(look->n, look->y[k], ki_row_of(look, i), x);
    }
}

/* Newton's method on those rows that are independent as far as the violation allows to tell. */
static bool close_classes(ki_independence *look, const keel_point *at, int classes, double *q) {
    const keel_system *sys = look->system;
    keel_point there = *at;
    double previous = INFINITY;
    there.q = q;
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        if (ki_load_rows(look, &there) ||
            sys->evaluate(sys, look->work, KEEL_POSITION, &there, &look->terms) < 0)
            return false;
        double violation = largest_violation(look, classes);
        if (!(violation < 1))
            return false;
        int count = ki_take_all(look, (taking){.classes = classes, .most = look->m, .floor = violation});
        double held = largest_held(look, count);
        if (held <= 1 || (held <= STALLED && held > 0.5 * previous))
            return others_follow(look, classes);
        previous = held;
        closing_step(look, count, look->terms.Phi, look->step);
        if (!(ki_max_norm(look->n, look->step) < 0.5))
            return false;
        ki_move_naturally(look, look->step, q);
    }
    return false;
}

bool ki_close_rows(ki_independence *look, const keel_point *at, double *q) {
    return close_classes(look, at, NONHOLONOMIC, q);
}

bool ki_close_joints(ki_independence *look, const keel_point *at, double *q) {
    return close_classes(look, at, 1, q);
}

bool ki_meet_rates(ki_independence *look, const keel_point *at, const bool *without, double *v) {
    enum { MOST = 20 };
    const keel_system *sys = look->system;
    keel_point there = *at;
    double previous = INFINITY;
    there.v = v;
    for (int iteration = 0; iteration < MOST; iteration++) {
        if (ki_load_rows(look, &there) ||
            sys->evaluate(sys, look->work, KEEL_VELOCITY, &there, &look->terms) < 0)
            return false;
        double speed = 0, held = 0, others = 0;
        for (int j = 0; j < look->n; j++)
            speed = fmax(speed, fabs(v[j]) / look->size[j]);
        for (int i = 0; i < look->m; i++)
            speed = without[i] ? speed : fmax(speed, fabs(look->terms.rate[i]) * look->scale[i]);
        int count = ki_take_all(look, (taking){.classes = CLASSES, .most = look->m, .without = without});
        for (int i = 0; i < look->m; i++) {
            double off = without[i] ? 0 : fabs(look->terms.rate[i]) * look->scale[i];
            if (look->taken[i])
                held = fmax(held, off / ROUND_OFF);
            else
                others = fmax(others, off / look->limit[i]);
        }
        if (held <= speed || (held <= STALLED * speed && held > 0.5 * previous))
            return others <= speed;
        previous = held;
        closing_step(look, count, look->terms.rate, look->step);
        for (int j = 0; j < look->n; j++)
            v[j] += look->step[j] * look->size[j];
    }
    return false;
}

bool ki_close_next_to_pose(ki_independence *look, const keel_point *at, double least, const keel_terms *more,
                           double *q, double *v) {
    enum { ROUNDS = 2 };
    const keel_system *sys = look->system;
    keel_point there = *at;
    there.q = q;
    there.v = v;
    for (int round = 0; round < ROUNDS; round++) {
        if (ki_load_rows(look, &there) ||
            (sys->n_h && sys->evaluate(sys, look->work, KEEL_POSITION, &there, &look->terms) < 0))
            return false;
        ki_axpy(sys->n_h, 1, more->Phi, look->terms.Phi);
        int count = ki_take_all(look, (taking){.classes = NONHOLONOMIC, .most = look->m, .floor = least});
        closing_step(look, count, look->terms.Phi, look->step);
        ki_move_naturally(look, look->step, q);
    }
    if (ki_load_rows(look, &there) || sys->evaluate(sys, look->work, KEEL_VELOCITY, &there, &look->terms) < 0)
        return false;
    ki_axpy(sys->n_h, 1, more->rate, look->terms.rate);
    int count = ki_take_all(look, (taking){.classes = CLASSES, .most = look->m, .floor = least});
    closing_step(look, count, look->terms.rate, look->step);
    for (int j = 0; j < look->n; j++)
        v[j] += look->step[j] * look->size[j];
    return true;
}

/* Far from closed, rows that repeat each other differ by as much as they are open, but not all do. */
static const double LARGEST_FLOOR = 0.1;

int ki_closing_steps(ki_independence *look, const keel_point *at, bool velocities, const bool *without,
                     double *x, double *Z, double *violation) {
    const keel_system *sys = look->system;
    unsigned what = velocities ? KEEL_VELOCITY : KEEL_POSITION;
    if (ki_load_rows(look, at) || sys->evaluate(sys, look->work, what, at, &look->terms) < 0)
        return -1;
    taking by = {.classes = CLASSES, .most = look->m, .without = without};
    *violation = 0;
    if (velocities) {
        for (int i = 0; i < look->m; i++)
            if (!without || !without[i])
                *violation = fmax(*violation, fabs(look->terms.rate[i]) * look->scale[i]);
    } else {
        *violation = largest_violation(look, NONHOLONOMIC);
        by.classes = NONHOLONOMIC;
        by.floor = fmin(*violation, LARGEST_FLOOR);
    }
    if (!isfinite(*violation))
        return -1;
    int count = ki_take_all(look, by);
    closing_step(look, count, velocities ? look->terms.rate : look->terms.Phi, x);
    return ki_freedoms(look, Z);
}

double ki_find_offset(ki_independence *look, const keel_point *at, double least, double *beta) {
    const keel_system *sys = look->system;
    int m = look->m;
    double *Y = look->stress, *s = look->y, most = 0;
    memset(beta, 0, (size_t)sys->n_h * sizeof *beta);
    if (ki_load_rows(look, at) || sys->evaluate(sys, look->work, KEEL_POSITION, at, &look->terms) < 0)
        return INFINITY;
    ki_take_all(look, (taking){.classes = 1, .most = m, .floor = least});
    int count = ki_self_stresses(look, Y, NULL);
    double *A = look->L; /* [count x count] of no use any more */
    for (int k = 0; k < count; k++) {
        double *y = Y + (size_t)k * (size_t)m;
        s[k] = 0;
        for (int i = 0; i < sys->n_h; i++) { /* to natural sizes */
            s[k] += y[i] * look->terms.Phi[i];
            y[i] = look->scale[i] > 0 ? y[i] / look->scale[i] : 0;
        }
        for (int l = 0; l <= k; l++)
            A[k * count + l] = ki_dot(sys->n_h, y, Y + (size_t)l * (size_t)m);
    }
    if (count == 0 || ki_dense_cholesky(count, A) >= 0)
        return 0;
    ki_dense_cholesky_solve(count, A, s);
    for (int k = 0; k < count; k++)
        ki_axpy(sys->n_h, s[k], Y + (size_t)k * (size_t)m, beta);
    for (int i = 0; i < sys->n_h; i++) {
        most = fmax(most, fabs(beta[i]));
        beta[i] = look->scale[i] > 0 ? beta[i] / look->scale[i] : 0;
    }
    return most;
}

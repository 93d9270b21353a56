#include "run/dead_point.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formulate/independence.h"
#include "linalg/dense.h"

/* J is looked at up to so many entries. */
static const double MOST_ENTRIES = 1e5;

/* A top is the reason of a failure if it is so near, in natural sizes, and the motion goes no farther beyond
 * it. */
static const double NEAR = 0.5, MOST_ASKED = 0.5;

/* How far steps go, and when a climb is at its end; how far aside a top is looked at. */
static const double FIRST_STEP = 0.02, LONGEST_STEP = 0.05, SHORTEST_STEP = 1e-10, ASIDE = 0.02;

/* Slopes, as a part of the row of the motion: none; values, in natural sizes, that are the same, and that are
 * surely not. */
static const double NO_SLOPE = 1e-8, NO_DIFFERENCE = 1e-12, TURNED = 1e-9;

/* Joints with less than this part of the largest in a combination do not take part. */
static const double LEAST_PART = 1e-3;

typedef struct climb {
    ki_independence look;
    int row;          /* of the motion */
    double sign;      /* +1: c has to grow */
    keel_point at;    /* at t_1; q is the pose reached */
    double *q, *next; /* [n_q] */
    double *p, *x;    /* [n] direction, displacement */
    double *freedoms; /* [n x n] */
    double *y;        /* [m] */
    double path;      /* how far it has come, in natural sizes */
} climb;

static bool is_motion(const keel_system *system, int i) {
    return i < system->n_h && !system->names.joint[i];
}

/* sign (c(q) - c(t)) in natural sizes; NAN where the model cannot be evaluated. */
static double value_at(climb *c, const double *q, double t) {
    const keel_system *sys = c->look.system;
    keel_point there = c->at;
    there.q = q;
    there.t = t;
    if (sys->evaluate(sys, c->look.work, KEEL_POSITION, &there, &c->look.terms) < 0)
        return NAN;
    return c->sign * c->look.terms.Phi[c->row] / sys->row_size[c->row];
}

/* c->next = c->q moved by `length` x, back on all rows but that of the motion; its value, NAN if that fails.
 */
static double value_of_step(climb *c, const double *x, double length) {
    int n = c->look.n;
    memcpy(c->next, c->q, (size_t)c->look.system->n_q * sizeof *c->q);
    for (int j = 0; j < n; j++)
        c->x[j] = length * x[j];
    ki_move_naturally(&c->look, c->x, c->next);
    return ki_close_rows(&c->look, &c->at, c->next) ? value_at(c, c->next, c->at.t) : NAN;
}

/* The unit direction in which c comes nearer to what is asked for, c->p. Returns the slope there, negative if
 * it cannot be found. */
static double find_direction(climb *c) {
    int rank;
    if (ki_count_independent(&c->look, &c->at, &rank))
        return -1;
    double slope = ki_remainder(&c->look, c->row, c->p), length = sqrt(ki_dot(c->look.n, c->p, c->p));
    for (int j = 0; length > 0 && j < c->look.n; j++)
        c->p[j] *= c->sign / length;
    return slope;
}

/* The top is one if c turns back in both directions of some freedom, and grows in none. */
static bool turns_back(climb *c, double top) {
    int rank, turning = 0;
    if (ki_count_independent(&c->look, &c->at, &rank))
        return false;
    int n = c->look.n, freedoms = ki_freedoms(&c->look, c->freedoms);
    for (int k = 0; k < freedoms; k++) {
        double highest = -INFINITY;
        for (int side = -1; side <= 1; side += 2) {
            double value = value_of_step(c, c->freedoms + (size_t)k * (size_t)n, side * ASIDE);
            if (!(value <= top + NO_DIFFERENCE))
                return false;
            highest = fmax(highest, value);
        }
        turning += highest < top - TURNED;
    }
    return turning > 0;
}

/* From the pose in c->q, which is on all other rows: true at a top below what is asked for. */
static bool climb_to_top(climb *c) {
    enum { MOST_STEPS = 400 };
    size_t bytes = (size_t)c->look.system->n_q * sizeof *c->q;
    double value = value_at(c, c->q, c->at.t), step = FIRST_STEP;
    for (int k = 0; k < MOST_STEPS && value < -NO_DIFFERENCE && c->path < NEAR; k++) {
        double slope = find_direction(c);
        if (slope < 0)
            return false;
        double next = NAN;
        for (; slope > NO_SLOPE && step > SHORTEST_STEP; step /= 2)
            if ((next = value_of_step(c, c->p, step)) > value)
                break;
        if (!(next > value))
            return turns_back(c, value);
        memcpy(c->q, c->next, bytes);
        value = next;
        c->path += step;
        step = fmin(1.5 * step, LONGEST_STEP);
    }
    return false;
}

/* The time between t_0 and t_1 at which the motion asks for what the pose in c->q has. */
static double time_of_top(climb *c, double t_0, double t_1) {
    for (int k = 0; k < 60; k++) {
        double t = (t_0 + t_1) / 2;
        if (value_at(c, c->q, t) >= 0)
            t_0 = t;
        else
            t_1 = t;
    }
    return t_0;
}

/* Joints whose rows make up that of the motion, by their parts in natural sizes. */
static void list_joints(climb *c, char *text, size_t size) {
    const keel_system *sys = c->look.system;
    double most = 0;
    int rank;
    size_t used = 0;
    const char *last = NULL;
    text[0] = 0;
    if (ki_count_independent(&c->look, &c->at, &rank))
        return;
    ki_parts_of_row(&c->look, c->row, c->y);
    for (int i = 0; i < c->look.m; i++)
        most = fmax(most, fabs(c->y[i]) * sys->row_size[i]);
    for (int i = 0; i < c->look.m; i++) {
        const char *joint = sys->names.joint[i];
        if (!joint || fabs(c->y[i]) * sys->row_size[i] <= LEAST_PART * most ||
            (last && strcmp(last, joint) == 0) || used + strlen(joint) + 5 >= size)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s'%s'", used ? ", " : "", joint);
        last = joint;
    }
}

/* Looks at the motion at t_1, from the state `from`. */
static bool is_dead(climb *c, const keel_point *from, double t_1, double until, bool *too_far,
                    ki_dead_point *found) {
    const keel_system *sys = c->look.system;
    memcpy(c->q, from->q, (size_t)sys->n_q * sizeof *c->q);
    c->at = *from;
    c->at.q = c->q;
    c->at.t = t_1;
    c->path = 0;
    c->sign = 1;
    double missing = value_at(c, c->q, t_1);
    *too_far = !(fabs(missing) < MOST_ASKED);
    if (*too_far || fabs(missing) < 1e3 * NO_DIFFERENCE)
        return false;
    c->sign = missing < 0 ? 1 : -1;
    if (!ki_close_rows(&c->look, &c->at, c->q) || !climb_to_top(c)) {
        *too_far = c->path >= NEAR;
        return false;
    }
    *found = (ki_dead_point){.motion = c->row, .t = time_of_top(c, from->t, t_1), .t_1 = t_1};
    found->least = c->sign < 0;
    found->valued = sys->law != NULL;
    if (found->valued) {
        found->top = sys->law(sys, c->look.work, found->t, c->row);
        found->asked = sys->law(sys, c->look.work, t_1, c->row);
        double in_the_end = sys->law(sys, c->look.work, until, c->row);
        if (c->sign * (in_the_end - found->asked) > 0) {
            found->asked = in_the_end;
            found->t_1 = until;
        }
    }
    list_joints(c, found->joints, sizeof found->joints);
    return true;
}

/* Times ahead, the nearest first: how far the motion gets beyond its top is not known beforehand. */
static bool look_ahead(climb *c, const keel_point *from, double until, ki_dead_point *found) {
    enum { TIMES = 14 };
    bool too_far = false;
    double ahead = (until - from->t) / pow(4, TIMES - 1);
    for (int k = 0; k < TIMES && !too_far; k++, ahead *= 4)
        if (is_dead(c, from, from->t + ahead, until, &too_far, found))
            return true;
    return false;
}

static bool allocate(climb *c, const keel_system *system, void *work) {
    if (ki_independence_init(&c->look, system, work, INFINITY))
        return false;
    ki_arena *arena = &c->look.arena;
    size_t n = (size_t)system->n_v;
    c->q = KI_NEW(arena, double, system->n_q);
    c->next = KI_NEW(arena, double, system->n_q);
    c->p = KI_NEW(arena, double, n);
    c->x = KI_NEW(arena, double, n);
    c->freedoms = KI_NEW(arena, double, n *n);
    c->y = KI_NEW(arena, double, c->look.m);
    return !arena->failed;
}

bool ki_find_dead_point(const keel_system *system, void *work, const keel_point *at, double until,
                        ki_dead_point *found) {
    climb c = {0};
    bool any = false;
    if (!system->names.joint || !system->row_size || system->n_s || !(at->t < until) ||
        fmax(keel_system_m(system), system->n_v) * (double)system->n_v > MOST_ENTRIES)
        return false;
    if (allocate(&c, system, work))
        for (int i = 0; i < system->n_h && !any; i++) {
            if (!is_motion(system, i))
                continue;
            /* rows of rolling only take freedoms away: what joints cannot reach, nothing can */
            for (int k = 0; k < c.look.m; k++)
                c.look.ignored[k] = k == i || k >= system->n_h;
            c.row = i;
            any = look_ahead(&c, at, until, found);
        }
    ki_independence_clear(&c.look);
    return any;
}

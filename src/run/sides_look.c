/* sides_look.c - whether functions of the state have changed sign in a step: at its end, at a stage, or in
 * between, where they come nearest to their other side.
 */
#include "run/sides_look.h"

#include <float.h>
#include <math.h>
#include <string.h>

void ki_side_values(keel_simulation *sim, double t, const double *y, double *g) {
    const keel_system *sys = sim->system;
    keel_point at = {.t = ki_time_asked(&sim->dynamics, t),
                     .q = y,
                     .v = y + sys->n_q,
                     .z = y + sys->n_q + sys->n_v,
                     .s = sim->rows.s,
                     .lambda = sim->rows.lambda};
    sys->switches.values(sys, sim->switching.work, &at, g);
}

bool ki_side_values_inside(keel_simulation *sim, double t, double *g) {
    ki_integrator *in = sim->integrator;
    double *y = sim->switching.y;
    if (in->method->interpolate(in, t, y))
        return false;
    ki_normalize(&sim->rows, y);
    ki_side_values(sim, t, y, g);
    return true;
}

bool ki_is_steep(const keel_simulation *sim, int i) {
    return sim->system->switches.steep && sim->system->switches.steep[i];
}

static bool has_changed(const ki_switching *s, const double *g, int i) {
    return !s->ignored[i] && s->side[i] * ki_sign_of_side(g[i]) < 0 && fabs(g[i]) >= s->noise * s->largest[i];
}

int ki_changed_side(const ki_switching *s, const double *g) {
    int i = 0;
    while (i < s->count && !has_changed(s, g, i))
        i++;
    return i < s->count ? i : -1;
}

/* The same of those that are not steep: a stage that sees the other side of these is as good as one that does
 * not. */
static bool has_left_branch(const keel_simulation *sim, const double *g) {
    for (int i = 0; i < sim->switching.count; i++)
        if (!ki_is_steep(sim, i) && has_changed(&sim->switching, g, i))
            return true;
    return false;
}

/* A step of h between two states. */
typedef struct span_of_step {
    double t, h;
    const double *y0, *y1;
} span_of_step;

/* The state at a part of a step by those at its ends: cubic in q where q' = v. */
static void guess_state(const keel_simulation *sim, const span_of_step *step, double part, double *y) {
    const keel_system *sys = sim->dynamics.system;
    int n = sys->n_v;
    double a = part, b = 1 - part;
    for (int i = 0; i < sim->integrator->n; i++)
        y[i] = b * step->y0[i] + a * step->y1[i];
    for (int i = 0; !sys->kinematics && i < n; i++) {
        double v0 = step->y0[n + i], v1 = step->y1[n + i], slope = (step->y1[i] - step->y0[i]) / step->h;
        y[i] += a * b * step->h * (b * (v0 - slope) - a * (v1 - slope));
        y[n + i] = slope + (1 - 4 * a + 3 * a * a) * (v0 - slope) + (3 * a * a - 2 * a) * (v1 - slope);
    }
}

/* g of that state into s->g_here. */
static void guess_values(keel_simulation *sim, const span_of_step *step, double part) {
    ki_switching *s = &sim->switching;
    guess_state(sim, step, part, s->y);
    ki_normalize(&sim->rows, s->y);
    ki_side_values(sim, step->t + part * step->h, s->y, s->g_here);
}

double ki_part_before_switch(const ki_integrator *in, double h, const double *y_new) {
    static const double LESS = 0.97;
    enum { COARSE = 4, HALVINGS = 8 };
    keel_simulation *sim = in->switches;
    ki_switching *s = &sim->switching;
    span_of_step step = {in->t, h, in->y, y_new};
    double a = 0, b = 1;
    int k = 1;
    do {
        b = (double)k / COARSE;
        guess_values(sim, &step, b);
    } while (!has_left_branch(sim, s->g_here) && ++k <= COARSE);
    if (k > COARSE)
        return 1;
    a = b - 1.0 / COARSE;
    for (k = 0; k < HALVINGS; k++) {
        double middle = 0.5 * (a + b);
        guess_values(sim, &step, middle);
        if (has_left_branch(sim, s->g_here))
            b = middle;
        else
            a = middle;
    }
    return LESS * a;
}

static double place_of(int k) {
    return (double)k / (KI_PLACES - 1);
}

/* The smallest value of the parabola through three, `apart` from each other; its place from the middle one.
 */
static double lowest(const double g[3], double apart, double *from_middle) {
    double slope = 0.5 * (g[2] - g[0]), bend = g[0] - 2 * g[1] + g[2];
    double x = bend > 0 ? fmax(-1, fmin(1, -slope / bend)) : 0;
    *from_middle = apart * x;
    return g[1] + x * (slope + 0.5 * x * bend);
}

/* Whether function i, between the middle three of places where it comes nearest to its other side, was there:
 * for a time that may be short. */
static bool was_beyond_between(keel_simulation *sim, int i, double near, double *t) {
    enum { ROUNDS = 2 };
    static const double CLOSER = 0.2;
    ki_switching *s = &sim->switching;
    double h = sim->integrator->t - s->t_old, apart = place_of(1), g[3], move;
    const double side = s->side[i];
    int k = 1;
    for (int other = 2; other < KI_PLACES - 1; other++)
        k = side * s->inside[other * s->count + i] < side * s->inside[k * s->count + i] ? other : k;
    for (int part = 0; part < 3; part++)
        g[part] = side * s->inside[(k - 1 + part) * s->count + i];
    double middle = place_of(k);
    for (int round = 0; g[1] < fmax(g[0], g[2]) && lowest(g, apart, &move) < near; round++) {
        middle = fmax(0, fmin(1, middle + move));
        *t = s->t_old + middle * h;
        if (!ki_side_values_inside(sim, *t, s->g_here))
            return false;
        if (ki_changed_side(s, s->g_here) >= 0)
            return true;
        if (round == ROUNDS)
            return false;
        apart *= CLOSER;
        for (int part = 0; part < 3; part++) {
            double at = fmax(0, fmin(1, middle + (part - 1) * apart));
            if (!ki_side_values_inside(sim, s->t_old + at * h, s->g_here))
                return false;
            g[part] = side * s->g_here[i];
        }
    }
    return false;
}

/* Whether functions may have been on the other side in between: by a guess that costs no evaluation, and
 * where that comes near, by the dense output. The time is in *t. */
static bool was_beyond(keel_simulation *sim, double *t) {
    static const double NEAR = 0.5;
    ki_switching *s = &sim->switching;
    const ki_integrator *in = sim->integrator;
    span_of_step step = {s->t_old, in->t - s->t_old, s->y_old, in->y};
    size_t bytes = (size_t)s->count * sizeof(double);
    memcpy(s->inside, s->g_start, bytes);
    memcpy(s->inside + (KI_PLACES - 1) * s->count, s->g, bytes);
    for (int k = 1; k < KI_PLACES - 1; k++) {
        bool suspicious = false;
        guess_values(sim, &step, place_of(k));
        memcpy(s->inside + k * s->count, s->g_here, bytes);
        for (int i = 0; i < s->count; i++) {
            double line = fmin(fabs(s->g[i]), fabs(s->g_start[i]));
            suspicious |= !s->ignored[i] && s->side[i] * s->g_here[i] < NEAR * line;
        }
        *t = s->t_old + place_of(k) * step.h;
        if (suspicious && ki_side_values_inside(sim, *t, s->g_here) && ki_changed_side(s, s->g_here) >= 0)
            return true;
    }
    for (int i = 0; i < s->count; i++) {
        double line = fmin(fabs(s->g[i]), fabs(s->g_start[i]));
        if (!s->ignored[i] && s->side[i] && was_beyond_between(sim, i, NEAR * line, t))
            return true;
    }
    return false;
}

/* The first stage of the last step on another side, where the method can tell: it has seen both. */
static bool has_seen_other_side(keel_simulation *sim, double *t) {
    ki_switching *s = &sim->switching;
    const ki_integrator *in = sim->integrator;
    for (int k = 0; in->method->stage && in->method->stage(in, k, t, s->y); k++) {
        ki_normalize(&sim->rows, s->y);
        ki_side_values(sim, *t, s->y, s->g_here);
        if (has_left_branch(sim, s->g_here))
            return true;
    }
    return false;
}

double ki_time_of_change(keel_simulation *sim, double a, double b, int *which) {
    enum { MOST = 60 };
    ki_switching *s = &sim->switching;
    double least = 4 * DBL_EPSILON * fmax(fabs(a), fabs(b)) + 1e-13 * (b - a);
    for (int k = 0; k < MOST && b - a > least; k++) {
        double middle = a + 0.5 * (b - a);
        if (!ki_side_values_inside(sim, middle, s->g_here))
            break;
        int i = ki_changed_side(s, s->g_here);
        if (i >= 0) {
            b = middle;
            *which = i;
        } else {
            a = middle;
        }
    }
    return b;
}

int ki_change_in_step(keel_simulation *sim, double *t) {
    ki_switching *s = &sim->switching;
    const ki_integrator *in = sim->integrator;
    *t = in->t;
    ki_side_values(sim, in->t, in->y, s->g);
    int i = ki_changed_side(s, s->g);
    if (i >= 0)
        return i;
    return has_seen_other_side(sim, t) || was_beyond(sim, t) ? ki_changed_side(s, s->g_here) : -1;
}

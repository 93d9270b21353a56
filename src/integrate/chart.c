#include "integrate/chart.h"

#include <math.h>
#include <string.h>

/* Rounds of the turn, and the part of b that may be left out. */
enum { MOST_ROUNDS = 12 };
static const double SMALL_PART = 1e-4;

static void copy(double *to, const double *from, int n) {
    memcpy(to, from, (size_t)n * sizeof *to);
}

void ki_chart_init(ki_chart *chart, ki_arena *arena, const keel_system *system) {
    *chart = (ki_chart){.system = system};
    if (!system->kinematics)
        return;
    chart->q = KI_NEW(arena, double, system->n_q);
    chart->v = KI_NEW(arena, double, system->n_v);
    chart->rate = KI_NEW(arena, double, system->n_q);
    chart->b = KI_NEW(arena, double, system->n_q);
    chart->moved = KI_NEW(arena, double, system->n_q);
    chart->Nu = KI_NEW(arena, double, system->n_q);
    chart->b_im = KI_NEW(arena, double, system->n_q);
    chart->Nu_im = KI_NEW(arena, double, system->n_q);
}

void ki_chart_take(ki_chart *chart, const double *q, const double *v) {
    const keel_system *sys = chart->system;
    if (!sys->kinematics)
        return;
    copy(chart->q, q, sys->n_q);
    copy(chart->v, v, sys->n_v);
    sys->kinematics(sys, q, v, chart->rate);
}

/* out = (N v)_q x */
static void turning_rate(ki_chart *chart, const double *x, double *out) {
    const keel_system *sys = chart->system;
    for (int i = 0; i < sys->n_q; i++)
        chart->moved[i] = chart->q[i] + x[i];
    sys->kinematics(sys, chart->moved, chart->v, out);
    for (int i = 0; i < sys->n_q; i++)
        out[i] -= chart->rate[i];
}

/* One round; returns the largest change of x. */
static double turn_once(ki_chart *chart, double gamma, double *x) {
    double change = 0;
    turning_rate(chart, x, chart->Nu);
    for (int i = 0; i < chart->system->n_q; i++) {
        double next = chart->b[i] + gamma * chart->Nu[i];
        change = fmax(change, fabs(next - x[i]));
        x[i] = next;
    }
    return change;
}

void ki_chart_turn(ki_chart *chart, double gamma, double *x) {
    const keel_system *sys = chart->system;
    double size = 0, change = INFINITY, previous = INFINITY;
    if (!sys->kinematics)
        return;
    copy(chart->b, x, sys->n_q);
    for (int i = 0; i < sys->n_q; i++)
        size = fmax(size, fabs(x[i]));
    for (int round = 0; round < MOST_ROUNDS && change > SMALL_PART * size; round++) {
        change = turn_once(chart, gamma, x);
        if (!(change < previous)) { /* more than a turn in a step: better not at all */
            copy(x, chart->b, sys->n_q);
            return;
        }
        previous = change;
    }
}

/* One round; returns the largest change of x. */
static double turn_once_complex(ki_chart *chart, double a, double b, double *re, double *im) {
    double change = 0;
    turning_rate(chart, re, chart->Nu);
    turning_rate(chart, im, chart->Nu_im);
    for (int i = 0; i < chart->system->n_q; i++) {
        double next_re = chart->b[i] + a * chart->Nu[i] - b * chart->Nu_im[i];
        double next_im = chart->b_im[i] + a * chart->Nu_im[i] + b * chart->Nu[i];
        change = fmax(change, fmax(fabs(next_re - re[i]), fabs(next_im - im[i])));
        re[i] = next_re;
        im[i] = next_im;
    }
    return change;
}

void ki_chart_turn_complex(ki_chart *chart, double gamma_re, double gamma_im, double *re, double *im) {
    const keel_system *sys = chart->system;
    double size = 0, change = INFINITY, previous = INFINITY;
    if (!sys->kinematics)
        return;
    copy(chart->b, re, sys->n_q);
    copy(chart->b_im, im, sys->n_q);
    for (int i = 0; i < sys->n_q; i++)
        size = fmax(size, fmax(fabs(re[i]), fabs(im[i])));
    for (int round = 0; round < MOST_ROUNDS && change > SMALL_PART * size; round++) {
        change = turn_once_complex(chart, gamma_re, gamma_im, re, im);
        if (!(change < previous)) {
            copy(re, chart->b, sys->n_q);
            copy(im, chart->b_im, sys->n_q);
            return;
        }
        previous = change;
    }
}

void ki_chart_pull(const ki_chart *chart, const double *x, double *d) {
    const keel_system *sys = chart->system;
    if (sys->kinematics)
        sys->pull(sys, chart->q, x, d);
    else
        copy(d, x, sys->n_v);
}

void ki_chart_bend(ki_chart *chart, const double *u, double *w) {
    const keel_system *sys = chart->system;
    sys->kinematics(sys, chart->q, u, chart->Nu);
    for (int i = 0; i < sys->n_q; i++)
        chart->moved[i] = chart->q[i] + chart->Nu[i];
    sys->kinematics(sys, chart->moved, chart->v, chart->Nu);
    for (int i = 0; i < sys->n_q; i++)
        chart->Nu[i] -= chart->rate[i];
    sys->pull(sys, chart->q, chart->Nu, w);
}

void ki_chart_add(ki_chart *chart, double factor, const double *u, double *x) {
    const keel_system *sys = chart->system;
    const double *Nu = u;
    if (sys->kinematics) {
        sys->kinematics(sys, chart->q, u, chart->Nu);
        Nu = chart->Nu;
    }
    for (int i = 0; i < sys->n_q; i++)
        x[i] += factor * Nu[i];
}

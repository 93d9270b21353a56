#include "integrate/chart.h"

#include <math.h>
#include <string.h>

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
}

void ki_chart_take(ki_chart *chart, const double *q, const double *v) {
    const keel_system *sys = chart->system;
    if (!sys->kinematics)
        return;
    copy(chart->q, q, sys->n_q);
    copy(chart->v, v, sys->n_v);
    sys->kinematics(sys, q, v, chart->rate);
}

/* One round; returns the largest change of x. */
static double turn_once(ki_chart *chart, double gamma, double *x) {
    const keel_system *sys = chart->system;
    double change = 0;
    for (int i = 0; i < sys->n_q; i++)
        chart->moved[i] = chart->q[i] + x[i];
    sys->kinematics(sys, chart->moved, chart->v, chart->Nu);
    for (int i = 0; i < sys->n_q; i++) {
        double next = chart->b[i] + gamma * (chart->Nu[i] - chart->rate[i]);
        change = fmax(change, fabs(next - x[i]));
        x[i] = next;
    }
    return change;
}

void ki_chart_turn(ki_chart *chart, double gamma, double *x) {
    enum { MOST_ROUNDS = 12 };
    static const double SMALL_PART = 1e-4; /* of b that may be left out */
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

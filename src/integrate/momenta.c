#include "integrate/momenta.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* ---- which there are */

/* Poses besides the start at which displacements are tried, and how far away they are in parts of the scales.
 */
enum { LOOKS = 3 };
static const double AWAY = 0.3;

/* A displacement that something opposes by less, relative to what could, is opposed by round-off. */
static const double NOTHING = 1e-7;

/* The first `count` combinations are turned among themselves so that one of them takes all that opposes them;
 * `value` [n] is what opposes the displacements. That one comes last and does not count any more. */
static int set_apart(ki_momenta *p, int count, const double *value) {
    double v[KI_RIGID], size, beta;
    for (int i = 0; i < count; i++)
        v[i] = ki_dot(p->n, p->part[count - 1 - i], value);
    if (count == 0 || !(ki_dot(count, v, v) > NOTHING * NOTHING))
        return count;
    beta = ki_reflection_make(count, v, &size);
    for (int j = 0; j < p->n; j++) {
        double column[KI_RIGID];
        for (int i = 0; i < count; i++)
            column[i] = p->part[count - 1 - i][j];
        ki_reflection_apply(count, v, beta, column);
        for (int i = 0; i < count; i++)
            p->part[count - 1 - i][j] = column[i];
    }
    return count - 1;
}

static int set_apart_relative(ki_momenta *p, int count, double *value, double size) {
    for (int i = 0; i < p->n && size > 0; i++)
        value[i] /= size;
    return size > 0 ? set_apart(p, count, value) : count;
}

/* The joints to the ground, by the columns of `lost`, which are squares. */
static void follow_joints(ki_momenta *p, const double *lost) {
    double value[KI_RIGID];
    for (int k = 0; k < p->n; k++) {
        for (int i = 0; i < p->n; i++)
            value[i] = lost[i * p->n + k];
        p->count = set_apart_relative(p, p->count, value, sqrt(fmax(lost[k * p->n + k], 0)));
    }
}

/* Forces at rest. */
static void look_at_forces(ki_momenta *p) {
    const ki_dynamics *d = p->dynamics;
    double value[KI_RIGID], size = 0;
    int n_v = d->system->n_v;
    for (int j = 0; j < n_v; j++)
        size += fabs(d->at.Q[j]) * d->scales->move[j];
    for (int i = 0; i < p->n; i++)
        value[i] = ki_dot(n_v, d->at.Q, p->xi + i * n_v);
    p->kept = set_apart_relative(p, p->kept, value, size);
}

static void look_at_constraints(ki_momenta *p) {
    const ki_dynamics *d = p->dynamics;
    keel_pattern J = d->system->J;
    double value[KI_RIGID];
    int n_v = d->system->n_v;
    for (int k = 0; k < d->m && p->kept; k++) {
        double size = 0;
        memset(value, 0, sizeof value);
        for (int e = J.start[k]; e < J.start[k + 1]; e++) {
            size += fabs(d->at.J[e]) * d->scales->move[J.index[e]];
            for (int i = 0; i < p->n; i++)
                value[i] += d->at.J[e] * p->xi[i * n_v + J.index[e]];
        }
        p->kept = set_apart_relative(p, p->kept, value, size);
    }
}

/* The state of look number `look`, at rest; the first is the start. */
static void look_around(const ki_dynamics *d, int look, const double *y, double *there) {
    memcpy(there, y, (size_t)d->n_y * sizeof *there);
    for (int j = 0; j < d->system->n_v; j++)
        d->b_v[j] = look ? AWAY * d->scales->move[j] * sin(1 + 3.7 * look + 2.3 * j) : 0;
    ki_move(d, there, d->b_v);
    memset(ki_v(d, there), 0, (size_t)d->system->n_v * sizeof *there);
}

/* Forces where a joint is open or not; constraints only where they are closed, in the steps. Poses where the
 * model has no value tell nothing. */
static void try_displacements(ki_momenta *p, double t, double t_end, const double *y, double *there) {
    ki_dynamics *d = p->dynamics;
    double lost[KI_RIGID * KI_RIGID];
    for (int pass = 0; pass < 2; pass++) {
        for (int look = 0; look <= LOOKS; look++) {
            double when = t + (t_end - t) * look / (LOOKS + 1);
            look_around(d, look, y, there);
            if (pass && ki_evaluate_terms(d, KEEL_FORCE, when, there))
                continue;
            keel_point at = ki_point(d, when, there);
            d->system->rigid(d->system, d->work, &at, &(keel_rigid){.xi = p->xi, .lost = lost});
            if (pass)
                look_at_forces(p);
            else
                follow_joints(p, lost);
        }
        p->kept = pass ? p->kept : p->count;
    }
}

void ki_momenta_init(ki_momenta *p, ki_arena *arena, ki_dynamics *d, double t, double t_end,
                     const double *y) {
    const keel_system *sys = d->system;
    *p = (ki_momenta){.dynamics = d, .n = sys->rigid ? sys->n_rigid : 0};
    p->xi = KI_NEW(arena, double, p->n * sys->n_v);
    p->g = KI_NEW(arena, double, p->n * sys->n_v);
    p->Mg = KI_NEW(arena, double, p->n * sys->n_v);
    double *there = KI_NEW(arena, double, d->n_y);
    if (arena->failed || p->n == 0)
        return;
    for (int i = 0; i < p->n; i++)
        p->part[i][i] = 1;
    p->count = p->kept = p->n;
    try_displacements(p, t, t_end, y, there);
    if (d->m && ki_evaluate_terms(d, KEEL_JACOBIAN, t, y) == KEEL_OK)
        ki_momenta_confirm(p, t, y);
}

bool ki_momenta_confirm(ki_momenta *p, double t, const double *y) {
    ki_dynamics *d = p->dynamics;
    int kept = p->kept;
    if (kept == 0)
        return true;
    keel_point at = ki_point(d, t, y);
    d->system->rigid(d->system, d->work, &at, &(keel_rigid){.xi = p->xi});
    look_at_constraints(p);
    return p->kept == kept;
}

/* ---- a step */

static void combine(const ki_momenta *p, const double *of_displacements, double *of_g) {
    for (int i = 0; i < p->count; i++)
        of_g[i] = ki_dot(p->n, p->part[i], of_displacements);
}

static void momenta_at(ki_momenta *p, double t, const double *y, double *momentum) {
    ki_dynamics *d = p->dynamics;
    double of_displacements[KI_RIGID];
    if (p->count == 0)
        return;
    keel_point at = ki_point(d, t, y);
    d->system->rigid(d->system, d->work, &at, &(keel_rigid){.momentum = of_displacements});
    combine(p, of_displacements, momentum);
}

void ki_momenta_start(ki_momenta *p, double t, const double *y) {
    momenta_at(p, t, y, p->start);
}

void ki_momenta_end(ki_momenta *p, double t, const double *y) {
    momenta_at(p, t, y, p->end);
}

/* g, M g, p' and the Gram matrix in the middle. */
static void look_at_middle(ki_momenta *p, double t, const double *y, const double *a) {
    ki_dynamics *d = p->dynamics;
    int n_v = d->system->n_v, k = p->count;
    double rate[KI_RIGID];
    keel_point at = ki_point(d, t, y);
    at.a = a;
    d->system->rigid(d->system, d->work, &at, &(keel_rigid){.xi = p->xi, .rate = rate});
    combine(p, rate, p->rate);
    for (int i = 0; i < k; i++) {
        double *g = p->g + i * n_v;
        memset(g, 0, (size_t)n_v * sizeof *g);
        for (int j = 0; j < p->n; j++)
            ki_axpy(n_v, p->part[i][j], p->xi + j * n_v, g);
        ki_mass_times(d, g, p->Mg + i * n_v);
        for (int j = 0; j <= i; j++)
            p->gram[i * k + j] = ki_dot(n_v, g, p->Mg + j * n_v);
    }
    p->usable = ki_dense_cholesky(k, p->gram);
    p->usable = p->usable < 0 ? k : p->usable; /* what has no mass has no momentum */
}

/* x <- (g . M g)^-1 x of the first n */
static void solve_gram(const ki_momenta *p, int n, double *x) {
    double L[KI_RIGID * KI_RIGID];
    for (int i = 0; i < n; i++)
        memcpy(L + i * n, p->gram + i * p->count, (size_t)n * sizeof *L);
    if (n)
        ki_dense_cholesky_solve(n, L, x);
}

/* g_i . J^T L of the holonomic rows, which are open by terms of h^2 in the middle. */
static double couple(const ki_momenta *p, int i, const double *L) {
    const ki_dynamics *d = p->dynamics;
    keel_pattern J = d->system->J;
    const double *g = p->g + i * d->system->n_v;
    double sum = 0;
    for (int k = 0; k < d->system->n_h; k++)
        for (int e = J.start[k]; e < J.start[k + 1]; e++)
            sum += L[k] * d->at.J[e] * g[J.index[e]];
    return sum;
}

void ki_momenta_balance(ki_momenta *p, double t, double h, const double *y, const double *a, const double *L,
                        double *r) {
    double mu[KI_RIGID];
    if (p->count == 0)
        return;
    int n_v = p->dynamics->system->n_v;
    look_at_middle(p, t, y, a);
    for (int i = 0; i < p->usable; i++)
        mu[i] = (p->end[i] - p->start[i]) / h - p->rate[i] - (i < p->kept ? couple(p, i, L) : 0);
    solve_gram(p, p->usable, mu);
    for (int i = 0; i < p->usable; i++)
        ki_axpy(n_v, mu[i], p->Mg + i * n_v, r);
}

void ki_momenta_spare(const ki_momenta *p, double *x) {
    int kept = p->kept < p->usable ? p->kept : p->usable;
    double gamma[KI_RIGID];
    if (kept == 0)
        return;
    int n_v = p->dynamics->system->n_v;
    for (int i = 0; i < kept; i++)
        gamma[i] = ki_dot(n_v, p->Mg + i * n_v, x);
    solve_gram(p, kept, gamma);
    for (int i = 0; i < kept; i++)
        ki_axpy(n_v, -gamma[i], p->g + i * n_v, x);
}

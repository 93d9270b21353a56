#include "integrate/spectrum.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* Larger systems take long for what this costs them, and gain little. */
enum { MOST_VELOCITIES = 100, POWERS = 12 };

/* Cosine of the angle between vectors that have nearly opposite directions. */
static const double OPPOSITE = -0.9;

/* A spring is at rest if rates change by less than this part of what lambda would make of them. */
static const double IDLE = 0.2;

typedef struct powers {
    ki_dynamics *d;
    double *x[3]; /* [n_y] the last three powers, newest first */
    double *rate; /* [n_y] f(t, y)                             */
    double *rhs;  /* [n_v + m + n_z]                           */
    double *lambda;
} powers;

static bool can_tell(const ki_dynamics *d) {
    const keel_system *sys = d->system;
    return sys->tangent.rows > 0 && !sys->kinematics && !sys->Q_lambda.rows && !sys->f_needs_lambda &&
           !sys->n_s && sys->n_v > 0 && sys->n_v <= MOST_VELOCITIES && !d->law->baumgarte;
}

/* x[0] <- f_y x[1] */
static keel_status apply(powers *p, double t) {
    ki_dynamics *d = p->d;
    const keel_system *sys = d->system;
    const double *x = p->x[1];
    for (int i = 0; i < sys->tangent.rows; i++) {
        p->rhs[i] = 0;
        for (int k = sys->tangent.start[i]; k < sys->tangent.start[i + 1]; k++)
            p->rhs[i] -= d->at.tangent[k] * x[sys->tangent.index[k]];
    }
    memcpy(p->x[0], x + sys->n_q, (size_t)sys->n_v * sizeof(double));
    if (sys->n_z)
        memcpy(ki_z(d, p->x[0]), p->rhs + sys->n_v + d->m, (size_t)sys->n_z * sizeof(double));
    return ki_solve_motion(d, t, p->rhs, p->rhs + sys->n_v, ki_v(d, p->x[0]), p->lambda);
}

static double cosine(const powers *p, const double *a, const double *b) {
    int n = p->d->system->n_v;
    double size = sqrt(ki_dot(n, a, a)) * sqrt(ki_dot(n, b, b));
    return size > 0 ? ki_dot(n, a, b) / size : 0;
}

static void scale(powers *p, double by) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < p->d->n_y; i++)
            p->x[k][i] *= by;
}

/* Begins with velocities of all signs and leaves |lambda| in *size, from the last two powers. */
static keel_status raise(powers *p, double t, double *size) {
    ki_dynamics *d = p->d;
    int n = d->system->n_v;
    keel_status status = KEEL_OK;
    for (int i = 0; i < n; i++)
        ki_v(d, p->x[0])[i] = (i % 2 ? 1 : -1) * (1 + 0.37 * (i % 5));
    for (int k = 0; k < POWERS && !status; k++) {
        double *oldest = p->x[2];
        p->x[2] = p->x[1];
        p->x[1] = p->x[0];
        p->x[0] = oldest;
        status = apply(p, t);
        double *v = ki_v(d, p->x[0]), *before = ki_v(d, p->x[2]);
        double now = ki_dot(n, v, v), then = ki_dot(n, before, before);
        *size = then > 0 ? sqrt(sqrt(now / then)) : 0;
        if (now > 0 && k % 2 && k < POWERS - 1)
            scale(p, 1 / sqrt(now));
    }
    return status;
}

/* x[0] <- the rate after a time of 1/|lambda|, most of a quarter of a period of a spring (a step of the
 * classical Runge-Kutta method) */
static keel_status rate_ahead(powers *p, double t, const double *y, double step) {
    static const double C[] = {0.5, 0.5, 1}, B[] = {1.0 / 3, 1.0 / 3, 1.0 / 6};
    int n = p->d->n_y;
    double *k = p->x[0], *stage = p->x[1], *end = p->x[2];
    keel_status status = KEEL_OK;
    for (int i = 0; i < n; i++) {
        k[i] = p->rate[i];
        end[i] = y[i] + step / 6 * k[i];
    }
    for (int s = 0; s < 3 && !status; s++) {
        for (int i = 0; i < n; i++)
            stage[i] = y[i] + C[s] * step * k[i];
        status = ki_rate(p->d, t + C[s] * step, stage, k);
        ki_axpy(n, B[s] * step, k, end);
    }
    return status ? status : ki_rate(p->d, t + step, end, k);
}

/* Whether the motion itself is far slower than |lambda| = size, or what is not is smaller than the errors
 * that are allowed: an oscillation that changes accelerations by c has speeds of c / |lambda|. */
static keel_status is_idle(powers *p, double t, const double *y, double size, ki_allowance allowed,
                           bool *idle) {
    const keel_system *sys = p->d->system;
    double change = 0, all = 0, part = 0;
    keel_status status = rate_ahead(p, t, y, 1 / size);
    const double *a = ki_v(p->d, p->rate), *b = ki_v(p->d, p->x[0]), *v = y + sys->n_q;
    for (int i = 0; i < sys->n_v; i++) {
        double here = fabs(b[i] - a[i]);
        change = fmax(change, here);
        all = fmax(all, fabs(a[i]));
        part = fmax(part, here / size / ki_allowed_between(allowed, sys->n_q + i, v[i], v[i]));
    }
    *idle = !status && (change < IDLE * all || part < 1);
    return status;
}

static keel_status find(powers *p, double t, const double *y, ki_allowance allowed, ki_spectrum *found) {
    ki_dynamics *d = p->d;
    keel_status status = ki_rate(d, t, y, p->rate);
    if (!status)
        status = ki_evaluate_terms(d, KEEL_TANGENT, t, y);
    if (!status)
        status = raise(p, t, &found->size);
    if (status || !(found->size > 0) || !isfinite(found->size))
        return status;
    const double *v = ki_v(d, p->x[0]);
    bool idle = false;
    if (cosine(p, v, ki_v(d, p->x[1])) < OPPOSITE)
        found->kind = KI_STIFF_DAMPER;
    else if (cosine(p, v, ki_v(d, p->x[2])) < OPPOSITE) {
        status = is_idle(p, t, y, found->size, allowed, &idle);
        found->kind = idle ? KI_STIFF_SPRING : KI_NOT_STIFF;
    }
    return status;
}

keel_status ki_find_spectrum(ki_dynamics *d, double t, const double *y, ki_allowance allowed,
                             ki_spectrum *found) {
    *found = (ki_spectrum){0};
    if (!can_tell(d))
        return KEEL_OK;
    ki_arena arena;
    ki_arena_init(&arena);
    powers p = {.d = d};
    for (int k = 0; k < 3; k++)
        p.x[k] = KI_NEW(&arena, double, d->n_y);
    p.rate = KI_NEW(&arena, double, d->n_y);
    p.rhs = KI_NEW(&arena, double, d->system->tangent.rows);
    p.lambda = KI_NEW(&arena, double, d->m);
    keel_status status = arena.failed ? KEEL_ERROR_MEMORY : find(&p, t, y, allowed, found);
    ki_arena_free(&arena);
    return status;
}

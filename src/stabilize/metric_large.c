#include "stabilize/metric_large.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* Parts shorter than this are round-off, as in the small systems. */
static const double LEAST_PART = 1e-10, ROUND_OFF = 1e-12;

enum { POWER_STEPS = 40 };

void ki_metric_large_init(ki_metric_large *metric, ki_arena *arena, const keel_system *system) {
    metric->c = KI_NEW(arena, double, keel_system_m(system));
    double **of_v[] = {&metric->u, &metric->x, &metric->Bx, &metric->part};
    for (size_t k = 0; k < sizeof of_v / sizeof *of_v; k++)
        *of_v[k] = KI_NEW(arena, double, system->n_v);
}

/* out = J v */
static void times_J(const ki_dynamics *d, const double *v, double *out) {
    keel_pattern J = d->system->J;
    for (int i = 0; i < J.rows; i++) {
        out[i] = 0;
        for (int k = J.start[i]; k < J.start[i + 1]; k++)
            out[i] += d->at.J[k] * v[J.index[k]];
    }
}

/* out = J^T c */
static void times_J_transposed(const ki_dynamics *d, const double *c, double *out) {
    keel_pattern J = d->system->J;
    memset(out, 0, (size_t)d->system->n_v * sizeof *out);
    for (int i = 0; i < J.rows; i++)
        for (int k = J.start[i]; k < J.start[i + 1]; k++)
            out[J.index[k]] += d->at.J[k] * c[i];
}

/* out = B^s v */
static void times_B(ki_metric_large *g, const ki_dynamics *d, const double *v, double *out) {
    int n = d->system->n_v;
    ki_mass_times(d, v, out);
    times_J(d, out, g->c);
    times_J_transposed(d, g->c, out);
    times_J(d, v, g->c);
    times_J_transposed(d, g->c, g->part);
    ki_mass_times(d, g->part, g->u);
    for (int i = 0; i < n; i++)
        out[i] = (out[i] + g->u[i]) / 2;
}

/* Length one; the length that it had. */
static double normalize(int n, double *v) {
    double length = sqrt(ki_dot(n, v, v));
    for (int i = 0; i < n && length > 0; i++)
        v[i] /= length;
    return length;
}

/* x = the part of M J^T c that J does not see, over the whole of it; c with a coefficient of order one for
 * every row of unit length. */
static keel_status find_way_out(ki_metric_large *g, ki_dynamics *d, double *part) {
    keel_pattern J = d->system->J;
    int n = d->system->n_v;
    for (int i = 0; i < J.rows; i++) {
        double square = 0;
        for (int k = J.start[i]; k < J.start[i + 1]; k++)
            square += d->at.J[k] * d->at.J[k];
        g->c[i] = square > 0 ? (1 + 0.7 * sin(1.7 * i + 0.3 * i * i)) / sqrt(square) : 0;
    }
    times_J_transposed(d, g->c, g->part);
    ki_mass_times(d, g->part, g->u);
    double length = sqrt(ki_dot(n, g->u, g->u));
    d->factored_P = NULL;
    keel_status status = keel_saddle_factor(d->P, d->metric, d->at.J, NULL);
    if (status >= 0)
        status = keel_saddle_solve(d->P, g->u, NULL, g->x, d->y, NULL);
    *part = status >= 0 && length > 0 ? sqrt(ki_dot(n, g->x, g->x)) / length : 0;
    return status < 0 ? status : KEEL_OK;
}

/* The least value of the quotient in the plane of x, for which it is zero, and g = B^s x. */
static double quotient_beside(ki_metric_large *g, const ki_dynamics *d) {
    int n = d->system->n_v;
    normalize(n, g->x);
    times_B(g, d, g->x, g->Bx);
    double b = normalize(n, g->Bx); /* x^T B g, g of unit length; g is orthogonal to x */
    memcpy(g->x, g->Bx, (size_t)n * sizeof *g->x);
    times_B(g, d, g->x, g->Bx);
    double a = ki_dot(n, g->x, g->Bx);
    return a / 2 - sqrt(a * a / 4 + b * b);
}

/* The quotient after power iteration with B^s - shift; *most: the largest |B^s v| met. */
static double iterate(ki_metric_large *g, const ki_dynamics *d, double shift, double *most) {
    int n = d->system->n_v;
    double quotient = 0;
    for (int i = 0; i < n; i++)
        g->x[i] = 1 + 0.6 * sin(2.3 * i + 0.1 * i * i);
    normalize(n, g->x);
    for (int step = 0; step < POWER_STEPS; step++) {
        times_B(g, d, g->x, g->Bx);
        quotient = ki_dot(n, g->x, g->Bx);
        *most = fmax(*most, sqrt(ki_dot(n, g->Bx, g->Bx)));
        for (int i = 0; i < n; i++)
            g->x[i] = g->Bx[i] - shift * g->x[i];
        if (!(normalize(n, g->x) > 0))
            break;
    }
    return quotient;
}

keel_status ki_metric_large_look(ki_metric_large *g, ki_dynamics *d, double *quotient) {
    double part, most = 0;
    *quotient = 0;
    keel_status status = find_way_out(g, d, &part);
    if (status)
        return status;
    double beside = part > LEAST_PART ? quotient_beside(g, d) : 0;
    if (part <= LEAST_PART && d->law->projection_penalty == 0)
        return KEEL_OK;
    iterate(g, d, 0, &most);
    double least = iterate(g, d, most, &most);
    *quotient = fmin(beside, least < -ROUND_OFF * most ? least : 0);
    return KEEL_OK;
}

#include "integrate/rough_step.h"

#include <math.h>
#include <string.h>

keel_status ki_rough_step_init(ki_rough_step *rough, ki_arena *arena, const ki_dynamics *d, const double *y) {
    *rough = (ki_rough_step){.active = true,
                             .largest = KI_NEW(arena, double, d->n_y),
                             .error = KI_NEW(arena, double, d->n_y),
                             .t = KI_NEW(arena, double, d->n_y),
                             .pending_y = KI_NEW(arena, double, d->n_y),
                             .pending_e = KI_NEW(arena, double, d->n_y),
                             .pending_t = KI_NEW(arena, double, 1),
                             .rate = KI_NEW(arena, double, d->n_y),
                             .e = KI_NEW(arena, double, d->n_y),
                             .y = KI_NEW(arena, double, d->n_y),
                             .Y = KI_NEW(arena, double, d->n_y),
                             .sum = KI_NEW(arena, double, d->n_y),
                             .k = KI_NEW(arena, double, d->n_y),
                             .kept = KI_NEW(arena, double, d->system->n_s + d->m)};
    if (arena->failed)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < d->n_y; i++)
        rough->largest[i] = fabs(y[i]);
    return KEEL_OK;
}

/* Largest |e_i| / size_i of the components [from, to), if above `worst`. */
static double worst_of(const ki_rough_step *rough, int from, int to, const double *e, double worst,
                       int *component) {
    static const double FLOOR = 1e-6;
    double most = 0;
    for (int i = from; i < to; i++)
        most = fmax(most, rough->largest[i]);
    for (int i = from; i < to && most > 0; i++) {
        double ratio = fabs(e[i]) / fmax(rough->largest[i], FLOOR * most);
        if (!(ratio <= worst)) {
            worst = ratio;
            *component = i;
        }
    }
    return worst;
}

static double worst_ratio(const ki_rough_step *rough, const ki_dynamics *d, const double *e, int *component) {
    int n_q = d->system->n_q, n_v = d->system->n_v, n = d->n_y - 1;
    *component = 0;
    double worst = worst_of(rough, 0, n_q, e, 0, component);
    worst = worst_of(rough, n_q, n_q + n_v, e, worst, component);
    return worst_of(rough, n_q + n_v, n, e, worst, component);
}

/* rough->y <- one classical Runge-Kutta step of length h */
static keel_status small_step(ki_rough_step *rough, ki_dynamics *d, double t, double h) {
    static const double AT[4] = {0, 0.5, 0.5, 1}, WEIGHT[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    int n = d->n_y;
    keel_status status = KEEL_OK;
    memcpy(rough->sum, rough->y, (size_t)n * sizeof(double));
    for (int s = 0; s < 4 && !status; s++) {
        for (int i = 0; i < n; i++)
            rough->Y[i] = rough->y[i] + AT[s] * h * rough->k[i];
        status = ki_rate(d, t + AT[s] * h, rough->Y, rough->k);
        for (int i = 0; i < n && !status; i++)
            rough->sum[i] += WEIGHT[s] * h * rough->k[i];
    }
    memcpy(rough->y, rough->sum, (size_t)n * sizeof(double));
    return status;
}

keel_status ki_rough_step_halves(ki_rough_step *rough, ki_dynamics *d, double t, double h,
                                 const double *y_old, const double *y, double *e) {
    int n = d->n_y;
    bool factored = d->factored;
    size_t of_s = (size_t)d->system->n_s * sizeof(double), of_m = (size_t)d->m * sizeof(double);
    memcpy(rough->kept, d->s, of_s);
    memcpy(rough->kept + d->system->n_s, d->lambda, of_m);
    memcpy(rough->y, y_old, (size_t)n * sizeof(double));
    memset(rough->k, 0, (size_t)n * sizeof(double));
    keel_status status = small_step(rough, d, t, h / 2);
    if (!status)
        status = small_step(rough, d, t + h / 2, h / 2);
    if (status == KEEL_ERROR_MEMORY || status == KEEL_ERROR_CALLBACK)
        return status;
    for (int i = 0; i < n; i++)
        e[i] = status ? INFINITY : rough->y[i] - y[i];
    d->trouble = (ki_trouble){0};
    memcpy(d->s, rough->kept, of_s);
    memcpy(d->lambda, rough->kept + d->system->n_s, of_m);
    return factored ? ki_factor_at(d, t + h, y) : KEEL_OK;
}

/* The pending step counts. */
static void commit(ki_rough_step *rough, const ki_dynamics *d) {
    if (!rough->is_pending)
        return;
    rough->is_pending = false;
    for (int i = 0; i < d->n_y - 1; i++) {
        rough->largest[i] = fmax(rough->largest[i], fabs(rough->pending_y[i]));
        if (fabs(rough->pending_e[i]) > rough->error[i]) {
            rough->error[i] = fabs(rough->pending_e[i]);
            rough->t[i] = *rough->pending_t;
        }
    }
}

void ki_rough_step_begin(ki_rough_step *rough, const ki_dynamics *d, const double *y) {
    commit(rough, d);
    for (int i = 0; i < d->n_y; i++)
        rough->pending_y[i] = fmax(rough->largest[i], fabs(y[i]));
}

double ki_rough_step_ratio(const ki_rough_step *rough, const ki_dynamics *d, const double *e) {
    int component;
    ki_rough_step with = *rough;
    with.largest = rough->pending_y;
    return worst_ratio(&with, d, e, &component);
}

void ki_rough_step_end(ki_rough_step *rough, const ki_dynamics *d, double t, const double *e) {
    memcpy(rough->pending_e, e, (size_t)d->n_y * sizeof *e);
    *rough->pending_t = t;
    rough->is_pending = true;
}

keel_status ki_rough_step_look(ki_rough_step *rough, ki_dynamics *d, double t, double h, const double *y_old,
                               const double *y, double *e) {
    static const double DOUBTFUL = 0.02;
    keel_status status = KEEL_OK;
    ki_rough_step_begin(rough, d, y);
    if (!(ki_rough_step_ratio(rough, d, e) <= DOUBTFUL))
        status = ki_rough_step_halves(rough, d, t, h, y_old, y, e);
    ki_rough_step_end(rough, d, t + h, e);
    return status;
}

void ki_rough_step_undo(ki_rough_step *rough) {
    rough->is_pending = false;
}

void ki_rough_step_carry(ki_rough_step *from, ki_rough_step *to, const ki_dynamics *d) {
    size_t size = (size_t)d->n_y * sizeof(double);
    if (!from->active || !to->active)
        return;
    commit(from, d);
    memcpy(to->largest, from->largest, size);
    memcpy(to->error, from->error, size);
    memcpy(to->t, from->t, size);
}

double ki_rough_step_worst(ki_rough_step *rough, const ki_dynamics *d, int *component) {
    commit(rough, d);
    return worst_ratio(rough, d, rough->error, component);
}

#include "run/stiff_row.h"

#include <math.h>
#include <string.h>

#include "run/simulation.h"

/* g over the step: about that of the methods that use this. */
static const double PART = 0.2;

/* A defect that matters, over what a step may leave, which is a tenth of the tolerance. */
static const double ENOUGH = 0.1;

/* Part of the last step but one. */
static const double SOON = 0.5;

keel_status ki_stiff_rows_init(keel_simulation *sim) {
    ki_stiff_rows *rows = &sim->stiff_rows;
    size_t n = (size_t)sim->rows.n_y;
    rows->slope = KI_NEW(&sim->arena, double, n + KI_FOUR);
    rows->rate = KI_NEW(&sim->arena, double, n + KI_FOUR);
    rows->begin = KI_NEW(&sim->arena, double, n + KI_FOUR);
    rows->earlier = KI_NEW(&sim->arena, double, n + KI_FOUR);
    rows->begin_t = rows->earlier_t = rows->of_step = NAN;
    return sim->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

void ki_stiff_rows_clear(ki_stiff_rows *rows) {
    ki_integrator_free(rows->follower);
    *rows = (ki_stiff_rows){0};
}

void ki_remember_beginning(keel_simulation *sim) {
    ki_stiff_rows *rows = &sim->stiff_rows;
    const ki_integrator *in = sim->integrator;
    if (!rows->begin || !in->method->slope || rows->begin_t == in->t)
        return;
    double *free = rows->earlier;
    rows->earlier = rows->begin;
    rows->earlier_t = rows->begin_t;
    rows->begin = free;
    rows->begin_t = in->t;
    memcpy(rows->begin, in->y, (size_t)in->n * sizeof(double));
}

/* The size of g (f - P'), the work left out, over what a step may leave. */
static keel_status find_defect(keel_simulation *sim, ki_dynamics *d, double t, const double *y,
                               double *size) {
    ki_stiff_rows *rows = &sim->stiff_rows;
    ki_integrator *in = sim->integrator;
    double g = PART * (in->t - in->t_old);
    keel_status status = in->method->slope(in, t, rows->slope);
    if (!status)
        status = ki_rate(d, t, y, rows->rate);
    for (int i = 0; i < d->n_y - 1; i++)
        rows->slope[i] = g * (rows->rate[i] - rows->slope[i]);
    rows->slope[d->n_y - 1] = 0;
    *size = status ? 0 : ki_error_norm(in, rows->slope, y, y);
    return status;
}

keel_status ki_prepare_follower(keel_simulation *sim, const ki_integrator *in) {
    enum { MOST_STEPS = 200 };
    static const double SHORT = 1e-3; /* of what is left: it is told where to go before it steps */
    keel_status status;
    double t_end = fmax(sim->settings.until, in->t);
    if (!in->method->slope || sim->stiff_rows.follower || !(t_end > in->t))
        return KEEL_OK;
    ki_dynamics *d = &sim->rows;
    ki_problem problem = {.kind = sim->settings.method.integrator == KEEL_RADAU9 ? KEEL_RADAU9 : KEEL_RADAU5,
                          .flow = {d, in->flow.stabilize},
                          .flow_rows = {d, in->flow.stabilize},
                          .settings = in->settings,
                          .options = in->options,
                          .t = in->t,
                          .t_end = t_end,
                          .y = in->y};
    problem.settings.step = SHORT * (t_end - in->t);
    problem.settings.fixed = false;
    problem.settings.most_steps = MOST_STEPS;
    sim->stiff_rows.follower = ki_integrator_new(&problem, &status);
    if (!status)
        sim->stiff_rows.follower->follows = true;
    d->factored = false;
    return status == KEEL_ERROR_MEMORY ? status : KEEL_OK; /* rows do without */
}

/* Where the follower begins: what Newton's method has left there of stiff parts fades in about a step, so
 * that rows soon after the beginning of one are followed from the beginning of the step before. */
static const double *choose_beginning(const keel_simulation *sim, double t, double *begin_t) {
    const ki_stiff_rows *rows = &sim->stiff_rows;
    const ki_integrator *in = sim->integrator;
    *begin_t = rows->begin_t;
    if (rows->begin_t != in->t_old) /* the step began elsewhere, at a switch: its dense output tells */
        return NULL;
    if (!(t - in->t_old < SOON * (in->t_old - rows->earlier_t)))
        return rows->begin;
    *begin_t = rows->earlier_t;
    return rows->earlier;
}

/* The follower at the beginning of the step, or at an earlier row of it. */
static keel_status aim(keel_simulation *sim, double t) {
    ki_stiff_rows *rows = &sim->stiff_rows;
    ki_integrator *in = sim->integrator;
    double begin_t;
    keel_status status = KEEL_OK;
    if (rows->of_step == in->t_old && rows->follower->t <= t)
        return KEEL_OK;
    const double *y = choose_beginning(sim, t, &begin_t);
    rows->of_step = in->t_old;
    if (!y) {
        begin_t = in->t_old;
        y = rows->slope;
        status = in->method->interpolate(in, begin_t, rows->slope);
    }
    return status ? status : ki_radau_follow(rows->follower, in, begin_t, y, t);
}

static keel_status follow(keel_simulation *sim, double t) {
    keel_status status = aim(sim, t);
    ki_integrator *follower = sim->stiff_rows.follower;
    while (!status && follower->t < t)
        status = follower->method->step(follower, t);
    return status;
}

/* Whether the follower is where dense output is, as well as that is known: next to a singular pose it may
 * have gone another way. Velocities of light parts on strong dampers are known less. */
static bool agrees(keel_simulation *sim, const double *y) {
    static const double VELOCITIES = 300;
    ki_stiff_rows *rows = &sim->stiff_rows;
    const ki_integrator *in = sim->integrator;
    double *apart = rows->slope,
           most = 1 / sqrt(in->settings.tolerance); /* a tenth of the root, in their scales */
    for (int i = 0; i < in->n; i++)
        apart[i] = i < in->n - 1 ? rows->follower->y[i] - y[i] : 0;
    if (!(ki_error_norm(in, apart, y, y) <= VELOCITIES * most))
        return false;
    for (int i = sim->rows.system->n_q; i < in->n; i++)
        apart[i] = 0;
    return ki_error_norm(in, apart, y, y) <= most;
}

keel_status ki_follow_to_row(keel_simulation *sim, ki_dynamics *d, double t, double *y) {
    ki_stiff_rows *rows = &sim->stiff_rows;
    const ki_integrator *in = sim->integrator;
    double size, work = y[d->n_y - 1];
    if (!in->method->slope || !rows->follower || !(in->t > in->t_old) || rows->off)
        return KEEL_OK;
    keel_status status = find_defect(sim, d, t, y, &size);
    if (status || !(size > ENOUGH))
        return status;
    d->step_metric = rows->metric; /* of factors that the follower may keep */
    status = follow(sim, t);
    rows->metric = d->step_metric;
    d->step_metric = (ki_step_metric){0};
    d->factored = false;
    if (status || !agrees(sim, y)) { /* the row stays as it was */
        rows->of_step = NAN;
        return status == KEEL_ERROR_MEMORY ? status : KEEL_OK;
    }
    memcpy(y, rows->follower->y, (size_t)d->n_y * sizeof *y);
    y[d->n_y - 1] = work;
    return KEEL_OK;
}

#include "integrate/explicit_rk.h"

#include <math.h>
#include <string.h>

static void copy(double *to, const double *from, int n) {
    memcpy(to, from, (size_t)n * sizeof *to);
}

/* out = y + h sum_j weights[j] k_j */
static void combine(const ki_rk *rk, const double *weights, int count, double h, const double *y,
                    double *out) {
    copy(out, y, rk->n);
    for (int j = 0; j < count; j++) {
        if (weights[j] == 0)
            continue;
        double hw = h * weights[j];
        const double *k = rk->k[j];
        for (int i = 0; i < rk->n; i++)
            out[i] += hw * k[i];
    }
}

/* out = h sum_j weights[j] k_j */
static void weighted_rates(const ki_rk *rk, const double *weights, int count, double h, double *out) {
    memset(out, 0, (size_t)rk->n * sizeof *out);
    combine(rk, weights, count, h, out, out);
}

/* A step may use this part of the tolerance; the rest is for what the steps add up to. Measured on the
 * shipped models: the error at the end is then of the order of the tolerance itself. */
static const double SHARE_OF_A_STEP = 0.1;

/* No error estimate is better than this, relative to the component: round-off of the stages. */
static const double ROUND_OFF = 1e-15;

/* allowed error of component i */
static double allowed(const ki_rk *rk, const double *y0, const double *y1, int i) {
    double relative = fmax(SHARE_OF_A_STEP * rk->settings.tolerance, ROUND_OFF);
    return SHARE_OF_A_STEP * rk->settings.absolute_tolerance + relative * fmax(fabs(y0[i]), fabs(y1[i]));
}

/* The larger of two; a NaN wins. */
static double larger(double a, double b) {
    return b <= a ? a : b;
}

/* Largest error over all components but the last, relative to what is allowed; formulas in tableau.h. */
static keel_status error_of_attempt(ki_rk *rk, double h, double *error) {
    const ki_tableau *T = rk->tableau;
    int count = T->stages + T->error_uses_new_rate;
    keel_status status;
    weighted_rates(rk, T->error, count, h, rk->estimate);
    if (T->has_error_low)
        weighted_rates(rk, T->error_low, count, h, rk->estimate_low);
    status = ki_settle_error(rk->flow.dynamics, rk->flow.stabilize, rk->estimate);
    if (!status && T->has_error_low)
        status = ki_settle_error(rk->flow.dynamics, rk->flow.stabilize, rk->estimate_low);
    if (status)
        return status;
    double e = 0, low = 0;
    for (int i = 0; i < rk->n - 1; i++) {
        double scale = 1 / allowed(rk, rk->y, rk->y_try, i);
        e = larger(e, fabs(rk->estimate[i]) * scale);
        low = larger(low, fabs(rk->estimate_low[i]) * scale);
    }
    *error = T->has_error_low && e > 0 ? e * (e / hypot(e, 0.1 * low)) : e;
    return KEEL_OK;
}

/* Tries a step: fills k, y_try and the error, and the rate k[stages] of y_try unless the error forbids the
 * step. A forced step is taken whatever its error. */
static keel_status attempt(ki_rk *rk, double h, bool forced, double *error) {
    const ki_tableau *T = rk->tableau;
    ki_dynamics *d = rk->flow.dynamics;
    keel_status status = KEEL_OK;
    for (int s = 1; s < T->stages && !status; s++) {
        combine(rk, T->a[s], s, h, rk->y, rk->y_try);
        status = ki_rate(d, rk->t + T->c[s] * h, rk->y_try, rk->k[s]);
    }
    if (status)
        return status;
    combine(rk, T->a[T->stages], T->stages, h, rk->y, rk->y_try);
    double t_new = rk->t + h;
    ki_normalize(d, rk->y_try);
    status = ki_settle(d, rk->flow.stabilize, t_new, rk->y_try);
    if (!status && T->adaptive && !T->error_uses_new_rate) {
        status = error_of_attempt(rk, h, error);
        if (status || (!(*error <= 1) && !forced)) /* no need for the new rate */
            return status;
    }
    if (!status)
        status = ki_rate(d, t_new, rk->y_try, rk->k[T->stages]);
    if (!status && T->error_uses_new_rate)
        status = error_of_attempt(rk, h, error);
    return status;
}

static void accept(ki_rk *rk, double h, double t_end) {
    copy(rk->y_old, rk->y, rk->n);
    copy(rk->y, rk->y_try, rk->n);
    rk->t_old = rk->t;
    rk->h_taken = h;
    /* land on t_end exactly, whatever t + h rounds to */
    rk->t = fabs(t_end - (rk->t + h)) <= 1e-14 * fmax(fabs(t_end), h) ? t_end : rk->t + h;
    rk->dense_ready = false;
    rk->steps++;
    ki_dynamics *d = rk->flow.dynamics;
    rk->moved_position += d->moved_position * d->moved_position;
    rk->moved_velocity += d->moved_velocity * d->moved_velocity;
}

/* Towards a singular pose at a distance of `ahead` accelerations lose their accuracy: a step that ends just
 * before it is a trap, one that straddles it with no stage nearby is not. If such a step fails, come nearer
 * by half and try again: what a step across leaves undetermined shrinks with its length. */
static double step_across(const ki_rk *rk, double h) {
    double ahead = rk->singular_at - rk->t;
    if (!rk->tableau->adaptive || !(ahead > 0) || ahead > 1.5 * h)
        return h;
    return rk->approaching ? 0.5 * ahead : 2.2 * ahead;
}

/* The step to try: not beyond t_end, and no sliver left over for the step after. */
static double limited_step(const ki_rk *rk, double t_end) {
    double h = step_across(rk, rk->h), rest = t_end - rk->t;
    if (rk->settings.max_step > 0)
        h = fmin(h, rk->settings.max_step);
    if (!rk->tableau->adaptive)
        return rest < h * (1 + 1e-9) ? rest : h;
    if (1.01 * h >= rest)
        return rest;
    return h > 0.5 * rest ? 0.5 * rest : h;
}

static bool worth_retrying(const ki_rk *rk, keel_status status) {
    return rk->tableau->adaptive && status != KEEL_ERROR_MEMORY && status != KEEL_ERROR_CALLBACK;
}

/* The first stage: the last rate of the step before, unless automatic gains (law.h) follow a step that was
 * longer than all before it. They never grow: a gain that grows as the step shrinks would drive the step down
 * further. */
static keel_status begin_step(ki_rk *rk) {
    ki_dynamics *d = rk->flow.dynamics;
    d->trouble.kind = KI_TROUBLE_NONE;
    if (rk->steps == 0)
        return KEEL_OK;
    copy(rk->k[0], rk->k[rk->tableau->stages], rk->n);
    if (!(rk->h_taken > d->step))
        return KEEL_OK;
    d->step = rk->h_taken;
    return ki_has_automatic_gains(d) ? ki_rate(d, rk->t, rk->y, rk->k[0]) : KEEL_OK;
}

keel_status ki_rk_step(ki_rk *rk, double t_end) {
    const ki_tableau *T = rk->tableau;
    keel_status begun = begin_step(rk);
    if (begun)
        return begun;
    for (;;) {
        double h = limited_step(rk, t_end), h_next = rk->h, error = 0;
        if ((double)(rk->steps + rk->rejected) >= rk->settings.most_steps)
            return KEEL_ERROR_LIMIT;
        if (T->adaptive && h < 1e-14 * fmax(fabs(rk->t), fabs(t_end)) && h < t_end - rk->t)
            return KEEL_ERROR_STEP_SIZE;
        bool across = T->adaptive && rk->singular_at > rk->t && rk->singular_at < rk->t + h;
        /* nearer to the pose the state itself would become uncertain: such a step across is as good as it
         * gets */
        bool forced = across && rk->singular_near;
        keel_status status = attempt(rk, h, forced, &error);
        if (status && !worth_retrying(rk, status))
            return status;
        bool accepted = !status && (!T->adaptive || ki_step_control_judge(&rk->control, error, h, &h_next));
        accepted = accepted || (!status && forced);
        if (status)
            h_next = ki_step_control_failed(&rk->control, h);
        rk->h = across ? fmax(h_next, rk->h) : h_next;
        rk->approaching = across && !accepted;
        if (accepted) {
            accept(rk, h, t_end);
            return KEEL_OK;
        }
        rk->rejected++;
    }
}

/* Largest of |x_i| / allowed_i. */
static double relative_norm(const ki_rk *rk, const double *x) {
    double max = 0;
    for (int i = 0; i < rk->n - 1; i++)
        max = fmax(max, fabs(x[i]) / allowed(rk, rk->y, rk->y, i));
    return max;
}

/* First step: such that an explicit Euler step changes y by a hundredth of its size, then corrected by an
 * estimate of the second derivative so that the expected error is about 1% of what is allowed (Hairer,
 * Norsett, Wanner, section II.4). */
static double choose_first_step(ki_rk *rk, double t_end) {
    double span = t_end - rk->t, d0 = relative_norm(rk, rk->y), d1 = relative_norm(rk, rk->k[0]);
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 * span : 0.01 * d0 / d1;
    h0 = fmin(h0, span);
    for (int i = 0; i < rk->n; i++)
        rk->y_try[i] = rk->y[i] + h0 * rk->k[0][i];
    if (ki_rate(rk->flow.dynamics, rk->t + h0, rk->y_try, rk->k[1]))
        return 1e-3 * h0; /* the model does not like the Euler point: begin small */
    for (int i = 0; i < rk->n; i++)
        rk->estimate[i] = (rk->k[1][i] - rk->k[0][i]) / h0;
    double d2 = relative_norm(rk, rk->estimate), d = fmax(d1, d2);
    double h1 = d <= 1e-15 ? fmax(1e-6 * span, h0 * 1e-3) : pow(0.01 / d, 1.0 / rk->tableau->order);
    return fmin(fmin(100 * h0, h1), span);
}

static void allocate(ki_rk *rk) {
    const ki_tableau *T = rk->tableau;
    double **vectors[] = {&rk->y, &rk->y_old, &rk->y_try, &rk->estimate, &rk->estimate_low};
    for (unsigned i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = KI_NEW(&rk->arena, double, rk->n);
    for (int s = 0; s <= T->stages + T->extra; s++)
        rk->k[s] = KI_NEW(&rk->arena, double, rk->n);
    for (int r = 0; r < 4 + T->dense_rows; r++)
        rk->dense[r] = KI_NEW(&rk->arena, double, rk->n);
}

keel_status ki_rk_init(ki_rk *rk, const ki_tableau *tableau, const ki_flow *flow, const ki_flow *flow_rows,
                       const ki_rk_settings *settings, double t, const double *y, double t_end) {
    *rk = (ki_rk){.tableau = tableau,
                  .flow = *flow,
                  .flow_rows = *flow_rows,
                  .settings = *settings,
                  .n = flow->dynamics->n_y,
                  .t = t,
                  .t_old = t,
                  .singular_at = INFINITY};
    ki_arena_init(&rk->arena);
    allocate(rk);
    if (rk->arena.failed)
        return KEEL_ERROR_MEMORY;
    rk->control = ki_step_control_new(tableau->control_exponent, tableau->control_beta, tableau->least_factor,
                                      tableau->most_factor);
    copy(rk->y, y, rk->n);
    copy(rk->y_old, y, rk->n);
    keel_status status = ki_rate(flow->dynamics, t, rk->y, rk->k[0]);
    if (status)
        return status;
    rk->h = settings->step > 0 ? settings->step : choose_first_step(rk, t_end);
    flow->dynamics->step = rk->h;
    if (ki_has_automatic_gains(flow->dynamics))
        status = ki_rate(flow->dynamics, t, rk->y, rk->k[0]);
    /* the rate at the start is also the rate at the end of a step of length zero, for rows before the first
     * step */
    copy(rk->k[tableau->stages], rk->k[0], rk->n);
    return status;
}

void ki_rk_clear(ki_rk *rk) {
    ki_arena_free(&rk->arena);
}

/* r_1 .. r_8 of tableau.h; the extra stages are evaluated here, on demand. */
static keel_status prepare_dense(ki_rk *rk) {
    const ki_tableau *T = rk->tableau;
    double h = rk->h_taken;
    for (int s = T->stages + 1; s <= T->stages + T->extra; s++) {
        combine(rk, T->a[s], s, h, rk->y_old, rk->y_try);
        keel_status status = ki_rate(rk->flow_rows.dynamics, rk->t_old + T->c[s] * h, rk->y_try, rk->k[s]);
        if (status)
            return status;
    }
    for (int i = 0; i < rk->n; i++) {
        double change = rk->y[i] - rk->y_old[i], slope = h * rk->k[0][i] - change;
        rk->dense[0][i] = rk->y_old[i];
        rk->dense[1][i] = change;
        rk->dense[2][i] = slope;
        rk->dense[3][i] = change - h * rk->k[T->stages][i] - slope;
    }
    for (int r = 0; r < T->dense_rows; r++)
        weighted_rates(rk, T->dense[r], T->stages + 1 + T->extra, h, rk->dense[4 + r]);
    rk->dense_ready = true;
    return KEEL_OK;
}

keel_status ki_rk_interpolate(ki_rk *rk, double t, double *y) {
    if (t == rk->t || rk->h_taken == 0) {
        copy(y, rk->y, rk->n);
        return KEEL_OK;
    }
    keel_status status = rk->dense_ready ? KEEL_OK : prepare_dense(rk);
    if (status)
        return status;
    double theta = (t - rk->t_old) / rk->h_taken;
    int last = 3 + rk->tableau->dense_rows;
    for (int i = 0; i < rk->n; i++) {
        double value = rk->dense[last][i];
        for (int r = last - 1; r >= 0; r--)
            value = rk->dense[r][i] + (r % 2 ? 1 - theta : theta) * value;
        y[i] = value;
    }
    return KEEL_OK;
}

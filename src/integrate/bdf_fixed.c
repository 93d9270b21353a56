/* Backward differentiation with k = 1 .. 6 steps of one length, with projection (Eich 1993, theorem 3.2).
 *
 *     sum_{i=0}^{k} alpha_i y_{n-i} = h f(t_n, y_n)            alpha_0 y_n = ...;  then y_n is projected
 *
 * with the alpha_i of the interpolating polynomial, sum_{j=1}^{k} (1/j) nabla^j y_n. The values y_{n-i}
 * are projected ones. The k-1 values before the first step are computed by dop853 with projection at a
 * tolerance far below any error of the method, so that they satisfy e_i = O(h^k) and lie on the
 * constraints, as the theorem asks.
 *
 * On the index-3 equations: bdf_fixed_index3.c.
 *
 * A whole number of steps fits between start and end: the step is shortened accordingly.
 */
#include <math.h>
#include <string.h>

#include "integrate/bdf_fixed.h"

static double *vector(ki_bdf_fixed *self) {
    return KI_NEW(&self->base.arena, double, self->base.n);
}

static void copy(const ki_bdf_fixed *self, double *to, const double *from) {
    memcpy(to, from, (size_t)self->base.n * sizeof *to);
}

/* alpha_i: coefficients of sum_j (1/j) nabla^j, nabla^j y_n = sum_i (-1)^i C(j,i) y_{n-i}. */
static void set_coefficients(ki_bdf_fixed *self) {
    for (int i = 0; i <= self->k; i++)
        self->alpha[i] = 0;
    for (int j = 1; j <= self->k; j++) {
        double binomial = 1;
        for (int i = 0; i <= j; i++) {
            self->alpha[i] += (i % 2 ? -binomial : binomial) / j;
            binomial = binomial * (j - i) / (i + 1);
        }
    }
}

/* y = the polynomial through values[i] at x = direction * i, i = 0 .. count-1 */
static void polynomial(int n, double *const values[], int count, int direction, double x, double *y) {
    memset(y, 0, (size_t)n * sizeof *y);
    for (int i = 0; i < count; i++) {
        double weight = 1;
        for (int j = 0; j < count; j++)
            if (j != i)
                weight *= (direction * x - j) / (i - j);
        for (int c = 0; c < n; c++)
            y[c] += weight * values[i][c];
    }
}

/* The polynomial through the newest values, at t. */
static void extrapolate(const ki_bdf_fixed *self, double t, double *y) {
    int count = self->known < self->k + 1 ? self->known : self->k + 1;
    polynomial(self->base.n, self->history, count, -1, (t - self->base.t) / self->h, y);
}

/* rate = the derivative of that polynomial by x, times `by`. */
static void polynomial_slope(int n, double *const values[], int count, int direction, double x, double by,
                             double *rate) {
    memset(rate, 0, (size_t)n * sizeof *rate);
    for (int i = 0; i < count; i++) {
        double value = 1, slope = 0;
        for (int j = 0; j < count; j++)
            if (j != i) {
                slope = (slope * (direction * x - j) + direction * value) / (i - j);
                value *= (direction * x - j) / (i - j);
            }
        for (int c = 0; c < n; c++)
            rate[c] += by * slope * values[i][c];
    }
}

/* |q|, |v| and |z| of a state in their scales, kept where they are larger than before. */
static void remember_sizes(ki_bdf_fixed *self, const double *y) {
    const keel_system *sys = self->base.flow.dynamics->system;
    const int first[] = {0, sys->n_q, sys->n_q + sys->n_v, self->base.n - 1};
    const double *scale = self->base.flow.dynamics->scales->y;
    for (int part = 0; part < 3; part++)
        for (int i = first[part]; i < first[part + 1]; i++)
            self->largest[part] = fmax(self->largest[part], fabs(y[i]) / scale[i]);
}

/* Largest component of a Newton correction relative to the largest that the state has had so far: of q, v
 * and z each for itself, the work left out. */
static double relative_size(ki_bdf_fixed *self, const double *dy) {
    const keel_system *sys = self->base.flow.dynamics->system;
    const int first[] = {0, sys->n_q, sys->n_q + sys->n_v, self->base.n - 1};
    const double *scale = self->base.flow.dynamics->scales->y;
    double most = 0;
    remember_sizes(self, self->y);
    for (int part = 0; part < 3; part++) {
        double change = 0;
        for (int i = first[part]; i < first[part + 1]; i++)
            change = isfinite(dy[i]) ? fmax(change, fabs(dy[i]) / scale[i]) : INFINITY;
        most = fmax(most, change > 0 ? change / self->largest[part] : 0);
    }
    return most;
}

/* residual = -(y + sum_{i>0} alpha_i/alpha_0 y_{n-i} - h/alpha_0 f(t, y)); history[i-1] is y_{n-i} here.
 * The sum of all alpha_i is zero: y_{n-1} is subtracted from every y, so that what rests does so to the
 * last digit. */
static keel_status evaluate_residual(ki_bdf_fixed *self, double t) {
    double a = 1 / self->alpha[0];
    keel_status status = ki_rate(self->base.flow.dynamics, t, self->y, self->rate);
    for (int c = 0; c < self->base.n; c++) {
        double last = self->history[0][c], sum = self->y[c] - last - a * self->h * self->rate[c];
        for (int i = 2; i <= self->k; i++)
            sum += a * self->alpha[i] * (self->history[i - 1][c] - last);
        self->residual[c] = -sum;
    }
    return status;
}

/* At the point where the residual was evaluated last. */
static keel_status linearize(ki_bdf_fixed *self, double t) {
    keel_status status = ki_newton_linearize(&self->newton, t, self->y, self->rate);
    if (!status)
        status = ki_newton_factor(&self->newton, self->h / self->alpha[0]);
    self->base.jacobians++;
    if (!status)
        ki_newton_offer_metric(&self->newton);
    self->linearized = !status;
    if (status == KEEL_ERROR_SINGULAR)
        return ki_trouble_at(self->base.flow.dynamics, status, KI_TROUBLE_NEWTON, t, -1, INFINITY);
    return status;
}

/* Newton until the correction is at round-off; linearised anew when it contracts less than tenfold. */
static keel_status solve_step(ki_bdf_fixed *self, double t) {
    enum { MOST_ITERATIONS = 30 };
    static const double TOLERANCE = 1e-14, ACCEPTABLE = 1e-11;
    ki_dynamics *d = self->base.flow.dynamics;
    double previous = INFINITY, change = INFINITY;
    keel_status status = KEEL_OK;
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        status = evaluate_residual(self, t);
        if (!status && (!self->linearized || (iteration > 1 && change > 0.1 * previous)))
            status = linearize(self, t);
        if (status)
            return status;
        ki_newton_solve(&self->newton, self->residual);
        for (int c = 0; c < self->base.n; c++)
            self->y[c] += self->residual[c];
        previous = change;
        change = relative_size(self, self->residual);
        if (change <= TOLERANCE || (change <= ACCEPTABLE && change > 0.5 * previous))
            return KEEL_OK;
        if (!isfinite(change))
            break;
    }
    if (change <= ACCEPTABLE)
        return KEEL_OK;
    return ki_trouble_at(d, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_NEWTON, t, -1, change);
}

/* Time of step number n: no round-off adds up. */
static double time_of(const ki_bdf_fixed *self, long n) {
    return self->t_start + (double)n * self->h;
}

static void push(ki_bdf_fixed *self, const double *y) {
    double *oldest = self->history[KI_BDF_ORDER_MAX];
    for (int i = KI_BDF_ORDER_MAX; i > 0; i--)
        self->history[i] = self->history[i - 1];
    self->history[0] = oldest;
    copy(self, oldest, y);
    if (self->known <= KI_BDF_ORDER_MAX)
        self->known++;
}

static keel_status step(ki_integrator *base, double t_end) {
    ki_bdf_fixed *self = (ki_bdf_fixed *)base;
    ki_dynamics *d = base->flow.dynamics;
    double t = self->n + 1 == self->last ? t_end : time_of(self, self->n + 1);
    keel_status status = KEEL_OK;
    d->trouble.kind = KI_TROUBLE_NONE;
    if ((double)base->steps >= base->settings.most_steps)
        return KEEL_ERROR_LIMIT;
    if (self->n + 1 < self->k) {
        copy(self, self->y, self->begin[self->n + 1]);
        d->moved_position = d->moved_velocity = 0;
        if (self->is_index3)
            status = ki_bdf_index3_take(self, t);
    } else {
        extrapolate(self, t, self->y);
        status = self->is_index3 ? ki_bdf_index3_solve(self, t) : solve_step(self, t);
        if (!status)
            ki_normalize(d, self->y);
        if (!status)
            status = ki_settle(d, base->flow.stabilize, t, self->y);
    }
    if (!status)
        status = ki_solve_auxiliaries(d, t, self->y);
    if (status)
        return status;
    push(self, self->y);
    copy(self, base->y, self->y);
    if (self->is_index3)
        ki_bdf_index3_advance(self);
    self->n++;
    base->order = self->k;
    ki_accept_step(base, t, t_end);
    return ki_look_at_implicit_step(base, self->history[1]);
}

static keel_status interpolate(ki_integrator *base, double t, double *y) {
    ki_bdf_fixed *self = (ki_bdf_fixed *)base;
    if (t == base->t)
        copy(self, y, base->y);
    else if (self->n < self->k) /* all starting values are known */
        polynomial(base->n, self->begin, self->k, 1, (t - self->t_start) / self->h, y);
    else
        extrapolate(self, t, y);
    return KEEL_OK;
}

static keel_status slope(ki_integrator *base, double t, double *rate) {
    ki_bdf_fixed *self = (ki_bdf_fixed *)base;
    int count = self->known < self->k + 1 ? self->known : self->k + 1;
    if (self->n < self->k)
        polynomial_slope(base->n, self->begin, self->k, 1, (t - self->t_start) / self->h, 1 / self->h, rate);
    else
        polynomial_slope(base->n, self->history, count, -1, (t - base->t) / self->h, 1 / self->h, rate);
    return KEEL_OK;
}

/* y_1 .. y_{k-1}. */
static keel_status compute_begin(ki_bdf_fixed *self, const ki_problem *problem) {
    static const double TOLERANCE = 1e-13;
    ki_problem one_step = *problem;
    one_step.kind = KEEL_DOP853;
    one_step.settings = (ki_integrator_settings){.tolerance = TOLERANCE,
                                                 .absolute_tolerance = TOLERANCE,
                                                 .most_steps = problem->settings.most_steps,
                                                 .projected_error = true};
    keel_status status = KEEL_OK;
    if (self->k == 1)
        return KEEL_OK;
    ki_integrator *starter = ki_integrator_new(&one_step, &status);
    for (int i = 1; i < self->k && !status; i++) {
        double t = time_of(self, i);
        while (!status && starter->t < t)
            status = starter->method->step(starter, t);
        if (!status)
            copy(self, self->begin[i], starter->y);
    }
    ki_integrator_free(starter);
    return status;
}

static void clear(ki_integrator *base) {
    ki_newton_clear(&((ki_bdf_fixed *)base)->newton);
    ki_index3_free(((ki_bdf_fixed *)base)->index3.matrix);
}

static keel_status start(ki_integrator *base, const ki_problem *problem) {
    ki_bdf_fixed *self = (ki_bdf_fixed *)base;
    self->is_index3 = base->flow.dynamics->law->formulation == KEEL_INDEX3;
    double span = problem->t_end - problem->t;
    self->k = base->settings.order > 0 ? base->settings.order : KI_BDF_ORDER_MAX;
    self->last = ki_whole_steps(problem->t, problem->t_end, base->settings.step);
    if (self->last < self->k) /* a span so short is the starting values' alone */
        self->k = (int)self->last + 1;
    self->h = span / (double)self->last;
    self->t_start = problem->t;
    set_coefficients(self);
    for (int i = 0; i <= KI_BDF_ORDER_MAX; i++)
        self->history[i] = vector(self);
    for (int i = 0; i < self->k; i++)
        self->begin[i] = vector(self);
    self->y = vector(self);
    self->rate = vector(self);
    self->residual = vector(self);
    keel_status status =
        self->is_index3 ? ki_bdf_index3_init(self) : ki_newton_init(&self->newton, base->flow.dynamics);
    if (status || base->arena.failed)
        return KEEL_ERROR_MEMORY;
    status = ki_rate(base->flow.dynamics, base->t, base->y, self->rate);
    if (!status)
        status = ki_begin_fixed_steps(base, self->rate);
    if (!status)
        status = compute_begin(self, problem);
    base->flow.dynamics->step = self->h; /* the starter has set its own */
    base->flow.dynamics->gain_limit = KI_GAIN_LIMIT;
    ki_follow_motion(base->flow.dynamics, base->y, self->rate);
    copy(self, self->begin[0], base->y);
    for (int i = 0; i < 3; i++) /* against which round-off counts where everything is at rest */
        self->largest[i] = fmin(base->settings.absolute_tolerance, 1e-6);
    for (int i = 0; i < self->k && !status; i++)
        remember_sizes(self, self->begin[i]);
    /* a velocity that counts is one that moves something until the end */
    self->largest[1] = fmax(self->largest[1], self->largest[0] / (span * base->flow.dynamics->scales->rate));
    push(self, base->y);
    if (self->is_index3) {
        copy(self, self->y, base->y);
        status = status ? status : ki_bdf_index3_take(self, base->t);
        ki_bdf_index3_advance(self);
    }
    return status;
}

const ki_method KI_BDF_FIXED = {.size = sizeof(ki_bdf_fixed),
                                .start = start,
                                .step = step,
                                .interpolate = interpolate,
                                .slope = slope,
                                .clear = clear};

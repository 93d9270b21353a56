#include "integrate/integrator.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A step may use this part of the tolerance; the rest is for what the steps add up to. Measured on the
 * shipped models: the error at the end is then of the order of the tolerance itself. */
static const double SHARE_OF_A_STEP = 0.1;

/* No error estimate is better than this, relative to the component: round-off of the stages. */
static const double ROUND_OFF = 1e-15;

static const ki_method *const METHODS[KEEL_INTEGRATORS] = {[KEEL_RK4] = &KI_EXPLICIT_RK,
                                                           [KEEL_DOPRI5] = &KI_EXPLICIT_RK,
                                                           [KEEL_DOP853] = &KI_EXPLICIT_RK,
                                                           [KEEL_ADAMS] = &KI_ADAMS,
                                                           [KEEL_RADAU5] = &KI_RADAU,
                                                           [KEEL_RADAU9] = &KI_RADAU,
                                                           [KEEL_BDF] = &KI_BDF,
                                                           [KEEL_BDF_FIXED] = &KI_BDF_FIXED,
                                                           [KEEL_IDA] = &KI_IDA,
                                                           [KEEL_NEWMARK] = &KI_STRUCTURAL,
                                                           [KEEL_HHT] = &KI_STRUCTURAL,
                                                           [KEEL_GENERALIZED_ALPHA] = &KI_STRUCTURAL,
                                                           [KEEL_TRAPEZOIDAL] = &KI_STRUCTURAL,
                                                           [KEEL_MIDPOINT] = &KI_MIDPOINT,
                                                           [KEEL_CONSERVING] = &KI_MIDPOINT};

/* The part that all methods have. */
static keel_status begin(ki_integrator *self, const ki_problem *problem) {
    self->flow = problem->flow;
    self->flow_rows = problem->flow_rows;
    self->settings = problem->settings;
    self->options = problem->options;
    self->n = problem->flow.dynamics->n_y;
    self->t = self->t_old = problem->t;
    self->singular_at = INFINITY;
    ki_dynamics *d = self->flow.dynamics;
    d->motion_rate = fmax(d->motion_rate, 1 / (problem->t_end - problem->t));
    d->gain_limit = KI_GAIN_LIMIT;
    self->relax = 1;
    ki_arena_init(&self->arena);
    self->y = KI_NEW(&self->arena, double, self->n + KI_SPARE);
    if (!self->y)
        return KEEL_ERROR_MEMORY;
    memcpy(self->y, problem->y, (size_t)self->n * sizeof(double));
    return KEEL_OK;
}

ki_integrator *ki_integrator_new(const ki_problem *problem, keel_status *status) {
    const ki_method *method = problem->bridge ? &KI_BRIDGE : METHODS[problem->kind];
    ki_integrator *self = calloc(1, method->size);
    *status = KEEL_ERROR_MEMORY;
    if (!self)
        return NULL;
    self->method = method;
    if (begin(self, problem)) {
        free(self);
        return NULL;
    }
    *status = method->start(self, problem);
    if (!*status)
        return self;
    ki_integrator_free(self);
    return NULL;
}

void *ki_integrator_like(const ki_integrator *other, const ki_method *method) {
    ki_integrator *self = calloc(1, method->size);
    if (!self)
        return NULL;
    *self = *other;
    self->method = method;
    self->judge = NULL;
    ki_arena_init(&self->arena);
    self->y = KI_NEW(&self->arena, double, self->n + KI_SPARE);
    if (self->y)
        return self;
    free(self);
    return NULL;
}

void ki_integrator_free(ki_integrator *self) {
    if (!self)
        return;
    if (self->method->clear)
        self->method->clear(self);
    ki_integrator_free(self->judge);
    ki_arena_free(&self->arena);
    free(self);
}

long ki_whole_steps(double t, double t_end, double h) {
    double steps = (t_end - t) / h;
    double round_off = 1e-12 * steps + 4 * DBL_EPSILON * fmax(fabs(t), fabs(t_end)) / h; /* of the quotient */
    static const double MOST = 1e15; /* more than anybody waits for; still a whole number */
    return (long)fmin(fmax(1, ceil(steps - fmin(round_off, 0.5))), MOST);
}

static inline double larger(double a, double b) {
    return b <= a ? a : b;
}

ki_allowance ki_allowed(const ki_integrator *self) {
    return (ki_allowance){SHARE_OF_A_STEP * self->settings.absolute_tolerance,
                          larger(SHARE_OF_A_STEP * self->settings.tolerance, ROUND_OFF),
                          self->flow.dynamics->scales->y};
}

double ki_allowed_error(const ki_integrator *self, const double *y0, const double *y1, int i) {
    return ki_allowed_between(ki_allowed(self), i, y0[i], y1[i]);
}

double ki_allowed_displacement(const ki_integrator *self, const double *y0, const double *y1, int j) {
    const ki_dynamics *d = self->flow.dynamics;
    ki_allowance allowed = ki_allowed(self);
    if (!d->system->kinematics)
        return ki_allowed_between(allowed, j, y0[j], y1[j]);
    return (allowed.absolute + allowed.relative) * d->scales->move[j];
}

double ki_relax(const ki_integrator *self, int order) {
    double tolerance = self->settings.tolerance, least = ROUND_OFF / (SHARE_OF_A_STEP * tolerance);
    return fmin(1, fmax(least, pow(tolerance, 1.0 / order)));
}

keel_status ki_settle_estimate(ki_integrator *self, double *e) {
    if (!self->settings.projected_error)
        return KEEL_OK;
    return ki_settle_error(self->flow.dynamics, self->flow.stabilize, e);
}

double ki_error_norm(const ki_integrator *self, const double *e, const double *y0, const double *y1) {
    ki_allowance allowed = ki_allowed(self);
    double most = 0, sum = 0;
    for (int i = 0; i < self->n - 1; i++) {
        double relative = fabs(e[i]) / ki_allowed_between(allowed, i, y0[i], y1[i]);
        most = larger(most, relative);
        sum += relative; /* a NaN stays there, wherever it stands */
    }
    if (self->work_allowed > 0) {
        double relative = fabs(e[self->n - 1]) / self->work_allowed;
        most = larger(most, relative);
        sum += relative;
    }
    return isnan(sum) ? sum : most;
}

/* Such that an explicit Euler step changes y by a hundredth of its size, then corrected by an estimate of
 * the second derivative so that the expected error is about 1% of what is allowed (Hairer, Norsett,
 * Wanner, section II.4); time is counted in the time scale of the motion. */
double ki_choose_first_step(ki_integrator *self, const double *rate, int order, double t_end, double *scratch,
                            double *scratch_rate) {
    const double *y = self->y;
    double span = t_end - self->t;
    double T = 1 / self->flow.dynamics->scales->rate; /* no number has a unit */
    double d0 = ki_error_norm(self, y, y, y), d1 = T * ki_error_norm(self, rate, y, y);
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 * span : 0.01 * T * d0 / d1;
    h0 = fmin(h0, span);
    for (int i = 0; i < self->n; i++)
        scratch[i] = y[i] + h0 * rate[i];
    if (ki_rate(self->flow.dynamics, self->t + h0, scratch, scratch_rate))
        return 1e-3 * h0; /* the model does not like the Euler point: begin small */
    for (int i = 0; i < self->n; i++)
        scratch_rate[i] = (scratch_rate[i] - rate[i]) / h0;
    double d2 = T * ki_error_norm(self, scratch_rate, y, y);
    double d = fmax(d1, T * d2);
    double h1 = d <= 1e-15 ? fmax(1e-6 * span, h0 * 1e-3) : T * pow(0.01 / d, 1.0 / order);
    return fmin(fmin(100 * h0, h1), span);
}

double ki_limited_step(const ki_integrator *self, double h, double t_end) {
    double rest = t_end - self->t;
    if (self->settings.max_step > 0)
        h = fmin(h, self->settings.max_step);
    if (1.01 * h >= rest)
        return rest;
    return h > 0.5 * rest ? 0.5 * rest : h;
}

bool ki_worth_retrying(keel_status status) {
    return status != KEEL_ERROR_MEMORY && status != KEEL_ERROR_CALLBACK;
}

void ki_accept_step(ki_integrator *self, double t_new, double t_end) {
    ki_dynamics *d = self->flow.dynamics;
    double h = t_new - self->t;
    self->t_old = self->t;
    self->t = fabs(t_end - t_new) <= 1e-14 * fmax(fabs(t_end), h) ? t_end : t_new;
    self->longest_step = fmax(self->longest_step, h);
    self->steps++;
    self->rejected_before = self->rejected;
    self->moved_position += d->moved_position * d->moved_position;
    self->moved_velocity += d->moved_velocity * d->moved_velocity;
    self->settled = d->settled;
    d->settled = (ki_energy_change){0};
    if (!self->follows)
        ki_raise_scales(d->scales, d->system, self->y);
}

/* Below 1e-14 |t| a step is a few dozen units in the last place of t. Where t is small nothing of the kind
 * limits steps; then no motion has a time scale of 1e-30 of the run. */
static bool is_too_small(const ki_integrator *self, double h, double t_end) {
    double rest = t_end - self->t, least = 1e-30 * rest, given = self->settings.step;
    if (given > 0) /* a first step, and whoever asks for one that small gets it */
        least = fmin(least, 1e-3 * given);
    return h < fmax(1e-14 * fabs(self->t), least) && h < rest;
}

/* A rejection that shrinks the step by 0.8 gets from the length of a run to 1e-30 of it in 310 attempts; more
 * in a row are those of a method that does not shrink its step. */
enum { MOST_REJECTED_IN_A_ROW = 500 };

keel_status ki_may_attempt(const ki_integrator *self, double h, double t_end) {
    if ((double)(self->steps + self->rejected) >= self->settings.most_steps)
        return KEEL_ERROR_LIMIT;
    if (self->settings.fixed)
        return KEEL_OK;
    bool endless = self->rejected - self->rejected_before >= MOST_REJECTED_IN_A_ROW;
    return endless || is_too_small(self, h, t_end) ? KEEL_ERROR_STEP_SIZE : KEEL_OK;
}

double ki_step_before_switch(ki_integrator *self, double h, const double *y_new, double h_next) {
    double part = self->switch_inside ? self->switch_inside(self, h, y_new) : 1;
    self->aimed = part < 1 && part * h > h_next;
    return self->aimed ? part * h : h_next;
}

bool ki_should_move_end(const ki_integrator *self, int moved) {
    enum { MOST = 3 };
    return moved < MOST && self->lands_badly && self->lands_badly(self);
}

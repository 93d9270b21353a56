#include "integrate/structural.h"

#include <math.h>
#include <string.h>

static void copy(double *to, const double *from, int n) {
    if (n)
        memcpy(to, from, (size_t)n * sizeof *to);
}

/* beta, gamma, alpha_m, alpha_f. Generalized-alpha: Chung and Hulbert 1993, for a given spectral radius rho
 * at infinite frequency; HHT: Hilber, Hughes and Taylor 1977. */
static void set_parameters(ki_structural *self, keel_integrator kind) {
    const keel_settings *set = self->base.options;
    self->beta = 0.25;
    self->gamma = 0.5;
    if (kind == KEEL_NEWMARK) {
        self->beta = set->newmark_beta;
        self->gamma = set->newmark_gamma;
    }
    if (kind == KEEL_HHT)
        self->alpha_f = -set->hht_alpha;
    if (kind == KEEL_GENERALIZED_ALPHA) {
        double rho = set->rho_infinity;
        self->alpha_m = (2 * rho - 1) / (rho + 1);
        self->alpha_f = rho / (rho + 1);
    }
    if (kind == KEEL_HHT || kind == KEEL_GENERALIZED_ALPHA) {
        double damping = self->alpha_f - self->alpha_m;
        self->gamma = 0.5 + damping;
        self->beta = (1 + damping) * (1 + damping) / 4;
    }
}

/* f and the work at next, its accelerations being known; J is left for whoever looks at the new point. */
static keel_status finish(ki_structural *self, double t, double h) {
    ki_dynamics *d = self->base.flow.dynamics;
    const keel_system *sys = d->system;
    ki_structural_end *now = &self->now, *next = &self->next;
    unsigned what = KEEL_STATES | (sys->has_energy ? KEEL_POWER | KEEL_VELOCITY : 0u);
    copy(d->lambda, next->lambda, d->m);
    keel_status status = ki_solve_auxiliaries(d, t, next->y);
    if (!ki_is_factored(d, t, next->y)) {
        d->factored = false;
        what |= KEEL_MASS | KEEL_JACOBIAN;
    }
    if (!status)
        status = ki_evaluate_terms(d, what, t, next->y);
    if (!status)
        status = ki_check_states(d, t);
    if (status)
        return status;
    if (sys->kinematics)
        sys->kinematics(sys, next->y, ki_v(d, next->y), next->rate);
    else
        copy(next->rate, ki_v(d, next->y), sys->n_v);
    copy(ki_z(d, next->rate), d->at.f, sys->n_z);
    *ki_work(d, next->rate) = ki_work_rate(d, ki_v(d, next->y));
    *ki_work(d, next->y) = *ki_work(d, now->y) + h / 2 * (*ki_work(d, now->rate) + *ki_work(d, next->rate));
    return KEEL_OK;
}

/* Offers the matrix of the step as the natural metric of a projection. It must be that of the new point:
 * directions that are off by more than the length of a step would cost an order. */
static keel_status offer_metric(ki_structural *self, double t) {
    ki_dynamics *d = self->base.flow.dynamics;
    if (self->base.flow.stabilize != KEEL_PROJECTION || !d->law->natural_metric || !d->m)
        return KEEL_OK;
    keel_status status = ki_structural_linearize(self, t);
    if (!status)
        d->step_metric = (ki_step_metric){ki_index3_project, self->newton.matrix};
    return status;
}

/* Where steps change their length, multipliers jump: what the rule has made of Phi = 0 so far, G v =
 * O(h^2), does not fit the new h, and G a has to make up for it. Damping lets that fade, an undamped rule
 * lets it grow. Steps of chosen length therefore go on with velocities and accelerations that satisfy
 * their own levels, and with the multipliers of those. */
static keel_status make_consistent(ki_structural *self, double t) {
    ki_dynamics *d = self->base.flow.dynamics;
    keel_status status = KEEL_OK;
    if (!self->velocity_level && self->base.flow.stabilize == KEEL_STABILIZE_NONE)
        status = ki_project_velocity(d, t, self->next.y);
    copy(d->lambda, self->next.lambda, d->m);
    if (!status)
        status = ki_rate(d, t, self->next.y, self->scratch);
    if (!status && d->redundant)
        status = keel_saddle_least_norm(d->K, d->lambda) < 0 ? KEEL_ERROR_SINGULAR : KEEL_OK;
    if (status)
        return status;
    copy(ki_v(d, self->next.rate), ki_v(d, self->scratch), d->system->n_v + d->system->n_z);
    copy(self->next.lambda, d->lambda, d->m);
    return KEEL_OK;
}

/* A step of a given length that a switch has cut: velocities that swing about their constraints do so by more
 * the shorter it is. */
static bool goes_on_as_before(const ki_structural *self) {
    return self->base.settings.fixed && self->h >= 0.49 * self->base.settings.step;
}

/* Velocities, and accelerations if asked for, as the stabiliser wants them. a follows v' as in the step. */
static keel_status settle(ki_structural *self, double t) {
    ki_dynamics *d = self->base.flow.dynamics;
    double *rate = ki_v(d, self->next.rate), *before = self->newton.dq;
    double follows = (1 - self->alpha_f) / (1 - self->alpha_m);
    ki_normalize(d, self->next.y);
    keel_status status = offer_metric(self, t);
    if (!status)
        status = ki_settle(d, self->base.flow.stabilize, t, self->next.y);
    copy(before, rate, d->system->n_v);
    if (!status)
        status = goes_on_as_before(self)
                     ? ki_settle_acceleration(d, self->base.flow.stabilize, t, self->next.y, rate)
                     : make_consistent(self, t);
    for (int i = 0; i < d->system->n_v; i++)
        self->next.a[i] += follows * (rate[i] - before[i]);
    return status;
}

/* Cubic through values and rates at both ends of a step of h, at x = (t - t_0)/h:
 *
 *     y = y_0 + x (D + (1 - x) ((1 - x) (h y'_0 - D) - x (h y'_1 - D))),   D = y_1 - y_0 */
static void cubic(const ki_structural_end *a, const ki_structural_end *b, int n, double h, double x,
                  double *y) {
    for (int i = 0; i < n; i++) {
        double D = b->y[i] - a->y[i];
        y[i] = a->y[i] + x * (D + (1 - x) * ((1 - x) * (h * a->rate[i] - D) - x * (h * b->rate[i] - D)));
    }
}

/* Steps of chosen length end where they were expected to. */
static keel_status goes_on(ki_structural *self, double t) {
    ki_integrator *base = &self->base;
    if (base->settings.fixed ||
        ki_within_reach(base, self->guess, self->newton.move, self->now.y, self->next.y))
        return KEEL_OK;
    return ki_trouble_at(base->flow.dynamics, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_PATH, t, -1, INFINITY);
}

/* Where positions are not held their constraints tell nothing. */
static keel_status follows_path(ki_structural *self, double t, double h) {
    if (self->velocity_level && !self->ggl)
        return KEEL_OK;
    cubic(&self->now, &self->next, self->base.n, h, 0.5, self->scratch);
    keel_status status = ki_check_path(&self->base, t - 0.5 * h, self->scratch, self->newton.move, t);
    if (status)
        self->base.flow.dynamics->trouble.other = self->newton.growing;
    return status;
}

/* Fills next at t = now + h, and the error unless the length of steps is given. */
static keel_status attempt(ki_structural *self, double t, double h, double *error) {
    keel_status status = ki_structural_solve(self, t, h);
    bool report = self->base.options->newton_report == KEEL_YES;
    if (report && self->h_factored > 0) /* also of a failure: it may tell why */
        self->base.newton.condition = ki_index3_condition(self->newton.matrix);
    *error = 0;
    if (!status)
        status = goes_on(self, t);
    if (!status)
        status = settle(self, t);
    if (status)
        return status;
    if (!self->base.settings.fixed)
        *error = ki_structural_error(self, h);
    if (!(*error <= 1))
        return KEEL_OK;
    status = finish(self, t, h);
    return status ? status : follows_path(self, t, h);
}

static keel_status accept(ki_structural *self, double t, double h, double t_end) {
    ki_structural_end oldest = self->before;
    if (!self->base.settings.fixed)
        ki_structural_remember_slope(self, h);
    self->before = self->now;
    self->now = self->next;
    self->next = oldest;
    self->base.newton.lambda = self->now.lambda;
    self->h_of_a = h;
    copy(self->base.y, self->now.y, self->base.n);
    ki_accept_step(&self->base, t, t_end);
    return ki_look_at_implicit_step(&self->base, self->before.y);
}

/* A whole number of steps of one length fits between start and end. */
static keel_status fixed_step(ki_structural *self, double t_end) {
    ki_integrator *base = &self->base;
    double t = self->n + 1 >= self->last ? t_end : self->t_start + (double)(self->n + 1) * self->h, error;
    if ((double)base->steps >= base->settings.most_steps)
        return KEEL_ERROR_LIMIT;
    keel_status status = attempt(self, t, self->h, &error);
    if (status)
        return status;
    self->n++;
    return accept(self, t, self->h, t_end);
}

/* Another step means another matrix: a little more or less is not worth it. */
static double worthwhile(double h, double h_next) {
    return h_next > 0.95 * h && h_next < 1.2 * h ? h : h_next;
}

static keel_status chosen_step(ki_structural *self, double t_end) {
    ki_integrator *base = &self->base;
    for (;;) {
        double h = ki_limited_step(&self->base, self->h, t_end), h_next = h, error = 0;
        keel_status status = ki_may_attempt(base, h, t_end);
        if (status)
            return status;
        status = attempt(self, base->t + h, h, &error);
        if (status && (self->newton.hopeless || !ki_worth_retrying(status)))
            return status;
        bool accepted = !status && ki_step_control_judge(&self->control, error, h, &h_next);
        if (status)
            h_next = ki_step_control_failed(&self->control, h);
        bool cut = h < self->h; /* by the end, which says nothing about the next step */
        if (accepted)
            status = accept(self, base->t + h, h, t_end);
        self->h = accepted && cut ? fmax(h_next, self->h) : accepted ? worthwhile(h, h_next) : h_next;
        if (accepted)
            return status;
        base->rejected++;
    }
}

static keel_status step(ki_integrator *base, double t_end) {
    ki_structural *self = (ki_structural *)base;
    base->flow.dynamics->trouble.kind = KI_TROUBLE_NONE;
    return base->settings.fixed ? fixed_step(self, t_end) : chosen_step(self, t_end);
}

static keel_status interpolate(ki_integrator *base, double t, double *y) {
    const ki_structural *self = (const ki_structural *)base;
    double h = base->t - base->t_old;
    if (t == base->t || !(h > 0))
        copy(y, base->y, base->n);
    else
        cubic(&self->before, &self->now, base->n, h, (t - base->t_old) / h, y);
    return KEEL_OK;
}

static void clear(ki_integrator *base) {
    ki_structural *self = (ki_structural *)base;
    if (base->flow.dynamics->step_metric.user == self->newton.matrix)
        base->flow.dynamics->step_metric = (ki_step_metric){0};
    ki_index3_free(self->newton.matrix);
}

static keel_status allocate(ki_structural *self) {
    ki_dynamics *d = self->base.flow.dynamics;
    const keel_settings *set = self->base.options;
    ki_arena *arena = &self->base.arena;
    int n_v = d->system->n_v, n_z = d->system->n_z;
    ki_index3_newton_init(&self->newton, &self->base, self);
    ki_structural_end *ends[] = {&self->before, &self->now, &self->next};
    for (int i = 0; i < 3; i++)
        *ends[i] = (ki_structural_end){KI_NEW(arena, double, d->n_y), KI_NEW(arena, double, d->n_y),
                                       KI_NEW(arena, double, n_v), KI_NEW(arena, double, d->m)};
    self->a_begin = KI_NEW(arena, double, n_v);
    if (self->ggl) {
        self->w = KI_NEW(arena, double, n_v);
        self->r_w = KI_NEW(arena, double, n_v);
        self->newton.dw = KI_NEW(arena, double, n_v);
        self->mu = KI_NEW(arena, double, d->m);
        self->dmu = KI_NEW(arena, double, d->m);
        self->s_w = KI_NEW(arena, double, d->m);
    }
    self->slope = KI_NEW(arena, double, n_v + n_z);
    self->guess = KI_NEW(arena, double, n_v);
    self->allowed = KI_NEW(arena, double, n_v);
    self->estimate = KI_NEW(arena, double, d->n_y);
    self->scratch = KI_NEW(arena, double, d->n_y);
    self->newton.matrix =
        ki_index3_new(d, self->velocity_level, (keel_scaling)set->scaling, set->reference_mass == KEEL_YES);
    return arena->failed || !self->newton.matrix ? KEEL_ERROR_MEMORY : KEEL_OK;
}

/* a_0 = v'_0 and lambda_0 from the accelerations of the consistent start; the length of the first step. */
static keel_status first_values(ki_structural *self, double t_end) {
    ki_integrator *base = &self->base;
    ki_dynamics *d = base->flow.dynamics;
    copy(self->now.y, base->y, base->n);
    keel_status status = ki_rate(d, base->t, base->y, self->now.rate);
    if (!status)
        status = ki_begin_fixed_steps(base, self->now.rate);
    if (status)
        return status;
    copy(self->now.a, ki_v(d, self->now.rate), d->system->n_v);
    if (d->redundant)
        status = keel_saddle_least_norm(d->K, d->lambda) < 0 ? KEEL_ERROR_SINGULAR : KEEL_OK;
    copy(self->now.lambda, d->lambda, d->m);
    self->t_start = base->t;
    self->h = base->settings.step;
    if (base->settings.fixed) {
        self->last = ki_whole_steps(base->t, t_end, self->h);
        self->h = (t_end - base->t) / (double)self->last;
    } else if (!(self->h > 0)) {
        self->h = ki_choose_first_step(base, self->now.rate, 2, t_end, self->estimate, self->scratch);
    }
    d->step = self->h;
    return status;
}

/* What the method and the formulation say. */
static void set_up(ki_structural *self, const ki_problem *problem) {
    keel_formulation formulation = problem->flow.dynamics->law->formulation;
    self->base.has_newton = true;
    self->base.newton.condition = NAN;
    self->velocity_level = formulation != KEEL_INDEX3;
    self->ggl = formulation == KEEL_GGL;
    set_parameters(self, problem->kind);
    self->second_order = fabs(self->gamma - 0.5 + self->alpha_m - self->alpha_f) < 1e-12;
    int order = self->second_order ? 2 : 1;
    self->base.relax = ki_relax(&self->base, order);
    self->control = ki_step_control_new(order + 1, 1.0 / (order + 1), 0.04, 0.2, 2);
}

static keel_status start(ki_integrator *base, const ki_problem *problem) {
    ki_structural *self = (ki_structural *)base;
    set_up(self, problem);
    keel_status status = allocate(self);
    self->newton.growing =
        !self->velocity_level && self->gamma <= 0.5 && problem->flow.stabilize == KEEL_STABILIZE_NONE;
    return status ? status : first_values(self, problem->t_end);
}

const ki_method KI_STRUCTURAL = {
    .size = sizeof(ki_structural), .start = start, .step = step, .interpolate = interpolate, .clear = clear};

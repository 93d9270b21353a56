/* radau5 and radau9 - Radau IIA with three and five implicit stages, L-stable, with projection (Hairer and
 * Wanner, Solving Ordinary Differential Equations II, section IV.8). radau.h has the stages and their Newton
 * iteration.
 *
 * Error estimate: a formula of order s with the same stages and F at the beginning of the step,
 *
 *     e = (I - h/g f_y)^-1 (h F(t, y) + sum_i e_i Z_i) / g
 *
 * whose factor, that of the real system, keeps stiff components from counting. Where they count nevertheless,
 * at the beginning or after a rejection, F(t, y + e) takes the place of F(t, y).
 *
 * e is of the order h^(s+1), the error of the step itself h^(2s). If e were held to what a step may leave,
 * results would be far better than the tolerance at far too high a price. So e may be `relax` = tol^(p-1)
 * times that with p = (s+1)/(2s): then errors shrink in proportion to the tolerance. Newton's method goes on
 * until it leaves about tol, a part `kappa` of what e may be.
 *
 * Step control: h_new = h min(0.9 f e^(-k), 0.9 f (h/h_before) (e_before/e^2)^k), k = 1/(s+1): Gustafsson's
 * prediction that e goes on changing as it did; f falls with the number of Newton iterations. A step that
 * would grow by less than a fifth stays, and keeps its matrices, if Newton's method converges well with them.
 */
#include "integrate/radau.h"

#include <float.h>
#include <string.h>

static const double SAFETY = 0.9, LEAST_FACTOR = 0.125, MOST_FACTOR = 5;

/* Steps are too long, even if their errors are not, that take more iterations or contract less than this: two
 * shorter ones take less work. On the governor contraction changes with about the third power of the step:
 * the derivatives at the middle miss those of the ends by more, and do so in stiff terms. On the stiff
 * bushing radau9 has 115 of 293 steps rejected without these rules, with them 23 of 295; on the governor at
 * 1e-3 it takes 1573 evaluations, without them 1872. */
enum { GOOD_ITERATIONS = 3 };
static const double GOOD_CONTRACTION = 0.2, FAST_CONTRACTION = 0.05;

/* Newton's method with one f_y is slow where it takes f_y anew within a step, or where it lets a step grow by
 * no more than SLOW_GROWTH while its error lets it grow by FREE_GROWTH times as much. OFTEN such steps, less
 * those between that are not, are enough to go on with derivatives of every stage, first for FIRST_PATIENCE
 * steps. */
enum { OFTEN = 2, FIRST_PATIENCE = 50 };
static const double SLOW_GROWTH = 1.5, FREE_GROWTH = 1.2;

/* With derivatives of every stage contraction is as good as the predicted stages, whose error grows with the
 * power s+1 of the step. */
static const double GOOD_CONTRACTION_BY_STAGES = 0.1;

/* Derivatives are kept while Newton's method contracts errors this well with them; those by differences,
 * which cost an evaluation for each component, longer. */
static const double KEEP = 1e-3, KEEP_DIFFERENCES = 0.03;

static void copy(const ki_radau *self, double *to, const double *from) {
    memcpy(to, from, (size_t)self->base.n * sizeof *to);
}

static void swap(double **a, double **b) {
    double *keep = *a;
    *a = *b;
    *b = keep;
}

/* 1 / the size that an estimate at y may have */
static void set_scale(ki_radau *self) {
    ki_allowance allowed = ki_allowed(&self->base);
    const double *y = self->base.y;
    for (int i = 0; i < self->base.n - 1; i++)
        self->inverse[i] = 1 / (self->relax * ki_allowed_between(allowed, i, y[i], y[i]));
}

/* The size of e above with the given F at the beginning, relative to what is allowed. */
static keel_status measure(ki_radau *self, double h, const double *rate, double *error) {
    ki_integrator *base = &self->base;
    double g = 1 / self->table->real, *e = self->estimate;
    ki_radau_combine(self, self->table->estimate, self->Z, e);
    for (int i = 0; i < base->n; i++)
        e[i] = g * (e[i] + h * rate[i]);
    keel_status status = ki_radau_filter(self, h, e);
    if (rate == self->rate)
        copy(self, self->defect_try, e);
    if (!status)
        status = ki_settle_estimate(base, e);
    e[base->n - 1] *= self->relax; /* the power at the stages is no better than the estimate */
    *error = ki_error_norm(base, e, base->y, self->y_try) / self->relax;
    return status;
}

static keel_status judge(ki_radau *self, double h, double *error) {
    ki_integrator *base = &self->base;
    keel_status status = measure(self, h, self->rate, error);
    if (status || *error < 1 || !(self->rejected || self->h_taken == 0))
        return status;
    for (int i = 0; i < base->n; i++)
        self->estimate[i] += base->y[i];
    status = ki_rate(base->flow.dynamics, base->t, self->estimate, self->rate_try);
    return status ? status : measure(self, h, self->rate_try, error);
}

static void note_speed(ki_radau *self, bool slow) {
    self->slow = slow ? self->slow + 1 : self->slow - (self->slow > 0);
}

/* Where one f_y for all stages has been too slow a few times, every stage gets its own, for a while: whether
 * that still pays is only seen without. */
static void choose_newton(ki_radau *self) {
    bool before = self->by_stages;
    if (before && self->left-- <= 0) {
        self->by_stages = false;
        self->slow = OFTEN - 1;
    } else if (!before && self->may_by_stages && self->slow >= OFTEN) {
        self->by_stages = true;
        self->left = self->patience;
        self->patience *= 2;
        ki_coupled_begin(&self->coupled);
    }
    if (before == self->by_stages)
        return;
    self->linearized = false;
    self->reach = 1;
}

/* The growth of the step that lets Newton's method contract as it should. */
static double good_growth(const ki_radau *self) {
    if (self->by_stages)
        return pow(GOOD_CONTRACTION_BY_STAGES / self->contraction, 1.0 / (self->table->stages + 1));
    return cbrt(GOOD_CONTRACTION / self->contraction);
}

/* By what a step may grow for Newton's method. */
static double growth_for_newton(const ki_radau *self) {
    double factor = MOST_FACTOR;
    if (self->iterations > GOOD_ITERATIONS && self->contraction > FAST_CONTRACTION)
        factor = sqrt((double)GOOD_ITERATIONS / self->iterations);
    return self->contraction > 0 ? fmin(factor, good_growth(self)) : factor;
}

/* What a step of h should be followed by, from its error. */
static double next_step(ki_radau *self, double h, double error) {
    int most = self->table->most_iterations;
    double k = 1.0 / (self->table->stages + 1), e = fmax(error, 1e-10);
    double safety = SAFETY * (1 + 2 * most) / (self->iterations + 2 * most);
    double factor = safety * pow(e, -k), newton = growth_for_newton(self);
    if (error < 1 && self->h_before > 0)
        factor = fmin(factor, safety * (h / self->h_before) * pow(self->error_before / (e * e), k));
    note_speed(self, self->renewals > 0 || (newton < SLOW_GROWTH && factor > FREE_GROWTH * newton));
    return h * fmin(MOST_FACTOR, fmax(LEAST_FACTOR, fmin(factor, newton)));
}

/* Whether the end of the stages is the end of the step: nothing is there that would move it. */
static bool keeps_end(const ki_radau *self) {
    const ki_dynamics *d = self->base.flow.dynamics;
    return d->m == 0 && d->system->n_i == 0 && !d->system->kinematics;
}

/* The rate at the end, which collocation makes that of the last stage:
 *
 *     h F_s = sum_j (A^-1)_sj Z_j
 *
 * What Newton's method leaves is as small here as in Z; an evaluation would enlarge it by stiff terms. */
static void collocated_rate(ki_radau *self, double h) {
    double weight[KI_RADAU_STAGES];
    for (int j = 0; j < self->table->stages; j++)
        weight[j] = self->table->end[j] / h;
    ki_radau_combine(self, weight, self->Z, self->rate_try);
}

/* The state at the end of the stages: judged, projected, with its rate. */
static keel_status finish(ki_radau *self, double h, double *error) {
    ki_integrator *base = &self->base;
    ki_dynamics *d = base->flow.dynamics;
    const double *Z = self->Z[self->table->stages - 1];
    for (int i = 0; i < base->n; i++)
        self->y_try[i] = base->y[i] + Z[i];
    keel_status status = judge(self, h, error);
    if (status || !(*error < 1))
        return status;
    ki_normalize(d, self->y_try);
    status = ki_settle(d, base->flow.stabilize, base->t + h, self->y_try);
    if (status || !keeps_end(self))
        return status ? status : ki_rate(d, base->t + h, self->y_try, self->rate_try);
    collocated_rate(self, h);
    return KEEL_OK;
}

/* Tries a step: the new state in y_try and its rate in rate_try if *accepted. *h_next is what to try next, or
 * instead. */
static keel_status attempt(ki_radau *self, double h, bool *accepted, double *h_next) {
    double error = NAN;
    *accepted = false;
    choose_newton(self);
    keel_status status = ki_radau_solve(self, h, h_next);
    if (status == KEEL_ERROR_CONVERGENCE)
        note_speed(self, true);
    if (status)
        return status;
    status = finish(self, h, &error);
    *h_next = !status && isfinite(error) ? next_step(self, h, error) : 0.25 * h;
    if (status || !(error < 1))
        return status;
    *accepted = true;
    self->h_before = h;
    self->error_before = fmax(1e-2, error);
    return KEEL_OK;
}

/* Those of all stages are of places in the step that is over, and never serve: on the bushing radau5 takes
 * 2462 evaluations at 1e-6, 4067 if they are kept by the same rule. */
static void keep_derivatives(ki_radau *self) {
    double keep = self->newton.exact ? KEEP : KEEP_DIFFERENCES;
    self->linearized = !self->by_stages && self->contraction <= keep;
    self->current = false;
    if (self->by_stages)
        ki_coupled_advance(&self->coupled);
}

static void accept(ki_radau *self, double h, double h_next, double t_end) {
    ki_integrator *base = &self->base;
    int last = self->table->stages - 1;
    copy(self, self->y_old, base->y);
    copy(self, base->y, self->y_try);
    swap(&self->defect, &self->defect_try);
    swap(&self->rate, &self->rate_try);
    for (int s = 0; s < last; s++)
        swap(&self->P[s], &self->Z[s]);
    for (int i = 0; i < base->n; i++) /* the projected end */
        self->P[last][i] = base->y[i] - self->y_old[i];
    self->h_taken = h;
    self->guessed = 0;
    base->order = 2 * self->table->stages - 1;
    ki_accept_step(base, base->t + h, t_end);
    keep_derivatives(self);
    if (self->rejected)
        h_next = fmin(h_next, h);
    self->h = self->linearized && h_next >= h && h_next <= 1.2 * h ? h : h_next;
    self->rejected = false;
    set_scale(self);
}

/* Automatic gains (gains.c) follow the longest step and the motion. */
static keel_status begin_step(ki_radau *self) {
    ki_dynamics *d = self->base.flow.dynamics;
    d->trouble.kind = KI_TROUBLE_NONE;
    bool changed = ki_follow_motion(d, self->base.y, self->rate);
    if (self->h_taken > d->step) {
        d->step = self->h_taken;
        changed = ki_has_automatic_gains(d);
    }
    return changed ? ki_rate(d, self->base.t, self->base.y, self->rate) : KEEL_OK;
}

static keel_status step(ki_integrator *base, double t_end) {
    ki_radau *self = (ki_radau *)base;
    keel_status status = begin_step(self);
    if (status)
        return status;
    for (;;) {
        double h = ki_limited_step(&self->base, self->h, t_end), h_next = h;
        bool accepted;
        status = ki_may_attempt(base, h, t_end);
        if (status)
            return status;
        bool old = self->linearized && !self->current; /* derivatives, which may be to blame */
        status = attempt(self, h, &accepted, &h_next);
        if (status && !ki_worth_retrying(status))
            return status;
        if (accepted) {
            accept(self, h, h_next, t_end);
            return KEEL_OK;
        }
        if (status == KEEL_ERROR_CONVERGENCE && old)
            h_next = h;
        if (!status)
            h_next = ki_step_before_switch(base, h, self->y_try, h_next);
        self->linearized = self->linearized && self->current && !self->newton.exact;
        self->h = h_next;
        self->rejected = true;
        base->rejected++;
    }
}

/* The integral of prod_i (tau - c_i)/(-c_i) from 0 to x. It vanishes at 1, like those of its products with
 * polynomials of a degree below s - 1. */
static double integral_of_nodes(const ki_radau_table *table, double x) {
    double a[KI_RADAU_STAGES + 1] = {1}, sum = 0; /* coefficients of the product */
    for (int i = 0; i < table->stages; i++)
        for (int k = i + 1; k >= 0; k--)
            a[k] = a[k] - (k > 0 ? a[k - 1] / table->c[i] : 0);
    for (int k = table->stages; k >= 0; k--)
        sum = x * (sum + a[k] / (k + 1));
    return sum;
}

/* The polynomial P through the stages, and what its rate misses: F - P' vanishes at the nodes and is g e / h
 * at the beginning of the step, so that to the next order it is (g e / h) prod_i (tau - c_i)/(-c_i). */
static keel_status interpolate(ki_integrator *base, double t, double *y) {
    const ki_radau *self = (const ki_radau *)base;
    double weight[KI_RADAU_STAGES];
    if (t == base->t || self->h_taken == 0) {
        copy(self, y, base->y);
        return KEEL_OK;
    }
    double x = (t - base->t_old) / self->h_taken,
           missing = self->table->real * integral_of_nodes(self->table, x);
    ki_radau_weights(self->table, x, weight);
    ki_radau_combine(self, weight, self->P, y);
    for (int i = 0; i < base->n; i++)
        y[i] += self->y_old[i] + missing * self->defect[i];
    return KEEL_OK;
}

static keel_status slope(ki_integrator *base, double t, double *rate) {
    const ki_radau *self = (const ki_radau *)base;
    const ki_radau_table *table = self->table;
    double weight[KI_RADAU_STAGES], x = (t - base->t_old) / self->h_taken, nodes = 1;
    for (int i = 0; i < table->stages; i++)
        nodes *= 1 - x / table->c[i];
    ki_radau_slope_weights(table, x, weight);
    ki_radau_combine(self, weight, self->P, rate);
    for (int i = 0; i < base->n; i++)
        rate[i] = (rate[i] + table->real * nodes * self->defect[i]) / self->h_taken;
    return KEEL_OK;
}

/* The estimate is filtered, and stages that a stiff contact has caught count for nothing in it. */
static bool stage(const ki_integrator *base, int k, double *t, double *y) {
    const ki_radau *self = (const ki_radau *)base;
    if (k >= self->table->stages - 1 || self->h_taken == 0)
        return false;
    *t = base->t_old + self->table->c[k] * self->h_taken;
    for (int i = 0; i < base->n; i++)
        y[i] = self->y_old[i] + self->P[k][i];
    return true;
}

static void allocate(ki_radau *self) {
    double **vectors[] = {&self->y_old,    &self->y_try,   &self->rate,   &self->rate_try,
                          &self->estimate, &self->inverse, &self->defect, &self->defect_try};
    self->padded = ki_padded(self->base.n);
    ki_arena *arena = &self->base.arena;
    for (unsigned i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = KI_NEW(arena, double, self->padded + KI_FOUR);
    for (int s = 0; s < self->table->stages; s++) {
        self->Z[s] = KI_NEW(arena, double, self->padded);
        self->W[s] = KI_NEW(arena, double, self->padded);
        self->F[s] = KI_NEW(arena, double, self->padded + KI_FOUR);
        self->F_last[s] = KI_NEW(arena, double, self->padded);
        self->moved[s] = KI_NEW(arena, double, self->padded);
        self->P[s] = KI_NEW(arena, double, self->padded);
    }
}

static void set_tolerances(ki_radau *self) {
    double tolerance = fmin(1, fmax(self->base.settings.tolerance, 1e-15));
    int s = self->table->stages;
    double p = (s + 1) / (2.0 * s);
    self->relax = pow(tolerance, p - 1);
    double allowed = ki_allowed(&self->base).relative * self->relax;
    self->kappa = fmax(10 * DBL_EPSILON / allowed, fmin(0.03, pow(allowed, 1 / p - 1)));
    self->kappa_of_steps = self->kappa;
    self->reach = 1;
}

/* A = T Lambda^-1 T^-1 */
static void find_A(const ki_radau_table *T, double A[KI_RADAU_STAGES][KI_RADAU_STAGES]) {
    for (int i = 0; i < T->stages; i++)
        for (int j = 0; j < T->stages; j++) {
            A[i][j] = T->T[i][0] * T->T_inverse[0][j] / T->real;
            for (int p = 0; p < T->stages / 2; p++) {
                double re, im, x = T->T_inverse[1 + 2 * p][j], y = T->T_inverse[2 + 2 * p][j];
                ki_radau_pair_step(T, p, 1, &re, &im);
                A[i][j] += T->T[i][1 + 2 * p] * (re * x - im * y) + T->T[i][2 + 2 * p] * (re * y + im * x);
            }
        }
}

static keel_status init_newton(ki_radau *self) {
    const ki_radau_table *T = self->table;
    double A[KI_RADAU_STAGES][KI_RADAU_STAGES] = {{0}};
    keel_status status = ki_newton_init(&self->newton, self->base.flow.dynamics);
    if (!status)
        status = ki_newton_init_complex(&self->newton, T->stages / 2);
    self->patience = FIRST_PATIENCE;
    self->may_by_stages = !status && ki_coupled_suits(&self->newton, T->stages);
    if (!self->may_by_stages)
        return status;
    find_A(T, A);
    return ki_coupled_init(&self->coupled, &self->newton, T->stages, T->middle, T->c,
                           (const double(*)[KI_RADAU_STAGES])A);
}

/* The first step is to begin at base->t. */
static keel_status begin(ki_radau *self, double t_end) {
    ki_integrator *base = &self->base;
    ki_dynamics *d = base->flow.dynamics;
    set_tolerances(self);
    set_scale(self);
    copy(self, self->y_old, base->y);
    keel_status status = ki_rate(d, base->t, base->y, self->rate);
    if (status)
        return status;
    self->h = base->settings.step;
    if (!(self->h > 0))
        self->h = ki_choose_first_step(base, self->rate, self->table->stages + 1, t_end, self->y_try,
                                       self->rate_try);
    d->step = self->h;
    ki_follow_motion(d, base->y, self->rate);
    return ki_has_automatic_gains(d) ? ki_rate(d, base->t, base->y, self->rate) : KEEL_OK;
}

static keel_status start(ki_integrator *base, const ki_problem *problem) {
    ki_radau *self = (ki_radau *)base;
    self->table = problem->kind == KEEL_RADAU9 ? &KI_RADAU9 : &KI_RADAU5;
    base->estimates_work = true;
    allocate(self);
    keel_status status = init_newton(self);
    if (status || base->arena.failed)
        return KEEL_ERROR_MEMORY;
    return begin(self, problem->t_end);
}

/* No step has been taken from (t, y) on, nor was Newton's method slow. */
static void forget_steps(ki_radau *self, double t, const double *y) {
    ki_integrator *base = &self->base;
    copy(self, base->y, y);
    base->t = base->t_old = t;
    base->steps = base->rejected = 0;
    self->h_taken = self->h_before = 0;
    self->by_stages = self->linearized = self->rejected = false;
    self->slow = self->left = 0;
    self->patience = FIRST_PATIENCE;
}

keel_status ki_radau_restart(ki_integrator *base, double t, const double *y, double t_end) {
    ki_radau *self = (ki_radau *)base;
    forget_steps(self, t, y);
    base->rejected_before = 0;
    base->longest_step = 0;
    self->current = false;
    self->h_factored = self->contraction = self->error_before = 0;
    self->renewals = self->iterations = 0;
    return begin(self, t_end);
}

keel_status ki_radau_follow(ki_integrator *base, ki_integrator *leader, double t, const double *y,
                            double t_end) {
    ki_radau *self = (ki_radau *)base;
    double h = t_end - t;
    forget_steps(self, t, y);
    copy(self, self->y_old, y);
    self->h = self->guessed = h;
    self->reach = 1;
    self->kappa =
        fmax(10 * DBL_EPSILON / (ki_allowed(base).relative * self->relax), 1e-4 * self->kappa_of_steps);
    set_scale(self);
    for (int s = 0; s < self->table->stages; s++) {
        if (leader->method->interpolate(leader, t + self->table->c[s] * h, self->P[s]))
            self->guessed = 0;
        for (int i = 0; i < base->n; i++)
            self->P[s][i] -= y[i];
    }
    return ki_rate(base->flow.dynamics, t, base->y, self->rate);
}

static void clear(ki_integrator *base) {
    ki_coupled_clear(&((ki_radau *)base)->coupled);
    ki_newton_clear(&((ki_radau *)base)->newton);
}

const ki_method KI_RADAU = {.size = sizeof(ki_radau),
                            .start = start,
                            .step = step,
                            .interpolate = interpolate,
                            .slope = slope,
                            .stage = stage,
                            .clear = clear};

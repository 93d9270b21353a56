/* The implicit midpoint rule and its energy-conserving relative, in displacements and multipliers
 * (conserving.h).
 *
 * A step: predict - solve - stabilise - error - accept. Fixed steps are of the given length but for the
 * last. Otherwise the errors of the step are estimated from its acceleration a_n = (v1 - v0)/h and those
 * of the two steps before,
 *
 *     q:  h^3 v''/12        the rule is trapezoidal in q ...
 *     v:  h^3 v'''/24       ... and a midpoint rule in v and z
 *
 * with v'' and v''' from divided differences, each a standing in the middle of its step. The parts of the
 * estimate that are no motion, along the gradients of the constraints, do not count: there the velocities
 * of steps without projection swing about, and the more so in accelerations the shorter the steps are
 * made.
 *
 * Rows inside a step: q from the cubic through both ends and their velocities, v, z and W from straight
 * lines, of second order like the rule itself. v' and the multipliers are those of the step.
 */
#include <math.h>
#include <string.h>

#include "integrate/conserving.h"
#include "integrate/integrator.h"
#include "integrate/step_control.h"

/* Steps keep their length unless they may grow by this much: every change disturbs the multipliers. */
static const double WORTH_GROWING = 1.4;

typedef struct midpoint {
    ki_integrator base;
    ki_midstep step;
    ki_midsolver *solver;
    ki_step_control control;
    double t_start, h; /* h: to try next */
    long taken;        /* steps from t_start */
    double h_taken;    /* length of the last step; 0: there was none */
    double *y_old;     /* [n] */
    double *dq;        /* [n_v] displacement of the last step */
    double *L;         /* [m] its multipliers */
    double *rate[3];   /* [n_v + n_z] (v', z') of the last step and the two before, as far as `known` */
    double middle[3];  /* when they hold */
    int known;
    double *estimate; /* [n] */
    double *move;     /* [n_v] */
} midpoint;

static void copy(double *to, const double *from, int n) {
    if (n)
        memcpy(to, from, (size_t)n * sizeof *to);
}

/* x = (h v0 + h^2/2 a, L, z0 + h/2 z') with the values of the step before. */
static void predict(midpoint *self, double h) {
    const ki_dynamics *d = self->base.flow.dynamics;
    int n_v = d->system->n_v;
    const double *v = ki_v(d, self->base.y), *z = ki_z(d, self->base.y), *a = self->rate[0];
    for (int i = 0; i < n_v; i++)
        self->step.x[i] = h * v[i] + 0.5 * h * h * a[i];
    copy(ki_midstep_lambda(&self->step), self->L, d->m);
    for (int i = 0; i < d->system->n_z; i++)
        ki_midstep_z(&self->step)[i] = z[i] + 0.5 * h * a[n_v + i];
}

/* Far from any smooth motion the values of the step before may be a bad guess: without them. */
static void predict_plainly(midpoint *self, double h) {
    const ki_dynamics *d = self->base.flow.dynamics;
    for (int i = 0; i < d->system->n_v; i++)
        self->step.x[i] = h * ki_v(d, self->base.y)[i];
    memset(ki_midstep_lambda(&self->step), 0, (size_t)d->m * sizeof(double));
    copy(ki_midstep_z(&self->step), ki_z(d, self->base.y), d->system->n_z);
}

static keel_status solve(midpoint *self, double h) {
    ki_dynamics *d = self->base.flow.dynamics;
    keel_newton_facts *facts = &self->base.newton;
    keel_status status = ki_midstep_begin(&self->step, self->base.t, self->base.y, h);
    if (status)
        return status;
    predict(self, h);
    status = ki_midsolver_solve(self->solver, facts);
    if (status == KEEL_ERROR_CONVERGENCE && d->trouble.kind == KI_TROUBLE_NEWTON) {
        predict_plainly(self, h);
        status = ki_midsolver_solve(self->solver, facts);
    }
    self->base.jacobians = ki_midsolver_linearizations(self->solver);
    return status;
}

/* The rates of the step just solved. */
static void take_rates(midpoint *self, double *rate) {
    const ki_dynamics *d = self->base.flow.dynamics;
    int n_v = d->system->n_v;
    copy(rate, self->step.a, n_v);
    for (int i = 0; i < d->system->n_z; i++)
        rate[n_v + i] = 2 * (ki_midstep_z(&self->step)[i] - ki_z(d, self->base.y)[i]) / self->step.h;
}

/* e minus what the constraints see of it, of which `part` is left: [M J^T; J 0] (x, y) = (M e, 0), e <- x. */
static keel_status make_tangential(ki_dynamics *d, double *e, double part) {
    if (!d->m)
        return KEEL_OK;
    ki_mass_times(d, e, d->b_v);
    keel_status status = keel_saddle_solve(d->K, d->b_v, NULL, d->x, d->y, NULL);
    for (int i = 0; i < d->system->n_v; i++)
        e[i] = d->x[i] + part * (e[i] - d->x[i]);
    return status < 0 ? status : KEEL_OK;
}

/* See the top; the newest rates are in `estimate` until they are used up. */
static keel_status error_of(midpoint *self, double h, double *error) {
    ki_dynamics *d = self->base.flow.dynamics;
    const keel_system *sys = d->system;
    double *e = self->estimate, *e_v = ki_v(d, e), *move = self->move, t = self->base.t + 0.5 * h;
    double last = t - self->middle[0], before = self->middle[0] - self->middle[1];
    take_rates(self, e_v);
    for (int i = 0; i < sys->n_v + sys->n_z; i++) {
        double slope = (e_v[i] - self->rate[0][i]) / last;
        double slope_before = self->known > 1 ? (self->rate[0][i] - self->rate[1][i]) / before : slope;
        double bend = self->known > 1 ? 2 * (slope - slope_before) / (last + before) : 0;
        if (i < sys->n_v)
            move[i] = h * h * h * slope / 12;
        e_v[i] = h * h * h * bend / 24;
    }
    keel_status status = d->m ? ki_factor_at(d, self->base.t + h, self->step.y_end) : KEEL_OK;
    if (!status)
        status = make_tangential(d, move, 0.01); /* rows inside the step are not on the constraints */
    if (!status)
        status = make_tangential(d, e_v, 0);
    if (sys->kinematics)
        sys->kinematics(sys, self->step.y_end, move, e);
    else
        copy(e, move, sys->n_v);
    *error = ki_error_norm(&self->base, e, self->base.y, self->step.y_end);
    return status;
}

/* Dependent constraints share their multipliers: the shortest ones, with the factors at the end of the
 * step.
 */
static keel_status share_multipliers(midpoint *self, double t) {
    ki_dynamics *d = self->base.flow.dynamics;
    keel_status status = ki_factor_at(d, t, self->step.y_end);
    if (!status)
        status = keel_saddle_least_norm(d->K, ki_midstep_lambda(&self->step));
    return status < 0 ? status : KEEL_OK;
}

/* The state at the end in step.y_end, and its error. */
static keel_status attempt(midpoint *self, double h, double *error) {
    ki_dynamics *d = self->base.flow.dynamics;
    ki_midstep *s = &self->step;
    double t = self->base.t + h;
    keel_status status = solve(self, h);
    if (status)
        return status;
    *ki_work(d, s->y_end) += s->work;
    ki_normalize(d, s->y_end);
    status = ki_settle(d, self->base.flow.stabilize, t, s->y_end);
    if (!status)
        status = ki_solve_auxiliaries(d, t, s->y_end);
    if (!status && !self->base.settings.fixed)
        status = error_of(self, h, error);
    if (!status && d->redundant)
        status = share_multipliers(self, t);
    if (!status && d->m && !ki_is_factored(d, t, s->y_end)) { /* violations compare with J at the end */
        d->factored = false;
        status = ki_evaluate_terms(d, KEEL_JACOBIAN, t, s->y_end);
    }
    return status;
}

static void accept(midpoint *self, double h, double t_end) {
    ki_integrator *base = &self->base;
    ki_dynamics *d = base->flow.dynamics;
    double *oldest = self->rate[2], t = base->t + h;
    self->rate[2] = self->rate[1], self->rate[1] = self->rate[0], self->rate[0] = oldest;
    self->middle[2] = self->middle[1], self->middle[1] = self->middle[0];
    self->middle[0] = base->t + 0.5 * h;
    self->known = self->known < 3 ? self->known + 1 : 3;
    take_rates(self, self->rate[0]);
    copy(self->dq, self->step.x, d->system->n_v);
    copy(self->L, ki_midstep_lambda(&self->step), d->m);
    copy(d->lambda, self->L, d->m);
    copy(self->y_old, base->y, base->n);
    copy(base->y, self->step.y_end, base->n);
    self->taken++;
    if (base->settings.fixed && t < t_end) /* no round-off adds up */
        t = self->t_start + (double)self->taken * base->settings.step;
    self->h_taken = h;
    ki_accept_step(base, t, t_end);
}

/* Not beyond t_end, and no sliver left over for the step after. */
static double limited_step(const midpoint *self, double t_end) {
    const ki_integrator_settings *set = &self->base.settings;
    double rest = t_end - self->base.t;
    if (!set->fixed)
        return ki_limited_step(&self->base, self->h, t_end);
    return rest < set->step * (1 + 1e-9) ? rest : set->step;
}

static keel_status step(ki_integrator *base, double t_end) {
    midpoint *self = (midpoint *)base;
    bool fixed = base->settings.fixed;
    base->flow.dynamics->trouble.kind = KI_TROUBLE_NONE;
    for (;;) {
        double h = limited_step(self, t_end), error = 0, h_next = h;
        keel_status status = ki_may_attempt(base, h, t_end);
        if (status)
            return status;
        status = attempt(self, h, &error);
        if (status && (fixed || !ki_worth_retrying(status)))
            return status;
        bool accepted = !status && (fixed || ki_step_control_judge(&self->control, error, h, &h_next));
        if (status)
            h_next = ki_step_control_failed(&self->control, h);
        if (accepted && h_next >= h)
            h_next = h_next < WORTH_GROWING * self->h ? fmax(self->h, h) : h_next;
        self->h = h_next;
        if (accepted) {
            accept(self, h, t_end);
            return KEEL_OK;
        }
        base->rejected++;
    }
}

static keel_status interpolate(ki_integrator *base, double t, double *y) {
    midpoint *self = (midpoint *)base;
    ki_dynamics *d = base->flow_rows.dynamics;
    int n_q = d->system->n_q, n_v = d->system->n_v;
    if (t == base->t || self->h_taken == 0) {
        copy(y, base->y, base->n);
        return KEEL_OK;
    }
    double h = self->h_taken, x = (t - base->t_old) / h;
    const double *v0 = self->y_old + n_q, *v1 = base->y + n_q;
    for (int i = 0; i < n_v; i++) {
        double c3 = h * (v0[i] + v1[i]) - 2 * self->dq[i], c2 = self->dq[i] - h * v0[i] - c3;
        d->x[i] = x * (h * v0[i] + x * (c2 + x * c3));
    }
    copy(y, self->y_old, base->n);
    ki_move(d, y, d->x);
    for (int i = n_q; i < base->n; i++)
        y[i] += x * (base->y[i] - self->y_old[i]);
    return KEEL_OK;
}

/* Before the first step there are none. */
static void own_values(ki_integrator *base, double t, double *v_rate, double *lambda) {
    const midpoint *self = (const midpoint *)base;
    (void)t;
    if (self->h_taken == 0)
        return;
    copy(v_rate, self->rate[0], base->flow.dynamics->system->n_v);
    copy(lambda, self->L, base->flow.dynamics->m);
}

static void clear(ki_integrator *base) {
    ki_midsolver_free(((midpoint *)base)->solver);
}

static keel_status allocate(midpoint *self, bool conserving) {
    ki_integrator *base = &self->base;
    ki_dynamics *d = base->flow.dynamics;
    ki_midstep_init(&self->step, &base->arena, d, conserving);
    self->y_old = KI_NEW(&base->arena, double, base->n);
    self->dq = KI_NEW(&base->arena, double, d->system->n_v);
    self->L = KI_NEW(&base->arena, double, d->m);
    self->estimate = KI_NEW(&base->arena, double, base->n);
    self->move = KI_NEW(&base->arena, double, d->system->n_v);
    for (int i = 0; i < 3; i++)
        self->rate[i] = KI_NEW(&base->arena, double, d->system->n_v + d->system->n_z);
    self->solver = ki_midsolver_new(&self->step, base->options);
    return self->solver && !base->arena.failed ? KEEL_OK : KEEL_ERROR_MEMORY;
}

/* Accelerations and multipliers at the start, for the first guess, and the first step. */
static keel_status start(ki_integrator *base, const ki_problem *problem) {
    enum { ORDER = 2 };
    midpoint *self = (midpoint *)base;
    base->own_values = own_values;
    base->has_newton = true;
    ki_dynamics *d = base->flow.dynamics;
    bool conserving = problem->kind == KEEL_CONSERVING;
    keel_status status = allocate(self, conserving);
    if (!status && conserving)
        status = ki_check_conserving(d, base->t, problem->t_end, base->y);
    if (!status)
        status = ki_rate(d, base->t, base->y, self->estimate);
    if (status)
        return status;
    copy(self->rate[0], ki_v(d, self->estimate), d->system->n_v + d->system->n_z);
    copy(self->L, d->lambda, d->m);
    copy(self->y_old, base->y, base->n);
    self->middle[0] = self->t_start = base->t;
    self->known = 1;
    self->h = base->settings.step;
    if (!(self->h > 0))
        self->h = ki_choose_first_step(base, self->estimate, ORDER + 1, problem->t_end, self->step.y_mid,
                                       self->step.y_end);
    self->control = ki_step_control_new(ORDER + 1, 1.0 / (ORDER + 1), 0, 0.2, 2);
    return KEEL_OK;
}

const ki_method KI_MIDPOINT = {
    .size = sizeof(midpoint), .start = start, .step = step, .interpolate = interpolate, .clear = clear};

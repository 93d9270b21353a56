/* The implicit midpoint rule and its energy-conserving relative, in displacements and multipliers
 * (conserving.h).
 *
 * A step: predict - solve - stabilise - error - accept. Fixed steps are of the given length but for the
 * last. Otherwise the errors of the step are estimated,
 *
 *     q:  h^3 v''/12        the rule is trapezoidal in q ...
 *     v:  h^3 v'''/24       ... and a midpoint rule in v and z
 *
 * from the accelerations of the index-1 form at its ends. Those of the rule itself swing about along the
 * gradients of the constraints, and the more so the shorter the steps are made.
 *
 * Rows inside a step: q from the cubic through both ends and their velocities, v, z and W from straight
 * lines, of second order like the rule itself.
 */
#include <math.h>
#include <string.h>

#include "integrate/conserving.h"
#include "integrate/integrator.h"
#include "integrate/path.h"
#include "integrate/step_control.h"

/* Steps keep their length unless they may grow by this much: every change disturbs the multipliers. */
static const double WORTH_GROWING = 1.4;

typedef struct midpoint {
    ki_integrator base;
    ki_midstep step;
    ki_midsolver *solver;
    ki_step_control control;
    double t_start, h;  /* h: to try next */
    long taken;         /* steps from t_start */
    double h_taken;     /* length of the last step; 0: there was none */
    double *y_old;      /* [n] */
    double *dq;         /* [n_v] displacement of the last step */
    double *L;          /* [m] its multipliers */
    double *rate;       /* [n_v + n_z] (v', z') of the last step, for the first guess */
    double *now, *next; /* [n] rates at its end, and at that of the step that is tried */
    double *slope;      /* [n_v + n_z] of these in the last step ... */
    double h_slope;     /* ... of this length; 0: there was none */
    double *estimate;   /* [n] */
    double *move;       /* [n_v] */
} midpoint;

static void copy(double *to, const double *from, int n) {
    if (n)
        memcpy(to, from, (size_t)n * sizeof *to);
}

/* x = (h v0 + h^2/2 a, L, z0 + h/2 z') with the values of the step before. */
static void predict(midpoint *self, double h) {
    const ki_dynamics *d = self->base.flow.dynamics;
    int n_v = d->system->n_v;
    const double *v = ki_v(d, self->base.y), *z = ki_z(d, self->base.y), *a = self->rate;
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

static keel_status solve_once(midpoint *self, double h) {
    ki_dynamics *d = self->base.flow.dynamics;
    keel_newton_facts *facts = &self->base.newton;
    long before = ki_midsolver_linearizations(self->solver);
    keel_status status = ki_midstep_begin(&self->step, self->base.t, self->base.y, h);
    if (status)
        return status;
    predict(self, h);
    status = ki_midsolver_solve(self->solver, facts);
    if (status == KEEL_ERROR_CONVERGENCE && d->trouble.kind == KI_TROUBLE_NEWTON) {
        predict_plainly(self, h);
        status = ki_midsolver_solve(self->solver, facts);
    }
    self->base.jacobians += ki_midsolver_linearizations(self->solver) - before;
    return status;
}

/* Often enough for every momentum to be given up by itself. */
static keel_status solve(midpoint *self, double h) {
    bool again = true;
    keel_status status = KEEL_OK;
    for (int turn = 0; again && !status && turn <= KI_RIGID; turn++) {
        status = solve_once(self, h);
        ki_normalize(self->base.flow.dynamics, self->step.y_end);
        if (!status)
            status = ki_midstep_end(&self->step, &again);
    }
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

/* Change of (v', z') in the step. */
static double change_of(const midpoint *self, int i) {
    int n_q = self->base.flow.dynamics->system->n_q;
    return self->next[n_q + i] - self->now[n_q + i];
}

/* See the top. Before the second step the slope is taken to have been zero: too large an estimate rather than
 * none. */
static keel_status error_of(midpoint *self, double h, double *error) {
    ki_dynamics *d = self->base.flow.dynamics;
    const keel_system *sys = d->system;
    double *e = self->estimate, *e_v = ki_v(d, e), *move = self->move;
    double between = self->h_slope > 0 ? (h + self->h_slope) / 2 : h;
    keel_status status = ki_rate(d, self->base.t + h, self->step.y_end, self->next);
    if (status)
        return status;
    for (int i = 0; i < sys->n_v + sys->n_z; i++) {
        double slope = change_of(self, i) / h;
        if (i < sys->n_v)
            move[i] = h * h * h * slope / 12;
        e_v[i] = h * h * h * (slope - self->slope[i]) / between / 24;
    }
    if (sys->kinematics)
        sys->kinematics(sys, self->step.y_end, move, e);
    else
        copy(e, move, sys->n_v);
    *error = ki_error_norm(&self->base, e, self->base.y, self->step.y_end) / self->base.relax;
    return KEEL_OK;
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

/* The state at the part x of a step of h with the displacement dq. */
static void inside(midpoint *self, const double *begin, const double *end, const double *dq, double h,
                   double x, double *y) {
    ki_dynamics *d = self->base.flow_rows.dynamics;
    int n_q = d->system->n_q, n_v = d->system->n_v, n = self->base.n;
    const double *v0 = begin + n_q, *v1 = end + n_q;
    for (int i = 0; i < n_v; i++) {
        double c3 = h * (v0[i] + v1[i]) - 2 * dq[i], c2 = dq[i] - h * v0[i] - c3;
        d->x[i] = x * (h * v0[i] + x * (c2 + x * c3));
    }
    copy(y, begin, n);
    ki_move(d, y, d->x);
    for (int i = n_q; i < n; i++)
        y[i] += x * (end[i] - begin[i]);
}

/* Steps of chosen length end where they were expected to. */
static keel_status goes_on(midpoint *self, double h) {
    ki_integrator *base = &self->base;
    const ki_dynamics *d = base->flow.dynamics;
    const double *v = ki_v(d, base->y), *a = self->rate;
    for (int i = 0; i < d->system->n_v; i++)
        self->move[i] = h * v[i] + 0.5 * h * h * a[i];
    if (base->settings.fixed || ki_within_reach(base, self->move, self->step.x, base->y, self->step.y_end))
        return KEEL_OK;
    return ki_trouble_at(base->flow.dynamics, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_PATH, base->t + h, -1,
                         INFINITY);
}

static keel_status follows_path(midpoint *self, double h) {
    ki_integrator *base = &self->base;
    const ki_midstep *s = &self->step;
    inside(self, base->y, s->y_end, s->x, h, 0.5, self->estimate);
    return ki_check_path(base, base->t + 0.5 * h, self->estimate, s->x, base->t + h);
}

/* v1 = 2 dq/h - v swings about its constraints by O(h^2), and by what dq is off over h. Where steps change
 * their length, by choice or because a switch cuts one, that grows: there velocities are made to fit. The
 * conserving rule, whose energy is that of its own velocities, only gives in where a step is cut. */
static keel_status settle(midpoint *self, double t, double h) {
    ki_integrator *base = &self->base;
    ki_dynamics *d = base->flow.dynamics;
    bool changes = base->settings.fixed ? h < 0.49 * base->settings.step : !self->step.conserving;
    keel_status status = ki_settle(d, base->flow.stabilize, t, self->step.y_end);
    if (!status && changes && base->flow.stabilize == KEEL_STABILIZE_NONE)
        status = ki_project_velocity(d, t, self->step.y_end);
    return status;
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
    status = goes_on(self, h);
    if (!status)
        status = follows_path(self, h);
    if (!status)
        status = settle(self, t, h);
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

static void remember_slope(midpoint *self, double h) {
    const keel_system *sys = self->base.flow.dynamics->system;
    double *next = self->next;
    for (int i = 0; i < sys->n_v + sys->n_z; i++)
        self->slope[i] = change_of(self, i) / h;
    self->h_slope = h;
    self->next = self->now;
    self->now = next;
}

static keel_status accept(midpoint *self, double h, double t_end) {
    ki_integrator *base = &self->base;
    ki_dynamics *d = base->flow.dynamics;
    double t = base->t + h;
    take_rates(self, self->rate);
    self->step.owed = self->step.owed_next;
    if (!base->settings.fixed)
        remember_slope(self, h);
    copy(self->dq, self->step.x, d->system->n_v);
    copy(self->L, ki_midstep_lambda(&self->step), d->m);
    copy(d->lambda, self->L, d->m);
    base->newton.lambda = self->L;
    copy(self->y_old, base->y, base->n);
    copy(base->y, self->step.y_end, base->n);
    self->taken++;
    if (base->settings.fixed && t < t_end) /* no round-off adds up */
        t = self->t_start + (double)self->taken * base->settings.step;
    self->h_taken = h;
    ki_accept_step(base, t, t_end);
    return ki_look_at_implicit_step(base, self->y_old);
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
        if (accepted)
            return accept(self, h, t_end);
        base->rejected++;
    }
}

static keel_status interpolate(ki_integrator *base, double t, double *y) {
    midpoint *self = (midpoint *)base;
    double h = self->h_taken;
    if (t == base->t || h == 0)
        copy(y, base->y, base->n);
    else
        inside(self, self->y_old, base->y, self->dq, h, (t - base->t_old) / h, y);
    return KEEL_OK;
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
    self->rate = KI_NEW(&base->arena, double, d->system->n_v + d->system->n_z);
    self->slope = KI_NEW(&base->arena, double, d->system->n_v + d->system->n_z);
    self->now = KI_NEW(&base->arena, double, base->n);
    self->next = KI_NEW(&base->arena, double, base->n);
    self->solver = ki_midsolver_new(&self->step, base->options);
    return self->solver && !base->arena.failed ? KEEL_OK : KEEL_ERROR_MEMORY;
}

static keel_status no_energy(ki_dynamics *d, double t) {
    ki_trouble_at(d, KEEL_ERROR_INPUT, KI_TROUBLE_UNSUITED, t, -1, 0);
    d->trouble.why =
        "integrator conserving needs a system that knows its energy (KEEL_ENERGY): take midpoint";
    return KEEL_ERROR_INPUT;
}

/* Accelerations and multipliers at the start, for the first guess, and the first step. */
static keel_status start(ki_integrator *base, const ki_problem *problem) {
    enum { ORDER = 2 };
    midpoint *self = (midpoint *)base;
    base->has_newton = true;
    ki_dynamics *d = base->flow.dynamics;
    bool conserving = problem->kind == KEEL_CONSERVING;
    keel_status status = allocate(self, conserving);
    if (!status && conserving && !d->system->has_energy)
        status = no_energy(d, base->t);
    if (!status)
        ki_midstep_know_momenta(&self->step, &base->arena, base->t, problem->t_end, base->y);
    if (base->arena.failed)
        return KEEL_ERROR_MEMORY;
    if (!status)
        status = ki_rate(d, base->t, base->y, self->now);
    if (!status)
        status = ki_begin_fixed_steps(base, self->now);
    if (status)
        return status;
    copy(self->rate, ki_v(d, self->now), d->system->n_v + d->system->n_z);
    copy(self->L, d->lambda, d->m);
    copy(self->y_old, base->y, base->n);
    self->t_start = base->t;
    self->h = base->settings.step;
    if (!(self->h > 0))
        self->h = ki_choose_first_step(base, self->now, ORDER + 1, problem->t_end, self->step.y_mid,
                                       self->step.y_end);
    self->base.relax = ki_relax(base, ORDER);
    self->control = ki_step_control_new(ORDER + 1, 1.0 / (ORDER + 1), 0, 0.2, 2);
    return KEEL_OK;
}

const ki_method KI_MIDPOINT = {
    .size = sizeof(midpoint), .start = start, .step = step, .interpolate = interpolate, .clear = clear};

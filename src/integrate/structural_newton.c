/* The equations of a step of structural.h, for the iteration of index3_newton.h.
 *
 * ggl, in the same loop: after (dq, dlambda) from the residuals of motion and velocity, the correction dw of
 * the extra displacement solves
 *
 *     [ M  G^T ] [ dw  ]     [ M w + G^T mu ]
 *     [ G   0  ] [ dmu ] = - [ Phi + G dq   ]
 *
 * What dw changes in motion and velocity waits for the next iteration: it moves v by O(dw) and so the
 * position by O(h dw), the loop contracts like h, and its fixed point satisfies all equations at once.
 */
#include <math.h>
#include <string.h>

#include "integrate/structural.h"
#include "linalg/dense.h"

/* Factors serve for steps that differ by no more than this. */
static const double SAME_STEP = 1e-6;

/* s of index3.h: dq = s dv'. */
static double displacement_scale(const ki_structural *self) {
    double h = self->h_try;
    return self->beta * h * h * (1 - self->alpha_f) / (1 - self->alpha_m);
}

/* The step's formulas: next.a, and q, v of next.y from v' of next.rate. */
static void place(ki_structural *self) {
    ki_dynamics *d = self->base.flow.dynamics;
    const keel_system *sys = d->system;
    ki_structural_end *now = &self->now, *next = &self->next;
    const double *v0 = ki_v(d, now->y), *rate0 = ki_v(d, now->rate), *rate = ki_v(d, next->rate);
    double *v = ki_v(d, next->y), *move = self->newton.move;
    double h = self->h_try, beta = self->beta, gamma = self->gamma;
    for (int i = 0; i < sys->n_v; i++) {
        double a0 = self->a_begin[i];
        double a = ((1 - self->alpha_f) * rate[i] + self->alpha_f * rate0[i] - self->alpha_m * a0) /
                   (1 - self->alpha_m);
        next->a[i] = a;
        v[i] = v0[i] + h * ((1 - gamma) * a0 + gamma * a);
        move[i] = h * (v0[i] + h * ((0.5 - beta) * a0 + beta * a)) + (self->ggl ? self->w[i] : 0);
    }
    memcpy(next->y, now->y, (size_t)sys->n_q * sizeof(double));
    ki_move(d, next->y, move);
}

/* a_n stands at t_n + (alpha_m - alpha_f) h: with another h it moves. */
static void begin(ki_structural *self, double stretch) {
    const ki_dynamics *d = self->base.flow.dynamics;
    const double *rate = ki_v(d, self->now.rate);
    for (int i = 0; i < d->system->n_v; i++)
        self->a_begin[i] = stretch == 1 ? self->now.a[i] : rate[i] + stretch * (self->now.a[i] - rate[i]);
}

/* First guess: accelerations and multipliers go on as in the last step, states with their last rate. */
static void predict(ki_structural *self, double stretch) {
    ki_dynamics *d = self->base.flow.dynamics;
    const ki_structural_end *now = &self->now, *before = &self->before;
    const double *rate = ki_v(d, now->rate), *rate_before = ki_v(d, before->rate);
    for (int i = 0; i < d->system->n_v; i++)
        ki_v(d, self->next.rate)[i] = rate[i] + stretch * (rate[i] - rate_before[i]);
    for (int i = 0; i < d->m; i++)
        self->next.lambda[i] = now->lambda[i] + stretch * (now->lambda[i] - before->lambda[i]);
    for (int i = 0; i < d->system->n_z; i++)
        ki_z(d, self->next.y)[i] = ki_z(d, now->y)[i] + self->h_try * ki_z(d, now->rate)[i];
    if (self->ggl && d->m) {
        memset(self->w, 0, (size_t)d->system->n_v * sizeof(double));
        memset(self->mu, 0, (size_t)d->m * sizeof(double));
    }
    place(self);
}

/* r_D, r_C, r_z at next; for ggl also M w + G^T mu. */
static keel_status residual(void *user, double t) {
    ki_structural *self = user;
    ki_dynamics *d = self->base.flow.dynamics;
    keel_pattern J = d->system->J;
    keel_status status = ki_index3_residual(&self->newton, t, ki_v(d, self->next.rate), self->velocity_level,
                                            self->ggl ? KEEL_POSITION : 0u);
    if (status)
        return status;
    for (int i = 0; i < d->system->n_z; i++) {
        double f = ki_z(d, self->next.rate)[i] = d->at.f[i];
        self->newton.r_z[i] = ki_z(d, self->next.y)[i] - ki_z(d, self->now.y)[i] -
                              self->h_try / 2 * (ki_z(d, self->now.rate)[i] + f);
    }
    if (!self->ggl)
        return KEEL_OK;
    ki_mass_times(d, self->w, self->r_w);
    for (int i = 0; i < d->system->n_h; i++)
        for (int k = J.start[i]; k < J.start[i + 1]; k++)
            self->r_w[J.index[k]] += d->at.J[k] * self->mu[i];
    return KEEL_OK;
}

/* dw and dmu; the multipliers of dependent rows do not matter. */
static keel_status correct_position(ki_structural *self, double t) {
    ki_dynamics *d = self->base.flow.dynamics;
    keel_pattern J = d->system->J;
    for (int i = 0; i < d->system->n_h; i++) {
        double sum = d->at.Phi[i];
        for (int k = J.start[i]; k < J.start[i + 1]; k++)
            sum += d->at.J[k] * self->newton.dq[J.index[k]];
        self->s_w[i] = -sum;
    }
    for (int i = 0; i < d->system->n_v; i++)
        self->r_w[i] = -self->r_w[i];
    if (keel_saddle_solve(d->K_G, self->r_w, self->s_w, self->newton.dw, self->dmu, NULL) < 0)
        return ki_trouble_at(d, KEEL_ERROR_SINGULAR, KI_TROUBLE_CONSTRAINT, t, -1, INFINITY);
    ki_axpy(d->system->n_v, 1, self->newton.dw, self->w);
    ki_axpy(d->system->n_h, 1, self->dmu, self->mu);
    return KEEL_OK;
}

static keel_status correct(void *user, double t) {
    ki_structural *self = user;
    ki_dynamics *d = self->base.flow.dynamics;
    keel_status status = self->ggl && d->system->n_h ? correct_position(self, t) : KEEL_OK;
    ki_axpy(d->system->n_v, 1 / displacement_scale(self), self->newton.dq, ki_v(d, self->next.rate));
    place(self);
    return status;
}

static keel_status linearize(void *user, double t) {
    ki_structural *self = user;
    ki_dynamics *d = self->base.flow.dynamics;
    double h = self->h_try, s = displacement_scale(self), c_v = self->gamma / self->beta * s / h;
    self->h_factored = 0;
    self->base.jacobians++;
    keel_status status = KEEL_OK;
    if (self->ggl || d->redundant)
        status = ki_factor_at(d, t, self->next.y);
    if (!status && self->ggl && d->K_G != d->K && keel_saddle_factor(d->K_G, d->at.M, d->at.J, NULL) < 0)
        status = ki_trouble_at(d, KEEL_ERROR_SINGULAR, KI_TROUBLE_MASS, t, keel_saddle_bad_pivot(d->K_G), 0);
    if (!status)
        status = ki_index3_linearize(self->newton.matrix, t, self->next.y, ki_v(d, self->next.rate),
                                     self->next.lambda);
    if (status)
        return status;
    ki_index3_turn(self->newton.matrix, self->next.y, self->newton.move, 1);
    ki_index3_couple_states(self->newton.matrix, h / 2);
    status = ki_index3_factor(self->newton.matrix, s, c_v, s, self->beta * h / self->gamma);
    if (status)
        return ki_trouble_at(d, status, KI_TROUBLE_NEWTON, t, -1, INFINITY);
    self->h_factored = h;
    return KEEL_OK;
}

keel_status ki_structural_linearize(ki_structural *self, double t) {
    return linearize(self, t);
}

/* dq is one of gamma/(beta h) dq in v. */
static void set_allowed(ki_structural *self, double h) {
    static const double PART = 1e-3; /* of what the estimate may be */
    const ki_integrator *base = &self->base;
    const keel_system *sys = base->flow.dynamics->system;
    const double *y = self->now.y;
    for (int i = 0; i < sys->n_v; i++) {
        double of_v = ki_allowed_error(base, y, y, sys->n_q + i) * self->beta * h / self->gamma;
        self->allowed[i] = PART * base->relax * fmin(ki_allowed_displacement(base, y, y, i), of_v);
    }
}

keel_status ki_structural_solve(ki_structural *self, double t, double h) {
    ki_index3_newton *newton = &self->newton;
    /* at the start there is no step before, and a_n is v' */
    double stretch = self->h_of_a > 0 ? h / self->h_of_a : 0;
    self->h_try = h;
    newton->residual = residual;
    newton->linearize = linearize;
    newton->correct = correct;
    newton->y = self->next.y;
    newton->lambda = self->next.lambda;
    newton->allowed = self->base.settings.fixed ? NULL : self->allowed;
    if (newton->allowed)
        set_allowed(self, h);
    newton->fresh = newton->fresh || fabs(self->h_factored / h - 1) > SAME_STEP;
    begin(self, stretch);
    predict(self, stretch);
    memcpy(self->guess, newton->move, (size_t)self->base.flow.dynamics->system->n_v * sizeof(double));
    return ki_index3_iterate(newton, t);
}

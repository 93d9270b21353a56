/* Backward differentiation on the index-3 equations. With the accelerations a and the multipliers as
 * unknowns,
 *
 *     alpha_0 v_n = h a        - sum_{i>0} alpha_i v_{n-i}
 *     alpha_0 q_n = h N(q_n) v_n - sum_{i>0} alpha_i q_{n-i}
 *     M a + J^T lambda = Q,  Phi = 0       at t_n;  nonholonomic rows: rate = 0
 *     alpha_0 z_n = h f        - sum_{i>0} alpha_i z_{n-i}
 *
 * so that dv = (h/alpha_0) da, dq = (h/alpha_0)^2 da: s = (h/alpha_0)^2 in the terms of index3.h. For steps
 * of one length and consistent values before the first step q, v and lambda have the order k (Lotstedt and
 * Petzold 1986).
 *
 * As the alpha_i sum to zero, y_{n-1} is subtracted from every y: what rests does so to the last digit, and
 * at a tiny h nothing cancels.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/bdf_fixed.h"

static void copy(double *to, const double *from, int n) {
    if (n)
        memcpy(to, from, (size_t)n * sizeof *to);
}

/* y_{n-1} + (h rate - sum_{i>1} alpha_i (y_{n-i} - y_{n-1})) / alpha_0, component c; history[i-1] is y_{n-i}
 * here. */
static double formula(const ki_bdf_fixed *self, int c, double rate) {
    double last = self->history[0][c], sum = self->h * rate;
    for (int i = 2; i <= self->k; i++)
        sum -= self->alpha[i] * (self->history[i - 1][c] - last);
    return last + sum / self->alpha[0];
}

/* q from v where N depends on q: a few rounds, each better by the rotation in a step. */
static void place_rotations(ki_bdf_fixed *self) {
    enum { MOST_ROUNDS = 50 };
    ki_dynamics *d = self->base.flow.dynamics;
    const keel_system *sys = d->system;
    double change = INFINITY;
    for (int round = 0; round < MOST_ROUNDS && change > 4 * DBL_EPSILON; round++) {
        sys->kinematics(sys, self->y, ki_v(d, self->y), self->rate);
        change = 0;
        for (int c = 0; c < sys->n_q; c++) {
            double q = formula(self, c, self->rate[c]);
            change = fmax(change, fabs(q - self->y[c]));
            self->y[c] = q;
        }
    }
    ki_normalize(d, self->y);
}

/* v and q from next.a. */
static void place(ki_bdf_fixed *self) {
    const ki_dynamics *d = self->base.flow.dynamics;
    const keel_system *sys = d->system;
    double *v = ki_v(d, self->y);
    for (int i = 0; i < sys->n_v; i++) {
        v[i] = formula(self, sys->n_q + i, self->next.a[i]);
        self->index3.move[i] = self->h * v[i];
    }
    if (sys->kinematics) {
        place_rotations(self);
        return;
    }
    for (int i = 0; i < sys->n_v; i++)
        self->y[i] = formula(self, i, v[i]);
}

static keel_status residual(void *user, double t) {
    ki_bdf_fixed *self = user;
    ki_dynamics *d = self->base.flow.dynamics;
    const keel_system *sys = d->system;
    keel_status status = ki_index3_residual(&self->index3, t, self->next.a, false, 0);
    for (int i = 0; !status && i < sys->n_z; i++) {
        int c = sys->n_q + sys->n_v + i;
        self->index3.r_z[i] = self->y[c] - formula(self, c, d->at.f[i]);
    }
    return status;
}

static keel_status linearize(void *user, double t) {
    ki_bdf_fixed *self = user;
    ki_dynamics *d = self->base.flow.dynamics;
    double c = self->h / self->alpha[0];
    keel_status status = d->redundant ? ki_factor_at(d, t, self->y) : KEEL_OK;
    self->base.jacobians++;
    if (!status)
        status = ki_index3_linearize(self->index3.matrix, t, self->y, self->next.a, self->next.lambda);
    if (status)
        return status;
    for (int i = 0; i < d->system->n_v; i++)
        self->index3.move[i] = c * ki_v(d, self->y)[i];
    ki_index3_turn(self->index3.matrix, self->y, self->index3.move, 1);
    ki_index3_couple_states(self->index3.matrix, c);
    status = ki_index3_factor(self->index3.matrix, c * c, c, c * c, c);
    return status ? ki_trouble_at(d, status, KI_TROUBLE_NEWTON, t, -1, INFINITY) : KEEL_OK;
}

static keel_status correct(void *user, double t) {
    ki_bdf_fixed *self = user;
    double c = self->h / self->alpha[0];
    (void)t;
    for (int i = 0; i < self->base.flow.dynamics->system->n_v; i++)
        self->next.a[i] += self->index3.dq[i] / (c * c);
    place(self);
    return KEEL_OK;
}

/* The work, its rate being that of the new point. */
static keel_status finish(ki_bdf_fixed *self, double t) {
    ki_dynamics *d = self->base.flow.dynamics;
    if (!d->system->has_energy)
        return KEEL_OK;
    keel_status status = ki_evaluate_terms(d, KEEL_POWER | KEEL_VELOCITY, t, self->y);
    *ki_work(d, self->y) = formula(self, d->n_y - 1, ki_work_rate(d, ki_v(d, self->y)));
    return status;
}

keel_status ki_bdf_index3_solve(ki_bdf_fixed *self, double t) {
    const ki_dynamics *d = self->base.flow.dynamics;
    double ahead = self->n > 0 ? 1 : 0; /* accelerations and multipliers go on as in the last step */
    for (int i = 0; i < d->system->n_v; i++)
        self->next.a[i] = self->now.a[i] + ahead * (self->now.a[i] - self->before.a[i]);
    for (int i = 0; i < d->m; i++)
        self->next.lambda[i] = self->now.lambda[i] + ahead * (self->now.lambda[i] - self->before.lambda[i]);
    self->index3.lambda = self->next.lambda;
    place(self);
    keel_status status = ki_index3_iterate(&self->index3, t);
    if (status != KEEL_ERROR_SINGULAR && self->base.options->newton_report == KEEL_YES)
        self->base.newton.condition = ki_index3_condition(self->index3.matrix);
    return status ? status : finish(self, t);
}

keel_status ki_bdf_index3_take(ki_bdf_fixed *self, double t) {
    ki_dynamics *d = self->base.flow.dynamics;
    keel_status status = ki_rate(d, t, self->y, self->rate);
    if (!status && d->redundant)
        status = keel_saddle_least_norm(d->K, d->lambda) < 0 ? KEEL_ERROR_SINGULAR : KEEL_OK;
    if (status)
        return status;
    copy(self->next.a, ki_v(d, self->rate), d->system->n_v);
    copy(self->next.lambda, d->lambda, d->m);
    return KEEL_OK;
}

void ki_bdf_index3_advance(ki_bdf_fixed *self) {
    ki_bdf_forces oldest = self->before;
    self->before = self->now;
    self->now = self->next;
    self->next = oldest;
}

keel_status ki_bdf_index3_init(ki_bdf_fixed *self) {
    ki_integrator *base = &self->base;
    ki_dynamics *d = base->flow.dynamics;
    ki_bdf_forces *forces[] = {&self->before, &self->now, &self->next};
    for (int i = 0; i < 3; i++)
        *forces[i] =
            (ki_bdf_forces){KI_NEW(&base->arena, double, d->system->n_v), KI_NEW(&base->arena, double, d->m)};
    base->has_newton = true;
    base->newton.condition = NAN;
    ki_index3_newton *newton = &self->index3;
    if (!ki_index3_newton_init(newton, base, self))
        return KEEL_ERROR_MEMORY;
    newton->matrix = ki_index3_new(d, false, (keel_scaling)base->options->scaling,
                                   base->options->reference_mass == KEEL_YES);
    newton->residual = residual;
    newton->linearize = linearize;
    newton->correct = correct;
    newton->y = self->y;
    newton->fresh = true;
    return newton->matrix ? KEEL_OK : KEEL_ERROR_MEMORY;
}

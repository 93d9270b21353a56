#include <float.h>
#include <string.h>

#include "integrate/radau.h"

enum { MOST_RENEWALS = 3 };

/* Exact derivatives cost less than an iteration: where they contract errors by less than this they are taken
 * anew. (Governor, radau9 at 1e-4: 0.81 ms; 0.95 if taken anew above 0.1.) */
static const double SLOW = 0.35;

/* Derivatives of every stage are evaluated twice, and their matrix costs as much again. */
static const double SLOW_BY_STAGES = 0.5;

/* Corrections that shrink by less than this do so by a nearly constant factor, of which a secant makes use.
 * Where they shrink faster it takes 10 to 20 % more evaluations than none (Andrews' mechanism, pendulum,
 * radau9 at 1e-2). */
static const double LINEAR = 0.2;

typedef const double (*matrix)[KI_RADAU_STAGES];

void ki_radau_weights(const ki_radau_table *table, double x, double weight[KI_RADAU_STAGES]) {
    const double *c = table->c;
    for (int j = 0; j < table->stages; j++) {
        weight[j] = x * table->basis[j];
        for (int k = 0; k < table->stages; k++)
            if (k != j)
                weight[j] *= x - c[k];
    }
}

void ki_radau_slope_weights(const ki_radau_table *table, double x, double weight[KI_RADAU_STAGES]) {
    const double *c = table->c;
    for (int j = 0; j < table->stages; j++) {
        double value = x, slope = 1; /* of x prod_k (x - c_k) without k = j */
        for (int k = 0; k < table->stages; k++)
            if (k != j) {
                slope = slope * (x - c[k]) + value;
                value *= x - c[k];
            }
        weight[j] = slope * table->basis[j];
    }
}

static void combine_three(int n, const double *weight, double *const *x, double *restrict out) {
    const double *restrict x_0 = x[0], *restrict x_1 = x[1], *restrict x_2 = x[2];
    double w_0 = weight[0], w_1 = weight[1], w_2 = weight[2];
    for (int i = 0; i < n; i++)
        out[i] = w_0 * x_0[i] + w_1 * x_1[i] + w_2 * x_2[i];
}

static void combine_five(int n, const double *weight, double *const *x, double *restrict out) {
    const double *restrict x_0 = x[0], *restrict x_1 = x[1], *restrict x_2 = x[2], *restrict x_3 = x[3],
                           *restrict x_4 = x[4];
    double w_0 = weight[0], w_1 = weight[1], w_2 = weight[2], w_3 = weight[3], w_4 = weight[4];
    for (int i = 0; i < n; i++)
        out[i] = (w_0 * x_0[i] + w_1 * x_1[i]) + (w_2 * x_2[i] + w_3 * x_3[i]) + w_4 * x_4[i];
}

void ki_radau_combine(const ki_radau *self, const double *weight, double *const *x, double *out) {
    if (self->table->stages == 3)
        combine_three(self->base.n, weight, x, out);
    else
        combine_five(self->base.n, weight, x, out);
}

/* The polynomial of the last step, continued: Z_i = P(1 + c_i h/h_taken) - P(1). */
static void predict(ki_radau *self, double h) {
    const ki_radau_table *T = self->table;
    double weights[KI_RADAU_STAGES][KI_RADAU_STAGES];
    if (self->guessed == h && h > 0) {
        for (int s = 0; s < T->stages; s++)
            memcpy(self->Z[s], self->P[s], (size_t)self->base.n * sizeof(double));
        ki_radau_transform(self, T->T_inverse, self->Z, self->W);
        return;
    }
    if (!(self->h_taken > 0)) {
        for (int s = 0; s < T->stages; s++) {
            memset(self->Z[s], 0, (size_t)self->base.n * sizeof(double));
            memset(self->W[s], 0, (size_t)self->base.n * sizeof(double));
        }
        return;
    }
    for (int s = 0; s < T->stages; s++) {
        ki_radau_weights(T, 1 + T->c[s] * h / self->h_taken, weights[s]);
        weights[s][T->stages - 1] -= 1;
    }
    ki_radau_transform(self, (matrix)weights, self->P, self->Z);
    if (!self->by_stages)
        ki_radau_transform(self, T->T_inverse, self->Z, self->W);
}

static void set_stage(ki_radau *self, int s) {
    const ki_integrator *base = &self->base;
    const double *restrict Z = self->Z[s], *restrict y = base->y;
    double *restrict Y = self->y_try;
    for (int i = 0; i < base->n; i++)
        Y[i] = y[i] + Z[i];
}

/* F_s <- the rate of stage s; `fully`: the workspace is left there. */
static keel_status evaluate_stage(ki_radau *self, ki_stages *stages, double h, int s, bool fully) {
    ki_dynamics *d = self->base.flow.dynamics;
    double t = self->base.t + self->table->c[s] * h;
    set_stage(self, s);
    return fully ? ki_rate(d, t, self->y_try, self->F[s]) : ki_stage_rate(d, stages, t, self->F[s]);
}

/* Whether the matrices of newton.h are in use: with derivatives of every stage only as the metric of
 * projections. */
static bool uses_newton(const ki_radau *self) {
    return !self->by_stages || self->base.flow.dynamics->m > 0;
}

/* Derivatives at the middle or the last stage, which was evaluated last; those at the middle are also that
 * f_y which the error estimate is filtered with. */
static keel_status linearize(ki_radau *self, double h, int s) {
    double t = self->base.t + self->table->c[s] * h;
    bool middle = s == self->table->middle;
    keel_status status = middle && uses_newton(self)
                             ? ki_newton_linearize(&self->newton, t, self->y_try, self->F[s])
                             : ki_newton_differentiate(&self->newton, t, self->y_try, self->F[s]);
    if (status)
        return status;
    self->base.jacobians++;
    if (self->by_stages)
        ki_coupled_take(&self->coupled, middle ? KI_NODE_MIDDLE : KI_NODE_END);
    return KEEL_OK;
}

/* F <- the rates of the stages, the middle one last, for derivatives there; those at the last stage come
 * first, if they are wanted. With constraints they need the multipliers, and the projection of the error J:
 * then the workspace is left at these two stages. */
static keel_status evaluate(ki_radau *self, ki_stages *stages, double h) {
    const ki_radau_table *T = self->table;
    int last = T->stages - 1;
    bool constrained = self->base.flow.dynamics->m > 0, at_end = self->by_stages && !self->linearized;
    keel_status status = at_end ? evaluate_stage(self, stages, h, last, constrained) : KEEL_OK;
    if (!status && at_end)
        status = linearize(self, h, last);
    for (int s = 0; s < T->stages - at_end && !status; s++)
        if (s != T->middle)
            status = evaluate_stage(self, stages, h, s, false);
    return status ? status : evaluate_stage(self, stages, h, T->middle, constrained);
}

void ki_radau_pair_step(const ki_radau_table *table, int p, double h, double *re, double *im) {
    const double *pair = table->pair[p];
    double square = pair[0] * pair[0] + pair[1] * pair[1];
    *re = h * pair[0] / square;
    *im = -h * pair[1] / square;
}

/* The factors for h */
static keel_status factor(ki_radau *self, double h) {
    const ki_radau_table *T = self->table;
    keel_status status = uses_newton(self) ? ki_newton_factor(&self->newton, h / T->real) : KEEL_OK;
    if (self->by_stages)
        return status ? status : ki_coupled_factor(&self->coupled, h);
    for (int p = 0; p < T->stages / 2 && !status; p++) {
        double re, im;
        ki_radau_pair_step(T, p, h, &re, &im);
        status = ki_newton_factor_complex(&self->newton, p, re, im);
    }
    return status;
}

/* Derivatives at the stage that was evaluated last, unless old ones serve, and the factors for h. */
static keel_status prepare(ki_radau *self, double h) {
    keel_status status = KEEL_OK;
    if (!self->linearized) {
        status = linearize(self, h, self->table->middle);
        if (status)
            return status;
        self->linearized = self->current = true;
        self->h_factored = 0;
    }
    if (h == self->h_factored)
        return KEEL_OK;
    self->h_factored = 0;
    status = factor(self, h);
    if (status)
        return status;
    self->h_factored = h;
    ki_newton_offer_metric(&self->newton);
    return KEEL_OK;
}

keel_status ki_radau_filter(ki_radau *self, double h, double *e) {
    if (!uses_newton(self))
        return ki_coupled_filter(&self->coupled, h / self->table->real, e);
    ki_newton_solve(&self->newton, e);
    return KEEL_OK;
}

/* F <- the corrections of W, or of Z */
static void solve(ki_radau *self) {
    if (self->by_stages) {
        ki_coupled_solve(&self->coupled, self->F);
        return;
    }
    ki_newton_solve(&self->newton, self->F[0]);
    for (int p = 0; p < self->table->stages / 2; p++)
        ki_newton_solve_complex(&self->newton, p, self->F[1 + 2 * p], self->F[2 + 2 * p]);
}

/* x^n; pow takes a hundred instructions */
static double power(double x, int n) {
    double product = 1;
    for (int i = 0; i < n; i++)
        product *= x;
    return product;
}

/* Whether Newton's method will get below `kappa` in the iterations that are left, from the sizes of its last
 * two corrections; updates the contraction. *excess is by what the last correction would be too large. */
static bool converges(ki_radau *self, int k, double size, double previous, double *excess) {
    double theta = size / previous;
    self->contraction = self->contraction > 0 ? sqrt(theta * self->contraction) : theta;
    *excess = INFINITY;
    if (!(self->contraction < 0.99))
        return false;
    self->reach = self->contraction / (1 - self->contraction);
    double left = power(self->contraction, self->table->most_iterations - 1 - k);
    *excess = self->reach * size * left / self->kappa;
    return *excess < 1;
}

/* The step to try when it will not. */
static double shorter_step(const ki_radau *self, double h, double excess, int k) {
    if (!isfinite(excess))
        return 0.5 * h;
    double q = fmax(1e-4, fmin(20, excess));
    return h * 0.8 * pow(q, -1.0 / (self->table->stages + self->table->most_iterations - k));
}

/* What will be left after the first correction, over the correction: as in the last step and somewhat more,
 * and still more if this one is longer. It says little where contraction depends on the predicted stages. */
static double first_reach(const ki_radau *self, double h) {
    double growth = self->h_taken > 0 ? fmax(1, h / self->h_taken) : 1;
    if (self->by_stages)
        return 1;
    return fmin(1, sqrt(growth) * pow(fmax(self->reach, DBL_EPSILON), 0.8));
}

/* The work has the rates of the stages before the last correction: matrices do not know that it follows them.
 * Where that was a large one, in a system nearly linear, it is off by as much. */
static bool knows_work(const ki_radau *self, double size) {
    static const double WORST =
        1000; /* of the tolerance: the verdict allows ten in each of a hundred steps */
    int stages = self->table->stages, last = self->base.n - 1;
    double work = 0;
    for (int s = 0; s < stages; s++)
        work += fabs(self->Z[s][last]);
    return size * self->relax <= WORST || work == 0;
}

keel_status ki_radau_solve(ki_radau *self, double h, double *h_next) {
    double size = 0, previous = 0, excess = INFINITY, slow = self->by_stages ? SLOW_BY_STAGES : SLOW;
    int k;
    bool secant = false;
    ki_stages stages = ki_begin_stages(self->base.flow.dynamics, self->y_try);
    self->reach = first_reach(self, h);
    self->contraction = 0;
    self->renewals = 0;
    predict(self, h);
    for (k = 1; k <= self->table->most_iterations; k++) {
        keel_status status = evaluate(self, &stages, h);
        if (!status && (k == 1 || !self->linearized))
            status = prepare(self, h);
        if (status) {
            *h_next = 0.25 * h;
            return status;
        }
        ki_radau_residual(self, h);
        solve(self);
        size = ki_radau_size(self);
        ki_radau_correct(self, secant && size > LINEAR * previous);
        secant = true;
        self->iterations = k;
        bool well = k == 1 || size == 0 || converges(self, k, size, previous, &excess);
        if (well && self->reach * size <= self->kappa && knows_work(self, size))
            return KEEL_OK;
        if (!isfinite(size) ||
            (!well && (!self->newton.exact || self->renewals == MOST_RENEWALS || size > 2 * previous)))
            break;
        if (self->newton.exact && (!well || self->contraction > slow)) {
            self->linearized = secant = false;
            self->contraction = 0;
            self->renewals++;
        }
        previous = size;
    }
    *h_next = shorter_step(self, h, excess, k);
    return ki_trouble_at(self->base.flow.dynamics, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_NEWTON,
                         self->base.t + h, -1, size);
}

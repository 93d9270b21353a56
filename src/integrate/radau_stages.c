#include <float.h>
#include <string.h>

#include "integrate/radau.h"

enum { MOST_RENEWALS = 3 };

/* Exact derivatives cost less than an iteration: where they contract errors by less they are taken anew. */
static const double SLOW = 0.1;

typedef const double (*matrix)[KI_RADAU_STAGES];

void ki_radau_weights(const ki_radau_table *table, double x, double weight[KI_RADAU_STAGES]) {
    const double *c = table->c;
    for (int j = 0; j < table->stages; j++) {
        weight[j] = x / c[j];
        for (int k = 0; k < table->stages; k++)
            if (k != j)
                weight[j] *= (x - c[k]) / (c[j] - c[k]);
    }
}

/* out_i = sum_j A_ij x_j, where x may be out. With a constant for `stages` the inner loops are straight
 * lines. */
static inline void transform_stages(int n, int stages, matrix A, double *const *x, double *const *out) {
    for (int i = 0; i < n; i++) {
        double at[KI_RADAU_STAGES];
        for (int j = 0; j < stages; j++)
            at[j] = x[j][i];
        for (int s = 0; s < stages; s++) {
            double sum = A[s][0] * at[0];
            for (int j = 1; j < stages; j++)
                sum += A[s][j] * at[j];
            out[s][i] = sum;
        }
    }
}

static void transform(const ki_radau *self, matrix A, double *const *x, double *const *out) {
    if (self->table->stages == 3)
        transform_stages(self->base.n, 3, A, x, out);
    else
        transform_stages(self->base.n, 5, A, x, out);
}

void ki_radau_combine(const ki_radau *self, const double *weight, double *const *x, double *out) {
    for (int i = 0; i < self->base.n; i++) {
        double sum = weight[0] * x[0][i];
        for (int j = 1; j < self->table->stages; j++)
            sum += weight[j] * x[j][i];
        out[i] = sum;
    }
}

/* The polynomial of the last step, continued: Z_i = P(1 + c_i h/h_taken) - P(1). */
static void predict(ki_radau *self, double h) {
    const ki_radau_table *T = self->table;
    double weights[KI_RADAU_STAGES][KI_RADAU_STAGES];
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
    transform(self, (matrix)weights, self->P, self->Z);
    transform(self, T->T_inverse, self->Z, self->W);
}

static keel_status evaluate_stage(ki_radau *self, double h, int s) {
    const ki_integrator *base = &self->base;
    const double *restrict Z = self->Z[s], *restrict y = base->y;
    double *restrict Y = self->y_try;
    for (int i = 0; i < base->n; i++)
        Y[i] = y[i] + Z[i];
    return ki_rate(base->flow.dynamics, base->t + self->table->c[s] * h, Y, self->F[s]);
}

/* F <- the rates of the stages; the middle one last, so that the workspace is left there. */
static keel_status evaluate(ki_radau *self, double h) {
    keel_status status = KEEL_OK;
    for (int s = 0; s < self->table->stages && !status; s++)
        if (s != self->table->middle)
            status = evaluate_stage(self, h, s);
    return status ? status : evaluate_stage(self, h, self->table->middle);
}

/* h / (a + ib) of a pair */
static void pair_step(const ki_radau *self, int p, double h, double *re, double *im) {
    const double *pair = self->table->pair[p];
    double square = pair[0] * pair[0] + pair[1] * pair[1];
    *re = h * pair[0] / square;
    *im = -h * pair[1] / square;
}

/* Derivatives at the stage that was evaluated last, unless old ones serve, and the factors for h. */
static keel_status prepare(ki_radau *self, double h) {
    const ki_radau_table *T = self->table;
    keel_status status = KEEL_OK;
    if (!self->linearized) {
        double t = self->base.t + T->c[T->middle] * h;
        status = ki_newton_linearize(&self->newton, t, self->y_try, self->F[T->middle]);
        if (status)
            return status;
        self->base.jacobians++;
        self->linearized = self->current = true;
        self->h_factored = 0;
    }
    if (h == self->h_factored)
        return KEEL_OK;
    self->h_factored = 0;
    status = ki_newton_factor(&self->newton, h / T->real);
    for (int p = 0; p < T->stages / 2 && !status; p++) {
        double re, im;
        pair_step(self, p, h, &re, &im);
        status = ki_newton_factor_complex(&self->newton, p, re, im);
    }
    if (status)
        return status;
    self->h_factored = h;
    ki_newton_offer_metric(&self->newton);
    return KEEL_OK;
}

/* F <- the right-hand sides at the top of radau.h */
static void combine(ki_radau *self, double h) {
    const ki_radau_table *T = self->table;
    int n = self->base.n;
    double g = h / T->real, *restrict F_0 = self->F[0];
    const double *restrict W_0 = self->W[0];
    transform(self, T->T_inverse, self->F, self->F);
    for (int i = 0; i < n; i++)
        F_0[i] = g * F_0[i] - W_0[i];
    for (int p = 0; p < T->stages / 2; p++) {
        double a, b, *restrict F_re = self->F[1 + 2 * p], *restrict F_im = self->F[2 + 2 * p];
        const double *restrict W_re = self->W[1 + 2 * p], *restrict W_im = self->W[2 + 2 * p];
        pair_step(self, p, h, &a, &b);
        for (int i = 0; i < n; i++) {
            double x = F_re[i], y = F_im[i];
            F_re[i] = a * x - b * y - W_re[i];
            F_im[i] = a * y + b * x - W_im[i];
        }
    }
}

/* F <- the corrections of W */
static void solve(ki_radau *self) {
    ki_newton_solve(&self->newton, self->F[0]);
    for (int p = 0; p < self->table->stages / 2; p++)
        ki_newton_solve_complex(&self->newton, p, self->F[1 + 2 * p], self->F[2 + 2 * p]);
}

/* W and Z with the corrections in F; returns the largest, relative to what an estimate may be. */
static double correct(ki_radau *self) {
    double most = 0;
    for (int s = 0; s < self->table->stages; s++) {
        const double *restrict dW = self->F[s], *restrict inverse = self->inverse;
        double *restrict W = self->W[s];
        for (int i = 0; i < self->base.n; i++) {
            double size = fabs(dW[i]) * inverse[i];
            W[i] += dW[i];
            most = size <= most ? most : size; /* a NaN wins */
        }
    }
    transform(self, self->table->T, self->W, self->Z);
    return most;
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
    double left = pow(self->contraction, self->table->most_iterations - 1 - k);
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

keel_status ki_radau_solve(ki_radau *self, double h, double *h_next) {
    double size = 0, previous = 0, excess = INFINITY;
    int renewals = 0, k;
    self->reach = pow(fmax(self->reach, DBL_EPSILON), 0.8); /* of the last step, until there is a new one */
    self->contraction = 0;
    predict(self, h);
    for (k = 1; k <= self->table->most_iterations; k++) {
        keel_status status = evaluate(self, h);
        if (!status && (k == 1 || !self->linearized))
            status = prepare(self, h);
        if (status) {
            *h_next = 0.25 * h;
            return status;
        }
        combine(self, h);
        solve(self);
        size = correct(self);
        self->iterations = k;
        bool well = k == 1 || size == 0 || converges(self, k, size, previous, &excess);
        if (well && self->reach * size <= self->kappa)
            return KEEL_OK;
        if (!isfinite(size) ||
            (!well && (!self->newton.exact || renewals == MOST_RENEWALS || size > 2 * previous)))
            break;
        if (self->newton.exact && (!well || self->contraction > SLOW)) {
            self->linearized = false;
            self->contraction = 0;
            renewals++;
        }
        previous = size;
    }
    *h_next = shorter_step(self, h, excess, k);
    return ki_trouble_at(self->base.flow.dynamics, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_NEWTON,
                         self->base.t + h, -1, size);
}

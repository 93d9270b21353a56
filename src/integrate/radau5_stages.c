#include "integrate/radau5.h"

#include <float.h>
#include <string.h>

const double KI_RADAU_C[] = {0.15505102572168219018, 0.64494897427831780982, 1};

/* Eigenvalues of A^-1: g and a + ib. */
const double KI_RADAU_REAL = 3.6378342527444957322;
static const double PAIR_RE = 2.6810828736277521339, PAIR_IM = 3.0504301992474105694;

typedef struct matrix {
    double entry[3][3];
} matrix;

/* Columns of T: the real eigenvector, then x and -y of the eigenvector x + iy of a + ib, all with one in the
 * last row, so that y_new = y + W_1 + W_2. */
static const matrix T = {{{0.094438762488975241487, -0.14125529502095420843, -0.030029194105147424492},
                          {0.25021312296533331138, 0.204129352293799932, 0.3829421127572619378},
                          {1, 1, 0}}};
static const matrix T_INVERSE = {{{4.1787185915519047273, 0.32768282076106238708, 0.52337644549944954804},
                                  {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
                                  {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}}};

enum { MOST_ITERATIONS = 7 };

keel_status ki_radau_prepare(ki_radau *self, double h) {
    ki_newton *newton = &self->newton;
    const ki_integrator *base = &self->base;
    keel_status status = KEEL_OK;
    if (!self->linearized) {
        status = ki_newton_linearize(newton, base->t, base->y, self->rate);
        if (status)
            return status;
        self->base.jacobians++;
        self->linearized = self->current = true;
        self->h_factored = 0;
    }
    if (h == self->h_factored)
        return KEEL_OK;
    double square = PAIR_RE * PAIR_RE + PAIR_IM * PAIR_IM;
    self->h_factored = 0;
    status = ki_newton_factor(newton, h / KI_RADAU_REAL);
    if (!status)
        status = ki_newton_factor_complex(newton, h * PAIR_RE / square, -h * PAIR_IM / square);
    if (status)
        return status;
    self->h_factored = h;
    ki_newton_offer_metric(newton);
    return KEEL_OK;
}

void ki_radau_weights(double s, double weight[KI_RADAU_STAGES]) {
    for (int j = 0; j < KI_RADAU_STAGES; j++) {
        weight[j] = s / KI_RADAU_C[j];
        for (int k = 0; k < KI_RADAU_STAGES; k++)
            if (k != j)
                weight[j] *= (s - KI_RADAU_C[k]) / (KI_RADAU_C[j] - KI_RADAU_C[k]);
    }
}

/* out_i = sum_j A_ij x_j */
static void transform(int n, const matrix *A, double *const x[3], double *const out[3]) {
    const double *restrict x_0 = x[0], *restrict x_1 = x[1], *restrict x_2 = x[2];
    double *restrict out_0 = out[0], *restrict out_1 = out[1], *restrict out_2 = out[2];
    for (int i = 0; i < n; i++) {
        double a = x_0[i], b = x_1[i], c = x_2[i];
        out_0[i] = A->entry[0][0] * a + A->entry[0][1] * b + A->entry[0][2] * c;
        out_1[i] = A->entry[1][0] * a + A->entry[1][1] * b + A->entry[1][2] * c;
        out_2[i] = A->entry[2][0] * a + A->entry[2][1] * b + A->entry[2][2] * c;
    }
}

/* The polynomial of the last step, continued: Z_i = P(1 + c_i h/h_taken) - P(1). */
static void predict(ki_radau *self, double h) {
    int n = self->base.n;
    if (!(self->h_taken > 0)) {
        for (int i = 0; i < KI_RADAU_STAGES; i++) {
            memset(self->Z[i], 0, (size_t)n * sizeof(double));
            memset(self->W[i], 0, (size_t)n * sizeof(double));
        }
        return;
    }
    matrix weights;
    for (int i = 0; i < KI_RADAU_STAGES; i++) {
        ki_radau_weights(1 + KI_RADAU_C[i] * h / self->h_taken, weights.entry[i]);
        weights.entry[i][KI_RADAU_STAGES - 1] -= 1;
    }
    transform(n, &weights, self->P, self->Z);
    transform(n, &T_INVERSE, self->Z, self->W);
}

/* F <- the right-hand sides at the top of radau5.h */
static keel_status evaluate(ki_radau *self, double h) {
    ki_integrator *base = &self->base;
    int n = base->n;
    for (int s = 0; s < KI_RADAU_STAGES; s++) {
        const double *restrict Z = self->Z[s], *restrict y = base->y;
        for (int i = 0; i < n; i++)
            self->y_try[i] = y[i] + Z[i];
        keel_status status =
            ki_rate(base->flow.dynamics, base->t + KI_RADAU_C[s] * h, self->y_try, self->F[s]);
        if (status)
            return status;
    }
    double g = h / KI_RADAU_REAL, square = PAIR_RE * PAIR_RE + PAIR_IM * PAIR_IM;
    double a = h * PAIR_RE / square, b = -h * PAIR_IM / square;
    double *restrict F_0 = self->F[0], *restrict F_1 = self->F[1], *restrict F_2 = self->F[2];
    const double *restrict W_0 = self->W[0], *restrict W_1 = self->W[1], *restrict W_2 = self->W[2];
    for (int i = 0; i < n; i++) {
        double f_0 = F_0[i], f_1 = F_1[i], f_2 = F_2[i];
        double x = T_INVERSE.entry[1][0] * f_0 + T_INVERSE.entry[1][1] * f_1 + T_INVERSE.entry[1][2] * f_2;
        double y = T_INVERSE.entry[2][0] * f_0 + T_INVERSE.entry[2][1] * f_1 + T_INVERSE.entry[2][2] * f_2;
        F_0[i] =
            g * (T_INVERSE.entry[0][0] * f_0 + T_INVERSE.entry[0][1] * f_1 + T_INVERSE.entry[0][2] * f_2) -
            W_0[i];
        F_1[i] = a * x - b * y - W_1[i];
        F_2[i] = a * y + b * x - W_2[i];
    }
    return KEEL_OK;
}

/* W and Z with the corrections in F; returns the largest, relative to what an estimate may be. */
static double correct(ki_radau *self) {
    int n = self->base.n;
    double most = 0;
    for (int s = 0; s < KI_RADAU_STAGES; s++) {
        const double *restrict dW = self->F[s], *restrict inverse = self->inverse;
        double *restrict W = self->W[s];
        for (int i = 0; i < n; i++) {
            double size = fabs(dW[i]) * inverse[i];
            W[i] += dW[i];
            most = size <= most ? most : size; /* a NaN wins */
        }
    }
    transform(n, &T, self->W, self->Z);
    return most;
}

/* The step to try when Newton's method would not get there in the iterations that are left: `excess` is by
 * what the last correction would be too large. */
static double shorter_step(double h, double excess, int iteration) {
    double q = fmax(1e-4, fmin(20, excess));
    return h * 0.8 * pow(q, -1.0 / (4 + MOST_ITERATIONS - 1 - iteration));
}

keel_status ki_radau_solve(ki_radau *self, double h, double *h_next) {
    ki_dynamics *d = self->base.flow.dynamics;
    double size = 0, previous = 0;
    double reach =
        pow(fmax(self->reach, DBL_EPSILON), 0.8); /* that of the last step, until there is a new one */
    *h_next = 0.5 * h;
    predict(self, h);
    self->contraction = 0;
    for (int k = 1; k <= MOST_ITERATIONS; k++) {
        keel_status status = evaluate(self, h);
        if (status)
            return status;
        ki_newton_solve(&self->newton, self->F[0]);
        ki_newton_solve_complex(&self->newton, self->F[1], self->F[2]);
        size = correct(self);
        self->iterations = k;
        if (k > 1 && size > 0) {
            double theta = size / previous;
            self->contraction = k == 2 ? theta : sqrt(theta * self->contraction);
            if (!(self->contraction < 0.99))
                break;
            reach = self->contraction / (1 - self->contraction);
            double excess = reach * size * pow(self->contraction, MOST_ITERATIONS - 1 - k) / self->kappa;
            if (k < MOST_ITERATIONS && excess >= 1) {
                *h_next = shorter_step(h, excess, k);
                break;
            }
        }
        previous = fmax(size, DBL_MIN);
        if (reach * size <= self->kappa) {
            self->reach = reach;
            return KEEL_OK;
        }
        if (!isfinite(size))
            break;
    }
    return ki_trouble_at(d, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_NEWTON, self->base.t + h, -1, size);
}

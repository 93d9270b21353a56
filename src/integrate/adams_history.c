#include "integrate/adams_history.h"

#include <string.h>

void ki_adams_history_init(ki_adams_history *self, ki_arena *arena, int n) {
    *self = (ki_adams_history){.n = n};
    for (int j = 0; j < KI_ADAMS_TERMS; j++) {
        self->Phi[j] = KI_NEW(arena, double, n);
        self->ahead[j] = KI_NEW(arena, double, n);
    }
}

void ki_adams_history_begin(ki_adams_history *self, double t, const double *rate) {
    self->known = 1;
    self->t[0] = t;
    memcpy(self->Phi[0], rate, (size_t)self->n * sizeof(double));
}

void ki_adams_history_forget(ki_adams_history *self) {
    self->known = 1;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

/* g[0 .. count-1]: integrals of the basis of Newton's form over a step of h from t[0],
 *
 *     g_j = 1/h int_0^h prod_{i<j} (x + t_0 - t_i) / d_i dx
 *
 * through the q-fold integrals c_{j,q}, scaled by (q-1)!/h^q, for which integration by parts gives
 *
 *     c_{0,q} = 1/q,   c_{j+1,q} = ((h + t_0 - t_j) c_{j,q} - h c_{j,q+1}) / d_j,   g_j = c_{j,1}
 */
static void integrate_basis(int count, double h, const double *t, const double *d, double *g) {
    double c[KI_ADAMS_TERMS];
    for (int q = 0; q < count; q++)
        c[q] = 1 / (q + 1.0);
    for (int j = 0; j < count; j++) {
        g[j] = c[0];
        for (int q = 0; q + 1 < count - j; q++)
            c[q] = ((h + (t[0] - t[j])) * c[q] - h * c[q + 1]) / d[j];
    }
}

void ki_adams_history_aim(ki_adams_history *self, double t_new) {
    double d[KI_ADAMS_TERMS] = {0}, beta = 1;
    const double *t = self->t;
    for (int j = 0; j < self->known; j++)
        d[j] = t_new - t[j];
    self->h = d[0];
    integrate_basis(smaller(self->known + 1, KI_ADAMS_TERMS), self->h, t, d, self->g);
    for (int j = 0; j < self->known; j++) {
        const double *restrict Phi = self->Phi[j];
        double *restrict ahead = self->ahead[j];
        for (int i = 0; i < self->n; i++)
            ahead[i] = beta * Phi[i];
        if (j + 1 < self->known)
            beta *= d[j] / (t[0] - t[j + 1]);
    }
}

/* out += weight * x */
static inline void add(int n, double weight, const double *restrict x, double *restrict out) {
    for (int i = 0; i < n; i++)
        out[i] += weight * x[i];
}

void ki_adams_history_predict(const ki_adams_history *self, int order, const double *y, double *p) {
    memset(p, 0, (size_t)self->n * sizeof(double));
    for (int j = order - 1; j >= 0; j--) /* the small terms first */
        add(self->n, self->g[j], self->ahead[j], p);
    for (int i = 0; i < self->n; i++)
        p[i] = y[i] + self->h * p[i];
}

void ki_adams_history_difference(const ki_adams_history *self, int j, const double *rate,
                                 double *difference) {
    memcpy(difference, rate, (size_t)self->n * sizeof(double));
    for (int s = 0; s < j; s++)
        add(self->n, -1, self->ahead[s], difference);
}

void ki_adams_history_push(ki_adams_history *self, double t_new, const double *rate) {
    self->known = smaller(self->known + 1, KI_ADAMS_TERMS);
    memmove(self->t + 1, self->t, (size_t)(self->known - 1) * sizeof(double));
    self->t[0] = t_new;
    memcpy(self->Phi[0], rate, (size_t)self->n * sizeof(double));
    for (int j = 0; j + 1 < self->known; j++) {
        const double *restrict Phi = self->Phi[j], *restrict ahead = self->ahead[j];
        double *restrict next = self->Phi[j + 1];
        for (int i = 0; i < self->n; i++)
            next[i] = Phi[i] - ahead[i];
    }
}

void ki_adams_history_integrate(const ki_adams_history *self, int count, double t, double *out) {
    double d[KI_ADAMS_TERMS] = {0}, g[KI_ADAMS_TERMS], h = t - self->t[0];
    for (int j = 0; j + 1 < count; j++)
        d[j] = self->t[0] - self->t[j + 1];
    integrate_basis(count, h, self->t, d, g);
    memset(out, 0, (size_t)self->n * sizeof(double));
    for (int j = count - 1; j >= 0; j--)
        add(self->n, h * g[j], self->Phi[j], out);
}

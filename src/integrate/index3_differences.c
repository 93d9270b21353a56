/* The derivatives R and rate_q of a system that gives none, by differences along displacements q (+) e
 * unit_j, velocities and states. Auxiliary unknowns follow the point; a and lambda are held. No system gives
 * those of f by multipliers.
 */
#include <math.h>
#include <string.h>

#include "integrate/index3_parts.h"

static keel_pattern full(ki_arena *arena, int rows, int cols) {
    int *start = KI_NEW(arena, int, rows + 1), *index = KI_NEW(arena, int, (size_t)rows *(size_t)cols);
    for (int i = 0; start && index && i < rows; i++) {
        start[i + 1] = start[i] + cols;
        for (int j = 0; j < cols; j++)
            index[start[i] + j] = j;
    }
    return (keel_pattern){rows, cols, start, index};
}

/* All rows of R but those of constraints. */
static keel_pattern full_tangent(ki_arena *arena, int n_v, int m, int n_z) {
    int rows = n_v + m + n_z, cols = 2 * n_v + n_z;
    int *start = KI_NEW(arena, int, rows + 1);
    int *index = KI_NEW(arena, int, (size_t)(n_v + n_z) * (size_t)cols);
    for (int i = 0; start && index && i < rows; i++) {
        bool used = i < n_v || i >= n_v + m;
        start[i + 1] = start[i] + (used ? cols : 0);
        for (int j = 0; used && j < cols; j++)
            index[start[i] + j] = j;
    }
    return (keel_pattern){rows, cols, start, index};
}

void ki_index3_full_patterns(ki_index3 *self) {
    const keel_system *sys = self->dynamics->system;
    int m = self->dynamics->m;
    self->R = self->exact ? sys->tangent : full_tangent(&self->arena, sys->n_v, m, sys->n_z);
    if (self->needs_rate)
        self->rate_q = self->exact_rate ? sys->rate_q : full(&self->arena, m, sys->n_v);
}

/* out = (M a + J^T lambda - Q, rate, -f) at (t, y) */
static keel_status evaluate(ki_index3 *self, double t, const double *y, double *out) {
    ki_dynamics *d = self->dynamics;
    const keel_system *sys = d->system;
    keel_status status = ki_solve_auxiliaries(d, t, y);
    if (!status)
        status = ki_evaluate_terms(
            d, KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_STATES | (self->needs_rate ? KEEL_VELOCITY : 0u),
            t, y);
    int bad = 0;
    if (!status && !ki_all_finite(d->at.Q, sys->n_v, &bad))
        status = ki_trouble_at(d, KEEL_ERROR_NOT_FINITE, KI_TROUBLE_FORCE, t, bad, d->at.Q[bad]);
    if (status)
        return status;
    memset(out, 0, (size_t)self->size * sizeof *out);
    ki_mass_times(d, d->x, out);
    for (int i = 0; i < d->m; i++)
        for (int k = sys->J.start[i]; k < sys->J.start[i + 1]; k++)
            out[sys->J.index[k]] += d->at.J[k] * d->lambda[i];
    for (int i = 0; i < sys->n_v; i++)
        out[i] -= d->at.Q[i];
    for (int i = 0; self->needs_rate && i < d->m; i++)
        out[sys->n_v + i] = d->at.rate[i];
    for (int i = 0; i < sys->n_z; i++)
        out[sys->n_v + d->m + i] = -d->at.f[i];
    return KEEL_OK;
}

/* self->y = y with component j of (q, v, z) moved by h */
static void displace(ki_index3 *self, const double *y, int j, double h) {
    ki_dynamics *d = self->dynamics;
    int n_v = d->system->n_v;
    memcpy(self->y, y, (size_t)d->n_y * sizeof *y);
    if (j < n_v) {
        memset(self->move, 0, (size_t)n_v * sizeof(double));
        self->move[j] = h;
        ki_move(d, self->y, self->move);
    } else {
        ki_v(d, self->y)[j - n_v] += h; /* z follows v */
    }
}

/* The change in column j, d/d(q, v, z)_j = (residual - base) / h, into its places. */
static void store_column(ki_index3 *self, int j, double h) {
    const keel_system *sys = self->dynamics->system;
    int n_v = sys->n_v, m = self->dynamics->m;
    for (int i = 0; i < self->size; i++) {
        double slope = (self->residual[i] - self->base[i]) / h;
        bool constraint = i >= n_v && i < n_v + m;
        if (!constraint && !self->exact)
            self->R_values[self->R.start[i] + j] = slope;
        if (constraint && j < n_v && self->needs_rate && !self->exact_rate)
            self->rate_values[self->rate_q.start[i - n_v] + j] = slope;
    }
}

/* f_lambda at (t, y), from the f of self->base. */
static keel_status difference_states(ki_index3 *self, double t, const double *y) {
    ki_dynamics *d = self->dynamics;
    int m = d->m, first = d->system->n_v + m;
    double most = 0;
    keel_status status = KEEL_OK;
    for (int j = 0; j < m; j++)
        most = fmax(most, fabs(d->lambda[j]));
    double h = ldexp(1, ilogb(1.5e-8 * (most > 0 ? most : 1)));
    for (int j = 0; j < m && !status; j++) {
        double lambda = d->lambda[j];
        d->lambda[j] += h;
        status = evaluate(self, t, y, self->residual);
        d->lambda[j] = lambda;
        for (int i = 0; i < d->system->n_z; i++)
            self->f_lambda[i * m + j] = (self->base[first + i] - self->residual[first + i]) / h;
    }
    return status;
}

keel_status ki_index3_differences(ki_index3 *self, double t, const double *y) {
    ki_dynamics *d = self->dynamics;
    const keel_system *sys = d->system;
    bool needs_R = !self->exact, needs_rate = self->needs_rate && !self->exact_rate;
    if (!needs_R && !needs_rate && !self->couples)
        return KEEL_OK;
    const double *v = y + sys->n_q, *z = v + sys->n_v, *scale = d->scales->y + sys->n_q;
    double stretch = fmax(1, ki_most_of(sys->n_q, y, d->scales->y));
    d->factored = false;
    keel_status status = evaluate(self, t, y, self->base);
    int columns = needs_R ? 2 * sys->n_v + sys->n_z : needs_rate ? sys->n_v : 0;
    if (!status && self->couples)
        status = difference_states(self, t, y);
    for (int j = 0; j < columns && !status; j++) {
        int i = j - sys->n_v; /* among v and z */
        double size = i < 0 ? stretch * d->scales->move[j]
                            : fmax(scale[i], fabs(i < sys->n_v ? v[i] : z[i - sys->n_v]));
        double h = ldexp(1, ilogb(1.5e-8 * size)); /* a power of two: added exactly */
        displace(self, y, j, h);
        status = evaluate(self, t, self->y, self->residual);
        if (!status)
            store_column(self, j, h);
    }
    return status;
}

#include "integrate/path.h"

#include <math.h>
#include <string.h>

/* The length of a displacement that may be missing in the predicted one; and that may be open half way. A
 * cubic through both ends of a turn by an angle of 2 is open by 0.05 of the displacement, of 2.5 by 0.1. */
static const double REACH = 0.5, OPEN = 0.1;

/* A row open by this part of its size says nothing about branches: ends of steps are no better closed. */
static const double NOTHING = 1e-8;

static double length(ki_dynamics *d, const double *x) {
    double sum = 0;
    ki_mass_times(d, x, d->b_v);
    for (int i = 0; i < d->system->n_v; i++)
        sum += x[i] * d->b_v[i];
    return sum > 0 ? sqrt(sum) : 0;
}

bool ki_within_reach(ki_integrator *self, const double *predicted, const double *found, const double *y,
                     const double *y_end) {
    ki_dynamics *d = self->flow.dynamics;
    const keel_system *sys = d->system;
    bool counts = false;
    for (int i = 0; i < sys->n_v; i++)
        d->x[i] = found[i] - predicted[i];
    for (int i = 0; i < sys->n_v && !counts; i++)
        counts = !(fabs(d->x[i]) <= ki_allowed_displacement(self, y, y_end, i));
    return !counts || length(d, d->x) <= REACH * length(d, predicted);
}

/* J_i M^-1 J_i^T; 0 where a massless direction makes it boundless */
static double ease(const ki_dynamics *rows, const ki_dynamics *d, int row) {
    const keel_system *sys = d->system;
    double sum = 0;
    for (int k = sys->J.start[row]; k < sys->J.start[row + 1]; k++) {
        int j = sys->J.index[k];
        double mass = d->at.M[sys->M.start[j + 1] - 1];
        if (!(mass > 0) && rows->at.J[k] != 0)
            return INFINITY;
        sum += mass > 0 ? rows->at.J[k] * rows->at.J[k] / mass : 0;
    }
    return sum;
}

/* What displacements of the sizes of the system make of it. */
static double size_of_row(const ki_dynamics *rows, const ki_dynamics *d, int row) {
    const keel_system *sys = d->system;
    double sum = 0;
    for (int k = sys->J.start[row]; k < sys->J.start[row + 1]; k++)
        sum += fabs(rows->at.J[k]) * d->scales->move[sys->J.index[k]];
    return sum;
}

keel_status ki_check_path(ki_integrator *self, double t_half, double *y_half, const double *move,
                          double t_end) {
    ki_dynamics *d = self->flow.dynamics, *rows = self->flow_rows.dynamics;
    const keel_system *sys = d->system;
    if (sys->n_h == 0)
        return KEEL_OK;
    memcpy(rows->s, d->s, (size_t)sys->n_s * sizeof *rows->s);
    memcpy(rows->lambda, d->lambda, (size_t)d->m * sizeof *rows->lambda);
    rows->factored = false;
    ki_normalize(rows, y_half);
    keel_status status = ki_solve_auxiliaries(rows, t_half, y_half);
    if (!status)
        status = ki_evaluate_terms(rows, KEEL_POSITION | KEEL_JACOBIAN, t_half, y_half);
    if (status) {
        d->trouble = rows->trouble;
        return status;
    }
    double whole = length(d, move);
    for (int i = 0; i < sys->n_h; i++) {
        double open = fabs(rows->at.Phi[i]);
        if (!(open <= OPEN * whole * sqrt(ease(rows, d, i)) + NOTHING * size_of_row(rows, d, i)))
            return ki_trouble_at(d, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_PATH, t_end, i, open);
    }
    return KEEL_OK;
}

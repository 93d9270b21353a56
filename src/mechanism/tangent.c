#include "mechanism/tangent.h"

#include <string.h>

#include "mechanism/forces/force.h"
#include "mechanism/mech_system.h"

/* R at (q, v) with the accelerations and multipliers of `at`: motion [n_v], then constraints [m]. */
static void residual(const ki_mech *mech, ki_mech_work *w, const keel_point *at, const double *q,
                     const double *v, double *R) {
    const ki_layout *l = mech->layout;
    int n = mech->system.n_v, m = l->n_h + l->n_n;
    ki_place(mech, w, q);
    ki_move_bodies(mech, w, v);
    ki_accelerate(mech, w, at->a);
    ki_constraint_rows(mech, w, at->t, KI_AT_VELOCITY);
    ki_body_wrenches(mech, w, true);
    ki_apply_forces(mech, w, at->t, at->lambda);
    for (int i = 0; i < m; i++)
        R[n + i] = -w->tau_rate[i];
    for (int p = 0; p < l->part_count; p++) {
        const ki_part *part = &l->part[p];
        ki_add_row_force(mech, w, part->body, &w->rows[p], -at->lambda[part->row]);
        R[n + part->row] += ki_row_acceleration(mech, w, part->body, &w->rows[p]) + w->rows[p].gamma;
    }
    ki_gather(mech, w, R);
    for (int i = 0; i < n; i++)
        R[i] = -R[i];
}

static void displaced(const ki_mech *mech, ki_mech_work *w, const keel_point *at, int colour, double sign) {
    const ki_colouring *c = mech->colouring;
    int n = mech->system.n_v;
    memset(w->step, 0, (size_t)n * sizeof *w->step);
    for (int k = c->first[colour]; k < c->first[colour + 1]; k++)
        w->step[c->column[k]] = sign * c->step[c->column[k]];
    memcpy(w->q, at->q, (size_t)mech->system.n_q * sizeof *w->q);
    ki_mech_advance(&mech->system, w->q, w->step);
}

/* Velocities move by a part of their size; of the whole vector's, since some are zero. */
static double velocity_step(const ki_mech *mech, const keel_point *at) {
    double size = 1;
    for (int i = 0; i < mech->system.n_v; i++)
        size = fmax(size, fabs(at->v[i]));
    return 1e-6 * size;
}

/* Entries of the columns of a colour from two residuals 2 h apart; shift: 0 for the q half, 1 for the v half.
 */
static void take_entries(const ki_mech *mech, const ki_mech_work *w, int colour, double h, int shift,
                         double *tangent) {
    const ki_colouring *c = mech->colouring;
    for (int k = c->first[colour]; k < c->first[colour + 1]; k++) {
        int j = c->column[k];
        double twice = 2 * (h > 0 ? h : c->step[j]);
        for (int e = c->entry_first[j]; e < c->entry_first[j + 1]; e++) {
            int row = c->entry_row[e];
            /* the v half of a row stands behind its q half, which has as many entries */
            int slot = c->entry_slot[e] + shift * (c->row_count[row]);
            tangent[slot] = (w->residual[1][row] - w->residual[0][row]) / twice;
        }
    }
}

static void tangent_differences(const ki_mech *mech, ki_mech_work *w, const keel_point *at, double *tangent) {
    const ki_colouring *c = mech->colouring;
    double h = velocity_step(mech, at);
    for (int colour = 0; colour < c->colours; colour++) {
        for (int side = 0; side < 2; side++) {
            displaced(mech, w, at, colour, side ? 1 : -1);
            residual(mech, w, at, w->q, at->v, w->residual[side]);
        }
        take_entries(mech, w, colour, 0, 0, tangent);
        for (int side = 0; side < 2; side++) {
            memcpy(w->v, at->v, (size_t)mech->system.n_v * sizeof *w->v);
            for (int k = c->first[colour]; k < c->first[colour + 1]; k++)
                w->v[c->column[k]] += side ? h : -h;
            residual(mech, w, at, at->q, w->v, w->residual[side]);
        }
        take_entries(mech, w, colour, h, 1, tangent);
    }
}

static void rate_differences(const ki_mech *mech, ki_mech_work *w, const keel_point *at, double *rate_q) {
    const ki_colouring *c = mech->colouring;
    for (int colour = 0; colour < c->colours; colour++) {
        for (int side = 0; side < 2; side++) {
            displaced(mech, w, at, colour, side ? 1 : -1);
            ki_place(mech, w, w->q);
            ki_move_bodies(mech, w, at->v);
            ki_constraint_rows(mech, w, at->t, KI_AT_VELOCITY);
            ki_row_rates(mech, w, w->residual[side]);
        }
        for (int k = c->first[colour]; k < c->first[colour + 1]; k++) {
            int j = c->column[k];
            for (int e = c->rate_first[j]; e < c->rate_first[j + 1]; e++)
                rate_q[c->rate_slot[e]] =
                    (w->residual[1][c->rate_row[e]] - w->residual[0][c->rate_row[e]]) / (2 * c->step[j]);
        }
    }
}

void ki_mech_tangent(const ki_mech *mech, ki_mech_work *w, unsigned what, const keel_point *at,
                     keel_terms *terms) {
    if (what & KEEL_TANGENT)
        tangent_differences(mech, w, at, terms->tangent);
    if (what & KEEL_VELOCITY_Q)
        rate_differences(mech, w, at, terms->rate_q);
}

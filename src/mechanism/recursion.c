#include "mechanism/recursion.h"

#include <string.h>

/* Coordinates as the joints of the tree count them. */
static void localize(const ki_mech *mech, ki_mech_work *w, const double *q) {
    for (int i = 0; i < mech->system.n_q; i++)
        w->local_q[i] = mech->q_sense[i] * (q[i] - mech->q_reading[i]);
}

/* True if x is what was asked for last; keeps it. */
static bool is_last(double *last, const double *x, int count) {
    size_t bytes = (size_t)count * sizeof *x;
    if (memcmp(last, x, bytes) == 0)
        return true;
    memcpy(last, x, bytes);
    return false;
}

void ki_place(const ki_mech *mech, ki_mech_work *w, const double *q) {
    if (is_last(w->last_q, q, mech->system.n_q) && w->placed)
        return;
    w->placed = true;
    w->moved = w->dry.known = false;
    localize(mech, w, q);
    if (mech->d == KI_PLANAR)
        ki_place_planar(mech, w);
    else
        ki_place_spatial(mech, w);
}

void ki_move_bodies(const ki_mech *mech, ki_mech_work *w, const double *v) {
    if (is_last(w->last_v, v, mech->system.n_v) && w->moved)
        return;
    w->moved = true;
    w->dry.known = false;
    if (mech->d == KI_PLANAR)
        ki_move_planar(mech, w, v);
    else
        ki_move_spatial(mech, w, v);
}

/* twist' = bias + what v' adds; the second is carried outwards by itself */
void ki_accelerate(const ki_mech *mech, ki_mech_work *w, const double *v_rate) {
    if (mech->d == KI_PLANAR)
        ki_accelerate_planar(mech, w, v_rate);
    else
        ki_accelerate_spatial(mech, w, v_rate);
}

void ki_body_wrenches(const ki_mech *mech, ki_mech_work *w, bool with_rates) {
    memset(w->wrench[0], 0, sizeof *w->wrench);
    if (mech->d == KI_PLANAR)
        ki_body_wrenches_planar(mech, w, with_rates);
    else
        ki_body_wrenches_spatial(mech, w, with_rates);
}

void ki_add_row_force(const ki_mech *mech, ki_mech_work *w, const int body[2], const ki_row *row, double f) {
    for (int k = 0; k < 2; k++)
        for (int i = 0; body[k] && i < mech->d; i++)
            w->wrench[body[k]][i] += f * row->w[k][i];
}

void ki_gather(const ki_mech *mech, ki_mech_work *w, double *Q) {
    if (mech->d == KI_PLANAR)
        ki_gather_planar(mech, w, Q);
    else
        ki_gather_spatial(mech, w, Q);
}

double ki_kinetic(const ki_mech *mech, const ki_mech_work *w) {
    double twice = 0;
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        const double *x = w->state[b].twist;
        if (mech->d == KI_PLANAR) {
            twice += body->inertia[2] * x[0] * x[0] + body->mass * (x[1] * x[1] + x[2] * x[2]);
        } else {
            double L[3];
            ki_rotated_inertia(w->state[b].R, body->inertia, x, L);
            twice += ki_dot3(x, L) + body->mass * ki_dot3(x + 3, x + 3);
        }
    }
    return twice / 2;
}

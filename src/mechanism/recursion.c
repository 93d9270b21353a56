#include "mechanism/recursion.h"

#include <string.h>

#include "mechanism/joint.h"

/* Coordinates as the joints of the tree count them. */
static void localize(const ki_mech *mech, ki_mech_work *w, const double *q) {
    memcpy(w->local_q, q, (size_t)mech->system.n_q * sizeof *q);
    for (int b = 1; b < mech->body_count; b++) {
        const ki_joint *hinge = &mech->body[b].hinge;
        const ki_joint_role *role = ki_role(hinge, mech->d);
        for (int k = 0; k < ki_readings(hinge, role); k++)
            w->local_q[hinge->q + k] = ki_unread(hinge, k, q[hinge->q + k]);
    }
    w->point_q = w->local_q;
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
    w->moved = false;
    localize(mech, w, q);
    for (int b = 1; b < mech->body_count; b++)
        if (mech->d == KI_PLANAR)
            ki_place_planar(mech, w, b);
        else
            ki_place_spatial(mech, w, b);
}

void ki_move_bodies(const ki_mech *mech, ki_mech_work *w, const double *v) {
    if (is_last(w->last_v, v, mech->system.n_v) && w->moved)
        return;
    w->moved = true;
    for (int b = 1; b < mech->body_count; b++)
        if (mech->d == KI_PLANAR)
            ki_move_planar(mech, w, b, v);
        else
            ki_move_spatial(mech, w, b, v);
}

/* x_b = parent's x carried to body b, without the joint's own part: alpha and a + alpha x (r_b - r_p). */
static void carry(const ki_mech *mech, const ki_mech_work *w, int b, const double *from, double *to) {
    const double *r = w->state[b].r, *p = w->state[mech->body[b].parent].r;
    memcpy(to, from, (size_t)mech->d * sizeof *to);
    if (mech->d == KI_PLANAR) {
        to[1] -= from[0] * (r[1] - p[1]);
        to[2] += from[0] * (r[0] - p[0]);
    } else {
        double x[3];
        ki_minus(r, p, x);
        ki_add_cross(from, x, to + 3);
    }
}

/* twist' = bias + what v' adds; the second is carried outwards by itself */
void ki_accelerate(const ki_mech *mech, ki_mech_work *w, const double *v_rate) {
    int d = mech->d;
    memset(w->added[0], 0, sizeof w->added[0]);
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        double *added = w->added[b];
        carry(mech, w, b, w->added[body->parent], added);
        for (int j = body->v; j < body->v + body->n_v; j++)
            for (int i = 0; i < d; i++)
                added[i] += w->S[j][i] * v_rate[j];
        for (int i = 0; i < d; i++)
            w->state[b].twist_rate[i] = w->state[b].bias[i] + added[i];
    }
}

void ki_clear_wrenches(const ki_mech *mech, ki_mech_work *w) {
    memset(w->wrench, 0, (size_t)mech->body_count * sizeof *w->wrench);
}

void ki_add_row_force(const ki_mech *mech, ki_mech_work *w, const int body[2], const ki_row *row, double f) {
    for (int k = 0; k < 2; k++)
        for (int i = 0; body[k] && i < mech->d; i++)
            w->wrench[body[k]][i] += f * row->w[k][i];
}

void ki_add_force(const ki_mech *mech, ki_mech_work *w, int body, const double arm[3],
                  const double force[3]) {
    double *wrench = w->wrench[body];
    if (mech->d == KI_PLANAR) {
        wrench[0] += arm[0] * force[1] - arm[1] * force[0];
        wrench[1] += force[0];
        wrench[2] += force[1];
    } else {
        ki_add_cross(arm, force, wrench);
        ki_add_scaled(1, force, wrench + 3);
    }
}

void ki_add_torque(const ki_mech *mech, ki_mech_work *w, int body, const double torque[3]) {
    if (mech->d == KI_PLANAR)
        w->wrench[body][0] += torque[2];
    else
        ki_add_scaled(1, torque, w->wrench[body]);
}

void ki_add_inertia(const ki_mech *mech, ki_mech_work *w, bool with_rates) {
    for (int b = 1; b < mech->body_count; b++) {
        const ki_state *s = &w->state[b];
        const double *rate = with_rates ? s->twist_rate : s->bias;
        double force[6];
        if (mech->d == KI_PLANAR)
            ki_inertia_force_planar(&mech->body[b], rate, force);
        else
            ki_inertia_force_spatial(&mech->body[b], s, rate, force);
        for (int i = 0; i < mech->d; i++)
            w->wrench[b][i] -= force[i];
    }
}

/* Adds a wrench about r_b, moved to r_p. */
static void hand_down(const ki_mech *mech, const ki_mech_work *w, int b, const double *wrench, double *to) {
    const double *r = w->state[b].r, *p = w->state[mech->body[b].parent].r;
    for (int i = 0; i < mech->d; i++)
        to[i] += wrench[i];
    if (mech->d == KI_PLANAR) {
        to[0] += (r[0] - p[0]) * wrench[2] - (r[1] - p[1]) * wrench[1];
    } else {
        double x[3];
        ki_minus(r, p, x);
        ki_add_cross(x, wrench + 3, to);
    }
}

void ki_gather(const ki_mech *mech, ki_mech_work *w, double *Q) {
    memcpy(w->gathered, w->wrench, (size_t)mech->body_count * sizeof *w->gathered);
    for (int b = mech->body_count - 1; b > 0; b--) {
        const ki_body *body = &mech->body[b];
        for (int j = body->v; Q && j < body->v + body->n_v; j++) {
            Q[j] = 0;
            for (int i = 0; i < mech->d; i++)
                Q[j] += w->S[j][i] * w->gathered[b][i];
        }
        hand_down(mech, w, b, w->gathered[b], w->gathered[body->parent]);
    }
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

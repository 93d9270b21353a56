/* The recursion in the plane. With p the parent, x = r_b - r_p, u the velocity of r_b seen from the parent,
 * d = r_b - P from the joint's place P on the body, and J(a) = (-a_y, a_x):
 *
 *     omega_b = omega_p + Omega                            v_b = v_p + omega_p J(x) + u
 *     u = V + Omega J(d)                                   a_b = a_p - omega_p^2 x + 2 omega_p J(u) - Omega^2
 * d
 *
 * where (Omega, V) = S v is the joint's, turned into world axes. No joint of the plane has a bias of its own:
 * S is constant on the parent, so alpha = 0 when v' = 0. A pin has V = 0, and with omega_b
 *
 *     v_b = v_p + omega_p J(x - d) + omega_b J(d)          a_b = a_p - omega_p^2 (x - d) - omega_b^2 d.
 */
#include "base/hints.h"
#include "base/sines.h"
#include "mechanism/joint.h"
#include "mechanism/recursion.h"

/* ---- poses ------------------------------------------------------------------------------------------- */

/* y = R x */
KI_INLINE void rotate(const ki_state *s, const double x[2], double y[2]) {
    y[0] = s->R[0] * x[0] - s->R[3] * x[1];
    y[1] = s->R[3] * x[0] + s->R[0] * x[1];
}

/* d of a body: from its place of the hinge to its reference point */
KI_INLINE void arm_of(const ki_body *body, const ki_state *s, double d[2]) {
    rotate(s, body->place[1], d);
    d[0] = -d[0], d[1] = -d[1];
}

/* The pose of a body that hangs from p by its place, P from r_p; returns d. */
KI_INLINE void hang(const ki_body *body, const ki_state *p, const double P[2], ki_state *s, double d[2]) {
    arm_of(body, s, d);
    for (int i = 0; i < 2; i++)
        s->r[i] = p->r[i] + P[i] + d[i];
}

KI_INLINE void place_pin(const ki_body *body, const ki_state *p, ki_state *s, double S[6]) {
    double P[2], d[2];
    rotate(p, body->place[0], P);
    hang(body, p, P, s, d);
    S[0] = body->sign;
    S[1] = -body->sign * d[1];
    S[2] = body->sign * d[0];
    S[3] = s->r[0], S[4] = s->r[1];
}

/* The columns themselves never change: work.c */
static void place_own(const double *q, ki_state *s, double S[6]) {
    S[3] = s->r[0] = q[0];
    S[4] = s->r[1] = q[1];
}

/* s->r is where the body's place is from the parent's, in the hinge's frame there. */
static void place_any(const ki_body *body, const ki_state *p, ki_state *s, double (*S)[6]) {
    const double *F = body->hinge.frame[0].R, *c = body->place[0], *r = s->r;
    const double on_parent[2] = {c[0] + F[0] * r[0] + F[1] * r[1], c[1] + F[3] * r[0] + F[4] * r[1]};
    double P[2], d[2];
    rotate(p, on_parent, P);
    hang(body, p, P, s, d);
    for (int j = 0; j < body->n_v; j++) {
        const double *column = body->constants->columns[j];
        S[j][0] = column[0];
        rotate(p, column + 1, S[j] + 1);
        S[j][1] -= column[0] * d[1];
        S[j][2] += column[0] * d[0];
        S[j][3] = s->r[0], S[j][4] = s->r[1];
    }
}

/* The angles of all bodies; s->r of a body that neither is pinned nor has coordinates of its own: where its
 * hinge is. */
static void turn_bodies(const ki_mech *mech, ki_mech_work *w) {
    double *angle = w->angle;
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        const double *q = w->local_q + body->q;
        if (body->kind == KI_HINGE_PIN) {
            angle[b] = angle[body->parent] + q[0] + body->drawn_turn;
        } else if (body->kind == KI_HINGE_OWN) {
            angle[b] = q[2];
        } else {
            ki_relative relative = {.angle = 0};
            body->hinge.type->planar->place(&body->hinge, q, &relative);
            angle[b] = angle[body->parent] + relative.angle + body->drawn_turn;
            w->state[b].r[0] = relative.r[0], w->state[b].r[1] = relative.r[1];
        }
    }
    ki_sines_cosines(mech->body_count, angle, w->sine, w->cosine);
}

KI_TWICE static void place_bodies(const ki_mech *mech, ki_mech_work *w) {
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        const ki_state *p = &w->state[body->parent];
        ki_state *s = &w->state[b];
        s->angle = w->angle[b];
        s->R[0] = s->R[4] = w->cosine[b];
        s->R[3] = w->sine[b], s->R[1] = -w->sine[b];
        if (body->kind == KI_HINGE_PIN)
            place_pin(body, p, s, w->S[body->v]);
        else if (body->kind == KI_HINGE_OWN)
            place_own(w->local_q + body->q, s, w->S[body->v]);
        else
            place_any(body, p, s, w->S + body->v);
    }
}

void ki_place_planar(const ki_mech *mech, ki_mech_work *w) {
    turn_bodies(mech, w);
    place_bodies(mech, w);
}

/* ---- velocities -------------------------------------------------------------------------------------- */

KI_INLINE void move_pin(const ki_state *p, const double *v, const double S[6], ki_state *s) {
    double omega_p = p->twist[0], omega = omega_p + S[0] * v[0];
    double dx = S[0] * S[2], dy = -S[0] * S[1]; /* S_0 = 1 or -1 */
    double cx = s->r[0] - p->r[0] - dx, cy = s->r[1] - p->r[1] - dy;
    s->twist[0] = omega;
    s->twist[1] = p->twist[1] - omega_p * cy - omega * dy;
    s->twist[2] = p->twist[2] + omega_p * cx + omega * dx;
    s->bias[1] = p->bias[1] - omega_p * omega_p * cx - omega * omega * dx;
    s->bias[2] = p->bias[2] - omega_p * omega_p * cy - omega * omega * dy;
}

static void move_own(const double *v, ki_state *s) {
    s->twist[0] = v[2];
    s->twist[1] = v[0];
    s->twist[2] = v[1];
}

static void move_any(const ki_body *body, const ki_state *p, const double *v, double (*S)[6], ki_state *s) {
    double Omega = 0, ux = 0, uy = 0, d[2], omega = p->twist[0];
    for (int j = 0; j < body->n_v; j++) {
        Omega += S[j][0] * v[j];
        ux += S[j][1] * v[j];
        uy += S[j][2] * v[j];
    }
    double x = s->r[0] - p->r[0], y = s->r[1] - p->r[1];
    arm_of(body, s, d);
    s->twist[0] = omega + Omega;
    s->twist[1] = p->twist[1] - omega * y + ux;
    s->twist[2] = p->twist[2] + omega * x + uy;
    s->bias[1] = p->bias[1] - omega * omega * x - 2 * omega * uy - Omega * Omega * d[0];
    s->bias[2] = p->bias[2] - omega * omega * y + 2 * omega * ux - Omega * Omega * d[1];
}

KI_TWICE static void move_bodies(const ki_mech *mech, ki_mech_work *w, const double *v) {
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        const ki_state *p = &w->state[body->parent];
        if (body->kind == KI_HINGE_PIN)
            move_pin(p, v + body->v, w->S[body->v], &w->state[b]);
        else if (body->kind == KI_HINGE_OWN)
            move_own(v + body->v, &w->state[b]);
        else
            move_any(body, p, v + body->v, w->S + body->v, &w->state[b]);
    }
}

void ki_move_planar(const ki_mech *mech, ki_mech_work *w, const double *v) {
    move_bodies(mech, w, v);
}

void ki_accelerate_planar(const ki_mech *mech, ki_mech_work *w, const double *v_rate) {
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        const double *from = w->added[body->parent], *r = w->state[b].r, *p = w->state[body->parent].r;
        double *added = w->added[b];
        added[0] = from[0];
        added[1] = from[1] - from[0] * (r[1] - p[1]);
        added[2] = from[2] + from[0] * (r[0] - p[0]);
        for (int j = body->v; j < body->v + body->n_v; j++)
            for (int i = 0; i < 3; i++)
                added[i] += w->S[j][i] * v_rate[j];
        for (int i = 0; i < 3; i++)
            w->state[b].twist_rate[i] = w->state[b].bias[i] + added[i];
    }
}

/* ---- wrenches ---------------------------------------------------------------------------------------- */

void ki_body_wrenches_planar(const ki_mech *mech, ki_mech_work *w, bool with_rates) {
    const double *g = mech->gravity;
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        const double *rate = with_rates ? w->state[b].twist_rate : w->state[b].bias;
        double *wrench = w->wrench[b];
        wrench[0] = -body->inertia[2] * rate[0];
        wrench[1] = body->mass * (g[0] - rate[1]);
        wrench[2] = body->mass * (g[1] - rate[2]);
    }
}

KI_TWICE static void gather(const ki_mech *mech, ki_mech_work *w, double *Q) {
    for (int b = mech->body_count - 1; b > 0; b--) {
        const ki_body *body = &mech->body[b];
        const double f[3] = {w->wrench[b][0], w->wrench[b][1], w->wrench[b][2]};
        double(*S)[6] = w->S + body->v;
        if (Q && body->kind == KI_HINGE_OWN) /* unit vectors of x', y', angle' */
            Q[body->v] = f[1], Q[body->v + 1] = f[2], Q[body->v + 2] = f[0];
        else if (Q)
            for (int j = 0; j < body->n_v; j++)
                Q[body->v + j] = S[j][0] * f[0] + S[j][1] * f[1] + S[j][2] * f[2];
        if (body->parent == 0)
            continue;
        const double *r = w->state[b].r, *p = w->state[body->parent].r;
        double *to = w->wrench[body->parent];
        to[0] += f[0] + (r[0] - p[0]) * f[2] - (r[1] - p[1]) * f[1];
        to[1] += f[1];
        to[2] += f[2];
    }
}

void ki_gather_planar(const ki_mech *mech, ki_mech_work *w, double *Q) {
    gather(mech, w, Q);
}

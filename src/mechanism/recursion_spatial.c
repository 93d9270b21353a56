/* The recursion in space. With p the parent, x = r_b - r_p, u the velocity of r_b seen from the parent,
 * d = r_b - P from the joint's place P on the body:
 *
 *     omega_b = omega_p + Omega                            v_b = v_p + omega_p x x + u
 *     alpha_b = alpha_p + omega_p x Omega + b_Omega        u   = V + Omega x d
 *     a_b = a_p + alpha_p x x + omega_p x (omega_p x x + 2 u)
 *               + b_V + b_Omega x d + Omega x (Omega x d)
 *
 * where (Omega, V) = S v and (b_Omega, b_V) = S' v are the joint's, turned into world axes. Only joints that
 * bend (ki_joint_role) have a b. A pin has V = 0, so Omega x (Omega x d) = Omega x u.
 */
#include <string.h>

#include "base/sine.h"
#include "mechanism/joint.h"
#include "mechanism/recursion.h"

/* out += a x (b x c) */
static void add_double_cross(const double a[3], const double b[3], const double c[3], double out[3]) {
    double inner[3];
    ki_cross(b, c, inner);
    ki_add_cross(a, inner, out);
}

/* ---- poses ------------------------------------------------------------------------------------------- */

/* The reference point from the place P of the hinge, and d */
static void put_at(const ki_body *body, const double P[3], ki_state *s, double d[3]) {
    ki_rotate(s->R, body->place[1], d);
    for (int i = 0; i < 3; i++) {
        d[i] = -d[i];
        s->r[i] = P[i] + d[i];
    }
}

static void place_pin(const ki_body *body, const ki_state *p, const double *q, ki_state *s, double S[6]) {
    const ki_hinge_constants *pin = body->constants;
    double c, si, P[3], d[3], A[9];
    ki_sine_cosine(q[0], &si, &c);
    double *turned = body->parent ? A : s->R;
    for (int i = 0; i < 9; i++)
        turned[i] = pin->turn[0][i] + c * pin->turn[1][i] + si * pin->turn[2][i];
    if (body->parent) {
        ki_multiply(p->R, A, s->R);
        ki_rotate(p->R, body->place[0], P);
        ki_add_scaled(1, p->r, P);
        ki_rotate(p->R, pin->axis, S);
    } else {
        ki_copy3(body->place[0], P);
        ki_copy3(pin->axis, S);
    }
    put_at(body, P, s, d);
    ki_cross(S, d, S + 3);
}

/* q is the place and the orientation of the principal axes, whose directions are the columns that turn; those
 * that slide never change: work.c. */
static void place_own(const ki_body *body, const double *q, ki_state *s, double (*S)[6]) {
    double R[9];
    ki_copy3(q, s->r);
    ki_quaternion_matrix(q + 3, R);
    ki_multiply_transposed(R, body->hinge.frame[1].R, s->R);
    for (int k = 0; k < 3; k++)
        ki_axis(R, k, S[3 + k]);
}

static void place_any(const ki_body *body, const ki_state *p, const double *q, ki_state *s, double (*S)[6]) {
    const ki_joint *hinge = &body->hinge;
    const ki_joint_role *role = hinge->type->spatial;
    ki_relative relative;
    double columns[KI_JOINT_VELOCITIES * KI_SPATIAL], RF[9], R1[9], P[3], shift[3], d[3];
    role->place(hinge, q, &relative);
    role->columns(hinge, q, NULL, columns, NULL);

    if (body->parent)
        ki_multiply(p->R, hinge->frame[0].R, RF);
    else
        memcpy(RF, hinge->frame[0].R, sizeof RF);
    ki_rotate(p->R, body->place[0], P);
    ki_rotate(RF, relative.r, shift);
    for (int i = 0; i < 3; i++)
        P[i] += p->r[i] + shift[i];
    ki_multiply(RF, relative.R, R1);
    ki_multiply_transposed(R1, hinge->frame[1].R, s->R);
    put_at(body, P, s, d);

    for (int j = 0; j < body->n_v; j++) {
        double column[6];
        for (int i = 0; i < 6; i++)
            column[i] = body->sign * columns[KI_SPATIAL * j + i];
        ki_rotate(RF, column, S[j]);
        ki_rotate(RF, column + 3, S[j] + 3);
        ki_add_cross(S[j], d, S[j] + 3);
    }
}

void ki_place_spatial(const ki_mech *mech, ki_mech_work *w) {
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        const ki_state *p = &w->state[body->parent];
        const double *q = w->local_q + body->q;
        if (body->kind == KI_HINGE_PIN)
            place_pin(body, p, q, &w->state[b], w->S[body->v]);
        else if (body->kind == KI_HINGE_OWN)
            place_own(body, q, &w->state[b], w->S + body->v);
        else
            place_any(body, p, q, &w->state[b], w->S + body->v);
    }
}

/* ---- velocities -------------------------------------------------------------------------------------- */

/* Adds what the motion of the parent makes: twist and bias hold the joint's own part (Omega, u), b. */
static void carry(const ki_state *p, ki_state *s) {
    const double *omega = p->twist, *Omega = s->twist, *u = s->twist + 3;
    double x[3], turned[3];
    ki_minus(s->r, p->r, x);
    ki_cross(omega, x, turned); /* omega x x */
    double inner[3] = {turned[0] + 2 * u[0], turned[1] + 2 * u[1], turned[2] + 2 * u[2]};
    ki_add_cross(omega, Omega, s->bias);
    ki_add_cross(p->bias, x, s->bias + 3);
    ki_add_cross(omega, inner, s->bias + 3);
    for (int i = 0; i < 6; i++) {
        s->twist[i] += p->twist[i];
        s->bias[i] += p->bias[i];
    }
    ki_add_scaled(1, turned, s->twist + 3);
}

static void move_pin(const double *v, const double S[6], ki_state *s) {
    for (int i = 0; i < 6; i++)
        s->twist[i] = S[i] * v[0];
    s->bias[0] = s->bias[1] = s->bias[2] = 0;
    ki_cross(s->twist, s->twist + 3, s->bias + 3);
}

static void move_own(const double *v, double (*S)[6], ki_state *s) {
    for (int i = 0; i < 3; i++) {
        s->twist[i] = S[3][i] * v[3] + S[4][i] * v[4] + S[5][i] * v[5];
        s->twist[3 + i] = v[i];
    }
}

/* Adds the joint's b, in world axes. */
static void add_bias(const ki_body *body, const ki_state *p, const double *q, const double *v,
                     const double d[3], double bias[6]) {
    const ki_joint *hinge = &body->hinge;
    double columns[KI_JOINT_VELOCITIES * KI_SPATIAL], local[KI_JOINT_VELOCITIES], RF[9];
    double b[KI_SPATIAL], turned[KI_SPATIAL];
    for (int j = 0; j < body->n_v; j++)
        local[j] = body->sign * v[j];
    hinge->type->spatial->columns(hinge, q, local, columns, b);
    ki_multiply(p->R, hinge->frame[0].R, RF);
    ki_rotate(RF, b, turned);
    ki_rotate(RF, b + 3, turned + 3);
    for (int i = 0; i < 6; i++)
        bias[i] += turned[i];
    ki_add_cross(turned, d, bias + 3);
}

static void move_any(const ki_body *body, const ki_state *p, const double *q, const double *v, double (*S)[6],
                     ki_state *s) {
    double d[3];
    memset(s->twist, 0, sizeof s->twist);
    memset(s->bias, 0, sizeof s->bias);
    for (int j = 0; j < body->n_v; j++)
        for (int i = 0; i < 6; i++)
            s->twist[i] += S[j][i] * v[j];
    ki_rotate(s->R, body->place[1], d);
    for (int i = 0; i < 3; i++)
        d[i] = -d[i];
    add_double_cross(s->twist, s->twist, d, s->bias + 3);
    if (body->hinge.type->spatial->bends)
        add_bias(body, p, q, v, d, s->bias);
}

void ki_move_spatial(const ki_mech *mech, ki_mech_work *w, const double *v) {
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        const ki_state *p = &w->state[body->parent];
        ki_state *s = &w->state[b];
        if (body->kind == KI_HINGE_PIN)
            move_pin(v + body->v, w->S[body->v], s);
        else if (body->kind == KI_HINGE_OWN)
            move_own(v + body->v, w->S + body->v, s);
        else
            move_any(body, p, w->local_q + body->q, v + body->v, w->S + body->v, s);
        if (body->parent)
            carry(p, s);
    }
}

void ki_accelerate_spatial(const ki_mech *mech, ki_mech_work *w, const double *v_rate) {
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        double *added = w->added[b], x[3];
        memcpy(added, w->added[body->parent], sizeof *w->added);
        ki_minus(w->state[b].r, w->state[body->parent].r, x);
        ki_add_cross(added, x, added + 3);
        for (int j = body->v; j < body->v + body->n_v; j++)
            for (int i = 0; i < 6; i++)
                added[i] += w->S[j][i] * v_rate[j];
        for (int i = 0; i < 6; i++)
            w->state[b].twist_rate[i] = w->state[b].bias[i] + added[i];
    }
}

/* ---- wrenches ---------------------------------------------------------------------------------------- */

/* y = I x */
static void times_inertia(const double I[6], const double x[3], double y[3]) {
    y[0] = I[0] * x[0] + I[3] * x[1] + I[5] * x[2];
    y[1] = I[3] * x[0] + I[1] * x[1] + I[4] * x[2];
    y[2] = I[5] * x[0] + I[4] * x[1] + I[2] * x[2];
}

void ki_rotated_inertia(const double R[9], const double I[6], const double x[3], double y[3]) {
    double local[3], turned[3];
    ki_rotate_back(R, x, local);
    times_inertia(I, local, turned);
    ki_rotate(R, turned, y);
}

/* R (I a + w x I w) with alpha and omega in body axes a, w */
static void torque_of_inertia(const double R[9], const double I[6], const double alpha[3],
                              const double omega[3], double torque[3]) {
    double a[3], w[3], local[3], L[3];
    ki_rotate_back(R, alpha, a);
    ki_rotate_back(R, omega, w);
    times_inertia(I, a, local);
    times_inertia(I, w, L);
    ki_add_cross(w, L, local);
    ki_rotate(R, local, torque);
}

void ki_body_wrenches_spatial(const ki_mech *mech, ki_mech_work *w, bool with_rates) {
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        const ki_state *s = &w->state[b];
        const double *rate = with_rates ? s->twist_rate : s->bias;
        double *wrench = w->wrench[b];
        torque_of_inertia(s->R, body->inertia, rate, s->twist, wrench);
        for (int i = 0; i < 3; i++) {
            wrench[i] = -wrench[i];
            wrench[3 + i] = body->mass * (mech->gravity[i] - rate[3 + i]);
        }
    }
}

void ki_gather_spatial(const ki_mech *mech, ki_mech_work *w, double *Q) {
    for (int b = mech->body_count - 1; b > 0; b--) {
        const ki_body *body = &mech->body[b];
        const double *f = w->wrench[b];
        for (int j = body->v; Q && j < body->v + body->n_v; j++)
            Q[j] = ki_dot6(w->S[j], f);
        if (body->parent == 0)
            continue;
        double *to = w->wrench[body->parent], x[3];
        ki_minus(w->state[b].r, w->state[body->parent].r, x);
        for (int i = 0; i < 6; i++)
            to[i] += f[i];
        ki_add_cross(x, f + 3, to);
    }
}

/* The recursion in space. With p the parent, x = r_b - r_p, u the velocity of r_b seen from the parent,
 * d = r_b - P from the joint's place P on the body:
 *
 *     omega_b = omega_p + Omega                            v_b = v_p + omega_p x x + u
 *     alpha_b = alpha_p + omega_p x Omega + b_Omega        u   = V + Omega x d
 *     a_b = a_p + alpha_p x x + omega_p x (omega_p x x) + 2 omega_p x u
 *               + b_V + b_Omega x d + Omega x (Omega x d)
 *
 * where (Omega, V) = S v and (b_Omega, b_V) = S' v are the joint's, turned into world axes.
 */
#include "mechanism/joint.h"
#include "mechanism/recursion.h"

/* out += a x (b x c) */
static void add_double_cross(const double a[3], const double b[3], const double c[3], double out[3]) {
    double inner[3];
    ki_cross(b, c, inner);
    ki_add_cross(a, inner, out);
}

void ki_place_spatial(const ki_mech *mech, ki_mech_work *w, int b) {
    const ki_body *body = &mech->body[b];
    const ki_joint *hinge = &body->hinge;
    const ki_state *p = &w->state[body->parent];
    const ki_joint_role *role = hinge->type->spatial;
    ki_state *s = &w->state[b];
    ki_relative relative;
    double columns[KI_JOINT_VELOCITIES * KI_SPATIAL], RF[9], R1[9], P[3], shift[3], d[3];
    role->place(hinge, w->local_q + hinge->q, &relative);
    role->columns(hinge, w->local_q + hinge->q, NULL, columns, NULL);

    ki_multiply(p->R, hinge->frame[0].R, RF);
    ki_rotate(p->R, hinge->frame[0].r, P);
    ki_rotate(RF, relative.r, shift);
    for (int i = 0; i < 3; i++)
        P[i] += p->r[i] + shift[i];
    ki_multiply(RF, relative.R, R1);
    ki_multiply_transposed(R1, hinge->frame[1].R, s->R);
    ki_rotate(s->R, hinge->frame[1].r, d);
    for (int i = 0; i < 3; i++) {
        d[i] = -d[i];
        s->r[i] = P[i] + d[i];
    }

    double sign = ki_tree_sign(hinge, role);
    for (int j = 0; j < body->n_v; j++) {
        double S[6];
        for (int i = 0; i < 6; i++)
            S[i] = sign * columns[KI_SPATIAL * j + i];
        double *out = w->S[body->v + j];
        ki_rotate(RF, S, out);
        ki_rotate(RF, S + 3, out + 3);
        ki_add_cross(out, d, out + 3);
    }
}

/* The joint's bias in world axes. */
static void world_bias(const ki_mech_work *w, const ki_body *body, const double *v, double bias[6]) {
    const ki_joint *hinge = &body->hinge;
    const ki_joint_role *role = hinge->type->spatial;
    double columns[KI_JOINT_VELOCITIES * KI_SPATIAL], local[KI_JOINT_VELOCITIES], RF[9];
    double b[KI_SPATIAL] = {0}, sign = ki_tree_sign(hinge, role);
    for (int j = 0; j < body->n_v; j++)
        local[j] = sign * v[hinge->v + j];
    role->columns(hinge, w->local_q + hinge->q, local, columns, b);
    ki_multiply(w->state[body->parent].R, hinge->frame[0].R, RF);
    ki_rotate(RF, b, bias);
    ki_rotate(RF, b + 3, bias + 3);
}

void ki_move_spatial(const ki_mech *mech, ki_mech_work *w, int b, const double *v) {
    const ki_body *body = &mech->body[b];
    const ki_state *p = &w->state[body->parent];
    ki_state *s = &w->state[b];
    double relative[6] = {0}, bias[6], x[3], d[3];
    const double *Omega = relative, *u = relative + 3, *omega = p->twist;
    for (int j = 0; j < body->n_v; j++)
        for (int i = 0; i < 6; i++)
            relative[i] += w->S[body->v + j][i] * v[body->v + j];
    world_bias(w, body, v, bias);
    ki_minus(s->r, p->r, x);
    ki_rotate(s->R, body->hinge.frame[1].r, d);
    for (int i = 0; i < 3; i++)
        d[i] = -d[i];

    for (int i = 0; i < 6; i++) {
        s->twist[i] = p->twist[i] + relative[i];
        s->bias[i] = p->bias[i] + bias[i];
    }
    ki_add_cross(omega, x, s->twist + 3);

    ki_add_cross(omega, Omega, s->bias);
    double *a = s->bias + 3, twice[3] = {2 * omega[0], 2 * omega[1], 2 * omega[2]};
    ki_add_cross(p->bias, x, a);
    add_double_cross(omega, omega, x, a);
    ki_add_cross(twice, u, a);
    ki_add_cross(bias, d, a);
    add_double_cross(Omega, Omega, d, a);
}

void ki_rotated_inertia(const double R[9], const double I[6], const double x[3], double y[3]) {
    double local[3], turned[3];
    ki_rotate_back(R, x, local);
    turned[0] = I[0] * local[0] + I[3] * local[1] + I[5] * local[2];
    turned[1] = I[3] * local[0] + I[1] * local[1] + I[4] * local[2];
    turned[2] = I[5] * local[0] + I[4] * local[1] + I[2] * local[2];
    ki_rotate(R, turned, y);
}

void ki_inertia_force_spatial(const ki_body *body, const ki_state *s, const double rate[6],
                              double wrench[6]) {
    double L[3];
    ki_rotated_inertia(s->R, body->inertia, rate, wrench);
    ki_rotated_inertia(s->R, body->inertia, s->twist, L);
    ki_add_cross(s->twist, L, wrench);
    for (int i = 3; i < 6; i++)
        wrench[i] = body->mass * rate[i];
}

/* The recursion in the plane. With p the parent, x = r_b - r_p, u the velocity of r_b seen from the parent,
 * d = r_b - P from the joint's place P on the body, and J(a) = (-a_y, a_x):
 *
 *     omega_b = omega_p + Omega                            v_b = v_p + omega_p J(x) + u
 *     alpha_b = alpha_p + b_Omega                          u   = V + Omega J(d)
 *     a_b = a_p + alpha_p J(x) - omega_p^2 x + 2 omega_p J(u) + b_V + b_Omega J(d) - Omega^2 d
 *
 * where (Omega, V) = S v and (b_Omega, b_V) = S' v are the joint's, turned into world axes.
 */
#include "mechanism/joint.h"
#include "mechanism/recursion.h"

/* The hinge's velocities as it counts them. */
static void local_velocities(const ki_joint *hinge, const double *v, int n_v, double *local) {
    double sign = hinge->reversed ? -1 : 1;
    for (int j = 0; j < n_v; j++)
        local[j] = sign * v[hinge->v + j];
}

/* Rotation of the hinge's frame on the parent: its direction there plus the parent's angle. */
static void frame_axes(const ki_state *parent, const ki_frame *frame, double *c, double *s) {
    *c = parent->R[0] * frame->R[0] + parent->R[1] * frame->R[3];
    *s = parent->R[3] * frame->R[0] + parent->R[4] * frame->R[3];
}

void ki_place_planar(const ki_mech *mech, ki_mech_work *w, int b) {
    const ki_body *body = &mech->body[b];
    const ki_joint *hinge = &body->hinge;
    const ki_state *p = &w->state[body->parent];
    const ki_joint_role *role = hinge->type->planar;
    ki_state *s = &w->state[b];
    ki_relative relative = {.angle = 0};
    double columns[KI_JOINT_VELOCITIES * KI_PLANAR], cF, sF;
    role->place(hinge, w->local_q + hinge->q, &relative);
    role->columns(hinge, w->local_q + hinge->q, NULL, columns, NULL);

    const double *c0 = hinge->frame[0].r, *c1 = hinge->frame[1].r, *r = relative.r;
    frame_axes(p, &hinge->frame[0], &cF, &sF);
    double Px = p->r[0] + p->R[0] * c0[0] + p->R[1] * c0[1] + cF * r[0] - sF * r[1];
    double Py = p->r[1] + p->R[3] * c0[0] + p->R[4] * c0[1] + sF * r[0] + cF * r[1];

    s->angle = p->angle + relative.angle + body->drawn_turn;
    double c = cos(s->angle), si = sin(s->angle);
    s->R[0] = s->R[4] = c;
    s->R[3] = si, s->R[1] = -si;
    double dx = -(c * c1[0] - si * c1[1]), dy = -(si * c1[0] + c * c1[1]);
    s->r[0] = Px + dx, s->r[1] = Py + dy;

    double sign = hinge->reversed ? -1 : 1;
    for (int j = 0; j < body->n_v; j++) {
        const double *S = columns + KI_PLANAR * j;
        double *out = w->S[body->v + j];
        out[0] = sign * S[0];
        out[1] = sign * (cF * S[1] - sF * S[2] - S[0] * dy);
        out[2] = sign * (sF * S[1] + cF * S[2] + S[0] * dx);
    }
}

void ki_move_planar(const ki_mech *mech, ki_mech_work *w, int b, const double *v) {
    const ki_body *body = &mech->body[b];
    const ki_joint *hinge = &body->hinge;
    const ki_state *p = &w->state[body->parent];
    ki_state *s = &w->state[b];
    double columns[KI_JOINT_VELOCITIES * KI_PLANAR], local[KI_JOINT_VELOCITIES], bias[KI_PLANAR] = {0};
    double cF, sF, Omega = 0, ux = 0, uy = 0;
    local_velocities(hinge, v, body->n_v, local);
    hinge->type->planar->columns(hinge, w->local_q + hinge->q, local, columns, bias);
    for (int j = 0; j < body->n_v; j++) {
        const double *S = w->S[body->v + j];
        Omega += S[0] * v[body->v + j];
        ux += S[1] * v[body->v + j];
        uy += S[2] * v[body->v + j];
    }
    double x = s->r[0] - p->r[0], y = s->r[1] - p->r[1];
    double omega = p->twist[0], alpha = p->bias[0];
    s->twist[0] = omega + Omega;
    s->twist[1] = p->twist[1] - omega * y + ux;
    s->twist[2] = p->twist[2] + omega * x + uy;

    const double *c1 = hinge->frame[1].r;
    double dx = -(s->R[0] * c1[0] + s->R[1] * c1[1]), dy = -(s->R[3] * c1[0] + s->R[4] * c1[1]);
    frame_axes(p, &hinge->frame[0], &cF, &sF);
    double bx = cF * bias[1] - sF * bias[2], by = sF * bias[1] + cF * bias[2];
    s->bias[0] = alpha + bias[0];
    s->bias[1] =
        p->bias[1] - alpha * y - omega * omega * x - 2 * omega * uy + bx - bias[0] * dy - Omega * Omega * dx;
    s->bias[2] =
        p->bias[2] + alpha * x - omega * omega * y + 2 * omega * ux + by + bias[0] * dx - Omega * Omega * dy;
}

void ki_inertia_force_planar(const ki_body *body, const double rate[3], double wrench[3]) {
    wrench[0] = body->inertia[2] * rate[0];
    wrench[1] = body->mass * rate[1];
    wrench[2] = body->mass * rate[2];
}

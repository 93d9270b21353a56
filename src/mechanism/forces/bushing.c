/* bushing.c - an elastic bearing between two bodies.
 *
 * x = (d, theta) is its deformation in the axes A of body 0: d = A^T (p_1 - p_0) the displacement of its
 * place on body 1 from that on body 0, theta the rotation vector of body 1 seen from body 0, exp[theta] = A^T
 * B. With the relative angular velocity Omega = A^T (omega_1 - omega_0)
 *
 *     d'     = A^T (v_1(p_1) - v_0(p_1))
 *     theta' = L Omega,   L = I - [theta]/2 + c [theta]^2,
 *     c      = (1 - (theta/2) cot(theta/2)) / theta^2
 *
 * (v_0(p_1): of the point of body 0 that is at p_1). The forces along x are
 *
 *     f = -K x - C x',
 *
 * so the force on body 1 at p_1 is A f_d and the torque A L^T f_theta, with the opposite on body 0 at the
 * same place. Of K the symmetric part is the gradient of x^T K x / 2; what the rest of f does is counted as
 * power. In the plane only d_x, d_y and the angle (third of theta) count.
 */
#include "mechanism/forces/force.h"

#include <math.h>
#include <string.h>

typedef struct deformation {
    double A[9], place[3]; /* axes, p_1 */
    double L[9];
    double x[6], rate[6];
} deformation;

static keel_status compile(const ki_names *names, ki_mech *mech, const keel_force *description,
                           keel_diagnostics *diagnostics, ki_force *force) {
    (void)names, (void)diagnostics;
    double *matrices = KI_NEW(&mech->arena, double, 72);
    if (!matrices)
        return KEEL_ERROR_MEMORY;
    memcpy(matrices, description->K, sizeof description->K);
    memcpy(matrices + 36, description->C, sizeof description->C);
    force->K = matrices;
    force->C = matrices + 36;
    for (int k = 0; k < 2; k++) {
        double *R = force->frame[k].R;
        R[0] = R[4] = R[8] = 1;
        ki_copy3(force->r[k], force->frame[k].r);
    }
    return KEEL_OK;
}

static void place_of(const ki_state *s, const ki_frame *frame, double place[3]) {
    ki_rotate(s->R, frame->r, place);
    ki_add_scaled(1, s->r, place);
}

static void deform(const ki_mech *mech, const ki_mech_work *w, const ki_force *force, deformation *x) {
    const ki_state *s0 = &w->state[force->body[0]], *s1 = &w->state[force->body[1]];
    double p0[3], D[3], B[9], relative[9];
    memset(x, 0, sizeof *x);
    ki_multiply(s0->R, force->frame[0].R, x->A);
    place_of(s0, &force->frame[0], p0);
    place_of(s1, &force->frame[1], x->place);
    ki_minus(x->place, p0, D);
    ki_rotate_back(x->A, D, x->x);
    if (mech->d == KI_PLANAR) {
        x->x[2] = 0;
        x->x[5] = s1->angle - s0->angle;
        x->L[0] = x->L[4] = x->L[8] = 1;
    } else {
        ki_multiply(s1->R, force->frame[1].R, B);
        ki_transposed_multiply(x->A, B, relative);
        ki_rotation_vector(relative, x->x + 3);
        ki_rotation_vector_rate(x->x + 3, x->L);
    }
}

void ki_bushing_deformation(const ki_mech *mech, const ki_mech_work *w, const ki_force *force, double x[6]) {
    deformation d;
    deform(mech, w, force, &d);
    memcpy(x, d.x, sizeof d.x);
}

static void deform_rate(const ki_mech *mech, const ki_mech_work *w, const ki_force *force, deformation *x) {
    double velocity[2][3], omega[2][3], difference[3], Omega[3];
    for (int k = 0; k < 2; k++) {
        const ki_state *s = &w->state[force->body[k]];
        ki_velocity_at(mech, s, x->place, velocity[k]);
        ki_spin_of(mech, s, omega[k]);
    }
    ki_minus(velocity[1], velocity[0], difference);
    ki_rotate_back(x->A, difference, x->rate);
    ki_minus(omega[1], omega[0], difference);
    ki_rotate_back(x->A, difference, Omega);
    ki_rotate(x->L, Omega, x->rate + 3);
}

static double potential_of(const ki_force *force, const double x[6]) {
    double twice = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            twice += x[i] * force->K[6 * i + j] * x[j];
    return twice / 2;
}

static double potential(const ki_mech *mech, ki_mech_work *w, const ki_force *force) {
    deformation x;
    deform(mech, w, force, &x);
    return potential_of(force, x.x);
}

static void apply(const ki_mech *mech, ki_mech_work *w, const ki_force *force, double t) {
    (void)t;
    deformation x;
    double f[6] = {0}, F[3], local[3], T[3], back[3] = {0};
    deform(mech, w, force, &x);
    deform_rate(mech, w, force, &x);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double damping = force->C[6 * i + j] * x.rate[j];
            double skew = (force->K[6 * i + j] - force->K[6 * j + i]) / 2 * x.x[j];
            f[i] -= force->K[6 * i + j] * x.x[j] + damping;
            w->power -= x.rate[i] * (damping + skew);
        }
    w->potential += potential_of(force, x.x);
    ki_rotate(x.A, f, F);
    ki_rotate_back(x.L, f + 3, local);
    ki_rotate(x.A, local, T);
    ki_add_scaled(-1, T, back);
    ki_apply_pair(mech, w, force->body, x.place, F);
    ki_add_torque(mech, w, force->body[1], T);
    ki_add_torque(mech, w, force->body[0], back);
}

const ki_force_type ki_bushing = {compile, apply, potential};

/* Bushing: an elastic bearing between two bodies.
 *
 * x = (d, theta) is its deformation in the axes A of body 0: d = A^T (p_1 - p_0) the displacement of its
 * place on body 1 from that on body 0, theta the rotation vector of body 1 seen from body 0, exp[theta] = A^T
 * B. With the relative angular velocity Omega = A^T (omega_1 - omega_0)
 *
 *     d'     = A^T (v_1(p_1) - v_0(p_1))
 *     theta' = L Omega,   L = I - [theta]/2 + c [theta]^2
 *
 * (v_0(p_1): of the point of body 0 that is at p_1). The forces along x are
 *
 *     f = -K x - C x',
 *
 * so the force on body 1 at p_1 is A f_d and the torque A L^T f_theta, with the opposite on body 0 at the
 * same place. Of K the symmetric part is the gradient of x^T K x / 2; what the rest of f does is counted as
 * power. In the plane only d_x, d_y and the angle (third of theta) count.
 */
#include "laws/force.h"

typedef struct deformation {
    ki_node x[6], rate[6];
    mat A, L;
} deformation;

static deformation deform(const ki_force_inputs *in, ki_law_load *out) {
    ki_graph *g = in->g;
    const ki_law_body *a = &in->body[0], *b = &in->body[1];
    ki_law_point p_0 = ki_law_point_of(g, a, in->r[0]), p_1 = ki_law_point_of(g, b, in->r[1]);
    deformation x = {.A = a->R};
    mat back = mat_transposed(&a->R), relative = mat_mat(g, &back, &b->R);
    out->arm[1] = p_1.arm;
    out->arm[0] = vec_minus(g, p_1.x.x, a->r);
    vec beside = vec_plus(g, a->v, cross(g, a->omega, out->arm[0]));
    vec d = mat_vec(g, &back, vec_minus(g, p_1.x.x, p_0.x.x));
    vec d_rate = mat_vec(g, &back, vec_minus(g, p_1.x.rate, beside));
    vec Omega = mat_vec(g, &back, vec_minus(g, b->omega, a->omega)), theta = vec_zero(g);
    if (in->plane) {
        theta.x[2] = minus(g, b->angle, a->angle);
        x.L = mat_of(g, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    } else {
        theta = ki_law_rotation_vector(g, &relative);
        x.L = ki_law_rotation_vector_rate(g, theta);
    }
    vec theta_rate = mat_vec(g, &x.L, Omega);
    for (int i = 0; i < 3; i++) {
        x.x[i] = d.x[i], x.x[3 + i] = theta.x[i];
        x.rate[i] = d_rate.x[i], x.rate[3 + i] = theta_rate.x[i];
    }
    return x;
}

/* -K x - C x', and the power of what has no potential */
static void resist(const ki_force_inputs *in, const deformation *x, ki_node f[6], ki_law_load *out) {
    ki_graph *g = in->g;
    ki_node half = number(g, 0.5), twice = number(g, 0);
    for (int i = 0; i < 6; i++) {
        ki_node stored = number(g, 0), lost = number(g, 0);
        for (int j = 0; j < 6; j++) {
            ki_node skew = times(g, half, minus(g, in->K[6 * i + j], in->K[6 * j + i]));
            stored = plus(g, stored, times(g, minus(g, in->K[6 * i + j], skew), x->x[j]));
            lost = plus(g, lost, plus(g, times(g, skew, x->x[j]), times(g, in->C[6 * i + j], x->rate[j])));
        }
        f[i] = minus(g, number(g, 0), plus(g, stored, lost));
        twice = plus(g, twice, times(g, x->x[i], stored));
        out->power = minus(g, out->power, times(g, x->rate[i], lost));
    }
    out->potential = times(g, half, twice);
}

static void load(const ki_force_inputs *in, ki_law_load *out) {
    ki_graph *g = in->g;
    deformation x = deform(in, out);
    ki_node f[6];
    resist(in, &x, f, out);
    mat turned = mat_transposed(&x.L);
    out->force[1] = mat_vec(g, &x.A, (vec){{f[0], f[1], f[2]}});
    out->torque[1] = mat_vec(g, &x.A, mat_vec(g, &turned, (vec){{f[3], f[4], f[5]}}));
    out->force[0] = vec_negative(g, out->force[1]);
    out->torque[0] = vec_negative(g, out->torque[1]);
    for (int i = 0; i < 6; i++)
        out->x[i] = x.x[i];
}

const ki_force_law ki_law_bushing = {"bushing", load, false};

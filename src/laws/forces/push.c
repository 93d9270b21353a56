/* Push: a force F on a point p of body 1, and its reaction at the same place on body 0. F in world axes or in
 * those of body 1.
 *
 *     power = F . (v_1(p) - v_0(p))
 */
#include "laws/force.h"

static void push(const ki_force_inputs *in, vec F, ki_law_load *out) {
    ki_graph *g = in->g;
    ki_law_point p = ki_law_point_of(g, &in->body[1], in->r[1]);
    out->arm[1] = p.arm;
    out->arm[0] = vec_minus(g, p.x.x, in->body[0].r);
    out->force[1] = F;
    out->force[0] = vec_negative(g, F);
    vec beside = vec_plus(g, in->body[0].v, cross(g, in->body[0].omega, out->arm[0]));
    out->power = dot(g, F, vec_minus(g, p.x.rate, beside));
}

static vec components(const ki_force_inputs *in) {
    vec F = in->f;
    if (in->plane)
        F.x[2] = number(in->g, 0);
    return F;
}

static void in_world(const ki_force_inputs *in, ki_law_load *out) {
    push(in, components(in), out);
}

static void in_body(const ki_force_inputs *in, ki_law_load *out) {
    push(in, mat_vec(in->g, &in->body[1].R, components(in)), out);
}

const ki_force_law ki_law_push = {"push", in_world, false};
const ki_force_law ki_law_push_in_body = {"push_in_body", in_body, false};

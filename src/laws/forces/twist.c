/* Twist: a torque T on body 1 and -T on body 0, in world axes or in those of body 1.
 *
 *     power = T . (omega_1 - omega_0)
 */
#include "laws/force.h"

static void twist(const ki_force_inputs *in, vec T, ki_law_load *out) {
    out->torque[1] = T;
    out->torque[0] = vec_negative(in->g, T);
    out->power = dot(in->g, T, vec_minus(in->g, in->body[1].omega, in->body[0].omega));
}

static vec components(const ki_force_inputs *in) {
    vec T = in->f;
    if (in->plane)
        T.x[0] = T.x[1] = number(in->g, 0);
    return T;
}

static void in_world(const ki_force_inputs *in, ki_law_load *out) {
    twist(in, components(in), out);
}

static void in_body(const ki_force_inputs *in, ki_law_load *out) {
    twist(in, mat_vec(in->g, &in->body[1].R, components(in)), out);
}

const ki_force_law ki_law_twist = {"twist", in_world, false};
const ki_force_law ki_law_twist_in_body = {"twist_in_body", in_body, false};

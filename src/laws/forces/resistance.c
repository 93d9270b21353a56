/* Resistance: a spring and damper along a coordinate x, a length or an angle.
 *
 *     p = k (x - x_0) + c x'        potential k (x - x_0)^2 / 2, power -c x'^2
 *
 * It acts as -p along x.
 */
#include "laws/force.h"

static void load(const ki_force_inputs *in, ki_law_load *out) {
    ki_graph *g = in->g;
    ki_node off = minus(g, in->f.x[0], in->free), rate = in->f.x[1];
    ki_node damped = times(g, in->damping, rate), pulled = times(g, in->stiffness, off);
    ki_node zero = number(g, 0);
    out->along = minus(g, zero, plus(g, pulled, damped));
    out->potential = times(g, number(g, 0.5), times(g, pulled, off));
    out->power = minus(g, zero, times(g, damped, rate));
}

const ki_force_law ki_law_resistance = {"resistance", load, true};

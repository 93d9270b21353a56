/* Sphere: a ball of radius rho that rolls without slip on the plane of frame 0; always cut. n = z_0 is the
 * normal, c = p_1 the centre; the ball touches at x = c - rho n.
 *
 *     rows    (c - p_0) . n - rho = 0              holonomic; its rate is n . g
 *             x_0 . g = 0,  y_0 . g = 0            nonholonomic
 *
 * with g the velocity of the ball's matter at x relative to the plane's (ki_law_contact). The ball may also
 * spin about n.
 */
#include "laws/joint.h"

static void rows(const ki_law *law, ki_law_row *out) {
    ki_graph *g = law->g;
    ki_law_point c = ki_law_origin(law, 1);
    ki_jets x = ki_law_axis(law, 0, 0), y = ki_law_axis(law, 0, 1), n = ki_law_axis(law, 0, 2);
    ki_jets off = ki_jets_scaled(g, minus(g, number(g, 0), law->radius), n);
    out[0] = ki_law_along(law, 2);
    out[0].value = minus(g, out[0].value, law->radius);
    out[1] = ki_law_contact(law, &c, &off, &x);
    out[2] = ki_law_contact(law, &c, &off, &y);
}

static const ki_joint_law_role SPATIAL = {.conditions = 3,
                                          .n_v = -1,
                                          .n_h = 1,
                                          .n_n = 2,
                                          .row_name = {"height", "along_x", "along_y"},
                                          .rows = rows};

const ki_joint_law ki_law_sphere = {.word = "sphere",
                                    .summary = "a ball that rolls on a plane without slip",
                                    .spatial = &SPATIAL,
                                    .needs_radius = true,
                                    .one_way = true};

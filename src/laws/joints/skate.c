/* Skate: a knife edge, which slides along its edge and not across it; always cut. Its point c = p_1 and its
 * edge b = x_1 belong to body 1.
 *
 * In space it stands on the plane of frame 0, n = z_0. With l = (n x b) / |n x b|, across the edge in the
 * plane, and g the velocity of c relative to the plane's matter there (ki_law_contact at c):
 *
 *     rows    z_0 . (p_1 - p_0) = 0                holonomic
 *             l . g = 0                            nonholonomic
 *
 * In the plane only the second remains, with l = y_1.
 */
#include "laws/joint.h"

/* l; the bound keeps an edge that stands upright finite */
static ki_jets sideways(const ki_law *law) {
    ki_graph *g = law->g;
    if (law->plane)
        return ki_law_axis(law, 1, 1);
    ki_jets l = ki_jets_cross(g, ki_law_axis(law, 0, 2), ki_law_axis(law, 1, 0));
    ki_jet s = ki_jet_root(g, ki_jets_dot(g, l, l), 1e-9);
    return ki_jets_times(g, ki_jet_inverse(g, s), l);
}

static void rows(const ki_law *law, ki_law_row *out) {
    vec none = vec_zero(law->g);
    ki_law_point c = ki_law_origin(law, 1);
    ki_jets l = sideways(law), off = {none, none, none};
    if (!law->plane)
        *out++ = ki_law_along(law, 2);
    *out = ki_law_contact(law, &c, &off, &l);
}

static const ki_joint_law_role PLANAR = {
    .conditions = 1, .n_v = -1, .n_n = 1, .row_name = {"across"}, .rows = rows};

static const ki_joint_law_role SPATIAL = {
    .conditions = 2, .n_v = -1, .n_h = 1, .n_n = 1, .row_name = {"height", "across"}, .rows = rows};

const ki_joint_law ki_law_skate = {.word = "skate",
                                   .summary = "a knife edge: slides along its edge, not across it",
                                   .planar = &PLANAR,
                                   .spatial = &SPATIAL,
                                   .one_way = true};

/* Distance: a rod without mass between a point of either body; always cut.
 *
 *     row     |p_1 - p_0| - length = 0
 */
#include "laws/joint.h"

static void rows(const ki_law *law, ki_law_row *out) {
    ki_law_point p_0 = ki_law_origin(law, 0), p_1 = ki_law_origin(law, 1);
    out[0] = ki_law_length(law->g, &p_0, &p_1);
    out[0].value = minus(law->g, out[0].value, law->length);
}

static const ki_joint_law_role ROLE = {
    .conditions = 1, .n_v = -1, .n_h = 1, .row_name = {"length"}, .rows = rows};

const ki_joint_law ki_law_distance = {.word = "distance",
                                      .summary = "a rod without mass: two points keep their distance",
                                      .planar = &ROLE,
                                      .spatial = &ROLE,
                                      .needs_length = true};

/* Fixed: the bodies are one. It has no coordinates.
 *
 *     place   R = 1, r = 0
 *     rows    p_1 - p_0 = 0  (world axes),  y_0 . z_1 = 0,  x_0 . z_1 = 0,  y_0 . x_1 = 0
 *
 * In the plane: p_1 - p_0 = 0 and the angle between the frames = 0.
 */
#include "laws/joint.h"

static void rows(const ki_law *law, ki_law_row *out) {
    int count = ki_law_coincide(law, out);
    if (law->plane)
        out[count] = ki_law_angle(law);
    else
        ki_law_aligned(law, out + count);
}

static const ki_joint_law_role PLANAR = {.conditions = 3,
                                         .n_h = 3,
                                         .world_rows = 2,
                                         .turning_rows = 1,
                                         .row_name = {"x", "y", "turn"},
                                         .rows = rows};

static const ki_joint_law_role SPATIAL = {.conditions = 6,
                                          .n_h = 6,
                                          .world_rows = 3,
                                          .turning_rows = 3,
                                          .row_name = {"x", "y", "z", "tilt_x", "tilt_y", "turn"},
                                          .rows = rows};

const ki_joint_law ki_law_fixed = {
    .word = "fixed", .summary = "a weld: the bodies move as one", .planar = &PLANAR, .spatial = &SPATIAL};

/* Prismatic: a slider. Slides along its axis z, in the plane along x; q = (displacement).
 *
 *     place   R = 1, r = q z                       S = (0, z)
 *     rows    x_0 . (p_1 - p_0) = 0,  y_0 . (p_1 - p_0) = 0
 *             y_0 . z_1 = 0,  x_0 . z_1 = 0,  y_0 . x_1 = 0
 *
 * In the plane: y_0 . (p_1 - p_0) = 0 and the angle between the frames = 0.
 */
#include "laws/joint.h"

static int axis_of(const ki_law *law) {
    return law->plane ? 0 : 2;
}

static void place(const ki_law *law, ki_law_hinge *out) {
    out->pose.r.x[axis_of(law)] = law->q[0];
    out->V[0] = ki_law_unit(law->g, axis_of(law));
}

static void fit(const ki_law *law, ki_node *q) {
    q[0] = law->pose.r.x[axis_of(law)];
}

static void rows(const ki_law *law, ki_law_row *out) {
    if (law->plane) {
        out[0] = ki_law_along(law, 1);
        out[1] = ki_law_angle(law);
        return;
    }
    out[0] = ki_law_along(law, 0);
    out[1] = ki_law_along(law, 1);
    ki_law_aligned(law, out + 2);
}

static ki_law_row measure(const ki_law *law, int k) {
    (void)k;
    return ki_law_along(law, axis_of(law));
}

static const ki_joint_law_role PLANAR = {.conditions = 2,
                                         .n_q = 1,
                                         .n_v = 1,
                                         .q_name = {"displacement"},
                                         .v_name = {"displacement'"},
                                         .place = place,
                                         .fit = fit,
                                         .n_h = 2,
                                         .turning_rows = 1,
                                         .row_name = {"across", "turn"},
                                         .rows = rows,
                                         .pressing = 1,
                                         .coordinates = 1,
                                         .coordinate_name = {"displacement"},
                                         .measure = measure};

static const ki_joint_law_role SPATIAL = {.conditions = 5,
                                          .n_q = 1,
                                          .n_v = 1,
                                          .q_name = {"displacement"},
                                          .v_name = {"displacement'"},
                                          .place = place,
                                          .fit = fit,
                                          .n_h = 5,
                                          .turning_rows = 3,
                                          .row_name = {"across_x", "across_y", "tilt_x", "tilt_y", "turn"},
                                          .rows = rows,
                                          .pressing = 2,
                                          .coordinates = 1,
                                          .coordinate_name = {"displacement"},
                                          .measure = measure};

const ki_joint_law ki_law_prismatic = {.word = "prismatic",
                                       .summary = "a slider: one body slides along an axis of the other",
                                       .planar = &PLANAR,
                                       .spatial = &SPATIAL,
                                       .needs_axis = true};

/* Point on a line: the origin of frame 1 stays on the axis z of frame 0, in the plane on the axis x; body 1
 * turns freely. q = (displacement, e0, e1, e2, e3), in the plane (displacement, angle).
 *
 *     place   R = R(e), r = q_0 z                  S = (0, z), (R, 0);  bias = 0
 *     rows    x_0 . (p_1 - p_0) = 0,  y_0 . (p_1 - p_0) = 0;   in the plane the second alone
 */
#include "laws/joint.h"

static int axis_of(const ki_law *law) {
    return law->plane ? 0 : 2;
}

static void place(const ki_law *law, ki_law_hinge *out) {
    out->pose.r.x[axis_of(law)] = law->q[0];
    out->V[0] = ki_law_unit(law->g, axis_of(law));
    if (law->plane) {
        out->pose.angle = law->q[1];
        out->pose.R = ki_law_turn_about(law->g, 2, law->turn[1]);
        out->Omega[1] = ki_law_unit(law->g, 2);
        return;
    }
    out->pose.R = ki_law_quaternion(law->g, law->q + 1);
    for (int k = 0; k < 3; k++)
        out->Omega[1 + k] = mat_column(&out->pose.R, k);
}

static void fit(const ki_law *law, ki_node *q) {
    q[0] = law->pose.r.x[axis_of(law)];
    if (law->plane)
        q[1] = law->pose.angle;
}

static void rows(const ki_law *law, ki_law_row *out) {
    if (!law->plane)
        *out++ = ki_law_along(law, 0);
    *out = ki_law_along(law, 1);
}

static ki_law_row measure(const ki_law *law, int k) {
    return k == 0 ? ki_law_along(law, axis_of(law)) : ki_law_angle(law);
}

static const ki_joint_law_role PLANAR = {.conditions = 1,
                                         .n_q = 2,
                                         .n_v = 2,
                                         .q_name = {"displacement", "angle"},
                                         .v_name = {"displacement'", "angle'"},
                                         .place = place,
                                         .fit = fit,
                                         .n_h = 1,
                                         .row_name = {"across"},
                                         .rows = rows,
                                         .pressing = 1,
                                         .coordinates = 2,
                                         .coordinate_name = {"displacement", "angle"},
                                         .turns = {false, true},
                                         .measure = measure};

static const ki_joint_law_role SPATIAL = {.conditions = 2,
                                          .n_q = 5,
                                          .n_v = 4,
                                          .q_name = {"displacement", "e0", "e1", "e2", "e3"},
                                          .v_name = {"displacement'", "omega1", "omega2", "omega3"},
                                          .place = place,
                                          .fit = fit,
                                          .n_h = 2,
                                          .row_name = {"across_x", "across_y"},
                                          .rows = rows,
                                          .pressing = 2,
                                          .coordinates = 1,
                                          .coordinate_name = {"displacement"},
                                          .measure = measure};

const ki_joint_law ki_law_point_on_line = {.word = "point-on-line",
                                           .summary =
                                               "a pin in a slot: a point of one body on a line of another",
                                           .planar = &PLANAR,
                                           .spatial = &SPATIAL,
                                           .needs_axis = true,
                                           .one_way = true};

/* Universal: a cross between two forks. Its arms are x of frame 0, fixed on body 0, and y of frame 1, fixed
 * on body 1, and stay perpendicular. q = (angle1 about x_0, angle2 about y_1).
 *
 *     place   R = R_x(q_0) R_y(q_1), r = 0
 *     S       (x, 0), (y_1, 0)     with y_1 = (0, cos q_0, sin q_0) in frame 0
 *     bias    q_0' q_1' (0, -sin q_0, cos q_0)
 *     rows    p_1 - p_0 = 0  (world axes),  x_0 . y_1 = 0
 *
 *         [  c1     0    s1   ]
 *     R = [ s0 s1  c0  -s0 c1 ]        tan q_0 = z_0 . y_1 / y_0 . y_1,  tan q_1 = x_0 . z_1 / x_0 . x_1
 *         [-c0 s1  s0   c0 c1 ]
 */
#include "laws/joint.h"

static void place(const ki_law *law, ki_law_hinge *out) {
    ki_graph *g = law->g;
    mat R_x = ki_law_turn_about(g, 0, law->turn[0]), R_y = ki_law_turn_about(g, 1, law->turn[1]);
    out->pose.R = mat_mat(g, &R_x, &R_y);
    out->Omega[0] = ki_law_unit(g, 0);
    out->Omega[1] = mat_column(&R_x, 1);
    out->bias = vec_times(g, times(g, law->v[0], law->v[1]), mat_column(&R_x, 2));
}

static void fit(const ki_law *law, ki_node *q) {
    const ki_node *R = law->pose.R.x;
    q[0] = ki_binary(law->g, KI_ATAN2, R[7], R[4]);
    q[1] = ki_binary(law->g, KI_ATAN2, R[2], R[0]);
}

static void rows(const ki_law *law, ki_law_row *out) {
    ki_law_coincide(law, out);
    out[3] = ki_law_dot(law, 0, 1);
}

static ki_law_row measure(const ki_law *law, int k) {
    ki_law_row sine = k == 0 ? ki_law_dot(law, 2, 1) : ki_law_dot(law, 0, 2);
    ki_law_row cosine = k == 0 ? ki_law_dot(law, 1, 1) : ki_law_dot(law, 0, 0);
    return ki_law_atan2(law->g, &sine, &cosine);
}

static const ki_joint_law_role SPATIAL = {.conditions = 4,
                                          .n_q = 2,
                                          .n_v = 2,
                                          .q_name = {"angle1", "angle2"},
                                          .v_name = {"angle1'", "angle2'"},
                                          .place = place,
                                          .fit = fit,
                                          .n_h = 4,
                                          .world_rows = 3,
                                          .turning_rows = 1,
                                          .row_name = {"x", "y", "z", "twist"},
                                          .rows = rows,
                                          .pressing = 3,
                                          .coordinates = 2,
                                          .coordinate_name = {"angle1", "angle2"},
                                          .turns = {true, true},
                                          .measure = measure};

const ki_joint_law ki_law_universal = {.word = "universal",
                                       .summary = "a cross: turns about an axis of either body",
                                       .spatial = &SPATIAL,
                                       .needs_axis = true,
                                       .one_way = true};

/* Point on a line: the origin of frame 1 stays on the axis z of frame 0, in the plane on the axis x; body 1
 * turns freely. q = (displacement, e0, e1, e2, e3), in the plane (displacement, angle).
 *
 *     place   R = R(e), r = q_0 z                  S = (0, z), (R, 0);  bias = 0
 *     rows    x_0 . (p_1 - p_0) = 0,  y_0 . (p_1 - p_0) = 0;   in the plane the second alone
 */
#include "mechanism/joints/joints.h"

static void place_planar(const ki_joint *joint, const double *q, ki_relative *relative) {
    (void)joint;
    relative->r[0] = q[0], relative->r[1] = 0;
    relative->angle = q[1];
}

static void columns_planar(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)joint, (void)q;
    ki_no_columns(KI_PLANAR, 2, v, S, bias);
    S[1] = 1;
    S[3 + 0] = 1;
}

static void fit_planar(const ki_joint *joint, const ki_relative *relative, double *q) {
    (void)joint;
    q[0] = relative->r[0];
    q[1] = relative->angle;
}

static void rows_planar(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                        ki_row *rows) {
    ki_planar_row_along(joint, s0, s1, 1, level, rows);
}

static void measure_planar(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q,
                           int k, ki_level level, ki_row *row) {
    if (k == 0)
        ki_planar_row_along(joint, s0, s1, 0, level, row);
    else
        ki_planar_row_angle(joint, s0, s1, q ? q + 1 : NULL, level, row);
}

static double normal_planar(const ki_joint *joint, const double *lambda, double *derivative) {
    (void)joint;
    return ki_force_size(lambda, 1, 1, derivative);
}

static void place(const ki_joint *joint, const double *q, ki_relative *relative) {
    (void)joint;
    ki_quaternion_matrix(q + 1, relative->R);
    relative->r[0] = relative->r[1] = 0;
    relative->r[2] = q[0];
}

static void columns(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)joint;
    ki_no_columns(KI_SPATIAL, 4, v, S, bias);
    S[5] = 1;
    ki_ball_columns(q + 1, S + 6);
}

static void fit(const ki_joint *joint, const ki_relative *relative, double *q) {
    (void)joint;
    q[0] = relative->r[2];
    ki_matrix_quaternion(relative->R, q + 1);
}

static void kinematics(const double *q, const double *v, double *q_rate) {
    q_rate[0] = v[0];
    ki_quaternion_rate(q + 1, v + 1, q_rate + 1);
}

static void advance(double *q, const double *dv) {
    q[0] += dv[0];
    ki_quaternion_advance(q + 1, dv + 1);
}

static void pull(const double *q, const double *dq, double *dv) {
    dv[0] = dq[0];
    ki_quaternion_pull(q + 1, dq + 1, dv + 1);
}

static void rows(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *out) {
    ki_row_along(joint, s0, s1, 0, level, &out[0]);
    ki_row_along(joint, s0, s1, 1, level, &out[1]);
}

static void measure(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q, int k,
                    ki_level level, ki_row *row) {
    (void)q, (void)k;
    ki_row_along(joint, s0, s1, 2, level, row);
}

static double normal(const ki_joint *joint, const double *lambda, double *derivative) {
    (void)joint;
    return ki_force_size(lambda, 2, 2, derivative);
}

static const ki_joint_role PLANAR = {.conditions = 1,
                                     .n_q = 2,
                                     .n_v = 2,
                                     .q_name = {"displacement", "angle"},
                                     .v_name = {"displacement'", "angle'"},
                                     .place = place_planar,
                                     .columns = columns_planar,
                                     .fit = fit_planar,
                                     .n_h = 1,
                                     .row_name = {"across"},
                                     .rows = rows_planar,
                                     .coordinates = 2,
                                     .coordinate_name = {"displacement", "angle"},
                                     .turns = {false, true},
                                     .measure = measure_planar,
                                     .normal_force = normal_planar};

static const ki_joint_role SPATIAL = {.conditions = 2,
                                      .n_q = 5,
                                      .n_v = 4,
                                      .q_name = {"displacement", "e0", "e1", "e2", "e3"},
                                      .v_name = {"displacement'", "omega1", "omega2", "omega3"},
                                      .place = place,
                                      .columns = columns,
                                      .fit = fit,
                                      .kinematics = kinematics,
                                      .advance = advance,
                                      .pull = pull,
                                      .n_h = 2,
                                      .row_name = {"across_x", "across_y"},
                                      .rows = rows,
                                      .coordinates = 1,
                                      .coordinate_name = {"displacement"},
                                      .measure = measure,
                                      .normal_force = normal};

const ki_joint_type ki_joint_point_on_line = {.word = "point-on-line",
                                              .summary =
                                                  "a pin in a slot: a point of one body on a line of another",
                                              .planar = &PLANAR,
                                              .spatial = &SPATIAL,
                                              .needs_axis = true,
                                              .one_way = true};

/* Point on a plane: the origin of frame 1 stays in the plane of frame 0, normal z; body 1 turns freely.
 * q = (x, y, e0, e1, e2, e3).
 *
 *     place   R = R(e), r = (q_0, q_1, 0)          S = (0, x), (0, y), (R, 0);  bias = 0
 *     row     z_0 . (p_1 - p_0) = 0
 */
#include "mechanism/joints/joints.h"

static void place(const ki_joint *joint, const double *q, ki_relative *relative) {
    (void)joint;
    ki_quaternion_matrix(q + 2, relative->R);
    relative->r[0] = q[0], relative->r[1] = q[1], relative->r[2] = 0;
}

static void columns(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)joint;
    ki_no_columns(KI_SPATIAL, 5, v, S, bias);
    S[3] = 1;
    S[6 + 4] = 1;
    ki_ball_columns(q + 2, S + 12);
}

static void fit(const ki_joint *joint, const ki_relative *relative, double *q) {
    (void)joint;
    q[0] = relative->r[0];
    q[1] = relative->r[1];
    ki_matrix_quaternion(relative->R, q + 2);
}

static void kinematics(const double *q, const double *v, double *q_rate) {
    q_rate[0] = v[0];
    q_rate[1] = v[1];
    ki_quaternion_rate(q + 2, v + 2, q_rate + 2);
}

static void advance(double *q, const double *dv) {
    q[0] += dv[0];
    q[1] += dv[1];
    ki_quaternion_advance(q + 2, dv + 2);
}

static void pull(const double *q, const double *dq, double *dv) {
    dv[0] = dq[0];
    dv[1] = dq[1];
    ki_quaternion_pull(q + 2, dq + 2, dv + 2);
}

static void rows(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *out) {
    ki_row_along(joint, s0, s1, 2, level, out);
}

static void measure(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q, int k,
                    ki_level level, ki_row *row) {
    (void)q;
    ki_row_along(joint, s0, s1, k, level, row);
}

static double normal(const ki_joint *joint, const double *lambda, double *derivative) {
    (void)joint;
    return ki_force_size(lambda, 1, 1, derivative);
}

static const ki_joint_role SPATIAL = {.conditions = 1,
                                      .n_q = 6,
                                      .n_v = 5,
                                      .q_name = {"x", "y", "e0", "e1", "e2", "e3"},
                                      .v_name = {"x'", "y'", "omega1", "omega2", "omega3"},
                                      .place = place,
                                      .columns = columns,
                                      .fit = fit,
                                      .kinematics = kinematics,
                                      .advance = advance,
                                      .pull = pull,
                                      .n_h = 1,
                                      .row_name = {"height"},
                                      .rows = rows,
                                      .coordinates = 2,
                                      .coordinate_name = {"x", "y"},
                                      .measure = measure,
                                      .normal_force = normal};

const ki_joint_type ki_joint_point_on_plane = {.word = "point-on-plane",
                                               .summary = "a point of one body on a plane of another",
                                               .spatial = &SPATIAL,
                                               .one_way = true};

/* Free: no condition; a body with its own pose. q = (x, y, z, e0, e1, e2, e3): place of frame 1 in frame 0
 * and its quaternion; v = velocity in the axes of frame 0, angular velocity in the axes of frame 1.
 *
 *     place   R = R(e), r = (x, y, z)              S = (0, 1), (R, 0);  bias = 0
 *
 * In the plane q = (x, y, angle), q' = v.
 */
#include "mechanism/joints/joints.h"

static void place_planar(const ki_joint *joint, const double *q, ki_relative *relative) {
    (void)joint;
    relative->r[0] = q[0];
    relative->r[1] = q[1];
    relative->angle = q[2];
}

static void columns_planar(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)joint, (void)q;
    ki_no_columns(KI_PLANAR, 3, v, S, bias);
    S[1] = 1;
    S[3 + 2] = 1;
    S[6 + 0] = 1;
}

static void fit_planar(const ki_joint *joint, const ki_relative *relative, double *q) {
    (void)joint;
    q[0] = relative->r[0];
    q[1] = relative->r[1];
    q[2] = relative->angle;
}

static void measure_planar(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q,
                           int k, ki_level level, ki_row *row) {
    if (k == 2)
        ki_planar_row_angle(joint, s0, s1, q ? q + 2 : NULL, level, row);
    else
        ki_planar_row_along(joint, s0, s1, k, level, row);
}

static void place(const ki_joint *joint, const double *q, ki_relative *relative) {
    (void)joint;
    ki_copy3(q, relative->r);
    ki_quaternion_matrix(q + 3, relative->R);
}

static void columns(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)joint;
    ki_no_columns(KI_SPATIAL, 6, v, S, bias);
    for (int k = 0; k < 3; k++)
        S[6 * k + 3 + k] = 1;
    ki_ball_columns(q + 3, S + 18);
}

static void fit(const ki_joint *joint, const ki_relative *relative, double *q) {
    (void)joint;
    ki_copy3(relative->r, q);
    ki_matrix_quaternion(relative->R, q + 3);
}

static void kinematics(const double *q, const double *v, double *q_rate) {
    ki_copy3(v, q_rate);
    ki_quaternion_rate(q + 3, v + 3, q_rate + 3);
}

static void advance(double *q, const double *dv) {
    ki_add_scaled(1, dv, q);
    ki_quaternion_advance(q + 3, dv + 3);
}

static void pull(const double *q, const double *dq, double *dv) {
    ki_copy3(dq, dv);
    ki_quaternion_pull(q + 3, dq + 3, dv + 3);
}

static void measure(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q, int k,
                    ki_level level, ki_row *row) {
    (void)q;
    ki_row_along(joint, s0, s1, k, level, row);
}

static const ki_joint_role PLANAR = {.n_q = 3,
                                     .n_v = 3,
                                     .q_name = {"x", "y", "angle"},
                                     .v_name = {"x'", "y'", "angle'"},
                                     .place = place_planar,
                                     .columns = columns_planar,
                                     .fit = fit_planar,
                                     .coordinates = 3,
                                     .coordinate_name = {"x", "y", "angle"},
                                     .turns = {false, false, true},
                                     .measure = measure_planar};

static const ki_joint_role SPATIAL = {.n_q = 7,
                                      .n_v = 6,
                                      .q_name = {"x", "y", "z", "e0", "e1", "e2", "e3"},
                                      .v_name = {"x'", "y'", "z'", "omega1", "omega2", "omega3"},
                                      .place = place,
                                      .columns = columns,
                                      .fit = fit,
                                      .kinematics = kinematics,
                                      .advance = advance,
                                      .pull = pull,
                                      .coordinates = 3,
                                      .coordinate_name = {"x", "y", "z"},
                                      .measure = measure};

const ki_joint_type ki_joint_free = {.word = "free",
                                     .summary = "ties nothing, but measures where one body is from another",
                                     .planar = &PLANAR,
                                     .spatial = &SPATIAL,
                                     .one_way = true};

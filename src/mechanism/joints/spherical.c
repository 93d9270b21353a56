/* Spherical: a ball in a socket. q = (e0, e1, e2, e3), the quaternion of frame 1 in frame 0; v = angular
 * velocity in the axes of frame 1.
 *
 *     place   R = R(e), r = 0                      S = (R, 0);  bias = R (v x v) = 0
 *     rows    p_1 - p_0 = 0   (world axes)
 */
#include <string.h>

#include "mechanism/joints/joints.h"

static void place(const ki_joint *joint, const double *q, ki_relative *relative) {
    (void)joint;
    ki_quaternion_matrix(q, relative->R);
    memset(relative->r, 0, sizeof relative->r);
}

static void columns(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)joint;
    ki_no_columns(KI_SPATIAL, 3, v, S, bias);
    ki_ball_columns(q, S);
}

static void fit(const ki_joint *joint, const ki_relative *relative, double *q) {
    (void)joint;
    ki_matrix_quaternion(relative->R, q);
}

static void rows(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *out) {
    ki_rows_coincide(joint, s0, s1, level, out);
}

static double normal(const ki_joint *joint, const double *lambda, double *derivative) {
    (void)joint;
    return ki_force_size(lambda, 3, 3, derivative);
}

static const ki_joint_role SPATIAL = {.conditions = 3,
                                      .n_q = 4,
                                      .n_v = 3,
                                      .q_name = {"e0", "e1", "e2", "e3"},
                                      .v_name = {"omega1", "omega2", "omega3"},
                                      .place = place,
                                      .columns = columns,
                                      .fit = fit,
                                      .kinematics = ki_quaternion_rate,
                                      .advance = ki_quaternion_advance,
                                      .pull = ki_quaternion_pull,
                                      .n_h = 3,
                                      .world_rows = 3,
                                      .row_name = {"x", "y", "z"},
                                      .rows = rows,
                                      .normal_force = normal};

const ki_joint_type ki_joint_spherical = {
    .word = "spherical", .summary = "a ball in a socket: turns freely about a point", .spatial = &SPATIAL};

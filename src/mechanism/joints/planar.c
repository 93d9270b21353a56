/* Planar: a flat face on a flat face. Frame 1 stays in the plane of frame 0, normal z; q = (x, y, angle).
 *
 *     place   R = R_z(q_2), r = (q_0, q_1, 0)      S = (0, x), (0, y), (z, 0)
 *     rows    z_0 . (p_1 - p_0) = 0,  y_0 . z_1 = 0,  x_0 . z_1 = 0
 */
#include "mechanism/joints/joints.h"

static void place(const ki_joint *joint, const double *q, ki_relative *relative) {
    (void)joint;
    ki_turn_about(2, q[2], relative->R);
    relative->r[0] = q[0], relative->r[1] = q[1], relative->r[2] = 0;
}

static void columns(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)joint, (void)q;
    ki_no_columns(KI_SPATIAL, 3, v, S, bias);
    S[3] = 1;
    S[6 + 4] = 1;
    S[12 + 2] = 1;
}

static void fit(const ki_joint *joint, const ki_relative *relative, double *q) {
    (void)joint;
    q[0] = relative->r[0];
    q[1] = relative->r[1];
    q[2] = ki_turn_of(relative->R);
}

static void rows(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *out) {
    ki_row_along(joint, s0, s1, 2, level, &out[0]);
    ki_rows_parallel(joint, s0, s1, level, out + 1);
}

static void measure(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q, int k,
                    ki_level level, ki_row *row) {
    if (k == 2)
        ki_row_angle(joint, s0, s1, q ? q + 2 : NULL, level, row);
    else
        ki_row_along(joint, s0, s1, k, level, row);
}

static double normal(const ki_joint *joint, const double *lambda, double *derivative) {
    (void)joint;
    return ki_force_size(lambda, 1, 3, derivative);
}

static const ki_joint_role SPATIAL = {.conditions = 3,
                                      .n_q = 3,
                                      .n_v = 3,
                                      .q_name = {"x", "y", "angle"},
                                      .v_name = {"x'", "y'", "angle'"},
                                      .place = place,
                                      .columns = columns,
                                      .fit = fit,
                                      .n_h = 3,
                                      .turning_rows = 2,
                                      .row_name = {"height", "tilt_x", "tilt_y"},
                                      .rows = rows,
                                      .coordinates = 3,
                                      .coordinate_name = {"x", "y", "angle"},
                                      .turns = {false, false, true},
                                      .measure = measure,
                                      .normal_force = normal};

const ki_joint_type ki_joint_planar = {.word = "planar",
                                       .summary =
                                           "a flat face on a flat face: slides in a plane and turns in it",
                                       .spatial = &SPATIAL,
                                       .one_way = true};

/* Cylindrical: turns about its axis z and slides along it, q = (angle, displacement).
 *
 *     place   R = R_z(q_0), r = q_1 z              S = (z, 0), (0, z)
 *     rows    x_0 . (p_1 - p_0) = 0,  y_0 . (p_1 - p_0) = 0,  y_0 . z_1 = 0,  x_0 . z_1 = 0
 */
#include "mechanism/joints/joints.h"

static void place(const ki_joint *joint, const double *q, ki_relative *relative) {
    (void)joint;
    ki_turn_about(2, q[0], relative->R);
    relative->r[0] = relative->r[1] = 0;
    relative->r[2] = q[1];
}

static void columns(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)joint, (void)q;
    ki_no_columns(KI_SPATIAL, 2, v, S, bias);
    S[2] = 1;
    S[6 + 5] = 1;
}

static void fit(const ki_joint *joint, const ki_relative *relative, double *q) {
    (void)joint;
    q[0] = ki_turn_of(relative->R);
    q[1] = relative->r[2];
}

static void rows(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *out) {
    ki_row_along(joint, s0, s1, 0, level, &out[0]);
    ki_row_along(joint, s0, s1, 1, level, &out[1]);
    ki_rows_parallel(joint, s0, s1, level, out + 2);
}

static void measure(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q, int k,
                    ki_level level, ki_row *row) {
    if (k == 0)
        ki_row_angle(joint, s0, s1, q, level, row);
    else
        ki_row_along(joint, s0, s1, 2, level, row);
}

static double normal(const ki_joint *joint, const double *lambda, double *derivative) {
    (void)joint;
    return ki_force_size(lambda, 2, 4, derivative);
}

static const ki_joint_role SPATIAL = {.conditions = 4,
                                      .n_q = 2,
                                      .n_v = 2,
                                      .q_name = {"angle", "displacement"},
                                      .v_name = {"angle'", "displacement'"},
                                      .place = place,
                                      .columns = columns,
                                      .fit = fit,
                                      .n_h = 4,
                                      .turning_rows = 2,
                                      .row_name = {"across_x", "across_y", "tilt_x", "tilt_y"},
                                      .rows = rows,
                                      .coordinates = 2,
                                      .coordinate_name = {"angle", "displacement"},
                                      .turns = {true, false},
                                      .measure = measure,
                                      .normal_force = normal};

const ki_joint_type ki_joint_cylindrical = {.word = "cylindrical",
                                            .summary =
                                                "a bolt in a bore: turns about an axis and slides along it",
                                            .spatial = &SPATIAL,
                                            .needs_axis = true};

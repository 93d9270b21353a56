/* Prismatic: a slider. Slides along its axis z, in the plane along x; q = (displacement).
 *
 *     place   R = 1, r = q z                       S = (0, z)
 *     rows    x_0 . (p_1 - p_0) = 0,  y_0 . (p_1 - p_0) = 0
 *             y_0 . z_1 = 0,  x_0 . z_1 = 0,  y_0 . x_1 = 0
 *
 * In the plane: y_0 . (p_1 - p_0) = 0 and the angle between the frames = 0.
 */
#include <string.h>

#include "mechanism/joints/joints.h"

static void place_planar(const ki_joint *joint, const double *q, ki_relative *relative) {
    (void)joint;
    relative->angle = 0;
    relative->r[0] = q[0], relative->r[1] = 0;
}

static void columns_planar(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)joint, (void)q;
    ki_no_columns(KI_PLANAR, 1, v, S, bias);
    S[1] = 1;
}

static void fit_planar(const ki_joint *joint, const ki_relative *relative, double *q) {
    (void)joint;
    q[0] = relative->r[0];
}

static void rows_planar(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                        ki_row *rows) {
    ki_planar_row_along(joint, s0, s1, 1, level, &rows[0]);
    ki_planar_row_angle(joint, s0, s1, NULL, level, &rows[1]);
}

static void measure_planar(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q,
                           int k, ki_level level, ki_row *row) {
    (void)q, (void)k;
    ki_planar_row_along(joint, s0, s1, 0, level, row);
}

static double normal_planar(const ki_joint *joint, const double *lambda, double *derivative) {
    (void)joint;
    return ki_force_size(lambda, 1, 2, derivative);
}

static void place(const ki_joint *joint, const double *q, ki_relative *relative) {
    (void)joint;
    ki_turn_about(2, 0, relative->R);
    relative->r[0] = relative->r[1] = 0;
    relative->r[2] = q[0];
}

static void columns(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)joint, (void)q;
    ki_no_columns(KI_SPATIAL, 1, v, S, bias);
    S[5] = 1;
}

static void fit(const ki_joint *joint, const ki_relative *relative, double *q) {
    (void)joint;
    q[0] = relative->r[2];
}

static void rows(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *out) {
    ki_row_along(joint, s0, s1, 0, level, &out[0]);
    ki_row_along(joint, s0, s1, 1, level, &out[1]);
    ki_rows_aligned(joint, s0, s1, level, out + 2);
}

static void measure(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q, int k,
                    ki_level level, ki_row *row) {
    (void)q, (void)k;
    ki_row_along(joint, s0, s1, 2, level, row);
}

static double normal(const ki_joint *joint, const double *lambda, double *derivative) {
    (void)joint;
    return ki_force_size(lambda, 2, 5, derivative);
}

static const ki_joint_role PLANAR = {.conditions = 2,
                                     .n_q = 1,
                                     .n_v = 1,
                                     .q_name = {"displacement"},
                                     .v_name = {"displacement'"},
                                     .place = place_planar,
                                     .columns = columns_planar,
                                     .fit = fit_planar,
                                     .n_h = 2,
                                     .turning_rows = 1,
                                     .row_name = {"across", "turn"},
                                     .rows = rows_planar,
                                     .coordinates = 1,
                                     .coordinate_name = {"displacement"},
                                     .measure = measure_planar,
                                     .normal_force = normal_planar};

static const ki_joint_role SPATIAL = {.conditions = 5,
                                      .n_q = 1,
                                      .n_v = 1,
                                      .q_name = {"displacement"},
                                      .v_name = {"displacement'"},
                                      .place = place,
                                      .columns = columns,
                                      .fit = fit,
                                      .n_h = 5,
                                      .turning_rows = 3,
                                      .row_name = {"across_x", "across_y", "tilt_x", "tilt_y", "turn"},
                                      .rows = rows,
                                      .coordinates = 1,
                                      .coordinate_name = {"displacement"},
                                      .measure = measure,
                                      .normal_force = normal};

const ki_joint_type ki_joint_prismatic = {.word = "prismatic",
                                          .summary = "a slider: one body slides along an axis of the other",
                                          .planar = &PLANAR,
                                          .spatial = &SPATIAL,
                                          .needs_axis = true};

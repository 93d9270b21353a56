/* Revolute: a pin. Turns about its axis z, q = (angle).
 *
 *     place   R = R_z(q), r = 0                    S = (z, 0)
 *     rows    p_1 - p_0 = 0   (world axes)         y_0 . z_1 = 0,  x_0 . z_1 = 0
 *
 * In the plane the first two of the rows remain.
 */
#include <string.h>

#include "mechanism/joints/joints.h"

static void place_planar(const ki_joint *joint, const double *q, ki_relative *relative) {
    (void)joint;
    relative->angle = q[0];
    relative->r[0] = relative->r[1] = 0;
}

static void columns_planar(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)joint, (void)q;
    ki_no_columns(KI_PLANAR, 1, v, S, bias);
    S[0] = 1;
}

static void fit_planar(const ki_joint *joint, const ki_relative *relative, double *q) {
    (void)joint;
    q[0] = relative->angle;
}

static void rows_planar(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                        ki_row *rows) {
    ki_planar_rows_coincide(joint, s0, s1, level, rows);
}

static void measure_planar(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q,
                           int k, ki_level level, ki_row *row) {
    (void)k;
    ki_planar_row_angle(joint, s0, s1, q, level, row);
}

static double normal_planar(const ki_joint *joint, const double *lambda, double *derivative) {
    (void)joint;
    return ki_force_size(lambda, 2, 2, derivative);
}

static void place(const ki_joint *joint, const double *q, ki_relative *relative) {
    (void)joint;
    ki_turn_about(2, q[0], relative->R);
    memset(relative->r, 0, sizeof relative->r);
}

static void columns(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)joint, (void)q;
    ki_no_columns(KI_SPATIAL, 1, v, S, bias);
    S[2] = 1;
}

static void fit(const ki_joint *joint, const ki_relative *relative, double *q) {
    (void)joint;
    q[0] = ki_turn_of(relative->R);
}

static void rows(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *out) {
    ki_rows_coincide(joint, s0, s1, level, out);
    ki_rows_parallel(joint, s0, s1, level, out + 3);
}

static void measure(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q, int k,
                    ki_level level, ki_row *row) {
    (void)k;
    ki_row_angle(joint, s0, s1, q, level, row);
}

static double normal(const ki_joint *joint, const double *lambda, double *derivative) {
    (void)joint;
    return ki_force_size(lambda, 3, 5, derivative);
}

static const ki_joint_role PLANAR = {.conditions = 2,
                                     .n_q = 1,
                                     .n_v = 1,
                                     .q_name = {"angle"},
                                     .v_name = {"angle'"},
                                     .place = place_planar,
                                     .columns = columns_planar,
                                     .is_pin = true,
                                     .fit = fit_planar,
                                     .n_h = 2,
                                     .world_rows = 2,
                                     .row_name = {"x", "y"},
                                     .rows = rows_planar,
                                     .coordinates = 1,
                                     .coordinate_name = {"angle"},
                                     .turns = {true},
                                     .measure = measure_planar,
                                     .normal_force = normal_planar};

static const ki_joint_role SPATIAL = {.conditions = 5,
                                      .n_q = 1,
                                      .n_v = 1,
                                      .q_name = {"angle"},
                                      .v_name = {"angle'"},
                                      .place = place,
                                      .columns = columns,
                                      .is_pin = true,
                                      .fit = fit,
                                      .n_h = 5,
                                      .world_rows = 3,
                                      .turning_rows = 2,
                                      .row_name = {"x", "y", "z", "tilt_x", "tilt_y"},
                                      .rows = rows,
                                      .coordinates = 1,
                                      .coordinate_name = {"angle"},
                                      .turns = {true},
                                      .measure = measure,
                                      .normal_force = normal};

const ki_joint_type ki_joint_revolute = {.word = "revolute",
                                         .summary = "a pin: the bodies turn about a common axis",
                                         .planar = &PLANAR,
                                         .spatial = &SPATIAL};

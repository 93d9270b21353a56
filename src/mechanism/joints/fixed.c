/* Fixed: the bodies are one. It has no coordinates.
 *
 *     place   R = 1, r = 0
 *     rows    p_1 - p_0 = 0  (world axes),  y_0 . z_1 = 0,  x_0 . z_1 = 0,  y_0 . x_1 = 0
 *
 * In the plane: p_1 - p_0 = 0 and the angle between the frames = 0.
 */
#include <string.h>

#include "mechanism/joints/joints.h"

static void place_planar(const ki_joint *joint, const double *q, ki_relative *relative) {
    (void)joint, (void)q;
    relative->angle = relative->r[0] = relative->r[1] = 0;
}

static void columns_planar(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)joint, (void)q;
    ki_no_columns(KI_PLANAR, 0, v, S, bias);
}

static void rows_planar(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                        ki_row *rows) {
    ki_planar_rows_coincide(joint, s0, s1, level, rows);
    ki_planar_row_angle(joint, s0, s1, NULL, level, &rows[2]);
}

static void place(const ki_joint *joint, const double *q, ki_relative *relative) {
    (void)joint, (void)q;
    ki_turn_about(2, 0, relative->R);
    memset(relative->r, 0, sizeof relative->r);
}

static void columns(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)joint, (void)q;
    ki_no_columns(KI_SPATIAL, 0, v, S, bias);
}

static void fit(const ki_joint *joint, const ki_relative *relative, double *q) {
    (void)joint, (void)relative, (void)q;
}

static void rows(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *out) {
    ki_rows_coincide(joint, s0, s1, level, out);
    ki_rows_aligned(joint, s0, s1, level, out + 3);
}

static const ki_joint_role PLANAR = {.conditions = 3,
                                     .place = place_planar,
                                     .columns = columns_planar,
                                     .fit = fit,
                                     .n_h = 3,
                                     .world_rows = 2,
                                     .turning_rows = 1,
                                     .row_name = {"x", "y", "turn"},
                                     .rows = rows_planar};

static const ki_joint_role SPATIAL = {.conditions = 6,
                                      .place = place,
                                      .columns = columns,
                                      .fit = fit,
                                      .n_h = 6,
                                      .world_rows = 3,
                                      .turning_rows = 3,
                                      .row_name = {"x", "y", "z", "tilt_x", "tilt_y", "turn"},
                                      .rows = rows};

const ki_joint_type ki_joint_fixed = {
    .word = "fixed", .summary = "a weld: the bodies move as one", .planar = &PLANAR, .spatial = &SPATIAL};

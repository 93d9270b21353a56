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
#include <string.h>

#include "base/sine.h"
#include "mechanism/joints/joints.h"

static void place(const ki_joint *joint, const double *q, ki_relative *relative) {
    double R_x[9], R_y[9];
    (void)joint;
    ki_turn_about(0, q[0], R_x);
    ki_turn_about(1, q[1], R_y);
    ki_multiply(R_x, R_y, relative->R);
    memset(relative->r, 0, sizeof relative->r);
}

static void columns(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)joint;
    double c, s;
    ki_sine_cosine(q[0], &s, &c);
    ki_no_columns(KI_SPATIAL, 2, v, S, bias);
    S[0] = 1;
    S[6 + 1] = c;
    S[6 + 2] = s;
    if (v) {
        bias[1] = -s * v[0] * v[1];
        bias[2] = c * v[0] * v[1];
    }
}

static void fit(const ki_joint *joint, const ki_relative *relative, double *q) {
    const double *R = relative->R;
    (void)joint;
    q[0] = atan2(R[7], R[4]);
    q[1] = atan2(R[2], R[0]);
}

static void rows(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *out) {
    ki_rows_coincide(joint, s0, s1, level, out);
    ki_row_dot(joint, s0, s1, 0, 1, level, &out[3]);
}

static void measure(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q, int k,
                    ki_level level, ki_row *row) {
    ki_row sine, cosine;
    if (k == 0) {
        ki_row_dot(joint, s0, s1, 2, 1, level, &sine);
        ki_row_dot(joint, s0, s1, 1, 1, level, &cosine);
    } else {
        ki_row_dot(joint, s0, s1, 0, 2, level, &sine);
        ki_row_dot(joint, s0, s1, 0, 0, level, &cosine);
    }
    ki_row_atan2(&sine, &cosine, s0, s1, level, row);
    if (q)
        row->value = q[k];
}

static double normal(const ki_joint *joint, const double *lambda, double *derivative) {
    (void)joint;
    return ki_force_size(lambda, 3, 4, derivative);
}

static const ki_joint_role SPATIAL = {.conditions = 4,
                                      .n_q = 2,
                                      .n_v = 2,
                                      .q_name = {"angle1", "angle2"},
                                      .v_name = {"angle1'", "angle2'"},
                                      .place = place,
                                      .columns = columns,
                                      .bends = true,
                                      .fit = fit,
                                      .n_h = 4,
                                      .world_rows = 3,
                                      .turning_rows = 1,
                                      .row_name = {"x", "y", "z", "twist"},
                                      .rows = rows,
                                      .coordinates = 2,
                                      .coordinate_name = {"angle1", "angle2"},
                                      .turns = {true, true},
                                      .measure = measure,
                                      .normal_force = normal};

const ki_joint_type ki_joint_universal = {.word = "universal",
                                          .summary = "a cross: turns about an axis of either body",
                                          .spatial = &SPATIAL,
                                          .needs_axis = true,
                                          .one_way = true};

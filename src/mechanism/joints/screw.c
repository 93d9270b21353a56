/* Screw: turns about its axis z and goes pitch metres along it per turn, q = (angle). With h = pitch / 2 pi
 *
 *     place   R = R_z(q), r = h q z                S = (z, h z)
 *     rows    x_0 . (p_1 - p_0) = 0,  y_0 . (p_1 - p_0) = 0,  y_0 . z_1 = 0,  x_0 . z_1 = 0
 *             displacement - h angle = 0
 *
 * A pose tells the angle up to whole turns; the one that comes nearest to satisfying the last row is taken.
 */
#include "mechanism/joints/joints.h"

static const double TURN = 6.28318530717958647693;

static double lead(const ki_joint *joint) {
    return joint->pitch / TURN;
}

/* The angle with the whole turns that fit a displacement. */
static double count_turns(const ki_joint *joint, double angle, double displacement) {
    double h = lead(joint);
    return h == 0 ? angle : angle + TURN * round((displacement / h - angle) / TURN);
}

static void place(const ki_joint *joint, const double *q, ki_relative *relative) {
    ki_turn_about(2, q[0], relative->R);
    relative->r[0] = relative->r[1] = 0;
    relative->r[2] = lead(joint) * q[0];
}

static void columns(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)q;
    ki_no_columns(KI_SPATIAL, 1, v, S, bias);
    S[2] = 1;
    S[5] = lead(joint);
}

static void fit(const ki_joint *joint, const ki_relative *relative, double *q) {
    q[0] = count_turns(joint, ki_turn_of(relative->R), relative->r[2]);
}

static void rows(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *out) {
    ki_row angle;
    ki_row_along(joint, s0, s1, 0, level, &out[0]);
    ki_row_along(joint, s0, s1, 1, level, &out[1]);
    ki_row_along(joint, s0, s1, 2, level, &out[2]);
    ki_row_angle(joint, s0, s1, NULL, level, &angle);
    angle.value = count_turns(joint, angle.value, out[2].value);
    ki_row_add(-lead(joint), &angle, &out[2]);
    ki_rows_parallel(joint, s0, s1, level, out + 3);
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
    return ki_force_size(lambda, 3, 5, derivative);
}

static const ki_joint_role SPATIAL = {.conditions = 5,
                                      .n_q = 1,
                                      .n_v = 1,
                                      .q_name = {"angle"},
                                      .v_name = {"angle'"},
                                      .place = place,
                                      .columns = columns,
                                      .fit = fit,
                                      .n_h = 5,
                                      .turning_rows = 2,
                                      .row_name = {"across_x", "across_y", "thread", "tilt_x", "tilt_y"},
                                      .rows = rows,
                                      .coordinates = 2,
                                      .coordinate_name = {"angle", "displacement"},
                                      .turns = {true, false},
                                      .measure = measure,
                                      .normal_force = normal};

const ki_joint_type ki_joint_screw = {.word = "screw",
                                      .summary = "a nut on a thread: turning moves it along the axis",
                                      .spatial = &SPATIAL,
                                      .needs_axis = true,
                                      .needs_pitch = true};

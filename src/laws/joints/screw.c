/* Screw: turns about its axis z and goes pitch metres along it per turn, q = (angle). With h = pitch / 2 pi
 *
 *     place   R = R_z(q), r = h q z                S = (z, h z)
 *     rows    x_0 . (p_1 - p_0) = 0,  y_0 . (p_1 - p_0) = 0,  y_0 . z_1 = 0,  x_0 . z_1 = 0
 *             displacement - h angle = 0
 *
 * A pose tells the angle up to whole turns; the one that comes nearest to satisfying the last row is taken:
 * angle = displacement / h - (what is left of displacement / h - angle without whole turns).
 */
#include "laws/joint.h"

static ki_node lead(const ki_law *law) {
    return times(law->g, law->pitch, number(law->g, 1 / 6.28318530717958647693));
}

/* The angle with the whole turns that fit a displacement; a pitch of zero tells none. */
static ki_node count_turns(const ki_law *law, ki_node angle, ki_node displacement) {
    ki_graph *g = law->g;
    ki_node h = lead(law), due = ki_binary(g, KI_DIV, displacement, h);
    return ki_if(g, h, minus(g, due, ki_law_wrapped(g, minus(g, due, angle))), angle);
}

static void place(const ki_law *law, ki_law_hinge *out) {
    out->pose.R = ki_law_turn_about(law->g, 2, law->turn[0]);
    out->pose.r.x[2] = times(law->g, lead(law), law->q[0]);
    out->Omega[0] = ki_law_unit(law->g, 2);
    out->V[0].x[2] = lead(law);
}

static void fit(const ki_law *law, ki_node *q) {
    q[0] = count_turns(law, ki_law_turn_of(law->g, &law->pose.R), law->pose.r.x[2]);
}

static void rows(const ki_law *law, ki_law_row *out) {
    ki_law_row angle = ki_law_angle(law);
    for (int k = 0; k < 3; k++)
        out[k] = ki_law_along(law, k);
    angle.value = count_turns(law, angle.value, out[2].value);
    out[2] = ki_law_add_turn(law->g, out[2], minus(law->g, number(law->g, 0), lead(law)), &angle);
    ki_law_parallel(law, out + 3);
}

static ki_law_row measure(const ki_law *law, int k) {
    return k == 0 ? ki_law_angle(law) : ki_law_along(law, 2);
}

static const ki_joint_law_role SPATIAL = {.conditions = 5,
                                          .n_q = 1,
                                          .n_v = 1,
                                          .q_name = {"angle"},
                                          .v_name = {"angle'"},
                                          .place = place,
                                          .fit = fit,
                                          .n_h = 5,
                                          .turning_rows = 2,
                                          .row_name = {"across_x", "across_y", "thread", "tilt_x", "tilt_y"},
                                          .rows = rows,
                                          .pressing = 3,
                                          .coordinates = 2,
                                          .coordinate_name = {"angle", "displacement"},
                                          .turns = {true, false},
                                          .measure = measure};

const ki_joint_law ki_law_screw = {.word = "screw",
                                   .summary = "a nut on a thread: turning moves it along the axis",
                                   .spatial = &SPATIAL,
                                   .needs_axis = true,
                                   .needs_pitch = true};

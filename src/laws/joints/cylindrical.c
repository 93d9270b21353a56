/* Cylindrical: turns about its axis z and slides along it, q = (angle, displacement).
 *
 *     place   R = R_z(q_0), r = q_1 z              S = (z, 0), (0, z)
 *     rows    x_0 . (p_1 - p_0) = 0,  y_0 . (p_1 - p_0) = 0,  y_0 . z_1 = 0,  x_0 . z_1 = 0
 */
#include "laws/joint.h"

static void place(const ki_law *law, ki_law_hinge *out) {
    out->pose.R = ki_law_turn_about(law->g, 2, law->turn[0]);
    out->pose.r.x[2] = law->q[1];
    out->Omega[0] = out->V[1] = ki_law_unit(law->g, 2);
}

static void fit(const ki_law *law, ki_node *q) {
    q[0] = ki_law_turn_of(law->g, &law->pose.R);
    q[1] = law->pose.r.x[2];
}

static void rows(const ki_law *law, ki_law_row *out) {
    out[0] = ki_law_along(law, 0);
    out[1] = ki_law_along(law, 1);
    ki_law_parallel(law, out + 2);
}

static ki_law_row measure(const ki_law *law, int k) {
    return k == 0 ? ki_law_angle(law) : ki_law_along(law, 2);
}

static const ki_joint_law_role SPATIAL = {.conditions = 4,
                                          .n_q = 2,
                                          .n_v = 2,
                                          .q_name = {"angle", "displacement"},
                                          .v_name = {"angle'", "displacement'"},
                                          .place = place,
                                          .fit = fit,
                                          .n_h = 4,
                                          .turning_rows = 2,
                                          .row_name = {"across_x", "across_y", "tilt_x", "tilt_y"},
                                          .rows = rows,
                                          .pressing = 2,
                                          .coordinates = 2,
                                          .coordinate_name = {"angle", "displacement"},
                                          .turns = {true, false},
                                          .measure = measure};

const ki_joint_law ki_law_cylindrical = {.word = "cylindrical",
                                         .summary =
                                             "a bolt in a bore: turns about an axis and slides along it",
                                         .spatial = &SPATIAL,
                                         .needs_axis = true};

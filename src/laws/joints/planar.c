/* Planar: a flat face on a flat face. Frame 1 stays in the plane of frame 0, normal z; q = (x, y, angle).
 *
 *     place   R = R_z(q_2), r = (q_0, q_1, 0)      S = (0, x), (0, y), (z, 0)
 *     rows    z_0 . (p_1 - p_0) = 0,  y_0 . z_1 = 0,  x_0 . z_1 = 0
 */
#include "laws/joint.h"

static void place(const ki_law *law, ki_law_hinge *out) {
    out->pose.R = ki_law_turn_about(law->g, 2, law->turn[2]);
    for (int k = 0; k < 2; k++) {
        out->pose.r.x[k] = law->q[k];
        out->V[k] = ki_law_unit(law->g, k);
    }
    out->Omega[2] = ki_law_unit(law->g, 2);
}

static void fit(const ki_law *law, ki_node *q) {
    q[0] = law->pose.r.x[0];
    q[1] = law->pose.r.x[1];
    q[2] = ki_law_turn_of(law->g, &law->pose.R);
}

static void rows(const ki_law *law, ki_law_row *out) {
    out[0] = ki_law_along(law, 2);
    ki_law_parallel(law, out + 1);
}

static ki_law_row measure(const ki_law *law, int k) {
    return k == 2 ? ki_law_angle(law) : ki_law_along(law, k);
}

static const ki_joint_law_role SPATIAL = {.conditions = 3,
                                          .n_q = 3,
                                          .n_v = 3,
                                          .q_name = {"x", "y", "angle"},
                                          .v_name = {"x'", "y'", "angle'"},
                                          .place = place,
                                          .fit = fit,
                                          .n_h = 3,
                                          .turning_rows = 2,
                                          .row_name = {"height", "tilt_x", "tilt_y"},
                                          .rows = rows,
                                          .pressing = 1,
                                          .coordinates = 3,
                                          .coordinate_name = {"x", "y", "angle"},
                                          .turns = {false, false, true},
                                          .measure = measure};

const ki_joint_law ki_law_planar = {.word = "planar",
                                    .summary =
                                        "a flat face on a flat face: slides in a plane and turns in it",
                                    .spatial = &SPATIAL,
                                    .one_way = true};

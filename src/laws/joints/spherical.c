/* Spherical: a ball in a socket. q = (e0, e1, e2, e3), the quaternion of frame 1 in frame 0; v = angular
 * velocity in the axes of frame 1.
 *
 *     place   R = R(e), r = 0                      S = (R, 0);  bias = R (v x v) = 0
 *     rows    p_1 - p_0 = 0   (world axes)
 */
#include "laws/joint.h"

static void place(const ki_law *law, ki_law_hinge *out) {
    out->pose.R = ki_law_quaternion(law->g, law->q);
    for (int k = 0; k < 3; k++)
        out->Omega[k] = mat_column(&out->pose.R, k);
}

static void rows(const ki_law *law, ki_law_row *out) {
    ki_law_coincide(law, out);
}

static const ki_joint_law_role SPATIAL = {.conditions = 3,
                                          .n_q = 4,
                                          .n_v = 3,
                                          .q_name = {"e0", "e1", "e2", "e3"},
                                          .v_name = {"omega1", "omega2", "omega3"},
                                          .place = place,
                                          .n_h = 3,
                                          .world_rows = 3,
                                          .row_name = {"x", "y", "z"},
                                          .rows = rows,
                                          .pressing = 3};

const ki_joint_law ki_law_spherical = {
    .word = "spherical", .summary = "a ball in a socket: turns freely about a point", .spatial = &SPATIAL};

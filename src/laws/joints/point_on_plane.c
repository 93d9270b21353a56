/* Point on a plane: the origin of frame 1 stays in the plane of frame 0, normal z; body 1 turns freely.
 * q = (x, y, e0, e1, e2, e3).
 *
 *     place   R = R(e), r = (q_0, q_1, 0)          S = (0, x), (0, y), (R, 0);  bias = 0
 *     row     z_0 . (p_1 - p_0) = 0
 */
#include "laws/joint.h"

static void place(const ki_law *law, ki_law_hinge *out) {
    out->pose.R = ki_law_quaternion(law->g, law->q + 2);
    for (int k = 0; k < 2; k++) {
        out->pose.r.x[k] = law->q[k];
        out->V[k] = ki_law_unit(law->g, k);
    }
    for (int k = 0; k < 3; k++)
        out->Omega[2 + k] = mat_column(&out->pose.R, k);
}

static void fit(const ki_law *law, ki_node *q) {
    q[0] = law->pose.r.x[0];
    q[1] = law->pose.r.x[1];
}

static void rows(const ki_law *law, ki_law_row *out) {
    out[0] = ki_law_along(law, 2);
}

static const ki_joint_law_role SPATIAL = {.conditions = 1,
                                          .n_q = 6,
                                          .n_v = 5,
                                          .q_name = {"x", "y", "e0", "e1", "e2", "e3"},
                                          .v_name = {"x'", "y'", "omega1", "omega2", "omega3"},
                                          .place = place,
                                          .fit = fit,
                                          .n_h = 1,
                                          .row_name = {"height"},
                                          .rows = rows,
                                          .pressing = 1,
                                          .coordinates = 2,
                                          .coordinate_name = {"x", "y"},
                                          .measure = ki_law_along};

const ki_joint_law ki_law_point_on_plane = {.word = "point-on-plane",
                                            .summary = "a point of one body on a plane of another",
                                            .spatial = &SPATIAL,
                                            .one_way = true};

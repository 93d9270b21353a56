/* Free: no condition; a body with its own pose. q = (x, y, z, e0, e1, e2, e3): place of frame 1 in frame 0
 * and its quaternion; v = velocity in the axes of frame 0, angular velocity in the axes of frame 1.
 *
 *     place   R = R(e), r = (x, y, z)              S = (0, 1), (R, 0);  bias = 0
 *
 * In the plane q = (x, y, angle), q' = v.
 */
#include "laws/joint.h"

static void place(const ki_law *law, ki_law_hinge *out) {
    int slides = law->plane ? 2 : 3;
    for (int k = 0; k < slides; k++) {
        out->pose.r.x[k] = law->q[k];
        out->V[k] = ki_law_unit(law->g, k);
    }
    if (law->plane) {
        out->pose.angle = law->q[2];
        out->pose.R = ki_law_turn_about(law->g, 2, law->turn[2]);
        out->Omega[2] = ki_law_unit(law->g, 2);
        return;
    }
    out->pose.R = ki_law_quaternion(law->g, law->q + 3);
    for (int k = 0; k < 3; k++)
        out->Omega[3 + k] = mat_column(&out->pose.R, k);
}

static void fit(const ki_law *law, ki_node *q) {
    for (int k = 0; k < 3; k++)
        q[k] = law->plane && k == 2 ? law->pose.angle : law->pose.r.x[k];
}

static ki_law_row measure(const ki_law *law, int k) {
    return law->plane && k == 2 ? ki_law_angle(law) : ki_law_along(law, k);
}

static const ki_joint_law_role PLANAR = {.n_q = 3,
                                         .n_v = 3,
                                         .q_name = {"x", "y", "angle"},
                                         .v_name = {"x'", "y'", "angle'"},
                                         .place = place,
                                         .fit = fit,
                                         .coordinates = 3,
                                         .coordinate_name = {"x", "y", "angle"},
                                         .turns = {false, false, true},
                                         .measure = measure};

static const ki_joint_law_role SPATIAL = {.n_q = 7,
                                          .n_v = 6,
                                          .q_name = {"x", "y", "z", "e0", "e1", "e2", "e3"},
                                          .v_name = {"x'", "y'", "z'", "omega1", "omega2", "omega3"},
                                          .place = place,
                                          .fit = fit,
                                          .coordinates = 3,
                                          .coordinate_name = {"x", "y", "z"},
                                          .measure = measure};

const ki_joint_law ki_law_free = {.word = "free",
                                  .summary = "ties nothing, but measures where one body is from another",
                                  .planar = &PLANAR,
                                  .spatial = &SPATIAL,
                                  .one_way = true};

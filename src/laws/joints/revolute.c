/* Revolute: a pin. Turns about its axis z, q = (angle).
 *
 *     place   R = R_z(q), r = 0                    S = (z, 0)
 *     rows    p_1 - p_0 = 0   (world axes)         y_0 . z_1 = 0,  x_0 . z_1 = 0
 *
 * In the plane the first two of the rows remain.
 */
#include "laws/joint.h"

static void place(const ki_law *law, ki_law_hinge *out) {
    out->pose.R = ki_law_turn_about(law->g, 2, law->turn[0]);
    out->pose.angle = law->q[0];
    out->Omega[0] = ki_law_unit(law->g, 2);
}

static void fit(const ki_law *law, ki_node *q) {
    q[0] = law->plane ? law->pose.angle : ki_law_turn_of(law->g, &law->pose.R);
}

static void rows(const ki_law *law, ki_law_row *out) {
    int count = ki_law_coincide(law, out);
    if (!law->plane)
        ki_law_parallel(law, out + count);
}

static ki_law_row measure(const ki_law *law, int k) {
    (void)k;
    return ki_law_angle(law);
}

static const ki_joint_law_role PLANAR = {.conditions = 2,
                                         .n_q = 1,
                                         .n_v = 1,
                                         .q_name = {"angle"},
                                         .v_name = {"angle'"},
                                         .place = place,
                                         .fit = fit,
                                         .is_pin = true,
                                         .n_h = 2,
                                         .world_rows = 2,
                                         .row_name = {"x", "y"},
                                         .rows = rows,
                                         .pressing = 2,
                                         .coordinates = 1,
                                         .coordinate_name = {"angle"},
                                         .turns = {true},
                                         .measure = measure};

static const ki_joint_law_role SPATIAL = {.conditions = 5,
                                          .n_q = 1,
                                          .n_v = 1,
                                          .q_name = {"angle"},
                                          .v_name = {"angle'"},
                                          .place = place,
                                          .fit = fit,
                                          .is_pin = true,
                                          .n_h = 5,
                                          .world_rows = 3,
                                          .turning_rows = 2,
                                          .row_name = {"x", "y", "z", "tilt_x", "tilt_y"},
                                          .rows = rows,
                                          .pressing = 3,
                                          .coordinates = 1,
                                          .coordinate_name = {"angle"},
                                          .turns = {true},
                                          .measure = measure};

const ki_joint_law ki_law_revolute = {.word = "revolute",
                                      .summary = "a pin: the bodies turn about a common axis",
                                      .planar = &PLANAR,
                                      .spatial = &SPATIAL};

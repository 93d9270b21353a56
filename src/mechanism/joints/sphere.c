/* Sphere: a ball of radius rho that rolls without slip on the plane of frame 0; always cut. n = z_0 is the
 * normal, c = p_1 the centre; the ball touches at x = c - rho n.
 *
 *     rows    (c - p_0) . n - rho = 0              holonomic; its rate is n . g
 *             x_0 . g = 0,  y_0 . g = 0            nonholonomic
 *
 * with g the velocity of the ball's matter at x relative to the plane's (ki_row_contact). The ball may also
 * spin about n.
 */
#include "mechanism/joints/joints.h"

static void rows(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *out) {
    ki_contact contact;
    double arm[3], axis[3][3], rate[3][3], rho = joint->radius;
    bool moving = level == KI_AT_VELOCITY;
    for (int k = 0; k < 3; k++)
        ki_frame_axis(&joint->frame[0], s0, k, axis[k], moving ? rate[k] : NULL);
    ki_point_at(s1, joint->frame[1].r, arm, contact.x, moving ? contact.x_rate : NULL, NULL);
    ki_add_scaled(-rho, axis[2], contact.x);
    if (moving)
        ki_add_scaled(-rho, rate[2], contact.x_rate);
    ki_row_along(joint, s0, s1, 2, level, &out[0]);
    out[0].value -= rho;
    ki_row_contact(&contact, s0, s1, axis[0], rate[0], level, &out[1]);
    ki_row_contact(&contact, s0, s1, axis[1], rate[1], level, &out[2]);
}

static const ki_joint_role SPATIAL = {.conditions = 3,
                                      .n_v = -1,
                                      .n_h = 1,
                                      .n_n = 2,
                                      .row_name = {"height", "along_x", "along_y"},
                                      .rows = rows};

const ki_joint_type ki_joint_sphere = {.word = "sphere",
                                       .summary = "a ball that rolls on a plane without slip",
                                       .spatial = &SPATIAL,
                                       .needs_radius = true,
                                       .one_way = true};

/* Skate: a knife edge, which slides along its edge and not across it; always cut. Its point c = p_1 and its
 * edge b = x_1 belong to body 1.
 *
 * In space it stands on the plane of frame 0, n = z_0. With l = (n x b) / s, s = |n x b|, across the edge in
 * the plane, and g the velocity of c relative to the plane's matter there (ki_row_contact with x = c):
 *
 *     rows    z_0 . (p_1 - p_0) = 0                holonomic
 *             l . g = 0                            nonholonomic
 *     l' = (h - (l . h) l) / s,   h = (n x b)' = n' x b + n x b'
 *
 * In the plane only the second remains, with l = J(b) = y_1:
 *
 *     psi = l . (p_1' - p_0' - omega_0 J(D)),   D = p_1 - p_0
 *     w_1 = (a_1 x l, l),   w_0 = -((a_0 + D) x l, l),   a_0 + D = p_1 - r_0
 *     gamma = l . (p_1'' - omega_0 J(p_1' - v_0)) + l' . g,  p_1'' without twist',  l' = omega_1 J(l)
 */
#include "mechanism/joints/joints.h"

static void rows_planar(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                        ki_row *row) {
    double arm[2], at[2], velocity[2] = {0}, curve[2] = {0};
    bool moving = level == KI_AT_VELOCITY;
    const double *F = joint->frame[1].R, *R = s1->R;
    double l[2] = {R[0] * F[1] + R[1] * F[4], R[3] * F[1] + R[4] * F[4]};
    ki_planar_point_at(s1, joint->frame[1].r, arm, at, moving ? velocity : NULL, moving ? curve : NULL);
    double from0[2] = {at[0] - s0->r[0], at[1] - s0->r[1]};
    row->value = 0;
    row->w[1][0] = arm[0] * l[1] - arm[1] * l[0];
    row->w[0][0] = -(from0[0] * l[1] - from0[1] * l[0]);
    for (int i = 0; i < 2; i++) {
        row->w[1][1 + i] = l[i];
        row->w[0][1 + i] = -l[i];
    }
    row->gamma = 0;
    if (moving) {
        double omega0 = s0->twist[0], omega1 = s1->twist[0];
        double drift[2] = {velocity[0] - s0->twist[1], velocity[1] - s0->twist[2]};
        double g[2] = {drift[0] + omega0 * from0[1], drift[1] - omega0 * from0[0]};
        row->gamma = l[0] * (curve[0] + omega0 * drift[1]) + l[1] * (curve[1] - omega0 * drift[0]) +
                     omega1 * (l[0] * g[1] - l[1] * g[0]);
    }
}

/* l and its rate. */
static void sideways(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                     double l[3], double l_rate[3]) {
    double n[3], b[3], n_rate[3], b_rate[3];
    bool moving = level == KI_AT_VELOCITY;
    ki_frame_axis(&joint->frame[0], s0, 2, n, moving ? n_rate : NULL);
    ki_frame_axis(&joint->frame[1], s1, 0, b, moving ? b_rate : NULL);
    ki_cross(n, b, l);
    /* the bound keeps an edge that stands upright finite */
    double s = fmax(sqrt(ki_dot3(l, l)), 1e-9);
    for (int i = 0; i < 3; i++)
        l[i] /= s;
    if (!moving)
        return;
    ki_cross(n_rate, b, l_rate);
    ki_add_cross(n, b_rate, l_rate);
    double stretch = ki_dot3(l, l_rate);
    for (int i = 0; i < 3; i++)
        l_rate[i] = (l_rate[i] - stretch * l[i]) / s;
}

static void rows(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *out) {
    ki_contact contact;
    double arm[3], l[3], l_rate[3];
    sideways(joint, s0, s1, level, l, l_rate);
    ki_point_at(s1, joint->frame[1].r, arm, contact.x, level == KI_AT_VELOCITY ? contact.x_rate : NULL, NULL);
    ki_row_along(joint, s0, s1, 2, level, &out[0]);
    ki_row_contact(&contact, s0, s1, l, l_rate, level, &out[1]);
}

static const ki_joint_role PLANAR = {
    .conditions = 1, .n_v = -1, .n_n = 1, .row_name = {"across"}, .rows = rows_planar};

static const ki_joint_role SPATIAL = {
    .conditions = 2, .n_v = -1, .n_h = 1, .n_n = 1, .row_name = {"height", "across"}, .rows = rows};

const ki_joint_type ki_joint_skate = {.word = "skate",
                                      .summary = "a knife edge: slides along its edge, not across it",
                                      .planar = &PLANAR,
                                      .spatial = &SPATIAL,
                                      .one_way = true};

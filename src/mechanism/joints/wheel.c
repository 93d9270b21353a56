/* Wheel (or disc): a thin disc, rim of radius rho, that rolls without slip on a plane of body 0.
 *
 * In space. n = z_0 is the normal of the plane, p_0 a point of it; c = p_1 the centre, a = z_1 the axle, and
 * with k = n . a, s = sqrt(1 - k^2) the unit vectors
 *
 *     u = (n - k a) / s      in the disc, upwards: the rim touches at x = c - rho u
 *     t = (a x n) / s        in the plane, the direction of travel
 *     m = (a - k n) / s      in the plane, across it
 *
 *     s' = -k k' / s,    u' = (n' - k' a - k a' - s' u) / s,    and t', m' likewise
 *
 * The lowest point of the rim touches: (c - p_0) . n - rho s = 0. The rate of this height is n . g with g the
 * velocity of the rim's matter at x relative to the plane's (ki_row_contact), for
 *
 *     -rho s' = rho (k / s) Omega . (a x n) = n . (Omega x (-rho u)),       Omega = omega_1 - omega_0.
 *
 * No slip: t . g = 0, m . g = 0.
 *
 * In the plane the disc rolls on the axis x of frame 0 and is above it; q = (angle):
 *
 *     place   r = (-rho q, rho)                    S = (1, -rho, 0)
 *     rows    y_0 . (p_1 - p_0) - rho = 0,  x_0 . (p_1 - p_0) + rho angle = 0
 */
#include "mechanism/joints/joints.h"

static void place_planar(const ki_joint *joint, const double *q, ki_relative *relative) {
    relative->angle = q[0];
    relative->r[0] = -joint->radius * q[0];
    relative->r[1] = joint->radius;
}

static void columns_planar(const ki_joint *joint, const double *q, const double *v, double *S, double *bias) {
    (void)q;
    ki_no_columns(KI_PLANAR, 1, v, S, bias);
    S[0] = 1;
    S[1] = -joint->radius;
}

static void fit_planar(const ki_joint *joint, const ki_relative *relative, double *q) {
    (void)joint;
    q[0] = relative->angle;
}

static void rows_planar(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                        ki_row *rows) {
    ki_row angle;
    ki_planar_row_along(joint, s0, s1, 1, level, &rows[0]);
    rows[0].value -= joint->radius;
    ki_planar_row_along(joint, s0, s1, 0, level, &rows[1]);
    ki_planar_row_angle(joint, s0, s1, NULL, level, &angle);
    rows[1].value += joint->radius * angle.value;
    rows[1].w[0][0] += joint->radius * angle.w[0][0];
    rows[1].w[1][0] += joint->radius * angle.w[1][0];
}

static void measure_planar(const ki_joint *joint, const ki_state *s0, const ki_state *s1, const double *q,
                           int k, ki_level level, ki_row *row) {
    if (k == 0)
        ki_planar_row_angle(joint, s0, s1, q, level, row);
    else
        ki_planar_row_along(joint, s0, s1, 0, level, row);
}

/* The directions at the contact, and their rates. */
typedef struct rolling {
    double n[3], u[3], t[3], m[3];
    double n_rate[3], u_rate[3], t_rate[3], m_rate[3];
    double s;
} rolling;

static void unit_directions(const double n[3], const double a[3], double k, rolling *at) {
    ki_cross(a, n, at->t);
    for (int i = 0; i < 3; i++) {
        at->u[i] = (n[i] - k * a[i]) / at->s;
        at->t[i] /= at->s;
        at->m[i] = (a[i] - k * n[i]) / at->s;
    }
}

static void directions(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level,
                       rolling *at) {
    double a[3], a_rate[3];
    bool moving = level == KI_AT_VELOCITY;
    ki_frame_axis(&joint->frame[0], s0, 2, at->n, moving ? at->n_rate : NULL);
    ki_frame_axis(&joint->frame[1], s1, 2, a, moving ? a_rate : NULL);
    double *n = at->n, *n_rate = at->n_rate, k = ki_dot3(n, a), upright[3];
    ki_cross(a, n, upright);
    /* the bound keeps a disc that lies flat finite */
    at->s = fmax(sqrt(ki_dot3(upright, upright)), 1e-9);
    unit_directions(n, a, k, at);
    if (!moving)
        return;
    double k_rate = ki_dot3(n_rate, a) + ki_dot3(n, a_rate), s_rate = -k * k_rate / at->s;
    ki_cross(a_rate, n, at->t_rate);
    ki_add_cross(a, n_rate, at->t_rate);
    for (int i = 0; i < 3; i++) {
        at->u_rate[i] = (n_rate[i] - k_rate * a[i] - k * a_rate[i] - s_rate * at->u[i]) / at->s;
        at->t_rate[i] = (at->t_rate[i] - s_rate * at->t[i]) / at->s;
        at->m_rate[i] = (a_rate[i] - k_rate * n[i] - k * n_rate[i] - s_rate * at->m[i]) / at->s;
    }
}

static void rows(const ki_joint *joint, const ki_state *s0, const ki_state *s1, ki_level level, ki_row *out) {
    rolling at;
    ki_contact contact;
    ki_row height;
    double arm[3], rho = joint->radius;
    bool moving = level == KI_AT_VELOCITY;
    directions(joint, s0, s1, level, &at);
    ki_point_at(s1, joint->frame[1].r, arm, contact.x, moving ? contact.x_rate : NULL, NULL);
    ki_add_scaled(-rho, at.u, contact.x);
    if (moving)
        ki_add_scaled(-rho, at.u_rate, contact.x_rate);
    ki_row_contact(&contact, s0, s1, at.n, at.n_rate, level, &out[0]);
    ki_row_along(joint, s0, s1, 2, KI_AT_POSITION, &height);
    out[0].value = height.value - rho * at.s;
    ki_row_contact(&contact, s0, s1, at.t, at.t_rate, level, &out[1]);
    ki_row_contact(&contact, s0, s1, at.m, at.m_rate, level, &out[2]);
}

static const ki_joint_role PLANAR = {.conditions = 2,
                                     .n_q = 1,
                                     .n_v = 1,
                                     .q_name = {"angle"},
                                     .v_name = {"angle'"},
                                     .place = place_planar,
                                     .columns = columns_planar,
                                     .fit = fit_planar,
                                     .n_h = 2,
                                     .row_name = {"height", "roll"},
                                     .rows = rows_planar,
                                     .coordinates = 2,
                                     .coordinate_name = {"angle", "displacement"},
                                     .turns = {true, false},
                                     .measure = measure_planar};

static const ki_joint_role SPATIAL = {
    .conditions = 3, .n_v = -1, .n_h = 1, .n_n = 2, .row_name = {"height", "along", "across"}, .rows = rows};

const ki_joint_type ki_joint_wheel = {.word = "wheel",
                                      .summary = "a thin disc that rolls on a plane without slip",
                                      .planar = &PLANAR,
                                      .spatial = &SPATIAL,
                                      .needs_axis = true,
                                      .needs_radius = true,
                                      .one_way = true};

const ki_joint_type ki_joint_disc = {.word = "disc",
                                     .summary = "another word for wheel",
                                     .planar = &PLANAR,
                                     .spatial = &SPATIAL,
                                     .needs_axis = true,
                                     .needs_radius = true,
                                     .one_way = true};

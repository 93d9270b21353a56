/* Wheel (or disc): a thin disc, rim of radius rho, that rolls without slip on a plane of body 0.
 *
 * In space. n = z_0 is the normal of the plane, p_0 a point of it; c = p_1 the centre, a = z_1 the axle, and
 * with k = n . a, s = |a x n| the unit vectors
 *
 *     u = (n - k a) / s      in the disc, upwards: the rim touches at x = c - rho u
 *     t = (a x n) / s        in the plane, the direction of travel
 *     m = (a - k n) / s      in the plane, across it
 *
 * The lowest point of the rim touches: (c - p_0) . n - rho s = 0. The rate of this height is n . g with g the
 * velocity of the rim's matter at x relative to the plane's (ki_law_contact), for
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
#include "laws/joint.h"

static void place(const ki_law *law, ki_law_hinge *out) {
    ki_graph *g = law->g;
    ki_node back = minus(g, number(g, 0), law->radius);
    out->pose.angle = law->q[0];
    out->pose.R = ki_law_turn_about(g, 2, law->turn[0]);
    out->pose.r.x[0] = times(g, back, law->q[0]);
    out->pose.r.x[1] = law->radius;
    out->Omega[0] = ki_law_unit(g, 2);
    out->V[0].x[0] = back;
}

static void fit(const ki_law *law, ki_node *q) {
    q[0] = law->pose.angle;
}

static void rows_in_plane(const ki_law *law, ki_law_row *out) {
    ki_law_row angle = ki_law_angle(law);
    out[0] = ki_law_along(law, 1);
    out[0].value = minus(law->g, out[0].value, law->radius);
    out[1] = ki_law_add_turn(law->g, ki_law_along(law, 0), law->radius, &angle);
}

/* (x - k y) / s */
static ki_jets across(ki_graph *g, ki_jets x, ki_jets y, ki_jet k, ki_jet inverse) {
    return ki_jets_times(g, inverse, ki_jets_minus(g, x, ki_jets_times(g, k, y)));
}

/* the bound keeps a disc that lies flat finite */
static void rows(const ki_law *law, ki_law_row *out) {
    ki_graph *g = law->g;
    ki_law_point c = ki_law_origin(law, 1);
    ki_jets n = ki_law_axis(law, 0, 2), a = ki_law_axis(law, 1, 2), t = ki_jets_cross(g, a, n);
    ki_jet k = ki_jets_dot(g, n, a), s = ki_jet_root(g, ki_jets_dot(g, t, t), 1e-9);
    ki_jet inverse = ki_jet_inverse(g, s);
    ki_jets u = across(g, n, a, k, inverse), m = across(g, a, n, k, inverse);
    ki_jets off = ki_jets_scaled(g, minus(g, number(g, 0), law->radius), u);
    t = ki_jets_times(g, inverse, t);
    out[0] = ki_law_contact(law, &c, &off, &n);
    out[0].value = minus(g, ki_law_along(law, 2).value, times(g, law->radius, s.x));
    out[1] = ki_law_contact(law, &c, &off, &t);
    out[2] = ki_law_contact(law, &c, &off, &m);
}

static ki_law_row measure(const ki_law *law, int k) {
    return k == 0 ? ki_law_angle(law) : ki_law_along(law, 0);
}

static const ki_joint_law_role PLANAR = {.conditions = 2,
                                         .n_q = 1,
                                         .n_v = 1,
                                         .q_name = {"angle"},
                                         .v_name = {"angle'"},
                                         .place = place,
                                         .fit = fit,
                                         .n_h = 2,
                                         .row_name = {"height", "roll"},
                                         .rows = rows_in_plane,
                                         .coordinates = 2,
                                         .coordinate_name = {"angle", "displacement"},
                                         .turns = {true, false},
                                         .measure = measure};

static const ki_joint_law_role SPATIAL = {
    .conditions = 3, .n_v = -1, .n_h = 1, .n_n = 2, .row_name = {"height", "along", "across"}, .rows = rows};

const ki_joint_law ki_law_wheel = {.word = "wheel",
                                   .summary = "a thin disc that rolls on a plane without slip",
                                   .planar = &PLANAR,
                                   .spatial = &SPATIAL,
                                   .needs_axis = true,
                                   .needs_radius = true,
                                   .one_way = true};

const ki_joint_law ki_law_disc = {.word = "disc",
                                  .summary = "another word for wheel",
                                  .planar = &PLANAR,
                                  .spatial = &SPATIAL,
                                  .needs_axis = true,
                                  .needs_radius = true,
                                  .one_way = true};

/* families_concurrent.c - spherical linkages, folded sheets and rings of scissors. */
#include <math.h>
#include <stddef.h>

#include "drawing.h"
#include "families.h"

/* A spherical four-bar whose crank is short enough to turn all the way. */
static void draw_spherical(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    double a = uniform(r, 0.3, 0.45), b = uniform(r, 1.1, 1.3), c = uniform(r, 1.1, 1.3),
           base = uniform(r, 1.1, 1.3);
    vec u0 = EZ, u3 = spun(u0, EX, base), u1 = spun(spun(u0, EX, a), u0, uniform(r, 0, 2 * PI));
    vec u2 = spherical_dyad(u1, b, u3, c, 1);
    vec axis[4] = {u0, u1, u2, u3};
    line axes[4];
    for (int i = 0; i < 4; i++)
        axes[i] = (line){scale(uniform(r, 0.6, 1), axis[i]), axis[i]};
    crank motor = {.joint = draw_ring(d, r, axes, 4), .room = 2 * PI, .arm = 0.3};
    draw_masses(d, r);
    draw_drives(d, r, mode, &motor, 1);
}

/* A platform that turns about a point on three legs of three pins, all axes through that point. */
static void draw_wrist(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    const vec foot[3] = {EX, EY, EZ};
    int platform = draw_body(d, "platform");
    crank c[3];
    for (int i = 0; i < 3; i++) {
        vec u = unit(add(foot[i], random_in_ball(r, 0.2)));
        vec w = unit(add(scale(-1, foot[(i + 1) % 3]), random_in_ball(r, 0.2)));
        vec v = unit(add(unit(cross(u, w)), random_in_ball(r, 0.2)));
        int inner = draw_body(d, "inner_%d", i + 1), outer = draw_body(d, "outer_%d", i + 1);
        c[i] = (crank){.joint = draw_joint(d, "revolute", GROUND, inner, scale(uniform(r, 0.8, 1), u), u),
                       .room = 0.25,
                       .arm = 0.6};
        draw_joint(d, "revolute", inner, outer, scale(uniform(r, 0.6, 0.8), v), v);
        draw_joint(d, "revolute", outer, platform, scale(uniform(r, 0.4, 0.6), w), w);
    }
    draw_masses(d, r);
    draw_drives(d, r, mode, c, 3);
}

/* Four creases that meet in a point, partly folded. Opposite sectors add up to pi (Kawasaki), so the sheet
 * can be laid flat and folded flat. */
static void draw_vertex(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    double s1 = uniform(r, 1, 1.25), s2 = uniform(r, 1, 1.25), s3 = PI - s1, s4 = PI - s2;
    vec c1 = EX, c2 = spun(c1, EZ, s1), c4 = spun(spun(c1, EZ, -s4), c1, either(r) * uniform(r, 0.9, 1.4));
    vec c3 = spherical_dyad(c2, s2, c4, s3, either(r));
    vec crease[4] = {c2, c3, c4, c1};
    line axes[4];
    for (int i = 0; i < 4; i++)
        axes[i] = (line){scale(uniform(r, 0.5, 0.8), crease[i]), crease[i]};
    crank c = {.joint = draw_ring(d, r, axes, 4) + 3, .room = 0.3, .arm = 0.5}; // c1, which is folded most
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* Corner i, j of Miura's fold with panels of sides a, b and the angle gamma, folded by theta (Schenk and
 * Guest 2013, eq. 1-4). */
static vec miura_corner(double a, double b, double gamma, double theta, int i, int j) {
    double H = a * sin(theta) * sin(gamma), t = cos(theta) * tan(gamma);
    double S = b * t / sqrt(1 + t * t), V = b / sqrt(1 + t * t);
    double L = a * sqrt(1 - pow(sin(theta) * sin(gamma), 2));
    return (vec){i * S, j * L + (i % 2) * V, (j % 2) * H};
}

/* Miura's fold of kind x kind panels; the one at the corner is the ground. */
static void draw_miura(drawing *d, rng *r, drive_mode mode, int kind) {
    double a = uniform(r, 0.3, 0.5), b = uniform(r, 0.3, 0.5), gamma = uniform(r, 1, 1.25),
           theta = uniform(r, 0.7, 1);
    int panel[4][4];
    crank c = {.joint = -1, .room = 0.2, .arm = a};
    for (int i = 0; i < kind; i++)
        for (int j = 0; j < kind; j++)
            panel[i][j] = i + j ? draw_body(d, "panel_%d_%d", i + 1, j + 1) : GROUND;
    for (int i = 0; i < kind; i++)
        for (int j = 0; j < kind; j++)
            for (int side = 0; side < 2; side++) {
                int ni = i + !side, nj = j + side;
                if (ni == kind || nj == kind)
                    continue;
                vec from = miura_corner(a, b, gamma, theta, ni, nj),
                    to = miura_corner(a, b, gamma, theta, i + 1, j + 1);
                int crease =
                    draw_joint(d, "revolute", panel[i][j], panel[ni][nj],
                               along(from, uniform(r, 0.2, 0.8), sub(to, from)), unit(sub(to, from)));
                c.joint = c.joint < 0 ? crease : c.joint;
            }
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* A unit of a ring: two crossed bars in the plane of t and z between the hubs of two corners. */
static int draw_scissors(drawing *d, const int lower[2], const int upper[2], vec middle, vec t, double w,
                         double h, int number) {
    vec n = cross(EZ, t), foot = along(middle, -w / 2, t), end = along(middle, w / 2, t), rise = scale(h, EZ);
    int up = draw_body(d, "up_%d", number), down = draw_body(d, "down_%d", number);
    int first = draw_joint(d, "revolute", lower[0], up, foot, n);
    draw_joint(d, "revolute", up, upper[1], add(end, rise), n);
    draw_joint(d, "revolute", upper[0], down, add(foot, rise), n);
    draw_joint(d, "revolute", down, lower[1], end, n);
    draw_joint(d, "revolute", up, down, along(middle, 0.5, rise), n);
    return first;
}

/* Scissors along the sides of a polygon, pinned at each corner to a hub below and one above. When the ring
 * opens the hubs only move outwards. kind: the fewest sides; up to two more. */
static void draw_scissor_ring(drawing *d, rng *r, drive_mode mode, int kind) {
    int count = choose(r, kind, kind + 2), lower[32], upper[32];
    double length = uniform(r, 0.8, 1), slope = uniform(r, 0.6, 0.9), hub = uniform(r, 0.05, 0.15);
    double w = length * cos(slope), h = length * sin(slope), inner = (w / 2 + hub) / tan(PI / count);
    crank c = {.room = 0.2, .arm = length};
    for (int k = 0; k < count; k++) {
        lower[k] = k ? draw_body(d, "lower_%d", k + 1) : GROUND;
        upper[k] = draw_body(d, "upper_%d", k + 1);
    }
    for (int k = 0; k < count; k++) {
        double phi = 2 * PI * (k + 0.5) / count;
        vec out = {cos(phi), sin(phi), 0}, t = {-sin(phi), cos(phi), 0};
        int next = (k + 1) % count;
        int foot = draw_scissors(d, (int[]){lower[k], lower[next]}, (int[]){upper[k], upper[next]},
                                 scale(inner, out), t, w, h, k + 1);
        c.joint = k ? c.joint : foot;
    }
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

const family CONCURRENT_FAMILIES[] = {
    {"spherical_four_bar", draw_spherical, 0, ALL_MODES, 1},
    {"spherical_wrist", draw_wrist, 0, ALL_MODES, 1},
    {"origami_vertex", draw_vertex, 0, ALL_MODES, 1},
    {"miura_2", draw_miura, 2, ALL_MODES, 1},
    {"miura_3", draw_miura, 3, ALL_MODES, 0},
    {"scissor_ring_6", draw_scissor_ring, 6, ALL_MODES, 0},
    {"miura_4", draw_miura, 4, ALL_MODES, 0},
    {"scissor_ring_10", draw_scissor_ring, 10, ALL_MODES, 0},
    {"scissor_ring_14", draw_scissor_ring, 14, ALL_MODES, 0},
    {"scissor_ring_18", draw_scissor_ring, 18, ALL_MODES, 0},
    {"scissor_ring_24", draw_scissor_ring, 24, ALL_MODES, 0},
    {0},
};

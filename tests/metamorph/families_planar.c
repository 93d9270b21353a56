/* families_planar.c - planar linkages, drawn in the plane of x and y with pins of the space. Their twin is
 * the planar mechanism. */
#include <math.h>
#include <stdlib.h>

#include "drawing.h"
#include "families.h"

/* Lengths of a crank-rocker: the crank is the shortest link, shortest + longest < the sum of the others
 * (Grashof), so that it turns all the way without a dead centre. Joints: crank, A, B, rocker. */
four_bar draw_four_bar(drawing *d, rng *r, int base) {
    double a = uniform(r, 0.2, 0.35), b = uniform(r, 0.8, 1.1), c = uniform(r, 0.8, 1.1);
    double phi = uniform(r, 0, 2 * PI);
    vec O = ZERO, C = EX, A = {a * cos(phi), a * sin(phi), 0}, B = dyad(A, b, C, c, 1);
    four_bar f = {
        .crank = draw_body(d, "crank"), .coupler = draw_body(d, "coupler"), .rocker = draw_body(d, "rocker")};
    f.O = O, f.A = A, f.B = B, f.C = C;
    f.motor = (crank){draw_pin(d, base, f.crank, O), 2 * PI, a};
    draw_pin(d, f.crank, f.coupler, A);
    draw_pin(d, f.coupler, f.rocker, B);
    draw_pin(d, base, f.rocker, C);
    return f;
}

static void draw_plain_four_bar(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    d->flat = true;
    four_bar f = draw_four_bar(d, r, GROUND);
    draw_masses(d, r);
    draw_drives(d, r, mode, &f.motor, 1);
}

/* Crank and rod, the slider's line past the crank's centre at a distance: no dead centre, the rod is longer
 * than crank and distance together. */
static void draw_slider_crank(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    d->flat = true;
    double a = uniform(r, 0.2, 0.35), l = uniform(r, 0.8, 1.2), offset = uniform(r, -0.2, 0.2);
    double phi = uniform(r, 0, 2 * PI);
    vec A = {a * cos(phi), a * sin(phi), 0};
    double rise = A.y - offset;
    vec B = {A.x + sqrt(l * l - rise * rise), offset, 0};
    int arm = draw_body(d, "crank"), rod = draw_body(d, "rod"), slider = draw_body(d, "slider");
    crank c = {draw_pin(d, GROUND, arm, ZERO), 2 * PI, a};
    draw_pin(d, arm, rod, A);
    draw_pin(d, rod, slider, B);
    draw_joint(d, "prismatic", GROUND, slider, B, EX);
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* A coupler on equal parallel cranks at the angle phi; pivots on a line or not. */
static void draw_cranks(drawing *d, rng *r, drive_mode mode, int count, bool spread, double phi) {
    int coupler = draw_body(d, "coupler");
    double a = uniform(r, 0.3, 0.5);
    vec tip = {a * cos(phi), a * sin(phi), 0};
    crank c = {.room = spread ? 2 * PI : 0.6, .arm = a};
    d->flat = true;
    for (int i = 0; i < count; i++) {
        vec pivot = {i * uniform(r, 0.5, 0.7), spread ? (i % 2) * uniform(r, 0.4, 0.8) : 0, 0};
        int arm = draw_body(d, "crank_%d", i + 1);
        int foot = draw_pin(d, GROUND, arm, pivot);
        draw_pin(d, arm, coupler, add(pivot, tip));
        c.joint = i ? c.joint : foot;
    }
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* Pivots on a line: flat poses, where it can change into an antiparallelogram, are half a radian away at
 * least. kind: number of cranks, negative: pivots on no line. */
static void draw_parallelogram(drawing *d, rng *r, drive_mode mode, int kind) {
    double phi = either(r) * uniform(r, 0.4 * PI, 0.6 * PI);
    draw_cranks(d, r, mode, abs(kind), kind < 0, phi);
}

/* Drawn in a flat pose, where branches meet; what moves it leads away from there and not back. Positions are
 * known to round-off there, and rates to that divided by the square of the way: no better than this tolerance
 * far from the origin. */
static void draw_parallelogram_flat(drawing *d, rng *r, drive_mode mode, int kind) {
    bool left = rng_next(r) % 2;
    draw_cranks(d, r, mode, kind, false, left ? PI : 0);
    double side = either(r), turn = side * (left ? -1 : 1);
    d->gravity = scale(norm(d->gravity), unit((vec){uniform(r, -1, 1), side, uniform(r, -1, 1)}));
    for (int i = 0; i < d->rates; i++)
        d->rate[i].value = turn * fabs(d->rate[i].value);
    for (int i = 0; i < d->torques; i++)
        d->torque[i].value = turn * fabs(d->torque[i].value);
    d->tolerance = 1e-9;
    d->singular = 1;
    d->in_pose = true;
}

/* The same with pivots on a line over a whole turn, through both flat poses. */
static void draw_parallelogram_turns(drawing *d, rng *r, drive_mode mode, int kind) {
    draw_parallelogram(d, r, mode, kind);
    double speed = d->motion[0].value;
    d->until = 2 * PI / fabs(speed);
    d->singular = 2;
}

const family PLANAR_FAMILIES[] = {
    {"four_bar", draw_plain_four_bar, 0, ALL_MODES, 1},
    {"slider_crank", draw_slider_crank, 0, ALL_MODES, 1},
    {"parallelogram_2", draw_parallelogram, 2, ALL_MODES, 1},
    {"parallelogram_3", draw_parallelogram, 3, ALL_MODES, 1},
    {"parallelogram_5", draw_parallelogram, 5, ALL_MODES, 1},
    {"parallelogram_3_spread", draw_parallelogram, -3, ALL_MODES, 1},
    {"parallelogram_5_spread", draw_parallelogram, -5, ALL_MODES, 1},
    {"table_cranks", draw_parallelogram, -4, ALL_MODES, 1},
    {"parallelogram_flat_2", draw_parallelogram_flat, 2, ALL_MODES, 1},
    {"parallelogram_flat_3", draw_parallelogram_flat, 3, ALL_MODES, 1},
    {"parallelogram_turns_2", draw_parallelogram_turns, 2, 1u << DRIVEN, 1},
    {"parallelogram_turns_3", draw_parallelogram_turns, 3, 1u << DRIVEN, 1},
    {0},
};

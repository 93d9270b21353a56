/* families_bearing.c - shafts and doors: one body, or two, on more bearings than it needs. */
#include <math.h>

#include "drawing.h"

/* Bearings on an axis: the first a revolute, the others of `type`; the twin keeps the first alone. */
static int draw_bearings(drawing *d, rng *r, int body_0, int body_1, vec at, vec axis, int count,
                         const char *type) {
    int first = draw_joint(d, "revolute", body_0, body_1, at, axis);
    for (int i = 1; i < count; i++) {
        vec place = along(at, i * uniform(r, 0.4, 0.8), axis);
        d->joint[draw_joint(d, type, body_0, body_1, place, axis)].superfluous = true;
    }
    return first;
}

/* kind: number of bearings, negative: all of them revolutes. */
static void draw_shaft(drawing *d, rng *r, drive_mode mode, int kind) {
    int shaft = draw_body(d, "shaft"), count = kind < 0 ? -kind : kind;
    crank c = {.room = 2 * PI, .arm = 0.5};
    c.joint = draw_bearings(d, r, GROUND, shaft, ZERO, EX, count, kind < 0 ? "revolute" : "cylindrical");
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

static vec inclined(rng *r) {
    double tilt = uniform(r, 0.05, 0.6), phi = uniform(r, 0, 2 * PI);
    return (vec){sin(tilt) * cos(phi), sin(tilt) * sin(phi), cos(tilt)};
}

static void draw_door(drawing *d, rng *r, drive_mode mode, int kind) {
    int door = draw_body(d, "door");
    crank c = {.room = 2, .arm = 0.5};
    c.joint = draw_bearings(d, r, GROUND, door, random_in_ball(r, 0.5), inclined(r), kind, "revolute");
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* A door whose two leaves hang on each other by parallel hinges. */
static void draw_folding_door(drawing *d, rng *r, drive_mode mode, int kind) {
    int leaf_1 = draw_body(d, "leaf_1"), leaf_2 = draw_body(d, "leaf_2");
    vec axis = inclined(r), across = unit(cross(axis, random_direction(r)));
    crank c[2] = {{.room = 1.5, .arm = 0.5}, {.room = 1.5, .arm = 0.5}};
    c[0].joint = draw_bearings(d, r, GROUND, leaf_1, ZERO, axis, kind, "revolute");
    c[1].joint = draw_bearings(d, r, leaf_1, leaf_2, scale(0.6, across), axis, kind, "revolute");
    draw_masses(d, r);
    draw_drives(d, r, mode, c, 2);
}

const family BEARING_FAMILIES[] = {
    {"shaft_2", draw_shaft, 2, ALL_MODES, 1},
    {"shaft_3", draw_shaft, 3, ALL_MODES, 1},
    {"shaft_2_revolutes", draw_shaft, -2, ALL_MODES, 1},
    {"shaft_3_revolutes", draw_shaft, -3, ALL_MODES, 1},
    {"door_2", draw_door, 2, ALL_MODES, 1},
    {"door_3", draw_door, 3, ALL_MODES, 1},
    {"folding_door", draw_folding_door, 2, ALL_MODES, 1},
    {0},
};

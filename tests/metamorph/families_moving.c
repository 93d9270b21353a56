/* families_moving.c - mechanisms on moving bodies, vehicles, trees, and loops without redundancy. */
#include <math.h>
#include <stddef.h>

#include "drawing.h"
#include "families.h"

/* A four-bar whose base link turns on a skew pin. */
static void draw_carrier_turning(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    int base = draw_body(d, "base");
    four_bar f = draw_four_bar(d, r, base);
    crank c[2] = {f.motor, {.room = 2, .arm = 0.7}};
    vec axis = unit((vec){uniform(r, 0.2, 0.9), uniform(r, 0.2, 0.9), uniform(r, 0.2, 0.9)});
    c[1].joint = draw_joint(d, "revolute", GROUND, base, random_in_ball(r, 0.5), axis);
    draw_masses(d, r);
    draw_drives(d, r, mode, c, 2);
}

static void draw_twist(drawing *d, rng *r, int body) {
    d->twist[d->twists++] = (drawn_twist){body, random_in_ball(r, 2), random_in_ball(r, 3)};
}

/* A four-bar whose base link tumbles freely. */
static void draw_carrier_free(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    int base = draw_body(d, "base");
    four_bar f = draw_four_bar(d, r, base);
    draw_masses(d, r);
    draw_drives(d, r, mode, &f.motor, 1);
    draw_twist(d, r, base);
    if (d->motions + d->rates == 0)
        d->rate[d->rates++] = (drawn_drive){f.motor.joint, 0};
    d->mobility = 7;
}

/* Chassis on four wheels with parallel axles: it goes straight ahead. Rear wheels may be larger. */
static void draw_car(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    int chassis = draw_body(d, "chassis");
    double wheelbase = uniform(r, 0.8, 1.2), track = uniform(r, 0.5, 0.8);
    double radius[2] = {uniform(r, 0.2, 0.3), uniform(r, 0.2, 0.3)};
    crank c = {.room = 3, .arm = 0.3};
    for (int i = 0; i < 4; i++) {
        vec contact = {i / 2 * wheelbase, i % 2 * track, 0}, hub = along(contact, radius[i / 2], EZ);
        int wheel = draw_body(d, "wheel_%d", i + 1),
            axle = draw_joint(d, "revolute", chassis, wheel, hub, EY);
        drawn_joint *tyre = &d->joint[draw_joint(d, "wheel", GROUND, wheel, hub, EY)];
        tyre->at[0] = contact, tyre->across = EZ, tyre->radius = radius[i / 2];
        c.joint = i ? c.joint : axle;
    }
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* A body on two wheels with one axle: it may go ahead, turn and pitch. From rest, because no coordinate of a
 * joint tells its pitch. */
static void draw_cart(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    int body = draw_body(d, "body"), axle[2];
    double track = uniform(r, 0.5, 0.8), radius = uniform(r, 0.2, 0.3);
    for (int i = 0; i < 2; i++) {
        vec contact = {0, i * track, 0}, hub = along(contact, radius, EZ);
        int wheel = draw_body(d, "wheel_%d", i + 1);
        axle[i] = draw_joint(d, "revolute", body, wheel, hub, EY);
        drawn_joint *tyre = &d->joint[draw_joint(d, "wheel", GROUND, wheel, hub, EY)];
        tyre->at[0] = contact, tyre->across = EZ, tyre->radius = radius;
    }
    draw_masses(d, r);
    crank c = {axle[0], 2, 0.3};
    draw_drives(d, r, mode, &c, 1);
    if (mode == TORQUE)
        d->torque[d->torques++] = (drawn_drive){axle[1], uniform(r, -2, 2)};
    d->rates = 0;
    d->mobility = 3;
}

/* An open tree on a body that nothing holds. */
static void draw_tree(drawing *d, rng *r, drive_mode mode, int kind) {
    vec place[MOST_BODIES + 1] = {ZERO, ZERO};
    crank c[MOST_DRIVES];
    draw_body(d, "base");
    for (int i = 1; i < kind; i++) {
        int parent = choose(r, 1, d->bodies), body = draw_body(d, "arm_%d", i);
        place[body] = add(place[parent], scale(0.5, random_direction(r)));
        vec at = along(place[parent], uniform(r, 0.3, 0.7), sub(place[body], place[parent]));
        c[i - 1] = (crank){
            draw_joint(d, choose(r, 0, 3) ? "revolute" : "prismatic", parent, body, at, random_direction(r)),
            0.6, 0.5};
    }
    draw_masses(d, r);
    draw_drives(d, r, mode, c, kind - 1);
    for (int i = 0; i < d->torques; i++) // arms are small, and nothing else holds them
        d->torque[i].value *= 0.1;
    d->rates = 0;
    for (int i = 0; mode != DRIVEN && i < kind - 1; i++)
        d->rate[d->rates++] = (drawn_drive){c[i].joint, uniform(r, -2, 2)};
    draw_twist(d, r, 1);
    d->mobility = 6 + kind - 1;
}

/* A tree of joints with several freedoms, from rest, pulled at its ends. */
static void draw_ball_tree(drawing *d, rng *r, drive_mode mode, int kind) {
    static const char *const TYPES[] = {"spherical", "universal", "cylindrical", "revolute"};
    static const int FREEDOMS[] = {3, 2, 2, 1};
    int freedoms = 0;
    vec place = ZERO;
    for (int i = 0; i < kind; i++) {
        int type = i ? choose(r, 0, 3) : choose(r, 0, 1), body = draw_body(d, "arm_%d", i + 1);
        vec axis = random_direction(r);
        drawn_joint *joint = &d->joint[draw_joint(d, TYPES[type], body - 1, body, place, type ? axis : ZERO)];
        if (type == 1)
            joint->across = unit(cross(axis, random_direction(r)));
        place = along(place, 0.5, random_direction(r));
        freedoms += FREEDOMS[type];
    }
    draw_masses(d, r);
    draw_drives(d, r, mode, NULL, 0);
    d->until = 0.3;
    d->mobility = freedoms;
    if (mode == TORQUE)
        d->force[d->forces++] = (drawn_force){d->bodies, d->body[d->bodies].centre, random_in_ball(r, 10)};
}

/* Crank and rocker on skew pins, joined by a rod: a body on a ball and a universal joint (kind 1), or a
 * distance. The rod pulls the rocker nearly along its path. */
static void draw_skew_four_bar(drawing *d, rng *r, drive_mode mode, int kind) {
    vec A = {uniform(r, 0.2, 0.3), 0, uniform(r, -0.1, 0.1)}, C = {1, uniform(r, -0.2, 0.2), 0};
    vec B = add(C, (vec){uniform(r, -0.1, 0.1), uniform(r, -0.1, 0.1), uniform(r, 0.4, 0.6)});
    vec u = unit(add(EZ, random_in_ball(r, 0.4))), w = unit(add(EY, random_in_ball(r, 0.4)));
    int arm = draw_body(d, "crank"), rocker = draw_body(d, "rocker");
    crank c = {draw_joint(d, "revolute", GROUND, arm, ZERO, u), 0.5, 0.3};
    draw_joint(d, "revolute", GROUND, rocker, C, w);
    if (kind == 1) {
        int rod = draw_body(d, "rod");
        vec across = unit(cross(sub(B, A), random_direction(r)));
        draw_joint(d, "spherical", arm, rod, A, ZERO);
        int cross_joint = draw_joint(d, "universal", rod, rocker, B, across);
        d->joint[cross_joint].across = unit(cross(across, sub(B, A)));
    } else {
        d->joint[draw_joint(d, "distance", arm, rocker, A, ZERO)].at[1] = B;
    }
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* A platform on `kind` rods without mass, from rest. */
static void draw_rods(drawing *d, rng *r, drive_mode mode, int kind) {
    int platform = draw_body(d, "platform");
    for (int i = 0; i < kind; i++) {
        double phi = 2 * PI * (i + uniform(r, 0, 0.5)) / kind, psi = phi + either(r) * uniform(r, 0.3, 0.6);
        vec foot = {cos(phi), sin(phi), uniform(r, -0.1, 0.1)};
        vec top = {0.5 * cos(psi), 0.5 * sin(psi), uniform(r, 0.8, 1)};
        d->joint[draw_joint(d, "distance", GROUND, platform, foot, ZERO)].at[1] = top;
    }
    draw_masses(d, r);
    draw_drives(d, r, mode, NULL, 0);
    d->until = 0.2;
    d->mobility = 6 - kind;
    if (mode == TORQUE)
        d->force[d->forces++] = (drawn_force){platform, d->body[platform].centre, random_in_ball(r, 20)};
}

/* A plate on equal parallel legs with universal joints of parallel arms at both ends: it moves like a
 * pendulum without turning, on a sphere. */
static void draw_table(drawing *d, rng *r, drive_mode mode, int kind) {
    vec leg = {uniform(r, -0.3, 0.3), uniform(r, -0.3, 0.3), uniform(r, 0.7, 1)};
    int plate = draw_body(d, "plate");
    for (int i = 0; i < kind; i++) {
        double phi = 2 * PI * i / kind + uniform(r, -0.3, 0.3), s = uniform(r, 0.5, 0.8);
        vec foot = {s * cos(phi), s * sin(phi), uniform(r, -0.1, 0.1)};
        int bar = draw_body(d, "leg_%d", i + 1);
        d->joint[draw_joint(d, "universal", GROUND, bar, foot, EX)].across = EY;
        d->joint[draw_joint(d, "universal", bar, plate, add(foot, leg), EY)].across = EX;
    }
    draw_masses(d, r);
    draw_drives(d, r, mode, NULL, 0);
    d->until = uniform(r, 0.15, 0.3);
    d->mobility = 2;
    if (mode == TORQUE)
        d->force[d->forces++] = (drawn_force){plate, d->body[plate].centre, random_in_ball(r, 40)};
}

const family MOVING_FAMILIES[] = {
    {"carrier_turning", draw_carrier_turning, 0, ALL_MODES, 1},
    {"carrier_free", draw_carrier_free, 0, ALL_MODES, 1},
    {"car", draw_car, 0, ALL_MODES, 1},
    {"cart", draw_cart, 0, NOT_DRIVEN, 1},
    {"tree_3", draw_tree, 3, ALL_MODES, 1},
    {"tree_7", draw_tree, 7, ALL_MODES, 1},
    {"ball_tree", draw_ball_tree, 4, NOT_DRIVEN, 1},
    {"skew_four_bar", draw_skew_four_bar, 1, ALL_MODES, 1},
    {"skew_rod", draw_skew_four_bar, 0, ALL_MODES, 1},
    {"rods_3", draw_rods, 3, NOT_DRIVEN, 1},
    {"rods_5", draw_rods, 5, NOT_DRIVEN, 1},
    {"table_3", draw_table, 3, NOT_DRIVEN, 1},
    {"table_4", draw_table, 4, NOT_DRIVEN, 1},
    {0},
};

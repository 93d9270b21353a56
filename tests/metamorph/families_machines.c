/* families_machines.c - machines as they are drawn every day: rams between pins, shafts, coupling rods. */
#include <math.h>
#include <stddef.h>

#include "drawing.h"
#include "families.h"

static vec in_plane(double x, double z) {
    return (vec){x, 0, z};
}

/* A ram between two bodies: barrel and rod that slide in each other, pins along y at both ends. Returns its
 * slide. */
static int draw_ram(drawing *d, int body_0, vec foot, int body_1, vec eye) {
    int barrel = draw_body(d, "barrel_%d", d->bodies + 1), rod = draw_body(d, "rod_%d", d->bodies + 1);
    draw_joint(d, "revolute", body_0, barrel, foot, EY);
    int slide = draw_joint(d, "prismatic", barrel, rod, along(foot, 0.5, sub(eye, foot)), sub(eye, foot));
    draw_joint(d, "revolute", rod, body_1, eye, EY);
    return slide;
}

/* A house that slews, a boom and a stick on rams, and a bucket on guide and link, which a third ram moves. */
static void draw_excavator(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    int house = draw_body(d, "house"), boom = draw_body(d, "boom"), stick = draw_body(d, "stick"),
        bucket = draw_body(d, "bucket"), guide = draw_body(d, "guide"), link = draw_body(d, "link");
    vec shift = in_plane(uniform(r, -0.05, 0.05), uniform(r, -0.05, 0.05));
    vec wrist = in_plane(1.63, -0.13), eye = add(in_plane(1.8, -0.03), shift), tip = in_plane(1.77, -0.17);
    crank c[4] = {
        {.room = 1, .arm = 2}, {.room = 0.1, .arm = 1}, {.room = 0.1, .arm = 1}, {.room = 0.05, .arm = 0.5}};
    c[0].joint = draw_joint(d, "revolute", GROUND, house, ZERO, EZ);
    draw_joint(d, "revolute", house, boom, in_plane(0.1, 0.4), EY);
    draw_joint(d, "revolute", boom, stick, in_plane(1.73, 0.77), EY);
    draw_joint(d, "revolute", stick, bucket, wrist, EY);
    draw_joint(d, "revolute", stick, guide, in_plane(1.65, 0), EY);
    draw_joint(d, "revolute", guide, link, eye, EY);
    draw_joint(d, "revolute", link, bucket, tip, EY);
    c[1].joint = draw_ram(d, house, in_plane(0.23, 0.3), boom, add(in_plane(0.8, 0.97), shift));
    c[2].joint = draw_ram(d, boom, in_plane(0.73, 1.13), stick, sub(in_plane(1.9, 1), shift));
    c[3].joint = draw_ram(d, stick, in_plane(1.87, 0.83), guide, eye);
    draw_masses(d, r);
    draw_drives(d, r, mode, c, 4);
}

/* Oldham's coupling: two parallel shafts and a disc that slides on both. Turns any number of times. */
static void draw_oldham(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    int left = draw_body(d, "left"), right = draw_body(d, "right"), disc = draw_body(d, "disc");
    double phi = uniform(r, 0, PI);
    vec along_left = {cos(phi), sin(phi), 0}, offset = {uniform(r, 0.05, 0.2), uniform(r, 0.05, 0.2), 0};
    vec middle = scale(dot(offset, along_left), along_left);
    crank c = {.room = 2 * PI, .arm = 0.5};
    c.joint = draw_joint(d, "revolute", GROUND, left, along(ZERO, -0.4, EZ), EZ);
    draw_joint(d, "revolute", GROUND, right, along(offset, 0.4, EZ), EZ);
    draw_joint(d, "prismatic", left, disc, middle, along_left);
    draw_joint(d, "prismatic", right, disc, middle, cross(EZ, along_left));
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* Shafts in fixed bearings and a middle one between two universal joints: nothing slides. */
static void draw_cardan(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    int left = draw_body(d, "left"), middle = draw_body(d, "middle"), right = draw_body(d, "right");
    vec first = unit(add(EX, random_in_ball(r, 0.4))), last = unit(add(EX, random_in_ball(r, 0.4)));
    vec across = unit(cross(EX, random_direction(r)));
    crank c = {.room = 2 * PI, .arm = 0.5};
    c.joint = draw_joint(d, "revolute", GROUND, left, scale(-0.5, first), first);
    int fork = draw_joint(d, "universal", left, middle, ZERO, unit(cross(first, random_direction(r))));
    d->joint[fork].across = unit(cross(d->joint[fork].axis, EX));
    fork = draw_joint(d, "universal", middle, right, EX, across);
    d->joint[fork].across = unit(cross(across, last));
    draw_joint(d, "revolute", GROUND, right, along(EX, 0.5, last), last);
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* Coupled axles of a locomotive: a coupling rod on either side, the cranks of one side ahead of the other's.
 * One rod lies flat where the other does not, so they turn on. kind: how many axles. */
static void draw_coupled_axles(drawing *d, rng *r, drive_mode mode, int kind) {
    double phi = uniform(r, 0, 2 * PI), ahead = either(r) * uniform(r, 1.2, 1.9),
           arm = uniform(r, 0.15, 0.25);
    int rods[2] = {draw_body(d, "rod_left"), draw_body(d, "rod_right")};
    crank c = {.room = 2 * PI, .arm = arm};
    for (int i = 0; i < kind; i++) {
        int axle = draw_body(d, "axle_%d", i + 1);
        vec middle = in_plane(0.8 * i, 0);
        int bearing = draw_joint(d, "revolute", GROUND, axle, middle, EY);
        c.joint = i ? c.joint : bearing;
        for (int side = 0; side < 2; side++) {
            double angle = phi + side * ahead;
            vec at = {arm * cos(angle), side ? -0.4 : 0.4, arm * sin(angle)};
            draw_joint(d, "revolute", axle, rods[side], add(middle, at), EY);
        }
    }
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* An umbrella: ribs that a runner spreads by stretchers. kind: how many ribs. */
static void draw_umbrella(drawing *d, rng *r, drive_mode mode, int kind) {
    double slope = uniform(r, 0.4, 0.8), length = uniform(r, 0.8, 1), strut = uniform(r, 0.5, 0.6);
    int runner = draw_body(d, "runner");
    vec top = scale(0.05, EX), middle = add(top, scale(length / 2, in_plane(cos(slope), -sin(slope))));
    double reach = middle.x - 0.08;
    vec foot = in_plane(0.08, middle.z - sqrt(strut * strut - reach * reach));
    crank c = {.room = 0.1, .arm = 0.5};
    c.joint = draw_joint(d, "prismatic", GROUND, runner, scale(foot.z, EZ), EZ);
    for (int i = 0; i < kind; i++) {
        double angle = 2 * PI * i / kind;
        int rib = draw_body(d, "rib_%d", i + 1), stretcher = draw_body(d, "stretcher_%d", i + 1);
        vec across = spun(EY, EZ, angle);
        draw_joint(d, "revolute", GROUND, rib, spun(top, EZ, angle), across);
        draw_joint(d, "revolute", rib, stretcher, spun(middle, EZ, angle), across);
        draw_joint(d, "revolute", stretcher, runner, spun(foot, EZ, angle), across);
    }
    draw_masses(d, r);
    draw_drives(d, r, mode, &c, 1);
}

/* An arm on a skew pin with two jaws on parallelograms that fold at the same time: two ranks are lost at
 * once. Rates next to the pose are known to round-off over the square of the way: no better than this
 * tolerance far from the origin. */
static void draw_gripper(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    int arm = draw_body(d, "arm");
    double slope = uniform(r, 0.5, 0.8), base = uniform(r, 0.9, 1.2), a = uniform(r, 0.3, 0.4);
    crank c[3] = {{.room = 2 * (base - slope), .arm = a},
                  {.room = 2 * (base - slope), .arm = a},
                  {.room = 0.5, .arm = 1}};
    c[2].joint = draw_joint(d, "revolute", GROUND, arm, in_plane(-1, 0), unit((vec){0.3, 0.2, 1}));
    for (int i = 0; i < 2; i++) {
        double side = i ? -1 : 1;
        int near = draw_body(d, "near_%d", i + 1), far = draw_body(d, "far_%d", i + 1),
            jaw = draw_body(d, "jaw_%d", i + 1);
        vec foot = in_plane(0, 0.1 * side), reach = in_plane(a * cos(slope), side * a * sin(slope));
        vec other = add(foot, in_plane(0.2 * cos(base), 0.2 * side * sin(base)));
        c[i].joint = draw_joint(d, "revolute", arm, near, foot, EY);
        draw_joint(d, "revolute", arm, far, other, EY);
        draw_joint(d, "revolute", near, jaw, add(foot, reach), EY);
        draw_joint(d, "revolute", far, jaw, add(other, reach), EY);
    }
    draw_masses(d, r);
    draw_drives(d, r, mode, c, 3);
    double speed = uniform(r, 1, 2); /* y turns x to -z: cranks rise by negative angles */
    d->until = uniform(r, 1.5, 1.9) * (base - slope) / speed;
    d->motion[0].value = -speed, d->motion[1].value = speed;
    d->singular = 1;
    d->tolerance = 1e-9;
}

/* Bricard's octahedron with an axis of symmetry: twelve rods between six points. It hangs at one of them. */
static void draw_octahedron(drawing *d, rng *r, drive_mode mode, int kind) {
    (void)kind;
    vec point[6];
    for (int i = 0; i < 3; i++) {
        point[i] =
            add((vec[]){{0.8, 0.1, 0.1}, {0.1, 0.9, -0.2}, {-0.1, 0.25, 0.7}}[i], random_in_ball(r, 0.1));
        point[i + 3] = spun(point[i], EZ, PI);
    }
    for (int i = 0; i < 6; i++)
        draw_body(d, "ball_%d", i + 1);
    draw_joint(d, "revolute", GROUND, 1, point[0], random_direction(r));
    for (int i = 0; i < 6; i++)
        for (int j = i + 1; j < 6; j++) {
            if (j == i + 3)
                continue;
            int rod = draw_joint(d, "distance", i + 1, j + 1, point[i], ZERO);
            d->joint[rod].at[1] = point[j];
        }
    draw_masses(d, r);
    draw_drives(d, r, mode, NULL, 0);
    d->until = 0.3;
    d->mobility = 20;
}

const family MACHINE_FAMILIES[] = {
    {"excavator", draw_excavator, 0, ALL_MODES, 1},
    {"oldham", draw_oldham, 0, ALL_MODES, 1},
    {"double_cardan", draw_cardan, 0, ALL_MODES, 1},
    {"coupled_axles_2", draw_coupled_axles, 2, ALL_MODES, 1},
    {"coupled_axles_4", draw_coupled_axles, 4, ALL_MODES, 1},
    {"umbrella_3", draw_umbrella, 3, ALL_MODES, 1},
    {"umbrella_6", draw_umbrella, 6, ALL_MODES, 1},
    {"gripper_folds", draw_gripper, 0, 1u << DRIVEN, 1},
    {"octahedron", draw_octahedron, 0, 1u << FREE, 1},
    {0},
};

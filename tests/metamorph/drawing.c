/* drawing.c - parts of a drawing, masses and drives. */
#include "drawing.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

const char *const MODE_NAME[DRIVE_MODES] = {"driven", "torque", "free"};

/* Of gravity, in all base drawings: metres, kilograms, seconds. */
#define WEIGHT 9.81

int draw_body(drawing *d, const char *format, ...) {
    assert(d->bodies < MOST_BODIES);
    drawn_body *body = &d->body[++d->bodies];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(body->name, sizeof body->name, format, arguments);
    va_end(arguments);
    body->number = d->bodies;
    return d->bodies;
}

int draw_joint(drawing *d, const char *type, int body_0, int body_1, vec at, vec axis) {
    assert(d->joints < MOST_JOINTS);
    drawn_joint *joint = &d->joint[d->joints];
    *joint = (drawn_joint){
        .type = type, .number = d->joints, .body = {body_0, body_1}, .at = {at, at}, .axis = axis};
    snprintf(joint->name, sizeof joint->name, "J%d", d->joints + 1);
    return d->joints++;
}

int draw_pin(drawing *d, int body_0, int body_1, vec at) {
    return draw_joint(d, "revolute", body_0, body_1, at, EZ);
}

const char *drawn_coordinate(const drawn_joint *joint) {
    return strcmp(joint->type, "prismatic") ? "angle" : "displacement";
}

/* Largest distance of two joints; at least a metre, so that joints drawn close together make no tiny bodies.
 */
static double extent(const drawing *d) {
    double largest = 1;
    for (int i = 0; i < 2 * d->joints; i++)
        for (int j = 0; j < i; j++)
            largest = fmax(largest, norm(sub(d->joint[i / 2].at[i % 2], d->joint[j / 2].at[j % 2])));
    return largest;
}

/* Links of a flat mechanism lie above each other: which height a pin has is of no influence. */
static void spread_heights(drawing *d, rng *r) {
    for (int j = 0; j < d->joints; j++) {
        double height = uniform(r, -0.2, 0.2) * d->extent;
        d->joint[j].at[0].z += height;
        d->joint[j].at[1].z += height;
    }
}

/* Second moments p, q, s > 0 along three axes give the principal moments q + s, s + p, p + q: the triangle
 * inequality holds. */
static mat random_inertia(rng *r, double size) {
    double p = uniform(r, 0.2, 1), q = uniform(r, 0.2, 1), s = uniform(r, 0.2, 1);
    mat principal = {{size * (q + s), 0, 0, 0, size * (s + p), 0, 0, 0, size * (p + q)}};
    return tensor_turned(random_rotation(r), principal);
}

static void draw_mass(drawing *d, rng *r, int b) {
    vec middle = ZERO;
    double size = 0.1 * d->extent;
    int count = 0;
    for (int j = 0; j < d->joints; j++)
        for (int side = 0; side < 2; side++)
            if (d->joint[j].body[side] == b)
                middle = add(middle, d->joint[j].at[side]), count++;
    middle = count ? scale(1.0 / count, middle) : ZERO;
    for (int j = 0; j < d->joints; j++)
        for (int side = 0; side < 2; side++)
            if (d->joint[j].body[side] == b)
                size = fmax(size, norm(sub(d->joint[j].at[side], middle)));
    drawn_body *body = &d->body[b];
    body->mass = uniform(r, 0.5, 2);
    body->centre = add(middle, random_in_ball(r, 0.4 * size));
    body->inertia = random_inertia(r, 0.2 * body->mass * size * size);
}

void draw_masses(drawing *d, rng *r) {
    d->extent = extent(d);
    if (d->flat)
        spread_heights(d, r);
    for (int b = 1; b <= d->bodies; b++)
        draw_mass(d, r, b);
}

static void drive_motion(drawing *d, rng *r, const crank *c) {
    double sweep = fmin(c->room, 2 * PI) * uniform(r, 0.4, 0.9);
    if (d->until == 0)
        d->until = sweep / uniform(r, 2, 6);
    d->motion[d->motions++] = (drawn_drive){c->joint, either(r) * sweep / d->until};
}

/* The time in which weight moves an arm by a third of its room; the start rate takes another third. */
static void drive_torque(drawing *d, rng *r, const crank *c, drive_mode mode, bool rest) {
    double room = fmin(c->room, 2), time = sqrt(0.6 * room * c->arm / WEIGHT);
    if (d->until == 0 || time < d->until)
        d->until = time;
    if (mode == TORQUE)
        d->torque[d->torques++] = (drawn_drive){c->joint, uniform(r, -0.5, 0.5) * WEIGHT * c->arm};
    if (!rest)
        d->rate[d->rates++] = (drawn_drive){c->joint, either(r) * room / (3 * time)};
}

void draw_drives(drawing *d, rng *r, drive_mode mode, const crank *cranks, int count) {
    bool rest = mode == FREE && rng_next(r) % 2;
    d->gravity = scale(WEIGHT, random_direction(r));
    d->mobility = count;
    for (int i = 0; i < count; i++)
        if (mode == DRIVEN)
            drive_motion(d, r, &cranks[i]);
        else
            drive_torque(d, r, &cranks[i], mode, rest);
}

const family *family_number(int i) {
    static const family *const GROUPS[] = {BEARING_FAMILIES, PLANAR_FAMILIES,     LOOP_FAMILIES,
                                           SPATIAL_FAMILIES, CONCURRENT_FAMILIES, MOVING_FAMILIES,
                                           MACHINE_FAMILIES};
    for (int g = 0; g < (int)(sizeof GROUPS / sizeof *GROUPS); g++)
        for (const family *f = GROUPS[g]; f->name; f++)
            if (i-- == 0)
                return f;
    return NULL;
}

const family *find_family(const char *name, drive_mode *mode) {
    const char *point = strchr(name, '.');
    size_t length = point ? (size_t)(point - name) : strlen(name);
    for (int i = 0; family_number(i); i++) {
        const family *f = family_number(i);
        if (strlen(f->name) != length || strncmp(f->name, name, length))
            continue;
        for (int m = 0; m < DRIVE_MODES; m++)
            if (f->modes >> m & 1 && (!point || !strcmp(point + 1, MODE_NAME[m]))) {
                *mode = (drive_mode)m;
                return f;
            }
    }
    return NULL;
}

void draw(const family *f, drive_mode mode, uint64_t seed, drawing *d) {
    rng r = {seed * 1000003u + (uint64_t)mode};
    *d = (drawing){.coordinates = "auto", .method = "auto", .tolerance = 1e-11};
    d->placed = (placement){.turn = identity(), .length = 1, .mass = 1, .time = 1};
    snprintf(d->name, sizeof d->name, "%s.%s %llu", f->name, MODE_NAME[mode], (unsigned long long)seed);
    rng_next(&r);
    f->draw(d, &r, mode, f->kind);
}

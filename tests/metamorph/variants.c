/* variants.c - changes of a drawing that leave its motion as it is. */
#include "variants.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Methods and tolerances act on a drawing in general position, in
 * which no number happens to be 0 or 1. */
static const variant VARIANTS[] = {
    {.name = "base", .help = "as drawn, against its twin and its known mobility"},
    {.name = "twin", .help = "without superfluous joints, a flat one as planar mechanism", .twin = true},
    {.name = "rotation", .help = "the world with its gravity turned", .turn = 2},
    {.name = "rotation_z", .help = "the same about z", .turn = 1},
    {.name = "translation_1", .help = "moved by its extent", .shift = 1},
    {.name = "translation_30", .help = "moved by 30 times its extent", .shift = 30},
    {.name = "translation_1000", .help = "moved by 1000 times its extent", .shift = 1000},
    {.name = "order", .help = "bodies, joints and drives in another order", .shuffle = true},
    {.name = "order_turned", .help = "the same, turned", .shuffle = true, .turn = 2},
    {.name = "exchange", .help = "the two bodies of each joint exchanged", .exchange = true},
    {.name = "exchange_turned", .help = "the same, turned", .exchange = true, .turn = 2},
    {.name = "relative", .help = "coordinates: relative, turned", .coordinates = "relative", .turn = 2},
    {.name = "absolute", .help = "coordinates: absolute, turned", .coordinates = "absolute", .turn = 2},
    {.name = "millimetres", .help = "lengths in millimetres", .length = 1000},
    {.name = "tonnes", .help = "masses in tonnes", .mass = 1e-3},
    {.name = "milliseconds", .help = "times in milliseconds", .time = 1000},
    {.name = "units", .help = "all three, turned", .length = 1000, .mass = 1e-3, .time = 1000, .turn = 2},
    {.name = "centimetres", .help = "in cm, g, s", .length = 100, .mass = 1e3},
    {.name = "inches", .help = "in inches and slinches", .length = 1 / 0.0254, .mass = 1 / 175.126835},
    {.name = "rounded_12", .help = "turned, then rounded to 12 digits", .turn = 2, .digits = 12},
    {.name = "rounded_9", .help = "turned, then rounded to 9 digits", .turn = 2, .digits = 9},
    {.name = "rounded_6", .help = "turned, then rounded to 6 digits", .turn = 2, .digits = 6},
    {.name = "tolerance_5", .help = "turned, tolerance 1e-5", .turn = 2, .tolerance = 1e-5},
    {.name = "tolerance_7", .help = "turned, tolerance 1e-7", .turn = 2, .tolerance = 1e-7},
    {.name = "tolerance_9", .help = "turned, tolerance 1e-9", .turn = 2, .tolerance = 1e-9},
    {.name = "dopri5",
     .help = "turned, 1e-9",
     .turn = 2,
     .method = "dopri5/index1/projection",
     .tolerance = 1e-9},
    {.name = "radau5", .help = "turned, 1e-8", .turn = 2, .method = "radau5", .tolerance = 1e-8},
    {.name = "adams", .help = "turned, 1e-9", .turn = 2, .method = "adams", .tolerance = 1e-9},
    {.name = "bdf", .help = "turned, 1e-8", .turn = 2, .method = "bdf", .tolerance = 1e-8},
    {.name = "twin_units",
     .help = "the twin in all other units",
     .twin = true,
     .length = 1000,
     .mass = 1e-3,
     .time = 1000},
    {.name = "twin_absolute",
     .help = "the twin turned about z, coordinates: absolute",
     .twin = true,
     .coordinates = "absolute",
     .turn = 1},
    {.name = "twin_rounded_9",
     .help = "the twin turned about z, then rounded",
     .twin = true,
     .turn = 1,
     .digits = 9},
    {.name = "twin_tolerance_5",
     .help = "the twin turned about z, tolerance 1e-5",
     .twin = true,
     .turn = 1,
     .tolerance = 1e-5},
    {.name = "twin_mixture",
     .help = "the twin with a random choice of all that does not round",
     .twin = true,
     .mixture = true},
    {.name = "mixture", .help = "a random choice of all that does not round", .mixture = true},
    {.name = "mm_t_s", .help = "in mm, t, s", .length = 1000, .mass = 1e-3, .asked_for = true},
    {.name = "mm_kg_ms", .help = "in mm, kg, ms", .length = 1000, .time = 1000, .asked_for = true},
};

const variant *variant_number(int i) {
    return i < (int)(sizeof VARIANTS / sizeof *VARIANTS) ? &VARIANTS[i] : NULL;
}

const variant *find_variant(const char *name) {
    for (int i = 0; variant_number(i); i++)
        if (!strcmp(variant_number(i)->name, name))
            return variant_number(i);
    return NULL;
}

bool can_vary(const drawing *d, const variant *v) {
    bool has_twin = d->flat;
    for (int j = 0; j < d->joints; j++)
        has_twin = has_twin || d->joint[j].superfluous;
    return !v->twin || has_twin;
}

/* x -> R x + p of the whole drawing. */
static void move(drawing *d, mat R, vec p) {
    for (int b = 1; b <= d->bodies; b++) {
        d->body[b].centre = add(p, turned(R, d->body[b].centre));
        d->body[b].inertia = tensor_turned(R, d->body[b].inertia);
    }
    for (int j = 0; j < d->joints; j++) {
        drawn_joint *joint = &d->joint[j];
        for (int side = 0; side < 2; side++)
            joint->at[side] = add(p, turned(R, joint->at[side]));
        joint->axis = turned(R, joint->axis);
        joint->across = turned(R, joint->across);
    }
    for (int i = 0; i < d->twists; i++) {
        d->twist[i].velocity = turned(R, d->twist[i].velocity);
        d->twist[i].spin = turned(R, d->twist[i].spin);
    }
    for (int i = 0; i < d->forces; i++) {
        d->force[i].at = add(p, turned(R, d->force[i].at));
        d->force[i].vector = turned(R, d->force[i].vector);
    }
    d->gravity = turned(R, d->gravity);
    d->placed.turn = product(R, d->placed.turn);
    d->placed.shift = add(p, turned(R, d->placed.shift));
}

static void measure_joint(drawn_joint *joint, double L) {
    for (int side = 0; side < 2; side++)
        joint->at[side] = scale(L, joint->at[side]);
    joint->radius *= L;
}

/* A coordinate of a joint in other units: its own is 1 for angles, L for displacements. */
static void measure_drive(const drawing *d, drawn_drive *drive, double of_angle, double L) {
    bool slides = !strcmp(drawn_coordinate(&d->joint[drive->joint]), "displacement");
    drive->value *= slides ? of_angle * L : of_angle;
}

/* Lengths, masses and times in units that are 1/L, 1/M, 1/T of the old ones. */
static void measure(drawing *d, double L, double M, double T) {
    for (int b = 1; b <= d->bodies; b++) {
        d->body[b].mass *= M;
        d->body[b].centre = scale(L, d->body[b].centre);
        for (int i = 0; i < 9; i++)
            d->body[b].inertia.a[i] *= M * L * L;
    }
    for (int j = 0; j < d->joints; j++)
        measure_joint(&d->joint[j], L);
    for (int i = 0; i < d->motions; i++)
        measure_drive(d, &d->motion[i], 1 / T, L);
    for (int i = 0; i < d->rates; i++)
        measure_drive(d, &d->rate[i], 1 / T, L);
    for (int i = 0; i < d->torques; i++)
        measure_drive(d, &d->torque[i], M * L * L / (T * T), 1 / L);
    for (int i = 0; i < d->twists; i++) {
        d->twist[i].velocity = scale(L / T, d->twist[i].velocity);
        d->twist[i].spin = scale(1 / T, d->twist[i].spin);
    }
    for (int i = 0; i < d->forces; i++) {
        d->force[i].at = scale(L, d->force[i].at);
        d->force[i].vector = scale(M * L / (T * T), d->force[i].vector);
    }
    d->gravity = scale(L / (T * T), d->gravity);
    d->until *= T;
    d->extent *= L;
    d->placed.length *= L, d->placed.mass *= M, d->placed.time *= T;
}

static vec rounded(vec v, double quantum) {
    return (vec){quantum * round(v.x / quantum), quantum * round(v.y / quantum),
                 quantum * round(v.z / quantum)};
}

static void round_places(drawing *d, int digits) {
    double relative = pow(10, -digits), quantum = relative * d->extent;
    for (int b = 1; b <= d->bodies; b++)
        d->body[b].centre = rounded(d->body[b].centre, quantum);
    for (int j = 0; j < d->joints; j++) {
        drawn_joint *joint = &d->joint[j];
        for (int side = 0; side < 2; side++)
            joint->at[side] = rounded(joint->at[side], quantum);
        joint->axis = rounded(joint->axis, relative);
        joint->across = rounded(joint->across, relative);
    }
}

static void shuffle_drives(rng *r, drawn_drive *drives, int count, const int *joint_place) {
    drawn_drive old[MOST_DRIVES];
    int order[MOST_DRIVES];
    random_order(r, count, order);
    memcpy(old, drives, sizeof old);
    for (int i = 0; i < count; i++)
        drives[i] = (drawn_drive){joint_place[old[order[i]].joint], old[order[i]].value};
}

static void shuffle(drawing *d, rng *r) {
    static drawing old;
    int body_order[MOST_BODIES], body_place[MOST_BODIES + 1] = {GROUND};
    int joint_order[MOST_JOINTS], joint_place[MOST_JOINTS];
    old = *d;
    random_order(r, d->bodies, body_order);
    random_order(r, d->joints, joint_order);
    for (int i = 0; i < d->bodies; i++) {
        d->body[i + 1] = old.body[body_order[i] + 1];
        body_place[body_order[i] + 1] = i + 1;
    }
    for (int i = 0; i < d->joints; i++) {
        d->joint[i] = old.joint[joint_order[i]];
        joint_place[joint_order[i]] = i;
        for (int side = 0; side < 2; side++)
            d->joint[i].body[side] = body_place[d->joint[i].body[side]];
    }
    shuffle_drives(r, d->motion, d->motions, joint_place);
    shuffle_drives(r, d->torque, d->torques, joint_place);
    shuffle_drives(r, d->rate, d->rates, joint_place);
    for (int i = 0; i < d->twists; i++)
        d->twist[i].body = body_place[d->twist[i].body];
    for (int i = 0; i < d->forces; i++)
        d->force[i].body = body_place[d->force[i].body];
}

/* Types in which the two bodies play different parts stay as they are (docs/joints.md, one way), but for the
 * universal joint: its two arms change their names. */
static bool exchange_joint(drawn_joint *joint) {
    if (!strcmp(joint->type, "wheel"))
        return false;
    *joint = (drawn_joint){.type = joint->type,
                           .number = joint->number,
                           .body = {joint->body[1], joint->body[0]},
                           .at = {joint->at[1], joint->at[0]},
                           .axis = joint->axis,
                           .across = joint->across,
                           .superfluous = joint->superfluous,
                           .exchanged = !joint->exchanged};
    snprintf(joint->name, sizeof joint->name, "J%d", joint->number + 1);
    if (!strcmp(joint->type, "universal")) {
        vec axis = joint->axis;
        joint->axis = joint->across;
        joint->across = axis;
    }
    return true;
}

static void turn_drives(const drawing *d, drawn_drive *drives, int count) {
    for (int i = 0; i < count; i++)
        if (d->joint[drives[i].joint].exchanged)
            drives[i].value = -drives[i].value;
}

/* The angle, or displacement, of a joint is that of its second body seen from the first: it changes its sign.
 */
static void exchange(drawing *d) {
    for (int j = 0; j < d->joints; j++)
        exchange_joint(&d->joint[j]);
    turn_drives(d, d->motion, d->motions);
    turn_drives(d, d->torque, d->torques);
    turn_drives(d, d->rate, d->rates);
}

/* Superfluous joints carry no drives; those that stay keep their places. */
static void make_twin(drawing *d) {
    int place[MOST_JOINTS], count = 0;
    for (int j = 0; j < d->joints; j++) {
        place[j] = count;
        if (!d->joint[j].superfluous)
            d->joint[count++] = d->joint[j];
    }
    d->joints = count;
    for (int i = 0; i < d->motions; i++)
        d->motion[i].joint = place[d->motion[i].joint];
    for (int i = 0; i < d->torques; i++)
        d->torque[i].joint = place[d->torque[i].joint];
    for (int i = 0; i < d->rates; i++)
        d->rate[i].joint = place[d->rate[i].joint];
    d->planar = d->flat;
}

/* A planar mechanism stays in its plane. */
static variant random_mixture(rng *r, bool twin) {
    static const char *const COORDINATES[] = {"auto", "relative", "absolute"};
    static const double SHIFT[] = {0, 1, 30}, FACTOR[] = {1e-3, 1, 1000};
    double time = FACTOR[choose(r, 1, 2)];
    return (variant){.twin = twin,
                     .turn = twin ? 1 : 2,
                     .shift = SHIFT[choose(r, 0, 2)],
                     .length = FACTOR[choose(r, 1, 2)],
                     .mass = FACTOR[choose(r, 0, 1)],
                     .time = time,
                     .shuffle = choose(r, 0, 1),
                     .exchange = choose(r, 0, 1),
                     .coordinates = COORDINATES[choose(r, 0, 2)]};
}

static double factor(double unit) {
    return unit > 0 ? unit : 1;
}

void vary(drawing *d, const variant *v, uint64_t seed) {
    rng r = {seed ^ 0x5bd1e995u};
    variant mixture = random_mixture(&r, v->twin);
    if (v->mixture)
        v = &mixture;
    if (v->twin)
        make_twin(d);
    mat R = v->turn == 2 ? random_rotation(&r) : v->turn ? rotation(EZ, uniform(&r, 0.3, 6)) : identity();
    vec p = scale(v->shift * d->extent, random_direction(&r));
    if (v->turn || v->shift > 0)
        move(d, R, p);
    if (v->tolerance > 0)
        d->tolerance = v->tolerance;
    measure(d, factor(v->length), factor(v->mass), factor(v->time));
    if (v->digits)
        round_places(d, v->digits);
    if (v->exchange)
        exchange(d);
    if (v->shuffle)
        shuffle(d, &r);
    d->coordinates = v->coordinates ? v->coordinates : d->coordinates;
    d->method = v->method ? v->method : d->method;
}

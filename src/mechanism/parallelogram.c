#include "mechanism/parallelogram.h"

#include <math.h>
#include <string.h>

#include "mechanism/joint.h"
#include "mechanism/name_help.h"
#include "mechanism/quantity.h"

/* Vectors are equal if they differ by this much of their length, or by round-off of places far away. */
static const double SAME_VECTOR = 1e-12, SAME_PLACE = 1e-14;

/* Sides shorter than this part of the other ones, and pivots as near to a line, hold nothing: they are no
 * better than a flat pose. */
static const double NO_LENGTH = 1e-6;

typedef struct finder {
    const keel_mechanism *m;
    int *start, *joint; /* joints of body b: joint[start[b]] .. joint[start[b + 1] - 1] */
    bool *held;         /* [body_count] a force acts on it or reads it */
    bool *weighed;      /* [body_count] a force reads its centre of mass */
    int *pivot;         /* [body_count] the pin to the ground, if it has no other joint there; else -1 */
    int *root;          /* [body_count] union-find of cranks that turn together */
    ki_follower *body;
} finder;

/* ---- what forces hold ------------------------------------------------------------------------------------
 */

static void hold_joint(finder *f, int joint) {
    for (int k = 0; k < 2; k++)
        f->held[f->m->joint[joint].body[k]] = true;
}

static void hold_name(void *user, const char *name, int primes) {
    finder *f = user;
    int number;
    const char *rest;
    (void)primes;
    switch (ki_split_name(f->m, name, &number, &rest)) {
    case KI_BODY:
        f->held[number] = true;
        f->weighed[number] |= strcmp(rest, "x") == 0 || strcmp(rest, "y") == 0;
        break;
    case KI_JOINT:
        hold_joint(f, number);
        break;
    case KI_POINT:
        f->held[f->m->point[number].body] = true;
        break;
    default: /* of a spring: its bodies are held by it */
        break;
    }
}

static keel_status hold_bodies(finder *f) {
    for (int i = 0; i < f->m->force_count; i++) {
        const keel_force *force = &f->m->force[i];
        for (int k = 0; k < 2; k++)
            f->held[force->body[k]] = true;
        if (force->joint)
            hold_name(f, force->joint, 0);
    }
    return ki_names_in_forces(f->m, hold_name, f);
}

/* ---- pins ------------------------------------------------------------------------------------------------
 */

static double distance(const double a[2], const double b[2]) {
    return hypot(a[0] - b[0], a[1] - b[1]);
}

static double far_away(const double a[2]) {
    return fmax(fabs(a[0]), fabs(a[1]));
}

static bool is_pin(const keel_joint *joint) {
    return strcmp(joint->type, "revolute") == 0 &&
           distance(joint->at[0], joint->at[1]) <= SAME_PLACE * far_away(joint->at[0]);
}

static bool is_smooth(const keel_joint *joint) {
    return joint->friction.viscous == 0 && joint->friction.coulomb == 0;
}

static int other_body(const keel_joint *joint, int body) {
    return joint->body[joint->body[0] == body];
}

/* The joints of each body, by counting; next [body_count]. */
static void list_joints(finder *f, int *next) {
    const keel_mechanism *m = f->m;
    for (int j = 0; j < m->joint_count; j++)
        for (int k = 0; k < 2; k++)
            f->start[m->joint[j].body[k] + 1]++;
    for (int b = 0; b < m->body_count; b++) {
        next[b] = f->start[b];
        f->start[b + 1] += f->start[b];
    }
    for (int j = 0; j < m->joint_count; j++)
        for (int k = 0; k < 2; k++)
            f->joint[next[m->joint[j].body[k]]++] = j;
}

static void find_pivots(finder *f) {
    for (int b = 0; b < f->m->body_count; b++) {
        f->pivot[b] = -1;
        int grounded = 0;
        for (int i = f->start[b]; b > 0 && i < f->start[b + 1]; i++)
            if (other_body(&f->m->joint[f->joint[i]], b) == KEEL_GROUND) {
                grounded++;
                f->pivot[b] = f->joint[i];
            }
        if (grounded != 1 || !is_pin(&f->m->joint[f->pivot[b]]))
            f->pivot[b] = -1;
    }
}

/* ---- couplers --------------------------------------------------------------------------------------------
 */

/* A and w of the crank that carries a coupler by joint j. False if it is no crank. */
static bool crank_vector(const finder *f, int coupler, int j, double A[2], double w[2]) {
    const keel_joint *pin = &f->m->joint[j];
    int pivot = f->pivot[other_body(pin, coupler)];
    if (pivot < 0 || !is_pin(pin) || !is_smooth(pin))
        return false;
    for (int i = 0; i < 2; i++) {
        A[i] = f->m->joint[pivot].at[0][i];
        w[i] = pin->at[0][i] - A[i];
    }
    return true;
}

/* The sine of the angle between two directions, times their lengths. */
static double cross(const double a[2], const double b[2]) {
    return a[0] * b[1] - a[1] * b[0];
}

/* The pivot farthest from the first one, from there. */
static void line_of_pivots(const finder *f, int c, const double first[2], double line[2]) {
    line[0] = line[1] = 0;
    for (int i = f->start[c] + 1; i < f->start[c + 1]; i++) {
        double A[2], w[2];
        crank_vector(f, c, f->joint[i], A, w);
        if (distance(A, first) > hypot(line[0], line[1]))
            line[0] = A[0] - first[0], line[1] = A[1] - first[1];
    }
}

static bool on_line(const finder *f, int c, const double first[2], const double line[2]) {
    for (int i = f->start[c] + 1; i < f->start[c + 1]; i++) {
        double A[2], w[2];
        crank_vector(f, c, f->joint[i], A, w);
        const double side[2] = {A[0] - first[0], A[1] - first[1]};
        if (fabs(cross(line, side)) > NO_LENGTH * (line[0] * line[0] + line[1] * line[1]))
            return false;
    }
    return true;
}

/* Is body c carried by two or more cranks of equal w, and by nothing else? */
static bool is_coupler(finder *f, int c) {
    double A[2], w[2], line[2], other[2], x[2];
    int first = f->start[c], end = f->start[c + 1];
    if (f->held[c] || end - first < 2 || !crank_vector(f, c, f->joint[first], A, w))
        return false;
    double length = hypot(w[0], w[1]), place = far_away(A);
    for (int i = first + 1; i < end; i++) {
        if (!crank_vector(f, c, f->joint[i], other, x))
            return false;
        place = fmax(place, far_away(other));
        if (distance(x, w) > SAME_VECTOR * length + SAME_PLACE * place)
            return false;
    }
    line_of_pivots(f, c, A, line);
    double side = hypot(line[0], line[1]);
    if (fmin(length, side) <= NO_LENGTH * fmax(length, side))
        return false;
    f->body[c] = (ki_follower){
        .how = KI_TRANSLATES,
        .arm = {w[0], w[1]},
        .lean = on_line(f, c, A, line) ? atan2(cross(line, w), line[0] * w[0] + line[1] * w[1]) : NAN};
    return true;
}

/* ---- cranks ----------------------------------------------------------------------------------------------
 */

static int root_of(const finder *f, int b) {
    while (f->root[b] != b)
        b = f->root[b] = f->root[f->root[b]];
    return b;
}

/* The cranks of a coupler turn together. */
static void join_cranks(finder *f, int c) {
    int first = other_body(&f->m->joint[f->joint[f->start[c]]], c);
    for (int i = f->start[c]; i < f->start[c + 1]; i++) {
        int b = other_body(&f->m->joint[f->joint[i]], c);
        const double *A = f->m->joint[f->pivot[b]].at[0];
        f->body[b] = (ki_follower){.how = KI_TURNS, .arm = {A[0], A[1]}};
        f->root[root_of(f, b)] = root_of(f, first);
    }
}

static bool can_be_taken(const finder *f, int crank) {
    for (int i = f->start[crank]; i < f->start[crank + 1]; i++) {
        const keel_joint *joint = &f->m->joint[f->joint[i]];
        int other = other_body(joint, crank);
        if (other != KEEL_GROUND && f->body[other].how != KI_TRANSLATES)
            return false;
        if (!is_smooth(joint))
            return false;
    }
    return !f->held[crank];
}

/* leader[root] of each class: the one that must stay, or else the first. False if two must, or if the masses
 * that are added to it would move a centre that a force reads. */
static bool choose_leaders(const finder *f, int *leader) {
    for (int pass = 0; pass < 2; pass++)
        for (int b = 1; b < f->m->body_count; b++) {
            if (f->body[b].how != KI_TURNS || can_be_taken(f, b) != (pass == 1))
                continue;
            int *chosen = &leader[root_of(f, b)];
            if (pass == 0 && *chosen)
                return false;
            if (!*chosen)
                *chosen = b;
            if (f->weighed[*chosen])
                return false;
        }
    return true;
}

static void follow(finder *f, const int *leader) {
    for (int b = 1; b < f->m->body_count; b++) {
        int crank = b;
        if (f->body[b].how == KI_TRANSLATES)
            crank = other_body(&f->m->joint[f->joint[f->start[b]]], b);
        if (f->body[b].how != KI_ALONE)
            f->body[b].leader = leader[root_of(f, crank)];
    }
}

/* ---- all of it -------------------------------------------------------------------------------------------
 */

/* Motions and gears are conditions that would be left. */
static bool is_possible(const keel_mechanism *m) {
    bool possible = m->planar && m->motion_count == 0 && m->joint_count >= 4;
    for (int j = 0; possible && j < m->joint_count; j++)
        possible = !ki_joint_type_of(m->joint[j].type)->couples;
    return possible;
}

static keel_status prepare(finder *f, ki_arena *arena) {
    int bodies = f->m->body_count;
    f->start = KI_NEW(arena, int, bodies + 1);
    f->joint = KI_NEW(arena, int, 2 * f->m->joint_count);
    f->held = KI_NEW(arena, bool, bodies);
    f->weighed = KI_NEW(arena, bool, bodies);
    f->pivot = KI_NEW(arena, int, bodies);
    f->root = KI_NEW(arena, int, bodies);
    f->body = KI_NEW(arena, ki_follower, bodies);
    if (arena->failed)
        return KEEL_ERROR_MEMORY;
    for (int b = 0; b < bodies; b++)
        f->root[b] = b;
    list_joints(f, f->pivot); /* which is filled next */
    find_pivots(f);
    return hold_bodies(f);
}

keel_status ki_find_parallelograms(const keel_mechanism *m, ki_arena *arena, ki_parallelograms *found) {
    finder f = {.m = m};
    int loops = 0;
    *found = (ki_parallelograms){0};
    if (!is_possible(m))
        return KEEL_OK;
    keel_status status = prepare(&f, arena);
    if (status)
        return status;
    for (int c = 1; c < m->body_count; c++)
        if (is_coupler(&f, c)) {
            join_cranks(&f, c);
            loops += f.start[c + 1] - f.start[c] - 1;
        }
    int *leader = KI_NEW(arena, int, m->body_count), *crank = KI_NEW(arena, int, 2 * m->joint_count);
    if (arena->failed)
        return KEEL_ERROR_MEMORY;
    if (loops && choose_leaders(&f, leader)) {
        follow(&f, leader);
        for (int c = 1; c < m->body_count; c++)
            for (int i = f.start[c]; i < f.start[c + 1]; i++)
                crank[i] = other_body(&m->joint[f.joint[i]], c);
        *found = (ki_parallelograms){loops, f.body, f.start, crank};
    }
    return KEEL_OK;
}

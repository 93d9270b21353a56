/* drawing.h - a mechanism as the metamorphic test draws it: plain data that variants transform and that is
 * written as a model file.
 *
 * A joint is drawn once, at one place and with one axis of the world, so every loop closes by construction.
 */
#ifndef METAMORPH_DRAWING_H
#define METAMORPH_DRAWING_H

#include <stdbool.h>
#include <stdio.h>

#include "geometry.h"

enum { MOST_BODIES = 128, MOST_JOINTS = 192, MOST_DRIVES = 16, NAME = 24, GROUND = 0 };

/* Bodies are numbered from 1; GROUND is 0. */
typedef struct drawn_body {
    char name[NAME];
    int number; /* in the base, whatever the order is */
    double mass;
    vec centre;
    mat inertia; /* about the centre, axes of the world */
} drawn_body;

typedef struct drawn_joint {
    char name[NAME];
    int number; /* in the base */
    const char *type;
    int body[2];
    vec at[2];        /* place on either body; equal but for distances and wheels */
    vec axis, across; /* zero: not given */
    double radius;    /* of wheels */
    bool superfluous; /* the twin does without it */
    bool exchanged;   /* its bodies are in the other order than in the base */
} drawn_joint;

/* Motion, torque or start rate along a coordinate of a joint. */
typedef struct drawn_drive {
    int joint;
    double value;
} drawn_drive;

/* Start velocity of a body: of its centre, and its spin. */
typedef struct drawn_twist {
    int body;
    vec velocity, spin;
} drawn_twist;

typedef struct drawn_force {
    int body;
    vec at, vector;
} drawn_force;

/* How a variant's world lies in that of the base: x = length (turn x_base + shift). */
typedef struct placement {
    mat turn;
    vec shift;
    double length, mass, time; /* units of the variant per unit of the base */
} placement;

typedef struct drawing {
    char name[64];
    bool flat;   /* moves in planes parallel to x and y: has a planar twin */
    bool planar; /* written with `planar: true` */
    int bodies, joints, motions, torques, rates, twists, forces;
    drawn_body body[MOST_BODIES + 1]; /* from 1 */
    drawn_joint joint[MOST_JOINTS];
    drawn_drive motion[MOST_DRIVES], torque[MOST_DRIVES], rate[MOST_DRIVES];
    drawn_twist twist[MOST_DRIVES];
    drawn_force force[MOST_DRIVES];
    vec gravity;
    double until, extent;
    int mobility; /* freedoms that the family is known to have, motions left out */
    int singular; /* singular poses that it passes */
    bool in_pose; /* the first of them at the start, where reactions grow without bounds */
    const char *coordinates, *method;
    double tolerance;
    placement placed;
} drawing;

typedef enum drive_mode { DRIVEN, TORQUE, FREE, DRIVE_MODES } drive_mode;
extern const char *const MODE_NAME[DRIVE_MODES];

/* ---- drawing ---- */

int draw_body(drawing *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Joint with one place; called J1, J2, ... in the order they are drawn. */
int draw_joint(drawing *d, const char *type, int body_0, int body_1, vec at, vec axis);
/* Revolute about z at a place in the plane of x and y. */
int draw_pin(drawing *d, int body_0, int body_1, vec at);
/* Coordinate of a joint that is driven: "angle", or "displacement" of a prismatic one. */
const char *drawn_coordinate(const drawn_joint *joint);

/* Gives each body of a finished drawing mass, centre and inertia, after its joints; where the drawing is
 * flat, pins are moved along their axes to heights of their own. */
void draw_masses(drawing *d, rng *r);

/* How a joint moves the mechanism. `room`: angle by which it may turn either way; `arm`: length of what hangs
 * from it. */
typedef struct crank {
    int joint;
    double room, arm;
} crank;

/* Gravity, drives of the mode, and the time. Every freedom of the mechanism needs a crank, so that start
 * velocities are unique. */
void draw_drives(drawing *d, rng *r, drive_mode mode, const crank *cranks, int count);

/* ---- families ---- */

typedef struct family {
    const char *name;
    void (*draw)(drawing *d, rng *r, drive_mode mode, int kind);
    int kind;       /* a number that `draw` understands */
    unsigned modes; /* bit 1 << mode */
    int weight;     /* 0: large, drawn in one of four rounds only */
} family;

enum { ALL_MODES = 7, NOT_DRIVEN = 6 };

extern const family BEARING_FAMILIES[], PLANAR_FAMILIES[], LOOP_FAMILIES[], SPATIAL_FAMILIES[],
    CONCURRENT_FAMILIES[], MOVING_FAMILIES[], MACHINE_FAMILIES[];

/* Family number i of all, NULL after the last. */
const family *family_number(int i);

/* By name: "four_bar.driven"; without a mode: the first one of the family. NULL: there is none. */
const family *find_family(const char *name, drive_mode *mode);

/* Draws a family, in its base placement, from a seed. */
void draw(const family *f, drive_mode mode, uint64_t seed, drawing *d);

/* ---- model file ---- */

/* Text of the model file; to be freed. */
char *drawing_text(const drawing *d);

#endif

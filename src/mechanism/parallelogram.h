/* parallelogram.h - bodies of the plane that turn or translate together.
 *
 * Cranks hang from the ground by a pin at A and carry a coupler by a pin at A + w. Where w is the same vector
 * of the drawn pose for all cranks of a coupler, every two of them and the coupler close a parallelogram. The
 * poses of such a loop are two branches, the parallelogram and the antiparallelogram, which meet where its
 * pins lie on one line. On the first, with R the rotation of one of the cranks from the drawn pose,
 *
 *     a crank      x = A + R (X - A)          every crank with the same R
 *     a coupler    x = X + (R - 1) w          without turning
 *
 * for a point drawn at X. Couplers that share a crank share R, so one crank, the leader, tells the pose of
 * all that hangs together (docs/closed-forms.md).
 */
#ifndef KI_MECHANISM_PARALLELOGRAM_H
#define KI_MECHANISM_PARALLELOGRAM_H

#include "mechanism/description.h"

typedef enum ki_follows {
    KI_ALONE,     /* in no parallelogram               */
    KI_TURNS,     /* a crank; its leader is one itself */
    KI_TRANSLATES /* a coupler                         */
} ki_follows;

typedef struct ki_follower {
    ki_follows how;
    int leader;
    double arm[2]; /* KI_TURNS: A, KI_TRANSLATES: w */
    double lean;   /* KI_TRANSLATES: angle of w from the line of the pivots, NAN: they are on no line, and the
                      branches never meet */
} ki_follower;

typedef struct ki_parallelograms {
    int loops;                /* 0: none, or some that cannot be taken away */
    ki_follower *body;        /* [body_count] by described number */
    const int *start, *crank; /* cranks of coupler c: crank[start[c]] .. crank[start[c + 1] - 1] */
} ki_parallelograms;

/* Whether a body follows another one, so that it can be taken away. */
static inline bool ki_is_taken(const ki_parallelograms *p, int body) {
    return p->body[body].how != KI_ALONE && p->body[body].leader != body;
}

/* Finds the parallelograms of a mechanism. Forces, friction, names in formulas of forces and other joints
 * keep a body from being taken away; a coupler that stays is in no parallelogram, and of the cranks that turn
 * together only one may stay, which leads them. In time linear in the number of joints. */
keel_status ki_find_parallelograms(const keel_mechanism *m, ki_arena *arena, ki_parallelograms *found);

/* A pose in which the loops of a coupler are flat and another branch meets this one: at the angle phi of the
 * leader where phi / pi + turns is a whole number. */
typedef struct ki_flat_pose {
    int leader;
    double turns;
    int coupler;
} ki_flat_pose;

/* The different ones, in an array of the arena. In flat_poses.c. */
keel_status ki_find_flat_poses(int bodies, const ki_parallelograms *p, ki_arena *arena, ki_flat_pose **pose,
                               int *count);

#endif

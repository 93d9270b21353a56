/* nearest.h - among all starts of a mechanism that close its joints and meet what is asked of them, the one
 * nearest to the drawing at rest.
 *
 * The changes c_g(q) from the drawing stand in groups g = 1, 2, ... (mechanism/changes.h). A start is the
 * nearest if |c_1|^2 is least among all that satisfy Phi(q) = 0, |c_2|^2 among those of them, and so on;
 * likewise the velocities with J v = tau and the rates c_g' = C_g v. Velocities are a linear problem: with v
 * = x + Z y, Z a basis of what the rows leave free,
 *
 *     y: min |C_g (x + Z y)|,        x <- x + Z y,       Z <- what of Z the group does not see
 *
 * for one group after the other (lexicographic least squares; Escande, Mansard and Wieber, The International
 * Journal of Robotics Research 33, 2014). A pose takes such steps, with c_g + C_g (x + Z y) in the place of
 * the rates, until they vanish.
 */
#ifndef KI_NEAREST_H
#define KI_NEAREST_H

#include "base/arena.h"
#include "formulate/independence.h"
#include "mechanism/changes.h"

typedef struct ki_nearest {
    const keel_system *system;
    ki_independence *look; /* its work area is used, too */
    ki_arena arena;
    ki_changes changes;
    int count, n, most_steps;
    bool has_ranks;         /* there is more than one group, besides places of parts */
    bool ranked;            /* the groups come one after the other */
    double limit;           /* of a row that sees something, the part that it must see */
    double *value;          /* [count] */
    double *C;              /* [count x n] in natural sizes, weighed */
    double *x;              /* [n] */
    double *along, *before; /* [n] steps along the rows, this one and the last */
    double *Z;              /* [n x n] */
    double *Z_new;          /* [n x n] */
    double *B;              /* [count x n] rows of a group along Z, then what is left of them, or a basis */
    double *M;              /* [n x count] columns of a least squares problem */
    double *g;              /* [count] */
    double *y, *u;          /* [n] */
    double *beta;           /* [n] */
    double *left;           /* [count] */
    double *whole;          /* [count] lengths of C */
    int *row;               /* [count] rows of a group */
} ki_nearest;

/* KEEL_ERROR_MEMORY. Clear it after a failure, too. `system` is a mechanism. */
keel_status ki_nearest_init(ki_nearest *nearest, const keel_system *system, ki_independence *look);
void ki_nearest_clear(ki_nearest *nearest);

/* Moves q to the nearest pose. Not `ranked`: to that with the least sum of squares of all groups but the
 * last, springs counting ten times, which exists where the ranks would stretch a mechanism as far as it goes.
 * True if the iteration ended there: rows are closed to first order, and their steps vanish. *steps: how many
 * there were; 0: q was the nearest, and is untouched. */
bool ki_nearest_pose(ki_nearest *nearest, const keel_point *at, bool ranked, double *q, int *steps);

/* The velocities nearest to rest. Rows marked in `without` ask nothing. */
void ki_nearest_velocities(ki_nearest *nearest, const keel_point *at, const bool *without, double *v);

#endif

/* branches.h - where a mechanism can go from a singular pose.
 *
 * In a singular pose q_0 more displacements x satisfy H x = 0 than near by (H of independence.h, the rows of
 * joints). Motions begin only in those that satisfy the rows to second order as well: with the states of
 * self-stress y_d, y_d^T H(q_0) = 0,
 *
 *     g_d(x) x = 0,     g_d(x) = y_d^T H'(q_0)[x],
 *
 * and a branch that begins with x has the tangents T
 *
 *     H t = 0,  g_d(x) t = 0   for t in T.
 *
 * Directions x come from poses near by that were found on the joints (ki_find_independent), are made exact by
 * Newton's method on g_d(x) x = 0, and count as one branch where they have the same tangents.
 *
 * Of a drawing with some digits y_d^T H(q_0) is as far from zero as the drawing from its pose: branches that
 * should meet in q_0 pass each other, and those with y_d^T (Phi - beta) = 0 meet a little beside, where
 *
 *     y_d^T H(q_0 + K u) K = 0        K: displacements that H allows.
 */
#ifndef KI_BRANCHES_H
#define KI_BRANCHES_H

#include "formulate/independence.h"

enum { KI_BRANCHES_MOST = 6 };

typedef struct ki_branches {
    ki_independence *look;
    int count;
    int freedoms;                      /* of each                                                       */
    double *tangent[KI_BRANCHES_MOST]; /* [freedoms x n] orthonormal, in natural sizes                  */
} ki_branches;

/* The branches of the joints at a pose where look->rank_here was found to be less than look->rank. Memory
 * from the arena of `look`. count = 0: none could be told apart, as in large systems. KEEL_ERROR_MEMORY,
 * KEEL_ERROR_CALLBACK. */
keel_status ki_find_branches(ki_branches *branches, ki_independence *look, const keel_point *at);

/* Moves q_0 to where branches meet if the constraints are held open by what they are there; *moved: by more
 * than round-off. */
keel_status ki_find_meeting_pose(ki_independence *look, const keel_point *at, double *q, bool *moved);

/* The smallest velocity along branch b that gives the rates that motions, start values and nonholonomic rows
 * ask for at the point, into v [n_v]: false if there is none. *norm is its length in natural sizes. Rows
 * marked in `without` (NULL: none) ask nothing. */
bool ki_branch_velocity(ki_branches *branches, int b, const keel_point *at, const bool *without, double *v,
                        double *norm);

/* Takes from v what is not along branch b, and gives it the rates of motions. */
bool ki_turn_along(ki_branches *branches, int b, const keel_point *at, double *v);

/* The part of v that is not along branch b, relative to v. */
double ki_off_branch(const ki_branches *branches, int b, const double *v);

/* The acceleration of least constraint along branch b from velocities v, as far as the tangents tell: a = T u
 * with the least a^T M a / 2 - a^T Q = *action, and the rates xi of motions. M over the pattern of the
 * system. False if there is none. */
bool ki_branch_acceleration(ki_branches *branches, int b, const keel_point *at, const double *M,
                            const double *Q, const double *xi, double *a, double *action);

#endif

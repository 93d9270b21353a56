/* sweep.h - inverses of dense matrices of some tens of unknowns, by exchange of unknowns and right-hand
 * sides.
 *
 * b = R A x stands for n equations, R their sizes put to one. Solving that of row p for unknown k exchanges
 * b_p and x_k,
 *
 *     l = (A_k - e_p) / A_pk,     A_j <- A_j - A_pj l  for all columns j but k,     A_k <- e_p - l
 *
 * and after n exchanges x is given by b. Nothing is moved: row p_k is that of unknown k then, and column k
 * that of b_p_k. Columns have one length that is a multiple of four, and all loops have constant lengths.
 *
 * The search for the largest pivots takes as long as all else; so their rows are kept for the next matrix,
 * with R, as long as no pivot there is less than a part of the largest one.
 */
#ifndef KI_SWEEP_H
#define KI_SWEEP_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/four.h"

enum { KI_SWEEP_MOST = 28 }; /* unknowns; for more of them factors take far fewer operations */

typedef struct ki_sweep {
    int n, stride; /* stride = ki_padded(n) + KI_FOUR: room for fours that reach over the end    */
    double *A;     /* [n][stride] columns of the matrix, then of its inverse                     */
    double *unit;  /* [n][stride] e_p                                                            */
    double *left;  /* [n][stride] 1 in the rows that are left after an exchange, else 0          */
    double *scale; /* [stride] R                                                                 */
    double *b;     /* [stride] scratch                                                           */
    int *row;      /* [n] p_k                                                                    */
    bool ordered;  /* ... are known from an earlier matrix                                       */
} ki_sweep;

/* Room for n unknowns; a failed allocation shows in the arena. */
void ki_sweep_init(ki_sweep *sweep, ki_arena *arena, int n);

/* Inverts what stands in A. False, with A used up, if that is singular or not finite, or if it was `ordered`
 * and its rows do not serve; it is no longer then, and another try is worth while. */
bool ki_sweep_invert(ki_sweep *sweep);

/* x [n] <- A^-1 x */
void ki_sweep_solve(ki_sweep *sweep, double *x);

#endif

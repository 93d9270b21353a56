/* lu_columns.h - LU of a dense matrix of some tens of unknowns, four numbers at a time.
 *
 *     A = P L U        rows stay where they are; row p_k is the k-th pivot row
 *
 * Matrices are kept by columns, of one length that is a multiple of four. Column k of L has zeros in the rows
 * that were pivot rows before, and its own; then
 *
 *     column j <- column j - A_j[p_k] L_k,   j > k
 *
 * needs neither exchanges nor loops of changing length, and so do the two sweeps of a solve, the second with
 * the columns of U, which are zero in all other rows. Pivots are largest relative to the size of their row.
 */
#ifndef KI_LU_COLUMNS_H
#define KI_LU_COLUMNS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/four.h"

enum { KI_LU_COLUMNS_MOST = 64 }; /* unknowns */

typedef struct ki_lu_columns {
    int n, stride;   /* stride = ki_padded(n) + KI_FOUR: room for fours that reach over the end   */
    double *A;       /* [n][stride] columns of the matrix; after factoring those of U             */
    double *L;       /* [n][stride]                                                               */
    double *scale;   /* [stride] 1 / size of the rows                                             */
    double *open;    /* [stride] 1 in rows that are not yet pivot rows, else 0                    */
    double *inverse; /* [n] 1 / pivots                                                            */
    double *b;       /* [stride] scratch                                                          */
    int *row;        /* [n] p_k                                                                   */
} ki_lu_columns;

/* Room for n unknowns; a failed allocation shows in the arena. */
void ki_lu_columns_init(ki_lu_columns *lu, ki_arena *arena, int n);

/* Factors what stands in A. False if that is singular or not finite. */
bool ki_lu_columns_factor(ki_lu_columns *lu);

/* x [n] <- A^-1 x */
void ki_lu_columns_solve(ki_lu_columns *lu, double *x);

#endif

/* row_basis.h - a regular block of a sparse matrix, factored again and again.
 *
 *     J [m x n]      rows T and columns C, as many as the rank, so that J_TC has an inverse
 *
 * Which ones is decided elsewhere (row_choice.h, partition.h) and holds for as long as the block stays
 * regular: its factorization keeps pattern and pivots (KLU). With it the null space of J is an operator: for
 * any w in the other columns I
 *
 *     x_I = w,  x_C = -J_TC^-1 J_TI w        J x = 0
 */
#ifndef KI_ROW_BASIS_H
#define KI_ROW_BASIS_H

#include <stdbool.h>

#include "keel/pattern.h"
#include "keel/status.h"
#include "linalg/lu.h"

typedef struct ki_row_basis {
    keel_pattern J;                /* not owned */
    int rank;                      /* 0: nothing is chosen */
    int *row, *column;             /* [rank] T and C: place k of each is row or column k of the block */
    int *row_place, *column_place; /* [m], [n] the inverse, -1 for the others */
    int *start, *index, *entry;    /* the block, and where its values stand in those of J */
    double *values, *b;            /* [entries], [rank] scratch */
    ki_lu *lu;
} ki_row_basis;

/* For matrices of this pattern, which must live longer. False when out of memory; clear in any case. */
bool ki_row_basis_init(ki_row_basis *basis, keel_pattern J);
void ki_row_basis_clear(ki_row_basis *basis);

/* Another choice, of rows and columns in any order. Allocates. KEEL_OK or KEEL_ERROR_MEMORY: nothing is
 * chosen then. */
keel_status ki_row_basis_choose(ki_row_basis *basis, int rank, const int *row, const int *column);

/* False if the block is singular. */
bool ki_row_basis_factor(ki_row_basis *basis, const double *J);

/* How far the block is from being singular, as its pivots tell. */
double ki_row_basis_quality(const ki_row_basis *basis);

/* x_C = J_TC^-1 b_T; b [m], x [n] zero elsewhere. */
void ki_row_basis_solve(const ki_row_basis *basis, const double *b, double *x);

#endif

/* column_choice.h - independent columns of a large sparse matrix in a given order of preference.
 *
 * Columns are taken one after the other as long as each adds to the rank of those before: of all sets of
 * columns that span what J spans this has the least sum of any weights that increase in this order (the
 * greedy choice of a matroid).
 *
 *     L x = a_j        left-looking elimination with the largest entry as pivot (Gilbert and Peierls, SIAM
 * Journal on Scientific and Statistical Computing 9, 1988)
 *
 * Rows are scaled to unit length. A column is dependent if no more than a part of its length is left of it.
 */
#ifndef KI_COLUMN_CHOICE_H
#define KI_COLUMN_CHOICE_H

#include "keel/pattern.h"
#include "keel/status.h"

typedef struct ki_column_choice ki_column_choice;

/* For matrices of this pattern, which must live longer. NULL when out of memory. */
ki_column_choice *ki_column_choice_new(keel_pattern J);
void ki_column_choice_free(ki_column_choice *choice);

/* Takes columns in this order [n]. *rank of them, and *row, *column [rank]: the pivots. KEEL_ERROR_MEMORY. */
keel_status ki_column_choice_take(ki_column_choice *choice, const double *values, const int *order,
                                  double least, int *rank, const int **row, const int **column);

#endif

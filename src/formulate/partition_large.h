/* partition_large.h - partitions of large sparse systems: the criterion and the choice of partition.h without
 * full matrices.
 *
 * The projective criterion is a quotient of two diagonals: with K^-1 = [X .; . .] of the saddle-point matrix
 * [M J^T; J 0]
 *
 *     d_i = X_ii / [M^-1]_ii
 *
 * both by selected inversion (linalg/saddle_inverse.h). Columns of J in the order of d that each add to the
 * rank are the choice that makes the sum of d least; so are all others but the rows of R, the basis of the
 * null space of J, in the opposite order that each add to the rank of R. The second way serves where freedoms
 * are few, the first (linalg/column_choice.h) where they are many. d is rounded to 1e-9 for the order, so
 * that what is equal but for round-off does not change places from step to step. J_d is factored in the rows
 * that the choice leaves independent (linalg/row_basis.h); the others follow. */
#ifndef KI_PARTITION_LARGE_H
#define KI_PARTITION_LARGE_H

#include "formulate/partition.h"

typedef struct ki_partition_large ki_partition_large;

/* NULL when out of memory. */
ki_partition_large *ki_partition_large_new(keel_pattern M, keel_pattern J);
void ki_partition_large_free(ki_partition_large *large);

/* p->d and p->is_dependent; false when out of memory: the choice before stays. */
bool ki_partition_large_choose(ki_partition *p, const double *M, const double *J, ki_partition_choice choice);

bool ki_partition_large_factor(ki_partition *p, const double *J);
void ki_partition_large_solve(const ki_partition *p, const double *b, double *x);

#endif

/* saddle_inverse.h - the diagonal of the first block of the inverse of a saddle-point matrix.
 *
 *     X_ii,   X = A^-1 - A^-1 J^T (J A^-1 J^T)^+ J A^-1        with J of any rank
 *
 * by selected inversion of the sparse factors: the work of a few factorizations, however large the matrix is.
 */
#ifndef KI_SADDLE_INVERSE_H
#define KI_SADDLE_INVERSE_H

#include <stdbool.h>

#include "keel/saddle.h"

/* Numbers of scratch that it needs; -1 on the dense path. */
long ki_saddle_inverse_room(const keel_saddle *K);

/* diagonal [n] with the factors at hand; false on the dense path, without factors, or if A is singular. */
bool ki_saddle_inverse_diagonal(const keel_saddle *K, double *scratch, double *diagonal);

#endif

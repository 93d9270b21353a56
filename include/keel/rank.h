/* rank.h - how many rows of a matrix are independent, and which are not.
 *
 * Rows are scaled to unit length; the rank is where the singular values fall off, never read from a
 * factorization that does not reveal it. Dense (singular values by Jacobi's rotations): meant for a look at
 * the start or at an event, not for every step.
 */
#ifndef KEEL_RANK_H
#define KEEL_RANK_H

#include "keel/pattern.h"
#include "keel/status.h"

typedef struct keel_rank {
    int rank;
    double smallest; /* smallest singular value counted as non-zero (rows scaled to unit length); 0 if rank =
                        0 */
    double largest_dropped; /* largest singular value counted as zero; 0 if none */
    double gap;             /* smallest / largest_dropped, infinity when nothing was dropped */
    int dependent_count;
    int *dependent;     /* [dependent_count] rows that are combinations of the others, increasing; owned, free
                           with keel_rank_clear */
    double *null_space; /* [dependent_count x rows], row-major: orthonormal basis of {y: J^T y = 0} for J as
                           given (not scaled); owned */
} keel_rank;

/* Rank of J (values at the pattern's places). `tolerance`: singular values below it (relative to the largest)
 * count as zero; 0 takes 1e-10. A zero row is dependent. */
KEEL_API keel_status keel_rank_compute(keel_pattern J, const double *values, double tolerance,
                                       keel_rank *result);
KEEL_API void keel_rank_clear(keel_rank *result);

#endif

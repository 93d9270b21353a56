/* andrews_by_hand.h - Andrews' squeezing mechanism as straight-line C: what a careful programmer would write.
 * Equations and data: IVP test set, Andrews' squeezing mechanism (Hairer and Wanner's seven-body mechanism).
 */
#ifndef BENCH_ANDREWS_BY_HAND_H
#define BENCH_ANDREWS_BY_HAND_H

#include "keel/system.h"

keel_system andrews_by_hand(void);
void andrews_start(keel_state *start);

/* M v' + J^T lambda = Q, J v' = xi, straight through; values in the order of the patterns above. */
void andrews_solve_by_hand(const double *M, const double *J, const double *Q, const double *xi, double *a,
                           double *lambda);

#endif

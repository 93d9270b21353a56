/* ordering.h - in which order a sparse saddle-point matrix is eliminated. */
#ifndef KI_ORDERING_H
#define KI_ORDERING_H

#include <stdbool.h>

#include "keel/pattern.h"

/* order [n + m]: the n unknowns of A (0 .. n-1) and the m rows of J (n .. n+m-1) so that little fills in, a
 * row of J after all unknowns that it touches: before them its pivot might be zero. The sign of every pivot
 * is then known, whatever the numbers are. False when out of memory. */
bool ki_order(keel_pattern A, keel_pattern J, int *order);

/* The same for factors of which only stages make use, for small systems: a row of J as soon as it can be held
 * up by unknowns before it. Its pivot may vanish in some poses. */
bool ki_order_for_stages(keel_pattern A, keel_pattern J, int *order);

/* Larger systems have no such factors. */
enum { KI_STAGE_UNKNOWNS = 400 };

/* Multiplications of a factorization in that order; infinite for larger systems. False when out of memory. */
bool ki_stage_work(keel_pattern A, keel_pattern J, double *work);

/* Puts `order` into postorder; *work (may be NULL) is what a factorization costs. False when out of memory.
 */
bool ki_order_finish(keel_pattern A, keel_pattern J, int *order, double *work);

#endif

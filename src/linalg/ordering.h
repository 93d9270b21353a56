/* ordering.h - in which order a sparse saddle-point matrix is eliminated. */
#ifndef KI_ORDERING_H
#define KI_ORDERING_H

#include <stdbool.h>

#include "keel/pattern.h"

/* order [n + m]: the n unknowns of A (0 .. n-1) and the m rows of J (n .. n+m-1) so that little fills in, a
 * row of J after all unknowns that it touches: before them its pivot might be zero. The sign of every pivot
 * is then known, whatever the numbers are. False when out of memory. */
bool ki_order(keel_pattern A, keel_pattern J, int *order);

#endif

/* ordering.h - in which order a sparse saddle-point matrix is eliminated. */
#ifndef KI_ORDERING_H
#define KI_ORDERING_H

#include <stdbool.h>

#include "keel/pattern.h"

/* order [n + m]: first the n unknowns of A (0 .. n-1), then the m rows of J (n .. n+m-1), each group so that
 * little fills in. A constraint thus comes after all bodies it touches: before them its pivot would be zero.
 * False when out of memory. */
bool ki_order(keel_pattern A, keel_pattern J, int *order);

#endif

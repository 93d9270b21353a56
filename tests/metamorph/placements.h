/* placements.h - a fixed list of families, each in many placements, counted out. */
#ifndef METAMORPH_PLACEMENTS_H
#define METAMORPH_PLACEMENTS_H

#include "variants.h"

/* Runs `share` (0 to 1) of the mechanisms of each row of the list, at least one; rows of one family only if
 * `only` is not NULL. Prints failures and a table; false: something failed. */
bool try_placements(double share, const char *only, bool quiet);

/* The placement that a failure names "placed:...", and the seed that varies it. */
bool find_placement(const char *name, variant *v, uint64_t *seed);

/* Whether the list has a row of this family. */
bool has_placements(const char *name);

#endif

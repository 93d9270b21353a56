/* compare.h - whether two runs did the same. */
#ifndef METAMORPH_COMPARE_H
#define METAMORPH_COMPARE_H

#include "record.h"

typedef enum compare_what {
    COMPARE_MOTION = 1, /* positions and velocities of the bodies */
    COMPARE_MOBILITY = 2,
    COMPARE_VERDICTS = 4, /* singular poses, which reactions are shared */
    COMPARE_LOADS = 8,    /* reactions that are unique, and sums of those that are shared */
    COMPARE_IN_PLANE = 16 /* of reactions only what acts in the plane of x and y */
} compare_what;

/* `text` says what differs by more than `limit` (of the extent, of the speed), or `load_limit` (of the
 * loads); false: nothing does. */
bool records_differ(const drawing *base, const record *expected, const record *found, unsigned what,
                    double limit, double load_limit, char *text, size_t size);

#endif

/* interval.h - all values that an operation can have on intervals of its arguments.
 *
 * Ends are moved outwards by a few units in the last place, so that round-off leaves nothing out. Where an
 * operation is not defined in part of an interval, or has a pole there, its values are everything.
 */
#ifndef KI_INTERVAL_H
#define KI_INTERVAL_H

#include "expr/expr.h"

typedef struct ki_interval {
    double low, high;
    bool jumps; /* not continuous in the interval */
} ki_interval;

/* Of every operation but KI_NUMBER and KI_SYMBOL; unused arguments are ignored. */
ki_interval ki_interval_of(ki_op op, ki_interval a, ki_interval b, ki_interval c);

#endif

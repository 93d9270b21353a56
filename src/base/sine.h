/* sine.h - sine and cosine without a call: a fifth of the time of small models was spent in calls of the
 * library's, which nothing can be computed beside. */
#ifndef KI_SINE_H
#define KI_SINE_H

#include <math.h>

#include "base/sine.inc"

#endif

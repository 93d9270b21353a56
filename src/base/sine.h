/* sine.h - sine and cosine without a call: calls of the library's were a fifth of the instructions of small
 * models, and nothing can be computed beside a call. */
#ifndef KI_SINE_H
#define KI_SINE_H

#include <math.h>

#include "base/sine.inc"

#endif

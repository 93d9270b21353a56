/* sines.h - sines and cosines of many angles: those of sine.h, to the bit, two at a time. */
#ifndef KI_SINES_H
#define KI_SINES_H

#include "base/sine.h"

void ki_sines_cosines(int count, const double *x, double *sine, double *cosine);

#endif

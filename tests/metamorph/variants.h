/* variants.h - what must not matter. */
#ifndef METAMORPH_VARIANTS_H
#define METAMORPH_VARIANTS_H

#include "drawing.h"

/* A variant is a list of changes; what is 0 or NULL is not made. */
typedef struct variant {
    const char *name;
    int turn;     /* 1: about z, 2: any rotation                             */
    double shift; /* translation in units of the extent                      */
} variant;

/* Variant number i, NULL after the last; number 0 is the base itself. */
const variant *variant_number(int i);
const variant *find_variant(const char *name);

void vary(drawing *d, const variant *v, uint64_t seed);

#endif

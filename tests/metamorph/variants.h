/* variants.h - what must not matter. */
#ifndef METAMORPH_VARIANTS_H
#define METAMORPH_VARIANTS_H

#include "drawing.h"

/* A variant is a list of changes; what is 0 or NULL is not made. */
typedef struct variant {
    const char *name, *help;
    int turn;                  /* 1: about z, 2: any rotation                                   */
    double shift;              /* translation in units of the extent                            */
    double length, mass, time; /* units of the base in units of the variant                     */
    int digits;                /* places and axes rounded to so many digits of the extent       */
    bool shuffle;              /* bodies, joints and drives in another order                    */
    bool exchange;             /* the two bodies of each joint in the other order               */
    bool twin;                 /* without superfluous joints; what is flat as a planar mechanism */
    bool mixture;              /* a random choice of all that changes no number by rounding     */
    const char *coordinates, *method;
    double tolerance;
    bool asked_for; /* only by name or for --units: the random choices of a seed stay what they were; last */
} variant;

/* Variant number i, NULL after the last; number 0 is the base itself. */
const variant *variant_number(int i);
const variant *find_variant(const char *name);

/* Whether a drawing has such a variant: a twin is simpler than the base, and what passes singular poses is
 * not rounded. */
bool can_vary(const drawing *d, const variant *v);

/* Changes a base drawing into the variant. */
void vary(drawing *d, const variant *v, uint64_t seed);

#endif

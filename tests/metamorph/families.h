/* families.h - linkages that several families are made of. */
#ifndef METAMORPH_FAMILIES_H
#define METAMORPH_FAMILIES_H

#include "drawing.h"

/* A planar four-bar that can turn all the way; its base link is a body or the ground. */
typedef struct four_bar {
    int crank, coupler, rocker; /* bodies */
    vec O, A, B, C;             /* pins in the order base, crank, coupler, rocker */
    struct crank motor;
} four_bar;

four_bar draw_four_bar(drawing *d, rng *r, int base);

/* A line of the space. */
typedef struct line {
    vec at, direction;
} line;

/* A closed chain of revolutes: body i between axes i and i + 1, the last one is the ground. The pins stand
 * anywhere on their axes. Returns the first joint. */
int draw_ring(drawing *d, rng *r, const line *axes, int count);

#endif

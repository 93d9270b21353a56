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

#endif

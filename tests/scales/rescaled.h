/* rescaled.h - any system in other units: the same motion, all numbers of the interface multiplied.
 *
 *     q~ = alpha q,   t~ = T t,   energy~ = e energy with e = M L^2 / T^2,   Phi~ = beta Phi
 *
 * alpha is L for lengths, beta L for rows that are lengths; without natural sizes, as in models of equations,
 * all coordinates count as lengths, and rows as areas. Outputs stay as they are.
 */
#ifndef TEST_RESCALED_H
#define TEST_RESCALED_H

#include "keel/settings.h"
#include "keel/system.h"

typedef struct units {
    double length, mass, time; /* how many new units the old one is */
} units;

typedef struct rescaled rescaled;

struct rescaled {
    keel_system system;
    const keel_system *base;
    units in;
    double energy;
    double *alpha_q, *alpha_v; /* [n_q], [n_v] */
    double *beta;              /* [m] */
    double *q_size, *coordinate_size, *row_size, *Phi_size, *stated_v;
};

/* It ends the program when out of memory. */
rescaled *rescaled_new(const keel_system *base, units in);
void rescaled_free(rescaled *r);

/* A state and settings of the base in the new units. */
void rescale_state(const rescaled *r, const keel_state *from, keel_state *to);
void rescale_settings(const rescaled *r, keel_settings *settings);

#endif

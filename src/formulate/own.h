/* own.h - a system's own elimination (keel_system.own) in place of the kernel K.
 *
 * A system that finds its accelerations without M and J can also say, with the same factors, which x of least
 * norm in M has J x = s: all that projections of states and of error estimates, and the watch for singular
 * poses, ask of K. So the step of an explicit Runge-Kutta method factors no matrix of all coordinates and
 * rows; M and J are evaluated once, at its end, to measure by. Near a singular pose the system gives back,
 * and K takes over until it is passed.
 */
#ifndef KI_OWN_H
#define KI_OWN_H

#include "formulate/dynamics.h"

/* Whether v' is M^-1 (Q - J^T lambda) and nothing else, so that the system may find it in its own way. */
bool ki_may_accelerate(const ki_dynamics *d);

/* Whether it may take the place of K as well: projections in the norm of M, onto the constraints alone. */
bool ki_may_constrain(const ki_dynamics *d);

/* True if the system's factors are at hand and belong to y. */
bool ki_own_is_at(const ki_dynamics *d, const double *y);

/* Makes them so; false next to a singular pose. */
bool ki_own_factor(ki_dynamics *d, const double *y);

/* Remembers that they are. */
void ki_own_note(ki_dynamics *d, const double *y);

/* The gap of the pose y, whatever pose it is. */
double ki_own_gap(ki_dynamics *d, const double *y);

/* J x = s with x of least norm in M, and the multipliers, by the factors at hand. */
static inline void ki_own_constrain(ki_dynamics *d, const double *s, double *x, double *lambda) {
    d->system->own.constrain(d->system, d->work, s, x, lambda);
}

#endif

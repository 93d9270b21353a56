/* stabilizer.h - what happens to a state after a step, and to its error estimate. */
#ifndef KI_STABILIZER_H
#define KI_STABILIZER_H

#include "stabilize/projection.h"

/* Makes y as consistent as the method promises: projection, gradient correction, dependent components of a
 * partitioned formulation. `kind` is the stabiliser; the formulation is that of d->law. */
keel_status ki_settle(ki_dynamics *d, keel_stabilize kind, double t, double *y);

/* The same for the accelerations a [n_v] at y, of integrators that carry some: projected onto J a = xi if the
 * levels of d->law ask for it. */
keel_status ki_settle_acceleration(ki_dynamics *d, keel_stabilize kind, double t, const double *y, double *a);

/* The part of an error estimate that ki_settle leaves. */
keel_status ki_settle_error(ki_dynamics *d, keel_stabilize kind, double *e);

#endif

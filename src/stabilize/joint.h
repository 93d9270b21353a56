/* joint.h - positions, velocities and states projected at once, onto the constraints and the invariants.
 *
 *     min 1/2 (|q - q*|_A^2 + |v - v*|_A^2 + |z - z*|^2)    so that   Phi = 0,  rate = 0,  I = I_0
 *
 * Gauss-Newton on the kernel of joint_kernel.h. As everywhere in this layer factors serve as long as they
 * contract the violation tenfold; with d->relaxed also those of earlier projections.
 */
#ifndef KI_JOINT_H
#define KI_JOINT_H

#include "formulate/sizes.h"

/* Needs d->law->joint. Afterwards K holds the factors at (t, y); with d->relaxed, of a point nearby. */
keel_status ki_project_joint(ki_dynamics *d, double t, double *y);

#endif

/* singular_start.h - runs that begin in a singular pose, where branches meet.
 *
 * The velocities of the start choose the branch; from rest the forces do, by the principle of least
 * constraint: of all branches the one whose acceleration is nearest to that of the bodies without joints, in
 * the metric of their masses (Gauss). The first step is a bridge away from the pose (integrate/bridge.c).
 */
#ifndef KI_SINGULAR_START_H
#define KI_SINGULAR_START_H

#include "run/simulation.h"

/* Takes the first step from the consistent start (t, y), in the place of the integrator. A note says where
 * the run goes; KEEL_ERROR_START after a message if nothing decides, or no branch could be told. */
keel_status ki_begin_singular(keel_simulation *sim, double t, double *y);

#endif

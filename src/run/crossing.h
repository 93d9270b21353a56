/* crossing.h - singular poses that lie on the way, or at the start, are crossed by one long step (bridge.c).
 *
 * Explicit Runge-Kutta methods cross a pose by themselves where a step that straddles it has a small error.
 * All others come no nearer than a few steps, and none gets across where the drawing is exact to some digits
 * only: with lengths off by delta, branches that should meet pass each other at a distance of sqrt(delta),
 * and what the constraints allow there, to the letter, is no longer the motion of the mechanism that was
 * drawn. A bridge from far enough goes on along the branch.
 */
#ifndef KI_CROSSING_H
#define KI_CROSSING_H

#include "run/meeting.h"

#define KI_LARGEST_BRIDGE_ERROR 10 /* the whole tolerance: a step may use a tenth of it */

keel_status ki_crossing_init(keel_simulation *sim);

/* Memory of a bridge, if the run may need one. Before the integrator of the run is started. */
keel_status ki_prepare_bridge(keel_simulation *sim);

/* Before a step: puts a bridge in the place of the integrator where a pose ahead asks for it, and the
 * integrator back where one has been crossed. */
keel_status ki_prepare_crossing(keel_simulation *sim);

/* A pose was found inside of the last step, with the state y: whether the drawing is exact there. */
void ki_note_pose(keel_simulation *sim, double t, const double *y);

/* After an accepted step and the look of the watch. */
void ki_remember_far(keel_simulation *sim);

/* After a failed step: a bridge from the last state that was far from the pose ahead. KEEL_OK if it has taken
 * its step; `status` otherwise. */
keel_status ki_cross_after_failure(keel_simulation *sim, keel_status status);

/* After a try with `status`: the bridge takes the place of the integrator unless its error is larger than
 * `most`: *taken. */
keel_status ki_take_if_good(keel_simulation *sim, keel_status status, double most, const ki_meeting *meeting,
                            bool *taken);

/* The first step from a singular pose, with the rate there. */
keel_status ki_leave_singular_start(keel_simulation *sim, double t, const double *y, const double *rate);

#endif

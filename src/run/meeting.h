/* meeting.h - branches that pass each other where they should meet.
 *
 * With lengths that are known to some digits only, the joints contradict each other in a pose where branches
 * would meet: y^T Phi = c where y^T J = 0, and there is no pose that closes them all. Branches pass each
 * other at a distance of the root of c. A bridge that holds Phi = w(t) beta (formulate/offset.h), with
 *
 *     y^T beta = c in the pose where y^T J = 0,
 *
 * goes along one of them through a pose in which they do meet. The pose and its beta are those of the bridge
 * itself: it is repeated until they stay, and since Phi is known there up to the square of what the pose is
 * off, that is soon.
 */
#ifndef KI_MEETING_H
#define KI_MEETING_H

#include "run/simulation.h"

/* What is known of a bridge that was tried. */
typedef struct ki_meeting {
    bool found;    /* it crosses a pose, ...                                       */
    double t;      /* ... then                                                     */
    double offset; /* largest beta_i in natural sizes; 0 where the drawing is exact */
} ki_meeting;

/* The bridge of the run takes a step of length H or so from (t, y), with a pose in its middle if one is found
 * there. Its offset stays with the workspaces. */
keel_status ki_try_bridge(keel_simulation *sim, double t, const double *y, double H, ki_meeting *meeting);

/* The same from a start (t, y) in a pose, with y' about `rate` there: what the constraints are open in it is
 * the offset, and ends with the step. */
keel_status ki_try_bridge_away(keel_simulation *sim, double t, const double *y, double H, const double *rate,
                               bool resting, bool again, ki_meeting *meeting);

/* The offset that joints ask for in a pose that was found at (t, y), in natural sizes; 0 for round-off. */
double ki_offset_in_pose(keel_simulation *sim, double t, const double *y);

/* Whether joints ask for none at a pose that is expected ahead, as far as the polynomial of the last step
 * tells, which costs little. */
bool ki_is_exact_ahead(keel_simulation *sim, double pose);

/* No offset any more. */
void ki_end_offset(keel_simulation *sim);

#endif

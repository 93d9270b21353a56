/* offset.h - holonomic constraints that are held open for a while.
 *
 * In place of Phi(q, t) = 0 a workspace holds
 *
 *     Phi(q, t) = w(t) beta,      w = (4 s (1 - s))^3,   s = (t - t_0) / span,
 *
 * so w is 1 in the middle of the span, and 0 with its first two derivatives at both ends: the motion leaves
 * and meets the constraints without a jump of its accelerations. A span that begins in a pose has
 *
 *     w = 1 - s^4 (15 - 24 s + 10 s^2)
 *
 * instead, which is 1 there with its first three derivatives zero: from rest a motion opens what it leaves as
 * s^4, and 1 - w must not do so sooner. Either is a constraint driven by a given motion:
 *
 *     J v = tau + w' beta,     J v' = xi + w'' beta.
 *
 * A bridge (integrate/bridge.c) crosses a pose, or leaves one, this way where the lengths of a drawing are
 * known to some digits only: branches that pass each other meet under the right offset (run/crossing.c).
 */
#ifndef KI_OFFSET_H
#define KI_OFFSET_H

#include <stdbool.h>

#include "keel/system.h"

typedef struct ki_offset {
    double t_0, span; /* span 0: no offset */
    bool leaving;     /* the span begins in the pose */
    double *beta;     /* [n_h] units of Phi */
} ki_offset;

/* Takes the offset out of those terms at time t that were evaluated: `what` of keel_system.evaluate. */
void ki_apply_offset(const ki_offset *offset, int n_h, double t, unsigned what, keel_terms *terms);

#endif

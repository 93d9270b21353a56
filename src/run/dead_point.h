/* dead_point.h - the proof that a motion asks for more than a mechanism can do.
 *
 * A motion drives a quantity c(q), Phi = c(q) - c(t). With the rows of the joints and of the other motions
 * alone the mechanism keeps some freedoms. From the last good state the mechanism is moved along them so that
 * c comes nearer to what the motion asks for a little later, at t_1, always by the projection of grad c onto
 * the freedoms, in natural sizes, and back onto the joints. Either c(t_1) is reached: then this is no dead
 * point. Or grad c becomes a combination of the rows of joints before: a top, if c turns back on all sides.
 * The motion cannot be followed beyond the time t at which c(t) passes that top.
 */
#ifndef KI_DEAD_POINT_H
#define KI_DEAD_POINT_H

#include <stdbool.h>

#include "keel/system.h"

typedef struct ki_dead_point {
    int motion;       /* its row                                                              */
    double t;         /* up to here it can be followed                                         */
    bool valued;      /* the rest is known                                                    */
    bool least;       /* the quantity falls: `top` is the least that it can reach              */
    double top;       /* the most                                                             */
    double t_1;       /* a time at which the motion asks for more                              */
    double asked;     /* ... and what it asks for                                             */
    char joints[160]; /* "'C', 'D'": those of which the motion's row is a combination there; may be empty */
} ki_dead_point;

/* Whether some motion is at a dead point, or next to it, in the state `at`, the last one that is good; the
 * run goes to `until`. `work` is a scratch area of the system. */
bool ki_find_dead_point(const keel_system *system, void *work, const keel_point *at, double until,
                        ki_dead_point *found);

#endif

/* collapse.h - recognises a run whose steps shrink towards a time that they never reach.
 *
 * Every attempt, accepted or rejected, is a unit of work. With the pace
 *
 *     p = time gained per attempt          over some hundred attempts,
 *
 * a run that goes on like that takes (until - t)/p more attempts. A slow run has a steady pace and is left
 * alone, whatever it takes; a collapse is one whose rest is far more than max_steps allows and which, for
 * thousands of attempts,
 *
 *     shrinks    gains less in every quarter of these attempts than in the quarter before, slowly: the sum of
 *                all steps to come is finite, and round-off has a hand in it;
 *     stalls     stays as it is, with a rest a thousand times as long as max_steps and at a small part of the
 *                pace it once had.
 *
 * "Thousands" is many times the number of steps that accuracy asks for in a time scale of the motion, about
 * tolerance^(-1/(order + 1)): a near collision or a short pulse, after which steps grow again, is over by
 * then. Steps that shrink as fast as accuracy allows (blow-up, pole) are left alone, too: they end as too
 * small soon (integrator.h).
 */
#ifndef KI_COLLAPSE_H
#define KI_COLLAPSE_H

#include <stdbool.h>

#include "formulate/dynamics.h"

enum { KI_COLLAPSE_MARKS = 33 };

/* Where a run stood after so many attempts. */
typedef struct ki_mark {
    double attempts, t;
} ki_mark;

typedef struct ki_collapse {
    ki_mark last;                     /* where the pace was measured last */
    double best;                      /* largest pace so far              */
    ki_mark marks[KI_COLLAPSE_MARKS]; /* since the rest has been too long, in equal distances of attempts */
    int count;                        /* of marks */
    double spacing;                   /* attempts between marks, at least */
    double stalled;                   /* attempts at which the run began to stall */
    int order;                        /* highest so far of the integrator */
    ki_trouble trouble;               /* the last of the attempts since marks[0] */
    bool is_shrinking;                /* after a collapse: the steps were, or else they stalled */
    double limit;                     /* ... the time towards which they led */
    double attempts_left;             /* what the rest would take at the last pace */
} ki_collapse;

/* What the numbers of a run are compared with. */
typedef struct ki_collapse_scale {
    double until;
    double most_steps;   /* of the run */
    double longest_step; /* that the settings allow; 0: no limit */
    double tolerance;    /* that a step may use */
} ki_collapse_scale;

void ki_collapse_init(ki_collapse *collapse, double t);

/* After `attempts`, at time t. True once the run has collapsed; `limit` and `attempts_left` are known then.
 */
bool ki_has_collapsed(ki_collapse *collapse, const ki_collapse_scale *scale, double attempts, double t);

#endif

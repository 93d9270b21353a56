/* stiffness.h - "auto" by cost: an explicit method, or implicit ones where the system is stiff.
 *
 * Where the largest eigenvalue at the start (spectrum.h) alone would make the explicit method take hundreds
 * of steps an implicit one begins. Elsewhere the explicit method tells when stability, not accuracy, has
 * limited its steps for a while, and whether a damper or, at loose tolerances, a fast spring does that. Then
 * an implicit method is on trial: if, once it has found its step, it needs more work per time than the
 * explicit one did, the run goes back.
 *
 * No verdict is for good. After a trial the run waits until it has done several times the work that the trial
 * has cost, twice as long after each one that failed; then the next reason leads to the next one, by the
 * other implicit methods in turn. An implicit method that works has a reason, too: steps that have collapsed
 * to many times the least work per time. So trials never cost more than a part of the run, whatever the
 * motion does.
 */
#ifndef KI_STIFFNESS_H
#define KI_STIFFNESS_H

#include <stdbool.h>

#include "integrate/integrator.h"
#include "keel/run.h"

typedef struct ki_stiffness {
    double t;               /* since when the present integrator is measured ... */
    double work;            /* ... and the work done until then, in evaluations  */
    long steps;             /* its steps until then                              */
    double explicit_step;   /* the longest that stability lets the explicit method take */
    bool is_implicit;       /* an implicit method is at work ... */
    bool on_trial;          /* ... on trial ...                                */
    bool is_running;        /* ... and has found its step                      */
    bool from_start;        /* ... because of the eigenvalues at the start     */
    keel_integrator before; /* of a trial: what the run goes back to, ... */
    double work_before;     /* ... and its work per time */
    double trial_work;      /* the work done when the trial began, ... */
    double trial_t;         /* ... and when */
    double judged;          /* the work done when the last one ended */
    double cost;            /* ... and what it cost, times what is waited */
    double patience;        /* so much more work before the next */
    double least;           /* work per time of the present implicit method, at best */
    double well;            /* the work done when steps had not collapsed */
    double taken;           /* when the last trial ended */
    double explicit_work;   /* work per time of the explicit method, when it was last left; 0: not known */
    bool has_worked;        /* an implicit method was better than what it was tried in place of: */
    keel_integrator worked; /* the last one */
    int trials;             /* of implicit methods */
} ki_stiffness;

/* Why "auto" went on with an implicit method: at the start, on the way. */
extern const char *const KI_STIFF_REASON[2];

/* The first integrator of the run, from (t, y). NULL with *status. */
ki_integrator *ki_start_by_stiffness(keel_simulation *sim, double t, const double *y, keel_status *status);

/* Before a step: changes the integrator if the method is "auto" and there is reason to. */
keel_status ki_follow_stiffness(keel_simulation *sim);

#endif

/* stiffness.h - "auto" goes over from an explicit method to an implicit one where the system is stiff.
 *
 * Where the largest eigenvalue at the start (spectrum.h) alone would make the explicit method take hundreds
 * of steps the implicit one begins. Elsewhere the explicit method tells when stability, not accuracy, has
 * limited its steps for a while, and whether a damper or, at loose tolerances, a fast spring does that. Then
 * radau9 is tried, or radau5 at still looser ones: if after some steps it turns out to need more work per
 * time than the explicit method did, the run goes back and stays there; after a try from the start it may be
 * tried once more.
 */
#ifndef KI_STIFFNESS_H
#define KI_STIFFNESS_H

#include <stdbool.h>

#include "integrate/integrator.h"
#include "keel/run.h"

typedef struct ki_stiffness {
    double t;             /* since when the present integrator is measured ... */
    double work;          /* ... and the work done until then, in evaluations  */
    long steps;           /* its steps until then                              */
    double work_before;   /* work per time of the explicit method; its least, if it has not run */
    double explicit_step; /* the longest that stability lets the explicit method take */
    bool is_implicit;     /* an implicit method is being tried ...             */
    bool is_running;      /* ... and has found its step                        */
    bool from_start;      /* ... because of the eigenvalues at the start       */
    bool settled;         /* the choice has been made for good                 */
} ki_stiffness;

/* The first integrator of the run, from (t, y). NULL with *status. */
ki_integrator *ki_start_by_stiffness(keel_simulation *sim, double t, const double *y, keel_status *status);

/* Before a step: changes the integrator if the method is "auto" and there is reason to. */
keel_status ki_follow_stiffness(keel_simulation *sim);

/* The integrator of the run is a new one, with the counts of those before it: its work is measured from here.
 */
void ki_measure_work_from_here(keel_simulation *sim);

#endif

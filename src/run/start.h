/* start.h - a consistent start: small inconsistencies are projected away and reported, large ones are errors.
 */
#ifndef KI_START_H
#define KI_START_H

#include "keel/diagnostics.h"
#include "keel/run.h"
#include "keel/settings.h"
#include "stabilize/projection.h"

typedef struct ki_start_report {
    double position_moved, velocity_moved; /* largest change of a component */
} ki_start_report;

/* Makes y consistent at time t. d->s holds the first guess of the auxiliaries. */
keel_status ki_make_consistent(ki_dynamics *d, const keel_settings *settings, int velocities_given, double t,
                               double *y, keel_diagnostics *diagnostics, ki_start_report *report);

/* Measures the constraints that follow others, at the consistent start sim->row_y: KEEL_ERROR_START, with a
 * message, if they do not. */
keel_status ki_check_repeated(keel_simulation *sim, double t);

#endif

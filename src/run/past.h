/* past.h - what a run has done since its start, in the few words that it takes to do it again.
 *
 * A run is a function of its system, settings and start: whoever takes the same steps and asks for the same
 * rows in between comes to the same state, with all that integrators, factorizations and the libraries behind
 * them remember. So the past of a run is its start, the number of its steps, and the times of its rows.
 */
#ifndef KI_PAST_H
#define KI_PAST_H

#include <stdint.h>

#include "base/stream.h"
#include "keel/run.h"

/* A row that was asked for after so many steps. */
typedef struct ki_asked {
    double t;
    long steps;
} ki_asked;

typedef struct ki_past {
    const keel_system *system; /* as it was given: that of the steps may be another one */
    keel_settings settings;
    keel_state *start;
    int velocities_given;
    long steps;
    ki_asked *rows; /* [row_count] */
    int row_count, room;
    bool failed; /* a step has failed: it cannot be told what another attempt would do */
    bool lost;   /* there was no memory for all of it */
} ki_past;

/* NULL when out of memory. */
ki_past *ki_past_new(const keel_system *system, const keel_settings *settings, const keel_state *start,
                     int velocities_given);
void ki_past_free(ki_past *past);

/* A step was taken, a row asked for. `past` may be NULL. */
void ki_past_add_step(ki_past *past, keel_status status);
void ki_past_add_row(ki_past *past, double t);

/* Without the rows that are there already when it is read. */
void ki_visit_past(ki_stream *stream, ki_past *past);

/* What a run that has done the same shows at its end. */
typedef struct ki_arrival {
    double t;
    uint64_t mark; /* of the state, and of what has been counted */
} ki_arrival;
ki_arrival ki_arrival_of(const keel_simulation *sim);

#endif

/* past.h - what a run has done since its start, in the few words that it takes to do it again.
 *
 * A run is a function of its system, settings and start: whoever takes the same steps and asks for the same
 * rows in between comes to the same state, with all that integrators, factorizations and the libraries behind
 * them remember. So the past of a run is its start, or where it last began anew (base.h),
 * the number of steps since, and the times of the rows.
 */
#ifndef KI_PAST_H
#define KI_PAST_H

#include <stdint.h>

#include "base/stream.h"
#include "keel/run.h"

/* What the caller did after so many steps: asked for a row at a time, had the next steps end at a time, or
 * set an input. */
enum { KI_ASKED_ROW = -1, KI_ASKED_HALT = -2 };
typedef struct ki_asked {
    double value; /* the time, or the value of the input */
    long steps;
    int input; /* its number, or one of those above */
} ki_asked;

typedef struct ki_past {
    const keel_system *system; /* as it was given: that of the steps may be another one */
    keel_settings settings;
    keel_state *start;
    int velocities_given;
    struct ki_past *first; /* of the run as it was made: another state was set since; NULL: it is this one */
    void *base; /* what the run has begun anew from (base.h), of base_size bytes; NULL: only from its start */
    size_t base_size;
    long next; /* steps after which it is to do so again; 0: never */
    keel_diagnostics *diagnostics;
    int message_count; /* of those that were there before the run */
    long steps;        /* since then */
    ki_asked *asked;   /* [asked_count] in order */
    int asked_count, room;
    bool failed;    /* a step has failed: it cannot be told what another attempt would do */
    bool lost;      /* there was no memory for all of it */
    bool elsewhere; /* the run goes on from a place that its steps do not lead to: it can be saved again once
                       it has begun anew */
} ki_past;

/* NULL when out of memory. */
ki_past *ki_past_new(const keel_system *system, const keel_settings *settings, const keel_state *start,
                     int velocities_given);
void ki_past_free(ki_past *past);

/* Before a step of the run that a user calls sim: begins anew where it is time to. KEEL_ERROR_MEMORY. */
keel_status ki_begin_anew(keel_simulation *sim);

/* A run from where another one began anew; its messages so far are added. NULL with *status. */
keel_simulation *ki_go_on_from_base(ki_past *past, keel_status *status);

/* A step was taken, something asked for. `past` may be NULL. */
void ki_past_add_step(ki_past *past, keel_status status);
void ki_past_add_row(ki_past *past, double t);
void ki_past_add_asked(ki_past *past, int input, double value);

/* Has the next steps end at t (advance.c). */
void ki_halt_at(keel_simulation *sim, double t);

/* Without what was asked already when it is read. */
void ki_visit_past(ki_stream *stream, ki_past *past);

/* What a run that has done the same shows at its end. */
typedef struct ki_arrival {
    double t;
    uint64_t mark; /* of the state, and of what has been counted */
} ki_arrival;
ki_arrival ki_arrival_of(const keel_simulation *sim);

#endif

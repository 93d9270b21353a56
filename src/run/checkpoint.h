/* checkpoint.h - the parts of keel/checkpoint.h. */
#ifndef KI_RUN_CHECKPOINT_H
#define KI_RUN_CHECKPOINT_H

#include "base/stream.h"
#include "keel/checkpoint.h"

/* What is kept under the library's names. */
#define KI_KEPT_IDENTITY "Identity" /* system and settings in words, a line for each (identity.c) */
#define KI_KEPT_PAST     "Past"     /* past.h */
#define KI_KEPT_STATE    "State"    /* where the run is, with the names of that */
#define KI_KEPT_LOOP     "Loop"     /* which rows keel_run has given (run.c) */

/* An empty one; NULL when out of memory. */
keel_checkpoint *ki_checkpoint_new(void);

/* The bytes of a stream that was written become a part; the stream is cleared. */
keel_status ki_checkpoint_keep(keel_checkpoint *checkpoint, const char *name, ki_stream *stream);

/* A part as a stream to read. */
ki_stream ki_checkpoint_part(const keel_checkpoint *checkpoint, const char *name);

/* System and settings in words. */
keel_status ki_keep_identity(keel_checkpoint *checkpoint, const keel_system *system,
                             const keel_settings *settings);

/* KEEL_ERROR_INPUT, with messages, where they are others than those kept. */
keel_status ki_compare_identity(const keel_checkpoint *checkpoint, const keel_system *system,
                                const keel_settings *settings, keel_diagnostics *diagnostics);

/* The state that sim has reached, with names. */
keel_status ki_keep_state(keel_checkpoint *checkpoint, const keel_simulation *sim);

/* A run under way again: keel_simulation_load. `observer` is told how far it is, and may stop it
 * (KEEL_INTERRUPTED). */
keel_simulation *ki_load(const keel_system *system, const keel_settings *settings,
                         const keel_checkpoint *checkpoint, const keel_observer *observer,
                         keel_diagnostics *diagnostics, keel_status *status);

#endif

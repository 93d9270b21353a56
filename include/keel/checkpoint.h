/* checkpoint.h - a run written down, to go on with later as if it had never stopped.
 *
 *     keel_checkpoint *saved = keel_simulation_save(sim, &status);
 *     const void *bytes = keel_checkpoint_bytes(saved, &size);          store them
 *     ...
 *     keel_checkpoint *saved = keel_checkpoint_read(bytes, size, diagnostics, &status);
 *     keel_simulation *sim = keel_simulation_load(&system, &settings, saved, diagnostics, &status);
 *
 * The steps and rows that follow are those of the run that was saved, bit for bit, with the same program on
 * the same kind of machine. docs/checkpoint.md tells how, and what a checkpoint holds.
 */
#ifndef KEEL_CHECKPOINT_H
#define KEEL_CHECKPOINT_H

#include <stddef.h>

#include "keel/run.h"

typedef struct keel_checkpoint keel_checkpoint;

/* As the run is now, between two steps. NULL with *status KEEL_ERROR_MEMORY, or KEEL_ERROR_INPUT: a step has
 * failed, there is no going on. */
KEEL_API keel_checkpoint *keel_simulation_save(const keel_simulation *simulation, keel_status *status);

/* A simulation that goes on from there. System and settings have to be those of the run that was saved: the
 * messages name what differs. NULL with *status: KEEL_ERROR_INPUT, KEEL_ERROR_MEMORY. */
KEEL_API keel_simulation *keel_simulation_load(const keel_system *system, const keel_settings *settings,
                                               const keel_checkpoint *checkpoint,
                                               keel_diagnostics *diagnostics, keel_status *status);

/* The same for a run of keel_run, whose observer is told between two steps (keel_observer.between). */
KEEL_API keel_checkpoint *keel_run_save(const struct keel_run_state *run, keel_status *status);

/* keel_run from a checkpoint of keel_run_save: rows, steps and result are those that
 * were still to come. */
KEEL_API keel_status keel_run_resume(const keel_system *system, const keel_settings *settings,
                                     const keel_checkpoint *checkpoint, const keel_observer *observer,
                                     keel_diagnostics *diagnostics, keel_result *result);

/* The bytes to be stored, which belong to the checkpoint; NULL when out of memory. */
KEEL_API const void *keel_checkpoint_bytes(keel_checkpoint *checkpoint, size_t *size);

/* A checkpoint from bytes, of which none may be missing or changed: a message tells what is wrong. */
KEEL_API keel_checkpoint *keel_checkpoint_read(const void *bytes, size_t size, keel_diagnostics *diagnostics,
                                               keel_status *status);
KEEL_API void keel_checkpoint_free(keel_checkpoint *checkpoint);

/* Something else that is kept with it, by a name of at most 15 characters; what is there is replaced. Names
 * of the library begin with a capital letter. */
KEEL_API keel_status keel_checkpoint_put(keel_checkpoint *checkpoint, const char *name, const void *bytes,
                                         size_t size);

/* What is kept there: NULL, and size 0, if nothing is. It belongs to the checkpoint. */
KEEL_API const void *keel_checkpoint_get(const keel_checkpoint *checkpoint, const char *name, size_t *size);

/* The state that was reached, where a run of the same or of another model may start: coordinates and
 * velocities, first-order states, auxiliary unknowns go by their names. KEEL_ERROR_INPUT, with messages, if
 * the names of the checkpoint are not those of the system. */
KEEL_API keel_status keel_checkpoint_state(const keel_checkpoint *checkpoint, const keel_system *system,
                                           keel_state *state, keel_diagnostics *diagnostics);

#endif

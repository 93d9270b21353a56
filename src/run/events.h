/* events.h - singular poses and changes of partition, found after a step and put into words. */
#ifndef KI_EVENTS_H
#define KI_EVENTS_H

#include "run/simulation.h"

/* A place for an event of this kind; NULL when there were too many. */
keel_event *ki_new_event(keel_simulation *sim, double t, keel_event_kind kind);

/* Event `number` in words: singular poses are put into them when somebody asks. */
void ki_write_event(const keel_simulation *sim, int number, keel_event *event);

/* Looks at the step just taken. KEEL_ERROR_SINGULAR if the run has to end at a singular pose. */
keel_status ki_look_for_events(keel_simulation *sim);

/* After a failed step: adds a note if the state is next to a singular pose. */
void ki_explain_singular(keel_simulation *sim);

/* The same if errors of the steps have made most of its energy: what failed is not the cause then. True if
 * so. */
bool ki_explain_energy(keel_simulation *sim);

/* After a failed step or row: adds a note if a tolerance too loose for projection may be the cause. */
void ki_explain_looseness(keel_simulation *sim, const ki_trouble *trouble);

/* The states of self-stress are kept if there are outputs that they might change. */
keel_status ki_keep_self_stresses(keel_simulation *sim, double *stress, int count);

/* Finds, at the first row, which outputs depend on how dependent constraints share their multipliers: a
 * reaction in a joint that others repeat. `outputs` are those at `at`; scratch [n_outputs]. */
keel_status ki_find_shared_outputs(keel_simulation *sim, const keel_point *at, const double *v_rate,
                                   const double *outputs);

/* Notes and warnings so far, for a result. (result.c) */
keel_status ki_copy_notes(const keel_diagnostics *diagnostics, keel_result *result);

#endif

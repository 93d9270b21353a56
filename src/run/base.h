/* base.h - a run taken down to a few numbers, and built up from them.
 *
 * Every so many steps (the option base_steps) a run writes down where it is and what it has to tell at its
 * end, throws everything away, and begins anew from what is written. So a run that is taken up again from
 * these numbers is the same as one that went on: whatever is not among them is lost to both. Workspaces,
 * factors and histories are not among them; they are made anew, as behind a switch (switching.h).
 *
 * This happens in quiet places only: far from singular poses and switches, with no bridge, no trial of an
 * integrator under way.
 */
#ifndef KI_RUN_BASE_H
#define KI_RUN_BASE_H

#include "base/stream.h"
#include "run/past.h"
#include "run/simulation.h"

/* Whether a run may begin anew where it is. */
bool ki_is_quiet(const keel_simulation *sim);

/* Writes a run down. */
void ki_write_base(ki_stream *stream, keel_simulation *sim, const ki_past *past);

/* The run that is written. NULL with *status: KEEL_ERROR_MEMORY, KEEL_ERROR_INPUT (it is none of this system
 * and these settings), or whatever failed where it is. Nothing is told. */
keel_simulation *ki_build_from_base(ki_stream *stream, const ki_past *past, keel_status *status);

/* The parts of both, each in one direction or the other (base_parts.c); sim has its memory. */
void ki_visit_held(ki_stream *s, keel_simulation *sim, double t, const double *y, const double *s_guess,
                   keel_status *status);
void ki_visit_workspace(ki_stream *s, ki_dynamics *d);
void ki_visit_scales(ki_stream *s, ki_scales *scales, const keel_system *system);
void ki_visit_switching(ki_stream *s, ki_switching *switching, int n_y);
void ki_visit_integrator(ki_stream *s, ki_integrator *in);
void ki_visit_watch(ki_stream *s, ki_watch *watch, int m, int n);
void ki_visit_totals(ki_stream *s, keel_simulation *sim);
void ki_visit_counts(ki_stream *s, ki_dynamics *d);

#endif

/* reduction.h - runs in the coordinates u of a keel_reduction.
 *
 * Steps, dense output and error estimates belong to the system in u; violations, multipliers, outputs and
 * rows to the full system at q(u), v(u, u').
 */
#ifndef KI_RUN_REDUCTION_H
#define KI_RUN_REDUCTION_H

#include "run/simulation.h"

/* The reduction that a run takes if its start is on the branch, or NULL: by the option closed_forms.
 * KEEL_ERROR_INPUT after a message if the settings ask for one that is not to be had. */
keel_status ki_choose_reduction(const keel_system *system, const keel_settings *settings,
                                keel_diagnostics *diagnostics, const keel_reduction **chosen);

/* Workspaces of a run with sim->reduction. */
keel_status ki_make_reduced_workspaces(keel_simulation *sim);

/* sim->reduced_y from the consistent full state sim->row_y at the start; on another branch it gives the
 * reduction up, with workspaces for all coordinates, or (closed_forms = yes) returns KEEL_ERROR_INPUT after a
 * message. */
keel_status ki_shrink_start(keel_simulation *sim, double t);

/* The full state sim->row_y, without its work, of a state in u. */
void ki_expand_state(keel_simulation *sim, double t, const double *y);

/* Violation of the constraints of the full system at the state reached. Their sizes, with which it is
 * compared, are by the J of the last row, or of the start. */
keel_status ki_measure_expanded(keel_simulation *sim, ki_violation *w);

/* Whether a step, which returned `status`, has to be taken with all coordinates instead: it came too near to
 * where the map from u ends (keel_reduction.room), or failed, perhaps because of that. */
bool ki_reduction_ends(keel_simulation *sim, keel_status status);

/* From the last state that is to be trusted the run goes on with all coordinates. After a failure it is as it
 * was. */
keel_status ki_leave_reduction(keel_simulation *sim);

/* Tells the singular poses of the full system inside the last step. */
keel_status ki_look_for_poses(keel_simulation *sim);

#endif

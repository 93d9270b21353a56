/* reduction.h - runs in the coordinates u of a keel_reduction.
 *
 * Steps, dense output and error estimates belong to the system in u; violations, multipliers, outputs and
 * rows to the full system at q(u), v(u, u').
 */
#ifndef KI_RUN_REDUCTION_H
#define KI_RUN_REDUCTION_H

#include "run/simulation.h"

/* The reduction that a run from `start` takes, or NULL: by the option closed_forms. KEEL_ERROR_INPUT after a
 * message if the settings ask for one that is not to be had, KEEL_ERROR_MEMORY. */
keel_status ki_choose_reduction(const keel_system *system, const keel_state *start,
                                const keel_settings *settings, keel_diagnostics *diagnostics,
                                const keel_reduction **chosen);

/* Workspaces of a run with sim->reduction. */
keel_status ki_make_reduced_workspaces(keel_simulation *sim);

/* sim->reduced_y from the full state sim->row_y at the start. KEEL_ERROR_START: it is on another branch. */
keel_status ki_shrink_start(keel_simulation *sim, double t);

/* The full state sim->row_y of a state in u. */
void ki_expand_state(keel_simulation *sim, const double *y);

/* Violation of the constraints of the full system at the state reached. Their sizes, with which it is
 * compared, are by the J of the last row, or of the start. */
keel_status ki_measure_expanded(keel_simulation *sim, ki_violation *w);

/* Tells the singular poses of the full system inside the last step. */
keel_status ki_look_for_poses(keel_simulation *sim);

#endif

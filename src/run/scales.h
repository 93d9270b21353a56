/* scales.h (run) - the scales of a run, found at its start, and carried over to other workspaces. */
#ifndef KI_RUN_SCALES_H
#define KI_RUN_SCALES_H

#include "run/simulation.h"

/* Workspaces that have just been made measure by the same scales, in the coordinates of the steps. */
void ki_share_scales(keel_simulation *sim);

/* At a consistent start: sim->row_y, and sim->reduced_y with a reduction. */
void ki_find_run_scales(keel_simulation *sim, double t);

/* `from` are those of the full system (NULL: not found yet), of workspaces that others have replaced; the run
 * goes on from sim->row_y. */
void ki_carry_scales(keel_simulation *sim, const ki_scales *from);

#endif

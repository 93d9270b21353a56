/* restart.h - a run goes on from a state with other workspaces: those of other rows. */
#ifndef KI_RESTART_H
#define KI_RESTART_H

#include "run/simulation.h"

/* From the complete state sim->row_y at t, with the same integrator, for the constraints of sim->active.
 * `step`: to try first, 0: to be found. Counts and the smallest gap go on. After a failure the run is as it
 * was. */
keel_status ki_restart(keel_simulation *sim, double t, double step);

void ki_clear_workspaces(keel_simulation *sim);

/* Workspaces for sim->active in place of those there are; counts go on. */
keel_status ki_replace_workspaces(keel_simulation *sim);

#endif

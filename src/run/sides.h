/* sides.h - switches of the state: which side of each the motion is on, and where it changes. */
#ifndef KI_SIDES_H
#define KI_SIDES_H

#include "run/simulation.h"

/* Memory. */
keel_status ki_sides_init(keel_simulation *sim);

/* One accepted step, not beyond ki_step_limit, that ends where the first switch is passed. */
keel_status ki_step_with_sides(keel_simulation *sim);

/* After a failed step: adds a note if a switch without end is the reason. */
void ki_explain_sides(keel_simulation *sim);

/* The integrator begins anew at (t, y), with a first step to try (0: its own choice). (switching.c) */
keel_status ki_renew_integrator(keel_simulation *sim, double t, const double *y, double first_step);

/* A first step behind a switch, 0: to be found. (switching.c) */
double ki_step_after_switch(const keel_simulation *sim);

#endif

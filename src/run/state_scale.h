/* state_scale.h - how large the components of a run's state are, for layers above (docs/scales.md). */
#ifndef KI_STATE_SCALE_H
#define KI_STATE_SCALE_H

#include "keel/run.h"

/* [n_q + n_v + n_z] of the system of the steps, so far; until the next call of the simulation. */
const double *ki_state_scale(keel_simulation *sim);

#endif

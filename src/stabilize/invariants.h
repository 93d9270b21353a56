/* invariants.h - quantities that are constant along every motion: their values, and whether they are. */
#ifndef KI_INVARIANTS_H
#define KI_INVARIANTS_H

#include "formulate/sizes.h"

/* Takes the invariants at (t, y), a consistent start, as the values to keep. */
keel_status ki_set_invariants(ki_dynamics *d, double t, const double *y);

/* Whether the invariants are constant where the motion is at (t, y), on the constraints, with y' = k just
 * computed by ki_rate:
 *
 *     I_q v + I_v v' + I_z z' + I_t = 0          up to a millionth of the size of its terms
 *
 * KEEL_ERROR_INPUT with KI_TROUBLE_INVARIANT if not. I_t, which no system gives, is taken from differences.
 * At rest all terms of an energy vanish, also where there is damping: check again once the system moves. */
keel_status ki_check_invariants(ki_dynamics *d, double t, const double *y, const double *k);

#endif

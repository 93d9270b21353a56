/* spectrum.h - the largest eigenvalue of f_y, the derivative of the index-1 rate, at one state.
 *
 * Powers of f_y applied to some vector turn it into the direction of the largest eigenvalue lambda. f_y x
 * costs a product with the system's tangent and a solve with the kernel's factors:
 *
 *     (f_y x)_q = x_v,    [ M  J^T ] [ (f_y x)_v ]   [ -(R_q x_q + R_v x_v + R_z x_z)   ]
 *                         [ J   0  ] [ dlambda   ] = [ the same of the constraints      ]
 *
 * In the velocities two powers of a fast spring, lambda = +- i omega, are -omega^2, and one of a strong
 * damper is lambda < 0.
 */
#ifndef KI_SPECTRUM_H
#define KI_SPECTRUM_H

#include "integrate/integrator.h"

typedef struct ki_spectrum {
    double size;   /* |lambda|, from below; 0: not known                                              */
    ki_stiff kind; /* KI_NOT_STIFF: neither plainly a damper nor a spring, or a spring that is moving more
                      than the errors that are allowed */
} ki_spectrum;

/* At (t, y), a consistent state. Systems without a tangent, with kinematics, auxiliaries or Baumgarte terms,
 * large ones, and those with forces that see multipliers are not looked at. The workspace is left there or a
 * little ahead. KEEL_OK, KEEL_ERROR_MEMORY or a failure of the model. */
keel_status ki_find_spectrum(ki_dynamics *d, double t, const double *y, ki_allowance allowed,
                             ki_spectrum *found);

#endif

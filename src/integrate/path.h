/* path.h - whether a step of an implicit method follows the motion.
 *
 * The equations of such a step know its two ends only, and they have other solutions: on another branch of
 * the constraints, or beyond poses through which there is no way. Two tests tell:
 *
 *     reach     the displacement is the predicted one, but for a part of its length
 *     path      half way along the cubic through both ends the constraints are open by no more than a
 *               part of the displacement
 *
 * Lengths are |x|_M = sqrt(x^T M x), in which metres and radians may be added. A row open by Phi_i is closed
 * by a displacement of at least |Phi_i| / sqrt(J_i M^-1 J_i^T), M taken for its diagonal.
 */
#ifndef KI_PATH_H
#define KI_PATH_H

#include "integrate/integrator.h"

/* Whether `found` [n_v] is within reach of `predicted` [n_v], both from the state y to y_end. What is smaller
 * than an error that a step may leave counts as nothing. M is that of the last evaluation. */
bool ki_within_reach(ki_integrator *self, const double *predicted, const double *found, const double *y,
                     const double *y_end);

/* KEEL_ERROR_CONVERGENCE with KI_TROUBLE_PATH at t_end if the state y_half at t_half, on the way of a step
 * with the displacement `move` [n_v], is too far off the constraints. It is evaluated in the workspace of
 * rows. */
keel_status ki_check_path(ki_integrator *self, double t_half, double *y_half, const double *move,
                          double t_end);

#endif

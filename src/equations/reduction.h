/* reduction.h - the motion in the coordinates that explicit constraints leave.
 *
 * Where all constraints can be solved (solve.h), q = q(u, t) with the coordinates u that are left, and with D
 * the time derivative along u' and t' = 1, u' held,
 *
 *     v = q_u u' + q_t = D q,     v' = q_u u'' + gamma,     gamma = D D q
 *     M_u u'' = Q_u,              M_u = q_u^T M q_u,        Q_u = q_u^T (Q - M gamma).
 *
 * Energy. Constraints that depend on t do work: E' = power + (M v' - Q) . q_t. Accelerations are not known
 * where power is asked for, but with the momenta p = T_v, p' = M v' + D p, the energy of the moving
 * coordinates
 *
 *     H = E - p . q_t,            H' = power - (Q + D p) . q_t - p . D q_t
 *
 * needs none, and H less its work is E less its work.
 */
#ifndef KI_EQUATIONS_REDUCTION_H
#define KI_EQUATIONS_REDUCTION_H

#include "equations/builder.h"

/* Sets b->reduction, which the model of b owns, if there is one. False when out of memory. */
bool ki_build_reduction(ki_builder *b);

#endif

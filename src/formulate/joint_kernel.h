/* joint_kernel.h - the saddle-point matrix of a projection of positions, velocities and states at once.
 *
 *     min 1/2 (w^2 dq^T A dq + dv^T A dv + sum_k a_k dz_k^2)   so that   H x = -c,      x = (dq, dv, dz)
 *
 *         [ G        0     0   ]         [ Phi     ]      n_h rows
 *     H = [ rate_q   J     0   ]     c = [ rate    ]      m rows
 *         [ I_q      I_v   I_z ]         [ I - I_0 ]      rows of the invariants, if they are kept
 *
 * A is the metric of projections. In the natural one w is the rate of the motion and a_k = sum_j A_jj s_j^2
 * w^2 / s_k^2 with the sizes s (scales.h): otherwise seconds or milliseconds would decide whether positions
 * or velocities move. In a metric that is asked for all these numbers are 1. Rows may depend on each other,
 * and do at places that matter: the gradients of energy and angular momentum are parallel on a circular
 * orbit, that of the energy is normal to the constraints at an equilibrium. There c is quadratic in the
 * distance to the solution, and where its rows are nearly dependent a linearisation promises steps that are
 * much too long. So the kernel is damped by
 *
 *     D_i = theta eps_i (H A^-1 H^T)_ii
 *
 * (Levenberg and Marquardt), with eps_i the violation of row i relative to its size; rows of the velocity
 * level take the largest of the position level, for they are linear in v and as dependent as those. Steps are
 * then not longer than about sqrt(eps / theta) / 2, and D vanishes with c, fast enough not to be felt where
 * rows are independent.
 */
#ifndef KI_JOINT_KERNEL_H
#define KI_JOINT_KERNEL_H

#include <stdbool.h>

#include "base/arena.h"
#include "formulate/law.h"
#include "formulate/scales.h"
#include "keel/saddle.h"

typedef struct ki_joint {
    int n, m; /* 2 n_v + n_z unknowns, n_h + m + n_i rows */
    int n_i;  /* invariants among the rows */
    keel_pattern A, H;
    keel_saddle *K; /* NULL: the law asks for no joint projection */
    bool factored;  /* K holds factors of some earlier point       */
    double *A_values, *H_values, *D;
    double *x, *y; /* [n], [m] solution           */
    double *c;     /* [m] violations              */
    double *size;  /* [m] what they compare with  */
    double *least; /* [m] least sizes             */
} ki_joint;

/* Makes the kernel for a law with `joint`. Arrays come from the arena; failure shows in arena->failed or as K
 * = NULL. K is freed with keel_saddle_free. */
void ki_joint_init(ki_joint *joint, ki_arena *arena, const keel_system *system, const ki_law *law);

/* A, H and D from the terms of a point, c and size; `metric` are the values of A, `scales` those of the
 * natural metric or NULL. */
void ki_joint_assemble(ki_joint *joint, const keel_system *system, const double *metric,
                       const struct ki_scales *scales, const keel_terms *at);

#endif

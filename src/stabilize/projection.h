/* projection.h - puts a state back onto the constraints.
 *
 * Position, Gauss-Newton in the mass metric: the smallest displacement dq with
 *
 *     min 1/2 dq^T M dq   so that   G dq = -Phi(q)        [ M  G^T ] [dq]   [  0   ]
 *                                                         [ G   0  ] [mu] = [ -Phi ]
 *
 * repeated until Phi is at round-off. The factors of an earlier point of the same step serve as long as they
 * contract the violation tenfold; otherwise the matrix is factored anew at the present q. (Eich 1993, section
 * 4: the direction may differ from the exact M-orthogonal one by the size of the step without loss of order.)
 *
 * Velocity: J dv = -rate at the projected position, same metric. One-step methods need the factors there for
 * their next rate anyway: one solve when the rows are linear in v, Newton otherwise. Multistep methods do
 * not: with d->relaxed the factors at hand serve here too, under the same rule, and are those of points near
 * by.
 *
 * Acceleration, for integrators that carry accelerations of their own: in the same metric, or with the same
 * penalty,
 *
 *     min 1/2 (a - a*)^T A (a - a*)   so that   J a = xi        (A + alpha J^T J) a = A a* + alpha J^T xi
 *
 * (Garcia Orden 2010, eq. 7.)
 *
 * Joint: joint.h.
 *
 * Error: an error estimate e is replaced by the part that projection does not remove (and a hundredth of the
 * rest),
 *
 *     min 1/2 (x - e)^T M (x - e)   so that   J x = 0     [ M  J^T ] [x]    [ M e ]
 *                                                         [ J   0  ] [mu] = [  0  ]
 */
#ifndef KI_PROJECTION_H
#define KI_PROJECTION_H

#include "formulate/sizes.h"

/* Projects y at time t onto the constraints, and the invariants, as far as d->law asks for. Afterwards K
 * holds the factors there; with d->relaxed, of a point nearby. */
keel_status ki_project(ki_dynamics *d, double t, double *y);
keel_status ki_project_position(ki_dynamics *d, double t, double *y);
keel_status ki_project_velocity(ki_dynamics *d, double t, double *y);

/* Projects the accelerations a [n_v] at (t, y), a consistent state. */
keel_status ki_project_acceleration(ki_dynamics *d, double t, const double *y, double *a);

/* Replaces the q and v parts of an error estimate by their tangential parts, with the factors that K
 * holds. */
keel_status ki_project_error(ki_dynamics *d, double *e);

/* What to do with a violation. */
typedef enum ki_remedy { KI_CONVERGED, KI_STEP, KI_REFACTOR_AND_STEP, KI_GIVE_UP } ki_remedy;

/* M and J at (t, y) into d->at, without factors: those in K count as lost unless they belong there. */
keel_status ki_evaluate_matrices(ki_dynamics *d, double t, const double *y);

#endif

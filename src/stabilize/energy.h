/* energy.h - what a correction of the state does to the energy, and which metrics may add some.
 *
 * With d = v* - v, v* before and v after the correction of the velocities at the same q:
 *
 *     Delta E_p = 1/2 v^T M v - 1/2 v*^T M v* = Delta E_p1 + Delta E_p2
 *     Delta E_p1 = -v^T M d,     Delta E_p2 = -1/2 d^T M d <= 0
 *
 * A penalty projection has d = alpha A^-1 J^T J v, so that with B = M A^-1 J^T J, B^s its symmetric part,
 *
 *     Delta E_p1 = -alpha v^T B^s v,     Delta E_p2 = -1/2 alpha^2 (B v)^T M^-1 (B v)
 *
 * (Garcia Orden 2010, eq. 21). If B^s is positive semidefinite no projection in the metric A adds energy:
 * case IV; otherwise one may: case II. (Cases I and III of the paper are empty: its condition on M A^-1 is
 * always met.)
 *
 * An exact projection ends at J v = 0. Then Delta E_p1 = -v^T M A^-1 J^T mu can differ from zero only if M
 * A^-1 J^T leads out of the range of J^T, which makes B^s indefinite. The converse is not true: where J^T
 * spans everything, or M A^-1 maps its range to itself, B^s may be indefinite and only penalty projections
 * add energy.
 */
#ifndef KI_ENERGY_H
#define KI_ENERGY_H

#include "formulate/dynamics.h"

/* From now on ki_settle measures what it does to the energy: d->settled. */
keel_status ki_audit_on(ki_dynamics *d);

/* The energy at (t, y), with the auxiliaries there. Phi comes along: a projection is about to ask for it. */
keel_status ki_energy_at(ki_dynamics *d, double t, const double *y, double *energy);

/* Sets d->settled for a correction that ended at y, `change` = y - y before [n_y], from the energy before.
 * The M and J of d->at stay as they are; d->b_v comes with their M times the change of v. */
keel_status ki_audit_correction(ki_dynamics *d, double t, const double *y, const double *change,
                                double energy_before);

typedef enum ki_metric_case { KI_CASE_II, KI_CASE_IV } ki_metric_case;

/* The matrices of a metric, dense and row by row. */
typedef struct ki_metric {
    int n, m;
    bool exact;               /* projections are exact, not of a penalty */
    double *M, *A;            /* [n x n]                                 */
    double *J;                /* [m x n]                                 */
    double *L;                /* [n x n] Cholesky factor of A            */
    double *U;                /* [m x n] row k: M A^-1 J_k^T, J_k row k of J */
    double *basis;            /* [m x n] orthonormal rows that span those of J */
    double *B;                /* [n x n] B^s                             */
    double smallest, largest; /* eigenvalues of B^s           */
} ki_metric;

/* Zeroed matrices from the arena; failure shows in arena->failed. */
void ki_metric_init(ki_metric *metric, ki_arena *arena, int n, int m);

/* M, J, A and exact as they are in d, whose metric is not M itself. */
void ki_metric_load(ki_metric *metric, const ki_dynamics *d);

/* Fills B, smallest and largest from M, A, J, and finds the case. KEEL_ERROR_SINGULAR if A is not positive
 * definite. An eigenvalue above -1e-12 of the largest is not negative. */
keel_status ki_metric_classify(ki_metric *metric, ki_metric_case *which);

#endif

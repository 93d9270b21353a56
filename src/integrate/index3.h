/* index3.h - one Newton step of an implicit integrator in displacements and multipliers.
 *
 * The residual of the motion, r_D = M a + J^T lambda - Q with a = a(dq), and of the constraints, r_C, change
 * with a displacement dq and a change dlambda of the multipliers by
 *
 *     [ A / s   J^T ] [ dq      ]     [ r_D ]         A = M + c_v R_v + c_q R_q
 *     [ C       0   ] [ dlambda ] = - [ r_C ]
 *
 * where da/dq = 1/s: s = beta h^2 for Newmark's method, c_v = s dv/dq = gamma h, c_q = s, and R_q, R_v are
 * the first rows of the system's tangent at a. C = G for constraints at position level. At velocity level
 * (nonholonomic rows, all rows of the index-2 form) C = J + c_r rate_q, the residual being divided by dv/dq =
 * 1/c_r.
 *
 * As h shrinks this matrix has a condition of h^-4 and the multipliers errors of h^-2 (Bottasso, Dopico and
 * Trainelli). Scaling the unknowns (right, D_R) and the equations (left, D_L) removes both:
 *
 *     none    dq, dlambda             r_D,   r_C        [ A/s  J^T   ; C  0 ]
 *     right   dq, s dlambda           r_D,   r_C        [ A/s  J^T/s ; C  0 ]
 *     both    dq, s dlambda           s r_D, r_C        [ A    J^T   ; C  0 ]
 *
 * With the reference mass m = |M| / |J| (Frobenius norms) the multiplier is s dlambda / m and the motion s
 * r_D / m, so that all blocks are of the same size.
 */
#ifndef KI_INDEX3_H
#define KI_INDEX3_H

#include "formulate/dynamics.h"
#include "keel/settings.h"
#include "linalg/lu.h"

typedef struct ki_index3 ki_index3;

/* For a workspace; `velocity_level`: all rows at velocity level (index 2). The option values of settings.h.
 * NULL when out of memory. */
ki_index3 *ki_index3_new(ki_dynamics *d, bool velocity_level, keel_scaling scaling, bool reference_mass);
void ki_index3_free(ki_index3 *self);

/* Takes M, J and the tangent at (t, y) with accelerations a and multipliers lambda; by differences where the
 * system gives none. */
keel_status ki_index3_linearize(ki_index3 *self, double t, const double *y, const double *a,
                                const double *lambda);

/* Takes the rows C at (t, y) instead: of a rule whose forces act in the middle of a step and whose
 * constraints hold at its end. Until the next linearisation. */
keel_status ki_index3_take_rows(ki_index3 *self, double t, const double *y);

/* Where the point is q_0 (+) move a change dq of `move` displaces it by T dq, T the tangent of (+) there, and
 * R_q, G and rate_q see T dq. T is the identity where q' = v; for rotations this takes T for the solutions
 * that follow, at the configuration q. `part`: forces act at q_0 (+) part move. Until the next linearisation.
 * Needs `pull`; without it T is taken for the identity, an error of half the rotation in a step. */
void ki_index3_turn(ki_index3 *self, const double *q, const double *move, double part);

/* Constraints as stiff springs, for the factorizations that follow: C dq - dlambda / penalty = -r_C. 0, as at
 * first: rigid. */
void ki_index3_soften(ki_index3 *self, double penalty);

/* Factors the matrix with what was linearised last. KEEL_ERROR_SINGULAR. */
keel_status ki_index3_factor(ki_index3 *self, double s, double c_v, double c_q, double c_r);

/* Solves for dq [n_v] and dlambda [m] (unscaled) from r_D [n_v] and r_C [m] as above; velocity-level entries
 * of r_C are violations of the velocity, multiplied by c_r in here. */
void ki_index3_solve(ki_index3 *self, const double *r_D, const double *r_C, double *dq, double *dlambda);

/* First-order states as further unknowns, with the equation z - c_z f(q, v, z) - ... = 0 of an implicit rule
 * (c_z = h/2 for the trapezoidal one). Holds for the factorizations that follow; 0, as at first: states are
 * not coupled. */
void ki_index3_couple_states(ki_index3 *self, double c_z);

/* The same with the residual r_z [n_z] of the states and their change dz [n_z]. */
void ki_index3_solve_all(ki_index3 *self, const double *r_D, const double *r_C, const double *r_z, double *dq,
                         double *dlambda, double *dz);

/* x [n_v] with J x = s, of least norm in the metric A of the step: a ki_step_metric. J is that of the last
 * linearisation, in rows at velocity level plus terms of the order of c_r. */
void ki_index3_project(void *index3, const double *s, double *x);

/* Factor of dlambda to the unknown that Newton's method judges: 1, s or s/m. */
double ki_index3_lambda_scale(const ki_index3 *self);

/* s: what an acceleration displaces in the step. */
double ki_index3_displacement_scale(const ki_index3 *self);

/* Condition number of the (scaled) matrix in the 2-norm, computed through the inverse of the matrix scaled on
 * both sides: dense work, n^3. NaN when out of memory. Beyond 300 unknowns estimated from below with the
 * sparse factors that were made last, to about a per cent. */
double ki_index3_condition(ki_index3 *self);

#endif

/* structural.h - Newmark's family of integrators on the index-3 equations, in the form of generalized-alpha
 * for q' = N(q) v (Chung and Hulbert 1993; Arnold, Bruels and Cardona 2012):
 *
 *     q_{n+1} = q_n (+) move,   move = h (v_n + h (1/2 - beta) a_n + h beta a_{n+1})
 *     v_{n+1} = v_n + h (1 - gamma) a_n + h gamma a_{n+1}
 *     (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) v'_{n+1} + alpha_f v'_n
 *     M v'_{n+1} + J^T lambda_{n+1} = Q        at t_{n+1}
 *     Phi(q_{n+1}) = 0                         index3; nonholonomic rows: rate(q_{n+1}, v_{n+1}) = 0
 *     rate(q_{n+1}, v_{n+1}) = 0               index2, all rows
 *     z_{n+1} = z_n + h/2 (f_n + f_{n+1})      states: the trapezoidal rule, as for the work W
 *
 * Equilibrium stands at t_{n+1} alone, the averages are over accelerations: so the order is two also when M
 * depends on q, which HHT written with averaged forces is not. a_n is an auxiliary variable, close to v' at
 * t_n + (alpha_m - alpha_f) h; for Newmark's method it is v' itself.
 *
 * ggl holds both levels: move gains a displacement w of its own, M w + G^T mu = 0 with Phi(q_{n+1}) = 0,
 * besides rate = 0 with the multipliers lambda.
 *
 * The unknowns of Newton's method are displacements dq = s dv', s = beta h^2 (1 - alpha_f) / (1 - alpha_m),
 * and multipliers (index3.h). Accelerations are carried and q, v computed from them, never the other way
 * round: at a tiny h differences of q have no digits left. The tangent of (+) is index3.h's.
 */
#ifndef KI_STRUCTURAL_H
#define KI_STRUCTURAL_H

#include "integrate/index3_newton.h"
#include "integrate/path.h"
#include "integrate/step_control.h"

/* The end of a step. */
typedef struct ki_structural_end {
    double *y, *rate; /* [n_y]; rate = (N v, v', f, W') */
    double *a;        /* [n_v]                          */
    double *lambda;   /* [m]                            */
} ki_structural_end;

typedef struct ki_structural {
    ki_integrator base;
    double beta, gamma, alpha_m, alpha_f;
    bool second_order; /* otherwise of order one */
    bool velocity_level, ggl;

    ki_structural_end before, now, next; /* of the last step, and of the one tried      */
    double *a_begin;                     /* [n_v] a_n for the step that is tried        */
    double h_try;                        /* its length                                  */
    double h_of_a;                       /* the step with which a of `now` was made; 0: it is v' */

    ki_index3_newton newton;
    double h_factored;                /* of the matrix; 0: no factors */
    double *w, *mu, *dmu, *r_w, *s_w; /* of ggl */

    /* steps of one length */
    double t_start, h;
    long n, last;

    /* chosen steps */
    ki_step_control control;
    double *guess;   /* [n_v] the predicted displacement */
    double *allowed; /* [n_v] what Newton\'s method may leave of it */
    double *slope;   /* [n_v + n_z] of v' and f in the last step */
    double h_slope;
    double *estimate, *scratch; /* [n_y] */
} ki_structural;

/* Solves for `next` at t = now + h. */
keel_status ki_structural_solve(ki_structural *self, double t, double h);

/* Makes the matrix and its factors anew at `next`. */
keel_status ki_structural_linearize(ki_structural *self, double t);

/* Error of the step from `now` to `next` relative to what is allowed. */
double ki_structural_error(ki_structural *self, double h);

/* The step was accepted: remembers what the next estimate needs. Before `now` moves on. */
void ki_structural_remember_slope(ki_structural *self, double h);

#endif

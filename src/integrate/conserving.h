/* conserving.h - a step of the implicit midpoint rule and of the conserving rule: equations and solution.
 *
 * The unknowns of a step from (t, y) to t + h are the displacement dq, multipliers L that are constant over
 * the step, and the states z_m in its middle,
 *
 *     q1 = q0 (+) dq,   q_m = q0 (+) dq/2,   v_m = dq/h,   v1 = 2 v_m - v0,   a = (v1 - v0)/h
 *
 *     r_D = M a + G^T L - Q + kappa M dq = 0       M, G, Q at (q_m, v_m, z_m, t + h/2)
 *     r_C = Phi(q1, t + h)               = 0       nonholonomic rows: Psi(q1, v1, t + h)
 *     r_z = z_m - z0 - h/2 f             = 0       f in the middle, z1 = 2 z_m - z0
 *
 * Midpoint rule: kappa = 0. Conserving rule: with E = v^T M v / 2 + V and M constant, the energy changes by
 * dE = v_m . M (v1 - v0) + V(q1) - V(q0), and this is exactly what forces and drivers do,
 *
 *     dE = h power - h L . tau          power and tau = G v - rate in the middle
 *
 * if the gradients of Phi and V are discrete ones: Gbar dq = Phi(q1) - Phi(q0) + h tau and Vbar dq + h V_t =
 * V(q1) - V(q0). Those in the middle, corrected along M dq (Gonzalez 1996, 1999, in the metric M), are:
 *
 *     kappa dq^T M dq  =  V(q1) - V(q0) - h (power - Q . v_m)
 *                         + sum_k L_k (Phi_k(q1) - Phi_k(q0) - h rate_k)
 *
 * Where V and Phi are at most quadratic both parts are zero but for round-off.
 */
#ifndef KI_CONSERVING_H
#define KI_CONSERVING_H

#include "formulate/dynamics.h"
#include "keel/settings.h"
#include "keel/step.h"

/* The equations of one step. */
typedef struct ki_midstep {
    ki_dynamics *dynamics;
    bool conserving;
    double t, h;
    const double *y; /* [n_y] where the step begins */

    double *x;               /* unknowns: dq [n_v], L [m], z_m [n_z]         */
    double *y_mid, *y_end;   /* [n_y] the middle and the end that x amounts to */
    double *a;               /* [n_v] */
    double *r_D, *r_C, *r_z; /* [n_v], [m], [n_z] */
    double work;             /* h (power - L . tau) */

    /* of the conserving rule */
    double *Phi_start; /* [n_h] */
    double V_start, V_end;
    double *M_dq;   /* [n_v] */
    double *y_rest; /* [n_y] scratch: the velocity is zero */
    double fastest; /* largest v^T M v so far */
} ki_midstep;

/* Takes memory from `arena`; a failed allocation shows there. */
void ki_midstep_init(ki_midstep *step, ki_arena *arena, ki_dynamics *d, bool conserving);

/* The step of length h from (t, y). */
keel_status ki_midstep_begin(ki_midstep *step, double t, const double *y, double h);

/* Middle, end and a from x. */
void ki_midstep_place(ki_midstep *step);

/* The same, and the residuals there. */
keel_status ki_midstep_evaluate(ki_midstep *step);

/* Parts of x. */
static inline double *ki_midstep_lambda(const ki_midstep *step) {
    return step->x + step->dynamics->system->n_v;
}
static inline double *ki_midstep_z(const ki_midstep *step) {
    return step->x + step->dynamics->system->n_v + step->dynamics->m;
}
static inline int ki_midstep_unknowns(const ki_dynamics *d) {
    return d->system->n_v + d->m + d->system->n_z;
}

/* Solves the equations of steps by Newton's method, or with an augmented Lagrangian around it. */
typedef struct ki_midsolver ki_midsolver;

/* NULL when out of memory. */
ki_midsolver *ki_midsolver_new(ki_midstep *step, const keel_settings *options);
void ki_midsolver_free(ki_midsolver *solver);

/* From the x at hand to the solution. KEEL_ERROR_CONVERGENCE, or what the model failed with. */
keel_status ki_midsolver_solve(ki_midsolver *solver, keel_newton_facts *facts);

/* Linearisations so far. */
long ki_midsolver_linearizations(const ki_midsolver *solver);

/* KEEL_OK, or KEEL_ERROR_INPUT with the reason why the conserving rule cannot take the system as trouble. */
keel_status ki_check_conserving(ki_dynamics *d, double t, double t_end, const double *y);

#endif

/* conserving.h - a step of the implicit midpoint rule and of the conserving rule: equations and solution.
 *
 * The unknowns of a step from (t, y) to t + h are the displacement dq, multipliers L that are constant over
 * the step, and the states z_m in its middle,
 *
 *     q1 = q0 (+) dq,   q_m = q0 (+) dq/2,   v_m = dq/h,   v1 = 2 v_m - v0,   a = (v1 - v0)/h
 *
 *     r_D = r + kappa M dq               = 0       r = M a + J^T L - Q at (q_m, v_m, z_m, t + h/2)
 *     r_C = Phi(q1, t + h)               = 0       nonholonomic rows: Psi(q1, v1, t + h)
 *     r_z = z_m - z0 - h/2 f             = 0       f in the middle, z1 = 2 z_m - z0
 *
 * Midpoint rule: kappa = 0. It makes an error in the energy, of h^3 in a step. The conserving rule turns it
 * into work of a force along M dq. With the energy E of the system at both ends, whatever its mass matrix and
 * its coordinates, and
 *
 *     W = h power - sum_k L_k X_k        power of the forces without potential, in the middle
 *     X_k = Phi_k(q_m, t) - Phi_k(q_m, t + h)       what time alone makes of a holonomic row
 *     X_k = h (B v_m - Psi)_k                       of a nonholonomic one, in the middle
 *
 * the work of forces and drivers, dq . r_D = 0 says E1 - E0 = W exactly if
 *
 *     kappa dq^T M dq  =  E1 - E0 - W - dq . r
 *
 * (Gonzalez 1996, the metric being M). Systems that tell their rigid displacements keep momenta as well: r
 * gets a force for them first, and u, which takes nothing from momenta, stands in the place of dq in kappa M
 * dq (momenta.h). kappa dq is of the order of h^2, as are the errors of the rule, and the same when time runs
 * backwards. With a constant M and with V and Phi at most quadratic it is zero but for round-off. For an x
 * that does not satisfy the constraints yet L . r_C is added, h/2 L . r_C of nonholonomic rows: nothing in
 * the end, and on the way there what keeps the derivatives of kappa small.
 *
 * `owed` is what the balance of earlier steps lacks: round-off, and where next to nothing moves all of the
 * error. It joins E1 - E0, so that nothing adds up over the steps.
 */
#ifndef KI_CONSERVING_H
#define KI_CONSERVING_H

#include "formulate/dynamics.h"
#include "integrate/momenta.h"
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
    double work;             /* W; of the midpoint rule h (power - L . tau) */

    /* of the conserving rule */
    double E_start, E_end;
    double owed, owed_next; /* before the step, and after it if it is taken */
    double *driven;         /* [n_h] X */
    double *u, *M_u;        /* [n_v] */
    ki_momenta momenta;
    double fastest; /* largest v^T M v so far */
} ki_midstep;

/* Takes memory from `arena`; a failed allocation shows there. */
void ki_midstep_init(ki_midstep *step, ki_arena *arena, ki_dynamics *d, bool conserving);

/* Which momenta the conserving rule balances in steps between t and t_end; y is the start. */
void ki_midstep_know_momenta(ki_midstep *step, ki_arena *arena, double t, double t_end, const double *y);

/* The step of length h from (t, y). */
keel_status ki_midstep_begin(ki_midstep *step, double t, const double *y, double h);

/* Middle, end and a from x. */
void ki_midstep_place(ki_midstep *step);

/* The same, and the residuals there. */
keel_status ki_midstep_evaluate(ki_midstep *step);

/* After the solution: what the balance lacks. To be called before anything corrects y_end. `again`: the step
 * is to be solved once more, because fewer momenta are kept. */
keel_status ki_midstep_end(ki_midstep *step, bool *again);

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

#endif

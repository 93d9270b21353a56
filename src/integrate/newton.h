/* newton.h - linear systems of implicit integrators: (I - gamma f_y) x = b for the index-1 rate f(t, y).
 *
 * The rate is defined by R(q, v, z; a, lambda) = (M a + J^T lambda - Q, J a - xi, z' - f) = 0 with a = v'.
 * Its derivative never needs to be formed. With R_q, R_v, R_z from the system's tangent and
 *
 *     d = beta + gamma x_v,    x_v = b_v + gamma da,    beta = b_q and d = x_q where q' = v (else chart.h),
 *
 * the changes da, dlambda of accelerations and multipliers and x_z solve one sparse system of n_v + m +
 * n_z unknowns, as sparse as the mechanism itself:
 *
 *     [ M + gamma R_v + gamma^2 R_q   J^T - Q_lambda   R_z           ] [ da      ]   [ r             ]
 *     [ J + gamma ... + gamma^2 ...   -delta           ...           ] [ dlambda ] = [ ...           ]
 *     [ gamma (...)                   0                I + gamma ... ] [ x_z     ]   [ b_z + gamma (...) ]
 *
 *     r = -R_q (beta + gamma b_v) - R_v b_v
 *
 * where the dots repeat the first row with the other rows of the tangent. The small delta keeps the matrix
 * regular where constraints are redundant: a Newton iteration converges to the same solution with a matrix
 * that is slightly off. Baumgarte's method changes J in the second row to J (1 + gamma K_D + gamma^2 K_P).
 *
 * Systems that give no tangent, or with q' = N(q) v but no N^+ (`pull`), or with states that see the
 * multipliers: f_y by differences of the rate, dense, one evaluation for each component of y.
 *
 * The work W, the last component of y, influences nothing: x_W = b_W.
 *
 * Either matrix is a polynomial in gamma. Its coefficients are written down where the derivatives are taken;
 * a factorization adds them up, with a real gamma or, for implicit Runge-Kutta methods, with a complex one.
 */
#ifndef KI_NEWTON_H
#define KI_NEWTON_H

#include "formulate/dynamics.h"
#include "integrate/chart.h"
#include "linalg/lu.h"

enum { KI_POWERS = 4, KI_PAIRS_MAX = 2 }; /* of gamma in the matrix: 0 to 3 */

typedef struct ki_newton {
    ki_dynamics *dynamics;
    bool exact; /* from the tangent; otherwise by differences */
    int size;   /* of the linear system */
    ki_lu *lu;
    keel_pattern pattern;
    int powers;              /* of gamma that occur */
    double *part[KI_POWERS]; /* [entries] coefficients of the powers of gamma, one after another */
    double *values;          /* [entries] the matrix that was factored last   */
    int *diagonal;           /* [size] slot of each diagonal entry (exact)                     */
    int *M_lower, *M_upper, *J_lower, *J_upper, *Q_lambda_slot; /* slots of the entries */
    int *tangent_place;                                         /* of its entries in the block of all parts */
    double *tangent, *M, *J, *Q_lambda; /* values where last linearised                   */
    double *delta;                      /* [m] */
    ki_chart chart;                     /* there */
    double *turned;                     /* [n_q] of the right-hand side   */
    double *way;                        /* [2 n_v + n_z] what multiplies the tangent there */
    double *y, *rate;                   /* [n_y] scratch of differences */
    double *rhs;                        /* [size] */
    double gamma;

    int pairs; /* complex matrices that are kept at a time */
    ki_lu_complex *lu_complex[KI_PAIRS_MAX];
    double gamma_re[KI_PAIRS_MAX], gamma_im[KI_PAIRS_MAX];
    double *values_im, *rhs_im, *turned_im, *way_im; /* imaginary parts */
    ki_arena arena;
} ki_newton;

/* KEEL_OK or KEEL_ERROR_MEMORY; ki_newton_clear must be called in either case. From now on projections of
 * the workspace may use the factors of nearby points. */
keel_status ki_newton_init(ki_newton *newton, ki_dynamics *d);
void ki_newton_clear(ki_newton *newton);

/* Makes room for factors with so many complex gammas too. KEEL_OK or KEEL_ERROR_MEMORY. */
keel_status ki_newton_init_complex(ki_newton *newton, int pairs);

/* Takes the derivatives at (t, y), where `rate` = f(t, y) was the last rate evaluated or nearly so. */
keel_status ki_newton_linearize(ki_newton *newton, double t, const double *y, const double *rate);

/* Only evaluates tangent, M and J there, for others to use: the matrix stays what it was until derivatives
 * are taken again, which has to come before the next factorization. Where they are exact. */
keel_status ki_newton_differentiate(ki_newton *newton, double t, const double *y, const double *rate);

/* Factors I - gamma f_y with the derivatives at hand. KEEL_ERROR_SINGULAR: try another gamma. */
keel_status ki_newton_factor(ki_newton *newton, double gamma);

/* b <- (I - gamma f_y)^-1 b,  [n_y] */
void ki_newton_solve(ki_newton *newton, double *b);

/* The same with gamma_re + i gamma_im, once ki_newton_factor has been called for a gamma of about that size,
 * and for b = re + i im. */
keel_status ki_newton_factor_complex(ki_newton *newton, int pair, double gamma_re, double gamma_im);
void ki_newton_solve_complex(ki_newton *newton, int pair, double *re, double *im);

/* q' = v, and no gains: little besides the tangent and the factors enters a solve. */
static inline bool ki_newton_is_plain(const ki_newton *newton) {
    return !newton->dynamics->system->kinematics && !newton->dynamics->law->baumgarte;
}

/* Baumgarte's terms of the right-hand side, rhs -= (K_P J, K_D J) way in the rows of the constraints. */
void ki_newton_add_gains(const ki_newton *newton, const double *way, double *rhs);

/* x with J x = s, of least norm in the metric of the step: a ki_step_metric. J is that of the last
 * linearisation plus terms of the order of gamma. */
void ki_newton_project(void *newton, const double *s, double *x);

/* Offers that to the projections of the workspace if the law leaves the metric to us. Once there are
 * factors.
 */
void ki_newton_offer_metric(ki_newton *newton);

#endif

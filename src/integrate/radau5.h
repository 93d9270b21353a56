/* radau5.h - the stages of the Radau IIA method of order 5 and their Newton iteration.
 *
 * One step from (t, y) collocates y' = F(t, y) at the three points c_i of Radau's quadrature: with Z_i = Y_i
 * - y
 *
 *     Z_i = h sum_j a_ij F(t + c_j h, y + Z_j),     c = ((4 - sqrt 6)/10, (4 + sqrt 6)/10, 1),     y_new = y
 * + Z_3
 *
 * Newton's method with one f_y for all three stages needs I - h A (x) f_y, three times the size of the
 * system. A^-1 has one real eigenvalue and one pair; T^-1 A^-1 T = Lambda is block diagonal,
 *
 *              [ g         ]
 *     Lambda = [    a  -b  ]             Z = (T (x) I) W
 *              [    b   a  ]
 *
 * so that in W there are two systems of the size of the system, one real and one complex (Butcher 1976):
 *
 *     (I - h/g f_y)       dW_1            = h/g       (T^-1 F)_1                     - W_1
 *     (I - h/(a+ib) f_y) (dW_2 + i dW_3)  = h/(a+ib) ((T^-1 F)_2 + i (T^-1 F)_3)     - (W_2 + i W_3)
 *
 * Both have the form that newton.h solves with matrices as sparse as the mechanism.
 */
#ifndef KI_RADAU5_H
#define KI_RADAU5_H

#include "integrate/integrator.h"
#include "integrate/newton.h"

enum { KI_RADAU_STAGES = 3 };

extern const double KI_RADAU_C[KI_RADAU_STAGES];

/* The real eigenvalue g of A^-1. */
extern const double KI_RADAU_REAL;

typedef struct ki_radau {
    ki_integrator base;
    ki_newton newton;

    double *y_old, *y_try;
    double *rate, *rate_try;    /* [n] F at (t, y), and at the end of the step that is tried */
    double *Z[KI_RADAU_STAGES]; /* [n] stages of the step that is tried      */
    double *W[KI_RADAU_STAGES]; /* [n] the same transformed                  */
    double *F[KI_RADAU_STAGES]; /* [n] rates, then right-hand sides          */
    double *P[KI_RADAU_STAGES]; /* [n] stages of the last accepted step: the polynomial of its dense output */
    double *estimate;
    double *inverse; /* [n] 1 / allowed error at y; 0 for the work    */

    double relax;       /* allowed estimate over allowed error            */
    double kappa;       /* part of the allowed estimate that Newton's method may leave */
    double h;           /* step to try next                               */
    double h_taken;     /* length of the last step; 0: none yet           */
    double h_factored;  /* of the factors; 0: none                        */
    bool current;       /* the derivatives are those at (t, y)            */
    bool linearized;    /* there are derivatives                          */
    double contraction; /* theta of the last Newton iteration            */
    double reach;       /* theta / (1 - theta): what is left after a correction, over the correction */
    int iterations;     /* of the last Newton iteration                  */

    bool rejected;                 /* the last attempt was                */
    double h_before, error_before; /* of the last accepted step, for the controller */
} ki_radau;

/* Matrices for steps of h. */
keel_status ki_radau_prepare(ki_radau *self, double h);

/* Solves for the stages of a step of h from the extrapolated last step. KEEL_ERROR_CONVERGENCE with the step
 * to try instead in *h_next; other failures are those of the model. */
keel_status ki_radau_solve(ki_radau *self, double h, double *h_next);

/* The weights of Z_1 .. Z_3 in the polynomial through (0, 0), (c_i, Z_i) at s. */
void ki_radau_weights(double s, double weight[KI_RADAU_STAGES]);

#endif

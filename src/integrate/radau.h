/* radau.h - the stages of Radau IIA methods and their Newton iteration.
 *
 * One step from (t, y) collocates y' = F(t, y) at the s points c_i of Radau's quadrature, c_s = 1: with Z_i =
 * Y_i - y
 *
 *     Z_i = h sum_j a_ij F(t + c_j h, y + Z_j),        y_new = y + Z_s,        order 2s - 1
 *
 * Newton's method with one f_y for all stages needs I - h A (x) f_y, s times the size of the system. A^-1 has
 * one real eigenvalue g and (s-1)/2 pairs a +- ib; T^-1 A^-1 T = Lambda is block diagonal,
 *
 *              [ g             ]
 *     Lambda = [    a  -b      ]         Z = (T (x) I) W
 *              [    b   a      ]
 *              [           ... ]
 *
 * so that in W there are systems of the size of the system itself, one real and (s-1)/2 complex (Butcher
 * 1976):
 *
 *     (I - h/g f_y)       dW_1            = h/g       (T^-1 F)_1                     - W_1
 *     (I - h/(a+ib) f_y) (dW_2 + i dW_3)  = h/(a+ib) ((T^-1 F)_2 + i (T^-1 F)_3)     - (W_2 + i W_3)
 *
 * All have the form that newton.h solves with matrices as sparse as the mechanism. f_y is taken at the middle
 * one of the predicted stages: that is nearer to all of them than the beginning of the step, and the
 * accelerations there are known.
 *
 * Where the corrections dW of such an iteration shrink slowly they do so by nearly the same factor and in
 * nearly the same direction. From the second one on a secant (Anderson 1965, with one difference) takes that
 * out: with what was added last, m,
 *
 *     W <- W + dW - gamma (m + dW - dW_last),    gamma such that |dW - gamma (dW - dW_last)| is least
 *
 * Where that is not enough newton_stages.h takes its place in small systems; then there is no W.
 */
#ifndef KI_RADAU_H
#define KI_RADAU_H

#include "base/four.h"
#include "integrate/integrator.h"
#include "integrate/newton.h"
#include "integrate/newton_stages.h"

enum { KI_RADAU_STAGES = 5, KI_RADAU_PAIRS = 2 }; /* at most */

typedef struct ki_radau_table {
    int stages;
    int middle;          /* the stage where f_y is taken               */
    int most_iterations; /* of Newton's method                         */
    double c[KI_RADAU_STAGES];
    double real, pair[KI_RADAU_PAIRS][2]; /* g; a and b of the pairs   */
    /* Columns of T: the real eigenvector, then x and -y of the eigenvectors x + iy of a + ib, with x + iy = 1
     * in the last row. */
    double T[KI_RADAU_STAGES][KI_RADAU_STAGES], T_inverse[KI_RADAU_STAGES][KI_RADAU_STAGES];
    double estimate[KI_RADAU_STAGES]; /* e_i of radau.c                */
    double basis[KI_RADAU_STAGES];    /* 1 / (c_j prod_k (c_j - c_k))  */
    double end[KI_RADAU_STAGES];      /* the last row of A^-1          */
} ki_radau_table;

extern const ki_radau_table KI_RADAU5, KI_RADAU9;

typedef struct ki_radau {
    ki_integrator base;
    const ki_radau_table *table;
    ki_newton newton;
    bool may_by_stages; /* the system is one for `coupled`                                     */
    bool by_stages;     /* it is used: every stage has derivatives of its own, and W is not used */
    ki_coupled coupled;

    double *y_old, *y_try;
    double *rate, *rate_try;    /* [n] F at (t, y), and at the end of the step that is tried              */
    double *Z[KI_RADAU_STAGES]; /* [n] stages of the step that is tried                                   */
    double *W[KI_RADAU_STAGES]; /* [n] the same transformed                                               */
    double *F[KI_RADAU_STAGES]; /* [n] rates, then right-hand sides, then corrections                     */
    double *F_last[KI_RADAU_STAGES]; /* [n] the corrections of the iteration before ...                   */
    double *moved[KI_RADAU_STAGES];  /* [n] ... and what was added to W then                              */
    double *P[KI_RADAU_STAGES]; /* [n] stages of the last accepted step: the polynomial of its dense output */
    double *estimate;
    double *defect, *defect_try; /* [n] e of radau.c with F at the beginning: of the last step, of the one
                                    that is tried */
    double *inverse;             /* [n] 1 / allowed estimate at y; 0 for the work        */
    int padded;                  /* length of all of these: n, filled up with zeros (four.h) */

    double
        guessed; /* P are stages of a step of this length from here, as another knows them; 0: they are not */
    double relax;          /* allowed estimate over allowed error               */
    double kappa_of_steps; /* kappa, where nothing asks for a smaller one */
    double kappa;          /* part of the allowed estimate that Newton's method may leave */
    double h;              /* step to try next                                  */
    double h_taken;        /* length of the last step; 0: none yet              */
    double h_factored;     /* of the factors; 0: none                           */
    bool linearized;       /* there are derivatives that serve ...              */
    bool current;          /* ... and they are of the step that is tried        */
    double contraction;    /* theta: one correction over the one before         */
    double reach;          /* theta / (1 - theta): what is left after a correction, over the correction */
    int iterations;        /* of the last step                                  */
    int renewals;          /* of derivatives within it                          */
    int slow;              /* how often of late Newton's method has limited steps */
    int patience, left;    /* steps with derivatives of every stage; of them still to come */

    bool rejected;                 /* the last attempt was                   */
    double h_before, error_before; /* of the last accepted step, for the controller */
} ki_radau;

/* As if it were new, at (t, y); nothing is allocated. */
keel_status ki_radau_restart(ki_integrator *base, double t, const double *y, double t_end);

/* Solves for the stages of a step of h, beginning with the polynomial of the last step.
 * KEEL_ERROR_CONVERGENCE with the step to try instead in *h_next; other failures are those of the model. */
keel_status ki_radau_solve(ki_radau *self, double h, double *h_next);

/* e <- (I - h/g f_y)^-1 e with the derivatives of the step, [n] with room for four more.
 * KEEL_ERROR_SINGULAR: try another h. */
keel_status ki_radau_filter(ki_radau *self, double h, double *e);

/* The weights of the Z_i in the polynomial through (0, 0), (c_i, Z_i) at x, and in its derivative. */
void ki_radau_weights(const ki_radau_table *table, double x, double weight[KI_RADAU_STAGES]);
void ki_radau_slope_weights(const ki_radau_table *table, double x, double weight[KI_RADAU_STAGES]);

/* out = sum_j weight_j x_j, stages of them */
void ki_radau_combine(const ki_radau *self, const double *weight, double *const *x, double *out);

/* h / (a + ib) of a pair */
void ki_radau_pair_step(const ki_radau_table *table, int pair, double h, double *re, double *im);

/* The vector operations of an iteration (radau_vectors.c).
 * out_s = sum_j A_sj x_j */
void ki_radau_transform(const ki_radau *self, const double (*A)[KI_RADAU_STAGES], double *const *x,
                        double *const *out);
/* F <- the right-hand sides at the top, from rates */
void ki_radau_residual(const ki_radau *self, double h);
/* The size of the corrections in F, relative to what an estimate may be */
double ki_radau_size(const ki_radau *self);
/* W and Z with the corrections in F; `secant`: improved by those of the iteration before */
void ki_radau_correct(ki_radau *self, bool secant);

#endif

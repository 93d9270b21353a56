/* bdf_fixed.h - backward differentiation with steps of one length: what its two forms share.
 *
 *     bdf_fixed.c          the formula on the rate y' = f(t, y) of index 1
 *     bdf_fixed_index3.c   the formula on q' = N v and v' = a, with M a + J^T lambda = Q and Phi = 0 at the
 * new point
 */
#ifndef KI_BDF_FIXED_H
#define KI_BDF_FIXED_H

#include "integrate/index3_newton.h"
#include "integrate/integrator.h"
#include "integrate/newton.h"

enum { KI_BDF_ORDER_MAX = 6 };

/* Accelerations and multipliers at the end of a step. */
typedef struct ki_bdf_forces {
    double *a, *lambda; /* [n_v], [m] */
} ki_bdf_forces;

typedef struct ki_bdf_fixed {
    ki_integrator base;
    ki_newton newton;
    int k; /* steps of the formula */
    double t_start, h;
    long last; /* number of the step that ends the run */
    long n;    /* number of the step reached           */
    int known; /* values in the history                */
    double alpha[KI_BDF_ORDER_MAX + 1];
    double *history[KI_BDF_ORDER_MAX + 1]; /* y_n, y_{n-1}, ...                     */
    double *begin[KI_BDF_ORDER_MAX];       /* y_0 .. y_{k-1}, known at the start */
    double *y, *rate, *residual;           /* [n] */
    double largest[3];                     /* |q|, |v|, |z| so far */
    bool linearized;

    bool is_index3;
    ki_index3_newton index3;
    ki_bdf_forces before, now, next;
} ki_bdf_fixed;

/* The index-3 form. KEEL_OK or KEEL_ERROR_MEMORY. */
keel_status ki_bdf_index3_init(ki_bdf_fixed *self);

/* Solves for self->y, guessed, and the forces `next` at t. */
keel_status ki_bdf_index3_solve(ki_bdf_fixed *self, double t);

/* The forces `next` of a state self->y that was not solved for but given. */
keel_status ki_bdf_index3_take(ki_bdf_fixed *self, double t);

/* The step is accepted: `next` becomes `now`. */
void ki_bdf_index3_advance(ki_bdf_fixed *self);

#endif

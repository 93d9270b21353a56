/* index3_newton.h - the iteration around the Newton steps of index3.h, for integrators that carry
 * accelerations.
 *
 * The iteration ends when the last correction is small: displacements relative to the largest so far,
 * multipliers relative to the largest so far. At a small h that is more than round-off in Phi allows, as an
 * error eps in q is one of eps/s in lambda. With scaled unknowns the iteration then ends when corrections no
 * longer decrease and those of mu = s lambda / m are as small against the displacements; without scaling it
 * has failed, and says so.
 *
 * Steps of chosen length must not leave more of the solution than their errors allow: dq changes v by much
 * more where h is small. There the iteration goes on until theta/(1 - theta) times the last correction, theta
 * its size over that of the one before, is below `allowed`.
 *
 * The matrix is kept over iterations and steps as long as corrections shrink to 0.3; otherwise it is made
 * anew, unless a new one has shown before that what is left is round-off.
 */
#ifndef KI_INDEX3_NEWTON_H
#define KI_INDEX3_NEWTON_H

#include "integrate/index3.h"
#include "integrate/integrator.h"

/* The size of a correction relative to the largest values so far. */
typedef struct ki_index3_correction {
    double q, z;
    double lambda; /* of the multipliers to the multipliers */
    double scaled; /* of the scaled multipliers to the scaled unknowns, displacements included; without
                      scaling the same as `lambda` */
} ki_index3_correction;

/* Sizes of the unknowns, with which corrections are compared. */
typedef struct ki_index3_sizes {
    double q, lambda, z;
} ki_index3_sizes;

/* The step to solve: its unknowns, and what the method knows how to do. */
typedef struct ki_index3_newton {
    ki_integrator *base; /* facts, options, count of linearisations */
    ki_index3 *matrix;
    void *user; /* for the functions */
    /* r_D, r_C and r_z at the present point, with everything that the system evaluates in d->at */
    keel_status (*residual)(void *user, double t);
    /* the matrix and its factors there */
    keel_status (*linearize)(void *user, double t);
    /* the next point from dq, dlambda and dz; an own correction of the displacements goes to dw */
    keel_status (*correct)(void *user, double t);

    double *y, *lambda, *move; /* the point and the displacement since the last step */
    double *r_D, *r_C, *r_z;   /* [n_v], [m], [n_z] */
    bool at_velocity_level;    /* r_C of holonomic rows is the violation of their velocities */
    double *dq, *dlambda, *dz; /* the last correction */
    double *dw;                /* [n_v] or NULL */
    double *allowed;           /* [n_v] what may be left of each displacement, or NULL */

    bool fresh;                     /* make a new matrix for the first iteration */
    bool growing;                   /* a rule whose multipliers may oscillate and grow: for the message */
    bool hopeless;                  /* the last step failed for a reason that a smaller one makes worse */
    bool settled_q, settled_lambda; /* corrections have ceased to decrease */
    ki_index3_correction noise;     /* the last that new matrices did not make smaller; 0: none yet */
    ki_index3_sizes largest;        /* of all solutions so far */
    ki_index3_sizes now;            /* of these and of the iterates so far */
} ki_index3_newton;

/* Room for r_D .. dz. False when out of memory. */
bool ki_index3_newton_init(ki_index3_newton *self, ki_integrator *base, void *user);

/* r_D = M a + J^T lambda - Q and r_C from the system at (t, self->y), f in d->at; `velocity_level` as in
 * index3.h. `also` are further terms to evaluate. */
keel_status ki_index3_residual(ki_index3_newton *self, double t, const double *a, bool velocity_level,
                               unsigned also);

/* Iterates from the point at hand. KEEL_ERROR_CONVERGENCE with trouble that tells why. */
keel_status ki_index3_iterate(ki_index3_newton *self, double t);

#endif

/* motion.h - accelerations and projections for solvers of ordinary differential equations, as a user of such
 * a solver would write them: [M J^T; J 0] is solved by Cholesky factors of M and of J M^-1 J^T in small
 * problems and in chains, where the latter has a narrow band, by KLU with one analysis and refactorizations
 * in the others.
 */
#ifndef BENCH_MOTION_H
#define BENCH_MOTION_H

#include "equations.h"

typedef struct motion {
    const equations *problem;
    struct saddle *saddle;
    double *M, *J, *Q, *xi, *Phi, *rate;
    double *lambda; /* of the last acceleration                                  */
    double *at;     /* q to which the factors belong, [n]; see `known`           */
    double *step;   /* scratch, [n]                                              */
    double *before; /* q before a projection, [n]                                */
    double at_t;    /* and its time                                              */
    int known;      /* factors belong to (at_t, at)                              */
    long evaluations, factorizations;
} motion;

/* NULL when out of memory. */
motion *motion_new(const equations *problem);
void motion_free(motion *motion);

/* v' at a point; 0, or 1 if the matrix is singular there. */
int motion_accelerate(motion *motion, double t, const double *q, const double *v, double *v_rate);

/* Puts q on Phi = 0 and v on J v + tau = 0, each by the smallest change in the metric M: q by simplified
 * Newton steps with the factors of the last acceleration, until a step is below `tolerance`, v by one solve
 * with those of the new point. 0, or 1 if this does not converge: nothing is changed then. */
int motion_project(motion *motion, double t, double *q, double *v, double tolerance);

/* Removes from errors of q and v what a projection would remove, with the factors of the last projection. */
void motion_project_error(motion *motion, double *q_error, double *v_error);

/* The saddle-point kernel itself. Right-hand sides in, solutions out. */
struct saddle *saddle_new(const keel_system *system);
void saddle_free(struct saddle *saddle);
int saddle_factor(struct saddle *saddle, const double *M, const double *J);
void saddle_solve(struct saddle *saddle, double *x, double *lambda);

#endif

/* step.h - what is worth knowing about one step. */
#ifndef KEEL_STEP_H
#define KEEL_STEP_H

/* Newton's method of the last implicit step. Of the corrections, the last ones that were smaller than those
 * before. */
typedef struct keel_newton_facts {
    int iterations;
    double correction_q;      /* largest component of the correction of the displacements */
    double correction_lambda; /* ... of the multipliers, in the scaled unknowns           */
    double condition;         /* of the (scaled) matrix, 2-norm; NaN: not asked for       */
    const double *lambda;     /* [m] the multipliers that the step was solved for, at its end; of midpoint and
                                 conserving in its middle. NULL: none (a first row, another formulation) */
} keel_newton_facts;

/* Where the energy of a step went, besides the work of forces and drivers (docs/energy.md). */
typedef struct keel_audit {
    double integrator;   /* Delta E_i: the integrator                        */
    double projection;   /* Delta E_p: the projection                        */
    double projection_1; /* its parts Delta E_p1 = -v^T M d,                 */
    double projection_2; /* Delta E_p2 = -d^T M d / 2, d what it took from v */
} keel_audit;

#endif

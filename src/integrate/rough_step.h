/* rough_step.h - whether fixed steps follow the motion.
 *
 * Fixed steps have no error control: one that crosses a pole of a force, or is far too long, is taken as any
 * other. Its stages tell all the same. With e an estimate of the step's error from its stages,
 *
 *     rho = max_i |e_i| / size_i,      size_i = max(largest |y_i|, FLOOR largest of q, of v, or of z)
 *
 * is small where steps mean anything. An estimate of low order is large already where steps are merely
 * coarse: a step with rho above DOUBTFUL is tried again by two classical Runge-Kutta steps of half its
 * length, and e is the difference then. Errors and sizes are compared at the end of a run: a component that
 * starts at rest is small for a while. The floor keeps round-off in a component that stays at zero from being
 * compared with itself.
 */
#ifndef KI_ROUGH_STEP_H
#define KI_ROUGH_STEP_H

#include "formulate/dynamics.h"

typedef struct ki_rough_step {
    bool active;
    double *largest;     /* [n_y] |y_i|, both ends of every step  */
    double *error;       /* [n_y] |e_i| of the worst step         */
    double *t;           /* [n_y] when that step ended            */
    double *y, *Y, *sum; /* [n_y] scratch of half steps           */
    double *k;           /* [n_y]                                 */
    double *kept;        /* [n_s + m] auxiliaries and multipliers at the end of the step */
} ki_rough_step;

keel_status ki_rough_step_init(ki_rough_step *rough, ki_arena *arena, const ki_dynamics *d, const double *y);

/* A step just taken: from y_old to y at t + h, with the error estimate e [n_y] of its stages, which may
 * change. Leaves d factored at the end of the step if it was. */
keel_status ki_rough_step_look(ki_rough_step *rough, ki_dynamics *d, double t, double h, const double *y_old,
                               const double *y, double *e);

/* rho of the run so far; *component of y has it. */
double ki_rough_step_worst(const ki_rough_step *rough, const ki_dynamics *d, int *component);

#endif

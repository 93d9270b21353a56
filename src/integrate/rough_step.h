/* rough_step.h - whether fixed steps follow the motion.
 *
 * Fixed steps have no error control: one that crosses a pole of a force, or is far too long, is taken as any
 * other. What is known of a step tells all the same. With e an estimate of its error,
 *
 *     rho = max_i |e_i| / size_i,      size_i = max(largest |y_i|, FLOOR largest of q, of v, or of z)
 *
 * is small where steps mean anything. A cheap estimate is large already where steps are merely coarse: a step
 * with a doubtful rho is tried again another way, and e is the difference then.
 *
 *     explicit    e from the stages; again by two classical Runge-Kutta steps of half its length
 *     implicit    e = h |a - a'|, a and a' the mean rates of v and z in this step and the one before; again
 * by radau5 with error control, which stiff parts do not disturb (rough_implicit.c)
 *
 * Errors and sizes are compared at the end of a run: a component that starts at rest is small for a while.
 * The floor keeps round-off in a component that stays at zero from being compared with itself. The last step
 * does not count before the next one is looked at: it may be taken again.
 */
#ifndef KI_ROUGH_STEP_H
#define KI_ROUGH_STEP_H

#include "formulate/dynamics.h"

typedef struct ki_rough_step {
    bool active;
    double *largest;                           /* [n_y] |y_i|, both ends of every step  */
    double *error;                             /* [n_y] |e_i| of the worst step         */
    double *t;                                 /* [n_y] when that step ended            */
    bool is_pending;                           /* the last step does not count yet      */
    double *pending_y, *pending_e, *pending_t; /* [n_y], [n_y], [1] its end             */
    double *rate;                              /* [n_y] mean rate of the last step      */
    double *e;                                 /* [n_y] scratch: the error of a step    */
    double *y, *Y, *sum;                       /* [n_y] scratch of half steps           */
    double *k;                                 /* [n_y]                                 */
    double *kept; /* [n_s + m] auxiliaries and multipliers at the end of the step */
} ki_rough_step;

keel_status ki_rough_step_init(ki_rough_step *rough, ki_arena *arena, const ki_dynamics *d, const double *y);

/* A step just taken: from y_old to y at t + h, with the error estimate e [n_y] of its stages, which may
 * change. Leaves d factored at the end of the step if it was. */
keel_status ki_rough_step_look(ki_rough_step *rough, ki_dynamics *d, double t, double h, const double *y_old,
                               const double *y, double *e);

/* The parts of that, for other ways to try a step again. The last step counts; y are new sizes. */
void ki_rough_step_begin(ki_rough_step *rough, const ki_dynamics *d, const double *y);
/* rho of e, with the sizes so far and those of the pending step */
double ki_rough_step_ratio(const ki_rough_step *rough, const ki_dynamics *d, const double *e);
/* e <- difference of y to two steps of half the length from y_old; infinity where those fail */
keel_status ki_rough_step_halves(ki_rough_step *rough, ki_dynamics *d, double t, double h,
                                 const double *y_old, const double *y, double *e);
/* e is that of the step that ended at t. */
void ki_rough_step_end(ki_rough_step *rough, const ki_dynamics *d, double t, const double *e);

/* The last step is taken again, and does not count. */
void ki_rough_step_undo(ki_rough_step *rough);

/* What has been seen so far, for the integrator that goes on. */
void ki_rough_step_carry(ki_rough_step *from, ki_rough_step *to, const ki_dynamics *d);

/* rho of the run so far; *component of y has it. */
double ki_rough_step_worst(ki_rough_step *rough, const ki_dynamics *d, int *component);

#endif

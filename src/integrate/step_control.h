/* step_control.h - the next step size from the error of the last one.
 *
 *     h_new = h * clamp( safety * err^-alpha * err_previous^beta, least, most )
 *
 * err is the error divided by what is allowed: a step is accepted when err <= 1. beta > 0 damps oscillations
 * of h (Gustafsson's PI controller); alpha = 1/order - 0.75 beta. After a rejection the step may not grow at
 * once.
 */
#ifndef KI_STEP_CONTROL_H
#define KI_STEP_CONTROL_H

#include <stdbool.h>

typedef struct ki_step_control {
    double alpha, beta, least, most;
    double previous_error; /* of the last accepted step */
    bool rejected;         /* the last attempt was      */
} ki_step_control;

ki_step_control ki_step_control_new(double alpha, double beta, double least, double most);

/* Takes the error of an attempt with step h; returns whether it is accepted and the step to try next. */
bool ki_step_control_judge(ki_step_control *c, double error, double h, double *h_next);

/* An attempt that gave no error at all (a model function failed, no convergence): the step to try next. */
double ki_step_control_failed(ki_step_control *c, double h);

#endif

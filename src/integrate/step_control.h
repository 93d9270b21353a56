/* step_control.h - the next step size from the error of the last one.
 *
 *     accepted    h_new = h * clamp( safety * err^-alpha * err_previous^beta, least, most )
 *     rejected    h_new = h * clamp( safety * err^(-1/order),                 least, 1 )
 *
 * err is the error divided by what is allowed: a step is accepted when err <= 1. With alpha = 1/order, beta =
 * 0 the next step would meet err = safety^order if nothing changed; but on a mechanism that turns things
 * change all the time, and steps that follow every whim of the estimate are rejected often. The smooth
 * control of the explicit methods follows at half the pace and keeps a larger distance. Only a rejection asks
 * for the whole correction at once; after it the step may not grow at once.
 *
 * Over nine models (two Andrews, four-bar, Bricard, slider-crank, chain, pendulum, car axis, Stewart) at
 * tolerances from 1e-1 to 1e-12 dop853 had 9.0 % of its steps rejected with alpha = 0.76/order, beta =
 * 0.32/order and safety 0.9, and has 3.6 % now; for an error of 1e-3, 1e-6, 1e-9 it takes 1.00, 0.95 and 0.98
 * times the evaluations (geometric means, with a scatter of 0.04). Still slower ones (0.5, beta = 0.2, safety
 * 0.85 to 0.9) reject 2 to 5 % and save as much, but now and then come too late into a rough stretch.
 */
#ifndef KI_STEP_CONTROL_H
#define KI_STEP_CONTROL_H

#include <stdbool.h>

typedef struct ki_step_control {
    double order, alpha, beta, safety, least, most;
    double previous_error; /* of the last accepted step */
    bool rejected;         /* the last attempt was      */
} ki_step_control;

/* With safety = 0.9. */
ki_step_control ki_step_control_new(int order, double alpha, double beta, double least, double most);

/* alpha = 0.5/order, beta = 0, safety = 0.8. */
ki_step_control ki_step_control_smooth(int order, double least, double most);

/* Takes the error of an attempt with step h; returns whether it is accepted and the step to try next. */
bool ki_step_control_judge(ki_step_control *c, double error, double h, double *h_next);

/* An attempt that gave no error at all (a model function failed, no convergence): the step to try next. */
double ki_step_control_failed(ki_step_control *c, double h);

#endif

#include "integrate/step_control.h"

#include <math.h>

static const double SAFETY = 0.9;
static const double LEAST_ERROR = 1e-4;    /* a smaller error says nothing about the next step */
static const double FAILURE_FACTOR = 0.25; /* without an error to go by, retreat at once        */

ki_step_control ki_step_control_new(double alpha, double beta, double least, double most) {
    return (ki_step_control){
        .alpha = alpha, .beta = beta, .least = least, .most = most, .previous_error = LEAST_ERROR};
}

bool ki_step_control_judge(ki_step_control *c, double error, double h, double *h_next) {
    bool accepted = error <= 1; /* false for NaN */
    if (!isfinite(error)) {
        *h_next = ki_step_control_failed(c, h);
        return false;
    }
    double factor = error > 0 ? SAFETY * pow(error, -c->alpha) : c->most;
    if (accepted)
        factor *= pow(c->previous_error, c->beta);
    factor = fmin(c->most, fmax(c->least, factor));
    if (accepted && c->rejected)
        factor = fmin(factor, 1);
    if (accepted)
        c->previous_error = fmax(error, LEAST_ERROR);
    c->rejected = !accepted;
    *h_next = h * factor;
    return accepted;
}

double ki_step_control_failed(ki_step_control *c, double h) {
    c->rejected = true;
    return h * FAILURE_FACTOR;
}

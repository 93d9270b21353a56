#include "integrate/step_control.h"

#include <math.h>

static const double LEAST_ERROR = 1e-4;    /* a smaller error says nothing about the next step */
static const double FAILURE_FACTOR = 0.25; /* without an error to go by, retreat at once        */

ki_step_control ki_step_control_new(int order, double alpha, double beta, double least, double most) {
    return (ki_step_control){.order = order,
                             .alpha = alpha,
                             .beta = beta,
                             .safety = 0.9,
                             .least = least,
                             .most = most,
                             .previous_error = LEAST_ERROR};
}

ki_step_control ki_step_control_smooth(int order, double least, double most) {
    ki_step_control c = ki_step_control_new(order, 0.5 / order, 0, least, most);
    c.safety = 0.8;
    return c;
}

static double accepted_factor(const ki_step_control *c, double error) {
    double most = c->rejected ? 1 : c->most;
    double factor = c->safety * pow(error, -c->alpha);
    if (c->beta > 0)
        factor *= pow(c->previous_error, c->beta);
    return fmin(most, fmax(c->least, error > 0 ? factor : most));
}

static double rejected_factor(const ki_step_control *c, double error) {
    return fmax(c->least, c->safety * pow(error, -1 / c->order));
}

bool ki_step_control_judge(ki_step_control *c, double error, double h, double *h_next) {
    bool accepted = error <= 1; /* false for NaN */
    if (!isfinite(error)) {
        *h_next = ki_step_control_failed(c, h);
        return false;
    }
    *h_next = h * (accepted ? accepted_factor(c, error) : rejected_factor(c, error));
    if (accepted)
        c->previous_error = fmax(error, LEAST_ERROR);
    c->rejected = !accepted;
    return accepted;
}

double ki_step_control_failed(ki_step_control *c, double h) {
    c->rejected = true;
    return h * FAILURE_FACTOR;
}

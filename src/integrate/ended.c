/* ended.c - a step that ends elsewhere than its integrator left it.
 *
 * A run that finds a switch inside of a step, or just ahead of it, ends the step there by its dense output.
 * What the integrator knows of the step stays as it is, for rows inside of it.
 */
#include <string.h>

#include "integrate/integrator.h"

typedef struct ended_step {
    ki_integrator base;
    ki_integrator *inner;
} ended_step;

/* Another integrator goes on from here. */
static keel_status step(ki_integrator *self, double t_end) {
    (void)self;
    (void)t_end;
    return KEEL_ERROR_STEP_SIZE;
}

static keel_status interpolate(ki_integrator *self, double t, double *y) {
    ki_integrator *inner = ((ended_step *)self)->inner;
    if (t != self->t)
        return inner->method->interpolate(inner, t, y);
    memcpy(y, self->y, (size_t)self->n * sizeof *y);
    return KEEL_OK;
}

static keel_status slope(ki_integrator *self, double t, double *rate) {
    ki_integrator *inner = ((ended_step *)self)->inner;
    return inner->method->slope(inner, t, rate);
}

static void own_values(ki_integrator *self, double t, double *v_rate, double *lambda) {
    ki_integrator *inner = ((ended_step *)self)->inner;
    inner->own_values(inner, t, v_rate, lambda);
}

static void clear(ki_integrator *self) {
    ki_integrator_free(((ended_step *)self)->inner);
}

static const ki_method ENDED = {
    .size = sizeof(ended_step), .step = step, .interpolate = interpolate, .clear = clear};
static const ki_method ENDED_WITH_SLOPE = {
    .size = sizeof(ended_step), .step = step, .interpolate = interpolate, .slope = slope, .clear = clear};

ki_integrator *ki_end_step(ki_integrator *inner, double t, const double *y) {
    ended_step *self = ki_integrator_like(inner, inner->method->slope ? &ENDED_WITH_SLOPE : &ENDED);
    if (!self)
        return NULL;
    self->inner = inner;
    self->base.own_values = inner->own_values ? own_values : NULL;
    self->base.t = t;
    memcpy(self->base.y, y, (size_t)inner->n * sizeof *y);
    return &self->base;
}

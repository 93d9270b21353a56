/* Implicit steps of a given length (rough_step.h). A step that mean rates leave in doubt is taken again by
 * radau5 under error control, from where it began; where that cannot get through, by two explicit halves. */
#include <math.h>
#include <string.h>

#include "integrate/radau.h"

static const double DOUBTFUL = 0.1;

/* Exact enough to tell a tenth of the motion. */
static const double TOLERANCE = 1e-3;

enum { MOST_STEPS = 2000 };

/* One that has nothing to begin with is of no use, and halves have to do. */
static keel_status make_judge(ki_integrator *self) {
    keel_status status;
    double h = self->settings.step;
    ki_problem problem = {.kind = KEEL_RADAU5,
                          .flow = self->flow_rows,
                          .flow_rows = self->flow_rows,
                          .settings = {.tolerance = TOLERANCE,
                                       .absolute_tolerance = TOLERANCE,
                                       .most_steps = MOST_STEPS,
                                       .projected_error = true},
                          .options = self->options,
                          .t = self->t,
                          .t_end = self->t + (h > 0 ? h : 1),
                          .y = self->y};
    self->judge = ki_integrator_new(&problem, &status);
    return status == KEEL_ERROR_MEMORY || status == KEEL_ERROR_CALLBACK ? status : KEEL_OK;
}

keel_status ki_begin_fixed_steps(ki_integrator *self, const double *rate) {
    ki_dynamics *d = self->flow.dynamics;
    if (!self->settings.fixed)
        return KEEL_OK;
    if (ki_rough_step_init(&self->rough, &self->arena, d, self->y))
        return KEEL_ERROR_MEMORY;
    memcpy(self->rough.rate, rate, (size_t)self->n * sizeof *rate);
    return make_judge(self);
}

/* e <- difference of y to radau5's way from y_old; false where it does not get there. */
static bool take_by_radau(const ki_integrator *self, double h, const double *y_old, double *e) {
    double t_end = self->t_old + h;
    ki_integrator *judge = self->judge;
    keel_status status = judge ? ki_radau_restart(judge, self->t_old, y_old, t_end) : KEEL_ERROR_SINGULAR;
    while (!status && judge->t < t_end)
        status = judge->method->step(judge, t_end);
    for (int i = 0; !status && i < self->n; i++)
        e[i] = judge->y[i] - self->y[i];
    return !status;
}

keel_status ki_look_at_implicit_step(ki_integrator *self, const double *y_old) {
    ki_rough_step *rough = &self->rough;
    ki_dynamics *d = self->flow.dynamics;
    int n_q = d->system->n_q;
    double h = self->t - self->t_old, *e = rough->e;
    if (!rough->active || !(h > 0))
        return KEEL_OK;
    keel_status status = KEEL_OK;
    memset(e, 0, (size_t)self->n * sizeof *e);
    for (int i = n_q; i < self->n - 1; i++) {
        double rate = (self->y[i] - y_old[i]) / h;
        e[i] = h * (rate - rough->rate[i]);
        rough->rate[i] = rate;
    }
    ki_rough_step_begin(rough, d, self->y);
    bool doubtful = !(ki_rough_step_ratio(rough, d, e) <= DOUBTFUL);
    if (!doubtful) /* a change of rates is no error yet */
        memset(e, 0, (size_t)self->n * sizeof *e);
    else if (!take_by_radau(self, h, y_old, e))
        status = ki_rough_step_halves(rough, d, self->t_old, h, y_old, self->y, e);
    ki_rough_step_end(rough, d, self->t, e);
    return status;
}

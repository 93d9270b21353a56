/* The local error of a step of structural.h, for steps of chosen length. With v'' from the change of a in
 * the step and v''' from how that changes from step to step,
 *
 *     displacement   C_q h^3 v''     C_q = beta + (alpha_m - alpha_f)/2 - 1/6      (Zienkiewicz and Xie 1991)
 *     velocity       C_1 h^2 v'' + C_v h^3 v'''
 *                                    C_1 = gamma + delta - 1/2,  zero for methods of order two,
 *                                    C_v = gamma/2 + gamma delta + delta^2/2 - 1/6
 *     states         h^3 z''' / 12
 *
 * where a_n = v'(t_n + delta h), delta = alpha_m - alpha_f. All are of order three (two if C_1 is not
 * zero), one more than the method. They are taken of the accelerations that satisfy their constraints, which
 * a itself does only on the average, and whole: also where constraints or drivers alone move a coordinate
 * it must be followed.
 */
#include <math.h>
#include <string.h>

#include "integrate/structural.h"

/* Change of v' and f in the step. */
static double change_of(const ki_structural *self, int i) {
    const ki_dynamics *d = self->base.flow.dynamics;
    return ki_v(d, self->next.rate)[i] - ki_v(d, self->now.rate)[i]; /* z' follows v' */
}

void ki_structural_remember_slope(ki_structural *self, double h) {
    const keel_system *sys = self->base.flow.dynamics->system;
    for (int i = 0; i < sys->n_v + sys->n_z; i++)
        self->slope[i] = change_of(self, i) / h;
    self->h_slope = h;
}

double ki_structural_error(ki_structural *self, double h) {
    ki_dynamics *d = self->base.flow.dynamics;
    const keel_system *sys = d->system;
    double delta = self->alpha_m - self->alpha_f, gamma = self->gamma;
    double C_q = self->beta + delta / 2 - 1.0 / 6, C_1 = gamma + delta - 0.5;
    double C_v = gamma / 2 + gamma * delta + delta * delta / 2 - 1.0 / 6;
    double *e_v = ki_v(d, self->estimate), *e_z = ki_z(d, self->estimate);
    /* before the second step the slope is taken to have been zero: too large an estimate rather than none */
    double between = self->h_slope > 0 ? (h + self->h_slope) / 2 : h;
    for (int i = 0; i < sys->n_v + sys->n_z; i++) {
        double slope = change_of(self, i) / h, bend = (slope - self->slope[i]) / between;
        if (i < sys->n_v) {
            self->guess[i] = C_q * h * h * h * slope;
            e_v[i] = C_1 * h * h * slope + C_v * h * h * h * bend;
        } else {
            e_z[i - sys->n_v] = h * h * h * bend / 12;
        }
    }
    if (sys->kinematics)
        sys->kinematics(sys, self->next.y, self->guess, self->estimate);
    else
        memcpy(self->estimate, self->guess, (size_t)sys->n_v * sizeof(double));
    return ki_error_norm(&self->base, self->estimate, self->now.y, self->next.y) / self->base.relax;
}

/* sides_look.h - whether functions of the state have changed sign in a step, and when. */
#ifndef KI_SIDES_LOOK_H
#define KI_SIDES_LOOK_H

#include "run/simulation.h"

/* Places of a step at which functions are looked at, with both ends. */
enum { KI_PLACES = 5 };

static inline signed char ki_sign_of_side(double g) {
    return (signed char)((g > 0) - (g < 0));
}

/* g at (t, y) */
void ki_side_values(keel_simulation *sim, double t, const double *y, double *g);

/* The same inside the last step. False where there is no dense output. */
bool ki_side_values_inside(keel_simulation *sim, double t, double *g);

/* Whether function i is zero between its sides (keel_system.switches.steep). */
bool ki_is_steep(const keel_simulation *sim, int i);

/* A function that has changed sign against `side`, or -1. */
int ki_changed_side(const ki_switching *s, const double *g);

/* For ki_integrator.switch_inside: a little less than the part that is guessed. */
double ki_part_before_switch(const ki_integrator *in, double h, const double *y_new);

/* The first change of a function between a and b, at which it has changed; *which is that function. The time
 * is just behind the change. */
double ki_time_of_change(keel_simulation *sim, double a, double b, int *which);

/* Where a function has changed by the end of the last step or before: -1: none. */
int ki_change_in_step(keel_simulation *sim, double *t);

#endif

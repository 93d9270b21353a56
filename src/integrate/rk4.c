/* rk4 - the classical Runge-Kutta method of order 4 with a fixed step.
 * Kutta 1901. Dense output: cubic Hermite interpolation.
 *
 * Two differences of stages tell whether a step follows the motion at all (rough_step.h): h (k_2 - k_3) / 3,
 * of order 3, and h (k_4 - k_5) / 6, of order 4, with k_5 at the new point. The first sees a pole that one
 * stage comes near to, the second one between the last stage and the new point. */
#include "integrate/tableau.h"

const ki_tableau KI_RK4 = {
    .name = "rk4",
    .order = 4,
    .stages = 4,
    .c = {0, 0.5, 0.5, 1, 1},
    .error = {0, 1.0 / 3, -1.0 / 3},
    .error_low = {0, 0, 0, 1.0 / 6, -1.0 / 6},
    .has_error_low = 1,
    .a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}},
};

/* rk4 - the classical Runge-Kutta method of order 4 with a fixed step.
 * Kutta 1901. Dense output: cubic Hermite interpolation. */
#include "integrate/tableau.h"

const ki_tableau KI_RK4 = {
    .name = "rk4",
    .order = 4,
    .stages = 4,
    .c = {0, 0.5, 0.5, 1, 1},
    .a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}},
};

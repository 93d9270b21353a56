/* dopri5 - the pair of orders 5 and 4 of Dormand and Prince (1980), with Shampine's dense output of order 4
 * (1986). Coefficients: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (1993), table
 * II.5.2 and section II.6. */
#include "integrate/tableau.h"

const ki_tableau KI_DOPRI5 = {
    .name = "dopri5",
    .order = 5,
    .stages = 6,
    .adaptive = 1,
    .error_uses_new_rate = 1,
    .dense_rows = 1,
    .least_factor = 0.2,
    .most_factor = 10,
    .stiff_limit = 3.25,
    .c = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1},
    .a = {{0},
          {0.2},
          {3.0 / 40, 9.0 / 40},
          {44.0 / 45, -56.0 / 15, 32.0 / 9},
          {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
          {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
          {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
    .error = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40},
    .dense = {{-12715105075.0 / 11282082432.0, 0, 87487479700.0 / 32700410799.0,
               -10690763975.0 / 1880347072.0, 701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
               69997945.0 / 29380423.0}},
};

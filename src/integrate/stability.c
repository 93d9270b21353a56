/* stability.c - how far an explicit Runge-Kutta method is stable.
 *
 * Applied to y' = lambda y a step is y_1 = R(h lambda) y_0. A critically damped constraint is a double
 * eigenvalue lambda = -a: it fades while |R(-h a)| < 1.
 */
#include <math.h>

#include "integrate/tableau.h"

/* R(-x): the stages of a step of y' = -x y, h = 1 */
static double growth(const ki_tableau *T, double x) {
    double Y[KI_STAGES_MAX];
    for (int s = 0; s <= T->stages; s++) {
        Y[s] = 1;
        for (int j = 0; j < s; j++)
            Y[s] -= x * T->a[s][j] * Y[j];
    }
    return Y[T->stages];
}

double ki_real_limit(const ki_tableau *T) {
    static const double STEP = 0.01, MOST = 100;
    double x = STEP;
    while (x < MOST && fabs(growth(T, x)) < 1)
        x += STEP;
    return x - STEP;
}

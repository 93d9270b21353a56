/* gains.c - automatic gains: every constraint critically damped with one rate (law.h),
 *
 *     K_D = 2 a,  K_P = a^2,  and K_D = a for nonholonomic rows,       a = min(w / 2, limit / h)
 *
 * w is how fast the motion is, the largest so far of |v_j| / l_j and sqrt(|v'_j| / l_j) with the natural
 * sizes l_j, and at least one over the length of the run. It does not know the step: the equations stay the
 * same as h goes to 0, and the method keeps its order. limit / h, with h the longest step so far, keeps the
 * damped oscillators well inside the region where the method is stable.
 */
#include <math.h>

#include "formulate/dynamics.h"

double ki_motion_rate(const ki_dynamics *d, const double *y, const double *rate) {
    const keel_system *sys = d->system;
    const double *v = y + sys->n_q, *a = rate ? rate + sys->n_q : NULL, *size = d->scales->move;
    double fastest = 0;
    for (int j = 0; j < sys->n_v; j++) {
        fastest = fmax(fastest, fabs(v[j]) / size[j]);
        if (a)
            fastest = fmax(fastest, sqrt(fabs(a[j]) / size[j]));
    }
    return fastest;
}

/* Of the rate of the motion. Errors of stages off the constraints are fed back, and an adaptive method sees
 * them: with all of it dopri5 takes a third more steps on a pendulum, with half of it a tenth. */
static const double SHARE = 0.5;

bool ki_follow_motion(ki_dynamics *d, const double *y, const double *rate) {
    static const double NOTICED = 2; /* gains that change at every step would be another rate for each */
    if (!ki_has_automatic_gains(d))
        return false;
    double fastest = ki_motion_rate(d, y, rate);
    if (!(fastest > NOTICED * d->motion_rate) || !isfinite(fastest))
        return false;
    d->motion_rate = fastest;
    return true;
}

void ki_diagonal_gains(const ki_dynamics *d, int i, double *K_D, double *K_P) {
    const ki_law *law = d->law;
    bool holonomic = i < d->system->n_h;
    double a = SHARE * d->motion_rate;
    if (d->step > 0)
        a = fmin(a, d->gain_limit / d->step);
    *K_D = law->K_D.given ? law->K_D.values[law->K_D.full ? i * (law->K_D.rows + 1) : i]
           : holonomic    ? 2 * a
                          : a;
    *K_P = 0;
    if (holonomic)
        *K_P = law->K_P.given ? law->K_P.values[law->K_P.full ? i * (law->K_P.rows + 1) : i] : a * a;
}

bool ki_has_automatic_gains(const ki_dynamics *d) {
    return d->law->baumgarte && (!d->law->K_D.given || !d->law->K_P.given);
}

/* The index-1 formulation: accelerations and multipliers from one saddle-point solve.
 *
 *     [ M   J^T ] [ v'     ]   [ Q  ]
 *     [ J    0  ] [ lambda ] = [ xi ]
 *
 * and with them  y' = (N v, v', f, power - lambda^T tau).
 */
#include <math.h>
#include <string.h>

#include "formulate/dynamics.h"

static keel_status check_finite(ki_dynamics *d, double t) {
    const keel_system *sys = d->system;
    int i = 0;
    if (!ki_all_finite(d->at.Q, sys->n_v, &i))
        return ki_trouble_at(d, KEEL_ERROR_NOT_FINITE, KI_TROUBLE_FORCE, t, i, d->at.Q[i]);
    if (!ki_all_finite(d->at.xi, d->m, &i))
        return ki_trouble_at(d, KEEL_ERROR_NOT_FINITE, KI_TROUBLE_XI, t, i, d->at.xi[i]);
    if (!ki_all_finite(d->at.f, sys->n_z, &i))
        return ki_trouble_at(d, KEEL_ERROR_NOT_FINITE, KI_TROUBLE_STATE, t, i, d->at.f[i]);
    return KEEL_OK;
}

/* Terms and factors at (t, y). M and J are taken over when they are already factored for this configuration.
 */
static keel_status prepare(ki_dynamics *d, double t, const double *y) {
    unsigned what = KEEL_FORCE | KEEL_XI | KEEL_STATES;
    if (d->system->has_energy)
        what |= KEEL_POWER | (d->system->has_drivers ? KEEL_VELOCITY : 0u);
    bool known = ki_is_factored(d, t, y);
    d->factored = known;
    keel_status status = ki_evaluate_terms(d, known ? what : what | KEEL_MASS | KEEL_JACOBIAN, t, y);
    if (!status)
        status = check_finite(d, t);
    if (!status && !known)
        status = ki_factor_terms(d, t, y);
    return status;
}

/* lambda^T (J v - rate): the rate at which energy leaves through driven constraints. Where a constraint is
 * not driven this is zero, also for a state that has drifted off it: drift must show as drift, not as work.
 */
static double driver_power(const ki_dynamics *d, const double *v) {
    keel_pattern P = d->system->J;
    double sum = 0;
    for (int i = 0; i < P.rows; i++) {
        double Jv = 0;
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            Jv += d->at.J[k] * v[P.index[k]];
        sum += d->lambda[i] * (Jv - d->at.rate[i]);
    }
    return sum;
}

static double work_rate(const ki_dynamics *d, const double *v) {
    if (!d->system->has_energy)
        return 0;
    return d->system->has_drivers ? d->at.power - driver_power(d, v) : d->at.power;
}

static void fill_rate(ki_dynamics *d, const double *y, double *k) {
    const keel_system *sys = d->system;
    const double *v = y + sys->n_q;
    if (sys->kinematics)
        sys->kinematics(sys, y, v, k);
    else
        memcpy(k, v, (size_t)sys->n_v * sizeof(double));
    memcpy(ki_v(d, k), d->x, (size_t)sys->n_v * sizeof(double));
    memcpy(ki_z(d, k), d->at.f, (size_t)sys->n_z * sizeof(double));
    *ki_work(d, k) = work_rate(d, v);
}

keel_status ki_index1_rate(ki_dynamics *d, double t, const double *y, double *k) {
    keel_status status = ki_solve_auxiliaries(d, t, y);
    if (!status)
        status = prepare(d, t, y);
    if (status)
        return status;
    d->evaluations++;
    if (d->system->Q_lambda.rows) {
        status = ki_solve_force_lambda(d, t, y);
        if (!status && d->system->has_energy) /* the forces now act with their final multipliers */
            status = ki_evaluate_terms(d, KEEL_POWER, t, y);
    } else
        status = ki_solve_motion(d, t, d->at.Q, d->at.xi, d->x, d->lambda);
    if (status)
        return status;
    fill_rate(d, y, k);
    return KEEL_OK;
}

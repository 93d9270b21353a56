/* The index-1 formulation: accelerations and multipliers from one saddle-point solve.
 *
 *     [ M   J^T ] [ v'     ]   [ Q ]
 *     [ J    0  ] [ lambda ] = [ s ]         s = xi, or with Baumgarte terms (law.h)
 *
 * The formulation `nullspace` is the same solve done by projecting the motion on the null space R of J,
 *
 *     [ R^T M ]        [ R^T Q ]
 *     [ J     ] v'  =  [ s     ]             (Terze, Naudet and Lefeber, eq. 17)
 *
 * which is a path of the kernel, chosen when the workspace is made.
 */
#include "formulate/dynamics.h"

/* v' in d->x and the multipliers, from the terms at hand */
static keel_status solve(ki_dynamics *d, double t, const double *y) {
    if (!d->system->Q_lambda.rows)
        return ki_solve_motion(d, t, d->at.Q, d->target, d->x, d->lambda);
    keel_status status = ki_solve_force_lambda(d, t, y);
    if (!status && d->system->has_energy) /* the forces now act with their final multipliers */
        status = ki_evaluate_terms(d, KEEL_POWER, t, y);
    return status;
}

keel_status ki_index1_rate_in_parts(ki_dynamics *d, double t, const double *y, double *k) {
    keel_status status = ki_begin_rate(d, t, y);
    if (!status)
        status = solve(d, t, y);
    return status ? status : ki_end_rate(d, t, y, k);
}

keel_status ki_index1_rate(ki_dynamics *d, double t, const double *y, double *k) {
    return ki_rate_by_code(d, t, y) ? ki_end_rate(d, t, y, k) : ki_index1_rate_in_parts(d, t, y, k);
}

/* Generalized inverse (Mukharlyamov and Deressa, eq. 6-13): with A = J M^-1 J^T of any rank,
 *
 *     lambda = A^+ (J M^-1 Q - s) + (I - A^+ A) u
 *
 * The first part is the least-norm multiplier; the second, the given non-ideal part u projected on the null
 * space of J^T, changes the multipliers of dependent constraints but not the motion. */
keel_status ki_generalized_inverse_rate(ki_dynamics *d, double t, const double *y, double *k) {
    keel_status status = ki_begin_rate(d, t, y);
    if (!status)
        status = solve(d, t, y);
    if (!status)
        status = keel_saddle_least_norm(d->K, d->lambda);
    if (!status && d->law->non_ideal.given && keel_saddle_regularized(d->K)) {
        const double *u = d->law->non_ideal.values;
        for (int i = 0; i < d->m; i++)
            d->y[i] = u[i];
        status = keel_saddle_least_norm(d->K, d->y);
        for (int i = 0; i < d->m; i++)
            d->lambda[i] += u[i] - d->y[i];
    }
    return status < 0 ? status : ki_end_rate(d, t, y, k);
}

#include "stabilize/projection.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 40 };

/* A violation that stops shrinking is at round-off if it is this small; larger, it is a failure. */
static const double ROUND_OFF = 1e-11;

/* A kernel other than K at (t, y): metric and rows of its own. */
static keel_status factor_kernel(ki_dynamics *d, keel_saddle *P, double t, const double *y) {
    keel_status status = ki_factor_at(d, t, y);
    if (status || P == d->K)
        return status;
    d->factorizations++;
    status = keel_saddle_factor(P, d->metric ? d->metric : d->at.M, d->at.J, d->P_D);
    return status < 0 ? ki_trouble_at(d, status, KI_TROUBLE_MATRIX, t, -1, 0) : KEEL_OK;
}

/* One Gauss-Newton step from the Phi in d->at. */
static keel_status position_step(ki_dynamics *d, double t, double *y) {
    const keel_system *sys = d->system;
    for (int i = 0; i < sys->n_h; i++)
        d->b_m[i] = -d->at.Phi[i];
    if (keel_saddle_solve(d->P_G, NULL, d->b_m, d->x, d->y, NULL) < 0)
        return ki_trouble_at(d, KEEL_ERROR_SINGULAR, KI_TROUBLE_POSITION, t, 0, fabs(d->at.Phi[0]));
    ki_move(d, y, d->x);
    return KEEL_OK;
}

/* What to do with the violation `worst` after `previous`. */
typedef enum verdict { CONVERGED, STEP, REFACTOR_AND_STEP, GIVE_UP } verdict;

static verdict judge(double worst, double previous, double tolerance, bool fresh) {
    if (worst <= tolerance)
        return CONVERGED;
    if (worst <= 0.1 * previous)
        return STEP;
    if (!fresh)
        return REFACTOR_AND_STEP;
    if (worst <= ROUND_OFF && worst > 0.5 * previous)
        return CONVERGED;
    return worst < previous ? REFACTOR_AND_STEP : GIVE_UP;
}

keel_status ki_project_position(ki_dynamics *d, double t, double *y) {
    int n_h = d->system->n_h, worst = 0;
    double previous = INFINITY, violation = 0;
    /* factors of an earlier stage serve for K; other kernels have none that are near */
    bool fresh = false, usable = d->P_G == d->K && d->factored;
    if (n_h == 0)
        return KEEL_OK;
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        keel_status status = ki_solve_auxiliaries(d, t, y);
        if (!status)
            status = ki_evaluate_terms(d, KEEL_POSITION, t, y);
        if (!status && !usable)
            status = factor_kernel(d, d->P_G, t, y);
        if (status)
            return status;
        fresh = fresh || !usable;
        usable = true;
        ki_position_sizes(d, y, d->size);
        violation = ki_worst_relative(d->at.Phi, d->size, n_h, &worst);
        verdict v = judge(violation, previous, d->law->projection_tolerance, fresh);
        if (v == CONVERGED)
            return KEEL_OK;
        if (v == GIVE_UP)
            break;
        if (v == REFACTOR_AND_STEP) {
            if ((status = factor_kernel(d, d->P_G, t, y)))
                return status;
            fresh = true;
        }
        previous = violation;
        if ((status = position_step(d, t, y)) || d->P_D)
            return status; /* a penalty projection is one step: it does not go all the way */
    }
    return ki_trouble_at(d, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_POSITION, t, worst, fabs(d->at.Phi[worst]));
}

static keel_status velocity_step(ki_dynamics *d, double t, double *v) {
    for (int i = 0; i < d->m; i++)
        d->b_m[i] = -d->at.rate[i];
    if (keel_saddle_solve(d->P, NULL, d->b_m, d->x, d->y, NULL) < 0)
        return ki_trouble_at(d, KEEL_ERROR_SINGULAR, KI_TROUBLE_VELOCITY, t, 0, fabs(d->at.rate[0]));
    for (int i = 0; i < d->system->n_v; i++)
        v[i] += d->x[i];
    return KEEL_OK;
}

keel_status ki_project_velocity(ki_dynamics *d, double t, double *y) {
    double *v = ki_v(d, y), previous = INFINITY;
    int worst = 0;
    if (d->m == 0)
        return KEEL_OK;
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        keel_status status = KEEL_OK;
        if (iteration == 0 || d->system->J_needs_v)
            status = factor_kernel(d, d->P, t, y);
        if (!status)
            status = ki_evaluate_terms(d, KEEL_VELOCITY, t, y);
        if (status)
            return status;
        ki_velocity_sizes(d, v, d->size);
        double violation = ki_worst_relative(d->at.rate, d->size, d->m, &worst);
        verdict next = judge(violation, previous, d->law->projection_tolerance, true);
        if (next == CONVERGED)
            return KEEL_OK;
        if (next == GIVE_UP)
            break;
        previous = violation;
        if ((status = velocity_step(d, t, v)) || d->P_D)
            return status;
    }
    return ki_trouble_at(d, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_VELOCITY, t, worst, fabs(d->at.rate[worst]));
}

keel_status ki_project(ki_dynamics *d, double t, double *y) {
    keel_status status = KEEL_OK;
    d->projections++;
    if (d->law->levels != KEEL_LEVELS_VELOCITY)
        status = ki_project_position(d, t, y);
    if (!status && d->law->levels != KEEL_LEVELS_POSITION)
        status = ki_project_velocity(d, t, y);
    return status;
}

/* The part of an error that projection removes still counts a little: it bounds how far the dense output and
 * the stages stray from the constraints, and it is all that steers the step where the constraints leave no
 * freedom at all. */
static const double NORMAL_PART = 0.01;

/* e <- tangential part of e, with the factors in K, plus a hundredth of the normal part */
static keel_status tangential(ki_dynamics *d, keel_saddle *K, double *e) {
    ki_mass_times(d, e, d->b_v);
    keel_status status = keel_saddle_solve(K, d->b_v, NULL, d->x, d->y, NULL);
    for (int i = 0; i < d->system->n_v; i++)
        e[i] = d->x[i] + NORMAL_PART * (e[i] - d->x[i]);
    return status < 0 ? status : KEEL_OK;
}

keel_status ki_project_error(ki_dynamics *d, double *e) {
    const keel_system *sys = d->system;
    keel_status status = KEEL_OK;
    if (sys->n_h && !sys->kinematics) /* otherwise the error of q is not a velocity-like vector */
        status = tangential(d, d->K_G, ki_q(e));
    if (!status && d->m)
        status = tangential(d, d->K, ki_v(d, e));
    return status;
}

#include "stabilize/projection.h"

#include <math.h>
#include <string.h>

#include "stabilize/joint.h"

enum { MOST_ITERATIONS = 40 };

/* A violation that stops shrinking is at round-off if it is this small; larger, it is a failure. */
static const double ROUND_OFF = 1e-11;

keel_status ki_evaluate_matrices(ki_dynamics *d, double t, const double *y) {
    if (ki_is_factored(d, t, y))
        return KEEL_OK;
    d->factored = false;
    return ki_evaluate_terms(d, KEEL_MASS | KEEL_JACOBIAN, t, y);
}

/* Factors of the kernel P at (t, y): K, or one with metric and rows of its own. K is where one-step methods
 * go on from, and where velocities come next: their violation comes along in any case. */
static keel_status factor_kernel(ki_dynamics *d, keel_saddle *P, double t, const double *y) {
    if (P == d->K)
        return ki_factor_with(d, P == d->P ? KEEL_VELOCITY : 0u, t, y);
    keel_saddle **factored = P == d->P ? &d->factored_P : &d->factored_P_G;
    *factored = NULL;
    keel_status status = ki_evaluate_matrices(d, t, y);
    if (status)
        return status;
    d->factorizations++;
    status = keel_saddle_factor(P, d->metric ? d->metric : d->at.M, d->at.J, d->P_D);
    if (status < 0)
        return ki_trouble_at(d, status, KI_TROUBLE_MATRIX, t, -1, 0);
    *factored = P;
    return KEEL_OK;
}

/* Whether P holds factors that may serve: K those of an earlier stage, other kernels none that are near
 * unless projections are relaxed. */
static bool at_hand(const ki_dynamics *d, const keel_saddle *P) {
    if (P == d->K)
        return d->factored;
    return d->relaxed && !d->P_D && (P == d->factored_P || P == d->factored_P_G);
}

typedef keel_status solver(keel_saddle *K, const double *r, const double *s, double *x, double *y);

/* d->x with J x = -violation in the first `rows` rows, from the kernel P or in the metric of an implicit
 * step. Not refined: what round-off leaves shows in the violation after the step, which is judged. */
static keel_status correction(ki_dynamics *d, keel_saddle *P, solver *solve, const double *violation,
                              int rows, bool by_step) {
    d->projection_iterations++;
    for (int i = 0; i < d->m; i++)
        d->b_m[i] = i < rows ? -violation[i] : 0;
    if (!by_step)
        return solve(P, NULL, d->b_m, d->x, d->y);
    d->step_metric.solve(d->step_metric.user, d->b_m, d->x);
    return KEEL_OK;
}

/* One Gauss-Newton step from the Phi in d->at, of which row `worst` is open most. Positions of redundant
 * constraints contradict each other by the square of their violation: with factors of an earlier point the
 * dependent ones are left to follow the others, which is cheaper than to share what is left by least squares.
 * If that stalls, fresh factors do. */
static keel_status position_step(ki_dynamics *d, double t, double *y, int worst, bool fresh, bool by_step) {
    solver *solve = fresh ? ki_saddle_solve_once : ki_saddle_solve_leaving;
    if (correction(d, d->P_G, solve, d->at.Phi, d->system->n_h, by_step) < 0)
        return ki_trouble_at(d, KEEL_ERROR_SINGULAR, KI_TROUBLE_POSITION, t, worst, fabs(d->at.Phi[worst]));
    ki_move(d, y, d->x);
    return KEEL_OK;
}

/* How an iteration goes. */
typedef struct progress {
    double previous; /* violation before the last step                                   */
    bool fresh;      /* the factors are not of some earlier point                        */
    bool proven;     /* they have contracted the violation tenfold: they are near enough */
} progress;

static ki_remedy judge(progress *p, double violation, double tolerance) {
    double previous = p->previous;
    bool halved = violation <= 0.5 * previous;
    p->previous = violation;
    if (violation <= tolerance)
        return KI_CONVERGED;
    if (violation <= 0.1 * previous) {
        p->proven = previous < INFINITY;
        return KI_STEP;
    }
    /* factors that were good and stall near the tolerance: new ones would meet the same round-off */
    if (!p->fresh && p->proven && violation <= 10 * tolerance)
        return halved ? KI_STEP : KI_CONVERGED;
    if (!p->fresh)
        return KI_REFACTOR_AND_STEP;
    if (violation <= ROUND_OFF && !halved)
        return KI_CONVERGED;
    return violation < previous ? KI_REFACTOR_AND_STEP : KI_GIVE_UP;
}

/* What to evaluate after step number `step` of a position. Where the last projection ended this one will: if
 * the velocities come next, with factors of their own position, M, J and their violation come along. K keeps
 * its factors, but they are no longer those of the values in d->at. */
static unsigned terms_after(ki_dynamics *d, int step) {
    bool velocities = ki_projects_velocity(d->law) && d->P == d->K && d->P_G == d->K && !d->relaxed;
    if (!velocities || d->step_metric.solve || step < d->position_steps)
        return KEEL_POSITION;
    d->factored = false;
    return KEEL_POSITION | KEEL_MASS | KEEL_JACOBIAN | KEEL_VELOCITY;
}

keel_status ki_project_position(ki_dynamics *d, double t, double *y) {
    int n_h = d->system->n_h, worst = 0;
    unsigned what = KEEL_POSITION;
    progress p = {.previous = INFINITY};
    bool by_step = d->step_metric.solve != NULL, usable = by_step || at_hand(d, d->P_G), sized = false;
    if (n_h == 0)
        return KEEL_OK;
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        keel_status status = ki_solve_auxiliaries(d, t, y);
        if (!status)
            status = ki_evaluate_once(d, what, t, y);
        if (!status && !usable)
            status = factor_kernel(d, d->P_G, t, y);
        if (status)
            return status;
        p.fresh = p.fresh || !usable;
        usable = true;
        if (!sized) /* a step within the reach of its factors changes them little */
            ki_position_sizes(d, y, d->size);
        sized = true;
        double violation = ki_worst_relative(d->at.Phi, d->size, n_h, &worst);
        ki_remedy next = judge(&p, violation, d->law->projection_tolerance);
        if (next == KI_CONVERGED) {
            d->position_steps = iteration;
            return KEEL_OK;
        }
        if (next == KI_GIVE_UP)
            break;
        if (next == KI_REFACTOR_AND_STEP) {
            if ((status = factor_kernel(d, d->P_G, t, y)))
                return status;
            p.fresh = true;
            by_step = sized = false;
        }
        if ((status = position_step(d, t, y, worst, p.fresh, by_step)) || d->P_D)
            return status; /* a penalty projection is one step: it does not go all the way */
        what = terms_after(d, iteration + 1);
    }
    return ki_trouble_at(d, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_POSITION, t, worst, fabs(d->at.Phi[worst]));
}

/* One step from the rates in d->at. Rows that repeat others follow them in the first one; if that is not
 * enough, all share what is left. */
static keel_status velocity_step(ki_dynamics *d, double t, double *v, int worst, bool first, bool by_step) {
    solver *solve = first ? ki_saddle_solve_leaving : ki_saddle_solve_once;
    if (correction(d, d->P, solve, d->at.rate, d->m, by_step) < 0)
        return ki_trouble_at(d, KEEL_ERROR_SINGULAR, KI_TROUBLE_VELOCITY, t, worst, fabs(d->at.rate[worst]));
    for (int i = 0; i < d->system->n_v; i++)
        v[i] += d->x[i];
    return KEEL_OK;
}

/* The sizes of J v with J at this point. Relaxed projections have not evaluated it: after a long step the J
 * at hand is that of another pose, and may make the sizes, and with them what is left, twenty times as large.
 * The values in d->at stay, for they belong to factors that are in use. */
static keel_status size_velocities(ki_dynamics *d, double t, const double *y) {
    double *J = d->at.J;
    keel_status status = KEEL_OK;
    if (d->relaxed && !ki_is_factored(d, t, y)) {
        d->at.J = d->J_here;
        status = ki_evaluate_terms(d, KEEL_JACOBIAN, t, y);
    }
    ki_velocity_sizes(d, y + d->system->n_q, d->size);
    d->at.J = J;
    return status;
}

/* What to evaluate after a correction of the velocities, which is most likely the last one. */
static unsigned terms_after_velocity(const ki_dynamics *d) {
    unsigned what = d->audit_M ? KEEL_VELOCITY | KEEL_ENERGY : KEEL_VELOCITY;
    bool rate = d->rate_follows && !d->system->J_needs_v;
    return rate ? what | (ki_terms_of_rate(d) & d->kept) : what;
}

keel_status ki_project_velocity(ki_dynamics *d, double t, double *y) {
    double *v = ki_v(d, y);
    int worst = 0;
    unsigned what = KEEL_VELOCITY;
    progress p = {.previous = INFINITY};
    bool by_step = d->step_metric.solve != NULL;
    bool anew = !by_step && !(d->relaxed && at_hand(d, d->P)), sized = false;
    if (d->m == 0)
        return KEEL_OK;
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        keel_status status = ki_solve_auxiliaries(d, t, y);
        if (!status && anew)
            status = factor_kernel(d, d->P, t, y);
        if (!status && !(anew && d->P == d->K))
            status = ki_evaluate_once(d, what, t, y);
        if (status)
            return status;
        p.fresh = p.fresh || anew;
        if (!sized || anew)
            status = size_velocities(d, t, y);
        if (status)
            return status;
        sized = true;
        double violation = ki_worst_relative(d->at.rate, d->size, d->m, &worst);
        ki_remedy next = judge(&p, violation, d->law->projection_tolerance);
        if (next == KI_CONVERGED)
            return KEEL_OK;
        if (next == KI_GIVE_UP)
            break;
        if (next == KI_REFACTOR_AND_STEP && !p.fresh) {
            if ((status = factor_kernel(d, d->P, t, y)))
                return status;
            p.fresh = true;
            by_step = sized = false;
        }
        anew = p.fresh && d->system->J_needs_v; /* otherwise J stays as it is */
        what = terms_after_velocity(d);
        if ((status = velocity_step(d, t, v, worst, iteration == 0, by_step)) || d->P_D)
            return status;
    }
    return ki_trouble_at(d, KEEL_ERROR_CONVERGENCE, KI_TROUBLE_VELOCITY, t, worst, fabs(d->at.rate[worst]));
}

/* J a - xi into d->target, with the sizes of its terms. */
static void measure_acceleration(ki_dynamics *d, const double *a) {
    keel_pattern P = d->system->J;
    for (int i = 0; i < d->m; i++) {
        d->target[i] = -d->at.xi[i];
        d->size[i] = fabs(d->at.xi[i]);
        for (int k = P.start[i]; k < P.start[i + 1]; k++) {
            d->target[i] += d->at.J[k] * a[P.index[k]];
            d->size[i] += fabs(d->at.J[k] * a[P.index[k]]);
        }
        if (!(d->size[i] > 0))
            d->size[i] = 1;
    }
}

/* J a - xi is linear in a: with factors of this point one solve is enough, those of a step contract.
 * Redundant rows agree only as well as the state satisfies them. */
static keel_status solve_acceleration(ki_dynamics *d, double t, const double *y, double *a) {
    static const double LARGEST = 1e-8, LARGEST_REDUNDANT = 1e-2;
    bool by_step = d->step_metric.solve != NULL;
    double violation = 0, previous = INFINITY;
    int worst = 0;
    keel_status status = by_step ? ki_evaluate_matrices(d, t, y) : factor_kernel(d, d->P, t, y);
    if (!status)
        status = ki_evaluate_terms(d, KEEL_XI, t, y);
    for (int iteration = 0; !status && iteration < MOST_ITERATIONS; iteration++) {
        measure_acceleration(d, a);
        violation = ki_worst_relative(d->target, d->size, d->m, &worst);
        bool contracted = violation <= 0.1 * previous;
        if (violation <= d->law->projection_tolerance ||
            (!contracted && (!by_step || violation <= ROUND_OFF)))
            break;
        if (!contracted) {
            by_step = false;
            status = factor_kernel(d, d->P, t, y);
        }
        if (!status && correction(d, d->P, ki_saddle_solve_once, d->target, d->m, by_step) < 0)
            return ki_trouble_at(d, KEEL_ERROR_SINGULAR, KI_TROUBLE_CONSTRAINT, t, worst, violation);
        for (int i = 0; !status && i < d->system->n_v; i++)
            a[i] += d->x[i];
        if (d->P_D) /* a penalty is one step */
            return status;
        previous = violation;
    }
    if (!status && !(violation <= (d->redundant ? LARGEST_REDUNDANT : LARGEST)))
        return ki_trouble_at(d, KEEL_ERROR_SINGULAR, KI_TROUBLE_CONSTRAINT, t, worst, violation);
    return status;
}

keel_status ki_project_acceleration(ki_dynamics *d, double t, const double *y, double *a) {
    long before = d->factorizations;
    if (d->m == 0)
        return KEEL_OK;
    keel_status status = ki_solve_auxiliaries(d, t, y);
    if (!status)
        status = solve_acceleration(d, t, y, a);
    d->projection_factorizations += d->factorizations - before;
    return status;
}

/* Positions, then velocities there. */
static keel_status project_in_turn(ki_dynamics *d, double t, double *y) {
    keel_status status = KEEL_OK;
    if (ki_projects_position(d->law))
        status = ki_project_position(d, t, y);
    if (!status && ki_projects_velocity(d->law))
        status = ki_project_velocity(d, t, y);
    bool at_hand = d->factored || d->step_metric.solve;
    if (!status && d->m && !at_hand) /* other kernels have been at work only */
        status = ki_factor_at(d, t, y);
    return status;
}

keel_status ki_project(ki_dynamics *d, double t, double *y) {
    long before = d->factorizations;
    d->projections++;
    keel_status status = d->law->joint ? ki_project_joint(d, t, y) : project_in_turn(d, t, y);
    d->projection_factorizations += d->factorizations - before;
    return status;
}

/* The part of an error that projection removes still counts a little: it bounds how far the dense output and
 * the stages stray from the constraints, and it is all that steers the step where the constraints leave no
 * freedom at all. */
static const double NORMAL_PART = 0.01;

/* e <- tangential part of e, with the factors in K, plus a hundredth of the normal part. An estimate is good
 * for a digit or two: what one application of the factors leaves, round-off, needs no refinement, and rows
 * that repeat others may follow them. */
static keel_status tangential(ki_dynamics *d, keel_saddle *K, double *e) {
    ki_mass_times(d, e, d->b_v);
    keel_status status = ki_saddle_solve_leaving(K, d->b_v, NULL, d->x, d->y);
    for (int i = 0; i < d->system->n_v; i++)
        e[i] = d->x[i] + NORMAL_PART * (e[i] - d->x[i]);
    return status < 0 ? status : KEEL_OK;
}

/* K_G at the point of K, if it has factors of its own that no projection keeps up to date. */
static keel_status factor_holonomic(ki_dynamics *d) {
    if (d->K_G == d->K || (d->P_G == d->K_G && !d->law->joint))
        return KEEL_OK;
    d->factorizations++;
    return keel_saddle_factor(d->K_G, d->at.M, d->at.J, NULL);
}

/* The same in the metric of an implicit step: e - x with J x = J e in the first `rows` rows. */
static void tangential_by_rows(ki_dynamics *d, int rows, double *e) {
    keel_pattern P = d->system->J;
    for (int i = 0; i < d->m; i++) {
        d->b_m[i] = 0;
        for (int k = P.start[i]; i < rows && k < P.start[i + 1]; k++)
            d->b_m[i] += d->at.J[k] * e[P.index[k]];
    }
    d->step_metric.solve(d->step_metric.user, d->b_m, d->x);
    for (int i = 0; i < d->system->n_v; i++)
        e[i] -= (1 - NORMAL_PART) * d->x[i];
}

keel_status ki_project_error(ki_dynamics *d, double *e) {
    const keel_system *sys = d->system;
    /* with kinematics the error of q is not a velocity-like vector */
    bool position = sys->n_h && !sys->kinematics && ki_projects_position(d->law);
    bool velocity = d->m && ki_projects_velocity(d->law);
    if (d->step_metric.solve) {
        if (position)
            tangential_by_rows(d, sys->n_h, ki_q(e));
        if (velocity)
            tangential_by_rows(d, d->m, ki_v(d, e));
        return KEEL_OK;
    }
    keel_status status = position ? factor_holonomic(d) : KEEL_OK;
    if (!status && position)
        status = tangential(d, d->K_G, ki_q(e));
    if (!status && velocity)
        status = tangential(d, d->K, ki_v(d, e));
    return status;
}

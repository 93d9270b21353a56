#include "stabilize/joint.h"

#include <math.h>
#include <string.h>

#include "stabilize/projection.h"

/* Where c is quadratic in the distance to the solution an iteration halves that distance at best. */
enum { MOST_ITERATIONS = 100 };

/* Within so many steps the violation must come down. Not in each: the rows have unequal measures, and where
 * the velocities are small, a step that lowers the energy raises the relative violation of the velocity
 * level. */
enum { PATIENCE = 10, PATIENCE_AT_ROUND_OFF = 3 };

/* A violation that stops shrinking is at round-off if it is this small; larger, it is a failure. */
static const double ROUND_OFF = 1e-11;

/* How the iteration goes. */
typedef struct progress {
    double previous;  /* violation before the last step                               */
    bool fresh;       /* the last step came from factors of the point it started from */
    double reference; /* violation `steps` fresh steps ago                            */
    int steps;
} progress;

static ki_remedy judge(progress *p, double violation, double tolerance) {
    double previous = p->previous;
    p->previous = violation;
    if (!isfinite(violation))
        return KI_GIVE_UP;
    if (violation <= tolerance)
        return KI_CONVERGED;
    if (violation <= 0.1 * previous)
        return KI_STEP;
    if (!p->fresh || ++p->steps < (violation <= ROUND_OFF ? PATIENCE_AT_ROUND_OFF : PATIENCE))
        return KI_REFACTOR_AND_STEP;
    if (!(violation < 0.7 * p->reference))
        return violation <= ROUND_OFF ? KI_CONVERGED : KI_GIVE_UP;
    p->reference = violation;
    p->steps = 0;
    return KI_REFACTOR_AND_STEP;
}

/* c at (t, y), and its largest component relative to the size of its row. */
static keel_status measure(ki_dynamics *d, double t, double *y, double *violation, int *worst) {
    const keel_system *sys = d->system;
    ki_joint *joint = &d->joint;
    double *rate = joint->c + sys->n_h, *change = rate + d->m, *size = joint->size;
    keel_status status = ki_solve_auxiliaries(d, t, y);
    if (!status)
        status = ki_evaluate_terms(
            d, KEEL_POSITION | KEEL_VELOCITY | (joint->n_i ? (unsigned)KEEL_INVARIANTS : 0u), t, y);
    if (status)
        return status;
    memcpy(joint->c, d->at.Phi, (size_t)sys->n_h * sizeof(double));
    memcpy(rate, d->at.rate, (size_t)d->m * sizeof(double));
    for (int i = 0; i < joint->n_i; i++)
        change[i] = d->at.invariant[i] - d->invariant_start[i];
    ki_position_sizes(d, y, size);
    ki_velocity_sizes(d, ki_v(d, y), size + sys->n_h);
    if (joint->n_i)
        ki_invariant_sizes(d, y, size + sys->n_h + d->m);
    for (int i = 0; i < joint->m; i++)
        size[i] = fmax(size[i], joint->least[i]);
    *violation = ki_worst_relative(joint->c, size, joint->m, worst);
    return KEEL_OK;
}

/* A row whose terms all vanish at the solution (at rest in an equilibrium) is compared with what they were
 * where the projection began. */
static void remember_sizes(ki_joint *joint) {
    for (int i = 0; i < joint->m; i++)
        joint->least[i] = 0.01 * joint->size[i];
}

/* Factors of the matrix at (t, y), where d->at holds the invariants already. */
static keel_status factor(ki_dynamics *d, double t, const double *y) {
    ki_joint *joint = &d->joint;
    keel_status status = ki_evaluate_matrices(d, t, y);
    if (!status && d->m)
        status = ki_evaluate_terms(d, KEEL_VELOCITY_Q, t, y);
    if (status)
        return status;
    ki_joint_assemble(joint, d->system, d->metric ? d->metric : d->at.M,
                      d->law->natural_metric ? d->scales : NULL, &d->at);
    joint->factored = false;
    d->factorizations++;
    status = keel_saddle_factor(joint->K, joint->A_values, joint->H_values, joint->D);
    if (status == KEEL_ERROR_SINGULAR)
        return ki_trouble_at(d, status, KI_TROUBLE_MASS, t, keel_saddle_bad_pivot(joint->K) % d->system->n_v,
                             0);
    if (status < 0)
        return ki_trouble_at(d, status, KI_TROUBLE_MATRIX, t, -1, 0);
    joint->factored = true;
    return KEEL_OK;
}

/* Remembers which row stayed open. */
static keel_status open_row(ki_dynamics *d, keel_status status, double t, int row) {
    int n_h = d->system->n_h, level = row - n_h, invariant = level - d->m;
    double amount = fabs(d->joint.c[row]);
    if (level < 0)
        return ki_trouble_at(d, status, KI_TROUBLE_POSITION, t, row, amount);
    if (invariant < 0)
        return ki_trouble_at(d, status, KI_TROUBLE_VELOCITY, t, level, amount);
    return ki_trouble_at(d, status, KI_TROUBLE_KEEPING, t, invariant, amount);
}

/* y <- y + x with H x = -c. Rows at round-off stay there: where rows are nearly dependent, correcting
 * round-off would disturb the others. */
static keel_status step(ki_dynamics *d, double t, double *y, int worst) {
    const keel_system *sys = d->system;
    ki_joint *joint = &d->joint;
    d->projection_iterations++;
    for (int i = 0; i < joint->m; i++) {
        bool done = fabs(joint->c[i]) <= d->law->projection_tolerance * joint->size[i];
        joint->c[i] = done ? 0 : -joint->c[i];
    }
    if (keel_saddle_solve(joint->K, NULL, joint->c, joint->x, joint->y, NULL) < 0)
        return open_row(d, KEEL_ERROR_SINGULAR, t, worst);
    ki_move(d, y, joint->x);
    double *v = ki_v(d, y);
    for (int i = 0; i < sys->n_v + sys->n_z; i++)
        v[i] += joint->x[sys->n_v + i];
    return KEEL_OK;
}

keel_status ki_project_joint(ki_dynamics *d, double t, double *y) {
    ki_joint *joint = &d->joint;
    progress p = {.previous = INFINITY, .reference = INFINITY};
    double violation = 0;
    int worst = 0;
    bool usable = d->relaxed && joint->factored;
    bool K_serves = d->step_metric.solve || (d->relaxed && d->factored);
    keel_status status = usable ? KEEL_OK : ki_evaluate_matrices(d, t, y); /* sizes need J */
    memset(joint->least, 0, (size_t)joint->m * sizeof(double));
    for (int iteration = 0; !status && iteration < MOST_ITERATIONS; iteration++) {
        if ((status = measure(d, t, y, &violation, &worst)))
            return status;
        if (iteration == 0)
            remember_sizes(joint);
        ki_remedy next = judge(&p, violation, d->law->projection_tolerance);
        if (next == KI_CONVERGED) /* one-step methods go on from here, with these factors */
            return K_serves ? KEEL_OK : ki_factor_at(d, t, y);
        if (next == KI_GIVE_UP)
            break;
        p.fresh = next == KI_REFACTOR_AND_STEP || !usable;
        if (p.fresh)
            status = factor(d, t, y);
        usable = true;
        if (!status)
            status = step(d, t, y, worst);
    }
    return status ? status : open_row(d, KEEL_ERROR_CONVERGENCE, t, worst);
}

#include "stabilize/stabilizer.h"

#include <math.h>
#include <string.h>

#include "stabilize/energy.h"

/* Constraint gradient projective method (Terze, Naudet and Lefeber): the coordinates that lie best along the
 * constraint gradients are corrected, positions by Newton's method, velocities by a solve (Newton's method
 * when nonlinear in v). In holonomic systems one partition serves both levels, otherwise each has its own. */
static keel_status correct_dependent(ki_dynamics *d, double t, double *y, bool positions) {
    keel_status status = ki_solve_auxiliaries(d, t, y);
    if (!status)
        status = ki_choose_partition(d, t, y);
    if (!status && positions)
        status = ki_solve_dependent_position(d, t, y);
    if (!status && d->system->n_n) /* rows of B at the corrected position */
        status = ki_choose_partition(d, t, y);
    if (!status)
        status = ki_solve_dependent_velocity(d, t, y);
    return status;
}

/* Index-3 forms leave velocities that miss the constraints by the error of a step divided by h. A joint
 * projection would turn part of that into motion and cost an order: velocities go first. */
static keel_status project(ki_dynamics *d, double t, double *y) {
    long before = d->factorizations;
    bool velocities_first = d->law->joint && d->law->formulation == KEEL_INDEX3;
    keel_status status = velocities_first ? ki_project_velocity(d, t, y) : KEEL_OK;
    d->projection_factorizations += d->factorizations - before;
    return status ? status : ki_project(d, t, y);
}

/* |x|_M, with M as last evaluated */
static double mass_norm(ki_dynamics *d, const double *x) {
    double sum = 0;
    ki_mass_times(d, x, d->b_v);
    for (int i = 0; i < d->system->n_v; i++)
        sum += x[i] * d->b_v[i];
    return sum > 0 ? sqrt(sum) : 0;
}

/* How far the state was moved. `before` becomes the difference, its M v is left in d->b_v. */
static void measure_correction(ki_dynamics *d, double *before, double *after) {
    const keel_system *sys = d->system;
    for (int i = 0; i < d->n_y; i++)
        before[i] = after[i] - before[i];
    d->moved_position = sys->kinematics ? 0 : mass_norm(d, ki_q(before));
    d->moved_velocity = mass_norm(d, ki_v(d, before));
}

keel_status ki_settle(ki_dynamics *d, keel_stabilize kind, double t, double *y) {
    keel_formulation formulation = d->law->formulation;
    keel_status status = KEEL_OK;
    bool partitioned = formulation == KEEL_INDEPENDENT || formulation == KEEL_PARTITIONED;
    if (!partitioned && kind != KEEL_PROJECTION && kind != KEEL_GRADIENT)
        return KEEL_OK;
    double energy_before = 0;
    memcpy(d->y_stage, y, (size_t)d->n_y * sizeof(double));
    if (d->audit_M) /* first: positions are judged here too */
        status = ki_energy_at(d, t, y, &energy_before);
    if (!status && partitioned)
        status = correct_dependent(d, t, y, formulation == KEEL_PARTITIONED);
    if (!status && kind == KEEL_PROJECTION)
        status = project(d, t, y);
    if (!status && kind == KEEL_GRADIENT) {
        status = correct_dependent(d, t, y, true);
        /* next to a singular pose no partition is regular: project instead */
        bool irregular = status == KEEL_ERROR_CONVERGENCE;
        if (irregular)
            memcpy(y, d->y_stage, (size_t)d->n_y * sizeof(double));
        /* invariants know no dependent coordinates: the joint projection, from a state on the constraints */
        if (irregular || (!status && d->law->keep_invariants))
            status = ki_project(d, t, y);
    }
    if (!status)
        measure_correction(d, d->y_stage, y);
    if (!status && d->audit_M)
        status = ki_audit_correction(d, t, y, d->y_stage, energy_before);
    return status;
}

keel_status ki_settle_acceleration(ki_dynamics *d, keel_stabilize kind, double t, const double *y,
                                   double *a) {
    bool project = kind == KEEL_PROJECTION && ki_projects_acceleration(d->law);
    return project ? ki_project_acceleration(d, t, y, a) : KEEL_OK;
}

keel_status ki_settle_error(ki_dynamics *d, keel_stabilize kind, double *e) {
    return kind == KEEL_PROJECTION ? ki_project_error(d, e) : KEEL_OK;
}

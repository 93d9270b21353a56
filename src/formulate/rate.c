/* What all formulations share: the terms and the target of the constraints before, y' after.
 *
 *     y' = (N v, v', f, power - lambda^T tau)
 */
#include <math.h>
#include <string.h>

#include "formulate/dynamics.h"

keel_status ki_check_finite(ki_dynamics *d, double t) {
    const keel_system *sys = d->system;
    int i = 0;
    if (!ki_all_finite(d->at.Q, sys->n_v, &i))
        return ki_trouble_at(d, KEEL_ERROR_NOT_FINITE, KI_TROUBLE_FORCE, t, i, d->at.Q[i]);
    if (!ki_all_finite(d->at.xi, d->m, &i))
        return ki_trouble_at(d, KEEL_ERROR_NOT_FINITE, KI_TROUBLE_XI, t, i, d->at.xi[i]);
    return KEEL_OK;
}

keel_status ki_check_states(ki_dynamics *d, double t) {
    int i = 0;
    if (!ki_all_finite(d->at.f, d->system->n_z, &i))
        return ki_trouble_at(d, KEEL_ERROR_NOT_FINITE, KI_TROUBLE_STATE, t, i, d->at.f[i]);
    return KEEL_OK;
}

/* Whether constraints do work. */
static bool is_driven(const ki_dynamics *d) {
    return d->system->has_drivers || d->offset.span > 0;
}

unsigned ki_terms_of_rate(const ki_dynamics *d) {
    unsigned what = KEEL_FORCE | KEEL_XI | (d->system->f_needs_lambda ? 0u : KEEL_STATES);
    if (d->system->has_energy)
        what |= KEEL_POWER | (is_driven(d) ? KEEL_VELOCITY : 0u);
    if (d->law->baumgarte)
        what |= KEEL_POSITION | KEEL_VELOCITY;
    return what;
}

/* Terms and factors at (t, y). M and J are taken over when they are already factored for this
 * configuration. */
static keel_status evaluate_and_factor(ki_dynamics *d, double t, const double *y) {
    unsigned what = ki_terms_of_rate(d);
    bool known = ki_is_factored(d, t, y);
    d->factored = known;
    keel_status status = known ? ki_evaluate_once(d, what, t, y)
                               : ki_evaluate_terms(d, what | KEEL_MASS | KEEL_JACOBIAN, t, y);
    if (!status)
        status = ki_check_finite(d, t);
    if (status || known || d->K_D) /* penalty formulations factor another matrix */
        return status;
    if (d->in_stage && ki_saddle_factor_stage(d->K, d->at.M, d->at.J)) {
        d->factorizations++;
        return KEEL_OK;
    }
    return ki_factor_terms(d, t, y);
}

/* s = xi - K_D rate - K_P Phi */
static void set_target(ki_dynamics *d) {
    const ki_law *law = d->law;
    memcpy(d->target, d->at.xi, (size_t)d->m * sizeof(double));
    if (!law->baumgarte)
        return;
    if (law->K_D.given)
        ki_gain_apply(&law->K_D, -1, d->at.rate, d->target);
    if (law->K_P.given)
        ki_gain_apply(&law->K_P, -1, d->at.Phi, d->target);
    for (int i = 0; i < d->m; i++) {
        double K_D, K_P;
        ki_diagonal_gains(d, i, &K_D, &K_P);
        if (!law->K_D.given)
            d->target[i] -= K_D * d->at.rate[i];
        if (!law->K_P.given && i < d->system->n_h)
            d->target[i] -= K_P * d->at.Phi[i];
    }
}

/* Whether machine code may do evaluation, factorization and solve in one go: nothing happens in between. */
static bool is_plain(const ki_dynamics *d) {
    const keel_system *sys = d->system;
    return sys->kernel && !(d->offset.span > 0) && !d->law->baumgarte && !d->K_D && !sys->n_s &&
           !sys->Q_lambda.rows;
}

bool ki_rate_by_code(ki_dynamics *d, double t, const double *y) {
    const keel_system *sys = d->system;
    bool by_stage_factors = d->in_stage && ki_saddle_has_stage_factors(d->K);
    if (!is_plain(d) || by_stage_factors || ki_is_factored(d, t, y))
        return false;
    keel_point at = ki_point(d, t, y);
    ki_saddle_use(d->K, sys->kernel(sys, d->work));
    unsigned what = ki_terms_of_rate(d) | KEEL_MASS | KEEL_JACOBIAN;
    d->factored = false;
    d->known &= ~what;
    if (!ki_saddle_accelerate(d->K, what, &at, &d->at, d->x, d->lambda))
        return false;
    d->evaluations++;
    ki_note_factors(d, t, y);
    set_target(d);
    return true;
}

keel_status ki_begin_rate(ki_dynamics *d, double t, const double *y) {
    keel_status status = ki_solve_auxiliaries(d, t, y);
    if (!status)
        status = evaluate_and_factor(d, t, y);
    if (status)
        return status;
    d->evaluations++;
    set_target(d);
    return KEEL_OK;
}

/* lambda^T (J v - rate): the rate at which energy leaves through driven constraints. Where a constraint is
 * not driven this is zero, also for a state that has drifted off it: drift must show as drift, not as
 * work. */
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

double ki_work_rate(const ki_dynamics *d, const double *v) {
    if (!d->system->has_energy)
        return 0;
    return is_driven(d) ? d->at.power - driver_power(d, v) : d->at.power;
}

keel_status ki_end_rate(ki_dynamics *d, double t, const double *y, double *k) {
    const keel_system *sys = d->system;
    const double *v = y + sys->n_q;
    keel_status status = KEEL_OK;
    if (sys->f_needs_lambda) /* the multipliers are known only now */
        status = ki_evaluate_terms(d, KEEL_STATES, t, y);
    if (!status)
        status = ki_check_states(d, t);
    if (status)
        return status;
    if (sys->kinematics)
        sys->kinematics(sys, y, v, k);
    else
        memcpy(k, v, (size_t)sys->n_v * sizeof(double));
    memcpy(ki_v(d, k), d->x, (size_t)sys->n_v * sizeof(double));
    memcpy(ki_z(d, k), d->at.f, (size_t)sys->n_z * sizeof(double));
    *ki_work(d, k) = ki_work_rate(d, v);
    return KEEL_OK;
}

keel_status ki_rate(ki_dynamics *d, double t, const double *y, double *k) {
    static keel_status (*const RATES[KEEL_FORMULATIONS])(ki_dynamics *, double, const double *, double *) = {
        [KEEL_INDEX1] = ki_index1_rate,
        [KEEL_NULLSPACE] = ki_index1_rate,
        [KEEL_INDEPENDENT] = ki_independent_rate,
        [KEEL_PARTITIONED] = ki_partitioned_rate,
        [KEEL_PENALTY] = ki_penalty_rate,
        [KEEL_AUGMENTED] = ki_augmented_rate,
        [KEEL_GENERALIZED_INVERSE] = ki_generalized_inverse_rate,
        /* the rate of a row, and of the start: what the implicit systems amount to */
        [KEEL_INDEX3] = ki_index1_rate,
        [KEEL_INDEX2] = ki_index1_rate,
        [KEEL_GGL] = ki_index1_rate};
    return RATES[d->law->formulation](d, t, y, k);
}

bool ki_may_solve_once(const ki_dynamics *d) {
    const keel_system *sys = d->system;
    return d->law->formulation == KEEL_INDEX1 && !d->law->baumgarte && !d->K_D && !sys->n_s && !sys->n_z &&
           !sys->Q_lambda.rows;
}

ki_stages ki_begin_stages(ki_dynamics *d, double *y) {
    const keel_system *sys = d->system;
    ki_stages stages = {.plain = ki_may_solve_once(d), .y = y};
    if (!stages.plain || !sys->kernel || !sys->has_energy || sys->kinematics)
        return stages;
    ki_saddle_use(d->K, sys->kernel(sys, d->work));
    stages.by_code = ki_saddle_begin_stages(d->K, ki_terms_of_rate(d) | KEEL_MASS | KEEL_JACOBIAN);
    return stages;
}

/* Rates go where they belong, and nothing is noted. */
void ki_stages_by_code(ki_dynamics *d, ki_stages *stages, ki_stage_run *run) {
    int first = run->now;
    bool is_cut = run->t < d->t_first || run->t + run->h > d->t_last;
    if (!stages->by_code.stages || is_cut)
        return;
    if (!stages->by_code.stages(stages->by_code.places, run))
        ki_saddle_pause_stages(d->K, &stages->by_code);
    d->evaluations += run->now - first;
    d->factorizations += run->now - first;
}

/* One stage, at a point that is there. */
static bool stage_by_code(ki_dynamics *d, ki_stages *stages, double t, double *k) {
    static const ki_combination NONE = {0};
    static const double C = 0;
    ki_stage_run run = {
        .t = ki_time_asked(d, t), .c = &C, .row = &NONE, .y = stages->y, .Y = stages->y, .k = &k, .end = 1};
    ki_stages_by_code(d, stages, &run);
    return run.now == run.end;
}

/* Not by machine code: ki_rate also tells what is not finite. */
static keel_status stage_by_rate(ki_dynamics *d, const ki_stages *stages, double t, double *k) {
    d->in_stage = stages->plain;
    keel_status status = ki_rate(d, t, stages->y, k);
    d->in_stage = false;
    return status;
}

keel_status ki_stage_rate(ki_dynamics *d, ki_stages *stages, double t, double *k) {
    if (stages->by_code.stages && stage_by_code(d, stages, t, k))
        return KEEL_OK;
    return stage_by_rate(d, stages, t, k);
}

/* judge.c - what a run promised, as numbers, and whether it was kept.
 *
 *     positions, velocities   max |violation_i| / size_i      <= limit of the promise
 *         exact               max(1e4 pi, eps)                pi: projection_tolerance
 *         bounded             1e3 eps                         eps: relative error of a step, 1e-4 for fixed
 * ones drifts              eps N^2                         N steps: errors of velocities add up twice yields
 * sqrt(eps), velocities eps^(1/4); given masses: 0.1, anything energy                  |drift| / largest
 * energy        <= 10 eps N
 *
 * each at most SPOILT: a constraint that is open by a tenth of its size, or a twentieth of the energy from
 * nowhere, is no error of a tolerance any more.
 */
#include "run/judge.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "run/columns.h"

/* Constraints that repeat others are open by as much as the drawing is. Where others are held on the way the
 * state moves by as much, and multipliers are off by that over the gap: as far as that is followed (held.c).
 */
static const double OPEN_TO_ENERGY = 30, OPEN_TO_RATES = 30, MOST_BY_GAP = 50;

/* Where the gap falls to this part of its largest value multipliers have about half of their digits, and so
 * has the power of what drives. */
static const double POSE = 1e-3, ACROSS_POSE = 1e-5;

/* Of the largest energy, times eps. */
static const double ENERGY_PER_STEP = 10;

static const double SPOILT = 0.1, SPOILT_ENERGY = 0.05, SPOILT_STEP = 0.1;

double ki_energy_of_motion(keel_simulation *sim) {
    ki_dynamics *d = &sim->rows;
    const ki_integrator *in = sim->integrator;
    const double *v = in->y + d->system->n_q;
    double sum = 0;
    d->factored = false; /* M is not that of the factors from now on */
    if (ki_evaluate_terms(d, KEEL_MASS, in->t, in->y))
        return 0;
    ki_mass_times(d, v, d->b_v);
    for (int i = 0; i < d->system->n_v; i++)
        sum += v[i] * d->b_v[i];
    return sum / 2;
}

/* Largest |v_j| / s_j, and `so_far`: lengths and angles move in one rate. */
static double largest_rate(const ki_dynamics *d, const double *v, double so_far) {
    for (int j = 0; j < d->system->n_v; j++)
        so_far = fmax(so_far, fabs(v[j]) / d->scales->move[j]);
    return so_far;
}

/* sum |lambda_i Phi_i|: what springs in the place of constraints took up when they gave way. */
static double energy_of_springs(const ki_dynamics *d) {
    double sum = 0;
    for (int i = 0; i < d->system->n_h; i++)
        sum += fabs(d->lambda[i] * d->at.Phi[i]);
    return sum;
}

/* The kinetic energy costs an evaluation of M: every step at the start of a run, then now and then. Where
 * nothing moves all energies are round-off, and none to compare with. */
void ki_size_motion(keel_simulation *sim, double energy) {
    enum { ALL = 8, SAMPLED = 32 };
    static const double NOTHING = 1e-10;
    ki_audit *audit = &sim->audit;
    const ki_dynamics *d = &sim->dynamics;
    const double *y = sim->integrator->y;
    long steps = sim->integrator->steps;
    audit->size = fmax(audit->size, fmax(fabs(energy), fabs(y[d->n_y - 1])));
    if (sim->law.formulation == KEEL_PENALTY)
        audit->yielded = fmax(audit->yielded, energy_of_springs(d));
    if (steps > ALL && steps % SAMPLED)
        return;
    audit->speed = largest_rate(d, y + d->system->n_q, audit->speed);
    if (sim->system->has_energy)
        audit->size = fmax(audit->size, ki_energy_of_motion(sim));
    audit->size = fmax(audit->size, NOTHING * sim->system->energy_size);
}

static bool takes_fixed_steps(const keel_settings *set) {
    return keel_integrator_takes_step(set->method.integrator) && set->step > 0;
}

/* What a step may be off by, relative to the largest coordinate or speed: rtol + atol scale / size. */
static double step_error(const keel_simulation *sim, bool positions) {
    static const double FIXED = 1e-4; /* nobody said how exact a run with fixed steps should be */
    const keel_settings *set = &sim->settings;
    const ki_dynamics *d = &sim->dynamics;
    double absolute = set->absolute_tolerance > 0 ? set->absolute_tolerance : set->tolerance;
    double size = sim->audit.speed;
    double natural = largest_rate(d, d->scales->y + d->system->n_q, 0);
    if (takes_fixed_steps(set))
        return FIXED;
    /* constraints at rest are judged by their natural sizes */
    return set->tolerance + absolute * (positions || !(size > 0) ? 1 : natural / size);
}

/* Few steps are no promise of few errors. */
static double step_count(const keel_simulation *sim) {
    return fmax(100, (double)sim->integrator->steps);
}

double ki_allowed_work(keel_simulation *sim) {
    bool prescribed = sim->held.known && sim->dynamics.m >= sim->system->n_v;
    bool exact = sim->law.formulation != KEEL_PENALTY && !takes_fixed_steps(&sim->settings);
    if (!prescribed || !exact || !sim->system->has_energy)
        return 0;
    if (sim->integrator->steps == 0)
        sim->audit.size = fmax(fabs(sim->energy_initial), ki_energy_of_motion(sim));
    return ENERGY_PER_STEP * step_error(sim, false) * sim->audit.size;
}

/* ---- promises of a run ----------------------------------------------------------------------------------
 */

static keel_promise promise_of(const keel_simulation *sim) {
    const keel_settings *set = &sim->settings;
    keel_promise promise = keel_method_promise(set->method);
    bool projects = set->method.stabilize == KEEL_PROJECTION;
    if (projects && !ki_projects_position(&sim->law))
        promise.position = KEEL_KEEPS_DRIFTS;
    if (projects && !ki_projects_velocity(&sim->law))
        promise.velocity = KEEL_KEEPS_BOUNDED;
    if (projects && sim->law.projection_penalty > 0)
        promise.position = promise.velocity = KEEL_KEEPS_BOUNDED;
    if (set->method.integrator == KEEL_NEWMARK && set->newmark_gamma > 0.5)
        promise.energy = KEEL_ENERGY_DAMPED;
    if (set->method.integrator == KEEL_HHT && set->hht_alpha == 0)
        promise.energy = KEEL_ENERGY_ACCURATE;
    if (set->method.integrator == KEEL_GENERALIZED_ALPHA && set->rho_infinity >= 1)
        promise.energy = KEEL_ENERGY_ACCURATE;
    return promise;
}

static double limit_of_level(const keel_simulation *sim, keel_keeping keeping, bool positions, bool in_pose) {
    const keel_settings *set = &sim->settings;
    double eps = step_error(sim, positions), steps = step_count(sim);
    double limit = SPOILT;
    if (set->method.formulation == KEEL_PENALTY && sim->law.penalty.given)
        return positions ? SPOILT : INFINITY;
    switch (keeping) {
    case KEEL_KEEPS_EXACT:
        limit = fmax(1e4 * set->projection_tolerance, takes_fixed_steps(set) ? 0 : eps);
        /* there, velocities follow positions that interpolation has, and rows held contradict each other by
         * what the drawing leaves open of the others */
        if (in_pose)
            limit = fmax(limit, fmax(1e4 * eps, OPEN_TO_RATES * sim->held.repeated.max_scaled));
        break;
    case KEEL_KEEPS_BOUNDED:
        limit = 1e3 * eps;
        break;
    case KEEL_KEEPS_DRIFTS:
        limit = eps * steps * steps;
        break;
    case KEEL_KEEPS_YIELDS:
        eps = fmax(eps, 10 / sim->law.penalty_factor); /* heavier springs there are none */
        limit = positions ? sqrt(eps) : sqrt(sqrt(eps));
        break;
    }
    return fmin(limit, SPOILT);
}

/* Springs are loaded and unloaded more than once, and dampers take a part each time. */
static double yielded(const keel_simulation *sim) {
    static const double TIMES = 10;
    return sim->audit.size > 0 ? TIMES * sim->audit.yielded / sim->audit.size : 0;
}

static double limit_of_energy(const keel_simulation *sim, keel_energy_promise promise) {
    const keel_settings *set = &sim->settings;
    double steps = step_count(sim), eps = step_error(sim, false);
    double round_off = 1e3 * DBL_EPSILON * steps;
    if (promise == KEEL_ENERGY_YIELDS)
        return sim->law.penalty.given ? INFINITY : fmin(sqrt(eps), SPOILT_ENERGY) + yielded(sim);
    if (promise == KEEL_ENERGY_CONSERVED)
        eps = fmin(eps, 1e2 * set->newton_tolerance);
    double drawing = OPEN_TO_ENERGY * sim->held.repeated.max_scaled;
    if (sim->watch.active && sim->watch.smallest > 0)
        drawing *= fmin(sim->watch.largest / sim->watch.smallest, MOST_BY_GAP);
    if (sim->watch.active && sim->watch.smallest < POSE * sim->watch.largest)
        round_off = fmax(round_off, ACROSS_POSE);
    double exchanged = sim->audit.size > 0 ? sim->audit.exchanged / sim->audit.size : 0;
    double limit = fmax(ENERGY_PER_STEP * eps * steps, fmax(round_off, drawing)) + exchanged;
    return fmin(limit, SPOILT_ENERGY);
}

/* ---- judgements -----------------------------------------------------------------------------------------
 */

static void say(keel_judgement *judgement, const char *format, ...) KEEL_PRINTF(2, 3);
static void say(keel_judgement *judgement, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(judgement->text, sizeof judgement->text, format, arguments);
    va_end(arguments);
}

static void judge_end(const keel_simulation *sim, keel_judgement *j) {
    double t = sim->integrator->t, until = sim->settings.until;
    *j = (keel_judgement){.made = 1, .ok = t == until, .value = t, .limit = until};
    if (j->ok)
        say(j, "the end time was reached");
    else
        say(j, "the run ended at t = %.10g, before its end time %.10g", t, until);
}

/* "rod of joint crank" */
static const char *name_of(const keel_system *sys, int row, char *text, size_t size) {
    char buffer[32];
    const char *joint = sys->names.joint ? sys->names.joint[row] : NULL;
    snprintf(text, size, "'%s'%s%s", keel_system_name(sys, KEEL_NAME_CONSTRAINT, row, buffer),
             joint ? " of joint " : "", joint ? joint : "");
    return text;
}

typedef struct level {
    const char *what, *broken;
} level;
static const level POSITIONS = {"constraints", "the constraints are not held"},
                   VELOCITIES = {"velocities", "the velocities do not fit the constraints"};

static void judge_level(const keel_simulation *sim, const keel_violation *violation, const level *of,
                        keel_keeping keeping, bool in_pose, keel_judgement *j) {
    char name[100];
    double limit = limit_of_level(sim, keeping, of == &POSITIONS, in_pose), value = violation->max_scaled;
    *j = (keel_judgement){.made = 1,
                          .ok = value <= limit,
                          .value = value,
                          .limit = limit,
                          .promise = keel_keeping_word(keeping)};
    if (violation->worst < 0)
        say(j, "%s are exact", of->what);
    else if (!j->ok)
        say(j, "%s: %s is off by %.2g at t = %.6g; relative to its size %.2g, and %s promises %.2g",
            of->broken, name_of(sim->system, violation->worst, name, sizeof name), violation->max,
            violation->time, value, keel_stabilize_word(sim->settings.method.stabilize).name, limit);
    else if (!isfinite(limit))
        say(j, "%s yield by %.2g of their size; springs of given masses promise nothing", of->what, value);
    else if (keeping == KEEL_KEEPS_DRIFTS)
        say(j, "%s drift by %.2g of their size; the method promises no more than %.2g", of->what, value,
            limit);
    else if (keeping == KEEL_KEEPS_YIELDS)
        say(j, "%s yield by %.2g of their size; springs promise no more than %.2g", of->what, value, limit);
    else
        say(j, "%s hold to %.2g of their size", of->what, value);
}

/* Rows in a singular pose by themselves, and all other states. */
static void judge_levels(const keel_simulation *sim, const keel_violation *usual,
                         const keel_violation *in_pose, const level *of, keel_keeping keeping,
                         keel_judgement *j) {
    keel_judgement there = {.ok = 1};
    judge_level(sim, usual, of, keeping, false, j);
    if (in_pose->worst >= 0)
        judge_level(sim, in_pose, of, keeping, true, &there);
    if (j->ok && !there.ok)
        *j = there;
}

/* A method that damps may lose energy; what it may not do is gain some. */
static void judge_energy(const keel_simulation *sim, keel_energy_promise promise, keel_judgement *j) {
    bool damped = promise == KEEL_ENERGY_DAMPED;
    double size = sim->audit.size, drift = damped ? sim->audit.gain_max : sim->energy_drift_max;
    double limit = limit_of_energy(sim, promise), value = size > 0 ? drift / size : 0;
    if (!isfinite(drift) || !isfinite(size))
        value = INFINITY;
    *j = (keel_judgement){.made = 1,
                          .ok = value <= limit,
                          .value = value,
                          .limit = limit,
                          .promise = keel_energy_promise_word(promise)};
    if (!isfinite(value))
        say(j, "the energy is not accounted for: it grew beyond all numbers");
    else if (!j->ok)
        say(j, "the energy is not accounted for: %.2g %s, %.2g of the largest energy; %s promises %.2g",
            drift, damped ? "came from nowhere" : "came or went unexplained", value,
            keel_integrator_word(sim->settings.method.integrator).name, limit);
    else if (damped && -sim->energy_drift > limit * size)
        say(j, "energy lost by the damping of the method: %.2g, %.2g of the largest energy",
            -sim->energy_drift, -sim->energy_drift / size);
    else if (promise == KEEL_ENERGY_YIELDS)
        say(j,
            "energy accounted for to %.2g of the largest, without that of the springs in place of "
            "constraints",
            value);
    else
        say(j, "energy accounted for to %.2g of the largest", value);
}

/* "x", "x'", "z" */
static const char *component_name(const keel_system *sys, int i, char *text, size_t size) {
    char buffer[32];
    int of_v = i - sys->n_q, of_z = of_v - sys->n_v;
    if (of_z >= 0)
        snprintf(text, size, "%s", keel_system_name(sys, KEEL_NAME_Z, of_z, buffer));
    else if (of_v >= 0)
        snprintf(text, size, "%s%s", ki_velocity_name(sys, of_v, buffer),
                 ki_velocity_is_rate(sys) ? "'" : "");
    else
        snprintf(text, size, "%s", keel_system_name(sys, KEEL_NAME_Q, i, buffer));
    return text;
}

static void judge_steps(const keel_simulation *sim, keel_judgement *j) {
    ki_rough_step *rough = &sim->integrator->rough;
    char name[64];
    int worst;
    double error = ki_rough_step_worst(rough, &sim->dynamics, &worst);
    *j = (keel_judgement){.made = 1, .ok = error <= SPOILT_STEP, .value = error, .limit = SPOILT_STEP};
    if (error == 0)
        say(j, "steps follow the motion: none was in doubt");
    else if (j->ok)
        say(j, "steps follow the motion: none is off by more than %.2g of it", error);
    else
        say(j,
            "steps do not follow the motion: the one to t = %.6g is off by %.2g of the largest %s; a pole, "
            "a blow, or a step too long",
            rough->t[worst], error, component_name(sim->system, worst, name, sizeof name));
}

static void judge_outputs(const keel_simulation *sim, keel_judgement *j) {
    char buffer[32];
    int bad = sim->unsound_count;
    *j = (keel_judgement){.made = 1, .ok = bad == 0, .value = bad, .limit = 0};
    if (bad == 0)
        say(j, "all outputs are finite");
    else if (bad == 1)
        say(j, "output '%s' is not finite at t = %.10g",
            keel_system_name(sim->system, KEEL_NAME_OUTPUT, sim->unsound_output, buffer), sim->unsound_time);
    else
        say(j, "%d outputs are not finite, the first is '%s' at t = %.10g", bad,
            keel_system_name(sim->system, KEEL_NAME_OUTPUT, sim->unsound_output, buffer), sim->unsound_time);
}

void ki_judge_refused(keel_result *result) {
    keel_judgement *end = &result->verdict.check[KEEL_CHECK_END];
    *end = (keel_judgement){.made = 1};
    say(end, "the run did not start");
}

void ki_judge_run(const keel_simulation *sim, keel_result *result) {
    keel_run_verdict *verdict = &result->verdict;
    keel_judgement *check = verdict->check;
    keel_promise promise = promise_of(sim);
    /* constraints that are open on purpose are no broken promise, and their forces do work */
    bool open = sim->settings.start_state == KEEL_START_AS_GIVEN;
    judge_end(sim, &check[KEEL_CHECK_END]);
    if (sim->system->n_h && !open)
        judge_levels(sim, &sim->position, &sim->position_in_pose, &POSITIONS, promise.position,
                     &check[KEEL_CHECK_POSITIONS]);
    if (keel_system_m(sim->system) && !open)
        judge_levels(sim, &sim->velocity, &sim->velocity_in_pose, &VELOCITIES, promise.velocity,
                     &check[KEEL_CHECK_VELOCITIES]);
    if (result->has_energy && !open)
        judge_energy(sim, promise.energy, &check[KEEL_CHECK_ENERGY]);
    if (sim->integrator->rough.active && sim->integrator->steps)
        judge_steps(sim, &check[KEEL_CHECK_STEPS]);
    if (sim->system->n_outputs)
        judge_outputs(sim, &check[KEEL_CHECK_OUTPUTS]);
    verdict->ok = keel_run_verdict_failed(verdict) == KEEL_CHECKS;
}

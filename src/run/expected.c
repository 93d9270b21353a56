/* expected.c - which programs a run uses, by the work that it is expected to be.
 *
 * A system may have programs that only long runs earn (keel_system.for_run). They are taken where the
 * settings ask for what they alone can do, or where a start of the run with the system as it is shows that it
 * will be long enough: with w, how fast the motion is (ki_motion_rate), an adaptive method of order p takes
 * steps of
 *
 *     h = LENGTH tolerance^(1/p) / w
 *
 * and a fixed step is given. The choice depends on the model and on what was asked for alone, and is made
 * before the first row: the first start is given up, without a word, where the run begins anew.
 */
#include <math.h>

#include "base/refuse.h"
#include "run/past.h"
#include "run/simulation.h"

/* On the models of models/ that have formulas a run takes 0.03 to 20 times the evaluations that this tells,
 * half of them 0.6 to 3 times; what it is compared with is a hundred times those of an ordinary run. */
static const double LENGTH = 1.6;

/* Evaluations of a step: the stages of dop853, and of a step of given length about as many as most methods
 * have. */
enum { STAGES = 12, FIXED_STAGES = 4, ORDER = 8 };

static double expected_evaluations(keel_simulation *sim, double t) {
    const keel_settings *set = &sim->settings;
    const double *y = sim->integrator->y;
    double span = set->until - t;
    if (keel_integrator_takes_step(set->method.integrator) && set->step > 0)
        return FIXED_STAGES * span / set->step;
    ki_dynamics *d = &sim->dynamics;
    long evaluations = d->evaluations, factorizations = d->factorizations; /* this one is not of the run */
    bool known = ki_rate(d, t, y, sim->row_k) == KEEL_OK;
    double w = ki_motion_rate(d, y, known ? sim->row_k : NULL);
    d->evaluations = evaluations;
    d->factorizations = factorizations;
    return STAGES * span * w / (LENGTH * pow(set->tolerance, 1.0 / ORDER));
}

/* Whether the settings name what only the other programs have. */
static bool is_asked_for(const keel_settings *settings) {
    return settings->code != KEEL_CODE_AUTO;
}

static void hand_over(const keel_diagnostics *from, keel_diagnostics *to) {
    for (int i = 0; i < keel_diagnostics_count(from); i++) {
        keel_diagnostic m = keel_diagnostics_get(from, i);
        keel_diagnostics_add(to, m.severity, m.where, "%s", m.text);
    }
}

/* A request, as keel_simulation_new has it. */
typedef struct request {
    const keel_state *start;
    int velocities_given;
    const keel_settings *settings;
} request;

static keel_simulation *begin(const request *r, const keel_system *system, keel_diagnostics *diagnostics,
                              keel_status *status) {
    if (!system) {
        *status = KEEL_ERROR_MEMORY;
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0}, "%s", keel_status_text(*status));
        return NULL;
    }
    return ki_simulation_begin(system, r->start, r->velocities_given, r->settings, diagnostics, status);
}

/* As it is, or anew if that is earned. */
static keel_simulation *begin_by_work(const request *r, const keel_system *system,
                                      keel_diagnostics *diagnostics, keel_status *status) {
    keel_diagnostics *said = keel_diagnostics_new();
    const keel_system *chosen = system;
    keel_simulation *sim = begin(r, said ? system : NULL, said ? said : diagnostics, status);
    if (sim)
        chosen = system->for_run(system, expected_evaluations(sim, r->start->t));
    if (chosen != system) {
        keel_simulation_free(sim);
        sim = begin(r, chosen, diagnostics, status);
    } else if (said) {
        hand_over(said, diagnostics);
        if (sim)
            sim->diagnostics = diagnostics;
    }
    keel_diagnostics_free(said);
    return sim;
}

static keel_simulation *begin_as_fits(const request *r, const keel_system *system,
                                      keel_diagnostics *diagnostics, keel_status *status) {
    if (!system->for_run)
        return begin(r, system, diagnostics, status);
    if (is_asked_for(r->settings))
        return begin(r, system->for_run(system, HUGE_VAL), diagnostics, status);
    return begin_by_work(r, system, diagnostics, status);
}

keel_simulation *keel_simulation_new(const keel_system *system, const keel_state *start, int velocities_given,
                                     const keel_settings *settings, keel_diagnostics *diagnostics,
                                     keel_status *status) {
    if (!system || !start || !settings || !status)
        return ki_refuse(status);
    char message[160];
    *status = keel_system_validate(system, message, sizeof message);
    if (*status) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0}, "%s", message);
        return NULL;
    }
    request r = {start, velocities_given, settings};
    int messages = keel_diagnostics_count(diagnostics);
    ki_past *past = ki_past_new(system, settings, start, velocities_given);
    keel_simulation *sim =
        past ? begin_as_fits(&r, system, diagnostics, status) : begin(&r, NULL, diagnostics, status);
    if (!sim) {
        ki_past_free(past);
        return NULL;
    }
    past->diagnostics = diagnostics;
    past->message_count = messages;
    sim->past = past;
    return sim;
}

/* Single steps of the experiment in bottasso.c, and what Newton's method tells about them. */
#include <math.h>
#include <stdio.h>

#include "papers/bottasso.h"

/* Settings for one step of size h from the state, with new matrices in every iteration. */
static keel_settings one_step(const ki_trial *from, int scheme, const ki_bottasso_scaling *scaling,
                              double h) {
    char text[64];
    double t = from->result->final->t;
    keel_settings settings = from->model->settings;
    snprintf(text, sizeof text, "%s/index3/none", KI_BOTTASSO_SCHEME[scheme]);
    settings.method = ki_method(text);
    settings.until = t + h;
    settings.step = settings.until - t; /* h but for round-off, so that it is one step */
    settings.output = 0;
    settings.scaling = scaling->scaling;
    settings.reference_mass = scaling->reference_mass;
    settings.order = scheme == KI_BOTTASSO_BDF ? 1 : settings.order;
    settings.newton = KEEL_NEWTON_FULL;
    settings.newton_report = KEEL_YES;
    return settings;
}

/* Takes the step. Newton's method tells what it did also when it did not come to its end: *outcome. */
static keel_status take_step(const ki_trial *from, const keel_settings *settings,
                             keel_diagnostics *diagnostics, keel_newton_facts *facts, keel_status *outcome) {
    keel_status status;
    keel_row row;
    keel_simulation *sim =
        keel_simulation_new(from->model->system, from->result->final, 1, settings, diagnostics, &status);
    if (!sim)
        return status;
    *outcome = keel_simulation_step(sim);
    status = keel_simulation_row(sim, keel_simulation_time(sim), &row);
    if (!status && !row.newton)
        status = KEEL_ERROR_CONVERGENCE;
    if (!status)
        *facts = *row.newton;
    keel_simulation_free(sim);
    return status;
}

/* Corrections that no tolerance stops before round-off does. */
keel_status ki_bottasso_take_steps(void *state, char *message, int size) {
    ki_bottasso_state *s = state;
    keel_status status = ki_trial_run(&s->to_state, message, size);
    for (int m = 0; m < KI_BOTTASSO_SCHEMES; m++)
        for (int k = 0; k < KI_BOTTASSO_SCALINGS; k++)
            for (int i = 0; i < KI_BOTTASSO_STEPS && !status; i++) {
                keel_newton_facts facts;
                keel_status outcome;
                keel_settings settings = one_step(&s->to_state, m, &KI_BOTTASSO_SCALING[k], KI_BOTTASSO_H[i]);
                settings.newton_tolerance = 1e-15;
                status = take_step(&s->to_state, &settings, NULL, &facts, &outcome);
                if (status)
                    break;
                s->value[KI_BOTTASSO_CONDITION][m][k][i] = facts.condition;
                s->value[KI_BOTTASSO_LAMBDA][m][k][i] = facts.correction_lambda;
                s->value[KI_BOTTASSO_Q][m][k][i] = facts.correction_q;
            }
    return status;
}

/* Error of the multipliers after one step, relative to the largest; NaN if the step fails. */
static keel_status error_after_step(const ki_trial *from, const keel_settings *settings, double *error) {
    keel_settings exact = from->settings;
    keel_result there = {0}, r = {0};
    exact.until = settings->until;
    keel_status status = keel_run(from->model->system, from->model->start, from->model->velocities_given,
                                  &exact, NULL, NULL, &there);
    *error = NAN;
    if (!status && !keel_run(from->model->system, from->result->final, 1, settings, NULL, NULL, &r)) {
        int n = from->model->system->n_h;
        *error = ki_largest_difference(r.final->lambda, there.final->lambda, n) /
                 ki_largest(there.final->lambda, n, 0);
    }
    keel_result_clear(&there);
    keel_result_clear(&r);
    return status;
}

/* What a user sees: does the step end with one tolerance for all unknowns? */
keel_status ki_bottasso_try_tolerance(void *tolerance, char *message, int size) {
    static const int COLUMNS[] = {0, 3, 4}; /* of KI_BOTTASSO_SCALING */
    ki_bottasso_tolerance *b = tolerance;
    keel_status status = ki_trial_run(&b->to_state, message, size);
    for (int i = 0; i < KI_BOTTASSO_STEPS && !status; i++) {
        for (int s = 0; s < 3 && !status; s++) {
            keel_diagnostics *diagnostics = keel_diagnostics_new();
            keel_newton_facts facts = {0};
            keel_status outcome = KEEL_OK;
            keel_settings settings =
                one_step(&b->to_state, 0, &KI_BOTTASSO_SCALING[COLUMNS[s]], KI_BOTTASSO_H[i]);
            settings.newton_tolerance = 1e-8;
            status = take_step(&b->to_state, &settings, diagnostics, &facts, &outcome);
            b->corrections[i][s] = outcome ? -1 : facts.iterations;
            if (outcome && !*b->message && diagnostics && keel_diagnostics_count(diagnostics))
                snprintf(b->message, sizeof b->message, "%s", keel_diagnostics_get(diagnostics, 0).text);
            keel_diagnostics_free(diagnostics);
        }
        keel_settings settings =
            one_step(&b->to_state, 0, &KI_BOTTASSO_SCALING[COLUMNS[2]], KI_BOTTASSO_H[i]);
        if (!status)
            status = error_after_step(&b->to_state, &settings, &b->error[i]);
    }
    return status;
}

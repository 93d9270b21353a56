/* models.h - runs the shipped models in tests. */
#ifndef TEST_MODELS_H
#define TEST_MODELS_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "keel/keel.h"
#include "keel/modelfile.h"

typedef struct model_run {
    keel_model *model;
    keel_result result;
    keel_status status;
    keel_diagnostics *messages;
} model_run;

/* Runs models/NAME.yaml. `method` and the numbers replace the file's settings unless NULL or 0. */
static inline model_run run_model(const char *name, const char *method, double tolerance, double until,
                                  double step) {
    model_run run = {.messages = keel_diagnostics_new()};
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s.yaml", KEEL_SOURCE_DIR, name);
    run.model = keel_model_read(path, NULL, 0, run.messages, &run.status);
    if (run.model) {
        keel_settings settings = run.model->settings;
        if (method)
            keel_method_parse(method, (keel_location){0}, run.messages, &settings.method);
        settings.tolerance = tolerance > 0 ? tolerance : settings.tolerance;
        settings.until = until > 0 ? until : settings.until;
        settings.step = step > 0 ? step : settings.step;
        run.status = keel_run(run.model->system, run.model->start, run.model->velocities_given, &settings,
                              NULL, run.messages, &run.result);
    }
    for (int i = 0; i < keel_diagnostics_count(run.messages); i++) {
        keel_diagnostic d = keel_diagnostics_get(run.messages, i);
        if (d.severity == KEEL_ERROR)
            fprintf(stderr, "%s:%d:%d: %s\n", d.where.file ? d.where.file : path, d.where.line,
                    d.where.column, d.text);
    }
    return run;
}

static inline void end_run(model_run *run) {
    keel_result_clear(&run->result);
    keel_model_free(run->model);
    keel_diagnostics_free(run->messages);
}

/* Correct digits: -log10 of the largest relative error. Components whose reference is 0 are compared with
 * `scale`. */
static inline double digits(const double *x, const double *reference, int n, double scale) {
    double worst = 1e-17;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(x[i] - reference[i]) / (reference[i] != 0 ? fabs(reference[i]) : scale));
    return -log10(worst);
}

#endif

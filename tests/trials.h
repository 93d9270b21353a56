/* trials.h - a model, from a file or a text, run with settings of the test's choice. After cmocka.h. */
#ifndef TEST_TRIALS_H
#define TEST_TRIALS_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "keel/keel.h"
#include "keel/modelfile.h"

typedef struct trial {
    keel_model *model;
    keel_settings settings; /* the file's, to be changed before trial_run */
    keel_diagnostics *messages;
    keel_result result;
    keel_status status;
} trial;

/* `model` is the name of a file in models/, or the text of a model (it begins with "keel:"). */
static inline trial trial_of(const char *model, const char *method) {
    trial t = {.messages = keel_diagnostics_new()};
    char path[512];
    snprintf(path, sizeof path, "%s/models/%.100s.yaml", KEEL_SOURCE_DIR, model);
    if (strncmp(model, "keel:", 5) == 0)
        t.model = keel_model_parse("test", model, strlen(model), NULL, 0, t.messages, &t.status);
    else
        t.model = keel_model_read(path, NULL, 0, t.messages, &t.status);
    if (!t.model)
        fail_msg("%s",
                 keel_diagnostics_count(t.messages) ? keel_diagnostics_get(t.messages, 0).text : "no model");
    t.settings = t.model->settings;
    if (keel_method_parse(method, (keel_location){0}, t.messages, &t.settings.method))
        fail_msg("%s", keel_diagnostics_get(t.messages, 0).text);
    return t;
}

/* Runs from the start of the model; may be repeated with other settings. */
static inline keel_status trial_run(trial *t, const keel_observer *observer) {
    keel_diagnostics_free(t->messages);
    t->messages = keel_diagnostics_new();
    keel_result_clear(&t->result);
    t->status = keel_run(t->model->system, t->model->start, t->model->velocities_given, &t->settings,
                         observer, t->messages, &t->result);
    return t->status;
}

/* The first error, or an empty text. */
static inline const char *trial_error(const trial *t) {
    for (int i = 0; i < keel_diagnostics_count(t->messages); i++)
        if (keel_diagnostics_get(t->messages, i).severity == KEEL_ERROR)
            return keel_diagnostics_get(t->messages, i).text;
    return "";
}

static inline void trial_expect_ok(const trial *t) {
    char method[64];
    if (t->status != KEEL_OK)
        fail_msg("%s: %s: %s", keel_method_text(t->settings.method, method), keel_status_word(t->status),
                 trial_error(t));
}

static inline void trial_end(trial *t) {
    keel_result_clear(&t->result);
    keel_model_free(t->model);
    keel_diagnostics_free(t->messages);
}

/* Largest |x_i - y_i| / max(1, |y_i|). */
static inline double difference(const double *x, const double *y, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        double d = fabs(x[i] - y[i]) / fmax(1, fabs(y[i]));
        most = d <= most ? most : d; /* NaN stays */
    }
    return most;
}

#endif

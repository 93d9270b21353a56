/* mechanisms.h - mechanism models in tests: variants of a file, and what they put out over time. After
 * cmocka.h. */
#ifndef TEST_MECHANISMS_H
#define TEST_MECHANISMS_H

#include <stdlib.h>

#include "trials.h"

/* A piece of a model's text and what stands there instead. */
typedef struct swap {
    const char *from, *to;
} swap;

/* A variant of models/NAME.yaml or of a text that begins with "keel:". What is NULL or 0 stays as it is. */
typedef struct variant {
    const char *model;
    const char *coordinates; /* "relative", "absolute" */
    const char *method;
    double tolerance, until;
    const swap *swaps; /* ended by NULL; each must occur */
    const keel_assignment *set;
    int set_count;
} variant;

static inline char *file_text(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s.yaml", KEEL_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(length + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, length, file), length);
    fclose(file);
    return text;
}

/* `text` with every `from` replaced; frees `text`. */
static inline char *swapped(char *text, const swap *s) {
    size_t from = strlen(s->from), to = strlen(s->to), found = 0;
    for (char *at = text; (at = strstr(at, s->from)); at += from)
        found++;
    if (!found)
        fail_msg("'%s' does not occur in the model", s->from);
    char *result = calloc(strlen(text) + found * to + 1, 1), *end = result;
    assert_non_null(result);
    for (char *at = text, *next; *at; at = next + from) {
        next = strstr(at, s->from);
        if (!next) {
            strcpy(end, at);
            break;
        }
        memcpy(end, at, (size_t)(next - at));
        end += next - at;
        memcpy(end, s->to, to);
        end += to;
    }
    free(text);
    return result;
}

static inline char *variant_text(const variant *v) {
    char *text = strncmp(v->model, "keel:", 5) ? file_text(v->model) : strdup(v->model);
    assert_non_null(text);
    for (const swap *s = v->swaps; s && s->from; s++)
        text = swapped(text, s);
    if (v->coordinates) {
        size_t length = strlen(text) + strlen(v->coordinates) + 32;
        char *longer = calloc(length, 1);
        assert_non_null(longer);
        snprintf(longer, length, "%s\ncoordinates: %s\n", text, v->coordinates);
        free(text);
        text = longer;
    }
    return text;
}

/* The model of a variant, with its settings; to be run with trial_run. */
static inline trial variant_trial(const variant *v) {
    trial t = {.messages = keel_diagnostics_new()};
    char *text = variant_text(v);
    t.model = keel_model_parse(v->model, text, strlen(text), v->set, v->set_count, t.messages, &t.status);
    free(text);
    if (!t.model) {
        keel_diagnostic d = keel_diagnostics_get(t.messages, 0);
        fail_msg("%.40s (%s): line %d: %s", v->model, v->coordinates ? v->coordinates : "", d.where.line,
                 d.text);
    }
    if (keel_model_assemble(t.model, t.messages, NULL) < 0)
        fail_msg("%.40s: %s", v->model, trial_error(&t));
    t.settings = t.model->settings;
    if (v->method && keel_method_parse(v->method, (keel_location){0}, t.messages, &t.settings.method))
        fail_msg("%s", keel_diagnostics_get(t.messages, 0).text);
    t.settings.tolerance = v->tolerance > 0 ? v->tolerance : t.settings.tolerance;
    t.settings.until = v->until > 0 ? v->until : t.settings.until;
    return t;
}

/* Outputs at rows of the same distance. */
enum { HISTORY_ROWS = 64, HISTORY_OUTPUTS = 96 };
typedef struct history {
    int outputs, rows;
    double t[HISTORY_ROWS], value[HISTORY_ROWS][HISTORY_OUTPUTS];
} history;

static inline keel_status history_row(void *user, const keel_row *row) {
    history *h = user;
    assert_true(h->rows < HISTORY_ROWS && h->outputs <= HISTORY_OUTPUTS);
    h->t[h->rows] = row->t;
    memcpy(h->value[h->rows++], row->outputs, (size_t)h->outputs * sizeof(double));
    return KEEL_OK;
}

/* Runs with a row every `interval`; the trial must be ended by the caller. */
static inline trial history_trial(const variant *v, double interval, history *h) {
    trial t = variant_trial(v);
    t.settings.output = interval;
    *h = (history){.outputs = t.model->system->n_outputs};
    keel_observer observer = {.user = h, .row = history_row};
    trial_run(&t, &observer);
    if (t.status != KEEL_OK)
        fail_msg("%.40s (%s): %s: %s", v->model, v->coordinates ? v->coordinates : "",
                 keel_status_word(t.status), trial_error(&t));
    return t;
}

static inline history history_of(const variant *v, double interval) {
    history h;
    trial t = history_trial(v, interval, &h);
    trial_end(&t);
    return h;
}

/* Largest difference of the first `count` outputs over all rows, relative to max(1, |value|). */
static inline double history_difference(const history *x, const history *y, int count) {
    double most = 0;
    assert_int_equal(x->rows, y->rows);
    assert_true(count <= x->outputs && count <= y->outputs);
    for (int i = 0; i < x->rows; i++) {
        double d = difference(x->value[i], y->value[i], count);
        most = d <= most ? most : d; /* NaN stays */
    }
    return most;
}

#endif

#include "papers/experiment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

keel_method ki_method(const char *text) {
    keel_method method = keel_method_auto();
    keel_method_parse(text, (keel_location){0}, NULL, &method);
    return method;
}

bool ki_trial_init(ki_draft *d, ki_trial *t, const keel_model *model, const char *method) {
    if (!model)
        return false;
    *t = (ki_trial){.model = model, .settings = model->settings, .result = ki_draft_result(d)};
    t->settings.base_steps = 0; /* methods as the papers have them: multistep ones do not begin anew */
    t->settings.method = ki_method(method);
    return t->result;
}

bool ki_trial_exact(ki_draft *d, ki_trial *t, const keel_model *model, double until) {
    if (!ki_trial_init(d, t, model, "dop853/index1/projection"))
        return false;
    t->settings.tolerance = t->settings.absolute_tolerance = 1e-13;
    t->settings.until = until;
    t->settings.output = 0;
    return true;
}

void ki_trial_record(ki_draft *d, ki_trial *t, int columns, int room,
                     void (*pick)(const keel_row *row, double *values)) {
    ki_record *r = KI_NEW(&d->memory, ki_record, 1);
    double **x = KI_NEW(&d->memory, double *, columns);
    double *values = KI_NEW(&d->memory, double, columns *room);
    if (!r || !x || !values) {
        d->status = KEEL_ERROR_MEMORY;
        return;
    }
    for (int i = 0; i < columns; i++)
        x[i] = values + (size_t)i * (size_t)room;
    *r = (ki_record){.columns = columns, .room = room, .x = x, .pick = pick};
    t->record = r;
}

void ki_trial_own_multipliers(ki_draft *d, ki_trial *t) {
    int m = t->model->system->n_h + t->model->system->n_n;
    t->settings.newton_report = KEEL_YES;
    t->lambda = KI_NEW(&d->memory, double, m);
    if (!t->lambda)
        d->status = KEEL_ERROR_MEMORY;
}

static keel_status take_row(void *user, const keel_row *row) {
    enum { MOST = 32 };
    double values[MOST];
    ki_trial *t = user;
    ki_record *r = t->record;
    if (row->newton && row->newton->iterations > t->most_iterations)
        t->most_iterations = row->newton->iterations;
    if (t->lambda && row->newton && row->newton->lambda)
        memcpy(t->lambda, row->newton->lambda,
               (size_t)(t->model->system->n_h + t->model->system->n_n) * sizeof *t->lambda);
    if (!r)
        return KEEL_OK;
    if (r->columns > MOST || r->count == r->room)
        return KEEL_ERROR_CALLBACK;
    r->pick(row, values);
    for (int i = 0; i < r->columns; i++)
        r->x[i][r->count] = values[i];
    r->count++;
    return KEEL_OK;
}

keel_status ki_trial_run(void *trial, char *message, int size) {
    ki_trial *t = trial;
    const keel_observer observer = {.user = t, .row = take_row};
    keel_diagnostics *diagnostics = keel_diagnostics_new();
    keel_status status =
        keel_run(t->model->system, t->start ? t->start : t->model->start,
                 t->start || t->model->velocities_given, &t->settings, &observer, diagnostics, t->result);
    for (int i = 0; diagnostics && i < keel_diagnostics_count(diagnostics) && !*t->message; i++)
        if (keel_diagnostics_get(diagnostics, i).severity == KEEL_ERROR)
            snprintf(t->message, sizeof t->message, "%s", keel_diagnostics_get(diagnostics, i).text);
    keel_diagnostics_free(diagnostics);
    if (status == t->expected || (t->may_fail && status < 0 && status != KEEL_ERROR_MEMORY))
        return KEEL_OK;
    char method[64];
    snprintf(message, (size_t)size, "%s, %s: %s", t->model->name,
             keel_method_text(t->settings.method, method),
             *t->message ? t->message : keel_status_text(status));
    return status ? status : KEEL_ERROR_CONVERGENCE;
}

double ki_largest_difference(const double *a, const double *b, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

double ki_length_between(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

double ki_largest(const double *x, int count, double from) {
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(x[i] - from));
    return most;
}

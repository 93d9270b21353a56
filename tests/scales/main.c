/* scales - every model by every integrator, in other units: the same steps and the same motion
 * (docs/scales.md). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keel/keel.h"
#include "keel/modelfile.h"
#include "keel/run.h"
#include "scales/rescaled.h"

/* What a run came to, in the units of the base. */
typedef struct outcome {
    double most_q, most_v, most_z, most_lambda; /* of all rows */
    keel_status status;
    long steps, rejected, evaluations;
    double *q, *v, *z, *lambda;
    double position, velocity; /* relative violations */
    char text[300];
} outcome;

static double *numbers(int n) {
    double *x = calloc((size_t)n + 1, sizeof *x);
    if (!x)
        abort();
    return x;
}

static void tell_failure(const keel_diagnostics *messages, outcome *o) {
    for (int i = 0; i < keel_diagnostics_count(messages); i++)
        if (keel_diagnostics_get(messages, i).severity == KEEL_ERROR) {
            snprintf(o->text, sizeof o->text, "%s", keel_diagnostics_get(messages, i).text);
            return;
        }
}

static void take_final(const rescaled *r, const keel_state *final, outcome *o) {
    const keel_system *b = r->base;
    o->q = numbers(b->n_q), o->v = numbers(b->n_v), o->z = numbers(b->n_z);
    o->lambda = numbers(keel_system_m(b));
    for (int i = 0; i < b->n_q; i++)
        o->q[i] = final->q[i] / r->alpha_q[i];
    for (int j = 0; j < b->n_v; j++)
        o->v[j] = final->v[j] * r->in.time / r->alpha_v[j];
    for (int k = 0; k < b->n_z; k++)
        o->z[k] = final->z[k];
    for (int i = 0; i < keel_system_m(b); i++)
        o->lambda[i] = final->lambda[i] * r->beta[i] / r->energy;
}

static double largest(const double *x, int n, double most) {
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

typedef struct listener {
    const keel_system *system;
    outcome *o;
} listener;

static keel_status note_row(void *user, const keel_row *row) {
    listener *l = user;
    const keel_system *s = l->system;
    l->o->most_q = largest(row->q, s->n_q, l->o->most_q);
    l->o->most_v = largest(row->v, s->n_v, l->o->most_v);
    l->o->most_z = largest(row->z, s->n_z, l->o->most_z);
    l->o->most_lambda = largest(row->lambda, keel_system_m(s), l->o->most_lambda);
    return KEEL_OK;
}

static outcome run_in(const keel_model *model, const keel_settings *settings, units in) {
    rescaled *r = rescaled_new(model->system, in);
    keel_settings own = *settings;
    keel_state *start = keel_state_new(model->system);
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_result result = {0};
    outcome o = {0};
    rescale_state(r, model->start, start);
    rescale_settings(r, &own);
    listener l = {&r->system, &o};
    keel_observer observer = {.user = &l, .row = note_row};
    o.status = keel_run(&r->system, start, model->velocities_given, &own, &observer, messages, &result);
    o.steps = result.count.steps, o.rejected = result.count.rejected;
    o.evaluations = result.count.evaluations;
    o.position = result.position.max_scaled, o.velocity = result.velocity.max_scaled;
    if (result.final)
        take_final(r, result.final, &o);
    tell_failure(messages, &o);
    keel_result_clear(&result);
    keel_diagnostics_free(messages);
    keel_state_free(start);
    rescaled_free(r);
    return o;
}

static void clear(outcome *o) {
    free(o->q), free(o->v), free(o->z), free(o->lambda);
}

/* Largest difference relative to the largest of all, at any time. */
static double apart(const double *a, const double *b, int n, double size) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        double off = fabs(a[i] - b[i]);
        most = off <= most ? most : off;
    }
    return most == 0 ? 0 : most / size;
}

static double log_ratio(long a, long b) {
    return 100 * ((double)b / (double)(a > 0 ? a : 1) - 1);
}

static void compare(const char *model, const char *method, const char *what, const keel_system *s,
                    const outcome *base, const outcome *o) {
    if (o->status < 0 || base->status < 0) {
        printf("%-22s %-34s %-12s status %d / %d steps %ld/%ld %s\n", model, method, what, base->status,
               o->status, base->steps, o->steps, o->status < 0 ? o->text : base->text);
        return;
    }
    printf(
        "%-22s %-34s %-12s steps %6ld %+7.1f%%  q %.1e  v %.1e z %.1e lambda %.1e viol %.0e/%.0e %.0e/%.0e\n",
        model, method, what, base->steps, log_ratio(base->steps, o->steps),
        apart(base->q, o->q, s->n_q, base->most_q), apart(base->v, o->v, s->n_v, base->most_v),
        apart(base->z, o->z, s->n_z, base->most_z),
        apart(base->lambda, o->lambda, keel_system_m(s), base->most_lambda), o->position, base->position,
        o->velocity, base->velocity);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        units in;
    } UNITS[] = {
        {"2^10 L", {1024, 1, 1}},     {"2^-10 M", {1, 1. / 1024, 1}}, {"2^10 T", {1, 1, 1024}},
        {"2^-30 L", {0x1p-30, 1, 1}}, {"2^30 L", {0x1p30, 1, 1}},     {"2^-30 M", {1, 0x1p-30, 1}},
        {"2^30 M", {1, 0x1p30, 1}},   {"2^-30 T", {1, 1, 0x1p-30}},   {"2^30 T", {1, 1, 0x1p30}},
        {"mm-t-s", {1000, 1e-3, 1}},
    };
    double tolerance = argc > 3 ? atof(argv[3]) : 0;
    if (argc < 3)
        return 2;
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status;
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s.yaml", KEEL_SOURCE_DIR, argv[1]);
    keel_model *model = keel_model_read(path, NULL, 0, messages, &status);
    if (!model)
        return 2;
    keel_assembly_report report;
    keel_mechanism_facts facts;
    if (keel_mechanism_look(model->system, &facts) && keel_model_assemble(model, messages, &report))
        return 2;
    keel_settings settings = model->settings;
    if (keel_method_parse(argv[2], (keel_location){0}, messages, &settings.method))
        return 2;
    if (tolerance > 0)
        settings.tolerance = tolerance;
    if (argc > 4)
        settings.until = model->start->t + atof(argv[4]) * (settings.until - model->start->t);
    if (argc > 5)
        settings.step = atof(argv[5]);
    settings.max_steps = 20000;
    settings.closed_forms = KEEL_CLOSED_FORMS_NO;
    outcome base = run_in(model, &settings, (units){1, 1, 1});
    if (base.status < 0)
        compare(argv[1], argv[2], "base", model->system, &base, &base);
    else
        for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
            outcome o = run_in(model, &settings, UNITS[i].in);
            compare(argv[1], argv[2], UNITS[i].name, model->system, &base, &o);
            clear(&o);
        }
    clear(&base);
    keel_model_free(model);
    keel_diagnostics_free(messages);
    return 0;
}

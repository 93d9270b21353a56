/* scales - every model by every integrator, in other units: the same steps and the same motion
 * (docs/scales.md). */
#include <math.h>
#include <stdbool.h>
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

/* What one pair of runs came to: the change of the number of steps, and the largest difference of q, v and z.
 */
typedef struct change {
    double steps, motion, lambda;
    bool failed;
} change;

static change compare(const keel_system *s, const outcome *base, const outcome *o) {
    change c = {.failed = o->status < 0 || base->status < 0};
    if (c.failed)
        return c;
    c.steps = fmax(0, fabs((double)(o->steps - base->steps)) - 1) / (double)base->steps; /* one is chance */
    c.motion = apart(base->q, o->q, s->n_q, base->most_q);
    c.motion = fmax(c.motion, apart(base->v, o->v, s->n_v, base->most_v));
    c.motion = fmax(c.motion, apart(base->z, o->z, s->n_z, base->most_z));
    c.lambda = apart(base->lambda, o->lambda, keel_system_m(s), base->most_lambda);
    return c;
}

static const struct {
    const char *name;
    units in;
} UNITS[] = {
    {"length 2^10", {0x1p10, 1, 1}},
    {"mass 2^-10", {1, 0x1p-10, 1}},
    {"time 2^10", {1, 1, 0x1p10}},
    {"length 1e-9", {1e-9, 1, 1}},
    {"length 1e9", {1e9, 1, 1}},
    {"mass 1e-9", {1, 1e-9, 1}},
    {"mass 1e9", {1, 1e9, 1}},
    {"time 1e-9", {1, 1, 1e-9}},
    {"time 1e9", {1, 1, 1e9}},
    {"mm-t-s", {1e3, 1e-3, 1}},
    {"mm-kg-ms", {1e3, 1, 1e3}},
    {"cm-g-s", {1e2, 1e3, 1}},
    {"inch-slinch-s", {1 / 0.0254, 1 / 175.126835, 1}},
};
enum { ALL_UNITS = sizeof UNITS / sizeof *UNITS };

/* Units that differ by little: whatever these change is chance, round-off that the motion or the steps make
 * more of. */
static const units NEARLY[] = {{1.1, 1, 1}, {1, 1.1, 1}, {1, 1, 1.1}, {0.7, 1.3, 1.9}};
enum { NEARLY_ALL = sizeof NEARLY / sizeof *NEARLY };

typedef struct method {
    const char *name;
    int steps; /* of methods with fixed steps; 0: tolerance */
} method;

static const method METHODS[] = {
    {"dop853", 0},        {"dopri5", 0},     {"adams", 0},        {"radau5", 0},
    {"radau9", 0},        {"bdf", 0},        {"ida", 0},          {"rk4", 200},
    {"bdf-fixed", 200},   {"newmark", 200},  {"hht", 200},        {"generalized-alpha", 200},
    {"trapezoidal", 200}, {"midpoint", 200}, {"conserving", 200}, {"auto", 0},
};
enum { ALL_METHODS = sizeof METHODS / sizeof *METHODS };

/* Of a method: pairs of runs, those with the same steps and motion, and the largest changes. */
typedef struct score {
    int pairs, right, chance, skipped;
    double steps, motion;
} score;

typedef struct request {
    double tolerance, part, limit;
    int every; /* so many combinations of model and units: one */
    const char *model, *method;
    bool verbose;
} request;

static const double MOST_STEPS = 20000, MOST_CHANGE = 0.05;

static keel_model *read_model(const char *name) {
    char path[512];
    keel_status status;
    keel_assembly_report report;
    keel_mechanism_facts facts;
    keel_diagnostics *messages = keel_diagnostics_new();
    snprintf(path, sizeof path, "%s/models/%s.yaml", KEEL_SOURCE_DIR, name);
    keel_model *model = keel_model_read(path, NULL, 0, messages, &status);
    if (model && keel_mechanism_look(model->system, &facts))
        keel_model_assemble(model, messages, &report);
    keel_diagnostics_free(messages);
    return model;
}

static void tell(const request *asked, const char *model, const char *by, const char *in, const change *c,
                 const outcome *base, const outcome *o, bool right) {
    if (right && !asked->verbose)
        return;
    printf("%s%s, %s, %s: %ld steps, %ld; motion apart by %.1e, multipliers by %.1e%s%s\n",
           right ? "" : "FAILED ", model, by, in, base->steps, o->steps, c->motion, c->lambda,
           o->text[0] ? ": " : "", o->text);
    fflush(stdout);
}

/* The largest changes between units that hardly differ. */
static change find_chance(const keel_model *model, const keel_settings *settings, const outcome *base) {
    change most = {0};
    for (int u = 0; u < NEARLY_ALL; u++) {
        outcome o = run_in(model, settings, NEARLY[u]);
        change c = compare(model->system, base, &o);
        most.failed |= c.failed;
        most.steps = fmax(most.steps, c.steps), most.motion = fmax(most.motion, c.motion);
        clear(&o);
    }
    return most;
}

/* Four samples do not meet the largest change: ... of motions that differ by powers of ten. */
static bool is_chance(const change *c, const change *chance) {
    static const double MORE_STEPS = 1.5, MORE_MOTION = 10;
    if (c->failed || chance->failed)
        return c->failed && chance->failed;
    return c->steps <= fmax(MOST_CHANGE, MORE_STEPS * chance->steps) &&
           c->motion <= MORE_MOTION * fmax(1e-11, chance->motion);
}

static score of_units[ALL_UNITS];

static void try_method(const request *asked, const char *name, const keel_model *model, int number, int k,
                       score *of) {
    keel_settings settings = model->settings;
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_method_parse(METHODS[k].name, (keel_location){0}, messages, &settings.method);
    keel_diagnostics_free(messages);
    double t = model->start->t;
    settings.tolerance = asked->tolerance;
    settings.absolute_tolerance = 0;
    settings.until = t + asked->part * (settings.until - t);
    settings.step = METHODS[k].steps ? (settings.until - t) / METHODS[k].steps : 0;
    settings.output = (settings.until - t) / 16;
    settings.newton_tolerance =
        fmin(settings.newton_tolerance, 1e-13); /* an iteration may end one round later */
    settings.max_steps = MOST_STEPS;
    settings.code = KEEL_CODE_TAPE;
    outcome base = run_in(model, &settings, (units){1, 1, 1});
    base.most_v =
        fmax(base.most_v, base.most_q / (settings.until - t)); /* what rests has no speed of its own */
    if (base.status < 0)                                       /* a method that the model is not made for */
        of->skipped++;
    change chance;
    bool known = false;
    for (int u = 0; u < ALL_UNITS && base.status >= 0; u++) {
        if ((number + 5 * k + u) % asked->every)
            continue;
        outcome o = run_in(model, &settings, UNITS[u].in);
        change c = compare(model->system, &base, &o);
        bool right = !c.failed && c.steps <= MOST_CHANGE && c.motion <= asked->limit;
        if (!right && !known)
            chance = find_chance(model, &settings, &base);
        known = known || !right;
        bool by_chance = !right && is_chance(&c, &chance);
        of->pairs++, of->right += right, of->chance += by_chance;
        of_units[u].pairs++, of_units[u].right += right, of_units[u].chance += by_chance;
        if (!by_chance)
            of->steps = fmax(of->steps, c.steps), of->motion = fmax(of->motion, c.motion);
        tell(asked, name, METHODS[k].name, UNITS[u].name, &c, &base, &o, right || by_chance);
        if (!right && !by_chance)
            printf("    nearly the same units: steps by %.1f %%, motion by %.1e%s\n", 100 * chance.steps,
                   chance.motion, chance.failed ? ", failed" : "");
        clear(&o);
    }
    clear(&base);
}

/* The names of models/, in a file or given by the build. */
static const char *const MODELS[] = {KEEL_MODELS};
enum { ALL_MODELS = sizeof MODELS / sizeof *MODELS };

static bool parse(request *asked, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--verbose")) {
            asked->verbose = true;
            continue;
        }
        if (!value)
            return false;
        if (!strcmp(argv[i], "--model"))
            asked->model = value;
        else if (!strcmp(argv[i], "--method"))
            asked->method = value;
        else if (!strcmp(argv[i], "--every"))
            asked->every = atoi(value);
        else if (!strcmp(argv[i], "--part"))
            asked->part = atof(value);
        else if (!strcmp(argv[i], "--tolerance"))
            asked->tolerance = atof(value);
        else if (!strcmp(argv[i], "--limit"))
            asked->limit = atof(value);
        else
            return false;
        i++;
    }
    return asked->every > 0;
}

int main(int argc, char **argv) {
    request asked = {.tolerance = 1e-10, .part = 0.02, .limit = 1e-10, .every = 1};
    score scores[ALL_METHODS] = {0};
    int wrong = 0;
    if (!parse(&asked, argc, argv)) {
        fprintf(stderr,
                "usage: scales [--model NAME] [--method NAME] [--every N] [--part OF_RUN] [--tolerance T] "
                "[--limit DIFFERENCE] [--verbose]\n");
        return 2;
    }
    for (int i = 0; i < ALL_MODELS; i++) {
        if (asked.model && strcmp(asked.model, MODELS[i]))
            continue;
        keel_model *model = read_model(MODELS[i]);
        for (int k = 0; model && k < ALL_METHODS; k++)
            if (!asked.method || !strcmp(asked.method, METHODS[k].name))
                try_method(&asked, MODELS[i], model, 7 * i, k, &scores[k]);
        keel_model_free(model);
    }
    printf("| method | pairs of runs | alike | as in nearly the same units | steps | motion |\n"
           "|---|---|---|---|---|---|\n");
    for (int k = 0; k < ALL_METHODS; k++) {
        const score *s = &scores[k];
        if (s->pairs)
            printf("| `%s` | %d | %d | %d | %.1f %% | %.0e |\n", METHODS[k].name, s->pairs, s->right,
                   s->chance, 100 * s->steps, s->motion);
        wrong += s->pairs - s->right - s->chance;
    }
    printf("\n| units | pairs of runs | alike | as in nearly the same units |\n|---|---|---|---|\n");
    for (int u = 0; u < ALL_UNITS; u++)
        printf("| %s | %d | %d | %d |\n", UNITS[u].name, of_units[u].pairs, of_units[u].right,
               of_units[u].chance);
    return wrong > 0;
}

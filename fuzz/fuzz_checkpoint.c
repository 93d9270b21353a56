/* fuzz_checkpoint.c - libFuzzer target: any bytes may be read as a checkpoint, and a checkpoint of which any
 * bytes were changed, the checksum made right again, may be loaded and run. */
#include <stdlib.h>
#include <string.h>

#include "keel/keel.h"
#include "keel/modelfile.h"
#include "target.h"

static const char *const MODELS[] = {
    /* formulas, a switch of the state and one of time, an invariant, outputs */
    "keel: 1\nequations:\n  coordinates: {x: 1, y: 0}\n  kinetic: (x'^2 + y'^2)/2\n  potential: 9.81*y\n"
    "  holonomic: {rod: x^2 + y^2 - 1}\n  forces: {x: if(t < 0.3, 1, -1)*abs(x)}\noutputs: {r: x*y}\n"
    "simulate: {until: 1, base_steps: 4, max_steps: 500}\n",
    /* a mechanism with a repeated joint */
    "keel: 1\nplanar: true\ngravity: 9.81\n"
    "bodies:\n"
    "  a: {mass: 1, centre: [0.5, 1], inertia: 1}\n"
    "  b: {mass: 2, centre: [2, 2], inertia: 1}\n"
    "  c: {mass: 1, centre: [2.5, 1], inertia: 1}\n"
    "joints:\n"
    "  p: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
    "  q: {type: revolute, bodies: [a, b], at: [1, 2]}\n"
    "  r: {type: revolute, bodies: [b, c], at: [3, 2.5]}\n"
    "  s: {type: revolute, bodies: [c, ground], at: [2, 0]}\n"
    "  again: {type: revolute, bodies: [a, b], at: [1, 2]}\n"
    "simulate: {until: 1, base_steps: 4, max_steps: 500}\n"};
static const char *const METHODS[] = {"auto", "bdf", "radau5/index1/projection", "generalized-alpha",
                                      "dop853/partitioned/none"};
enum { MODEL_COUNT = 2, METHOD_COUNT = 5 };

/* A run that has been saved. */
typedef struct template {
    keel_model *model;
    keel_settings settings;
    keel_checkpoint *saved;
}
template;

static void make(template *t, int model, int method) {
    const char *text = MODELS[model];
    keel_status status;
    t->model = keel_model_parse("fuzz", text, strlen(text), NULL, 0, NULL, &status);
    if (!t->model || keel_model_assemble(t->model, NULL, NULL) < 0)
        abort();
    t->settings = t->model->settings;
    t->settings.step = 0.01;
    if (keel_method_parse(METHODS[method], (keel_location){0}, NULL, &t->settings.method))
        abort();
    keel_simulation *sim = keel_simulation_new(t->model->system, t->model->start, t->model->velocities_given,
                                               &t->settings, NULL, &status);
    for (int i = 0; i < 11; i++) {
        keel_row row;
        if (!sim || keel_simulation_step(sim) || keel_simulation_row(sim, keel_simulation_time(sim), &row))
            abort();
    }
    if (!(t->saved = keel_simulation_save(sim, &status)))
        abort();
    keel_simulation_free(sim);
}

static template *template_of(fuzz_bytes *choice) {
    static template all[MODEL_COUNT][METHOD_COUNT];
    int model = fuzz_next(choice, MODEL_COUNT), method = fuzz_next(choice, METHOD_COUNT);
    template *t = &all[model][method];
    if (!t->model)
        make(t, model, method);
    return t;
}

/* Bytes as they are: what can be read can be written again. */
static void read_bytes(const uint8_t *data, size_t size) {
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status;
    size_t length;
    keel_checkpoint *c = keel_checkpoint_read(data, size, messages, &status);
    fuzz_explained(c, status, messages);
    if (c && !keel_checkpoint_bytes(c, &length))
        abort();
    keel_checkpoint_free(c);
    keel_diagnostics_free(messages);
}

/* Two bytes say where, one says what. */
static void change(uint8_t *bytes, size_t size, fuzz_bytes *by) {
    while (by->left >= 3) {
        size_t at = (size_t)fuzz_next(by, 256) * 256;
        at += (size_t)fuzz_next(by, 256);
        uint8_t value = (uint8_t)fuzz_next(by, 256);
        if (size)
            bytes[at % size] = value;
    }
}

/* The saved run with a part changed, or cut off. */
static keel_checkpoint *changed(const template *t, fuzz_bytes *by) {
    static const char *const PARTS[] = {"Past", "Past", "Past", "State", "Identity", "Loop"};
    const char *name = PARTS[fuzz_next(by, 6)];
    size_t size, length;
    keel_status status;
    const void *all = keel_checkpoint_bytes(t->saved, &size);
    keel_checkpoint *c = keel_checkpoint_read(all, size, NULL, &status);
    const void *part = keel_checkpoint_get(c, name, &length);
    uint8_t *copy = malloc(length + 1);
    if (!copy)
        abort();
    if (length)
        memcpy(copy, part, length);
    if (fuzz_next(by, 8) == 0)
        length = length * (size_t)fuzz_next(by, 256) / 256;
    change(copy, length, by);
    if (keel_checkpoint_put(c, name, copy, length))
        abort();
    free(copy);
    return c;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes by = {data, size};
    read_bytes(data, size);
    template *t = template_of(&by);
    keel_checkpoint *c = changed(t, &by);
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status;
    keel_state *state = keel_state_new(t->model->system);
    keel_checkpoint_state(c, t->model->system, state, NULL);
    keel_state_free(state);
    keel_simulation *sim = keel_simulation_load(t->model->system, &t->settings, c, messages, &status);
    if (!sim && status != KEEL_ERROR_MEMORY && keel_diagnostics_errors(messages) == 0)
        abort();
    for (int i = 0; sim && i < 3 && keel_simulation_step(sim) == KEEL_OK; i++)
        continue;
    keel_simulation_free(sim);
    keel_result result;
    keel_run_resume(t->model->system, &t->settings, c, NULL, NULL, &result);
    keel_result_clear(&result);
    keel_checkpoint_free(c);
    keel_diagnostics_free(messages);
    return 0;
}

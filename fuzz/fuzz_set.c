/* fuzz_set.c - libFuzzer target: NAME=VALUE of --set and --option, on models with parameters. */
#include <stdlib.h>
#include <string.h>

#include "keel/modelfile.h"
#include "keel/settings.h"
#include "target.h"

static const char EQUATIONS[] = "keel: 1\n"
                                "parameters: {g: 9.81, L: 1, N: 3, k: 2*g/L}\n"
                                "equations:\n"
                                "  coordinates: {x: L, y: 0}\n"
                                "  repeat: {for: {i: 1..N}, coordinates: {\"u[i]\": i}}\n"
                                "  kinetic: (x'^2 + y'^2)/2 + sum(i, 1, N, u[i]'^2)\n"
                                "  potential: g*y + k*sum(i, 1, N, u[i]^2)\n"
                                "  holonomic: {rod: x^2 + y^2 - L^2}\n";
static const char MECHANISM[] =
    "keel: 1\n"
    "planar: true\n"
    "parameters: {g: 9.81, L: 1, N: 2, k: 1}\n"
    "gravity: g\n"
    "bodies: {bar: {mass: k, centre: [L/2, 0], inertia: 1}}\n"
    "joints: {pin: {type: revolute, bodies: [ground, bar], at: [0, 0]}}\n"
    "repeat: {for: {i: 1..N}, bodies: {\"b[i]\": {mass: 1, centre: [i, L], inertia: k}}}\n";

/* A number of bodies is no error, but takes long. */
static bool may_be_slow(const char *name, const char *value) {
    return strcmp(name, "N") == 0 && (strlen(value) > 2 || strpbrk(value, "^eE*"));
}

static void set_parameter(const char *model, const char *name, const char *value) {
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_assignment set = {name, value};
    keel_status status;
    keel_model *made = keel_model_parse("fuzz.yaml", model, strlen(model), &set, 1, messages, &status);
    fuzz_explained(made, status, messages);
    keel_model_free(made);
    keel_diagnostics_free(messages);
}

static void set_option(const char *name, const char *value) {
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_settings settings = keel_settings_default();
    keel_location at = {.file = "--option"};
    char *end;
    double number = strtod(value, &end);
    keel_status status = *value && !*end ? keel_settings_set(&settings, name, at, number, at, messages)
                                         : keel_settings_set_word(&settings, name, at, value, at, messages);
    fuzz_explained(status >= 0, status, messages);
    keel_diagnostics_free(messages);
    messages = keel_diagnostics_new();
    if (status >= 0) {
        status = keel_settings_validate(&settings, 0, messages);
        fuzz_explained(status >= 0, status, messages);
    }
    keel_diagnostics_free(messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    char *equals = strchr(text, '=');
    if (equals && equals > text) {
        *equals = 0;
        if (!may_be_slow(text, equals + 1)) {
            set_parameter(EQUATIONS, text, equals + 1);
            set_parameter(MECHANISM, text, equals + 1);
        }
        set_option(text, equals + 1);
    }
    free(text);
    return 0;
}

#include "keel/settings.h"

#include <string.h>

#include "base/names.h"

#define OPTION(name, initial, least, most, unit, help)                                                       \
    { #name, offsetof(keel_settings, name), initial, least, most, unit, help }

/* The one place where options are listed. */
static const keel_option OPTIONS[] = {
    OPTION(until, 10, -1e300, 1e300, "time", "end time"),
    OPTION(output, 0, 0, 1e300, "time", "distance of output rows; 0: one row for every step"),
    OPTION(tolerance, 1e-6, 1e-14, 1, "", "relative error aimed at (adaptive integrators)"),
    OPTION(absolute_tolerance, 0, 0, 1e300, "",
           "absolute error aimed at; 0: the same number as tolerance"),
    OPTION(step, 0, 0, 1e300, "time", "step size of a fixed-step integrator"),
    OPTION(first_step, 0, 0, 1e300, "time", "first step of an adaptive integrator; 0: chosen automatically"),
    OPTION(max_step, 0, 0, 1e300, "time", "largest step of an adaptive integrator; 0: no limit"),
    OPTION(max_steps, 1e7, 1, 1e15, "", "most steps, accepted and rejected together"),
    OPTION(projection_tolerance, 5e-15, 1e-16, 1e-2, "",
           "violation that projection leaves, relative to the constraint's size"),
    OPTION(start_tolerance, 1e-3, 0, 1e300, "",
           "violation of the start that is repaired, relative to the constraint's size"),
};
enum { OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS };

const keel_option *keel_options(int *count) {
    *count = OPTION_COUNT;
    return OPTIONS;
}

static double *field(keel_settings *settings, const keel_option *option) {
    return (double *)(void *)((char *)settings + option->offset);
}

keel_settings keel_settings_default(void) {
    keel_settings settings = {.method = keel_method_auto()};
    for (int i = 0; i < OPTION_COUNT; i++)
        *field(&settings, &OPTIONS[i]) = OPTIONS[i].initial;
    return settings;
}

static keel_status unknown_option(const char *name, keel_location at, keel_diagnostics *diagnostics) {
    const char *names[OPTION_COUNT];
    for (int i = 0; i < OPTION_COUNT; i++)
        names[i] = OPTIONS[i].name;
    const char *closest = ki_closest_name(name, names, OPTION_COUNT);
    if (closest)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, at, "unknown option '%s': did you mean '%s'?", name,
                             closest);
    else
        keel_diagnostics_add(diagnostics, KEEL_ERROR, at,
                             "unknown option '%s' (keel help run lists the options)", name);
    return KEEL_ERROR_INPUT;
}

keel_status keel_settings_set(keel_settings *settings, const char *name, keel_location name_at, double value,
                              keel_location value_at, keel_diagnostics *diagnostics) {
    for (int i = 0; i < OPTION_COUNT; i++) {
        const keel_option *option = &OPTIONS[i];
        if (strcmp(name, option->name) != 0)
            continue;
        if (!(value >= option->least && value <= option->most)) {
            keel_diagnostics_add(diagnostics, KEEL_ERROR, value_at,
                                 "option '%s' is %g: it must be between %g and %g", name, value,
                                 option->least, option->most);
            return KEEL_ERROR_INPUT;
        }
        *field(settings, option) = value;
        return KEEL_OK;
    }
    return unknown_option(name, name_at, diagnostics);
}

keel_status keel_settings_validate(const keel_settings *settings, double t_start,
                                   keel_diagnostics *diagnostics) {
    keel_location nowhere = {0};
    keel_status status = KEEL_OK;
    char method[64];
    if (!(settings->until > t_start)) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere,
                             "the end time %g is not after the start time %g: set 'until'", settings->until,
                             t_start);
        status = KEEL_ERROR_INPUT;
    }
    if (!keel_method_is_valid(settings->method)) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere, "the method %s is not possible",
                             keel_method_text(settings->method, method));
        status = KEEL_ERROR_INPUT;
    } else if (!keel_integrator_is_adaptive(settings->method.integrator) && settings->step == 0) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, nowhere,
                             "%s takes a fixed step: give one, 'step: 0.01' under simulate or --step 0.01",
                             keel_integrator_word(settings->method.integrator).name);
        status = KEEL_ERROR_INPUT;
    }
    return status;
}

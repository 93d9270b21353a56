/* Instructions of a step by each method, for callgrind.
 *
 *     valgrind --tool=callgrind --collect-atstart=no --instr-atstart=no --callgrind-out-file=OUT
 *         bench_scaling [-c STEPS] MODEL.yaml [NAME=VALUE]... METHOD...
 *
 * takes steps with each of these methods and dumps one file for each, whose description ends
 * with the method; for each it prints a line
 *
 *     METHOD BODIES VELOCITIES CONSTRAINTS STEPS
 *
 * or METHOD - and what went wrong. The first steps are not counted: methods of many orders begin with the
 * lowest, and chosen steps are still growing. Fixed steps are those of FIXED, which no model here finds long.
 * `bench_scaling --methods` lists all methods. scaling.sh makes the table. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/callgrind.h>

#include "keel/keel.h"
#include "keel/mechanism.h"
#include "keel/modelfile.h"

enum { BEFORE = 40, MOST_VALUES = 8 };

static const double FIXED = 1e-5;

static int counted = 10;
static keel_diagnostics *messages;

static const char *last_message(keel_status status) {
    int count = keel_diagnostics_count(messages);
    return count ? keel_diagnostics_get(messages, count - 1).text : keel_status_text(status);
}

static keel_status take_steps(keel_simulation *sim, int count) {
    keel_status status = KEEL_OK;
    for (int k = 0; k < count && status >= 0; k++)
        status = keel_simulation_step(sim);
    return status;
}

static void count(const keel_model *model, const char *bodies, keel_method method) {
    keel_settings settings = model->settings;
    char name[64];
    keel_status status;
    keel_method_text(method, name);
    settings.method = method;
    settings.code = KEEL_CODE_TAPE;
    settings.until = 1e3;
    settings.step = keel_integrator_is_adaptive(method.integrator) ? settings.step : FIXED;
    keel_simulation *sim = keel_simulation_new(model->system, model->start, model->velocities_given,
                                               &settings, messages, &status);
    if (sim)
        status = take_steps(sim, BEFORE);
    if (sim && status >= 0) {
        CALLGRIND_ZERO_STATS;
        CALLGRIND_START_INSTRUMENTATION;
        CALLGRIND_TOGGLE_COLLECT;
        status = take_steps(sim, counted);
        CALLGRIND_TOGGLE_COLLECT;
        CALLGRIND_DUMP_STATS_AT(name);
        CALLGRIND_STOP_INSTRUMENTATION;
    }
    if (status < 0)
        printf("%s - %s\n", name, last_message(status));
    else
        printf("%s %s %d %d %d\n", name, bodies, model->system->n_v, keel_system_m(model->system), counted);
    fflush(stdout);
    keel_simulation_free(sim);
}

static void list_methods(void) {
    char name[64];
    for (int i = 0; i < KEEL_INTEGRATORS; i++)
        for (int f = 0; f < KEEL_FORMULATIONS; f++)
            for (int s = 0; s < KEEL_STABILIZERS; s++) {
                keel_method method = {(keel_integrator)i, (keel_formulation)f, (keel_stabilize)s, 0};
                if (keel_method_is_valid(method))
                    printf("%s\n", keel_method_text(method, name));
            }
}

int main(int arguments, char **argument) {
    keel_assignment set[MOST_VALUES];
    int next = 1, values = 0;
    if (arguments == 2 && strcmp(argument[1], "--methods") == 0) {
        list_methods();
        return 0;
    }
    if (next + 1 < arguments && strcmp(argument[next], "-c") == 0) {
        counted = atoi(argument[next + 1]);
        next += 2;
    }
    const char *path = next < arguments ? argument[next++] : NULL;
    for (char *sign; next < arguments && values < MOST_VALUES && (sign = strchr(argument[next], '='));
         next++) {
        *sign = 0;
        set[values++] = (keel_assignment){argument[next], sign + 1};
    }
    keel_status status = KEEL_ERROR_INPUT;
    keel_mechanism_facts facts;
    messages = keel_diagnostics_new();
    keel_model *model = path ? keel_model_read(path, set, values, messages, &status) : NULL;
    if (!model || keel_model_assemble(model, messages, NULL) < 0 ||
        !keel_mechanism_look(model->system, &facts)) {
        fprintf(stderr, "%s: %s\n", path ? path : "no model", last_message(status));
        return 1;
    }
    char bodies[16];
    snprintf(bodies, sizeof bodies, "%d", facts.bodies);
    for (; next < arguments; next++) {
        keel_method method;
        if (keel_method_parse(argument[next], (keel_location){0}, messages, &method))
            printf("%s - %s\n", argument[next], last_message(KEEL_ERROR_INPUT));
        else
            count(model, bodies, method);
    }
    keel_model_free(model);
    keel_diagnostics_free(messages);
    return 0;
}

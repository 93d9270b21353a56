/* Instructions of a run, for callgrind: what a model costs to read, to make ready and in each step.
 *
 *     valgrind --tool=callgrind --collect-atstart=no --callgrind-out-file=OUT bench_instructions MODEL.yaml
 * NAME
 *
 * dumps one file for each phase, whose description ends with the name of the phase, and prints a line for
 * each:
 *
 *     phase NAME VELOCITIES CONSTRAINTS PHASE STEPS EVALUATIONS
 *
 * `read`, `ready` (joints closed, mobility looked at) and `start` are those of a run as a user asks for it.
 * Steps are counted in four ways, the last three by dop853/index1/projection:
 *
 *     run        as a user asks for it, formulas shortened
 *     general    the same by that method
 *     recursion  without formulas either: the recursions of mechanisms with the elimination
 *     code       as `general`, by machine code
 *
 * instructions.sh makes the table.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/callgrind.h>

#include "keel/keel.h"
#include "keel/mobility.h"
#include "keel/modelfile.h"
#include "keel/native.h"

static const char *name;
static keel_diagnostics *messages;

static void stop(const char *what, keel_status status) {
    int count = keel_diagnostics_count(messages);
    fprintf(stderr, "%s: %s: %s\n", name, what,
            count ? keel_diagnostics_get(messages, count - 1).text : keel_status_text(status));
    exit(1);
}

static void count_from_here(void) {
    CALLGRIND_ZERO_STATS;
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_TOGGLE_COLLECT;
}

static void count_to_here(const keel_system *system, const char *phase, long steps, long evaluations) {
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS_AT(phase);
    CALLGRIND_STOP_INSTRUMENTATION;
    printf("phase %s %d %d %s %ld %ld\n", name, system->n_v, keel_system_m(system), phase, steps,
           evaluations);
}

/* How many steps are taken before and while they are counted: the larger the system, the fewer. */
static void choose_steps(const keel_system *system, int *before, int *counted) {
    *before = system->n_v > 300 ? 2 : 10;
    *counted = system->n_v > 1500 ? 2 : system->n_v > 100 ? 4 : 20;
}

static long evaluations_of(keel_simulation *sim) {
    keel_result result = {0};
    keel_status status = keel_simulation_result(sim, &result);
    if (status < 0)
        stop("result", status);
    long count = result.count.evaluations;
    keel_result_clear(&result);
    return count;
}

/* Steps while there is time left; how many. */
static int take_steps(keel_simulation *sim, double until, int most) {
    int taken = 0;
    while (taken < most && keel_simulation_time(sim) < until) {
        keel_status status = keel_simulation_step(sim);
        if (status < 0)
            stop("step", status);
        taken++;
    }
    return taken;
}

static void count_steps(const keel_model *model, const keel_system *system, const keel_settings *settings,
                        const char *phase) {
    keel_status status;
    int before, most;
    keel_simulation *sim =
        keel_simulation_new(system, model->start, model->velocities_given, settings, messages, &status);
    if (!sim)
        stop(phase, status);
    choose_steps(system, &before, &most);
    take_steps(sim, settings->until, before);
    long evaluations = evaluations_of(sim);
    count_from_here();
    int steps = take_steps(sim, settings->until, most);
    count_to_here(system, phase, steps, evaluations_of(sim) - evaluations);
    keel_simulation_free(sim);
}

/* What no mechanism has but some. */
static keel_system without_shortcuts(const keel_system *system) {
    keel_system plain = *system;
    plain.for_run = NULL;
    return plain;
}

static void count_ready(keel_model *model) {
    enum { MOST_ENTRIES = 100000 }; /* as `keel run` */
    keel_mobility mobility;
    count_from_here();
    keel_status status = model->is_mechanism ? keel_model_assemble(model, messages, NULL) : KEEL_OK;
    if (status >= 0 && model->is_mechanism &&
        keel_mobility_find(model->system, model->start, MOST_ENTRIES, &mobility) >= 0) {
        status = keel_mobility_check(model->system, &mobility, messages);
        keel_mobility_clear(&mobility);
    }
    if (status < 0)
        stop("ready", status);
    count_to_here(model->system, "ready", 1, 0);
}

static void count_start(const keel_model *model) {
    keel_status status;
    count_from_here();
    keel_simulation *sim = keel_simulation_new(model->system, model->start, model->velocities_given,
                                               &model->settings, messages, &status);
    if (!sim)
        stop("start", status);
    count_to_here(model->system, "start", 1, 0);
    keel_simulation_free(sim);
}

/* As it was read, a mechanism has no formulas. */
static void count_by_recursion(const keel_model *model, const keel_settings *settings) {
    keel_system plain = without_shortcuts(model->system);
    if (model->is_mechanism)
        count_steps(model, &plain, settings, "recursion");
}

/* With formulas where there are some, shortened. */
static const keel_system *long_run(const keel_system *system) {
    const keel_system *made = system->for_run ? system->for_run(system, HUGE_VAL) : system;
    if (!made)
        stop("formulas", KEEL_ERROR_MEMORY);
    return made;
}

static void count_by_code(const keel_model *model, const keel_settings *settings) {
    keel_native *native = keel_native_attach(model->system, NULL, messages);
    if (native && keel_native_compile(native, 1) == KEEL_NATIVE_READY) {
        keel_system plain = without_shortcuts(long_run(model->system));
        count_steps(model, &plain, settings, "code");
    }
    keel_native_detach(native);
}

int main(int count, char **argument) {
    if (count != 3) {
        fprintf(stderr, "usage: %s MODEL.yaml NAME\n", argument[0]);
        return 2;
    }
    name = argument[2];
    messages = keel_diagnostics_new();
    keel_status status;
    count_from_here();
    keel_model *model = keel_model_read(argument[1], NULL, 0, messages, &status);
    if (!model)
        stop("read", status);
    count_to_here(model->system, "read", 1, 0);
    count_ready(model);
    count_start(model);
    keel_settings settings = model->settings, plain_settings;
    settings.code = KEEL_CODE_TAPE;
    count_steps(model, model->system, &settings, "run");
    plain_settings = settings;
    plain_settings.method = (keel_method){KEEL_DOP853, KEEL_INDEX1, KEEL_PROJECTION, 0};
    keel_system plain = without_shortcuts(long_run(model->system));
    count_steps(model, &plain, &plain_settings, "general");
    count_by_recursion(model, &plain_settings);
    count_by_code(model, &plain_settings);
    keel_model_free(model);
    keel_diagnostics_free(messages);
    return 0;
}

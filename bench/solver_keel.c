/* Keel as a solver of the benchmark: every problem from its model file, `auto` and single methods.
 *
 * The model files are looked for in KEEL_BENCH_MODELS (set when this is built). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "keel/keel.h"
#include "keel/modelfile.h"
#include "keel/native.h"
#include "problems.h"

/* Methods that are worth a curve; `auto` is what users get. */
static const char *const METHODS[] = {"auto", "dop853/index1/projection", "dopri5/index1/projection",
                                      "adams/index1/projection"};
static const char *const STIFF_METHODS[] = {"radau5/index1/projection", "radau9/index1/projection",
                                            "bdf/index1/projection", "ida/ggl/none"};
enum {
    METHOD_COUNT = sizeof METHODS / sizeof *METHODS,
    STIFF_COUNT = sizeof STIFF_METHODS / sizeof *STIFF_METHODS,
    SET_MAX = 4
};

/* Says in `why` what Keel's first message says. */
static int fail(bench_result *result, const keel_diagnostics *messages, keel_status status) {
    const char *text =
        keel_diagnostics_count(messages) ? keel_diagnostics_get(messages, 0).text : keel_status_text(status);
    snprintf(result->why, sizeof result->why, "%s", text);
    return 1;
}

static keel_model *read_model(const bench_problem *problem, keel_diagnostics *messages, keel_status *status) {
    char path[512], set[128];
    keel_assignment assignments[SET_MAX];
    int count = 0;
    snprintf(path, sizeof path, "%s/%s", KEEL_BENCH_MODELS, problem->model);
    snprintf(set, sizeof set, "%s", problem->set);
    for (char *rest = set, *word; count < SET_MAX && (word = strtok_r(rest, " ", &rest));) {
        char *equals = strchr(word, '=');
        *equals = 0;
        assignments[count++] = (keel_assignment){word, equals + 1};
    }
    keel_model *model = keel_model_read(path, assignments, count, messages, status);
    if (model && model->is_mechanism) {
        *status = keel_model_assemble(model, messages, NULL);
        if (*status < 0) {
            keel_model_free(model);
            return NULL;
        }
    }
    return model;
}

/* A column of a row by its name: coordinate, velocity (NAME') or output; NAN if there is none. */
static double column(const keel_system *system, const keel_row *row, const char *name) {
    char buffer[32];
    size_t length = strlen(name);
    for (int i = 0; i < system->n_outputs; i++)
        if (strcmp(keel_system_name(system, KEEL_NAME_OUTPUT, i, buffer), name) == 0)
            return row->outputs[i];
    for (int i = 0; i < system->n_q; i++) {
        const char *q = keel_system_name(system, KEEL_NAME_Q, i, buffer);
        if (strcmp(q, name) == 0)
            return row->q[i];
        if (strlen(q) + 1 == length && strncmp(q, name, length - 1) == 0 && name[length - 1] == '\'')
            return row->v[i];
    }
    return NAN;
}

static int observe(const keel_system *system, const keel_row *row, const char *names, double *values) {
    char text[256];
    int count = 0;
    snprintf(text, sizeof text, "%s", names);
    for (char *rest = text, *word; (word = strtok_r(rest, " ", &rest));)
        values[count++] = column(system, row, word);
    return count;
}

static void report(const bench_problem *problem, const keel_model *model, const keel_row *row,
                   const keel_result *facts, bench_result *result) {
    result->n_q = observe(model->system, row, problem->q, result->q);
    result->n_v = observe(model->system, row, problem->v, result->v);
    result->position = facts->position.max;
    result->velocity = facts->velocity.max;
    result->energy =
        facts->has_energy ? fabs(facts->energy_drift) / fmax(1, fabs(facts->energy_initial)) : NAN;
    result->steps = facts->count.steps;
    result->evaluations = facts->count.evaluations;
    result->factorizations = facts->count.factorizations;
}

static keel_status integrate(keel_simulation *simulation, double until) {
    keel_status status = KEEL_OK;
    bench_start_clock();
    while (status >= 0 && keel_simulation_time(simulation) < until)
        status = keel_simulation_step(simulation);
    bench_stop_clock();
    return status;
}

static int simulate(const bench_problem *problem, const keel_model *model, const keel_settings *settings,
                    keel_diagnostics *messages, bench_result *result) {
    keel_status status;
    keel_row row;
    keel_result facts = {0};
    keel_simulation *simulation = keel_simulation_new(model->system, model->start, model->velocities_given,
                                                      settings, messages, &status);
    if (!simulation)
        return fail(result, messages, status);
    status = integrate(simulation, problem->until);
    if (status >= 0)
        status = keel_simulation_row(simulation, problem->until, &row);
    if (status >= 0)
        status = keel_simulation_result(simulation, &facts);
    if (status >= 0)
        report(problem, model, &row, &facts, result);
    keel_result_clear(&facts);
    keel_simulation_free(simulation);
    return status < 0 ? fail(result, messages, status) : 0;
}

/* Machine code for models of equations, compiled before the clock starts; as `keel run` has it from the
 * cache.
 */
static keel_native *attach_code(const keel_model *model) {
    keel_native *native = keel_native_attach(model->system, NULL, NULL);
    if (native)
        keel_native_compile(native, 1);
    return native;
}

/* The model with its machine code, read once for all repeats: as the code of the other solvers, it is in
 * memory when the clock starts. */
static struct {
    const bench_problem *problem;
    keel_model *model;
    keel_native *native;
} loaded;

static void unload(void) {
    keel_native_detach(loaded.native);
    keel_model_free(loaded.model);
    loaded.problem = NULL;
    loaded.model = NULL;
    loaded.native = NULL;
}

static const keel_model *load(const bench_problem *problem, keel_diagnostics *messages, keel_status *status) {
    *status = KEEL_OK;
    if (loaded.model && loaded.problem == problem)
        return loaded.model;
    unload();
    *status = KEEL_ERROR_INPUT;
    loaded.model = problem ? read_model(problem, messages, status) : NULL;
    if (loaded.model)
        loaded.native = attach_code(loaded.model);
    loaded.problem = problem;
    return loaded.model;
}

static int run(const char *name, const char *method, double tolerance, bench_result *result) {
    const bench_problem *problem = bench_find_problem(name);
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status;
    const keel_model *model = load(problem, messages, &status);
    keel_settings settings = keel_settings_default();
    if (model) {
        settings.until = problem->until;
        settings.tolerance = tolerance;
        settings.code = KEEL_CODE_TAPE; /* shortened formulas, and machine code where it is attached */
        status = keel_method_parse(method, (keel_location){.file = "method"}, messages, &settings.method);
    }
    int failed = !model || status < 0 ? fail(result, messages, status)
                                      : simulate(problem, model, &settings, messages, result);
    keel_diagnostics_free(messages);
    return failed;
}

static void offer(bench_case *offered, const bench_problem *problem, const char *method) {
    int count = 0;
    *offered = (bench_case){.problem = problem->name, .method = method, .parameter = "tol"};
    for (int k = 0; count < BENCH_LADDER_MAX && pow(10, -k) > 0.9 * problem->tightest; k++)
        offered->ladder[count++] = pow(10, -k);
}

int main(int argc, char **argv) {
    int count = 0;
    bench_case *cases = calloc((size_t)BENCH_PROBLEM_COUNT * (METHOD_COUNT + STIFF_COUNT), sizeof *cases);
    if (!cases)
        return 1;
    for (int i = 0; i < BENCH_PROBLEM_COUNT; i++) {
        for (int k = 0; k < METHOD_COUNT; k++)
            offer(&cases[count++], &BENCH_PROBLEMS[i], METHODS[k]);
        for (int k = 0; k < (BENCH_PROBLEMS[i].stiff ? STIFF_COUNT : 0); k++)
            offer(&cases[count++], &BENCH_PROBLEMS[i], STIFF_METHODS[k]);
    }
    bench_solver solver = {.cases = cases, .count = count, .run = run};
    int outcome = bench_main(argc, argv, &solver);
    unload();
    free(cases);
    return outcome;
}

/* Whole models: every section arrives where it belongs, parameters can be set, problems are collected. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keel/modelfile.h"

static keel_diagnostics *messages;

static int new_messages(void **state) {
    (void)state;
    messages = keel_diagnostics_new();
    return 0;
}

static int free_messages(void **state) {
    (void)state;
    keel_diagnostics_free(messages);
    return 0;
}

static keel_model *parse_with(const char *text, const keel_assignment *set, int set_count) {
    keel_status status;
    keel_model *model =
        keel_model_parse("some/folder/m.yaml", text, strlen(text), set, set_count, messages, &status);
    assert_int_equal(status, model ? KEEL_OK : KEEL_ERROR_INPUT);
    return model;
}

static keel_model *parse(const char *text) {
    keel_model *model = parse_with(text, NULL, 0);
    for (int i = 0; i < keel_diagnostics_count(messages); i++)
        print_message("%d:%d: %s\n", keel_diagnostics_get(messages, i).where.line,
                      keel_diagnostics_get(messages, i).where.column, keel_diagnostics_get(messages, i).text);
    assert_non_null(model);
    return model;
}

/* The first example of docs/model-format.md. */
static const char SKETCH[] = "keel: 1                                   # format version, required\n"
                             "name: pendulum in Cartesian coordinates   # optional\n"
                             "description: free text                    # optional\n"
                             "parameters: {g: 9.81, L: 1}               # optional\n"
                             "equations:                                # the system\n"
                             "  coordinates: {x: 1, y: 0}               # name: start value\n"
                             "  kinetic: (x'^2 + y'^2)/2\n"
                             "  potential: g*y\n"
                             "  holonomic: {rod: x^2 + y^2 - L^2}\n"
                             "outputs: {angle: atan2(x, -y)}            # optional\n"
                             "simulate: {until: 10, method: auto, tolerance: 1e-8, output: 0.01}\n";

static void reads_the_sketch(void **state) {
    (void)state;
    keel_model *model = parse(SKETCH);
    const keel_system *system = model->system;
    assert_string_equal(model->name, "pendulum in Cartesian coordinates");
    assert_int_equal(system->n_q, 2);
    assert_int_equal(system->n_h, 1);
    assert_int_equal(system->n_outputs, 1);
    assert_string_equal(system->names.q[1], "y");
    assert_string_equal(system->names.constraint[0], "rod");
    assert_string_equal(system->names.output[0], "angle");
    assert_true(model->start->q[0] == 1 && model->start->q[1] == 0 && model->start->t == 0);
    assert_int_equal(model->velocities_given, 0);
    assert_true(model->settings.until == 10 && model->settings.tolerance == 1e-8);
    assert_true(model->settings.output == 0.01);
    keel_model_free(model);
}

static void names_a_model_after_its_file(void **state) {
    (void)state;
    keel_model *model = parse("keel: 1\nequations: {coordinates: {x: 1}, kinetic: x'^2/2}\n");
    assert_string_equal(model->name, "m.yaml");
    assert_true(model->settings.tolerance == keel_settings_default().tolerance);
    keel_model_free(model);
}

static void evaluates_settings(void **state) {
    (void)state;
    keel_model *model = parse("keel: 1\n"
                              "parameters: {omega: pi/2, turns: 3}\n"
                              "equations: {coordinates: {x: 1}, velocities: {x: omega}, kinetic: x'^2/2}\n"
                              "simulate:\n"
                              "  start: 90 deg\n"
                              "  until: turns*2*pi/omega   # 12\n"
                              "  method: dopri5/index1/none\n"
                              "  max_step: 1/10\n");
    assert_true(fabs(model->start->t - acos(-1) / 2) < 1e-15);
    assert_true(fabs(model->settings.until - 12) < 1e-14);
    assert_true(model->settings.max_step == 0.1);
    assert_int_equal(model->settings.method.integrator, KEEL_DOPRI5);
    assert_int_equal(model->settings.method.stabilize, KEEL_STABILIZE_NONE);
    assert_int_equal(model->velocities_given, 1);
    assert_true(fabs(model->start->v[0] - acos(-1) / 2) < 1e-15);
    keel_model_free(model);
}

/* M of a system at its start, as a full matrix of order n. */
static void mass_at_start(const keel_model *model, int n, double *M) {
    const keel_system *system = model->system;
    void *work = NULL;
    double *entries = calloc((size_t)keel_pattern_count(system->M), sizeof(double));
    const keel_state *s = model->start;
    keel_point at = {s->t, s->q, s->v, s->z, s->s, s->lambda, NULL};
    keel_terms terms = {.M = entries};
    assert_int_equal(system->n_v, n);
    if (system->work_new)
        assert_int_equal(system->work_new(system, &work), KEEL_OK);
    assert_int_equal(system->evaluate(system, work, KEEL_MASS, &at, &terms), KEEL_OK);
    if (system->work_free)
        system->work_free(work);
    memset(M, 0, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int k = system->M.start[i]; k < system->M.start[i + 1]; k++)
            M[i * n + system->M.index[k]] = M[system->M.index[k] * n + i] = entries[k];
    free(entries);
}

static void reads_the_newton_form(void **state) {
    (void)state;
    keel_model *model = parse("keel: 1\n"
                              "equations:\n"
                              "  coordinates: {x: 2, y: 0}\n"
                              "  mass:\n"
                              "    x: 1 + x\n"
                              "    x,y: 0.5\n"
                              "    y: 7\n"
                              "  forces: {x: -x}\n");
    double M[4];
    mass_at_start(model, 2, M);
    assert_true(M[0] == 3 && M[1] == 0.5 && M[2] == 0.5 && M[3] == 7);
    keel_model_free(model);
}

static void reads_states_and_auxiliaries(void **state) {
    (void)state;
    keel_model *model = parse("keel: 1\n"
                              "equations:\n"
                              "  coordinates: {x: 3}\n"
                              "  kinetic: x'^2/2\n"
                              "  states:\n"
                              "    filter: {start: 2, rate: x - filter}\n"
                              "    total: {rate: x, start: -1}\n"
                              "  auxiliary: {s: 2.5}\n"
                              "  auxiliary_equations: {contact: s - x}\n"
                              "  forces: {x: -filter + s}\n");
    assert_int_equal(model->system->n_z, 2);
    assert_int_equal(model->system->n_s, 1);
    assert_string_equal(model->system->names.z[1], "total");
    assert_true(model->start->z[0] == 2 && model->start->z[1] == -1);
    keel_model_free(model);
}

/* Invariants, also inside of `repeat`, and a state whose rate names a multiplier. */
static void reads_invariants(void **state) {
    (void)state;
    keel_model *model = parse("keel: 1\n"
                              "parameters: {m: 3}\n"
                              "equations:\n"
                              "  coordinates: {x: 1, y: 0}\n"
                              "  velocities: {y: 2}\n"
                              "  mass: {x: m, y: m}\n"
                              "  potential: -m/hypot(x, y)\n"
                              "  holonomic: {rod: x^2 + y^2 - 1}\n"
                              "  invariants: {energy: energy, spin: m*(x*y' - y*x')}\n"
                              "  states: {impulse: {start: 0, rate: abs(lambda.rod)}}\n"
                              "  repeat:\n"
                              "    for: {i: 1..2}\n"
                              "    coordinates: {\"u[i]\": 0}\n"
                              "    velocities: {\"u[i]\": 5}\n"
                              "    mass: {\"u[i]\": i}\n"
                              "    invariants: {\"momentum[i]\": i*u[i]'}\n");
    const keel_system *system = model->system;
    const keel_state *s = model->start;
    static const char *const NAMES[] = {"energy", "spin", "momentum[1]", "momentum[2]"};
    /* 3 2^2/2 + 5^2/2 + 2 5^2/2 - 3, 3 2, 5, 2 5 */
    static const double VALUES[] = {40.5, 6, 5, 10};
    double invariant[4], invariant_y[16];
    keel_point at = {s->t, s->q, s->v, s->z, s->s, s->lambda, NULL};
    keel_terms terms = {.invariant = invariant, .invariant_y = invariant_y};
    void *work = NULL;
    assert_int_equal(system->n_i, 4);
    assert_int_equal(keel_pattern_count(system->invariant_y), 2 + 4 + 4 + 1 + 1);
    assert_int_equal(system->f_needs_lambda, 1);
    assert_int_equal(system->work_new(system, &work), KEEL_OK);
    assert_int_equal(system->evaluate(system, work, KEEL_INVARIANTS, &at, &terms), KEEL_OK);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(system->names.invariant[i], NAMES[i]);
        assert_true(fabs(invariant[i] - VALUES[i]) < 1e-14);
    }
    system->work_free(work);
    keel_model_free(model);
}

static void repeats_blocks(void **state) {
    (void)state;
    keel_model *model =
        parse("keel: 1\n"
              "parameters: {N: 3}\n"
              "equations:\n"
              "  coordinates: {a: 1}\n"
              "  kinetic: a'^2/2\n"
              "  repeat:\n"
              "    - for: {i: 1..2, j: i .. N}\n"
              "      coordinates: {x[10*i+j]: i*j}\n"
              "      kinetic: x[10*i+j]'^2/2\n"
              "    - for: {i: 1 .. N - 1}\n"
              "      repeat:\n"
              "        for: {j: 1..i}\n"
              "        holonomic:\n"
              "          c[10*i+j]: x[11] - x[12] - (1 - 2)\n"
              "    - {for: {i: 1..0}, forces: {nothing[i]: 1}}\n"
              "outputs: {repeat: {for: {i: 2..3}, \"f[i]\": atan2(x[10+i], i), g[i]: a''}}\n");
    static const char *const NAMES[] = {"a", "x[11]", "x[12]", "x[13]", "x[22]", "x[23]"};
    static const double START[] = {1, 1, 2, 3, 4, 6};
    assert_int_equal(model->system->n_q, 6);
    for (int i = 0; i < 6; i++) {
        assert_string_equal(model->system->names.q[i], NAMES[i]);
        assert_true(model->start->q[i] == START[i]);
    }
    static const char *const CONSTRAINTS[] = {"c[11]", "c[21]", "c[22]"};
    assert_int_equal(model->system->n_h, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(model->system->names.constraint[i], CONSTRAINTS[i]);
    assert_int_equal(model->system->n_outputs, 4);
    assert_string_equal(model->system->names.output[0], "f[2]");
    keel_model_free(model);
}

static void sets_parameters(void **state) {
    (void)state;
    static const char TEXT[] = "keel: 1\n"
                               "parameters: {L: 1, half: L/2, T: 10}\n"
                               "equations: {coordinates: {x: half}, kinetic: x'^2/2}\n"
                               "simulate: {until: 2*T}\n";
    const keel_assignment set[] = {{"L", "2*3"}, {"T", "7"}};
    keel_model *model = parse_with(TEXT, set, 2);
    assert_non_null(model);
    assert_true(model->start->q[0] == 3);
    assert_true(model->settings.until == 14);
    keel_model_free(model);

    const keel_assignment misspelt[] = {{"hlaf", "1"}};
    assert_null(parse_with(TEXT, misspelt, 1));
    assert_non_null(strstr(keel_diagnostics_get(messages, 0).text, "'hlaf'"));
    assert_non_null(strstr(keel_diagnostics_get(messages, 0).text, "did you mean 'half'?"));

    const keel_assignment broken[] = {{"L", "2*"}};
    int before = keel_diagnostics_count(messages);
    assert_null(parse_with(TEXT, broken, 1));
    keel_diagnostic message = keel_diagnostics_get(messages, before);
    assert_string_not_equal(message.where.file, "some/folder/m.yaml"); /* the mistake is not in the file */
    assert_int_equal(message.where.column, 3);
}

static void collects_problems(void **state) {
    (void)state;
    assert_null(parse_with("keel: 1\n"
                           "paramters: {m: 1}\n"
                           "equations:\n"
                           "  coordinates: {x: , y: [1]}\n"
                           "  holonomic: x\n"
                           "simulate: {untill: 10}\n",
                           NULL, 0));
    static const struct { int line, column; } PLACES[] = {{2, 1}, {4, 17}, {4, 25}, {5, 14}, {6, 12}};
    assert_int_equal(keel_diagnostics_count(messages), 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(keel_diagnostics_get(messages, i).where.line, PLACES[i].line);
        assert_int_equal(keel_diagnostics_get(messages, i).where.column, PLACES[i].column);
    }
}

static void says_a_problem_once(void **state) {
    (void)state;
    /* the broken parameter is met by the equations and by two settings */
    assert_null(parse_with("keel: 1\n"
                           "parameters: {T: 2*tau}\n"
                           "equations: {coordinates: {x: T}, kinetic: x'^2/2}\n"
                           "simulate: {until: T, output: T/10, tolerance: oops}\n",
                           NULL, 0));
    int about_tau = 0, about_oops = 0;
    for (int i = 0; i < keel_diagnostics_count(messages); i++) {
        about_tau += strstr(keel_diagnostics_get(messages, i).text, "'tau'") != NULL;
        about_oops += strstr(keel_diagnostics_get(messages, i).text, "'oops'") != NULL;
    }
    assert_int_equal(about_tau, 1);
    assert_int_equal(about_oops, 1);
}

static void needs_no_list_of_messages(void **state) {
    (void)state;
    static const char *const TEXTS[] = {
        "keel: 1\nfoo: 1\n",
        "",
        "\xFF",
        "a: [",
        "keel: 1\nequations: {coordinates: {x: z}, kinetic: x'^2}\nsimulate: {until: foo}\n",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        keel_status status;
        assert_null(keel_model_parse(NULL, TEXTS[i], strlen(TEXTS[i]), NULL, 0, NULL, &status));
        assert_int_equal(status, KEEL_ERROR_INPUT);
    }
}

static void reads_every_shipped_model(void **state) {
    (void)state;
    DIR *folder = opendir(KEEL_SOURCE_DIR "/models");
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        char path[1024];
        if (!dot || strcmp(dot, ".yaml") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", KEEL_SOURCE_DIR "/models", entry->d_name);
        keel_status status;
        keel_model *model = keel_model_read(path, NULL, 0, messages, &status);
        if (!model)
            fail_msg("%s: %s", path, keel_diagnostics_get(messages, 0).text);
        assert_int_equal(keel_diagnostics_count(messages), 0);
        keel_model_free(model);
        count++;
    }
    closedir(folder);
    assert_true(count >= 10);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, new_messages, free_messages)
    const struct CMUnitTest tests[] = {
        TEST(reads_the_sketch),
        TEST(names_a_model_after_its_file),
        TEST(evaluates_settings),
        TEST(reads_the_newton_form),
        TEST(reads_states_and_auxiliaries),
        TEST(reads_invariants),
        TEST(repeats_blocks),
        TEST(sets_parameters),
        TEST(collects_problems),
        TEST(says_a_problem_once),
        TEST(needs_no_list_of_messages),
        TEST(reads_every_shipped_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

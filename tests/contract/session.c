/* What other languages and short programs call: the numbers are those of the program, every failure has a
 * message, and files that are saved can be read again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keel/session.h"
#include "trials.h"

static keel_diagnostics *diagnostics;

static int setup(void **state) {
    (void)state;
    diagnostics = keel_diagnostics_new();
    return diagnostics ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    keel_diagnostics_free(diagnostics);
    return 0;
}

static const char *first_message(void) {
    return keel_diagnostics_count(diagnostics) ? keel_diagnostics_get(diagnostics, 0).text : "";
}

static keel_model *opened(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s.yaml", KEEL_SOURCE_DIR, name);
    keel_model *model = keel_model_open(path, NULL, 0, diagnostics);
    if (!model)
        fail_msg("%s: %s", name, first_message());
    return model;
}

/* Rows as keel_run gives them to its observer. */
typedef struct expectation {
    const keel_trajectory *run;
    const keel_system *system;
    long rows;
} expectation;

static keel_status compare_row(void *user, const keel_row *row) {
    expectation *e = user;
    for (int column = 0; column < keel_trajectory_columns(e->run); column++) {
        keel_quantity quantity = keel_find_quantity(e->system, keel_trajectory_name(e->run, column), NULL);
        double got = keel_trajectory_value(e->run, e->rows, column);
        if (quantity.kind != KEEL_QUANTITY_NONE && got != keel_row_value(row, quantity))
            fail_msg("row %ld, %s: %.17g", e->rows, keel_trajectory_name(e->run, column), got);
    }
    e->rows++;
    return KEEL_OK;
}

static void test_rows_are_those_of_the_run(void **state) {
    (void)state;
    static const char *const MODELS[] = {"four_bar", "pendulum_redundant", "rolling_coin", "stewart"};
    for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
        keel_model *model = opened(MODELS[i]);
        assert_int_equal(keel_model_set_option(model, "until", "0.2", diagnostics), KEEL_OK);
        keel_trajectory *run = keel_model_run(model, NULL, diagnostics);
        assert_int_equal(keel_trajectory_status(run), KEEL_OK);
        assert_int_equal(keel_trajectory_kept_promises(run, NULL, 0), 1);
        expectation e = {run, keel_model_system(model), 0};
        keel_observer observer = {.user = &e, .row = compare_row};
        keel_result result;
        assert_int_equal(keel_run(model->system, model->start, model->velocities_given, &model->settings,
                                  &observer, diagnostics, &result),
                         KEEL_OK);
        assert_int_equal(e.rows, keel_trajectory_rows(run));
        assert_int_equal(e.rows, keel_trajectory_rows_of_run(run));
        keel_result_clear(&result);
        keel_trajectory_free(run);
        keel_model_free(model);
    }
}

static void test_parameters_and_options(void **state) {
    (void)state;
    static const keel_assignment SET[] = {{"g", "1.62"}};
    char path[512];
    snprintf(path, sizeof path, "%s/models/pendulum.yaml", KEEL_SOURCE_DIR);
    keel_model *model = keel_model_open(path, SET, 1, diagnostics);
    assert_non_null(model);
    bool found = false;
    for (int i = 0; i < keel_model_parameter_count(model); i++)
        if (strcmp(keel_model_parameter_name(model, i), "g") == 0)
            found = keel_model_parameter_value(model, i) == 1.62;
    assert_true(found);
    assert_int_equal(keel_model_set_option(model, "method", "bdf", diagnostics), KEEL_OK);
    assert_int_equal(model->settings.method.integrator, KEEL_BDF);
    assert_int_equal(keel_model_set_option(model, "metric", "identity", diagnostics), KEEL_OK);
    assert_int_equal(keel_diagnostics_count(diagnostics), 0);
    static const char *const WRONG[][2] = {
        {"tolerence", "1"}, {"tolerance", "small"}, {"metric", "idenity"}, {"method", "bdv"}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(keel_model_set_option(model, WRONG[i][0], WRONG[i][1], diagnostics),
                         KEEL_ERROR_INPUT);
        assert_int_equal(keel_diagnostics_errors(diagnostics), i + 1);
    }
    keel_model_free(model);
}

static void test_what_is_wrong_is_told(void **state) {
    (void)state;
    assert_null(keel_model_open("no_such_file.yaml", NULL, 0, diagnostics));
    assert_int_equal(keel_diagnostics_errors(diagnostics), 1);
    assert_null(keel_model_open_text("text", "keel: 1\nbodies: {a: {mas: 1}}\n", NULL, 0, diagnostics));
    assert_true(keel_diagnostics_errors(diagnostics) > 1);
    keel_diagnostic m = keel_diagnostics_get(diagnostics, 1);
    assert_string_equal(m.where.file, "text");
    assert_int_equal(m.where.line, 2);
}

static int stop_at_half(void *user, double t, double until) {
    (void)user;
    return t > until / 2;
}

static void test_runs_are_stopped(void **state) {
    (void)state;
    keel_model *model = opened("four_bar");
    keel_trajectory *run = keel_model_run(model, &(keel_watcher){.progress = stop_at_half}, diagnostics);
    assert_int_equal(keel_trajectory_status(run), KEEL_INTERRUPTED);
    double end = keel_trajectory_value(run, keel_trajectory_rows(run) - 1, 0);
    assert_true(end > 0 && end < model->settings.until);
    keel_trajectory_free(run);
    keel_model_free(model);
}

static int count_calls(void *user, double t, double until) {
    (void)t, (void)until;
    ++*(int *)user;
    return 0;
}

static void test_calls_of_a_watcher_are_apart(void **state) {
    (void)state;
    keel_model *model = opened("four_bar");
    int every = 0, seldom = 0;
    keel_trajectory_free(keel_model_run(model, &(keel_watcher){count_calls, &every, 0}, diagnostics));
    keel_trajectory_free(keel_model_run(model, &(keel_watcher){count_calls, &seldom, 3600}, diagnostics));
    assert_true(every > 1);
    assert_int_equal(seldom, 0);
    keel_model_free(model);
}

static void test_options_of_one_run(void **state) {
    (void)state;
    static const keel_assignment SHORT[] = {{"until", "0.5"}, {"method", "bdf"}};
    static const keel_assignment WRONG[] = {{"untill", "1"}, {"method", "bdv"}};
    keel_model *model = opened("four_bar");
    keel_trajectory *run = keel_model_run_with(model, SHORT, 2, NULL, diagnostics);
    assert_true(keel_trajectory_value(run, keel_trajectory_rows(run) - 1, 0) == 0.5);
    assert_true(model->settings.until == 2);
    keel_trajectory_free(run);
    assert_null(keel_model_run_with(model, WRONG, 2, NULL, diagnostics));
    assert_int_equal(keel_diagnostics_errors(diagnostics), 2);
    keel_simulation *sim = keel_simulation_open_with(model, SHORT, 2, diagnostics);
    assert_true(keel_simulation_until(sim) == 0.5);
    keel_row *row = keel_row_new();
    assert_int_equal(keel_simulation_advance(sim, 0.25, row), KEEL_OK);
    keel_quantity t = keel_find_quantity(keel_model_system(model), "t", diagnostics);
    assert_true(keel_row_value(row, t) == 0.25);
    keel_state *there = keel_state_new(model->system);
    assert_int_equal(keel_row_state(row, model->system, there), KEEL_OK);
    assert_true(there->t == 0.25 && there->q[0] == row->q[0] && there->v[0] == row->v[0]);
    keel_state_free(there);
    int sizes[KEEL_SIZES];
    keel_system_sizes(keel_model_system(model), sizes);
    assert_int_equal(sizes[KEEL_SIZE_OUTPUTS], 8);
    assert_int_equal(sizes[KEEL_SIZE_LAMBDA], keel_system_m(model->system));
    keel_row_free(row);
    keel_simulation_free(sim);
    keel_model_free(model);
}

static void test_checks(void **state) {
    (void)state;
    keel_model *model = opened("door");
    char *text = keel_model_check(model, diagnostics);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"mobility\": 1"));
    assert_non_null(strstr(text, "\"repeated\": ["));
    assert_non_null(strstr(text, "already imposes"));
    keel_text_free(text);
    keel_model_free(model);
}

static void test_files_are_read_again(void **state) {
    (void)state;
    static const char *const FILES[] = {"session_rows.csv", "session_rows.h5"};
    keel_model *model = opened("pendulum_redundant");
    keel_trajectory *run = keel_model_run(model, NULL, diagnostics);
    for (int i = 0; i < 2; i++) {
        keel_status status;
        if (keel_trajectory_save(run, FILES[i], diagnostics))
            fail_msg("%s: %s", FILES[i], first_message());
        keel_record *record = keel_record_read(FILES[i], diagnostics, &status);
        assert_non_null(record);
        assert_int_equal(keel_record_match(record, model->system, diagnostics), KEEL_OK);
        assert_int_equal(keel_record_rows(record), keel_trajectory_rows(run));
        keel_record_free(record);
    }
    assert_int_equal(keel_trajectory_save(run, "session_page.html", diagnostics), KEEL_OK);
    assert_int_equal(keel_trajectory_save(run, "session.txt", diagnostics), KEEL_ERROR_INPUT);
    assert_int_equal(keel_trajectory_save(run, "no_such_folder/rows.csv", diagnostics), KEEL_ERROR_IO);
    assert_int_equal(keel_trajectory_save(run, "no_such_folder/page.html", diagnostics), KEEL_ERROR_IO);
    assert_int_equal(keel_diagnostics_errors(diagnostics), 3);
    char *summary = keel_trajectory_summary(run);
    assert_non_null(strstr(summary, "\"verdict\""));
    keel_text_free(summary);
    keel_trajectory_free(run);
    keel_model_free(model);
}

static void test_parts_are_found(void **state) {
    (void)state;
    keel_model *model = opened("parallelogram_bodies"), *equations = opened("pendulum");
    const keel_system *system = keel_model_system(model);
    assert_int_equal(keel_find_body(system, "ground", diagnostics), KEEL_GROUND);
    for (int b = 1; b <= 2; b++)
        assert_int_equal(keel_find_body(system, keel_mechanism_body_name(system, b), diagnostics), b);
    assert_int_equal(keel_find_joint(system, keel_mechanism_joint_name(system, 1), diagnostics), 1);
    assert_int_equal(keel_diagnostics_count(diagnostics), 0);
    assert_int_equal(keel_find_body(system, "grund", diagnostics), -1);
    assert_non_null(strstr(first_message(), "did you mean 'ground'?"));
    assert_int_equal(keel_find_joint(keel_model_system(equations), "O", diagnostics), -1);
    keel_model_free(model);
    keel_model_free(equations);
}

static void test_simulations_are_opened(void **state) {
    (void)state;
    keel_model *model = opened("stewart");
    keel_simulation *sim = keel_simulation_open(model, NULL, diagnostics);
    keel_row row;
    assert_non_null(sim);
    assert_int_equal(keel_simulation_advance(sim, 0.125, &row), KEEL_OK);
    assert_true(row.t == 0.125);
    keel_simulation_free(sim);
    keel_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows_are_those_of_the_run, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parameters_and_options, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_wrong_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(test_runs_are_stopped, setup, teardown),
        cmocka_unit_test_setup_teardown(test_calls_of_a_watcher_are_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(test_options_of_one_run, setup, teardown),
        cmocka_unit_test_setup_teardown(test_checks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files_are_read_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parts_are_found, setup, teardown),
        cmocka_unit_test_setup_teardown(test_simulations_are_opened, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

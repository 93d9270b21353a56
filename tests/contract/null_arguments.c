/* Public functions refuse NULL where they need something: a status that says so, an empty answer, or nothing
 * done. Every function that takes a pointer stands here (tests/check_null_arguments.sh). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "keel/dependence.h"
#include "keel/keel.h"
#include "keel/modelfile.h"
#include "keel/native.h"
#include "keel/results.h"
#include "keel/session.h"

/* What is not NULL must not be looked at before what is: any memory will do for it. */
static _Alignas(max_align_t) char anything[1 << 16];

/* Argument i of those that are needed; the k-th of them is NULL. */
#define P(i) (k == (i) ? NULL : (void *)anything)

/* For each argument that is needed. */
#define REFUSES(count, claim)                                                                                \
    for (int k = 0; k < (count); k++)                                                                        \
    assert_true(claim)
#define IGNORES(count, call)                                                                                 \
    for (int k = 0; k < (count); k++)                                                                        \
    (void)(call)

static const int row_start[] = {0, 1}, column[] = {0};
static const keel_pattern pattern = {1, 1, row_start, column};

static void visit(void *user, const char *name, double value) {
    (void)user, (void)name, (void)value;
    fail();
}

static void assemble_functions(void **state) {
    (void)state;
    REFUSES(2, keel_assemble(P(0), NULL, P(1), NULL, NULL) == KEEL_ERROR_INPUT);
    REFUSES(1, keel_assemble_mechanism(P(0), 0, NULL, NULL, NULL) == KEEL_ERROR_INPUT);
    REFUSES(4, keel_find_moved_bodies(P(0), P(1), P(2), P(3)) == KEEL_ERROR_INPUT);
}

static void checkpoint_functions(void **state) {
    (void)state;
    REFUSES(2, keel_simulation_save(P(0), P(1)) == NULL);
    REFUSES(4, keel_simulation_load(P(0), P(1), P(2), NULL, P(3)) == NULL);
    REFUSES(2, keel_run_save(P(0), P(1)) == NULL);
    REFUSES(4, keel_run_resume(P(0), P(1), P(2), NULL, NULL, P(3)) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_checkpoint_bytes(P(0), P(1)) == NULL);
    REFUSES(2, keel_checkpoint_read(P(0), 1, NULL, P(1)) == NULL);
    IGNORES(1, keel_checkpoint_free(P(0)));
    REFUSES(3, keel_checkpoint_put(P(0), P(1), P(2), 1) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_checkpoint_get(P(0), P(1), NULL) == NULL);
    REFUSES(3, keel_checkpoint_state(P(0), P(1), P(2), NULL) == KEEL_ERROR_INPUT);
}

static void compare_functions(void **state) {
    (void)state;
    IGNORES(1, keel_samples_clear(P(0)));
    REFUSES(5, keel_compare(P(0), P(1), 0, P(2), P(3), NULL, P(4)) == KEEL_ERROR_INPUT);
    IGNORES(1, keel_comparison_clear(P(0)));
    REFUSES(1, !strcmp(keel_comparison_label((keel_method){0}, P(0)), ""));
}

static void dependence_functions(void **state) {
    (void)state;
    REFUSES(3, keel_dependence_find(P(0), P(1), P(2)) == KEEL_ERROR_INPUT);
    IGNORES(1, keel_dependence_clear(P(0)));
    REFUSES(3, !strcmp(keel_dependence_sentence(P(0), P(1), 0, P(2), 0), ""));
}

static void diagnostics_functions(void **state) {
    (void)state;
    IGNORES(1, keel_diagnostics_free(P(0)));
    IGNORES(1, keel_diagnostics_add(NULL, (keel_severity)0, (keel_location){0}, "%s", "text"));
    REFUSES(1, keel_diagnostics_count(P(0)) == 0);
    IGNORES(1, keel_diagnostics_get(P(0), 0));
    REFUSES(1, keel_diagnostics_errors(P(0)) == 0);
    REFUSES(1, keel_diagnostics_dropped(P(0)) == 0);
}

static void equations_functions(void **state) {
    (void)state;
    IGNORES(1, keel_equations_free(P(0)));
    REFUSES(4, keel_equations_repeat(P(0), 0, P(1), P(2), P(3), (keel_location){0}) == -1);
    REFUSES(1, keel_equations_add(P(0), 0, (keel_equation_kind)0, NULL, (keel_location){0}, NULL,
                                  (keel_location){0}) == KEEL_ERROR_INPUT);
    REFUSES(3, keel_equations_set(P(0), P(1), P(2), NULL) == KEEL_ERROR_INPUT);
    REFUSES(3, keel_equations_compile(P(0), NULL, P(1), P(2)) == KEEL_ERROR_INPUT);
    IGNORES(1, keel_equations_system_free(P(0)));
    REFUSES(1, keel_equations_has_velocities(P(0)) == 0);
    IGNORES(1, keel_equations_drawing(P(0)));
    IGNORES(4, keel_equations_draw(P(0), P(1), P(2), P(3)));
    REFUSES(1, keel_equations_code(P(0)) == NULL);
    REFUSES(1, keel_equations_inside(P(0)) == NULL);
    REFUSES(1, keel_equations_shortened(P(0)) == NULL);
    REFUSES(1, keel_equations_prepared(P(0)) == 0);
    REFUSES(3, keel_equations_value(P(0), P(1), (keel_location){0}, NULL, P(2)) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_equations_parameters(P(0), NULL, k == 1 ? NULL : visit, NULL) == KEEL_ERROR_INPUT);
}

static void mechanism_functions(void **state) {
    (void)state;
    IGNORES(1, keel_mechanism_free(P(0)));
    IGNORES(1, keel_mechanism_set_planar(P(0), 0));
    IGNORES(2, keel_mechanism_set_gravity(P(0), P(1)));
    IGNORES(1, keel_mechanism_set_coordinates(P(0), (keel_coordinates)0));
    IGNORES(1, keel_mechanism_set_precision(P(0), 0, 0));
    REFUSES(2, keel_mechanism_add_body(P(0), P(1), NULL) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_mechanism_add_point(P(0), NULL, 0, P(1), (keel_location){0}, NULL) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_mechanism_add_joint(P(0), P(1), NULL) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_mechanism_add_force(P(0), P(1), NULL) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_mechanism_add_motion(P(0), P(1), NULL) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_mechanism_add_shape(P(0), 0, P(1)) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_mechanism_add_parameter(P(0), P(1), 0) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_mechanism_add_start(P(0), P(1), (keel_location){0}, 0) == KEEL_ERROR_INPUT);
    REFUSES(2,
            keel_mechanism_add_output(P(0), P(1), (keel_location){0}, (keel_formula){0}) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_mechanism_find_body(P(0), P(1)) == -1);
    REFUSES(2, keel_mechanism_find_joint(P(0), P(1)) == -1);
    REFUSES(4, keel_mechanism_transfer(P(0), P(1), P(2), P(3)) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_mechanism_compile(P(0), NULL, P(1)) == KEEL_ERROR_INPUT);
    IGNORES(1, keel_compiled_clear(P(0)));
    IGNORES(1, keel_mechanism_system_free(P(0)));
    REFUSES(1, keel_mechanism_write(P(0)) == KEEL_ERROR_INPUT);
    REFUSES(1, keel_mechanism_formulas(P(0)) == NULL);
    REFUSES(1, keel_mechanism_long_run(P(0)) == NULL);
    REFUSES(1, keel_mechanism_look(P(0), NULL) == 0);
    REFUSES(1, !strcmp(keel_mechanism_joint_name(P(0), 0), ""));
    REFUSES(1, !strcmp(keel_mechanism_joint_type(P(0), 0), ""));
    REFUSES(1, keel_mechanism_joint_is_tree(P(0), 0) == 0);
    IGNORES(2, keel_mechanism_joint_bodies(P(0), 0, P(1)));
    IGNORES(1, keel_mechanism_joint_where(P(0), 0));
    REFUSES(1, !strcmp(keel_mechanism_body_name(P(0), 0), ""));
    IGNORES(1, keel_mechanism_body_where(P(0), 0));
    REFUSES(1, keel_mechanism_joint_conditions(P(0), 0) == 0);
    REFUSES(4, keel_mechanism_joint_row(P(0), 0, P(1), P(2), P(3)) == 0);
    IGNORES(4, keel_mechanism_joint_covectors(P(0), P(1), P(2), 0, P(3)));
    REFUSES(1, keel_mechanism_joint_friction(P(0), 0) == 0);
    IGNORES(1, keel_mechanism_row_source(P(0), 0));
    REFUSES(1, keel_mechanism_pose_rows(P(0)) == 0);
    REFUSES(4, keel_mechanism_reactions(P(0), P(1), P(2), NULL, P(3)) == KEEL_ERROR_INPUT);
    REFUSES(1, keel_mechanism_force_count(P(0)) == 0);
    REFUSES(4, keel_mechanism_load(P(0), P(1), P(2), 0, P(3)) == 0);
    REFUSES(4, keel_mechanism_poses(P(0), P(1), P(2), P(3)) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_mechanism_shapes(P(0), 0, P(1)) == 0);
    REFUSES(2, keel_mechanism_marker(P(0), 0, P(1)) == 0);
    REFUSES(2, keel_mechanism_joint_tie(P(0), 0, P(1)) == 0);
    REFUSES(2, keel_mechanism_spring_tie(P(0), 0, P(1)) == 0);
    REFUSES(2, keel_mechanism_joint_mesh(P(0), 0, P(1)) == 0);
    IGNORES(2, keel_mechanism_gravity(P(0), P(1)));
    REFUSES(4, keel_mechanism_body_jacobian(P(0), P(1), P(2), 0, P(3)) == KEEL_ERROR_INPUT);
    REFUSES(3, keel_mechanism_add_state(P(0), P(1), (keel_location){0}, 0, P(2), NULL) == KEEL_ERROR_INPUT);
    REFUSES(3, keel_mechanism_add_definition(P(0), P(1), (keel_location){0}, P(2), NULL) == KEEL_ERROR_INPUT);
}

static void method_functions(void **state) {
    (void)state;
    REFUSES(2, keel_method_parse(P(0), (keel_location){0}, NULL, P(1)) == KEEL_ERROR_INPUT);
    REFUSES(1, !strcmp(keel_method_text((keel_method){0}, P(0)), ""));
}

static void mobility_functions(void **state) {
    (void)state;
    REFUSES(3, keel_mobility_find(P(0), P(1), 0, P(2)) == KEEL_ERROR_INPUT);
    IGNORES(1, keel_mobility_clear(P(0)));
    REFUSES(3, !strcmp(keel_mobility_sentence(P(0), P(1), P(2), 0), ""));
    REFUSES(2, keel_mobility_check(P(0), P(1), NULL) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_inertia_check(P(0), P(1), 0, NULL) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_mobility_refuse(P(0), P(1), NULL) == KEEL_ERROR_INPUT);
}

static void modelfile_functions(void **state) {
    (void)state;
    REFUSES(2, keel_model_read(P(0), NULL, 0, NULL, P(1)) == NULL);
    REFUSES(2, keel_model_parse(NULL, P(0), 0, NULL, 0, NULL, P(1)) == NULL);
    IGNORES(1, keel_model_free(P(0)));
    REFUSES(1, keel_model_assemble(P(0), NULL, NULL) == KEEL_ERROR_INPUT);
    REFUSES(1, keel_model_prepare(P(0), NULL) == KEEL_ERROR_INPUT);
}

static void native_functions(void **state) {
    (void)state;
    REFUSES(1, keel_native_attach(P(0), NULL, NULL) == NULL);
    REFUSES(1, keel_native_is_due(P(0)) == 0);
    REFUSES(1, keel_native_compile(P(0), 0) == KEEL_NATIVE_FAILED);
    REFUSES(1, keel_native_state_of(P(0)) == KEEL_NATIVE_FAILED);
    IGNORES(1, keel_native_detach(P(0)));
}

static void rank_functions(void **state) {
    (void)state;
    REFUSES(2, keel_rank_compute(pattern, P(0), 0, P(1)) == KEEL_ERROR_INPUT);
    IGNORES(1, keel_rank_clear(P(0)));
}

static void results_functions(void **state) {
    (void)state;
    REFUSES(3, keel_csv_open(P(0), P(1), NULL, P(2)) == NULL);
    REFUSES(2, keel_csv_row(P(0), P(1)) == KEEL_ERROR_INPUT);
    REFUSES(1, keel_csv_close(P(0)) == KEEL_OK);
    REFUSES(3, keel_hdf5_open(P(0), P(1), NULL, NULL, P(2)) == NULL);
    REFUSES(2, keel_hdf5_row(P(0), P(1)) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_hdf5_step(P(0), P(1)) == KEEL_ERROR_INPUT);
    REFUSES(1, keel_hdf5_close(P(0), NULL, NULL) == KEEL_OK);
    REFUSES(1, keel_record_new(P(0)) == NULL);
    IGNORES(1, keel_record_free(P(0)));
    REFUSES(2, keel_record_row(P(0), P(1)) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_record_step(P(0), P(1)) == KEEL_ERROR_INPUT);
    REFUSES(1, keel_record_rows(P(0)) == 0);
    REFUSES(1, keel_result_format_of(P(0)) == KEEL_FORMAT_NONE);
    REFUSES(2, keel_record_read(P(0), NULL, P(1)) == NULL);
    REFUSES(1, keel_record_origin(P(0)) == NULL);
    REFUSES(3, keel_record_state(P(0), P(1), 0, P(2), NULL) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_record_match(P(0), P(1), NULL) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_record_finished(P(0), NULL, P(1), 0) == -1);
    REFUSES(2, keel_record_broken(P(0), P(1), 0) == 0);
    REFUSES(2, keel_page_write(P(0), P(1), NULL, NULL, NULL) == KEEL_ERROR_INPUT);
    REFUSES(3, keel_summary_write(P(0), NULL, P(1), P(2), NULL) == KEEL_ERROR_INPUT);
    REFUSES(3, keel_report_write(P(0), NULL, P(1), P(2)) == KEEL_ERROR_INPUT);
}

static void run_functions(void **state) {
    (void)state;
    IGNORES(1, keel_result_clear(P(0)));
    REFUSES(4, keel_run(P(0), P(1), 0, P(2), NULL, NULL, P(3)) == KEEL_ERROR_INPUT);
    REFUSES(4, keel_simulation_new(P(0), P(1), 0, P(2), NULL, P(3)) == NULL);
    IGNORES(1, keel_simulation_free(P(0)));
    REFUSES(1, keel_simulation_step(P(0)) == KEEL_ERROR_INPUT);
    REFUSES(1, keel_simulation_time(P(0)) == 0);
    REFUSES(2, keel_simulation_row(P(0), 0, P(1)) == KEEL_ERROR_INPUT);
    IGNORES(1, keel_simulation_last_step(P(0)));
    REFUSES(2, keel_simulation_result(P(0), P(1)) == KEEL_ERROR_INPUT);
}

static void saddle_functions(void **state) {
    (void)state;
    IGNORES(1, keel_saddle_free(P(0)));
    REFUSES(1, keel_saddle_factor(P(0), NULL, NULL, NULL) == KEEL_ERROR_INPUT);
    REFUSES(1, keel_saddle_solve(P(0), NULL, NULL, NULL, NULL, NULL) == KEEL_ERROR_INPUT);
    REFUSES(1, keel_saddle_least_norm(P(0), NULL) == KEEL_ERROR_INPUT);
    IGNORES(1, keel_saddle_set_dependent(P(0), 0));
    REFUSES(1, keel_saddle_path_taken(P(0)) == KEEL_SADDLE_AUTO);
    REFUSES(1, keel_saddle_regularized(P(0)) == 0);
    REFUSES(1, keel_saddle_bad_pivot(P(0)) == -1);
    REFUSES(1, keel_saddle_factor_entries(P(0)) == 0);
    REFUSES(1, keel_saddle_factor_work(P(0)) == 0);
}

static void settings_functions(void **state) {
    (void)state;
    REFUSES(1, keel_option_find(P(0), (keel_location){0}, NULL) == NULL);
    REFUSES(3, keel_settings_set_text(P(0), P(1), P(2), (keel_location){0}, NULL) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_settings_set(P(0), P(1), (keel_location){0}, 0, (keel_location){0}, NULL) ==
                   KEEL_ERROR_INPUT);
    REFUSES(3, keel_settings_set_word(P(0), P(1), (keel_location){0}, P(2), (keel_location){0}, NULL) ==
                   KEEL_ERROR_INPUT);
    REFUSES(3, keel_settings_set_gain(P(0), P(1), (keel_location){0}, P(2), (keel_location){0}, NULL) ==
                   KEEL_ERROR_INPUT);
    REFUSES(1, keel_settings_validate(P(0), 0, NULL) == KEEL_ERROR_INPUT);
}

static void system_functions(void **state) {
    (void)state;
    REFUSES(1, keel_system_validate(P(0), NULL, 0) == KEEL_ERROR_INPUT);
    REFUSES(2, !strcmp(keel_system_name(P(0), (keel_name_of)0, 0, P(1)), ""));
    REFUSES(2, !strcmp(keel_system_unit(P(0), (keel_unit_of)0, 0, P(1)), ""));
    REFUSES(1, keel_state_new(P(0)) == NULL);
    IGNORES(1, keel_state_free(P(0)));
    IGNORES(3, keel_state_copy(P(0), P(1), P(2)));
}

static void verdict_functions(void **state) {
    (void)state;
    REFUSES(1, keel_run_verdict_failed(P(0)) == KEEL_CHECK_END);
}

static void verify_functions(void **state) {
    (void)state;
    REFUSES(4, keel_verifier_new(P(0), P(1), 0, P(2), P(3)) == NULL);
    IGNORES(1, keel_verifier_free(P(0)));
    IGNORES(1, keel_verifier_stop_at(P(0), NULL));
    REFUSES(2, keel_verifier_row(P(0), P(1), NULL) == KEEL_ERROR_INPUT);
    REFUSES(3, !strcmp(keel_verification_parted_in(P(0), P(1), P(2)), ""));
    IGNORES(1, keel_verifier_result(P(0)));
    REFUSES(6, keel_verify(P(0), P(1), 0, P(2), NULL, NULL, P(3), P(4), P(5)) == KEEL_ERROR_INPUT);
}

/* Structures of zeros have no names, functions, numbers. */
static void empty_structures(void **state) {
    (void)state;
    keel_mechanism *m = keel_mechanism_new();
    assert_true(keel_mechanism_add_body(m, &(keel_body){0}, NULL) < 0);
    assert_true(keel_mechanism_add_joint(m, &(keel_joint){0}, NULL) < 0);
    assert_true(keel_mechanism_add_joint(m, &(keel_joint){.name = "a"}, NULL) < 0);
    assert_true(keel_mechanism_add_force(m, &(keel_force){0}, NULL) < 0);
    assert_true(keel_mechanism_add_force(m, &(keel_force){.name = "a"}, NULL) < 0);
    assert_true(keel_mechanism_add_motion(m, &(keel_motion){0}, NULL) < 0);
    assert_true(keel_mechanism_add_motion(m, &(keel_motion){.name = "a"}, NULL) < 0);
    assert_true(keel_mechanism_add_point(m, NULL, 0, (double[3]){0}, (keel_location){0}, NULL) < 0);
    assert_true(keel_mechanism_add_output(m, "a", (keel_location){0}, (keel_formula){0}) < 0);
    keel_mechanism_free(m);

    keel_equations *e = keel_equations_new();
    assert_true(
        keel_equations_add(e, 0, KEEL_EQ_KINETIC, NULL, (keel_location){0}, NULL, (keel_location){0}) < 0);
    keel_system *compiled;
    keel_state *compiled_start;
    assert_int_equal(
        keel_equations_add(e, 0, KEEL_EQ_COORDINATE, NULL, (keel_location){0}, "1", (keel_location){0}),
        KEEL_OK);
    assert_int_equal(keel_equations_compile(e, NULL, &compiled, &compiled_start), KEEL_ERROR_INPUT);
    keel_equations_free(e);

    keel_system system = keel_system_default();
    keel_settings settings = keel_settings_default();
    keel_state *start = keel_state_new(&system);
    keel_result result;
    settings.until = 1;
    assert_int_equal(keel_run(&system, start, 0, &settings, NULL, NULL, &result), KEEL_ERROR_INPUT);
    keel_result_clear(&result);
    keel_state_free(start);
    assert_null(keel_saddle_new((keel_pattern){.rows = 1, .cols = 1}, (keel_pattern){0}, NULL));
}

/* What may be NULL by its header is left out of a whole run. */
static void optional_arguments(void **state) {
    (void)state;
    static const char MODEL[] = "keel: 1\nplanar: true\ngravity: 9.81\n"
                                "bodies: {bar: {mass: 1, centre: [1, 0], inertia: 1}}\n"
                                "joints: {pin: {type: revolute, bodies: [ground, bar], at: [0, 0]}}\n"
                                "simulate: {until: 0.1}\n";
    keel_status status;
    keel_result result;
    assert_null(keel_model_parse(NULL, MODEL, sizeof MODEL - 1, NULL, 1, NULL, &status));
    assert_int_equal(status, KEEL_ERROR_INPUT);
    keel_model *model = keel_model_parse(NULL, MODEL, sizeof MODEL - 1, NULL, 0, NULL, &status);
    assert_non_null(model);
    assert_int_equal(keel_model_assemble(model, NULL, NULL), KEEL_OK);
    assert_int_equal(keel_run(model->system, model->start, 1, &model->settings, NULL, NULL, &result),
                     KEEL_OK);
    assert_non_null(keel_options(NULL));
    assert_true(keel_method_choose(0, NULL).integrator == KEEL_DOP853);
    assert_null(keel_body_default(NULL).name);
    assert_null(keel_joint_default(NULL, NULL, 0, 0).type);
    assert_null(keel_force_default(NULL, KEEL_FORCE_PUSH).name);
    FILE *nowhere = fopen("/dev/null", "w");
    assert_int_equal(keel_summary_write(nowhere, NULL, model->system, &result, NULL), KEEL_OK);
    assert_int_equal(keel_report_write(nowhere, NULL, model->system, &result), KEEL_OK);
    fclose(nowhere);
    keel_result_clear(&result);
    keel_model_free(model);
}

static void session_functions(void **state) {
    (void)state;
    REFUSES(1, keel_model_open(P(0), NULL, 0, NULL) == NULL);
    REFUSES(1, keel_model_open_text(NULL, P(0), NULL, 0, NULL) == NULL);
    REFUSES(3, keel_model_set_option(P(0), P(1), P(2), NULL) == KEEL_ERROR_INPUT);
    REFUSES(1, keel_model_system(P(0)) == NULL);
    REFUSES(1, *keel_model_name(P(0)) == 0);
    REFUSES(1, keel_model_is_mechanism(P(0)) == 0);
    REFUSES(1, keel_model_parameter_count(P(0)) == 0);
    REFUSES(1, *keel_model_parameter_name(P(0), 0) == 0);
    REFUSES(1, isnan(keel_model_parameter_value(P(0), 0)));
    REFUSES(1, keel_model_check(P(0), NULL) == NULL);
    IGNORES(1, keel_text_free(P(0)));
    REFUSES(1, keel_model_run(P(0), NULL, NULL) == NULL);
    REFUSES(2, keel_model_run_with(P(0), P(1), 1, NULL, NULL) == NULL);
    IGNORES(1, keel_trajectory_free(P(0)));
    REFUSES(1, keel_trajectory_status(P(0)) == KEEL_ERROR_INPUT);
    REFUSES(1, keel_trajectory_kept_promises(P(0), NULL, 0) == 0);
    REFUSES(1, keel_trajectory_rows(P(0)) == 0);
    REFUSES(1, keel_trajectory_rows_of_run(P(0)) == 0);
    REFUSES(1, keel_trajectory_columns(P(0)) == 0);
    REFUSES(1, *keel_trajectory_name(P(0), 0) == 0);
    REFUSES(1, *keel_trajectory_unit(P(0), 0) == 0);
    REFUSES(1, keel_trajectory_is_shared(P(0), 0) == 0);
    REFUSES(1, isnan(keel_trajectory_value(P(0), 0, 0)));
    REFUSES(1, keel_trajectory_values(P(0)) == NULL);
    REFUSES(1, keel_trajectory_summary(P(0)) == NULL);
    REFUSES(2, keel_trajectory_save(P(0), P(1), NULL) == KEEL_ERROR_INPUT);
    REFUSES(1, keel_simulation_open(P(0), NULL, NULL) == NULL);
    REFUSES(2, keel_simulation_open_with(P(0), P(1), 1, NULL) == NULL);
    IGNORES(1, keel_row_free(P(0)));
    REFUSES(3, keel_row_state(P(0), P(1), P(2)) == KEEL_ERROR_INPUT);
    int sizes[KEEL_SIZES] = {1};
    keel_system_sizes(NULL, sizes);
    assert_int_equal(sizes[KEEL_SIZE_Q], 0);
    IGNORES(1, keel_system_sizes(NULL, P(0)));
    REFUSES(2, keel_find_body(P(0), P(1), NULL) == -1);
    REFUSES(2, keel_find_joint(P(0), P(1), NULL) == -1);
}

static void simulation_functions(void **state) {
    (void)state;
    REFUSES(2, keel_find_quantity(P(0), P(1), NULL).kind == KEEL_QUANTITY_NONE);
    REFUSES(1, isnan(keel_row_value(P(0), (keel_quantity){KEEL_QUANTITY_TIME, 0})));
    REFUSES(1, keel_simulation_advance(P(0), 1, NULL) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_simulation_state(P(0), P(1)) == KEEL_ERROR_INPUT);
    REFUSES(2, keel_simulation_set_state(P(0), P(1)) == KEEL_ERROR_INPUT);
    REFUSES(1, keel_simulation_reset(P(0)) == KEEL_ERROR_INPUT);
    REFUSES(1, keel_simulation_until(P(0)) == 0);
    REFUSES(2, keel_find_input(P(0), P(1), NULL) == -1);
    REFUSES(1, keel_simulation_set_input(P(0), 0, 1) == KEEL_ERROR_INPUT);
    REFUSES(1, isnan(keel_simulation_input(P(0), 0)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assemble_functions),    cmocka_unit_test(checkpoint_functions),
        cmocka_unit_test(compare_functions),     cmocka_unit_test(dependence_functions),
        cmocka_unit_test(diagnostics_functions), cmocka_unit_test(equations_functions),
        cmocka_unit_test(mechanism_functions),   cmocka_unit_test(method_functions),
        cmocka_unit_test(mobility_functions),    cmocka_unit_test(modelfile_functions),
        cmocka_unit_test(native_functions),      cmocka_unit_test(rank_functions),
        cmocka_unit_test(results_functions),     cmocka_unit_test(run_functions),
        cmocka_unit_test(saddle_functions),      cmocka_unit_test(settings_functions),
        cmocka_unit_test(system_functions),      cmocka_unit_test(verdict_functions),
        cmocka_unit_test(verify_functions),      cmocka_unit_test(empty_structures),
        cmocka_unit_test(optional_arguments),    cmocka_unit_test(session_functions),
        cmocka_unit_test(simulation_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

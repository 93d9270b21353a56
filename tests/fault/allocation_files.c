/* Memory may run out while a model is looked at, its run is written, read back and shown: an error that says
 * so, no crash, no answer that is not true. */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "keel/compare.h"
#include "keel/dependence.h"
#include "keel/mobility.h"
#include "keel/modelfile.h"
#include "keel/results.h"
#include "keel/verify.h"

#include "faults.h"

#define FOLDER KEEL_SOURCE_DIR "/tests/broken"
#define MODELS KEEL_SOURCE_DIR "/models"

/* ---- broken files: the mistake, or that memory ran out, but never success */

typedef struct broken_file {
    char path[512];
    keel_status status; /* as it is with memory */
} broken_file;

static keel_status read_and_start(const char *path, keel_diagnostics *messages) {
    keel_status status;
    keel_model *model = keel_model_read(path, NULL, 0, messages, &status);
    if (model)
        keel_simulation_free(keel_simulation_new(model->system, model->start, model->velocities_given,
                                                 &model->settings, messages, &status));
    keel_model_free(model);
    return status;
}

static void read_broken(void *context, bool failing) {
    broken_file *file = context;
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status = messages ? read_and_start(file->path, messages) : KEEL_ERROR_MEMORY;
    keel_diagnostics_free(messages);
    if (!failing)
        file->status = status;
    assert_true(status < 0);
    if (status != file->status && status != KEEL_ERROR_MEMORY)
        fail_msg("%s, allocation %ld: %s in place of %s", file->path, fail_at, keel_status_word(status),
                 keel_status_word(file->status));
}

static void broken_files_may_run_out_of_memory(void **state) {
    (void)state;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        broken_file file;
        if (!dot || strcmp(dot, ".yaml") != 0)
            continue;
        snprintf(file.path, sizeof file.path, "%s/%s", FOLDER, entry->d_name);
        fail_in_all_places(read_broken, &file, entry->d_name);
    }
    closedir(folder);
}

/* ---- looking at models */

static keel_status look(const keel_model *model, keel_diagnostics *messages) {
    const keel_system *system = model->system;
    keel_state *start = model->start;
    keel_point at = {.t = start->t, .q = start->q, .v = start->v, .z = start->z, .s = start->s};
    keel_dependence dependence = {0};
    keel_mobility mobility = {0};
    keel_status status = keel_dependence_find(system, &at, &dependence);
    if (status < 0)
        return status;
    keel_dependence_clear(&dependence);
    status = keel_mobility_find(system, start, 0, &mobility);
    if (status == KEEL_ERROR_INPUT) /* no mechanism */
        return KEEL_OK;
    if (status < 0)
        return status;
    status = keel_mobility_check(system, &mobility, messages);
    keel_mobility_clear(&mobility);
    return status ? status : keel_inertia_check(system, start, 0, messages);
}

static keel_status read_and_look(const char *path) {
    keel_status status = KEEL_ERROR_MEMORY;
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_model *model = messages ? keel_model_read(path, NULL, 0, messages, &status) : NULL;
    if (model)
        status = keel_model_assemble(model, messages, NULL);
    if (model && !status)
        status = look(model, messages);
    keel_model_free(model);
    keel_diagnostics_free(messages);
    return status;
}

static void look_at_model(void *context, bool failing) {
    const char *path = context;
    keel_status status = read_and_look(path);
    if (status != KEEL_OK && !(failing && status == KEEL_ERROR_MEMORY))
        fail_msg("%s, allocation %ld: %s", path, fail_at, keel_status_word(status));
}

static void looking_may_run_out_of_memory(void **state) {
    (void)state;
    static const char *const NAMES[] = {
        "pendulum_redundant", "car_axis",   "four_bar",    "slider_crank_3d", "wishbone",     "door",
        "universal_shaft",    "gear_train", "screw_jack",  "bicycle",         "rolling_ball", "rolling_coin",
        "wheelset",           "stewart",    "a04_bricard", "spring_pendulum"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.yaml", MODELS, NAMES[i]);
        fail_in_all_places(look_at_model, path, NAMES[i]);
    }
}

/* ---- results */

typedef struct run_case {
    const char *path;     /* of the model                                  */
    double until;         /* of the run                                    */
    char csv[64], h5[64]; /* where results go                              */
    FILE *page;           /* written over by each run                      */
    keel_status status;   /* what has gone wrong first                     */
    keel_csv *csv_file;   /* open                                          */
    keel_hdf5 *hdf5_file; /* open                                          */
    keel_record *record;
    const keel_model *model;
} run_case;

static void take_status(run_case *c, keel_status status) {
    if (status == KEEL_ERROR_IO && errno == ENOMEM) /* what could not be stored for want of memory */
        status = KEEL_ERROR_MEMORY;
    if (status < 0 && !c->status)
        c->status = status;
}

static keel_status on_row(void *user, const keel_row *row) {
    run_case *c = user;
    keel_status status = KEEL_OK;
    if (!c->csv_file)
        c->csv_file = keel_csv_open(c->csv, c->model->system, row, &status);
    if (!c->hdf5_file && c->csv_file)
        c->hdf5_file = keel_hdf5_open(c->h5, c->model->system, NULL, row, &status);
    if (c->hdf5_file)
        status = keel_csv_row(c->csv_file, row);
    if (c->hdf5_file && !status)
        status = keel_hdf5_row(c->hdf5_file, row);
    if (!status)
        status = keel_record_row(c->record, row);
    take_status(c, status); /* before the run tells that it was stopped */
    return status;
}

static keel_status on_step(void *user, const keel_step *step) {
    run_case *c = user;
    keel_status status = c->hdf5_file ? keel_hdf5_step(c->hdf5_file, step) : KEEL_OK;
    status = status ? status : keel_record_step(c->record, step);
    take_status(c, status);
    return status;
}

static void write_all(run_case *c, const keel_result *result) {
    keel_origin origin = {.name = "a \"name\"", .model_text = "keel: 1\n", .model_file = c->path};
    rewind(c->page);
    take_status(c, keel_summary_write(c->page, c->model->name, c->model->system, result, NULL));
    take_status(c, keel_report_write(c->page, c->model->name, c->model->system, result));
    if (keel_record_rows(c->record) == 0) /* the run came to nothing */
        assert_int_equal(keel_page_write(c->page, c->record, &origin, result, NULL), KEEL_ERROR_INPUT);
    else
        take_status(c, keel_page_write(c->page, c->record, &origin, result, "the first error"));
}

static void run_model(run_case *c, keel_diagnostics *messages) {
    keel_settings settings = c->model->settings;
    keel_observer observer = {.user = c, .row = on_row, .accepted = on_step};
    keel_result result = {0};
    settings.until = c->until;
    settings.output = c->until / 4;
    c->record = keel_record_new(c->model->system);
    if (!c->record) {
        c->status = KEEL_ERROR_MEMORY;
        return;
    }
    take_status(c, keel_run(c->model->system, c->model->start, c->model->velocities_given, &settings,
                            &observer, messages, &result));
    write_all(c, &result);
    if (c->csv_file)
        take_status(c, keel_csv_close(c->csv_file));
    if (c->hdf5_file)
        take_status(c, keel_hdf5_close(c->hdf5_file, &result, NULL));
    keel_result_clear(&result);
    keel_record_free(c->record);
}

static void run_and_write(void *context, bool failing) {
    run_case *c = context;
    keel_diagnostics *messages = keel_diagnostics_new();
    c->status = KEEL_OK;
    c->csv_file = NULL;
    c->hdf5_file = NULL;
    keel_model *model = messages ? keel_model_read(c->path, NULL, 0, messages, &c->status) : NULL;
    c->status = messages ? c->status : KEEL_ERROR_MEMORY;
    if (model)
        c->status = keel_model_assemble(model, messages, NULL);
    c->model = model;
    if (model && !c->status)
        run_model(c, messages);
    keel_model_free(model);
    keel_diagnostics_free(messages);
    if (c->status != KEEL_OK && !(failing && c->status == KEEL_ERROR_MEMORY))
        fail_msg("%s, allocation %ld: %s", c->path, fail_at, keel_status_word(c->status));
}

/* The rows of a file, matched with its model, as a page. */
static keel_status show_file(run_case *c, const char *path) {
    keel_status status = KEEL_ERROR_MEMORY;
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_record *record = messages ? keel_record_read(path, messages, &status) : NULL;
    if (record)
        status = keel_record_match(record, c->model->system, messages);
    if (record && !status) {
        char text[256];
        keel_record_finished(record, NULL, text, sizeof text);
        assert_true(*text);
        rewind(c->page);
        status = keel_page_write(c->page, record, keel_record_origin(record), NULL, NULL);
    }
    keel_record_free(record);
    keel_diagnostics_free(messages);
    return status;
}

static void read_and_show(void *context, bool failing) {
    run_case *c = context;
    const char *const paths[] = {c->csv, c->h5};
    for (int i = 0; i < 2; i++) {
        keel_status status = show_file(c, paths[i]);
        if (status != KEEL_OK && !(failing && status == KEEL_ERROR_MEMORY))
            fail_msg("%s, allocation %ld: %s", paths[i], fail_at, keel_status_word(status));
    }
}

static void results_may_run_out_of_memory(void **state) {
    (void)state;
    static const char *const NAMES[] = {"four_bar", "wheelset", "kepler"};
    static const double UNTIL[] = {0.02, 0.002, 0.05};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        char path[512];
        run_case c = {.path = path, .until = UNTIL[i], .page = tmpfile()};
        keel_status status;
        assert_non_null(c.page);
        snprintf(path, sizeof path, "%s/%s.yaml", MODELS, NAMES[i]);
        snprintf(c.csv, sizeof c.csv, "allocation_files_%ld.csv", (long)getpid());
        snprintf(c.h5, sizeof c.h5, "allocation_files_%ld.h5", (long)getpid());
        fail_in_all_places(run_and_write, &c, NAMES[i]);
        run_and_write(&c, false); /* complete files */
        keel_model *model = keel_model_read(path, NULL, 0, NULL, &status);
        assert_non_null(model);
        c.model = model;
        fail_in_all_places(read_and_show, &c, "as a page");
        keel_model_free(model);
        fclose(c.page);
        remove(c.csv);
        remove(c.h5);
    }
}

/* ---- runs beside a run */

static void compare_or_verify(void *context, bool failing) {
    static const double TOLERANCES[] = {1e-4};
    const keel_model *model = context;
    keel_settings settings = model->settings;
    settings.until = 0.05;
    settings.output = 0.01;
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_comparison comparison = {0};
    keel_method methods[2] = {keel_method_auto(), {KEEL_RK4, KEEL_INDEX1, KEEL_STABILIZE_NONE, 0}};
    keel_comparison_plan plan = keel_comparison_plan_default();
    plan.methods = methods;
    plan.method_count = 2;
    plan.tolerances = TOLERANCES;
    plan.tolerance_count = 1;
    plan.threads = 1;
    keel_status status = keel_compare(model->system, model->start, model->velocities_given, &settings, &plan,
                                      messages, &comparison);
    keel_comparison_clear(&comparison);
    assert_true(status == KEEL_OK || failing);
    keel_result result = {0};
    keel_verification found;
    keel_verifier *verifier = NULL;
    status = keel_verify(model->system, model->start, model->velocities_given, &settings, NULL, messages,
                         &result, &found, &verifier);
    if (status != KEEL_OK && !(failing && status == KEEL_ERROR_MEMORY))
        fail_msg("verify, allocation %ld: %s", fail_at, keel_status_word(status));
    keel_verifier_free(verifier);
    keel_result_clear(&result);
    keel_diagnostics_free(messages);
}

static void runs_beside_a_run_may_run_out_of_memory(void **state) {
    (void)state;
    keel_status status;
    keel_model *model = keel_model_read(MODELS "/pendulum.yaml", NULL, 0, NULL, &status);
    assert_non_null(model);
    fail_in_all_places(compare_or_verify, model, "compare, verify");
    keel_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_files_may_run_out_of_memory),
        cmocka_unit_test(looking_may_run_out_of_memory),
        cmocka_unit_test(results_may_run_out_of_memory),
        cmocka_unit_test(runs_beside_a_run_may_run_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

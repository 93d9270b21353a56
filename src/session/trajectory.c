/* trajectory.c - a run with its rows and facts in memory. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "keel/session.h"
#include "results/growing.h"
#include "results/record.h"
#include "session/options.h"

struct keel_trajectory {
    const keel_model *model;
    double until;
    keel_record *record;
    keel_result result;
    char *message; /* the first error, or NULL */
};

/* Who is asked while the run is under way. */
typedef struct listener {
    keel_trajectory *trajectory;
    const keel_watcher *watcher;
    double next_call; /* seconds of the clock */
    volatile int stop;
} listener;

static keel_status on_row(void *user, const keel_row *row) {
    return keel_record_row(((listener *)user)->trajectory->record, row);
}

static keel_status on_accepted(void *user, const keel_step *step) {
    return keel_record_step(((listener *)user)->trajectory->record, step);
}

static double seconds(void) {
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) ? 0 : (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static keel_status on_step(void *user, double t, double until) {
    listener *l = user;
    if (l->watcher->interval > 0) {
        double now = seconds();
        if (now < l->next_call)
            return KEEL_OK;
        l->next_call = now + l->watcher->interval;
    }
    if (l->watcher->progress(l->watcher->user, t, until))
        l->stop = 1;
    return KEEL_OK;
}

static char *copy_text(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* The first error that was added since `from`. */
static const char *first_error(const keel_diagnostics *log, int from) {
    for (int i = from; i < keel_diagnostics_count(log); i++)
        if (keel_diagnostics_get(log, i).severity == KEEL_ERROR)
            return keel_diagnostics_get(log, i).text;
    return NULL;
}

static keel_trajectory *run(const keel_model *model, const keel_settings *settings,
                            const keel_watcher *watcher, keel_diagnostics *log) {
    keel_trajectory *trajectory = calloc(1, sizeof *trajectory);
    if (!trajectory)
        return NULL;
    trajectory->model = model;
    trajectory->until = settings->until;
    trajectory->record = keel_record_new(model->system);
    if (!trajectory->record) {
        free(trajectory);
        return NULL;
    }
    listener l = {.trajectory = trajectory, .watcher = watcher};
    if (watcher && watcher->interval > 0)
        l.next_call = seconds() + watcher->interval;
    keel_observer observer = {.user = &l,
                              .row = on_row,
                              .step = watcher && watcher->progress ? on_step : NULL,
                              .stop = &l.stop,
                              .accepted = on_accepted};
    int before = log ? keel_diagnostics_count(log) : 0;
    keel_status status = keel_run(model->system, model->start, model->velocities_given, settings, &observer,
                                  log, &trajectory->result);
    if (ki_series_end(&trajectory->record->rows) || ki_series_end(&trajectory->record->steps))
        trajectory->result.status = KEEL_ERROR_MEMORY;
    const char *message = log ? first_error(log, before) : NULL;
    if (status < 0)
        trajectory->message = copy_text(message ? message : keel_status_text(status));
    return trajectory;
}

keel_trajectory *keel_model_run(const keel_model *model, const keel_watcher *watcher, keel_diagnostics *log) {
    return model ? run(model, &model->settings, watcher, log) : NULL;
}

keel_trajectory *keel_model_run_with(const keel_model *model, const keel_assignment *options,
                                     int option_count, const keel_watcher *watcher, keel_diagnostics *log) {
    keel_settings settings;
    keel_status status = ki_settings_with(model, options, option_count, log, &settings);
    return status ? NULL : run(model, &settings, watcher, log);
}

void keel_trajectory_free(keel_trajectory *trajectory) {
    if (!trajectory)
        return;
    keel_result_clear(&trajectory->result);
    keel_record_free(trajectory->record);
    free(trajectory->message);
    free(trajectory);
}

keel_status keel_trajectory_status(const keel_trajectory *trajectory) {
    return trajectory ? trajectory->result.status : KEEL_ERROR_INPUT;
}

int keel_trajectory_kept_promises(const keel_trajectory *trajectory, char *text, int size) {
    const keel_run_verdict *verdict = trajectory ? &trajectory->result.verdict : NULL;
    keel_check failed = verdict ? keel_run_verdict_failed(verdict) : KEEL_CHECKS;
    if (text && size > 0)
        snprintf(text, (size_t)size, "%s", failed < KEEL_CHECKS ? verdict->check[failed].text : "");
    return verdict && verdict->ok;
}

/* ---- rows and columns */

long keel_trajectory_rows(const keel_trajectory *trajectory) {
    return trajectory ? trajectory->record->rows.rows : 0;
}

long keel_trajectory_rows_of_run(const keel_trajectory *trajectory) {
    return trajectory ? keel_record_rows(trajectory->record) : 0;
}

int keel_trajectory_columns(const keel_trajectory *trajectory) {
    return trajectory ? trajectory->record->columns.count : 0;
}

static const ki_column *column_of(const keel_trajectory *trajectory, int i) {
    bool is_there = trajectory && i >= 0 && i < trajectory->record->columns.count;
    return is_there ? &trajectory->record->columns.column[i] : NULL;
}

const char *keel_trajectory_name(const keel_trajectory *trajectory, int i) {
    const ki_column *column = column_of(trajectory, i);
    return column ? column->name : "";
}

const char *keel_trajectory_unit(const keel_trajectory *trajectory, int i) {
    const ki_column *column = column_of(trajectory, i);
    return column ? column->unit : "";
}

int keel_trajectory_is_shared(const keel_trajectory *trajectory, int i) {
    const ki_column *column = column_of(trajectory, i);
    return column && column->shared;
}

double keel_trajectory_value(const keel_trajectory *trajectory, long row, int i) {
    if (!column_of(trajectory, i) || row < 0 || row >= trajectory->record->rows.rows)
        return NAN;
    return ki_series_row(&trajectory->record->rows, row)[i];
}

const double *keel_trajectory_values(const keel_trajectory *trajectory) {
    return trajectory ? trajectory->record->rows.values : NULL;
}

/* ---- texts and files */

char *keel_trajectory_summary(const keel_trajectory *trajectory) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = trajectory ? open_memstream(&text, &length) : NULL;
    if (!file)
        return NULL;
    keel_status status = keel_summary_write(file, trajectory->model->name, trajectory->model->system,
                                            &trajectory->result, trajectory->message);
    if (!fclose(file) && !status)
        return text;
    free(text);
    return NULL;
}

/* The parts of a row as the table has them. */
typedef struct row_parts {
    keel_row row;
    keel_audit audit;
    keel_newton_facts newton;
} row_parts;

static const double *group(const ki_columns *columns, const double *values, ki_group which) {
    return columns->at[which] < columns->at[which + 1] ? values + columns->at[which] : NULL;
}

static void take_row(const keel_trajectory *trajectory, long number, const int *shared,
                     const int *output_shared, row_parts *parts) {
    const ki_columns *columns = &trajectory->record->columns;
    const double *values = ki_series_row(&trajectory->record->rows, number);
    const double *energy = group(columns, values, KI_ENERGY), *audit = group(columns, values, KI_AUDIT);
    const double *newton = group(columns, values, KI_NEWTON);
    const double *violation = values + columns->at[KI_VIOLATION];
    *parts = (row_parts){.row = {.t = values[columns->at[KI_TIME]],
                                 .q = group(columns, values, KI_COORDINATE),
                                 .v = group(columns, values, KI_VELOCITY),
                                 .z = group(columns, values, KI_STATE),
                                 .s = group(columns, values, KI_AUXILIARY),
                                 .lambda = group(columns, values, KI_MULTIPLIER),
                                 .v_rate = group(columns, values, KI_ACCELERATION),
                                 .outputs = group(columns, values, KI_OUTPUT),
                                 .projections = group(columns, values, KI_PROJECTION),
                                 .shared = shared,
                                 .output_shared = output_shared,
                                 .position_violation = violation[0],
                                 .velocity_violation = violation[1],
                                 .energy = energy ? energy[0] : 0,
                                 .energy_drift = energy ? energy[1] : 0}};
    if (audit) {
        parts->audit = (keel_audit){audit[0], audit[1], audit[2], audit[3]};
        parts->row.audit = &parts->audit;
    }
    if (newton) {
        parts->newton.iterations = (int)newton[0];
        parts->newton.correction_q = newton[1];
        parts->newton.correction_lambda = newton[2];
        parts->newton.condition = newton[3];
        parts->row.newton = &parts->newton;
    }
}

/* Which columns of a group are shared, as rows tell it; NULL when out of memory. */
static int *shares_of(const ki_columns *columns, ki_group which) {
    int first = columns->at[which], count = columns->at[which + 1] - first;
    int *shared = calloc((size_t)count + 1, sizeof *shared);
    if (!shared)
        return NULL;
    for (int i = 0; i < count; i++)
        shared[i] = columns->column[first + i].shared;
    return shared;
}

static keel_origin origin_of(const keel_trajectory *trajectory) {
    const keel_model *model = trajectory->model;
    return (keel_origin){.name = model->name,
                         .description = model->description,
                         .model_text = model->text,
                         .model_file = model->file,
                         .parameter_count = model->parameter_count,
                         .parameter_name = model->parameter_name,
                         .parameter_value = model->parameter_value,
                         .until = &trajectory->until};
}

static keel_status save_csv(const keel_trajectory *trajectory, const char *path, const int *shared,
                            const int *output_shared) {
    keel_status status = KEEL_OK;
    keel_csv *csv = NULL;
    row_parts parts;
    for (long i = 0; !status && i < trajectory->record->rows.rows; i++) {
        take_row(trajectory, i, shared, output_shared, &parts);
        if (!csv)
            csv = keel_csv_open(path, trajectory->model->system, &parts.row, &status);
        if (csv)
            status = keel_csv_row(csv, &parts.row);
    }
    keel_status closed = csv ? keel_csv_close(csv) : KEEL_OK;
    return status ? status : closed;
}

static keel_status save_hdf5(const keel_trajectory *trajectory, const char *path, const int *shared,
                             const int *output_shared) {
    keel_status status = KEEL_OK;
    keel_hdf5 *hdf5 = NULL;
    row_parts parts;
    keel_origin origin = origin_of(trajectory);
    const ki_series *steps = &trajectory->record->steps;
    for (long i = 0; !status && i < trajectory->record->rows.rows; i++) {
        take_row(trajectory, i, shared, output_shared, &parts);
        if (!hdf5)
            hdf5 = keel_hdf5_open(path, trajectory->model->system, &origin, &parts.row, &status);
        if (hdf5)
            status = keel_hdf5_row(hdf5, &parts.row);
    }
    for (long i = 0; hdf5 && !status && i < steps->rows; i++) {
        const double *step = ki_series_row(steps, i);
        status = keel_hdf5_step(hdf5, &(keel_step){step[KI_STEP_T], step[KI_STEP_SIZE],
                                                   (int)step[KI_STEP_ORDER], step[KI_STEP_GAP]});
    }
    keel_status closed = hdf5 ? keel_hdf5_close(hdf5, &trajectory->result, trajectory->message) : KEEL_OK;
    return status ? status : closed;
}

/* A page takes its name when it is complete: one of an earlier run is not lost to a full disk. */
static keel_status save_page(const keel_trajectory *trajectory, const char *path) {
    static const char PART[] = ".part";
    size_t length = strlen(path);
    char *part = malloc(length + sizeof PART);
    if (!part)
        return KEEL_ERROR_MEMORY;
    memcpy(part, path, length);
    memcpy(part + length, PART, sizeof PART);
    keel_origin origin = origin_of(trajectory);
    FILE *file = fopen(part, "w");
    keel_status status =
        file ? keel_page_write(file, trajectory->record, &origin, &trajectory->result, trajectory->message)
             : KEEL_ERROR_IO;
    if (file && fclose(file) && !status)
        status = KEEL_ERROR_IO;
    if (!status && rename(part, path))
        status = KEEL_ERROR_IO;
    int error = errno;
    if (file && status)
        (void)remove(part);
    free(part);
    errno = error;
    return status;
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static bool is_hdf5(const char *path) {
    return ends_with(path, ".h5") || ends_with(path, ".hdf5");
}

/* By what the name of the file asks for. KEEL_ERROR_INPUT: nothing that is known. */
static keel_status save_rows(const keel_trajectory *trajectory, const char *path) {
    const ki_columns *columns = &trajectory->record->columns;
    bool hdf5 = is_hdf5(path);
    if (!hdf5 && !ends_with(path, ".csv"))
        return KEEL_ERROR_INPUT;
    int *shared = shares_of(columns, KI_MULTIPLIER), *output_shared = shares_of(columns, KI_OUTPUT);
    keel_status status = shared && output_shared ? KEEL_OK : KEEL_ERROR_MEMORY;
    if (!status)
        status = (hdf5 ? save_hdf5 : save_csv)(trajectory, path, shared, output_shared);
    free(shared);
    free(output_shared);
    return status;
}

keel_status keel_trajectory_save(const keel_trajectory *trajectory, const char *path, keel_diagnostics *log) {
    keel_location where = {.file = path};
    if (!trajectory || !path)
        return KEEL_ERROR_INPUT;
    if (!trajectory->record->rows.rows) {
        keel_diagnostics_add(log, KEEL_ERROR, where, "the run has no rows to be saved");
        return KEEL_ERROR_INPUT;
    }
    if (is_hdf5(path) && !ki_hdf5_is_there()) {
        keel_diagnostics_add(log, KEEL_ERROR, where, "this build of Keel has no HDF5: save the rows as .csv");
        return KEEL_ERROR_INPUT;
    }
    errno = 0;
    keel_status status = ends_with(path, ".html") ? save_page(trajectory, path) : save_rows(trajectory, path);
    if (status == KEEL_ERROR_INPUT)
        keel_diagnostics_add(log, KEEL_ERROR, where,
                             "results are saved as .csv, .h5 (rows) or .html (a page), by the file's name");
    else if (status)
        keel_diagnostics_add(log, KEEL_ERROR, where, "cannot be written: %s",
                             status == KEEL_ERROR_IO && errno ? strerror(errno) : keel_status_text(status));
    return status;
}

/* keel run - simulates a model; writes rows, summary and report. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum { HELP, OUTPUT = CLI_CHANGES_END, SUMMARY, VERIFY, ERRORS };

static const cli_flag FLAGS[] = {
    [HELP] = {"help", 'h', NULL, "this text"},
    CLI_CHANGE_FLAGS,
    [OUTPUT] = {"output", 'o', "FILE",
                "write the rows: as HDF5 to FILE.h5, else as CSV; - is standard output"},
    [SUMMARY] = {"summary", 0, "FILE.json", "write the summary as JSON; - is standard output"},
    [VERIFY] = {"verify", 0, NULL, "estimate the global error, by two more runs of other methods"},
    [ERRORS] = {"errors", 0, "FILE.csv", "write the estimated errors of the rows; implies --verify"},
};
enum { FLAG_COUNT = sizeof FLAGS / sizeof *FLAGS };

typedef struct request {
    const char *model_path, *rows_path, *summary_path, *errors_path;
    bool verify;
    cli_changes changes;
} request;

static void help(FILE *file) {
    fprintf(file,
            "usage: keel run MODEL [flags]\n\n"
            "Simulates the model, reports how well its constraints were held, and writes what is asked for.\n"
            "The section 'simulate' of the model file has the defaults, flags win.\n\n");
    cli_flags_help(file, FLAGS, FLAG_COUNT);
    fprintf(file,
            "\noptions (--option NAME=VALUE, or keys of 'simulate' in the model file)\n"
            "  %-21s %-6s  %-17s  %-37s  %-8s  %s\n",
            "name", "type", "default", "range", "unit", "meaning");
    int count;
    const keel_option *options = keel_options(&count);
    for (int i = 0; i < count; i++) {
        const keel_option *o = &options[i];
        char initial[CLI_TITLE], range[CLI_TITLE];
        fprintf(file, "  %-21s %-6s  %-17s  %-37s  %-8s  %s\n", o->name, cli_option_type(o),
                cli_option_default(o, initial), cli_option_range(o, range), o->unit[0] ? o->unit : "-",
                o->help);
    }
    fprintf(file,
            "\nA number and a gain take a number here, a word one of its words. In a model file a gain may\n"
            "also be a map of constraints or a matrix.\n");
    fprintf(file, "\nexamples\n"
                  "  keel run models/pendulum.yaml -o pendulum.csv --summary pendulum.json\n"
                  "  keel run models/pendulum.yaml --method rk4/index1/none --step 0.01 --set g=1.62\n");
}

/* Puts one flag into the request; false after telling the user what is wrong. */
static bool take_flag(request *r, int flag, char *value) {
    switch (flag) {
    case OUTPUT:
        r->rows_path = value;
        return true;
    case SUMMARY:
        r->summary_path = value;
        return true;
    case ERRORS:
        r->errors_path = value;
        r->verify = true;
        return true;
    case VERIFY:
        r->verify = true;
        return true;
    case CLI_OPERAND:
        if (r->model_path) {
            cli_error("run", "one model at a time, but got '%s' and '%s'", r->model_path, value);
            return false;
        }
        r->model_path = cli_model_path(value);
        return true;
    default:
        return cli_changes_take(&r->changes, "run", flag, value);
    }
}

/* Files that must not be the same: results do not overwrite the model or each other. A place that cannot be
 * written is found before the work is done. */
static bool check_paths(const request *r) {
    const char *rows = r->rows_path, *summary = r->summary_path, *errors = r->errors_path;
    if (!r->model_path) {
        cli_error("run", "which model? usage: keel run MODEL [flags]");
        return false;
    }
    if ((rows && !*rows) || (summary && !*summary) || (errors && !*errors)) {
        cli_error("run", "the name of an output file is empty");
        return false;
    }
    if ((rows && cli_same_file(rows, r->model_path)) || (summary && cli_same_file(summary, r->model_path))) {
        cli_error("run", "the results would overwrite the model %s", r->model_path);
        return false;
    }
    if (rows && summary && cli_same_file(rows, summary)) {
        cli_error("run", "rows and summary cannot both go to %s",
                  strcmp(rows, "-") ? rows : "standard output");
        return false;
    }
    if (errors && (cli_same_file(errors, r->model_path) || (rows && cli_same_file(errors, rows)) ||
                   (summary && cli_same_file(errors, summary)) || strcmp(errors, "-") == 0)) {
        cli_error("run", "the errors of the rows need a file of their own, not %s", errors);
        return false;
    }
    return (!rows || cli_output_possible("run", rows)) && (!summary || cli_output_possible("run", summary)) &&
           (!errors || cli_output_possible("run", errors));
}

/* A run under way. */
typedef struct session {
    const request *request;
    const keel_model *model;
    keel_origin origin;
    keel_csv *csv;
    keel_hdf5 *hdf5;
    cli_output summary;
    cli_progress progress;
    cli_code code;
    cli_verify verify;
    const char *failed_path; /* the file that could not be written, NULL if none */
    int error;               /* errno of that */
} session;

static keel_status write_failed(session *s, const char *path) {
    if (!s->failed_path) {
        s->error = errno;
        s->failed_path = path;
    }
    return KEEL_ERROR_IO;
}

static bool is_hdf5(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0);
}

static keel_status open_rows(session *s, const keel_row *first) {
    const char *path = s->request->rows_path;
    keel_status status = KEEL_OK;
    if (!path || s->csv || s->hdf5)
        return KEEL_OK;
    if (is_hdf5(path))
        s->hdf5 = keel_hdf5_open(path, s->model->system, &s->origin, first, &status);
    else
        s->csv = keel_csv_open(path, s->model->system, first, &status);
    if (status == KEEL_ERROR_IO)
        write_failed(s, path);
    return status;
}

/* Output files are opened when the first row comes: until then the model may turn out to be wrong, and files
 * of an earlier run are left alone. */
static keel_status open_outputs(session *s, const keel_row *first) {
    const request *r = s->request;
    if (r->summary_path && !s->summary.file && !cli_output_open(&s->summary, r->summary_path))
        return write_failed(s, r->summary_path);
    return open_rows(s, first);
}

static keel_status on_row(void *user, const keel_row *row) {
    session *s = user;
    keel_status status = open_outputs(s, row);
    if (status == KEEL_OK && s->csv)
        status = keel_csv_row(s->csv, row);
    else if (status == KEEL_OK && s->hdf5)
        status = keel_hdf5_row(s->hdf5, row);
    if (status == KEEL_ERROR_IO)
        write_failed(s, s->request->rows_path);
    if (status != KEEL_OK)
        return status;
    status = cli_verify_row(&s->verify, row);
    return status == KEEL_ERROR_IO ? write_failed(s, s->request->errors_path) : status;
}

static keel_status on_step(void *user, double t, double until) {
    session *s = user;
    cli_progress_show(&s->progress, t, until);
    cli_code_follow(&s->code);
    return KEEL_OK;
}

static keel_status on_accepted(void *user, const keel_step *step) {
    session *s = user;
    keel_status status = s->hdf5 ? keel_hdf5_step(s->hdf5, step) : KEEL_OK;
    return status == KEEL_OK ? KEEL_OK : write_failed(s, s->request->rows_path);
}

/* Closes the rows; the result is that of the run, or NULL. */
static void close_rows(session *s, const keel_result *result, const char *message) {
    if (keel_csv_close(s->csv) != KEEL_OK || keel_hdf5_close(s->hdf5, result, message) != KEEL_OK)
        write_failed(s, s->request->rows_path);
    s->csv = NULL;
    s->hdf5 = NULL;
}

/* Closes the rows and writes the summary, of a failed run too. */
static void write_results(session *s, const keel_result *result, const char *message) {
    const request *r = s->request;
    close_rows(s, result, message);
    if (!r->summary_path || s->failed_path == r->summary_path)
        return;
    if (!s->summary.file && !cli_output_open(&s->summary, r->summary_path)) {
        write_failed(s, r->summary_path);
        return;
    }
    keel_summary_write(s->summary.file, s->model->name, s->model->system, result, message);
    if (!cli_output_commit(&s->summary))
        write_failed(s, r->summary_path);
}

static void write_report(const session *s, const keel_result *result) {
    const request *r = s->request;
    bool stdout_taken = (r->rows_path && strcmp(r->rows_path, "-") == 0) ||
                        (r->summary_path && strcmp(r->summary_path, "-") == 0);
    FILE *file = stdout_taken ? stderr : stdout;
    keel_report_write(file, s->model->name, s->model->system, result);
    if (r->rows_path && s->failed_path == r->rows_path)
        fprintf(file, "  %-12s not all of them are in %s\n", "rows", r->rows_path);
    else if (r->rows_path && result->count.rows)
        fprintf(file, "  %-12s %ld in %s\n", "rows", result->count.rows, r->rows_path);
    else if (!r->rows_path)
        fprintf(file, "  %-12s not kept; -o FILE.csv writes them\n", "rows");
    if (r->summary_path && s->failed_path != r->summary_path)
        fprintf(file, "  %-12s %s\n", "summary", r->summary_path);
    if (r->errors_path && s->failed_path != r->errors_path)
        fprintf(file, "  %-12s %s\n", "errors", r->errors_path);
}

static int simulate(const request *r, const keel_model *model, keel_diagnostics *diagnostics) {
    bool rows_on_screen = r->rows_path && strcmp(r->rows_path, "-") == 0 && isatty(STDOUT_FILENO);
    session s = {.request = r,
                 .model = model,
                 .origin = cli_origin(model, &r->changes),
                 .verify = {.asked = r->verify, .path = r->errors_path}};
    keel_observer observer = {
        .user = &s, .row = on_row, .step = on_step, .stop = cli_catch_interrupts(), .accepted = on_accepted};
    int shown = keel_diagnostics_count(diagnostics);

    cli_code_start(&s.code, model, diagnostics);
    cli_progress_start(&s.progress, model->start->t, !rows_on_screen);
    keel_result result = {0};
    keel_status status = cli_verify_start(&s.verify, model, observer.stop);
    if (!status)
        status = keel_run(model->system, model->start, model->velocities_given, &model->settings, &observer,
                          diagnostics, &result);
    cli_progress_end(&s.progress);
    cli_show(diagnostics, shown);

    /* the state that was reached may be one of which nothing can be told */
    bool began = result.final || result.count.steps > 0;
    int code = cli_exit_code(began ? status : keel_status_of_start(status));
    if (status < 0 && !cli_first_error(diagnostics) && !s.failed_path)
        cli_error("run", "%s", keel_status_text(status));
    if (code == CLI_BAD_INPUT && !began) { /* refused before the first row */
        cli_output_discard(&s.summary);
        close_rows(&s, NULL, NULL);
    } else {
        const char *message = cli_first_error(diagnostics);
        if (!cli_verify_end(&s.verify, &result))
            write_failed(&s, r->errors_path);
        write_results(&s, &result, message || status >= 0 ? message : keel_status_text(status));
        write_report(&s, &result);
        if (code == CLI_OK)
            code = cli_verdict("run", &result.verdict);
        if (code == CLI_OK)
            code = cli_verify_tell(&s.verify, "run");
    }
    if (s.failed_path) {
        cli_error("run", "cannot write %s: %s", s.failed_path, strerror(s.error));
        code = CLI_FAILED;
    }
    keel_result_clear(&result);
    cli_verify_clear(&s.verify);
    cli_code_end(&s.code);
    return code;
}

static int run(const request *r, keel_diagnostics *diagnostics) {
    int code = CLI_BAD_INPUT;
    if (!check_paths(r))
        return code;
    keel_model *model = cli_prepare_model("run", r->model_path, &r->changes, diagnostics, &code);
    if (!model)
        return code;
    code = simulate(r, model, diagnostics);
    keel_model_free(model);
    return code;
}

/* Reads all arguments: CLI_END when they make a request, HELP, or CLI_WRONG after telling the user. */
static int parse(request *r, int argc, char **argv) {
    cli_arguments arguments = {.argc = argc, .argv = argv, .flags = FLAGS, .flag_count = FLAG_COUNT};
    int flag;
    while ((flag = cli_next(&arguments)) != CLI_END && flag != CLI_WRONG && flag != HELP)
        if (!take_flag(r, flag, arguments.value))
            return CLI_WRONG;
    return flag;
}

static int main_run(int argc, char **argv) {
    keel_diagnostics *diagnostics = keel_diagnostics_new();
    request r = {.model_path = NULL};
    int code = CLI_BAD_INPUT;
    if (!cli_changes_init(&r.changes, argc) || !diagnostics) {
        cli_error("run", "%s", keel_status_text(KEEL_ERROR_MEMORY));
        code = CLI_FAILED;
    } else {
        int flag = parse(&r, argc, argv);
        if (flag == HELP) {
            help(stdout);
            code = CLI_OK;
        } else if (flag == CLI_END) {
            code = run(&r, diagnostics);
        }
    }
    cli_changes_clear(&r.changes);
    keel_diagnostics_free(diagnostics);
    return code;
}

const cli_command CLI_RUN = {"run", "simulate a model", main_run, help};

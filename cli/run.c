/* keel run - simulates a model; writes rows, summary and report. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checkpoint.h"
#include "cli.h"
#include "rows.h"
#include "start.h"

enum { HELP, OUTPUT = CLI_CHANGES_END, SUMMARY, VERIFY, ERRORS, CHECKPOINT, EVERY, RESUME, START, AT };

static const cli_flag FLAGS[] = {
    [HELP] = {"help", 'h', NULL, "this text"},
    CLI_CHANGE_FLAGS,
    [OUTPUT] = {"output", 'o', "FILE",
                "write the rows: as HDF5 to FILE.h5, else as CSV; - is standard output"},
    [SUMMARY] = {"summary", 0, "FILE.json", "write the summary as JSON; - is standard output"},
    [VERIFY] = {"verify", 0, NULL, "estimate the global error, by two more runs of other methods"},
    [ERRORS] = {"errors", 0, "FILE.csv", "write the estimated errors of the rows; implies --verify"},
    [CHECKPOINT] = {"checkpoint", 0, "FILE", "write down the run now and then, to go on after a stop"},
    [EVERY] = {"every", 0, "TIME", "time between two checkpoints: 30s, 5min, 2h; 60s"},
    [RESUME] = {"resume", 0, "FILE", "go on with the run of a checkpoint, in place of MODEL and flags"},
    [START] = {"start", 0, "FILE", "begin with the last state of a result (CSV, HDF5) or a checkpoint"},
    [AT] = {"at", 0, "T", "with --start: the state at that time, which has to be one of its rows"},
};
enum { FLAG_COUNT = sizeof FLAGS / sizeof *FLAGS };

/* Between two checkpoints, unless something else is asked for. */
static const double EVERY_SECONDS = 60;

typedef struct request {
    const char *model_path, *rows_path, *summary_path, *errors_path;
    const char *checkpoint_path, *resume_path, *start_path;
    double start_at; /* NaN: the last state of start_path */
    double every;    /* seconds between checkpoints; negative: not given */
    bool verify;
    cli_changes changes;
    keel_checkpoint *resumed; /* what the run goes on from; NULL: it starts */
    cli_kept kept;
} request;

static void help(FILE *file) {
    fprintf(file,
            "usage: keel run MODEL [flags]\n"
            "       keel run --resume FILE [--checkpoint FILE] [--every TIME]\n\n"
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
    case CHECKPOINT:
        r->checkpoint_path = value;
        return true;
    case EVERY:
        return cli_duration("every", value, &r->every);
    case RESUME:
        r->resume_path = value;
        return true;
    case START:
        r->start_path = value;
        return true;
    case AT:
        if (!cli_number(value, &r->start_at))
            cli_error("run", "--at '%s' is not a number", value);
        return !isnan(r->start_at);
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

/* The file, or standard output, that two results cannot both go to; NULL: there is none. */
static const char *shared_path(const char *a, const char *b) {
    return !a || !b || !cli_same_file(a, b) ? NULL : strcmp(a, "-") ? a : "standard output";
}

/* Checkpoints cannot be all that there is of a run. */
static bool check_checkpoint(const request *r) {
    const char *path = r->checkpoint_path, *shared;
    if (!path) {
        if (r->every >= 0)
            cli_error("run", "--every says how often to write the file of --checkpoint, which is not given");
        return r->every < 0;
    }
    if (!*path || strcmp(path, "-") == 0) {
        cli_error("run", "a checkpoint needs a file of its own");
        return false;
    }
    if ((shared = shared_path(path, r->model_path)) || (shared = shared_path(path, r->rows_path)) ||
        (shared = shared_path(path, r->summary_path))) {
        cli_error("run", "the checkpoint would overwrite %s", shared);
        return false;
    }
    if (r->verify) {
        cli_error("run",
                  "a run with --verify has two others beside it, which a checkpoint does not hold: run "
                  "it without, and verify it afterwards");
        return false;
    }
    struct stat rows;
    bool is_file = !r->rows_path ||
                   (strcmp(r->rows_path, "-") != 0 && (stat(r->rows_path, &rows) || S_ISREG(rows.st_mode)));
    if (!is_file)
        cli_error("run", "the rows of a run with checkpoints go to a file, which can be taken up again");
    return is_file && cli_output_possible("run", path);
}

/* Files that must not be the same: results do not overwrite the model or each other. A place that cannot be
 * written is found before the work is done. */
static bool check_paths(const request *r) {
    const char *rows = r->rows_path, *summary = r->summary_path, *errors = r->errors_path, *shared;
    if (!r->model_path) {
        cli_error("run", "which model? usage: keel run MODEL [flags]");
        return false;
    }
    if ((rows && !*rows) || (summary && !*summary) || (errors && !*errors)) {
        cli_error("run", "the name of an output file is empty");
        return false;
    }
    if (shared_path(rows, r->model_path) || shared_path(summary, r->model_path)) {
        cli_error("run", "the results would overwrite the model %s", r->model_path);
        return false;
    }
    if ((shared = shared_path(rows, summary))) {
        cli_error("run", "rows and summary cannot both go to %s", shared);
        return false;
    }
    if (errors && (shared_path(errors, r->model_path) || shared_path(errors, rows) ||
                   shared_path(errors, summary) || strcmp(errors, "-") == 0)) {
        cli_error("run", "the errors of the rows need a file of their own, not %s", errors);
        return false;
    }
    if (!isnan(r->start_at) && !r->start_path) {
        cli_error("run", "--at says which state of the file of --start, which is not given");
        return false;
    }
    if (shared_path(rows, r->start_path) || shared_path(summary, r->start_path)) {
        cli_error("run", "the results would overwrite the start %s", r->start_path);
        return false;
    }
    return (!rows || cli_output_possible("run", rows)) && (!summary || cli_output_possible("run", summary)) &&
           (!errors || cli_output_possible("run", errors)) && check_checkpoint(r);
}

/* A run under way. */
typedef struct session {
    const request *request;
    const keel_model *model;
    keel_origin origin;
    cli_rows rows;
    cli_checkpoint checkpoint;
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

/* Of rows and checkpoints, which know the file. */
static keel_status checked(session *s, keel_status status) {
    return status == KEEL_ERROR_IO ? write_failed(s, s->rows.error_path) : status;
}

/* Output files are opened when the first row comes: until then the model may turn out to be wrong, and files
 * of an earlier run are left alone. With checkpoints the summary waits until the run ends: one that is killed
 * leaves nothing lying about. */
static keel_status on_row(void *user, const keel_row *row) {
    session *s = user;
    const request *r = s->request;
    if (r->summary_path && !r->checkpoint_path && !s->summary.file &&
        !cli_output_open(&s->summary, r->summary_path))
        return write_failed(s, r->summary_path);
    keel_status status = checked(s, cli_rows_row(&s->rows, row));
    if (status != KEEL_OK)
        return status;
    status = cli_verify_row(&s->verify, row);
    return status == KEEL_ERROR_IO ? write_failed(s, s->request->errors_path) : status;
}

static keel_status on_step(void *user, double t, double until) {
    session *s = user;
    s->checkpoint.t = t;
    s->checkpoint.until = until;
    s->checkpoint.has_stepped = true;
    cli_progress_show(&s->progress, t, until);
    cli_code_follow(&s->code);
    return checked(s, cli_rows_wait(&s->rows));
}

static keel_status on_accepted(void *user, const keel_step *step) {
    session *s = user;
    return checked(s, cli_rows_step(&s->rows, step));
}

static keel_status on_between(void *user, const struct keel_run_state *run) {
    session *s = user;
    return checked(s, cli_checkpoint_between(&s->checkpoint, run, &s->rows));
}

/* Closes the rows. Those that memory was too small for are not written, either: the run is over, so that only
 * the file can tell. */
static void close_rows(session *s, const keel_result *result, const char *message) {
    keel_status status = cli_rows_close(&s->rows, result, message);
    if (status == KEEL_ERROR_MEMORY) {
        errno = ENOMEM;
        write_failed(s, s->request->rows_path);
    }
    checked(s, status);
}

static void write_summary(session *s, const keel_result *result, const char *message) {
    const request *r = s->request;
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

/* Closes the rows and writes the summary, of a failed run too. */
static void write_results(session *s, const keel_result *result, const char *message) {
    close_rows(s, result, message);
    write_summary(s, result, message);
    if (result->status == KEEL_OK && !s->failed_path)
        cli_rows_finish(&s->rows);
}

static void write_report(const session *s, const keel_result *result) {
    const request *r = s->request;
    bool stdout_taken = (r->rows_path && strcmp(r->rows_path, "-") == 0) ||
                        (r->summary_path && strcmp(r->summary_path, "-") == 0);
    FILE *file = stdout_taken ? stderr : stdout;
    keel_report_write(file, s->model->name, s->model->system, result);
    if (r->rows_path && s->failed_path == r->rows_path)
        fprintf(file, "  %-12s not all of them are in %s\n", "rows", r->rows_path);
    else if (s->rows.is_left)
        fprintf(file, "  %-12s none: no step was taken, and %s stays what it was\n", "rows", r->rows_path);
    else if (r->rows_path && result->count.rows)
        fprintf(file, "  %-12s %ld in %s\n", "rows", result->count.rows, r->rows_path);
    else if (!r->rows_path)
        fprintf(file, "  %-12s not kept; -o FILE.csv writes them\n", "rows");
    if (r->summary_path && s->failed_path != r->summary_path)
        fprintf(file, "  %-12s %s\n", "summary", r->summary_path);
    if (r->errors_path && s->failed_path != r->errors_path)
        fprintf(file, "  %-12s %s\n", "errors", r->errors_path);
    if (r->checkpoint_path && s->failed_path != r->checkpoint_path)
        fprintf(file, "  %-12s %s%s%s\n", "checkpoint", r->checkpoint_path,
                result->status == KEEL_INTERRUPTED ? "; to go on: keel run --resume " : "",
                result->status == KEEL_INTERRUPTED ? r->checkpoint_path : "");
}

/* False, with the exit code, where there is nothing to be simulated. */
static bool prepare(session *s, int *code) {
    const request *r = s->request;
    s->origin = cli_origin(s->model, &r->changes);
    s->verify = (cli_verify){.asked = r->verify, .path = r->errors_path};
    s->checkpoint = (cli_checkpoint){.path = r->checkpoint_path,
                                     .changes = &r->changes,
                                     .until = INFINITY,
                                     .kept = {.model_path = r->model_path,
                                              .model_text = s->model->text,
                                              .rows_path = r->rows_path,
                                              .summary_path = r->summary_path,
                                              .every = r->every >= 0 ? r->every : EVERY_SECONDS}};
    if (!cli_rows_init(&s->rows, r->rows_path, s->model->system, &s->origin, r->checkpoint_path)) {
        cli_error("run", "%s", keel_status_text(KEEL_ERROR_MEMORY));
        *code = CLI_FAILED;
        return false;
    }
    if (r->resumed && r->kept.finished && cli_rows_are_finished(&s->rows, &r->kept.rows)) {
        printf("the run of %s has reached its end, and its results are complete\n", r->resume_path);
        *code = CLI_OK;
        return false;
    }
    *code = CLI_BAD_INPUT;
    return !r->resumed || cli_rows_go_on(&s->rows, &r->kept.rows);
}

/* From the start, or from where a checkpoint is. */
static keel_status take_run(session *s, const keel_observer *observer, keel_diagnostics *diagnostics,
                            keel_result *result) {
    const keel_model *model = s->model;
    cli_checkpoint_start(&s->checkpoint);
    if (s->request->resumed)
        return keel_run_resume(model->system, &model->settings, s->request->resumed, observer, diagnostics,
                               result);
    keel_status status = cli_verify_start(&s->verify, model, observer->stop);
    return status ? status
                  : keel_run(model->system, model->start, model->velocities_given, &model->settings, observer,
                             diagnostics, result);
}

/* What a run has come to, on screen and in files; its exit code. */
static int finish(session *s, const keel_result *result, int code, const char *message) {
    write_results(s, result, message);
    write_report(s, result);
    if (code == CLI_OK)
        code = cli_verdict("run", &result->verdict);
    return code == CLI_OK ? cli_verify_tell(&s->verify, "run") : code;
}

static int simulate(const request *r, const keel_model *model, keel_diagnostics *diagnostics) {
    bool rows_on_screen = r->rows_path && strcmp(r->rows_path, "-") == 0 && isatty(STDOUT_FILENO);
    session s = {.request = r, .model = model};
    int code;
    if (!prepare(&s, &code)) {
        cli_rows_forget(&s.rows);
        return code;
    }
    keel_observer observer = {.user = &s,
                              .row = on_row,
                              .step = on_step,
                              .stop = s.checkpoint.stop = cli_catch_interrupts(),
                              .accepted = on_accepted,
                              .between = on_between};
    int shown = keel_diagnostics_count(diagnostics);

    cli_code_start(&s.code, model, diagnostics);
    cli_progress_start(&s.progress, model->start->t, !rows_on_screen);
    keel_result result = {0};
    keel_status status = take_run(&s, &observer, diagnostics, &result);
    cli_progress_end(&s.progress);
    cli_show(diagnostics, shown);

    /* the state that was reached may be one of which nothing can be told */
    bool began = result.final || result.count.steps > 0;
    code = cli_exit_code(began ? status : keel_status_of_start(status));
    if (status < 0 && !cli_first_error(diagnostics) && !s.failed_path)
        cli_error("run", "%s", keel_status_text(status));
    if ((code == CLI_BAD_INPUT || r->resumed) && !began) { /* refused before the first row */
        cli_output_discard(&s.summary);
        cli_rows_close(&s.rows, NULL, NULL);
    } else {
        const char *message = cli_first_error(diagnostics);
        if (!cli_verify_end(&s.verify, &result))
            write_failed(&s, r->errors_path);
        code = finish(&s, &result, code, message || status >= 0 ? message : keel_status_text(status));
    }
    if (s.failed_path) {
        cli_error("run", "cannot write %s: %s", s.failed_path, strerror(s.error));
        code = CLI_FAILED;
    }
    keel_result_clear(&result);
    cli_verify_clear(&s.verify);
    cli_rows_forget(&s.rows);
    cli_code_end(&s.code);
    return code;
}

/* The request of the run that goes on. */
static bool take_resumed(request *r, keel_diagnostics *diagnostics) {
    if (r->model_path || r->rows_path || r->summary_path || r->verify || r->changes.method ||
        r->changes.override_count || r->changes.set_count || r->start_path) {
        cli_error("run", "--resume goes on with the run as it was: its checkpoint knows model, flags and "
                         "files; only --checkpoint and --every may stand beside it");
        return false;
    }
    r->resumed = cli_checkpoint_read(r->resume_path, &r->kept, &r->changes, diagnostics);
    if (!r->resumed)
        return false;
    r->model_path = r->kept.model_path;
    r->rows_path = r->kept.rows_path;
    r->summary_path = r->kept.summary_path;
    r->checkpoint_path = r->checkpoint_path ? r->checkpoint_path : r->resume_path;
    r->every = r->every >= 0 ? r->every : r->kept.every;
    return true;
}

static int run(request *r, keel_diagnostics *diagnostics) {
    int code = CLI_BAD_INPUT;
    if ((r->resume_path && !take_resumed(r, diagnostics)) || !check_paths(r))
        return code;
    keel_model *model = cli_prepare_model("run", r->model_path, &r->changes, diagnostics, &code);
    if (!model)
        return code;
    code = r->start_path ? cli_start_from(model, r->start_path, r->start_at, diagnostics) : CLI_OK;
    if (code == CLI_OK)
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
    request r = {.every = -1, .start_at = NAN};
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
    keel_checkpoint_free(r.resumed);
    keel_diagnostics_free(diagnostics);
    return code;
}

const cli_command CLI_RUN = {"run", "simulate a model", main_run, help};

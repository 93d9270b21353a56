/* keel report - a page to look at: plots, moving picture, numbers of a run or of a result file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { HELP, OUTPUT = CLI_CHANGES_END, MODEL };

static const cli_flag FLAGS[] = {
    [HELP] = {"help", 'h', NULL, "this text"},
    CLI_CHANGE_FLAGS,
    [OUTPUT] = {"output", 'o', "FILE.html", "where the page goes; otherwise NAME.html here"},
    [MODEL] = {"model", 0, "MODEL", "the model of a CSV file, for the moving picture"},
};
enum { FLAG_COUNT = sizeof FLAGS / sizeof *FLAGS };

typedef struct request {
    const char *operand, *input; /* as given, and the file that it means */
    const char *model_path, *page_path;
    cli_changes changes;
} request;

static void help(FILE *file) {
    fprintf(
        file,
        "usage: keel report MODEL|OUT.csv|OUT.h5 [flags]\n\n"
        "Writes one HTML page that opens in any browser, without a network: verdict, plots, the\n"
        "mechanism in motion, the numbers of the run, the model. A model is simulated first; a result of\n"
        "'keel run -o' is read. A file OUT.h5 has all that a page shows; OUT.csv has the plots, and with\n"
        "--model the moving picture too.\n\n");
    cli_flags_help(file, FLAGS, FLAG_COUNT);
    fprintf(file, "\nexamples\n"
                  "  keel report andrews\n"
                  "  keel report models/pendulum.yaml --tol 1e-10 -o pendulum.html\n"
                  "  keel run andrews -o andrews.h5 && keel report andrews.h5\n");
}

static bool take_flag(request *r, int flag, char *value) {
    switch (flag) {
    case OUTPUT:
        r->page_path = value;
        return true;
    case MODEL:
        r->model_path = cli_model_path(value);
        return true;
    case CLI_OPERAND:
        if (r->operand) {
            cli_error("report", "one model or result at a time, but got '%s' and '%s'", r->operand, value);
            return false;
        }
        r->operand = value;
        r->input = cli_model_path(value);
        return true;
    default:
        return cli_changes_take(&r->changes, "report", flag, value);
    }
}

/* "models/andrews.yaml" -> "andrews.html"; free it. NULL when out of memory. */
static char *default_page(const char *input) {
    const char *slash = strrchr(input, '/'), *name = slash ? slash + 1 : input;
    const char *dot = strrchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    char *path = malloc(length + sizeof ".html");
    if (path) {
        memcpy(path, name, length);
        memcpy(path + length, ".html", sizeof ".html");
    }
    return path;
}

static bool check(const request *r, keel_result_format format) {
    if (r->page_path && !*r->page_path) {
        cli_error("report", "the name of the page is empty");
        return false;
    }
    if (cli_same_file(r->page_path, r->input) ||
        (r->model_path && cli_same_file(r->page_path, r->model_path))) {
        cli_error("report", "the page would overwrite %s", r->input);
        return false;
    }
    if (format == KEEL_FORMAT_NONE && r->model_path) {
        cli_error("report", "--model is for a CSV file: %s is a model itself", r->input);
        return false;
    }
    if (!cli_output_possible("report", r->page_path))
        return false;
    bool changes = r->changes.method || r->changes.override_count;
    if (format != KEEL_FORMAT_NONE && changes) {
        cli_error("report", "%s is the result of a run that is over: --method, --tol, ... come too late",
                  r->input);
        return false;
    }
    bool model_of_csv = format == KEEL_FORMAT_CSV && r->model_path;
    if (format != KEEL_FORMAT_NONE && r->changes.set_count && !model_of_csv) {
        cli_error("report", "%s is the result of a run that is over: --set comes too late%s", r->input,
                  format == KEEL_FORMAT_CSV ? " (it is for the model that --model names)" : "");
        return false;
    }
    return true;
}

static int failed(const char *path) {
    cli_error("report", "cannot write %s: %s", path, strerror(errno));
    return CLI_FAILED;
}

/* Writes the page; tells where it is. */
static int write_page(const request *r, keel_record *record, const keel_origin *origin,
                      const keel_result *result, const char *message) {
    cli_output output;
    if (!cli_output_open(&output, r->page_path))
        return failed(r->page_path);
    errno = 0;
    keel_status status = keel_page_write(output.file, record, origin, result, message);
    if (status != KEEL_OK && status != KEEL_ERROR_IO) {
        cli_output_discard(&output);
        cli_error("report", "%s", keel_status_text(status));
        return CLI_FAILED;
    }
    if (status != KEEL_OK) {
        int error = errno;
        cli_output_discard(&output);
        errno = error;
        return failed(r->page_path);
    }
    if (!cli_output_commit(&output))
        return failed(r->page_path);
    bool on_screen = strcmp(r->page_path, "-") == 0;
    if (!on_screen)
        printf("  %-12s %s (open it in a browser)\n", "page", r->page_path);
    return CLI_OK;
}

/* ---- a model --------------------------------------------------------------------------------------------
 */

typedef struct session {
    keel_record *record;
    cli_progress progress;
    cli_code code;
} session;

static keel_status on_row(void *user, const keel_row *row) {
    return keel_record_row(((session *)user)->record, row);
}

static keel_status on_accepted(void *user, const keel_step *step) {
    return keel_record_step(((session *)user)->record, step);
}

static keel_status on_step(void *user, double t, double until) {
    cli_progress_show(&((session *)user)->progress, t, until);
    cli_code_follow(&((session *)user)->code);
    return KEEL_OK;
}

/* A run that failed or was interrupted has a page too, if it has a row. */
static int simulate(const request *r, const keel_model *model, keel_diagnostics *diagnostics) {
    session s = {.record = keel_record_new(model->system)};
    keel_origin origin = cli_origin(model, &r->changes);
    keel_observer observer = {
        .user = &s, .row = on_row, .step = on_step, .stop = cli_catch_interrupts(), .accepted = on_accepted};
    keel_result result = {0};
    int shown = keel_diagnostics_count(diagnostics);
    if (!s.record) {
        cli_error("report", "%s", keel_status_text(KEEL_ERROR_MEMORY));
        return CLI_FAILED;
    }
    cli_code_start(&s.code, model, diagnostics);
    cli_progress_start(&s.progress, model->start->t, true);
    keel_status status = keel_run(model->system, model->start, model->velocities_given, &model->settings,
                                  &observer, diagnostics, &result);
    cli_progress_end(&s.progress);
    cli_show(diagnostics, shown);
    int code = cli_exit_code(status);
    const char *message = cli_first_error(diagnostics);
    if (status < 0 && !message)
        cli_error("report", "%s", keel_status_text(status));
    if (keel_record_rows(s.record)) {
        FILE *file = strcmp(r->page_path, "-") == 0 ? stderr : stdout;
        keel_report_write(file, model->name, model->system, &result);
        int written = write_page(r, s.record, &origin, &result, message);
        code = written == CLI_OK ? code : written;
        if (code == CLI_OK)
            code = cli_verdict("report", &result.verdict);
    }
    keel_result_clear(&result);
    keel_record_free(s.record);
    cli_code_end(&s.code);
    return code;
}

static int report_model(const request *r, keel_diagnostics *diagnostics) {
    int code;
    keel_model *model = cli_prepare_model("report", r->input, &r->changes, diagnostics, &code);
    if (!model)
        return code;
    code = simulate(r, model, diagnostics);
    keel_model_free(model);
    return code;
}

/* ---- a result -------------------------------------------------------------------------------------------
 */

/* The model that a file tells of, with the parameters it was run with. NULL, after messages and with the exit
 * code, if it is none. */
static keel_model *model_of_file(const keel_origin *origin, keel_diagnostics *diagnostics, int *code) {
    keel_assignment *set = calloc((size_t)origin->set_count + 1, sizeof *set);
    char **text = calloc((size_t)origin->set_count + 1, sizeof *text);
    keel_model *model = NULL;
    keel_status status = KEEL_ERROR_MEMORY;
    int count = 0;
    bool complete = set && text; /* without one of them the model would have other parameters */
    for (int i = 0; complete && i < origin->set_count; i++) {
        text[i] = strdup(origin->set[i]);
        char *equals = text[i] ? strchr(text[i], '=') : NULL;
        complete = text[i] != NULL;
        if (!equals)
            continue;
        *equals = 0;
        set[count++] = (keel_assignment){text[i], equals + 1};
    }
    if (complete)
        model = keel_model_parse(origin->model_file ? origin->model_file : "model", origin->model_text,
                                 strlen(origin->model_text), set, count, diagnostics, &status);
    for (int i = 0; text && i < origin->set_count; i++)
        free(text[i]);
    free(text);
    free(set);
    *code = model ? CLI_OK : status == KEEL_ERROR_MEMORY ? CLI_FAILED : CLI_BAD_INPUT;
    return model;
}

static int report_record(const request *r, keel_record *record, keel_diagnostics *diagnostics) {
    const keel_origin *origin = keel_record_origin(record);
    keel_model *model = NULL;
    keel_origin own;
    int code = CLI_OK, shown = keel_diagnostics_count(diagnostics);
    if (r->model_path) {
        model =
            cli_read_model("report", r->model_path, r->changes.set, r->changes.set_count, diagnostics, &code);
        shown = keel_diagnostics_count(diagnostics);
        own = model ? cli_origin(model, &r->changes) : (keel_origin){0};
        origin = &own;
    } else if (origin) {
        model = model_of_file(origin, diagnostics, &code);
    }
    if (model && keel_record_match(record, model->system, diagnostics) != KEEL_OK)
        code = CLI_BAD_INPUT;
    cli_show(diagnostics, shown);
    if (code == CLI_OK)
        code = write_page(r, record, origin, NULL, NULL);
    if (code == CLI_OK && strcmp(r->page_path, "-") != 0) {
        char text[300];
        int finished = keel_record_finished(record, origin, text, sizeof text);
        printf("  %-12s %s\n", finished > 0 ? "finished" : finished < 0 ? "finished?" : "not finished", text);
    }
    char broken[400];
    if (code == CLI_OK && keel_record_broken(record, broken, sizeof broken)) {
        cli_error("report", "%s", broken);
        code = CLI_BROKEN;
    }
    keel_model_free(model);
    return code;
}

static int report_file(const request *r, keel_diagnostics *diagnostics) {
    keel_status status = KEEL_OK;
    keel_record *record = keel_record_read(r->input, diagnostics, &status);
    cli_show(diagnostics, 0);
    if (!record) {
        if (!keel_diagnostics_errors(diagnostics))
            cli_error("report", "%s: %s", r->input, keel_status_text(status));
        return status == KEEL_ERROR_MEMORY ? CLI_FAILED : CLI_BAD_INPUT;
    }
    int code = report_record(r, record, diagnostics);
    keel_record_free(record);
    return code;
}

/* ---------------------------------------------------------------------------------------------------------
 */

static int report(request *r, keel_diagnostics *diagnostics) {
    if (!r->input) {
        cli_error("report", "a report of what? usage: keel report MODEL|OUT.csv|OUT.h5 [flags]");
        return CLI_BAD_INPUT;
    }
    char *page = r->page_path ? NULL : default_page(r->input);
    r->page_path = r->page_path ? r->page_path : page;
    keel_result_format format = keel_result_format_of(r->input);
    int code = CLI_BAD_INPUT;
    if (!r->page_path)
        code = CLI_FAILED;
    else if (check(r, format))
        code = format == KEEL_FORMAT_NONE ? report_model(r, diagnostics) : report_file(r, diagnostics);
    free(page);
    return code;
}

static int main_report(int argc, char **argv) {
    cli_arguments arguments = {.argc = argc, .argv = argv, .flags = FLAGS, .flag_count = FLAG_COUNT};
    keel_diagnostics *diagnostics = keel_diagnostics_new();
    request r = {.operand = NULL};
    int code = CLI_BAD_INPUT, flag = CLI_WRONG;
    if (!cli_changes_init(&r.changes, argc) || !diagnostics) {
        cli_error("report", "%s", keel_status_text(KEEL_ERROR_MEMORY));
        code = CLI_FAILED;
    } else {
        while ((flag = cli_next(&arguments)) != CLI_END && flag != CLI_WRONG && flag != HELP)
            if (!take_flag(&r, flag, arguments.value)) {
                flag = CLI_WRONG;
                break;
            }
    }
    if (flag == HELP) {
        help(stdout);
        code = CLI_OK;
    } else if (flag == CLI_END) {
        code = report(&r, diagnostics);
    }
    cli_changes_clear(&r.changes);
    keel_diagnostics_free(diagnostics);
    return code;
}

const cli_command CLI_REPORT = {"report", "a page to look at: plots, moving picture, numbers", main_report,
                                help};

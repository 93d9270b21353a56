/* keel run - simulates a model; writes rows, summary and report. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "keel/results.h"

enum { HELP, METHOD, TOL, STEP, UNTIL, OPTION, SET, OUTPUT, SUMMARY };

static const cli_flag FLAGS[] = {
    [HELP] = {"help", 'h', NULL, "this text"},
    [METHOD] = {"method", 'm', "METHOD", "INTEGRATOR[/FORMULATION[/STABILIZE]] or auto; see 'keel methods'"},
    [TOL] = {"tol", 0, "T", "relative error per step; the same as --option tolerance=T"},
    [STEP] = {"step", 0, "H", "step size of a fixed-step integrator; the same as --option step=H"},
    [UNTIL] = {"until", 0, "T", "end time; the same as --option until=T"},
    [OPTION] = {"option", 0, "NAME=VALUE", "set an option of the table below; may be repeated"},
    [SET] = {"set", 0, "NAME=VALUE", "replace a parameter of the model; may be repeated"},
    [OUTPUT] = {"output", 'o', "FILE.csv", "write the rows as CSV; - is standard output"},
    [SUMMARY] = {"summary", 0, "FILE.json", "write the summary as JSON; - is standard output"},
};
enum { FLAG_COUNT = sizeof FLAGS / sizeof *FLAGS };

/* An option set on the command line. */
typedef struct override {
    int flag;         /* the flag that set it */
    const char *name; /* of the option        */
    const char *text; /* its value as written */
} override;

typedef struct request {
    const char *model_path, *csv_path, *summary_path, *method;
    override *overrides;
    int override_count;
    keel_assignment *set;
    int set_count;
} request;

static const char *type_text(const keel_option *o) {
    return o->type == KEEL_OPTION_WORD ? "word" : o->type == KEEL_OPTION_GAIN ? "gain" : "number";
}

/* The allowed values of an option; ends of 1e300 are there to keep infinity out, not to be told. */
static const char *range_text(const keel_option *o, char *buffer, size_t size) {
    size_t used = 0;
    buffer[0] = 0;
    if (o->type == KEEL_OPTION_WORD)
        for (int i = 0; o->words[i] && used < size; i++)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? ", " : "", o->words[i]);
    else if (o->most < 1e300)
        snprintf(buffer, size, "%g .. %g", o->least, o->most);
    else if (o->least > -1e300)
        snprintf(buffer, size, ">= %g", o->least);
    else
        snprintf(buffer, size, "any");
    return buffer;
}

static const char *default_text(const keel_option *o, char *buffer, size_t size) {
    if (o->type == KEEL_OPTION_WORD)
        return o->words[(int)o->initial];
    if (o->type == KEEL_OPTION_GAIN)
        return "automatic";
    snprintf(buffer, size, "%g", o->initial);
    return buffer;
}

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
        char initial[32], range[128];
        fprintf(file, "  %-21s %-6s  %-17s  %-37s  %-8s  %s\n", o->name, type_text(o),
                default_text(o, initial, sizeof initial), range_text(o, range, sizeof range),
                o->unit[0] ? o->unit : "-", o->help);
    }
    fprintf(file,
            "\nA number and a gain take a number here, a word one of its words. In a model file a gain may\n"
            "also be a map of constraints or a matrix.\n");
    fprintf(file, "\nexamples\n"
                  "  keel run models/pendulum.yaml -o pendulum.csv --summary pendulum.json\n"
                  "  keel run models/pendulum.yaml --method rk4/index1/none --step 0.01 --set g=1.62\n");
}

static void add_override(request *r, int flag, const char *name, const char *text) {
    r->overrides[r->override_count++] = (override){flag, name, text};
}

/* Puts one flag into the request; false after telling the user what is wrong. */
static bool take_flag(request *r, int flag, char *value) {
    const char *name, *text;
    switch (flag) {
    case METHOD:
        r->method = value;
        return true;
    case TOL:
        add_override(r, flag, "tolerance", value);
        return true;
    case STEP:
    case UNTIL:
        add_override(r, flag, FLAGS[flag].name, value);
        return true;
    case OPTION:
        if (!cli_split("run", "option", value, &name, &text))
            return false;
        add_override(r, flag, name, text);
        return true;
    case SET:
        if (!cli_split("run", "set", value, &name, &text))
            return false;
        r->set[r->set_count++] = (keel_assignment){name, text};
        return true;
    case OUTPUT:
        r->csv_path = value;
        return true;
    case SUMMARY:
        r->summary_path = value;
        return true;
    default:
        if (r->model_path) {
            cli_error("run", "one model at a time, but got '%s' and '%s'", r->model_path, value);
            return false;
        }
        r->model_path = value;
        return true;
    }
}

/* Files that must not be the same: results do not overwrite the model or each other. */
static bool check_paths(const request *r) {
    const char *csv = r->csv_path, *summary = r->summary_path;
    if (!r->model_path) {
        cli_error("run", "which model? usage: keel run MODEL [flags]");
        return false;
    }
    if ((csv && !*csv) || (summary && !*summary)) {
        cli_error("run", "the name of an output file is empty");
        return false;
    }
    if ((csv && cli_same_file(csv, r->model_path)) || (summary && cli_same_file(summary, r->model_path))) {
        cli_error("run", "the results would overwrite the model %s", r->model_path);
        return false;
    }
    if (csv && summary && cli_same_file(csv, summary)) {
        cli_error("run", "rows and summary cannot both go to %s", strcmp(csv, "-") ? csv : "standard output");
        return false;
    }
    return true;
}

static keel_status set_option(keel_settings *settings, const override *o, keel_location where,
                              keel_diagnostics *diagnostics) {
    const keel_option *option = keel_option_find(o->name, where, diagnostics);
    double value;
    if (!option)
        return KEEL_ERROR_INPUT;
    if (option->type == KEEL_OPTION_WORD)
        return keel_settings_set_word(settings, o->name, where, o->text, where, diagnostics);
    if (cli_number(o->text, &value))
        return keel_settings_set(settings, o->name, where, value, where, diagnostics);
    keel_diagnostics_add(diagnostics, KEEL_ERROR, where, "'%s' is not a number%s", o->text,
                         option->type == KEEL_OPTION_GAIN
                             ? "; a map or a matrix stands in the model file, under 'simulate'"
                             : "");
    return KEEL_ERROR_INPUT;
}

/* Applies the flags to settings. Problems are reported at the flag: "--tol 2x: error: ...". */
static keel_status apply(const request *r, keel_settings *settings, keel_diagnostics *diagnostics) {
    keel_status status = KEEL_OK;
    char flag[160];
    if (r->method) {
        snprintf(flag, sizeof flag, "--method %s", r->method);
        status = keel_method_parse(r->method, (keel_location){.file = flag}, diagnostics, &settings->method);
    }
    for (int i = 0; i < r->override_count; i++) {
        const override *o = &r->overrides[i];
        const char *name = o->flag == OPTION ? o->name : "";
        snprintf(flag, sizeof flag, "--%s %s%s%s", FLAGS[o->flag].name, name, *name ? "=" : "", o->text);
        keel_location where = {.file = flag};
        keel_status set = set_option(settings, o, where, diagnostics);
        status = status == KEEL_OK ? set : status;
    }
    return status;
}

/* A step for a method that chooses its own, or a tolerance for one that does not, is most likely a mistake.
 */
static void warn_of_unused(const request *r, keel_method method, keel_diagnostics *diagnostics) {
    int adaptive = keel_integrator_is_adaptive(method.integrator);
    const char *integrator = keel_integrator_word(method.integrator).name;
    for (int i = 0; i < r->override_count; i++) {
        const char *name = r->overrides[i].name;
        if (!keel_integrator_takes_step(method.integrator) && strcmp(name, "step") == 0)
            keel_diagnostics_add(diagnostics, KEEL_WARNING, (keel_location){.file = "--step"},
                                 "%s chooses its own step: no effect (--option max_step=H limits it)",
                                 integrator);
        if (!adaptive && strcmp(name, "tolerance") == 0)
            keel_diagnostics_add(diagnostics, KEEL_WARNING, (keel_location){.file = "--tol"},
                                 "%s takes a fixed step: no effect (--step H sets it)", integrator);
    }
}

/* A run under way. */
typedef struct session {
    const request *request;
    const keel_system *system;
    keel_csv *csv;
    cli_output summary;
    cli_progress progress;
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

/* Output files are opened when the first row comes: until then the model may turn out to be wrong, and files
 * of an earlier run are left alone. A place that cannot be written is found here, before the work is done. */
static keel_status open_outputs(session *s, const keel_row *first) {
    const request *r = s->request;
    keel_status status = KEEL_OK;
    if (r->summary_path && !s->summary.file && !cli_output_open(&s->summary, r->summary_path))
        return write_failed(s, r->summary_path);
    if (r->csv_path && !s->csv) {
        s->csv = keel_csv_open(r->csv_path, s->system, first, &status);
        if (status == KEEL_ERROR_IO)
            write_failed(s, r->csv_path);
    }
    return status;
}

static keel_status on_row(void *user, const keel_row *row) {
    session *s = user;
    keel_status status = open_outputs(s, row);
    if (status == KEEL_OK && s->csv) {
        status = keel_csv_row(s->csv, row);
        if (status != KEEL_OK)
            write_failed(s, s->request->csv_path);
    }
    return status;
}

static keel_status on_step(void *user, double t, double until) {
    session *s = user;
    cli_progress_show(&s->progress, t, until);
    return KEEL_OK;
}

/* Closes the rows and writes the summary, of a failed run too. */
static void write_results(session *s, const keel_model *model, const keel_result *result,
                          const char *message) {
    const request *r = s->request;
    if (s->csv && keel_csv_close(s->csv) != KEEL_OK)
        write_failed(s, r->csv_path);
    s->csv = NULL;
    if (!r->summary_path || s->failed_path == r->summary_path)
        return;
    if (!s->summary.file && !cli_output_open(&s->summary, r->summary_path)) {
        write_failed(s, r->summary_path);
        return;
    }
    keel_summary_write(s->summary.file, model->name, model->system, result, message);
    if (!cli_output_commit(&s->summary))
        write_failed(s, r->summary_path);
}

static void write_report(const request *r, const keel_model *model, const keel_result *result) {
    bool stdout_taken = (r->csv_path && strcmp(r->csv_path, "-") == 0) ||
                        (r->summary_path && strcmp(r->summary_path, "-") == 0);
    FILE *file = stdout_taken ? stderr : stdout;
    keel_report_write(file, model->name, model->system, result);
    if (r->csv_path && result->count.rows)
        fprintf(file, "  %-12s %ld in %s\n", "rows", result->count.rows, r->csv_path);
    else if (!r->csv_path)
        fprintf(file, "  %-12s not kept; -o FILE.csv writes them\n", "rows");
    if (r->summary_path)
        fprintf(file, "  %-12s %s\n", "summary", r->summary_path);
}

static int simulate(const request *r, const keel_model *model, keel_diagnostics *diagnostics) {
    bool rows_on_screen = r->csv_path && strcmp(r->csv_path, "-") == 0 && isatty(STDOUT_FILENO);
    session s = {.request = r, .system = model->system};
    keel_observer observer = {.user = &s, .row = on_row, .step = on_step, .stop = cli_catch_interrupts()};
    int shown = keel_diagnostics_count(diagnostics);

    cli_progress_start(&s.progress, model->start->t, !rows_on_screen);
    keel_result result = {0};
    keel_status status = keel_run(model->system, model->start, model->velocities_given, &model->settings,
                                  &observer, diagnostics, &result);
    cli_progress_end(&s.progress);
    cli_show(diagnostics, shown);

    int code = cli_exit_code(status);
    if (status < 0 && !cli_first_error(diagnostics) && !s.failed_path)
        cli_error("run", "%s", keel_status_text(status));
    if (code == CLI_BAD_INPUT && !result.final) { /* refused before the first row */
        cli_output_discard(&s.summary);
        keel_csv_close(s.csv);
    } else {
        const char *message = cli_first_error(diagnostics);
        write_results(&s, model, &result, message || status >= 0 ? message : keel_status_text(status));
        write_report(r, model, &result);
    }
    if (s.failed_path) {
        cli_error("run", "cannot write %s: %s", s.failed_path, strerror(s.error));
        code = CLI_FAILED;
    }
    keel_result_clear(&result);
    return code;
}

/* Closes the joints of a mechanism, and refuses one that cannot move. */
static keel_status prepare_start(keel_model *model, keel_diagnostics *diagnostics) {
    keel_status status = cli_assemble_start(model, diagnostics);
    if (status >= 0)
        status = cli_check_mobility(model, diagnostics);
    if (status < 0 && !keel_diagnostics_errors(diagnostics))
        cli_error("run", "%s", keel_status_text(status));
    return status < 0 ? status : KEEL_OK;
}

/* Checks the flags before anything is read, then reads the model and runs it. */
static int run(const request *r, keel_diagnostics *diagnostics) {
    keel_settings defaults = keel_settings_default();
    if (!check_paths(r))
        return CLI_BAD_INPUT;
    if (apply(r, &defaults, diagnostics) != KEEL_OK) {
        cli_show(diagnostics, 0);
        return CLI_BAD_INPUT;
    }
    keel_model *model = cli_read_model("run", r->model_path, r->set, r->set_count, diagnostics);
    if (!model)
        return CLI_BAD_INPUT;
    int shown = keel_diagnostics_count(diagnostics), code;
    keel_status status = apply(r, &model->settings, diagnostics);
    if (status == KEEL_OK)
        status = keel_settings_validate(&model->settings, model->start->t, diagnostics);
    warn_of_unused(r, model->settings.method, diagnostics);
    if (status == KEEL_OK)
        status = prepare_start(model, diagnostics);
    cli_show(diagnostics, shown);
    code = status == KEEL_OK ? simulate(r, model, diagnostics) : cli_exit_code(status);
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
    request r = {.overrides = calloc((size_t)argc, sizeof *r.overrides),
                 .set = calloc((size_t)argc, sizeof *r.set)};
    int code = CLI_BAD_INPUT;
    if (!diagnostics || !r.overrides || !r.set) {
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
    free(r.overrides);
    free(r.set);
    keel_diagnostics_free(diagnostics);
    return code;
}

const cli_command CLI_RUN = {"run", "simulate a model", main_run, help};

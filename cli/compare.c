/* keel compare - many methods on one model: error against cost. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "results/page.h"

enum { HELP, METHODS, TOLS, STEPS, OF, REFERENCE, TARGET, UNTIL, OPTION, SET, LIMIT, THREADS, JSON, OUTPUT };

static const cli_flag FLAGS[] = {
    [HELP] = {"help", 'h', NULL, "this text"},
    [METHODS] = {"methods", 'm', "LIST", "methods and patterns, 'rk4,bdf*,*/projection'; default: all"},
    [TOLS] = {"tols", 0, "LIST", "tolerances of adaptive integrators; default 1e-4,1e-6,1e-8"},
    [STEPS] = {"steps", 0, "LIST", "steps of fixed-step integrators; default: from the reference"},
    [OF] = {"of", 0, "LIST", "columns that make the error; default: outputs, or coordinates"},
    [REFERENCE] = {"reference", 0, "FILE",
                   "rows of 'keel run', CSV or HDF5, as reference; default: computed"},
    [TARGET] = {"target", 0, "E", "error at which methods are ranked; default: one that half of them reach"},
    [UNTIL] = {"until", 0, "T", "end time"},
    [OPTION] = {"option", 0, "NAME=VALUE", "set an option of 'keel run' for all runs; may be repeated"},
    [SET] = {"set", 0, "NAME=VALUE", "replace a parameter of the model; may be repeated"},
    [LIMIT] = {"limit", 0, "S", "most CPU seconds of a run; default 5 times the reference's, at least 2"},
    [THREADS] = {"threads", 0, "N", "runs at the same time; default: one for every processor"},
    [JSON] = {"json", 0, "FILE.json", "write everything as JSON; - is standard output"},
    [OUTPUT] = {"output", 'o', "PAGE.html", "write a page with the work-precision plot"},
};
enum { FLAG_COUNT = sizeof FLAGS / sizeof *FLAGS };

typedef struct request {
    const char *model_path, *json_path, *page_path, *reference_path;
    keel_assignment *options, *set; /* [.._count] */
    int option_count, set_count;
    keel_method *methods;
    double *tolerances, *steps;
    const char **quantities;
    keel_comparison_plan plan;
} request;

static void help(FILE *file) {
    fprintf(
        file,
        "usage: keel compare MODEL [flags]\n\n"
        "Runs many methods at several tolerances or steps, measures their errors against a reference\n"
        "that two methods agree on, and tells which reaches which error with the fewest evaluations.\n\n");
    cli_flags_help(file, FLAGS, FLAG_COUNT);
    fprintf(file, "\nexamples\n"
                  "  keel compare models/andrews.yaml -o andrews.html\n"
                  "  keel compare models/pendulum.yaml --methods 'dop*/index1/*,adams' --tols 1e-5,1e-9\n");
}

static bool take_positive(const char *flag, const char *text, double *value) {
    if (cli_number(text, value) && *value > 0)
        return true;
    cli_error("compare", "--%s: '%s' is not a positive number", flag, text);
    return false;
}

static bool take_threads(const char *text, int *threads) {
    double value;
    if (!cli_number(text, &value) || value < 1 || value > 1024 || value != (int)value) {
        cli_error("compare", "--threads: '%s' is not a whole number from 1 to 1024", text);
        return false;
    }
    *threads = (int)value;
    return true;
}

static bool take_assignment(const char *flag, char *text, keel_assignment *list, int *count) {
    keel_assignment *a = &list[*count];
    if (!cli_split("compare", flag, text, &a->name, &a->value))
        return false;
    ++*count;
    return true;
}

static bool take_operand(request *r, const char *text) {
    if (r->model_path) {
        cli_error("compare", "one model at a time, but got '%s' and '%s'", r->model_path, text);
        return false;
    }
    r->model_path = cli_model_path(text);
    return true;
}

/* Puts one flag into the request; false after telling the user what is wrong. */
static bool take_flag(request *r, int flag, char *value) {
    keel_comparison_plan *plan = &r->plan;
    switch (flag) {
    case METHODS:
        return cli_compare_methods(value, &r->methods, &plan->method_count);
    case TOLS:
        return cli_compare_numbers("tols", value, &r->tolerances, &plan->tolerance_count);
    case STEPS:
        return cli_compare_numbers("steps", value, &r->steps, &plan->step_count);
    case OF:
        return cli_compare_names("of", value, &r->quantities, &plan->quantity_count);
    case REFERENCE:
        r->reference_path = value;
        return true;
    case TARGET:
        return take_positive("target", value, &plan->target);
    case UNTIL:
        r->options[r->option_count++] = (keel_assignment){"until", value};
        return true;
    case OPTION:
        return take_assignment("option", value, r->options, &r->option_count);
    case SET:
        return take_assignment("set", value, r->set, &r->set_count);
    case LIMIT:
        return take_positive("limit", value, &plan->limit);
    case THREADS:
        return take_threads(value, &plan->threads);
    case JSON:
        r->json_path = value;
        return true;
    case OUTPUT:
        r->page_path = value;
        return true;
    default:
        return take_operand(r, value);
    }
}

/* Results overwrite neither what is read nor each other. */
static bool check_paths(const request *r) {
    const char *read[] = {r->model_path, r->reference_path}, *written[] = {r->json_path, r->page_path};
    if (!r->model_path) {
        cli_error("compare", "which model? usage: keel compare MODEL [flags]");
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (written[i] && !*written[i]) {
            cli_error("compare", "the name of an output file is empty");
            return false;
        }
        for (int k = 0; k < 2; k++)
            if (written[i] && read[k] && cli_same_file(written[i], read[k])) {
                cli_error("compare", "the results would overwrite %s", read[k]);
                return false;
            }
    }
    if (r->json_path && r->page_path && cli_same_file(r->json_path, r->page_path)) {
        cli_error("compare", "JSON and page cannot both go to %s", r->json_path);
        return false;
    }
    return true;
}

/* Options of runs, and what the comparison chooses itself. */
static keel_status apply(const request *r, keel_settings *settings, keel_diagnostics *diagnostics) {
    static const char *const OWN[] = {"tolerance", "step"};
    keel_status status = KEEL_OK;
    for (int i = 0; i < r->option_count; i++) {
        const keel_assignment *o = &r->options[i];
        char flag[160];
        double value;
        snprintf(flag, sizeof flag, "--option %s=%s", o->name, o->value);
        keel_location where = {.file = flag};
        keel_status set =
            cli_number(o->value, &value)
                ? keel_settings_set(settings, o->name, where, value, where, diagnostics)
                : keel_settings_set_word(settings, o->name, where, o->value, where, diagnostics);
        status = status ? status : set;
        for (int k = 0; !set && k < 2; k++)
            if (strcmp(o->name, OWN[k]) == 0) {
                keel_diagnostics_add(diagnostics, KEEL_ERROR, where, "a comparison takes --%ss instead",
                                     k ? "step" : "tol");
                status = KEEL_ERROR_INPUT;
            }
    }
    return status;
}

static void show_progress(void *user, int done, int total) {
    (void)user;
    fprintf(stderr, "\r\033[K%d of %d runs", done, total);
    fflush(stderr);
}

static bool write_json(const request *r, const char *title, const keel_comparison *c) {
    cli_output output;
    if (!cli_output_open(&output, r->json_path))
        return false;
    cli_compare_json(output.file, title, c);
    return cli_output_commit(&output);
}

static bool write_page(const request *r, const char *title, const keel_comparison *c) {
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return false;
    cli_compare_json(memory, title, c);
    cli_output output;
    bool good = fclose(memory) == 0 && cli_output_open(&output, r->page_path);
    if (good && ki_page_put(output.file, text, length) == KEEL_OK) {
        good = cli_output_commit(&output);
    } else if (good) {
        cli_output_discard(&output);
        good = false;
    }
    free(text);
    return good;
}

static bool failed_to_write(const char *path) {
    cli_error("compare", "cannot write %s: %s", path, strerror(errno));
    return false;
}

/* Before the work, not after it. */
static bool can_write(const char *path) {
    cli_output output;
    if (!path || strcmp(path, "-") == 0)
        return true;
    if (!cli_output_open(&output, path))
        return failed_to_write(path);
    cli_output_discard(&output);
    return true;
}

static bool write_results(const request *r, const char *title, const keel_comparison *c) {
    bool stdout_taken =
        (r->json_path && strcmp(r->json_path, "-") == 0) || (r->page_path && strcmp(r->page_path, "-") == 0);
    FILE *file = stdout_taken ? stderr : stdout;
    bool good = true;
    cli_compare_table(file, title, c);
    if (r->json_path)
        good = write_json(r, title, c) || failed_to_write(r->json_path);
    if (r->page_path)
        good = (write_page(r, title, c) || failed_to_write(r->page_path)) && good;
    if (good && r->page_path)
        fprintf(file, "\nthe page is %s\n", r->page_path);
    return good;
}

static bool has_result(const keel_comparison *c) {
    for (int i = 0; i < c->run_count; i++)
        if (c->runs[i].outcome == KEEL_OUTCOME_DONE)
            return true;
    return false;
}

static int compare(const request *r, const keel_model *model, keel_diagnostics *diagnostics) {
    bool terminal = isatty(STDERR_FILENO);
    keel_comparison_plan plan = r->plan;
    keel_comparison result;
    plan.stop = cli_catch_interrupts();
    plan.progress = terminal ? show_progress : NULL;
    int shown = keel_diagnostics_count(diagnostics);
    keel_status status = keel_compare(model->system, model->start, model->velocities_given, &model->settings,
                                      &plan, diagnostics, &result);
    if (terminal)
        fprintf(stderr, "\r\033[K");
    cli_show(diagnostics, shown);
    int code = cli_exit_code(status);
    if (status < 0 && !cli_first_error(diagnostics))
        cli_error("compare", "%s", keel_status_text(status));
    if (status == KEEL_INTERRUPTED && !result.run_count)
        fprintf(stderr, "keel compare: interrupted before there was a reference\n");
    if (result.run_count && !write_results(r, model->name, &result))
        code = CLI_FAILED;
    if (code == CLI_OK && !has_result(&result)) {
        cli_error("compare", "not a single run was done");
        code = CLI_FAILED;
    }
    keel_comparison_clear(&result);
    return code;
}

/* Settings, reference and start; then the comparison. */
static int prepare(request *r, keel_model *model, keel_diagnostics *diagnostics) {
    keel_samples given = {0};
    int shown = keel_diagnostics_count(diagnostics);
    keel_status status = apply(r, &model->settings, diagnostics);
    if (!status && r->reference_path)
        status = cli_read_samples(r->reference_path, &given, diagnostics);
    if (!status)
        status = keel_model_prepare(model, diagnostics);
    cli_show(diagnostics, shown);
    if (status < 0 && !keel_diagnostics_errors(diagnostics))
        cli_error("compare", "%s", keel_status_text(status));
    r->plan.reference = r->reference_path ? &given : NULL;
    r->plan.reference_name = r->reference_path;
    int code = status < 0 ? cli_exit_code(status) : compare(r, model, diagnostics);
    keel_samples_clear(&given);
    return code;
}

static int run(request *r, keel_diagnostics *diagnostics) {
    keel_settings defaults = keel_settings_default();
    int code;
    if (!check_paths(r) || !can_write(r->json_path) || !can_write(r->page_path))
        return CLI_BAD_INPUT;
    if (apply(r, &defaults, diagnostics) != KEEL_OK) {
        cli_show(diagnostics, 0);
        return CLI_BAD_INPUT;
    }
    r->plan.methods = r->methods;
    r->plan.tolerances = r->tolerances;
    r->plan.steps = r->steps;
    r->plan.quantities = r->quantities;
    keel_model *model = cli_read_model("compare", r->model_path, r->set, r->set_count, diagnostics, &code);
    if (!model)
        return code;
    code = prepare(r, model, diagnostics);
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

static int main_compare(int argc, char **argv) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    keel_diagnostics *diagnostics = keel_diagnostics_new();
    request r = {.options = calloc((size_t)argc, sizeof *r.options),
                 .set = calloc((size_t)argc, sizeof *r.set),
                 .plan = keel_comparison_plan_default()};
    r.plan.threads = processors > 0 && processors <= 1024 ? (int)processors : 1;
    int code = CLI_BAD_INPUT;
    if (!diagnostics || !r.options || !r.set) {
        cli_error("compare", "%s", keel_status_text(KEEL_ERROR_MEMORY));
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
    free(r.options);
    free(r.set);
    free(r.methods);
    free(r.tolerances);
    free(r.steps);
    free(r.quantities);
    keel_diagnostics_free(diagnostics);
    return code;
}

const cli_command CLI_COMPARE = {"compare", "run many methods, tell error against cost", main_compare, help};

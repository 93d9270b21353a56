/* keel assemble - closes the joints of a rough start and tells what moved. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "keel/mechanism.h"
#include "keel/mobility.h"
#include "run/columns.h"

enum { HELP, SET, OUTPUT };

static const cli_flag FLAGS[] = {
    [HELP] = {"help", 'h', NULL, "this text"},
    [SET] = {"set", 0, "NAME=VALUE", "replace a parameter of the model; may be repeated"},
    [OUTPUT] = {"output", 'o', "FILE.csv",
                "write the assembled start as lines name,value; - is standard output"},
};
enum { FLAG_COUNT = sizeof FLAGS / sizeof *FLAGS };

typedef struct request {
    const char *model_path, *csv_path;
    keel_assignment *set;
    int set_count;
} request;

static void help(FILE *file) {
    fprintf(
        file,
        "usage: keel assemble MODEL [flags]\n\n"
        "Makes the start of a model satisfy its constraints, from a rough one, and tells what moved and\n"
        "how far. If that is impossible it tells what stays open, and writes the best pose that it found.\n"
        "Exit code 0 if the start is consistent now, 2 if not.\n\n");
    cli_flags_help(file, FLAGS, FLAG_COUNT);
}

static bool take_flag(request *r, int flag, char *value) {
    keel_assignment *next = &r->set[r->set_count];
    if (flag == OUTPUT) {
        r->csv_path = value;
    } else if (flag == SET) {
        if (!cli_split("assemble", "set", value, &next->name, &next->value))
            return false;
        r->set_count++;
    } else if (r->model_path) {
        cli_error("assemble", "one model at a time, but got '%s' and '%s'", r->model_path, value);
        return false;
    } else {
        r->model_path = cli_model_path(value);
    }
    return true;
}

/* Reads all arguments: CLI_END when they make a request, HELP, or CLI_WRONG after telling the user. */
static int parse(request *r, int argc, char **argv) {
    cli_arguments arguments = {.argc = argc, .argv = argv, .flags = FLAGS, .flag_count = FLAG_COUNT};
    int flag;
    while ((flag = cli_next(&arguments)) != CLI_END && flag != CLI_WRONG && flag != HELP)
        if (!take_flag(r, flag, arguments.value))
            return CLI_WRONG;
    if (flag != CLI_END)
        return flag;
    if (!r->model_path) {
        cli_error("assemble", "which model? usage: keel assemble MODEL [flags]");
        return CLI_WRONG;
    }
    if (r->csv_path && (!*r->csv_path || cli_same_file(r->csv_path, r->model_path))) {
        cli_error("assemble", "%s",
                  *r->csv_path ? "the start would overwrite the model"
                               : "the name of the output file is empty");
        return CLI_WRONG;
    }
    return flag;
}

/* One line name,value; a name with a comma or a quote is quoted. */
static void write_value(FILE *file, const char *name, const char *after, double value) {
    bool quote = strpbrk(name, ",\"") != NULL;
    fputs(quote ? "\"" : "", file);
    for (const char *c = name; *c; c++)
        fprintf(file, *c == '"' ? "\"%c" : "%c", *c);
    fprintf(file, "%s%s,%.17g\n", after, quote ? "\"" : "", value);
}

static bool write_start(const char *path, const keel_model *model) {
    const keel_system *system = model->system;
    cli_output output;
    char buffer[32];
    if (!path)
        return true;
    if (cli_output_open(&output, path)) {
        fputs("name,value\n", output.file);
        for (int i = 0; i < system->n_q; i++)
            write_value(output.file, keel_system_name(system, KEEL_NAME_Q, i, buffer), "",
                        model->start->q[i]);
        for (int i = 0; i < system->n_v; i++)
            write_value(output.file, ki_velocity_name(system, i, buffer),
                        ki_velocity_is_rate(system) ? "'" : "", model->start->v[i]);
        if (cli_output_commit(&output))
            return true;
    }
    cli_error("assemble", "cannot write %s: %s", path, strerror(errno));
    return false;
}

static int assemble(const request *r, keel_model *model, keel_diagnostics *diagnostics) {
    FILE *file = r->csv_path && strcmp(r->csv_path, "-") == 0 ? stderr : stdout;
    int shown = keel_diagnostics_count(diagnostics), code = CLI_FAILED;
    keel_state *before = keel_state_new(model->system);
    keel_assembly_report report = {0};
    if (!before) {
        cli_error("assemble", "%s", keel_status_text(KEEL_ERROR_MEMORY));
        return code;
    }
    keel_state_copy(model->system, before, model->start);
    keel_status status = keel_model_assemble(model, diagnostics, &report);
    bool usable = status >= 0 || status == KEEL_ERROR_START;
    if (usable)
        cli_write_assembly(file, model, before, status, &report);
    fflush(file);
    if (status == KEEL_ERROR_START && report.worst < 0)
        keel_mobility_refuse(model->system, model->start, diagnostics);
    cli_show(diagnostics, shown);
    if (!usable || write_start(r->csv_path, model))
        code = cli_exit_code(keel_status_of_start(status));
    if (usable)
        cli_answered(code);
    keel_state_free(before);
    return code;
}

static int main_assemble(int argc, char **argv) {
    keel_diagnostics *diagnostics = keel_diagnostics_new();
    request r = {.set = calloc((size_t)argc, sizeof *r.set)};
    int code = CLI_BAD_INPUT;
    int flag = r.set && diagnostics ? parse(&r, argc, argv) : CLI_WRONG;
    if (flag == HELP) {
        help(stdout);
        code = CLI_OK;
    } else if (flag == CLI_END) {
        keel_model *model = cli_read_model("assemble", r.model_path, r.set, r.set_count, diagnostics, &code);
        if (model)
            code = assemble(&r, model, diagnostics);
        keel_model_free(model);
    }
    free(r.set);
    keel_diagnostics_free(diagnostics);
    return code;
}

const cli_command CLI_ASSEMBLE = {"assemble", "make a rough start consistent and tell what moved",
                                  main_assemble, help};

/* changes.c - flags that change a model before it is simulated, and a model made ready with them. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char *const CHANGE_NAMES[] = {
    [CLI_METHOD] = "method", [CLI_TOL] = "tol",       [CLI_STEP] = "step",
    [CLI_UNTIL] = "until",   [CLI_OPTION] = "option", [CLI_SET] = "set"};

bool cli_changes_init(cli_changes *changes, int argc) {
    *changes = (cli_changes){.overrides = calloc((size_t)argc, sizeof *changes->overrides),
                             .set = calloc((size_t)argc, sizeof *changes->set),
                             .set_text = calloc((size_t)argc, sizeof *changes->set_text)};
    return changes->overrides && changes->set && changes->set_text;
}

void cli_changes_clear(cli_changes *changes) {
    for (int i = 0; i < changes->set_count; i++)
        free(changes->set_text[i]);
    free(changes->overrides);
    free(changes->set);
    free(changes->set_text);
}

static void add(cli_changes *c, int flag, const char *name, const char *text) {
    c->overrides[c->override_count++] = (cli_override){CHANGE_NAMES[flag], name, text};
}

bool cli_changes_take(cli_changes *c, const char *command, int flag, char *value) {
    const char *name, *text;
    char *copy;
    switch (flag) {
    case CLI_METHOD:
        c->method = value;
        return true;
    case CLI_TOL:
        add(c, flag, "tolerance", value);
        return true;
    case CLI_STEP:
    case CLI_UNTIL:
        add(c, flag, CHANGE_NAMES[flag], value);
        return true;
    case CLI_OPTION:
        if (!cli_split(command, "option", value, &name, &text))
            return false;
        add(c, flag, name, text);
        return true;
    default:
        copy = strdup(value);
        if (!copy || !cli_split(command, "set", value, &name, &text)) {
            free(copy);
            return false;
        }
        c->set_text[c->set_count] = copy;
        c->set[c->set_count++] = (keel_assignment){name, text};
        return true;
    }
}

/* Applies the flags to settings. Problems are reported at the flag: "--tol 2x: error: ...". */
static keel_status apply(const cli_changes *c, keel_settings *settings, keel_diagnostics *diagnostics) {
    keel_status status = KEEL_OK;
    char flag[160];
    if (c->method) {
        snprintf(flag, sizeof flag, "--method %s", c->method);
        status =
            keel_settings_set_text(settings, "method", c->method, (keel_location){.file = flag}, diagnostics);
    }
    for (int i = 0; i < c->override_count; i++) {
        const cli_override *o = &c->overrides[i];
        const char *name = strcmp(o->flag, CHANGE_NAMES[CLI_OPTION]) == 0 ? o->name : "";
        snprintf(flag, sizeof flag, "--%s %s%s%s", o->flag, name, *name ? "=" : "", o->text);
        keel_location where = {.file = flag};
        keel_status set = keel_settings_set_text(settings, o->name, o->text, where, diagnostics);
        status = status == KEEL_OK ? set : status;
    }
    return status;
}

/* A step for a method that chooses its own, or a tolerance for one that does not, is most likely a mistake.
 */
static void warn_of_unused(const cli_changes *c, keel_method method, keel_diagnostics *diagnostics) {
    int adaptive = keel_integrator_is_adaptive(method.integrator);
    const char *integrator = keel_integrator_word(method.integrator).name;
    for (int i = 0; i < c->override_count; i++) {
        const char *name = c->overrides[i].name;
        if (!keel_integrator_takes_step(method.integrator) && strcmp(name, "step") == 0)
            keel_diagnostics_add(diagnostics, KEEL_WARNING, (keel_location){.file = "--step"},
                                 "%s chooses its own step: no effect (--option max_step=H limits it)",
                                 integrator);
        if (!adaptive && strcmp(name, "tolerance") == 0)
            keel_diagnostics_add(diagnostics, KEEL_WARNING, (keel_location){.file = "--tol"},
                                 "%s takes a fixed step: no effect (--step H sets it)", integrator);
    }
}

/* Closes the joints of a mechanism, and refuses one that cannot move. */
static keel_status prepare_start(const char *command, keel_model *model, keel_diagnostics *diagnostics) {
    keel_status status = keel_model_prepare(model, diagnostics);
    if (status < 0 && !keel_diagnostics_errors(diagnostics))
        cli_error(command, "%s", keel_status_text(status));
    return status;
}

keel_model *cli_prepare_model(const char *command, const char *path, const cli_changes *changes,
                              keel_diagnostics *diagnostics, int *code) {
    keel_settings defaults = keel_settings_default();
    if (apply(changes, &defaults, diagnostics) != KEEL_OK) {
        cli_show(diagnostics, 0);
        *code = CLI_BAD_INPUT;
        return NULL;
    }
    keel_model *model =
        changes->model_text
            ? cli_parse_model(command, path, changes->model_text, changes->set, changes->set_count,
                              diagnostics, code)
            : cli_read_model(command, path, changes->set, changes->set_count, diagnostics, code);
    if (!model)
        return NULL;
    int shown = keel_diagnostics_count(diagnostics);
    keel_status status = apply(changes, &model->settings, diagnostics);
    if (status == KEEL_OK)
        status = keel_settings_validate(&model->settings, model->start->t, diagnostics);
    warn_of_unused(changes, model->settings.method, diagnostics);
    if (status == KEEL_OK)
        status = prepare_start(command, model, diagnostics);
    cli_show(diagnostics, shown);
    *code = cli_exit_code(status);
    if (status == KEEL_OK)
        return model;
    keel_model_free(model);
    return NULL;
}

keel_origin cli_origin(const keel_model *model, const cli_changes *changes) {
    return (keel_origin){.name = model->name,
                         .description = model->description,
                         .model_text = model->text,
                         .model_file = model->file,
                         .set_count = changes->set_count,
                         .set = (const char *const *)changes->set_text,
                         .parameter_count = model->parameter_count,
                         .parameter_name = model->parameter_name,
                         .parameter_value = model->parameter_value,
                         .until = &model->settings.until};
}

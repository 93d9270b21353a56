/* model.c - reading a model: text -> tree -> equations and settings -> system. */
#include "keel/modelfile.h"

#include <stdlib.h>
#include <string.h>

#include "base/refuse.h"
#include "expr/quota.h"
#include "keel/mechanism.h"
#include "modelfile/loader.h"

void keel_model_free(keel_model *model) {
    if (!model)
        return;
    if (model->is_mechanism) {
        keel_compiled compiled = {model->system, model->assembly, model->start, model->drawn};
        keel_compiled_clear(&compiled);
    } else {
        keel_equations_system_free(model->system);
        keel_state_free(model->start);
    }
    if (model->memory)
        ki_arena_free(model->memory);
    free(model->memory);
    free(model->name);
    free(model);
}

/* `name:` of the file, or the last part of the path. */
static char *copy_name(const char *given, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = given ? given : slash ? slash + 1 : path;
    size_t bytes = strlen(name) + 1;
    char *copy = malloc(bytes);
    return copy ? memcpy(copy, name, bytes) : NULL;
}

static void assign_parameters(ki_loader *loader, const keel_assignment *set, int set_count) {
    for (int i = 0; i < set_count; i++)
        ki_loader_fail(loader,
                       keel_equations_set(loader->equations, set[i].name, set[i].value, loader->diagnostics));
}

/* Which states of the system are inputs. */
static void mark_inputs(ki_loader *loader, keel_system *system) {
    int *input = KI_NEW(loader->kept, int, system->n_z);
    if (!input) {
        ki_loader_fail(loader, KEEL_ERROR_MEMORY);
        return;
    }
    for (const ki_yaml *entry = loader->inputs->first; entry; entry = entry->next)
        for (int i = 0; i < system->n_z; i++)
            if (strcmp(system->names.z[i], entry->key) == 0)
                input[system->n_inputs++] = i;
    system->input = input;
}

static void compile_equations(ki_loader *loader, keel_model *model) {
    ki_loader_fail(loader, keel_equations_compile(loader->equations, loader->diagnostics, &model->system,
                                                  &model->start));
    model->velocities_given = keel_equations_has_velocities(loader->equations);
    if (loader->status == KEEL_OK && loader->inputs)
        mark_inputs(loader, model->system);
}

static void count_parameter(void *user, const char *name, double value) {
    (void)name, (void)value;
    ++*(int *)user;
}

static void keep_parameter(void *user, const char *name, double value) {
    keel_model *model = user;
    int i = model->parameter_count++;
    model->parameter_name[i] = ki_arena_text(model->memory, name, strlen(name));
    model->parameter_value[i] = value;
}

/* What results tell of the model: its text, its parameters. */
static void keep_origin(ki_loader *loader, const ki_source *source, keel_model *model) {
    int count = 0;
    model->text = ki_arena_text(loader->kept, source->text, source->length);
    model->file = ki_arena_text(loader->kept, source->file, strlen(source->file));
    if (loader->description)
        model->description = ki_arena_text(loader->kept, loader->description, strlen(loader->description));
    ki_loader_fail(loader, keel_equations_parameters(loader->equations, NULL, count_parameter, &count));
    model->parameter_name = KI_NEW(loader->kept, const char *, count);
    model->parameter_value = KI_NEW(loader->kept, double, count);
    if (!loader->kept->failed && loader->status == KEEL_OK)
        ki_loader_fail(loader, keel_equations_parameters(loader->equations, NULL, keep_parameter, model));
    if (loader->kept->failed)
        ki_loader_fail(loader, KEEL_ERROR_MEMORY);
}

/* Structure first; only what is sound is compiled, since errors of form would only bring more of them. The
 * parts of a mechanism are looked at in any case, unless some of them stand there twice. */
static void load(ki_loader *loader, const ki_source *source, const keel_assignment *set, int set_count,
                 keel_model *model) {
    if (!ki_source_check(source, loader->diagnostics)) {
        loader->status = KEEL_ERROR_INPUT;
        return;
    }
    const ki_yaml *root = ki_yaml_read(source, loader->arena, loader->diagnostics, &loader->status);
    if (!root)
        return;
    bool duplicates = loader->status != KEEL_OK;
    ki_load_root(loader, root);
    assign_parameters(loader, set, set_count);
    bool sound = loader->status == KEEL_OK;
    if (loader->root && !duplicates)
        ki_load_mechanism(loader, model);
    else if (sound)
        compile_equations(loader, model);
    if (!sound)
        return;
    double t_start = 0;
    ki_apply_simulate(loader, &model->settings, &t_start);
    if (loader->status == KEEL_OK)
        ki_apply_units(loader, model->system);
    if (loader->status != KEEL_OK)
        return;
    model->start->t = t_start;
    keep_origin(loader, source, model);
    model->name = copy_name(loader->name, source->file);
    if (!model->name)
        loader->status = KEEL_ERROR_MEMORY;
}

/* How many times as large as usual a model may be: the user's word, not the file's. */
static double size_wanted(keel_diagnostics *diagnostics) {
    enum { MOST = 1000 };
    const char *text = getenv("KEEL_MODEL_SIZE");
    char *end;
    if (!text || !*text)
        return 1;
    double size = strtod(text, &end);
    if (!*end && size >= 1 && size <= MOST)
        return size;
    keel_diagnostics_add(diagnostics, KEEL_WARNING, (keel_location){.file = "KEEL_MODEL_SIZE"},
                         "'%s' is not a number from 1 to %d: no effect", text, MOST);
    return 1;
}

/* Formulas that grew beyond their quota ended like those that memory ended. */
static void report_size(ki_loader *loader, const ki_quota *quota) {
    if (!quota->too_large || loader->status == KEEL_OK)
        return;
    keel_diagnostics_add(
        loader->diagnostics, KEEL_ERROR, quota->most,
        "the formulas of the model and their derivatives have more than %.0f operations, this one "
        "the most of them; " KI_QUOTA_ADVICE,
        KI_QUOTA_NODES * quota->size);
    loader->status = KEEL_ERROR_INPUT;
}

keel_model *keel_model_parse(const char *name, const char *text, size_t length, const keel_assignment *set,
                             int set_count, keel_diagnostics *diagnostics, keel_status *status) {
    if (!text || (!set && set_count > 0) || !status)
        return ki_refuse(status);
    ki_arena arena;
    ki_arena_init(&arena);
    ki_source source = {name ? name : "model", text, length};
    ki_loader loader = {.arena = &arena, .diagnostics = diagnostics, .equations = keel_equations_new()};
    keel_model *model = calloc(1, sizeof *model);
    if (model)
        model->memory = loader.kept = calloc(1, sizeof *loader.kept); /* an empty arena */
    if (!model || !loader.kept || !loader.equations) {
        loader.status = KEEL_ERROR_MEMORY;
    } else {
        model->settings = keel_settings_default();
        model->settings.method = keel_method_auto(); /* unless the file says otherwise */
        ki_quota quota;
        ki_quota_begin(&quota, size_wanted(diagnostics));
        load(&loader, &source, set, set_count, model);
        ki_quota_end();
        report_size(&loader, &quota);
    }
    if (loader.status != KEEL_OK) {
        keel_model_free(model);
        model = NULL;
    }
    keel_equations_free(loader.equations);
    ki_arena_free(&arena);
    *status = loader.status;
    return model;
}

keel_model *keel_model_read(const char *path, const keel_assignment *set, int set_count,
                            keel_diagnostics *diagnostics, keel_status *status) {
    if (!path || (!set && set_count > 0) || !status)
        return ki_refuse(status);
    char *text;
    size_t length;
    *status = ki_source_load(path, diagnostics, &text, &length);
    if (*status != KEEL_OK)
        return NULL;
    keel_model *model = keel_model_parse(path, text, length, set, set_count, diagnostics, status);
    free(text);
    return model;
}

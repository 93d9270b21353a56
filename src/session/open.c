/* open.c - a model from its file to the point where it can run. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "keel/session.h"

/* Ready to run, or freed after messages. */
static keel_model *prepared(keel_model *model, keel_diagnostics *log) {
    if (!model)
        return NULL;
    keel_status status = keel_settings_validate(&model->settings, model->start->t, log);
    if (!status)
        status = keel_model_prepare(model, log);
    if (status >= 0)
        return model;
    keel_model_free(model);
    return NULL;
}

static keel_model *refused(keel_diagnostics *log, const char *why) {
    keel_diagnostics_add(log, KEEL_ERROR, (keel_location){0}, "%s", why);
    return NULL;
}

keel_model *keel_model_open(const char *path, const keel_assignment *set, int set_count,
                            keel_diagnostics *log) {
    keel_status status;
    if (!path)
        return refused(log, "no model was named");
    return prepared(keel_model_read(path, set, set_count, log, &status), log);
}

keel_model *keel_model_open_text(const char *name, const char *text, const keel_assignment *set,
                                 int set_count, keel_diagnostics *log) {
    keel_status status;
    if (!text)
        return refused(log, "there is no text of a model");
    return prepared(keel_model_parse(name, text, strlen(text), set, set_count, log, &status), log);
}

const keel_system *keel_model_system(const keel_model *model) {
    return model ? model->system : NULL;
}

const char *keel_model_name(const keel_model *model) {
    return model ? model->name : "";
}

int keel_model_is_mechanism(const keel_model *model) {
    return model ? model->is_mechanism : 0;
}

int keel_model_parameter_count(const keel_model *model) {
    return model ? model->parameter_count : 0;
}

const char *keel_model_parameter_name(const keel_model *model, int i) {
    return model && i >= 0 && i < model->parameter_count ? model->parameter_name[i] : "";
}

double keel_model_parameter_value(const keel_model *model, int i) {
    return model && i >= 0 && i < model->parameter_count ? model->parameter_value[i] : NAN;
}

void keel_text_free(char *text) {
    free(text);
}

/* ---- parts of a mechanism */

/* Where a name stands among those that `name_of` tells, first .. last; -1 after a message. */
static int find_part(const keel_system *system, const char *kind, const char *name, int first, int last,
                     const char *(*name_of)(const keel_system *, int), keel_diagnostics *log) {
    for (int i = first; i <= last; i++)
        if (strcmp(name_of(system, i), name) == 0)
            return i;
    int count = last - first + 1;
    const char **names = calloc((size_t)count + 1, sizeof *names), *near = NULL;
    if (names) {
        for (int i = 0; i < count; i++)
            names[i] = name_of(system, first + i);
        near = ki_closest_name(name, names, count);
    }
    keel_diagnostics_add(log, KEEL_ERROR, (keel_location){0}, "there is no %s '%s'%s%s%s", kind, name,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    free(names);
    return -1;
}

static const char *body_name(const keel_system *system, int body) {
    return body == KEEL_GROUND ? "ground" : keel_mechanism_body_name(system, body);
}

static bool look_for(const keel_system *system, const char *name, keel_mechanism_facts *facts,
                     keel_diagnostics *log) {
    if (!system || !name)
        return false;
    if (keel_mechanism_look(system, facts))
        return true;
    keel_diagnostics_add(log, KEEL_ERROR, (keel_location){0},
                         "there is no '%s': the model is made of equations, without bodies and joints", name);
    return false;
}

int keel_find_body(const keel_system *system, const char *name, keel_diagnostics *log) {
    keel_mechanism_facts facts;
    if (!look_for(system, name, &facts, log))
        return -1;
    return find_part(system, "body", name, KEEL_GROUND, facts.bodies, body_name, log);
}

int keel_find_joint(const keel_system *system, const char *name, keel_diagnostics *log) {
    keel_mechanism_facts facts;
    if (!look_for(system, name, &facts, log))
        return -1;
    return find_part(system, "joint", name, 0, facts.joints - 1, keel_mechanism_joint_name, log);
}

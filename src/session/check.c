/* check.c - what a look at a model finds, as JSON: sizes, freedoms, what repeats what, what is locked. */
#include <stdlib.h>

#include "keel/dependence.h"
#include "keel/mobility.h"
#include "keel/session.h"
#include "results/json.h"

static void write_sizes(ki_json *json, const keel_model *model) {
    const keel_system *system = model->system;
    ki_json_text(json, "name", model->name);
    ki_json_bool(json, "mechanism", model->is_mechanism);
    ki_json_integer(json, "coordinates", system->n_q);
    ki_json_integer(json, "velocities", system->n_v);
    ki_json_integer(json, "states", system->n_z);
    ki_json_integer(json, "auxiliaries", system->n_s);
    ki_json_integer(json, "holonomic", system->n_h);
    ki_json_integer(json, "nonholonomic", system->n_n);
}

/* The joints with shared[j] as asked. */
static void write_joints(ki_json *json, const char *key, const keel_system *system, const keel_mobility *m,
                         bool shared) {
    ki_json_open_list(json, key);
    for (int j = 0; j < m->joints; j++)
        if ((m->shared[j] != 0) == shared)
            ki_json_text(json, NULL, keel_mechanism_joint_name(system, j));
    ki_json_close_list(json);
}

static void write_repetitions(ki_json *json, const keel_system *system, const keel_mobility *m) {
    char text[600];
    ki_json_open_list(json, "repeated");
    for (int i = 0; i < m->repetition_count; i++) {
        const keel_repetition *r = &m->repetitions[i];
        ki_json_open(json, NULL);
        ki_json_text(json, "joint", keel_mechanism_joint_name(system, r->joint));
        ki_json_integer(json, "conditions", r->conditions);
        ki_json_open_list(json, "of");
        for (int k = 0; k < r->other_count; k++)
            ki_json_text(json, NULL, keel_mechanism_joint_name(system, r->others[k]));
        ki_json_close_list(json);
        ki_json_number(json, "length", r->length);
        ki_json_number(json, "angle", r->angle);
        ki_json_text(json, "text", keel_mobility_sentence(system, r, text, sizeof text));
        ki_json_close(json);
    }
    ki_json_close_list(json);
}

static void write_bodies(ki_json *json, const char *key, const keel_system *system, const keel_mobility *m,
                         keel_body_mobility which) {
    ki_json_open_list(json, key);
    for (int b = 1; b <= m->bodies; b++)
        if (m->body[b] == which)
            ki_json_text(json, NULL, keel_mechanism_body_name(system, b));
    ki_json_close_list(json);
}

static keel_status write_mobility(ki_json *json, const keel_model *model) {
    keel_mobility m;
    keel_status status = keel_mobility_find(model->system, model->start, 0, &m);
    if (status < 0)
        return status;
    ki_json_integer(json, "bodies", m.bodies);
    ki_json_integer(json, "joints", m.joints);
    ki_json_integer(json, "gruebler", m.gruebler);
    if (m.known) {
        ki_json_integer(json, "mobility", m.freedoms);
        ki_json_integer(json, "driven", m.driven);
        write_repetitions(json, model->system, &m);
        write_joints(json, "reactions_shared", model->system, &m, true);
        write_joints(json, "reactions_unique", model->system, &m, false);
    }
    write_bodies(json, "locked_bodies", model->system, &m, KEEL_BODY_LOCKED);
    write_bodies(json, "unconstrained_bodies", model->system, &m, KEEL_BODY_FREE);
    keel_mobility_clear(&m);
    return KEEL_OK;
}

static keel_status write_dependence(ki_json *json, const keel_model *model) {
    const keel_system *system = model->system;
    const keel_state *start = model->start;
    keel_dependence found = {0};
    char buffer[32];
    keel_point at = {start->t, start->q, start->v, start->z, start->s, start->lambda, NULL};
    keel_status status = keel_system_m(system) ? keel_dependence_find(system, &at, &found) : KEEL_OK;
    if (status < 0)
        return status;
    ki_json_integer(json, "rank", found.rank);
    ki_json_integer(json, "rank_here", found.rank_here);
    ki_json_integer(json, "degrees_of_freedom", system->n_v - found.rank);
    ki_json_open_list(json, "dependent");
    for (int k = 0; k < found.dependent_count; k++)
        ki_json_text(json, NULL, keel_system_name(system, KEEL_NAME_CONSTRAINT, found.dependent[k], buffer));
    ki_json_close_list(json);
    keel_dependence_clear(&found);
    return KEEL_OK;
}

static keel_status write_check(FILE *file, const keel_model *model) {
    ki_json json = {.file = file};
    ki_json_open(&json, NULL);
    write_sizes(&json, model);
    keel_status status = model->is_mechanism ? write_mobility(&json, model) : KEEL_OK;
    if (status >= 0)
        status = write_dependence(&json, model);
    ki_json_close(&json);
    return status;
}

char *keel_model_check(const keel_model *model, keel_diagnostics *log) {
    char *text = NULL;
    size_t length = 0;
    if (!model)
        return NULL;
    FILE *file = open_memstream(&text, &length);
    keel_status status = file ? write_check(file, model) : KEEL_ERROR_MEMORY;
    if (file && fclose(file) && status >= 0)
        status = KEEL_ERROR_MEMORY;
    if (status >= 0)
        return text;
    keel_diagnostics_add(log, KEEL_ERROR, (keel_location){0}, "at the start: %s", keel_status_text(status));
    free(text);
    return NULL;
}

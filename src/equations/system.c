/* system.c - sizes, patterns and names of the keel_system; all arrays are in the model's arena. */
#include <string.h>

#include "equations/builder.h"

keel_pattern ki_pattern_of(ki_builder *b, const ki_rows *rows) {
    ki_arena *arena = &b->model->arena;
    int *start = KI_NEW(arena, int, rows->rows + 1), *index = KI_NEW(arena, int, rows->count);
    if (!start || !index || rows->rows == 0)
        return (keel_pattern){0};
    memcpy(start, rows->start, (size_t)(rows->rows + 1) * sizeof *start);
    if (rows->count)
        memcpy(index, rows->index, (size_t)rows->count * sizeof *index);
    return (keel_pattern){rows->rows, rows->cols, start, index};
}

static void append_names(ki_builder *b, keel_equation_kind kind, const char *after, const char **names) {
    const ki_list *list = &b->of[kind];
    size_t extra = strlen(after);
    for (int i = 0; i < list->count; i++) {
        size_t length = strlen(list->at[i]->name);
        char *name = ki_arena_alloc(&b->model->arena, length + extra + 1, 1);
        if (!name)
            return;
        memcpy(name, list->at[i]->name, length);
        memcpy(name + length, after, extra);
        names[i] = name;
    }
}

static const char *const *names_of(ki_builder *b, keel_equation_kind kind, const char *after) {
    const char **names = KI_NEW(&b->model->arena, const char *, b->of[kind].count);
    if (names)
        append_names(b, kind, after, names);
    return names;
}

static const char *const *names_of_constraints(ki_builder *b) {
    const char **names = KI_NEW(&b->model->arena, const char *, b->inputs.m);
    if (names) {
        append_names(b, KEEL_EQ_HOLONOMIC, "", names);
        append_names(b, KEEL_EQ_NONHOLONOMIC, "", names + b->of[KEEL_EQ_HOLONOMIC].count);
    }
    return names;
}

/* A file name that outlives the description; most places share it. */
static const char *kept_file(ki_builder *b, const char *file, const char *last) {
    if (!file || (last && strcmp(last, file) == 0))
        return file ? last : NULL;
    return ki_arena_text(&b->model->arena, file, strlen(file));
}

static const keel_location *places_of_outputs(ki_builder *b) {
    const ki_list *list = &b->of[KEEL_EQ_OUTPUT];
    keel_location *at = KI_NEW(&b->model->arena, keel_location, list->count);
    for (int i = 0; at && i < list->count; i++) {
        at[i] = list->at[i]->entry->name_at;
        at[i].file = kept_file(b, at[i].file, i ? at[i - 1].file : NULL);
    }
    return at;
}

/* The scales that are stated of the items of a kind; NULL: none is. */
static const double *stated_sizes(ki_builder *b, keel_equation_kind kind) {
    const ki_list *list = &b->of[KEEL_EQ_SCALE];
    const ki_list *of = &b->of[kind];
    double *sizes = list->count ? KI_NEW(&b->model->arena, double, of->count) : NULL;
    for (int i = 0; sizes && i < list->count; i++)
        for (int j = 0; j < of->count; j++)
            if (list->at[i]->about == of->at[j])
                sizes[j] = ki_value_of(b, list->at[i]->node);
    return sizes;
}

bool ki_build_system(ki_builder *b) {
    keel_system *system = &b->model->system;
    system->n_q = system->n_v = b->inputs.n;
    system->n_z = b->inputs.n_z;
    system->n_s = b->inputs.n_s;
    system->n_h = b->of[KEEL_EQ_HOLONOMIC].count;
    system->n_n = b->of[KEEL_EQ_NONHOLONOMIC].count;
    system->n_i = b->of[KEEL_EQ_INVARIANT].count;
    system->n_outputs = b->of[KEEL_EQ_OUTPUT].count;
    system->has_energy = 1;
    system->M = ki_pattern_of(b, &b->M);
    system->J = ki_pattern_of(b, &b->J);
    system->r_s = ki_pattern_of(b, &b->r_s);
    system->Q_lambda = ki_pattern_of(b, &b->Q_lambda);
    system->tangent = ki_pattern_of(b, &b->tangent);
    system->rate_q = ki_pattern_of(b, &b->rate_q);
    system->invariant_y = ki_pattern_of(b, &b->invariant_y);
    system->stated_v = stated_sizes(b, KEEL_EQ_COORDINATE);
    system->stated_z = stated_sizes(b, KEEL_EQ_STATE);
    system->names.q = names_of(b, KEEL_EQ_COORDINATE, "");
    system->names.v = names_of(b, KEEL_EQ_COORDINATE, "'");
    system->names.z = names_of(b, KEEL_EQ_STATE, "");
    system->names.s = names_of(b, KEEL_EQ_AUXILIARY, "");
    system->names.output = names_of(b, KEEL_EQ_OUTPUT, "");
    system->output_at = places_of_outputs(b);
    system->names.invariant = names_of(b, KEEL_EQ_INVARIANT, "");
    system->names.constraint = names_of_constraints(b);
    b->model->inputs = b->inputs;
    ki_model_connect(b->model);
    return !ki_out_of_memory(b);
}

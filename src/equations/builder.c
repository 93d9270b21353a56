/* builder.c - memory, errors and small containers of the compiler. */
#include "equations/builder.h"
#include "equations/prepare.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool ki_builder_init(ki_builder *b, const keel_equations *source, keel_diagnostics *diagnostics) {
    *b = (ki_builder){.source = source, .diagnostics = diagnostics, .T = KI_NONE, .V = KI_NONE, .E = KI_NONE};
    ki_arena_init(&b->arena);
    b->graph = ki_graph_new();
    b->reported = KI_SCRATCH(b, bool, source->entries);
    return b->graph && b->reported;
}

void ki_builder_free(ki_builder *b) {
    if (b->graph)
        ki_graph_free(b->graph);
    for (int kind = 0; kind < KI_KINDS; kind++)
        free(b->of[kind].at);
    ki_table_free(&b->quantities);
    ki_table_free(&b->constraints);
    ki_table_free(&b->auxiliary_equations);
    ki_table_free(&b->outputs);
    ki_table_free(&b->invariants);
    ki_table_free(&b->drawn);
    ki_rows_free(&b->M);
    ki_rows_free(&b->Q_lambda);
    ki_rows_free(&b->J);
    ki_rows_free(&b->r_q);
    ki_rows_free(&b->r_s);
    ki_rows_free(&b->Phi_s);
    ki_rows_free(&b->tangent);
    ki_rows_free(&b->rate_q);
    ki_rows_free(&b->invariant_y);
    ki_arena_free(&b->arena);
    ki_model_free(b->model);
    keel_state_free(b->start);
}

ki_model *ki_builder_release(ki_builder *b) {
    ki_model *model = b->model;
    b->model = NULL;
    if (model->preparation && ki_preparation_keep(model->preparation, model, b->graph))
        b->graph = NULL;
    return model;
}

bool ki_out_of_memory(const ki_builder *b) {
    bool graph_failed = !b->graph || ki_graph_failed(b->graph);
    return b->out_of_memory || graph_failed || b->arena.failed || (b->model && b->model->arena.failed);
}

bool ki_builder_ok(const ki_builder *b) {
    return b->errors == 0 && !ki_out_of_memory(b);
}

keel_status ki_builder_status(const ki_builder *b) {
    if (ki_out_of_memory(b))
        return KEEL_ERROR_MEMORY;
    return b->errors ? KEEL_ERROR_INPUT : KEEL_OK;
}

keel_diagnostics *ki_diagnostics_for(ki_builder *b, const ki_entry *entry) {
    return entry && b->reported[entry - b->source->entry] ? NULL : b->diagnostics;
}

void ki_count_error(ki_builder *b, const ki_entry *entry) {
    b->errors++;
    if (entry)
        b->reported[entry - b->source->entry] = true;
}

void ki_report(ki_builder *b, const ki_entry *entry, keel_location where, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    keel_diagnostics_add(ki_diagnostics_for(b, entry), KEEL_ERROR, where, "%s", text);
    ki_count_error(b, entry);
}

void *ki_scratch(ki_builder *b, size_t count, size_t size) {
    return ki_arena_alloc(&b->arena, count, size);
}

bool ki_list_add(ki_builder *b, ki_list *list, ki_item *item) {
    ki_item **grown = ki_grow(list->at, list->count, &list->capacity, sizeof *grown);
    if (!grown) {
        b->out_of_memory = true;
        return false;
    }
    list->at = grown;
    item->index = list->count;
    list->at[list->count++] = item;
    return true;
}

void ki_rows_init(ki_builder *b, ki_rows *rows, int row_count, int cols) {
    *rows = (ki_rows){.rows = row_count, .cols = cols, .start = KI_SCRATCH(b, int, row_count + 1)};
}

void ki_rows_add(ki_builder *b, ki_rows *rows, int column, ki_node node) {
    int *index = ki_grow(rows->index, rows->count, &rows->index_capacity, sizeof *index);
    if (index)
        rows->index = index;
    ki_node *nodes = ki_grow(rows->node, rows->count, &rows->capacity, sizeof *nodes);
    if (nodes)
        rows->node = nodes;
    if (!index || !nodes) {
        b->out_of_memory = true;
        return;
    }
    rows->index[rows->count] = column;
    rows->node[rows->count++] = node;
}

void ki_rows_end(ki_rows *rows, int row) {
    if (rows->start)
        rows->start[row + 1] = rows->count;
}

void ki_rows_free(ki_rows *rows) {
    free(rows->index);
    free(rows->node);
    *rows = (ki_rows){0};
}

ki_node ki_sum(ki_graph *graph, ki_node *nodes, int count) {
    if (count == 0)
        return ki_number(graph, 0);
    for (; count > 1; count = (count + 1) / 2) {
        for (int i = 0; i < count / 2; i++)
            nodes[i] = ki_binary(graph, KI_ADD, nodes[2 * i], nodes[2 * i + 1]);
        if (count % 2)
            nodes[count / 2] = nodes[count - 1];
    }
    return nodes[0];
}

/* one symbol, for ki_uses_of */
typedef struct uses_visit {
    const ki_inputs *at;
    unsigned uses;
} uses_visit;

static void add_use(void *user, int id) {
    uses_visit *visit = user;
    const ki_inputs *at = visit->at;
    if (id < at->q)
        visit->uses |= KI_USES_T;
    else if (id < at->v)
        visit->uses |= KI_USES_Q;
    else if (id < at->z)
        visit->uses |= KI_USES_V;
    else if (id < at->s)
        visit->uses |= KI_USES_Z;
    else if (id < at->lambda)
        visit->uses |= KI_USES_S;
    else if (id < at->a)
        visit->uses |= KI_USES_LAMBDA;
    else
        visit->uses |= KI_USES_A;
}

unsigned ki_uses_of(ki_builder *b, ki_node node) {
    uses_visit visit = {.at = &b->inputs};
    ki_symbols_of(b->graph, node, add_use, &visit);
    return visit.uses;
}

void ki_set_section(ki_builder *b, ki_section section, const ki_node *nodes, int count) {
    b->section[section] = nodes;
    b->model->count[section] = count;
}

#include "papers/paper.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "papers/models.h"

static void fail(ki_draft *d, keel_status status) {
    d->status = d->status ? d->status : status;
}

const keel_model *ki_draft_parse(ki_draft *d, const char *name, const char *text, size_t length,
                                 const keel_assignment *set, int set_count) {
    keel_status status = KEEL_ERROR_INPUT;
    keel_model *model = d->model_count < KI_DRAFT_MODELS
                            ? keel_model_parse(name, text, length, set, set_count, NULL, &status)
                            : NULL;
    if (model)
        d->models[d->model_count++] = model;
    else
        fail(d, status);
    return model;
}

const keel_model *ki_draft_model(ki_draft *d, const char *name, const keel_assignment *set, int set_count) {
    size_t length = 0;
    const char *text = ki_model_text(name, &length);
    if (!text)
        fail(d, KEEL_ERROR_INPUT);
    return text ? ki_draft_parse(d, name, text, length, set, set_count) : NULL;
}

keel_result *ki_draft_result(ki_draft *d) {
    keel_result *result = d->result_count < KI_DRAFT_RESULTS ? KI_NEW(&d->memory, keel_result, 1) : NULL;
    if (!result)
        fail(d, KEEL_ERROR_MEMORY);
    else
        d->results[d->result_count++] = result;
    return result;
}

static const char *format_text(ki_draft *d, const char *format, va_list values) {
    char text[2048];
    int length = vsnprintf(text, sizeof text, format, values);
    const char *copy = length >= 0 ? ki_arena_text(&d->memory, text, strnlen(text, sizeof text)) : NULL;
    if (!copy)
        fail(d, KEEL_ERROR_MEMORY);
    return copy ? copy : "";
}

const char *ki_draft_text(ki_draft *d, const char *format, ...) {
    va_list values;
    va_start(values, format);
    const char *text = format_text(d, format, values);
    va_end(values);
    return text;
}

/* Room for one more element of the list whose address is in `*list`, *count of them so far; the address of
 * the new one, zeroed, or NULL. */
static void *grow(ki_draft *d, void *list, int *count, int *room, size_t size) {
    char *elements;
    memcpy(&elements, list, sizeof elements); /* lists are pointers of several types */
    if (*count == *room) {
        int more = *room ? 2 * *room : 16;
        char *bytes = ki_arena_alloc(&d->memory, (size_t)more, size);
        if (!bytes) {
            fail(d, KEEL_ERROR_MEMORY);
            return NULL;
        }
        if (*count)
            memcpy(bytes, elements, (size_t)*count * size);
        elements = bytes;
        memcpy(list, &elements, sizeof elements);
        *room = more;
    }
    return elements + (size_t)(*count)++ * size;
}

void ki_claim(ki_draft *d, const keel_claim *claim, const char *measured, ...) {
    va_list values;
    va_start(values, measured);
    const char *text = format_text(d, measured, values);
    va_end(values);
    keel_claim *to = grow(d, &d->paper.claims, &d->paper.claim_count, &d->claim_room, sizeof *to);
    if (!to)
        return;
    *to = *claim;
    to->measured = text;
}

bool ki_near(double x, double expected, double tolerance) {
    return fabs(x - expected) <= tolerance;
}

bool ki_about(double x, double expected, double factor) {
    return x / expected <= factor && x / expected >= 1 / factor;
}

void ki_figure(ki_draft *d, const keel_figure *figure) {
    keel_figure *to = grow(d, &d->paper.figures, &d->paper.figure_count, &d->figure_room, sizeof *to);
    if (to)
        *to = *figure;
    d->series_room = 0;
}

static bool can_be_drawn(double value, int logarithmic) {
    return isfinite(value) && (!logarithmic || value > 0);
}

void ki_series(ki_draft *d, const char *name, int count, const double *x, const double *y, bool marks) {
    if (!d->paper.figure_count)
        return;
    keel_figure *figure = (keel_figure *)&d->paper.figures[d->paper.figure_count - 1];
    double *values = KI_NEW(&d->memory, double, 2 * count);
    keel_series *to = grow(d, &figure->series, &figure->series_count, &d->series_room, sizeof *to);
    if (!to || !values) {
        fail(d, KEEL_ERROR_MEMORY);
        return;
    }
    *to = (keel_series){.name = name, .x = values, .y = values + count, .marks = marks};
    for (int i = 0; i < count; i++)
        if (can_be_drawn(x[i], figure->x_log) && can_be_drawn(y[i], figure->y_log)) {
            values[to->count] = x[i];
            values[count + to->count++] = y[i];
        }
}

/* Adds the cells of a row to the last table: `text` is cut at its tabs. */
static void add_cells(ki_draft *d, const char *text, int columns) {
    keel_table *table = (keel_table *)&d->paper.tables[d->paper.table_count - 1];
    int cells = (table->rows + 1) * table->columns;
    for (int i = 0; i < columns; i++) {
        size_t length = strcspn(text, "\t");
        const char **cell = grow(d, &table->cells, &cells, &d->row_room, sizeof *cell);
        if (!cell || !(*cell = ki_arena_text(&d->memory, text, length))) {
            fail(d, KEEL_ERROR_MEMORY);
            return;
        }
        text += length + (text[length] == '\t');
    }
}

void ki_table(ki_draft *d, const char *title, const char *text, const char *columns) {
    keel_table *table = grow(d, &d->paper.tables, &d->paper.table_count, &d->table_room, sizeof *table);
    if (!table)
        return;
    *table = (keel_table){.title = title, .text = text, .rows = -1, .columns = 1};
    for (const char *c = columns; *c; c++)
        table->columns += *c == '\t';
    d->row_room = 0;
    add_cells(d, columns, table->columns);
    table->rows = 0;
}

void ki_table_row(ki_draft *d, const char *cells, ...) {
    va_list values;
    va_start(values, cells);
    const char *text = format_text(d, cells, values);
    va_end(values);
    if (!d->paper.table_count || d->status)
        return;
    keel_table *table = (keel_table *)&d->paper.tables[d->paper.table_count - 1];
    add_cells(d, text, table->columns);
    table->rows++;
}

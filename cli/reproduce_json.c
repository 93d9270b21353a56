#include <stdlib.h>

#include "reproduce.h"
#include "results/json.h"

static void write_claim(ki_json *json, const keel_claim *claim) {
    ki_json_open(json, NULL);
    ki_json_text(json, "id", claim->id);
    ki_json_text(json, "what", claim->what);
    ki_json_text(json, "claim", claim->claim);
    ki_json_text(json, "measured", claim->measured);
    ki_json_text(json, "verdict", keel_verdict_text(claim->verdict));
    ki_json_text(json, "why", claim->why);
    ki_json_bool(json, "robust", claim->robust);
    ki_json_close(json);
}

/* On one line, with the digits that a plot can show; series have finite numbers only. */
static void write_numbers(ki_json *json, const char *key, const double *x, int count) {
    ki_json_raw(json, key, "[");
    for (int i = 0; i < count; i++)
        fprintf(json->file, "%s%.9g", i ? "," : "", x[i]);
    fputs("]", json->file);
}

static void write_figure(ki_json *json, const keel_figure *figure) {
    ki_json_open(json, NULL);
    ki_json_text(json, "title", figure->title);
    ki_json_text(json, "x_label", figure->x_label);
    ki_json_text(json, "y_label", figure->y_label);
    ki_json_bool(json, "x_log", figure->x_log);
    ki_json_bool(json, "y_log", figure->y_log);
    ki_json_text(json, "text", figure->text);
    ki_json_open_list(json, "series");
    for (int i = 0; i < figure->series_count; i++) {
        const keel_series *series = &figure->series[i];
        ki_json_open(json, NULL);
        ki_json_text(json, "name", series->name);
        ki_json_bool(json, "marks", series->marks);
        write_numbers(json, "x", series->x, series->count);
        write_numbers(json, "y", series->y, series->count);
        ki_json_close(json);
    }
    ki_json_close_list(json);
    ki_json_close(json);
}

static void write_cells(ki_json *json, const char *key, const char *const *cells, int count) {
    ki_json_open_list(json, key);
    for (int i = 0; i < count; i++)
        ki_json_text(json, NULL, cells[i]);
    ki_json_close_list(json);
}

static void write_table(ki_json *json, const keel_table *table) {
    ki_json_open(json, NULL);
    ki_json_text(json, "title", table->title);
    ki_json_text(json, "text", table->text);
    write_cells(json, "columns", table->cells, table->columns);
    ki_json_open_list(json, "rows");
    for (int i = 1; i <= table->rows; i++)
        write_cells(json, NULL, table->cells + i * table->columns, table->columns);
    ki_json_close_list(json);
    ki_json_close(json);
}

static void write_paper(ki_json *json, const keel_paper *paper) {
    ki_json_open(json, NULL);
    ki_json_text(json, "format", "keel-reproduction");
    ki_json_integer(json, "version", 1);
    ki_json_text(json, "title", paper->title);
    ki_json_text(json, "number", paper->number);
    ki_json_text(json, "paper", paper->citation);
    ki_json_text(json, "text", paper->text);
    ki_json_open_list(json, "claims");
    for (int i = 0; i < paper->claim_count; i++)
        write_claim(json, &paper->claims[i]);
    ki_json_close_list(json);
    ki_json_open_list(json, "figures");
    for (int i = 0; i < paper->figure_count; i++)
        write_figure(json, &paper->figures[i]);
    ki_json_close_list(json);
    ki_json_open_list(json, "tables");
    for (int i = 0; i < paper->table_count; i++)
        write_table(json, &paper->tables[i]);
    ki_json_close_list(json);
    ki_json_close(json);
}

char *cli_reproduce_json(const keel_paper *paper, size_t *length) {
    char *text = NULL;
    ki_json json = {.file = open_memstream(&text, length)};
    if (!json.file)
        return NULL;
    write_paper(&json, paper);
    int failed = ferror(json.file);
    if (fclose(json.file) || failed) {
        free(text);
        return NULL;
    }
    return text;
}

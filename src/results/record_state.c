/* record_state.c - a row of a result as the start of another run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "results/record.h"

/* The last row, or the one at a time (NaN: the last). NULL, with a message, if there is none. */
static const double *find_row(const keel_record *record, double at, keel_diagnostics *diagnostics) {
    const ki_series *rows = &record->rows;
    long before = -1, after = -1;
    if (rows->rows == 0) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){.file = record->path},
                             "there are no rows");
        return NULL;
    }
    if (isnan(at))
        return ki_series_row(rows, rows->rows - 1);
    for (long i = 0; i < rows->rows; i++) {
        double t = ki_series_row(rows, i)[0];
        if (fabs(t - at) <= 1e-12 * fmax(fabs(t), fabs(at)))
            return ki_series_row(rows, i);
        before = t < at ? i : before;
        after = t > at && after < 0 ? i : after;
    }
    const char *thinned = rows->stride > 1 ? " (only some of its many rows are looked at)" : "";
    if (before >= 0 && after >= 0)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){.file = record->path},
                             "there is no row at t = %.10g%s: the nearest are at %.17g and %.17g", at,
                             thinned, ki_series_row(rows, before)[0], ki_series_row(rows, after)[0]);
    else
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){.file = record->path},
                             "there is no row at t = %.10g: the rows are from %.17g to %.17g", at,
                             ki_series_row(rows, 0)[0], ki_series_row(rows, rows->rows - 1)[0]);
    return NULL;
}

/* The column of that name, or -1 after a message. */
static int find_column(const keel_record *record, const ki_column *wanted, const char *word,
                       keel_diagnostics *diagnostics) {
    const ki_columns *columns = &record->columns;
    for (int i = 0; i < columns->count; i++)
        if (strcmp(columns->column[i].name, wanted->name) == 0)
            return i;
    const char **names = calloc((size_t)columns->count + 1, sizeof *names);
    for (int i = 0; names && i < columns->count; i++)
        names[i] = columns->column[i].name;
    const char *closest = names ? ki_closest_name(wanted->name, names, columns->count) : NULL;
    keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){.file = record->path},
                         "there is no column '%s'%s%s%s, which the model has as a %s: the file is of another "
                         "model, or of other coordinates",
                         wanted->name, closest ? " (but '" : "", closest ? closest : "", closest ? "')" : "",
                         word);
    free(names);
    return -1;
}

static keel_status take_group(const keel_record *record, const double *row, const ki_columns *wanted,
                              ki_group group, const char *word, double *values,
                              keel_diagnostics *diagnostics) {
    for (int i = wanted->at[group]; i < wanted->at[group + 1]; i++) {
        int column = find_column(record, &wanted->column[i], word, diagnostics);
        double *value = &values[i - wanted->at[group]];
        if (column < 0)
            return KEEL_ERROR_INPUT;
        *value = row[column];
        if (isfinite(*value) && *value != KI_HDF5_MISSING)
            continue;
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){.file = record->path},
                             "'%s' has no value at t = %.17g", wanted->column[i].name, row[0]);
        return KEEL_ERROR_INPUT;
    }
    return KEEL_OK;
}

keel_status keel_record_state(const keel_record *record, const keel_system *system, double at,
                              keel_state *state, keel_diagnostics *diagnostics) {
    if (!record || !system || !state)
        return KEEL_ERROR_INPUT;
    static const struct {
        ki_group group;
        const char *word;
    } PARTS[] = {{KI_COORDINATE, "coordinate"},
                 {KI_VELOCITY, "velocity"},
                 {KI_STATE, "state"},
                 {KI_AUXILIARY, "auxiliary unknown"}};
    double *values[] = {state->q, state->v, state->z, state->s};
    const double *row = find_row(record, at, diagnostics);
    if (!row)
        return KEEL_ERROR_INPUT;
    ki_arena arena;
    ki_columns wanted;
    ki_optional none = {0};
    ki_arena_init(&arena);
    keel_status status = ki_columns_make(system, &none, &arena, &wanted);
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS && !status; i++)
        status = take_group(record, row, &wanted, PARTS[i].group, PARTS[i].word, values[i], diagnostics);
    if (!status)
        state->t = row[0];
    ki_arena_free(&arena);
    return status;
}

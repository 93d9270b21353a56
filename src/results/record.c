#include "results/record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/refuse.h"
#include "results/regular.h"

keel_record *ki_record_empty(void) {
    keel_record *record = calloc(1, sizeof *record);
    if (!record)
        return NULL;
    ki_arena_init(&record->arena);
    if (ki_series_init(&record->steps, KI_STEP_WIDTH, KI_RECORD_STEPS) == KEEL_OK)
        return record;
    keel_record_free(record);
    return NULL;
}

keel_record *keel_record_new(const keel_system *system) {
    if (!system)
        return NULL;
    keel_record *record = ki_record_empty();
    if (record)
        record->system = system;
    return record;
}

void keel_record_free(keel_record *record) {
    if (!record)
        return;
    ki_series_clear(&record->rows);
    ki_series_clear(&record->steps);
    ki_arena_free(&record->arena);
    free(record);
}

keel_status ki_record_prepare(keel_record *record) {
    int width = record->columns.count;
    long limit = (long)fmax(2, fmin((double)KI_RECORD_ROWS, KI_RECORD_NUMBERS / width));
    record->scratch = KI_NEW(&record->arena, double, width);
    if (!record->scratch)
        return KEEL_ERROR_MEMORY;
    return ki_series_init(&record->rows, width, limit);
}

/* The first row tells which columns there are. */
static keel_status begin(keel_record *record, const keel_row *first) {
    ki_optional optional = ki_optional_of(first);
    keel_status status = ki_columns_make(record->system, &optional, &record->arena, &record->columns);
    record->fits = true;
    return status ? status : ki_record_prepare(record);
}

keel_status keel_record_row(keel_record *record, const keel_row *row) {
    if (!record || !row)
        return KEEL_ERROR_INPUT;
    keel_status status = record->scratch ? KEEL_OK : begin(record, row);
    if (status)
        return status;
    ki_columns_fill(&record->columns, row, record->scratch);
    return ki_series_add(&record->rows, record->scratch);
}

keel_status keel_record_step(keel_record *record, const keel_step *step) {
    if (!record || !step)
        return KEEL_ERROR_INPUT;
    const double values[KI_STEP_WIDTH] = {[KI_STEP_T] = step->t,
                                          [KI_STEP_SIZE] = step->size,
                                          [KI_STEP_ORDER] = step->order,
                                          [KI_STEP_GAP] = step->gap};
    return ki_series_add(&record->steps, values);
}

const keel_origin *keel_record_origin(const keel_record *record) {
    if (!record)
        return NULL;
    return record->origin.model_text ? &record->origin : NULL;
}

long keel_record_rows(const keel_record *record) {
    if (!record)
        return 0;
    return record->rows.seen;
}

/* ---- reading --------------------------------------------------------------------------------------------
 */

static const unsigned char SIGNATURE[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

keel_result_format keel_result_format_of(const char *path) {
    if (!path)
        return KEEL_FORMAT_NONE;
    unsigned char first[8] = {0};
    FILE *file = ki_open_regular(path);
    size_t count = file ? fread(first, 1, sizeof first, file) : 0;
    if (file)
        fclose(file);
    if (count == sizeof first && memcmp(first, SIGNATURE, sizeof first) == 0)
        return KEEL_FORMAT_HDF5;
    if (ends_with(path, ".h5") || ends_with(path, ".hdf5"))
        return KEEL_FORMAT_HDF5;
    return ends_with(path, ".csv") ? KEEL_FORMAT_CSV : KEEL_FORMAT_NONE;
}

keel_record *keel_record_read(const char *path, keel_diagnostics *diagnostics, keel_status *status) {
    if (!path || !status)
        return ki_refuse(status);
    keel_record *record = ki_record_empty();
    if (!record) {
        *status = KEEL_ERROR_MEMORY;
        return NULL;
    }
    record->path = ki_arena_text(&record->arena, path, strlen(path));
    *status = keel_result_format_of(path) == KEEL_FORMAT_HDF5 ? ki_read_hdf5(path, diagnostics, record)
                                                              : ki_read_csv(path, diagnostics, record);
    if (*status == KEEL_OK)
        *status = ki_series_end(&record->rows);
    if (*status == KEEL_OK)
        return record;
    keel_record_free(record);
    return NULL;
}

/* Which optional columns a file has. */
static ki_optional optional_in(const ki_columns *columns) {
    ki_optional has = {0};
    for (int i = 0; i < columns->count; i++) {
        has.projections |= columns->column[i].group == KI_PROJECTION;
        has.audit |= columns->column[i].group == KI_AUDIT;
        has.newton |= columns->column[i].group == KI_NEWTON;
        has.accelerations |= columns->column[i].group == KI_ACCELERATION;
    }
    return has;
}

keel_status keel_record_match(keel_record *record, const keel_system *system, keel_diagnostics *diagnostics) {
    if (!record || !system)
        return KEEL_ERROR_INPUT;
    ki_columns expected;
    ki_optional has = optional_in(&record->columns);
    keel_location where = {.file = record->path};
    keel_status status = ki_columns_make(system, &has, &record->arena, &expected);
    if (status)
        return status;
    for (int i = 0; i < expected.count && i < record->columns.count; i++)
        if (strcmp(expected.column[i].name, record->columns.column[i].name) != 0) {
            keel_diagnostics_add(
                diagnostics, KEEL_ERROR, where,
                "column %d is '%s', but the model has '%s' there: not a result of this model", i + 1,
                record->columns.column[i].name, expected.column[i].name);
            return KEEL_ERROR_INPUT;
        }
    if (expected.count != record->columns.count) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where,
                             "%d columns, but the model has %d: not a result of this model",
                             record->columns.count, expected.count);
        return KEEL_ERROR_INPUT;
    }
    for (int i = 0; i < expected.count; i++) {
        const ki_column *read = &record->columns.column[i];
        expected.column[i].shared = read->shared;
        if (read->unit[0])
            expected.column[i].unit = read->unit;
    }
    record->columns = expected;
    record->system = system;
    record->fits = true;
    return KEEL_OK;
}

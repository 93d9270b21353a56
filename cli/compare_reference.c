/* compare_reference.c - the rows that `keel run -o FILE` wrote, CSV or HDF5, as a reference. */
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "results/record.h"

/* Columns 1 .. of the record; the first is the time. */
static keel_status copy_names(const ki_columns *columns, keel_samples *x) {
    x->names = calloc((size_t)columns->count, sizeof *x->names);
    if (!x->names)
        return KEEL_ERROR_MEMORY;
    for (int i = 1; i < columns->count; i++) {
        char *name = strdup(columns->column[i].name);
        if (!name)
            return KEEL_ERROR_MEMORY;
        x->names[x->columns++] = name;
    }
    return KEEL_OK;
}

static keel_status copy_rows(const ki_series *rows, keel_samples *x) {
    x->t = calloc((size_t)rows->rows + 1, sizeof *x->t);
    x->values = calloc((size_t)rows->rows * (size_t)x->columns + 1, sizeof *x->values);
    if (!x->t || !x->values)
        return KEEL_ERROR_MEMORY;
    for (; x->rows < rows->rows; x->rows++) {
        const double *row = ki_series_row(rows, x->rows);
        x->t[x->rows] = row[0];
        memcpy(&x->values[(size_t)x->rows * (size_t)x->columns], row + 1, (size_t)x->columns * sizeof *row);
    }
    return KEEL_OK;
}

keel_status cli_read_samples(const char *path, keel_samples *trajectory, keel_diagnostics *diagnostics) {
    keel_status status;
    *trajectory = (keel_samples){0};
    keel_record *record = keel_record_read(path, diagnostics, &status);
    if (!record)
        return status == KEEL_ERROR_MEMORY ? status : KEEL_ERROR_INPUT;
    status = copy_names(&record->columns, trajectory);
    if (!status)
        status = copy_rows(&record->rows, trajectory);
    keel_record_free(record);
    return status;
}

/* times.c - when runs and reference are compared, and the values of a reference that was given. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/internal.h"

/* Rows: those of the settings unless there are more than this, then as many as USUAL_INTERVALS. */
enum { MOST_INTERVALS = 1000, USUAL_INTERVALS = 100 };

keel_status ki_times_even(const keel_settings *settings, double t_start, ki_times *times) {
    double span = settings->until - t_start, spacing = settings->output;
    bool usual = !(spacing > 0) || span / spacing > MOST_INTERVALS || spacing > span;
    if (usual)
        spacing = span / USUAL_INTERVALS;
    int intervals = (int)ceil(span / spacing - 1e-9);
    *times = (ki_times){.rows = intervals + 1, .spacing = spacing};
    times->t = calloc((size_t)times->rows, sizeof *times->t);
    if (!times->t)
        return KEEL_ERROR_MEMORY;
    for (int i = 0; i < intervals; i++)
        times->t[i] = t_start + i * spacing;
    times->t[intervals] = settings->until;
    return KEEL_OK;
}

/* The column of a quantity; a mark of results, "name(shared)", does not count. */
static int column_of(const keel_samples *given, const char *name) {
    size_t length = strlen(name);
    for (int i = 0; i < given->columns; i++) {
        const char *column = given->names[i];
        if (strncmp(column, name, length) == 0 &&
            (!column[length] || strcmp(column + length, "(shared)") == 0))
            return i;
    }
    return -1;
}

/* Takes one quantity of all rows from `first` on. */
static keel_status take_column(const keel_system *system, const keel_samples *given, const char *from,
                               const ki_quantities *x, int k, int first, keel_diagnostics *diagnostics,
                               ki_times *times) {
    char *name = ki_quantity_name(system, x->list[k]);
    int column = name ? column_of(given, name) : -1;
    keel_status status = name ? KEEL_OK : KEEL_ERROR_MEMORY;
    if (name && column < 0) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){.file = from},
                             "the reference has no column '%s'", name);
        status = KEEL_ERROR_INPUT;
    }
    for (int i = 0; !status && i < times->rows; i++) {
        double value = given->values[(long)(first + i) * given->columns + column];
        times->given[(long)i * x->count + k] = value;
        if (!isfinite(value)) {
            keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){.file = from},
                                 "'%s' is not a number at t = %g", name, given->t[first + i]);
            status = KEEL_ERROR_INPUT;
        }
    }
    free(name);
    return status;
}

keel_status ki_times_given(const keel_system *system, const keel_samples *given, const char *from,
                           double t_start, double until, const ki_quantities *x,
                           keel_diagnostics *diagnostics, ki_times *times) {
    int first = 0, end = given->rows;
    *times = (ki_times){0};
    while (first < end && given->t[first] < t_start)
        first++;
    while (end > first && given->t[end - 1] > until)
        end--;
    times->rows = end - first;
    if (times->rows < 2 || given->t[end - 1] <= t_start) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){.file = from},
                             "the reference has no rows between t = %g and t = %g", t_start, until);
        return KEEL_ERROR_INPUT;
    }
    times->t = calloc((size_t)times->rows, sizeof *times->t);
    times->given = calloc((size_t)times->rows * (size_t)x->count + 1, sizeof *times->given);
    if (!times->t || !times->given)
        return KEEL_ERROR_MEMORY;
    memcpy(times->t, &given->t[first], (size_t)times->rows * sizeof *times->t);
    times->spacing = (times->t[times->rows - 1] - times->t[0]) / (times->rows - 1);
    keel_status status = KEEL_OK;
    for (int k = 0; !status && k < x->count; k++)
        status = take_column(system, given, from, x, k, first, diagnostics, times);
    return status;
}

void ki_times_clear(ki_times *times) {
    free(times->t);
    free(times->given);
    *times = (ki_times){0};
}

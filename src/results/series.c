#include "results/series.h"

#include <stdlib.h>
#include <string.h>

keel_status ki_series_init(ki_series *series, int width, long limit) {
    *series = (ki_series){.width = width, .limit = limit, .stride = 1};
    series->last = calloc((size_t)width + 1, sizeof *series->last);
    return series->last ? KEEL_OK : KEEL_ERROR_MEMORY;
}

void ki_series_clear(ki_series *series) {
    free(series->values);
    free(series->last);
    *series = (ki_series){0};
}

/* Room for one more row; one beyond the limit is for the last. */
static bool make_room(ki_series *s) {
    if (s->rows < s->capacity)
        return true;
    long capacity = s->capacity ? 2 * s->capacity : 64;
    capacity = capacity > s->limit + 1 ? s->limit + 1 : capacity;
    double *values = realloc(s->values, (size_t)capacity * (size_t)s->width * sizeof *values);
    if (!values)
        return false;
    s->values = values;
    s->capacity = capacity;
    return true;
}

static void drop_every_second(ki_series *s) {
    size_t bytes = (size_t)s->width * sizeof *s->values;
    long kept = (s->rows + 1) / 2;
    for (long i = 1; i < kept; i++)
        memcpy(s->values + i * s->width, s->values + 2 * i * s->width, bytes);
    s->rows = kept;
    s->stride *= 2;
}

static keel_status keep(ki_series *s, const double *row) {
    if (!make_room(s))
        return KEEL_ERROR_MEMORY;
    memcpy(s->values + s->rows++ * s->width, row, (size_t)s->width * sizeof *row);
    return KEEL_OK;
}

keel_status ki_series_add(ki_series *s, const double *row) {
    long number = s->seen++;
    memcpy(s->last, row, (size_t)s->width * sizeof *row);
    s->open = true;
    if (number % s->stride == 0 && s->rows >= s->limit)
        drop_every_second(s);
    if (number % s->stride)
        return KEEL_OK;
    s->open = false;
    keel_status status = keep(s, row);
    if (status)
        s->seen = number; /* what could not be kept was not added */
    return status;
}

keel_status ki_series_end(ki_series *s) {
    bool open = s->open;
    s->open = false;
    return open ? keep(s, s->last) : KEEL_OK;
}

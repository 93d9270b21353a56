/* series.h - rows of numbers in bounded memory.
 *
 * When the limit is reached every second row is dropped, and from then on only every second one is kept, and
 * so on: what remains is spread evenly over all rows. The first row and the last are always there.
 */
#ifndef KI_SERIES_H
#define KI_SERIES_H

#include <stdbool.h>

#include "keel/status.h"

typedef struct ki_series {
    int width;      /* numbers of a row                                  */
    long limit;     /* most rows                                         */
    long rows;      /* kept so far                                       */
    long seen;      /* added so far                                      */
    long stride;    /* every so many are kept                            */
    long capacity;  /* rows that fit into `values`                       */
    double *values; /* [rows x width]                                    */
    double *last;   /* [width] the last one added                        */
    bool open;      /* the last one was not kept                         */
} ki_series;

keel_status ki_series_init(ki_series *series, int width, long limit);
void ki_series_clear(ki_series *series);

keel_status ki_series_add(ki_series *series, const double *row);

/* After the last row: it is kept in any case. */
keel_status ki_series_end(ki_series *series);

static inline const double *ki_series_row(const ki_series *series, long i) {
    return series->values + i * series->width;
}

#endif

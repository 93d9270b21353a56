/* derived.h - series that a report computes from the rows through the system: the violation of every
 * constraint, and the size of the reaction in every joint. */
#ifndef KI_DERIVED_H
#define KI_DERIVED_H

#include "results/record.h"

typedef struct ki_derived_column {
    const char *name;
    const char *group; /* "violation" or "reaction" */
    const char *unit;
    bool shared;
    bool zero;    /* in all rows, to rounding */
    bool silent;  /* so, and not worth a plot */
    double *data; /* [rows] */
} ki_derived_column;

typedef struct ki_derived {
    int count;
    ki_derived_column *column;
    ki_arena arena;
} ki_derived;

/* How many columns there would be. */
int ki_derived_count(const keel_record *record);

/* Fills them for the given rows of the record. */
keel_status ki_derive(const keel_record *record, void *work, const long *pick, long rows, ki_derived *out);
void ki_derived_clear(ki_derived *derived);

/* The point that a row of the record is; `v_rate` NULL if it has no accelerations. */
keel_point ki_record_point(const keel_record *record, long row, const double **v_rate);

#endif

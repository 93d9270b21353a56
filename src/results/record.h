/* record.h - the rows and steps of a run in memory, from the run itself or from a file. */
#ifndef KI_RECORD_H
#define KI_RECORD_H

#include "base/arena.h"
#include "keel/results.h"
#include "results/series.h"

/* What a column holds, in the order of the columns. The accelerations are the last: a CSV file has none. */
typedef enum ki_group {
    KI_TIME,
    KI_COORDINATE,
    KI_VELOCITY,
    KI_STATE,
    KI_AUXILIARY,
    KI_MULTIPLIER,
    KI_PROJECTION,
    KI_OUTPUT,
    KI_ENERGY,
    KI_AUDIT,
    KI_NEWTON,
    KI_VIOLATION,
    KI_ACCELERATION,
    KI_GROUPS
} ki_group;

typedef struct ki_column {
    const char *name; /* as in the header of a CSV file, without "(shared)" */
    ki_group group;
    bool shared;
    const char *unit; /* "": not known */
} ki_column;

typedef struct ki_columns {
    int count;
    ki_column *column;
    int at[KI_GROUPS + 1]; /* where each group begins; all 0 when the columns are not those of a system */
} ki_columns;

/* Which of the columns that not every run has are there. */
typedef struct ki_optional {
    bool projections, audit, newton, accelerations;
    const int *shared, *output_shared; /* as in keel_row */
} ki_optional;

ki_optional ki_optional_of(const keel_row *row);

/* The columns of a system; names in the arena. */
keel_status ki_columns_make(const keel_system *system, const ki_optional *optional, ki_arena *arena,
                            ki_columns *columns);

/* A row as numbers, [columns->count]; values that it does not have are NaN. */
void ki_columns_fill(const ki_columns *columns, const keel_row *row, double *values);

/* Numbers of a step in a series of steps. */
enum { KI_STEP_T, KI_STEP_SIZE, KI_STEP_ORDER, KI_STEP_GAP, KI_STEP_WIDTH };

/* Where rows are thinned. */
#define KI_RECORD_ROWS    200000L
#define KI_RECORD_NUMBERS 24000000.0
#define KI_RECORD_STEPS   20000L

struct keel_record {
    const keel_system *system; /* NULL: the columns are those of a file */
    ki_arena arena;
    ki_columns columns;
    ki_series rows, steps;
    double *scratch;     /* [columns.count] */
    bool fits;           /* the columns are those of a system */
    keel_origin origin;  /* of a file, else empty */
    const char *summary; /* JSON as read from a file, or NULL */
    const char *report;  /* verdict, facts and events as JSON, as read from a file, or NULL */
    const char *path;    /* of the file */
    bool cut_off;        /* the file tells nothing of the end of its run */
};

/* Empty, with columns to come; NULL when out of memory. */
keel_record *ki_record_empty(void);

/* Makes room for rows of record->columns. */
keel_status ki_record_prepare(keel_record *record);

/* Readers: false after a message. */
keel_status ki_read_csv(const char *path, keel_diagnostics *diagnostics, keel_record *record);
keel_status ki_read_hdf5(const char *path, keel_diagnostics *diagnostics, keel_record *record);

/* The unit that the violations of all constraints at a level (KEEL_UNIT_CONSTRAINT, KEEL_UNIT_RATE) have in
 * common, or "". */
const char *ki_violation_unit(const keel_system *system, keel_unit_of level, char buffer[KEEL_UNIT]);

/* The names of the groups' datasets in HDF5. */
extern const char *const ki_group_dataset[KI_GROUPS];

/* Where there is no value: a number that no result has, the one that netCDF takes. Datasets tell it in their
 * attribute _FillValue, as readers of that convention expect. */
#define KI_HDF5_MISSING 9.969209968386869e36

#endif

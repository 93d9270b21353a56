/* results.h - results: CSV and HDF5 rows, JSON summary, text report, and the page to look at them.
 *
 * docs/results.md describes the files.
 */
#ifndef KEEL_RESULTS_H
#define KEEL_RESULTS_H

#include <stdio.h>

#include "keel/diagnostics.h"
#include "keel/run.h"

/* CSV with one header line; numbers with 17 digits. Columns: t, q, v (name'), z, s, lambda.NAME (or
 * lambda.NAME(shared) when dependent constraints share it), d.NAME (projections of a method with a
 * partition), outputs, energy, energy_drift (both only if the system knows its energy), newton_iterations,
 * newton_correction_q, newton_correction_lambda, condition (of an implicit integrator with newton_report),
 * position_violation, velocity_violation. */
typedef struct keel_csv keel_csv;

/* Opens `path` ("-": standard output) and writes the header. The first row of the run tells which multipliers
 * are shared and whether there are projections; NULL: none. NULL with *status KEEL_ERROR_IO or
 * KEEL_ERROR_MEMORY. */
KEEL_API keel_csv *keel_csv_open(const char *path, const keel_system *system, const keel_row *first,
                                 keel_status *status);
KEEL_API keel_status keel_csv_row(keel_csv *csv, const keel_row *row);

/* Flushes and closes; KEEL_ERROR_IO if anything written could not be stored. Frees `csv` in any case. */
KEEL_API keel_status keel_csv_close(keel_csv *csv);

/* What results were made from; kept with them. Any of the texts may be NULL. */
typedef struct keel_origin {
    const char *name, *description; /* of the model */
    const char *model_text, *model_file;
    int set_count;
    const char *const *set; /* "name=value": parameters that were replaced */
    int parameter_count;
    const char *const *parameter_name;
    const double *parameter_value;
    const double *until; /* end time as the model has it; not kept with results */
} keel_origin;

/* HDF5: a dataset [rows x n] with an attribute `names` for each vector of the state. */
typedef struct keel_hdf5 keel_hdf5;

/* Creates `path`. The first row of the run tells which columns there are. NULL with *status KEEL_ERROR_IO or
 * KEEL_ERROR_MEMORY. */
KEEL_API keel_hdf5 *keel_hdf5_open(const char *path, const keel_system *system, const keel_origin *origin,
                                   const keel_row *first, keel_status *status);
KEEL_API keel_status keel_hdf5_row(keel_hdf5 *hdf5, const keel_row *row);
KEEL_API keel_status keel_hdf5_step(keel_hdf5 *hdf5, const keel_step *step);

/* Writes the summary of the run (`result` may be NULL: nothing is known), closes and frees `hdf5` in any
 * case. KEEL_ERROR_IO if anything could not be stored. `message` is the first error, or NULL. */
KEEL_API keel_status keel_hdf5_close(keel_hdf5 *hdf5, const keel_result *result, const char *message);

/* HDF5 1.10 crashes in its exit handler after it could not write or had no memory. A program that calls this
 * before its first use of HDF5 ends without that handler; files it opened by itself it has to close. */
KEEL_API void keel_hdf5_without_exit_handler(void);

/* Rows and steps in memory, at most some hundred thousand: beyond that every second one is dropped, again and
 * again. */
typedef struct keel_record keel_record;

KEEL_API keel_record *keel_record_new(const keel_system *system); /* NULL when out of memory */
KEEL_API void keel_record_free(keel_record *record);
KEEL_API keel_status keel_record_row(keel_record *record, const keel_row *row);
KEEL_API keel_status keel_record_step(keel_record *record, const keel_step *step);
KEEL_API long keel_record_rows(const keel_record *record); /* added so far */

/* Whether a file is a result: by its first bytes, or by its name (.csv, .h5, .hdf5). */
typedef enum keel_result_format { KEEL_FORMAT_NONE, KEEL_FORMAT_CSV, KEEL_FORMAT_HDF5 } keel_result_format;
KEEL_API keel_result_format keel_result_format_of(const char *path);

/* Reads a result that keel_csv or keel_hdf5 wrote. NULL, with messages, on failure: KEEL_ERROR_IO or
 * KEEL_ERROR_INPUT. */
KEEL_API keel_record *keel_record_read(const char *path, keel_diagnostics *diagnostics, keel_status *status);

/* What a file tells of its model, or NULL (CSV tells nothing). */
KEEL_API const keel_origin *keel_record_origin(const keel_record *record);

/* Says that the rows of a file are those of a system. KEEL_ERROR_INPUT, with a message, if they cannot be. */
KEEL_API keel_status keel_record_match(keel_record *record, const keel_system *system,
                                       keel_diagnostics *diagnostics);

/* A row of the file as the start of another run: the last one, or that at the time `at` (NaN: not given). The
 * system's coordinates, velocities, states and auxiliary unknowns go by their names. KEEL_ERROR_INPUT, with a
 * message, if there is no such row, or a name is missing. */
KEEL_API keel_status keel_record_state(const keel_record *record, const keel_system *system, double at,
                                       keel_state *state, keel_diagnostics *diagnostics);

/* Whether the run of a file that was read finished: 1, 0, or -1 where it cannot be told (CSV has no word of
 * it). `origin` may be NULL. `text` becomes a sentence about that. */
KEEL_API int keel_record_finished(const keel_record *record, const keel_origin *origin, char *text, int size);

/* 1 if the run of a file that was read broke a promise of its method (verdict.h), with the line that says
 * which as `text`. 0: it did not, or the file does not tell. */
KEEL_API int keel_record_broken(const keel_record *record, char *text, int size);

/* The page of a run: one HTML file that needs nothing else. `record` has its rows; KEEL_ERROR_INPUT if there
 * is none. `result` and `message` are of the run; NULL: as the file has them from which the record was read.
 */
KEEL_API keel_status keel_page_write(FILE *file, keel_record *record, const keel_origin *origin,
                                     const keel_result *result, const char *message);

/* The JSON summary (docs/summary.md lists the keys). `message` is the first error, or NULL. */
KEEL_API keel_status keel_summary_write(FILE *file, const char *model_name, const keel_system *system,
                                        const keel_result *result, const char *message);

/* The report for people at the end of a run. */
KEEL_API keel_status keel_report_write(FILE *file, const char *model_name, const keel_system *system,
                                       const keel_result *result);

#endif

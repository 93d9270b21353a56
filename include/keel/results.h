/* results.h - writing results: CSV rows, JSON summary, text report. */
#ifndef KEEL_RESULTS_H
#define KEEL_RESULTS_H

#include <stdio.h>

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

/* The JSON summary (docs/summary.md lists the keys). `message` is the first error, or NULL. */
KEEL_API keel_status keel_summary_write(FILE *file, const char *model_name, const keel_system *system,
                                        const keel_result *result, const char *message);

/* The report for people at the end of a run. */
KEEL_API keel_status keel_report_write(FILE *file, const char *model_name, const keel_system *system,
                                       const keel_result *result);

#endif

/* growing.h - files of rows that grow while a run goes on: what the program asks of them besides the public
 * functions. */
#ifndef KI_GROWING_H
#define KI_GROWING_H

#include <stdbool.h>

#include "keel/results.h"

/* Whether this build writes and reads HDF5. */
bool ki_hdf5_is_there(void);

/* A CSV file that ends with a complete row, to append to. The next row tells which columns it has. */
keel_csv *ki_csv_continue(const char *path, const keel_system *system, const keel_row *next,
                          keel_status *status);

/* All rows are on the disk; *size: of the file. */
keel_status ki_csv_settle(keel_csv *csv, long *size);

/* Called between rows, which may be far apart: those that have waited for a second go to the disk. */
keel_status ki_csv_wait(keel_csv *csv);
keel_status ki_hdf5_wait(keel_hdf5 *hdf5);

/* A row as numbers (ki_columns_fill). */
keel_status ki_hdf5_values(keel_hdf5 *hdf5, const double *values);

#endif

/* store.h - rows on their way into a file of HDF5.
 *
 * A file of HDF5 cannot be cut to an earlier length. So the rows of a run that may have to go on later are
 * appended to a plain file first, one record after the other; where the run ends they become a file of HDF5,
 * all at once:
 *
 *     head      8 numbers: mark, columns, which optional columns there are, numbers of shared flags
 *     flags     int, which multipliers and which outputs are shared
 *     records   kind (0: row, 1: step), then the numbers of the row, or t, size, order, gap of the step
 *
 * Numbers are doubles of this machine: the file is for the same program, and for some time only.
 */
#ifndef KI_STORE_H
#define KI_STORE_H

#include "keel/results.h"

typedef struct ki_store ki_store;

/* A new file for the rows of a run; the first one tells which columns there are. NULL with *status
 * KEEL_ERROR_IO, KEEL_ERROR_MEMORY. */
ki_store *ki_store_open(const char *path, const keel_system *system, const keel_row *first,
                        keel_status *status);

/* One that is there, to append to. */
ki_store *ki_store_continue(const char *path, const keel_system *system, keel_status *status);

keel_status ki_store_row(ki_store *store, const keel_row *row);
keel_status ki_store_step(ki_store *store, const keel_step *step);

/* Everything written so far is on the disk; *size: of the file. */
keel_status ki_store_settle(ki_store *store, long *size);
keel_status ki_store_close(ki_store *store);

/* A file of HDF5 with all that is in the store at `from`, still open. NULL with *status. */
keel_hdf5 *ki_store_to_hdf5(const char *from, const char *path, const keel_system *system,
                            const keel_origin *origin, keel_status *status);

#endif

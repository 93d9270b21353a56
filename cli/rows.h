/* rows.h - where the rows of a run go.
 *
 * A file that is there stays as it is until the run has begun well, that is until its first step: up to then
 * rows go to a file beside it. Rows reach the disk within a second or so.
 *
 * The rows of a run that may have to go on later (checkpoint.h) go to a file that only grows, which can be
 * cut to what it was: CSV itself; HDF5 is made of one (FILE.h5.rows) where the run ends.
 */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include <stdint.h>

#include "cli.h"
#include "results/growing.h"
#include "results/store.h"

/* How far a growing file has come. */
typedef struct cli_position {
    long size;     /* 0: there is none yet */
    uint64_t mark; /* of its last bytes */
} cli_position;

typedef struct cli_rows {
    const char *path; /* NULL: they are not kept */
    const keel_system *system;
    const keel_origin *origin;
    bool may_go_on;
    keel_csv *csv;
    keel_hdf5 *hdf5;
    ki_store *store;
    char *store_path;       /* of rows that become HDF5 later */
    char *beside;           /* where rows go until the run has begun well; NULL: to their file */
    bool is_left;           /* the run has not begun well, and the file is what it was */
    bool is_cut;            /* the rows of a run that goes on have been cut to ... */
    cli_position goes_on;   /* ... this length */
    const char *error_path; /* the file that an error is about */
} cli_rows;

/* False when out of memory. */
bool cli_rows_init(cli_rows *rows, const char *path, const keel_system *system, const keel_origin *origin,
                   bool may_go_on);

/* A run that goes on: false, after telling the user, if its rows are not there any more. Nothing is changed
 * before the run does go on. */
bool cli_rows_go_on(cli_rows *rows, const cli_position *from);

/* As in keel_observer; KEEL_ERROR_IO with errno. */
keel_status cli_rows_row(cli_rows *rows, const keel_row *row);
keel_status cli_rows_step(cli_rows *rows, const keel_step *step);

/* Between two steps: what has waited for long goes to the disk. */
keel_status cli_rows_wait(cli_rows *rows);

/* All rows are on the disk, in a file that may be cut to this length. */
keel_status cli_rows_settle(cli_rows *rows, cli_position *position);

/* The run has ended; `result` is what it has come to, NULL: it has not begun. */
keel_status cli_rows_close(cli_rows *rows, const keel_result *result, const char *message);

/* After all results have been written: nothing will go on from here. */
void cli_rows_finish(cli_rows *rows);

/* Whether that has been done for the rows of a run that has reached its end. */
bool cli_rows_are_finished(const cli_rows *rows, const cli_position *from);

/* At last. What is still open is closed as it is. */
void cli_rows_forget(cli_rows *rows);

#endif

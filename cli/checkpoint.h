/* checkpoint.h - checkpoints of `keel run`: --checkpoint, --every, --resume. */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "keel/checkpoint.h"
#include "rows.h"

/* What the program has to know besides the run itself. */
typedef struct cli_kept {
    const char *model_path, *model_text;
    const char *rows_path, *summary_path;
    cli_position rows;
    double every;  /* seconds between two checkpoints */
    bool finished; /* the run has reached its end */
} cli_kept;

/* Checkpoints of a run under way. */
typedef struct cli_checkpoint {
    const char *path; /* NULL: none are written */
    double next;      /* when, on the monotonic clock */
    double t, until;  /* how far the run is */
    bool has_stepped;
    cli_kept kept;
    const cli_changes *changes;
    const volatile int *stop;
} cli_checkpoint;

void cli_checkpoint_start(cli_checkpoint *checkpoint);

/* Between two steps: writes one when it is time, or where the run ends or is stopped. KEEL_ERROR_IO with
 * errno. */
keel_status cli_checkpoint_between(cli_checkpoint *checkpoint, const struct keel_run_state *run,
                                   cli_rows *rows);

/* A file that was written by that. NULL after telling the user. The texts of `kept` live as long as it;
 * `changes`, empty before, gets what the run was asked for. */
keel_checkpoint *cli_checkpoint_read(const char *path, cli_kept *kept, cli_changes *changes,
                                     keel_diagnostics *diagnostics);

/* "60", "60s", "5min", "1h" in seconds; false after telling the user. */
bool cli_duration(const char *flag, const char *text, double *seconds);

#endif

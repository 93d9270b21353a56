/* start.h - `keel run --start FILE [--at T]`: a run from a state of another one. */
#ifndef CLI_START_H
#define CLI_START_H

#include "cli.h"

/* The start of the model becomes a state of a result or of a checkpoint, by the names of its components: the
 * last one, or that at a time (NaN: not given). The exit code, after telling the user what is wrong. */
int cli_start_from(keel_model *model, const char *path, double at, keel_diagnostics *diagnostics);

#endif

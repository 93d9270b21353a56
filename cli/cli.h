/* cli.h - what the subcommands of the program `keel` share.
 *
 * A subcommand is one file with its table of flags, its help and its main function, and one line in the
 * table of main.c.
 */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "keel/diagnostics.h"
#include "keel/modelfile.h"

/* Exit codes. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1,       /* a run failed numerically, or a result could not be written */
    CLI_BAD_INPUT = 2,    /* bad usage, bad model or inconsistent start                 */
    CLI_INTERRUPTED = 130 /* stopped by Ctrl-C; everything up to there was written       */
};

typedef struct cli_command {
    const char *name, *summary;
    int (*main)(int argc, char **argv); /* argv[0] is the subcommand's name; returns the exit code */
    void (*help)(FILE *file);
} cli_command;

/* The table of subcommands, in main.c. */
extern const cli_command *const CLI_COMMANDS[];
extern const int CLI_COMMAND_COUNT;

extern const cli_command CLI_RUN, CLI_CHECK, CLI_ASSEMBLE, CLI_METHODS, CLI_HELP;

/* The subcommand of that name, or NULL after telling the user. */
const cli_command *cli_find_command(const char *name);

/* arguments.c ------------------------------------------------------------------------------------------- */

typedef struct cli_flag {
    const char *name;  /* without the dashes                          */
    char letter;       /* one-letter form, 0 if none                  */
    const char *value; /* what it takes, e.g. "FILE"; NULL if nothing */
    const char *help;
} cli_flag;

/* Reads the arguments of a subcommand one after the other. */
typedef struct cli_arguments {
    int argc;
    char **argv;
    const cli_flag *flags;
    int flag_count;
    int next;           /* the argument to look at */
    bool only_operands; /* after "--"              */
    char *value;        /* the flag's value, or the operand; "" for a flag that takes none */
} cli_arguments;

enum { CLI_END = -1, CLI_OPERAND = -2, CLI_WRONG = -3 };

/* The number of the next flag in the table with its value in `value`, or CLI_OPERAND, CLI_END, or CLI_WRONG
 * after telling the user what was wrong. "--flag value", "--flag=value", "-f value" and "-fvalue" are the
 * same. */
int cli_next(cli_arguments *arguments);

/* The lines of a help text for a table of flags. */
void cli_flags_help(FILE *file, const cli_flag *flags, int count);

/* Splits "name=value" in place. False, after telling the user, when there is no name or no '='. */
bool cli_split(const char *command, const char *flag, char *text, const char **name, const char **value);

/* A finite number and nothing else. */
bool cli_number(const char *text, double *value);

/* messages.c -------------------------------------------------------------------------------------------- */

/* "keel COMMAND: error: text" on stderr, with a newline. */
void cli_error(const char *command, const char *format, ...) KEEL_PRINTF(2, 3);

/* Shows the messages of a list from number `from` on as "file:line:column: error: text" on stderr. Returns
 * the number of messages, the place to continue from. */
int cli_show(const keel_diagnostics *diagnostics, int from);

/* The text of the first error, or NULL. */
const char *cli_first_error(const keel_diagnostics *diagnostics);

/* Reads a model and shows the messages. NULL on failure, after telling the user. */
keel_model *cli_read_model(const char *command, const char *path, const keel_assignment *set, int set_count,
                           keel_diagnostics *diagnostics);

/* Exit code for the outcome of a run. */
int cli_exit_code(keel_status status);

/* moved.c, mechanism.c ---------------------------------------------------------------------------------- */

/* What an assembly did to the start `before`: violations, and what moved most. */
void cli_write_assembly(FILE *file, const keel_model *model, const keel_state *before, keel_status status,
                        const keel_assembly_report *report);

/* Before a run or a check: the start of a mechanism is assembled. A note tells if something moved; errors go
 * to the diagnostics. Other models stay as they are. */
keel_status cli_assemble_start(keel_model *model, keel_diagnostics *diagnostics);

/* KEEL_ERROR_INPUT, with messages, if joints of a mechanism lock a body. Mechanisms that are too large for
 * the rank of a run are not looked at. */
keel_status cli_check_mobility(const keel_model *model, keel_diagnostics *diagnostics);

/* The part of `keel check` about a mechanism: choice of coordinates, freedoms, joints that repeat others,
 * what cannot move. Does nothing for other models. */
keel_status cli_write_mobility(const keel_model *model);

/* interrupt.c, progress.c ------------------------------------------------------------------------------- */

/* From now on Ctrl-C (SIGINT) and SIGTERM only set the flag that is returned; a second one kills. */
const volatile int *cli_catch_interrupts(void);

/* A progress bar on stderr, only when it is a terminal. */
typedef struct cli_progress {
    bool wanted, drawn;
    double t_start;
    double began, last; /* seconds on the monotonic clock */
} cli_progress;

void cli_progress_start(cli_progress *progress, double t_start, bool wanted);
void cli_progress_show(cli_progress *progress, double t, double until);
void cli_progress_end(cli_progress *progress); /* removes it from the screen */

/* output.c ---------------------------------------------------------------------------------------------- */

/* True if the two paths lead to the same file; what is not a regular file (/dev/null) may be used twice. */
bool cli_same_file(const char *a, const char *b);

/* A file that appears complete or not at all: written beside its place and renamed when it is complete. What
 * is not a regular file (a terminal, /dev/null, a pipe) is written directly; "-" is standard output. */
typedef struct cli_output {
    FILE *file;      /* NULL when not open         */
    char *temporary; /* NULL when written directly */
} cli_output;

/* Both return false with errno after a failure. */
bool cli_output_open(cli_output *output, const char *path);
bool cli_output_commit(cli_output *output);

/* Forgets an output that was opened and not committed. */
void cli_output_discard(cli_output *output);

#endif

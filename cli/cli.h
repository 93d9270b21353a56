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
#include "keel/native.h"
#include "keel/results.h"
#include "keel/verify.h"

/* Exit codes. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1,       /* a run failed numerically, or a result could not be written */
    CLI_BAD_INPUT = 2,    /* bad usage, bad model or inconsistent start                 */
    CLI_BROKEN = 3,       /* a run reached its end, but broke what its method promises  */
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

extern const cli_command CLI_RUN, CLI_CHECK, CLI_ASSEMBLE, CLI_COMPARE, CLI_METHODS, CLI_HELP;
extern const cli_command CLI_REPORT;

extern const cli_command CLI_MODELS, CLI_REPRODUCE;

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

/* The help of a command, and where in it its flags stand; for the manual page and for completion. */
typedef struct cli_help_text {
    char *text; /* NULL when out of memory */
    const cli_flag *flags;
    int flag_count;
    long flags_begin, flags_end;
} cli_help_text;

cli_help_text cli_help_capture(const cli_command *command);

/* Splits "name=value" in place. False, after telling the user, when there is no name or no '='. */
bool cli_split(const char *command, const char *flag, char *text, const char **name, const char **value);

/* A finite number and nothing else. */
bool cli_number(const char *text, double *value);

/* messages.c -------------------------------------------------------------------------------------------- */

/* Whether the user was told why the exit code is not 0: by an error, or by an answer on standard output,
 * which a command tells by cli_answered, the code of which it returns. If not, memory ran out, and main()
 * tells that. */
bool cli_told(void);
int cli_answered(int code);

/* Notes that something is missing in what a command writes: main() tells and fails. */
void cli_no_memory(void);
bool cli_lacks_memory(void);

/* Writes a text that others may have chosen (arguments, names, files): what a terminal would obey becomes
 * '?'. */
void cli_write_shown(FILE *file, const char *text);

/* "keel COMMAND: error: text" on stderr, with a newline. */
void cli_error(const char *command, const char *format, ...) KEEL_PRINTF(2, 3);

/* Shows the messages of a list from number `from` on as "file:line:column: error: text" on stderr. Returns
 * the number of messages, the place to continue from. */
int cli_show(const keel_diagnostics *diagnostics, int from);

/* The text of the first error, or NULL. */
const char *cli_first_error(const keel_diagnostics *diagnostics);

/* Reads a model, from a file or by its name (cli_model_path), and shows the messages. NULL on failure, after
 * telling the user, with the exit code. */
keel_model *cli_read_model(const char *command, const char *path, const keel_assignment *set, int set_count,
                           keel_diagnostics *diagnostics, int *code);

/* The same for a text that was read before, from the file `path`. */
keel_model *cli_parse_model(const char *command, const char *path, const char *text,
                            const keel_assignment *set, int set_count, keel_diagnostics *diagnostics,
                            int *code);

/* Tells on standard error which promise a run that reached its end has broken; its exit code. */
int cli_verdict(const char *command, const keel_run_verdict *verdict);

/* Exit code for the outcome of a run. */
int cli_exit_code(keel_status status);

/* changes.c --------------------------------------------------------------------------------------------- */

/* Flags of every command that simulates a model. A table of flags begins with its own flag 0 (help), then has
 * these. */
enum { CLI_METHOD = 1, CLI_TOL, CLI_STEP, CLI_UNTIL, CLI_OPTION, CLI_SET, CLI_CHANGES_END };
#define CLI_CHANGE_FLAGS                                                                                     \
    [CLI_METHOD] = {"method", 'm', "METHOD",                                                                 \
                    "INTEGRATOR[/FORMULATION[/STABILIZE]] or auto; see 'keel methods'"},                     \
    [CLI_TOL] = {"tol", 0, "T", "relative error per step; the same as --option tolerance=T"},                \
    [CLI_STEP] = {"step", 0, "H", "step size of a fixed-step integrator; the same as --option step=H"},      \
    [CLI_UNTIL] = {"until", 0, "T", "end time; the same as --option until=T"},                               \
    [CLI_OPTION] = {"option", 0, "NAME=VALUE", "set an option of a run; may be repeated"},                   \
    [CLI_SET] = {"set", 0, "NAME=VALUE", "replace a parameter of the model; may be repeated"}

typedef struct cli_override {
    const char *flag; /* the flag that set it, without dashes */
    const char *name; /* of the option                        */
    const char *text; /* its value as written                 */
} cli_override;

typedef struct cli_changes {
    const char *method; /* NULL: that of the model */
    cli_override *overrides;
    int override_count;
    keel_assignment *set;
    char **set_text; /* "name=value" */
    int set_count;
    const char *model_text; /* in place of what stands in the file; NULL: it is read */
} cli_changes;

/* Room for as many as there are arguments; false when out of memory. */
bool cli_changes_init(cli_changes *changes, int argc);
void cli_changes_clear(cli_changes *changes);

/* Puts a flag CLI_METHOD .. CLI_SET in; false after telling the user what is wrong with it. */
bool cli_changes_take(cli_changes *changes, const char *command, int flag, char *value);

/* Checks the flags before anything is read, then reads the model and makes it ready: changed, checked, its
 * joints closed. NULL, with the exit code, after telling the user. */
keel_model *cli_prepare_model(const char *command, const char *path, const cli_changes *changes,
                              keel_diagnostics *diagnostics, int *code);

/* What results tell of the model; lives as long as both. */
keel_origin cli_origin(const keel_model *model, const cli_changes *changes);

/* models.c ---------------------------------------------------------------------------------------------- */

enum { CLI_PATH = 4096, CLI_TITLE = 160 };

/* The file that MODEL means: itself if it exists, else the shipped model of that name, else itself. The
 * result lives until the next call with another shipped model. */
const char *cli_model_path(const char *name);

/* Tells the user that a model is neither a file nor shipped, with the closest name. False, and silent, where
 * the reader's own message is better: paths, and files that nothing shipped is like. */
bool cli_explain_missing_model(const char *command, const char *name);

typedef struct cli_names {
    char **name;
    int count;
} cli_names;

/* The names of all shipped models, in order; none if they are not to be found. */
cli_names cli_model_names(void);
void cli_names_free(cli_names *names);

/* The title of a shipped model into `title`; returns it. */
const char *cli_model_title(const char *name, char title[CLI_TITLE]);

/* The folder of something that is installed with the program: beside it, or in the source tree, or NULL. */
const char *cli_shipped(const char *beside_program, const char *in_source, char path[CLI_PATH]);

/* options.c --------------------------------------------------------------------------------------------- */

/* Columns of the table of options. Ends of 1e300 are there to keep infinity out, not to be told. */
const char *cli_option_type(const keel_option *option);
const char *cli_option_range(const keel_option *option, char buffer[CLI_TITLE]);
const char *cli_option_default(const keel_option *option, char buffer[CLI_TITLE]);

/* topics.c, method_help.c, words.c, manual.c: parts of keel help ---------------------------------------- */

typedef enum cli_topic_kind {
    CLI_TOPIC_COMMAND,
    CLI_TOPIC_INTEGRATOR,
    CLI_TOPIC_FORMULATION,
    CLI_TOPIC_STABILIZER,
    CLI_TOPIC_JOINT,
    CLI_TOPIC_OPTION,
    CLI_TOPIC_KINDS
} cli_topic_kind;

/* The number of topics of a kind; name and summary of the i-th. */
int cli_topic_count(cli_topic_kind kind);
keel_word cli_topic(cli_topic_kind kind, int i);

/* A screenful about a word of a method, a type of joint, an option. */
void cli_write_method_word(cli_topic_kind kind, int i);
void cli_write_joint(int i);
void cli_write_option(int i);

/* "page" and the path of a page of the documentation. */
void cli_write_page(const char *page);

/* A paragraph that begins at a column, its lines broken at the width of a page; further ones are indented. */
void cli_write_paragraph(FILE *file, const char *text, int column, int indent);

/* Lines "word TAB value TAB summary" of a kind, for completion. False after telling the user which kinds
 * there are. */
bool cli_write_words(const char *kind);

/* The manual page, in roff. */
void cli_write_manual(void);

/* moved.c, mechanism.c ---------------------------------------------------------------------------------- */

/* What an assembly did to the start `before`: violations, and what moved most. */
void cli_write_assembly(FILE *file, const keel_model *model, const keel_state *before, keel_status status,
                        const keel_assembly_report *report);

/* The part of `keel check` about a mechanism: choice of coordinates, freedoms, joints that repeat others,
 * what cannot move. Does nothing for other models. */
keel_status cli_write_mobility(const keel_model *model);

/* interrupt.c, progress.c ------------------------------------------------------------------------------- */

/* From now on Ctrl-C (SIGINT) and SIGTERM only set the flag that is returned; a second one kills. */
const volatile int *cli_catch_interrupts(void);

/* fault.c: faults of the program are told before they end it. */
void cli_catch_faults(void);

/* A progress bar on stderr, only when it is a terminal. */
typedef struct cli_progress {
    bool wanted, drawn;
    double t_start;
    double began, last; /* seconds on the monotonic clock */
} cli_progress;

void cli_progress_start(cli_progress *progress, double t_start, bool wanted);
void cli_progress_show(cli_progress *progress, double t, double until);
void cli_progress_end(cli_progress *progress); /* removes it from the screen */

/* code.c ------------------------------------------------------------------------------------------------ */

/* Machine code for a run, as its option 'code' has it: attached and, if it was asked for, compiled before the
 * run; compiled in the background when a run turns out to be long. */
typedef struct cli_code {
    keel_system *system; /* to be looked after; NULL: no longer */
    keel_native *native; /* NULL: none */
    double next;         /* when to look after the compiler, on the monotonic clock */
} cli_code;

void cli_code_start(cli_code *code, const keel_model *model, keel_diagnostics *diagnostics);
void cli_code_follow(cli_code *code); /* after every step */
void cli_code_end(cli_code *code);    /* after the last use of the system */

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

/* Looks, before the work, whether a file could be written there. False, after telling the user of `command`,
 * if not. */
bool cli_output_possible(const char *command, const char *path);

/* The same for files in a folder that is there. */
bool cli_folder_possible(const char *command, const char *path);
bool cli_output_commit(cli_output *output);

/* Forgets an output that was opened and not committed. */
void cli_output_discard(cli_output *output);

/* verify.c ---------------------------------------------------------------------------------------------- */

/* A verifier beside a run. */
typedef struct cli_verify {
    bool asked;
    const char *path; /* where the errors of the rows go; NULL: nowhere */
    const keel_system *system;
    keel_verifier *verifier;
    keel_verification found;
    cli_output output;
} cli_verify;

keel_status cli_verify_start(cli_verify *verify, const keel_model *model, const volatile int *stop);
keel_status cli_verify_row(cli_verify *verify, const keel_row *row);

/* What was found becomes a part of the result. False, with errno, if the file could not be written. */
bool cli_verify_end(cli_verify *verify, keel_result *result);

/* Tells on standard error what could not be verified; the exit code. */
int cli_verify_tell(const cli_verify *verify, const char *command);
void cli_verify_clear(cli_verify *verify);

#endif

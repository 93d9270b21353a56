/* main.c - the program `keel`: finds the subcommand and hands over to it. */
#include <signal.h>
#include <string.h>

#include "base/names.h"
#include "cli.h"

const cli_command *const CLI_COMMANDS[] = {&CLI_RUN,     &CLI_CHECK,   &CLI_ASSEMBLE,
                                           &CLI_REPORT,  &CLI_COMPARE, &CLI_REPRODUCE,
                                           &CLI_METHODS, &CLI_MODELS,  &CLI_HELP};
const int CLI_COMMAND_COUNT = sizeof CLI_COMMANDS / sizeof *CLI_COMMANDS;

const cli_command *cli_find_command(const char *name) {
    enum { COUNT = sizeof CLI_COMMANDS / sizeof *CLI_COMMANDS };
    const char *names[COUNT];
    for (int i = 0; i < COUNT; i++) {
        names[i] = CLI_COMMANDS[i]->name;
        if (strcmp(name, names[i]) == 0)
            return CLI_COMMANDS[i];
    }
    const char *closest = ki_closest_name(name, names, COUNT);
    if (closest)
        cli_error(NULL, "there is no command '%s'; did you mean '%s'?", name, closest);
    else
        cli_error(NULL, "there is no command '%s'; 'keel help' lists what there is", name);
    return NULL;
}

static int dispatch(int argc, char **argv) {
    const char *first = argc > 1 ? argv[1] : "help";
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
        printf("keel %s\n", keel_version());
        return CLI_OK;
    }
    if (argc < 2) {
        CLI_HELP.help(stderr);
        return cli_answered(CLI_BAD_INPUT);
    }
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        first = CLI_HELP.name;
    if (first[0] == '-') {
        cli_error(NULL, "there is no flag %s before the command; 'keel help' tells what there is", first);
        return CLI_BAD_INPUT;
    }
    const cli_command *command = cli_find_command(first);
    return command ? command->main(argc - 1, argv + 1) : CLI_BAD_INPUT;
}

int main(int argc, char **argv) {
    cli_catch_faults();
    keel_hdf5_without_exit_handler();
    signal(SIGXFSZ, SIG_IGN); // a file that grows beyond a limit is an error of writing, which is told

    int code = dispatch(argc, argv);
    if ((fflush(stdout) || ferror(stdout)) && code == CLI_OK) {
        cli_error(NULL, "standard output could not be written");
        code = CLI_FAILED;
    }
    // all else is told where it is found
    bool silent = code != CLI_OK && code != CLI_INTERRUPTED && !cli_told();
    if (silent || cli_lacks_memory()) {
        cli_error(argc > 1 ? argv[1] : NULL, "%s", keel_status_text(KEEL_ERROR_MEMORY));
        code = CLI_FAILED;
    }
    return code;
}

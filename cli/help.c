/* keel help - what the program can do. */
#include "cli.h"

static void help(FILE *file) {
    fprintf(file,
            "Keel %s simulates constrained mechanical systems and keeps every constraint satisfied.\n\n",
            keel_version());
    fprintf(file, "usage: keel COMMAND ...\n\n");
    for (int i = 0; i < CLI_COMMAND_COUNT; i++)
        fprintf(file, "  %-9s %s\n", CLI_COMMANDS[i]->name, CLI_COMMANDS[i]->summary);
    fprintf(file,
            "\n'keel help COMMAND' or 'keel COMMAND --help' tells more; 'keel --version' the version.\n"
            "Exit codes: 0 done, 1 the run failed or a result could not be written, 2 bad usage, model or\n"
            "start, 130 interrupted.\n");
}

static int main_help(int argc, char **argv) {
    if (argc > 2) {
        cli_error("help", "one command at a time");
        return CLI_BAD_INPUT;
    }
    const cli_command *command = argc > 1 ? cli_find_command(argv[1]) : &CLI_HELP;
    if (!command)
        return CLI_BAD_INPUT;
    command->help(stdout);
    return CLI_OK;
}

const cli_command CLI_HELP = {"help", "this text, or the help of a command", main_help, help};

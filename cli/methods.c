/* keel methods - the tables of keel/method.h. */
#include "cli.h"

static void help(FILE *file) {
    fprintf(
        file,
        "usage: keel methods\n\n"
        "Lists the words of --method INTEGRATOR[/FORMULATION[/STABILIZE]] and how they may be combined.\n");
}

static void write_word(keel_word word) {
    printf("  %-20s %s\n", word.name, word.summary);
}

static void write_combinations(void) {
    char text[64];
    printf("\ncombinations\n");
    for (int i = 0; i < KEEL_INTEGRATORS; i++)
        for (int f = 0; f < KEEL_FORMULATIONS; f++)
            for (int s = 0; s < KEEL_STABILIZERS; s++) {
                keel_method method = {(keel_integrator)i, (keel_formulation)f, (keel_stabilize)s};
                if (keel_method_is_valid(method))
                    printf("  %s\n", keel_method_text(method, text));
            }
    printf("\nauto is %s\n", keel_method_text(keel_method_auto(), text));
}

static int main_methods(int argc, char **argv) {
    static const cli_flag FLAGS[] = {{"help", 'h', NULL, "this text"}};
    cli_arguments arguments = {.argc = argc, .argv = argv, .flags = FLAGS, .flag_count = 1};
    int flag = cli_next(&arguments);
    if (flag == 0) {
        help(stdout);
        return CLI_OK;
    }
    if (flag == CLI_OPERAND)
        cli_error("methods", "takes no argument, but got '%s'", arguments.value);
    if (flag != CLI_END)
        return CLI_BAD_INPUT;

    printf("integrator\n");
    for (int i = 0; i < KEEL_INTEGRATORS; i++)
        write_word(keel_integrator_word((keel_integrator)i));
    printf("\nformulation\n");
    for (int i = 0; i < KEEL_FORMULATIONS; i++)
        write_word(keel_formulation_word((keel_formulation)i));
    printf("\nstabilize\n");
    for (int i = 0; i < KEEL_STABILIZERS; i++)
        write_word(keel_stabilize_word((keel_stabilize)i));
    write_combinations();
    return CLI_OK;
}

const cli_command CLI_METHODS = {"methods", "list integrators, formulations and stabilisations", main_methods,
                                 help};

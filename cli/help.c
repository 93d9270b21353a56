/* keel help - what the program can do, and a screenful about each of its words. */
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "cli.h"

enum { HELP, MAN, WORDS };

static const cli_flag FLAGS[] = {
    [HELP] = {"help", 'h', NULL, "this text"},
    [MAN] = {"man", 0, NULL, "the manual page keel.1, in roff"},
    [WORDS] = {"words", 0, "KIND", "the words of a kind, for the completion of shells"},
};
enum { FLAG_COUNT = sizeof FLAGS / sizeof *FLAGS };

static void help(FILE *file) {
    fprintf(file,
            "Keel %s simulates constrained mechanical systems and keeps every constraint satisfied.\n\n",
            keel_version());
    fprintf(file, "usage: keel COMMAND ...\n\n");
    for (int i = 0; i < CLI_COMMAND_COUNT; i++)
        fprintf(file, "  %-9s %s\n", CLI_COMMANDS[i]->name, CLI_COMMANDS[i]->summary);
    fprintf(file, "\nTry 'keel run andrews'. 'keel help WORD' tells more about\n\n"
                  "  a command                run, check, ...; the same as 'keel COMMAND --help'\n"
                  "  a method or its words    bdf, index3, projection, ...; 'keel methods' lists them\n"
                  "  a type of joint          revolute, gear, wheel, ...\n"
                  "  an option of runs        tolerance, metric, ...; 'keel help run' lists them\n\n"
                  "Flags of 'keel help':\n\n");
    cli_flags_help(file, FLAGS, FLAG_COUNT);
    fprintf(file,
            "\n'keel --version' tells the version.\n"
            "Exit codes: 0 done, 1 the run failed or a result could not be written, 2 bad usage, model or\n"
            "start, 3 the run reached its end but broke what its method promises, 130 interrupted.\n");
}

static void write_topic(cli_topic_kind kind, int i) {
    if (kind == CLI_TOPIC_COMMAND)
        CLI_COMMANDS[i]->help(stdout);
    else if (kind == CLI_TOPIC_JOINT)
        cli_write_joint(i);
    else if (kind == CLI_TOPIC_OPTION)
        cli_write_option(i);
    else
        cli_write_method_word(kind, i);
}

/* The help on a word; where several kinds have it, on all of them. False: nobody has. */
static bool write_word(const char *word) {
    bool found = false;
    for (int kind = 0; kind < CLI_TOPIC_KINDS; kind++)
        for (int i = 0; i < cli_topic_count((cli_topic_kind)kind); i++)
            if (strcmp(cli_topic((cli_topic_kind)kind, i).name, word) == 0) {
                printf("%s", found ? "\n" : "");
                write_topic((cli_topic_kind)kind, i);
                found = true;
            }
    return found;
}

static void write_choice(const char *when, int kept) {
    const char *reason;
    char name[64], text[512];
    keel_method method = keel_method_choose(kept, &reason);
    snprintf(text, sizeof text, "auto - %s %s: %s", when, keel_method_text(method, name), reason);
    cli_write_paragraph(stdout, text, 0, 7);
}

/* A whole method, or auto. */
static bool write_method(const char *text) {
    keel_method method;
    char name[64];
    bool automatic = strcmp(text, "auto") == 0;
    if ((!automatic && !strchr(text, '/')) ||
        keel_method_parse(text, (keel_location){0}, NULL, &method) != KEEL_OK)
        return false;
    if (automatic) {
        write_choice("with constraints", 1);
        write_choice("without constraints", 0);
        printf("\nA run that turns out to be stiff goes on with radau9, at tolerances above 3e-3 with "
               "radau5.\n");
        return true;
    }
    keel_word words[] = {keel_integrator_word(method.integrator), keel_formulation_word(method.formulation),
                         keel_stabilize_word(method.stabilize)};
    printf("%s\n\n", keel_method_text(method, name));
    for (int i = 0; i < 3; i++)
        printf("  %-19s  %s\n", words[i].name, words[i].summary);
    printf("\n'keel help %s' and so on tell more.\n", words[0].name);
    return true;
}

/* What may have been meant. */
static int unknown(const char *word) {
    int count = 0, total = 0;
    for (int kind = 0; kind < CLI_TOPIC_KINDS; kind++)
        total += cli_topic_count((cli_topic_kind)kind);
    const char **names = calloc((size_t)total, sizeof *names);
    for (int kind = 0; names && kind < CLI_TOPIC_KINDS; kind++)
        for (int i = 0; i < cli_topic_count((cli_topic_kind)kind); i++)
            names[count++] = cli_topic((cli_topic_kind)kind, i).name;
    if (!names)
        cli_no_memory();
    const char *closest = ki_closest_name(word, names, count);
    keel_diagnostics *diagnostics = keel_diagnostics_new();
    keel_method method;
    if (strchr(word, '/') && diagnostics &&
        keel_method_parse(word, (keel_location){0}, diagnostics, &method) != KEEL_OK)
        cli_error("help", "%s", cli_first_error(diagnostics));
    else if (closest)
        cli_error("help", "there is no help on '%s'; did you mean '%s'?", word, closest);
    else
        cli_error("help", "there is no help on '%s'; 'keel help' tells what there is", word);
    keel_diagnostics_free(diagnostics);
    free(names);
    return CLI_BAD_INPUT;
}

static int about(const char *word) {
    return write_word(word) || write_method(word) ? CLI_OK : unknown(word);
}

static int main_help(int argc, char **argv) {
    cli_arguments arguments = {.argc = argc, .argv = argv, .flags = FLAGS, .flag_count = FLAG_COUNT};
    const char *word = NULL;
    int flag;
    while ((flag = cli_next(&arguments)) == CLI_OPERAND && !word)
        word = arguments.value;
    if (flag == CLI_OPERAND) {
        cli_error("help", "one word at a time");
        return CLI_BAD_INPUT;
    }
    if (flag == CLI_WRONG)
        return CLI_BAD_INPUT;
    if (flag == WORDS)
        return cli_write_words(arguments.value) ? CLI_OK : CLI_BAD_INPUT;
    if (flag == MAN)
        cli_write_manual();
    else if (flag == HELP || !word)
        help(stdout);
    else
        return about(word);
    return CLI_OK;
}

const cli_command CLI_HELP = {"help", "this text, or about a command, a method, a joint or an option",
                              main_help, help};

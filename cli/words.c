/* The words that a shell may complete: lines "word TAB value TAB summary". The scripts of completions/ read
 * them, so that they know what this program knows.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "papers/reproduce.h"

static void write_line(const char *word, const char *value, const char *summary) {
    printf("%s\t%s\t%s\n", word, value, summary);
}

static void write_kind(cli_topic_kind kind) {
    for (int i = 0; i < cli_topic_count(kind); i++) {
        keel_word word = cli_topic(kind, i);
        write_line(word.name, "", word.summary);
    }
}

static void write_commands(void) {
    write_kind(CLI_TOPIC_COMMAND);
}

/* Options with what stands after the '=': words, or what a number means. */
static void write_options(void) {
    int count;
    const keel_option *options = keel_options(&count);
    for (int i = 0; i < count; i++) {
        char values[CLI_TITLE] = "";
        size_t used = 0;
        for (int w = 0; options[i].words && options[i].words[w] && used < sizeof values; w++)
            used += (size_t)snprintf(values + used, sizeof values - used, "%s%s", w ? " " : "",
                                     options[i].words[w]);
        write_line(options[i].name, values, options[i].help);
    }
}

/* Every method that is valid, and auto. */
static void write_methods(void) {
    write_line("auto", "", "chosen for the system");
    for (int i = 0; i < KEEL_INTEGRATORS * KEEL_FORMULATIONS * KEEL_STABILIZERS; i++) {
        keel_method method = {.integrator = (keel_integrator)(i / (KEEL_FORMULATIONS * KEEL_STABILIZERS)),
                              .formulation = (keel_formulation)(i / KEEL_STABILIZERS % KEEL_FORMULATIONS),
                              .stabilize = (keel_stabilize)(i % KEEL_STABILIZERS)};
        char text[64];
        if (keel_method_is_valid(method))
            write_line(keel_method_text(method, text), "", keel_integrator_word(method.integrator).summary);
    }
}

static void write_models(void) {
    char title[CLI_TITLE];
    cli_names names = cli_model_names();
    for (int i = 0; i < names.count; i++)
        write_line(names.name[i], "", cli_model_title(names.name[i], title));
    cli_names_free(&names);
}

/* Whatever `keel help` takes. */
static void write_topics(void) {
    for (int kind = 0; kind < CLI_TOPIC_KINDS; kind++)
        write_kind((cli_topic_kind)kind);
    write_line("auto", "", "the method chosen for the system");
}

static void write_flags(const cli_command *command) {
    cli_help_text help = cli_help_capture(command);
    for (int i = 0; i < help.flag_count; i++) {
        const cli_flag *flag = &help.flags[i];
        char text[64], letter[] = {'-', flag->letter, 0};
        snprintf(text, sizeof text, "--%s", flag->name);
        write_line(text, flag->value ? flag->value : "", flag->help);
        if (flag->letter)
            write_line(letter, flag->value ? flag->value : "", flag->help);
    }
    free(help.text);
}

/* Numbers and names of the papers, and all of them. */
static void write_papers(void) {
    write_line("all", "", "the five papers");
    for (int i = 0; i < KEEL_PAPERS; i++) {
        const keel_paper *paper = keel_paper_facts(i);
        if (strcmp(paper->number, paper->name) != 0)
            write_line(paper->number, "", paper->title);
        write_line(paper->name, "", paper->title);
    }
}

/* What stands behind a command besides flags, from the first line of its usage: MODEL means a model, and
 * words with bars between them are what they say. */
static void write_operands(const cli_command *command) {
    cli_help_text help = cli_help_capture(command);
    char *usage = help.text ? strstr(help.text, "usage: ") : NULL;
    if (command == &CLI_HELP)
        write_topics();
    else if (command == &CLI_REPRODUCE)
        write_papers();
    else if (usage) {
        usage[strcspn(usage, "\n")] = 0;
        if (strstr(usage, "MODEL"))
            write_models();
        for (char *word = strtok(usage, " "); word; word = strtok(NULL, " ")) {
            if (!strchr(word, '|') || strpbrk(word, "-"))
                continue;
            for (char *part = word; *part; part += strspn(part, "[]|")) {
                size_t length = strcspn(part, "[]|");
                char text[64];
                snprintf(text, sizeof text, "%.*s", (int)length, part);
                if (length && !strpbrk(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
                    write_line(text, "", "");
                part += length;
            }
        }
    }
    free(help.text);
}

static const struct {
    const char *name;
    void (*write)(void);
    void (*write_of)(const cli_command *command); /* "name:COMMAND" */
} KINDS[] = {
    {"commands", write_commands, NULL}, {"topics", write_topics, NULL}, {"methods", write_methods, NULL},
    {"options", write_options, NULL},   {"models", write_models, NULL}, {"flags", NULL, write_flags},
    {"operands", NULL, write_operands},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

bool cli_write_words(const char *kind) {
    size_t length = strcspn(kind, ":");
    for (int i = 0; i < KIND_COUNT; i++) {
        if (strlen(KINDS[i].name) != length || strncmp(kind, KINDS[i].name, length) != 0)
            continue;
        if (KINDS[i].write && !kind[length]) {
            KINDS[i].write();
            return true;
        }
        const cli_command *command =
            KINDS[i].write_of && kind[length] ? cli_find_command(kind + length + 1) : NULL;
        if (command)
            KINDS[i].write_of(command);
        if (KINDS[i].write_of && kind[length])
            return command != NULL;
    }
    cli_error("help",
              "--words takes commands, topics, methods, options, models, flags:COMMAND or "
              "operands:COMMAND, not '%s'",
              kind);
    return false;
}

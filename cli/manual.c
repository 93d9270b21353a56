/* The manual page keel(1), from the same tables as the help. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Text as roff: a dash that is a dash, and no line that looks like a request. */
static void write_escaped(const char *text, size_t length, bool line_begins) {
    for (size_t i = 0; i < length; i++) {
        if (line_begins && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", stdout);
        line_begins = text[i] == '\n';
        if (text[i] == '\\')
            fputs("\\e", stdout);
        else if (text[i] == '-')
            fputs("\\-", stdout);
        else if (text[i] == '\'')
            fputs("\\(aq", stdout);
        else if (text[i] == '^')
            fputs("\\(ha", stdout);
        else if (text[i] == '~')
            fputs("\\(ti", stdout);
        else
            fputc(text[i], stdout);
    }
}

static void write_text(const char *text) {
    write_escaped(text, strlen(text), true);
}

/* An entry of a list: a word in bold, what it takes, and its meaning. */
static void write_entry(const char *word, const char *value, const char *meaning) {
    printf(".TP\n\\fB");
    write_escaped(word, strlen(word), false);
    printf("\\fR");
    if (*value) {
        printf(" \\fI");
        write_escaped(value, strlen(value), false);
        printf("\\fR");
    }
    printf("\n");
    write_text(meaning);
    printf("\n");
}

/* A block of the help between empty lines: prose is filled, a list or an example stands as it is. Tables that
 * are wider than a page have their own section. */
static void write_block(const char *block, size_t length, bool first) {
    enum { PAGE = 120 };
    bool verbatim = false;
    for (const char *line = block; line < block + length;) {
        size_t width = strcspn(line, "\n");
        if (width > PAGE)
            return;
        verbatim = verbatim || line[0] == ' ';
        line += width + 1;
    }
    printf("%s%s", first ? "" : ".PP\n", verbatim ? ".nf\n" : "");
    write_escaped(block, length, true);
    printf("%s", verbatim ? "\n.fi\n" : "\n");
}

/* `first`: right below a title. */
static void write_blocks(const char *text, const char *end, bool first) {
    while (text < end) {
        text += strspn(text, "\n");
        const char *stop = strstr(text, "\n\n");
        if (!stop || stop > end)
            stop = end;
        while (stop > text && stop[-1] == '\n')
            stop--;
        if (stop > text)
            write_block(text, (size_t)(stop - text), first);
        first = first && stop == text;
        text = stop + 1;
    }
}

static void write_flags(const cli_flag *flags, int count) {
    for (int i = 0; i < count; i++) {
        char text[64];
        snprintf(text, sizeof text, "%.2s%s--%s", flags[i].letter ? (char[]){'-', flags[i].letter, 0} : "",
                 flags[i].letter ? ", " : "", flags[i].name);
        write_entry(text, flags[i].value ? flags[i].value : "", flags[i].help);
    }
}

/* The command's usage as a title, then its help with the flags as a list. */
static void write_command(const cli_command *command) {
    cli_help_text help = cli_help_capture(command);
    const char *usage = help.text ? strstr(help.text, "usage: ") : NULL;
    if (usage) {
        size_t length = strcspn(usage += strlen("usage: "), "\n");
        printf(".SS \"");
        write_escaped(usage, length, false);
        printf("\"\n");
        long after_usage = (long)(usage + length - help.text);
        if (help.flags_begin > after_usage) {
            write_blocks(usage + length, help.text + help.flags_begin, true);
            write_flags(help.flags, help.flag_count);
            after_usage = help.flags_end;
        }
        write_blocks(help.text + after_usage, help.text + strlen(help.text), help.flag_count == 0);
    }
    free(help.text);
}

/* Help without the summary of commands, which this page is. */
static void write_help(void) {
    cli_help_text help = cli_help_capture(&CLI_HELP);
    printf(".SS \"keel help [WORD]\"\n"
           "Tells about a command, a method or a word of one, a type of joint, or an option.\n");
    write_flags(help.flags, help.flag_count);
    free(help.text);
}

static void write_topics(const char *title, cli_topic_kind kind) {
    printf(".SS %s\n", title);
    for (int i = 0; i < cli_topic_count(kind); i++) {
        keel_word word = cli_topic(kind, i);
        write_entry(word.name, "", word.summary);
    }
}

static void write_options(void) {
    int count;
    const keel_option *options = keel_options(&count);
    printf(".SH OPTIONS OF RUNS\n"
           "Set with \\fB\\-\\-option\\fR \\fINAME\\fR=\\fIVALUE\\fR, or as keys of\n"
           ".I simulate\nin a model file.\n");
    for (int i = 0; i < count; i++) {
        char initial[CLI_TITLE], range[CLI_TITLE], meaning[512];
        snprintf(meaning, sizeof meaning, "%s. Default: %s; %s: %s%s%s.", options[i].help,
                 cli_option_default(&options[i], initial), cli_option_type(&options[i]),
                 cli_option_range(&options[i], range), options[i].unit[0] ? "; unit: " : "", options[i].unit);
        write_entry(options[i].name, "", meaning);
    }
}

static void write_end(void) {
    printf(".SH EXIT STATUS\n");
    write_entry("0", "", "done");
    write_entry("1", "", "the run failed, or a result could not be written");
    write_entry("2", "", "bad usage, bad model, or a start that violates its constraints");
    write_entry("3", "",
                "the run reached its end, but broke what its method promises: the message says which");
    write_entry("130", "", "interrupted; what was computed is written");
    printf(".SH ENVIRONMENT\n");
    write_entry("NO_COLOR", "", "if set to something, messages have no colour");
    write_entry("KEEL_MODEL_SIZE", "", "how many times as large as usual a model may be, 1 to 1000");
    write_entry("KEEL_CACHE", "",
                "the folder of compiled formulas; otherwise XDG_CACHE_HOME/keel or ~/.cache/keel");
    printf(".SH FILES\n");
    write_entry("PREFIX/share/keel/models", "", "the models that commands find by name");
    write_entry("PREFIX/share/doc/keel", "", "the documentation, a page for every method");
    printf(".SH EXAMPLES\n.nf\n");
    write_text("keel run andrews\n"
               "keel run pendulum -o pendulum.csv --summary pendulum.json\n"
               "keel run mine.yaml --method bdf/index1/projection --tol 1e-8 --set g=1.62\n"
               "keel help projection\n");
    printf(".fi\n");
}

void cli_write_manual(void) {
    printf(".TH KEEL 1 \"\" \"keel %s\" \"Keel\"\n"
           ".SH NAME\nkeel \\- simulate constrained mechanical systems\n"
           ".SH SYNOPSIS\n.B keel\n.I COMMAND\n[\\fIargument\\fR ...]\n.br\n.B keel \\-\\-version\n"
           ".SH DESCRIPTION\n"
           "Keel reads a mechanism or equations of motion from a YAML file, simulates it, and keeps every\n"
           "constraint satisfied. A \\fIMODEL\\fR is a file, or the name of a model that comes with Keel.\n"
           ".SH COMMANDS\n",
           keel_version());
    for (int i = 0; i < CLI_COMMAND_COUNT; i++)
        write_entry(CLI_COMMANDS[i]->name, "", CLI_COMMANDS[i]->summary);
    for (int i = 0; i < CLI_COMMAND_COUNT; i++)
        if (CLI_COMMANDS[i] != &CLI_HELP)
            write_command(CLI_COMMANDS[i]);
    write_help();
    printf(
        ".SH METHODS\n"
        "A method is \\fIintegrator\\fR/\\fIformulation\\fR/\\fIstabiliser\\fR; what is left out is chosen.\n"
        ".B keel methods\nlists what combines,\n.B keel help\n.I WORD\ntells more.\n");
    write_topics("Integrators", CLI_TOPIC_INTEGRATOR);
    write_topics("Formulations", CLI_TOPIC_FORMULATION);
    write_topics("Stabilisers", CLI_TOPIC_STABILIZER);
    write_options();
    printf(".SH JOINTS\nTypes of joints of mechanisms.\n");
    for (int i = 0; i < cli_topic_count(CLI_TOPIC_JOINT); i++)
        write_entry(cli_topic(CLI_TOPIC_JOINT, i).name, "", cli_topic(CLI_TOPIC_JOINT, i).summary);
    write_end();
}

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "cli.h"

static int find_flag(const cli_arguments *a, const char *name, size_t length) {
    for (int i = 0; i < a->flag_count; i++)
        if (strlen(a->flags[i].name) == length && memcmp(a->flags[i].name, name, length) == 0)
            return i;
    return CLI_WRONG;
}

static int find_letter(const cli_arguments *a, char letter) {
    for (int i = 0; i < a->flag_count; i++)
        if (a->flags[i].letter && a->flags[i].letter == letter)
            return i;
    return CLI_WRONG;
}

static int unknown_flag(const cli_arguments *a, const char *text, size_t length) {
    enum { MOST = 32 };
    const char *names[MOST];
    int count = a->flag_count < MOST ? a->flag_count : MOST;
    for (int i = 0; i < count; i++)
        names[i] = a->flags[i].name;

    char name[64] = "";
    size_t dashes = strspn(text, "-");
    if (length - dashes < sizeof name)
        memcpy(name, text + dashes, length - dashes);
    const char *closest = ki_closest_name(name, names, count);
    if (closest)
        cli_error(a->argv[0], "there is no %.*s; did you mean --%s?", (int)length, text, closest);
    else
        cli_error(a->argv[0], "there is no %.*s; 'keel %s --help' lists what there is", (int)length, text,
                  a->argv[0]);
    return CLI_WRONG;
}

/* Takes the value of flag `i`: `joined` if it stood in the same argument, else the next argument. */
static int take_value(cli_arguments *a, int i, char *joined) {
    static char nothing[] = "";
    const cli_flag *flag = &a->flags[i];
    a->value = nothing;
    if (!flag->value && joined) {
        cli_error(a->argv[0], "--%s takes no value", flag->name);
        return CLI_WRONG;
    }
    if (!flag->value)
        return i;
    if (!joined && a->next >= a->argc) {
        cli_error(a->argv[0], "--%s needs a value: --%s %s", flag->name, flag->name, flag->value);
        return CLI_WRONG;
    }
    a->value = joined ? joined : a->argv[a->next++];
    return i;
}

static int next_long(cli_arguments *a, char *text) {
    char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    int i = find_flag(a, text + 2, length - 2);
    return i < 0 ? unknown_flag(a, text, length) : take_value(a, i, equals ? equals + 1 : NULL);
}

static int next_short(cli_arguments *a, char *text) {
    int i = find_letter(a, text[1]);
    return i < 0 ? unknown_flag(a, text, strlen(text)) : take_value(a, i, text[2] ? text + 2 : NULL);
}

int cli_next(cli_arguments *a) {
    if (a->next == 0)
        a->next = 1;
    if (a->next >= a->argc)
        return CLI_END;
    char *text = a->argv[a->next++];
    if (a->only_operands || text[0] != '-' || !text[1]) {
        a->value = text;
        return CLI_OPERAND;
    }
    if (text[1] != '-')
        return next_short(a, text);
    if (text[2])
        return next_long(a, text);
    a->only_operands = true;
    return cli_next(a);
}

/* What cli_flags_help wrote last, for cli_help_capture. */
static cli_help_text written;

void cli_flags_help(FILE *file, const cli_flag *flags, int count) {
    written = (cli_help_text){.flags = flags, .flag_count = count, .flags_begin = ftell(file)};
    for (int i = 0; i < count; i++) {
        char text[64];
        char letter[] = {'-', flags[i].letter, ',', ' ', 0};
        snprintf(text, sizeof text, "%s--%s %s", flags[i].letter ? letter : "    ", flags[i].name,
                 flags[i].value ? flags[i].value : "");
        fprintf(file, "  %-27s %s\n", text, flags[i].help);
    }
    written.flags_end = ftell(file);
}

cli_help_text cli_help_capture(const cli_command *command) {
    size_t size;
    char *text = NULL;
    written = (cli_help_text){0};
    FILE *file = open_memstream(&text, &size);
    if (file) {
        command->help(file);
        fclose(file);
    }
    cli_help_text result = written;
    result.text = text;
    if (!text)
        cli_no_memory();
    return result;
}

bool cli_split(const char *command, const char *flag, char *text, const char **name, const char **value) {
    char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        cli_error(command, "--%s %s: expected name=value", flag, text);
        return false;
    }
    *equals = 0;
    *name = text;
    *value = equals + 1;
    return true;
}

bool cli_number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static const struct {
    const char *word, *colour;
} SEVERITY[] = {
    [KEEL_NOTE] = {"note", "\033[1;36m"},
    [KEEL_WARNING] = {"warning", "\033[1;35m"},
    [KEEL_ERROR] = {"error", "\033[1;31m"},
};

static bool told; /* an error, or another answer that is not "done" */

bool cli_told(void) {
    return told;
}

static bool lacking; /* memory */

void cli_no_memory(void) {
    lacking = true;
}

bool cli_lacks_memory(void) {
    return lacking;
}

int cli_answered(int code) {
    told = true;
    return code;
}

/* Colour on a terminal, unless the user has set NO_COLOR to something. */
static bool use_colour(void) {
    const char *no_colour = getenv("NO_COLOR");
    return isatty(STDERR_FILENO) && !(no_colour && *no_colour);
}

/* "error: " in its colour */
static void write_severity(keel_severity severity) {
    told = told || severity == KEEL_ERROR;
    bool colour = use_colour();
    fprintf(stderr, "%s%s:%s ", colour ? SEVERITY[severity].colour : "", SEVERITY[severity].word,
            colour ? "\033[0m" : "");
}

/* Length of what stands at `s` and may be shown: ASCII without control characters, or UTF-8 without those of
 * the second set (U+0080 to U+009F), which terminals obey, too. 0: neither. */
static int shown_length(const unsigned char *s) {
    if (*s < 0x80)
        return *s >= ' ' && *s != 0x7F;
    int length = *s >= 0xF0 && *s < 0xF5 ? 4 : *s >= 0xE0 ? 3 : *s >= 0xC2 ? 2 : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return *s >= 0xF5 || (*s == 0xC2 && s[1] < 0xA0) ? 0 : length;
}

void cli_write_shown(FILE *file, const char *text) {
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int length = shown_length(s);
        if (length)
            fwrite(s, 1, (size_t)length, file);
        else
            fputc(*s == '\n' || *s == '\t' ? *s : '?', file);
        s += length ? length : 1;
    }
}

void cli_error(const char *command, const char *format, ...) {
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs("keel", stderr);
    if (command)
        fputc(' ', stderr);
    cli_write_shown(stderr, command ? command : "");
    fputs(": ", stderr);
    write_severity(KEEL_ERROR);
    cli_write_shown(stderr, text);
    fputc('\n', stderr);
}

int cli_show(const keel_diagnostics *diagnostics, int from) {
    int count = keel_diagnostics_count(diagnostics);
    for (int i = from; i < count; i++) {
        keel_diagnostic message = keel_diagnostics_get(diagnostics, i);
        keel_location where = message.where;
        cli_write_shown(stderr, where.file ? where.file : "keel");
        if (where.line > 0)
            fprintf(stderr, ":%d", where.line);
        if (where.line > 0 && where.column > 0)
            fprintf(stderr, ":%d", where.column);
        fputs(": ", stderr);
        write_severity(message.severity);
        cli_write_shown(stderr, message.text);
        fputc('\n', stderr);
    }
    int dropped = keel_diagnostics_dropped(diagnostics);
    if (dropped && from < count)
        fprintf(stderr, "keel: ... and %d more message%s\n", dropped, dropped > 1 ? "s" : "");
    return count;
}

const char *cli_first_error(const keel_diagnostics *diagnostics) {
    for (int i = 0; i < keel_diagnostics_count(diagnostics); i++)
        if (keel_diagnostics_get(diagnostics, i).severity == KEEL_ERROR)
            return keel_diagnostics_get(diagnostics, i).text;
    return NULL;
}

static keel_model *tell_of_model(const char *command, const char *path, keel_model *model, keel_status status,
                                 const keel_diagnostics *diagnostics, int *code) {
    cli_show(diagnostics, 0);
    if (!model && (status == KEEL_ERROR_MEMORY || !keel_diagnostics_errors(diagnostics)))
        cli_error(command, "%s: %s", path, keel_status_text(status));
    *code = model ? CLI_OK : status == KEEL_ERROR_MEMORY ? CLI_FAILED : CLI_BAD_INPUT;
    return model;
}

keel_model *cli_read_model(const char *command, const char *path, const keel_assignment *set, int set_count,
                           keel_diagnostics *diagnostics, int *code) {
    keel_status status = KEEL_OK;
    const char *found = cli_model_path(path);
    *code = CLI_BAD_INPUT;
    if (found == path && cli_explain_missing_model(command, path))
        return NULL;
    keel_model *model = keel_model_read(found, set, set_count, diagnostics, &status);
    return tell_of_model(command, found, model, status, diagnostics, code);
}

keel_model *cli_parse_model(const char *command, const char *path, const char *text,
                            const keel_assignment *set, int set_count, keel_diagnostics *diagnostics,
                            int *code) {
    keel_status status = KEEL_OK;
    keel_model *model = keel_model_parse(path, text, strlen(text), set, set_count, diagnostics, &status);
    return tell_of_model(command, path, model, status, diagnostics, code);
}

int cli_exit_code(keel_status status) {
    if (status == KEEL_INTERRUPTED)
        return CLI_INTERRUPTED;
    if (status == KEEL_ERROR_INPUT || status == KEEL_ERROR_START)
        return CLI_BAD_INPUT;
    return status < 0 ? CLI_FAILED : CLI_OK;
}

int cli_verdict(const char *command, const keel_run_verdict *verdict) {
    keel_check failed = keel_run_verdict_failed(verdict);
    if (failed == KEEL_CHECKS)
        return CLI_OK;
    cli_error(command, "verdict '%s': %s", keel_check_word(failed), verdict->check[failed].text);
    return CLI_BROKEN;
}

/* yaml_report.c - why libfyaml stopped, in words that help.
 *
 * libfyaml names the rule of YAML that was broken and the place. For the mistakes that people make (a tab, a
 * bracket not closed, no blank after a colon, wrong indentation) the message says what to do instead.
 */
#include <string.h>

#include "modelfile/yaml_build.h"

static bool is_break(char c) {
    return c == '\n' || c == '\r';
}

/* The offset where a line (from 1) begins; the length of the text when there are fewer. */
static size_t line_start(const ki_source *source, int line) {
    size_t i = 0;
    for (int k = 1; k < line && i < source->length; i++)
        if (source->text[i] == '\n' ||
            (source->text[i] == '\r' && !(i + 1 < source->length && source->text[i + 1] == '\n')))
            k++;
    return i;
}

/* Behind the line break that ends the line of text[i]. */
static size_t next_line(const ki_source *source, size_t i) {
    while (i < source->length && !is_break(source->text[i]))
        i++;
    i += i < source->length;
    i += i < source->length && source->text[i - 1] == '\r' && source->text[i] == '\n';
    return i;
}

/* A tab in the indentation of one of two lines, where libfyaml complains about the first. */
static bool find_tab(const ki_source *source, int line, keel_location *at) {
    size_t start = line_start(source, line);
    for (int k = 0; k < 2; k++, start = next_line(source, start)) {
        size_t i = start, tab = source->length;
        for (; i < source->length && (source->text[i] == ' ' || source->text[i] == '\t'); i++)
            if (source->text[i] == '\t' && tab > i)
                tab = i;
        bool blank = i == source->length || is_break(source->text[i]);
        if (tab < i && !blank) {
            *at = (keel_location){source->file, line + k, (int)(tab - start) + 1};
            return true;
        }
    }
    return false;
}

/* libfyaml's words -> ours; matched from the beginning */
static const struct {
    const char *theirs, *ours;
} WORDS[] = {
    {"invalid multiline plain key",
     "this text goes on over several lines until a ':' comes: is a blank missing after a colon ('x: 1', not "
     "'x:1'), or is a line indented wrongly?"},
    {"could not find expected ':'", "a ':' is missing: a line of a map has the form 'key: value'"},
    {"invalid value after mapping",
     "this does not belong to the lines above: a line of a map has the form 'key: value', indented like its "
     "neighbours; a formula cannot go on after a comment"},
    {"invalid nested block mapping on the same line",
     "a second ': ' in the same line: put a text that contains one in quotes, or begin a new line"},
    {"invalid indentation in mapping", "this line is indented differently from the others of its map"},
    {"block sequence on the same line as a mapping key",
     "a list cannot begin in the line of its key; a formula that begins with '- ' wants no blank after the "
     "'-'"},
    {"double-quoted scalar without closing quote", "the quote \" that begins here is not closed"},
    {"single-quoted scalar without closing quote", "the quote ' that begins here is not closed"},
    {"plain scalar cannot start with", "a text cannot begin with this character: put it in quotes"},
    {"flow sequence with invalid extra closing", "this ']' closes nothing"},
    {"flow mapping with invalid extra closing", "this '}' closes nothing"},
    {"flow sequence with invalid", "a comma too many: a value is missing before it"},
    {"invalid trailing content after", "text follows a closing quote: put all of it in quotes, or nothing"},
    {"did not find expected key", "a new key is expected here: a line of a map has the form 'key: value'"},
    {"did not find expected '-' indicator",
     "this line does not fit the list above: its lines begin with '- '"},
    {"tab character may not be used as indentation",
     "a tab is used for indentation: YAML allows only blanks"},
};

static const char *our_words(const char *theirs) {
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strncmp(theirs, WORDS[i].theirs, strlen(WORDS[i].theirs)) == 0)
            return WORDS[i].ours;
    return NULL;
}

/* Does libfyaml complain about something that a bracket not closed brings about? */
static bool is_about_brackets(const char *theirs) {
    static const char *const BEGINNINGS[] = {"missing comma in", "mismatched flow", "flow sequence without",
                                             "flow mapping without", "did not find expected"};
    for (size_t i = 0; i < sizeof BEGINNINGS / sizeof *BEGINNINGS; i++)
        if (strncmp(theirs, BEGINNINGS[i], strlen(BEGINNINGS[i])) == 0)
            return true;
    return false;
}

static void report_in_flow(ki_yaml_builder *b, keel_location at, const ki_yaml *open) {
    char bracket = open->kind == KI_YAML_MAP ? '{' : '[', closing = open->kind == KI_YAML_MAP ? '}' : ']';
    size_t place = line_start(b->source, at.line);
    if (place >= b->source->length) {
        keel_diagnostics_add(b->diagnostics, KEEL_ERROR, open->at, "this '%c' is not closed", bracket);
        return;
    }
    for (int k = 1; k < at.column && place < b->source->length; k++) {
        do {
            place++;
        } while (place < b->source->length && ((unsigned char)b->source->text[place] & 0xC0) == 0x80);
    }
    if (place < b->source->length && b->source->text[place] == ',')
        keel_diagnostics_add(b->diagnostics, KEEL_ERROR, at,
                             "a comma too many: an entry is missing before it");
    else
        keel_diagnostics_add(b->diagnostics, KEEL_ERROR, at,
                             "',' or '%c' expected: the '%c' of line %d, column %d is still open", closing,
                             bracket, open->at.line, open->at.column);
}

void ki_yaml_report(ki_yaml_builder *b, struct fy_diag *diag) {
    void *iterator = NULL;
    struct fy_diag_error *error = fy_diag_errors_iterate(diag, &iterator);
    while (error && error->type != FYET_ERROR)
        error = fy_diag_errors_iterate(diag, &iterator);
    if (!error) {
        keel_diagnostics_add(b->diagnostics, KEEL_ERROR, (keel_location){b->source->file, 0, 0},
                             "the file is not valid YAML, or there was no memory to read it");
        return;
    }
    keel_location at = {b->source->file, error->line, error->column}, tab;
    const ki_yaml *open = b->depth > 0 ? b->open[b->depth - 1] : NULL;
    const char *ours = our_words(error->msg);
    if (find_tab(b->source, at.line, &tab))
        keel_diagnostics_add(b->diagnostics, KEEL_ERROR, tab,
                             "a tab is used for indentation: YAML allows only blanks");
    else if (open && open->in_flow && is_about_brackets(error->msg))
        report_in_flow(b, at, open);
    else if (ours)
        keel_diagnostics_add(b->diagnostics, KEEL_ERROR, at, "%s", ours);
    else
        keel_diagnostics_add(b->diagnostics, KEEL_ERROR, at, "not valid YAML: %s", error->msg);
}

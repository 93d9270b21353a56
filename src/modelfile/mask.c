/* mask.c - formulas inside { } and [ ].
 *
 * In YAML's flow style a comma or a bracket always ends a plain text:
 *
 *     outputs: {angle: atan2(x, -y), last: x[N]}
 *
 * would be cut at "atan2(x" and be an error at "x[". But nobody who writes a formula means that. So the
 * parser is given a copy of the text in which , [ ] are overwritten with '_' where they stand inside the
 * parentheses or the index brackets of a plain text in flow style; the copy has the same length, and the
 * tree takes the text of such scalars from the original. Parentheses that are not closed within their text
 * are left alone.
 *
 * To know what is a plain text in flow style, the scanner follows the rough structure of YAML: comments,
 * quotes, block scalars and plain texts that run over several lines. It need not be right on text that is no
 * YAML: the parser judges that.
 */
#include <string.h>

#include "modelfile/source.h"

typedef struct scanner {
    const char *s;
    size_t n, i;
    char *out;
} scanner;

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static bool is_break(char c) {
    return c == '\n' || c == '\r';
}

static bool is_flow_indicator(char c) {
    return c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}

/* Is there a blank, a line break or the end at i? */
static bool gap_at(const scanner *a, size_t i) {
    return i >= a->n || is_blank(a->s[i]) || is_break(a->s[i]);
}

static void skip_line(scanner *a) {
    while (a->i < a->n && !is_break(a->s[a->i]))
        a->i++;
}

static void skip_blanks(scanner *a) {
    while (a->i < a->n && is_blank(a->s[a->i]))
        a->i++;
}

/* Moves behind the closing quote. */
static void skip_quoted(scanner *a) {
    char quote = a->s[a->i++];
    for (; a->i < a->n; a->i++) {
        char c = a->s[a->i];
        bool escaped = quote == '"' ? c == '\\' : c == '\'' && a->i + 1 < a->n && a->s[a->i + 1] == '\'';
        if (escaped) {
            a->i++;
        } else if (c == quote) {
            a->i++;
            return;
        }
    }
    a->i = a->n;
}

static bool starts_comment(const scanner *a, size_t i) {
    return a->s[i] == '#' && (i == 0 || is_blank(a->s[i - 1]) || is_break(a->s[i - 1]));
}

/* Does the plain text in flow style end at i, where `open` parentheses and index brackets are open? */
static bool plain_ends(const scanner *a, size_t i, int open) {
    char c = a->s[i];
    if (c == '{' || c == '}' || starts_comment(a, i))
        return true;
    if (c == ':')
        return gap_at(a, i + 1) || (open == 0 && is_flow_indicator(a->s[i + 1]));
    return open == 0 && (c == ',' || c == ']');
}

static void mask_flow_plain(scanner *a) {
    size_t start = a->i;
    int open = 0;
    for (; a->i < a->n && !plain_ends(a, a->i, open); a->i++) {
        char c = a->s[a->i];
        if (c == '(' || c == '[')
            open++;
        else if ((c == ')' || c == ']') && open > 0)
            open--;
    }
    if (open > 0)
        return;
    for (size_t k = start; k < a->i; k++)
        if (is_flow_indicator(a->s[k]))
            a->out[k] = '_';
}

/* From an opening { or [ to behind the bracket that closes it. */
static void mask_flow(scanner *a) {
    int depth = 0;
    do {
        char c = a->s[a->i];
        if (c == '"' || c == '\'') {
            skip_quoted(a);
        } else if (starts_comment(a, a->i)) {
            skip_line(a);
        } else if (is_flow_indicator(c)) {
            depth += (c == '{' || c == '[') - (c == '}' || c == ']');
            a->i++;
        } else if (is_blank(c) || is_break(c) || c == ':') {
            a->i++;
        } else {
            mask_flow_plain(a);
        }
    } while (depth > 0 && a->i < a->n);
}

/* A plain text in block style up to ": ", a comment or the end of the line. True if it was a key. */
static bool skip_block_plain(scanner *a) {
    for (; a->i < a->n && !is_break(a->s[a->i]); a->i++) {
        if (a->s[a->i] == ':' && gap_at(a, a->i + 1))
            return true;
        if (starts_comment(a, a->i))
            return false;
    }
    return false;
}

/* One line in block style; a->i is behind its indentation, `line` at its start. Returns the column of the
 * innermost key or dash of the line if a text follows it that may go on in deeper lines, else -1. */
static long mask_block_line(scanner *a, size_t line) {
    long parent = -1;
    size_t token = a->i;
    if (a->n - a->i >= 4 && a->i == line && memcmp(a->s + a->i, "---", 3) == 0 && gap_at(a, a->i + 3))
        a->i += 3;
    for (skip_blanks(a); a->i < a->n && !is_break(a->s[a->i]); skip_blanks(a)) {
        char c = a->s[a->i];
        if (starts_comment(a, a->i)) {
            skip_line(a);
        } else if ((c == '-' || c == '?') && gap_at(a, a->i + 1)) {
            parent = (long)(a->i++ - line);
        } else if (c == ':' && gap_at(a, a->i + 1)) {
            parent = (long)(token - line);
            a->i++;
        } else if (c == '"' || c == '\'') {
            token = a->i;
            skip_quoted(a);
        } else if (c == '{' || c == '[') {
            token = a->i;
            mask_flow(a);
        } else {
            token = a->i;
            if (!skip_block_plain(a)) {
                skip_line(a);
                return parent;
            }
        }
    }
    return -1;
}

char *ki_source_mask(const ki_source *source, ki_arena *arena) {
    char *out = ki_arena_text(arena, source->text, source->length);
    if (!out)
        return NULL;
    scanner a = {source->text, source->length, 0, out};
    long parent = -1; /* column of the key whose text may still go on, -1: none */
    while (a.i < a.n) {
        size_t line = a.i;
        skip_blanks(&a);
        if (a.i < a.n && !is_break(a.s[a.i]) && a.s[a.i] != '#') {
            bool goes_on = parent >= 0 && (long)(a.i - line) > parent;
            if (goes_on)
                skip_line(&a);
            else
                parent = mask_block_line(&a, line);
        }
        skip_line(&a);
        while (a.i < a.n && is_break(a.s[a.i]))
            a.i++;
    }
    return out;
}

/* yaml_text.c - what a scalar says: line breaks folded, quotes and escapes decoded.
 *
 * libfyaml could do this too, but version 0.7 leaks memory for texts with many escapes. Names and
 * descriptions are all that needs it (formulas are taken as they stand), so some simplifications are
 * harmless: a line break with the white space around it is always one blank, and so is an escaped control
 * character.
 */
#include <string.h>

#include "modelfile/yaml_build.h"

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Behind the white space that begins at i; *breaks tells whether there is a line break in it. */
static size_t skip_space(const char *raw, size_t length, size_t i, bool *breaks) {
    *breaks = false;
    for (; i < length && is_space(raw[i]); i++)
        *breaks = *breaks || raw[i] == '\n' || raw[i] == '\r';
    return i;
}

/* Writes a character in UTF-8; returns the number of bytes. What is no character becomes U+FFFD. */
static size_t encode(unsigned long code, char *to) {
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        code = 0xFFFD;
    bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    if (code < 0x80 || control) {
        to[0] = (char)(control ? ' ' : code);
        return 1;
    }
    size_t bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t k = bytes - 1; k > 0; k--, code >>= 6)
        to[k] = (char)(0x80 | (code & 0x3F));
    to[0] = (char)((0xF00u >> bytes & 0xFF) | code);
    return bytes;
}

static int hex_digit(char c) {
    static const char DIGITS[] = "0123456789abcdef0123456789ABCDEF";
    const char *found = c ? strchr(DIGITS, c) : NULL;
    return found ? (int)(found - DIGITS) % 16 : -1;
}

/* Decodes the escape that begins with the backslash raw[i]; writes at most as many bytes as it reads. Returns
 * where the text goes on. */
static size_t decode_escape(const char *raw, size_t length, size_t i, char *text, size_t *to) {
    char kind = i + 1 < length ? raw[i + 1] : '\\';
    bool breaks;
    if (is_space(kind)) {
        size_t end = skip_space(raw, length, i + 1, &breaks);
        if (breaks)
            return end; /* an escaped line break is nothing */
    }
    size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    i += 2;
    if (digits == 0) {
        bool itself = strchr("\"\\/", kind) != NULL;
        text[(*to)++] = itself ? kind : ' ';
        return i;
    }
    unsigned long code = 0;
    for (size_t k = 0; k < digits && i < length && hex_digit(raw[i]) >= 0; k++, i++)
        code = code << 4 | (unsigned long)hex_digit(raw[i]);
    *to += encode(code, text + *to);
    return i;
}

char *ki_yaml_text(ki_arena *arena, const char *raw, size_t length, enum fy_scalar_style style) {
    char *text = ki_arena_text(arena, raw, length);
    if (!text)
        return NULL;
    bool breaks = false;
    bool block = style == FYSS_LITERAL || style == FYSS_FOLDED;
    size_t to = 0, start = block ? skip_space(raw, length, 0, &breaks) : 0; /* the indentation of a block */
    for (size_t i = start; i < length;) {
        size_t end = skip_space(raw, length, i, &breaks);
        if (breaks) {
            text[to++] = ' ';
            i = end;
        } else if (raw[i] == '\\' && style == FYSS_DOUBLE_QUOTED) {
            i = decode_escape(raw, length, i, text, &to);
        } else {
            bool doubled = raw[i] == '\'' && style == FYSS_SINGLE_QUOTED;
            text[to++] = raw[i];
            i += doubled ? 2 : 1;
        }
    }
    text[to] = '\0';
    return text;
}

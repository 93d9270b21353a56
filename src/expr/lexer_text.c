/* lexer_text.c - reading numbers, and messages about characters that do not belong into a formula. */
#include <math.h>
#include <stdlib.h>

#include "expr/lexer.h"

/* The number is handed to strtod as digits and an exponent, without the point: what the point looks like
 * depends on the locale of the program. */
bool ki_lexer_read_number(const char *text, size_t length, double *number) {
    enum { LARGE_EXPONENT = 100000 };
    char buffer[KI_NUMBER_LENGTH + 16];
    size_t digits = 0, i = 0;
    int shift = 0, exponent = 0, sign = 1;
    bool after_point = false;
    for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
        if (text[i] == '.') {
            after_point = true;
            continue;
        }
        buffer[digits++] = text[i];
        shift += after_point;
    }
    for (i++; i < length; i++) {
        if (text[i] == '-')
            sign = -1;
        else if (text[i] != '+' && exponent < LARGE_EXPONENT)
            exponent = 10 * exponent + (text[i] - '0');
    }
    exponent = sign * exponent - shift;
    buffer[digits++] = 'e';
    buffer[digits++] = exponent < 0 ? '-' : '+';
    exponent = abs(exponent);
    for (int power = 10 * LARGE_EXPONENT; power; power /= 10)
        buffer[digits++] = (char)('0' + exponent / power % 10);
    buffer[digits] = '\0';
    *number = strtod(buffer, NULL);
    return isfinite(*number);
}

/* The code point at the start of the text and its bytes, or -1 if they are not UTF-8. */
static long decode(const char *at, const char *end, int *length) {
    const unsigned char *byte = (const unsigned char *)at;
    static const long SMALLEST[] = {0, 0, 0x80, 0x800, 0x10000};
    int n = *byte < 0x80 ? 1 : *byte >= 0xc0 && *byte < 0xe0 ? 2 : *byte >= 0xe0 && *byte < 0xf0 ? 3 : 4;
    *length = n;
    if (n == 1)
        return *byte;
    if (*byte < 0xc0 || *byte > 0xf4 || end - at < n)
        return -1;
    long code = *byte & (0xff >> (n + 1));
    for (int i = 1; i < n; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return -1;
        code = code << 6 | (byte[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < SMALLEST[n] || code > 0x10ffff || surrogate ? -1 : code;
}

/* What people write, or paste, where a formula has another sign. */
static const char *replacement(long code) {
    static const struct {
        long code;
        const char *instead;
    } TABLE[] = {
        {'=', "'a - b' for an equation a = b, '==' to compare"},
        {'&', "'and'"},
        {'|', "'or'"},
        {'!', "'not' or '!='"},
        {'{', "'('"},
        {'}', "')'"},
        {'\\', "'/'"},
        {0x2212, "'-'"},
        {0x2013, "'-'"},
        {0xd7, "'*'"},
        {0xb7, "'*'"},
        {0x22c5, "'*'"},
        {0xf7, "'/'"},
        {0xb2, "'^2'"},
        {0xb3, "'^3'"},
        {0x2019, "a plain '"},
        {0x2032, "a plain '"},
        {0x3c0, "'pi'"},
        {0xb0, "'deg'"},
        {0x221a, "'sqrt'"},
        {0x2264, "'<='"},
        {0x2265, "'>='"},
        {0x2260, "'!='"},
        {0xa0, "a plain space"},
        {'%', "'/100'"},
    };
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
        if (TABLE[i].code == code)
            return TABLE[i].instead;
    return NULL;
}

void ki_lexer_report(const ki_lexer *lexer) {
    int length;
    long code = decode(lexer->at, lexer->end, &length);
    const char *instead = replacement(code);
    keel_diagnostics *list = lexer->diagnostics;
    if (code < 0)
        keel_diagnostics_add(list, KEEL_ERROR, lexer->where, "the byte 0x%02x is not UTF-8 text",
                             (unsigned)(unsigned char)*lexer->at);
    else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
        keel_diagnostics_add(list, KEEL_ERROR, lexer->where, "unexpected control character U+%04lX", code);
    else if (instead)
        keel_diagnostics_add(list, KEEL_ERROR, lexer->where, "unexpected character '%.*s': write %s", length,
                             lexer->at, instead);
    else if (code >= 0x80)
        keel_diagnostics_add(
            list, KEEL_ERROR, lexer->where,
            "unexpected character '%.*s': names are made of the letters a-z, A-Z, digits, '_' and '.'",
            length, lexer->at);
    else
        keel_diagnostics_add(list, KEEL_ERROR, lexer->where, "unexpected character '%c'", (int)code);
}

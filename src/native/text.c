#include "native/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(ki_text *text, size_t more) {
    size_t need = text->length + more + 1, capacity = text->capacity ? text->capacity : 4096;
    if (text->failed || need <= text->capacity)
        return !text->failed;
    while (capacity < need)
        capacity *= 2;
    char *grown = realloc(text->at, capacity);
    if (!grown) {
        text->failed = true;
        return false;
    }
    text->at = grown;
    text->capacity = capacity;
    return true;
}

static void add(ki_text *text, const char *from, size_t length) {
    if (!reserve(text, length))
        return;
    memcpy(text->at + text->length, from, length);
    text->length += length;
    text->at[text->length] = 0;
}

static void add_whole(ki_text *text, int value) {
    char digits[16];
    size_t first = sizeof digits;
    unsigned left = value < 0 ? 0u - (unsigned)value : (unsigned)value;
    do
        digits[--first] = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        digits[--first] = '-';
    add(text, digits + first, sizeof digits - first);
}

/* Only %s, %d and %c: ten times as fast as the library, and a text has thousands of pieces. */
void ki_text_add(ki_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at;) {
        size_t plain = strcspn(at, "%");
        add(text, at, plain);
        at += plain;
        if (!*at)
            break;
        if (at[1] == 's') {
            const char *word = va_arg(arguments, const char *);
            add(text, word, strlen(word));
        } else if (at[1] == 'd') {
            add_whole(text, va_arg(arguments, int));
        } else {
            assert(at[1] == 'c');
            add(text, &(char){(char)va_arg(arguments, int)}, 1);
        }
        at += 2;
    }
    va_end(arguments);
}

/* 53 bits of mantissa as a whole number, and an exponent: no decimal point that a locale could change. */
void ki_text_number(ki_text *text, double value) {
    int exponent = 0;
    double mantissa = ldexp(frexp(fabs(value), &exponent), 53);
    char number[48];
    snprintf(number, sizeof number, signbit(value) ? "(-0x%llxp%d)" : "0x%llxp%d",
             (unsigned long long)mantissa, exponent - 53);
    ki_text_add(text, "%s", number);
}

void ki_text_clear(ki_text *text) {
    free(text->at);
    *text = (ki_text){0};
}

#include "native/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

void ki_text_add(ki_text *text, const char *format, ...) {
    va_list arguments;
    enum { USUAL = 128 };
    if (!reserve(text, USUAL))
        return;
    va_start(arguments, format);
    int length = vsnprintf(text->at + text->length, text->capacity - text->length, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length >= text->capacity - text->length && reserve(text, (size_t)length)) {
        va_start(arguments, format);
        vsnprintf(text->at + text->length, text->capacity - text->length, format, arguments);
        va_end(arguments);
    }
    if (length < 0)
        text->failed = true;
    else if (!text->failed)
        text->length += (size_t)length;
}

/* 53 bits of mantissa as a whole number, and an exponent: no decimal point that a locale could change. */
void ki_text_number(ki_text *text, double value) {
    int exponent = 0;
    double mantissa = ldexp(frexp(fabs(value), &exponent), 53);
    ki_text_add(text, signbit(value) ? "(-0x%llxp%d)" : "0x%llxp%d", (unsigned long long)mantissa,
                exponent - 53);
}

void ki_text_clear(ki_text *text) {
    free(text->at);
    *text = (ki_text){0};
}

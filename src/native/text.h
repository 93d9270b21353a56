/* text.h - a text that grows. */
#ifndef KI_NATIVE_TEXT_H
#define KI_NATIVE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "keel/diagnostics.h"

typedef struct ki_text {
    char *at; /* ends with a zero once something was added */
    size_t length, capacity;
    bool failed; /* out of memory: what was added since is lost */
} ki_text;

/* As printf, with %s, %d and %c. */
void ki_text_add(ki_text *text, const char *format, ...) KEEL_PRINTF(2, 3);

/* A number as C writes it without loss, whatever the locale. Must be finite. */
void ki_text_number(ki_text *text, double value);

void ki_text_clear(ki_text *text);

#endif

#include "keel/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct keel_diagnostics {
    keel_diagnostic items[KEEL_DIAGNOSTICS_MAX];
    int count, errors, dropped;
};

/* In place of a message that there was no memory for. */
static const char NO_MEMORY[] = "out of memory";

keel_diagnostics *keel_diagnostics_new(void) {
    return calloc(1, sizeof(keel_diagnostics));
}

void keel_diagnostics_free(keel_diagnostics *list) {
    if (!list)
        return;
    for (int i = 0; i < list->count; i++) {
        free((char *)list->items[i].where.file);
        if (list->items[i].text != NO_MEMORY)
            free((char *)list->items[i].text);
    }
    free(list);
}

static char *format_text(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

static char *copy_text(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void keel_diagnostics_add(keel_diagnostics *list, keel_severity severity, keel_location where,
                          const char *format, ...) {
    if (!format)
        return;
    if (!list)
        return;
    list->errors += severity == KEEL_ERROR;
    if (list->count == KEEL_DIAGNOSTICS_MAX) {
        list->dropped++;
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    where.file = where.file ? copy_text(where.file) : NULL;
    list->items[list->count++] = (keel_diagnostic){severity, where, text ? text : NO_MEMORY};
}

int keel_diagnostics_count(const keel_diagnostics *list) {
    if (!list)
        return 0;
    return list->count;
}

keel_diagnostic keel_diagnostics_get(const keel_diagnostics *list, int i) {
    if (!list)
        return (keel_diagnostic){0};
    return list->items[i];
}

int keel_diagnostics_errors(const keel_diagnostics *list) {
    if (!list)
        return 0;
    return list->errors;
}

int keel_diagnostics_dropped(const keel_diagnostics *list) {
    if (!list)
        return 0;
    return list->dropped;
}

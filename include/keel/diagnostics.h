/* diagnostics.h - messages for people, collected instead of printed.
 *
 * A reader or a run adds messages to the list it is given; the caller shows them as it likes. The list is
 * kept bounded: after KEEL_DIAGNOSTICS_MAX messages further ones are only counted.
 */
#ifndef KEEL_DIAGNOSTICS_H
#define KEEL_DIAGNOSTICS_H

#include "keel/status.h"

#define KEEL_DIAGNOSTICS_MAX 64

typedef enum keel_severity { KEEL_NOTE, KEEL_WARNING, KEEL_ERROR } keel_severity;

/* A place in a text. Lines and columns count from 1; 0 means unknown. `file` may be NULL. */
typedef struct keel_location {
    const char *file;
    int line, column;
} keel_location;

typedef struct keel_diagnostic {
    keel_severity severity;
    keel_location where; /* `file` is owned by the list */
    const char *text;    /* one message without the place, owned by the list */
} keel_diagnostic;

typedef struct keel_diagnostics keel_diagnostics;

/* New empty list, or NULL when out of memory. */
KEEL_API keel_diagnostics *keel_diagnostics_new(void);
KEEL_API void keel_diagnostics_free(keel_diagnostics *list);

/* Adds one message. `list` may be NULL (the message is dropped). Messages that do not fit are counted as
 * dropped. */
KEEL_API void keel_diagnostics_add(keel_diagnostics *list, keel_severity severity, keel_location where,
                                   const char *format, ...) KEEL_PRINTF(4, 5);

KEEL_API int keel_diagnostics_count(const keel_diagnostics *list);
KEEL_API keel_diagnostic keel_diagnostics_get(const keel_diagnostics *list, int i);

/* Number of messages of severity KEEL_ERROR, dropped ones included. */
KEEL_API int keel_diagnostics_errors(const keel_diagnostics *list);

/* Number of messages that were not stored. */
KEEL_API int keel_diagnostics_dropped(const keel_diagnostics *list);

#endif

/* source.h - the text of a model file, and places in it. */
#ifndef KI_MODELFILE_SOURCE_H
#define KI_MODELFILE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "keel/diagnostics.h"

typedef struct ki_source {
    const char *file; /* name for messages */
    const char *text; /* not closed with a NUL */
    size_t length;
} ki_source;

/* Line and column (in characters) of text[offset]. Walks through the text: meant for messages only. */
keel_location ki_source_place(const ki_source *source, size_t offset);

/* True if the text is printable UTF-8; otherwise the first offending byte is reported. */
bool ki_source_check(const ki_source *source, keel_diagnostics *diagnostics);

/* Reads a whole file; *text is malloc'ed. A problem is reported with the system's reason. */
keel_status ki_source_load(const char *path, keel_diagnostics *diagnostics, char **text, size_t *length);

/* A copy of the text, of the same length, in which formulas inside { } and [ ] hold no character that YAML
 * takes for its own: see mask.c. NULL when out of memory. */
char *ki_source_mask(const ki_source *source, ki_arena *arena);

/* `text` shortened for a message: at most 60 bytes, cut between characters. */
enum { KI_BRIEF = 64 };
const char *ki_brief(const char *text, char buffer[KI_BRIEF]);

#endif

/* scope.h - what names mean in a formula. */
#ifndef KI_EQUATIONS_SCOPE_H
#define KI_EQUATIONS_SCOPE_H

#include "equations/builder.h"

/* Where a formula stands: the kind of its entry, or one of these. */
enum { KI_IN_RANGE = KI_KINDS, KI_IN_NAME, KI_IN_SETTING, KI_CONTEXTS };

/* The state of reading one formula; hand ki_reader_scope() of it to the parser. After a failed reading the
 * three last members tell why, unless it was a plain error. */
typedef struct ki_reader {
    ki_builder *b;
    int context;
    const ki_binding *bindings;
    unsigned uses;    /* KI_USES_... of the names met */
    ki_item *missing; /* a name met whose formula has no node yet */
    bool unknown;     /* a name met is not known */
    bool broken;      /* a name met has a formula with an error, reported elsewhere */
} ki_reader;

ki_scope ki_reader_scope(ki_reader *reader);

/* "a coordinate", ...: for messages. */
const char *ki_kind_words(keel_equation_kind kind);

#endif

/* suggest.h - what a name that does not exist may have meant. */
#ifndef KI_EQUATIONS_SUGGEST_H
#define KI_EQUATIONS_SUGGEST_H

#include "equations/builder.h"

enum { KI_HINT_SIZE = 600 };

/* Each writes the end of a message: "; did you mean 'x'?", "; there are 'x[1]' to 'x[3]'", or nothing. */

/* Of everything a formula may use, repeat variables in force included. */
const char *ki_hint_any(const ki_builder *b, const ki_binding *bindings, const char *name,
                        char hint[KI_HINT_SIZE]);

/* Of one kind of item. */
const char *ki_hint_kind(const ki_builder *b, keel_equation_kind kind, const char *name,
                         char hint[KI_HINT_SIZE]);

/* Of the constraints, as multipliers. */
const char *ki_hint_multiplier(const ki_builder *b, const char *name, char hint[KI_HINT_SIZE]);

#endif

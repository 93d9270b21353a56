/* resolve.h - formulas that use one another in any order. */
#ifndef KI_EQUATIONS_RESOLVE_H
#define KI_EQUATIONS_RESOLVE_H

#include "equations/builder.h"

/* Puts an item at the end of the queue of formulas to read. */
void ki_resolve_later(ki_builder *b, ki_item *item);

/* Reads the queue, and whatever waited for it. Errors are reported, except unknown names while names are not
 * complete: those items stay pending. */
void ki_resolve_queue(ki_builder *b);

/* Reads all pending items of the given kinds, now that names are complete, and reports what depends on
 * itself. Afterwards every one of them is done or failed. */
void ki_resolve_finish(ki_builder *b, const keel_equation_kind *kinds, int count);

#endif

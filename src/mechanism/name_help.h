/* name_help.h - telling names apart, and guessing what was meant by those that nothing has. */
#ifndef KI_MECHANISM_NAME_HELP_H
#define KI_MECHANISM_NAME_HELP_H

#include "mechanism/description.h"

/* The part that the longest beginning of `name` is called, up to a '.' or the end: "bar[2].tip.x" is about
 * bar[2]. Its number, and what follows the '.' ("" at the end). */
ki_part_kind ki_split_name(const keel_mechanism *description, const char *name, int *number,
                           const char **rest);
bool ki_name_is_part(const keel_mechanism *description, const char *name);

/* "a body", "a joint", ... */
const char *ki_part_words(ki_part_kind kind);

/* "; did you mean '...'?" for a name whose beginning is no part, or "", written into `hint`. `formula` and
 * `extra` add the names that only they know; both may be NULL. */
enum { KI_NAME_HINT = 160 };
const char *ki_name_hint(const keel_mechanism *description, const keel_formula *formula,
                         const char *const *extra, int extra_count, const char *name,
                         char hint[KI_NAME_HINT]);

#endif

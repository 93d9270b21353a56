/* names.h - help with misspelt names. */
#ifndef KI_NAMES_H
#define KI_NAMES_H

/* The candidate closest to `name`, or NULL when none is close enough to be what was meant. Closeness is
 * the number of edits (insert, delete, replace, swap of neighbours, upper/lower case for half). */
const char *ki_closest_name(const char *name, const char *const *candidates, int count);

#endif

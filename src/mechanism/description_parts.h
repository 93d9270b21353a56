/* description_parts.h - what the functions that add a part to a description share. */
#ifndef KI_MECHANISM_DESCRIPTION_PARTS_H
#define KI_MECHANISM_DESCRIPTION_PARTS_H

#include "mechanism/description_index.h"

/* A message about a part that begins with its kind and name, unless `good`. The first argument after the
 * format is its name. */
#define KI_CHECK(good, list, part, word, ...)                                                                \
    ((good) ? true                                                                                           \
            : (keel_diagnostics_add((list), KEEL_ERROR, (part)->where, word " '%s': " __VA_ARGS__), false))

/* Room for one more element; arrays double when their length is a power of two. NULL when out of memory, the
 * array is then as before. */
void *ki_make_room(void *array, int count, size_t size);

/* Copies in the arena of the description, whose `failed` tells whether memory ran out. */
const char *ki_copy_text(keel_mechanism *mechanism, const char *text);
keel_location ki_copy_place(keel_mechanism *mechanism, keel_location where);

keel_formula ki_copy_formula(keel_mechanism *mechanism, const keel_formula *formula);

bool ki_finite_numbers(const double *values, int count);

/* False after a message: a name that is none or is taken; bodies that are none or the same. */
bool ki_check_part(const keel_mechanism *mechanism, ki_part_kind kind, const char *name, keel_location where,
                   keel_diagnostics *diagnostics);
bool ki_check_bodies(const keel_mechanism *mechanism, const char *word, const char *name, const int body[2],
                     keel_location where, keel_diagnostics *diagnostics);

/* Registers a part that was put behind the end of its array; its number, or KEEL_ERROR_MEMORY. */
int ki_finish_part(keel_mechanism *mechanism, ki_part_kind kind, const char *name, int *count);

#endif

/* description.h - the text of a model: entries in blocks, as the user gave them. */
#ifndef KI_EQUATIONS_DESCRIPTION_H
#define KI_EQUATIONS_DESCRIPTION_H

#include "base/arena.h"
#include "keel/equations.h"

enum { KI_KINDS = KEEL_EQ_DRAW_LINE + 1 };

typedef struct ki_entry {
    keel_equation_kind kind;
    const char *name; /* as written, indices not evaluated; NULL: none */
    keel_location name_at;
    const char *text;
    keel_location text_at;
    int next; /* entry of the same block added after this one, -1: none */
} ki_entry;

/* Block 0 is the top level; it has no variable and is passed once. */
typedef struct ki_block {
    int parent;
    const char *variable, *from, *to;
    keel_location where;
    int first_entry, last_entry; /* -1: none */
    int first_child, last_child; /* -1: none */
    int next_sibling;            /* -1: none */
} ki_block;

struct keel_equations {
    ki_arena arena; /* all text */
    ki_entry *entry;
    int entries, entry_capacity;
    ki_block *block;
    int blocks, block_capacity;
    const char *file; /* copy of the file name seen last: most entries share it */
};

/* The array, moved if needed, with room for one more than `count` elements; capacity doubles. NULL when out
 * of memory: the array is then still where it was. */
void *ki_grow(void *array, int count, int *capacity, size_t element_size);

#endif

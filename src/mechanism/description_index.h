/* description_index.h - names of a description -> numbers of its parts; one hash table for all kinds. */
#ifndef KI_MECHANISM_DESCRIPTION_INDEX_H
#define KI_MECHANISM_DESCRIPTION_INDEX_H

#include "mechanism/description.h"

/* Names are different within a space. The points of body b are the space b; KI_ALL_POINTS holds the first
 * point of each name. */
enum {
    KI_PARTS = -1,
    KI_ALL_POINTS = -2,
    KI_PARAMETERS = -3,
    KI_STARTS = -4,
    KI_OUTPUTS = -5,
    KI_STATES = -6,
    KI_DEFINITIONS = -7
};

typedef struct ki_index_entry {
    const char *name; /* NULL: a free slot */
    int space;
    ki_part_kind kind;
    int number;
    bool shared; /* KI_ALL_POINTS: several bodies have a point of that name */
} ki_index_entry;

typedef struct ki_index {
    ki_index_entry *slot; /* [capacity], open addressing; capacity is a power of two */
    int capacity, count;
    const char *file; /* the last name of a file, as the arena holds it */
} ki_index;

/* The entry of the first `length` characters of `name`, or NULL. */
ki_index_entry *ki_index_find(const ki_index *index, int space, const char *name, size_t length);

/* Adds an entry whose name is not there yet; `name` must live as long as the index. False when out of memory.
 */
bool ki_index_add(ki_index *index, ki_index_entry entry);

#endif

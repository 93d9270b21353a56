/* slots.h - a sparse matrix put together from several parts, each entry with a slot of its own.
 *
 *     ki_slots_add(&slots, row, column)     for every entry of every part, in any order, repetitions allowed
 *     ki_slots_finish(&slots, n)            the pattern of the sum; slots.slot[k]: where entry k goes
 */
#ifndef KI_SLOTS_H
#define KI_SLOTS_H

#include "base/arena.h"
#include "keel/pattern.h"

typedef struct ki_slots {
    ki_arena *arena;
    int count, capacity;
    int *row, *column; /* [capacity] the entries as added */
    int *slot;         /* [count] after ki_slots_finish   */
    keel_pattern pattern;
} ki_slots;

/* Room for `capacity` entries. A failed allocation shows in the arena. */
void ki_slots_init(ki_slots *slots, ki_arena *arena, int capacity);

/* Returns the number of the entry. */
int ki_slots_add(ki_slots *slots, int row, int column);

void ki_slots_finish(ki_slots *slots, int n);

#endif

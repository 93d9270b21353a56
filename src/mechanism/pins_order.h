/* pins_order.h - the pattern of S of pins.h, and the order in which pins are eliminated. */
#ifndef KI_MECHANISM_PINS_ORDER_H
#define KI_MECHANISM_PINS_ORDER_H

#include "mechanism/pins.h"

/* order [count]: pins with fewest neighbours first, and among these those that have waited longest. A chain
 * is eliminated from both ends in turn: neighbours in the order do not wait for each other's numbers, which
 * is why this is not left to a library. False when out of memory, which scratch->failed tells, or if S fills
 * in so much that the general way is better. */
bool ki_pins_order(const ki_pins *pins, ki_arena *scratch, int *order);

/* Fills start, row and target of pins that are numbered in the order of elimination, and the blocks of their
 * pairs. `failed` of the arenas tells whether memory was enough. */
void ki_pins_columns(ki_pins *pins, ki_arena *arena, ki_arena *scratch);

#endif

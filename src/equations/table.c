#include "equations/table.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "equations/builder.h"

/* FNV-1a */
static uint32_t hash(const char *name) {
    uint32_t h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

void ki_table_free(ki_table *table) {
    free(table->slot);
    *table = (ki_table){0};
}

/* The slot that holds `name`, or the free one where it would go. */
static ki_item **slot_of(const ki_table *table, const char *name) {
    uint32_t mask = (uint32_t)table->capacity - 1;
    for (uint32_t i = hash(name) & mask;; i = (i + 1) & mask)
        if (!table->slot[i] || strcmp(table->slot[i]->name, name) == 0)
            return &table->slot[i];
}

ki_item *ki_table_find(const ki_table *table, const char *name) {
    return table->capacity ? *slot_of(table, name) : NULL;
}

/* Keeps at least a third of the slots free. */
static bool make_room(ki_table *table) {
    if (table->count + 1 <= table->capacity / 3 * 2)
        return true;
    if (table->capacity > INT_MAX / 4)
        return false;
    ki_table larger = {.capacity = table->capacity ? 2 * table->capacity : 64, .count = table->count};
    larger.slot = calloc((size_t)larger.capacity, sizeof(ki_item *));
    if (!larger.slot)
        return false;
    for (int i = 0; i < table->capacity; i++)
        if (table->slot[i])
            *slot_of(&larger, table->slot[i]->name) = table->slot[i];
    free(table->slot);
    *table = larger;
    return true;
}

bool ki_table_add(ki_table *table, ki_item *item, ki_item **existing) {
    *existing = NULL;
    if (!make_room(table))
        return false;
    ki_item **slot = slot_of(table, item->name);
    if (*slot) {
        *existing = *slot;
        return true;
    }
    *slot = item;
    table->count++;
    return true;
}

const char *ki_closer_name(const char *name, const char *best, const char *candidate) {
    const char *pair[] = {best ? best : candidate, candidate};
    return ki_closest_name(name, pair, 2);
}

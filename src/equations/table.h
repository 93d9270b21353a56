/* table.h - the names of a model: a hash table from names to items, and help with misspelt ones. */
#ifndef KI_EQUATIONS_TABLE_H
#define KI_EQUATIONS_TABLE_H

#include <stdbool.h>

typedef struct ki_item ki_item;

typedef struct ki_table {
    ki_item **slot; /* [capacity], open addressing; capacity is a power of two */
    int capacity, count;
} ki_table;

void ki_table_free(ki_table *table);

/* The item of that name, or NULL. */
ki_item *ki_table_find(const ki_table *table, const char *name);

/* Adds an item under its name, unless one of that name is there already: *existing is then that one, else
 * NULL. False when out of memory. */
bool ki_table_add(ki_table *table, ki_item *item, ki_item **existing);

/* Whichever of the two candidates is closer to what `name` may have meant, NULL if neither is close. `best`
 * may be NULL: fold it over a list of candidates. */
const char *ki_closer_name(const char *name, const char *best, const char *candidate);

#endif

#include "linalg/slots.h"

void ki_slots_init(ki_slots *slots, ki_arena *arena, int capacity) {
    *slots = (ki_slots){.arena = arena, .capacity = capacity};
    slots->row = KI_NEW(arena, int, capacity);
    slots->column = KI_NEW(arena, int, capacity);
    slots->slot = KI_NEW(arena, int, capacity);
}

int ki_slots_add(ki_slots *slots, int row, int column) {
    int k = slots->count;
    if (slots->arena->failed)
        return k;
    slots->row[k] = row;
    slots->column[k] = column;
    slots->count++;
    return k;
}

/* order[] = the numbers 0 .. count-1 sorted by key[], which lies in 0 .. n-1, keeping the order `from` among
 * equal keys: a counting sort. `from` = NULL: the natural order. */
static void sort_by(const int *key, int count, int n, const int *from, int *place, int *order) {
    for (int i = 0; i <= n; i++)
        place[i] = 0;
    for (int k = 0; k < count; k++)
        place[key[k] + 1]++;
    for (int i = 0; i < n; i++)
        place[i + 1] += place[i];
    for (int j = 0; j < count; j++) {
        int k = from ? from[j] : j;
        order[place[key[k]]++] = k;
    }
}

void ki_slots_finish(ki_slots *slots, int n) {
    ki_arena *arena = slots->arena;
    int *place = KI_NEW(arena, int, n + 1), *by_column = KI_NEW(arena, int, slots->count);
    int *order = KI_NEW(arena, int, slots->count), *index = KI_NEW(arena, int, slots->count);
    int *start = KI_NEW(arena, int, n + 1);
    if (arena->failed)
        return;
    sort_by(slots->column, slots->count, n, NULL, place, by_column);
    sort_by(slots->row, slots->count, n, by_column, place, order);
    int entries = 0, row = 0;
    for (int j = 0; j < slots->count; j++) {
        int k = order[j];
        bool same = j > 0 && slots->row[order[j - 1]] == slots->row[k] &&
                    slots->column[order[j - 1]] == slots->column[k];
        while (row < slots->row[k])
            start[++row] = entries;
        if (!same)
            index[entries++] = slots->column[k];
        slots->slot[k] = entries - 1;
    }
    while (row < n)
        start[++row] = entries;
    slots->pattern = (keel_pattern){n, n, start, index};
}

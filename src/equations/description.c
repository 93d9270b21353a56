/* description.c - building the text of a model, entry by entry. */
#include "equations/description.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "equations/table.h"

void *ki_grow(void *array, int count, int *capacity, size_t element_size) {
    if (count < *capacity)
        return array;
    if (*capacity > INT_MAX / 2)
        return NULL;
    int larger = *capacity ? 2 * *capacity : 16;
    void *grown = realloc(array, (size_t)larger * element_size);
    if (grown)
        *capacity = larger;
    return grown;
}

static const char *copy_text(keel_equations *equations, const char *text) {
    return ki_arena_text(&equations->arena, text, strlen(text));
}

static bool copy_location(keel_equations *equations, keel_location *where) {
    if (!where->file)
        return true;
    if (!equations->file || strcmp(equations->file, where->file) != 0)
        equations->file = copy_text(equations, where->file);
    where->file = equations->file;
    return where->file != NULL;
}

static bool add_block(keel_equations *equations, ki_block block) {
    ki_block *grown = ki_grow(equations->block, equations->blocks, &equations->block_capacity, sizeof *grown);
    if (!grown)
        return false;
    equations->block = grown;
    block.first_entry = block.last_entry = block.first_child = block.last_child = block.next_sibling = -1;
    equations->block[equations->blocks++] = block;
    return true;
}

keel_equations *keel_equations_new(void) {
    keel_equations *equations = calloc(1, sizeof *equations);
    if (!equations)
        return NULL;
    ki_arena_init(&equations->arena);
    if (!add_block(equations, (ki_block){0})) {
        free(equations);
        return NULL;
    }
    return equations;
}

void keel_equations_free(keel_equations *equations) {
    if (!equations)
        return;
    ki_arena_free(&equations->arena);
    free(equations->entry);
    free(equations->block);
    free(equations);
}

int keel_equations_repeat(keel_equations *equations, int parent, const char *variable, const char *from,
                          const char *to, keel_location where) {
    if (!equations || !variable || !from || !to)
        return -1;
    if (parent < 0 || parent >= equations->blocks)
        return -1;
    ki_block block = {.parent = parent,
                      .variable = copy_text(equations, variable),
                      .from = copy_text(equations, from),
                      .to = copy_text(equations, to),
                      .where = where};
    if (!block.variable || !block.from || !block.to || !copy_location(equations, &block.where) ||
        !add_block(equations, block))
        return -1;
    int number = equations->blocks - 1;
    ki_block *outer = &equations->block[parent];
    if (outer->first_child < 0)
        outer->first_child = number;
    else
        equations->block[outer->last_child].next_sibling = number;
    outer->last_child = number;
    return number;
}

static bool append_entry(keel_equations *equations, int block, ki_entry entry) {
    ki_entry *grown =
        ki_grow(equations->entry, equations->entries, &equations->entry_capacity, sizeof *grown);
    if (!grown)
        return false;
    equations->entry = grown;
    int number = equations->entries++;
    equations->entry[number] = entry;
    ki_block *in = &equations->block[block];
    if (in->first_entry < 0)
        in->first_entry = number;
    else
        equations->entry[in->last_entry].next = number;
    in->last_entry = number;
    return true;
}

keel_status keel_equations_add(keel_equations *equations, int block, keel_equation_kind kind,
                               const char *name, keel_location name_at, const char *text,
                               keel_location text_at) {
    if (!equations || block < 0 || block >= equations->blocks || (int)kind < 0 || (int)kind >= KI_KINDS ||
        !text)
        return KEEL_ERROR_INPUT;
    ki_entry entry = {.kind = kind,
                      .name = name ? copy_text(equations, name) : NULL,
                      .name_at = name_at,
                      .text = copy_text(equations, text),
                      .text_at = text_at,
                      .next = -1};
    if ((name && !entry.name) || !entry.text || !copy_location(equations, &entry.name_at) ||
        !copy_location(equations, &entry.text_at))
        return KEEL_ERROR_MEMORY;
    return append_entry(equations, block, entry) ? KEEL_OK : KEEL_ERROR_MEMORY;
}

static void report_unknown_parameter(const keel_equations *equations, const char *parameter,
                                     keel_diagnostics *diagnostics) {
    const char *closest = NULL;
    for (int i = equations->block[0].first_entry; i >= 0; i = equations->entry[i].next) {
        const ki_entry *entry = &equations->entry[i];
        if (entry->kind == KEEL_EQ_PARAMETER && entry->name)
            closest = ki_closer_name(parameter, closest, entry->name);
    }
    if (closest)
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0},
                             "there is no parameter '%s'; did you mean '%s'?", parameter, closest);
    else
        keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){0}, "there is no parameter '%s'",
                             parameter);
}

/* The place of a text set from outside is "value of NAME", with lines and columns of the text itself. */
static const char *place_of_value(keel_equations *equations, const char *parameter) {
    static const char BEFORE[] = "value of ";
    size_t length = strlen(parameter);
    char *place = ki_arena_alloc(&equations->arena, sizeof BEFORE + length, 1);
    if (place) {
        memcpy(place, BEFORE, sizeof BEFORE - 1);
        memcpy(place + sizeof BEFORE - 1, parameter, length);
    }
    return place;
}

keel_status keel_equations_set(keel_equations *equations, const char *parameter, const char *text,
                               keel_diagnostics *diagnostics) {
    if (!equations || !parameter || !text)
        return KEEL_ERROR_INPUT;
    for (int i = equations->block[0].first_entry; i >= 0; i = equations->entry[i].next) {
        ki_entry *entry = &equations->entry[i];
        if (entry->kind != KEEL_EQ_PARAMETER || !entry->name || strcmp(entry->name, parameter) != 0)
            continue;
        const char *copy = copy_text(equations, text), *place = place_of_value(equations, parameter);
        if (!copy || !place)
            return KEEL_ERROR_MEMORY;
        entry->text = copy;
        entry->text_at = (keel_location){place, 1, 1};
        return KEEL_OK;
    }
    report_unknown_parameter(equations, parameter, diagnostics);
    return KEEL_ERROR_INPUT;
}

int keel_equations_has_velocities(const keel_equations *equations) {
    if (!equations)
        return 0;
    for (int i = 0; i < equations->entries; i++)
        if (equations->entry[i].kind == KEEL_EQ_VELOCITY)
            return 1;
    return 0;
}

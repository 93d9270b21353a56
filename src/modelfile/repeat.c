/* repeat.c - repeat blocks: {for: {i: 1..N}, ...}. */
#include <string.h>

#include "modelfile/loader.h"

/* The end of a range, "1..N" -> "   N": what stands before it is blanked, so that with the place of the
 * range columns in it are right. `end` points to its first character. */
static const char *blank_before(ki_arena *arena, const char *range, const char *end) {
    char *text = ki_arena_text(arena, range, strlen(range));
    if (!text)
        return NULL;
    char *to = text;
    for (const char *from = range; from < end; from++) {
        bool continuation = ((unsigned char)*from & 0xC0) == 0x80;
        if (!continuation)
            *to++ = *from == '\n' || *from == '\r' ? *from : ' ';
    }
    memmove(to, end, strlen(end) + 1);
    return text;
}

/* Opens the block of one variable, `i: 1..N`; returns its number, or -1 after a problem. */
static int open_block(ki_loader *loader, int parent, const ki_yaml *variable) {
    if (!ki_expect_formula(loader, variable, "the range of", variable->key))
        return -1;
    const char *range = variable->formula, *dots = strstr(range, "..");
    if (!dots || dots == range || !dots[2]) {
        char name[KI_BRIEF], text[KI_BRIEF];
        KI_COMPLAIN(loader, variable->formula_at,
                    "the range of '%s' must have the form FROM..TO, such as 1..N, not '%s'",
                    ki_brief(variable->key, name), ki_brief(range, text));
        return -1;
    }
    const char *from = ki_arena_text(loader->arena, range, (size_t)(dots - range));
    const char *to = blank_before(loader->arena, range, dots + 2);
    int block = from && to ? keel_equations_repeat(loader->equations, parent, variable->key, from, to,
                                                   variable->formula_at)
                           : -1;
    if (block < 0)
        ki_loader_fail(loader, KEEL_ERROR_MEMORY);
    return block;
}

static void load_block(ki_loader *loader, int parent, const ki_yaml *map, ki_block_loader *inside) {
    const ki_yaml *range = map->first;
    while (range && strcmp(range->key, "for") != 0)
        range = range->next;
    if (!range) {
        KI_COMPLAIN(loader, map->at, "a 'repeat' block needs its range: 'for: {i: 1..N}'");
        return;
    }
    if (!ki_expect_map(loader, range, "variable: FROM..TO"))
        return;
    if (range->count == 0) {
        KI_COMPLAIN(loader, range->at, "'for' names no variable: write 'for: {i: 1..N}'");
        return;
    }
    int block = parent;
    for (const ki_yaml *variable = range->first; variable && block >= 0; variable = variable->next)
        block = open_block(loader, block, variable);
    if (block >= 0)
        inside(loader, block, map);
}

void ki_load_repeat(ki_loader *loader, int parent, const ki_yaml *repeat, ki_block_loader *inside) {
    if (repeat->kind == KI_YAML_MAP) {
        load_block(loader, parent, repeat, inside);
        return;
    }
    if (repeat->kind != KI_YAML_LIST) {
        KI_COMPLAIN(loader, repeat->at,
                    "'repeat' must be a block (for: {i: 1..N}, ...) or a list of blocks, not %s",
                    ki_yaml_kind_word(repeat->kind));
        return;
    }
    for (const ki_yaml *block = repeat->first; block; block = block->next) {
        if (block->kind == KI_YAML_MAP)
            load_block(loader, parent, block, inside);
        else
            KI_COMPLAIN(loader, block->at.line ? block->at : repeat->at,
                        "a block of 'repeat' must be a map (for: {i: 1..N}, ...), not %s",
                        ki_yaml_kind_word(block->kind));
    }
}

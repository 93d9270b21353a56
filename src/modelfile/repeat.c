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

bool ki_split_range(ki_loader *loader, const ki_yaml *variable, const char **from, const char **to) {
    if (!ki_expect_formula(loader, variable, "the range of", variable->key))
        return false;
    const char *range = variable->formula, *dots = strstr(range, "..");
    if (!dots || dots == range || !dots[2]) {
        char name[KI_BRIEF], text[KI_BRIEF];
        KI_COMPLAIN(loader, variable->formula_at,
                    "the range of '%s' must have the form FROM..TO, such as 1..N, not '%s'",
                    ki_brief(variable->key, name), ki_brief(range, text));
        return false;
    }
    *from = ki_arena_text(loader->arena, range, (size_t)(dots - range));
    *to = blank_before(loader->arena, range, dots + 2);
    if (!*from || !*to)
        ki_loader_fail(loader, KEEL_ERROR_MEMORY);
    return *from && *to;
}

/* Opens the block of one variable, `i: 1..N`; returns its number, or -1 after a problem. */
static int open_block(ki_loader *loader, int parent, const ki_yaml *variable) {
    const char *from, *to;
    if (!ki_split_range(loader, variable, &from, &to))
        return -1;
    int block =
        keel_equations_repeat(loader->equations, parent, variable->key, from, to, variable->formula_at);
    if (block < 0)
        ki_loader_fail(loader, KEEL_ERROR_MEMORY);
    return block;
}

const ki_yaml *ki_block_range(ki_loader *loader, const ki_yaml *map) {
    const ki_yaml *range = map->first;
    while (range && strcmp(range->key, "for") != 0)
        range = range->next;
    if (!range) {
        KI_COMPLAIN(loader, map->at, "a 'repeat' block needs its range: 'for: {i: 1..N}'");
        return NULL;
    }
    if (!ki_expect_map(loader, range, "variable: FROM..TO"))
        return NULL;
    if (range->count == 0) {
        KI_COMPLAIN(loader, range->at, "'for' names no variable: write 'for: {i: 1..N}'");
        return NULL;
    }
    return range;
}

void ki_each_block(ki_loader *loader, const ki_yaml *repeat, void (*visit)(void *user, const ki_yaml *map),
                   void *user) {
    if (repeat->kind == KI_YAML_MAP) {
        visit(user, repeat);
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
            visit(user, block);
        else
            KI_COMPLAIN(loader, block->at.line ? block->at : repeat->at,
                        "a block of 'repeat' must be a map (for: {i: 1..N}, ...), not %s",
                        ki_yaml_kind_word(block->kind));
    }
}

/* What is known while the blocks of one `repeat` are read. */
typedef struct opening {
    ki_loader *loader;
    int parent;
    ki_block_loader *inside;
} opening;

static void load_block(void *user, const ki_yaml *map) {
    const opening *o = user;
    const ki_yaml *range = ki_block_range(o->loader, map);
    if (!range)
        return;
    int block = o->parent;
    for (const ki_yaml *variable = range->first; variable && block >= 0; variable = variable->next)
        block = open_block(o->loader, block, variable);
    if (block >= 0)
        o->inside(o->loader, block, map);
}

void ki_load_repeat(ki_loader *loader, int parent, const ki_yaml *repeat, ki_block_loader *inside) {
    opening o = {loader, parent, inside};
    ki_each_block(loader, repeat, load_block, &o);
}

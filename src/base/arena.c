#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, BLOCK_BYTES = 1 << 14 };

struct ki_arena_block {
    ki_arena_block *next;
    size_t used, size;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

void ki_arena_init(ki_arena *arena) {
    arena->blocks = NULL;
    arena->failed = false;
}

void ki_arena_free(ki_arena *arena) {
    while (arena->blocks) {
        ki_arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}

static ki_arena_block *new_block(ki_arena *arena, size_t bytes) {
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    ki_arena_block *block = calloc(1, sizeof *block + size);
    if (!block)
        return NULL;
    block->size = size;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

void *ki_arena_alloc(ki_arena *arena, size_t count, size_t size) {
    if (size && count > (SIZE_MAX / 2) / size) {
        arena->failed = true;
        return NULL;
    }
    size_t bytes = count * size;
    bytes = bytes ? (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1) : ALIGNMENT;
    ki_arena_block *block = arena->blocks;
    if (!block || block->size - block->used < bytes)
        block = new_block(arena, bytes);
    if (!block) {
        arena->failed = true;
        return NULL;
    }
    void *result = block->bytes + block->used;
    block->used += bytes;
    return result;
}

char *ki_arena_text(ki_arena *arena, const char *text, size_t length) {
    char *copy = ki_arena_alloc(arena, length + 1, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

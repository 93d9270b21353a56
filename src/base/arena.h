/* arena.h - memory that is freed all at once.
 *
 * A model and a workspace each own one arena. Allocation happens while they are built; a step allocates
 * nothing. Memory is zeroed and aligned for double.
 */
#ifndef KI_ARENA_H
#define KI_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ki_arena_block ki_arena_block;

typedef struct ki_arena {
    ki_arena_block *blocks; /* newest first */
    bool failed;            /* an allocation failed: check once after building instead of after every call */
} ki_arena;

void ki_arena_init(ki_arena *arena);
void ki_arena_free(ki_arena *arena);

/* `count * size` zeroed bytes, or NULL (and arena->failed) when out of memory. A request for 0 bytes is not a
 * failure. */
void *ki_arena_alloc(ki_arena *arena, size_t count, size_t size);

/* A copy of the first `length` characters of `text`, closed with a NUL. */
char *ki_arena_text(ki_arena *arena, const char *text, size_t length);

#define KI_NEW(arena, type, count) ((type *)ki_arena_alloc((arena), (size_t)(count), sizeof(type)))

#endif

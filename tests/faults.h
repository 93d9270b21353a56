/* faults.h - allocations that fail, one in each run. malloc, calloc and realloc of Keel's own objects and
 * what is taken from its arenas are replaced by the linker (--wrap, tests/CMakeLists.txt).
 *
 * A run asks for memory thousands of times, but in fewer places. A place is where the allocation stands and
 * who called for it, some functions up. Each place fails once, at its first allocation; with KEEL_FAULT=all
 * every allocation of every run does. */
#ifndef FAULTS_H
#define FAULTS_H

#include <errno.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_ki_arena_alloc(ki_arena *arena, size_t count, size_t size);
char *__real_ki_arena_text(ki_arena *arena, const char *text, size_t length);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_ki_arena_alloc(ki_arena *arena, size_t count, size_t size);
char *__wrap_ki_arena_text(ki_arena *arena, const char *text, size_t length);

enum { FAULT_DEPTH = 5, FAULT_MOST = 1 << 20 };

static long calls, fail_at;         /* fail_at = k: the k-th call fails, 0: none */
static bool in_arena;               /* the block of an arena is part of what was asked of it */
static bool recording;              /* the places of the calls are noted */
static uint64_t places[FAULT_MOST]; /* of the calls of a run */
static uint64_t done[FAULT_MOST];   /* hash table of those that have failed */

/* A number for the functions that are active. */
static uint64_t place_of_call(void) {
    void *frame[FAULT_DEPTH + 2]; /* this function and its caller say nothing */
    int count = backtrace(frame, FAULT_DEPTH + 2);
    uint64_t hash = 14695981039346656037u;
    for (int i = 2; i < count; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)frame[i]) * 1099511628211u;
    return hash;
}

static __attribute__((noinline)) bool allowed(void) {
    if (in_arena)
        return true;
    calls++;
    if (recording && calls < FAULT_MOST)
        places[calls] = place_of_call();
    if (fail_at == 0 || calls != fail_at)
        return true;
    errno = ENOMEM;
    return false;
}

void *__wrap_malloc(size_t size) {
    return allowed() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size) {
    return allowed() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size) {
    return allowed() ? __real_realloc(old, size) : NULL;
}

void *__wrap_ki_arena_alloc(ki_arena *arena, size_t count, size_t size) {
    if (!allowed()) {
        arena->failed = true;
        return NULL;
    }
    in_arena = true;
    void *memory = __real_ki_arena_alloc(arena, count, size);
    in_arena = false;
    return memory;
}

char *__wrap_ki_arena_text(ki_arena *arena, const char *text, size_t length) {
    if (!allowed()) {
        arena->failed = true;
        return NULL;
    }
    in_arena = true;
    char *copy = __real_ki_arena_text(arena, text, length);
    in_arena = false;
    return copy;
}

/* Whether no allocation has failed in this place yet; it counts as one that has. */
static bool is_new_place(uint64_t place) {
    size_t at = (size_t)(place % FAULT_MOST);
    while (done[at] && done[at] != place)
        at = (at + 1) % FAULT_MOST;
    bool is_new = !done[at];
    done[at] = place;
    return is_new;
}

/* One run to note the places, then one for each new of them in which its first allocation fails. `run` must
 * do the same in each run up to the failure, and judges what comes of it: failing tells whether memory ran
 * out. */
static void fail_in_all_places(void (*run)(void *context, bool failing), void *context, const char *name) {
    const char *which = getenv("KEEL_FAULT");
    bool all = which && strcmp(which, "all") == 0;
    recording = true;
    calls = fail_at = 0;
    run(context, false);
    recording = false;
    long total = calls, runs = 0;
    assert_true(total > 0 && total < FAULT_MOST);
    for (long k = 1; k <= total; k++) {
        if (!is_new_place(places[k]) && !all)
            continue;
        calls = 0;
        fail_at = k;
        run(context, true);
        assert_true(calls >= k);
        runs++;
    }
    fail_at = 0;
    print_message("%s: %ld allocations, %ld failed\n", name, total, runs);
}

#endif

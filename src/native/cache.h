/* cache.h - where compiled code is kept.
 *
 * A file is called by a hash of everything that it depends on. It appears complete or not at all (written
 * under another name, then renamed), ends with a seal over its content, and is used only if it and its
 * directory belong to the user and nobody else can write to them. */
#ifndef KI_NATIVE_CACHE_H
#define KI_NATIVE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KI_PATH_MAX = 1024, KI_REASON_MAX = 256 };

typedef struct ki_cache {
    char directory[KI_PATH_MAX];
    bool temporary; /* made for this process only, to be removed */
} ki_cache;

typedef struct ki_hash {
    uint64_t a, b;
} ki_hash;

/* Continues a hash; start with {0}. */
ki_hash ki_hash_add(ki_hash hash, const void *data, size_t size);

/* Finds or makes the directory. False with the reason (a sentence) if there is none to be trusted. */
bool ki_cache_open(ki_cache *cache, const char *given, char reason[KI_REASON_MAX]);

/* A directory of our own for code that cannot be kept. */
bool ki_cache_open_temporary(ki_cache *cache);

/* The path of a file in the directory; false if it is too long. */
bool ki_cache_path(const ki_cache *cache, ki_hash key, char path[KI_PATH_MAX]);

/* A new file with a name of its own, open for writing; -1: not possible. */
int ki_cache_scratch(const ki_cache *cache, char path[KI_PATH_MAX]);

/* Whether the file is ours, complete and unchanged since it was sealed. */
bool ki_cache_check(const char *path);

/* Seals the file and gives it its name in the cache. */
bool ki_cache_keep(const char *scratch, const char *path);

/* Removes a temporary directory with the file of that path. */
void ki_cache_close(ki_cache *cache, const char *path);

#endif

/* cache.h - where compiled code is kept.
 *
 * A file is called by a hash of everything that it depends on. It appears complete or not at all (written
 * under another name, then renamed), ends with a hash of its content, and is used only if nobody else can
 * write to it or to the folders on its way (trust.h). What was checked is what is loaded: the bytes in
 * memory. */
#ifndef KI_NATIVE_CACHE_H
#define KI_NATIVE_CACHE_H

#include "native/hash.h"
#include "native/trust.h"

typedef struct ki_cache {
    char directory[KI_PATH_MAX];
    bool temporary; /* made for this process only, to be removed */
} ki_cache;

/* Finds or makes the directory. False with the reason (a sentence) if there is none to be trusted. */
bool ki_cache_open(ki_cache *cache, const char *given, char reason[KI_REASON_MAX]);

/* A directory of our own for code that cannot be kept. */
bool ki_cache_open_temporary(ki_cache *cache);

/* The path of a file in the directory; false if it is too long. */
bool ki_cache_path(const ki_cache *cache, ki_hash key, char path[KI_PATH_MAX]);

/* A new file with a name of its own, open for writing; -1: not possible. */
int ki_cache_scratch(const ki_cache *cache, char path[KI_PATH_MAX]);

/* Loads the file if it is ours, complete and unchanged since it was kept (ki_load_bytes); NULL: it is not. */
void *ki_cache_load(const char *path, int *file);

/* Seals the file and gives it its name in the cache. */
bool ki_cache_keep(const char *scratch, const char *path);

/* Removes what was not used for longest until the directory holds no more than `most` bytes, and what
 * compilers that were killed have left for more than a day. */
void ki_cache_prune(const ki_cache *cache, double most);

/* Removes a temporary directory with the file of that path. */
void ki_cache_close(ki_cache *cache, const char *path);

#endif

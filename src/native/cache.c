#include "native/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- the directory */

static bool say(char reason[KI_REASON_MAX], const char *format, const char *path, const char *more) {
    snprintf(reason, KI_REASON_MAX, format, path, more);
    return false;
}

/* $KEEL_CACHE, $XDG_CACHE_HOME/keel, $HOME/.cache/keel */
static bool find_directory(const char *given, char path[KI_PATH_MAX]) {
    const char *own = given ? given : getenv("KEEL_CACHE"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int length = -1;
    if (own && *own)
        length = snprintf(path, KI_PATH_MAX, "%s", own);
    else if (xdg && *xdg == '/') /* relative ones are to be ignored, says the standard */
        length = snprintf(path, KI_PATH_MAX, "%s/keel", xdg);
    else if (home && *home)
        length = snprintf(path, KI_PATH_MAX, "%s/.cache/keel", home);
    return length > 0 && length < KI_PATH_MAX;
}

/* Makes the directory and those above it that do not exist. */
static bool make_directories(const char *path) {
    char part[KI_PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(part, 0700) && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return !mkdir(part, 0700) || errno == EEXIST;
}

bool ki_cache_open(ki_cache *cache, const char *given, char reason[KI_REASON_MAX]) {
    *cache = (ki_cache){.temporary = false};
    if (!find_directory(given, cache->directory))
        return say(reason, "there is no place for compiled code: %s%s", "set KEEL_CACHE to a directory", "");
    if (!make_directories(cache->directory))
        return say(reason, "cannot make %.150s: %s", cache->directory, strerror(errno));
    return ki_trust_folder(cache->directory, reason);
}

bool ki_cache_open_temporary(ki_cache *cache) {
    const char *place = getenv("TMPDIR");
    int length = snprintf(cache->directory, KI_PATH_MAX, "%s/keel-XXXXXX", place && *place ? place : "/tmp");
    cache->temporary = length > 0 && length < KI_PATH_MAX && mkdtemp(cache->directory);
    return cache->temporary;
}

void ki_cache_close(ki_cache *cache, const char *path) {
    if (!cache->temporary)
        return;
    unlink(path);
    rmdir(cache->directory);
    cache->temporary = false;
}

/* ---- files */

bool ki_cache_path(const ki_cache *cache, ki_hash key, char path[KI_PATH_MAX]) {
    unsigned char digest[KI_DIGEST_SIZE];
    char name[2 * KI_DIGEST_SIZE + 1];
    ki_hash_end(&key, digest);
    for (int i = 0; i < KI_DIGEST_SIZE; i++)
        snprintf(name + 2 * i, 3, "%02x", digest[i]);
    int length = snprintf(path, KI_PATH_MAX, "%s/%s.so", cache->directory, name);
    return length > 0 && length < KI_PATH_MAX;
}

int ki_cache_scratch(const ki_cache *cache, char path[KI_PATH_MAX]) {
    int length = snprintf(path, KI_PATH_MAX, "%s/new-XXXXXX", cache->directory);
    return length > 0 && length < KI_PATH_MAX ? mkstemp(path) : -1;
}

/* What stands behind the content of a file in the cache. */
typedef struct seal {
    char mark[8];
    uint64_t size;
    unsigned char digest[KI_DIGEST_SIZE];
} seal;

static seal seal_of(const char *content, size_t size) {
    seal s = {.mark = "keelcode", .size = size};
    ki_hash hash = ki_hash_start();
    ki_hash_add(&hash, content, size);
    ki_hash_end(&hash, s.digest);
    return s;
}

static bool is_sealed(const char *content, size_t size) {
    if (size <= sizeof(seal))
        return false;
    seal made = seal_of(content, size - sizeof(seal));
    return memcmp(content + size - sizeof made, &made, sizeof made) == 0;
}

void *ki_cache_load(const char *path, int *file) {
    size_t size;
    char *content = ki_read_private(path, &size);
    void *library =
        content && is_sealed(content, size) ? ki_load_bytes(content, size - sizeof(seal), file) : NULL;
    free(content);
    if (library)
        utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW); /* when it was used last */
    return library;
}

static bool append(const char *path, const void *data, size_t size) {
    int file = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    bool ok = file >= 0 && ki_write_all(file, data, size);
    if (file >= 0)
        ok = !close(file) && ok;
    return ok;
}

bool ki_cache_keep(const char *scratch, const char *path) {
    size_t size;
    char *content = chmod(scratch, 0700) ? NULL : ki_read_private(scratch, &size);
    if (!content)
        return false;
    seal s = seal_of(content, size);
    free(content);
    return append(scratch, &s, sizeof s) && !rename(scratch, path);
}

/* ---- limits */

typedef struct entry {
    char name[2 * KI_DIGEST_SIZE + 8];
    time_t used;
    double size;
} entry;

static int by_use(const void *a, const void *b) {
    const entry *x = a, *y = b;
    return x->used < y->used ? -1 : x->used > y->used;
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Adds an entry of the cache to the list, or removes what a killed compiler left. */
static bool look_at(int folder, const char *name, entry **list, int *count) {
    enum { DAY = 24 * 3600 };
    struct stat facts;
    bool is_code = ends_with(name, ".so"), is_scratch = strncmp(name, "new-", 4) == 0;
    if ((!is_code && !is_scratch) || fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) ||
        !S_ISREG(facts.st_mode) || strlen(name) >= sizeof(*list)->name)
        return true;
    if (is_scratch) {
        if (time(NULL) - facts.st_mtime > DAY)
            unlinkat(folder, name, 0);
        return true;
    }
    if ((*count & (*count - 1)) == 0) { /* room doubles */
        entry *more = realloc(*list, sizeof *more * (size_t)(*count ? 2 * *count : 1));
        if (!more)
            return false;
        *list = more;
    }
    (*list)[*count] = (entry){.used = facts.st_mtime, .size = (double)facts.st_size};
    strcpy((*list)[(*count)++].name, name);
    return true;
}

void ki_cache_prune(const ki_cache *cache, double most) {
    DIR *folder = opendir(cache->directory);
    entry *list = NULL;
    int count = 0;
    double size = 0;
    for (struct dirent *next; folder && (next = readdir(folder));)
        if (!look_at(dirfd(folder), next->d_name, &list, &count))
            break;
    for (int i = 0; i < count; i++)
        size += list[i].size;
    if (list && size > most)
        qsort(list, (size_t)count, sizeof *list, by_use);
    for (int i = 0; i < count && size > most; i++) {
        unlinkat(dirfd(folder), list[i].name, 0);
        size -= list[i].size;
    }
    free(list);
    if (folder)
        closedir(folder);
}

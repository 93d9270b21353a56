#include "native/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* FNV-1a with 64 bits, twice: the second from another start and backwards in the bits. */
ki_hash ki_hash_add(ki_hash hash, const void *data, size_t size) {
    const uint64_t prime = 0x100000001b3;
    const unsigned char *at = data;
    if (!hash.a && !hash.b)
        hash = (ki_hash){0xcbf29ce484222325, 0x9e3779b97f4a7c15};
    for (size_t i = 0; i < size; i++) {
        hash.a = (hash.a ^ at[i]) * prime;
        hash.b = (hash.b ^ (unsigned char)~at[i]) * prime;
        hash.b ^= hash.b >> 29;
    }
    return hash;
}

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

/* Ours, and nobody else can write to it. */
static bool is_private(const struct stat *facts) {
    return facts->st_uid == geteuid() && !(facts->st_mode & (S_IWGRP | S_IWOTH));
}

bool ki_cache_open(ki_cache *cache, const char *given, char reason[KI_REASON_MAX]) {
    struct stat facts;
    *cache = (ki_cache){.temporary = false};
    if (!find_directory(given, cache->directory))
        return say(reason, "there is no place for compiled code: %s%s", "set KEEL_CACHE to a directory", "");
    if (!make_directories(cache->directory) || stat(cache->directory, &facts))
        return say(reason, "cannot make %.150s: %s", cache->directory, strerror(errno));
    if (!S_ISDIR(facts.st_mode))
        return say(reason, "%.150s is not a directory%s", cache->directory, "");
    if (!is_private(&facts))
        return say(reason, "others may write to %.150s: %s", cache->directory, "code in there is not used");
    return true;
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
    int length = snprintf(path, KI_PATH_MAX, "%s/%016llx%016llx.so", cache->directory,
                          (unsigned long long)key.a, (unsigned long long)key.b);
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
    ki_hash hash;
} seal;

static seal seal_of(const char *content, size_t size) {
    seal s = {.mark = "keelcode", .size = size, .hash = ki_hash_add((ki_hash){0}, content, size)};
    return s;
}

/* The whole file; NULL: it cannot be read, or is none of ours. */
static char *read_file(const char *path, size_t *size) {
    struct stat facts;
    char *content = NULL;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return NULL;
    bool ok = !fstat(file, &facts) && S_ISREG(facts.st_mode) && is_private(&facts) && facts.st_size > 0;
    *size = ok ? (size_t)facts.st_size : 0;
    if (ok)
        content = malloc(*size);
    for (size_t done = 0; content && done < *size;) {
        ssize_t got = read(file, content + done, *size - done);
        if (got > 0) {
            done += (size_t)got;
        } else if (!got || errno != EINTR) {
            free(content);
            content = NULL;
        }
    }
    close(file);
    return content;
}

bool ki_cache_check(const char *path) {
    size_t size;
    bool good = false;
    char *content = read_file(path, &size);
    if (content && size > sizeof(seal)) {
        seal found, made = seal_of(content, size - sizeof(seal));
        memcpy(&found, content + size - sizeof found, sizeof found);
        good = !memcmp(&found, &made, sizeof made);
    }
    free(content);
    return good;
}

static bool append(const char *path, const void *data, size_t size) {
    int file = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    bool ok = file >= 0 && write(file, data, size) == (ssize_t)size;
    if (file >= 0)
        ok = !close(file) && ok;
    return ok;
}

bool ki_cache_keep(const char *scratch, const char *path) {
    size_t size;
    char *content = chmod(scratch, 0700) ? NULL : read_file(scratch, &size);
    if (!content)
        return false;
    seal s = seal_of(content, size);
    free(content);
    return append(scratch, &s, sizeof s) && !rename(scratch, path);
}

/* fuzz_cache.c - libFuzzer target: bytes that Keel did not seal are not loaded as code, and what is called
 * otherwise than its own files stays where it is when the cache is emptied. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "native/cache.h"
#include "target.h"

/* Writes a file by a name out of the bytes into the cache and empties that. */
static void prune(const uint8_t *data, size_t size) {
    ki_cache cache = {.temporary = false};
    char name[80] = "";
    snprintf(cache.directory, sizeof cache.directory, "%s", fuzz_file(""));
    for (size_t i = 0; i < size && i < sizeof name - 1; i++)
        name[i] = (char)data[i] == '/' ? '_' : (char)data[i];
    size_t length = strlen(name);
    if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
        return;
    char path[KI_PATH_MAX + sizeof name];
    snprintf(path, sizeof path, "%s%s", cache.directory, name);
    fuzz_write(path, data, 1);
    ki_cache_prune(&cache, 0);
    bool code = length >= 3 && strcmp(name + length - 3, ".so") == 0;
    if (!code && access(path, F_OK))
        abort();
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[KI_PATH_MAX];
    int file;
    snprintf(path, sizeof path, "%s", fuzz_file("code.so"));
    if (size) {
        fuzz_write(path, data, size);
        chmod(path, 0700);
        if (ki_cache_load(path, &file))
            abort();
        prune(data, size);
    }
    return 0;
}

#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fuzz_explained(bool done, keel_status status, const keel_diagnostics *messages) {
    int errors = keel_diagnostics_errors(messages);
    bool told = (status == KEEL_ERROR_INPUT || status == KEEL_ERROR_IO) && errors > 0;
    if (done ? status < 0 || errors > 0 : status != KEEL_ERROR_MEMORY && !told)
        abort();
}

static char folder[64];

static void remove_folder(void) {
    static const char *const NAMES[] = {"result.csv", "result.h5", "code.so"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        unlink(fuzz_file(NAMES[i]));
    rmdir(folder);
}

const char *fuzz_file(const char *name) {
    static char path[sizeof folder + 64];
    const char *place = getenv("TMPDIR");
    if (!*folder) {
        snprintf(folder, sizeof folder, "%.40s/keel-fuzz-XXXXXX", place && *place ? place : "/tmp");
        if (!mkdtemp(folder))
            abort();
        atexit(remove_folder);
    }
    snprintf(path, sizeof path, "%s/%.60s", folder, name);
    return path;
}

void fuzz_write(const char *path, const uint8_t *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        abort();
}

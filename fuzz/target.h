/* target.h - what the fuzz targets share. A target calls abort() where Keel breaks a promise; libFuzzer keeps
 * the input. */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "keel/diagnostics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What failed has told why: an error for bad input, or memory that ran out. What was done has not. */
void fuzz_explained(bool done, keel_status status, const keel_diagnostics *messages);

/* A folder of this process for files, removed at its end; the path of a file in it. */
const char *fuzz_file(const char *name);

/* Writes the bytes as that file. */
void fuzz_write(const char *path, const uint8_t *data, size_t size);

/* The next bytes as a small number from 0 to most - 1; 0 when there are none left. */
typedef struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
} fuzz_bytes;

static inline int fuzz_next(fuzz_bytes *bytes, int most) {
    if (!bytes->left)
        return 0;
    bytes->left--;
    return *bytes->at++ % most;
}

#endif

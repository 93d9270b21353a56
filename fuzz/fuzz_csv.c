/* fuzz_csv.c - libFuzzer target: any bytes may be read as the rows of a run. */
#include <stdio.h>
#include <stdlib.h>

#include "keel/results.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static FILE *nowhere;
    const char *path = fuzz_file("result.csv");
    if (!nowhere && !(nowhere = fopen("/dev/null", "w")))
        abort();
    fuzz_write(path, data, size);
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status;
    keel_record *record = keel_record_read(path, messages, &status);
    fuzz_explained(record, status, messages);
    if (record && keel_page_write(nowhere, record, NULL, NULL, NULL) != KEEL_OK)
        abort();
    keel_record_free(record);
    keel_diagnostics_free(messages);
    return 0;
}

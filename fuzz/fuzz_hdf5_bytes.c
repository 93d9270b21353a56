/* fuzz_hdf5_bytes.c - libFuzzer target: any bytes may be given as an HDF5 file. Most of what it runs is the
 * HDF5 library, whose mistakes on damaged files are not Keel's to mend: keel report tells them (cli/fault.c).
 */
#include <stdio.h>
#include <stdlib.h>

#include "keel/results.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static FILE *nowhere;
    const char *path = fuzz_file("result.h5");
    if (!nowhere && !(nowhere = fopen("/dev/null", "w")))
        abort();
    fuzz_write(path, data, size);
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status;
    keel_record *record = keel_record_read(path, messages, &status);
    fuzz_explained(record, status, messages);
    if (record && keel_page_write(nowhere, record, keel_record_origin(record), NULL, NULL) != KEEL_OK)
        abort();
    keel_record_free(record);
    keel_diagnostics_free(messages);
    return 0;
}

/* without_hdf5.c - stands in for hdf5.c and read_hdf5.c in builds without HDF5: files of that format
 * are refused. */
#include <errno.h>

#include "results/growing.h"
#include "results/record.h"

bool ki_hdf5_is_there(void) {
    return false;
}

keel_hdf5 *keel_hdf5_open(const char *path, const keel_system *system, const keel_origin *origin,
                          const keel_row *first, keel_status *status) {
    (void)path, (void)system, (void)origin, (void)first;
    errno = ENOTSUP;
    if (status)
        *status = KEEL_ERROR_IO;
    return NULL;
}

keel_status keel_hdf5_row(keel_hdf5 *hdf5, const keel_row *row) {
    (void)hdf5, (void)row;
    return KEEL_ERROR_INPUT;
}

keel_status keel_hdf5_step(keel_hdf5 *hdf5, const keel_step *step) {
    (void)hdf5, (void)step;
    return KEEL_ERROR_INPUT;
}

keel_status keel_hdf5_close(keel_hdf5 *hdf5, const keel_result *result, const char *message) {
    (void)hdf5, (void)result, (void)message;
    return KEEL_OK;
}

void keel_hdf5_without_exit_handler(void) {}

keel_status ki_hdf5_wait(keel_hdf5 *hdf5) {
    (void)hdf5;
    return KEEL_OK;
}

keel_status ki_hdf5_values(keel_hdf5 *hdf5, const double *values) {
    (void)hdf5, (void)values;
    return KEEL_ERROR_INPUT;
}

keel_status ki_read_hdf5(const char *path, keel_diagnostics *diagnostics, keel_record *record) {
    (void)record;
    keel_diagnostics_add(diagnostics, KEEL_ERROR, (keel_location){.file = path},
                         "this build of Keel has no HDF5: it reads rows from .csv");
    return KEEL_ERROR_IO;
}

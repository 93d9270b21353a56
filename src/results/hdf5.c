/* hdf5.c - rows as HDF5: one dataset [rows x n] for each vector, appended in blocks.
 *
 * Rows wait in memory and go out together. The file is made for one writer and many readers (SWMR): HDF5 then
 * writes what is pointed to before what points to it, and a run that is killed, even within a block, leaves a
 * file with all rows up to the block before. In this mode nothing can be added but to datasets that are
 * there, so those for the texts of the end are made at the beginning. The times are appended last, so that
 * their number is that of the complete rows.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/foreign.h"
#include "base/refuse.h"
#include "results/growing.h"
#include "results/hdf5_parts.h"
#include "results/verdict.h"

/* A block goes out when it has so many numbers, or is so many seconds old. */
enum { BLOCK_NUMBERS = 1 << 17, BLOCK_SECONDS = 1, CHUNK_BYTES = 1 << 14 };

/* Rows on their way into datasets. */
typedef struct block {
    int width;
    long count, most;
    double *values; /* [most x width] */
} block;

struct keel_hdf5 {
    const keel_system *system;
    ki_arena arena;
    char *name; /* of the model */
    hid_t file;
    ki_hdf5_silence before;
    ki_columns columns;
    hid_t set[KI_GROUPS]; /* 0 where there is none */
    hid_t step_set[KI_STEP_WIDTH];
    hid_t summary, report; /* texts, empty until the end */
    block rows, steps;
    hsize_t rows_written, steps_written;
    time_t flushed;
    ki_energy_scale scale;
    int error; /* errno of the first failure */
};

bool ki_hdf5_is_there(void) {
    return true;
}

static const char *const STEP_SETS[KI_STEP_WIDTH] = {"steps/t", "steps/size", "steps/order", "steps/gap"};

static keel_status failed(keel_hdf5 *h) {
    if (!h->error)
        h->error = ki_hdf5_out_of_memory() ? ENOMEM : errno ? errno : EIO;
    errno = h->error;
    return KEEL_ERROR_IO;
}

static bool block_init(block *b, ki_arena *arena, int width) {
    b->width = width;
    b->most = BLOCK_NUMBERS / width > 0 ? BLOCK_NUMBERS / width : 1;
    b->values = KI_NEW(arena, double, b->most *width);
    return b->values != NULL;
}

/* A dataset that grows along its rows; `width` 0: one number a row, no second dimension. */
static hid_t new_set(hid_t file, const char *name, int width) {
    int dimensions = width ? 2 : 1, columns = width ? width : 1;
    hsize_t extent[2] = {0, (hsize_t)columns}, most[2] = {H5S_UNLIMITED, (hsize_t)columns};
    hsize_t rows = CHUNK_BYTES / (8 * (hsize_t)columns), chunk[2] = {rows ? rows : 1, (hsize_t)columns};
    hid_t space = H5Screate_simple(dimensions, extent, most), list = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = -1;
    if (space >= 0 && list >= 0 && H5Pset_chunk(list, dimensions, chunk) >= 0)
        set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(list);
    return set;
}

/* Appends columns [from, from + columns) of the waiting rows. */
static bool append(hid_t set, const block *b, int from, int columns, hsize_t already) {
    hsize_t count[2] = {(hsize_t)b->count, (hsize_t)columns}, start[2] = {already, 0};
    hsize_t extent[2] = {already + count[0], count[1]};
    hsize_t memory_extent[2] = {(hsize_t)b->count, (hsize_t)b->width}, memory_start[2] = {0, (hsize_t)from};
    if (H5Dset_extent(set, extent) < 0)
        return false;
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(2, memory_extent, NULL);
    bool good = space >= 0 && memory >= 0 &&
                H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Sselect_hyperslab(memory, H5S_SELECT_SET, memory_start, NULL, count, NULL) >= 0 &&
                H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, b->values) >= 0 &&
                H5Dflush(set) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    return good;
}

/* Some of the rows are enough to know how large the energies are: 64, and of those after them fewer and
 * fewer. Which ones is a matter of their numbers, not of when they go out. */
static void look_at_energies(keel_hdf5 *h) {
    const int *at = h->columns.at;
    hsize_t apart = 1;
    for (long i = 0; i < h->rows.count; i++) {
        hsize_t number = h->rows_written + (hsize_t)i;
        while (number / apart >= 64)
            apart *= 2;
        if (number % apart)
            continue;
        const double *row = h->rows.values + i * h->rows.width;
        keel_point point = {.t = row[0],
                            .q = row + at[KI_COORDINATE],
                            .v = row + at[KI_VELOCITY],
                            .z = row + at[KI_STATE],
                            .s = row + at[KI_AUXILIARY],
                            .lambda = row + at[KI_MULTIPLIER]};
        ki_energy_scale_show(&h->scale, &point);
    }
}

static keel_status flush(keel_hdf5 *h) {
    const int *at = h->columns.at;
    bool good = true;
    errno = 0;
    look_at_energies(h);
    for (int k = KI_STEP_WIDTH - 1; k >= 0 && h->steps.count && good; k--)
        good = append(h->step_set[k], &h->steps, k, 1, h->steps_written);
    for (int g = KI_GROUPS - 1; g >= 0 && h->rows.count && good; g--)
        if (h->set[g] > 0)
            good = append(h->set[g], &h->rows, at[g], at[g + 1] - at[g], h->rows_written);
    h->steps_written += (hsize_t)h->steps.count;
    h->rows_written += (hsize_t)h->rows.count;
    h->steps.count = h->rows.count = 0;
    h->flushed = time(NULL);
    return good && H5Fflush(h->file, H5F_SCOPE_GLOBAL) >= 0 ? KEEL_OK : failed(h);
}

/* ---- opening --------------------------------------------------------------------------------------------
 */

static bool put_missing(hid_t set) {
    const double missing = KI_HDF5_MISSING;
    return ki_hdf5_put_numbers(set, "_FillValue", &missing, 1);
}

/* Names, units and marks of the columns of a dataset, one for each; of the time its unit alone. */
static bool put_columns(keel_hdf5 *h, ki_group g) {
    int from = h->columns.at[g], count = h->columns.at[g + 1] - from, any = 0;
    const char **names = KI_NEW(&h->arena, const char *, count);
    const char **units = KI_NEW(&h->arena, const char *, count);
    double *shared = KI_NEW(&h->arena, double, count);
    if (h->arena.failed)
        return false;
    if (g == KI_TIME)
        return ki_hdf5_put_text(h->set[g], "units", h->columns.column[from].unit);
    for (int i = 0; i < count; i++) {
        names[i] = h->columns.column[from + i].name;
        units[i] = h->columns.column[from + i].unit;
        shared[i] = h->columns.column[from + i].shared;
        any |= h->columns.column[from + i].shared;
    }
    return ki_hdf5_put_texts(h->set[g], "names", names, count) &&
           ki_hdf5_put_texts(h->set[g], "units", units, count) &&
           (!any || ki_hdf5_put_numbers(h->set[g], "shared", shared, count));
}

static bool make_sets(keel_hdf5 *h) {
    for (int g = 0; g < KI_GROUPS; g++) {
        int width = h->columns.at[g + 1] - h->columns.at[g];
        if (width == 0)
            continue;
        h->set[g] = new_set(h->file, ki_group_dataset[g], g == KI_TIME ? 0 : width);
        if (h->set[g] < 0 || !put_missing(h->set[g]) || !put_columns(h, (ki_group)g))
            return false;
    }
    hid_t group = H5Gcreate2(h->file, "steps", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0 || H5Gclose(group) < 0)
        return false;
    for (int k = 0; k < KI_STEP_WIDTH; k++) {
        bool is_time = k == KI_STEP_T || k == KI_STEP_SIZE;
        const char *unit = is_time ? h->columns.column[h->columns.at[KI_TIME]].unit : "1";
        h->step_set[k] = new_set(h->file, STEP_SETS[k], 0);
        if (h->step_set[k] < 0 || !ki_hdf5_put_text(h->step_set[k], "units", unit))
            return false;
    }
    h->summary = ki_hdf5_new_text(h->file, "summary");
    h->report = ki_hdf5_new_text(h->file, "report");
    return h->summary >= 0 && h->report >= 0;
}

static bool put_optional(hid_t file, const char *name, const char *text) {
    return !text || ki_hdf5_put_text(file, name, text);
}

static bool put_origin(hid_t file, const keel_origin *origin) {
    const double version = KI_HDF5_VERSION;
    bool good = ki_hdf5_put_text(file, "format", KI_HDF5_FORMAT) &&
                ki_hdf5_put_numbers(file, "version", &version, 1) &&
                ki_hdf5_put_text(file, "keel", keel_version());
    if (!good || !origin)
        return good;
    return put_optional(file, "name", origin->name) &&
           put_optional(file, "description", origin->description) &&
           put_optional(file, "model_file", origin->model_file) &&
           ki_hdf5_put_texts(file, "set", origin->set, origin->set_count) &&
           ki_hdf5_put_texts(file, "parameter_names", origin->parameter_name, origin->parameter_count) &&
           ki_hdf5_put_numbers(file, "parameters", origin->parameter_value, origin->parameter_count) &&
           (!origin->model_text || ki_hdf5_put_long_text(file, "model", origin->model_text));
}

/* Files as HDF5 1.10 reads them: earlier ones do not know of readers beside a writer. */
static hid_t create_file(const char *path) {
    hid_t list = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    if (list >= 0 && H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0)
        file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, list);
    H5Pclose(list);
    return file;
}

static keel_status open_all(keel_hdf5 *h, const char *path, const keel_origin *origin,
                            const keel_row *first) {
    ki_optional optional = ki_optional_of(first);
    const char *name = origin && origin->name ? origin->name : "model";
    keel_status status = ki_columns_make(h->system, &optional, &h->arena, &h->columns);
    h->name = ki_arena_text(&h->arena, name, strlen(name));
    if (!status)
        status = ki_energy_scale_init(&h->scale, h->system);
    if (status || !h->name || !block_init(&h->rows, &h->arena, h->columns.count) ||
        !block_init(&h->steps, &h->arena, KI_STEP_WIDTH))
        return KEEL_ERROR_MEMORY;
    errno = 0;
    h->file = create_file(path);
    if (h->file < 0 || !put_origin(h->file, origin) || !make_sets(h) || H5Fstart_swmr_write(h->file) < 0)
        return h->arena.failed ? KEEL_ERROR_MEMORY : failed(h);
    return flush(h);
}

static bool close_sets(keel_hdf5 *h) {
    bool good = true;
    for (int g = 0; g < KI_GROUPS; g++)
        if (h->set[g] > 0)
            good = H5Dclose(h->set[g]) >= 0 && good;
    for (int k = 0; k < KI_STEP_WIDTH; k++)
        if (h->step_set[k] > 0)
            good = H5Dclose(h->step_set[k]) >= 0 && good;
    if (h->summary > 0)
        good = H5Dclose(h->summary) >= 0 && good;
    if (h->report > 0)
        good = H5Dclose(h->report) >= 0 && good;
    return good;
}

static void release(keel_hdf5 *h) {
    ki_energy_scale_clear(&h->scale);
    ki_hdf5_be_as_before(h->before);
    ki_arena_free(&h->arena);
    free(h);
}

keel_hdf5 *keel_hdf5_open(const char *path, const keel_system *system, const keel_origin *origin,
                          const keel_row *first, keel_status *status) {
    if (!path || !system || !status)
        return ki_refuse(status);
    keel_hdf5 *h = calloc(1, sizeof *h);
    if (!h) {
        *status = KEEL_ERROR_MEMORY;
        return NULL;
    }
    ki_arena_init(&h->arena);
    h->system = system;
    ki_foreign_begin("HDF5");
    h->before = ki_hdf5_be_silent();
    *status = open_all(h, path, origin, first);
    if (*status == KEEL_OK) {
        ki_foreign_end();
        return h;
    }
    int error = h->error;
    close_sets(h);
    if (h->file > 0)
        H5Fclose(h->file);
    release(h);
    ki_foreign_end();
    errno = error;
    return NULL;
}

/* ---- rows -----------------------------------------------------------------------------------------------
 */

static keel_status after_adding(keel_hdf5 *h) {
    bool full = h->rows.count == h->rows.most || h->steps.count == h->steps.most;
    if (!full && time(NULL) - h->flushed < BLOCK_SECONDS)
        return KEEL_OK;
    ki_foreign_begin("HDF5");
    keel_status status = flush(h);
    ki_foreign_end();
    return status;
}

/* The row whose numbers stand behind those that wait. */
static keel_status add_row(keel_hdf5 *h) {
    double *values = h->rows.values + h->rows.count++ * h->rows.width;
    if (h->system->has_energy)
        h->scale.row_drift = fmax(h->scale.row_drift, fabs(values[h->columns.at[KI_ENERGY] + 1]));
    for (int i = 0; i < h->rows.width; i++)
        values[i] = isfinite(values[i]) ? values[i] : KI_HDF5_MISSING;
    return after_adding(h);
}

keel_status keel_hdf5_row(keel_hdf5 *h, const keel_row *row) {
    if (!h || !row)
        return KEEL_ERROR_INPUT;
    ki_columns_fill(&h->columns, row, h->rows.values + h->rows.count * h->rows.width);
    return add_row(h);
}

keel_status ki_hdf5_values(keel_hdf5 *h, const double *values) {
    memcpy(h->rows.values + h->rows.count * h->rows.width, values, (size_t)h->rows.width * sizeof *values);
    return add_row(h);
}

keel_status ki_hdf5_wait(keel_hdf5 *h) {
    return h->rows.count || h->steps.count ? after_adding(h) : KEEL_OK;
}

keel_status keel_hdf5_step(keel_hdf5 *h, const keel_step *step) {
    if (!h || !step)
        return KEEL_ERROR_INPUT;
    double *values = h->steps.values + h->steps.count++ * KI_STEP_WIDTH;
    values[KI_STEP_T] = step->t;
    values[KI_STEP_SIZE] = step->size;
    values[KI_STEP_ORDER] = step->order;
    values[KI_STEP_GAP] = step->gap;
    return after_adding(h);
}

static bool put_end(keel_hdf5 *h, const keel_result *result, const char *message) {
    char *summary = NULL, *verdict = ki_verdict_text(h->system, result, message, &h->scale);
    size_t length = 0;
    FILE *file = open_memstream(&summary, &length);
    bool good = verdict && file && keel_summary_write(file, h->name, h->system, result, message) == KEEL_OK;
    if (file)
        good = fclose(file) == 0 && good;
    good = good && ki_hdf5_set_text(h->report, verdict) && ki_hdf5_set_text(h->summary, summary);
    free(summary);
    free(verdict);
    return good;
}

keel_status keel_hdf5_close(keel_hdf5 *h, const keel_result *result, const char *message) {
    if (!h)
        return KEEL_OK;
    ki_foreign_begin("HDF5");
    flush(h);
    errno = 0;
    if (!h->error && result && !put_end(h, result, message))
        failed(h);
    if (!close_sets(h))
        failed(h);
    if (H5Fclose(h->file) < 0)
        failed(h);
    int error = h->error;
    release(h);
    ki_foreign_end();
    errno = error;
    return error ? KEEL_ERROR_IO : KEEL_OK;
}

/* read_hdf5.c - reads back what hdf5.c wrote. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/foreign.h"
#include "results/hdf5_parts.h"
#include "results/regular.h"

/* A file while it is read. */
typedef struct reading {
    const char *path;
    keel_diagnostics *diagnostics;
    keel_record *record;
    hid_t file;
    hid_t set[KI_GROUPS]; /* 0 where there is none */
    int width[KI_GROUPS];
    const char **names[KI_GROUPS], **units[KI_GROUPS]; /* units NULL: a file without */
    hsize_t rows;
} reading;

#define COMPLAIN(r, ...)                                                                                     \
    (ki_hdf5_out_of_memory() ? KEEL_ERROR_MEMORY                                                             \
                             : (keel_diagnostics_add((r)->diagnostics, KEEL_ERROR,                           \
                                                     (keel_location){.file = (r)->path}, __VA_ARGS__),       \
                                KEEL_ERROR_INPUT))

/* Whether a writer that lets others read has the file, or had it when it was killed: a mark behind signature,
 * version (3) and two sizes of the superblock. */
static bool is_being_written(const char *path) {
    enum { VERSION = 8, MARKS = 11, WITH_READERS = 4 };
    unsigned char head[12] = {0};
    FILE *file = ki_open_regular(path);
    bool whole = file && fread(head, 1, sizeof head, file) == sizeof head;
    if (file)
        fclose(file);
    return whole && head[VERSION] == 3 && head[MARKS] & WITH_READERS;
}

/* Looks at what is half written once: a writer that was killed will not finish it. */
static hid_t open_as_it_is(const char *path) {
    bool written = is_being_written(path);
    hid_t list = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    if (list >= 0 && (!written || H5Pset_metadata_read_attempts(list, 1) >= 0))
        file = H5Fopen(path, written ? H5F_ACC_RDONLY | H5F_ACC_SWMR_READ : H5F_ACC_RDONLY, list);
    H5Pclose(list);
    return file;
}

static keel_status open_file(reading *r) {
    FILE *file = ki_open_regular(r->path);
    if (!file) {
        keel_diagnostics_add(r->diagnostics, KEEL_ERROR, (keel_location){.file = r->path},
                             "cannot be opened: %s", ki_regular_problem());
        return KEEL_ERROR_IO;
    }
    bool is_empty = fgetc(file) == EOF;
    fclose(file);
    if (is_empty)
        return COMPLAIN(r, "the file is empty");
    if (H5Fis_hdf5(r->path) <= 0)
        return COMPLAIN(r, "this is not an HDF5 file");
    r->file = open_as_it_is(r->path);
    if (r->file < 0)
        return COMPLAIN(r, "this HDF5 file is truncated or damaged");
    const char *format = ki_hdf5_get_text(r->file, "format", &r->record->arena);
    if (r->record->arena.failed)
        return KEEL_ERROR_MEMORY;
    if (!format || strcmp(format, KI_HDF5_FORMAT) != 0)
        return COMPLAIN(r, "an HDF5 file, but not a result of 'keel run -o'");
    return KEEL_OK;
}

/* Extent of a dataset of numbers: rows, and columns (1 for a list). False if it is something else. */
static bool shape_of(hid_t set, hsize_t extent[2]) {
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    int dimensions = H5Sget_simple_extent_ndims(space);
    extent[1] = 1;
    bool good = (dimensions == 1 || dimensions == 2) && H5Tget_class(type) == H5T_FLOAT &&
                H5Sget_simple_extent_dims(space, extent, NULL) >= 0 && extent[1] > 0 && extent[1] < 1 << 24;
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

/* Reading takes time in proportion to the numbers; this many take about ten seconds. */
static keel_status limit_of_numbers(const reading *r) {
    static const double MOST_NUMBERS = 1 << 30;
    double width = 0;
    for (int g = 0; g < KI_GROUPS; g++)
        width += r->width[g];
    if (width * (double)r->rows <= MOST_NUMBERS)
        return KEEL_OK;
    return COMPLAIN(
        r,
        "%.3g rows of %.0f columns are more than is read (%.0f numbers in all): a run with a larger "
        "'output' distance keeps fewer rows",
        (double)r->rows, width, MOST_NUMBERS);
}

/* Opens the datasets that are there; their common number of rows. */
static keel_status open_sets(reading *r) {
    ki_arena *arena = &r->record->arena;
    r->rows = (hsize_t)-1;
    for (int g = 0; g < KI_GROUPS; g++) {
        hsize_t extent[2];
        r->set[g] = ki_hdf5_open_set(r->file, ki_group_dataset[g]);
        if (r->set[g] == 0)
            continue;
        if (r->set[g] < 0 || !shape_of(r->set[g], extent))
            return COMPLAIN(r, "dataset '%s' is not what 'keel run -o' writes", ki_group_dataset[g]);
        r->width[g] = (int)extent[1];
        r->rows = extent[0] < r->rows ? extent[0] : r->rows;
        if (ki_hdf5_get_texts(r->set[g], "units", arena, &r->units[g]) != r->width[g])
            r->units[g] = NULL;
        if (g != KI_TIME && ki_hdf5_get_texts(r->set[g], "names", arena, &r->names[g]) != r->width[g])
            return arena->failed ? KEEL_ERROR_MEMORY
                                 : COMPLAIN(r, "dataset '%s' has no names for its %d columns",
                                            ki_group_dataset[g], r->width[g]);
    }
    if (!r->set[KI_TIME] || r->width[KI_TIME] != 1 || r->rows == 0)
        return COMPLAIN(r, "there is no row in this file");
    return limit_of_numbers(r);
}

/* Marks of shared multipliers and outputs. */
static void read_shared(const reading *r, int g, ki_column *column) {
    double *shared = calloc((size_t)r->width[g] + 1, sizeof *shared);
    hid_t attribute = H5Aexists(r->set[g], "shared") > 0 ? H5Aopen(r->set[g], "shared", H5P_DEFAULT) : -1;
    if (attribute >= 0) {
        hid_t space = H5Aget_space(attribute);
        if (shared && H5Sget_simple_extent_npoints(space) == r->width[g] &&
            H5Aread(attribute, H5T_NATIVE_DOUBLE, shared) >= 0)
            for (int i = 0; i < r->width[g]; i++)
                column[i].shared = shared[i] > 0;
        H5Sclose(space);
        H5Aclose(attribute);
    }
    free(shared);
}

static keel_status make_columns(reading *r) {
    ki_columns *columns = &r->record->columns;
    int count = 0;
    for (int g = 0; g < KI_GROUPS; g++)
        count += r->width[g];
    columns->column = KI_NEW(&r->record->arena, ki_column, count);
    if (!columns->column)
        return KEEL_ERROR_MEMORY;
    for (int g = 0; g < KI_GROUPS; g++) {
        ki_column *first = columns->column + columns->count;
        for (int i = 0; i < r->width[g]; i++)
            columns->column[columns->count++] = (ki_column){g == KI_TIME ? "t" : r->names[g][i], (ki_group)g,
                                                            false, r->units[g] ? r->units[g][i] : ""};
        if (r->width[g])
            read_shared(r, g, first);
    }
    return ki_record_prepare(r->record);
}

/* Rows [start, start + count) of a dataset into columns [at, at + width) of `to`, which has `across`. */
static bool read_block(hid_t set, int width, hsize_t start, hsize_t count, double *to, int at, int across) {
    hsize_t from[2] = {start, 0}, extent[2] = {count, (hsize_t)width};
    hsize_t memory_extent[2] = {count, (hsize_t)across}, memory_from[2] = {0, (hsize_t)at};
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(2, memory_extent, NULL);
    bool good = space >= 0 && memory >= 0 &&
                H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, extent, NULL) >= 0 &&
                H5Sselect_hyperslab(memory, H5S_SELECT_SET, memory_from, NULL, extent, NULL) >= 0 &&
                H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, to) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    for (hsize_t i = 0; good && i < count; i++)
        for (int k = 0; k < width; k++) {
            double *value = to + i * (hsize_t)across + at + k;
            *value = *value == KI_HDF5_MISSING ? NAN : *value;
        }
    return good;
}

/* Block by block, so that a file of any length can be looked at. */
static keel_status read_rows(reading *r) {
    int across = r->record->columns.count;
    hsize_t block = (hsize_t)(1 << 18) / (hsize_t)across + 1;
    double *values = malloc((size_t)block * (size_t)across * sizeof *values);
    keel_status status = values ? KEEL_OK : KEEL_ERROR_MEMORY;
    for (hsize_t start = 0; start < r->rows && !status; start += block) {
        hsize_t count = r->rows - start < block ? r->rows - start : block;
        for (int g = 0, at = 0; g < KI_GROUPS && !status; at += r->width[g++])
            if (r->width[g] && !read_block(r->set[g], r->width[g], start, count, values, at, across))
                status = COMPLAIN(r, "dataset '%s' cannot be read: the file is damaged", ki_group_dataset[g]);
        for (hsize_t i = 0; i < count && !status; i++)
            status = ki_series_add(&r->record->rows, values + i * (hsize_t)across);
    }
    free(values);
    return status;
}

/* Steps are a help, not a must: what cannot be read is left out. */
static keel_status read_steps(reading *r) {
    static const char *const SETS[KI_STEP_WIDTH] = {"steps/t", "steps/size", "steps/order", "steps/gap"};
    enum { BLOCK = 4096 };
    double values[BLOCK * KI_STEP_WIDTH];
    hid_t set[KI_STEP_WIDTH] = {0};
    hsize_t rows = (hsize_t)-1, extent[2];
    keel_status status = KEEL_OK;
    bool good = true;
    for (int k = 0; k < KI_STEP_WIDTH && good; k++) {
        set[k] = ki_hdf5_open_set(r->file, SETS[k]);
        good = set[k] > 0 && shape_of(set[k], extent) && extent[1] == 1;
        rows = good && extent[0] < rows ? extent[0] : rows;
    }
    for (hsize_t start = 0; good && start < rows && !status; start += BLOCK) {
        hsize_t count = rows - start < BLOCK ? rows - start : BLOCK;
        for (int k = 0; k < KI_STEP_WIDTH && good; k++)
            good = read_block(set[k], 1, start, count, values, k, KI_STEP_WIDTH);
        for (hsize_t i = 0; i < count && good && !status; i++)
            status = ki_series_add(&r->record->steps, values + i * KI_STEP_WIDTH);
    }
    for (int k = 0; k < KI_STEP_WIDTH; k++)
        if (set[k] > 0)
            H5Dclose(set[k]);
    return status;
}

static void read_origin(reading *r) {
    keel_record *record = r->record;
    keel_origin *origin = &record->origin;
    const char **set;
    origin->name = ki_hdf5_get_text(r->file, "name", &record->arena);
    origin->description = ki_hdf5_get_text(r->file, "description", &record->arena);
    origin->model_file = ki_hdf5_get_text(r->file, "model_file", &record->arena);
    origin->model_text = ki_hdf5_get_long_text(r->file, "model", &record->arena);
    int count = ki_hdf5_get_texts(r->file, "set", &record->arena, &set);
    if (count > 0) {
        origin->set = set;
        origin->set_count = count;
    }
    record->summary = ki_hdf5_get_long_text(r->file, "summary", &record->arena);
    record->report = ki_hdf5_get_long_text(r->file, "report", &record->arena);
    record->cut_off = !record->summary;
}

keel_status ki_read_hdf5(const char *path, keel_diagnostics *diagnostics, keel_record *record) {
    reading r = {.path = path, .diagnostics = diagnostics, .record = record, .file = -1};
    ki_foreign_begin("HDF5");
    ki_hdf5_silence before = ki_hdf5_be_silent();
    keel_status status = open_file(&r);
    if (!status)
        status = open_sets(&r);
    if (!status)
        status = make_columns(&r);
    if (!status)
        status = read_rows(&r);
    if (!status)
        status = read_steps(&r);
    if (!status)
        read_origin(&r);
    for (int g = 0; g < KI_GROUPS; g++)
        if (r.set[g] > 0)
            H5Dclose(r.set[g]);
    if (r.file >= 0)
        H5Fclose(r.file);
    ki_hdf5_be_as_before(before);
    ki_foreign_end();
    return status ? status : record->arena.failed || ki_hdf5_out_of_memory() ? KEEL_ERROR_MEMORY : KEEL_OK;
}

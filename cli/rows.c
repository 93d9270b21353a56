#include "rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/stream.h"

static bool is_hdf5(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0);
}

/* `path` with something behind it; NULL when out of memory. */
static char *name_beside(const char *path, const char *end) {
    size_t length = strlen(path), more = strlen(end) + 1;
    char *name = malloc(length + more);
    if (name) {
        memcpy(name, path, length);
        memcpy(name + length, end, more);
    }
    return name;
}

bool cli_rows_init(cli_rows *rows, const char *path, const keel_system *system, const keel_origin *origin,
                   bool may_go_on) {
    *rows = (cli_rows){.path = path, .system = system, .origin = origin, .may_go_on = may_go_on};
    bool stored = path && may_go_on && is_hdf5(path);
    rows->store_path = stored ? name_beside(path, ".rows") : NULL;
    return !stored || rows->store_path;
}

static const char *growing_path(const cli_rows *rows) {
    return rows->store_path ? rows->store_path : rows->path;
}

static keel_status failed(cli_rows *rows, const char *path, keel_status status) {
    if (status == KEEL_ERROR_IO && !rows->error_path)
        rows->error_path = path;
    return status;
}

/* ---- files that go on */

/* The mark of the bytes before `size`; false where the file is shorter, or is none. */
static bool mark_of(const char *path, long size, uint64_t *mark) {
    enum { LOOK = 4096 };
    char bytes[LOOK];
    size_t count = size < LOOK ? (size_t)size : LOOK;
    FILE *file = fopen(path, "rb");
    bool good =
        file && fseek(file, size - (long)count, SEEK_SET) == 0 && fread(bytes, 1, count, file) == count;
    if (file)
        fclose(file);
    *mark = ki_mark_add(KI_MARK, bytes, good ? count : 0);
    return good;
}

bool cli_rows_go_on(cli_rows *rows, const cli_position *from) {
    uint64_t mark;
    if (!rows->path || from->size == 0)
        return true;
    const char *path = growing_path(rows);
    if (!mark_of(path, from->size, &mark) || mark != from->mark) {
        cli_error("run",
                  "%s is not what the run wrote until its checkpoint: it has been changed, moved or replaced",
                  path);
        return false;
    }
    rows->goes_on = *from;
    return true;
}

/* What was written after the checkpoint is written again. */
static keel_status cut(cli_rows *rows) {
    if (rows->is_cut || rows->goes_on.size == 0)
        return KEEL_OK;
    rows->is_cut = true;
    const char *path = growing_path(rows);
    return truncate(path, rows->goes_on.size) ? failed(rows, path, KEEL_ERROR_IO) : KEEL_OK;
}

/* ---- a file beside one that is there */

/* Where rows go first: NULL with errno, if that cannot be. */
static const char *first_path(cli_rows *rows) {
    struct stat there;
    bool is_file = strcmp(rows->path, "-") != 0 && stat(rows->path, &there) == 0 && S_ISREG(there.st_mode);
    if (!is_file || there.st_size == 0)
        return rows->path;
    if (access(rows->path, W_OK))
        return NULL;
    char *target = realpath(rows->path, NULL); /* a link stays one */
    rows->beside = target ? name_beside(target, ".XXXXXX") : NULL;
    free(target);
    int file = rows->beside ? mkstemp(rows->beside) : -1;
    bool made = file >= 0 && fchmod(file, there.st_mode & 0777) == 0;
    if (file >= 0)
        close(file);
    if (made)
        return rows->beside;
    if (file >= 0)
        unlink(rows->beside);
    free(rows->beside);
    rows->beside = NULL;
    /* a folder in which no file can be made: the file is written as it is */
    return rows->path;
}

/* The run has begun well. */
static keel_status take_place(cli_rows *rows) {
    if (!rows->beside)
        return KEEL_OK;
    char *target = name_beside(rows->beside, "");
    if (!target)
        return KEEL_ERROR_MEMORY;
    target[strlen(target) - strlen(".XXXXXX")] = 0;
    keel_status status = rename(rows->beside, target) ? failed(rows, rows->path, KEEL_ERROR_IO) : KEEL_OK;
    free(target);
    if (!status) {
        free(rows->beside);
        rows->beside = NULL;
    }
    return status;
}

/* ---- rows */

static keel_status open_rows(cli_rows *rows, const keel_row *first) {
    keel_status status = cut(rows);
    bool goes_on = rows->goes_on.size > 0;
    if (status || !rows->path || rows->csv || rows->hdf5 || rows->store)
        return status;
    if (rows->store_path) {
        rows->store = goes_on ? ki_store_continue(rows->store_path, rows->system, &status)
                              : ki_store_open(rows->store_path, rows->system, first, &status);
        return failed(rows, rows->store_path, status);
    }
    const char *path = goes_on ? rows->path : first_path(rows);
    if (!path)
        return failed(rows, rows->path, KEEL_ERROR_IO);
    if (is_hdf5(rows->path))
        rows->hdf5 = keel_hdf5_open(path, rows->system, rows->origin, first, &status);
    else if (goes_on)
        rows->csv = ki_csv_continue(path, rows->system, first, &status);
    else
        rows->csv = keel_csv_open(path, rows->system, first, &status);
    return failed(rows, rows->path, status);
}

keel_status cli_rows_row(cli_rows *rows, const keel_row *row) {
    keel_status status = open_rows(rows, row);
    if (status)
        return status;
    if (rows->csv)
        status = keel_csv_row(rows->csv, row);
    else if (rows->hdf5)
        status = keel_hdf5_row(rows->hdf5, row);
    else if (rows->store)
        status = ki_store_row(rows->store, row);
    return failed(rows, growing_path(rows), status);
}

keel_status cli_rows_step(cli_rows *rows, const keel_step *step) {
    keel_status status = take_place(rows);
    if (!status && rows->hdf5)
        status = keel_hdf5_step(rows->hdf5, step);
    if (!status && rows->store_path && !rows->store) /* no row since it goes on */
        status = open_rows(rows, NULL);
    if (!status && rows->store)
        status = ki_store_step(rows->store, step);
    return failed(rows, growing_path(rows), status);
}

keel_status cli_rows_wait(cli_rows *rows) {
    keel_status status = rows->csv ? ki_csv_wait(rows->csv) : rows->hdf5 ? ki_hdf5_wait(rows->hdf5) : KEEL_OK;
    return failed(rows, rows->path, status);
}

keel_status cli_rows_settle(cli_rows *rows, cli_position *position) {
    keel_status status = cut(rows);
    *position = rows->goes_on; /* if no row has come since */
    if (!status)
        status = take_place(rows);
    if (status || (!rows->csv && !rows->store))
        return status;
    status =
        rows->csv ? ki_csv_settle(rows->csv, &position->size) : ki_store_settle(rows->store, &position->size);
    if (!status && !mark_of(growing_path(rows), position->size, &position->mark))
        status = KEEL_ERROR_IO;
    return failed(rows, growing_path(rows), status);
}

/* ---- the end */

/* HDF5 of what is in the store, complete or not at all. */
static keel_status convert(cli_rows *rows, const keel_result *result, const char *message) {
    keel_status status = KEEL_OK;
    char *target = realpath(rows->path, NULL); /* a link stays one */
    char *made = name_beside(target ? target : rows->path, ".part");
    if (!made) {
        free(target);
        return KEEL_ERROR_MEMORY;
    }
    keel_hdf5 *hdf5 = ki_store_to_hdf5(rows->store_path, made, rows->system, rows->origin, &status);
    if (hdf5)
        status = keel_hdf5_close(hdf5, result, message);
    if (!status && rename(made, target ? target : rows->path))
        status = KEEL_ERROR_IO;
    int error = errno;
    if (status)
        unlink(made);
    free(made);
    free(target);
    errno = error;
    return failed(rows, rows->path, status);
}

static keel_status close_files(cli_rows *rows, const keel_result *result, const char *message) {
    keel_status by_csv = keel_csv_close(rows->csv);
    keel_status by_store = failed(rows, rows->store_path, ki_store_close(rows->store));
    keel_status by_hdf5 = keel_hdf5_close(rows->hdf5, result, message);
    rows->csv = NULL;
    rows->hdf5 = NULL;
    rows->store = NULL;
    return failed(rows, rows->path, by_csv ? by_csv : by_hdf5 ? by_hdf5 : by_store);
}

keel_status cli_rows_close(cli_rows *rows, const keel_result *result, const char *message) {
    bool stored = rows->store_path && (rows->store || rows->goes_on.size);
    /* a run that failed before its first step has not begun well */
    bool began = result && (result->status >= 0 || result->count.steps > 0);
    keel_status status = began ? cut(rows) : KEEL_OK;
    rows->is_left = !began && rows->beside;
    keel_status closed = close_files(rows, result, message);
    status = status ? status : closed;
    if (!status && stored && result)
        status = convert(rows, result, message);
    keel_status placed = began ? take_place(rows) : KEEL_OK;
    return status ? status : placed;
}

void cli_rows_finish(cli_rows *rows) {
    if (rows->store_path)
        unlink(rows->store_path);
}

bool cli_rows_are_finished(const cli_rows *rows, const cli_position *from) {
    return rows->store_path && from->size && access(rows->store_path, F_OK) && access(rows->path, F_OK) == 0;
}

void cli_rows_forget(cli_rows *rows) {
    keel_csv_close(rows->csv);
    keel_hdf5_close(rows->hdf5, NULL, NULL);
    ki_store_close(rows->store);
    if (rows->beside)
        unlink(rows->beside);
    free(rows->beside);
    free(rows->store_path);
    rows->csv = NULL, rows->hdf5 = NULL, rows->store = NULL;
    rows->beside = rows->store_path = NULL;
}

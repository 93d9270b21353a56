#include "results/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/growing.h"
#include "results/record.h"

enum { HEAD = 8 };
static const double OPENING = 20261.5; /* the first number of every store */
enum { ROW, STEP };

struct ki_store {
    FILE *file;
    const keel_system *system;
    ki_arena arena;
    ki_columns columns;
    double *values; /* [1 + columns.count, or a step] a record */
    int *shared;    /* [m + n_outputs] */
    int has[4];     /* projections, audit, newton, flags of shared multipliers and outputs (1, 2, 3) */
};

static void release(ki_store *s) {
    ki_arena_free(&s->arena);
    free(s);
}

static int flag_count(const keel_system *system) {
    return keel_system_m(system) + system->n_outputs;
}

/* The columns by s->has and s->shared. */
static keel_status make_columns(ki_store *s) {
    int m = keel_system_m(s->system);
    ki_optional optional = {.projections = s->has[0],
                            .audit = s->has[1],
                            .newton = s->has[2],
                            .accelerations = true,
                            .shared = s->has[3] & 1 ? s->shared : NULL,
                            .output_shared = s->has[3] & 2 ? s->shared + m : NULL};
    keel_status status = ki_columns_make(s->system, &optional, &s->arena, &s->columns);
    if (status)
        return status;
    s->values = KI_NEW(&s->arena, double, 1 + KI_STEP_WIDTH + s->columns.count);
    return s->values ? KEEL_OK : KEEL_ERROR_MEMORY;
}

static ki_store *new_store(const keel_system *system) {
    ki_store *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    ki_arena_init(&s->arena);
    s->system = system;
    s->shared = KI_NEW(&s->arena, int, flag_count(system));
    if (s->shared)
        return s;
    release(s);
    return NULL;
}

static void take_flags(ki_store *s, const keel_row *first) {
    int m = keel_system_m(s->system), n = s->system->n_outputs;
    s->has[0] = first->projections != NULL;
    s->has[1] = first->audit != NULL;
    s->has[2] = first->newton != NULL;
    s->has[3] = (first->shared ? 1 : 0) | (first->output_shared ? 2 : 0);
    if (first->shared)
        memcpy(s->shared, first->shared, (size_t)m * sizeof *s->shared);
    if (first->output_shared)
        memcpy(s->shared + m, first->output_shared, (size_t)n * sizeof *s->shared);
}

static keel_status written(const ki_store *s, bool good) {
    if (good && !ferror(s->file))
        return KEEL_OK;
    errno = errno ? errno : EIO;
    return KEEL_ERROR_IO;
}

static keel_status write_head(ki_store *s) {
    double head[HEAD] = {OPENING,   s->columns.count, s->has[0], s->has[1],
                         s->has[2], s->has[3],        0,         flag_count(s->system)};
    size_t flags = (size_t)flag_count(s->system);
    return written(s, fwrite(head, sizeof *head, HEAD, s->file) == HEAD &&
                          fwrite(s->shared, sizeof *s->shared, flags, s->file) == flags);
}

/* The head of a file as it is to be for this system. */
static keel_status read_head(ki_store *s) {
    double head[HEAD];
    size_t flags = (size_t)flag_count(s->system);
    errno = EINVAL;
    if (fread(head, sizeof *head, HEAD, s->file) != HEAD || head[0] != OPENING || head[7] != (double)flags ||
        fread(s->shared, sizeof *s->shared, flags, s->file) != flags)
        return KEEL_ERROR_IO;
    for (int i = 0; i < 4; i++)
        s->has[i] = head[2 + i] >= 0 && head[2 + i] <= 3 ? (int)head[2 + i] : 0;
    keel_status status = make_columns(s);
    errno = EINVAL;
    return status ? status : head[1] == s->columns.count ? KEEL_OK : KEEL_ERROR_IO;
}

static ki_store *failed(ki_store *s, keel_status why, keel_status *status) {
    int error = errno;
    if (s && s->file)
        fclose(s->file);
    if (s)
        release(s);
    errno = error;
    *status = why;
    return NULL;
}

ki_store *ki_store_open(const char *path, const keel_system *system, const keel_row *first,
                        keel_status *status) {
    ki_store *s = new_store(system);
    if (!s)
        return failed(s, KEEL_ERROR_MEMORY, status);
    take_flags(s, first);
    *status = make_columns(s);
    if (!*status && !(s->file = fopen(path, "wb")))
        *status = KEEL_ERROR_IO;
    if (!*status)
        *status = write_head(s);
    return *status ? failed(s, *status, status) : s;
}

/* Reads the head; the file stands behind it. */
static ki_store *open_old(const char *path, const char *mode, const keel_system *system,
                          keel_status *status) {
    ki_store *s = new_store(system);
    if (!s)
        return failed(s, KEEL_ERROR_MEMORY, status);
    s->file = fopen(path, mode);
    *status = s->file ? read_head(s) : KEEL_ERROR_IO;
    return *status ? failed(s, *status, status) : s;
}

ki_store *ki_store_continue(const char *path, const keel_system *system, keel_status *status) {
    ki_store *s = open_old(path, "r+b", system, status);
    if (s && fseek(s->file, 0, SEEK_END))
        return failed(s, KEEL_ERROR_IO, status);
    return s;
}

static keel_status write_record(ki_store *s, int kind, int count) {
    s->values[0] = kind;
    size_t numbers = 1 + (size_t)count;
    return written(s, fwrite(s->values, sizeof *s->values, numbers, s->file) == numbers);
}

keel_status ki_store_row(ki_store *s, const keel_row *row) {
    ki_columns_fill(&s->columns, row, s->values + 1);
    return write_record(s, ROW, s->columns.count);
}

keel_status ki_store_step(ki_store *s, const keel_step *step) {
    double *values = s->values + 1;
    values[KI_STEP_T] = step->t;
    values[KI_STEP_SIZE] = step->size;
    values[KI_STEP_ORDER] = step->order;
    values[KI_STEP_GAP] = step->gap;
    return write_record(s, STEP, KI_STEP_WIDTH);
}

keel_status ki_store_settle(ki_store *s, long *size) {
    bool good = fflush(s->file) == 0 && fsync(fileno(s->file)) == 0;
    *size = ftell(s->file);
    return written(s, good && *size >= 0);
}

keel_status ki_store_close(ki_store *s) {
    if (!s)
        return KEEL_OK;
    keel_status status = written(s, fflush(s->file) == 0);
    int error = errno;
    if (fclose(s->file))
        status = status ? status : KEEL_ERROR_IO;
    release(s);
    errno = status && error ? error : errno;
    return status;
}

/* The next record to HDF5; *more: there was one. One that is cut off is none. */
static keel_status copy_record(ki_store *s, keel_hdf5 *to, bool *more) {
    double kind;
    *more = fread(&kind, sizeof kind, 1, s->file) == 1;
    if (!*more)
        return KEEL_OK;
    size_t numbers = kind == STEP ? KI_STEP_WIDTH : (size_t)s->columns.count;
    *more = fread(s->values, sizeof *s->values, numbers, s->file) == numbers;
    if (!*more)
        return KEEL_OK;
    const double *x = s->values;
    if (kind == STEP)
        return keel_hdf5_step(
            to, &(keel_step){x[KI_STEP_T], x[KI_STEP_SIZE], (int)x[KI_STEP_ORDER], x[KI_STEP_GAP]});
    return ki_hdf5_values(to, x);
}

keel_hdf5 *ki_store_to_hdf5(const char *from, const char *path, const keel_system *system,
                            const keel_origin *origin, keel_status *status) {
    ki_store *s = open_old(from, "rb", system, status);
    if (!s)
        return NULL;
    static const double PRESENT = 0;
    static const keel_audit AUDIT = {0};
    static const keel_newton_facts NEWTON = {0};
    keel_row first = {.projections = s->has[0] ? &PRESENT : NULL,
                      .audit = s->has[1] ? &AUDIT : NULL,
                      .newton = s->has[2] ? &NEWTON : NULL,
                      .shared = s->has[3] & 1 ? s->shared : NULL,
                      .output_shared = s->has[3] & 2 ? s->shared + keel_system_m(system) : NULL};
    keel_hdf5 *to = keel_hdf5_open(path, system, origin, &first, status);
    for (bool more = to != NULL; more && !*status;)
        *status = copy_record(s, to, &more);
    if (to && *status) {
        keel_hdf5_close(to, NULL, NULL);
        to = NULL;
    }
    int error = errno;
    fclose(s->file);
    release(s);
    errno = error;
    return to;
}

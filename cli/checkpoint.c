#include "checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/stream.h"
#include "results/regular.h"

static const char PART[] = "program"; /* of a checkpoint */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool cli_duration(const char *flag, const char *text, double *value) {
    static const struct {
        const char *word;
        double seconds;
    } UNITS[] = {{"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}};
    char *end;
    double number = strtod(text, &end);
    for (size_t i = 0; end != text && i < sizeof UNITS / sizeof *UNITS; i++)
        if (strcmp(end, UNITS[i].word) == 0 && number >= 0 && number <= 1e9) {
            *value = number * UNITS[i].seconds;
            return true;
        }
    cli_error("run", "--%s '%s' is no time: write 30s, 5min or 2h", flag, text);
    return false;
}

/* ---- what is kept */

static void visit_kept(ki_stream *s, cli_kept *kept) {
    ki_visit_text(s, &kept->model_path);
    ki_visit_text(s, &kept->model_text);
    ki_visit_text(s, &kept->rows_path);
    ki_visit_text(s, &kept->summary_path);
    ki_visit_long(s, &kept->rows.size, 0, LONG_MAX);
    ki_visit_bytes(s, &kept->rows.mark, sizeof kept->rows.mark);
    ki_visit_double(s, &kept->every);
    ki_visit_bool(s, &kept->finished);
}

/* The lists of `changes` have room for what comes. */
static void visit_changes(ki_stream *s, cli_changes *changes) {
    ki_visit_text(s, &changes->method);
    for (int i = 0; i < changes->override_count; i++) {
        ki_visit_text(s, &changes->overrides[i].flag);
        ki_visit_text(s, &changes->overrides[i].name);
        ki_visit_text(s, &changes->overrides[i].text);
    }
    for (int i = 0; i < changes->set_count; i++) {
        const char *text = changes->set_text[i];
        ki_visit_text(s, &text);
        ki_visit_text(s, &changes->set[i].name);
        ki_visit_text(s, &changes->set[i].value);
        if (s->loading)
            changes->set_text[i] = text ? strdup(text) : NULL;
    }
}

static bool are_complete(const cli_kept *kept, const cli_changes *changes) {
    bool good = kept->model_path && kept->model_text;
    for (int i = 0; i < changes->override_count; i++)
        good = good && changes->overrides[i].flag && changes->overrides[i].name && changes->overrides[i].text;
    for (int i = 0; i < changes->set_count; i++)
        good = good && changes->set[i].name && changes->set[i].value && changes->set_text[i];
    return good;
}

/* ---- writing */

void cli_checkpoint_start(cli_checkpoint *c) {
    c->next = seconds(); /* at once: a run that has begun can be taken up again */
}

/* So that the new name of a file is on the disk. */
static void settle_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    int file = folder ? open(folder, O_RDONLY | O_DIRECTORY) : -1;
    if (file >= 0) {
        fsync(file);
        close(file);
    }
    free(folder);
}

static bool write_all(int file, const unsigned char *bytes, size_t size) {
    while (size) {
        ssize_t count = write(file, bytes, size);
        if (count < 0 && errno != EINTR)
            return false;
        bytes += count > 0 ? count : 0;
        size -= count > 0 ? (size_t)count : 0;
    }
    return true;
}

/* Complete or not at all: always beside its place first, by the same name, so that a run that is killed often
 * leaves no more than one. */
static bool write_file(const char *path, const void *bytes, size_t size) {
    size_t length = strlen(path);
    char *beside = malloc(length + sizeof ".part");
    if (!beside)
        return false;
    memcpy(beside, path, length);
    memcpy(beside + length, ".part", sizeof ".part");
    int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666);
    bool good = file >= 0 && write_all(file, bytes, size) && fsync(file) == 0;
    int error = errno;
    if (file >= 0 && close(file) && good)
        good = false, error = errno;
    if (good && rename(beside, path))
        good = false, error = errno;
    if (good)
        settle_folder(path);
    else if (file >= 0)
        unlink(beside);
    free(beside);
    errno = error;
    return good;
}

static keel_status keep(keel_checkpoint *saved, const cli_checkpoint *c) {
    cli_kept kept = c->kept;
    cli_changes changes = *c->changes;
    ki_stream s = ki_stream_to_write();
    visit_kept(&s, &kept);
    ki_visit_int(&s, &changes.override_count, 0, INT_MAX);
    ki_visit_int(&s, &changes.set_count, 0, INT_MAX);
    visit_changes(&s, &changes);
    keel_status status = s.failed ? KEEL_ERROR_MEMORY : keel_checkpoint_put(saved, PART, s.bytes, s.size);
    ki_stream_clear(&s);
    return status;
}

static keel_status write_checkpoint(cli_checkpoint *c, const struct keel_run_state *run, cli_rows *rows) {
    keel_status status = cli_rows_settle(rows, &c->kept.rows);
    keel_checkpoint *saved = status ? NULL : keel_run_save(run, &status);
    if (saved)
        status = keep(saved, c);
    size_t size;
    const void *bytes = saved && !status ? keel_checkpoint_bytes(saved, &size) : NULL;
    if (!status && !bytes)
        status = KEEL_ERROR_MEMORY;
    if (!status && !write_file(c->path, bytes, size)) {
        rows->error_path = c->path;
        status = KEEL_ERROR_IO;
    }
    int error = errno;
    keel_checkpoint_free(saved);
    errno = error;
    return status;
}

keel_status cli_checkpoint_between(cli_checkpoint *c, const struct keel_run_state *run, cli_rows *rows) {
    if (!c->path)
        return KEEL_OK;
    c->kept.finished = c->has_stepped && c->t >= c->until;
    bool ends = *c->stop || c->kept.finished;
    if (!ends && (!c->has_stepped || seconds() < c->next))
        return KEEL_OK;
    keel_status status = write_checkpoint(c, run, rows);
    c->next = seconds() + c->kept.every;
    return status;
}

/* ---- reading */

/* All of a regular file; NULL with errno. */
static void *read_file(const char *path, size_t *size, const char **problem) {
    FILE *file = ki_open_regular(path);
    *problem = file ? NULL : ki_regular_problem();
    struct stat status;
    if (!file)
        return NULL;
    bool known = fstat(fileno(file), &status) == 0;
    *size = known ? (size_t)status.st_size : 0;
    void *bytes = known ? malloc(*size + 1) : NULL;
    if (bytes && fread(bytes, 1, *size, file) != *size) {
        free(bytes);
        bytes = NULL;
    }
    *problem = bytes ? NULL : strerror(errno ? errno : EIO);
    fclose(file);
    return bytes;
}

static bool take_program(const keel_checkpoint *saved, cli_kept *kept, cli_changes *changes) {
    size_t size;
    const void *bytes = keel_checkpoint_get(saved, PART, &size);
    ki_stream s = ki_stream_to_read(bytes, size);
    int overrides, sets;
    s.failed = !bytes;
    visit_kept(&s, kept);
    ki_visit_int(&s, &overrides, 0, INT_MAX / 4);
    ki_visit_int(&s, &sets, 0, INT_MAX / 4);
    s.failed = s.failed || (size_t)overrides + (size_t)sets > (s.size - s.at) / 8;
    cli_changes_clear(changes);
    if (s.failed || !cli_changes_init(changes, overrides + sets + 1))
        return false;
    changes->override_count = overrides;
    changes->set_count = sets;
    visit_changes(&s, changes);
    changes->model_text = kept->model_text;
    return ki_stream_is_done(&s) && are_complete(kept, changes);
}

keel_checkpoint *cli_checkpoint_read(const char *path, cli_kept *kept, cli_changes *changes,
                                     keel_diagnostics *diagnostics) {
    size_t size = 0;
    keel_status status = KEEL_OK;
    const char *problem;
    void *bytes = read_file(path, &size, &problem);
    if (!bytes) {
        cli_error("run", "cannot read %s: %s", path, problem);
        return NULL;
    }
    int shown = keel_diagnostics_count(diagnostics);
    keel_checkpoint *saved = keel_checkpoint_read(bytes, size, diagnostics, &status);
    free(bytes);
    for (; shown < keel_diagnostics_count(diagnostics); shown++)
        cli_error("run", "%s: %s", path, keel_diagnostics_get(diagnostics, shown).text);
    if (!saved || !changes || take_program(saved, kept, changes))
        return saved;
    cli_error("run", "%s: the checkpoint was not written by 'keel run'", path);
    keel_checkpoint_free(saved);
    return NULL;
}

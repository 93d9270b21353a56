/* A writer of HDF5 that is killed at any of its writes leaves a file with all rows up to its last block. */
#define _GNU_SOURCE /* syscall */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "results/record.h"
#include "unit/results_fixture.h"

enum { WIDTH = 15, BLOCK = (1 << 17) / WIDTH, ROWS = BLOCK + 40 };

static char path[] = "/tmp/keel-killed-XXXXXX";

/* Writes that are left to this process; negative: any number. */
static long writes_left = -1;

static void count_write(void) {
    if (writes_left == 0)
        raise(SIGKILL);
    if (writes_left > 0)
        writes_left--;
}

/* HDF5 finds these in the place of those of the C library. */
#define SEEN __attribute__((visibility("default")))
SEEN ssize_t pwrite64(int file, const void *bytes, size_t count, off_t at);

SEEN ssize_t pwrite64(int file, const void *bytes, size_t count, off_t at) {
    count_write();
    return syscall(SYS_pwrite64, file, bytes, count, at);
}

SEEN ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
    return pwrite64(file, bytes, count, at);
}

/* Time stands still: blocks go out when they are full, however long that takes. */
SEEN time_t time(time_t *now) {
    if (now)
        *now = 0;
    return 0;
}

static double number(int i, int k) {
    return i + k / 16.0;
}

static void fill(int i, double numbers[16], keel_row *row) {
    for (int k = 0; k < 16; k++)
        numbers[k] = number(i, k);
    *row = (keel_row){.t = i,
                      .q = numbers,
                      .v = numbers + 2,
                      .z = numbers + 4,
                      .s = numbers + 5,
                      .lambda = numbers + 6,
                      .v_rate = numbers + 8,
                      .outputs = numbers + 10};
}

/* A whole run of two blocks and an end; killed at a write after the opening, or not (negative). */
static void write_file(long killed_at) {
    keel_system system = fixture_system();
    keel_status status;
    double numbers[16];
    keel_row row;
    fill(0, numbers, &row);
    keel_hdf5 *file = keel_hdf5_open(path, &system, NULL, &row, &status);
    if (!file)
        _exit(1);
    writes_left = killed_at;
    for (int i = 0; i < ROWS && !status; i++) {
        fill(i, numbers, &row);
        status = keel_hdf5_row(file, &row);
        if (!status)
            status = keel_hdf5_step(file, &(keel_step){.t = i, .size = 1, .order = 2, .gap = 1});
    }
    keel_result result = fixture_result(&system);
    status = keel_hdf5_close(file, &result, NULL) ? KEEL_ERROR_IO : status;
    _exit(status ? 1 : 0);
}

/* Whether it was killed. */
static bool run(long killed_at) {
    int code = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        write_file(killed_at);
    assert_int_equal(waitpid(child, &code, 0), child);
    if (WIFSIGNALED(code) && WTERMSIG(code) == SIGKILL)
        return true;
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 0);
    return false;
}

/* Rows of the file; all numbers are those that were written. */
static long rows_of_file(bool *ended) {
    keel_status status;
    keel_diagnostics *list = keel_diagnostics_new();
    keel_record *record = keel_record_read(path, list, &status);
    const char *why = record ? NULL : keel_diagnostics_get(list, 0).text;
    long rows = record ? record->rows.rows : 0;
    if (why && !strstr(why, "there is no row"))
        fail_msg("%s", why);
    for (long i = 0; i < rows; i++) {
        const double *got = ki_series_row(&record->rows, i);
        assert_true(got[0] == (double)i);
        for (int k = 0; k < 8; k++)
            assert_true(got[1 + k] == number((int)i, k));
    }
    *ended = record && !record->cut_off;
    keel_record_free(record);
    keel_diagnostics_free(list);
    return rows;
}

static void a_kill_at_any_write(void **state) {
    (void)state;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    bool ended = false, killed = true;
    long before = 0, at = 0;
    for (; killed; at++) {
        killed = run(at);
        long rows = rows_of_file(&ended);
        if (rows < before)
            fail_msg("killed at write %ld: %ld rows instead of %ld", at, rows, before);
        before = rows;
    }
    assert_true(at > 10); /* the writes are those that are counted here */
    assert_int_equal(before, ROWS);
    assert_true(ended);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_kill_at_any_write)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

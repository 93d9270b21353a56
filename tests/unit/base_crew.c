/* Jobs in threads: each is done once, in order, whatever the number of threads; stopping. */
#include "base/crew.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { JOBS = 200 };

typedef struct ledger {
    int done[JOBS];
    int begun, ended, inside; /* calls of begin and end, and those going on */
    int stop, stop_after;
} ledger;

static void begin(void *user, int job) {
    ledger *l = user;
    assert_int_equal(++l->inside, 1);
    assert_int_equal(job, l->begun);
    l->begun++;
    l->inside--;
}

static void work(void *user, int job) {
    ((ledger *)user)->done[job]++;
}

static void end(void *user, int job) {
    ledger *l = user;
    assert_int_equal(++l->inside, 1);
    assert_int_equal(l->done[job], 1);
    l->ended++;
    l->stop = l->stop_after && l->ended >= l->stop_after;
    l->inside--;
}

static void every_job_is_done_once(void **state) {
    static const int THREADS[] = {0, 1, 2, 7, 2 * JOBS};
    (void)state;
    for (size_t k = 0; k < sizeof THREADS / sizeof *THREADS; k++) {
        ledger l = {.stop = 0};
        ki_crew crew = {.threads = THREADS[k], .user = &l, .begin = begin, .work = work, .end = end};
        assert_int_equal(ki_crew_run(&crew, JOBS), KEEL_OK);
        for (int i = 0; i < JOBS; i++)
            assert_int_equal(l.done[i], 1);
        assert_int_equal(l.begun, JOBS);
        assert_int_equal(l.ended, JOBS);
    }
}

static void no_jobs_and_no_calls_are_fine(void **state) {
    ledger l = {.stop = 0};
    ki_crew crew = {.threads = 4, .user = &l, .work = work};
    (void)state;
    assert_int_equal(ki_crew_run(&crew, 0), KEEL_OK);
    assert_int_equal(ki_crew_run(&crew, 3), KEEL_OK);
    assert_int_equal(l.done[0] + l.done[1] + l.done[2], 3);
}

/* With one thread it is known how many were done. */
static void stopping_begins_no_more(void **state) {
    ledger l = {.stop_after = 5};
    ki_crew crew = {.threads = 1, .stop = &l.stop, .user = &l, .begin = begin, .work = work, .end = end};
    (void)state;
    assert_int_equal(ki_crew_run(&crew, JOBS), KEEL_INTERRUPTED);
    assert_int_equal(l.begun, 5);
    assert_int_equal(l.ended, 5);
    assert_int_equal(l.done[5], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_is_done_once),
        cmocka_unit_test(no_jobs_and_no_calls_are_fine),
        cmocka_unit_test(stopping_begins_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Suggestions for misspelt names, and the list of messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/names.h"
#include "keel/diagnostics.h"

static const char *const WORDS[] = {"coordinates", "kinetic", "potential", "x", "theta", "tolerance"};
enum { COUNT = sizeof WORDS / sizeof *WORDS };

static void suggests_the_closest(void **state) {
    (void)state;
    assert_string_equal(ki_closest_name("coordinate", WORDS, COUNT), "coordinates");
    assert_string_equal(ki_closest_name("kinteic", WORDS, COUNT), "kinetic");
    assert_string_equal(ki_closest_name("Theta", WORDS, COUNT), "theta");
    assert_string_equal(ki_closest_name("tol", WORDS, COUNT) ? "some" : "none", "none");
    assert_null(ki_closest_name("banana", WORDS, COUNT));
    assert_null(ki_closest_name("z", WORDS, COUNT));
}

static void counts_what_does_not_fit(void **state) {
    (void)state;
    keel_diagnostics *list = keel_diagnostics_new();
    for (int i = 0; i < KEEL_DIAGNOSTICS_MAX + 3; i++)
        keel_diagnostics_add(list, KEEL_ERROR, (keel_location){"a.yaml", i, 1}, "number %d", i);
    assert_int_equal(keel_diagnostics_count(list), KEEL_DIAGNOSTICS_MAX);
    assert_int_equal(keel_diagnostics_dropped(list), 3);
    assert_int_equal(keel_diagnostics_errors(list), KEEL_DIAGNOSTICS_MAX + 3);
    assert_string_equal(keel_diagnostics_get(list, 7).text, "number 7");
    assert_string_equal(keel_diagnostics_get(list, 7).where.file, "a.yaml");
    keel_diagnostics_free(list);
}

static void arena_memory_is_zero_and_aligned(void **state) {
    (void)state;
    ki_arena arena;
    ki_arena_init(&arena);
    for (size_t n = 0; n < 3000; n += 7) {
        double *x = KI_NEW(&arena, double, n);
        assert_non_null(x);
        assert_int_equal((uintptr_t)x % 16, 0);
        for (size_t i = 0; i < n; i++) {
            assert_true(x[i] == 0);
            x[i] = 1;
        }
    }
    assert_null(ki_arena_alloc(&arena, SIZE_MAX / 2, 16));
    assert_true(arena.failed);
    ki_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suggests_the_closest),
        cmocka_unit_test(counts_what_does_not_fit),
        cmocka_unit_test(arena_memory_is_zero_and_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

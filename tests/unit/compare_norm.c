/* The error norm on hand-made rows, default steps, and the times of a comparison. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/internal.h"

/* two quantities over three rows: ranges 4 and 0.5 */
static const double REFERENCE[] = {0, 10, 4, 10.5, 2, 10.25};

static void scale_is_the_range(void **state) {
    (void)state;
    double scale[2];
    ki_scales(3, 2, REFERENCE, NULL, scale);
    assert_true(scale[0] == 4 && scale[1] == 0.5);
}

static void distance_is_the_largest_scaled_difference(void **state) {
    (void)state;
    double scale[2], other[6];
    memcpy(other, REFERENCE, sizeof other);
    ki_scales(3, 2, REFERENCE, NULL, scale);
    assert_true(ki_distance(3, 2, other, REFERENCE, scale) == 0);
    other[2] += 1;    /* 1/4 of its range  */
    other[5] -= 0.25; /* half of its range */
    assert_true(ki_distance(3, 2, other, REFERENCE, scale) == 0.5);
    assert_true(ki_distance(2, 2, other, REFERENCE, scale) == 0.25);
    other[0] = NAN;
    assert_true(isinf(ki_distance(3, 2, other, REFERENCE, scale)));
}

/* A quantity that is zero but for round-off must not be measured against its own noise. */
static void constants_are_scaled_by_the_largest_value(void **state) {
    (void)state;
    double scale[3];
    const double rows[] = {1, 7, 1e-17, -3, 7, -2e-17};
    ki_scales(2, 3, rows, NULL, scale);
    assert_true(scale[0] == 4 && scale[1] == 7 && scale[2] == 7);
    const double zero[] = {0, 0, 0, 0, 0, 0};
    ki_scales(2, 3, zero, NULL, scale);
    assert_true(scale[0] == 1);
}

/* A range of 1e-9 is a signal if two approximations agree on it, and noise if they do not. */
static void noise_is_told_by_a_second_approximation(void **state) {
    (void)state;
    double scale[2];
    const double rows[] = {0, 0, 1, 1e-9}, agrees[] = {0, 0, 1, 1.01e-9}, differs[] = {0, 0, 1, -1e-9};
    ki_scales(2, 2, rows, agrees, scale);
    assert_true(scale[1] == 1e-9);
    ki_scales(2, 2, rows, differs, scale);
    assert_true(scale[1] == 1);
}

static void rows_next_to_a_jump_do_not_count(void **state) {
    (void)state;
    /* an angle that goes on from -pi, and a square wave, which is no jump of a smooth quantity */
    double x[] = {2.8, 1, 2.9, -1, 3.0, 1, -3.1, -1, -3.0, 1, -2.9, -1}, scale[] = {6.1, 2};
    double y[] = {2.8, 1, 2.9, -1, -3.2, 1, -3.1, -1, -3.0, 1, -2.9, -1};
    assert_int_equal(ki_leave_out_jumps(6, 2, x, scale), 1);
    assert_true(isnan(x[4]) && isnan(x[6]) && !isnan(x[2]) && !isnan(x[8]) && x[3] == -1);
    assert_true(ki_distance(6, 2, y, x, scale) == 0);
}

static void default_steps_meet_the_rows(void **state) {
    (void)state;
    double steps[3];
    ki_default_steps(0.03, 10, 0.1, steps);
    assert_true(steps[0] == 0.1 / 4 && steps[1] == 0.1 / 14 && steps[2] == 0.1 / 54);
    ki_default_steps(0.5, 10, 0.2, steps);
    assert_true(steps[0] == 0.2 * 2 && steps[1] == 0.1);
    ki_default_steps(1e-9, 10, 0.1, steps); /* a stiff system: not more than 5000 steps for the coarsest */
    assert_true(steps[0] >= 10 / 5001.0);
}

static void rows_are_those_of_the_settings(void **state) {
    (void)state;
    keel_settings settings = keel_settings_default();
    ki_times times;
    settings.until = 1;
    settings.output = 0.3;
    assert_int_equal(ki_times_even(&settings, 0, &times), KEEL_OK);
    assert_int_equal(times.rows, 5);
    assert_true(times.t[0] == 0 && times.t[3] == 3 * 0.3 && times.t[4] == 1);
    ki_times_clear(&times);
    settings.output = 1e-6; /* too many */
    assert_int_equal(ki_times_even(&settings, 0, &times), KEEL_OK);
    assert_true(times.rows == 101 && times.t[100] == 1);
    ki_times_clear(&times);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scale_is_the_range),
        cmocka_unit_test(distance_is_the_largest_scaled_difference),
        cmocka_unit_test(constants_are_scaled_by_the_largest_value),
        cmocka_unit_test(noise_is_told_by_a_second_approximation),
        cmocka_unit_test(rows_next_to_a_jump_do_not_count),
        cmocka_unit_test(default_steps_meet_the_rows),
        cmocka_unit_test(rows_are_those_of_the_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

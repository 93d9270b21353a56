/* Sequences of steps as integrators make them: which of them are taken for a collapse, and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "run/collapse.h"

/* A run of length 1 at a tolerance of 1e-8 by a method of order 8, unless a test says otherwise. */
typedef struct sequence {
    ki_collapse collapse;
    ki_collapse_scale scale;
    double t, attempts;
} sequence;

static sequence begin(double t) {
    sequence s = {.scale = {.until = t + 1, .most_steps = 1e7, .tolerance = 1e-9}, .t = t};
    ki_collapse_init(&s.collapse, t);
    s.collapse.order = 8;
    return s;
}

/* An accepted step after some that were rejected. */
static bool take(sequence *s, double h, int rejected) {
    s->t += h;
    s->attempts += 1 + rejected;
    return ki_has_collapsed(&s->collapse, &s->scale, s->attempts, s->t);
}

/* Attempts until the collapse is seen, or -1 if it is not in `most` of them; h = a n^-power of step n. */
static double attempts_of_power(double power, double most) {
    sequence s = begin(0);
    for (int i = 0; i < 100; i++)
        assert_false(take(&s, 1e-3, 0));
    for (double n = 1; n < most; n++)
        if (take(&s, 1e-3 * pow(n, -power), 0))
            return n;
    return -1;
}

static void a_steady_run_is_never_stopped(void **state) {
    (void)state;
    const double paces[] = {1e-3, 1e-7, 1e-9, 1e-11, 1e-13};
    for (unsigned i = 0; i < sizeof paces / sizeof *paces; i++) {
        sequence s = begin(0);
        for (int n = 0; n < 200000; n++)
            assert_false(take(&s, paces[i] * (1 + 0.3 * sin(n)), n % 3 == 0));
    }
}

/* 1/(1-t)^2 with round-off in 1 - t: t(n) = 1 - 1/n, h = n^-2. */
static void steps_that_shrink_like_a_power_are_a_collapse(void **state) {
    (void)state;
    double n = attempts_of_power(2, 1e5);
    assert_true(n > 0 && n < 8000);
    n = attempts_of_power(3, 1e5);
    assert_true(n > 0 && n < 8000);
    assert_true(attempts_of_power(0.5, 1e5) < 0); /* gets anywhere: the sum of its steps is not finite */
}

static void the_limit_is_found(void **state) {
    (void)state;
    sequence s = begin(0);
    double n = 30;
    while (!take(&s, 1 / n - 1 / (n + 1), 0)) /* t = 1/30 - 1/n */
        assert_true(++n < 1e5);
    assert_true(s.collapse.is_shrinking);
    assert_true(fabs(s.collapse.limit - 1.0 / 30) < 1e-2 * (1.0 / 30 - s.t));
}

/* A pulse, or an impact: steps shrink by a factor, stay short, and grow again. */
static void a_short_event_is_no_collapse(void **state) {
    (void)state;
    const double shortest[] = {1e-6, 1e-8, 1e-9};
    for (unsigned i = 0; i < sizeof shortest / sizeof *shortest; i++) {
        sequence s = begin(0);
        for (int n = 0; n < 300; n++)
            assert_false(take(&s, 1e-3, 0));
        for (double h = 1e-3; h > shortest[i]; h /= 1.5)
            assert_false(take(&s, h, 1));
        for (int n = 0; n < 50000; n++) /* ringing, say */
            assert_false(take(&s, shortest[i], n % 5 == 0));
        for (double h = shortest[i]; h < 1e-3; h *= 1.2)
            assert_false(take(&s, h, 0));
    }
}

/* A near collision by methods of several orders and tolerances: h is a part of the distance in time, down to
 * 1e-10 of the run, and up again. Accuracy asks for these steps. */
static void steps_that_accuracy_asks_for_are_no_collapse(void **state) {
    (void)state;
    const struct {
        int order;
        double tolerance, part;
    } METHODS[] = {{2, 1e-13, 5e-5}, {2, 1e-9, 5e-4}, {5, 1e-13, 2e-3}, {8, 1e-13, 0.02}, {12, 1e-13, 0.03}};
    for (unsigned i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        sequence s = begin(0);
        s.collapse.order = METHODS[i].order;
        s.scale.tolerance = METHODS[i].tolerance;
        for (double distance = -0.5; distance < 0.1;) { /* t itself would have lost it */
            double h = METHODS[i].part * sqrt(1e-20 + distance * distance);
            distance += h;
            assert_false(take(&s, h, 0));
        }
    }
}

/* Where round-off decides: the size varies, a quarter of the attempts fails. */
static void steps_that_stall_are_a_collapse(void **state) {
    (void)state;
    sequence s = begin(0);
    for (int n = 0; n < 1000; n++)
        assert_false(take(&s, 1e-4, 0));
    int n = 0;
    while (!take(&s, 2e-11 * (1 + 0.5 * sin(n)), n % 4 == 0))
        assert_true(++n < 10000);
    assert_true(n > 3000);
    assert_false(s.collapse.is_shrinking);
    assert_true(s.collapse.limit > s.t && s.collapse.limit < s.t + 1e-6);
    assert_true(s.collapse.attempts_left > 1e10);
}

/* The same in milliseconds, and after a million seconds: nothing is measured in seconds. */
static void units_do_not_matter(void **state) {
    (void)state;
    const double lengths[] = {1, 1e3, 1e-6, 1e9};
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        sequence s = begin(0);
        s.scale.until = lengths[i];
        double n = 30;
        while (!take(&s, lengths[i] * (1 / n - 1 / (n + 1)), 0))
            n++;
        assert_true(n > 1e4 && n < 3e4); /* from n = 1e4 on the rest takes 1e8 attempts */
    }
}

static void who_asks_for_more_steps_gets_them(void **state) {
    (void)state;
    sequence s = begin(0);
    s.scale.most_steps = 1e13;
    for (double n = 30; n < 1e5; n++)
        assert_false(take(&s, 1 / n - 1 / (n + 1), 0));
    s = begin(0);
    s.scale.longest_step = 1e-12;
    for (int n = 0; n < 100; n++)
        assert_false(take(&s, 1e-6, 0));
    for (int n = 0; n < 20000; n++)
        assert_false(take(&s, 1e-12, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_run_is_never_stopped),
        cmocka_unit_test(steps_that_shrink_like_a_power_are_a_collapse),
        cmocka_unit_test(the_limit_is_found),
        cmocka_unit_test(a_short_event_is_no_collapse),
        cmocka_unit_test(steps_that_accuracy_asks_for_are_no_collapse),
        cmocka_unit_test(steps_that_stall_are_a_collapse),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(who_asks_for_more_steps_gets_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

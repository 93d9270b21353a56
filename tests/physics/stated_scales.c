/* The key `scale` of a model of equations: what errors are measured by where numbers at the start tell
 * nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

/* An oscillator at rest that is pushed by a few micrometres, and a state that follows it; all is zero at the
 * start. */
static const char MODEL[] = "keel: 1\n"
                            "equations:\n"
                            "  coordinates: {x: 0}\n"
                            "  velocities: {x: 0}\n"
                            "  kinetic: x'^2/2\n"
                            "  potential: 50*x^2\n"
                            "  forces: {x: 1e-4*sin(3*t)}\n"
                            "  states: {z: {start: 0, rate: 5*(x - z)}}\n"
                            "%s"
                            "simulate: {until: 4, tolerance: 1e-5, absolute_tolerance: 1e-5}\n";

/* x(4) = 1e-4/91 (sin 12 - 0.3 sin 40), z' = 5 (x - z) */
static const double X = 1e-4 / 91 * (-0.53657291800043494 - 0.3 * 0.74511316047934880);

static double error_with(const char *scale, double *z, long *steps) {
    char text[700];
    snprintf(text, sizeof text, MODEL, scale);
    trial t = trial_of(text, "dopri5");
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    double error = fabs(t.result.final->q[0] / X - 1);
    *z = t.result.final->z[0];
    *steps = t.result.count.steps;
    trial_end(&t);
    return error;
}

static void stated_scales_take_the_place_of_others(void **state) {
    (void)state;
    double z, z_small, z_large;
    long steps, steps_small, steps_large;
    double none = error_with("", &z, &steps);
    double small = error_with("  scale: {x: 1e-6, z: 1e-6}\n", &z_small, &steps_small);
    double large = error_with("  scale: {x: 1, z: 1}\n", &z_large, &steps_large);
    print_message("errors: nothing stated %.1e (%ld steps), a micrometre %.1e (%ld), a metre %.1e (%ld)\n",
                  none, steps, small, steps_small, large, steps_large);
    assert_true(small < 1e-4);
    assert_true(fabs(z_small - z) < fabs(z_large - z) + 1e-3 * fabs(z));
    assert_true(large > 100 * small);
    assert_true(2 * steps_large < steps_small);
}

/* Long runs, which shorten formulas first, measure by the same. */
static void long_runs_know_them(void **state) {
    (void)state;
    char text[700];
    snprintf(text, sizeof text, MODEL, "  scale: {x: 1e-6, z: 1e-6}\n");
    trial once = trial_of(text, "dopri5"), often = trial_of(text, "dopri5");
    often.settings.until = 100 * once.settings.until;
    once.settings.code = often.settings.code = KEEL_CODE_TAPE;
    trial_run(&once, NULL);
    trial_run(&often, NULL);
    trial_expect_ok(&often);
    double ratio = (double)often.result.count.steps / (double)once.result.count.steps;
    print_message("a hundred times as long: %.0f times as many steps\n", ratio);
    assert_true(ratio > 80 && ratio < 120);
    trial_end(&once);
    trial_end(&often);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stated_scales_take_the_place_of_others),
                                       cmocka_unit_test(long_runs_know_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

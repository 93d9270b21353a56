/* Starts off the constraints on purpose (start_state: as_given): the violations are the solutions of Theta''
 * + K_D Theta' + K_P Theta = 0 in closed form, whatever the model does meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "trials.h"

/* Phi = x^2 + y^2 - 1 = 0.21, Phi' = 2 x x' + 2 y y' = 0.44 at the start. */
#define PENDULUM                                                                                             \
    "keel: 1\nequations:\n  coordinates: {x: 1.1, y: 0}\n  velocities: {x: 0.2, y: 1}\n"                     \
    "  kinetic: (x'^2 + y'^2)/2\n  potential: 9.81*y\n  holonomic: {rod: x^2 + y^2 - 1}\n"                   \
    "outputs: {open: x^2 + y^2 - 1}\nsimulate: {until: 2, tolerance: 1e-11, output: 0.05, start_state: "     \
    "as_given}\n"

/* A four-bar whose last pin, given twice, is drawn open by a centimetre. */
#define FOUR_BAR                                                                                             \
    "keel: 1\nplanar: true\ngravity: 9.81\n"                                                                 \
    "bodies:\n  crank: {shape: rod, from: [0, 0], to: [0, 1], mass: 1}\n"                                    \
    "  coupler: {shape: rod, from: [0, 1], to: [2, 1.5], mass: 2}\n"                                         \
    "  rocker: {shape: rod, from: [2, 1.5], to: [2, 0], mass: 1}\n"                                          \
    "joints:\n  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"                                  \
    "  A: {type: revolute, bodies: [crank, coupler], at: [0, 1]}\n"                                          \
    "  B: {type: revolute, bodies: [coupler, rocker], at: [2, 1.5]}\n"                                       \
    "  C: {type: revolute, bodies: [ground, rocker], at: [[2.01, 0], [2, 0]]}\n"                             \
    "  D: {type: revolute, bodies: [ground, rocker], at: [[2.01, 0], [2, 0]]}\n"                             \
    "simulate: {until: 0.5, tolerance: 1e-11, start_state: as_given}\n"

typedef struct decay {
    double a; /* K_D = 2 a, K_P = a^2 */
    double most;
    int rows;
} decay;

/* Critically damped: (c + (c' + a c) t) exp(-a t); without gains: c + c' t. */
static keel_status compare_violation(void *user, const keel_row *row) {
    decay *d = user;
    double c = 0.21, rate = 0.44;
    double expected = (c + (rate + d->a * c) * row->t) * exp(-d->a * row->t);
    d->most = fmax(d->most, fabs(row->outputs[0] - expected));
    d->rows++;
    return KEEL_OK;
}

static void violations_are_those_of_the_gains(void **state) {
    (void)state;
    static const char *const METHODS[] = {"dop853/index1/baumgarte",
                                          "radau5/index1/baumgarte",
                                          "bdf/index1/baumgarte",
                                          "dopri5/nullspace/baumgarte",
                                          "dop853/generalized_inverse/baumgarte",
                                          "dop853/index1/none"};
    for (int i = 0; i < 6; i++) {
        bool none = strstr(METHODS[i], "none") != NULL;
        decay d = {.a = none ? 0 : 5};
        keel_observer observer = {.row = compare_violation, .user = &d};
        trial t = trial_of(PENDULUM, METHODS[i]);
        t.settings.alpha = 5;
        trial_run(&t, &observer);
        trial_expect_ok(&t);
        print_message("%s: %d rows, %.1e off\n", METHODS[i], d.rows, d.most);
        assert_true(d.rows > 20 && d.most < 1e-8);
        assert_true(t.result.verdict.ok);
        trial_end(&t);
    }
}

/* All rows are held, those that repeat others, too; all of them close at the rate of the gains. */
static void repeated_rows_close_together(void **state) {
    (void)state;
    trial t = trial_of(FOUR_BAR, "dop853/index1/baumgarte");
    t.settings.alpha = 30;
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    double expected = 0.01 * (1 + 30 * 0.5) * exp(-30 * 0.5);
    print_message("open by %.6g, then by %.3g; expected %.3g\n", t.result.position.max,
                  t.result.position.final, expected);
    assert_true(fabs(t.result.position.max - 0.01) < 1e-12);
    assert_true(fabs(t.result.position.final - expected) < 1e-9);
    trial_end(&t);
    t = trial_of(FOUR_BAR, "dop853/index1/baumgarte");
    t.settings.start_state = KEEL_START_CONSISTENT;
    assert_int_equal(trial_run(&t, NULL), KEEL_ERROR_START);
    trial_end(&t);
}

static void what_ends_on_the_constraints_is_refused(void **state) {
    (void)state;
    static const char *const METHODS[] = {
        "dop853/index1/projection", "dop853/index1/gradient", "conserving",
        "dopri5/independent/none",  "bdf-fixed/index3/none",  "trapezoidal/ggl/none"};
    for (int i = 0; i < 6; i++) {
        trial t = trial_of(PENDULUM, METHODS[i]);
        t.settings.step = 0.01;
        assert_int_equal(trial_run(&t, NULL), KEEL_ERROR_INPUT);
        assert_non_null(strstr(trial_error(&t), "start_state = as_given"));
        trial_end(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(violations_are_those_of_the_gains),
        cmocka_unit_test(repeated_rows_close_together),
        cmocka_unit_test(what_ends_on_the_constraints_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The first moments of a run, and unknowns that follow the state: auxiliaries are solved for wherever a
 * constraint is looked at, the start is measured at the start, starting values of multistep methods serve
 * rows too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

static const char *const METHODS[] = {"dopri5", "dop853", "adams", "radau5", "radau9", "bdf", "bdf-fixed"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

static keel_status ignore_row(void *user, const keel_row *row) {
    (void)user;
    (void)row;
    return KEEL_OK;
}

static trial run(const char *model, const char *method, int rows) {
    keel_observer observer = {.row = ignore_row};
    trial t = trial_of(model, method);
    t.settings.step = 0.01;
    trial_run(&t, rows ? &observer : NULL);
    trial_expect_ok(&t);
    return t;
}

/* A nonholonomic row whose direction is an auxiliary: no position projection solves for it on the way. */
static void velocity_projection_solves_auxiliaries(void **state) {
    (void)state;
    static const char MODEL[] = "keel: 1\nequations:\n"
                                "  coordinates: {x: 0, y: 0, w: 1}\n  velocities: {x: 1, y: 1, w: 0}\n"
                                "  kinetic: (x'^2 + y'^2 + w'^2)/2\n  potential: y + w^2\n"
                                "  auxiliary: {s: 1}\n  auxiliary_equations: {e: s - (1 + 0.5*x^2)}\n"
                                "  nonholonomic: {knife: s*x' - y'}\n"
                                "simulate: {until: 2, tolerance: 1e-6, output: 0.05}\n";
    for (int i = 0; i < METHOD_COUNT; i++) {
        trial t = run(MODEL, METHODS[i], 1);
        assert_true(t.result.velocity.max <= 1e-13);
        trial_end(&t);
    }
}

/* The start satisfies its constraint; what the integrator looked at meanwhile must not count. */
static void start_is_measured_at_the_start(void **state) {
    (void)state;
    static const char MODEL[] = "keel: 1\nequations:\n"
                                "  coordinates: {x: 1, y: 0}\n  velocities: {x: 0, y: 1}\n"
                                "  kinetic: (x'^2 + y'^2)/2\n  potential: 9.81*y\n"
                                "  auxiliary: {s: 1.5}\n  auxiliary_equations: {e: s - 1 - 0.5*y}\n"
                                "  holonomic: {rod: x^2 + y^2 + 0.5*y - s}\n"
                                "simulate: {until: 2, tolerance: 1e-8, output: 0.5}\n";
    for (int i = 0; i < METHOD_COUNT; i++) {
        trial t = run(MODEL, METHODS[i], 1);
        assert_true(t.result.position.max <= 1e-14);
        trial_end(&t);
    }
}

/* s^2 = 4 + ...: Newton's method needs the guess of the model, in the workspace of the rows too. */
static void invariants_beside_auxiliaries(void **state) {
    (void)state;
    trial t = run("keel: 1\nequations:\n  coordinates: {x: 1, y: 0}\n  velocities: {x: 0, y: 1}\n"
                  "  kinetic: (x'^2 + y'^2)/2\n  potential: -1/hypot(x, y)\n"
                  "  auxiliary: {s: 2}\n  auxiliary_equations: {e: s^2 - 4 - 0.1*x^2}\n"
                  "  invariants: {h: x*y' - y*x'}\noutputs: {so: s}\n"
                  "simulate: {until: 1, tolerance: 1e-6, output: 0.5}\n",
                  "dopri5", 1);
    assert_true(t.result.invariants[0].drift_max <= 1e-14);
    assert_true(fabs(t.result.final->s[0] - sqrt(4 + 0.1 * pow(t.result.final->q[0], 2))) < 1e-14);
    trial_end(&t);
}

/* Nobody asks for rows: the watch for singular poses must know the auxiliaries all the same. */
static void no_false_singular_poses(void **state) {
    (void)state;
    static const char *const WITHOUT_ROWS[] = {"bdf", "ida/ggl", "adams"};
    for (int i = 0; i < 3; i++) {
        trial t = trial_of("wheelset", WITHOUT_ROWS[i]);
        t.settings.until = 0.05;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        for (int k = 0; k < t.result.event_count; k++)
            assert_int_not_equal(t.result.events[k].kind, KEEL_EVENT_SINGULAR);
        trial_end(&t);
    }
}

static keel_status largest_error(void *user, const keel_row *row) {
    double *most = user;
    *most = fmax(*most, fabs(row->q[0] - cos(row->t)));
    return KEEL_OK;
}

/* x = cos t, order 6, h = 0.05: rows between the starting values are as good as those later on. */
static void rows_between_starting_values(void **state) {
    (void)state;
    double most = 0;
    keel_observer observer = {.user = &most, .row = largest_error};
    trial t = trial_of("keel: 1\nequations:\n  coordinates: {x: 1}\n  velocities: {x: 0}\n  kinetic: x'^2/2\n"
                       "  potential: x^2/2\nsimulate: {until: 1, step: 0.05, output: 0.0125}\n",
                       "bdf-fixed");
    trial_run(&t, &observer);
    trial_expect_ok(&t);
    print_message("largest error of a row: %.1e\n", most);
    assert_true(most < 2e-9);
    trial_end(&t);
}

/* v = 0 at the end of the first step: a correction of zero size has nothing to compare with. */
static void velocity_that_vanishes(void **state) {
    (void)state;
    trial t = trial_of("keel: 1\nequations:\n  coordinates: {x: 0}\n  velocities: {x: 1}\n  kinetic: x'^2/2\n"
                       "  forces: {x: -1}\nsimulate: {until: 2, step: 1, order: 1}\n",
                       "bdf-fixed");
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    assert_true(fabs(t.result.final->v[0] + 1) < 1e-14);
    t.settings.step = 1e-30; /* more steps than can be counted */
    assert_int_equal(trial_run(&t, NULL), KEEL_ERROR_INPUT);
    assert_non_null(strstr(trial_error(&t), "option 'step' is 1e-30"));
    trial_end(&t);
}

/* In equilibrium, with large forces: round-off of velocities is no reason to fail. */
static void truck_at_rest(void **state) {
    (void)state;
    trial t = trial_of("truck", "bdf-fixed");
    t.settings.step = 1e-3;
    t.settings.until = 0.3;
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    trial_end(&t);
}

/* From rest in free fall the tangential error of a first step vanishes: it must not count alone. */
static void first_step_is_judged(void **state) {
    (void)state;
    trial t = trial_of("pendulum", "hht");
    t.settings.until = 0.5;
    t.settings.tolerance = 1e-8;
    t.settings.first_step = 0.3;
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    assert_true(t.result.count.rejected > 3);
    assert_true(t.result.energy_drift_max < 1e-3);
    trial_end(&t);
}

/* States that see the multipliers, stiffly: the Newton matrix must know. */
static void states_of_multipliers(void **state) {
    (void)state;
    static const char MODEL[] =
        "keel: 1\nequations:\n  coordinates: {x: 1, y: 0}\n  kinetic: (x'^2 + y'^2)/2\n"
        "  potential: 9.81*y\n"
        "  states: {z: {start: 0, rate: 200*(lambda.rod - z)}}\n"
        "  forces: {x: -3*z*x, y: -3*z*y}\n  holonomic: {rod: x^2 + y^2 - 1}\n"
        "simulate: {until: 1, tolerance: 1e-8}\n";
    trial fixed = run(MODEL, "bdf-fixed", 0), exact = run(MODEL, "dopri5", 0);
    assert_true(fabs(fixed.result.final->q[0] - exact.result.final->q[0]) < 1e-4);
    trial_end(&fixed);
    trial_end(&exact);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocity_projection_solves_auxiliaries),
        cmocka_unit_test(start_is_measured_at_the_start),
        cmocka_unit_test(invariants_beside_auxiliaries),
        cmocka_unit_test(no_false_singular_poses),
        cmocka_unit_test(rows_between_starting_values),
        cmocka_unit_test(velocity_that_vanishes),
        cmocka_unit_test(truck_at_rest),
        cmocka_unit_test(first_step_is_judged),
        cmocka_unit_test(states_of_multipliers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The structural integrators on all kinds of systems: chosen steps, redundant and nonholonomic rows, states,
 * drivers; settings that are refused, and the ends of those that are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

/* Andrews' mechanism at t, from a converged run. */
static trial state_at(double t) {
    trial reference = trial_of("andrews", "dop853");
    reference.settings.until = t;
    reference.settings.tolerance = 1e-13;
    trial_run(&reference, NULL);
    trial_expect_ok(&reference);
    return reference;
}

#define TOO_LONG                                                                                             \
    "keel: 1\n"                                                                                              \
    "planar: true\n"                                                                                         \
    "points: {O: [0, 0], C: [0.3, 0], A: [0, 0.22], B: [0.25, 0.25]}\n"                                      \
    "bodies:\n"                                                                                              \
    "  crank: {shape: rod, from: O, to: A, mass: 1}\n"                                                       \
    "  coupler: {shape: rod, from: A, to: B, mass: 1}\n"                                                     \
    "  rocker: {shape: rod, from: C, to: B, mass: 1}\n"                                                      \
    "joints:\n"                                                                                              \
    "  O: {type: revolute, bodies: [ground, crank]}\n"                                                       \
    "  A: {type: revolute, bodies: [crank, coupler]}\n"                                                      \
    "  B: {type: revolute, bodies: [coupler, rocker]}\n"                                                     \
    "  C: {type: revolute, bodies: [ground, rocker]}\n"                                                      \
    "motions: {motor: {of: O.angle, speed: 2*pi}}\n"                                                         \
    "simulate: {until: 2, output: 0.5}\n"

/* Steps of chosen length end near what was asked for, with any rule, and get nearer with the tolerance. */
static void chosen_steps(void **state) {
    (void)state;
    static const char *const METHODS[] = {"newmark",         "hht",        "generalized-alpha",
                                          "trapezoidal/ggl", "hht/index2", "newmark/index3/projection"};
    trial reference = state_at(0.02);
    for (int i = 0; i < 6; i++) {
        double previous = INFINITY;
        for (double tolerance = 1e-4; tolerance > 1e-7; tolerance *= 0.1) {
            trial t = trial_of("andrews", METHODS[i]);
            t.settings.until = 0.02;
            t.settings.tolerance = tolerance;
            trial_run(&t, NULL);
            trial_expect_ok(&t);
            double q = difference(t.result.final->q, reference.result.final->q, 7);
            double v = difference(t.result.final->v, reference.result.final->v, 7);
            print_message("%s at %.0e: %.1e in q, %.1e in v, %ld steps, %ld rejected\n", METHODS[i],
                          tolerance, q, v, t.result.count.steps, t.result.count.rejected);
            assert_true(q < 100 * tolerance);
            assert_true(q < 0.5 * previous);
            assert_true(t.result.count.rejected < 5 + t.result.count.steps / 10);
            previous = q;
            trial_end(&t);
        }
    }
    trial_end(&reference);
}

/* A motor turns a crank: no coordinate is free, and only the constraints tell where the motion goes. Pin
 * forces of the closed pose, by dop853. */
static void driven_motion_is_followed(void **state) {
    (void)state;
    static const char *const METHODS[] = {
        "newmark/index3/none", "hht/index3", "generalized-alpha/index3/none",
        "trapezoidal/ggl",     "midpoint",   "generalized-alpha/index2/projection"};
    keel_assembly_report report;
    trial reference = trial_of("four_bar", "dop853/index1/projection");
    assert_int_equal(keel_model_assemble(reference.model, reference.messages, &report), KEEL_OK);
    trial_run(&reference, NULL);
    for (int i = 0; i < 6; i++)
        for (double tolerance = 0.3; tolerance > 1e-5; tolerance *= 0.03) {
            trial t = trial_of("four_bar", METHODS[i]);
            assert_int_equal(keel_model_assemble(t.model, t.messages, &report), KEEL_OK);
            t.settings.tolerance = tolerance;
            trial_run(&t, NULL);
            trial_expect_ok(&t);
            double q = difference(t.result.final->q, reference.result.final->q, 3);
            double outputs = difference(t.result.outputs, reference.result.outputs, 8);
            if (!(q < 1e-9 && outputs < fmax(1e-8, tolerance)))
                fail_msg("%s at %.0e: off by %.1e, outputs by %.1e", METHODS[i], tolerance, q, outputs);
            trial_end(&t);
        }
    trial_end(&reference);
}

/* The crank is too long to turn: between the dead points there is no pose, and the equations of a long step
 * have solutions on the other side. */
static void impossible_poses_are_not_crossed(void **state) {
    (void)state;
    static const char *const METHODS[] = {"newmark",         "hht/index3/none", "generalized-alpha",
                                          "trapezoidal/ggl", "midpoint",        "hht/index2"};
    for (int i = 0; i < 6; i++)
        for (double tolerance = 0.9; tolerance > 1e-4; tolerance *= 0.1) {
            trial t = trial_of(TOO_LONG, METHODS[i]);
            keel_assembly_report report;
            assert_int_equal(keel_model_assemble(t.model, t.messages, &report), KEEL_OK);
            t.settings.tolerance = tolerance;
            trial_run(&t, NULL);
            if (t.status == KEEL_OK || !strstr(trial_error(&t), "dead point"))
                fail_msg("%s at %.0e: %s", METHODS[i], tolerance,
                         t.status ? trial_error(&t) : "reached the end");
            if (!(t.result.final->t < 0.1772 && t.result.final->t > 0.17))
                fail_msg("%s at %.0e: ends at %.6f", METHODS[i], tolerance, t.result.final->t);
            trial_end(&t);
        }
}

/* ... not by steps of given length either. */
static void given_steps_stay_on_their_branch(void **state) {
    (void)state;
    trial t = trial_of(TOO_LONG, "generalized-alpha");
    keel_assembly_report report;
    assert_int_equal(keel_model_assemble(t.model, t.messages, &report), KEEL_OK);
    t.settings.step = 0.35;
    trial_run(&t, NULL);
    assert_true(t.status < 0);
    trial_end(&t);
}

static void undamped_rules_are_told(void **state) {
    (void)state;
    static const struct {
        const char *method;
        bool told;
    } CASES[] = {{"newmark", false},
                 {"newmark/index3/none", true},
                 {"trapezoidal/index3/none", true},
                 {"trapezoidal", false},
                 {"hht/index3/none", false}};
    for (int i = 0; i < 5; i++) {
        trial t = trial_of("pendulum", CASES[i].method);
        t.settings.step = 0.01;
        t.settings.until = 0.1;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        int told = 0;
        for (int k = 0; k < keel_diagnostics_count(t.messages); k++)
            told += strstr(keel_diagnostics_get(t.messages, k).text, "damps nothing") != NULL;
        assert_int_equal(told, CASES[i].told);
        trial_end(&t);
    }
}

static void unphysical_settings_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *method, *option;
        double value;
        const char *message;
    } CASES[] = {{"newmark", "newmark_beta", 0,
                  "option 'newmark_beta' is 0: it must be above 0, the rule would be "
                  "explicit and the multipliers not determined"},
                 {"newmark", "newmark_beta", -0.25, "the multipliers not determined"},
                 {"newmark", "newmark_gamma", 0.4, "option 'newmark_gamma' is 0.4: it must be 1/2 or more"},
                 {"hht", "hht_alpha", -0.4, "option 'hht_alpha' is -0.4: it must be between -1/3 and 0"},
                 {"hht", "hht_alpha", 0.1, "option 'hht_alpha' is 0.1: it must be between -1/3 and 0"},
                 {"generalized-alpha", "rho_infinity", 1.1,
                  "option 'rho_infinity' is 1.1: it must be between 0 and 1"},
                 {"generalized-alpha", "rho_infinity", -0.1, "it must be between 0 and 1"}};
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        trial t = trial_of("pendulum", CASES[i].method);
        const keel_location here = {0};
        t.settings.step = 0.01;
        t.settings.until = 0.1;
        assert_int_equal(keel_settings_set(&t.settings, CASES[i].option, here, CASES[i].value, here, NULL),
                         KEEL_OK);
        assert_int_equal(trial_run(&t, NULL), KEEL_ERROR_INPUT);
        if (!strstr(trial_error(&t), CASES[i].message))
            fail_msg("'%s' does not contain '%s'", trial_error(&t), CASES[i].message);
        keel_method_parse("trapezoidal", here, NULL,
                          &t.settings.method); /* options of others do not matter */
        assert_int_equal(trial_run(&t, NULL), KEEL_OK);
        trial_end(&t);
    }
}

/* The ends of what is allowed. */
static void extreme_settings_run(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double beta, gamma, alpha, rho;
    } CASES[] = {{"hht", 0, 0, -1.0 / 3, 0},
                 {"hht", 0, 0, 0, 0},
                 {"generalized-alpha", 0, 0, 0, 0},
                 {"generalized-alpha", 0, 0, 0, 1},
                 {"newmark", 1, 1.5, 0, 0}};
    for (int i = 0; i < 5; i++) {
        trial t = trial_of("pendulum", CASES[i].method);
        t.settings.step = 0.005;
        t.settings.until = 1;
        t.settings.newmark_beta = CASES[i].beta;
        t.settings.newmark_gamma = CASES[i].gamma;
        t.settings.hht_alpha = CASES[i].alpha;
        t.settings.rho_infinity = CASES[i].rho;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        assert_true(t.result.position.max < 1e-10);
        trial_end(&t);
    }
}

/* Redundant rows, nonholonomic rows, states with auxiliaries and forces of multipliers, massless points,
 * drivers: each against a converged run, and each formulation holds its levels as far as Newton's method
 * goes. */
static void all_kinds_of_systems(void **state) {
    (void)state;
    static const struct {
        const char *model;
        double until, h, error;
    } CASES[] = {{"pendulum_redundant", 1, 0.002, 1e-3}, {"parallelogram", 1, 0.002, 1e-3},
                 {"snakeboard", 1, 0.001, 1e-3},         {"constant_speed", 1, 0.002, 1e-3},
                 {"wheelset", 0.1, 0.0005, 1e-4},        {"truck", 1, 0.002, 1e-3},
                 {"insulator_chain", 0.02, 1e-4, 1e-3},  {"slider_crank", 1, 0.005, 1e-3},
                 {"scaled_duplicate", 1, 0.002, 1e-2}};
    static const char *const METHODS[] = {"generalized-alpha/index3", "generalized-alpha/index2", "hht/ggl",
                                          "newmark/index3/projection"};
    for (unsigned c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        trial reference = trial_of(CASES[c].model, "dop853");
        reference.settings.until = CASES[c].until;
        reference.settings.tolerance = 1e-11;
        trial_run(&reference, NULL);
        trial_expect_ok(&reference);
        for (int i = 0; i < 4; i++) {
            trial t = trial_of(CASES[c].model, METHODS[i]);
            t.settings.until = CASES[c].until;
            t.settings.step = CASES[c].h;
            trial_run(&t, NULL);
            trial_expect_ok(&t);
            const keel_system *sys = t.model->system;
            double q = difference(t.result.final->q, reference.result.final->q, sys->n_q);
            double z = difference(t.result.final->z, reference.result.final->z, sys->n_z);
            print_message("%s, %s: %.1e in q, %.1e in z; violation %.1e, %.1e\n", CASES[c].model, METHODS[i],
                          q, z, t.result.position.max_scaled, t.result.velocity.max_scaled);
            assert_true(q < CASES[c].error && z < CASES[c].error);
            if (i != 1)
                assert_true(t.result.position.max_scaled < 1e-9);
            if (i != 0 || sys->n_h == 0)
                assert_true(t.result.velocity.max_scaled < 1e-8);
            trial_end(&t);
        }
        trial t = trial_of(CASES[c].model, "newmark"); /* and with chosen steps */
        t.settings.until = CASES[c].until;
        t.settings.step = 0;
        t.settings.tolerance = 1e-6;
        t.settings.max_steps = 20000;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        double q = difference(t.result.final->q, reference.result.final->q, t.model->system->n_q);
        print_message("%s, newmark: %.1e in q, %ld steps, %ld rejected\n", CASES[c].model, q,
                      t.result.count.steps, t.result.count.rejected);
        assert_true(q < 1e-4);
        trial_end(&t);
        trial_end(&reference);
    }
}

/* Full Newton and modified Newton find the same solution; the modified one with far fewer matrices. */
static void modified_newton(void **state) {
    (void)state;
    trial t = trial_of("andrews", "generalized-alpha");
    t.settings.until = 0.01;
    t.settings.step = 2e-5;
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    double q[7];
    memcpy(q, t.result.final->q, sizeof q);
    assert_true(10 * t.result.count.jacobians < t.result.count.steps);
    t.settings.newton = KEEL_NEWTON_FULL;
    trial_run(&t, NULL);
    assert_true(t.result.count.jacobians >= 2 * t.result.count.steps);
    assert_true(difference(q, t.result.final->q, 7) < 1e-9);
    trial_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_steps),
        cmocka_unit_test(driven_motion_is_followed),
        cmocka_unit_test(impossible_poses_are_not_crossed),
        cmocka_unit_test(given_steps_stay_on_their_branch),
        cmocka_unit_test(undamped_rules_are_told),
        cmocka_unit_test(unphysical_settings_are_refused),
        cmocka_unit_test(extreme_settings_run),
        cmocka_unit_test(all_kinds_of_systems),
        cmocka_unit_test(modified_newton),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

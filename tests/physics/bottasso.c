/* Bottasso, Dopico and Trainelli, optimal scaling of index-3 integrators: condition numbers and Newton
 * corrections of Andrews' mechanism against the length of a step, the accuracy of the schemes, and what
 * scaling makes possible. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

enum { STATES = 192, STEPS = 6 }; /* h = 1e-10 .. 1e-5 */

static const char *const SCHEMES[] = {"newmark", "hht", "generalized-alpha"};

/* Andrews' mechanism at t, from a converged run. */
static trial state_at(double t) {
    trial reference = trial_of("andrews", "dop853");
    reference.settings.until = t;
    reference.settings.tolerance = 1e-13;
    trial_run(&reference, NULL);
    trial_expect_ok(&reference);
    return reference;
}

/* Newton's method of one step h from there, until its corrections no longer decrease, whether that satisfies
 * it or not. Without the reference mass, as in the paper. */
static keel_newton_facts one_step(const trial *from, const char *scheme, keel_scaling scaling, double h) {
    keel_settings s = from->settings;
    keel_status status;
    keel_row row;
    assert_int_equal(keel_method_parse(scheme, (keel_location){0}, NULL, &s.method), KEEL_OK);
    s.until = from->result.final->t + h;
    s.step = h;
    s.scaling = (int)scaling;
    s.reference_mass = KEEL_NO;
    s.newton = KEEL_NEWTON_FULL;
    s.newton_report = KEEL_YES;
    s.newton_tolerance = 1e-15;
    keel_simulation *sim = keel_simulation_new(from->model->system, from->result.final, 1, &s, NULL, &status);
    assert_non_null(sim);
    keel_simulation_step(sim);
    assert_int_equal(keel_simulation_row(sim, keel_simulation_time(sim), &row), KEEL_OK);
    assert_non_null(row.newton);
    keel_newton_facts facts = *row.newton;
    keel_simulation_free(sim);
    return facts;
}

/* Slope of the straight line through log10 of the values at log10 h = -10 .. -5. */
static double slope(const double *logs) {
    double mean = 0, sum = 0, squares = 0;
    for (int i = 0; i < STEPS; i++)
        mean += logs[i] / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double x = i - (STEPS - 1) / 2.0;
        sum += x * (logs[i] - mean);
        squares += x * x;
    }
    return sum / squares;
}

/* Slopes -4, -2, 0; at h = 1e-7 the numbers of an independent computation (2-norm, state of t = 0.01). */
static void condition_numbers(void **state) {
    (void)state;
    static const double SLOPES[] = {
        [KEEL_SCALING_NONE] = -4, [KEEL_SCALING_RIGHT] = -2, [KEEL_SCALING_BOTH] = 0};
    static const double NEWMARK[] = {
        [KEEL_SCALING_NONE] = 1.1764e24, [KEEL_SCALING_RIGHT] = 2.4370e15, [KEEL_SCALING_BOTH] = 5.9498e4};
    trial from = state_at(0.01);
    for (int scheme = 0; scheme < 3; scheme++)
        for (int scaling = 0; scaling < 3; scaling++) {
            double logs[STEPS], at_7 = 0;
            for (int i = 0; i < STEPS; i++) {
                double condition =
                    one_step(&from, SCHEMES[scheme], (keel_scaling)scaling, pow(10, i - 10)).condition;
                logs[i] = log10(condition);
                at_7 = i == 3 ? condition : at_7;
            }
            print_message("%s, scaling %d: condition at 1e-7 %.4e, slope %.3f\n", SCHEMES[scheme], scaling,
                          at_7, slope(logs));
            assert_true(fabs(slope(logs) - SLOPES[scaling]) < 0.1);
            if (scheme == 0)
                assert_true(fabs(at_7 / NEWMARK[scaling] - 1) < 5e-4);
            else /* s of the three schemes is of the same size */
                assert_true(at_7 / NEWMARK[scaling] > 0.3 && at_7 / NEWMARK[scaling] < 3);
        }
    trial_end(&from);
}

/* The mass |M| / |J|: blocks of one size. Recomputed independently with 2-norms: about 64; Frobenius
 * norms: 62. */
static void reference_mass(void **state) {
    (void)state;
    trial from = state_at(0.01);
    keel_settings s = from.settings;
    keel_row row;
    keel_method_parse("newmark", (keel_location){0}, NULL, &s.method);
    s.until = 0.01 + 1e-7;
    s.step = 1e-7;
    s.newton_report = KEEL_YES;
    keel_status status;
    keel_simulation *sim = keel_simulation_new(from.model->system, from.result.final, 1, &s, NULL, &status);
    assert_int_equal(keel_simulation_step(sim), KEEL_OK);
    assert_int_equal(keel_simulation_row(sim, keel_simulation_time(sim), &row), KEEL_OK);
    print_message("condition with the reference mass: %.1f\n", row.newton->condition);
    assert_true(fabs(row.newton->condition - 62) < 3);
    keel_simulation_free(sim);
    trial_end(&from);
}

/* What is left of the corrections when they no longer decrease: eps in q; in the multipliers eps/h^2, or eps
 * when they are scaled. Means over many states, as single ones are noise: over 8 of them slopes scatter by
 * 0.1, over 48 still by 0.05, with every change of round-off. */
static void last_corrections(void **state) {
    (void)state;
    static const double SLOPES[] = {
        [KEEL_SCALING_NONE] = -2, [KEEL_SCALING_RIGHT] = 0, [KEEL_SCALING_BOTH] = 0};
    trial from[STATES];
    for (int k = 0; k < STATES; k++)
        from[k] = state_at(0.005 + 0.000125 * k);
    for (int scheme = 0; scheme < 3; scheme++)
        for (int scaling = 0; scaling < 3; scaling++) {
            double q[STEPS] = {0}, lambda[STEPS] = {0};
            for (int i = 0; i < STEPS; i++)
                for (int k = 0; k < STATES; k++) {
                    keel_newton_facts f =
                        one_step(&from[k], SCHEMES[scheme], (keel_scaling)scaling, pow(10, i - 10));
                    q[i] += log10(f.correction_q) / STATES;
                    lambda[i] += log10(f.correction_lambda) / STATES;
                }
            print_message(
                "%s, scaling %d: slopes of the corrections %.2f in q, %.2f in lambda (at 1e-7 %.1e, %.1e)\n",
                SCHEMES[scheme], scaling, slope(q), slope(lambda), pow(10, q[3]), pow(10, lambda[3]));
            assert_true(fabs(slope(q)) < 0.1);
            assert_true(fabs(slope(lambda) - SLOPES[scaling]) < 0.1);
        }
    for (int k = 0; k < STATES; k++)
        trial_end(&from[k]);
}

/* At h = 1e-9 and the default tolerance: scaled unknowns converge, unscaled ones cannot, and the run says
 * why. */
static void tiny_steps(void **state) {
    (void)state;
    static const char *const METHODS[] = {"newmark", "hht", "generalized-alpha", "trapezoidal",
                                          "bdf-fixed/index3"};
    for (int i = 0; i < 5; i++) {
        trial t = trial_of("andrews", METHODS[i]);
        t.settings.step = 1e-9;
        t.settings.until = 50e-9;
        t.settings.newton_tolerance = 1e-10;
        t.settings.order = i == 4 ? 2 : 0;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        assert_int_equal(t.result.count.steps, 50);
        assert_true(t.result.position.max < 1e-16);
        t.settings.scaling = KEEL_SCALING_RIGHT;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        t.settings.scaling = KEEL_SCALING_NONE;
        assert_int_equal(trial_run(&t, NULL), KEEL_ERROR_CONVERGENCE);
        assert_non_null(strstr(trial_error(&t), "corrections of the multipliers stall at "));
        assert_non_null(strstr(trial_error(&t),
                               "newton_tolerance is 1e-10: round-off of the order of eps/h^2 with "
                               "scaling 'none'; 'scaling: both' removes it"));
        trial_end(&t);
    }
}

typedef struct errors {
    double q, v, lambda;
} errors;

static double largest_difference(const double *x, const double *y, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

static errors errors_of(const trial *t, const trial *reference) {
    const keel_system *sys = t->model->system;
    const keel_state *a = t->result.final, *b = reference->result.final;
    return (errors){largest_difference(a->q, b->q, sys->n_q), largest_difference(a->v, b->v, sys->n_v),
                    largest_difference(a->lambda, b->lambda, keel_system_m(sys))};
}

/* From rest to t = 0.01 with h = 1e-5, errors of an independent implementation: largest components. Its
 * multipliers are the unknowns of the rule itself; those of the accelerations at its states are better. */
static void accuracy_of_generalized_alpha(void **state) {
    (void)state;
    trial reference = state_at(0.01), t = trial_of("andrews", "generalized-alpha");
    t.settings.until = 0.01;
    t.settings.step = 1e-5;
    t.settings.rho_infinity = 0.8;
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    errors e = errors_of(&t, &reference);
    print_message("errors %.4e %.4e %.4e\n", e.q, e.v, e.lambda);
    assert_true(fabs(e.q / 6.0207e-6 - 1) < 1e-3);
    assert_true(fabs(e.v / 1.1865e-3 - 1) < 1e-3);
    assert_true(e.lambda < 1.1208e-3);
    trial_end(&t);
    trial_end(&reference);
}

static errors errors_at(const char *model, const char *method, double until, double h,
                        const trial *reference) {
    trial t = trial_of(model, method);
    t.settings.until = until;
    t.settings.step = h;
    t.settings.output = 0;
    t.settings.newton_tolerance = 1e-12;
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    errors e = errors_of(&t, reference);
    trial_end(&t);
    return e;
}

/* Order two in q, v and multipliers, also of undamped rules, whose own multipliers oscillate
 * (docs/index3.md). */
static void order_two(void **state) {
    (void)state;
    static const struct {
        const char *model;
        double until, h;
    } CASES[] = {{"pendulum", 0.8, 0.004}, {"andrews", 0.01, 2e-5}, {"car_axis", 0.8, 0.001}};
    static const char *const METHODS[] = {"newmark", "hht", "generalized-alpha", "trapezoidal"};
    for (int c = 0; c < 3; c++) {
        trial reference = trial_of(CASES[c].model, "dop853");
        reference.settings.until = CASES[c].until;
        reference.settings.tolerance = 1e-13;
        trial_run(&reference, NULL);
        for (int i = 0; i < 4; i++) {
            const char *model = CASES[c].model, *method = METHODS[i];
            errors coarse = errors_at(model, method, CASES[c].until, CASES[c].h, &reference);
            errors fine = errors_at(model, method, CASES[c].until, CASES[c].h / 2, &reference);
            double q = log2(coarse.q / fine.q), v = log2(coarse.v / fine.v),
                   l = log2(coarse.lambda / fine.lambda);
            print_message("%s, %s: orders %.2f %.2f %.2f\n", model, method, q, v, l);
            assert_true(fabs(q - 2) < 0.1);
            assert_true(fabs(v - 2) < 0.1);
            assert_true(fabs(l - 2) < 0.1);
        }
        trial_end(&reference);
    }
}

/* BDF on the index-3 equations of the pendulum: order k in q, v and lambda, k = 1 .. 6. */
static void order_of_bdf(void **state) {
    (void)state;
    trial reference = trial_of("pendulum", "dop853");
    reference.settings.until = 0.8;
    reference.settings.tolerance = 1e-13;
    trial_run(&reference, NULL);
    for (int k = 1; k <= 6; k++) {
        errors e[2];
        for (int i = 0; i < 2; i++) {
            trial t = trial_of("pendulum", "bdf-fixed/index3");
            t.settings.until = 0.8;
            t.settings.step = (k < 4 ? 0.0025 : 0.016) / (i + 1);
            t.settings.order = k;
            t.settings.newton_tolerance = 1e-13;
            trial_run(&t, NULL);
            trial_expect_ok(&t);
            e[i] = errors_of(&t, &reference);
            assert_true(t.result.position.max < 1e-13);
            trial_end(&t);
        }
        double q = log2(e[0].q / e[1].q), v = log2(e[0].v / e[1].v), l = log2(e[0].lambda / e[1].lambda);
        print_message("bdf-fixed/index3 of order %d: %.2f %.2f %.2f\n", k, q, v, l);
        assert_true(fabs(q - k) < 0.4 && fabs(v - k) < 0.4);
        assert_true(l > k - 0.4); /* those of q and v may cancel in it */
    }
    trial_end(&reference);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(condition_numbers),
        cmocka_unit_test(reference_mass),
        cmocka_unit_test(last_corrections),
        cmocka_unit_test(tiny_steps),
        cmocka_unit_test(accuracy_of_generalized_alpha),
        cmocka_unit_test(order_two),
        cmocka_unit_test(order_of_bdf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

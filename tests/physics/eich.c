/* Coordinate projection with BDF (Eich 1993): what the paper claims, measured. Numbers without another origin
 * are from docs/eich.md, which `keel reproduce` writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

/* The paper's code scales every error by the value of its variable. */
static trial pendulum(const char *method, double tolerance) {
    trial t = trial_of("pendulum", method);
    t.settings.until = 100;
    t.settings.tolerance = tolerance;
    t.settings.absolute_tolerance = 1e-3 * tolerance;
    return t;
}

/* Largest error at t = 100, where the exact state is (1, 0) at rest; velocities relative to the largest,
 * sqrt(2g). */
static double error_at_end(const trial *t) {
    const keel_state *end = t->result.final;
    double speed = sqrt(2 * 13.750371636040745);
    return fmax(fmax(fabs(end->q[0] - 1), fabs(end->q[1])), fmax(fabs(end->v[0]), fabs(end->v[1])) / speed);
}

typedef struct largest {
    double position;
    int rows;
} largest;

static keel_status watch_row(void *user, const keel_row *row) {
    largest *most = user;
    most->position = fmax(most->position, row->position_violation);
    most->rows++;
    return KEEL_OK;
}

/* Table 3.1: RES at round-off at every output and TOL; at 1e-6 and 1e-7 the error is, on the
 * geometric mean, four times smaller or better. */
static void projection_keeps_the_length_and_lowers_the_error(void **state) {
    (void)state;
    static const double TOLERANCES[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
    double gain = 1;
    for (unsigned i = 0; i < sizeof TOLERANCES / sizeof *TOLERANCES; i++) {
        largest most = {0};
        keel_observer observer = {.user = &most, .row = watch_row};
        trial without = pendulum("bdf/index1/none", TOLERANCES[i]);
        trial with = pendulum("bdf/index1/projection", TOLERANCES[i]);
        with.settings.output = 0.05;
        trial_run(&without, NULL);
        trial_expect_ok(&without);
        trial_run(&with, &observer);
        trial_expect_ok(&with);
        double ratio = error_at_end(&without) / error_at_end(&with);
        print_message("%.0e: error %.1e without, %.1e with; RES %.1e, %.1e\n", TOLERANCES[i],
                      error_at_end(&without), error_at_end(&with), without.result.position.max,
                      with.result.position.max);
        assert_int_equal(most.rows, 2001);
        assert_true(most.position <= 1e-14);
        assert_true(with.result.position.max <= 1e-14);
        assert_true(without.result.position.max > 1e-7); /* the check above can fail */
        if (TOLERANCES[i] == 1e-6 || TOLERANCES[i] == 1e-7)
            gain *= ratio;
        trial_end(&without);
        trial_end(&with);
    }
    assert_true(gain >= 4 * 4);
}

/* Section 4.2: projections use the factors of the last rate. */
static void projection_factors_almost_nothing(void **state) {
    (void)state;
    static const char *const MODELS[] = {"pendulum", "andrews", "car_axis", "chain", "truck"};
    for (unsigned i = 0; i < sizeof MODELS / sizeof *MODELS; i++)
        for (int mass = 0; mass < 2; mass++) {
            trial t = trial_of(MODELS[i], "bdf/index1/projection");
            t.settings.tolerance = 1e-6;
            t.settings.metric = mass ? KEEL_METRIC_MASS : KEEL_METRIC_NATURAL;
            trial_run(&t, NULL);
            trial_expect_ok(&t);
            double per_step = (double)t.result.count.projection_factorizations / (double)t.result.count.steps;
            print_message("%s: %.3f factorizations a step for projections\n", MODELS[i], per_step);
            assert_true(t.result.count.projections >= t.result.count.steps);
            assert_true(per_step < 0.1);
            trial_end(&t);
        }
}

static double distance(const trial *a, const trial *b) {
    double sum = 0;
    for (int i = 0; i < 2; i++)
        sum += pow(a->result.final->q[i] - b->result.final->q[i], 2) +
               pow(a->result.final->v[i] - b->result.final->v[i], 2);
    return sqrt(sum);
}

/* Theorem 3.2, with sequential and with joint projection. */
static void fixed_steps_keep_the_order(void **state) {
    (void)state;
    /* Joint projections keep factors over several steps: their direction, and with it the constant of the
     * error, changes a little whenever new ones are made. At k = 4 the order is 3.96, 3.83, 3.89 from 400,
     * 800, 1600 steps on. */
    static const int STEPS[] = {12800, 3200, 1600, 400, 800, 400};
    trial exact = trial_of("pendulum", "dop853/index1/projection");
    exact.settings.until = 1.6;
    exact.settings.tolerance = exact.settings.absolute_tolerance = 1e-14;
    trial_run(&exact, NULL);
    trial_expect_ok(&exact);
    for (int mode = KEEL_MODE_SEQUENTIAL; mode <= KEEL_MODE_JOINT; mode++)
        for (int k = 1; k <= 6; k++) {
            double error[2];
            for (int i = 0; i < 2; i++) {
                trial t = trial_of("pendulum", "bdf-fixed/index1/projection");
                t.settings.until = 1.6;
                t.settings.projection_mode = mode;
                t.settings.order = k;
                t.settings.step = 1.6 / (STEPS[k - 1] << i);
                trial_run(&t, NULL);
                trial_expect_ok(&t);
                assert_int_equal(t.result.count.steps, STEPS[k - 1] << i);
                assert_true(t.result.position.max <= 1e-14);
                error[i] = distance(&t, &exact);
                trial_end(&t);
            }
            double order = log2(error[0] / error[1]);
            print_message("k = %d, %s projection: order %.3f\n", k, mode ? "joint" : "sequential", order);
            assert_true(fabs(order - k) <= (k < 6 ? 0.1 : 0.15));
        }
    trial_end(&exact);
}

/* What is asked for must be possible. */
static void orders_are_checked(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double order, step;
        const char *message;
    } CASES[] = {
        {"bdf-fixed", 7, 0.01, "bdf-fixed has the orders 1 to 6"},
        {"bdf", 6, 0, "bdf has the orders 1 to 5"},
        {"ida", 6, 0, "ida has the orders 1 to 5"},
        {"adams", 2.5, 0, "option 'order' is 2.5"},
        {"bdf-fixed", 6, 25, "needs 6 steps or more"},
    };
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        trial t = trial_of("pendulum", CASES[i].method);
        t.settings.order = CASES[i].order;
        t.settings.step = CASES[i].step;
        t.settings.until = 100;
        assert_int_equal(trial_run(&t, NULL), KEEL_ERROR_INPUT);
        assert_non_null(strstr(trial_error(&t), CASES[i].message));
        trial_end(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_keeps_the_length_and_lowers_the_error),
        cmocka_unit_test(projection_factors_almost_nothing),
        cmocka_unit_test(fixed_steps_keep_the_order),
        cmocka_unit_test(orders_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

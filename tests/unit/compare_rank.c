/* The cost of an error and the order of methods, on hand-made runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/internal.h"

static const keel_method RK4 = {KEEL_RK4, KEEL_INDEX1, KEEL_PROJECTION, 0};
static const keel_method DOPRI5 = {KEEL_DOPRI5, KEEL_INDEX1, KEEL_PROJECTION, 0};
static const keel_method DOP853 = {KEEL_DOP853, KEEL_INDEX1, KEEL_PROJECTION, 0};
static const keel_method BDF = {KEEL_BDF, KEEL_INDEX1, KEEL_PROJECTION, 0};

static keel_comparison_run run(keel_method method, double error, long evaluations) {
    keel_comparison_run r = {.method = method, .tolerance = 1e-6, .error = error};
    r.count.evaluations = evaluations;
    if (isnan(error)) {
        r.outcome = KEEL_OUTCOME_FAILED;
        r.status = KEEL_ERROR_STEP_SIZE;
    }
    return r;
}

static void cost_is_interpolated_in_logarithms(void **state) {
    (void)state;
    const keel_comparison_run runs[] = {run(RK4, 1e-2, 100), run(RK4, 1e-6, 10000)};
    assert_true(fabs(ki_cost(runs, 2, 1e-4) - 1000) < 1e-9); /* half way in both logarithms */
    assert_true(fabs(ki_cost(runs, 2, 1e-6) - 10000) < 1e-8);
    assert_true(ki_cost(runs, 2, 1) == 100); /* nothing is extrapolated */
    assert_true(isnan(ki_cost(runs, 2, 1e-7)));
}

static void failed_runs_cost_nothing(void **state) {
    (void)state;
    const keel_comparison_run runs[] = {run(RK4, NAN, 5), run(RK4, 1e-6, 10000), run(RK4, NAN, 20000)};
    assert_true(ki_cost(runs, 3, 1e-4) == 10000);
    assert_true(isnan(ki_cost(runs, 1, 1)));
}

/* Round-off: a finer run may be worse, and an error may be exactly zero. */
static void errors_need_not_fall(void **state) {
    (void)state;
    const keel_comparison_run worse[] = {run(RK4, 1e-6, 100), run(RK4, 1e-3, 1000)};
    assert_true(ki_cost(worse, 2, 1e-4) == 100);
    const keel_comparison_run exact[] = {run(RK4, 1e-2, 100), run(RK4, 0, 1000)};
    assert_true(isfinite(ki_cost(exact, 2, 1e-20)));
}

static void copy_runs(keel_comparison *c, const keel_comparison_run *runs, int count) {
    c->run_count = count;
    c->runs = calloc((size_t)count, sizeof *runs);
    assert_non_null(c->runs);
    memcpy(c->runs, runs, (size_t)count * sizeof *runs);
    assert_int_equal(ki_rank(c), KEEL_OK);
}

static void cheap_methods_come_first_failures_last(void **state) {
    (void)state;
    const keel_comparison_run runs[] = {
        run(RK4, NAN, 0),      run(RK4, NAN, 0),       /* no result        */
        run(DOPRI5, 1e-2, 50), run(DOPRI5, 1e-3, 200), /* not good enough  */
        run(DOP853, 1e-3, 90), run(DOP853, 1e-7, 300), /* 3rd decade first */
        run(BDF, 1e-4, 80),    run(BDF, 1e-6, 100),
    };
    keel_comparison c = {.target = 1e-5, .uncertainty = 1e-12};
    copy_runs(&c, runs, 8);
    assert_int_equal(c.method_count, 4);
    const keel_integrator order[] = {KEEL_BDF, KEEL_DOP853, KEEL_DOPRI5, KEEL_RK4};
    const int ranks[] = {1, 2, 3, 0};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(c.methods[i].method.integrator, order[i]);
        assert_int_equal(c.methods[i].rank, ranks[i]);
        assert_int_equal(c.runs[c.methods[i].first_run].method.integrator, order[i]);
        assert_int_equal(c.methods[i].run_count, 2);
    }
    assert_true(isnan(c.methods[2].cost) && isnan(c.methods[3].cost));
    keel_comparison_clear(&c);
}

static void decades_name_the_cheapest(void **state) {
    (void)state;
    const keel_comparison_run runs[] = {run(RK4, 0.05, 10), run(DOP853, 1e-3, 90), run(BDF, 1e-4, 95)};
    keel_comparison c = {.uncertainty = 1e-12};
    copy_runs(&c, runs, 3);
    assert_true(c.target == 1e-3); /* two of three reach it */
    assert_int_equal(c.decade_count, 4);
    assert_int_equal(c.methods[c.decades[0].best[0]].method.integrator, KEEL_RK4);
    assert_int_equal(c.decades[0].reached, 3);
    assert_int_equal(c.methods[c.decades[2].best[0]].method.integrator, KEEL_DOP853);
    assert_true(c.decades[2].cost[0] == 90 && c.decades[2].best[2] == -1);
    assert_int_equal(c.methods[c.decades[3].best[0]].method.integrator, KEEL_BDF);
    keel_comparison_clear(&c);
}

static void decades_end_at_the_uncertainty(void **state) {
    (void)state;
    const keel_comparison_run runs[] = {run(RK4, 1e-9, 10)};
    keel_comparison c = {.uncertainty = 5e-4};
    copy_runs(&c, runs, 1);
    assert_int_equal(c.decade_count, 3);
    assert_true(c.target == 1e-3);
    keel_comparison_clear(&c);
}

/* Equal costs: the table of methods decides, so that the order is always the same. */
static void ties_keep_the_order_of_the_table(void **state) {
    (void)state;
    const keel_comparison_run runs[] = {run(RK4, 1e-3, 10), run(DOPRI5, 1e-3, 10), run(BDF, 1e-3, 10)};
    keel_comparison c = {.uncertainty = 0};
    copy_runs(&c, runs, 3);
    assert_int_equal(c.methods[0].method.integrator, KEEL_RK4);
    assert_int_equal(c.methods[2].method.integrator, KEEL_BDF);
    keel_comparison_clear(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cost_is_interpolated_in_logarithms),
        cmocka_unit_test(failed_runs_cost_nothing),
        cmocka_unit_test(errors_need_not_fall),
        cmocka_unit_test(cheap_methods_come_first_failures_last),
        cmocka_unit_test(decades_name_the_cheapest),
        cmocka_unit_test(decades_end_at_the_uncertainty),
        cmocka_unit_test(ties_keep_the_order_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

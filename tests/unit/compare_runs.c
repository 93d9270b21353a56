/* Whole comparisons of the pendulum: errors against its closed form, threads, failures, limits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/internal.h"
#include "systems.h"

/* The pendulum of systems.h counts its calls; threads must not do that together. */
static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    pendulum_model own = *(const pendulum_model *)system->model;
    keel_system copy = *system;
    copy.model = &own;
    return pendulum_evaluate(&copy, work, what, at, terms);
}

typedef struct fixture {
    pendulum_model model;
    keel_system system;
    keel_state *start;
    keel_settings settings;
    keel_comparison_plan plan;
    keel_diagnostics *diagnostics;
    keel_comparison result;
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->model.copies = 1;
    f->system = pendulum_system(&f->model);
    f->system.evaluate = evaluate;
    f->start = keel_state_new(&f->system);
    f->diagnostics = keel_diagnostics_new();
    assert_true(f->start && f->diagnostics);
    f->start->q[0] = 1;
    f->settings = keel_settings_default();
    f->settings.until = 2;
    f->plan = keel_comparison_plan_default();
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    keel_comparison_clear(&f->result);
    keel_diagnostics_free(f->diagnostics);
    keel_state_free(f->start);
    free(f);
    return 0;
}

static keel_status compare(fixture *f) {
    keel_comparison_clear(&f->result);
    return keel_compare(&f->system, f->start, 1, &f->settings, &f->plan, f->diagnostics, &f->result);
}

static keel_method method(const char *text) {
    keel_method m;
    assert_int_equal(keel_method_parse(text, (keel_location){0}, NULL, &m), KEEL_OK);
    return m;
}

static const char *message(const fixture *f) {
    assert_true(keel_diagnostics_count(f->diagnostics) > 0);
    return keel_diagnostics_get(f->diagnostics, 0).text;
}

/* Closed form: (1, 0), (0, -1), (-1, 0), (0, -1), (1, 0) every half second, see systems.h. Ranges 2 and 1. */
static void errors_are_measured_against_a_given_reference(void **state) {
    fixture *f = *state;
    char x[] = "x", y[] = "y", *names[] = {y, x};
    double t[] = {0, 0.5, 1, 1.5, 2}, values[] = {0, 1, -1, 0, 0, -1, -1, 0, 0, 1};
    keel_samples exact = {.rows = 5, .columns = 2, .names = names, .t = t, .values = values};
    const keel_method methods[] = {method("dop853"), method("rk4")};
    const double tolerances[] = {1e-12, 1e-4}, steps[] = {0.05, 0.025};
    f->plan.reference = &exact;
    f->plan.reference_name = "closed form";
    f->plan.methods = methods;
    f->plan.method_count = 2;
    f->plan.tolerances = tolerances;
    f->plan.tolerance_count = 2;
    f->plan.steps = steps;
    f->plan.step_count = 2;
    assert_int_equal(compare(f), KEEL_OK);
    const keel_comparison *c = &f->result;
    assert_true(c->uncertainty < 1e-10);
    assert_non_null(strstr(c->reference, "closed form"));
    assert_int_equal(c->rows, 5);
    for (int i = 0; i < c->run_count; i++) {
        const keel_comparison_run *r = &c->runs[i];
        assert_int_equal(r->outcome, KEEL_OUTCOME_DONE);
        if (r->step == 0 && r->tolerance == 1e-12)
            assert_true(r->error < 1e-9 && r->position_violation < 1e-14);
    }
    const keel_comparison_method *rk4 = &c->methods[c->methods[0].method.integrator == KEEL_RK4 ? 0 : 1];
    const keel_comparison_run *coarse = &c->runs[rk4->first_run], *fine = coarse + 1;
    assert_true(coarse->step == 0.05 && fine->step == 0.025);
    assert_true(coarse->count.steps == 40 && fine->count.steps == 80);
    double order = log2(coarse->error / fine->error);
    assert_true(order > 3.5 && order < 5.5); /* order 4 */
}

static void assert_same(const keel_comparison *a, const keel_comparison *b) {
    assert_int_equal(a->run_count, b->run_count);
    assert_true(a->target == b->target && a->uncertainty == b->uncertainty);
    for (int i = 0; i < a->run_count; i++) {
        keel_comparison_run x = a->runs[i], y = b->runs[i];
        assert_memory_equal(&x.method, &y.method, sizeof x.method);
        assert_memory_equal(&x.count, &y.count, sizeof x.count);
        assert_memory_equal(&x.error, &y.error, sizeof x.error); /* bit by bit, NAN included */
        assert_memory_equal(&x.energy, &y.energy, sizeof x.energy);
        assert_true(x.outcome == y.outcome && x.status == y.status && x.tolerance == y.tolerance &&
                    x.step == y.step);
        assert_string_equal(x.reason, y.reason);
    }
    for (int i = 0; i < a->method_count; i++)
        assert_int_equal(a->methods[i].rank, b->methods[i].rank);
}

static void threads_change_nothing(void **state) {
    fixture *f = *state;
    keel_comparison one;
    f->plan.threads = 1;
    f->settings.until = 0.1;
    assert_int_equal(compare(f), KEEL_OK);
    one = f->result;
    f->result = (keel_comparison){0};
    f->plan.threads = 3;
    assert_int_equal(compare(f), KEEL_OK);
    assert_same(&one, &f->result);
    assert_true(one.method_count > 100 && one.uncertainty < 1e-10);
    assert_true(one.quantity_count == 2 && strcmp(one.quantities[0], "x") == 0);
    keel_comparison_clear(&one);
}

/* bdf-fixed has orders 1 to 6: with order 9 its runs cannot start. */
static void failed_runs_are_listed_with_their_reason(void **state) {
    fixture *f = *state;
    const keel_method methods[] = {method("bdf-fixed"), method("adams")};
    f->settings.order = 9;
    f->settings.until = 0.5;
    f->plan.methods = methods;
    f->plan.method_count = 2;
    assert_int_equal(compare(f), KEEL_OK);
    assert_int_equal(f->result.methods[0].method.integrator, KEEL_ADAMS);
    assert_true(f->result.methods[0].rank == 1 && f->result.methods[1].rank == 0);
    const keel_comparison_run *r = &f->result.runs[f->result.methods[1].first_run];
    assert_int_equal(r->outcome, KEEL_OUTCOME_FAILED);
    assert_non_null(strstr(r->reason, "order"));
    assert_true(isnan(r->error));
    assert_non_null(strstr(f->result.notes[0], "3 of 6 runs failed"));
}

static void long_runs_are_stopped(void **state) {
    fixture *f = *state;
    const keel_method methods[] = {method("dop853")};
    f->plan.methods = methods;
    f->plan.method_count = 1;
    f->plan.limit = 1e-9;
    assert_int_equal(compare(f), KEEL_OK);
    for (int i = 0; i < f->result.run_count; i++) {
        assert_int_equal(f->result.runs[i].outcome, KEEL_OUTCOME_LIMIT);
        assert_true(isnan(f->result.runs[i].error) && f->result.runs[i].count.steps == 0);
    }
}

/* Stops after the second reference and two runs. */
static volatile int stop;
static void stop_at_four(void *user, int done, int total) {
    (void)user;
    assert_true(done <= total);
    stop = done >= 4;
}

static void what_was_done_is_kept_when_stopped(void **state) {
    fixture *f = *state;
    stop = 0;
    f->plan.progress = stop_at_four;
    f->plan.stop = &stop;
    assert_int_equal(compare(f), KEEL_INTERRUPTED);
    int done = 0;
    for (int i = 0; i < f->result.run_count; i++)
        done += f->result.runs[i].outcome == KEEL_OUTCOME_DONE;
    assert_int_equal(done, 2);
    assert_int_equal(f->result.methods[0].rank, 1);
}

static void unknown_quantities_are_refused(void **state) {
    fixture *f = *state;
    const char *const names[] = {"lambda.rood"};
    f->plan.quantities = names;
    f->plan.quantity_count = 1;
    assert_int_equal(compare(f), KEEL_ERROR_INPUT);
    assert_non_null(strstr(message(f), "did you mean 'lambda.rod'?"));
    assert_int_equal(f->result.run_count, 0);
}

static void a_reference_without_the_quantity_is_refused(void **state) {
    fixture *f = *state;
    char x[] = "x", *names[] = {x};
    double t[] = {0, 1}, values[] = {1, -1};
    keel_samples other = {.rows = 2, .columns = 1, .names = names, .t = t, .values = values};
    f->plan.reference = &other;
    f->plan.reference_name = "other.csv";
    assert_int_equal(compare(f), KEEL_ERROR_INPUT);
    assert_non_null(strstr(message(f), "no column 'y'"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(errors_are_measured_against_a_given_reference, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_change_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failed_runs_are_listed_with_their_reason, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_runs_are_stopped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_done_is_kept_when_stopped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_quantities_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reference_without_the_quantity_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

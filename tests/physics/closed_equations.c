/* Runs of equations in closed form: to the end of their map and beyond, with drivers that do work, and what
 * they tell. The same run with closed_forms = no is the reference, at tolerances at which both agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "long_run.h"
#include "trials.h"

/* With closed forms as in a run that is long enough to earn them. */
static trial closed_trial(const char *model, const char *method) {
    trial t = trial_of(model, method);
    t.settings.code = KEEL_CODE_TAPE;
    return t;
}

/* An offset slider crank whose crank q cannot turn fully: at sin q = 0.625 the rod p is upright, and goes on
 * while the crank swings back. The pose is not singular, but p(q) ends there. */
#define SWING(offset, rate)                                                                                  \
    "keel: 1\nparameters: {p_0: \"asin(-(" offset ") - 0.8*sin(-0.5))\"}\n"                                  \
    "equations:\n  coordinates: {q: -0.5, p: p_0}\n"                                                         \
    "  velocities: {q: 2, p: \"-(1.6*cos(-0.5) + " rate ")/cos(p_0)\"}\n"                                    \
    "  kinetic: (q'^2 + 0.3*p'^2 + 0.4*q'*p'*cos(p - q))/2\n"                                                \
    "  potential: 2*sin(q) + sin(p)\n  holonomic: {pin: sin(p) + 0.8*sin(q) + "

static const char STILL[] = SWING("0.5", "0") "0.5}\nsimulate: {until: 4, tolerance: 1e-11, output: 0.05}\n";

/* The offset moves: the guide does work, from the first moment on. */
static const char MOVING[] = SWING(
    "0.5*cos(1)", "-1.5*sin(1)") "0.5*cos(3*t + 1)}\nsimulate: {until: 4, tolerance: 1e-11, output: 0.05}\n";

/* Crank and rod of the same length: at q = pi/2 two branches cross, and J loses rank. */
static const char EQUAL[] = "keel: 1\nequations:\n  coordinates: {q: 1, x: 2*cos(1), p: -1}\n"
                            "  velocities: {q: 0, x: 0, p: 0}\n"
                            "  kinetic: (q'^2 + x'^2 + p'^2)/2\n  potential: -9.81*sin(q)\n"
                            "  holonomic: {slider: x - cos(p) - cos(q), pin: sin(p) + sin(q)}\n"
                            "simulate: {until: 2, tolerance: 1e-10, output: 0.05}\n";

/* Drivers alone, no end of the map: y and f move by the clock, and carry x. */
static const char DRIVEN[] = "keel: 1\nequations:\n  coordinates: {x: 0.3, y: 0.1, f: 0.06}\n"
                             "  velocities: {x: 0.2, y: 0, f: 0.34}\n"
                             "  kinetic: x'^2/2 + y'^2 + (f' + 0.3*y'*cos(x) + x')^2/2\n"
                             "  potential: 4*x^2 + cos(f)\n  forces: {x: -0.2*x'}\n"
                             "  holonomic: {drive: y - 0.1*cos(3*t), follow: f - 2*y*x - 0.3*t}\n"
                             "simulate: {until: 5, tolerance: 1e-11, output: 0.05}\n";

/* Kinetic energy with terms linear in v and free of v: momenta are not M v. */
static const char LINEAR_TERMS[] =
    "keel: 1\nparameters: {p_0: 0.2*sin(0.3) + 0.3*sin(1)}\nequations:\n"
    "  coordinates: {q: 0.3, p: asin(p_0), y: 0.1}\n"
    "  velocities: {q: 1, p: (0.2*cos(0.3) + 0.9*cos(1))/cos(asin(p_0)), y: 0}\n"
    "  kinetic: (q' + sin(t)*p)^2/2 + (1 + q^2)*p'^2/2 + 0.4*p'*y'*cos(q) + y'^2 + y'*q*t + q'*p\n"
    "  potential: 3*cos(q) + p^2*t\n  forces: {q: -0.1*q', p: sin(q)}\n"
    "  holonomic: {a: sin(p) - 0.2*sin(q) - 0.3*sin(3*t + 1), b: y - 0.1*cos(3*t)}\n"
    "simulate: {until: 3, tolerance: 1e-11, output: 0.05}\n";

static const char LEFT[] =
    "another branch comes near the closed forms: the run goes on with all coordinates, ";

static int count_events(const trial *t, const char *words) {
    int found = 0;
    for (int i = 0; i < t->result.event_count; i++)
        found += strstr(t->result.events[i].text, words) != NULL;
    return found;
}

/* ---- rows */

enum { ROWS = 101, MOST = 4 };
typedef struct table {
    int n, rows;
    double t[ROWS], energy[ROWS], drift[ROWS], q[ROWS][MOST], v[ROWS][MOST], lambda[ROWS][MOST];
    double worst; /* violation */
} table;

static keel_status keep_row(void *user, const keel_row *row) {
    table *rows = user;
    int i = rows->rows++;
    assert_true(i < ROWS);
    rows->t[i] = row->t, rows->energy[i] = row->energy, rows->drift[i] = row->energy_drift;
    for (int k = 0; k < rows->n; k++) {
        rows->q[i][k] = row->q[k], rows->v[i][k] = row->v[k];
        rows->lambda[i][k] = k == 0 ? row->lambda[0] : 0;
    }
    rows->worst = fmax(rows->worst, fmax(row->position_violation, row->velocity_violation));
    return KEEL_OK;
}

static void run_table(trial *t, table *rows) {
    *rows = (table){.n = t->model->system->n_q};
    trial_run(t, &(keel_observer){.user = rows, .row = keep_row});
    trial_expect_ok(t);
}

/* Both runs of a text, row by row. */
static void compare_runs(const char *text, bool leaves, double tolerance) {
    trial t = closed_trial(text, "auto"), all = closed_trial(text, "auto");
    table rows, reference;
    all.settings.closed_forms = KEEL_CLOSED_FORMS_NO;
    run_table(&t, &rows);
    run_table(&all, &reference);
    assert_int_equal(count_events(&t, LEFT), leaves);
    assert_int_equal(count_events(&all, LEFT), 0);
    assert_int_equal(t.result.closed_forms == NULL, leaves);
    assert_int_equal(t.result.method.stabilize, leaves ? KEEL_PROJECTION : KEEL_STABILIZE_NONE);
    assert_null(all.result.closed_forms);
    assert_int_equal(rows.rows, reference.rows);
    assert_true(rows.rows > 40 && rows.worst < 1e-12 && t.result.position.max < 1e-13);
    for (int i = 0; i < rows.rows; i++) {
        double error = fmax(difference(rows.q[i], reference.q[i], rows.n),
                            difference(rows.v[i], reference.v[i], rows.n));
        error = fmax(error, difference(rows.lambda[i], reference.lambda[i], rows.n));
        error = fmax(error, difference(&rows.energy[i], &reference.energy[i], 1));
        if (!(rows.t[i] == reference.t[i] && error < tolerance))
            fail_msg("t = %g: rows differ by %.2e", rows.t[i], error);
        if (!(fabs(rows.drift[i]) < tolerance))
            fail_msg("t = %g: drift %.2e", rows.t[i], rows.drift[i]);
    }
    assert_true(t.result.energy_drift_max < tolerance && all.result.energy_drift_max < tolerance);
    assert_true(fabs(t.result.energy_initial - all.result.energy_initial) < 1e-13);
    assert_true(fabs(t.result.energy_final - all.result.energy_final) < tolerance);
    trial_end(&t);
    trial_end(&all);
}

static void test_end_of_the_map(void **state) {
    (void)state;
    compare_runs(STILL, true, 1e-8);
    /* the rod does pass what ends its map */
    trial t = closed_trial(STILL, "auto");
    table rows;
    run_table(&t, &rows);
    double lowest = 0;
    for (int i = 0; i < rows.rows; i++)
        lowest = fmin(lowest, rows.q[i][1]);
    assert_true(lowest < -1.7);
    trial_end(&t);
}

/* Work of the guide is booked before and after. E itself changes: the test would not see its work otherwise.
 */
static void test_drivers_do_work(void **state) {
    (void)state;
    compare_runs(MOVING, true, 1e-7);
    compare_runs(DRIVEN, false, 1e-8);
    compare_runs(LINEAR_TERMS, false, 1e-8);
    trial t = closed_trial(DRIVEN, "auto");
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    assert_true(fabs(t.result.energy_final - t.result.energy_initial) > 0.1);
    assert_non_null(t.result.closed_forms);
    trial_end(&t);
}

static void test_crossing_branches(void **state) {
    (void)state;
    compare_runs(EQUAL, true, 1e-7);
    trial t = closed_trial(EQUAL, "auto");
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    /* left on the way, then the pose is told as without closed forms */
    assert_int_equal(count_events(&t, "singular pose: rank 2 before, 1 at, 2 after"), 1);
    assert_true(t.result.event_count == 2 && t.result.events[0].t < t.result.events[1].t);
    trial_end(&t);
}

static void test_singular_stop(void **state) {
    double end[2];
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        trial t = closed_trial(EQUAL, "auto");
        t.settings.singular = KEEL_SINGULAR_STOP;
        t.settings.closed_forms = closed ? KEEL_CLOSED_FORMS_AUTO : KEEL_CLOSED_FORMS_NO;
        assert_int_equal(trial_run(&t, NULL), KEEL_ERROR_SINGULAR);
        assert_non_null(strstr(trial_error(&t), "singular = stop"));
        assert_int_equal(count_events(&t, LEFT), closed);
        assert_int_equal(count_events(&t, "singular pose"), 1);
        end[closed] = t.result.events[t.result.event_count - 1].t;
        trial_end(&t);
    }
    assert_true(fabs(end[0] - end[1]) < 1e-6);
}

/* ---- step by step */

/* Counts never go back, times do not, and the drift of the energy has no jump where the map is left. */
static void test_counts(void **state) {
    (void)state;
    trial t = closed_trial(MOVING, "auto");
    keel_status status;
    keel_simulation *sim =
        keel_simulation_new(t.model->system, t.model->start, 1, &t.settings, t.messages, &status);
    assert_non_null(sim);
    keel_result before, now;
    bool left = false;
    assert_int_equal(keel_simulation_result(sim, &before), KEEL_OK);
    for (long steps = 1; keel_simulation_time(sim) < t.settings.until; steps++) {
        double t_before = keel_simulation_time(sim);
        assert_int_equal(keel_simulation_step(sim), KEEL_OK);
        keel_step step = keel_simulation_last_step(sim);
        assert_true(step.t > t_before && fabs(step.t - step.size - t_before) < 1e-14);
        assert_int_equal(keel_simulation_result(sim, &now), KEEL_OK);
        assert_int_equal(now.count.steps, steps);
        assert_true(now.count.rejected >= before.count.rejected);
        assert_true(now.count.evaluations > before.count.evaluations);
        assert_true(now.count.factorizations > before.count.factorizations);
        assert_true(now.count.projections >= before.count.projections);
        assert_true(now.energy_drift_max >= before.energy_drift_max);
        assert_true(fabs(now.energy_drift - before.energy_drift) < 1e-9);
        assert_true(now.event_count >= before.event_count);
        left = left || now.event_count > 0;
        assert_int_equal(now.closed_forms == NULL, left);
        keel_result_clear(&before);
        before = now;
    }
    assert_true(left);
    keel_result_clear(&before);
    keel_simulation_free(sim);
    trial_end(&t);
}

/* A second run from where the first one ended, in the closed form or beyond it. */
static void test_restart(void **state) {
    (void)state;
    for (int half = 0; half < 2; half++) {
        trial t = closed_trial(STILL, "auto"), first = closed_trial(STILL, "auto");
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        assert_int_equal(t.result.event_count, 1);
        first.settings.until = t.result.events[0].t * (half ? 1.5 : 0.5);
        trial_run(&first, NULL);
        trial_expect_ok(&first);
        assert_int_equal(first.result.event_count, half);
        keel_state_copy(first.model->system, first.model->start, first.result.final);
        first.settings.until = t.settings.until;
        trial_run(&first, NULL);
        trial_expect_ok(&first);
        assert_true(difference(first.result.final->q, t.result.final->q, 2) < 1e-8);
        assert_true(difference(first.result.final->v, t.result.final->v, 2) < 1e-8);
        trial_end(&t);
        trial_end(&first);
    }
}

/* ---- settings */

/* Asked for, with methods of all kinds: left all the same, for what the method makes of constraints. */
static void test_named_methods(void **state) {
    static const struct {
        const char *method;
        double tolerance, step, error, violation;
    } METHODS[] = {{"dop853/index1/projection", 1e-10, 0, 1e-7, 1e-12},
                   {"dop853/index1/none", 1e-12, 0, 1e-6, 1e-6},
                   {"adams/index1/projection", 1e-10, 0, 1e-5, 1e-12},
                   {"radau5/index1/projection", 1e-9, 0, 1e-5, 1e-12},
                   {"bdf/index1/projection", 1e-10, 0, 1e-3, 1e-9},
                   {"ida/index1/none", 1e-10, 0, 1e-5, 1e-6},
                   {"rk4/index1/projection", 0, 1e-3, 1e-6, 1e-12}};
    (void)state;
    trial reference = closed_trial(STILL, "auto");
    reference.settings.closed_forms = KEEL_CLOSED_FORMS_NO;
    trial_run(&reference, NULL);
    trial_expect_ok(&reference);
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        trial t = closed_trial(STILL, METHODS[i].method);
        t.settings.closed_forms = KEEL_CLOSED_FORMS_YES;
        t.settings.tolerance = METHODS[i].tolerance > 0 ? METHODS[i].tolerance : t.settings.tolerance;
        t.settings.step = METHODS[i].step;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        assert_int_equal(count_events(&t, LEFT), 1);
        double error = difference(t.result.final->q, reference.result.final->q, 2);
        if (!(error < METHODS[i].error && t.result.position.max < METHODS[i].violation))
            fail_msg("%s: error %.1e, violation %.1e", METHODS[i].method, error, t.result.position.max);
        trial_end(&t);
    }
    trial_end(&reference);
}

/* With all coordinates from the first step on, or not at all if closed forms are asked for. */
static void test_other_branch(void **state) {
    (void)state;
    trial t = closed_trial(STILL, "auto");
    keel_state *start = t.model->start;
    start->q[1] = 3.14159265358979323846 - start->q[1];
    start->v[1] = -start->v[1];
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    assert_null(t.result.closed_forms);
    assert_int_equal(t.result.event_count, 0);
    assert_true(t.result.count.projections > 0 && t.result.energy_drift_max < 1e-8);
    t.settings.closed_forms = KEEL_CLOSED_FORMS_YES;
    assert_int_equal(trial_run(&t, NULL), KEEL_ERROR_INPUT);
    assert_non_null(strstr(trial_error(&t), "the start is on another branch"));
    trial_end(&t);
}

/* What is wrong with the settings of all coordinates is told before the run, not where it needs them. */
static void test_wrong_settings(void **state) {
    (void)state;
    static const char TEXT[] = SWING("0.5", "0") "0.5}\nsimulate: {until: 4, K_D: {pim: 1}}\n";
    trial t = closed_trial(TEXT, "auto");
    assert_int_equal(trial_run(&t, NULL), KEEL_ERROR_INPUT);
    assert_non_null(strstr(trial_error(&t), "there is no row 'pim'"));
    assert_int_equal(t.result.count.steps, 0);
    trial_end(&t);
}

/* A force that is no number from t = 1 on: the run ends there, and says why, with all rows before. */
static void test_not_a_number(void **state) {
    (void)state;
    static const char TEXT[] = "keel: 1\nequations:\n  coordinates: {q: 0.2, p: 0}\n  kinetic: q'^2 + p'^2\n"
                               "  forces: {q: sqrt(1 - t)}\n  holonomic: {pin: sin(p) - 0.1*sin(3*t)*q^2}\n"
                               "simulate: {until: 2, output: 0.05}\n";
    trial t = closed_trial(TEXT, "auto");
    assert_non_null(long_run(t.model->system)->reduction);
    table rows = {.n = 2};
    assert_true(trial_run(&t, &(keel_observer){.user = &rows, .row = keep_row}) < 0);
    assert_non_null(strstr(trial_error(&t), "is not finite"));
    assert_true(rows.rows > 15 && t.result.final->t > 0.9 && t.result.final->t <= 1);
    assert_int_equal(count_events(&t, "a step with the closed forms fails: the run goes on"), 1);
    for (int i = 0; i < rows.rows; i++)
        assert_true(isfinite(rows.q[i][0]) && isfinite(rows.v[i][1]) && isfinite(rows.drift[i]));
    trial_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_end_of_the_map),
                                       cmocka_unit_test(test_drivers_do_work),
                                       cmocka_unit_test(test_crossing_branches),
                                       cmocka_unit_test(test_singular_stop),
                                       cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_restart),
                                       cmocka_unit_test(test_named_methods),
                                       cmocka_unit_test(test_other_branch),
                                       cmocka_unit_test(test_wrong_settings),
                                       cmocka_unit_test(test_not_a_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

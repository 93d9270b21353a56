/* radau5 and radau9: their orders in q and v with and without projection, stiffness that does not limit the
 * steps, rows between steps, what is told after a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "integrate/radau.h"
#include "run/simulation.h"
#include "trials.h"

/* Polynomials of degree up to s without a constant term: their values anywhere, and their rates at the end.
 */
static void tables_are_right(void **state) {
    (void)state;
    const ki_radau_table *TABLES[] = {&KI_RADAU5, &KI_RADAU9};
    for (int i = 0; i < 2; i++)
        for (int k = 1; k <= TABLES[i]->stages; k++) {
            double weight[KI_RADAU_STAGES], value = 0, rate = 0, x = 1.7;
            ki_radau_weights(TABLES[i], x, weight);
            for (int j = 0; j < TABLES[i]->stages; j++) {
                value += weight[j] * pow(TABLES[i]->c[j], k);
                rate += TABLES[i]->end[j] * pow(TABLES[i]->c[j], k);
            }
            assert_true(fabs(value / pow(x, k) - 1) < 1e-12);
            assert_true(fabs(rate - k) < 1e-12);
        }
}

static trial run(const char *model, const char *method, double tolerance, double until) {
    trial t = trial_of(model, method);
    t.settings.tolerance = tolerance;
    t.settings.until = until;
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    return t;
}

/* Errors at the end, positions and velocities each relative to the largest, against another run. */
typedef struct errors {
    double q, v;
} errors;

static double relative(int n, const double *a, const double *b) {
    double most = 0, size = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return most / size;
}

static errors error_of(const trial *t, const trial *exact) {
    const keel_system *sys = t->model->system;
    return (errors){relative(sys->n_q, t->result.final->q, exact->result.final->q),
                    relative(sys->n_v, t->result.final->v, exact->result.final->v)};
}

/* Steps of one length: a limit, and an estimate and a Newton iteration that do not depend on the tolerance.
 */
static trial constant_steps(const char *model, const char *method, double until, int steps) {
    static const double ESTIMATE = 1e12, CORRECTION = 1e-13;
    trial t = trial_of(model, method);
    t.settings.tolerance = t.settings.absolute_tolerance = 1e-12;
    t.settings.until = until;
    t.settings.first_step = t.settings.max_step = until / steps;
    keel_simulation *sim = keel_simulation_new(t.model->system, t.model->start, t.model->velocities_given,
                                               &t.settings, t.messages, &t.status);
    assert_non_null(sim);
    ki_radau *radau = (ki_radau *)sim->integrator;
    for (int i = 0; i < radau->base.n; i++)
        radau->inverse[i] *= radau->relax / ESTIMATE;
    radau->relax = ESTIMATE;
    radau->kappa = CORRECTION / (ESTIMATE * ki_allowed(&radau->base).absolute);
    while (!t.status && keel_simulation_time(sim) < until)
        t.status = keel_simulation_step(sim);
    trial_expect_ok(&t);
    assert_int_equal(keel_simulation_result(sim, &t.result), KEEL_OK);
    keel_simulation_free(sim);
    if (t.result.count.steps != steps)
        fail_msg("%s: %ld steps instead of %d", method, t.result.count.steps, steps);
    return t;
}

static void expect_order(const char *model, double until, const char *method, int steps, double order) {
    trial exact =
        run(model, "dop853/index1/projection", 1e-13, until); /* agrees with itself at 1e-12 to 1e-11 */
    trial coarse = constant_steps(model, method, until, steps);
    trial fine = constant_steps(model, method, until, 2 * steps);
    errors a = error_of(&coarse, &exact), b = error_of(&fine, &exact);
    double of_q = log2(a.q / b.q), of_v = log2(a.v / b.v);
    print_message("%s, %s: errors %.1e, %.1e; order %.2f in q, %.2f in v\n", model, method, a.q, b.q, of_q,
                  of_v);
    if (fabs(of_q - order) > 0.1 * order || fabs(of_v - order) > 0.1 * order)
        fail_msg("%s, %s: orders %.2f and %.2f are not %g", model, method, of_q, of_v, order);
    trial_end(&exact);
    trial_end(&coarse);
    trial_end(&fine);
}

static void errors_shrink_with_the_order(void **state) {
    (void)state;
    expect_order("pendulum", 2, "radau5/index1/projection", 80, 5);
    expect_order("pendulum", 2, "radau5/index1/none", 80, 5);
    expect_order("andrews", 0.03, "radau5/index1/projection", 400, 5);
    expect_order("pendulum", 2, "radau9/index1/projection", 24, 9);
    expect_order("pendulum", 2, "radau9/index1/none", 24, 9);
}

/* x' is pulled towards cos t at the rate c (Prothero and Robinson 1974): once c is large it must not matter.
 * Started on the solution x = sin t. */
static const char DAMPER[] = "keel: 1\nparameters: {c: %g}\n"
                             "equations:\n  coordinates: {x: 0}\n  velocities: {x: 1}\n"
                             "  kinetic: x'^2/2\n  forces: {x: -c*(x' - cos(t)) - sin(t)}\n"
                             "simulate: {until: 10, tolerance: 1e-6}\n";

static void stiffness_does_not_limit_steps(void **state) {
    (void)state;
    static const char *const METHODS[] = {"radau5", "radau9"};
    for (int k = 0; k < 2; k++) {
        long steps = 0;
        for (double c = 1e3; c < 1e10; c *= 1e3) {
            char text[512];
            snprintf(text, sizeof text, DAMPER, c);
            trial t = run(text, METHODS[k], 1e-6, 10);
            double error = fabs(t.result.final->q[0] - sin(10));
            print_message("%s, c = %.0e: %ld steps, %ld evaluations, error %.1e\n", METHODS[k], c,
                          t.result.count.steps, t.result.count.evaluations, error);
            assert_true(error < 1e-5 && t.result.count.steps < 100);
            assert_true(steps == 0 || t.result.count.steps <= steps + 10);
            steps = t.result.count.steps;
            trial_end(&t);
        }
    }
}

/* Van der Pol's oscillator as a spring with a damper that feeds it: jumps and slow phases. */
static void relaxation_oscillation(void **state) {
    (void)state;
    static const char MODEL[] = "keel: 1\nparameters: {mu: 100}\n"
                                "equations:\n  coordinates: {x: 2}\n  velocities: {x: 0}\n"
                                "  kinetic: x'^2/2\n  potential: x^2/2\n  forces: {x: mu*(1 - x^2)*x'}\n"
                                "simulate: {until: 200, tolerance: 1e-6}\n";
    trial explicit = run(MODEL, "dop853", 1e-7, 200);
    static const char *const METHODS[] = {"radau5", "radau9"};
    for (int k = 0; k < 2; k++) {
        trial t = run(MODEL, METHODS[k], 1e-6, 200);
        double apart = fabs(t.result.final->q[0] - explicit.result.final->q[0]);
        print_message("%s: %ld evaluations, dop853 %ld; apart by %.1e\n", METHODS[k],
                      t.result.count.evaluations, explicit.result.count.evaluations, apart);
        assert_true(10 * t.result.count.evaluations < explicit.result.count.evaluations);
        assert_true(apart < 1e-4);
        trial_end(&t);
    }
    trial_end(&explicit);
}

typedef struct rows {
    int count;
    double q[400][2], violation;
} rows;

static keel_status record(void *user, const keel_row *row) {
    rows *r = user;
    assert_true(r->count < 400);
    memcpy(r->q[r->count++], row->q, sizeof r->q[0]);
    r->violation = fmax(r->violation, fmax(row->position_violation, row->velocity_violation));
    return KEEL_OK;
}

/* Rows between steps: on the constraints, and as exact as the tolerance asks up to the factor that the
 * polynomial loses (its order is one above the number of stages). */
static void rows_between_steps(void **state) {
    (void)state;
    static rows exact, r;
    static const char *const METHODS[] = {"radau5", "radau9"};
    trial t = trial_of("pendulum", "dop853");
    t.settings.until = 5;
    t.settings.output = 0.0137;
    t.settings.tolerance = 1e-12;
    exact.count = 0;
    trial_run(&t, &(keel_observer){.user = &exact, .row = record});
    for (int k = 0; k < 2; k++)
        for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 1e-2) {
            keel_method_parse(METHODS[k], (keel_location){0}, NULL, &t.settings.method);
            t.settings.tolerance = tolerance;
            memset(&r, 0, sizeof r);
            trial_run(&t, &(keel_observer){.user = &r, .row = record});
            trial_expect_ok(&t);
            double most = 0;
            for (int i = 0; i < r.count; i++)
                most = fmax(most, fmax(fabs(r.q[i][0] - exact.q[i][0]), fabs(r.q[i][1] - exact.q[i][1])));
            print_message("%s at %.0e: rows off by %.1e\n", METHODS[k], tolerance, most);
            assert_int_equal(r.count, exact.count);
            assert_true(most < 30 * tolerance && r.violation < 1e-13);
        }
    trial_end(&t);
}

/* A run in two halves is the same motion. */
static void restart_continues(void **state) {
    (void)state;
    trial whole = run("andrews", "radau9", 1e-9, 0.03), half = run("andrews", "radau9", 1e-9, 0.015);
    keel_state *from = keel_state_new(half.model->system);
    keel_result rest;
    keel_state_copy(half.model->system, from, half.result.final);
    half.settings.until = 0.03;
    assert_int_equal(keel_run(half.model->system, from, 1, &half.settings, NULL, NULL, &rest), KEEL_OK);
    assert_true(relative(half.model->system->n_q, rest.final->q, whole.result.final->q) < 1e-8);
    keel_result_clear(&rest);
    keel_state_free(from);
    trial_end(&whole);
    trial_end(&half);
}

/* A run in which every stage may or may not have derivatives of its own. */
static trial run_by_stages(const char *model, const char *method, double tolerance, bool by_stages) {
    trial t = trial_of(model, method);
    t.settings.tolerance = tolerance;
    t.settings.until = 10;
    keel_simulation *sim = keel_simulation_new(t.model->system, t.model->start, t.model->velocities_given,
                                               &t.settings, t.messages, &t.status);
    assert_non_null(sim);
    ki_radau *radau = (ki_radau *)sim->integrator;
    assert_true(radau->may_by_stages);
    radau->may_by_stages = by_stages;
    while (!t.status && keel_simulation_time(sim) < 10)
        t.status = keel_simulation_step(sim);
    trial_expect_ok(&t);
    assert_int_equal(keel_simulation_result(sim, &t.result), KEEL_OK);
    keel_simulation_free(sim);
    return t;
}

static long evaluations_from_to(const char *method, double from, double to, bool by_stages) {
    long sum = 0;
    for (double tolerance = from; tolerance > 0.5 * to; tolerance *= 0.1) {
        trial t = run_by_stages("a05_governor", method, tolerance, by_stages);
        sum += t.result.count.evaluations;
        trial_end(&t);
    }
    return sum;
}

/* Governor: the secant and the rate that collocation gives at the end of a step save evaluations. Converged
 * runs of this code with one f_y for all stages: radau5 takes 3334, 3567 if the rate is evaluated; radau9
 * 11186, 11951 without the secant. */
static void evaluations_are_few(void **state) {
    (void)state;
    long five = evaluations_from_to("radau5", 1e-2, 1e-4, false),
         nine = evaluations_from_to("radau9", 1e-1, 1e-6, false);
    print_message("radau5: %ld evaluations, radau9 %ld\n", five, nine);
    assert_true(five < 3450);
    assert_true(nine < 11550);
}

/* Where stiff directions turn within a step, derivatives of every stage let steps be longer. Evaluations and
 * steps of this code at 1e-4 with one f_y and with those of the stages: bushing 5807 and 1293, 275 and 61,
 * governor 1933 and 1058, 88 and 59. */
static void stages_have_derivatives_of_their_own(void **state) {
    (void)state;
    static const char *const MODELS[] = {"stiff_spring", "a05_governor"};
    static const double FEWER[] = {3.5, 1.6};
    for (int k = 0; k < 2; k++) {
        trial exact = run(MODELS[k], "radau9", 1e-10, 10);
        trial one = run_by_stages(MODELS[k], "radau9", 1e-4, false);
        trial all = run_by_stages(MODELS[k], "radau9", 1e-4, true);
        errors error = error_of(&all, &exact);
        print_message("%s: %ld evaluations, %ld with derivatives of the stages, error %.1e\n", MODELS[k],
                      one.result.count.evaluations, all.result.count.evaluations, error.q);
        assert_true((double)one.result.count.evaluations > FEWER[k] * (double)all.result.count.evaluations);
        assert_true(error.q < 1e-4);
        trial_end(&exact);
        trial_end(&one);
        trial_end(&all);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_right),
        cmocka_unit_test(errors_shrink_with_the_order),
        cmocka_unit_test(stiffness_does_not_limit_steps),
        cmocka_unit_test(relaxation_oscillation),
        cmocka_unit_test(rows_between_steps),
        cmocka_unit_test(restart_continues),
        cmocka_unit_test(evaluations_are_few),
        cmocka_unit_test(stages_have_derivatives_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

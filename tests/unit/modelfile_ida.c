/* IDA on the models that come with Keel: published end values, agreement with dop853, constraints held. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models.h"

/* Largest error of q and v at the end, relative where they are larger than one. */
static double difference(const model_run *a, const model_run *b) {
    const keel_system *sys = a->model->system;
    const keel_state *x = a->result.final, *y = b->result.final;
    double most = 0;
    for (int i = 0; i < sys->n_q; i++)
        most = fmax(most, fabs(x->q[i] - y->q[i]) / fmax(1, fabs(y->q[i])));
    for (int i = 0; i < sys->n_v; i++)
        most = fmax(most, fabs(x->v[i] - y->v[i]) / fmax(1, fabs(y->v[i])));
    return most;
}

/* The rigid slider crank of SUNDIALS' own example. End values at t = 10 in quadruple precision, as in the
 * model file. */
static void slider_crank(void **state) {
    (void)state;
    static const double q[] = {1.2756758486502394, 1.0235785589798395, -0.49881304918249875};
    static const double v[] = {-0.23991499719600068, 0.13377828321577763, 0.039731495991321742};
    static const double lambda[] = {1.1137561582630466, -0.76250727510644780};
    static const char *const METHODS[] = {"ida/index1", "ida/ggl"};
    for (int i = 0; i < 2; i++) {
        model_run run = run_model("slider_crank", METHODS[i], 1e-9, 0, 0);
        assert_int_equal(run.status, KEEL_OK);
        assert_true(digits(run.result.final->q, q, 3, 1) > 7);
        assert_true(digits(run.result.final->v, v, 3, 1) > 6.5);
        assert_true(digits(run.result.final->lambda, lambda, 2, 1) > 6.5);
        end_run(&run);
    }
}

/* One model, both formulations, against dop853 with projection at 1e-12; ggl must hold its constraints. */
static void check_model(const char *name, double until, double tolerance, double allowed, double violation) {
    model_run reference = run_model(name, "dop853/index1/projection", 1e-12, until, 0);
    assert_int_equal(reference.status, KEEL_OK);
    for (int ggl = 0; ggl < 2; ggl++) {
        model_run run = run_model(name, ggl ? "ida/ggl" : "ida/index1", tolerance, until, 0);
        assert_int_equal(run.status, KEEL_OK);
        double error = difference(&run, &reference);
        if (!(error <= allowed))
            fail_msg("%s, %s: off by %.2e", name, ggl ? "ggl" : "index1", error);
        if (ggl && !(run.result.position.max <= violation && run.result.velocity.max <= violation))
            fail_msg("%s: violation %.2e, %.2e", name, run.result.position.max, run.result.velocity.max);
        assert_true(run.result.count.rejected < 50 + run.result.count.steps / 10);
        end_run(&run);
    }
    end_run(&reference);
}

static void holonomic(void **state) {
    (void)state;
    check_model("pendulum", 2, 1e-9, 3e-8, 1e-8);
    check_model("andrews", 0.01, 1e-8, 1e-5, 1e-7); /* velocities of some hundred */
    check_model("car_axis", 0.5, 1e-8, 1e-6, 1e-8);
    check_model("two_particles", 1, 1e-8, 1e-6, 1e-7);
}

static void nonholonomic(void **state) {
    (void)state;
    check_model("knife_edge", 0, 1e-9, 1e-7, 1e-8);
    check_model("snakeboard", 0, 1e-8, 1e-5, 1e-8);
    check_model("constant_speed", 0, 1e-8, 1e-6, 1e-7);
}

/* The ring: dependent only where the constraints are satisfied. */
static void redundant(void **state) {
    (void)state;
    check_model("pendulum_redundant", 3, 1e-9, 1e-7, 1e-8);
    check_model("parallelogram", 2, 1e-9, 1e-7, 1e-8);
    check_model("ring", 2, 1e-10, 1e-8, 1e-9);
}

static void unconstrained(void **state) {
    (void)state;
    check_model("kepler", 5, 1e-10, 1e-6, 0);
}

/* States, auxiliaries and forces of multipliers; a mass matrix that is singular; stiff springs; a light
 * flexible rod, where error estimates that are not filtered cost two digits. */
static void larger(void **state) {
    (void)state;
    check_model("wheelset", 0.3, 1e-8, 1e-6, 1e-9);
    check_model("insulator_chain", 0.02, 1e-8, 1e-5, 1e-8);
    check_model("truck", 1, 1e-8, 1e-6, 1e-9);
    check_model("flexible_crank", 0.01, 1e-8, 2e-6, 1e-9);
}

/* As tight as settings allow: round-off ends the accuracy, not the run. */
static void tightest_tolerance(void **state) {
    (void)state;
    static const char *const METHODS[] = {"ida/index1", "ida/ggl"};
    model_run reference = run_model("andrews", "dop853/index1/projection", 1e-13, 0.002, 0);
    for (int i = 0; i < 2; i++) {
        model_run run = run_model("andrews", METHODS[i], 1e-14, 0.002, 0);
        assert_int_equal(run.status, KEEL_OK);
        assert_true(difference(&run, &reference) < 1e-9);
        end_run(&run);
    }
    end_run(&reference);
}

/* ggl passes singular poses on the branch that dop853 takes. */
static void singular_poses(void **state) {
    (void)state;
    model_run reference = run_model("four_bars", "dop853/index1/projection", 1e-11, 2, 0);
    model_run run = run_model("four_bars", "ida/ggl", 1e-7, 2, 0);
    assert_int_equal(run.status, KEEL_OK);
    assert_true(difference(&run, &reference) < 1e-3);
    end_run(&run);
    end_run(&reference);
}

static keel_status count_row(void *user, const keel_row *row) {
    double *last = user;
    assert_true(isfinite(row->q[0]) && row->t >= *last);
    *last = row->t;
    return KEEL_OK;
}

/* A force that is no number from t = 1/2 on: rows until then, and a message that says when and what. */
static void failing_run(void **state) {
    (void)state;
    static const char TEXT[] = "keel: 1\n"
                               "equations:\n"
                               "  coordinates: {x: 1, y: 0}\n"
                               "  kinetic: (x'^2 + y'^2)/2\n"
                               "  potential: 9.81*y\n"
                               "  forces: {x: sqrt(0.5 - t)}\n"
                               "  holonomic: {rod: x^2 + y^2 - 1}\n"
                               "simulate: {until: 1, output: 0.01, method: ida/ggl}\n";
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status;
    keel_model *model = keel_model_parse("failing", TEXT, strlen(TEXT), NULL, 0, messages, &status);
    assert_non_null(model);
    double last = 0;
    keel_observer observer = {.row = count_row, .user = &last};
    keel_result result;
    status = keel_run(model->system, model->start, model->velocities_given, &model->settings, &observer,
                      messages, &result);
    assert_int_equal(status, KEEL_ERROR_STEP_SIZE);
    assert_true(last > 0.48 && last <= 0.5);
    const char *text = keel_diagnostics_get(messages, 0).text;
    assert_non_null(strstr(text, "t = 0.5:"));
    assert_non_null(strstr(text, "the force on 'x'' is not finite"));
    keel_result_clear(&result);
    keel_model_free(model);
    keel_diagnostics_free(messages);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slider_crank),       cmocka_unit_test(holonomic),
        cmocka_unit_test(nonholonomic),       cmocka_unit_test(redundant),
        cmocka_unit_test(unconstrained),      cmocka_unit_test(larger),
        cmocka_unit_test(tightest_tolerance), cmocka_unit_test(singular_poses),
        cmocka_unit_test(failing_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

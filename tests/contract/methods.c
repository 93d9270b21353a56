/* What every combination of formulation and stabiliser must do: agree with the reference of a model as far as
 * its theory goes, hold the levels that it promises to hold, and be refused where it makes no sense.
 *
 * Origins. Andrews, car axis: quadruple-precision runs. Snakeboard: converged run, rest angle of the rotor 0.
 * Pendulum: the period is exactly 2 s. Constant speed: closed form, see the model file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

typedef struct reference {
    const char *model;
    double until;
    int n;
    double q[7], v[7];
    double gain, mass; /* alpha of Baumgarte and penalty masses that suit the model's time and mass */
} reference;

#define DIRECTION (-1.2889923427464984)

static const reference MODELS[] = {
    {.model = "pendulum", .until = 2, .n = 2, .q = {1, 0}, .v = {0, 0}, .gain = 20, .mass = 1e4},
    {.model = "andrews",
     .until = 0.03,
     .n = 7,
     .q = {15.810771195153707097, -15.756371058411839470, 0.040822240119645804858, -0.53473011634207959377,
           0.52440996587995406937, 0.53473011634207959377, 1.0480807410419378731},
     .v = {1139.9203022591060642, -1424.3792951775400732, 11.032911910618593745, 19.293374105032040832,
           0.57356991482950245382, -19.293374105032040832, 0.32317914924913087499},
     .gain = 2000,
     .mass = 1e3},
    {.model = "car_axis",
     .until = 3,
     .n = 4,
     .q = {.049345578427524092131527, .49698946023000810676293, 1.0417425248854261151948,
           .37391102726536581935790},
     .v = {-.077058368403592084283941, .0074468665920684164914018, .017556815753541736629741,
           .77034104377960106312064},
     .gain = 20,
     .mass = 10},
    {.model = "snakeboard",
     .until = 2,
     .n = 6,
     .q = {-0.160313726931, 0.482896490885, 15.24245053999, -0.588449041854, -0.110192483295, 0.937005067901},
     .v = {-4.958556622724, -0.462947333756, 15.53368075763, -3.303626831600, 0.123131672308, 0.123131672308},
     .gain = 20,
     .mass = 1e6},
    {.model = "constant_speed",
     .until = 1,
     .n = 2,
     .q = {2.143293480681739, -0.5382267485684736},
     .v = {0.8342667798721282, -2.8816660007713923}, /* 3 cos, 3 sin of the direction -1.2889923427464984 */
     .gain = 20,
     .mass = 1e3},
};
enum { MODEL_COUNT = sizeof MODELS / sizeof *MODELS };

/* Largest error at the end, relative to the component but not to less than 1. */
static double error_at_end(const reference *r, const keel_result *result) {
    return fmax(difference(result->final->q, r->q, r->n), difference(result->final->v, r->v, r->n));
}

static trial run_method(const reference *r, keel_method method, double tolerance) {
    char text[64];
    trial t = trial_of(r->model, keel_method_text(method, text));
    t.settings.tolerance = tolerance;
    t.settings.until = r->until;
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    assert_true(t.result.final->t == r->until);
    return t;
}

/* Which levels are at round-off after every step. */
static bool holds_position(keel_method m) {
    return m.formulation == KEEL_PARTITIONED || m.stabilize == KEEL_PROJECTION ||
           m.stabilize == KEEL_GRADIENT;
}

static bool holds_velocity(keel_method m) {
    return holds_position(m) || m.formulation == KEEL_INDEPENDENT;
}

static void check_exact_method(const reference *r, keel_method method) {
    const double tolerance = 1e-8;
    char text[64];
    trial t = run_method(r, method, tolerance);
    double error = error_at_end(r, &t.result);
    double position = t.result.position.max_scaled, velocity = t.result.velocity.max_scaled;
    if (!(error < 100 * tolerance))
        fail_msg("%s, %s: error %.2e", r->model, keel_method_text(method, text), error);
    if ((holds_position(method) && !(position <= 1e-14)) || (holds_velocity(method) && !(velocity <= 1e-14)))
        fail_msg("%s, %s: violation %.1e, %.1e", r->model, keel_method_text(method, text), position,
                 velocity);
    /* the others drift, but no further than they err */
    if (!(position < 100 * tolerance && velocity < 100 * tolerance))
        fail_msg("%s, %s: drift %.1e, %.1e", r->model, keel_method_text(method, text), position, velocity);
    trial_end(&t);
}

static void exact_methods_agree_with_the_reference(void **state) {
    (void)state;
    int checked = 0;
    for (int k = 0; k < MODEL_COUNT; k++)
        for (int f = 0; f < KEEL_FORMULATIONS; f++)
            for (int s = 0; s < KEEL_STABILIZERS; s++)
                for (int i = KEEL_DOPRI5; i <= KEEL_DOP853; i++) {
                    keel_method method = {.integrator = (keel_integrator)i,
                                          .formulation = (keel_formulation)f,
                                          .stabilize = (keel_stabilize)s};
                    if (f == KEEL_PENALTY || !keel_method_is_valid(method))
                        continue;
                    check_exact_method(&MODELS[k], method);
                    checked++;
                }
    print_message("%d runs\n", checked);
    assert_true(checked >= MODEL_COUNT * 2 * 16);
}

/* Error of the modified Lagrange equations with penalty masses of `mass`. */
static double penalty_error(const reference *r, keel_method method, double mass) {
    char text[64];
    trial t = trial_of(r->model, keel_method_text(method, text));
    t.settings.tolerance = 1e-11;
    t.settings.until = r->until;
    t.settings.alpha = r->gain;
    t.settings.penalty = (keel_gain){.kind = KEEL_GAIN_SCALAR, .scalar = mass};
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    double error = error_at_end(r, &t.result);
    trial_end(&t);
    return error;
}

/* lambda = A (J v' - s) with lambda of the size of the exact one: J v' - s, and with it the error, is of
 * order 1/A. */
static void penalty_error_falls_with_the_masses(void **state) {
    (void)state;
    for (int k = 0; k < MODEL_COUNT; k++)
        for (int s = 0; s < KEEL_STABILIZERS; s++) {
            keel_method method = {
                .integrator = KEEL_DOP853, .formulation = KEEL_PENALTY, .stabilize = (keel_stabilize)s};
            if (!keel_formulation_takes(KEEL_PENALTY, method.stabilize))
                continue;
            const reference *r = &MODELS[k];
            double light = penalty_error(r, method, r->mass), heavy = penalty_error(r, method, 10 * r->mass);
            print_message("%s, penalty/%s: error %.2e, with ten times the masses %.2e\n", r->model,
                          keel_stabilize_word(method.stabilize).name, light, heavy);
            assert_true(light / heavy > 9 && light / heavy < 11);
        }
}

/* A constraint that is not linear in the velocities: exact solution to 1e-8, held to 1e-12. */
static void constraint_nonlinear_in_v(void **state) {
    (void)state;
    static const char *const METHODS[] = {"dop853/index1/projection", "dopri5/index1/projection",
                                          "dop853/index1/gradient",   "dopri5/index1/gradient",
                                          "dop853/independent/none",  "rk4/index1/projection"};
    const reference *r = &MODELS[4];
    for (unsigned i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        trial t = trial_of("constant_speed", METHODS[i]);
        t.settings.tolerance = 1e-9;
        t.settings.step = 0.002;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        print_message("constant_speed, %s: error %.1e, violation %.1e\n", METHODS[i],
                      error_at_end(r, &t.result), t.result.velocity.max);
        assert_true(error_at_end(r, &t.result) < 1e-8);
        assert_true(t.result.velocity.max <= 1e-12);
        assert_true(fabs(t.result.outputs[0] - DIRECTION) < 1e-8);
        assert_true(fabs(t.result.outputs[1] - DIRECTION) < 1e-14);
        trial_end(&t);
    }
}

/* Whatever the metric, an exact projection holds both levels at round-off and does not spoil the accuracy;
 * the metric does matter, though. Andrews: angles of bodies between 1e-6 and 1e-4 kg m^2, snakeboard: metres
 * and radians. */
static void every_metric_projects_exactly(void **state) {
    (void)state;
    static const double WEIGHTS[] = {3, 1, 4, 1, 5, 9, 2};
    for (int k = 1; k <= 3; k += 2) {
        const reference *r = &MODELS[k];
        double matrix[49] = {0}, q[KEEL_METRIC_MATRIX + 1];
        for (int i = 0; i < r->n; i++)
            matrix[i * (r->n + 1)] = WEIGHTS[i];
        matrix[1] = matrix[r->n] = 0.5;
        for (int metric = KEEL_METRIC_MASS; metric <= KEEL_METRIC_MATRIX; metric++) {
            trial t = trial_of(r->model, "dop853/index1/projection");
            t.settings.tolerance = 1e-8;
            t.settings.until = r->until;
            t.settings.metric = metric;
            t.settings.metric_matrix = (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = r->n, .values = matrix};
            trial_run(&t, NULL);
            trial_expect_ok(&t);
            print_message("%s, metric %d: error %.1e, violation %.1e, %.1e\n", r->model, metric,
                          error_at_end(r, &t.result), t.result.position.max_scaled,
                          t.result.velocity.max_scaled);
            assert_true(error_at_end(r, &t.result) < 1e-6);
            assert_true(t.result.position.max_scaled <= 1e-14 && t.result.velocity.max_scaled <= 1e-14);
            q[metric] = t.result.final->q[0];
            trial_end(&t);
        }
        assert_true(q[0] != q[1] && q[1] != q[2] && q[0] != q[2]);
    }
}

/* A penalty projection lowers the violation of a run, the more the larger alpha, but not to round-off. */
static void penalty_projection_lowers_the_violation(void **state) {
    (void)state;
    static const double ALPHAS[] = {1, 100};
    double violation[3];
    for (int i = 0; i < 3; i++) {
        trial t = trial_of("snakeboard", i ? "rk4/index1/projection" : "rk4/index1/none");
        t.settings.step = 0.01;
        t.settings.until = 2;
        t.settings.projection_penalty = i ? ALPHAS[i - 1] : 0;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        violation[i] = t.result.velocity.max;
        trial_end(&t);
    }
    print_message("penalty projection: violation %.1e, %.1e, %.1e\n", violation[0], violation[1],
                  violation[2]);
    assert_true(violation[1] < 0.3 * violation[0] && violation[2] < 0.1 * violation[1]);
    assert_true(violation[2] > 1e-12);
}

/* An integrator that takes the formulation with all its stabilisers. */
static keel_integrator most_liberal(keel_formulation f) {
    for (int i = 0; i < KEEL_INTEGRATORS; i++) {
        int same = 1;
        for (int s = 0; s < KEEL_STABILIZERS; s++) {
            keel_method method = {(keel_integrator)i, f, (keel_stabilize)s, 0};
            same = same && keel_method_is_valid(method) == keel_formulation_takes(f, (keel_stabilize)s);
        }
        if (same)
            return (keel_integrator)i;
    }
    fail_msg("no integrator takes all of %s", keel_formulation_word(f).name);
    return KEEL_DOP853;
}

/* Every combination outside of the table is refused with what could stand in its place. */
static void invalid_combinations_are_refused(void **state) {
    (void)state;
    int refused = 0;
    for (int f = 0; f < KEEL_FORMULATIONS; f++)
        for (int s = 0; s < KEEL_STABILIZERS; s++) {
            keel_method method = {.integrator = most_liberal((keel_formulation)f),
                                  .formulation = (keel_formulation)f,
                                  .stabilize = (keel_stabilize)s};
            char text[64];
            keel_diagnostics *messages = keel_diagnostics_new();
            keel_method parsed;
            keel_status status =
                keel_method_parse(keel_method_text(method, text), (keel_location){0}, messages, &parsed);
            assert_int_equal(status == KEEL_OK, keel_formulation_takes(method.formulation, method.stabilize));
            assert_int_equal(keel_method_is_valid(method), status == KEEL_OK);
            if (status != KEEL_OK) {
                refused++;
                assert_int_equal(status, KEEL_ERROR_INPUT);
                assert_int_equal(keel_diagnostics_errors(messages), 1);
                const char *message = keel_diagnostics_get(messages, 0).text;
                assert_non_null(strstr(message, keel_formulation_word(method.formulation).name));
                for (int other = 0; other < KEEL_STABILIZERS; other++)
                    if (keel_formulation_takes(method.formulation, (keel_stabilize)other))
                        assert_non_null(strstr(strstr(message, "possible:"),
                                               keel_stabilize_word((keel_stabilize)other).name));
            }
            keel_diagnostics_free(messages);
        }
    assert_true(refused > 0);
}

/* A program that fills the settings itself is told as well. */
static void invalid_settings_do_not_run(void **state) {
    (void)state;
    trial t = trial_of("pendulum", "auto");
    t.settings.method = (keel_method){
        .integrator = KEEL_DOP853, .formulation = KEEL_PARTITIONED, .stabilize = KEEL_BAUMGARTE};
    assert_int_equal(trial_run(&t, NULL), KEEL_ERROR_INPUT);
    assert_non_null(strstr(trial_error(&t), "partitioned has no stabiliser 'baumgarte'"));
    assert_non_null(strstr(trial_error(&t), "possible: none"));
    assert_null(t.result.final);
    t.settings.method.formulation = KEEL_FORMULATIONS;
    assert_int_equal(trial_run(&t, NULL), KEEL_ERROR_INPUT);
    assert_non_null(strstr(trial_error(&t), "unknown"));
    trial_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_methods_agree_with_the_reference),
        cmocka_unit_test(penalty_error_falls_with_the_masses),
        cmocka_unit_test(constraint_nonlinear_in_v),
        cmocka_unit_test(every_metric_projects_exactly),
        cmocka_unit_test(penalty_projection_lowers_the_violation),
        cmocka_unit_test(invalid_combinations_are_refused),
        cmocka_unit_test(invalid_settings_do_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

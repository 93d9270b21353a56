/* What is made for long runs only (keel_system.for_run): not by reading, not for short runs, and a short run
 * is the same whether it was made for another one or not. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keel/equations.h"
#include "keel/mechanism.h"
#include "long_run.h"
#include "trials.h"

static trial assembled(const char *model, const char *method) {
    trial t = trial_of(model, method);
    if (t.model->is_mechanism)
        assert_true(keel_model_assemble(t.model, t.messages, NULL) >= 0);
    return t;
}

static bool is_prepared(const keel_system *system) {
    return keel_mechanism_long_run(system) || keel_equations_prepared(system);
}

static keel_simulation *begin(const keel_model *model, double until) {
    keel_status status;
    keel_settings settings = model->settings;
    settings.until = until;
    return keel_simulation_new(model->system, model->start, model->velocities_given, &settings, NULL,
                               &status);
}

/* Which system takes the steps of a run that ends then. */
static bool is_long(const keel_model *model, double until) {
    keel_result result = {0};
    keel_simulation *sim = begin(model, until);
    assert_non_null(sim);
    assert_int_equal(keel_simulation_result(sim, &result), KEEL_OK);
    bool other = result.system != model->system;
    keel_result_clear(&result);
    keel_simulation_free(sim);
    return other;
}

static void test_models(void **state) {
    (void)state;
    glob_t files;
    int have_more = 0;
    assert_int_equal(glob(KEEL_SOURCE_DIR "/models/*.yaml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        keel_status status;
        keel_model *model = keel_model_read(files.gl_pathv[i], NULL, 0, NULL, &status);
        assert_non_null(model);
        if (model->is_mechanism)
            assert_true(keel_model_assemble(model, NULL, NULL) >= 0);
        if (is_prepared(model->system))
            fail_msg("%s: reading has prepared something", files.gl_pathv[i]);
        have_more += model->system->for_run != NULL;
        keel_simulation *sim = begin(model, model->start->t + 1e-3);
        if (sim && is_prepared(model->system))
            fail_msg("%s: a short run has prepared something", files.gl_pathv[i]);
        keel_simulation_free(sim);
        keel_model_free(model);
    }
    globfree(&files);
    assert_true(have_more >= 40); /* as many as there were when this was written */
}

/* A pendulum of length L swings with w = sqrt(g / L): the same number of swings is long for any L. */
static void test_length(void **state) {
    (void)state;
    static const struct {
        double L;
        bool mechanism;
    } CASES[] = {{1e-3, true}, {1, true}, {1e3, true}, {1e-3, false}, {1, false}, {1e3, false}};
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[600];
        snprintf(
            text, sizeof text,
            CASES[i].mechanism
                ? "keel: 1\nplanar: true\ngravity: [0, -9.81]\nparameters: {L: %g}\npoints: {O: [0, 0], P: "
                  "[L, 0]}\n"
                  "bodies: {rod: {shape: rod, from: O, to: P, mass: 1}}\n"
                  "joints: {pin: {type: revolute, bodies: [ground, rod], at: O}}\n"
                : "keel: 1\nparameters: {L: %g}\nequations:\n  coordinates: {x: L, y: 0}\n"
                  "  kinetic: (x'^2 + y'^2)/2\n  potential: 9.81*y\n  holonomic: {rod: x^2 + y^2 - L^2}\n",
            CASES[i].L);
        trial t = trial_of(text, "auto");
        double w = sqrt(9.81 / CASES[i].L);
        assert_false(is_long(t.model, 100 / w));
        assert_true(is_long(t.model, 1e6 / w));
        trial_end(&t);
    }
}

/* The same digits before another run has had something made, and afterwards. */
static void test_apart(void **state) {
    (void)state;
    static const char *const MODELS[] = {"four_bar", "ring_bodies", "slider_crank", "flexible_crank",
                                         "a02_four_bars"};
    for (unsigned i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
        trial t = assembled(MODELS[i], "auto");
        t.settings.until = 0.05;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        assert_ptr_equal(t.result.system, t.model->system);
        keel_result first = t.result;
        t.result = (keel_result){0};
        assert_true(is_long(t.model, 1e7));
        assert_true(is_prepared(t.model->system));
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        assert_ptr_equal(t.result.system, t.model->system);
        size_t n_q = (size_t)t.model->system->n_q, n_v = (size_t)t.model->system->n_v;
        assert_memory_equal(first.final->q, t.result.final->q, n_q * sizeof(double));
        assert_memory_equal(first.final->v, t.result.final->v, n_v * sizeof(double));
        assert_int_equal(first.count.evaluations, t.result.count.evaluations);
        keel_result_clear(&first);
        trial_end(&t);
    }
}

/* Asked for by name, it is there in the shortest run; and both come to the same end. */
static void test_asked_for(void **state) {
    (void)state;
    static const char *const MODELS[] = {"four_bar", "ring_bodies", "slider_crank_bodies", "andrews"};
    for (unsigned i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
        trial t = assembled(MODELS[i], "dop853/index1/projection");
        t.settings.until = t.model->start->t + 0.1 * (t.settings.until - t.model->start->t);
        t.settings.tolerance = 1e-9;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        keel_result shorter = t.result;
        t.result = (keel_result){0};
        t.settings.code = KEEL_CODE_TAPE;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        assert_ptr_equal(t.result.system, long_run(t.model->system));
        assert_ptr_not_equal(t.result.system, t.model->system);
        for (int k = 0; k < t.model->system->n_q; k++)
            assert_true(fabs(shorter.final->q[k] - t.result.final->q[k]) <
                        1e-6 * (1 + fabs(shorter.final->q[k])));
        keel_result_clear(&shorter);
        trial_end(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_length),
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

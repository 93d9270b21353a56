/* Assembly of models written as equations, from starts that are far off. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "keel/modelfile.h"

/* Reproducible numbers in [-1, 1]. */
static double noise(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1;
}

static keel_model *read_model(const char *name) {
    char path[400];
    keel_status status;
    snprintf(path, sizeof path, "%s/models/%s.yaml", KEEL_SOURCE_DIR, name);
    keel_model *model = keel_model_read(path, NULL, 0, NULL, &status);
    assert_non_null(model);
    return model;
}

/* Every coordinate is changed by up to `amount` of itself, small ones by as much of a tenth of the largest.
 */
static void disturb(keel_model *model, const keel_state *start, double amount, unsigned *seed) {
    double most = 0;
    keel_state_copy(model->system, model->start, start);
    for (int i = 0; i < model->system->n_q; i++)
        most = fmax(most, fabs(start->q[i]));
    for (int i = 0; i < model->system->n_q; i++)
        model->start->q[i] += amount * noise(seed) * fmax(fabs(start->q[i]), 0.1 * most);
}

/* The start that every loop closes from, however it is disturbed; rows that are left are at round-off. */
static void closes(const char *name, double amount, int times) {
    keel_model *model = read_model(name);
    keel_state *start = keel_state_new(model->system);
    unsigned seed = 1;
    assert_non_null(start);
    keel_state_copy(model->system, start, model->start);
    for (int k = 0; k < times; k++) {
        keel_assembly_report report;
        disturb(model, start, amount, &seed);
        keel_status status = keel_model_assemble(model, NULL, &report);
        if (status)
            fail_msg("%s, disturbance %d: %s, open by %g", name, k, keel_status_word(status), report.after);
        assert_true(report.before > 1e-9);
        /* the largest is a row in square millimetres that repeats one in square metres */
        assert_true(report.after < 1e-11 && report.velocity_after < 1e-11);
        assert_int_equal(report.worst, -1);
    }
    keel_state_free(start);
    keel_model_free(model);
}

/* A third off: the loops are open by the size of the links. */
static void models_close_from_rough_starts(void **state) {
    (void)state;
    static const char *const NAMES[] = {"four_bars",        "slider_crank",  "andrews",
                                        "andrews_bodies",   "parallelogram", "ring",
                                        "two_link",         "car_axis",      "pendulum_redundant",
                                        "scaled_duplicate", "truck"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        closes(NAMES[i], 0.3, 5);
}

/* Nothing is where it should be. */
static void models_close_from_anywhere(void **state) {
    (void)state;
    static const char *const NAMES[] = {"four_bars", "slider_crank", "andrews", "andrews_bodies",
                                        "parallelogram"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        closes(NAMES[i], 1.5, 10);
}

/* A consistent start does not change by a bit. */
static void consistent_starts_stay(void **state) {
    (void)state;
    static const char *const NAMES[] = {"four_bars", "slider_crank", "andrews", "snakeboard", "pendulum"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        keel_model *model = read_model(NAMES[i]);
        const keel_system *system = model->system;
        keel_state *start = keel_state_new(system);
        keel_assembly_report report;
        assert_non_null(start);
        keel_state_copy(system, start, model->start);
        assert_int_equal(keel_model_assemble(model, NULL, &report), KEEL_OK);
        assert_int_equal(report.iterations, 0);
        assert_memory_equal(start->q, model->start->q, (size_t)system->n_q * sizeof(double));
        assert_memory_equal(start->v, model->start->v, (size_t)system->n_v * sizeof(double));
        keel_state_free(start);
        keel_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_close_from_rough_starts),
        cmocka_unit_test(models_close_from_anywhere),
        cmocka_unit_test(consistent_starts_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Relaxed orthogonality on Andrews' mechanism (7 bodies, 6 constraints): with factors of a nearby point
 * projection needs none of its own, and the result leaves the orthogonal one by (distance of the factors) x
 * (correction). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models.h"
#include "stabilize/stabilizer.h"

enum { N = 7, N_Y = 2 * N + 1 };

/* A state off by `off`, reproducibly, in units of the largest angle and of `speed`. */
static void disturb(double *y, double off, double speed) {
    unsigned seed = 11;
    for (int i = 0; i < 2 * N; i++) {
        seed = seed * 1664525u + 1013904223u;
        y[i] += off * (i < N ? 1 : speed) * ((double)(seed >> 8) / 8388608.0 - 1);
    }
}

/* The start with its first angle turned by `angle` and velocities of the order of 100 rad/s, made consistent.
 */
static void moving_state(ki_dynamics *d, const keel_model *model, double angle, double *y) {
    memset(y, 0, N_Y * sizeof *y);
    memcpy(y, model->start->q, N * sizeof *y);
    y[0] += angle;
    y[N] = 100;
    d->relaxed = false;
    d->factored = false;
    assert_int_equal(ki_project(d, 0, y), KEEL_OK);
}

static double worst_violation(ki_dynamics *d, const double *y) {
    ki_violation w;
    assert_int_equal(ki_evaluate_terms(d, KEEL_JACOBIAN, 0, y), KEEL_OK);
    d->factored = false;
    assert_int_equal(ki_measure_violation(d, 0, y, &w), KEEL_OK);
    return fmax(w.position_scaled, w.velocity_scaled);
}

static void andrews_with_nearby_factors(void **state) {
    (void)state;
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status;
    keel_model *model = keel_model_read(KEEL_SOURCE_DIR "/models/andrews.yaml", NULL, 0, messages, &status);
    assert_non_null(model);
    keel_settings settings = keel_settings_default();
    settings.projection_tolerance = 1e-15;
    ki_arena arena;
    ki_law law;
    ki_dynamics d;
    ki_arena_init(&arena);
    assert_int_equal(ki_law_init(&law, &arena, model->system, &settings, messages), KEEL_OK);
    assert_int_equal(ki_dynamics_init(&d, model->system, &law), KEEL_OK);
    for (double distance = 1e-3; distance > 1e-7; distance /= 10)
        for (double off = 1e-3; off > 1e-9; off /= 10) {
            double near[N_Y], y[N_Y], exact[N_Y];
            moving_state(&d, model, distance, near);
            moving_state(&d, model, 0, exact);
            double speed = 0;
            for (int i = N; i < 2 * N; i++)
                speed = fmax(speed, fabs(exact[i]));
            disturb(exact, off, speed);
            memcpy(y, exact, sizeof y);
            d.factored = false;
            assert_int_equal(ki_project(&d, 0, exact), KEEL_OK);

            assert_int_equal(ki_factor_at(&d, 0, near), KEEL_OK);
            long before = d.projection_factorizations, iterations = d.projection_iterations;
            d.relaxed = true;
            assert_int_equal(ki_project(&d, 0, y), KEEL_OK);
            assert_int_equal(d.projection_factorizations, before);
            assert_true(d.projection_iterations - iterations <= 20);
            assert_true(worst_violation(&d, y) <= 2e-15); /* round-off of these constraints */
            for (int i = 0; i < 2 * N; i++) {
                double scale = i < N ? 1 : speed;
                assert_true(fabs(y[i] - exact[i]) <= (5 * (distance + off) * off + 1e-14) * scale);
            }
        }
    ki_dynamics_clear(&d);
    ki_arena_free(&arena);
    keel_model_free(model);
    keel_diagnostics_free(messages);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(andrews_with_nearby_factors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Projection in several metrics, on one level only, and with a penalty: on the pendulum everything can be
 * written down.
 *
 *     x^2 + y^2 = 1,  J = (2 x, 2 y),  M = 1:   J J^T = 4 on the circle
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stabilize/projection.h"
#include "systems.h"

/* A symmetric positive definite metric and its inverse. */
static const double A[] = {4, 1, 1, 2}, A_INVERSE[] = {2.0 / 7, -1.0 / 7, -1.0 / 7, 4.0 / 7};

static keel_settings in_metric(keel_metric metric) {
    keel_settings s = keel_settings_default();
    s.metric = (int)metric;
    s.metric_matrix = (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = 2, .values = A};
    return s;
}

/* Projects y = (q, v, work) in place. */
static void project(const keel_settings *settings, double *y) {
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    ki_arena arena;
    ki_law law;
    ki_dynamics d;
    ki_arena_init(&arena);
    assert_int_equal(ki_law_init(&law, &arena, &system, settings, NULL), KEEL_OK);
    assert_int_equal(ki_dynamics_init(&d, &system, &law), KEEL_OK);
    assert_int_equal(ki_project(&d, 0, y), KEEL_OK);
    ki_dynamics_clear(&d);
    ki_arena_free(&arena);
}

static double rate_of(const double *y) {
    return 2 * (y[0] * y[2] + y[1] * y[3]);
}

/* The correction of v is -W J^T (J W J^T)^-1 (J v) with W the inverse of the metric. */
static void velocity_moves_along_the_metric(void **state) {
    (void)state;
    static const double IDENTITY[] = {1, 0, 0, 1};
    static const struct {
        keel_metric metric;
        const double *W;
    } CASES[] = {
        {KEEL_METRIC_MASS, IDENTITY}, {KEEL_METRIC_IDENTITY, IDENTITY}, {KEEL_METRIC_MATRIX, A_INVERSE}};
    for (int i = 0; i < 3; i++) {
        keel_settings s = in_metric(CASES[i].metric);
        const double *W = CASES[i].W, before[] = {0.6, 0.8, 0.5, 1.5, 0}, J[] = {1.2, 1.6};
        double y[5], WJ[] = {W[0] * J[0] + W[1] * J[1], W[2] * J[0] + W[3] * J[1]};
        double factor = rate_of(before) / (J[0] * WJ[0] + J[1] * WJ[1]);
        memcpy(y, before, sizeof y);
        project(&s, y);
        assert_true(fabs(rate_of(y)) < 1e-15);
        assert_true(fabs(y[0] - 0.6) < 1e-15 && fabs(y[1] - 0.8) < 1e-15); /* was on the circle */
        for (int j = 0; j < 2; j++)
            assert_true(fabs(y[2 + j] - (before[2 + j] - WJ[j] * factor)) < 1e-14);
    }
}

/* The position ends on the circle where the metric's normal leads: A (q - q0) is parallel to J(q) up to the
 * change of J along the way, which a violation of 1e-6 makes 1e-12. */
static void position_moves_along_the_metric(void **state) {
    (void)state;
    for (int metric = KEEL_METRIC_MASS; metric <= KEEL_METRIC_MATRIX; metric++) {
        keel_settings s = in_metric((keel_metric)metric);
        const double x = 0.6 + 1e-6, z = 0.8;
        double y[] = {x, z, 0, 0, 0};
        project(&s, y);
        double dx = y[0] - x, dz = y[1] - z;
        double normal[] = {metric == KEEL_METRIC_MATRIX ? A[0] * dx + A[1] * dz : dx,
                           metric == KEEL_METRIC_MATRIX ? A[2] * dx + A[3] * dz : dz};
        assert_true(fabs(y[0] * y[0] + y[1] * y[1] - 1) < 1e-15);
        assert_true(fabs(normal[0] * y[1] - normal[1] * y[0]) < 1e-11);
        assert_true(fabs(dx) > 1e-8);
    }
}

/* min 1/2 |dv|_A^2 + alpha/2 |J (v + dv)|^2 leaves J v / (1 + alpha J A^-1 J^T). */
static void penalty_projection_leaves_its_share(void **state) {
    (void)state;
    static const double ALPHAS[] = {0.5, 3, 1000};
    for (int i = 0; i < 3; i++)
        for (int metric = KEEL_METRIC_MASS; metric <= KEEL_METRIC_MATRIX; metric++) {
            keel_settings s = in_metric((keel_metric)metric);
            double y[] = {1, 0, 0.1, 2, 0}, alpha = ALPHAS[i];
            double JWJ = metric == KEEL_METRIC_MATRIX ? 4 * A_INVERSE[0] : 4;
            s.projection_penalty = alpha;
            project(&s, y);
            assert_true(fabs(rate_of(y) - 0.2 / (1 + alpha * JWJ)) < 1e-15);
            assert_true(y[0] == 1 && y[1] == 0);
        }
    /* position: one step of the same, dq = -alpha J^T Phi / (1 + alpha J J^T) with J = 2.02, Phi = 0.0201 */
    keel_settings s = in_metric(KEEL_METRIC_IDENTITY);
    double y[] = {1.01, 0, 0, 2, 0};
    s.projection_penalty = 3;
    project(&s, y);
    assert_true(fabs(y[0] - (1.01 - 3 * 2.02 * 0.0201 / (1 + 3 * 2.02 * 2.02))) < 1e-15);
}

static void one_level_only(void **state) {
    (void)state;
    keel_settings s = keel_settings_default();
    double y[] = {0.61, 0.8, 0.5, 1.5, 0};
    s.levels = KEEL_LEVELS_VELOCITY;
    project(&s, y);
    assert_true(y[0] == 0.61 && y[1] == 0.8);
    assert_true(fabs(rate_of(y)) < 1e-15);
    double z[] = {0.61, 0.8, 0.5, 1.5, 0};
    s.levels = KEEL_LEVELS_POSITION;
    project(&s, z);
    assert_true(z[2] == 0.5 && z[3] == 1.5);
    assert_true(fabs(z[0] * z[0] + z[1] * z[1] - 1) < 1e-15);
}

/* Velocity violation after one step of rk4 from (1, 0) with speed 3 upwards. */
static double rate_after_a_step(const keel_settings *settings, double *J_J) {
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    keel_state *start = keel_state_new(&system);
    keel_result result;
    start->q[0] = 1;
    start->v[1] = 3;
    assert_int_equal(keel_run(&system, start, 1, settings, NULL, NULL, &result), KEEL_OK);
    assert_int_equal(result.count.steps, 1);
    const double *q = result.final->q, *v = result.final->v;
    double rate = 2 * (q[0] * v[0] + q[1] * v[1]);
    *J_J = 4 * (q[0] * q[0] + q[1] * q[1]);
    keel_result_clear(&result);
    keel_state_free(start);
    return rate;
}

/* The same through a run: a step leaves a violation, a penalty projection lowers it by 1 + alpha J J^T, an
 * exact one to round-off. */
static void penalty_projection_in_a_run(void **state) {
    (void)state;
    keel_settings s = keel_settings_default();
    double J_J;
    s.method =
        (keel_method){.integrator = KEEL_RK4, .formulation = KEEL_INDEX1, .stabilize = KEEL_STABILIZE_NONE};
    s.until = s.step = 0.1;
    s.metric = KEEL_METRIC_IDENTITY;
    s.levels = KEEL_LEVELS_VELOCITY; /* so that both end at the same position */
    double raw = rate_after_a_step(&s, &J_J);
    s.method.stabilize = KEEL_PROJECTION;
    s.projection_penalty = 20;
    double penalized = rate_after_a_step(&s, &J_J);
    s.projection_penalty = 0;
    double exact = rate_after_a_step(&s, &J_J);
    print_message("rate %.3e, with penalty %.3e (factor %.6f), exact %.1e\n", raw, penalized, raw / penalized,
                  exact);
    assert_true(fabs(raw) > 1e-6);
    assert_true(fabs(raw / penalized - (1 + 20 * J_J)) < 1e-6);
    assert_true(fabs(exact) < 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocity_moves_along_the_metric),
        cmocka_unit_test(position_moves_along_the_metric),
        cmocka_unit_test(penalty_projection_leaves_its_share),
        cmocka_unit_test(one_level_only),
        cmocka_unit_test(penalty_projection_in_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Systems with q' = N(q) v: every method on a body that turns about a fixed point, in absolute coordinates
 * with a unit quaternion (tops.h). The reference is dop853 with projection at a tolerance of 1e-12. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tops.h"

enum { N_Y = 13 };

typedef struct outcome {
    keel_status status;
    double y[N_Y];     /* q, v at the end */
    double iterations; /* of Newton's method, mean over the steps */
    keel_counts count;
    double drift, position, velocity;
} outcome;

static const top_model EXPONENTIAL = {
    .mass = 0.5, .g = 9.81, .I = {2e-3, 3e-3, 1e-3}, .c = {0.02, -0.01, 0.1}, .exponential = 1};

static keel_status add_iterations(void *user, const keel_row *row) {
    if (row->newton)
        *(double *)user += row->newton->iterations;
    return KEEL_OK;
}

static outcome run(const keel_system *system, double spin, const keel_settings *settings,
                   keel_diagnostics *messages) {
    const double w[3] = {1, 2, spin};
    outcome o = {0};
    double iterations = 0;
    keel_observer observer = {.user = &iterations, .row = add_iterations};
    keel_state *start = keel_state_new(system);
    keel_result result;
    top_start(system->model, w, start);
    o.status = keel_run(system, start, 1, settings, &observer, messages, &result);
    if (result.final) {
        memcpy(o.y, result.final->q, 7 * sizeof(double));
        memcpy(o.y + 7, result.final->v, 6 * sizeof(double));
    }
    o.count = result.count;
    o.iterations = result.count.steps ? iterations / (double)result.count.steps : 0;
    o.drift = result.energy_drift_max;
    o.position = result.position.max;
    o.velocity = result.velocity.max;
    keel_result_clear(&result);
    keel_state_free(start);
    return o;
}

static keel_settings settings_of(const char *method, double until, double tolerance) {
    keel_settings s = keel_settings_default();
    assert_int_equal(keel_method_parse(method, (keel_location){0}, NULL, &s.method), KEEL_OK);
    s.until = until;
    s.tolerance = tolerance;
    s.keep_invariants = KEEL_NO;
    return s;
}

static outcome reference(double spin, double until) {
    keel_system system = top_system(&TOP);
    keel_settings s = settings_of("dop853/index1/projection", until, 1e-12);
    outcome o = run(&system, spin, &s, NULL);
    assert_int_equal(o.status, KEEL_OK);
    return o;
}

/* Largest difference of positions, quaternions and, relative to 10, velocities. */
static double difference(const outcome *a, const outcome *b) {
    double most = 0;
    for (int i = 0; i < N_Y; i++)
        most = fmax(most, fabs(a->y[i] - b->y[i]) / (i < 7 ? 1 : 10));
    return most;
}

/* The derivatives of the test's own system, so that what follows tests something: differences of (M a + J^T
 * lambda - Q, J a - xi) and of the rate along displacements and velocities. */
typedef struct values {
    double M[6], J[12], Q[6], xi[3], rate[3], tangent[36], rate_q[9], invariant[2], invariant_y[24];
} values;

static void evaluate(const keel_system *system, const double *q, const double *v, values *x, double out[14]) {
    static const double a[6] = {1, -2, 3, 40, -50, 60}, lambda[3] = {5, -7, 9};
    keel_point at = {.q = q, .v = v, .a = a, .lambda = lambda};
    keel_terms terms = {.M = x->M,
                        .J = x->J,
                        .Q = x->Q,
                        .xi = x->xi,
                        .rate = x->rate,
                        .tangent = x->tangent,
                        .rate_q = x->rate_q,
                        .invariant = x->invariant,
                        .invariant_y = x->invariant_y};
    system->evaluate(system, NULL,
                     KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI | KEEL_VELOCITY | KEEL_TANGENT |
                         KEEL_VELOCITY_Q | KEEL_INVARIANTS,
                     &at, &terms);
    for (int i = 0; i < 6; i++)
        out[i] = x->M[i] * a[i] - x->Q[i];
    for (int i = 0; i < 3; i++) {
        out[6 + i] = -x->xi[i];
        out[9 + i] = x->rate[i];
        for (int k = system->J.start[i]; k < system->J.start[i + 1]; k++) {
            out[system->J.index[k]] += x->J[k] * lambda[i];
            out[6 + i] += x->J[k] * a[system->J.index[k]];
        }
    }
    out[12] = x->invariant[0];
    out[13] = x->invariant[1];
}

/* Entry (row, column) of a pattern's values. */
static double entry(keel_pattern P, const double *x, int row, int column) {
    for (int k = P.start[row]; k < P.start[row + 1]; k++)
        if (P.index[k] == column)
            return x[k];
    return 0;
}

static void test_the_system_itself(void **state) {
    (void)state;
    keel_system system = top_system(&EXPONENTIAL);
    const double w[3] = {1, -2, 3}, h = 1e-6;
    keel_state *at = keel_state_new(&system);
    values x, ignored;
    double here[14], plus[14], minus[14], q[7], v[6], back[6], dq[7];
    top_start(&EXPONENTIAL, w, at);
    evaluate(&system, at->q, at->v, &x, here);
    for (int j = 0; j < 12; j++) {
        double *sides[] = {plus, minus};
        for (int side = 0; side < 2; side++) {
            double move[6] = {0}, step = side ? -h : h;
            memcpy(q, at->q, sizeof q);
            memcpy(v, at->v, sizeof v);
            if (j < 6) {
                move[j] = step;
                system.advance(&system, q, move);
            } else {
                v[j - 6] += step;
            }
            evaluate(&system, q, v, &ignored, sides[side]);
        }
        for (int i = 0; i < 14; i++) {
            double slope = (plus[i] - minus[i]) / (2 * h);
            double given = i < 9    ? entry(system.tangent, x.tangent, i, j)
                           : i < 12 ? (j < 6 ? entry(system.rate_q, x.rate_q, i - 9, j) : slope)
                                    : x.invariant_y[12 * (i - 12) + j];
            if (fabs(slope - given) > 1e-6)
                fail_msg("row %d, column %d: %g, by differences %g", i, j, given, slope);
        }
    }
    system.kinematics(&system, at->q, at->v, dq);
    system.pull(&system, at->q, dq, back);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(back[i] - at->v[i]) <= 1e-14);
    keel_state_free(at);
}

/* What a method may be off by at a tolerance of 1e-7 or with steps of 1 ms: penalties are not exact. */
static double allowed(keel_method method) {
    if (method.formulation == KEEL_PENALTY)
        return 1e-4;
    switch (method.integrator) {
    case KEEL_RK4:
    case KEEL_DOPRI5:
    case KEEL_DOP853:
    case KEEL_ADAMS:
        return 5e-7;
    case KEEL_RADAU5:
    case KEEL_RADAU9:
    case KEEL_BDF:
    case KEEL_BDF_FIXED:
    case KEEL_IDA:
        return 2e-6;
    default:
        return 2e-4;
    }
}

/* One method with one way of projecting. */
static void check_method(keel_method method, int mode, const outcome *exact, double until) {
    keel_system system = top_system(mode & 1 ? &TOP : &EXPONENTIAL);
    keel_settings s = keel_settings_default();
    char name[64];
    int second_order = method.integrator >= KEEL_NEWMARK;
    s.method = method;
    s.until = until;
    s.tolerance = 1e-7;
    s.projection_mode = mode ? KEEL_MODE_JOINT : KEEL_MODE_SEQUENTIAL;
    s.keep_invariants = mode == 2 ? KEEL_YES : KEEL_NO;
    if (second_order || !keel_integrator_is_adaptive(method.integrator))
        s.step = 1e-3;
    keel_method_text(method, name);
    keel_diagnostics *messages = keel_diagnostics_new();
    outcome o = run(&system, 20, &s, messages);
    double error = difference(&o, exact);
    if (o.status || error > allowed(method))
        fail_msg("%s, mode %d: status %d, error %g", name, mode, (int)o.status, error);
    if (method.stabilize == KEEL_PROJECTION && o.position > 2e-14)
        fail_msg("%s, mode %d: the point is missed by %g", name, mode, o.position);
    if (mode == 2 && o.drift > 1e-12)
        fail_msg("%s: the energy drifts by %g", name, o.drift);
    if (method.integrator == KEEL_CONSERVING && method.stabilize == KEEL_STABILIZE_NONE && o.drift > 1e-14)
        fail_msg("%s: the energy drifts by %g", name, o.drift);
    keel_diagnostics_free(messages);
}

static void test_every_method(void **state) {
    (void)state;
    const double until = 0.15;
    outcome exact = reference(20, until);
    for (int i = 0; i < KEEL_INTEGRATORS; i++)
        for (int f = 0; f < KEEL_FORMULATIONS; f++)
            for (int s = 0; s < KEEL_STABILIZERS; s++) {
                keel_method method = {(keel_integrator)i, (keel_formulation)f, (keel_stabilize)s, 0};
                if (!keel_method_is_valid(method))
                    continue;
                for (int mode = 0; mode < (s == KEEL_PROJECTION ? 3 : 1); mode++)
                    check_method(method, mode, &exact, until);
            }
}

static double error_with_steps(const char *method, const top_model *top, int steps, const outcome *exact,
                               double until) {
    keel_system system = top_system(top);
    keel_settings s = settings_of(method, until, 1e-7);
    s.keep_invariants = KEEL_YES;
    s.step = until / steps;
    outcome o = run(&system, 20, &s, NULL);
    assert_int_equal(o.status, KEEL_OK);
    return difference(&o, exact);
}

/* Orders of steps of one length, with `advance` exact and to second order. */
static void test_orders(void **state) {
    static const struct {
        const char *method;
        double least, most;
    } cases[] = {
        {"rk4/index1/projection", 3.8, 4.3},         {"rk4/partitioned/none", 3.6, 4.4},
        {"bdf-fixed/index1/projection", 5.2, 7.5},   {"bdf-fixed/index3/projection", 5.8, 7.5},
        {"newmark/index3/projection", 1.9, 2.1},     {"hht/index3/none", 1.9, 2.1},
        {"generalized-alpha/index3/none", 1.9, 2.1}, {"generalized-alpha/index3/projection", 1.9, 2.1},
        {"generalized-alpha/index2/none", 1.9, 2.1}, {"trapezoidal/ggl/none", 1.9, 2.1},
        {"midpoint/index3/none", 1.9, 2.1},          {"midpoint/index3/projection", 1.9, 2.1},
    };
    (void)state;
    const double until = 0.5;
    outcome exact = reference(20, until);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int exponential = 0; exponential < 2; exponential++) {
            const top_model *top = exponential ? &EXPONENTIAL : &TOP;
            double coarse = error_with_steps(cases[k].method, top, 250, &exact, until);
            double fine = error_with_steps(cases[k].method, top, 500, &exact, until);
            double order = log2(coarse / fine);
            if (order < cases[k].least || order > cases[k].most)
                fail_msg("%s: order %g (errors %g, %g)", cases[k].method, order, coarse, fine);
        }
}

/* Tight tolerances: the error follows the tolerance, Newton's matrix made of derivatives or by differences.
 */
static void test_tight_tolerances(void **state) {
    static const char *const methods[] = {
        "radau5/index1/projection", "radau9/index1/projection", "radau9/index1/none", "bdf/index1/projection",
        "bdf/index1/none",          "ida/index1/none",          "ida/ggl/none"};
    (void)state;
    const double until = 0.5;
    outcome exact = reference(20, until);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        for (int without = 0; without < 3; without++) {
            keel_system system = top_system(&EXPONENTIAL);
            keel_settings s = settings_of(methods[k], until, 1e-10);
            if (without == 1)
                system.pull = NULL;
            if (without == 2)
                system.tangent.rows = 0;
            outcome o = run(&system, 20, &s, NULL);
            double error = difference(&o, &exact);
            if (o.status || error > 1e-8)
                fail_msg("%s, without %d: status %d, error %g", methods[k], without, (int)o.status, error);
        }
}

/* The matrix of a linearisation from the tangent costs no evaluation: three times less of them than
 * differences of the 17 unknowns, with the same number of steps. */
static void test_exact_matrices_are_used(void **state) {
    (void)state;
    keel_system exact = top_system(&EXPONENTIAL), plain = exact;
    plain.pull = NULL;
    keel_settings s = settings_of("ida/ggl/none", 0.2, 1e-6);
    outcome by_tangent = run(&exact, 20, &s, NULL), by_differences = run(&plain, 20, &s, NULL);
    assert_true((double)by_tangent.count.steps < 1.1 * (double)by_differences.count.steps);
    assert_true((double)by_tangent.count.evaluations < 3.2 * (double)by_tangent.count.steps);
    assert_true((double)by_differences.count.evaluations > 5 * (double)by_differences.count.steps);
}

/* A fast top that turns by 0.2 rad in a step. With the tangent of (+) in the matrix Newton's method converges
 * almost quadratically: 5.1 iterations to round-off, 8.9 without. */
static void test_newton_of_a_fast_top(void **state) {
    static const struct {
        const char *method;
        double most;
    } cases[] = {{"hht/index3/none", 5.5},
                 {"generalized-alpha/index3/none", 5.5},
                 {"trapezoidal/index2/none", 3.5},
                 {"bdf-fixed/index3/none", 4.5},
                 {"midpoint/index3/none", 8}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        keel_system system = top_system(&EXPONENTIAL);
        keel_settings s = settings_of(cases[k].method, 0.1, 1e-7);
        s.step = 0.1 / 125;
        s.newton = KEEL_NEWTON_FULL;
        s.newton_report = KEEL_YES;
        outcome o = run(&system, 250, &s, NULL);
        if (o.status || o.iterations > cases[k].most || o.iterations < 1)
            fail_msg("%s: status %d, %g iterations", cases[k].method, (int)o.status, o.iterations);
    }
}

/* Index-3 steps hold the point to round-off, and the energy of the midpoint rule swings without drifting. */
static void test_long_run_of_index3(void **state) {
    (void)state;
    keel_system system = top_system(&EXPONENTIAL);
    keel_settings s = settings_of("midpoint/index3/none", 3, 1e-7);
    s.step = 2e-3;
    outcome shorter = run(&system, 20, &s, NULL);
    s.until = 9;
    outcome longer = run(&system, 20, &s, NULL);
    assert_int_equal(longer.status, KEEL_OK);
    assert_true(longer.position < 1e-15);
    assert_true(longer.drift < 1.5 * shorter.drift);
}

/* Automatic gains at the start: a first step that is tiny because of round-off must not stay tiny. */
static void test_automatic_gains_of_bdf(void **state) {
    (void)state;
    keel_system system = top_system(&EXPONENTIAL);
    keel_settings s = settings_of("bdf/index1/baumgarte", 0.5, 1e-8);
    outcome o = run(&system, 20, &s, NULL);
    assert_int_equal(o.status, KEEL_OK);
    assert_true(o.count.steps < 1000);
}

static void test_pull_without_kinematics_is_refused(void **state) {
    char message[200];
    (void)state;
    keel_system system = top_system(&TOP);
    assert_int_equal(keel_system_validate(&system, message, sizeof message), KEEL_OK);
    system.kinematics = NULL;
    system.advance = NULL;
    system.n_q = 6;
    assert_int_equal(keel_system_validate(&system, message, sizeof message), KEEL_ERROR_INPUT);
    assert_non_null(strstr(message, "'pull'"));
}

/* One of a program that was compiled with other headers, or not begun with keel_system_default(). */
static void test_other_sizes_are_refused(void **state) {
    char message[300];
    (void)state;
    keel_system system = top_system(&TOP);
    keel_settings s = keel_settings_default();
    keel_state *start = keel_state_new(&system);
    keel_result result;
    system.size -= sizeof(double);
    assert_int_equal(keel_system_validate(&system, message, sizeof message), KEEL_ERROR_INPUT);
    assert_non_null(strstr(message, "keel_system_default()"));
    assert_int_equal(keel_run(&system, start, 1, &s, NULL, NULL, &result), KEEL_ERROR_INPUT);
    keel_result_clear(&result);
    system.size = 0;
    assert_int_equal(keel_system_validate(&system, message, sizeof message), KEEL_ERROR_INPUT);
    keel_state_free(start);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_system_itself),
        cmocka_unit_test(test_other_sizes_are_refused),
        cmocka_unit_test(test_every_method),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_tight_tolerances),
        cmocka_unit_test(test_exact_matrices_are_used),
        cmocka_unit_test(test_newton_of_a_fast_top),
        cmocka_unit_test(test_long_run_of_index3),
        cmocka_unit_test(test_automatic_gains_of_bdf),
        cmocka_unit_test(test_pull_without_kinematics_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

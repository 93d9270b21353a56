/* IDA on small systems: agreement with dop853 whatever the system has, constraints held, dense output,
 * options, and every way to fail. */
#include "integrate_ida_systems.h"

#include "integrate/sundials/ida_equations.h"

static const keel_formulation BOTH[] = {KEEL_INDEX1, KEEL_GGL};

static const double PENDULUM_START[] = {1, 0, 0, 0, 0};

static double distance(const double *a, const double *b, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* Both formulations, against dop853 at 1e-13. */
static void check_agreement(const keel_system *system, const double *y, double t_end, double tolerance,
                            double allowed) {
    bench reference, b;
    assert_int_equal(
        open_bench(&reference, system, KEEL_DOP853, KEEL_INDEX1, with_tolerance(1e-13), y, false), KEEL_OK);
    step_to(reference.integrator, t_end);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(open_bench(&b, system, KEEL_IDA, BOTH[i], with_tolerance(tolerance), y, false),
                         KEEL_OK);
        step_to(b.integrator, t_end);
        assert_true(b.integrator->t == t_end);
        double error = distance(b.integrator->y, reference.integrator->y, b.integrator->n);
        if (!(error <= allowed))
            fail_msg("formulation %d: off by %.2e", i, error);
        assert_true(b.integrator->moved_position == 0 && b.integrator->moved_velocity == 0);
        close_bench(&b);
    }
    close_bench(&reference);
}

static void pendulum_agrees(void **state) {
    (void)state;
    bob model = {.pendulum = {.copies = 1}};
    keel_system exact = bob_system(&model, true, true);
    check_agreement(&exact, PENDULUM_START, 1.9, 1e-10, 2e-8);
}

/* The closed form of systems.h: half way down at (0, -1) with the speed sqrt(2 g). */
static void pendulum_closed_form(void **state) {
    (void)state;
    bob model = {.pendulum = {.copies = 1}};
    keel_system system = bob_system(&model, true, true);
    for (int i = 0; i < 2; i++) {
        bench b;
        open_bench(&b, &system, KEEL_IDA, BOTH[i], with_tolerance(1e-11), PENDULUM_START, false);
        step_to(b.integrator, 0.5);
        assert_true(distance(b.integrator->y, (double[]){0, -1, -sqrt(2 * PENDULUM_G), 0}, 4) < 1e-9);
        close_bench(&b);
    }
}

/* Driven and nonholonomic constraints, states, auxiliaries, forces and states of multipliers, work. */
static void everything_agrees(void **state) {
    (void)state;
    keel_system system = gear_system();
    check_agreement(&system, GEAR_START, 2, 1e-10, 5e-8);
}

static void rotations_agree(void **state) {
    (void)state;
    keel_system system = top_system();
    check_agreement(&system, TOP_START, 3, 1e-10, 2e-8);
}

static void without_constraints(void **state) {
    (void)state;
    bob model = {.pendulum = {.copies = 0}};
    keel_system system = bob_system(&model, true, false);
    double start[] = {1, 0, 3, 4, 0};
    system.tangent.rows = 2;
    for (int i = 0; i < 2; i++) {
        bench b;
        open_bench(&b, &system, KEEL_IDA, BOTH[i], with_tolerance(1e-9), start, false);
        step_to(b.integrator, 1); /* free fall */
        assert_true(distance(b.integrator->y, (double[]){4, 4 - PENDULUM_G / 2, 3, 4 - PENDULUM_G}, 4) <
                    1e-8);
        close_bench(&b);
    }
}

/* Without rate_q, and without any derivatives: the same motion from other Newton matrices. */
static void fewer_derivatives(void **state) {
    (void)state;
    bob model = {.pendulum = {.copies = 1}};
    keel_system systems[] = {bob_system(&model, true, true), bob_system(&model, true, false),
                             bob_system(&model, false, false)};
    for (int i = 0; i < 2; i++) {
        double first[5] = {0};
        long jacobians = 0;
        for (int k = 0; k < 3; k++) {
            bench b;
            open_bench(&b, &systems[k], KEEL_IDA, BOTH[i], with_tolerance(1e-9), PENDULUM_START, false);
            step_to(b.integrator, 1.5);
            if (k == 0) {
                memcpy(first, b.integrator->y, sizeof first);
                jacobians = b.integrator->jacobians;
            }
            assert_true(distance(b.integrator->y, first, 5) < 1e-8);
            assert_true(b.integrator->jacobians <= jacobians + jacobians / 5 + 5);
            close_bench(&b);
        }
    }
}

/* (F(Y + h x, Y' + c h x) - F(Y - h x, Y' - c h x)) / 2 h = b for the solution x of (F_Y + c F_Y') x = b.
 */
static void check_matrix(const keel_system *system, keel_formulation formulation, const double *y) {
    bench b;
    ki_ida_equations e;
    double Y[16] = {0}, Y_rate[16], F[16], right[16], x[16], plus[16], minus[16];
    const double c = 40;
    open_bench(&b, system, KEEL_IDA, formulation, with_tolerance(1e-6), y, false);
    assert_int_equal(ki_ida_equations_init(&e, &b.d, 0, y), KEEL_OK);
    memcpy(Y, y, (size_t)b.d.n_y * sizeof(double));
    for (int i = 0; i < e.size; i++) {
        Y_rate[i] = sin(3.0 * i) + 0.2;
        right[i] = x[i] = cos(2.0 * i + 1);
    }
    for (int i = 0; i < b.d.m; i++)
        Y[e.lambda + i] = 1.5 + i;
    assert_int_equal(ki_ida_residual(&e, 0.3, Y, Y_rate, F), KEEL_OK);
    assert_int_equal(ki_ida_factor(&e, 0.3, c, Y, Y_rate, F), KEEL_OK);
    ki_ida_solve(&e, x);
    double moved[16], moved_rate[16];
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int i = 0; i < e.size; i++) {
            moved[i] = Y[i] + sign * 1e-5 * x[i];
            moved_rate[i] = Y_rate[i] + sign * 1e-5 * c * x[i];
        }
        assert_int_equal(ki_ida_residual(&e, 0.3, moved, moved_rate, sign > 0 ? plus : minus), KEEL_OK);
    }
    for (int i = 0; i < e.size; i++)
        if (i != b.d.n_y - 1) /* the work is not linearised */
            assert_true(fabs((plus[i] - minus[i]) / 2e-5 - right[i]) < 1e-5);
    ki_ida_equations_clear(&e);
    close_bench(&b);
}

static void matrix_is_the_derivative(void **state) {
    (void)state;
    bob model = {.pendulum = {.copies = 1}};
    double slanted[] = {0.6, -0.8, 0.8, 0.6, 0};
    for (int i = 0; i < 2; i++) {
        keel_system all = bob_system(&model, true, true), half = bob_system(&model, true, false),
                    none = bob_system(&model, false, false), gear = gear_system();
        check_matrix(&all, BOTH[i], slanted);
        check_matrix(&half, BOTH[i], slanted);
        check_matrix(&none, BOTH[i], slanted);
        check_matrix(&gear, BOTH[i], GEAR_START);
    }
}

/* The rod written three times: the same motion, and multipliers of the dropped copies stay zero. */
static void redundant_rows(void **state) {
    (void)state;
    for (int tangent = 0; tangent < 2; tangent++)
        for (int i = 0; i < 2; i++) {
            bob model = {.pendulum = {.copies = 3}};
            keel_system system = bob_system(&model, tangent, tangent);
            bench b;
            open_bench(&b, &system, KEEL_IDA, BOTH[i], with_tolerance(1e-10), PENDULUM_START, true);
            step_to(b.integrator, 0.5);
            assert_true(distance(b.integrator->y, (double[]){0, -1, -sqrt(2 * PENDULUM_G), 0}, 4) < 3e-9);
            assert_true(b.d.lambda[0] != 0 && b.d.lambda[1] == 0 && b.d.lambda[2] == 0);
            close_bench(&b);
        }
}

/* At every step of ten seconds: the tolerance bounds the violation of ggl at both levels, index1 drifts.
 */
static void ggl_holds_the_constraints(void **state) {
    (void)state;
    bob model = {.pendulum = {.copies = 1}};
    keel_system system = bob_system(&model, true, true);
    double position[2] = {0}, velocity[2] = {0};
    for (int i = 0; i < 2; i++) {
        bench b;
        open_bench(&b, &system, KEEL_IDA, BOTH[i], with_tolerance(1e-8), PENDULUM_START, false);
        while (b.integrator->t < 10) {
            assert_int_equal(b.integrator->method->step(b.integrator, 10), KEEL_OK);
            const double *y = b.integrator->y;
            position[i] = fmax(position[i], fabs(y[0] * y[0] + y[1] * y[1] - 1));
            velocity[i] = fmax(velocity[i], fabs(2 * (y[0] * y[2] + y[1] * y[3])));
        }
        assert_true(b.integrator->rejected < b.integrator->steps / 20);
        close_bench(&b);
    }
    assert_true(position[1] < 1e-9 && velocity[1] < 1e-8);
    assert_true(position[0] > 10 * position[1]);
}

static void interpolates_inside_steps(void **state) {
    (void)state;
    bob model = {.pendulum = {.copies = 1}};
    keel_system system = bob_system(&model, true, true);
    for (int i = 0; i < 2; i++) {
        bench b;
        double y[5], before[5];
        bool passed = false;
        open_bench(&b, &system, KEEL_IDA, BOTH[i], with_tolerance(1e-9), PENDULUM_START, false);
        ki_integrator *in = b.integrator;
        assert_int_equal(in->method->interpolate(in, 0, y), KEEL_OK);
        assert_memory_equal(y, PENDULUM_START, sizeof y);
        while (in->t < 0.8) {
            memcpy(before, in->y, sizeof before);
            assert_int_equal(in->method->step(in, 0.8), KEEL_OK);
            assert_int_equal(in->method->interpolate(in, in->t, y), KEEL_OK);
            assert_memory_equal(y, in->y, sizeof y);
            assert_int_equal(in->method->interpolate(in, in->t_old, y), KEEL_OK);
            assert_true(distance(y, before, 5) < 1e-12);
            if (in->t_old < 0.5 && in->t > 0.5) {
                passed = true;
                assert_int_equal(in->method->interpolate(in, 0.5, y), KEEL_OK);
                assert_true(distance(y, (double[]){0, -1, -sqrt(2 * PENDULUM_G), 0}, 4) < 5e-8);
            }
        }
        assert_true(passed);
        close_bench(&b);
    }
}

static void takes_its_options(void **state) {
    (void)state;
    bob model = {.pendulum = {.copies = 1}};
    keel_system system = bob_system(&model, true, true);
    ki_integrator_settings low = with_tolerance(1e-5), bounded = low, limited = low;
    bench b;
    low.order = 1;
    bounded.max_step = 1e-3;
    bounded.step = 1e-4;
    limited.most_steps = 10;
    open_bench(&b, &system, KEEL_IDA, KEEL_GGL, with_tolerance(1e-5), PENDULUM_START, false);
    step_to(b.integrator, 1);
    long steps = b.integrator->steps;
    close_bench(&b);
    open_bench(&b, &system, KEEL_IDA, KEEL_GGL, low, PENDULUM_START, false);
    step_to(b.integrator, 1);
    assert_true(b.integrator->steps > 10 * steps);
    close_bench(&b);
    open_bench(&b, &system, KEEL_IDA, KEEL_GGL, bounded, PENDULUM_START, false);
    assert_int_equal(b.integrator->method->step(b.integrator, 1), KEEL_OK);
    assert_true(fabs(b.integrator->t - 1e-4) < 1e-12);
    step_to(b.integrator, 1);
    assert_true(b.integrator->longest_step < 1.0001e-3 && b.integrator->longest_step > 0.9e-3);
    close_bench(&b);
    open_bench(&b, &system, KEEL_IDA, KEEL_GGL, limited, PENDULUM_START, false);
    for (int i = 0; i < 10; i++)
        assert_int_equal(b.integrator->method->step(b.integrator, 1), KEEL_OK);
    assert_int_equal(b.integrator->method->step(b.integrator, 1), KEEL_ERROR_LIMIT);
    close_bench(&b);
}

/* Steps until one fails; the state stays that of the last good step. */
static keel_status step_until_failure(bench *b) {
    double y[5], t = 0;
    keel_status status = KEEL_OK;
    while (!status && b->integrator->t < 1) {
        t = b->integrator->t;
        memcpy(y, b->integrator->y, sizeof y);
        status = b->integrator->method->step(b->integrator, 1);
    }
    assert_true(b->integrator->t == t);
    assert_memory_equal(y, b->integrator->y, sizeof y);
    return status;
}

static void failures_leave_the_last_good_step(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        bench b;
        bob ends = {.pendulum = {.copies = 1}, .nan_from = 0.3},
            refuses = {.pendulum = {.copies = 1}, .refuse_from = 0.3};
        keel_system system = bob_system(&ends, true, true);
        open_bench(&b, &system, KEEL_IDA, BOTH[i], with_tolerance(1e-7), PENDULUM_START, false);
        assert_int_equal(step_until_failure(&b), KEEL_ERROR_STEP_SIZE);
        assert_true(b.integrator->t > 0.299 && b.integrator->t < 0.3);
        assert_int_equal(b.d.trouble.kind, KI_TROUBLE_FORCE);
        assert_int_equal(b.d.trouble.index, 0);
        assert_true(b.integrator->rejected > 0);
        close_bench(&b);
        system = bob_system(&refuses, true, true);
        open_bench(&b, &system, KEEL_IDA, BOTH[i], with_tolerance(1e-7), PENDULUM_START, false);
        assert_int_equal(step_until_failure(&b), KEEL_ERROR_CALLBACK);
        assert_int_equal(b.d.trouble.kind, KI_TROUBLE_CALLBACK);
        close_bench(&b);
    }
}

static void a_bad_start_is_refused(void **state) {
    (void)state;
    bob model = {.pendulum = {.copies = 1, .calls = 1, .fail_after = 1}}; /* at once */
    keel_system system = bob_system(&model, true, true);
    bench b;
    assert_int_equal(open_bench(&b, &system, KEEL_IDA, KEEL_GGL, with_tolerance(1e-7), PENDULUM_START, false),
                     KEEL_ERROR_NOT_FINITE);
    assert_int_equal(b.d.trouble.kind, KI_TROUBLE_FORCE);
    close_bench(&b);
}

/* A force that jumps: steps across it, with the energy that the force brings. */
static void a_jump_is_crossed(void **state) {
    (void)state;
    bob model = {.pendulum = {.copies = 1}, .kick_from = 0.35};
    keel_system system = bob_system(&model, true, true);
    bench reference, b;
    open_bench(&reference, &system, KEEL_DOP853, KEEL_INDEX1, with_tolerance(1e-11), PENDULUM_START, false);
    step_to(reference.integrator, 0.7);
    for (int i = 0; i < 2; i++) {
        open_bench(&b, &system, KEEL_IDA, BOTH[i], with_tolerance(1e-8), PENDULUM_START, false);
        step_to(b.integrator, 0.7);
        assert_true(distance(b.integrator->y, reference.integrator->y, 4) < 1e-6);
        close_bench(&b);
    }
    close_bench(&reference);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_agrees),           cmocka_unit_test(pendulum_closed_form),
        cmocka_unit_test(everything_agrees),         cmocka_unit_test(rotations_agree),
        cmocka_unit_test(without_constraints),       cmocka_unit_test(fewer_derivatives),
        cmocka_unit_test(matrix_is_the_derivative),  cmocka_unit_test(redundant_rows),
        cmocka_unit_test(ggl_holds_the_constraints), cmocka_unit_test(interpolates_inside_steps),
        cmocka_unit_test(takes_its_options),         cmocka_unit_test(failures_leave_the_last_good_step),
        cmocka_unit_test(a_bad_start_is_refused),    cmocka_unit_test(a_jump_is_crossed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

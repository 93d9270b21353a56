/* What every integrator must do: keep rest at rest, converge with its order, stay on the constraints, give
 * rows that do not change the steps, fail in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "systems.h"

typedef struct outcome {
    keel_status status;
    double q[2], v[2], lambda[3];
    keel_result result; /* cleared: only plain numbers remain valid */
} outcome;

/* Runs the pendulum from (1, 0) with the velocity (0, speed). */
static outcome run_pendulum(int copies, double speed, const keel_settings *settings,
                            const keel_observer *observer, keel_diagnostics *messages) {
    pendulum_model model = {.copies = copies};
    keel_system system = pendulum_system(&model);
    keel_state *start = keel_state_new(&system);
    outcome o = {0};
    start->q[0] = 1;
    start->v[1] = speed;
    o.status = keel_run(&system, start, 1, settings, observer, messages, &o.result);
    if (o.result.final) {
        memcpy(o.q, o.result.final->q, sizeof o.q);
        memcpy(o.v, o.result.final->v, sizeof o.v);
        memcpy(o.lambda, o.result.final->lambda, (size_t)copies * sizeof(double));
    }
    keel_result numbers = o.result;
    keel_result_clear(&o.result);
    numbers.final = NULL, numbers.v_rate = numbers.outputs = NULL;
    o.result = numbers;
    keel_state_free(start);
    return o;
}

/* The integrator with its first formulation. */
static keel_method with_stabilizer(keel_integrator integrator, keel_stabilize stabilize) {
    keel_method method = {integrator, KEEL_INDEX1, stabilize, 0};
    while (!keel_integrator_takes(integrator, method.formulation))
        method.formulation++;
    return method;
}

/* ... and projection if it takes that. */
static keel_method method_of(keel_integrator integrator) {
    keel_method method = with_stabilizer(integrator, KEEL_PROJECTION);
    return keel_method_is_valid(method) ? method : with_stabilizer(integrator, KEEL_STABILIZE_NONE);
}

/* Constant steps for any integrator: an adaptive one is given a limit and an error it cannot exceed. */
static keel_settings fixed_steps(keel_integrator integrator, keel_stabilize stabilize, double until,
                                 int steps) {
    keel_settings s = keel_settings_default();
    s.method = with_stabilizer(integrator, stabilize);
    s.until = until;
    s.step = s.first_step = s.max_step = until / steps;
    s.absolute_tolerance = 1e300;
    s.max_steps = 1e6;
    return s;
}

/* Error at t = 2.5: fifth passage of the lowest point, moving in -x (1/2, 5/2 odd multiples: in -x at 1/2, +x
 * at 3/2, -x at 5/2). */
static double error_at_bottom(keel_integrator integrator, keel_stabilize stabilize, int steps) {
    keel_settings s = fixed_steps(integrator, stabilize, 2.5, steps);
    outcome o = run_pendulum(1, 0, &s, NULL, NULL);
    assert_int_equal(o.status, KEEL_OK);
    assert_int_equal(o.result.count.steps, steps);
    double speed = sqrt(2 * PENDULUM_G);
    return fmax(fmax(fabs(o.q[0]), fabs(o.q[1] + 1)), fmax(fabs(o.v[0] + speed), fabs(o.v[1])) / speed);
}

static double observed_order(keel_integrator integrator, keel_stabilize stabilize, int steps) {
    double coarse = error_at_bottom(integrator, stabilize, steps);
    double fine = error_at_bottom(integrator, stabilize, 2 * steps);
    return log2(coarse / fine);
}

static void converge_with_their_order(void **state) {
    (void)state;
    static const struct {
        keel_integrator integrator;
        int steps;
        double order;
    } CASES[] = {{KEEL_RK4, 400, 4}, {KEEL_DOPRI5, 200, 5}, {KEEL_DOP853, 80, 8}};
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        double projected = observed_order(CASES[i].integrator, KEEL_PROJECTION, CASES[i].steps);
        print_message("%s: order %.2f with projection\n", keel_integrator_word(CASES[i].integrator).name,
                      projected);
        assert_true(fabs(projected - CASES[i].order) < 0.3);
    }
}

/* The lowest point is an equilibrium: explicit methods add exact zeros, implicit ones solve for them. */
static void rest_stays_at_rest(void **state) {
    (void)state;
    for (int integrator = 0; integrator < KEEL_INTEGRATORS; integrator++)
        for (int stabilize = 0; stabilize < KEEL_STABILIZERS; stabilize++) {
            double round_off = integrator <= KEEL_DOP853 ? 0 : 1e-14;
            pendulum_model model = {.copies = 1};
            keel_system system = pendulum_system(&model);
            keel_state *start = keel_state_new(&system);
            keel_settings s = keel_settings_default();
            s.method = with_stabilizer((keel_integrator)integrator, (keel_stabilize)stabilize);
            s.step = 0.05;
            s.until = 5;
            start->q[1] = -1;
            keel_result result;
            if (!keel_method_is_valid(s.method)) {
                keel_state_free(start);
                continue;
            }
            assert_int_equal(keel_run(&system, start, 1, &s, NULL, NULL, &result), KEEL_OK);
            assert_true(fabs(result.final->q[0]) <= round_off && fabs(result.final->q[1] + 1) <= round_off);
            assert_true(fabs(result.final->v[0]) <= round_off && fabs(result.final->v[1]) <= round_off);
            /* Q = (0, -g), J = (0, -2): -2 lambda = -g */
            assert_true(fabs(result.final->lambda[0] - PENDULUM_G / 2) < 1e-12);
            keel_result_clear(&result);
            keel_state_free(start);
        }
}

static void projection_holds_the_constraints(void **state) {
    (void)state;
    for (int integrator = 0; integrator < KEEL_INTEGRATORS; integrator++) {
        keel_settings s = keel_settings_default();
        s.method = with_stabilizer((keel_integrator)integrator, KEEL_PROJECTION);
        s.step = 0.01;
        s.tolerance = 1e-5;
        s.until = 20;
        if (!keel_method_is_valid(s.method))
            continue;
        outcome o = run_pendulum(1, 0, &s, NULL, NULL);
        assert_int_equal(o.status, KEEL_OK);
        assert_true(o.result.position.max <= 1e-14);
        assert_true(o.result.velocity.max_scaled <= 1e-14);
        if (s.method.formulation == KEEL_INDEX3) /* holds positions without projection */
            continue;
        s.method.stabilize = KEEL_STABILIZE_NONE;
        outcome drifting = run_pendulum(1, 0, &s, NULL, NULL);
        assert_int_equal(drifting.status, KEEL_OK);
        assert_true(drifting.result.position.max > 1e-7); /* the check above can fail */
    }
}

/* A step of radau9 may be a good part of a swing, at whose end J v consists of far smaller terms than where
 * the factors of the projection come from. */
static void velocities_are_held_after_long_steps(void **state) {
    (void)state;
    for (double tolerance = 1e-3; tolerance > 1e-7; tolerance *= 0.5) {
        keel_settings s = keel_settings_default();
        s.method = with_stabilizer(KEEL_RADAU9, KEEL_PROJECTION);
        s.tolerance = tolerance;
        s.until = 20;
        outcome o = run_pendulum(1, 0, &s, NULL, NULL);
        assert_int_equal(o.status, KEEL_OK);
        assert_true(o.result.velocity.max_scaled <= 1e-14);
    }
}

static void tolerance_steers_the_error(void **state) {
    (void)state;
    static const struct {
        keel_integrator integrator;
        double factor; /* error at the end over tolerance: BDF has much to add up */
    } ADAPTIVE[] = {{KEEL_DOPRI5, 100}, {KEEL_DOP853, 100}, {KEEL_ADAMS, 100}, {KEEL_RADAU5, 100},
                    {KEEL_RADAU9, 100}, {KEEL_BDF, 300},    {KEEL_IDA, 300}};
    for (unsigned i = 0; i < sizeof ADAPTIVE / sizeof *ADAPTIVE; i++) {
        double previous = 1;
        long steps = 0;
        for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 1e-2) {
            keel_settings s = keel_settings_default();
            s.method = method_of(ADAPTIVE[i].integrator);
            s.until = 2;
            s.tolerance = tolerance;
            outcome o = run_pendulum(1, 0, &s, NULL, NULL);
            double error = fabs(o.q[1]) + fabs(o.v[1]);
            assert_int_equal(o.status, KEEL_OK);
            print_message("%s, %.0e: error %.1e\n", keel_integrator_word(ADAPTIVE[i].integrator).name,
                          tolerance, error);
            assert_true(error < ADAPTIVE[i].factor * tolerance);
            assert_true(error < 0.3 * previous || error < 30 * tolerance);
            assert_true(o.result.count.steps > steps);
            assert_true(o.result.count.rejected <= 5 + o.result.count.steps / 4);
            previous = error;
            steps = o.result.count.steps;
        }
    }
}

typedef struct recorder {
    int count;
    double t[4096], x[4096], y[4096], violation;
    int stop_at;
    int stop;
} recorder;

static keel_status record(void *user, const keel_row *row) {
    recorder *r = user;
    if (r->count < 4096) {
        r->t[r->count] = row->t;
        r->x[r->count] = row->q[0];
        r->y[r->count] = row->q[1];
    }
    r->count++;
    r->violation = fmax(r->violation, fmax(row->position_violation, row->velocity_violation));
    if (r->stop_at && r->count == r->stop_at)
        r->stop = 1;
    return KEEL_OK;
}

static void rows_do_not_change_the_steps(void **state) {
    (void)state;
    for (int integrator = 0; integrator < KEEL_INTEGRATORS; integrator++) {
        keel_settings s = keel_settings_default();
        s.method = method_of((keel_integrator)integrator);
        s.step = 0.013;
        s.until = 3.7;
        static recorder r;
        memset(&r, 0, sizeof r);
        keel_observer observer = {.user = &r, .row = record};
        outcome plain = run_pendulum(1, 0.3, &s, NULL, NULL);
        s.output = 0.0071;
        outcome with_rows = run_pendulum(1, 0.3, &s, &observer, NULL);
        assert_memory_equal(plain.q, with_rows.q, sizeof plain.q);
        assert_memory_equal(plain.v, with_rows.v, sizeof plain.v);
        assert_int_equal(plain.result.count.steps, with_rows.result.count.steps);
        /* 0, 0.0071, ..., 3.6991, and the end */
        assert_int_equal(r.count, 523);
        assert_true(r.t[522] == 3.7);
        if (s.method.stabilize == KEEL_PROJECTION)
            assert_true(r.violation < 1e-13);
    }
}

/* Rows between steps must be as accurate as the method: they converge with the order of the dense output. */
static double row_error(keel_integrator integrator, int steps, const recorder *exact) {
    static recorder r;
    memset(&r, 0, sizeof r);
    keel_observer observer = {.user = &r, .row = record};
    keel_settings s = fixed_steps(integrator, KEEL_STABILIZE_NONE, 0.5, steps);
    s.output = 0.5 / 97;
    run_pendulum(1, 0, &s, &observer, NULL);
    assert_int_equal(r.count, exact->count);
    double error = 0;
    for (int i = 0; i < r.count; i++)
        error = fmax(error, fmax(fabs(r.x[i] - exact->x[i]), fabs(r.y[i] - exact->y[i])));
    return error;
}

static void dense_output_has_its_order(void **state) {
    (void)state;
    static recorder exact; /* converged: dop853 at 1e-13, rows on steps of 1/97 of the span */
    memset(&exact, 0, sizeof exact);
    keel_observer observer = {.user = &exact, .row = record};
    keel_settings s = fixed_steps(KEEL_DOP853, KEEL_STABILIZE_NONE, 0.5, 97);
    run_pendulum(1, 0, &s, &observer, NULL);
    static const struct {
        keel_integrator integrator;
        int steps;
        double order;
    } CASES[] = {{KEEL_RK4, 40, 4}, {KEEL_DOPRI5, 20, 5}, {KEEL_DOP853, 6, 8}};
    for (unsigned i = 0; i < 3; i++) {
        double coarse = row_error(CASES[i].integrator, CASES[i].steps, &exact);
        double order = log2(coarse / row_error(CASES[i].integrator, 2 * CASES[i].steps, &exact));
        print_message("%s: dense output of order %.2f\n", keel_integrator_word(CASES[i].integrator).name,
                      order);
        assert_true(order > CASES[i].order - 0.7);
    }
}

static void dependent_rows_change_nothing(void **state) {
    (void)state;
    for (int integrator = 0; integrator < KEEL_INTEGRATORS; integrator++) {
        keel_settings s = keel_settings_default();
        s.method = method_of((keel_integrator)integrator);
        s.step = 0.01;
        s.tolerance = 1e-10;
        s.until = 3;
        /* IDA solves for the multipliers only as far as its tolerance asks */
        double apart = integrator == KEEL_IDA ? 1e-8 : 1e-10;
        outcome once = run_pendulum(1, 0, &s, NULL, NULL), thrice = run_pendulum(3, 0, &s, NULL, NULL);
        assert_int_equal(thrice.status, KEEL_OK);
        assert_int_equal(thrice.result.rank, 1);
        for (int i = 0; i < 2; i++) {
            assert_true(fabs(once.q[i] - thrice.q[i]) < apart);
            assert_true(fabs(once.v[i] - thrice.v[i]) < apart);
        }
        for (int i = 0; i < 3; i++) /* least norm: equal shares */
            assert_true(fabs(thrice.lambda[i] - once.lambda[0] / 3) < 10 * apart);
    }
}

static void interruption_keeps_what_was_reached(void **state) {
    (void)state;
    static recorder r;
    memset(&r, 0, sizeof r);
    r.stop_at = 7;
    keel_observer observer = {.user = &r, .row = record, .stop = &r.stop};
    keel_settings s = keel_settings_default();
    s.until = 100;
    outcome o = run_pendulum(1, 0, &s, &observer, NULL);
    assert_int_equal(o.status, KEEL_INTERRUPTED);
    assert_int_equal(r.count, 7);
    assert_true(o.result.count.steps == 6);
}

static void nan_force_is_reported(void **state) {
    (void)state;
    for (int integrator = 0; integrator < KEEL_INTEGRATORS; integrator++) {
        pendulum_model model = {.copies = 1, .fail_after = 500};
        keel_system system = pendulum_system(&model);
        keel_state *start = keel_state_new(&system);
        keel_diagnostics *messages = keel_diagnostics_new();
        keel_settings s = keel_settings_default();
        s.method = method_of((keel_integrator)integrator);
        s.step = 0.01;
        s.until = 100;
        start->q[0] = 1;
        keel_result result;
        keel_status status = keel_run(&system, start, 1, &s, NULL, messages, &result);
        assert_true(status == KEEL_ERROR_NOT_FINITE || status == KEEL_ERROR_STEP_SIZE);
        assert_int_equal(keel_diagnostics_errors(messages) > 0, 1);
        assert_non_null(strstr(keel_diagnostics_get(messages, 0).text, "force on 'x' is not finite"));
        assert_non_null(strstr(keel_diagnostics_get(messages, 0).text, "t = "));
        keel_result_clear(&result);
        keel_diagnostics_free(messages);
        keel_state_free(start);
    }
}

/* The pendulum, but for an evaluation whose power is not finite. */
static keel_status evaluate_with_a_slip(const keel_system *system, void *work, unsigned what,
                                        const keel_point *at, keel_terms *terms) {
    const pendulum_model *model = system->model;
    keel_status status = pendulum_evaluate(system, work, what, at, terms);
    if (what & KEEL_POWER && model->calls > 200 && model->calls <= 230)
        terms->power = NAN;
    return status;
}

static void a_slip_of_the_model_is_survived(void **state) {
    (void)state;
    const keel_integrator kinds[] = {KEEL_RADAU5, KEEL_RADAU9};
    for (int i = 0; i < 2; i++) {
        pendulum_model model = {.copies = 1};
        keel_system system = pendulum_system(&model);
        keel_state *start = keel_state_new(&system);
        keel_settings s = keel_settings_default();
        system.evaluate = evaluate_with_a_slip;
        s.method = method_of(kinds[i]);
        s.until = 2;
        start->q[0] = 1;
        keel_result result;
        assert_int_equal(keel_run(&system, start, 1, &s, NULL, NULL, &result), KEEL_OK);
        assert_true(model.calls > 230 && result.count.rejected > 0);
        keel_result_clear(&result);
        keel_state_free(start);
    }
}

static void start_is_repaired_or_refused(void **state) {
    (void)state;
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    keel_state *start = keel_state_new(&system);
    keel_settings s = keel_settings_default();
    keel_status status;
    keel_diagnostics *messages = keel_diagnostics_new();
    /* 1e-4 off: repaired, with a note that says how far */
    start->q[0] = 1.0001;
    keel_simulation *sim = keel_simulation_new(&system, start, 1, &s, messages, &status);
    assert_non_null(sim);
    assert_non_null(strstr(keel_diagnostics_get(messages, 0).text, "largest change 0.0001, in 'x'"));
    keel_result result;
    assert_int_equal(keel_simulation_result(sim, &result), KEEL_OK);
    assert_true(result.position.max < 1e-14);
    assert_true(fabs(result.start_position_moved - 1e-4) < 1e-8);
    keel_result_clear(&result);
    keel_simulation_free(sim);
    /* 10 % off: refused, by name and amount */
    start->q[0] = 1.1;
    assert_null(keel_simulation_new(&system, start, 1, &s, messages, &status));
    assert_int_equal(status, KEEL_ERROR_START);
    assert_non_null(strstr(keel_diagnostics_get(messages, 1).text, "constraint 'rod' is violated by 0.21"));
    /* velocity along the rod: refused when given, projected away when it is only a guess */
    start->q[0] = 1;
    start->v[0] = 0.5;
    assert_null(keel_simulation_new(&system, start, 1, &s, messages, &status));
    assert_int_equal(status, KEEL_ERROR_START);
    sim = keel_simulation_new(&system, start, 0, &s, messages, &status);
    assert_non_null(sim);
    keel_simulation_free(sim);
    keel_diagnostics_free(messages);
    keel_state_free(start);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converge_with_their_order),
        cmocka_unit_test(rest_stays_at_rest),
        cmocka_unit_test(projection_holds_the_constraints),
        cmocka_unit_test(velocities_are_held_after_long_steps),
        cmocka_unit_test(tolerance_steers_the_error),
        cmocka_unit_test(rows_do_not_change_the_steps),
        cmocka_unit_test(dense_output_has_its_order),
        cmocka_unit_test(dependent_rows_change_nothing),
        cmocka_unit_test(interruption_keeps_what_was_reached),
        cmocka_unit_test(nan_force_is_reported),
        cmocka_unit_test(a_slip_of_the_model_is_survived),
        cmocka_unit_test(start_is_repaired_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

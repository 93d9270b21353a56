/* The Adams method between its steps and at its limits: dense output, jumps of the rate, models that fail,
 * the end of a run. */
#include "integrate_helper.h"

static double spring_force(const line_model *self, double t, double x) {
    (void)self, (void)t;
    return -x;
}

/* x = cos t without any constraint. Inside a step the dense output is as good as the ends; at the ends it is
 * the state, from both sides, with the slope of the motion; and it asks nothing of the model. */
static void check_dense_output(double tolerance) {
    line_model model = {spring_force, 0};
    keel_system system = line_system(&model);
    const double start[] = {1, 0, 0}, epsilon = 1e-4;
    double y[3], before[] = {1, 0, 0}, at_ends = 0, inside = 0, corner = 0;
    bench b;
    open_bench(&b, &system, KEEL_ADAMS, KEEL_STABILIZE_NONE, with_tolerance(tolerance), start, 20);
    ki_integrator *self = b.integrator;
    assert_int_equal(self->method->interpolate(self, 0, y), KEEL_OK);
    assert_memory_equal(y, start, sizeof y);
    while (self->t < 20) {
        assert_int_equal(self->method->step(self, 20), KEEL_OK);
        long evaluations = b.d.evaluations + b.rows.evaluations;
        double h = self->t - self->t_old;
        for (int i = 0; i <= 8; i++) {
            double t = self->t_old + h * i / 8, *worst = i % 8 ? &inside : &at_ends;
            assert_int_equal(self->method->interpolate(self, i == 8 ? self->t : t, y), KEEL_OK);
            *worst = fmax(*worst, fmax(fabs(y[0] - cos(t)), fabs(y[1] + sin(t))));
            if (i == 0)
                assert_true(fabs(y[0] - before[0]) < 1e-14 && fabs(y[1] - before[1]) < 1e-14);
        }
        assert_memory_equal(y, self->y, sizeof y);
        memcpy(before, y, sizeof y);
        for (int end = 0; end < 2 && h > 0.01; end++) { /* slope of x at both ends: v, up to epsilon h */
            double at = end ? self->t - epsilon * h : self->t_old, y0[3], y1[3];
            self->method->interpolate(self, at, y0);
            self->method->interpolate(self, at + epsilon * h, y1);
            corner = fmax(corner, fabs((y1[0] - y0[0]) / (epsilon * h) - (end ? y1[1] : y0[1])) / h);
        }
        assert_int_equal(b.d.evaluations + b.rows.evaluations, evaluations);
    }
    assert_true(at_ends < 100 * tolerance && inside < 1.1 * at_ends);
    assert_true(corner < 2 * epsilon);
    assert_true(b.d.evaluations < 500);
    close_bench(&b);
}

static void dense_output(void **state) {
    (void)state;
    for (int digits = 1; digits <= 9; digits += 2)
        check_dense_output(pow(10, -digits));
}

/* A harder test of the same with projection: between the steps the error is no larger than at them. */
static void dense_output_with_projection(void **state) {
    (void)state;
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    double y[5], exact[5], worst = 0;
    bench b, reference;
    open_bench(&b, &system, KEEL_ADAMS, KEEL_PROJECTION, with_tolerance(1e-8), PENDULUM_START, 2);
    open_bench(&reference, &system, KEEL_DOP853, KEEL_PROJECTION, with_tolerance(1e-12), PENDULUM_START, 2);
    for (int i = 1; i <= 400; i++) {
        double t = i / 200.0;
        while (b.integrator->t < t)
            assert_int_equal(b.integrator->method->step(b.integrator, 2), KEEL_OK);
        while (reference.integrator->t < t)
            assert_int_equal(reference.integrator->method->step(reference.integrator, 2), KEEL_OK);
        b.integrator->method->interpolate(b.integrator, t, y);
        reference.integrator->method->interpolate(reference.integrator, t, exact);
        for (int j = 0; j < 4; j++)
            worst = fmax(worst, fabs(y[j] - exact[j]));
        assert_true(pendulum_violation(y) < 1e-8);
    }
    assert_true(worst < 1e-6 && worst > 1e-10);
    close_bench(&b);
    close_bench(&reference);
}

static double sign_force(const line_model *self, double t, double x) {
    (void)self, (void)t;
    return x > 0 ? -1 : 1;
}

/* x'' = -sign(x) from (1, 0): parabolas, a period of 4 sqrt(2). Each jump costs a restart, no more. */
static void passes_jumps(void **state) {
    (void)state;
    enum { PERIODS = 10 };
    line_model model = {sign_force, 0};
    keel_system system = line_system(&model);
    double start[] = {1, 0, 0}, t_end = PERIODS * 4 * sqrt(2);
    bench b;
    open_bench(&b, &system, KEEL_ADAMS, KEEL_STABILIZE_NONE, with_tolerance(1e-7), start, t_end);
    step_to(b.integrator, t_end);
    assert_true(hypot(b.integrator->y[0] - 1, b.integrator->y[1]) < 1e-4);
    assert_true(b.d.evaluations < 2 * PERIODS * 200);
    close_bench(&b);
}

/* Forces that turn into NaN: the step shrinks to nothing, the last good state and the reason are kept. */
static void failing_model(void **state) {
    (void)state;
    for (long good = 10; good < 1000; good *= 3) {
        pendulum_model model = {.copies = 1, .fail_after = good};
        keel_system system = pendulum_system(&model);
        double y[5];
        bench b;
        keel_status status = KEEL_OK;
        open_bench(&b, &system, KEEL_ADAMS, KEEL_PROJECTION, with_tolerance(1e-8), PENDULUM_START, 100);
        while (!status)
            status = b.integrator->method->step(b.integrator, 100);
        assert_int_equal(status, KEEL_ERROR_STEP_SIZE);
        assert_int_equal(b.d.trouble.kind, KI_TROUBLE_FORCE);
        assert_int_equal(b.d.trouble.index, 0);
        assert_true(pendulum_violation(b.integrator->y) < 1e-13);
        /* and so is the dense output of the last good step */
        double middle = (b.integrator->t_old + b.integrator->t) / 2;
        assert_int_equal(b.integrator->method->interpolate(b.integrator, middle, y), KEEL_OK);
        assert_true(pendulum_violation(y) < 1e-7);
        close_bench(&b);
    }
}

static double wall_force(const line_model *self, double t, double x) {
    (void)self, (void)t;
    return x > 0.75 ? NAN : -x;
}

/* NaN beyond x = 3/4, which x = sin t / sqrt(2) never reaches but a long step may try: it is only shortened.
 */
static void failures_that_pass(void **state) {
    (void)state;
    line_model model = {wall_force, 0};
    keel_system system = line_system(&model);
    ki_integrator_settings settings = with_tolerance(1e-6);
    double start[] = {0, sqrt(0.5), 0};
    bench b;
    settings.step = 1.5; /* straight ahead into the wall */
    open_bench(&b, &system, KEEL_ADAMS, KEEL_STABILIZE_NONE, settings, start, 20);
    step_to(b.integrator, 20);
    assert_true(b.integrator->rejected > 0);
    assert_int_equal(b.d.trouble.kind, KI_TROUBLE_NONE); /* forgotten with the step that got over it */
    assert_true(fabs(b.integrator->y[0] - sin(20) * sqrt(0.5)) < 1e-4);
    close_bench(&b);
}

/* The end is met exactly, also when there are several; max_step, the first step and the largest number of
 * steps are kept. */
static void limits_are_kept(void **state) {
    (void)state;
    line_model model = {spring_force, 0};
    keel_system system = line_system(&model);
    ki_integrator_settings settings = with_tolerance(1e-8);
    const double start[] = {1, 0, 0}, ENDS[] = {0.1, 1.0 / 3, 2.7, 2.7000001, 3.14159, 12.3};
    bench b;
    settings.max_step = 0.11;
    settings.step = 1e-5;
    open_bench(&b, &system, KEEL_ADAMS, KEEL_STABILIZE_NONE, settings, start, 12.3);
    for (unsigned i = 0; i < sizeof ENDS / sizeof *ENDS; i++)
        while (b.integrator->t < ENDS[i]) {
            assert_int_equal(b.integrator->method->step(b.integrator, ENDS[i]), KEEL_OK);
            double h = b.integrator->t - b.integrator->t_old;
            assert_true(b.integrator->steps > 1 || h == 1e-5);
            assert_true(h <= 0.11 * 1.01);
            assert_true(b.integrator->t <= ENDS[i]);
        }
    assert_true(b.integrator->t == 12.3);
    assert_true(fabs(b.integrator->y[0] - cos(12.3)) < 1e-6);
    close_bench(&b);

    settings.most_steps = 7;
    open_bench(&b, &system, KEEL_ADAMS, KEEL_STABILIZE_NONE, settings, start, 12.3);
    keel_status status = KEEL_OK;
    while (!status)
        status = b.integrator->method->step(b.integrator, 12.3);
    assert_int_equal(status, KEEL_ERROR_LIMIT);
    assert_int_equal(b.integrator->steps + b.integrator->rejected, 7);
    close_bench(&b);
}

/* Steps of 0.1 to an end a little beyond ten of them: the last one is stretched, or the last two shared. */
static void no_slivers(void **state) {
    (void)state;
    static const struct {
        double t_end, last;
    } CASES[] = {{1.0005, 0.1005}, {1.02, 0.06}, {1.08, 0.09}, {0.9995, 0.09975}};
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        line_model model = {spring_force, 0};
        keel_system system = line_system(&model);
        ki_integrator_settings settings = with_tolerance(1);
        const double start[] = {1, 0, 0};
        bench b;
        settings.step = settings.max_step = 0.1;
        open_bench(&b, &system, KEEL_ADAMS, KEEL_STABILIZE_NONE, settings, start, CASES[i].t_end);
        step_to(b.integrator, CASES[i].t_end);
        assert_true(b.integrator->t == CASES[i].t_end);
        assert_true(fabs(b.integrator->t - b.integrator->t_old - CASES[i].last) < 1e-12);
        close_bench(&b);
    }
}

/* What is at rest stays at rest, in ever longer steps. */
static void rest_stays_at_rest(void **state) {
    (void)state;
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    const double start[] = {0, -1, 0, 0, 0};
    bench b;
    open_bench(&b, &system, KEEL_ADAMS, KEEL_PROJECTION, with_tolerance(1e-8), start, 1e6);
    step_to(b.integrator, 1e6);
    assert_memory_equal(b.integrator->y, start, sizeof start);
    assert_true(b.integrator->steps < 150);
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_output),       cmocka_unit_test(dense_output_with_projection),
        cmocka_unit_test(passes_jumps),       cmocka_unit_test(failing_model),
        cmocka_unit_test(failures_that_pass), cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(no_slivers),         cmocka_unit_test(rest_stays_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

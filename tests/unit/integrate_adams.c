/* The Adams method: its differences are exact where polynomials are, its orders are what theory says also
 * with projection, its errors follow the tolerance, and it ends where it should when the model does not
 * behave. */
#include "integrate/adams_history.h"
#include "integrate_helper.h"

static double power(double x, int n) {
    return n == 0 ? 1 : x * power(x, n - 1);
}

/* Rates t^p on a grid of unequal steps up to t = 1. The predictor of order k integrates p < k exactly, the
 * corrector p = k too, and so does the polynomial of the dense output; one power more is not exact. */
static void differences_are_exact(void **state) {
    (void)state;
    enum { POWERS = KI_ADAMS_TERMS + 1, TIMES = KI_ADAMS_TERMS + 3 };
    double t = -1, t_new = 1.2, zero[POWERS] = {0}, rate[POWERS], p_out[POWERS], difference[POWERS];
    ki_adams_history H;
    ki_arena arena;
    ki_arena_init(&arena);
    ki_adams_history_init(&H, &arena, POWERS);
    for (int i = 0; i <= TIMES; i++) {
        for (int p = 0; p < POWERS; p++)
            rate[p] = power(t, p);
        if (i == 0)
            ki_adams_history_begin(&H, t, rate);
        else
            ki_adams_history_push(&H, t, rate);
        t = i + 1 < TIMES ? t + 2.0 / TIMES * (1 + 0.5 * sin(3.0 * i)) : i + 1 == TIMES ? 1 : t_new;
        ki_adams_history_aim(&H, t);
    }
    for (int p = 0; p < POWERS; p++)
        rate[p] = power(t_new, p);
    for (int k = 1; k <= KI_ADAMS_ORDER_MAX; k++) {
        ki_adams_history_predict(&H, k, zero, p_out);
        ki_adams_history_difference(&H, k, rate, difference);
        for (int p = 0; p <= k + 1; p++) {
            double exact = (power(t_new, p + 1) - 1) / (p + 1);
            double corrected = p_out[p] + H.h * H.g[k] * difference[p];
            assert_true((fabs(p_out[p] - exact) < 1e-10) == (p < k));
            assert_true((fabs(corrected - exact) < 1e-10) == (p <= k));
        }
    }
    ki_adams_history_push(&H, t_new, rate);
    for (int k = 1; k <= KI_ADAMS_ORDER_MAX; k++) {
        ki_adams_history_integrate(&H, k + 1, 1.05, p_out);
        for (int p = 0; p <= k + 1; p++) {
            double exact = (power(1.05, p + 1) - power(t_new, p + 1)) / (p + 1);
            assert_true((fabs(p_out[p] - exact) < 1e-10) == (p <= k));
        }
    }
    ki_arena_free(&arena);
}

static double power_force(const line_model *self, double t, double x) {
    (void)x;
    return self->power * power(t, self->power - 1);
}

/* v = t^p, x = t^(p+1)/(p+1): exact at order k for p <= k, in large steps after a start in tiny ones, also
 * inside a step. */
static void polynomials_are_exact(void **state) {
    (void)state;
    for (int k = 1; k <= KI_ADAMS_ORDER_MAX; k++)
        for (int p = k; p <= k + 1; p++) {
            line_model model = {power_force, p};
            keel_system system = line_system(&model);
            ki_integrator_settings settings = with_tolerance(1);
            double y[] = {0, 0, 0}, exact = power(2, p + 1) / (p + 1);
            bench b;
            settings.step = ldexp(1, -30);
            settings.max_step = 0.125;
            settings.order = k;
            open_bench(&b, &system, KEEL_ADAMS, KEEL_STABILIZE_NONE, settings, y, 2);
            step_to(b.integrator, 2);
            double error = fabs(b.integrator->y[0] / exact - 1);
            double middle = (b.integrator->t_old + b.integrator->t) / 2, inside[3];
            b.integrator->method->interpolate(b.integrator, middle, inside);
            if (p == k) {
                assert_true(error < 2e-14);
                assert_true(fabs(inside[0] * (p + 1) / power(middle, p + 1) - 1) < 5e-14);
            }
            if (p > k)
                assert_true(error > 1e-13);
            assert_true(b.integrator->steps < 80);
            close_bench(&b);
        }
}

/* The angle that a pendulum started at its lowest point with the given speed has turned at t_end, as (cos,
 * sin). With h > 0: at a fixed order in steps of h. It starts at order 1 with steps so small that they leave
 * no error, and lengthens them slowly: the grids of different h are similar. */
static void spin(keel_integrator kind, int order, double h, double speed, double t_end, double out[2]) {
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    ki_integrator_settings settings = with_tolerance(h > 0 ? 1 : 3e-14);
    double y[] = {0, -1, speed, 0, 0};
    bench b;
    settings.order = order;
    settings.step = settings.max_step = ldexp(h, -14);
    open_bench(&b, &system, kind, KEEL_PROJECTION, settings, y, t_end);
    while (b.integrator->t < t_end) {
        assert_int_equal(b.integrator->method->step(b.integrator, t_end), KEEL_OK);
        b.integrator->settings.max_step = fmin(1.2 * b.integrator->settings.max_step, h);
    }
    memcpy(out, b.integrator->y, 2 * sizeof *out);
    assert_true(fabs(out[0] * out[0] + out[1] * out[1] - 1) < 1e-14);
    close_bench(&b);
}

/* Order k + 1 with projection. The pendulum spins fast, so that it turns nearly uniformly and all derivatives
 * are alike. The leading error is then an error of the angle for odd k, which grows like t, and an error of
 * the speed for even k, which makes the angle wrong like t^2; the other kind follows one power of h later. So
 * odd orders are measured over 2 rad, even ones over 100. Reference: dop853 at 3e-14. */
static void order_with_projection(void **state) {
    (void)state;
    for (int k = 1; k <= 8; k++) {
        double speed = k % 2 ? 50 : 100, t_end = k % 2 ? 0.04 : 1, h = t_end / (k % 2 ? 32 : 1200);
        double exact[2], y[2], error[2];
        spin(KEEL_DOP853, 0, 0, speed, t_end, exact);
        for (int i = 0; i < 2; i++) {
            spin(KEEL_ADAMS, k, ldexp(h, -i), speed, t_end, y);
            error[i] = fabs(y[0] * exact[1] - y[1] * exact[0]);
        }
        double order = log2(error[0] / error[1]);
        if (fabs(order - (k + 1)) > 0.15)
            fail_msg("order %d: errors %.2e, %.2e, so %.2f", k, error[0], error[1], order);
    }
}

/* What a run over 100 s came to. */
typedef struct outcome {
    double error; /* largest at the lowest point, t = 1/2, 3/2, ..., where the state is known */
    double at_end;
    double violation; /* largest of position and velocity after any step */
    long steps, rejected, evaluations;
} outcome;

static outcome swing(keel_integrator kind, keel_stabilize stabilize, double tolerance) {
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    outcome o = {0};
    double y[5], next = 0.5;
    bench b;
    open_bench(&b, &system, kind, stabilize, with_tolerance(tolerance), PENDULUM_START, 100);
    ki_integrator *self = b.integrator;
    while (self->t < 100) {
        assert_int_equal(self->method->step(self, 100), KEEL_OK);
        o.violation = fmax(o.violation, pendulum_violation(self->y));
        for (; next <= self->t; next += 1) {
            double vx = fmod(next, 2) < 1 ? -sqrt(2 * PENDULUM_G) : sqrt(2 * PENDULUM_G);
            assert_int_equal(self->method->interpolate(self, next, y), KEEL_OK);
            o.error = fmax(o.error, fmax(hypot(y[0], y[1] + 1), hypot(y[2] - vx, y[3])));
        }
    }
    for (int i = 0; i < 4; i++)
        o.at_end = fmax(o.at_end, fabs(self->y[i] - PENDULUM_START[i]));
    o.steps = self->steps;
    o.rejected = self->rejected;
    o.evaluations = b.d.evaluations;
    close_bench(&b);
    return o;
}

/* The end of the swing is as good as the tolerance says, and the rod as long as round-off allows. */
static void errors_follow_the_tolerance(void **state) {
    (void)state;
    for (int digits = 6; digits <= 10; digits++) {
        double tolerance = pow(10, -digits);
        outcome o = swing(KEEL_ADAMS, KEEL_PROJECTION, tolerance);
        /* 400 tolerances is the middle of what was measured, after 50 periods */
        assert_true(o.at_end < 20 * 400 * tolerance && o.at_end > 400 * tolerance / 20);
        assert_true(o.error < 20 * 800 * tolerance);
        assert_true(o.violation < 1e-13);
        assert_true(o.rejected < o.steps / 100);
        assert_true(o.evaluations >= 2 * o.steps && o.evaluations <= 2 * o.steps + o.rejected + 4);
    }
}

/* Two evaluations a step of high order: at tight tolerances a third of what dop853 takes, a sixth of dopri5.
 */
static void takes_few_evaluations(void **state) {
    (void)state;
    outcome adams = swing(KEEL_ADAMS, KEEL_PROJECTION, 1e-10);
    outcome dop853 = swing(KEEL_DOP853, KEEL_PROJECTION, 1e-10);
    outcome dopri5 = swing(KEEL_DOPRI5, KEEL_PROJECTION, 1e-10);
    assert_true(2 * adams.evaluations < dop853.evaluations);
    assert_true(6 * adams.evaluations < dopri5.evaluations);
    assert_true(adams.error < dopri5.error);
    adams = swing(KEEL_ADAMS, KEEL_PROJECTION, 1e-4);
    dop853 = swing(KEEL_DOP853, KEEL_PROJECTION, 1e-4);
    assert_true(adams.evaluations < dop853.evaluations);
}

/* The part of the error that projection removes does not count, unless asked for: then steps are shorter. */
static void projected_error(void **state) {
    (void)state;
    long steps[2];
    for (int projected = 0; projected < 2; projected++) {
        pendulum_model model = {.copies = 1};
        keel_system system = pendulum_system(&model);
        ki_integrator_settings settings = with_tolerance(1e-6);
        bench b;
        settings.projected_error = projected;
        open_bench(&b, &system, KEEL_ADAMS, KEEL_PROJECTION, settings, PENDULUM_START, 20);
        step_to(b.integrator, 20);
        steps[projected] = b.integrator->steps;
        close_bench(&b);
    }
    assert_true((double)steps[1] < 0.97 * (double)steps[0]);
}

/* The other stabilisers: gradient closes the rod, automatic Baumgarte gains (which change as the step grows)
 * keep it nearly closed, nothing lets it drift. */
static void other_stabilisers(void **state) {
    (void)state;
    outcome none = swing(KEEL_ADAMS, KEEL_STABILIZE_NONE, 1e-8);
    outcome baumgarte = swing(KEEL_ADAMS, KEEL_BAUMGARTE, 1e-8);
    outcome gradient = swing(KEEL_ADAMS, KEEL_GRADIENT, 1e-8);
    assert_true(none.violation > 1e-8);
    assert_true(baumgarte.violation < 1e-8 && baumgarte.error < 1e-4);
    assert_true((double)baumgarte.steps < 1.1 * (double)none.steps);
    assert_true(gradient.violation < 1e-13 && gradient.error < 2e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_exact), cmocka_unit_test(polynomials_are_exact),
        cmocka_unit_test(order_with_projection), cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(takes_few_evaluations), cmocka_unit_test(projected_error),
        cmocka_unit_test(other_stabilisers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The step-size controller, and the coefficient tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formulate/sizes.h"
#include "integrate/integrator.h"
#include "integrate/step_control.h"
#include "integrate/tableau.h"

static void accepts_up_to_one(void **state) {
    (void)state;
    ki_step_control c = ki_step_control_new(5, 0.2, 0, 0.2, 10);
    double next;
    assert_true(ki_step_control_judge(&c, 1, 0.1, &next));
    assert_true(next < 0.1); /* the safety factor */
    assert_false(ki_step_control_judge(&c, 1.001, 0.1, &next));
    assert_true(next < 0.1);
}

/* With err = C h^order, alpha = 1/order the controller must settle where the error is safety^order, at once.
 */
static void settles_on_a_model_error(void **state) {
    (void)state;
    ki_step_control c = ki_step_control_new(5, 0.2, 0, 0.2, 10);
    double h = 1e-3, next = h;
    for (int i = 0; i < 10; i++) {
        h = next;
        ki_step_control_judge(&c, 2e3 * pow(h, 5), h, &next);
    }
    assert_true(fabs(2e3 * pow(next, 5) - pow(0.9, 5)) < 1e-9);
}

/* The PI controller must not oscillate when the error also depends on the step before. */
static void integral_part_damps(void **state) {
    (void)state;
    ki_step_control c = ki_step_control_new(5, 0.2 - 0.03, 0.04, 0.2, 10);
    double h = 1e-2, next = h, previous = 0, largest_jump = 0;
    for (int i = 0; i < 60; i++) {
        h = next;
        ki_step_control_judge(&c, 2e3 * pow(h, 5) * (1 + 0.1 * sin(i)), h, &next);
        if (i > 20)
            largest_jump = fmax(largest_jump, fabs(next / previous - 1));
        previous = next;
    }
    assert_true(largest_jump < 0.05);
}

/* Rejected attempts while t goes from 0 to 300 on a model error of order 8 that swings by a factor of 400, as
 * on a crank that turns once in 6.3. */
static int rejections(ki_step_control c) {
    int rejected = 0;
    for (double t = 0, h = 0.1; t < 300;) {
        double next, error = exp(3 * sin(t) + 3 * sin(2.3 * t)) * pow(h / 0.5, 8);
        if (ki_step_control_judge(&c, error, h, &next))
            t += h;
        else
            rejected++;
        h = next;
    }
    return rejected;
}

static void smooth_control_wastes_few_steps(void **state) {
    (void)state;
    int at_once = rejections(ki_step_control_new(8, 1.0 / 8, 0, 1.0 / 3, 6)),
        smooth = rejections(ki_step_control_smooth(8, 1.0 / 3, 6));
    print_message("rejected: %d at once, %d smooth\n", at_once, smooth);
    assert_true(smooth > 0 && 2 * smooth < at_once);
}

/* A rejection corrects the step at once, however slow the controller is otherwise: err = C h^8, retried, is
 * 0.8^8. */
static void rejection_corrects_at_once(void **state) {
    (void)state;
    ki_step_control c = ki_step_control_smooth(8, 1.0 / 3, 6);
    double next;
    assert_false(ki_step_control_judge(&c, 20, 1, &next));
    assert_true(fabs(20 * pow(next, 8) - pow(0.8, 8)) < 1e-12);
}

static void keeps_its_limits(void **state) {
    (void)state;
    ki_step_control c = ki_step_control_new(8, 0.125, 0, 1.0 / 3, 6);
    double next;
    assert_true(ki_step_control_judge(&c, 0, 1, &next));
    assert_true(next == 6);
    assert_false(ki_step_control_judge(&c, 1e30, 1, &next));
    assert_true(fabs(next - 1.0 / 3) < 1e-15);
    /* after a rejection the next accepted step may not grow */
    assert_true(ki_step_control_judge(&c, 1e-6, 1, &next));
    assert_true(next <= 1);
    assert_true(ki_step_control_judge(&c, 1e-6, 1, &next));
    assert_true(next > 1);
}

static void nan_is_a_rejection(void **state) {
    (void)state;
    ki_step_control c = ki_step_control_new(5, 0.2, 0.04, 0.2, 10);
    double next = 0;
    assert_false(ki_step_control_judge(&c, NAN, 1, &next));
    assert_true(next > 0 && next < 1);
    assert_false(ki_step_control_judge(&c, INFINITY, 1, &next));
    assert_true(next > 0 && next < 1);
}

/* Order conditions that catch a mistyped coefficient: sum_j a_ij = c_i, sum b = 1, sum b c^(k-1) = 1/k for k
 * <= order; the error weights annihilate constants (and more, by their own order); the dense weights of every
 * row likewise. */
static void check_tableau(const ki_tableau *T, int error_order) {
    int rows = T->stages + 1 + T->extra;
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < i; j++)
            sum += T->a[i][j];
        assert_true(fabs(sum - T->c[i]) < 1e-14);
    }
    for (int k = 1; k <= T->order; k++) {
        double sum = 0, error = 0;
        for (int j = 0; j < T->stages; j++)
            sum += T->a[T->stages][j] * pow(T->c[j], k - 1);
        for (int j = 0; j <= T->stages; j++)
            error += T->error[j] * pow(T->c[j], k - 1);
        assert_true(fabs(sum - 1.0 / k) < 1e-14);
        if (T->adaptive && k <= error_order)
            assert_true(fabs(error) < 1e-14);
    }
    for (int r = 0; r < T->dense_rows; r++) {
        double sum = 0;
        for (int j = 0; j < rows; j++)
            sum += T->dense[r][j];
        assert_true(fabs(sum) < 1e-12);
    }
}

/* Wherever it stands: numbers after it do not take its place. */
static void nan_stays_the_largest(void **state) {
    (void)state;
    ki_scales scales = {.y = (double[]){1, 1, 1, 1}};
    ki_dynamics d = {.scales = &scales};
    ki_integrator self = {
        .n = 4, .flow = {.dynamics = &d}, .settings = {.tolerance = 1e-3, .absolute_tolerance = 1e-3}};
    double y[4] = {1, 1, 1, 1}, size[3] = {1, 1, 1};
    for (int i = 0; i < 3; i++) {
        double e[4] = {1e-9, 1e-9, 1e-9, 0};
        int worst;
        assert_true(isfinite(ki_error_norm(&self, e, y, y)));
        assert_true(isfinite(ki_worst_relative(e, size, 3, &worst)));
        e[i] = NAN;
        assert_true(isnan(ki_error_norm(&self, e, y, y)));
        assert_true(isnan(ki_worst_relative(e, size, 3, &worst)));
        assert_int_equal(worst, i);
    }
}

static void tables_are_right(void **state) {
    (void)state;
    check_tableau(&KI_RK4, 0);
    check_tableau(&KI_DOPRI5, 4);
    check_tableau(&KI_DOP853, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_up_to_one),          cmocka_unit_test(settles_on_a_model_error),
        cmocka_unit_test(integral_part_damps),        cmocka_unit_test(smooth_control_wastes_few_steps),
        cmocka_unit_test(rejection_corrects_at_once), cmocka_unit_test(keeps_its_limits),
        cmocka_unit_test(nan_is_a_rejection),         cmocka_unit_test(nan_stays_the_largest),
        cmocka_unit_test(tables_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Branch reliability: N four-bar windows side by side (IFToMM benchmark A02) pass their flat pose ten times
 * in ten seconds. There N freedoms appear at once, and the mechanism could leave on any of 2^N branches;
 * which of them conserves energy as well as the right one. At every tolerance `auto` must stay on the branch
 * on which all bars stay parallel.
 *
 * Reference: on that branch there is one angle th, I th'' = g S sin(th), I = (N+1)/3 + N, S = (N+1)/2 + N,
 * th(0) = 0, th'(0) = 1, and the top B0 of the first bar is (sin th, cos th). The equation is integrated here
 * with the classical Runge-Kutta method and 200 000 steps (error 1e-13), and checked against B0 at t = 10 and
 * 20 from quadruple precision.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

/* Angles of the bars from the upright, of the couplers from the bar before: the loops are closed by
 * constraints. */
static const char RELATIVE[] =
    "keel: 1\n"
    "parameters: {N: 2, g: 9.81}\n"
    "equations:\n"
    "  repeat:\n"
    "    - for: {k: 0..N}\n"
    "      coordinates: {'a[k]': 0}\n"
    "      velocities: {'a[k]': 1}\n"
    "      kinetic: a[k]'^2/6\n"
    "      potential: g*cos(a[k])/2\n"
    "    - for: {k: 1..N}\n"
    "      coordinates: {'b[k]': 0}\n"
    "      velocities: {'b[k]': -1}\n"
    "      kinetic: a[k-1]'^2/2 + (a[k-1]' + b[k]')^2/6 - a[k-1]'*(a[k-1]' + b[k]')*sin(b[k])/2\n"
    "      potential: g*(cos(a[k-1]) - sin(a[k-1] + b[k])/2)\n"
    "      holonomic:\n"
    "        'close_x[k]': sin(a[k-1]) + cos(a[k-1] + b[k]) - 1 - sin(a[k])\n"
    "        'close_y[k]': cos(a[k-1]) - sin(a[k-1] + b[k]) - cos(a[k])\n"
    "outputs: {x: 'sin(a[0])', y: 'cos(a[0])', coupler: 'sin(a[N-1] + b[N])', bars: 'sin(a[N] - a[0])'}\n";

/* Centre and angle of every link, and the joints as constraints. */
static const char ABSOLUTE[] =
    "keel: 1\n"
    "parameters: {N: 2, g: 9.81}\n"
    "equations:\n"
    "  repeat:\n"
    "    - for: {k: 0..N}\n"
    "      coordinates: {'x[k]': k, 'y[k]': 0.5, 'a[k]': 0}\n"
    "      velocities: {'x[k]': 0.5, 'a[k]': 1}\n"
    "      kinetic: (x[k]'^2 + y[k]'^2)/2 + a[k]'^2/24\n"
    "      potential: g*y[k]\n"
    "      holonomic:\n"
    "        'foot_x[k]': x[k] - sin(a[k])/2 - k\n"
    "        'foot_y[k]': y[k] - cos(a[k])/2\n"
    "    - for: {k: 1..N}\n"
    "      coordinates: {'u[k]': k - 0.5, 'w[k]': 1, 'c[k]': 0}\n"
    "      velocities: {'u[k]': 1}\n"
    "      kinetic: (u[k]'^2 + w[k]'^2)/2 + c[k]'^2/24\n"
    "      potential: g*w[k]\n"
    "      holonomic:\n"
    "        'left_x[k]': x[k-1] + sin(a[k-1])/2 - u[k] + cos(c[k])/2\n"
    "        'left_y[k]': y[k-1] + cos(a[k-1])/2 - w[k] - sin(c[k])/2\n"
    "        'right_x[k]': x[k] + sin(a[k])/2 - u[k] - cos(c[k])/2\n"
    "        'right_y[k]': y[k] + cos(a[k])/2 - w[k] + sin(c[k])/2\n"
    "outputs: {x: 'sin(a[0])', y: 'cos(a[0])', coupler: 'sin(c[N])', bars: 'sin(a[N] - a[0])'}\n";

static const int WINDOWS[] = {1, 2, 10, 40};
enum { SIZES = sizeof WINDOWS / sizeof *WINDOWS };

typedef struct place {
    double x, y;
} place;

/* B0 at time t, from the one-coordinate equation. */
static place top_at(int N, double t) {
    double inertia = (N + 1) / 3.0 + N, S = (N + 1) / 2.0 + N, pull = 9.81 * S / inertia, th = 0, rate = 1;
    const int steps = 200000;
    double h = t / steps;
    for (int i = 0; i < steps; i++) {
        double v1 = rate, a1 = pull * sin(th);
        double v2 = rate + h / 2 * a1, a2 = pull * sin(th + h / 2 * v1);
        double v3 = rate + h / 2 * a2, a3 = pull * sin(th + h / 2 * v2);
        double v4 = rate + h * a3, a4 = pull * sin(th + h * v3);
        th += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
        rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return (place){sin(th), cos(th)};
}

static double apart(place a, double x, double y) {
    return fmax(fabs(a.x - x), fabs(a.y - y));
}

static void reference_is_the_published_one(void **state) {
    (void)state;
    assert_true(apart(top_at(2, 10), 3.28458111540815379e-1, 9.44518538178600962e-1) < 1e-11);
    assert_true(apart(top_at(40, 10), 1.80512226686728390e-1, 9.83572740582311575e-1) < 1e-11);
    assert_true(apart(top_at(40, 20), 4.10901153762945222e-1, 9.11679900971980652e-1) < 1e-11);
}

static trial windows(const char *model, int N) {
    char number[16];
    keel_assignment set = {"N", number};
    trial t = {.messages = keel_diagnostics_new()};
    snprintf(number, sizeof number, "%d", N);
    t.model = keel_model_parse("windows", model, strlen(model), &set, 1, t.messages, &t.status);
    if (!t.model)
        fail_msg("%s", keel_diagnostics_get(t.messages, 0).text);
    t.settings = t.model->settings;
    t.settings.until = 10;
    assert_int_equal(keel_method_parse("auto", (keel_location){0}, t.messages, &t.settings.method), KEEL_OK);
    return t;
}

/* How far the last coupler is from horizontal, and the last bar from parallel to the first: largest of all
 * rows. */
static keel_status on_row(void *user, const keel_row *row) {
    double *off_branch = user;
    *off_branch = fmax(*off_branch, fmax(fabs(row->outputs[2]), fabs(row->outputs[3])));
    return KEEL_OK;
}

/* Runs at one tolerance; returns the error of B0 at the end. */
static double check_branch(trial *t, int N, double tolerance, place top) {
    double off_branch = 0;
    keel_observer observer = {.user = &off_branch, .row = on_row};
    t->settings.tolerance = tolerance;
    trial_run(t, &observer);
    trial_expect_ok(t);
    const keel_result *r = &t->result;
    double error = apart(top, r->outputs[0], r->outputs[1]);
    print_message("N %d, %.0e: error %.1e, off the branch %.0e, %ld steps, %ld rejected, %d poses\n", N,
                  tolerance, error, off_branch, r->count.steps, r->count.rejected, r->event_count);
    assert_true(off_branch < 1e-10);
    assert_true(error < 1000 * tolerance);
    assert_true(r->position.max < 1e-12);
    return error;
}

/* 1e-3, 3e-4, 1e-4, ... 1e-10 */
static double tolerance_number(int i) {
    return pow(10, -3 - i / 2) * (i % 2 ? 0.3 : 1);
}

static void stays_on_the_branch(const char *model) {
    for (int k = 0; k < SIZES; k++) {
        int N = WINDOWS[k];
        trial t = windows(model, N);
        place top = top_at(N, 10);
        double error = 1;
        for (int i = 0; i <= 14; i++) {
            error = check_branch(&t, N, tolerance_number(i), top);
            /* every pose is seen where steps are not longer than the way from one to the next */
            if (i >= 4)
                assert_int_equal(t.result.event_count, 10);
        }
        assert_true(error < 1e-8); /* at 1e-10 */
        trial_end(&t);
    }
}

static void relative_coordinates(void **state) {
    (void)state;
    stays_on_the_branch(RELATIVE);
}

static void absolute_coordinates(void **state) {
    (void)state;
    stays_on_the_branch(ABSOLUTE);
}

/* The benchmark of 2005: N = 40, 20 s. */
static void forty_windows_for_twenty_seconds(void **state) {
    (void)state;
    static const char *const MODELS[] = {RELATIVE, ABSOLUTE};
    for (int i = 0; i < 2; i++) {
        trial t = windows(MODELS[i], 40);
        t.settings.until = 20;
        assert_true(check_branch(&t, 40, 1e-10, top_at(40, 20)) < 1e-8);
        assert_int_equal(t.result.event_count, 20);
        assert_non_null(strstr(t.result.events[0].text, "dependent there: '"));
        trial_end(&t);
    }
}

/* N freedoms appear at once: the rank falls by N, also where it is known from pivots only. */
static void rank_falls_by_the_number_of_windows(void **state) {
    (void)state;
    trial t = windows(ABSOLUTE, 40);
    t.settings.until = 1;
    t.settings.tolerance = 1e-8;
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    assert_int_equal(t.result.event_count, 1);
    assert_non_null(strstr(t.result.events[0].text, "rank 242 before, 202 at, 242 after"));
    trial_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_is_the_published_one),
        cmocka_unit_test(relative_coordinates),
        cmocka_unit_test(absolute_coordinates),
        cmocka_unit_test(forty_windows_for_twenty_seconds),
        cmocka_unit_test(rank_falls_by_the_number_of_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

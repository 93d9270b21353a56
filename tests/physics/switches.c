/* Steps end where formulas change over: short pulses are not missed, and methods keep their order across
 * jumps and kinks. All numbers are closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *const ADAPTIVE[] = {"auto",   "dopri5", "dop853",     "adams",    "radau5",
                                       "radau9", "bdf",    "ida/index1", "midpoint", "generalized-alpha"};
static const char *const FIXED[] = {"rk4", "bdf-fixed", "newmark", "hht", "midpoint", "conserving"};

static void set_step(trial *t, double step) {
    t->settings.step = step;
}

/* ---- pulses of time */

static void write_pulse(char *text, size_t size, double start, double length) {
    snprintf(text, size,
             "keel: 1\n"
             "equations:\n"
             "  coordinates: {x: 0, y: 1}\n"
             "  kinetic: (x'^2 + y'^2)/2\n"
             "  potential: y^2/2\n"
             "  forces: {x: 'if(t > %.17g and t < %.17g, %.17g, 0)'}\n"
             "simulate: {until: 10}\n",
             start, start + length, 1 / length);
}

static void write_wheel(char *text, size_t size, double start, double length) {
    snprintf(text, size,
             "keel: 1\n"
             "planar: true\n"
             "gravity: [0, 0]\n"
             "bodies: {wheel: {mass: 1, inertia: 1, centre: [0, 0]}}\n"
             "joints: {axle: {type: revolute, bodies: [ground, wheel], at: [0, 0]}}\n"
             "forces: {kick: {type: torque, joint: axle, value: 'if(t > %.17g and t < %.17g, %.17g, 0)'}}\n"
             "start: {axle.angle': 0.5}\n"
             "simulate: {until: 10}\n",
             start, start + length, 1 / length);
}

/* The pulse has the momentum 1: x = x0' 10 + 10 - start - length/2, x' = x0' + 1. */
static void expect_pulse(const char *text, const char *method, double step, double start, double length) {
    trial t = trial_of(text, method);
    t.settings.tolerance = 1e-6;
    set_step(&t, step);
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    double speed = t.model->start->v[0];
    double x = 10 * speed + 10 - start - length / 2, error = fabs(t.result.final->q[0] - x);
    /* the length is a difference of numbers with an ulp of 9e-16 each */
    double allowed = 1e-5 + 2e-15 / length * x;
    if (!(error < allowed))
        fail_msg("%s, pulse of %g at %g: x = %.12g in place of %.12g", method, length, start,
                 t.result.final->q[0], x);
    assert_true(fabs(t.result.final->v[0] - speed - 1) < allowed);
    assert_int_equal(t.result.count.switches, 2);
    trial_end(&t);
}

static void pulses_are_not_missed(void **state) {
    (void)state;
    static const double START[] = {0.7310001, 3.3, 9.0123456}, LENGTH[] = {1e-3, 1e-6};
    char text[512];
    for (int i = 0; i < COUNT(START) * COUNT(LENGTH); i++) {
        double start = START[i / 2], length = LENGTH[i % 2];
        for (int wheel = 0; wheel < 2; wheel++) {
            (wheel ? write_wheel : write_pulse)(text, sizeof text, start, length);
            for (int k = 0; k < COUNT(ADAPTIVE); k++)
                expect_pulse(text, ADAPTIVE[k], 0, start, length);
            for (int k = 0; k < COUNT(FIXED); k++)
                expect_pulse(text, FIXED[k], 0.1, start, length);
        }
    }
}

/* ---- contact */

static const char BALL[] = "keel: 1\n"
                           "equations:\n"
                           "  coordinates: {y: 1}\n"
                           "  kinetic: y'^2/2\n"
                           "  potential: 9.81*y\n"
                           "  forces: {y: '1e4*max(0, -y)'}\n"
                           "simulate: {until: 10}\n";

/* Free fall and a piece of a sine in turns. */
static double height_of_ball(double t) {
    double g = 9.81, w = 100, fall = sqrt(2 / g), v = sqrt(2 * g), A = g / (w * w), B = -v / w;
    double contact = (2 * acos(-1) - acos(A / hypot(A, B)) + atan2(B, A)) / w;
    double rest = fmod(t - fall, contact + 2 * v / g);
    if (rest < contact)
        return -A + A * cos(w * rest) + B * sin(w * rest);
    rest -= contact;
    return v * rest - g * rest * rest / 2;
}

static double error_of_ball(const char *method, double tolerance, double step, long *evaluations) {
    trial t = trial_of(BALL, method);
    t.settings.tolerance = tolerance;
    set_step(&t, step);
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    double error = fabs(t.result.final->q[0] - height_of_ball(10));
    assert_true(t.result.count.switches >= 20);
    *evaluations = t.result.count.evaluations;
    trial_end(&t);
    return error;
}

/* Ten bounces: errors grow a hundredfold on the way. */
static void contacts_keep_the_error(void **state) {
    (void)state;
    static const char *const METHODS[] = {"auto", "dopri5", "dop853", "radau5", "radau9"};
    for (int i = 0; i < COUNT(METHODS); i++) {
        long work[2];
        double loose = error_of_ball(METHODS[i], 1e-7, 0, &work[0]);
        double tight = error_of_ball(METHODS[i], 1e-10, 0, &work[1]);
        print_message("%s: %.1e with %ld evaluations, %.1e with %ld\n", METHODS[i], loose, work[0], tight,
                      work[1]);
        assert_true(loose < 1e-4);
        assert_true(tight < 1e-7);
    }
}

static void rk4_keeps_its_order(void **state) {
    (void)state;
    long work;
    double coarse = error_of_ball("rk4", 1e-6, 2e-3, &work), fine = error_of_ball("rk4", 1e-6, 1e-3, &work);
    print_message("rk4: %.2e with a step of 2 ms, %.2e with 1 ms\n", coarse, fine);
    assert_true(coarse / fine > 8);
}

/* ---- dry friction that slides */

static const char SWING[] = "keel: 1\n"
                            "equations:\n"
                            "  coordinates: {x: 1.3}\n"
                            "  kinetic: x'^2/2\n"
                            "  potential: x^2/2\n"
                            "  forces: {x: \"-0.1*sign(x')\"}\n"
                            "simulate: {until: 10}\n";

/* Half swings of length pi about 0.1 and -0.1 in turns. */
static double place_of_swing(double t) {
    double x = 1.3, pi = acos(-1);
    for (; t > pi; t -= pi)
        x = copysign(0.2, x) - x;
    double centre = copysign(0.1, x);
    return centre + (x - centre) * cos(t);
}

static void friction_keeps_the_error(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(ADAPTIVE); i++) {
        trial t = trial_of(SWING, ADAPTIVE[i]);
        t.settings.tolerance = 1e-8;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        double error = fabs(t.result.final->q[0] - place_of_swing(10));
        print_message("%s: %.1e with %ld evaluations\n", ADAPTIVE[i], error, t.result.count.evaluations);
        assert_true(error < 1e-5);
        assert_int_equal(t.result.count.switches, 3);
        if (i < 3) { /* without switches dop853 takes 2084 */
            assert_true(error < 1e-8);
            assert_true(t.result.count.evaluations < 1600);
        }
        trial_end(&t);
    }
}

static double error_of_swing(const char *method, double step) {
    trial t = trial_of(SWING, method);
    set_step(&t, step);
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    double error = fabs(t.result.final->q[0] - place_of_swing(10));
    trial_end(&t);
    return error;
}

static void fixed_steps_keep_their_order(void **state) {
    (void)state;
    static const struct {
        const char *method;
        int order;
    } CASES[] = {{"rk4", 4}, {"newmark", 2}, {"midpoint", 2}, {"conserving", 2}};
    for (int i = 0; i < COUNT(CASES); i++) {
        double coarse = error_of_swing(CASES[i].method, 0.04), fine = error_of_swing(CASES[i].method, 0.01);
        double order = log(coarse / fine) / log(4);
        print_message("%s: order %.2f\n", CASES[i].method, order);
        assert_true(order > CASES[i].order - 0.4);
    }
}

/* ---- dry friction that holds */

static void friction_that_holds_is_named(void **state) {
    (void)state;
    static const char HOLDS[] = "keel: 1\n"
                                "equations:\n"
                                "  coordinates: {x: 1.25}\n"
                                "  kinetic: x'^2/2\n"
                                "  potential: x^2/2\n"
                                "  forces: {x: \"-0.1*sign(x')\"}\n"
                                "simulate: {until: 30}\n";
    for (int i = 0; i < COUNT(ADAPTIVE); i++) {
        trial t = trial_of(HOLDS, ADAPTIVE[i]);
        t.settings.tolerance = 1e-6;
        trial_run(&t, NULL);
        /* the sixth turn is at 6 pi, at x = 0.05 where 0.1 holds it */
        if (t.status != KEEL_ERROR_STEP_SIZE || !strstr(trial_error(&t), "sign in the force on 'x'") ||
            !strstr(trial_error(&t), "tanh"))
            fail_msg("%s: %s: %s", ADAPTIVE[i], keel_status_word(t.status), trial_error(&t));
        assert_true(fabs(t.result.final->t - 6 * acos(-1)) < 1e-2);
        assert_true(fabs(fabs(t.result.final->q[0]) - 0.05) < 1e-2);
        /* methods of order 2, the last two, take many steps to get there */
        assert_true(t.result.count.steps < (i < COUNT(ADAPTIVE) - 2 ? 2000 : 200000));
        trial_end(&t);
    }
}

/* ---- motions */

/* A crank that is turned, and a bar on it that swings freely. */
static void run_motion(const char *law, double until, trial *t) {
    static char text[1024];
    snprintf(text, sizeof text,
             "keel: 1\n"
             "planar: true\n"
             "gravity: [0, 0]\n"
             "bodies:\n"
             "  crank: {mass: 1, inertia: 0.1, centre: [0.5, 0]}\n"
             "  bar: {mass: 2, inertia: 0.5, centre: [1.5, 0]}\n"
             "joints:\n"
             "  shaft: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
             "  pin: {type: revolute, bodies: [crank, bar], at: [1, 0]}\n"
             "motions: {drive: {of: shaft.angle, value: '%s'}}\n"
             "simulate: {until: %.17g, tolerance: 1e-9}\n",
             law, until);
    *t = trial_of(text, "auto");
    trial_run(t, NULL);
}

static bool has_note(const trial *t, const char *words) {
    for (int i = 0; i < keel_diagnostics_count(t->messages); i++)
        if (strstr(keel_diagnostics_get(t->messages, i).text, words))
            return true;
    return false;
}

static void motions_that_jump_are_told(void **state) {
    (void)state;
    trial t;
    run_motion("if(t < 1, 0, 0.3)", 2, &t);
    assert_true(t.status < 0);
    assert_non_null(strstr(trial_error(&t), "drive"));
    assert_non_null(strstr(trial_error(&t), "jumps"));
    trial_end(&t);
    /* the bar, at rest, is hit at its end by the speed 1: with c = 0.5 from pin to centre of mass its spin is
     * -m c / (I + m c^2) */
    double m = 2, I = 0.5, c = 0.5, spin = -m * c / (I + m * c * c), centre = 1 + c * spin;
    double energy = 0.5 * (0.1 + 1 * 0.25) + 0.5 * (I * spin * spin + m * centre * centre);
    run_motion("max(0, t - 1)", 1 + 1e-9, &t);
    trial_expect_ok(&t);
    assert_true(has_note(&t, "the speed of 'drive' jumps by 1"));
    assert_true(fabs(t.result.energy_final - energy) < 1e-8);
    trial_end(&t);
    run_motion("max(0, t - 1)", 2, &t);
    trial_expect_ok(&t);
    assert_true(t.result.energy_drift_max < 1e-7);
    trial_end(&t);
    /* an acceleration may jump: twice 0.5 (t - 1)^2 */
    run_motion("if(t > 1, 0.5*(t - 1)^2, 0)", 2, &t);
    trial_expect_ok(&t);
    assert_false(has_note(&t, "jumps"));
    assert_int_equal(t.result.count.switches, 1);
    trial_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulses_are_not_missed),        cmocka_unit_test(contacts_keep_the_error),
        cmocka_unit_test(rk4_keeps_its_order),          cmocka_unit_test(friction_keeps_the_error),
        cmocka_unit_test(fixed_steps_keep_their_order), cmocka_unit_test(friction_that_holds_is_named),
        cmocka_unit_test(motions_that_jump_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

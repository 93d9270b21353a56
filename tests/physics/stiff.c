/* Stiff systems: implicit methods take steps that fit the motion, "auto" finds out by itself, and goes back
 * where that does not pay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "integrate/spectrum.h"
#include "run/simulation.h"
#include "trials.h"

static trial run(const char *model, const char *method, double tolerance) {
    trial t = trial_of(model, method);
    t.settings.tolerance = tolerance;
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    return t;
}

static double difference_at_end(const trial *a, const trial *b) {
    double most = 0;
    for (int i = 0; i < a->model->system->n_q; i++)
        most = fmax(most, fabs(a->result.final->q[i] - b->result.final->q[i]));
    return most;
}

/* The bushing of models/stiff_spring.yaml: evaluations at 1e-6, and the same motion. */
static void implicit_steps_pay(void **state) {
    (void)state;
    static const char *const IMPLICIT[] = {"bdf", "radau5", "radau9"};
    trial explicit = run("stiff_spring", "dop853", 1e-6);
    for (int i = 0; i < 3; i++) {
        trial implicit = run("stiff_spring", IMPLICIT[i], 1e-6);
        print_message("dop853 %ld evaluations, %s %ld; apart by %.1e\n", explicit.result.count.evaluations,
                      IMPLICIT[i], implicit.result.count.evaluations,
                      difference_at_end(&explicit, &implicit));
        assert_true(explicit.result.count.evaluations > 20 * implicit.result.count.evaluations);
        assert_true(difference_at_end(&explicit, &implicit) < 1e-4);
        assert_true(implicit.result.position.max <= 1e-14);
        trial_end(&implicit);
    }
    trial_end(&explicit);
}

/* One of the blocks touches the speed of the belt and sticks for 4 ms, between the stages of a step of 60 ms,
 * on whose both sides tanh is 1. Reference: dop853 at 1e-8 and 1e-10 agree to 1e-11. */
static void short_sticking_is_not_stepped_over(void **state) {
    (void)state;
    static const char *const METHODS[] = {"auto", "radau9", "radau5"};
    for (int i = 0; i < 3; i++)
        for (double tolerance = 1e-7; tolerance > 5e-9; tolerance *= 0.1) {
            trial t = run("../tests/stiff/blocks", METHODS[i], tolerance);
            double error = fabs(t.result.final->v[1] - 0.13852594323);
            print_message("%s at %.0e: %.1e\n", METHODS[i], tolerance, error);
            assert_true(error < 30 * tolerance);
            trial_end(&t);
        }
}

/* Projecting in the norm of M pushes the light pin against the stiff bushing; the natural metric does not. */
static void natural_metric_respects_stiff_springs(void **state) {
    (void)state;
    trial natural = run("stiff_spring", "bdf", 1e-6);
    trial mass = trial_of("stiff_spring", "bdf");
    mass.settings.metric = KEEL_METRIC_MASS;
    trial_run(&mass, NULL);
    trial_expect_ok(&mass);
    print_message("steps: %ld natural, %ld mass\n", natural.result.count.steps, mass.result.count.steps);
    assert_true(2 * natural.result.count.steps < mass.result.count.steps);
    trial_end(&natural);
    trial_end(&mass);
}

static const keel_event *method_event(const trial *t, int number) {
    for (int i = 0; i < t->result.event_count; i++)
        if (t->result.events[i].kind == KEEL_EVENT_METHOD && number-- == 0)
            return &t->result.events[i];
    return NULL;
}

/* x'' = -x next to y'' = -k y - c y', with an eigenvalue that is known. */
static void largest_eigenvalue(void **state) {
    (void)state;
    static const struct {
        double k, c, y, size;
        ki_stiff kind;
    } CASES[] = {{1e8, 0, 0, 1e4, KI_STIFF_SPRING}, /* at rest */
                 {1e8, 0, 1e-3, 1e4, KI_NOT_STIFF}, /* moving  */
                 {1, 1e5, 1e-3, 1e5, KI_STIFF_DAMPER},
                 {-1e8, 0, 1e-3, 1e4, KI_NOT_STIFF}, /* it grows, and must be followed */
                 {0, -1e4, 1e-3, 1e4, KI_NOT_STIFF}};
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[400];
        ki_spectrum found;
        snprintf(text, sizeof text,
                 "keel: 1\nparameters: {k: %g, c: %g, s: %g}\n"
                 "equations:\n  coordinates: {x: 1, y: s}\n  velocities: {x: 0, y: 0}\n"
                 "  kinetic: (x'^2 + y'^2)/2\n  potential: x^2/2 + k*y^2/2\n  forces: {y: -c*y'}\n"
                 "simulate: {until: 1, tolerance: 1e-6}\n",
                 CASES[i].k, CASES[i].c, CASES[i].y);
        trial t = trial_of(text, "dop853");
        keel_simulation *sim = keel_simulation_new(t.model->system, t.model->start, t.model->velocities_given,
                                                   &t.settings, t.messages, &t.status);
        assert_non_null(sim);
        const ki_allowance none = {0, 0, sim->dynamics.scales->y};
        assert_int_equal(ki_find_spectrum(&sim->dynamics, 0, sim->integrator->y, none, &found), KEEL_OK);
        assert_true(fabs(found.size / CASES[i].size - 1) < 0.05);
        assert_int_equal(found.kind, CASES[i].kind);
        keel_simulation_free(sim);
        trial_end(&t);
    }
}

static void auto_switches_and_says_so(void **state) {
    (void)state;
    trial chosen = run("stiff_spring", "auto", 1e-6), implicit = run("stiff_spring", "radau9", 1e-6);
    const keel_event *event = method_event(&chosen, 0);
    assert_non_null(event);
    assert_true(event && strstr(event->text, "a strong damper would keep the steps of dop853"));
    assert_true(event && event->t == 0);
    assert_null(method_event(&chosen, 1));
    assert_int_equal(chosen.result.method.integrator, KEEL_RADAU9);
    assert_int_equal(chosen.result.method.automatic, 1);
    assert_non_null(strstr(chosen.result.method_reason, "stiff"));
    assert_true((double)chosen.result.count.evaluations <
                1.5 * (double)implicit.result.count.evaluations + 1000);
    assert_true(difference_at_end(&chosen, &implicit) < 1e-4);
    trial_end(&chosen);
    trial_end(&implicit);
}

/* A damper that is not there at the start: the steps of the explicit method tell. */
static void auto_switches_later(void **state) {
    (void)state;
    static const char LATER[] = "keel: 1\nparameters: {c: 1e5}\n"
                                "equations:\n  coordinates: {x: 1, y: 0}\n  velocities: {x: 0, y: 0}\n"
                                "  kinetic: (x'^2 + y'^2)/2\n  potential: x^2/2 + y^2/2\n"
                                "  forces: {y: x - c*if(t > 1, t - 1, 0)*y'}\n"
                                "simulate: {until: 10, tolerance: 1e-6}\n";
    trial chosen = run(LATER, "auto", 1e-6), implicit = run(LATER, "radau9", 1e-6);
    const keel_event *event = method_event(&chosen, 0);
    assert_true(event && event->t > 1 && event->t < 1.5);
    assert_true(event && strstr(event->text, "a strong damper brings the steps of dop853"));
    assert_null(method_event(&chosen, 1));
    assert_int_equal(chosen.result.method.integrator, KEEL_RADAU9);
    assert_true(difference_at_end(&chosen, &implicit) < 1e-5);
    trial_end(&chosen);
    trial_end(&implicit);
}

/* The governor starts off its slow motion. At tight tolerances an implicit method follows that for many
 * steps, which tell nothing about those to come. */
static void auto_does_not_judge_too_early(void **state) {
    (void)state;
    for (double tolerance = 1e-4; tolerance > 1e-13; tolerance *= 1e-4) {
        trial chosen = run("a05_governor", "auto", tolerance);
        trial implicit = run("a05_governor", "radau9", tolerance);
        print_message("%.0e: auto %ld evaluations, radau9 %ld\n", tolerance, chosen.result.count.evaluations,
                      implicit.result.count.evaluations);
        assert_true((double)chosen.result.count.evaluations <
                    1.2 * (double)implicit.result.count.evaluations);
        assert_int_equal(chosen.result.method.integrator, KEEL_RADAU9);
        trial_end(&chosen);
        trial_end(&implicit);
    }
}

/* Models that are not stiff stay with the explicit method to the end. */
static void auto_stays_where_nothing_is_stiff(void **state) {
    (void)state;
    static const char *const MODELS[] = {"pendulum",     "andrews", "car_axis", "snakeboard",
                                         "slider_crank", "kepler",  "four_bars"};
    for (unsigned i = 0; i < sizeof MODELS / sizeof *MODELS; i++)
        for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 1e-2) {
            trial t = run(MODELS[i], "auto", tolerance);
            if (method_event(&t, 0))
                fail_msg("%s at %.0e: %s", MODELS[i], tolerance, method_event(&t, 0)->text);
            assert_int_equal(t.result.method.integrator, KEEL_DOP853);
            trial_end(&t);
        }
}

/* A fast spring without damping limits explicit steps as well, as those of the flexible crank, whose
 * frequencies go up to 5e4. An implicit method that does not follow it damps it: at tight tolerances "auto"
 * does not try. */
static void auto_leaves_oscillations_alone(void **state) {
    (void)state;
    static const char SPRING[] = "keel: 1\nparameters: {k: 1e8}\n"
                                 "equations:\n  coordinates: {x: 1, y: 0}\n  velocities: {x: 0, y: 0}\n"
                                 "  kinetic: (x'^2 + y'^2)/2\n  potential: x^2/2 + k*(y - x^3/k)^2/2\n"
                                 "simulate: {until: 5, tolerance: 1e-6}\n";
    static const struct {
        const char *model;
        double tolerance;
    } CASES[] = {
        {SPRING, 1e-6}, {"flexible_crank", 1e-5}, {"flexible_crank", 1e-6}, {"flexible_crank", 1e-8}};
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        trial t = run(CASES[i].model, "auto", CASES[i].tolerance);
        if (method_event(&t, 0))
            fail_msg("case %u: %s", i, method_event(&t, 0)->text);
        assert_int_equal(t.result.method.integrator, KEEL_DOP853);
        trial_end(&t);
    }
}

/* At loose ones it steps over it, and the errors stay below the tolerance. */
static void auto_steps_over_springs_at_rest(void **state) {
    (void)state;
    trial exact = run("flexible_crank", "dop853", 1e-10), explicit = run("flexible_crank", "dop853", 1e-3);
    for (double tolerance = 1e-2; tolerance > 5e-5; tolerance *= 0.1) {
        trial t = trial_of("flexible_crank", "auto");
        t.settings.tolerance = tolerance;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        const keel_event *event = method_event(&t, 0);
        print_message("%.0e: %ld evaluations, dop853 %ld; off by %.1e\n", tolerance,
                      t.result.count.evaluations, explicit.result.count.evaluations,
                      difference_at_end(&t, &exact));
        assert_true(event && strstr(event->text, "a fast spring would keep the steps of dop853"));
        assert_null(method_event(&t, 1));
        assert_true(4 * t.result.count.evaluations < explicit.result.count.evaluations);
        assert_true(difference_at_end(&t, &exact) < 0.1 * tolerance);
        trial_end(&t);
    }
    trial_end(&exact);
    trial_end(&explicit);
}

/* The wheel set: contact springs limit the steps of dop853, but the motion needs short ones anyway. "auto"
 * tries an implicit method, goes back and says so. */
static void auto_goes_back(void **state) {
    (void)state;
    trial chosen = trial_of("wheelset", "auto"), explicit = trial_of("wheelset", "dop853");
    chosen.settings.tolerance = explicit.settings.tolerance = 1e-3;
    chosen.settings.until = explicit.settings.until = 2;
    trial_run(&chosen, NULL);
    trial_expect_ok(&chosen);
    trial_run(&explicit, NULL);
    trial_expect_ok(&explicit);
    const keel_event *back = method_event(&chosen, 1);
    print_message("auto %ld, dop853 %ld evaluations\n", chosen.result.count.evaluations,
                  explicit.result.count.evaluations);
    assert_non_null(back);
    assert_true(back && strncmp(back->text, "radau", 5) == 0 &&
                strstr(back->text, "needs more work per time"));
    assert_int_equal(chosen.result.method.integrator, KEEL_DOP853);
    assert_true((double)chosen.result.count.evaluations < 1.2 * (double)explicit.result.count.evaluations);
    assert_true(difference_at_end(&chosen, &explicit) < 1e-4);
    trial_end(&chosen);
    trial_end(&explicit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(implicit_steps_pay),
        cmocka_unit_test(short_sticking_is_not_stepped_over),
        cmocka_unit_test(natural_metric_respects_stiff_springs),
        cmocka_unit_test(largest_eigenvalue),
        cmocka_unit_test(auto_switches_and_says_so),
        cmocka_unit_test(auto_switches_later),
        cmocka_unit_test(auto_does_not_judge_too_early),
        cmocka_unit_test(auto_stays_where_nothing_is_stiff),
        cmocka_unit_test(auto_leaves_oscillations_alone),
        cmocka_unit_test(auto_steps_over_springs_at_rest),
        cmocka_unit_test(auto_goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

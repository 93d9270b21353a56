/* Singular poses: four-bar windows that pass their flat pose ten times in ten seconds (IFToMM benchmark A02).
 * There two of the five constraints become dependent and the mechanism could leave on another branch.
 *
 * Reference: on the parallelogram branch there is one angle th, I th'' = g S sin(th), I = 3, S = 3.5 for N =
 * 2, th(0) = 0, th'(0) = 1. The first top at t = 10 comes from that equation in quadruple precision (model
 * file); the times of the flat poses are compared with a run of the equation itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

static const double PI = 3.14159265358979323846, ENERGY = 35.835;

static const char ONE_ANGLE[] = "keel: 1\nparameters: {g: 9.81}\nequations:\n"
                                "  coordinates: {th: 0}\n  velocities: {th: 1}\n"
                                "  kinetic: 3*th'^2/2\n  potential: 3.5*g*cos(th)\n"
                                "simulate: {until: 10, tolerance: 1e-13}\n";

enum { BRANCH = 1 }; /* the output that is zero on the parallelogram branch */

static keel_status on_row(void *user, const keel_row *row) {
    double *most = user;
    *most = fmax(*most, row->outputs[BRANCH]);
    return KEEL_OK;
}

/* Runs the windows for ten seconds; *off_branch is the largest value of the output `branch`. */
static trial run_windows(const char *method, double tolerance, double *off_branch) {
    trial t = trial_of("four_bars", method);
    keel_observer observer = {.user = off_branch, .row = on_row};
    *off_branch = 0;
    t.settings.tolerance = tolerance;
    trial_run(&t, &observer);
    trial_expect_ok(&t);
    return t;
}

static double error_of_top(const keel_result *result) {
    return fmax(fabs(result->final->q[0] - 0.328458111540815379),
                fabs(result->final->q[1] - 0.944518538178600962));
}

static void check_passages(const char *method, double tolerance) {
    double off_branch;
    trial t = run_windows(method, tolerance, &off_branch);
    double error = error_of_top(&t.result), drift = t.result.energy_drift_max / ENERGY;
    print_message("%s, %g: error %.1f tol, off the branch %.0e, energy %.1e, %ld steps, %ld rejected\n",
                  method, tolerance, error / tolerance, off_branch, drift, t.result.count.steps,
                  t.result.count.rejected);
    assert_true(off_branch < 1e-12);
    assert_true(error < 300 * tolerance);
    assert_true(drift < 100 * tolerance);
    if (tolerance < 1.5e-8)
        assert_true(drift < 1e-6);
    assert_true(t.result.position.max_scaled < 1e-13);
    trial_end(&t);
}

static void passages_stay_on_the_branch(void **state) {
    (void)state;
    for (double tolerance = 1e-3; tolerance > 0.5e-10; tolerance /= 10) {
        check_passages("dop853/index1/projection", tolerance);
        check_passages("dopri5/index1/projection", tolerance);
    }
}

/* Whatever keeps the constraints keeps the branch. */
static void other_methods_pass_as_well(void **state) {
    (void)state;
    static const char *const METHODS[] = {"dop853/nullspace/projection",
                                          "dop853/independent/projection",
                                          "dop853/partitioned/none",
                                          "dop853/index1/gradient",
                                          "dop853/generalized_inverse/projection",
                                          "dop853/augmented/projection"};
    for (unsigned i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        check_passages(METHODS[i], 1e-4);
        check_passages(METHODS[i], 1e-8);
    }
}

/* th(t) and th'(t) of the one-angle equation */
static void angle_at(double t, double *th, double *rate) {
    trial one = trial_of(ONE_ANGLE, "dop853");
    one.settings.until = t;
    trial_run(&one, NULL);
    trial_expect_ok(&one);
    *th = one.result.final->q[0];
    *rate = one.result.final->v[0];
    trial_end(&one);
}

/* A revolution takes 1.942514922607 s: th = pi/2 + k pi for k = 0 .. 9 before t = 10. */
static void flat_poses_are_reported(void **state) {
    (void)state;
    static const char *const METHODS[] = {"dop853/index1/projection", "dopri5/index1/projection"};
    for (int i = 0; i < 2; i++) {
        double off_branch;
        trial t = run_windows(METHODS[i], 1e-8, &off_branch);
        assert_int_equal(t.result.event_count, 10);
        for (int k = 0; k < 10; k++) {
            const keel_event *event = &t.result.events[k];
            double th, rate;
            angle_at(event->t, &th, &rate);
            double late = (th - (PI / 2 + k * PI)) / rate;
            print_message("%s: %.9f, late by %.1e: %s\n", METHODS[i], event->t, late, event->text);
            assert_int_equal(event->kind, KEEL_EVENT_SINGULAR);
            assert_true(fabs(late) < 1e-6);
            assert_non_null(strstr(event->text, "rank 5 before, 3 at, 5 after"));
            assert_non_null(strstr(event->text, "'bar[0]'"));
            assert_non_null(strstr(event->text, "'coupler[2]'"));
        }
        double period = t.result.events[2].t - t.result.events[0].t;
        assert_true(fabs(period - 1.942514922607) < 1e-6);
        assert_true(t.result.gap_smallest < 1e-9);
        trial_end(&t);
    }
}

/* singular: stop ends the run at the first flat pose and keeps the state. */
static void a_run_may_stop_there(void **state) {
    (void)state;
    double th, rate, t_flat = NAN;
    trial t = trial_of("four_bars", "auto");
    t.settings.singular = KEEL_SINGULAR_STOP;
    assert_int_equal(trial_run(&t, NULL), KEEL_ERROR_SINGULAR);
    print_message("%s\n", trial_error(&t));
    assert_int_equal(keel_diagnostics_errors(t.messages), 1);
    assert_int_equal(sscanf(trial_error(&t), "t = %lf", &t_flat), 1);
    angle_at(t_flat, &th, &rate);
    assert_true(fabs(th - PI / 2) < 1e-5);
    assert_non_null(strstr(trial_error(&t), "'bar[0]'"));
    assert_non_null(strstr(trial_error(&t), "rank 3 instead of 5"));
    assert_non_null(strstr(trial_error(&t), "singular = stop"));
    assert_int_equal(t.result.event_count, 1);
    /* the last good state: on the branch, and not beyond the step that met the pose */
    assert_non_null(t.result.final);
    angle_at(t.result.final->t, &th, &rate);
    assert_true(fabs(t.result.final->t - t_flat) < 0.1);
    assert_true(fabs(t.result.final->q[0] - sin(th)) < 1e-6 && fabs(t.result.final->q[1] - cos(th)) < 1e-6);
    assert_true(t.result.outputs[BRANCH] < 1e-12);
    trial_end(&t);
}

/* A list of names that is too long ends in dots, not in the middle of a name. */
static void long_lists_of_names_are_cut_between_names(void **state) {
    (void)state;
    keel_assignment many = {"N", "12"};
    char path[512];
    keel_status status;
    keel_result result;
    keel_diagnostics *messages = keel_diagnostics_new();
    snprintf(path, sizeof path, "%s/models/four_bars.yaml", KEEL_SOURCE_DIR);
    keel_model *model = keel_model_read(path, &many, 1, messages, &status);
    assert_non_null(model);
    keel_settings settings = model->settings;
    settings.until = 1;
    settings.tolerance = 1e-6;
    assert_int_equal(keel_run(model->system, model->start, 1, &settings, NULL, messages, &result), KEEL_OK);
    assert_int_equal(result.event_count, 1);
    const char *text = result.events[0].text;
    print_message("%s\n", text);
    assert_string_equal(text + strlen(text) - 6, "', ...");
    keel_result_clear(&result);
    keel_model_free(model);
    keel_diagnostics_free(messages);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passages_stay_on_the_branch),
        cmocka_unit_test(other_methods_pass_as_well),
        cmocka_unit_test(flat_poses_are_reported),
        cmocka_unit_test(a_run_may_stop_there),
        cmocka_unit_test(long_lists_of_names_are_cut_between_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Behind a switch the integrator begins anew: with steps of the given length, with velocities that fit the
 * constraints, and not before every stage has seen one side only. All errors are those against dop853 at
 * 1e-12. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Stick and slip on a belt, whose friction has a kink where the block moves with it. */
static const char BELT[] = "keel: 1\n"
                           "equations:\n"
                           "  coordinates: {x: 0}\n"
                           "  kinetic: x'^2/2\n"
                           "  potential: 20*x^2\n"
                           "  forces: {x: '(2 + 2/(1 + 10*abs(x'' - 0.1)))*tanh((0.1 - x'')/1e-5)'}\n"
                           "simulate: {until: 10}\n";

/* A slider-crank whose load changes with the direction of the slider: a switch of a velocity, at which those
 * that swing about the constraints would chatter. */
static const char ENGINE[] = "keel: 1\n"
                             "planar: true\n"
                             "gravity: 9.81\n"
                             "points: {O: [0, 0], A: [0.04, 0.03], B: [0.19, 0]}\n"
                             "bodies:\n"
                             "  crank: {shape: rod, from: O, to: A, mass: 0.3}\n"
                             "  rod: {shape: rod, from: A, to: B, mass: 0.6}\n"
                             "  piston: {mass: 2, inertia: 1e-3, centre: B}\n"
                             "joints:\n"
                             "  O: {type: revolute, bodies: [ground, crank]}\n"
                             "  A: {type: revolute, bodies: [crank, rod]}\n"
                             "  B: {type: revolute, bodies: [rod, piston]}\n"
                             "  S: {type: prismatic, bodies: [ground, piston], at: B, axis: x}\n"
                             "forces:\n"
                             "  gas: {type: force, body: piston, at: B, vector: ['-(0.2 - "
                             "piston.x)*if(piston.x'' < 0, 2e3, 5e2)', 0]}\n"
                             "  motor: {type: torque, joint: O, value: '30 - 2*O.angle'''}\n"
                             "simulate: {until: 1.5}\n";

/* A ball on a contact of 1e8 N/m with another damper on the way out. */
static const char BALL[] = "keel: 1\n"
                           "equations:\n"
                           "  coordinates: {y: 0.3}\n"
                           "  kinetic: 0.1*y'^2\n"
                           "  potential: 1.962*y + if(y < 0, 5e7*y^2, 0)\n"
                           "  forces: {y: 'if(y < 0, -if(y'' < 0, 200, 60)*y'', 0)'}\n"
                           "simulate: {until: 2}\n";

static keel_result run(trial *t, double tolerance, double step) {
    t->settings.tolerance = tolerance;
    t->settings.step = step;
    trial_run(t, NULL);
    trial_expect_ok(t);
    return t->result;
}

/* The first coordinate at the end, which `method` is to meet within `allowed`, and its verdict. */
static void expect(const char *model, const char *method, double tolerance, double step, double allowed) {
    trial exact = trial_of(model, "auto"), t = trial_of(model, method);
    double x = run(&exact, 1e-11, 0).final->q[0];
    keel_result result = run(&t, tolerance, step);
    double error = fabs(result.final->q[0] - x);
    if (!(error < allowed) || !result.verdict.ok)
        fail_msg("%s at %g, step %g: off by %g, verdict %d", method, tolerance, step, error,
                 result.verdict.ok);
    /* every linearisation is of some attempt, with a few for one iteration each */
    assert_true(result.count.jacobians < 30 * (result.count.steps + result.count.rejected));
    trial_end(&exact);
    trial_end(&t);
}

static void given_steps_stay_what_they_are(void **state) {
    (void)state;
    static const char *const METHODS[] = {"bdf-fixed",         "bdf-fixed/index3", "midpoint",
                                          "newmark",           "trapezoidal",      "hht",
                                          "generalized-alpha", "conserving"};
    for (int i = 0; i < COUNT(METHODS); i++)
        expect(BELT, METHODS[i], 1e-6, 0.005, 2e-3); /* of 0.14 to and fro */
}

static void velocities_do_not_chatter(void **state) {
    (void)state;
    static const char *const METHODS[] = {"midpoint", "newmark", "trapezoidal", "hht", "generalized-alpha"};
    for (int i = 0; i < COUNT(METHODS); i++) {
        expect(ENGINE, METHODS[i], 1e-6, 1e-3, 0.05); /* of 13 rad */
        expect(ENGINE, METHODS[i], 1e-4, 0, 0.01);
    }
}

static void stages_see_one_side(void **state) {
    (void)state;
    static const char *const METHODS[] = {"radau5", "radau9", "auto"};
    for (int i = 0; i < COUNT(METHODS); i++)
        for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 0.01)
            expect(BALL, METHODS[i], tolerance, 0, 1e3 * tolerance);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(given_steps_stay_what_they_are),
                                       cmocka_unit_test(velocities_do_not_chatter),
                                       cmocka_unit_test(stages_see_one_side)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

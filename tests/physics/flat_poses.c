/* Runs through flat poses: rows in them, motions that come to rest in them, motors in absolute coordinates.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

/* A parallelogram with two cranks of length 0.5 and mass 1, and a bar of mass 2, drawn flat along x. On its
 * branch it is a pendulum: I angle'' = M_x(angle), I = 2 (0.1 + 0.25^2) + 2 0.5^2, weight 1.5 g at one metre.
 */
#define PARALLELOGRAM(gravity, more)                                                                         \
    "keel: 1\n"                                                                                              \
    "gravity: " gravity "\n"                                                                                 \
    "bodies:\n"                                                                                              \
    "  bar: {mass: 2, centre: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                                        \
    "  left: {mass: 1, centre: [0.25, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                                    \
    "  right: {mass: 1, centre: [1.25, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                                   \
    "joints:\n"                                                                                              \
    "  A: {type: revolute, bodies: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}\n"                        \
    "  B: {type: revolute, bodies: [left, bar], at: [0.5, 0, 0], axis: [0, 0, 1]}\n"                         \
    "  C: {type: revolute, bodies: [ground, right], at: [1, 0, 0], axis: [0, 0, 1]}\n"                       \
    "  D: {type: revolute, bodies: [right, bar], at: [1.5, 0, 0], axis: [0, 0, 1]}\n"                        \
    "outputs: {left: A.angle, right: C.angle}\n" more

#define PENDULUM(until)                                                                                      \
    "keel: 1\n"                                                                                              \
    "equations:\n"                                                                                           \
    "  coordinates: {a: 0}\n"                                                                                \
    "  kinetic: (2*(0.1 + 0.0625) + 0.5)/2*a'^2\n"                                                           \
    "  potential: 1.5*(3*cos(a) + 9.81*sin(a))\n"                                                            \
    "simulate: {until: " until ", tolerance: 1e-13}\n"

static trial run_model(const char *model, double tolerance) {
    trial t = trial_of(model, "auto");
    if (keel_mechanism_look(t.model->system, NULL))
        assert_int_equal(keel_model_assemble(t.model, t.messages, NULL), KEEL_OK);
    if (tolerance > 0)
        t.settings.tolerance = tolerance;
    trial_run(&t, NULL);
    return t;
}

/* From rest in the flat pose and back to rest in it, after 1.5 s or so: the branch is kept there, too. */
static void swings_back_to_rest(void **state) {
    (void)state;
    static const char *const MODELS[] = {
        PARALLELOGRAM("[-3, -9.81, 0]", "simulate: {until: 2}\n"),
        PARALLELOGRAM("[-3, -9.81, 0]", "coordinates: absolute\nsimulate: {until: 2}\n")};
    trial twin = run_model(PENDULUM("2"), 0);
    trial_expect_ok(&twin);
    for (size_t k = 0; k < 2; k++)
        for (double tolerance = 1e-6; tolerance > 1e-12; tolerance *= 1e-2) {
            trial t = run_model(MODELS[k], tolerance);
            trial_expect_ok(&t);
            double error = fabs(t.result.outputs[0] - twin.result.final->q[0]);
            print_message("model %zu, tolerance %g: error %.1e, cranks apart by %.1e\n", k, tolerance, error,
                          fabs(t.result.outputs[1] - t.result.outputs[0]));
            assert_true(error < fmax(1e3 * tolerance, 1e-6));
            assert_true(fabs(t.result.outputs[1] - t.result.outputs[0]) < 1e-9);
            assert_true(t.result.verdict.ok);
            trial_end(&t);
        }
    trial_end(&twin);
}

/* What is asked of the accelerations in the start is zero, or round-off of that: that is no contradiction. */
static void motors_turn_without_weight(void **state) {
    (void)state;
    trial t = run_model("keel: 1\n"
                        "coordinates: absolute\n"
                        "bodies:\n"
                        "  c0: {mass: 1.9, centre: [0.917662474, -1.244740125, 1.696309159], inertia: [0.17, "
                        "0.17, 0.17]}\n"
                        "  c1: {mass: 0.9, centre: [0.224237296, -0.735526380, 1.906315901], inertia: [0.1, "
                        "0.1, 0.1]}\n"
                        "  bar: {mass: 2, centre: [0.616602776, -1.064022780, 1.743698494], inertia: [0.055, "
                        "0.055, 0.055]}\n"
                        "joints:\n"
                        "  G0: {type: revolute, bodies: [ground, c0], at: [0.746569130, -1.042047034, "
                        "1.780436668], axis: [0.815191565, 0.572660836, 0.086731070]}\n"
                        "  K0: {type: revolute, bodies: [c0, bar], at: [0.910817379, -1.430690777, "
                        "1.648423759], axis: [0.815191565, 0.572660836, 0.086731070]}\n"
                        "  G1: {type: revolute, bodies: [ground, c1], at: [0.410583614, -0.284517784, "
                        "2.039365982], axis: [0.815191565, 0.572660836, 0.086731070]}\n"
                        "  K1: {type: revolute, bodies: [c1, bar], at: [0.539409294, -0.698045393, "
                        "1.903584343], axis: [0.815191565, 0.572660836, 0.086731070]}\n"
                        "motions: {m0: {of: G0.angle, speed: 2*pi}, m1: {of: G1.angle, speed: 2*pi}}\n"
                        "outputs: {a: G0.angle, b: G1.angle}\n"
                        "simulate: {until: 1.3, tolerance: 1e-7, output: 0.1}\n",
                        0);
    trial_expect_ok(&t);
    assert_true(t.result.verdict.ok);
    assert_true(fabs(t.result.outputs[0] - 2.6 * 3.14159265358979324) < 1e-6);
    assert_true(fabs(t.result.outputs[1] - t.result.outputs[0]) < 1e-6);
    trial_end(&t);
}

/* Six digits and two motors that say the same: in the start the rows held are met, and the run may end where
 * its first step does. */
static void starts_with_digits_are_met(void **state) {
    (void)state;
    static const char *const UNTIL[] = {"8.9", "0.05"};
    for (size_t k = 0; k < 2; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "keel: 1\n"
                 "planar: true\n"
                 "gravity: [8.7494637075015724, -4.4365510062561944]\n"
                 "bodies:\n"
                 "  c0: {mass: 0.75, centre: [1.076009, 0.186660], inertia: 0.05}\n"
                 "  c1: {mass: 0.5, centre: [0.664454, 0.132029], inertia: 0.17}\n"
                 "  bar: {mass: 0.8, centre: [1.096947, 0.260756], inertia: 0.69}\n"
                 "joints:\n"
                 "  G0: {type: revolute, bodies: [ground, c0], at: [0.858136, 0.116898]}\n"
                 "  K0: {type: revolute, bodies: [c0, bar], at: [1.178059, 0.167409]}\n"
                 "  G1: {type: revolute, bodies: [ground, c1], at: [0.427438, 0.048896]}\n"
                 "  K1: {type: revolute, bodies: [c1, bar], at: [0.747361, 0.099408]}\n"
                 "motions: {m0: {of: G0.angle, speed: 2*pi}, m1: {of: G1.angle, speed: 2*pi}}\n"
                 "outputs: {a: G0.angle, b: G1.angle}\n"
                 "simulate: {until: %s, tolerance: 1e-12, output: 0.45}\n",
                 UNTIL[k]);
        trial t = run_model(text, 0);
        trial_expect_ok(&t);
        assert_true(t.result.verdict.ok);
        assert_true(fabs(t.result.outputs[1] - t.result.outputs[0]) < 1e-4);
        trial_end(&t);
    }
}

/* A motor on the left crank of a parallelogram of four masses, drawn upright. The right crank is at the angle
 * phi = pi/2 + w t; it is turned by the bar, which next to a flat pose has hardly a lever: with F the force
 * on the bar at D, and by moments about C,
 *
 *     F_y = g - w^2 sin(phi) / 2,     F_x = cot(phi) (F_y + g / 2).
 *
 * Two rows are 8e-5 and 2.4e-4 away from flat poses.
 */
static const double SPEED = 3.55;

typedef struct rows {
    double apart, force, energy; /* largest errors: of rates, of F_x relative to itself; drift */
    int found;                   /* rows next to a pose */
} rows;

static keel_status on_row(void *user, const keel_row *row) {
    rows *r = user;
    double phi = 1.57079632679489662 + SPEED * row->t;
    double F_y = 9.81 - SPEED * SPEED * sin(phi) / 2, F_x = (F_y + 9.81 / 2) / tan(phi);
    for (int i = 0; i < 3; i++)
        r->apart = fmax(r->apart, fabs(fabs(row->v[i]) - SPEED));
    if (fabs(sin(phi)) < 1e-3) {
        r->force = fmax(r->force, fabs(row->outputs[0] / F_x - 1));
        r->found++;
    }
    r->energy = fmax(r->energy, fabs(row->energy_drift));
    return KEEL_OK;
}

static void rows_next_to_poses_are_right(void **state) {
    (void)state;
    trial t = trial_of("keel: 1\n"
                       "coordinates: relative\n"
                       "planar: true\n"
                       "gravity: [0, -9.81]\n"
                       "bodies:\n"
                       "  bar: {mass: 2, centre: [0.5, 0.5], inertia: 0.1}\n"
                       "  left: {mass: 1, centre: [0, 0.25], inertia: 0.1}\n"
                       "  right: {mass: 1, centre: [1, 0.25], inertia: 0.1}\n"
                       "joints:\n"
                       "  A: {type: revolute, bodies: [ground, left], at: [0, 0]}\n"
                       "  B: {type: revolute, bodies: [left, bar], at: [0, 0.5]}\n"
                       "  C: {type: revolute, bodies: [ground, right], at: [1, 0]}\n"
                       "  D: {type: revolute, bodies: [right, bar], at: [1, 0.5]}\n"
                       "motions: {m: {of: A.angle, speed: 3.55}}\n"
                       "outputs: {d: D.reaction.force.x}\n"
                       "simulate: {until: 2, output: 0.4425}\n",
                       "dop853/index1/projection");
    rows r = {0};
    keel_observer observer = {.user = &r, .row = on_row};
    assert_int_equal(keel_model_assemble(t.model, t.messages, NULL), KEEL_OK);
    for (double tolerance = 1e-7; tolerance > 1e-12; tolerance *= 1e-2) {
        t.settings.tolerance = tolerance;
        r = (rows){0};
        trial_run(&t, &observer);
        trial_expect_ok(&t);
        print_message("tolerance %g: rates off by %.1e, forces by %.1e, energy by %.1e\n", tolerance, r.apart,
                      r.force, r.energy);
        assert_int_equal(r.found, 2);
        assert_true(r.apart < 1e-10);
        assert_true(r.force < 1e-8);
        assert_true(r.energy < fmax(10 * tolerance, 1e-9));
    }
    trial_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swings_back_to_rest),
        cmocka_unit_test(motors_turn_without_weight),
        cmocka_unit_test(starts_with_digits_are_met),
        cmocka_unit_test(rows_next_to_poses_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

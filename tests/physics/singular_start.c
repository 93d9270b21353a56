/* Runs that start where branches of motion meet. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

/* A parallelogram with two cranks of length 0.5 and mass 1 along x, at rest under gravity. On its own branch
 * the cranks turn by one angle and the bar of mass 2 follows without turning: a pendulum with
 *
 *     I = 2 (0.1 + 1 * 0.25^2) + 2 * 0.5^2,     I angle'' = -g (2 * 0.25 + 2 * 0.5) cos(angle).
 */
#define PARALLELOGRAM(more)                                                                                  \
    "keel: 1\n"                                                                                              \
    "gravity: [0, -9.81, 0]\n"                                                                               \
    "bodies:\n"                                                                                              \
    "  bar: {mass: 2, centre: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                                        \
    "  left: {mass: 1, centre: [0.25, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                                    \
    "  right: {mass: 1, centre: [1.25, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                                   \
    "joints:\n"                                                                                              \
    "  A: {type: revolute, bodies: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}\n"                        \
    "  B: {type: revolute, bodies: [left, bar], at: [0.5, 0, 0], axis: [0, 0, 1]}\n"                         \
    "  C: {type: revolute, bodies: [ground, right], at: [1, 0, 0], axis: [0, 0, 1]}\n"                       \
    "  D: {type: revolute, bodies: [right, bar], at: [1.5, 0, 0], axis: [0, 0, 1]}\n" more                   \
    "outputs: {left: A.angle, right: C.angle}\n"                                                             \
    "simulate: {until: 1}\n"

static const char PENDULUM[] = "keel: 1\n"
                               "equations:\n"
                               "  coordinates: {a: 0}\n"
                               "  kinetic: (2*(0.1 + 0.0625) + 0.5)/2*a'^2\n"
                               "  potential: 9.81*1.5*sin(a)\n"
                               "simulate: {until: 1}\n";

/* A slider-crank with a rod as long as its crank, folded across its line: the slider stays where it is on one
 * branch, and leaves along x on the other. */
#define FOLDED(gravity, more)                                                                                \
    "keel: 1\n"                                                                                              \
    "gravity: " gravity "\n"                                                                                 \
    "bodies:\n"                                                                                              \
    "  crank: {mass: 1, centre: [0, 0.15, 0], inertia: [0.1, 0.1, 0.1]}\n"                                   \
    "  rod: {mass: 1, centre: [0, 0.15, 0], inertia: [0.1, 0.1, 0.1]}\n"                                     \
    "  slider: {mass: 1, centre: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                                     \
    "joints:\n"                                                                                              \
    "  O: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"                       \
    "  A: {type: revolute, bodies: [crank, rod], at: [0, 0.3, 0], axis: [0, 0, 1]}\n"                        \
    "  B: {type: revolute, bodies: [rod, slider], at: [0, 0, 0], axis: [0, 0, 1]}\n"                         \
    "  S: {type: prismatic, bodies: [ground, slider], at: [0, 0, 0], axis: [1, 0, 0]}\n" more                \
    "outputs: {crank: O.angle, x: S.displacement}\n"                                                         \
    "simulate: {until: 0.5}\n"

/* Assembled, and run at a tolerance. */
static trial run_model(const char *model, const char *method, double tolerance) {
    keel_assembly_report report;
    trial t = trial_of(model, method);
    if (keel_mechanism_look(t.model->system, NULL))
        assert_int_equal(keel_model_assemble(t.model, t.messages, &report), KEEL_OK);
    t.settings.tolerance = tolerance;
    trial_run(&t, NULL);
    return t;
}

static bool says(const trial *t, const char *words) {
    for (int i = 0; i < keel_diagnostics_count(t->messages); i++)
        if (strstr(keel_diagnostics_get(t->messages, i).text, words))
            return true;
    return false;
}

/* The forces choose the branch, at every tolerance, and it is kept. */
static void flat_parallelogram_falls(void **state) {
    (void)state;
    trial twin = run_model(PENDULUM, "auto", 1e-13);
    trial_expect_ok(&twin);
    for (double tolerance = 5e-5; tolerance > 1e-13; tolerance /= 100) {
        trial t = run_model(PARALLELOGRAM(""), "auto", tolerance);
        trial_expect_ok(&t);
        double error = fabs(t.result.outputs[0] - twin.result.final->q[0]);
        print_message("tolerance %g: error %.1e, cranks apart by %.1e\n", tolerance, error,
                      fabs(t.result.outputs[0] - t.result.outputs[1]));
        assert_true(error < 100 * tolerance);
        assert_true(fabs(t.result.outputs[0] - t.result.outputs[1]) < 1e-11);
        assert_true(says(
            &t, "starts in a singular pose: rank 1, usually 2; 2 branches meet here; the forces choose"));
        trial_end(&t);
    }
    trial_end(&twin);
}

/* Ten turns by motors on one crank and on both. */
static void flat_parallelogram_is_driven(void **state) {
    (void)state;
    static const char *const MODELS[] = {
        PARALLELOGRAM("motions: {one: {of: A.angle, speed: 20*pi}}\n"),
        PARALLELOGRAM("motions: {one: {of: A.angle, speed: 20*pi}, two: {of: C.angle, speed: 20*pi}}\n")};
    static const char *const METHODS[] = {"auto", "dopri5", "radau5", "adams", "bdf"};
    const double angle = 62.831853071795865; /* 20 pi */
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
            trial t = run_model(MODELS[k], METHODS[i], 1e-8);
            trial_expect_ok(&t);
            assert_true(fabs(t.result.outputs[0] - angle) < 1e-9);
            assert_true(fabs(t.result.outputs[1] - angle) < 1e-7);
            trial_end(&t);
        }
}

/* A velocity chooses the branch that has it and moves least; so does one that only the other branch has. */
static void velocities_choose(void **state) {
    (void)state;
    trial t = run_model(FOLDED("[0, 0, 0]", "start: {O.angle': 2}\n"), "auto", 1e-10);
    trial_expect_ok(&t);
    assert_true(fabs(t.result.outputs[1]) < 1e-12 && fabs(t.result.outputs[0] - 1) < 1e-9);
    trial_end(&t);
    t = run_model(FOLDED("[0, 0, 0]", "start: {O.angle': -2, S.displacement': 1.2}\n"), "auto", 1e-10);
    trial_expect_ok(&t);
    /* x = 0.6 sin(-angle) on this branch */
    assert_true(t.result.outputs[1] > 0.1);
    assert_true(fabs(t.result.outputs[1] + 0.6 * sin(t.result.outputs[0])) < 1e-11);
    assert_true(says(&t, "the velocities of the start choose"));
    trial_end(&t);
}

/* At rest without a force that tells: refused, with what would help. */
static void nothing_decides(void **state) {
    (void)state;
    trial t = run_model(FOLDED("[0, 0, 0]", ""), "auto", 1e-8);
    assert_int_equal(t.status, KEEL_ERROR_START);
    assert_true(says(&t, "at rest no force chooses one of them: give a velocity under 'start'"));
    trial_end(&t);
}

/* Three cranks of length 0.336 on a line that is turned, with six digits: the lengths between pins are off by
 * 1e-6, and branches that meet in the flat poses of the exact drawing pass each other at a distance of 1e-3.
 */
#define ROUNDED(more, until)                                                                                 \
    "keel: 1\n"                                                                                              \
    "planar: true\n"                                                                                         \
    "gravity: [9.79306170, 0.57623131]\n"                                                                    \
    "bodies:\n"                                                                                              \
    "  bar: {mass: 2, centre: [-0.810602, 1.925189], inertia: 0.1}\n"                                        \
    "  k0: {mass: 1, centre: [-0.650916, 1.117410], inertia: 0.1}\n"                                         \
    "  k1: {mass: 1, centre: [-0.693072, 1.833863], inertia: 0.1}\n"                                         \
    "  k2: {mass: 1, centre: [-0.731134, 2.480726], inertia: 0.1}\n"                                         \
    "joints:\n"                                                                                              \
    "  G0: {type: revolute, bodies: [ground, k0], at: [-0.531338, 0.991290]}\n"                              \
    "  K0: {type: revolute, bodies: [k0, bar], at: [-0.770493, 1.243531]}\n"                                 \
    "  G1: {type: revolute, bodies: [ground, k1], at: [-0.573495, 1.707742]}\n"                              \
    "  K1: {type: revolute, bodies: [k1, bar], at: [-0.812650, 1.959984]}\n"                                 \
    "  G2: {type: revolute, bodies: [ground, k2], at: [-0.611557, 2.354605]}\n"                              \
    "  K2: {type: revolute, bodies: [k2, bar], at: [-0.850712, 2.606847]}\n" more                            \
    "outputs: {a: G0.angle, b: G1.angle, c: G2.angle}\n"                                                     \
    "simulate: {until: " until "}\n"

static bool event_says(const trial *t, const char *words) {
    for (int i = 0; i < t->result.event_count; i++)
        if (strstr(t->result.events[i].text, words))
            return true;
    return false;
}

/* Through six flat poses the cranks stay parallel, as far as six digits allow, and constraints that are held
 * are closed; what was open is told. */
static void rounded_parallelogram_turns(void **state) {
    (void)state;
    static const char *const MODELS[] = {
        ROUNDED("motions: {m0: {of: G0.angle, speed: 2*pi}}\n", "3"),
        ROUNDED("coordinates: absolute\nmotions: {m0: {of: G0.angle, speed: 2*pi}}\n", "3"),
        ROUNDED("motions: {m0: {of: G0.angle, speed: 2*pi}, m1: {of: G1.angle, speed: 2*pi}}\n", "3"),
        ROUNDED("start: {G0.angle': 9}\n", "2")};
    for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++)
        for (double tolerance = 1e-5; tolerance > 1e-12; tolerance *= 1e-3) {
            trial t = run_model(MODELS[k], "auto", tolerance);
            trial_expect_ok(&t);
            double b = remainder(t.result.outputs[1] - t.result.outputs[0], 6.283185307179586);
            double c = remainder(t.result.outputs[2] - t.result.outputs[0], 6.283185307179586);
            print_message("model %zu, tolerance %g: cranks apart by %.1e, %.1e\n", k, tolerance, b, c);
            assert_true(fabs(b) < 1e-4 && fabs(c) < 1e-4);
            assert_true(t.result.position.max < 1e-10);
            assert_true(event_says(&t, "within the precision of the drawing"));
            trial_end(&t);
        }
}

/* N cranks on the x axis, drawn flat, with motors on the first ones. */
static void write_cranks(char *text, size_t size, int cranks, int motors) {
    int at = snprintf(text, size, "keel: 1\nplanar: true\ngravity: 9.81\nbodies:\n");
    for (int i = 0; i < cranks; i++)
        at += snprintf(text + at, size - (size_t)at, "  c%d: {mass: 4, centre: [%g, 0], inertia: 0.05}\n", i,
                       i + 0.2);
    at += snprintf(text + at, size - (size_t)at, "  bar: {mass: 10, centre: [%g, 0], inertia: 3}\njoints:\n",
                   0.4 + 0.5 * (cranks - 1));
    for (int i = 0; i < cranks; i++)
        at += snprintf(text + at, size - (size_t)at,
                       "  G%d: {type: revolute, bodies: [ground, c%d], at: [%d, 0]}\n"
                       "  K%d: {type: revolute, bodies: [c%d, bar], at: [%g, 0]}\n",
                       i, i, i, i, i, i + 0.4);
    at += snprintf(text + at, size - (size_t)at, "motions:\n");
    for (int i = 0; i < motors; i++)
        at += snprintf(text + at, size - (size_t)at, "  m%d: {of: G%d.angle, speed: 2*pi}\n", i, i);
    snprintf(text + at, size - (size_t)at, "outputs: {last: G%d.angle}\nsimulate: {until: 10}\n", cranks - 1);
}

static keel_status watch_energy(void *user, const keel_row *row) {
    double *most = user;
    *most = fmax(*most, fabs(row->energy_drift));
    return KEEL_OK;
}

/* Ten turns through twenty flat poses, the last of which is the end of the run, with rows in all of them.
 * Where two motors make up for the joints that repeat each other in the flat pose, the rank of all together
 * is the usual one there. */
static void motors_turn_flat_cranks(void **state) {
    (void)state;
    static const int CRANKS[] = {2, 3, 5};
    char text[4096];
    for (int k = 0; k < 9; k++)
        for (double tolerance = 1e-5; tolerance > 1e-12; tolerance *= 1e-3) {
            int cranks = CRANKS[k / 3], motors = k % 3 == 2 ? cranks : k % 3 + 1;
            write_cranks(text, sizeof text, cranks, motors);
            for (double output = 0; output < 1; output += 0.5) {
                keel_assembly_report report;
                trial t = trial_of(text, "auto");
                assert_int_equal(keel_model_assemble(t.model, t.messages, &report), KEEL_OK);
                t.settings.tolerance = tolerance;
                t.settings.output = output;
                double drift = 0;
                keel_observer observer = {.user = &drift, .row = watch_energy};
                trial_run(&t, &observer);
                /* how well the work of a motor next to a flat pose is known depends at loose tolerances on
                 * where steps happen to end, which round-off moves; the verdict tells */
                bool loose = tolerance > 1e-6;
                double bound = loose ? 5 : 0.1;
                if (t.status || !(t.result.verdict.ok || loose) || !(drift < bound))
                    print_message("%d cranks, %d motors, tolerance %g, rows every %g: drift %g\n", cranks,
                                  motors, tolerance, output, drift);
                trial_expect_ok(&t);
                assert_true(t.result.verdict.ok || loose);
                assert_true(drift < bound); /* of some 100 J; with velocities of another branch 50 J */
                assert_true(fabs(t.result.outputs[0] - 62.831853071795865) < 1e-7); /* 20 pi */
                trial_end(&t);
            }
        }
}

/* A chassis on four struts, whose wheels roll on the ground. Where no wheel may slip sideways the contacts of
 * an axle keep their distance, and a roll by a would make it 1 / cos a times as long: it is possible to first
 * order only. With one wheel of each axle free to slide along it the car rolls. */
#define CAR(axle)                                                                                            \
    "keel: 1\n"                                                                                              \
    "gravity: 9.81\n"                                                                                        \
    "bodies:\n"                                                                                              \
    "  car: {shape: box, centre: [0, 0.1, 0.6], size: [2, 1, 0.3], mass: 500}\n"                             \
    "repeat:\n"                                                                                              \
    "  - for: {i: 0..1}\n"                                                                                   \
    "    bodies:\n"                                                                                          \
    "      l[i]: {shape: box, centre: [1 - 2*i, 0.6, 0.3], size: [0.1, 0.1, 0.1], mass: 10}\n"               \
    "      r[i]: {shape: box, centre: [1 - 2*i, -0.6, 0.3], size: [0.1, 0.1, 0.1], mass: 10}\n"              \
    "      wl[i]: {mass: 15, centre: [1 - 2*i, 0.6, 0.3], inertia: [0.4, 0.7, 0.4]}\n"                       \
    "      wr[i]: {mass: 15, centre: [1 - 2*i, -0.6, 0.3], inertia: [0.4, 0.7, 0.4]}\n"                      \
    "    joints:\n"                                                                                          \
    "      sl[i]: {type: prismatic, bodies: [car, l[i]], at: [1 - 2*i, 0.6, 0.3], axis: z}\n"                \
    "      sr[i]: {type: prismatic, bodies: [car, r[i]], at: [1 - 2*i, -0.6, 0.3], axis: z}\n"               \
    "      al[i]: {type: revolute, bodies: [l[i], wl[i]], at: [1 - 2*i, 0.6, 0.3], axis: y}\n"               \
    "      ar[i]: {type: " axle ", bodies: [r[i], wr[i]], at: [1 - 2*i, -0.6, 0.3], axis: y}\n"              \
    "      gl[i]: {type: wheel, bodies: [ground, wl[i]], axis: y, across: z, radius: 0.3,\n"                 \
    "              at: [[1 - 2*i, 0.6, 0], [1 - 2*i, 0.6, 0.3]]}\n"                                          \
    "      gr[i]: {type: wheel, bodies: [ground, wr[i]], axis: y, across: z, radius: 0.3,\n"                 \
    "              at: [[1 - 2*i, -0.6, 0], [1 - 2*i, -0.6, 0.3]]}\n"                                        \
    "    forces:\n"                                                                                          \
    "      kl[i]: {type: torsion, joint: sl[i], stiffness: 3e4, damping: 2000}\n"                            \
    "      kr[i]: {type: torsion, joint: sr[i], stiffness: 3e4, damping: 2000}\n"                            \
    "outputs: {roll: car.turn.x}\n"                                                                          \
    "simulate: {until: 1}\n"

static void car_rolls_if_it_can(void **state) {
    (void)state;
    trial fixed = run_model(CAR("revolute"), "auto", 1e-8);
    assert_int_equal(fixed.status, KEEL_ERROR_START);
    assert_true(says(&fixed, "car.omega1"));
    assert_true(says(&fixed, "cylindrical joint"));
    trial_end(&fixed);
    trial t = run_model(CAR("cylindrical"), "auto", 1e-8);
    trial_expect_ok(&t);
    assert_true(t.result.verdict.ok);
    assert_true(t.result.outputs[0] < -1e-3 || t.result.outputs[0] > 1e-3); /* its centre is off the middle */
    trial_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_parallelogram_falls),    cmocka_unit_test(flat_parallelogram_is_driven),
        cmocka_unit_test(velocities_choose),           cmocka_unit_test(nothing_decides),
        cmocka_unit_test(rounded_parallelogram_turns), cmocka_unit_test(motors_turn_flat_cranks),
        cmocka_unit_test(car_rolls_if_it_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

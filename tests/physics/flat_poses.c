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

/* Four scissors in a row, between a pin and a slider on the ground, with six digits. They fold flat all at
 * once: four loops lose a condition in the same pose, or nearly so, and to the letter the drawing turns there
 * onto a branch in which it stays folded and swings about the pin.
 */
static const char SCISSORS[] =
    "keel: 1\n"
    "planar: true\n"
    "coordinates: relative\n"
    "gravity: [0, 0]\n"
    "bodies:\n"
    "  a0: {mass: 1.776, centre: [-0.920316, -1.627034], inertia: 0.006752}\n"
    "  b0: {mass: 0.7245, centre: [-0.833196, -1.652552], inertia: 0.01917}\n"
    "  a1: {mass: 0.8593, centre: [-1.388567, -1.663744], inertia: 0.02676}\n"
    "  b1: {mass: 1.692, centre: [-1.369565, -1.610123], inertia: 0.01039}\n"
    "  a2: {mass: 0.5286, centre: [-1.791343, -1.674226], inertia: 0.005214}\n"
    "  b2: {mass: 1.05, centre: [-1.763733, -1.618357], inertia: 0.01589}\n"
    "  a3: {mass: 1.592, centre: [-2.175508, -1.677253], inertia: 0.04286}\n"
    "  b3: {mass: 0.8013, centre: [-2.054087, -1.663578], inertia: 0.02071}\n"
    "  shoe: {mass: 0.2246, centre: [-0.713694, -1.695128], inertia: 0.01}\n"
    "joints:\n"
    "  P0: {type: revolute, bodies: [ground, a0], at: [-0.716595, -1.545426]}\n"
    "  S: {type: prismatic, bodies: [ground, shoe], at: [-0.713694, -1.695128], axis: [0.019375, "
    "-0.999812]}\n"
    "  Q0: {type: revolute, bodies: [shoe, b0], at: [-0.713694, -1.695128]}\n"
    "  M0: {type: revolute, bodies: [a0, b0], at: [-0.913022, -1.624112]}\n"
    "  Q1: {type: revolute, bodies: [a0, b1], at: [-1.109448, -1.702798]}\n"
    "  P1: {type: revolute, bodies: [b0, a1], at: [-1.112349, -1.553095]}\n"
    "  M1: {type: revolute, bodies: [a1, b1], at: [-1.308776, -1.631781]}\n"
    "  Q2: {type: revolute, bodies: [a1, b2], at: [-1.505202, -1.710467]}\n"
    "  P2: {type: revolute, bodies: [b1, a2], at: [-1.508103, -1.560764]}\n"
    "  M2: {type: revolute, bodies: [a2, b2], at: [-1.704530, -1.639450]}\n"
    "  Q3: {type: revolute, bodies: [a2, b3], at: [-1.900956, -1.718136]}\n"
    "  P3: {type: revolute, bodies: [b2, a3], at: [-1.903857, -1.568433]}\n"
    "  M3: {type: revolute, bodies: [a3, b3], at: [-2.100284, -1.647119]}\n"
    "start: {P0.angle': -1.8969}\n"
    "outputs: {o0: P0.angle, m0: M0.angle, m1: M1.angle, m2: M2.angle, m3: M3.angle}\n"
    "simulate: {until: 0.3762, tolerance: %g, output: 0.03}\n";

static void scissors_fold_at_once(void **state) {
    (void)state;
    double first = 0;
    for (double tolerance = 1e-7; tolerance > 1e-12; tolerance *= 1e-2) {
        char text[4000];
        snprintf(text, sizeof text, SCISSORS, tolerance);
        trial t = run_model(text, 0);
        trial_expect_ok(&t);
        const double *out = t.result.outputs;
        print_message("tolerance %g: crank %.8g\n", tolerance, out[0]);
        for (int i = 0; i < 4; i++)
            assert_true(fabs(out[1 + i] + 2 * out[0]) < 1e-3);
        first = first == 0 ? out[0] : first;
        assert_true(out[0] < -0.8 && fabs(out[0] - first) < 1e-3);
        assert_true(t.result.verdict.ok);
        trial_end(&t);
    }
}

/* Three cranks, exact and in space. The look around a singular start meets two conditions of the second order
 * in two unknowns: Newton's method halves displacements that are along no branch until nothing is left of
 * them, and the rank of such a pose is that of the start.
 */
static const char THREE_CRANKS[] =
    "keel: 1\n"
    "coordinates: absolute\n"
    "gravity: [8.7542842033000845, -2.3680472767439409, -3.740449195344882]\n"
    "bodies:\n"
    "  c0: {mass: 1.5875900789728772, centre: [-0.80844119579445484, -0.61004440424039252, "
    "-0.99343846442792272], inertia: [0.12977315975584147, 0.12977315975584147, 0.12977315975584147]}\n"
    "  c1: {mass: 1.8041661884089888, centre: [-0.80369574874953020, -0.50817621026881576, "
    "0.34343205959647283], inertia: [0.15806292005677547, 0.15806292005677547, 0.15806292005677547]}\n"
    "  c2: {mass: 2.8060148088793104, centre: [-1.06550206700436956, -0.81760618879865254, "
    "1.20584161942373314], inertia: [0.065985583019172858, 0.065985583019172858, 0.065985583019172858]}\n"
    "  bar: {mass: 3.1722152382992896, centre: [-1.13705673469042678, -1.19564525842046820, "
    "1.14117341068368017], inertia: [0.30709649324522131, 0.30709649324522131, 0.30709649324522131]}\n"
    "joints:\n"
    "  G0: {type: revolute, bodies: [ground, c0], at: [-0.65202747656755822, -0.16237990007189135, "
    "-1.01853179427468987], axis: [-0.35821122068846828, -0.89278883611388404, -0.27315346507649041]}\n"
    "  K0: {type: revolute, bodies: [c0, bar], at: [-0.91842177795907287, -0.74023014623188077, "
    "-0.56174357468557734], axis: [-0.35821122068846828, -0.89278883611388404, -0.27315346507649041]}\n"
    "  G1: {type: revolute, bodies: [ground, c1], at: [-0.89573047109019732, -0.58872598555768096, "
    "0.18332761282516841], axis: [-0.35821122068846828, -0.89278883611388404, -0.27315346507649041]}\n"
    "  K1: {type: revolute, bodies: [c1, bar], at: [-1.10902986574027529, -1.03424497782183589, "
    "0.68060327925210529], axis: [-0.35821122068846828, -0.89278883611388404, -0.27315346507649041]}\n"
    "  G2: {type: revolute, bodies: [ground, c2], at: [-1.09455834496233884, -0.96588262305982209, "
    "0.93916712076460485], axis: [-0.35821122068846828, -0.89278883611388404, -0.27315346507649041]}\n"
    "  K2: {type: revolute, bodies: [c2, bar], at: [-1.18496349546621604, -1.10510576846159414, "
    "1.53015562109432368], axis: [-0.35821122068846828, -0.89278883611388404, -0.27315346507649041]}\n"
    "start: {G0.angle': -9.8363732617949555, G1.angle': -9.8363732617949555}\n"
    "outputs: {o0: G0.angle, o1: G1.angle, o2: G2.angle}\n"
    "simulate: {until: 2.0181219192160973, tolerance: 1e-07, output: 0.10090609596080487}\n";

static void ranks_near_by_are_found(void **state) {
    (void)state;
    trial t = run_model(THREE_CRANKS, 0);
    trial_expect_ok(&t);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(t.result.outputs[i] - -21.0153517906687) < 1e-6);
    trial_end(&t);
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
        cmocka_unit_test(swings_back_to_rest),        cmocka_unit_test(motors_turn_without_weight),
        cmocka_unit_test(starts_with_digits_are_met), cmocka_unit_test(scissors_fold_at_once),
        cmocka_unit_test(ranks_near_by_are_found),    cmocka_unit_test(rows_next_to_poses_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

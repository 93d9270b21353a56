/* One planar mechanism in different clothes: each planar joint in the tree and cut, planar models and their
 * spatial twins, and forces in joints that balance on every body.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mechanisms.h"

/* ---- tree and cut ---------------------------------------------------------------------------------------
 */

/* Body b on body a, which swings about the ground. */
static const char *const PAIR = "keel: 1\n"
                                "planar: true\n"
                                "gravity: [1, -9.81]\n"
                                "bodies:\n"
                                "  a: {mass: 2, centre: [0.3, 0.1], inertia: 0.1}\n"
                                "  b: {mass: 1, centre: [0.9, 0.4], inertia: 0.05, points: {P: [1, 1]}}\n"
                                "joints:\n"
                                "  base: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                "  tested: JOINT\n"
                                "start: {base.angle': 1.5START}\n"
                                "outputs:\n"
                                "  ax: a.x\n"
                                "  ay: a.y\n"
                                "  turn_a: a.angle\n"
                                "  px: P.x\n"
                                "  py: P.y\n"
                                "  turn_b: b.angle\n"
                                "  fx: tested.reaction.force.x\n"
                                "  fy: tested.reaction.force.y\n"
                                "  torque: tested.reaction.torque.z\n"
                                "  base_fx: base.reaction.force.x\n"
                                "  base_fy: base.reaction.force.y\n"
                                "simulate: {until: 1, tolerance: 1e-12}\n";

/* Joints, and the velocities that are not told by that of the base. */
static const struct {
    const char *joint, *start;
} JOINTS[] = {
    {"{type: revolute, bodies: [a, b], at: [0.6, 0.2]}", ", b.angle': -2"},
    {"{type: revolute, bodies: [b, a], at: [0.6, 0.2]}", ", b.angle': -2"},
    {"{type: prismatic, bodies: [a, b], at: [0.6, 0.2], axis: [1, 0.4]}", ", tested.displacement': 0.3"},
    {"{type: prismatic, bodies: [b, a], at: [0.6, 0.2], axis: [1, 0.4]}", ", tested.displacement': 0.3"},
    {"{type: fixed, bodies: [a, b], at: [0.6, 0.2]}", ""},
    {"{type: free, bodies: [a, b]}", ", b.x': 0.2, b.y': 0.1, b.angle': 3"},
    {"{type: point-on-line, bodies: [a, b], at: [0.6, 0.2], axis: [1, 0.4]}",
     ", tested.displacement': 0.3, tested.angle': -2"},
    {"{type: point-on-line, bodies: [b, a], at: [0.6, 0.2], axis: [1, 0.4]}",
     ", tested.displacement': 0.3, tested.angle': -2"},
    {"{type: distance, bodies: [a, b], at: [[0.5, 0.3], [0.9, 0.2]]}", ", b.y': 0.2, b.angle': -2"},
    {"{type: skate, bodies: [a, b], at: [0.8, 0.3], axis: [1, 0.4]}", ", b.x': 0.3, b.angle': 3"},
    {"{type: wheel, bodies: [a, b], at: [[0.3, 0], [0.9, 0.4]], axis: [1, 0], radius: 0.4}",
     ", tested.angle': 3"},
    {"{type: revolute, bodies: [a, b], at: [0.6, 0.2]}\n"
     "  mesh: {type: gear, joints: [base, tested], ratio: -2}",
     ""},
    {"{type: prismatic, bodies: [a, b], at: [0.6, 0.2], axis: [1, 0.4]}\n"
     "  mesh: {type: rack, joints: [base, tested], ratio: 0.3}",
     ""},
};

static void tree_and_cut_move_alike(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof JOINTS / sizeof *JOINTS; i++) {
        const swap swaps[] = {{"JOINT", JOINTS[i].joint}, {"START", JOINTS[i].start}, {0}};
        variant tree = {.model = PAIR, .coordinates = "relative", .swaps = swaps}, cut = tree;
        cut.coordinates = "absolute";
        history x = history_of(&tree, 0.1), y = history_of(&cut, 0.1);
        double motion = history_difference(&x, &y, 6), forces = history_difference(&x, &y, 11);
        print_message("%.60s: motion %.1e, reactions %.1e\n", JOINTS[i].joint, motion, forces);
        assert_true(fabs(x.value[10][2]) > 0.1); /* it moves */
        assert_true(motion <= 1e-9);
        assert_true(forces <= 1e-8);
    }
}

/* ---- the start does not depend on the coordinates ---------------------------------------------------- */

/* Drawings that are open or turned, start values that leave much open: outputs first, then the motion. */
static const char *const STARTS[] = {
    /* a pin drawn with two places */
    "keel: 1\nplanar: true\ngravity: 9.81\nbodies: {rod: {shape: rod, from: [0, 0], to: [1, 0], mass: 1}}\n"
    "joints: {pin: {type: revolute, bodies: [ground, rod], at: [[0, 0], [0, 0.1]]}}\n"
    "outputs: {x: rod.x, y: rod.y, a: rod.angle}\nsimulate: {until: 1, tolerance: 1e-10}\n",
    /* a cart that is moved and pushed: the pendulum hangs from it as drawn, and rides along */
    "keel: 1\nplanar: true\ngravity: 9.81\nbodies:\n"
    "  cart: {shape: box, centre: [0, 0], size: [0.2, 0.1], mass: 2}\n  bob: {mass: 1, centre: [0, -0.5]}\n"
    "joints:\n  rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: x}\n"
    "  pin: {type: revolute, bodies: [cart, bob], at: [0, 0]}\n"
    "start: {rail.displacement: 0.2, rail.displacement': 1}\n"
    "outputs: {x: cart.x, b: bob.x, v: bob.x', a: pin.angle}\nsimulate: {until: 1, tolerance: 1e-10}\n",
    /* a hinge with different axes on its bodies and a spring that is free as drawn: at rest */
    "keel: 1\nplanar: true\nbodies: {rod: {shape: rod, from: [0, 0], to: [1, 0], mass: 1}}\n"
    "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0], axis: [[-1, 0.2], [-1, -0.2]]}}\n"
    "forces: {s: {type: torsion, joint: pin, stiffness: 10}}\n"
    "outputs: {x: rod.x, a: rod.angle, torque: s.torque}\nsimulate: {until: 1, tolerance: 1e-10}\n",
    /* three arms in space, one turned by more than a turn, one with a reading */
    "keel: 1\ngravity: 9.81\nbodies:\n"
    "  a: {mass: 1, centre: [0.5, 0, 0], inertia: [0.1, 0.2, 0.25]}\n"
    "  b: {mass: 1, centre: [1.5, 0, 0], inertia: [0.1, 0.2, 0.25]}\n"
    "joints:\n  A: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 1]}\n"
    "  B: {type: point-on-line, bodies: [a, b], at: [1, 0, 0], axis: x, reading: 5}\n"
    "start: {A.angle: 7, A.angle': 1, B.displacement: 5.2, b.spin.x: 2}\n"
    "outputs: {x: b.x, y: b.y, z: b.z, s: B.displacement, v: b.x'}\nsimulate: {until: 1, tolerance: 1e-10}\n",
};

static void the_start_is_the_same_in_all_coordinates(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof STARTS / sizeof *STARTS; i++) {
        variant relative = {.model = STARTS[i], .coordinates = "relative"}, absolute = relative;
        absolute.coordinates = "absolute";
        history x = history_of(&relative, 0.1), y = history_of(&absolute, 0.1);
        assert_true(history_difference(&x, &y, x.outputs) <= 1e-8);
        if (i == 1) { /* as drawn below the cart, with its speed */
            assert_float_equal(x.value[0][1], 0.2, 1e-12);
            assert_float_equal(x.value[0][2], 1, 1e-12);
        }
        if (i == 2)
            assert_float_equal(x.value[10][2], 0, 1e-12);
        if (i == 3)
            assert_float_equal(y.value[0][3], 5.2, 1e-12);
    }
}

/* ---- planar and spatial ---------------------------------------------------------------------------------
 */

static void expect_twin(const char *model, const swap *swaps, int outputs, double until, double tolerance) {
    variant planar = {.model = model, .tolerance = tolerance, .until = until}, spatial = planar;
    spatial.swaps = swaps;
    history x = history_of(&planar, until / 10), y = history_of(&spatial, until / 10);
    double apart = history_difference(&x, &y, outputs);
    print_message("%s: %.1e between plane and space\n", model, apart);
    assert_true(apart <= 1e-9);
}

/* The forces in the pins of a loop are shared in space and not compared. */
static void four_bar_in_space(void **state) {
    (void)state;
    static const swap SWAPS[] = {{"planar: true", "planar: false"},
                                 {"gravity: 9.81", "gravity: [0, -9.81, 0]"},
                                 {"[0, 0]", "[0, 0, 0]"},
                                 {"[0.3, 0]", "[0.3, 0, 0]"},
                                 {"[0, 0.1]", "[0, 0.1, 0]"},
                                 {"[0.25, 0.25]", "[0.25, 0.25, 0]"},
                                 {"[0.15, 0.27]", "[0.15, 0.27, 0]"},
                                 {0}};
    expect_twin("four_bar", SWAPS, 5, 2, 1e-11);
}

static void a02_in_space(void **state) {
    (void)state;
    static const swap SWAPS[] = {{"planar: true", "planar: false"},
                                 {"[0, -9.81]", "[0, -9.81, 0]"},
                                 {"[k, 0]", "[k, 0, 0]"},
                                 {"[k, 1]", "[k, 1, 0]"},
                                 {0}};
    expect_twin("a02_four_bars", SWAPS, 2, 2, 1e-12);
}

static void slider_crank_in_space(void **state) {
    (void)state;
    static const swap SWAPS[] = {{"planar: true", "planar: false"},
                                 {"[0, 0]", "[0, 0, 0]"},
                                 {"[0, a]", "[0, a, 0]"},
                                 {"[x0, 0]", "[x0, 0, 0]"},
                                 {"[0, a/2]", "[0, a/2, 0]"},
                                 {"[x0/2, a/2]", "[x0/2, a/2, 0]"},
                                 {"[2*x0, -a]", "[2*x0, -a, 0]"},
                                 {"inertia: J1", "inertia: [J1, J1, J1]"},
                                 {"inertia: J2", "inertia: [J2, J2, J2]"},
                                 {"axis: [1, 0]", "axis: [1, 0, 0]"},
                                 {"[F, 0]", "[F, 0, 0]"},
                                 {"p: rod.angle", "p: atan2(rod.R21, rod.R11)"},
                                 {0}};
    expect_twin("slider_crank_bodies", SWAPS, 4, 10, 1e-12);
}

/* ---- reactions ------------------------------------------------------------------------------------------
 */

/* Every planar type of joint but couplings, gravity alone. */
static const char *const MIXED =
    "keel: 1\n"
    "planar: true\n"
    "gravity: [0, -9.81]\n"
    "points: {O: [0, 0], B: [0.1, 0.3], C: [0.8, 0.1], E: [1, 0.6], H: [0.8, 0.9], W: [2, 0.4], S: [3, 1]}\n"
    "bodies:\n"
    "  crank: {mass: 1.5, centre: [0.1, 0.1], inertia: 0.05, points: [O]}\n"
    "  rod: {mass: 2, centre: [0.4, 0.3], inertia: 0.2, points: [B]}\n"
    "  slider: {mass: 3, centre: [0.85, 0.15], inertia: 0.1, points: [C]}\n"
    "  arm: {mass: 0.7, centre: [1, 0.5], inertia: 0.03, points: [E]}\n"
    "  bead: {mass: 0.6, centre: [0.9, 0.9], inertia: 0.02, points: [H]}\n"
    "  disc: {mass: 1.2, centre: W, inertia: 0.06, points: [W]}\n"
    "  sled: {mass: 0.9, centre: [3.1, 1.1], inertia: 0.04, points: [S]}\n"
    "joints:\n"
    "  pivot: {type: revolute, bodies: [ground, crank], at: O}\n"
    "  pin: {type: revolute, bodies: [crank, rod], at: B}\n"
    "  wrist: {type: revolute, bodies: [rod, slider], at: C}\n"
    "  guide: {type: prismatic, bodies: [ground, slider], at: C, axis: [1, 0.2]}\n"
    "  bolt: {type: fixed, bodies: [slider, arm], at: E}\n"
    "  wire: {type: point-on-line, bodies: [arm, bead], at: H, axis: [0.3, 1]}\n"
    "  roll: {type: wheel, bodies: [ground, disc], at: [[0, 0], W], axis: [1, 0], radius: 0.4}\n"
    "  tie: {type: distance, bodies: [slider, disc], at: [C, W]}\n"
    "  edge: {type: skate, bodies: [ground, sled], at: S, axis: [1, 0.3]}\n"
    "  rope: {type: distance, bodies: [disc, sled], at: [W, S]}\n"
    "start: {pivot.angle': 2, wire.displacement': 0.3, bead.angle': 4, sled.angle': 0.5}\n"
    "outputs:\n";

static const struct {
    const char *name;
    double mass, inertia;
} BODIES[] = {{"ground", 0, 0},   {"crank", 1.5, 0.05}, {"rod", 2, 0.2},     {"slider", 3, 0.1},
              {"arm", 0.7, 0.03}, {"bead", 0.6, 0.02},  {"disc", 1.2, 0.06}, {"sled", 0.9, 0.04}};
static const struct {
    const char *name;
    int body[2];
    const char *place; /* as a point of the second body */
} TIES[] = {{"pivot", {0, 1}, "crank.O"},  {"pin", {1, 2}, "rod.B"},  {"wrist", {2, 3}, "slider.C"},
            {"guide", {0, 3}, "slider.C"}, {"bolt", {3, 4}, "arm.E"}, {"wire", {4, 5}, "bead.H"},
            {"roll", {0, 6}, "disc.W"},    {"tie", {3, 6}, "disc.W"}, {"edge", {0, 7}, "sled.S"},
            {"rope", {6, 7}, "sled.S"}};
enum { BODY_COUNT = sizeof BODIES / sizeof *BODIES, TIE_COUNT = sizeof TIES / sizeof *TIES, EACH = 5 };

/* x, y, x'', y'', angle'' of every body; place, force and torque of every joint. */
static char *mixed_text(void) {
    size_t room = 16384, used;
    char *text = calloc(room, 1);
    assert_non_null(text);
    used = (size_t)snprintf(text, room, "%s", MIXED);
    for (int b = 1; b < BODY_COUNT; b++) {
        const char *n = BODIES[b].name;
        used += (size_t)snprintf(text + used, room - used,
                                 "  b%d_1: %s.x\n  b%d_2: %s.y\n  b%d_3: %s.x''\n  b%d_4: %s.y''\n"
                                 "  b%d_5: %s.angle''\n",
                                 b, n, b, n, b, n, b, n, b, n);
    }
    for (int j = 0; j < TIE_COUNT; j++) {
        const char *p = TIES[j].place, *n = TIES[j].name;
        used += (size_t)snprintf(text + used, room - used,
                                 "  j%d_1: %s.x\n  j%d_2: %s.y\n  j%d_3: %s.reaction.force.x\n"
                                 "  j%d_4: %s.reaction.force.y\n  j%d_5: %s.reaction.torque.z\n",
                                 j, p, j, p, j, n, j, n, j, n);
    }
    snprintf(text + used, room - used, "simulate: {until: 0.5, tolerance: 1e-9}\n");
    return text;
}

/* Adds sign times the wrench of a joint, about the centre of the body. */
static void add_wrench(const double *joint, const double *body, double sign, double wrench[3]) {
    double x = joint[0] - body[0], y = joint[1] - body[1];
    wrench[0] += sign * joint[2];
    wrench[1] += sign * joint[3];
    wrench[2] += sign * (joint[4] + x * joint[3] - y * joint[2]);
}

/* Newton and Euler for every body: sum of forces - (m a, I alpha). */
static double imbalance(const double *row) {
    const double *joint = row + (BODY_COUNT - 1) * EACH;
    double most = 0;
    for (int b = 1; b < BODY_COUNT; b++) {
        const double *at = row + (b - 1) * EACH; /* the ground has no outputs */
        double left[3] = {-BODIES[b].mass * at[2], -BODIES[b].mass * (at[3] + 9.81),
                          -BODIES[b].inertia * at[4]};
        for (int j = 0; j < TIE_COUNT; j++)
            for (int k = 0; k < 2; k++)
                if (TIES[j].body[k] == b)
                    add_wrench(joint + j * EACH, at, k ? 1 : -1, left);
        for (int i = 0; i < 3; i++)
            most = fabs(left[i]) <= most ? most : fabs(left[i]);
    }
    return most;
}

static void reactions_balance(void **state) {
    (void)state;
    static const char *const COORDINATES[] = {"relative", "absolute", "auto"};
    char *text = mixed_text();
    for (int c = 0; c < 3; c++) {
        variant v = {.model = text, .coordinates = COORDINATES[c]};
        history h = history_of(&v, 0.1);
        double most = 0, force = 0;
        for (int k = 0; k < h.rows; k++) {
            double left = imbalance(h.value[k]);
            most = left <= most ? most : left; /* NaN stays */
            force = fmax(force, fabs(h.value[k][(BODY_COUNT - 1) * EACH + 3]));
        }
        print_message("Newton-Euler, %s: %.1e left of %.1f N\n", COORDINATES[c], most, force);
        assert_true(force > 10);
        assert_true(most <= 1e-10);
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_and_cut_move_alike), cmocka_unit_test(the_start_is_the_same_in_all_coordinates),
        cmocka_unit_test(four_bar_in_space),       cmocka_unit_test(a02_in_space),
        cmocka_unit_test(slider_crank_in_space),   cmocka_unit_test(reactions_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

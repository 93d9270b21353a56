/* Starts mean what is written: floating parts, springs and their notes, orientations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "keel/assemble.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

enum { MOST_BODIES = 8, MOST_V = 64 };

/* A mechanism that is built, compiled and assembled; then its poses and twists. */
typedef struct bench {
    keel_mechanism *m;
    keel_compiled c;
    keel_diagnostics *messages;
    keel_status status;
    keel_pose pose[MOST_BODIES];
    double twist[MOST_BODIES][6];
} bench;

static bench begin(void) {
    return (bench){.m = keel_mechanism_new(), .messages = keel_diagnostics_new()};
}

static void end(bench *b) {
    keel_compiled_clear(&b->c);
    keel_mechanism_free(b->m);
    keel_diagnostics_free(b->messages);
}

static int body(bench *b, const char *name, double mass, double x, double y, double z) {
    keel_body part = keel_body_default(name);
    part.mass = mass;
    part.centre[0] = x, part.centre[1] = y, part.centre[2] = z;
    part.inertia[0] = part.inertia[1] = part.inertia[2] = mass;
    return keel_mechanism_add_body(b->m, &part, NULL);
}

static void joint(bench *b, const char *name, const char *type, int first, int second, const double at[3],
                  const double axis[3]) {
    keel_joint part = keel_joint_default(name, type, first, second);
    for (int k = 0; k < 2; k++) {
        memcpy(part.at[k], at, sizeof part.at[k]);
        memcpy(part.axis[k], axis, sizeof part.axis[k]);
    }
    assert_true(keel_mechanism_add_joint(b->m, &part, NULL) >= 0);
}

static void torsion(bench *b, const char *name, const char *on, double stiffness) {
    keel_force spring = keel_force_default(name, KEEL_FORCE_TORSION);
    spring.joint = on, spring.stiffness = stiffness;
    assert_true(keel_mechanism_add_force(b->m, &spring, NULL) >= 0);
}

static void start(bench *b, const char *quantity, double value) {
    assert_int_equal(keel_mechanism_add_start(b->m, quantity, (keel_location){"test", 7, 3}, value), KEEL_OK);
}

static void assemble(bench *b) {
    b->status = keel_mechanism_compile(b->m, b->messages, &b->c);
    if (b->status)
        return;
    b->status = keel_assemble_mechanism(&b->c, 0, NULL, b->messages, NULL);
    const keel_system *s = b->c.system;
    keel_point at = {.q = b->c.start->q, .v = b->c.start->v};
    keel_mechanism_facts facts;
    double J[6 * MOST_V];
    void *work;
    assert_true(keel_mechanism_look(s, &facts) && s->n_v <= MOST_V);
    assert_int_equal(s->work_new(s, &work), KEEL_OK);
    keel_mechanism_poses(s, work, &at, b->pose);
    for (int k = 1; k <= facts.bodies; k++) {
        keel_mechanism_body_jacobian(s, work, &at, k, J);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < s->n_v; j++)
                b->twist[k][i] += J[i * s->n_v + j] * b->c.start->v[j];
    }
    s->work_free(work);
}

static bool told(const bench *b, const char *text) {
    for (int i = 0; i < keel_diagnostics_count(b->messages); i++)
        if (strstr(keel_diagnostics_get(b->messages, i).text, text))
            return true;
    return false;
}

/* ---- floating parts ------------------------------------------------------------------------------------ */

/* A chassis with two swinging arms and a wheel on each; described from the body `first` on. */
typedef struct car {
    int chassis, arm[2], wheel[2];
} car;

static car build_car(bench *b, int first) {
    static const char *const NAME[] = {"chassis", "arm0", "wheel0", "arm1", "wheel1"};
    static const double MASS[] = {1000, 5, 20, 5, 20};
    static const double AT[5][3] = {
        {0, 0, 0.4}, {1.3, 0.5, 0}, {1.3, 0.8, 0}, {-1.3, 0.5, 0}, {-1.3, 0.8, 0}};
    int number[5];
    for (int i = 0; i < 5; i++) {
        int k = (i + first) % 5;
        number[k] = body(b, NAME[k], MASS[k], AT[k][0], AT[k][1], AT[k][2]);
    }
    car c = {number[0], {number[1], number[3]}, {number[2], number[4]}};
    for (int i = 0; i < 2; i++) {
        double x = i ? -1.3 : 1.3;
        joint(b, i ? "hinge1" : "hinge0", "revolute", c.chassis, c.arm[i], (double[3]){x, 0.2, 0.1},
              (double[3]){1, 0.1, 0});
        joint(b, i ? "axle1" : "axle0", "revolute", c.wheel[i], c.arm[i], (double[3]){x, 0.75, 0},
              (double[3]){0, 1, 0.05});
    }
    return c;
}

/* Nothing turns, and all of it moves alike, whatever body is named and whatever stands first. */
static void floating_parts_translate(void **state) {
    (void)state;
    static const char *const NAMED[] = {"chassis.x'", "wheel0.x'", "arm1.x'"};
    for (int first = 0; first < 5; first++)
        for (int k = 0; k < 3; k++) {
            bench b = begin();
            build_car(&b, first);
            start(&b, NAMED[k], 12);
            assemble(&b);
            assert_int_equal(b.status, KEEL_OK);
            for (int i = 1; i <= 5; i++)
                for (int j = 0; j < 6; j++)
                    assert_near(b.twist[i][j], j == 3 ? 12 : 0, 2e-14);
            assert_int_equal(keel_diagnostics_count(b.messages), 0);
            end(&b);
        }
}

/* The wheel turns on its axle; the heaviest body does not. */
static void a_joint_turns_before_the_part(void **state) {
    (void)state;
    for (int first = 0; first < 5; first++) {
        bench b = begin();
        car c = build_car(&b, first);
        start(&b, "axle0.angle'", 30);
        assemble(&b);
        assert_int_equal(b.status, KEEL_OK);
        for (int i = 1; i <= 5; i++)
            if (i != c.wheel[0])
                for (int j = 0; j < 6; j++)
                    assert_near(b.twist[i][j], 0, 1e-13);
        assert_near(hypot(b.twist[c.wheel[0]][1], b.twist[c.wheel[0]][2]), 30, 1e-12);
        end(&b);
    }
}

/* Two bodies of one mass: each takes half of it. */
static void equal_bodies_share(void **state) {
    (void)state;
    bench b = begin();
    int one = body(&b, "one", 2, 0, 0, 0), two = body(&b, "two", 2, 1, 0, 0);
    joint(&b, "pin", "revolute", one, two, (double[3]){0.5, 0, 0}, (double[3]){0, 0, 1});
    start(&b, "pin.angle'", 4);
    assemble(&b);
    assert_int_equal(b.status, KEEL_OK);
    assert_near(b.twist[one][2], -2, 1e-13);
    assert_near(b.twist[two][2], 2, 1e-13);
    end(&b);
}

/* ---- springs ------------------------------------------------------------------------------------------- */

/* Pins at the corners of a house, four bars; the last pin is drawn open by 0.2. */
static void build_house(bench *b, int springs) {
    static const double P[5][3] = {{0, 0}, {0, 1}, {0.5, 1.5}, {1, 1}, {1, 0}};
    static const char *const BAR[] = {"", "a", "b", "c", "d"}, *const PIN[] = {"O", "A", "B", "C", "D"};
    static const char *const LEAF[] = {"leaf_O", "leaf_A", "leaf_B", "leaf_C", "leaf_D"};
    keel_mechanism_set_planar(b->m, 1);
    for (int i = 1; i < 5; i++)
        body(b, BAR[i], i, (P[i - 1][0] + P[i][0]) / 2, (P[i - 1][1] + P[i][1]) / 2, 0);
    for (int i = 0; i < 5; i++) {
        keel_joint pin = keel_joint_default(PIN[i], "revolute", i, i < 4 ? i + 1 : KEEL_GROUND);
        for (int k = 0; k < 2; k++)
            memcpy(pin.at[k], P[i], sizeof pin.at[k]);
        pin.at[1][0] += i == 4 ? 0.2 : 0;
        assert_true(keel_mechanism_add_joint(b->m, &pin, NULL) >= 0);
    }
    for (int i = 4; i > 4 - springs; i--)
        torsion(b, LEAF[i], PIN[i], 100);
}

static void springs_are_spared(void **state) {
    (void)state;
    bench b = begin();
    build_house(&b, 2);
    assemble(&b);
    assert_int_equal(b.status, KEEL_OK);
    assert_int_equal(keel_diagnostics_count(b.messages), 0);
    end(&b);
}

/* With springs on four of five pins the loop, of two freedoms, cannot spare them. */
static void loaded_springs_are_told(void **state) {
    (void)state;
    bench b = begin();
    build_house(&b, 4);
    assemble(&b);
    assert_int_equal(b.status, KEEL_OK);
    assert_true(keel_diagnostics_count(b.messages) >= 1);
    keel_diagnostic first = keel_diagnostics_get(b.messages, 0);
    assert_int_equal(first.severity, KEEL_NOTE);
    assert_true(told(&b, "assembled: torsion spring 'leaf_") && told(&b, "is bent by"));
    assert_true(told(&b, " more than drawn"));
    end(&b);
}

/* The angle and energy of the note: 100 0.3^2/2. Of the spring that is named nothing is told. */
static void notes_tell_angle_and_energy(void **state) {
    (void)state;
    for (int named = 0; named < 2; named++) {
        bench b = begin();
        keel_mechanism_set_planar(b.m, 1);
        int rod = body(&b, "rod", 1, 1, 0, 0);
        joint(&b, "pin", "revolute", KEEL_GROUND, rod, (double[3]){0}, (double[3]){0});
        torsion(&b, "leaf", "pin", 100);
        start(&b, named ? "pin.angle" : "rod.angle", 0.3);
        assemble(&b);
        assert_int_equal(b.status, KEEL_OK);
        assert_true(told(&b, "torsion spring 'leaf' is bent by 0.3 rad, its energy is 4.5 more than drawn") ==
                    !named);
        end(&b);
    }
}

/* A spring of 50 N/m from 2 to 2.5 m, free at 1 m: 50 (1.5^2 - 1)/2. A bushing along x likewise. */
static void notes_of_lengths(void **state) {
    (void)state;
    bench b = begin();
    int box = body(&b, "box", 1, 2, 0, 0);
    keel_force spring = keel_force_default("coil", KEEL_FORCE_SPRING);
    spring.body[1] = box, spring.at[1][0] = 2, spring.stiffness = 50, spring.free = 1;
    assert_true(keel_mechanism_add_force(b.m, &spring, NULL) >= 0);
    keel_force bushing = keel_force_default("rubber", KEEL_FORCE_BUSHING);
    bushing.body[1] = box, bushing.at[0][0] = bushing.at[1][0] = 2, bushing.K[0] = 80;
    assert_true(keel_mechanism_add_force(b.m, &bushing, NULL) >= 0);
    start(&b, "box.x", 2.5);
    assemble(&b);
    assert_int_equal(b.status, KEEL_OK);
    assert_true(told(&b, "spring 'coil' is stretched by 0.5, its energy is 31.2 more than drawn"));
    assert_true(told(
        &b, "bushing 'rubber' is displaced by 0.5 and turned by 0 rad, its energy is 10 more than drawn"));
    end(&b);
}

/* ---- orientation --------------------------------------------------------------------------------------- */

static void assert_rotation(const double R[9], const double d[3]) {
    double angle = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), s = sin(angle), c = cos(angle);
    double n[3] = {d[0] / angle, d[1] / angle, d[2] / angle};
    const double K[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_near(R[3 * i + j], (i == j) * c + s * K[3 * i + j] + (1 - c) * n[i] * n[j], 1e-12);
}

/* Rodrigues' formula; turns of more than half a turn, and of several, too. The part goes along. */
static void orientations_are_met(void **state) {
    (void)state;
    static const double VECTOR[][3] = {{0.3, -0.2, 0.5}, {0, 0, 3.1}, {2.5, 2.5, -1}, {0, 4, 0}, {-7, 1, 1}};
    for (size_t k = 0; k < sizeof VECTOR / sizeof *VECTOR; k++)
        for (int first = 0; first < 5; first++) {
            bench b = begin();
            car c = build_car(&b, first);
            start(&b, "chassis.turn.x", VECTOR[k][0]);
            start(&b, "chassis.turn.y", VECTOR[k][1]);
            start(&b, "chassis.turn.z", VECTOR[k][2]);
            start(&b, "chassis.spin.y", 0.7);
            assemble(&b);
            assert_int_equal(b.status, KEEL_OK);
            for (int i = 1; i <= 5; i++)
                assert_rotation(b.pose[i].R, VECTOR[k]);
            for (int i = 0; i < 3; i++)
                assert_near(b.pose[c.chassis].r[i], b.pose[c.chassis].drawn[i], 1e-12);
            for (int j = 0; j < 6; j++)
                assert_near(b.twist[c.chassis][j], j == 1 ? 0.7 : 0, 1e-12);
            end(&b);
        }
}

static void components_not_given_are_zero(void **state) {
    (void)state;
    bench b = begin();
    int top = body(&b, "top", 1, 0, 0, 1);
    joint(&b, "ball", "spherical", KEEL_GROUND, top, (double[3]){0}, (double[3]){0});
    start(&b, "top.turn.y", 0.6);
    assemble(&b);
    assert_int_equal(b.status, KEEL_OK);
    assert_rotation(b.pose[top].R, (double[3]){0, 0.6, 0});
    assert_near(b.pose[top].r[0], sin(0.6), 1e-12);
    end(&b);
}

/* About the axis of a pin it is met, about another it contradicts the pin. */
static void joints_have_a_say(void **state) {
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        bench b = begin();
        int rod = body(&b, "rod", 1, 1, 0, 0);
        joint(&b, "pin", "revolute", KEEL_GROUND, rod, (double[3]){0}, (double[3]){0, 0, 1});
        start(&b, wrong ? "rod.turn.x" : "rod.turn.z", 0.5);
        assemble(&b);
        assert_int_equal(b.status, wrong ? KEEL_ERROR_START : KEEL_OK);
        if (wrong)
            assert_true(told(&b, "the start value of 'rod.turn.x' cannot be met: it is off by"));
        else
            assert_rotation(b.pose[rod].R, (double[3]){0, 0, 0.5});
        end(&b);
    }
}

static void wrong_turns_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *quantity, *message;
        int planar;
    } WRONG[] = {{"box.turn.z", "'box.turn.z' does not exist: the mechanism is planar; how far", 1},
                 {"box.turn.x'", "box.turn.x' is not available: angular velocities are 'spin.x'", 0},
                 {"box.turn", "'box' is a body and has no 'turn'", 0},
                 {"ground.turn.x", "cannot be set: it belongs to the ground", 0}};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        bench b = begin();
        keel_mechanism_set_planar(b.m, WRONG[i].planar);
        body(&b, "box", 1, 0, 0, 0);
        start(&b, WRONG[i].quantity, 1);
        assemble(&b);
        assert_int_equal(b.status, KEEL_ERROR_INPUT);
        if (!told(&b, WRONG[i].message))
            fail_msg("%s: %s", WRONG[i].quantity, keel_diagnostics_get(b.messages, 0).text);
        assert_int_equal(keel_diagnostics_get(b.messages, 0).where.line, 7);
        end(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floating_parts_translate),
        cmocka_unit_test(a_joint_turns_before_the_part),
        cmocka_unit_test(equal_bodies_share),
        cmocka_unit_test(springs_are_spared),
        cmocka_unit_test(loaded_springs_are_told),
        cmocka_unit_test(notes_tell_angle_and_energy),
        cmocka_unit_test(notes_of_lengths),
        cmocka_unit_test(orientations_are_met),
        cmocka_unit_test(components_not_given_are_zero),
        cmocka_unit_test(joints_have_a_say),
        cmocka_unit_test(wrong_turns_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Freedoms, repeated conditions, locked bodies: textbook mechanisms whose counts are known by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "keel/assemble.h"
#include "keel/mechanism.h"
#include "keel/mobility.h"

/* A body of mass 1 and unit inertia. */
static int add_body(keel_mechanism *m, const char *name, double x, double y) {
    keel_body body = keel_body_default(name);
    body.mass = 1;
    body.centre[0] = x, body.centre[1] = y;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
    int number = keel_mechanism_add_body(m, &body, NULL);
    assert_true(number > 0);
    return number;
}

/* A joint about (or along) an axis in the plane's normal z unless `axis` is given. */
static void add_joint(keel_mechanism *m, const char *name, const char *type, int body_0, int body_1, double x,
                      double y, double z) {
    keel_joint joint = keel_joint_default(name, type, body_0, body_1);
    for (int k = 0; k < 2; k++)
        joint.at[k][0] = x, joint.at[k][1] = y, joint.at[k][2] = z;
    assert_true(keel_mechanism_add_joint(m, &joint, NULL) >= 0);
}

typedef struct bench {
    keel_compiled compiled;
    keel_mobility mobility;
    keel_diagnostics *diagnostics;
} bench;

static void look_at(bench *b, keel_mechanism *m) {
    b->diagnostics = keel_diagnostics_new();
    keel_status status = keel_mechanism_compile(m, b->diagnostics, &b->compiled);
    if (status)
        fail_msg("%s", keel_diagnostics_get(b->diagnostics, 0).text);
    assert_int_equal(keel_assemble_mechanism(&b->compiled, 0, NULL, NULL, NULL), KEEL_OK);
    assert_int_equal(keel_mobility_find(b->compiled.system, b->compiled.start, 0, &b->mobility), KEEL_OK);
    assert_true(b->mobility.known);
    keel_mechanism_free(m);
}

static void close_bench(bench *b) {
    keel_mobility_clear(&b->mobility);
    keel_compiled_clear(&b->compiled);
    keel_diagnostics_free(b->diagnostics);
}

/* Two hinges on one axis: 6 - 2 * 5 = -4 by count, 1 in truth; in either kind of coordinates. */
static void a_door_has_a_hinge_too_many(void **state) {
    (void)state;
    for (int c = KEEL_COORDINATES_RELATIVE; c <= KEEL_COORDINATES_ABSOLUTE; c++) {
        keel_mechanism *m = keel_mechanism_new();
        bench b;
        char text[200];
        int door = add_body(m, "door", 0.4, 0);
        keel_mechanism_set_coordinates(m, (keel_coordinates)c);
        add_joint(m, "hinge_1", "revolute", KEEL_GROUND, door, 0, 0, 0.5);
        add_joint(m, "hinge_2", "revolute", KEEL_GROUND, door, 0, 0, 1.5);
        look_at(&b, m);
        assert_int_equal(b.mobility.gruebler, -4);
        assert_int_equal(b.mobility.freedoms, 1);
        assert_int_equal(b.mobility.repetition_count, 1);
        assert_string_equal(keel_mobility_sentence(b.compiled.system, &b.mobility.repetitions[0], text, 200),
                            "hinge_2 repeats 5 conditions that hinge_1 already imposes");
        assert_true(b.mobility.shared[0] && b.mobility.shared[1]);
        assert_int_equal(b.mobility.body[door], KEEL_BODY_MOVES);
        assert_int_equal(keel_mobility_check(b.compiled.system, &b.mobility, b.diagnostics), KEEL_OK);
        close_bench(&b);
    }
}

/* A four-bar of revolutes about z, in space: 18 - 20 = -2 by count; three conditions follow from the others.
 * A pendulum beside it shares nothing. */
static void four_bar(keel_mechanism *m) {
    int crank = add_body(m, "crank", 0, 0.5), coupler = add_body(m, "coupler", 1, 1.5);
    int rocker = add_body(m, "rocker", 2, 1), bob = add_body(m, "bob", 5, -1);
    add_joint(m, "A", "revolute", KEEL_GROUND, crank, 0, 0, 0);
    add_joint(m, "B", "revolute", crank, coupler, 0, 1, 0);
    add_joint(m, "C", "revolute", coupler, rocker, 2, 2, 0);
    add_joint(m, "D", "revolute", KEEL_GROUND, rocker, 2, 0, 0);
    add_joint(m, "P", "revolute", KEEL_GROUND, bob, 5, 0, 0);
}

static void a_spatial_four_bar_is_overconstrained(void **state) {
    (void)state;
    keel_mechanism *m = keel_mechanism_new();
    bench b;
    four_bar(m);
    keel_mechanism_set_coordinates(m, KEEL_COORDINATES_RELATIVE);
    look_at(&b, m);
    assert_int_equal(b.mobility.gruebler, 24 - 25);
    assert_int_equal(b.mobility.freedoms, 2);
    assert_int_equal(b.mobility.repetition_count, 1);
    assert_int_equal(b.mobility.repetitions[0].conditions, 3);
    assert_int_equal(b.mobility.repetitions[0].other_count, 3);
    for (int j = 0; j < 4; j++)
        assert_true(b.mobility.shared[j]);
    assert_false(b.mobility.shared[4]);
    close_bench(&b);
}

static void a_planar_four_bar_is_not(void **state) {
    (void)state;
    keel_mechanism *m = keel_mechanism_new();
    bench b;
    four_bar(m);
    keel_mechanism_set_planar(m, 1);
    look_at(&b, m);
    assert_int_equal(b.mobility.gruebler, 2);
    assert_int_equal(b.mobility.freedoms, 2);
    assert_int_equal(b.mobility.repetition_count, 0);
    close_bench(&b);
}

/* Motions do not count: a driven crank has a freedom, which the motion uses up. */
static void motions_are_left_out(void **state) {
    (void)state;
    keel_mechanism *m = keel_mechanism_new();
    keel_motion motion = {.name = "drive", .quantity = "A.angle", .speed = 1};
    bench b;
    four_bar(m);
    keel_mechanism_set_planar(m, 1);
    assert_true(keel_mechanism_add_motion(m, &motion, NULL) >= 0);
    look_at(&b, m);
    assert_int_equal(b.mobility.gruebler, 2);
    assert_int_equal(b.mobility.freedoms, 2);
    assert_int_equal(b.mobility.motions, 1);
    assert_int_equal(b.mobility.driven, 1);
    assert_int_equal(keel_mobility_check(b.compiled.system, &b.mobility, b.diagnostics), KEEL_OK);
    close_bench(&b);
}

/* A plate pinned at two places cannot move; a pendulum and a free body beside it can. */
static void two_pins_lock_a_plate(void **state) {
    (void)state;
    for (int c = KEEL_COORDINATES_RELATIVE; c <= KEEL_COORDINATES_ABSOLUTE; c++) {
        keel_mechanism *m = keel_mechanism_new();
        bench b;
        keel_mechanism_set_planar(m, 1);
        keel_mechanism_set_coordinates(m, (keel_coordinates)c);
        int plate = add_body(m, "plate", 0.5, 0), bob = add_body(m, "bob", 5, -1);
        int loose = add_body(m, "loose", 7, 0), post = add_body(m, "post", 9, 0);
        add_joint(m, "a", "revolute", KEEL_GROUND, plate, 0, 0, 0);
        add_joint(m, "b", "revolute", KEEL_GROUND, plate, 1, 0, 0);
        add_joint(m, "p", "revolute", KEEL_GROUND, bob, 5, 0, 0);
        add_joint(m, "f", "fixed", KEEL_GROUND, post, 9, 0, 0);
        look_at(&b, m);
        assert_int_equal(b.mobility.body[plate], KEEL_BODY_LOCKED);
        assert_int_equal(b.mobility.body[bob], KEEL_BODY_MOVES);
        assert_int_equal(b.mobility.body[loose], KEEL_BODY_FREE);
        assert_int_equal(b.mobility.body[post], KEEL_BODY_FIXED);
        assert_int_equal(b.mobility.freedoms, 1 + 3);
        assert_int_equal(b.mobility.gruebler, 12 - 4 - 2 - 3);
        int before = keel_diagnostics_count(b.diagnostics);
        assert_int_equal(keel_mobility_check(b.compiled.system, &b.mobility, b.diagnostics),
                         KEEL_ERROR_INPUT);
        assert_int_equal(keel_diagnostics_count(b.diagnostics), before + 1);
        assert_non_null(strstr(keel_diagnostics_get(b.diagnostics, before).text,
                               "joints 'a' and 'b' lock body 'plate': it cannot move"));
        close_bench(&b);
    }
}

/* A plate on three pins: two of them lock it, and what hangs from it has no part in that. In either kind of
 * coordinates, wherever the tree is cut. */
static void only_joints_that_it_takes_lock(void **state) {
    (void)state;
    for (int c = KEEL_COORDINATES_RELATIVE; c <= KEEL_COORDINATES_ABSOLUTE; c++) {
        keel_mechanism *m = keel_mechanism_new();
        bench b;
        keel_mechanism_set_planar(m, 1);
        keel_mechanism_set_coordinates(m, (keel_coordinates)c);
        int plate = add_body(m, "plate", 0.5, 0), bob = add_body(m, "bob", 0.5, -1);
        add_joint(m, "hook", "revolute", plate, bob, 0.5, 0, 0);
        add_joint(m, "a", "revolute", KEEL_GROUND, plate, 0, 0, 0);
        add_joint(m, "b", "revolute", KEEL_GROUND, plate, 1, 0, 0);
        add_joint(m, "c", "revolute", KEEL_GROUND, plate, 2, 0, 0);
        look_at(&b, m);
        assert_non_null(b.mobility.lockers);
        assert_false(b.mobility.lockers[0]);
        assert_true(b.mobility.lockers[1] && b.mobility.lockers[2]);
        assert_false(b.mobility.lockers[3]);
        close_bench(&b);
    }
}

/* Gears that are coupled twice, by different ratios, stand still: each by its own shaft and both couplings.
 */
static void gears_can_lock(void **state) {
    (void)state;
    keel_mechanism *m = keel_mechanism_new();
    bench b;
    keel_mechanism_set_planar(m, 1);
    int wheel = add_body(m, "wheel", 0, 0), pinion = add_body(m, "pinion", 1, 0);
    add_joint(m, "A", "revolute", KEEL_GROUND, wheel, 0, 0, 0);
    add_joint(m, "B", "revolute", KEEL_GROUND, pinion, 1, 0, 0);
    for (int k = 0; k < 2; k++) {
        keel_joint gear = keel_joint_default(k ? "back" : "forth", "gear", 0, 0);
        gear.joint[0] = 0, gear.joint[1] = 1;
        gear.ratio = k ? 2 : -2;
        assert_true(keel_mechanism_add_joint(m, &gear, NULL) >= 0);
    }
    look_at(&b, m);
    assert_int_equal(b.mobility.body[wheel], KEEL_BODY_LOCKED);
    assert_int_equal(b.mobility.body[pinion], KEEL_BODY_LOCKED);
    for (int j = 0; j < 4; j++) {
        assert_int_equal(b.mobility.lockers[j], j != 1);
        assert_int_equal(b.mobility.lockers[4 + j], j != 0);
    }
    close_bench(&b);
}

/* A body that turns about its own centre and has a mass only. */
static void missing_inertia_is_found(void **state) {
    (void)state;
    for (int given = 0; given < 2; given++)
        for (int c = KEEL_COORDINATES_RELATIVE; c <= KEEL_COORDINATES_ABSOLUTE; c++) {
            keel_mechanism *m = keel_mechanism_new();
            bench b;
            keel_mechanism_set_coordinates(m, (keel_coordinates)c);
            int arm = add_body(m, "arm", 0.5, 0);
            keel_body body = keel_body_default("disc");
            body.mass = 1;
            body.centre[0] = 1;
            body.inertia[0] = body.inertia[2] = given;
            int disc = keel_mechanism_add_body(m, &body, NULL);
            add_joint(m, "hip", "revolute", KEEL_GROUND, arm, 0, 0, 0);
            add_joint(m, "axle", "revolute", arm, disc, 1, 0, 0);
            look_at(&b, m);
            int before = keel_diagnostics_count(b.diagnostics);
            assert_int_equal(keel_inertia_check(b.compiled.system, b.compiled.start, 0, b.diagnostics),
                             given ? KEEL_OK : KEEL_ERROR_INPUT);
            assert_int_equal(keel_diagnostics_count(b.diagnostics), before + !given);
            if (!given)
                assert_non_null(strstr(keel_diagnostics_get(b.diagnostics, before).text,
                                       "body 'disc' can turn in a way that no inertia resists"));
            close_bench(&b);
        }
}

/* Posts on posts, the uppermost tied first; beside them two bodies tied only to each other. */
static void fixed_joints_tie_in_any_order(void **state) {
    (void)state;
    keel_mechanism *m = keel_mechanism_new();
    bench b;
    int low = add_body(m, "low", 0, 1), middle = add_body(m, "middle", 0, 2),
        high = add_body(m, "high", 0, 3);
    int left = add_body(m, "left", 5, 0), right = add_body(m, "right", 6, 0);
    add_joint(m, "b", "fixed", middle, high, 0, 2, 0);
    add_joint(m, "pair", "fixed", right, left, 5, 0, 0);
    add_joint(m, "a", "fixed", middle, low, 0, 1, 0);
    add_joint(m, "foot", "fixed", low, KEEL_GROUND, 0, 0, 0);
    look_at(&b, m);
    for (int body = low; body <= high; body++)
        assert_int_equal(b.mobility.body[body], KEEL_BODY_FIXED);
    assert_int_equal(b.mobility.body[left], KEEL_BODY_MOVES);
    assert_int_equal(b.mobility.body[right], KEEL_BODY_MOVES);
    close_bench(&b);
}

/* Too many entries: only what can be counted is told. */
static void large_mechanisms_are_only_counted(void **state) {
    (void)state;
    keel_mechanism *m = keel_mechanism_new();
    bench b;
    four_bar(m);
    look_at(&b, m);
    keel_mobility counted;
    assert_int_equal(keel_mobility_find(b.compiled.system, b.compiled.start, 1, &counted), KEEL_OK);
    assert_false(counted.known);
    assert_int_equal(counted.gruebler, b.mobility.gruebler);
    assert_int_equal(keel_mobility_check(b.compiled.system, &counted, b.diagnostics), KEEL_OK);
    keel_mobility_clear(&counted);
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_door_has_a_hinge_too_many),
        cmocka_unit_test(a_spatial_four_bar_is_overconstrained),
        cmocka_unit_test(a_planar_four_bar_is_not),
        cmocka_unit_test(motions_are_left_out),
        cmocka_unit_test(two_pins_lock_a_plate),
        cmocka_unit_test(only_joints_that_it_takes_lock),
        cmocka_unit_test(gears_can_lock),
        cmocka_unit_test(missing_inertia_is_found),
        cmocka_unit_test(fixed_joints_tie_in_any_order),
        cmocka_unit_test(large_mechanisms_are_only_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The description of a mechanism: copies, names, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mechanism/description.h"

static const keel_location NOWHERE = {0};

typedef struct world {
    keel_mechanism *m;
    keel_diagnostics *list;
} world;

static world new_world(void) {
    world w = {keel_mechanism_new(), keel_diagnostics_new()};
    assert_non_null(w.m);
    assert_non_null(w.list);
    return w;
}

static void free_world(world w) {
    keel_mechanism_free(w.m);
    keel_diagnostics_free(w.list);
}

static int add_body(world w, const char *name) {
    keel_body body = keel_body_default(name);
    body.mass = 1;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
    return keel_mechanism_add_body(w.m, &body, w.list);
}

static int add_joint(world w, const char *name, const char *type, int body_0, int body_1) {
    keel_joint joint = keel_joint_default(name, type, body_0, body_1);
    return keel_mechanism_add_joint(w.m, &joint, w.list);
}

/* The last message contains `text`. */
static void assert_said(world w, const char *text) {
    int count = keel_diagnostics_count(w.list);
    assert_true(count > 0);
    const char *said = keel_diagnostics_get(w.list, count - 1).text;
    if (!strstr(said, text))
        fail_msg("'%s' was said, not '%s'", said, text);
}

static void texts_and_places_are_copied(void **state) {
    (void)state;
    world w = new_world();
    char name[] = "rod", file[] = "a.yaml", law[] = "3*length", variable[] = "i", quantity[] = "pin.angle";
    const char *variables[] = {variable};
    double value = 4;
    keel_body body = keel_body_default(name);
    body.where = (keel_location){file, 3, 7};
    body.mass = 2;
    assert_int_equal(keel_mechanism_add_body(w.m, &body, w.list), 1);
    keel_force spring = keel_force_default("pull", KEEL_FORCE_SPRING);
    spring.body[1] = 1;
    spring.law = (keel_formula){law, body.where, 1, variables, &value};
    assert_int_equal(keel_mechanism_add_force(w.m, &spring, w.list), 0);
    keel_motion motion = {.name = "drive", .quantity = quantity, .speed = 1};
    assert_int_equal(keel_mechanism_add_motion(w.m, &motion, w.list), 0);
    memset(name, 'x', 3), memset(file, 'x', 6), memset(law, 'x', 8), memset(quantity, 'x', 9);
    variable[0] = 'x', value = 0;

    assert_int_equal(keel_mechanism_find_body(w.m, "rod"), 1);
    assert_string_equal(w.m->body[1].name, "rod");
    assert_string_equal(w.m->body[1].where.file, "a.yaml");
    assert_int_equal(w.m->body[1].where.line, 3);
    assert_string_equal(w.m->force[0].law.text, "3*length");
    assert_string_equal(w.m->force[0].law.local_name[0], "i");
    assert_true(w.m->force[0].law.local_value[0] == 4);
    assert_true(isnan(w.m->force[0].free));
    assert_string_equal(w.m->motion[0].quantity, "pin.angle");
    free_world(w);
}

static void names_are_found(void **state) {
    (void)state;
    world w = new_world();
    int a = add_body(w, "a"), b = add_body(w, "b"), number = -1;
    assert_int_equal(add_joint(w, "tip", "revolute", a, b), 0);
    const double at[3] = {1, 2, 3};
    assert_int_equal(keel_mechanism_add_point(w.m, "tip", a, at, NOWHERE, w.list), 0);
    assert_int_equal(keel_mechanism_add_point(w.m, "end", a, at, NOWHERE, w.list), 1);
    assert_int_equal(keel_mechanism_add_point(w.m, "end", b, at, NOWHERE, w.list), 2);
    assert_int_equal(keel_mechanism_find_body(w.m, "ground"), KEEL_GROUND);
    assert_int_equal(keel_mechanism_find_body(w.m, "tip"), -1);
    assert_int_equal(keel_mechanism_find_joint(w.m, "tip"), 0);

    /* a part wins over a point of the same name, which ki_find_point still finds; length counts */
    assert_int_equal(ki_find_part(w.m, "tip.angle", 3, &number), KI_JOINT);
    assert_int_equal(ki_find_point(w.m, -1, "tip", 3), 0);
    assert_int_equal(ki_find_part(w.m, "b", 1, &number), KI_BODY);
    assert_int_equal(number, b);
    assert_int_equal(ki_find_part(w.m, "bb", 2, &number), KI_NO_PART);

    /* "end" is a point of two bodies */
    assert_int_equal(ki_find_part(w.m, "end", 3, &number), KI_NO_PART);
    assert_int_equal(ki_find_point(w.m, -1, "end", 3), -1);
    assert_int_equal(ki_find_point(w.m, b, "end", 3), 2);
    assert_int_equal(ki_find_point(w.m, KEEL_GROUND, "end", 3), -1);

    double value = 0;
    assert_int_equal(keel_mechanism_add_parameter(w.m, "L", 2.5), KEEL_OK);
    assert_int_equal(keel_mechanism_add_parameter(w.m, "L", 3), KEEL_ERROR_INPUT);
    assert_true(ki_find_parameter(w.m, "L", &value) && value == 2.5);
    assert_false(ki_find_parameter(w.m, "a", &value));
    free_world(w);
}

static void many_names_are_found(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    world w = new_world();
    char name[32], hint[KI_PART_HINT];
    for (int i = 1; i <= COUNT; i++) {
        snprintf(name, sizeof name, "bar[%d]", i);
        assert_int_equal(add_body(w, name), i);
    }
    for (int i = 1; i <= COUNT; i++) {
        snprintf(name, sizeof name, "bar[%d]", i);
        assert_int_equal(keel_mechanism_find_body(w.m, name), i);
    }
    assert_string_equal(ki_hint(w.m, KI_BODY, "bar[0]", hint), "; there are 'bar[1]' to 'bar[3000]'");
    assert_string_equal(ki_hint(w.m, KI_BODY, "groundd", hint), "; did you mean 'ground'?");
    assert_string_equal(ki_hint(w.m, KI_JOINT, "bar[1]", hint), "");
    free_world(w);
}

static void wrong_names_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *name, *said;
    } WRONG[] = {
        {"", "needs a name"},          {NULL, "needs a name"},
        {"a.b", "has a '.'"},          {"1a", "cannot be the name"},
        {"a b", "cannot be the name"}, {"a[", "cannot be the name"},
        {"a[1", "cannot be the name"}, {"a[i]", "cannot be the name"},
        {"a[]", "cannot be the name"}, {"a[1]b", "cannot be the name"},
        {"ground", "does not move"},   {"rod", "taken by a body"},
    };
    world w = new_world();
    assert_int_equal(add_body(w, "rod"), 1);
    assert_int_equal(add_body(w, "rod[1,2]"), 2);
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        assert_int_equal(add_body(w, WRONG[i].name), KEEL_ERROR_INPUT);
        assert_said(w, WRONG[i].said);
    }
    assert_int_equal(w.m->body_count, 3);
    assert_int_equal(add_joint(w, "rod", "revolute", 0, 1), KEEL_ERROR_INPUT);
    assert_said(w, "the name 'rod' of this joint is taken by a body");
    const double at[3] = {0};
    assert_int_equal(keel_mechanism_add_point(w.m, "x", 1, at, NOWHERE, w.list), KEEL_ERROR_INPUT);
    assert_said(w, "'rod.x' is a quantity");
    assert_int_equal(keel_mechanism_add_point(w.m, "A", 7, at, NOWHERE, w.list), KEEL_ERROR_INPUT);
    free_world(w);
}

static void wrong_numbers_are_refused(void **state) {
    (void)state;
    world w = new_world();
    keel_body body = keel_body_default("a");
    body.mass = -1;
    assert_int_equal(keel_mechanism_add_body(w.m, &body, w.list), KEEL_ERROR_INPUT);
    body.mass = NAN;
    assert_int_equal(keel_mechanism_add_body(w.m, &body, w.list), KEEL_ERROR_INPUT);
    body.mass = 1, body.inertia[4] = INFINITY;
    assert_int_equal(keel_mechanism_add_body(w.m, &body, w.list), KEEL_ERROR_INPUT);
    assert_int_equal(add_body(w, "a"), 1);

    assert_int_equal(add_joint(w, "j", "revolut", 0, 1), KEEL_ERROR_INPUT);
    assert_said(w, "did you mean 'revolute'?");
    assert_int_equal(add_joint(w, "j", "revolute", 1, 1), KEEL_ERROR_INPUT);
    assert_said(w, "same body");
    assert_int_equal(add_joint(w, "j", "revolute", 0, 2), KEEL_ERROR_INPUT);
    assert_said(w, "no body number 2");
    assert_int_equal(add_joint(w, "j", "gear", 0, 1), KEEL_ERROR_INPUT);
    assert_said(w, "no joint number -1");
    keel_joint joint = keel_joint_default("j", "revolute", 0, 1);
    joint.at[1][2] = NAN;
    assert_int_equal(keel_mechanism_add_joint(w.m, &joint, w.list), KEEL_ERROR_INPUT);
    joint = keel_joint_default("j", "revolute", 0, 1);
    joint.friction.coulomb = 0.1, joint.friction.slip = 0;
    assert_int_equal(keel_mechanism_add_joint(w.m, &joint, w.list), KEEL_ERROR_INPUT);
    assert_said(w, "slip");

    keel_force force = keel_force_default("f", KEEL_FORCE_PUSH);
    force.body[1] = 1;
    assert_int_equal(keel_mechanism_add_force(w.m, &force, w.list), KEEL_ERROR_INPUT);
    assert_said(w, "no component");
    force = keel_force_default("f", KEEL_FORCE_SPRING);
    force.body[1] = 1, force.damping = -1;
    assert_int_equal(keel_mechanism_add_force(w.m, &force, w.list), KEEL_ERROR_INPUT);
    assert_said(w, "damping is negative");
    force = keel_force_default("f", KEEL_FORCE_BUSHING);
    force.body[1] = 1, force.C[35] = -1;
    assert_int_equal(keel_mechanism_add_force(w.m, &force, w.list), KEEL_ERROR_INPUT);
    keel_motion motion = {.name = "drive"};
    assert_int_equal(keel_mechanism_add_motion(w.m, &motion, w.list), KEEL_ERROR_INPUT);
    free_world(w);
}

static void an_axis_of_one_body_is_meant_for_both(void **state) {
    (void)state;
    world w = new_world();
    add_body(w, "a");
    keel_joint joint = keel_joint_default("j", "revolute", 0, 1);
    joint.axis[1][1] = 2;
    assert_int_equal(keel_mechanism_add_joint(w.m, &joint, w.list), 0);
    assert_true(w.m->joint[0].axis[0][1] == 2 && w.m->joint[0].axis[1][1] == 2);
    free_world(w);
}

static keel_status check_inertia(const double inertia[6], const char *said) {
    world w = new_world();
    keel_body body = keel_body_default("a");
    body.mass = 1;
    memcpy(body.inertia, inertia, sizeof body.inertia);
    assert_int_equal(keel_mechanism_add_body(w.m, &body, w.list), 1);
    keel_status status = ki_description_check(w.m, w.list);
    if (said)
        assert_said(w, said);
    free_world(w);
    return status;
}

/* R diag(moment) R^T with the turn R about (1,1,1)/sqrt(3) by 90 degrees: R = n n^T + [n]. */
static void oblique(const double moment[3], double inertia[6]) {
    double c = 1.0 / 3, s = 1 / sqrt(3), R[3][3] = {{c, c - s, c + s}, {c + s, c, c - s}, {c - s, c + s, c}};
    static const int ROW[6] = {0, 1, 2, 0, 1, 2}, COLUMN[6] = {0, 1, 2, 1, 2, 0};
    for (int i = 0; i < 6; i++) {
        inertia[i] = 0;
        for (int k = 0; k < 3; k++)
            inertia[i] += R[ROW[i]][k] * moment[k] * R[COLUMN[i]][k];
    }
}

static void impossible_inertias_are_refused(void **state) {
    (void)state;
    double inertia[6];
    assert_int_equal(
        check_inertia((const double[6]){1, 1, 2.1, 0, 0, 0}, "zz = 2.1 is more than xx + yy = 2"),
        KEEL_ERROR_INPUT);
    assert_int_equal(check_inertia((const double[6]){9, 1, 2, 0, 0, 0}, "xx = 9 is more than yy + zz = 3"),
                     KEEL_ERROR_INPUT);
    assert_int_equal(check_inertia((const double[6]){1, 1, 2, 0, 0, 0}, NULL), KEEL_OK); /* a thin plate */
    assert_int_equal(check_inertia((const double[6]){0, 0, 0, 0, 0, 0}, NULL), KEEL_OK); /* a point */
    assert_int_equal(check_inertia((const double[6]){0, 3, 3, 0, 0, 0}, NULL), KEEL_OK); /* a thin rod */
    assert_int_equal(check_inertia((const double[6]){1, 1, 1, 2, 0, 0}, "negative"), KEEL_ERROR_INPUT);
    oblique((const double[3]){1, 2, 3.5}, inertia);
    assert_int_equal(check_inertia(inertia, "principal moments 1, 2, 3.5"), KEEL_ERROR_INPUT);
    oblique((const double[3]){1, 2, 2.9}, inertia);
    assert_int_equal(check_inertia(inertia, NULL), KEEL_OK);
}

static void the_whole_is_checked(void **state) {
    (void)state;
    world w = new_world();
    assert_int_equal(ki_description_check(w.m, w.list), KEEL_ERROR_INPUT);
    assert_said(w, "needs a body");
    keel_body massless = keel_body_default("link");
    assert_int_equal(keel_mechanism_add_body(w.m, &massless, w.list), 1);
    assert_int_equal(ki_description_check(w.m, w.list), KEEL_ERROR_INPUT);
    assert_said(w, "no joint holds it");
    assert_int_equal(add_joint(w, "pin", "revolute", 0, 1), 0);
    assert_int_equal(ki_description_check(w.m, w.list), KEEL_OK);
    assert_int_equal(add_joint(w, "slide", "prismatic", 0, 1), 1);
    assert_int_equal(ki_description_check(w.m, w.list), KEEL_ERROR_INPUT);
    assert_said(w, "needs an axis");
    w.m->joint[1].axis[0][2] = w.m->joint[1].axis[1][2] = 1;
    assert_int_equal(ki_description_check(w.m, w.list), KEEL_OK);
    keel_mechanism_set_planar(w.m, 1);
    assert_int_equal(ki_description_check(w.m, w.list), KEEL_ERROR_INPUT);
    assert_said(w, "no part in the plane");
    free_world(w);
}

/* A joint of two bodies, changed, among a pin and a slider. */
static keel_status check_joint(void (*change)(keel_joint *joint), const char *type, const char *said) {
    world w = new_world();
    add_body(w, "a");
    add_body(w, "b");
    assert_int_equal(add_joint(w, "pin", "revolute", 0, 1), 0);
    keel_joint joint = keel_joint_default("slider", "prismatic", 0, 2);
    joint.axis[0][0] = 1;
    assert_int_equal(keel_mechanism_add_joint(w.m, &joint, w.list), 1);
    joint = keel_joint_default("third", type, 1, 2);
    change(&joint);
    assert_int_equal(keel_mechanism_add_joint(w.m, &joint, w.list), 2);
    keel_status status = ki_description_check(w.m, w.list);
    if (said)
        assert_said(w, said);
    free_world(w);
    return status;
}

static void pin_first(keel_joint *joint) {
    joint->joint[0] = 0, joint->joint[1] = 1, joint->ratio = 2;
}

static void slider_first(keel_joint *joint) {
    joint->joint[0] = 1, joint->joint[1] = 0, joint->ratio = 2;
}

static void racks_turn_and_slide(void **state) {
    (void)state;
    assert_int_equal(check_joint(pin_first, "rack", NULL), KEEL_OK);
    assert_int_equal(
        check_joint(slider_first, "rack", "'slider' (prismatic) slides and 'pin' (revolute) turns"),
        KEEL_ERROR_INPUT);
    assert_int_equal(check_joint(pin_first, "gear", "is 'rack'"), KEEL_ERROR_INPUT);
}

static void make_dry(keel_joint *joint) {
    joint->friction.coulomb = 0.1;
    joint->axis[0][2] = 1;
}

static void make_dry_with_radius(keel_joint *joint) {
    make_dry(joint);
    joint->friction.radius = 0.01;
}

static void make_viscous(keel_joint *joint) {
    joint->friction.viscous = 0.1;
    joint->at[1][0] = 1;
}

static void friction_has_something_to_act_on(void **state) {
    (void)state;
    assert_int_equal(check_joint(make_dry, "revolute", "needs a lever arm"), KEEL_ERROR_INPUT);
    assert_int_equal(check_joint(make_dry, "universal", "needs a lever arm"), KEEL_ERROR_INPUT);
    assert_int_equal(check_joint(make_dry_with_radius, "revolute", NULL), KEEL_OK);
    assert_int_equal(check_joint(make_dry, "cylindrical", NULL), KEEL_OK);
    assert_int_equal(check_joint(make_viscous, "distance", "no coordinate"), KEEL_ERROR_INPUT);
}

static void make_wheel(keel_joint *joint) {
    joint->radius = 0.3;
    joint->axis[0][1] = 1;
    joint->at[1][2] = 0.3;
}

static void make_flat_wheel(keel_joint *joint) {
    make_wheel(joint);
    joint->axis[0][1] = 0, joint->axis[0][2] = 2;
}

static void wheels_do_not_lie_flat(void **state) {
    (void)state;
    assert_int_equal(check_joint(make_wheel, "wheel", NULL), KEEL_OK);
    assert_int_equal(check_joint(make_flat_wheel, "wheel", "the wheel lies flat"), KEEL_ERROR_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_and_places_are_copied),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(many_names_are_found),
        cmocka_unit_test(wrong_names_are_refused),
        cmocka_unit_test(wrong_numbers_are_refused),
        cmocka_unit_test(an_axis_of_one_body_is_meant_for_both),
        cmocka_unit_test(impossible_inertias_are_refused),
        cmocka_unit_test(the_whole_is_checked),
        cmocka_unit_test(racks_turn_and_slide),
        cmocka_unit_test(friction_has_something_to_act_on),
        cmocka_unit_test(wheels_do_not_lie_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

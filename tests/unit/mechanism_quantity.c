/* Names of quantities: what they measure, their derivatives, where they may be used, and what is said of
 * those that are not there; motions and start values. */
#include "mechanism_helper.h"

static const keel_location HERE = {"model.yaml", 3, 9};

/* An arm on a pin that is described from the arm, and a slide on the arm; a spring to a free body. */
static keel_mechanism *machine(int planar) {
    keel_mechanism *m = keel_mechanism_new();
    const double gravity[3] = {0, -9.81, 0}, tip[3] = {1, 0.2, planar ? 0 : 0.3}, far[3] = {2, 1, 0};
    keel_mechanism_set_planar(m, planar);
    keel_mechanism_set_gravity(m, gravity);
    int arm = add_body(m, "arm", 1, 0.5, 0, 0), slide = add_body(m, "slide[2]", 2, 1.1, 0.1, 0);
    int ball = add_body(m, "ball", 0.5, 2, 1, 0);
    keel_joint pin = joint_at("pin", "revolute", arm, KEEL_GROUND, 0, 0, 0);
    pin.reading[0] = 0.25;
    keel_joint rail = joint_at("rail", planar ? "prismatic" : "cylindrical", arm, slide, 1, 0.1, 0);
    set_axis(&rail, 1, 0.3, planar ? 0 : 0.2);
    assert_true(keel_mechanism_add_joint(m, &pin, NULL) >= 0);
    assert_true(keel_mechanism_add_joint(m, &rail, NULL) >= 0);
    keel_mechanism_add_point(m, "tip", slide, tip, HERE, NULL);
    keel_mechanism_add_point(m, "mark", arm, tip, HERE, NULL);
    keel_mechanism_add_point(m, "mark", ball, far, HERE, NULL);
    keel_force spring = force_at("spring", KEEL_FORCE_SPRING, slide, ball, tip, far);
    spring.stiffness = 20, spring.free = 0.5;
    add_force(m, &spring);
    keel_mechanism_add_parameter(m, "L", 2.5);
    return m;
}

static const char *const PLANAR[] = {"pin.angle", "rail.displacement", "slide[2].tip.x", "tip.y",
                                     "arm.x",     "arm.angle",         "spring.length",  "ball.mark.y"};
static const char *const SPATIAL[] = {"pin.angle", "rail.angle", "rail.displacement", "slide[2].tip.z",
                                      "tip.x",     "arm.y",      "spring.length",     "ball.mark.x"};

/* f, f' and f'' of eight quantities, and the spin of a body with its derivative. */
static probe measured(int planar, keel_coordinates coordinates) {
    keel_mechanism *m = machine(planar);
    char text[8][2][40];
    for (int i = 0; i < 8; i++) {
        const char *name = planar ? PLANAR[i] : SPATIAL[i];
        add_output(m, name, name);
        for (int k = 0; k < 2; k++) {
            snprintf(text[i][k], sizeof text[i][k], "%s%s", name, k ? "''" : "'");
            add_output(m, text[i][k], text[i][k]);
        }
    }
    add_output(m, "spin", planar ? "slide[2].spin" : "slide[2].spin.y");
    add_output(m, "spin'", planar ? "slide[2].spin'" : "slide[2].spin.y'");
    return probe_new(m, coordinates);
}

static void derivatives_along_a_motion(void **state) {
    (void)state;
    for (int planar = 0; planar < 2; planar++)
        for (int c = KEEL_COORDINATES_RELATIVE; c <= KEEL_COORDINATES_ABSOLUTE; c++) {
            enum { COUNT = 26 };
            const double h = 1e-5;
            double now[COUNT], before[COUNT], after[COUNT];
            probe p = measured(planar, (keel_coordinates)c);
            any_seed = 3;
            set_in_motion(&p);
            outputs(&p, now);
            travel(&p, -h);
            outputs(&p, before);
            travel(&p, 2 * h);
            outputs(&p, after);
            for (int i = 0; i < COUNT - 1; i++)
                if (i >= 24 || i % 3 < 2)
                    assert_near(now[i + 1], (after[i] - before[i]) / (2 * h), 1e-6 * (1 + fabs(now[i + 1])));
            assert_true(fabs(now[2]) > 1e-3 && fabs(now[5]) > 1e-3 && fabs(now[8]) > 1e-3);
            probe_free(&p);
        }
}

/* As drawn: readings, positions, lengths. */
static void values_as_drawn(void **state) {
    (void)state;
    double x[8];
    keel_mechanism *m = machine(0);
    add_output(m, "angle", "pin.angle");
    add_output(m, "z", "slide[2].tip.z");
    add_output(m, "x", "slide[2].x");
    add_output(m, "length", "spring.length");
    add_output(m, "pull", "spring.force");
    add_output(m, "R", "arm.R11 + 10*arm.R12");
    add_output(m, "sum", "sum(i, 2, 2, slide[i].tip.x + L*i) + t");
    add_output(m, "ground", "ground.x");
    probe p = probe_new(m, KEEL_COORDINATES_ABSOLUTE);
    p.t = 0.5;
    outputs(&p, x);
    double length = sqrt(1 + 0.64 + 0.09),
           expected[] = {0.25, 0.3, 1.1, length, 20 * (length - 0.5), 1, 6.5, 0};
    for (int i = 0; i < 8; i++)
        assert_near(x[i], expected[i], 1e-12);
    assert_string_equal(p.system->names.output[3], "length");
    probe_free(&p);
}

/* ---- motions and start values ------------------------------------------------------------------------- */

static void add_motion(keel_mechanism *m, const char *quantity, const char *law, double speed) {
    keel_motion motion = {
        .name = law ? "drive" : "turn", .where = HERE, .quantity = quantity, .speed = speed};
    if (law)
        motion.law = formula(law);
    assert_true(keel_mechanism_add_motion(m, &motion, NULL) >= 0);
}

/* Phi = value - f(t), xi carries f'' */
static void laws_of_motion(void **state) {
    (void)state;
    for (int c = KEEL_COORDINATES_RELATIVE; c <= KEEL_COORDINATES_ABSOLUTE; c++) {
        keel_mechanism *m = machine(1);
        double law[3];
        add_motion(m, "pin.angle", NULL, 3);
        add_motion(m, "tip.y", "0.2 + L*sin(2*t)", 0);
        probe p = probe_new(m, (keel_coordinates)c);
        evaluate(&p, KEEL_POSITION);
        for (int i = 0; i < p.system->n_h; i++)
            assert_near(p.terms.Phi[i], 0, 1e-12);
        p.t = 0.4;
        evaluate(&p, KEEL_POSITION | KEEL_VELOCITY);
        int row = p.mech->layout->motion_row;
        assert_near(p.terms.Phi[row], -1.2, 1e-12);
        assert_near(p.terms.rate[row], -3, 1e-12);
        assert_near(p.terms.Phi[row + 1], -2.5 * sin(0.8), 1e-12);
        ki_motion_law(p.mech, p.work, 1, 0.4, law);
        assert_near(law[1], 5 * cos(0.8), 1e-12);
        assert_near(law[2], -10 * sin(0.8), 1e-12);
        probe_free(&p);
    }
}

/* A motion of constant speed begins at the start value; start values are rows of the assembly. */
static void start_values(void **state) {
    (void)state;
    keel_mechanism *m = machine(1);
    double law[3];
    add_motion(m, "pin.angle", NULL, 3);
    keel_mechanism_add_start(m, "tip.x'", HERE, 0.5);
    keel_mechanism_add_start(m, "pin.angle", HERE, 0.75);
    keel_mechanism_add_start(m, "ball.x", HERE, 2.5);
    keel_mechanism_add_start(m, "ball.spin", HERE, 4);
    probe p = probe_new(m, KEEL_COORDINATES_RELATIVE);
    ki_motion_law(p.mech, p.work, 0, 0, law);
    assert_near(law[0], 0.75, 1e-15);
    const ki_mech *assembly = p.compiled.assembly->model;
    assert_int_equal(assembly->start_count, 3); /* the driven angle needs no row of its own */
    assert_int_equal(assembly->start[0].measure.kind, KI_MEASURE_CENTRE);
    assert_int_equal(assembly->start[1].measure.primes, 1);
    assert_int_equal(assembly->start[2].measure.kind, KI_MEASURE_SPIN);
    assert_int_equal(p.compiled.assembly->n_h, p.system->n_h + 1);
    assert_int_equal(p.compiled.assembly->n_n, p.system->n_n + 2);
    probe_free(&p);
}

/* ---- messages ----------------------------------------------------------------------------------------- */

static void wrong_names(void **state) {
    (void)state;
    static const struct {
        int planar;
        const char *text, *message;
    } CASES[] = {
        {0, "pni.angle", "unknown name 'pni.angle'; did you mean 'pin.angle'?"},
        {0, "slide[3].x", "unknown name 'slide[3].x'; did you mean 'slide[2].x'?"},
        {0, "pin.angel",
         "'pin' is a joint and has no 'angel' (did you mean 'angle'?): it has angle, x, y, z, "
         "reaction.force"},
        {0, "pin", "'pin' is a joint, not a number: add one of angle, x, y, z, reaction.force"},
        {0, "arm.angle",
         "'arm' is a body and has no 'angle': it has x, y, z, turn.x, turn.y, turn.z, spin.x"},
        {0, "arm.spin", "'arm' is a body and has no 'spin'"},
        {0, "arm.nose.x", "'arm' is a body and has no 'nose.x'"},
        {0, "mark.x", "several bodies have a point of that name: write"},
        {0, "spring.width", "'spring' is a force and has no 'width': it has length, force"},
        {0, "pin.angle'''", "there are no derivatives above the acceleration"},
        {0, "pin.reaction.force'", "it has no derivative"},
        {0, "t'", "'t' has no derivative here"},
        {0, "Q + 1", "unknown name 'Q'"},
        {1, "tip.z", "'tip.z' does not exist: the mechanism is planar"},
        {1, "arm.spin.x", "'arm.spin.x' does not exist: the mechanism is planar"},
        {1, "pin.reaction.force.z", "does not exist: the mechanism is planar"},
        {1, "pin.reaction.torque.axis_x", "does not exist: the mechanism is planar"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        keel_mechanism *m = machine(CASES[i].planar);
        add_output(m, "wrong", CASES[i].text);
        expect_message(m, CASES[i].message);
    }
}

static void place_of_a_wrong_name(void **state) {
    (void)state;
    keel_mechanism *m = machine(0);
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_compiled compiled;
    keel_formula text = {.text = "2*arm.x +\n  L*pni.angle", .where = {"model.yaml", 7, 11}};
    keel_mechanism_add_output(m, "wrong", HERE, text);
    assert_int_equal(keel_mechanism_compile(m, messages, &compiled), KEEL_ERROR_INPUT);
    assert_int_equal(keel_diagnostics_count(messages), 1);
    keel_diagnostic first = keel_diagnostics_get(messages, 0);
    assert_string_equal(first.where.file, "model.yaml");
    assert_int_equal(first.where.line, 8);
    assert_int_equal(first.where.column, 5);
    keel_diagnostics_free(messages);
    keel_mechanism_free(m);
}

static void wrong_motions(void **state) {
    (void)state;
    static const struct {
        const char *quantity, *law, *message;
    } CASES[] = {
        {"pin.angel", NULL, "did you mean 'angle'?"},
        {"pin.reaction.force", NULL, "cannot be driven"},
        {"arm.spin.z", NULL, "cannot be driven"},
        {"pin.angle'", NULL, "cannot be driven"},
        {"ground.x", NULL, "belongs to the ground"},
        {"pin.angle", "arm.x", "the value of a motion is a formula of t and parameters"},
        {"pin.angle", "M*t", "unknown name 'M'"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        keel_mechanism *m = machine(0);
        add_motion(m, CASES[i].quantity, CASES[i].law, 1);
        expect_message(m, CASES[i].message);
    }
    keel_mechanism *m = machine(0);
    add_motion(m, "tip.x", NULL, 1);
    add_motion(m, "slide[2].tip.x", "t", 0);
    expect_message(m, "'drive' drives 'slide[2].tip.x', which 'turn' drives already");
}

static void wrong_starts(void **state) {
    (void)state;
    keel_mechanism *m = machine(0);
    keel_mechanism_add_start(m, "pin.reaction.force", HERE, 1);
    expect_message(m, "cannot have a start value");
    m = machine(0);
    keel_mechanism_add_start(m, "pin.angle''", HERE, 1);
    expect_message(m, "is an acceleration");
    m = machine(0);
    keel_mechanism_add_start(m, "tip.x", HERE, 1);
    keel_mechanism_add_start(m, "slide[2].tip.x", HERE, 1);
    expect_message(m, "has two start values");
    m = machine(0);
    add_motion(m, "pin.angle", "0.25 + t", 0);
    keel_mechanism_add_start(m, "pin.angle'", HERE, 2);
    expect_message(m, "contradicts the motion 'drive', which starts at 1");
    m = machine(0);
    add_motion(m, "pin.angle", "0.25 + ", 0);
    keel_mechanism_add_start(m, "pin.angle'", HERE, 2);
    expect_message(m, "a value is missing here");
}

/* Variables of a repeat block hide parameters. */
static void local_names_come_first(void **state) {
    (void)state;
    const char *const name[] = {"L", "i"};
    const double value[] = {7, 2};
    double x;
    keel_mechanism *m = machine(1);
    keel_formula f = {.text = "L + slide[i].tip.x",
                      .where = HERE,
                      .local_count = 2,
                      .local_name = name,
                      .local_value = value};
    keel_mechanism_add_output(m, "x", HERE, f);
    probe p = probe_new(m, KEEL_COORDINATES_AUTO);
    outputs(&p, &x);
    assert_near(x, 8, 1e-12);
    probe_free(&p);
}

/* Only angles that forces read, in formulas too, need their joints in the tree. */
static void counted_joints(void **state) {
    (void)state;
    bool counted[2] = {false, false};
    keel_mechanism *m = machine(0);
    ki_counted_joints(m, counted);
    assert_false(counted[0] || counted[1]);
    keel_force push = keel_force_default("push", KEEL_FORCE_PUSH);
    push.body[1] = 1;
    push.component[1] = formula("rail.displacement + pin.angle'");
    add_force(m, &push);
    ki_counted_joints(m, counted);
    assert_false(counted[0] || counted[1]);
    push.name = "other";
    push.component[1] = formula("sin(pin.angle/3)");
    add_force(m, &push);
    ki_counted_joints(m, counted);
    assert_true(counted[0] && !counted[1]);
    keel_mechanism_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_along_a_motion),
        cmocka_unit_test(values_as_drawn),
        cmocka_unit_test(laws_of_motion),
        cmocka_unit_test(start_values),
        cmocka_unit_test(wrong_names),
        cmocka_unit_test(place_of_a_wrong_name),
        cmocka_unit_test(wrong_motions),
        cmocka_unit_test(wrong_starts),
        cmocka_unit_test(local_names_come_first),
        cmocka_unit_test(counted_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

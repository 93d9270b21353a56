/* Invariants: values, derivatives, the energies as words, and what is no invariant. */
#include "equations_tangent.h"
#include "equations_wrong.h"

/* Kepler: energy and angular momentum; the invariants of each body of a repeat block. */
static void invariants(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_COORDINATE, "x[i]", "i", 1},
        {KEEL_EQ_COORDINATE, "y[i]", "1", 1},
        {KEEL_EQ_DEFINITION, "r[i]", "hypot(x[i], y[i])", 1},
        {KEEL_EQ_KINETIC, NULL, "(x[i]'^2 + y[i]'^2)/2", 1},
        {KEEL_EQ_POTENTIAL, NULL, "-i/r[i]", 1},
        {KEEL_EQ_INVARIANT, "E", "energy", 0},
        {KEEL_EQ_INVARIANT, "momentum[i]", "x[i]*y[i]' - y[i]*x[i]'", 1},
        {KEEL_EQ_INVARIANT, "parts", "kinetic + 2*potential", 0},
    };
    keel_equations *e = keel_equations_new();
    assert_int_equal(keel_equations_repeat(e, 0, "i", "1", "2", (keel_location){0}), 1);
    add_lines(e, LINES, COUNT(LINES));
    model m = compile(e);
    keel_equations_free(e);
    assert_int_equal(m.system->n_i, 4);
    char buffer[32];
    static const char *const NAMES[] = {"E", "parts", "momentum[1]", "momentum[2]"};
    for (int i = 0; i < 4; i++)
        assert_string_equal(keel_system_name(m.system, KEEL_NAME_INVARIANT, i, buffer), NAMES[i]);
    uint64_t seed = 8;
    any_point(&m, &seed);
    evaluate(&m, EVERYTHING);
    const double *q = m.at->q, *v = m.at->v;
    double potential = -1 / hypot(q[0], q[1]) - 2 / hypot(q[2], q[3]);
    double kinetic = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]) / 2;
    assert_near(m.terms.invariant[0], kinetic + potential, 1e-15);
    assert_near(m.terms.invariant[1], kinetic + 2 * potential, 1e-15);
    assert_near(m.terms.invariant[3], q[2] * v[3] - q[3] * v[2], 1e-15);
    /* columns x1 y1 x2 y2 x1' y1' x2' y2' */
    const double expected[8] = {0, 0, v[3], -v[2], 0, 0, -q[3], q[2]};
    for (int j = 0; j < 8; j++)
        assert_near(entry(m.system->invariant_y, m.terms.invariant_y, 3, j), expected[j], 1e-15);
    check_against_differences(&m, 1e-9);
    drop(&m);
}

/* The word `energy` is the energy that a run reports, also where T has terms linear in v or free of v. */
static void energy_is_the_reported_one(void **state) {
    (void)state;
    static const char *const KINETIC[] = {"(2 + sin(x))*x'^2/2", "x'^2/2 + x'*t*y - y'*x + y'^2",
                                          "(x' - y)^2/2 + (y' + x)^2/2"};
    for (int i = 0; i < COUNT(KINETIC); i++) {
        const line lines[] = {
            {KEEL_EQ_COORDINATE, "x", "1", 0},       {KEEL_EQ_COORDINATE, "y", "1", 0},
            {KEEL_EQ_KINETIC, NULL, KINETIC[i], 0},  {KEEL_EQ_KINETIC, NULL, "y'^2", 0},
            {KEEL_EQ_INVARIANT, "E", "2*energy", 0}, {KEEL_EQ_POTENTIAL, NULL, "x^3", 0},
        };
        model m = compile_lines(lines, COUNT(lines));
        uint64_t seed = 9;
        any_point(&m, &seed);
        evaluate(&m, KEEL_ENERGY | KEEL_INVARIANTS);
        assert_near(m.terms.invariant[0], 2 * m.terms.energy, 1e-15);
        drop(&m);
    }
}

/* A model may use the words for something else; outside of invariants they mean nothing. */
static void own_meaning_of_the_words(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_COORDINATE, "x", "1", 0},
        {KEEL_EQ_KINETIC, NULL, "x'^2/2", 0},
        {KEEL_EQ_PARAMETER, "potential", "7", 0},
        {KEEL_EQ_DEFINITION, "energy", "3*x", 0},
        {KEEL_EQ_INVARIANT, "kinetic", "kinetic + potential*energy", 0},
    };
    model m = compile_lines(LINES, COUNT(LINES));
    m.at->q[0] = 2;
    m.at->v[0] = 4;
    evaluate(&m, KEEL_INVARIANTS);
    assert_near(m.terms.invariant[0], 8 + 7 * 6, 0);
    drop(&m);
}

static const wrong_model INVARIANTS[] = {
    {{X, T, {KEEL_EQ_HOLONOMIC, "c", "x - t", 0}, {KEEL_EQ_INVARIANT, "i", "x*lambda.c", 0}},
     {{4, F + 2, "'lambda.c' is a multiplier: only forces, rates of states and outputs may use it"}}},
    {{X, T, {KEEL_EQ_INVARIANT, "i", "x*x''", 0}},
     {{3, F + 2, "x'' is an acceleration: only outputs may use it"}}},
    {{X,
      T,
      {KEEL_EQ_AUXILIARY, "s", "0", 0},
      {KEEL_EQ_AUXILIARY_EQUATION, "e", "s-x", 0},
      {KEEL_EQ_INVARIANT, "i", "x + s", 0}},
     {{5, F + 4,
       "'s' is an auxiliary unknown: an invariant may only use coordinates, velocities, states, t and the "
       "energies"}}},
    {{X, T, {KEEL_EQ_INVARIANT, "i", "2 + x - x", 0}, {KEEL_EQ_INVARIANT, "j", "sin(t)", 0}},
     {{3, F, "invariant 'i' does not depend on any coordinate, velocity or state"},
      {4, F, "invariant 'j' does not depend on any coordinate, velocity or state"}}},
    {{X, T, {KEEL_EQ_INVARIANT, "i", "kinetic + potential", 0}},
     {{3, F + 10, "'potential' is not available: the model has no potential energy"}}},
    {{X, T, {KEEL_EQ_INVARIANT, "i", "energy'", 0}},
     {{3, F, "energy' is not available: use the energy itself"}}},
    {{X, T, {KEEL_EQ_FORCE, "x", "kinetic", 0}}, {{3, F, "unknown name 'kinetic'"}}},
    {{X, {KEEL_EQ_KINETIC, NULL, "x'^2 + y", 0}, {KEEL_EQ_INVARIANT, "i", "energy", 0}},
     {{2, F + 7, "unknown name 'y'"}}},
    {{X, {KEEL_EQ_MASS, "y", "2", 0}, {KEEL_EQ_INVARIANT, "i", "energy", 0}},
     {{2, 1, "there is no coordinate 'y'"}}},
    {{X, T, {KEEL_EQ_INVARIANT, "i", "x", 0}, {KEEL_EQ_INVARIANT, "i", "x'", 0}},
     {{4, 1, "'i' is defined twice, first at line 3"}}},
    {{X, T, {KEEL_EQ_INVARIANT, "i", "1/(x - 1)", 0}},
     {{3, F, "division by zero or domain error: invariant 'i' is not finite at the start"}}},
    {{X, T, {KEEL_EQ_INVARIANT, "i", "sqrt(x - 1)", 0}},
     {{3, F, "division by zero or domain error: a derivative of invariant 'i' is not finite at the start"}}},
};

TEST_GROUP(invariants_that_are_none, INVARIANTS)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariants),
        cmocka_unit_test(energy_is_the_reported_one),
        cmocka_unit_test(own_meaning_of_the_words),
        cmocka_unit_test(invariants_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

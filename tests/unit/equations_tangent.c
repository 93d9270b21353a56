/* Derivatives of the equations (tangent, rate_q): against differences of the terms they belong to, and
 * against closed forms; auxiliaries that make them unavailable; states that know multipliers. */
#include "equations_tangent.h"

static void check_lines(const line *lines, int count) {
    model m = compile_lines(lines, count);
    uint64_t seed = 21;
    for (int trial = 0; trial < 5; trial++) {
        any_point(&m, &seed);
        check_against_differences(&m, 1e-9);
    }
    drop(&m);
}

/* Lagrangian form with everything that may depend on something: moving frame, friction that knows the
 * multipliers, constraints of both kinds that depend on t, states. */
static void lagrangian_form(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_COORDINATE, "x", "1", 0},
        {KEEL_EQ_COORDINATE, "y", "2", 0},
        {KEEL_EQ_COORDINATE, "u", "0.5", 0},
        {KEEL_EQ_STATE, "p", "1", 0},
        {KEEL_EQ_STATE, "w", "1", 0},
        {KEEL_EQ_STATE_RATE, "p", "sin(w) - x'*y*p + t", 0},
        {KEEL_EQ_STATE_RATE, "w", "p^2*u' + lambda.c*x", 0},
        {KEEL_EQ_KINETIC, NULL, "(2 + sin(x*y))*x'^2 + exp(u/3)*(y' - t*x)^2 + u'^2 + 0.3*x'*u'*y", 0},
        {KEEL_EQ_POTENTIAL, NULL, "x^2*y + cos(t*u)", 0},
        {KEEL_EQ_FORCE, "x", "-0.1*x'*abs(x') + p*lambda.c^2*u", 0},
        {KEEL_EQ_FORCE, "u", "w^2*y' - if(x < 1, x^2, 2*x - 1)", 0},
        {KEEL_EQ_HOLONOMIC, "c", "x*y - sin(u) + t^2*x", 0},
        {KEEL_EQ_NONHOLONOMIC, "n", "x'^2*y' - u*x*y + t", 0},
        {KEEL_EQ_INVARIANT, "i", "x*y' - w*sin(u') + t*p^2", 0},
    };
    check_lines(LINES, COUNT(LINES));
}

static void newton_form(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_COORDINATE, "x", "1", 0},      {KEEL_EQ_COORDINATE, "y", "2", 0},
        {KEEL_EQ_MASS, "x", "5 + cos(y)", 0},   {KEEL_EQ_MASS, "y", "4", 0},
        {KEEL_EQ_MASS, "x", "x^2", 0}, /* entries are added */
        {KEEL_EQ_MASS, "y,x", "sin(x + t)", 0}, {KEEL_EQ_POTENTIAL, NULL, "x^4", 0},
        {KEEL_EQ_FORCE, "y", "x'*y' - y^3", 0}, {KEEL_EQ_NONHOLONOMIC, "n", "y*x' - x*y'", 0},
        {KEEL_EQ_INVARIANT, "E", "energy", 0},
    };
    check_lines(LINES, COUNT(LINES));
}

/* A pendulum: the tangent written out. Columns x, y, x', y'. */
static void pendulum(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_COORDINATE, "x", "1", 0}, {KEEL_EQ_COORDINATE, "y", "0", 0},
        {KEEL_EQ_MASS, "x", "3", 0},       {KEEL_EQ_MASS, "y", "3", 0},
        {KEEL_EQ_FORCE, "x", "-7*x'", 0},  {KEEL_EQ_HOLONOMIC, "rod", "x^2 + y^2 - 1", 0},
    };
    model m = compile_lines(LINES, COUNT(LINES));
    uint64_t seed = 4;
    any_point(&m, &seed);
    evaluate(&m, KEEL_TANGENT | KEEL_VELOCITY_Q);
    /* R_x = 3 a_x + 2 x lambda + 7 x',  R_y = 3 a_y + 2 y lambda,  C = 2 (x a_x + y a_y + x'^2 + y'^2) */
    double lambda = m.at->lambda[0];
    const double *a = m.a, *v = m.at->v;
    const double expected[3][4] = {
        {2 * lambda, 0, 7, 0}, {0, 2 * lambda, 0, 0}, {2 * a[0], 2 * a[1], 4 * v[0], 4 * v[1]}};
    assert_int_equal(m.system->tangent.rows, 3);
    assert_int_equal(m.system->tangent.cols, 4);
    assert_int_equal(keel_pattern_count(m.system->tangent), 7);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            assert_near(entry(m.system->tangent, m.terms.tangent, i, j), expected[i][j], 1e-15);
    for (int j = 0; j < 2; j++)
        assert_near(entry(m.system->rate_q, m.terms.rate_q, 0, j), 2 * v[j], 1e-15);
    drop(&m);
}

/* Free motion has a tangent, but nothing stands in it. */
static void empty_tangent(void **state) {
    (void)state;
    static const line LINES[] = {{KEEL_EQ_COORDINATE, "x", "1", 0},
                                 {KEEL_EQ_COORDINATE, "y", "1", 0},
                                 {KEEL_EQ_KINETIC, NULL, "x'^2 + y'^2", 0},
                                 {KEEL_EQ_HOLONOMIC, "c", "x - y", 0}};
    model m = compile_lines(LINES, COUNT(LINES));
    assert_int_equal(m.system->tangent.rows, 3);
    assert_int_equal(keel_pattern_count(m.system->tangent), 0);
    assert_int_equal(m.system->rate_q.rows, 1);
    assert_int_equal(keel_pattern_count(m.system->rate_q), 0);
    evaluate(&m, EVERYTHING);
    drop(&m);
}

/* Rows of tangent and rate_q of a model with an auxiliary s = x^2 and one more line. */
static void expect_rows(line more, int tangent, int rate_q) {
    const line lines[] = {
        {KEEL_EQ_COORDINATE, "x", "1", 0},
        {KEEL_EQ_COORDINATE, "y", "1", 0},
        {KEEL_EQ_KINETIC, NULL, "x'^2+y'^2", 0},
        {KEEL_EQ_AUXILIARY, "s", "1", 0},
        {KEEL_EQ_STATE, "z", "1", 0},
        {KEEL_EQ_AUXILIARY_EQUATION, "e", "s - x^2", 0},
        {KEEL_EQ_HOLONOMIC, "d", "x^2 - y", 0},
        more,
    };
    model m = compile_lines(lines, COUNT(lines));
    assert_int_equal(m.system->tangent.rows, tangent);
    assert_int_equal(m.system->rate_q.rows, rate_q);
    evaluate(&m, EVERYTHING);
    drop(&m);
}

static void auxiliaries(void **state) {
    (void)state;
    expect_rows((line){KEEL_EQ_STATE_RATE, "z", "x*z", 0}, 4, 1);
    expect_rows((line){KEEL_EQ_STATE_RATE, "z", "s*z", 0}, 0, 1);
    static const line FORCE[] = {
        {KEEL_EQ_COORDINATE, "x", "1", 0}, {KEEL_EQ_KINETIC, NULL, "x'^2", 0},
        {KEEL_EQ_AUXILIARY, "s", "1", 0},  {KEEL_EQ_AUXILIARY_EQUATION, "e", "s - x^2", 0},
        {KEEL_EQ_FORCE, "x", "s", 0},      {KEEL_EQ_NONHOLONOMIC, "n", "s*x'", 0}};
    model m = compile_lines(FORCE, COUNT(FORCE));
    assert_int_equal(m.system->tangent.rows, 0);
    assert_int_equal(m.system->rate_q.rows, 0);
    drop(&m);
    m = compile_lines(FORCE, COUNT(FORCE) - 1);
    assert_int_equal(m.system->tangent.rows, 0);
    drop(&m);
}

/* A state whose rate depends on a multiplier, directly or through another state's rate. */
static void states_that_know_multipliers(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_COORDINATE, "x", "1", 0},     {KEEL_EQ_KINETIC, NULL, "x'^2", 0},
        {KEEL_EQ_HOLONOMIC, "c", "x - t", 0},  {KEEL_EQ_STATE, "z", "1", 0},
        {KEEL_EQ_STATE, "w", "1", 0},          {KEEL_EQ_STATE_RATE, "w", "2*z'", 0},
        {KEEL_EQ_STATE_RATE, "z", "d - 1", 0}, {KEEL_EQ_DEFINITION, "d", "x*lambda.c", 0},
        {KEEL_EQ_OUTPUT, "o", "w'", 0},
    };
    model m = compile_lines(LINES, COUNT(LINES));
    assert_int_equal(m.system->f_needs_lambda, 1);
    m.at->lambda[0] = 5;
    m.at->q[0] = 3;
    evaluate(&m, EVERYTHING);
    assert_near(m.terms.f[0], 14, 0);
    assert_near(m.terms.f[1], 28, 0);
    /* asked for after the multipliers: nothing else is touched */
    m.at->lambda[0] = 6;
    m.terms.Q[0] = NAN;
    evaluate(&m, KEEL_STATES);
    assert_near(m.terms.f[0], 17, 0);
    assert_true(isnan(m.terms.Q[0]));
    drop(&m);

    static const line WITHOUT[] = {
        {KEEL_EQ_COORDINATE, "x", "1", 0},
        {KEEL_EQ_KINETIC, NULL, "x'^2", 0},
        {KEEL_EQ_STATE, "z", "1", 0},
        {KEEL_EQ_STATE_RATE, "z", "x", 0},
    };
    m = compile_lines(WITHOUT, COUNT(WITHOUT));
    assert_int_equal(m.system->f_needs_lambda, 0);
    drop(&m);
}

/* Multipliers are not known at the start: a formula that cannot take 0 for them is no error. */
static void multipliers_at_the_start(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_COORDINATE, "x", "1", 0},          {KEEL_EQ_KINETIC, NULL, "x'^2", 0},
        {KEEL_EQ_HOLONOMIC, "c", "x - t", 0},       {KEEL_EQ_STATE, "z", "1", 0},
        {KEEL_EQ_STATE_RATE, "z", "1/lambda.c", 0}, {KEEL_EQ_FORCE, "x", "abs(lambda.c)^(1/3)", 0},
    };
    model m = compile_lines(LINES, COUNT(LINES));
    drop(&m);
}

/* The optional patterns are validated like the others. */
static void validation(void **state) {
    (void)state;
    static const line LINES[] = {{KEEL_EQ_COORDINATE, "x", "1", 0},
                                 {KEEL_EQ_COORDINATE, "y", "1", 0},
                                 {KEEL_EQ_KINETIC, NULL, "x'^2 + y'^2", 0},
                                 {KEEL_EQ_HOLONOMIC, "c", "x*y - 1", 0},
                                 {KEEL_EQ_INVARIANT, "i", "x*y' + y", 0}};
    model m = compile_lines(LINES, COUNT(LINES));
    char message[200];
    keel_system wrong = *m.system;
    wrong.tangent.cols = 5;
    assert_int_equal(keel_system_validate(&wrong, message, sizeof message), KEEL_ERROR_INPUT);
    assert_string_equal(message, "pattern tangent is 3 x 5, it should be 3 x 4");
    wrong = *m.system;
    wrong.rate_q.rows = 2;
    assert_int_equal(keel_system_validate(&wrong, message, sizeof message), KEEL_ERROR_INPUT);
    assert_string_equal(message, "pattern rate_q is 2 x 2, it should be 1 x 2");
    wrong = *m.system;
    wrong.n_i = 2;
    assert_int_equal(keel_system_validate(&wrong, message, sizeof message), KEEL_ERROR_INPUT);
    assert_string_equal(message, "pattern invariant_y is 1 x 4, it should be 2 x 4");
    wrong.n_i = -1;
    assert_int_equal(keel_system_validate(&wrong, message, sizeof message), KEEL_ERROR_INPUT);
    /* derivatives need not be there */
    wrong = *m.system;
    wrong.tangent = wrong.rate_q = (keel_pattern){0};
    assert_int_equal(keel_system_validate(&wrong, message, sizeof message), KEEL_OK);
    wrong.names.invariant = NULL;
    char buffer[32];
    assert_string_equal(keel_system_name(&wrong, KEEL_NAME_INVARIANT, 0, buffer), "invariant[0]");
    drop(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lagrangian_form),
        cmocka_unit_test(newton_form),
        cmocka_unit_test(pendulum),
        cmocka_unit_test(empty_tangent),
        cmocka_unit_test(auxiliaries),
        cmocka_unit_test(states_that_know_multipliers),
        cmocka_unit_test(multipliers_at_the_start),
        cmocka_unit_test(validation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

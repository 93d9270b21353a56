/* Parameters, definitions, repeat blocks, and values of settings. */
#include "equations_helper.h"

static double value(const keel_equations *e, const char *text) {
    double x = NAN;
    keel_diagnostics *d = keel_diagnostics_new();
    keel_status status = keel_equations_value(e, text, (keel_location){0}, d, &x);
    show(d);
    assert_int_equal(status, KEEL_OK);
    assert_int_equal(keel_diagnostics_count(d), 0);
    keel_diagnostics_free(d);
    return x;
}

static int repeat(keel_equations *e, int parent, const char *variable, const char *from, const char *to) {
    int block = keel_equations_repeat(e, parent, variable, from, to, (keel_location){"model", 99, 7});
    assert_true(block > 0);
    return block;
}

static void add(keel_equations *e, int block, keel_equation_kind kind, const char *name, const char *text) {
    const line one = {kind, name, text, block};
    add_lines(e, &one, 1);
}

static void parameters_in_any_order(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_PARAMETER, "c", "2*b + a", 0},   {KEEL_EQ_PARAMETER, "b", "a^2", 0},
        {KEEL_EQ_PARAMETER, "a", "3", 0},         {KEEL_EQ_PARAMETER, "m[1]", "10", 0},
        {KEEL_EQ_PARAMETER, "m[a]", "m[1]*b", 0}, {KEEL_EQ_PARAMETER, "angle", "90*deg", 0},
    };
    keel_equations *e = keel_equations_new();
    add_lines(e, LINES, COUNT(LINES));
    assert_near(value(e, "c"), 21, 0);
    assert_near(value(e, "m[3] + m[1]"), 100, 0);
    assert_near(value(e, "2*pi/a"), 2.0943951023931953, 1e-15);
    assert_near(value(e, "sin(angle)"), 1, 1e-15);
    keel_equations_free(e);
}

/* 20000 parameters, each using the next one, and a sum over all of them that stands first. */
static void long_chains_of_parameters(void **state) {
    (void)state;
    keel_equations *e = keel_equations_new();
    add(e, 0, KEEL_EQ_PARAMETER, "total", "sum(i, 1, 20000, p[i])");
    int block = repeat(e, 0, "i", "1", "19999");
    add(e, block, KEEL_EQ_PARAMETER, "p[i]", "p[i+1]");
    add(e, 0, KEEL_EQ_PARAMETER, "p[20000]", "1/4");
    assert_near(value(e, "total"), 5000, 0);
    keel_equations_free(e);
}

static void parameters_set_from_outside(void **state) {
    (void)state;
    static const line LINES[] = {{KEEL_EQ_PARAMETER, "gravity", "9.81", 0},
                                 {KEEL_EQ_PARAMETER, "weight", "2*gravity", 0}};
    keel_equations *e = keel_equations_new();
    keel_diagnostics *d = keel_diagnostics_new();
    add_lines(e, LINES, COUNT(LINES));
    assert_int_equal(keel_equations_set(e, "gravity", "1.5 + 0.12", d), KEEL_OK);
    assert_near(value(e, "weight"), 3.24, 1e-15);
    assert_int_equal(keel_equations_set(e, "gravty", "1", d), KEEL_ERROR_INPUT);
    assert_string_equal(keel_diagnostics_get(d, 0).text,
                        "there is no parameter 'gravty'; did you mean 'gravity'?");
    keel_diagnostics_free(d);
    /* an error in the new text is shown inside that text */
    d = keel_diagnostics_new();
    keel_system *system;
    keel_state *start;
    assert_int_equal(keel_equations_set(e, "gravity", "1 + waight", NULL), KEEL_OK);
    assert_int_equal(keel_equations_compile(e, d, &system, &start), KEEL_ERROR_INPUT);
    assert_string_equal(keel_diagnostics_get(d, 0).text, "unknown name 'waight'; did you mean 'weight'?");
    assert_string_equal(keel_diagnostics_get(d, 0).where.file, "value of gravity");
    assert_int_equal(keel_diagnostics_get(d, 0).where.column, 5);
    keel_diagnostics_free(d);
    keel_equations_free(e);
}

static void settings_that_are_wrong(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } CASES[] = {
        {"2*omga", "unknown name 'omga'; did you mean 'omega'?"},
        {"exp(999*omega)", "the result is too large for a number"},
        {"1/(omega - 3)", "division by zero"},
        {"2*bad", "'2*bad' uses a parameter that has no value"},
        {"t + 1", "'t' is the time: a setting may only use numbers and parameters"},
    };
    static const line LINES[] = {{KEEL_EQ_PARAMETER, "omega", "3", 0}, {KEEL_EQ_PARAMETER, "bad", "1 +", 0}};
    keel_equations *e = keel_equations_new();
    add_lines(e, LINES, COUNT(LINES));
    for (int i = 0; i < COUNT(CASES); i++) {
        keel_diagnostics *d = keel_diagnostics_new();
        double x;
        assert_int_equal(keel_equations_value(e, CASES[i].text, (keel_location){"f", 3, 5}, d, &x),
                         KEEL_ERROR_INPUT);
        assert_int_equal(keel_diagnostics_count(d), 1);
        assert_string_equal(keel_diagnostics_get(d, 0).text, CASES[i].message);
        assert_int_equal(keel_diagnostics_get(d, 0).where.line, 3);
        keel_diagnostics_free(d);
    }
    keel_equations_free(e);
}

static void knows_whether_velocities_are_given(void **state) {
    (void)state;
    keel_equations *e = keel_equations_new();
    add(e, 0, KEEL_EQ_COORDINATE, "x", "1");
    assert_int_equal(keel_equations_has_velocities(e), 0);
    add(e, 0, KEEL_EQ_VELOCITY, "x", "0");
    assert_int_equal(keel_equations_has_velocities(e), 1);
    keel_equations_free(e);
}

/* Definitions in any order, with derivatives of each other, and states' rates. */
static void definitions(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_COORDINATE, "x", "half", 0},       {KEEL_EQ_STATE, "z", "2", 0},
        {KEEL_EQ_KINETIC, NULL, "x'^2/2", 0},       {KEEL_EQ_DEFINITION, "speed", "square'", 0},
        {KEEL_EQ_DEFINITION, "square", "x^2*z", 0}, {KEEL_EQ_STATE_RATE, "z", "k - x", 0},
        {KEEL_EQ_DEFINITION, "k", "5*t", 0},        {KEEL_EQ_FORCE, "x", "speed", 0},
        {KEEL_EQ_OUTPUT, "jump", "speed'", 0},      {KEEL_EQ_OUTPUT, "again", "square''", 0},
        {KEEL_EQ_DEFINITION, "half", "1/2", 0},
    };
    model m = compile_lines(LINES, COUNT(LINES));
    assert_near(m.at->q[0], 0.5, 0);
    double x = 1.5, v = -0.5, z = 3, t = 0.25, a = 7, out[2];
    m.at->t = t, m.at->q[0] = x, m.at->v[0] = v, m.at->z[0] = z;
    evaluate(&m, KEEL_FORCE);
    /* (x^2 z)' = 2 x v z + x^2 (5 t - x) */
    assert_near(m.terms.Q[0], 2 * x * v * z + x * x * (5 * t - x), 1e-15);
    keel_point at = {t, m.at->q, m.at->v, m.at->z, NULL, NULL, NULL};
    assert_int_equal(m.system->outputs(m.system, m.work, &at, &a, out), KEEL_OK);
    double f = 5 * t - x, twice = 2 * v * v * z + 2 * x * a * z + 4 * x * v * f + x * x * (5 - v);
    assert_near(out[0], twice, 1e-15);
    assert_near(out[1], twice, 1e-15);
    drop(&m);
}

/* A triangle of masses x[i,j], j <= i, with parameters inside the blocks: k[i] = 10 i, one spring per pair.
 */
static void nested_blocks(void **state) {
    (void)state;
    keel_equations *e = keel_equations_new();
    add(e, 0, KEEL_EQ_PARAMETER, "N", "3");
    int row = repeat(e, 0, "i", "1", "N");
    add(e, row, KEEL_EQ_PARAMETER, "k[i]", "10*i");
    add(e, row, KEEL_EQ_PARAMETER, "last[i]", "i");
    int cell = repeat(e, row, "j", "1", "last[i]");
    add(e, cell, KEEL_EQ_COORDINATE, "x[i,j]", "i + j/10");
    add(e, cell, KEEL_EQ_KINETIC, NULL, "k[i]*x[i,j]'^2/2");
    int pair = repeat(e, 0, "i", "1", "N - 1");
    add(e, pair, KEEL_EQ_POTENTIAL, NULL, "x[i+1,1]*x[i,1]");
    add(e, pair, KEEL_EQ_HOLONOMIC, "c[i]", "x[i+1,i+1] - x[i,i]");
    add(e, pair, KEEL_EQ_FORCE, "x[i,1]", "-lambda.c[i]");
    int empty = repeat(e, 0, "i", "1", "0");
    add(e, empty, KEEL_EQ_COORDINATE, "nothing[i]", "1/0");
    add(e, pair, KEEL_EQ_OUTPUT, "o[i]", "sum(j, 1, i, x[i,j])");
    model m = compile(e);
    keel_equations_free(e);
    assert_int_equal(m.system->n_q, 6);
    assert_string_equal(m.system->names.q[0], "x[1,1]");
    assert_string_equal(m.system->names.q[4], "x[3,2]");
    assert_string_equal(m.system->names.constraint[1], "c[2]");
    assert_string_equal(m.system->names.output[1], "o[2]");
    assert_near(m.at->q[4], 3.2, 0);
    m.at->lambda[0] = 100, m.at->lambda[1] = 200;
    evaluate(&m, EVERYTHING);
    static const double MASSES[] = {10, 20, 20, 30, 30, 30};
    for (int i = 0; i < 6; i++)
        assert_near(mass(&m, i, i), MASSES[i], 0);
    /* V = x21 x11 + x31 x21 at x11 = 1.1, x21 = 2.1, x31 = 3.1 */
    assert_near(m.terms.Q[0], -100 - 2.1, 1e-15);
    assert_near(m.terms.Q[1], -200 - 1.1 - 3.1, 1e-15);
    assert_near(m.terms.Q[3], -2.1, 1e-15);
    assert_near(m.terms.Phi[0], 2.2 - 1.1, 1e-15);
    assert_near(entry(m.system->Q_lambda, m.terms.Q_lambda, 1, 1), -1, 0);
    drop(&m);
}

/* A chain of 2000 masses and rods: patterns stay sparse, and so do the derivatives. */
static void large_chain(void **state) {
    (void)state;
    keel_equations *e = keel_equations_new();
    add(e, 0, KEEL_EQ_PARAMETER, "N", "2000");
    add(e, 0, KEEL_EQ_PARAMETER, "x[0]", "0");
    add(e, 0, KEEL_EQ_PARAMETER, "y[0]", "0");
    int body = repeat(e, 0, "i", "1", "N");
    add(e, body, KEEL_EQ_COORDINATE, "x[i]", "i");
    add(e, body, KEEL_EQ_COORDINATE, "y[i]", "0");
    add(e, body, KEEL_EQ_KINETIC, NULL, "(x[i]'^2 + y[i]'^2)/2");
    add(e, body, KEEL_EQ_POTENTIAL, NULL, "9.81*y[i]");
    add(e, body, KEEL_EQ_HOLONOMIC, "rod[i]", "(x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1");
    model m = compile(e);
    keel_equations_free(e);
    assert_int_equal(m.system->n_v, 4000);
    assert_int_equal(keel_pattern_count(m.system->M), 4000);
    assert_int_equal(keel_pattern_count(m.system->J), 2 + 4 * 1999);
    evaluate(&m, EVERYTHING);
    for (int i = 0; i < 2000; i++) {
        assert_near(m.terms.Phi[i], 0, 0);
        assert_near(jacobian(&m, i, 2 * i), 2, 0);
        assert_near(m.terms.Q[2 * i + 1], -9.81, 0);
    }
    drop(&m);
}

/* Cables of definitions: the position of body i is that of body i-1 and a bit; given in the wrong order. */
static void chain_of_definitions(void **state) {
    (void)state;
    enum { N = 60 };
    keel_equations *e = keel_equations_new();
    add(e, 0, KEEL_EQ_DEFINITION, "y[0]", "0");
    int body = repeat(e, 0, "i", "1", "60");
    add(e, body, KEEL_EQ_KINETIC, NULL, "y[61-i]'^2/2");
    add(e, body, KEEL_EQ_DEFINITION, "y[61-i]", "y[60-i] + q[61-i]");
    add(e, body, KEEL_EQ_COORDINATE, "q[i]", "0");
    model m = compile(e);
    keel_equations_free(e);
    evaluate(&m, EVERYTHING);
    /* y_k = q_1 + ... + q_k: M_ij = number of k >= max(i, j) */
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            assert_near(mass(&m, i, j), N - i, 0);
    drop(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_in_any_order),
        cmocka_unit_test(long_chains_of_parameters),
        cmocka_unit_test(parameters_set_from_outside),
        cmocka_unit_test(settings_that_are_wrong),
        cmocka_unit_test(knows_whether_velocities_are_given),
        cmocka_unit_test(definitions),
        cmocka_unit_test(nested_blocks),
        cmocka_unit_test(large_chain),
        cmocka_unit_test(chain_of_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* M, Q, energy and power of models written as formulas, against results derived by hand. */
#include "equations_helper.h"

static void pendulum_in_cartesian_coordinates(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_PARAMETER, "g", "9.81", 0},
        {KEEL_EQ_PARAMETER, "L", "2", 0},
        {KEEL_EQ_PARAMETER, "m", "3", 0},
        {KEEL_EQ_COORDINATE, "x", "L", 0},
        {KEEL_EQ_COORDINATE, "y", "0", 0},
        {KEEL_EQ_VELOCITY, "y", "-1/2", 0},
        {KEEL_EQ_KINETIC, NULL, "m*(x'^2 + y'^2)/2", 0},
        {KEEL_EQ_POTENTIAL, NULL, "m*g*y", 0},
        {KEEL_EQ_HOLONOMIC, "rod", "x^2 + y^2 - L^2", 0},
        {KEEL_EQ_OUTPUT, "pull", "2*L*lambda.rod", 0},
        {KEEL_EQ_OUTPUT, "fall", "y''", 0},
    };
    model m = compile_lines(LINES, COUNT(LINES));
    assert_string_equal(m.system->names.q[1], "y");
    assert_string_equal(m.system->names.v[1], "y'");
    assert_string_equal(m.system->names.constraint[0], "rod");
    assert_string_equal(m.system->names.output[0], "pull");
    assert_near(m.at->q[0], 2, 0);
    assert_near(m.at->v[0], 0, 0);
    assert_near(m.at->v[1], -0.5, 0);

    double x = 1.1, y = -1.7, u = 0.3, w = 0.9;
    m.at->q[0] = x, m.at->q[1] = y, m.at->v[0] = u, m.at->v[1] = w;
    evaluate(&m, EVERYTHING);
    assert_near(mass(&m, 0, 0), 3, 0);
    assert_near(mass(&m, 1, 1), 3, 0);
    assert_near(mass(&m, 1, 0), 0, 0);
    assert_near(m.terms.Q[0], 0, 0);
    assert_near(m.terms.Q[1], -3 * 9.81, 1e-15);
    assert_near(m.terms.Phi[0], x * x + y * y - 4, 1e-15);
    assert_near(jacobian(&m, 0, 0), 2 * x, 1e-15);
    assert_near(jacobian(&m, 0, 1), 2 * y, 1e-15);
    assert_near(m.terms.rate[0], 2 * (x * u + y * w), 1e-15);
    assert_near(m.terms.xi[0], -2 * (u * u + w * w), 1e-15);
    assert_near(m.terms.energy, 1.5 * (u * u + w * w) + 3 * 9.81 * y, 1e-15);
    assert_near(m.terms.power, 0, 0);

    double lambda = 7, rates[2] = {4, 5}, out[2];
    keel_point at = {0, m.at->q, m.at->v, NULL, NULL, &lambda, NULL};
    assert_int_equal(m.system->outputs(m.system, m.work, &at, rates, out), KEEL_OK);
    assert_near(out[0], 28, 0);
    assert_near(out[1], 5, 0);
    drop(&m);
}

/* Two point masses on rods, angles a, b from the vertical (textbook result, e.g. Landau & Lifshitz,
 * Mechanics, section 5, problem 1): T = (m1+m2) l1^2 a'^2/2 + m2 l2^2 b'^2/2 + m2 l1 l2 a' b' cos(a-b) M =
 * [(m1+m2) l1^2, m2 l1 l2 c; ., m2 l2^2],   c, s = cos, sin(a-b) Q = (-m2 l1 l2 s b'^2 - (m1+m2) g l1 sin a,
 * m2 l1 l2 s a'^2 - m2 g l2 sin b)                          */
static const line DOUBLE_PENDULUM[] = {
    {KEEL_EQ_PARAMETER, "g", "9.81", 0},
    {KEEL_EQ_PARAMETER, "m1", "1.3", 0},
    {KEEL_EQ_PARAMETER, "m2", "0.7", 0},
    {KEEL_EQ_PARAMETER, "l1", "0.9", 0},
    {KEEL_EQ_PARAMETER, "l2", "1.6", 0},
    {KEEL_EQ_COORDINATE, "a", "0.3", 0},
    {KEEL_EQ_COORDINATE, "b", "-0.2", 0},
    {KEEL_EQ_DEFINITION, "x1", "l1*sin(a)", 0},
    {KEEL_EQ_DEFINITION, "y1", "-l1*cos(a)", 0},
    {KEEL_EQ_DEFINITION, "x2", "x1 + l2*sin(b)", 0},
    {KEEL_EQ_DEFINITION, "y2", "y1 - l2*cos(b)", 0},
    {KEEL_EQ_KINETIC, NULL, "m1*(x1'^2 + y1'^2)/2", 0},
    {KEEL_EQ_KINETIC, NULL, "m2*(x2'^2 + y2'^2)/2", 0},
    {KEEL_EQ_POTENTIAL, NULL, "g*(m1*y1 + m2*y2)", 0},
    {KEEL_EQ_OUTPUT, "ay", "y2''", 0},
};

static void double_pendulum_in_angles(void **state) {
    (void)state;
    model m = compile_lines(DOUBLE_PENDULUM, COUNT(DOUBLE_PENDULUM));
    uint64_t seed = 1;
    for (int trial = 0; trial < 20; trial++) {
        any_point(&m, &seed);
        evaluate(&m, EVERYTHING);
        double a = m.at->q[0], b = m.at->q[1], u = m.at->v[0], w = m.at->v[1];
        double m1 = 1.3, m2 = 0.7, l1 = 0.9, l2 = 1.6, g = 9.81, c = cos(a - b), s = sin(a - b);
        assert_near(mass(&m, 0, 0), (m1 + m2) * l1 * l1, 1e-14);
        assert_near(mass(&m, 1, 0), m2 * l1 * l2 * c, 1e-14);
        assert_near(mass(&m, 1, 1), m2 * l2 * l2, 1e-14);
        assert_near(m.terms.Q[0], -m2 * l1 * l2 * s * w * w - (m1 + m2) * g * l1 * sin(a), 1e-13);
        assert_near(m.terms.Q[1], m2 * l1 * l2 * s * u * u - m2 * g * l2 * sin(b), 1e-13);
        double T = (m1 + m2) * l1 * l1 * u * u / 2 + m2 * l2 * l2 * w * w / 2 + m2 * l1 * l2 * u * w * c;
        assert_near(m.terms.energy, T - (m1 + m2) * g * l1 * cos(a) - m2 * g * l2 * cos(b), 1e-13);
        /* second derivative of a definition: y2'' = l1 (cos a a'^2 + sin a a'') + l2 (...) */
        double rates[2] = {any_number(&seed), any_number(&seed)}, out;
        keel_point at = {m.at->t, m.at->q, m.at->v, NULL, NULL, NULL, NULL};
        assert_int_equal(m.system->outputs(m.system, m.work, &at, rates, &out), KEEL_OK);
        assert_near(out,
                    l1 * (cos(a) * u * u + sin(a) * rates[0]) + l2 * (cos(b) * w * w + sin(b) * rates[1]),
                    1e-14);
    }
    drop(&m);
}

/* A mass sliding on a rod that turns with angle Omega t^2/2 (so Omega t is its speed), spring to the pivot:
 *   T = m (r'^2 + r^2 Omega^2 t^2)/2,  V = k r^2/2
 *   M = m,  Q = m r Omega^2 t^2 - k r,  H = m r'^2/2 - m r^2 Omega^2 t^2/2 + V,  dH/dt = -dL/dt = -m r^2
 * Omega^2 t */
static void driven_frame(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_PARAMETER, "m", "2", 0},
        {KEEL_EQ_PARAMETER, "k", "5", 0},
        {KEEL_EQ_PARAMETER, "Omega", "3", 0},
        {KEEL_EQ_COORDINATE, "r", "1", 0},
        {KEEL_EQ_DEFINITION, "x", "r*cos(Omega*t^2/2)", 0},
        {KEEL_EQ_DEFINITION, "y", "r*sin(Omega*t^2/2)", 0},
        {KEEL_EQ_KINETIC, NULL, "m*(x'^2 + y'^2)/2", 0},
        {KEEL_EQ_POTENTIAL, NULL, "k*r^2/2", 0},
    };
    model m = compile_lines(LINES, COUNT(LINES));
    uint64_t seed = 2;
    for (int trial = 0; trial < 10; trial++) {
        any_point(&m, &seed);
        evaluate(&m, EVERYTHING);
        double r = m.at->q[0], u = m.at->v[0], t = m.at->t, speed = 3 * t;
        assert_near(mass(&m, 0, 0), 2, 1e-14);
        assert_near(m.terms.Q[0], 2 * r * speed * speed - 5 * r, 1e-12);
        assert_near(m.terms.energy, u * u - r * r * speed * speed + 2.5 * r * r, 1e-12);
        assert_near(m.terms.power, -2 * r * r * 9 * t, 1e-12);
    }
    drop(&m);
}

/* Gyroscopic terms linear in v: a charge in a magnetic field, L = (x'^2+y'^2)/2 + B (x y' - y x')/2 gives
 * x'' = B y', y'' = -B x'; the field does no work and does not enter H. */
static void linear_velocity_terms(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_PARAMETER, "B", "4", 0},
        {KEEL_EQ_COORDINATE, "x", "0", 0},
        {KEEL_EQ_COORDINATE, "y", "0", 0},
        {KEEL_EQ_KINETIC, NULL, "(x'^2 + y'^2)/2 + B*(x*y' - y*x')/2", 0},
    };
    model m = compile_lines(LINES, COUNT(LINES));
    uint64_t seed = 3;
    any_point(&m, &seed);
    evaluate(&m, KEEL_FORCE | KEEL_ENERGY);
    double u = m.at->v[0], w = m.at->v[1];
    assert_near(m.terms.Q[0], 4 * w, 1e-14);
    assert_near(m.terms.Q[1], -4 * u, 1e-14);
    assert_near(m.terms.energy, (u * u + w * w) / 2, 1e-14);
    drop(&m);
}

/* Forces of every kind: several on one coordinate, states, auxiliaries, multipliers (exact dQ/dlambda). */
static void forces_and_states(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_COORDINATE, "x", "1", 0},
        {KEEL_EQ_COORDINATE, "y", "1", 0},
        {KEEL_EQ_STATE, "z", "0.5", 0},
        {KEEL_EQ_AUXILIARY, "s", "1", 0},
        {KEEL_EQ_STATE_RATE, "z", "x' - z + s*t", 0},
        {KEEL_EQ_AUXILIARY_EQUATION, "cubic", "s^3 + s - x - z", 0},
        {KEEL_EQ_MASS, "x", "2", 0},
        {KEEL_EQ_MASS, "y", "3", 0},
        {KEEL_EQ_MASS, "y,x", "x/10", 0},
        {KEEL_EQ_MASS, "x", "1", 0},
        {KEEL_EQ_FORCE, "x", "-z*x'", 0},
        {KEEL_EQ_FORCE, "x", "s^2 - 0.2*lambda.c^2*y", 0},
        {KEEL_EQ_FORCE, "y", "z'", 0},
        {KEEL_EQ_POTENTIAL, NULL, "x*y^2", 0},
        {KEEL_EQ_HOLONOMIC, "c", "x + y^2", 0},
    };
    model m = compile_lines(LINES, COUNT(LINES));
    uint64_t seed = 4;
    any_point(&m, &seed);
    m.at->s[0] = 0.7;
    evaluate(&m, EVERYTHING);
    double x = m.at->q[0], y = m.at->q[1], u = m.at->v[0], w = m.at->v[1], z = m.at->z[0], s = 0.7,
           t = m.at->t, lambda = m.at->lambda[0];
    double rate = u - z + s * t;
    assert_near(m.terms.f[0], rate, 1e-15);
    assert_near(m.terms.r[0], s * s * s + s - x - z, 1e-15);
    assert_near(m.terms.r_s[0], 3 * s * s + 1, 1e-15);
    assert_near(mass(&m, 0, 0), 3, 0);
    assert_near(mass(&m, 0, 1), x / 10, 1e-16);
    assert_near(m.terms.Q[0], -z * u + s * s - 0.2 * lambda * lambda * y - y * y, 1e-15);
    assert_near(m.terms.Q[1], rate - 2 * x * y, 1e-15);
    assert_int_equal(m.system->Q_lambda.rows, 2);
    assert_int_equal(keel_pattern_count(m.system->Q_lambda), 1);
    assert_near(entry(m.system->Q_lambda, m.terms.Q_lambda, 0, 0), -0.4 * lambda * y, 1e-15);
    assert_near(m.terms.energy, 1.5 * u * u + 1.5 * w * w + x / 10 * u * w + x * y * y, 1e-15);
    /* user forces, and D(v^T M v / 2) = (x'/10) x' y' */
    double power = (-z * u + s * s - 0.2 * lambda * lambda * y) * u + rate * w + u / 10 * u * w;
    assert_near(m.terms.power, power, 1e-15);
    drop(&m);
}

/* Any set of terms gives the same numbers as all of them together. */
static void check_every_set(const line *lines, int count) {
    model all = compile_lines(lines, count), some = compile_lines(lines, count);
    const keel_system *s = all.system;
    const struct {
        unsigned what;
        size_t at;
        int count;
    } parts[] = {
        {KEEL_MASS, offsetof(keel_terms, M), keel_pattern_count(s->M)},
        {KEEL_JACOBIAN, offsetof(keel_terms, J), keel_pattern_count(s->J)},
        {KEEL_FORCE, offsetof(keel_terms, Q), s->n_v},
        {KEEL_XI, offsetof(keel_terms, xi), 2},
        {KEEL_POSITION, offsetof(keel_terms, Phi), 1},
        {KEEL_VELOCITY, offsetof(keel_terms, rate), 2},
        {KEEL_STATES, offsetof(keel_terms, f), 1},
        {KEEL_AUXILIARY, offsetof(keel_terms, r), s->n_s},
        {KEEL_AUXILIARY, offsetof(keel_terms, r_s), s->n_s},
        {KEEL_FORCE_LAMBDA, offsetof(keel_terms, Q_lambda), 1},
        {KEEL_TANGENT, offsetof(keel_terms, tangent), keel_pattern_count(s->tangent)},
        {KEEL_VELOCITY_Q, offsetof(keel_terms, rate_q), keel_pattern_count(s->rate_q)},
        {KEEL_INVARIANTS, offsetof(keel_terms, invariant), 1},
        {KEEL_INVARIANTS, offsetof(keel_terms, invariant_y), keel_pattern_count(s->invariant_y)},
    };
    uint64_t seed = 5;
    any_point(&all, &seed);
    keel_state_copy(s, some.at, all.at);
    memcpy(some.a, all.a, 2 * sizeof *some.a);
    evaluate(&all, EVERYTHING);
    for (unsigned what = 1; what <= EVERYTHING; what++) {
        for (int i = 0; i < COUNT(parts); i++)
            for (int k = 0; k < parts[i].count; k++)
                (*(double **)((char *)&some.terms + parts[i].at))[k] = NAN;
        some.terms.energy = some.terms.power = NAN;
        evaluate(&some, what);
        for (int i = 0; i < COUNT(parts); i++)
            for (int k = 0; k < parts[i].count; k++) {
                double x = (*(double **)((char *)&some.terms + parts[i].at))[k];
                if (what & parts[i].what)
                    assert_near(x, (*(double **)((char *)&all.terms + parts[i].at))[k], 1e-14);
                else
                    assert_true(isnan(x)); /* writes only what it was asked for */
            }
        assert_true(what & KEEL_ENERGY ? some.terms.energy == all.terms.energy : isnan(some.terms.energy));
        assert_true(what & KEEL_POWER ? some.terms.power == all.terms.power : isnan(some.terms.power));
    }
    drop(&all);
    drop(&some);
}

static void every_set_of_terms(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_COORDINATE, "x", "1", 0},
        {KEEL_EQ_COORDINATE, "y", "2", 0},
        {KEEL_EQ_STATE, "z", "3", 0},
        {KEEL_EQ_STATE_RATE, "z", "x' + z*y", 0},
        {KEEL_EQ_AUXILIARY, "s", "1", 0},
        {KEEL_EQ_AUXILIARY_EQUATION, "r", "s - x*y - t", 0},
        {KEEL_EQ_KINETIC, NULL, "(x'^2 + x*y'^2)/2", 0},
        {KEEL_EQ_FORCE, "x", "lambda.c*z", 0},
        {KEEL_EQ_HOLONOMIC, "c", "x*y - s^2 + sin(t)", 0},
        {KEEL_EQ_NONHOLONOMIC, "n", "x'^2 - y*y' + s", 0},
        {KEEL_EQ_INVARIANT, "I", "x*y' + z*t", 0},
    };
    check_every_set(LINES, COUNT(LINES));
}

/* Without auxiliaries there are derivatives of the equations; the state knows a multiplier. */
static void every_set_of_terms_and_derivatives(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_COORDINATE, "x", "1", 0},
        {KEEL_EQ_COORDINATE, "y", "2", 0},
        {KEEL_EQ_STATE, "z", "3", 0},
        {KEEL_EQ_STATE_RATE, "z", "x' + z*y*lambda.n", 0},
        {KEEL_EQ_KINETIC, NULL, "(x'^2 + x*y'^2)/2", 0},
        {KEEL_EQ_FORCE, "x", "lambda.c*z", 0},
        {KEEL_EQ_HOLONOMIC, "c", "x*y + sin(t)", 0},
        {KEEL_EQ_NONHOLONOMIC, "n", "x'^2 - y*y' + x", 0},
        {KEEL_EQ_INVARIANT, "I", "x*y' + z*t", 0},
    };
    check_every_set(LINES, COUNT(LINES));
}

/* Terms that are empty are ignored. */
static void without_constraints(void **state) {
    (void)state;
    static const line LINES[] = {{KEEL_EQ_COORDINATE, "x", "1", 0}, {KEEL_EQ_KINETIC, NULL, "x'^2", 0}};
    model m = compile_lines(LINES, COUNT(LINES));
    m.at->v[0] = 3;
    evaluate(&m, EVERYTHING);
    assert_near(mass(&m, 0, 0), 2, 0);
    assert_near(m.terms.energy, 9, 0);
    assert_null(m.system->outputs);
    assert_int_equal(m.system->Q_lambda.rows, 0);
    drop(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_in_cartesian_coordinates),
        cmocka_unit_test(double_pendulum_in_angles),
        cmocka_unit_test(driven_frame),
        cmocka_unit_test(linear_velocity_terms),
        cmocka_unit_test(forces_and_states),
        cmocka_unit_test(every_set_of_terms),
        cmocka_unit_test(every_set_of_terms_and_derivatives),
        cmocka_unit_test(without_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

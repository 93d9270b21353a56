/* J, rate and xi of all kinds of constraints against finite differences of Phi and Psi, and the energy
 * balance of a motion that obeys them. */
#include "equations_helper.h"

/* One model of each kind. */
static const line SCLERONOMIC[] = {
    {KEEL_EQ_COORDINATE, "x", "1", 0},
    {KEEL_EQ_COORDINATE, "y", "2", 0},
    {KEEL_EQ_COORDINATE, "phi", "0.5", 0},
    {KEEL_EQ_DEFINITION, "tip", "x + 2*cos(phi)", 0},
    {KEEL_EQ_KINETIC, NULL, "(x'^2 + y'^2*(2 + sin(x)) + x'*phi' + 2*phi'^2)/2", 0},
    {KEEL_EQ_POTENTIAL, NULL, "3*y + exp(x*y/9)", 0},
    {KEEL_EQ_FORCE, "x", "-x'^3 + y", 0},
    {KEEL_EQ_HOLONOMIC, "a", "tip^2*y - exp(x/3)", 0},
    {KEEL_EQ_HOLONOMIC, "b", "atan2(y, x) - phi + sqrt(4 + x^2)", 0},
};

static const line RHEONOMIC[] = {
    {KEEL_EQ_COORDINATE, "x", "1", 0},
    {KEEL_EQ_COORDINATE, "y", "2", 0},
    {KEEL_EQ_COORDINATE, "z", "0", 0},
    {KEEL_EQ_KINETIC, NULL, "x'^2 + y'^2 + (z' - sin(t))^2 + x*y'*cos(t)", 0},
    {KEEL_EQ_POTENTIAL, NULL, "x*t^2 + z", 0},
    {KEEL_EQ_HOLONOMIC, "driver", "x*cos(2*t) + y*sin(2*t) - 1 - t^3", 0},
    {KEEL_EQ_HOLONOMIC, "moving", "z*x - log(3 + t)*y", 0},
};

static const line NONHOLONOMIC[] = {
    {KEEL_EQ_COORDINATE, "x", "1", 0},
    {KEEL_EQ_COORDINATE, "y", "2", 0},
    {KEEL_EQ_COORDINATE, "phi", "0.5", 0},
    {KEEL_EQ_KINETIC, NULL, "(x'^2 + y'^2 + 3*phi'^2)/2", 0},
    {KEEL_EQ_FORCE, "phi", "x - t*phi'", 0},
    {KEEL_EQ_HOLONOMIC, "h", "x*y - 2 - t", 0},
    {KEEL_EQ_NONHOLONOMIC, "skate", "x'*sin(phi) - y'*cos(phi)", 0},
    {KEEL_EQ_NONHOLONOMIC, "speed", "x'^2 + y'^2*exp(x*t) - phi'*y^2 - 1", 0},
};

/* Newton form, M not constant. */
static const line NEWTON[] = {
    {KEEL_EQ_COORDINATE, "x", "1", 0},
    {KEEL_EQ_COORDINATE, "y", "2", 0},
    {KEEL_EQ_COORDINATE, "w", "3", 0},
    {KEEL_EQ_STATE, "z", "1", 0},
    {KEEL_EQ_STATE_RATE, "z", "x - z", 0},
    {KEEL_EQ_MASS, "x", "2 + sin(y)", 0},
    {KEEL_EQ_MASS, "y", "3", 0},
    {KEEL_EQ_MASS, "w", "1 + t^2", 0},
    {KEEL_EQ_MASS, "x,w", "cos(w)/3", 0},
    {KEEL_EQ_FORCE, "w", "z - w'", 0},
    {KEEL_EQ_FORCE, "y", "x'*y'", 0},
    {KEEL_EQ_POTENTIAL, NULL, "x^2*y*cos(t)", 0},
    {KEEL_EQ_HOLONOMIC, "h", "x^2 + y*w - 7", 0},
};

/* Through auxiliaries: two coupled ones behind a, b and n; a third, apart, behind b; a fourth that
 * constraints do not see and that may therefore know velocities. */
static const line AUXILIARY[] = {
    {KEEL_EQ_COORDINATE, "x", "1", 0},
    {KEEL_EQ_COORDINATE, "y", "2", 0},
    {KEEL_EQ_COORDINATE, "phi", "0.5", 0},
    {KEEL_EQ_COORDINATE, "free", "0", 0},
    {KEEL_EQ_AUXILIARY, "s1", "1", 0},
    {KEEL_EQ_AUXILIARY, "load", "0", 0},
    {KEEL_EQ_AUXILIARY, "s2", "1", 0},
    {KEEL_EQ_AUXILIARY, "s3", "0", 0},
    {KEEL_EQ_AUXILIARY_EQUATION, "e1", "s1 + s2^3/4 - x*cos(t) - phi", 0},
    {KEEL_EQ_AUXILIARY_EQUATION, "e2", "2*s2 + sin(s1) - y", 0},
    {KEEL_EQ_AUXILIARY_EQUATION, "e3", "3*s3 + atan(s3) - phi*t", 0},
    {KEEL_EQ_AUXILIARY_EQUATION, "e4", "load*(2 + s1^2) - x'*free", 0},
    {KEEL_EQ_KINETIC, NULL, "(x'^2 + y'^2 + phi'^2 + free'^2)/2", 0},
    {KEEL_EQ_FORCE, "x", "load + s2", 0},
    {KEEL_EQ_HOLONOMIC, "a", "y*s1^2 - s2*x + t^2", 0},
    {KEEL_EQ_HOLONOMIC, "b", "exp(s3/3)*s1 + sin(free*s2)", 0},
    {KEEL_EQ_HOLONOMIC, "plain", "x + y*phi + free", 0},
    {KEEL_EQ_NONHOLONOMIC, "n", "x'*s1 + y'^2*s2*t + free'", 0},
};

/* The constraint sees one auxiliary, which depends on a second one, and that on a third; equations and
 * unknowns in different order. */
static const line AUXILIARY_CHAIN[] = {
    {KEEL_EQ_COORDINATE, "x", "1", 0},
    {KEEL_EQ_COORDINATE, "y", "2", 0},
    {KEEL_EQ_AUXILIARY, "c", "0", 0},
    {KEEL_EQ_AUXILIARY, "a", "0", 0},
    {KEEL_EQ_AUXILIARY, "b", "0", 0},
    {KEEL_EQ_AUXILIARY_EQUATION, "ea", "a + sin(b)/2 - y*t", 0},
    {KEEL_EQ_AUXILIARY_EQUATION, "eb", "b + c^3/9 - x", 0},
    {KEEL_EQ_AUXILIARY_EQUATION, "ec", "2*c + atan(c) - x*y", 0},
    {KEEL_EQ_KINETIC, NULL, "(x'^2 + y'^2)/2", 0},
    {KEEL_EQ_HOLONOMIC, "h", "y + a^2", 0},
};

static const struct {
    const char *name;
    const line *lines;
    int count;
} MODELS[] = {
    {"scleronomic", SCLERONOMIC, COUNT(SCLERONOMIC)},
    {"rheonomic", RHEONOMIC, COUNT(RHEONOMIC)},
    {"nonholonomic", NONHOLONOMIC, COUNT(NONHOLONOMIC)},
    {"newton", NEWTON, COUNT(NEWTON)},
    {"auxiliary", AUXILIARY, COUNT(AUXILIARY)},
    {"auxiliary chain", AUXILIARY_CHAIN, COUNT(AUXILIARY_CHAIN)},
};

enum { SIZE_MAX_ = 8 };
static const double STEP = 1e-4; /* fourth-order differences: error about 1e-16 * 1e4 + STEP^4 */

/* Where the finite differences go: a point p + h d, d = (dt, dq, dv), with s following q and t. */
typedef struct direction {
    double t, q[SIZE_MAX_], v[SIZE_MAX_];
} direction;

static void terms_along(model *m, const keel_state *from, const direction *d, double h, unsigned what) {
    keel_state_copy(m->system, m->at, from);
    m->at->t += h * d->t;
    for (int i = 0; i < m->system->n_q; i++) {
        m->at->q[i] += h * d->q[i];
        m->at->v[i] += h * d->v[i];
    }
    solve_auxiliaries(m);
    evaluate(m, what);
    keel_state_copy(m->system, m->at, from);
}

/* d/dh of terms[offset][component] along d (fourth-order central difference) */
static double slope(model *m, const keel_state *from, const direction *d, unsigned what, double *const *array,
                    int component) {
    static const double AT[] = {-2, -1, 1, 2}, WEIGHT[] = {1, -8, 8, -1};
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        terms_along(m, from, d, AT[i] * STEP, what);
        sum += WEIGHT[i] * (*array)[component];
    }
    return sum / (12 * STEP);
}

/* All rows of J, rate and xi at one point. */
static void check_point(model *m) {
    const keel_system *s = m->system;
    int n = s->n_v, rows = keel_system_m(s);
    keel_state *from = keel_state_new(s);
    double J[SIZE_MAX_][SIZE_MAX_], rate[SIZE_MAX_], xi[SIZE_MAX_];
    solve_auxiliaries(m);
    keel_state_copy(s, from, m->at);
    evaluate(m, EVERYTHING);
    for (int c = 0; c < rows; c++) {
        rate[c] = m->terms.rate[c];
        xi[c] = m->terms.xi[c];
        for (int j = 0; j < n; j++)
            J[c][j] = jacobian(m, c, j);
    }
    direction along = {.t = 1};
    memcpy(along.q, from->v, (size_t)n * sizeof(double));
    for (int c = 0; c < rows; c++) {
        bool holonomic = c < s->n_h;
        for (int j = 0; j < n; j++) {
            direction d = {0};
            (holonomic ? d.q : d.v)[j] = 1;
            assert_near(J[c][j],
                        holonomic ? slope(m, from, &d, KEEL_POSITION, &m->terms.Phi, c)
                                  : slope(m, from, &d, KEEL_VELOCITY, &m->terms.rate, c),
                        1e-9);
        }
        if (holonomic)
            assert_near(rate[c], slope(m, from, &along, KEEL_POSITION, &m->terms.Phi, c), 1e-9);
        /* J v' = xi is d/dt rate = 0: what rate changes by while v is held */
        assert_near(xi[c], -slope(m, from, &along, KEEL_VELOCITY, &m->terms.rate, c), 1e-9);
    }
    keel_state_free(from);
}

static void derivatives_agree_with_differences(void **state) {
    (void)state;
    for (int k = 0; k < COUNT(MODELS); k++) {
        model m = compile_lines(MODELS[k].lines, MODELS[k].count);
        keel_state *start = keel_state_new(m.system);
        uint64_t seed = (uint64_t)k + 1;
        keel_state_copy(m.system, start, m.at);
        for (int trial = 0; trial < 10; trial++) {
            keel_state_copy(m.system, m.at, start);
            any_point(&m, &seed);
            check_point(&m);
        }
        keel_state_free(start);
        drop(&m);
    }
}

/* Solves M a + J^T lambda = Q, J a = xi. */
static void solve_motion(model *m, double *a, double *lambda) {
    int n = m->system->n_v, rows = keel_system_m(m->system), size = n + rows;
    double *K = numbers(size * size), *x = numbers(size);
    int *pivot = calloc((size_t)size, sizeof *pivot);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            K[i * size + j] = mass(m, i, j);
        for (int c = 0; c < rows; c++)
            K[i * size + n + c] = K[(n + c) * size + i] = jacobian(m, c, i);
        x[i] = m->terms.Q[i];
    }
    for (int c = 0; c < rows; c++)
        x[n + c] = m->terms.xi[c];
    assert_int_equal(ki_dense_lu_factor(size, K, pivot), -1);
    ki_dense_lu_solve(size, K, pivot, x);
    memcpy(a, x, (size_t)n * sizeof *a);
    memcpy(lambda, x + n, (size_t)rows * sizeof *lambda);
    free(K);
    free(x);
    free(pivot);
}

/* dE/dt = power - lambda^T J v along the motion, also for velocities that violate the constraints. */
static void energy_balance(void **state) {
    (void)state;
    for (int k = 0; k < COUNT(MODELS); k++) {
        model m = compile_lines(MODELS[k].lines, MODELS[k].count);
        keel_state *from = keel_state_new(m.system);
        uint64_t seed = 100 + (uint64_t)k;
        for (int trial = 0; trial < 5; trial++) {
            any_point(&m, &seed);
            solve_auxiliaries(&m);
            keel_state_copy(m.system, from, m.at);
            evaluate(&m, EVERYTHING);
            direction d = {.t = 1};
            double lambda[SIZE_MAX_], expected = m.terms.power;
            memcpy(d.q, from->v, (size_t)m.system->n_v * sizeof(double));
            solve_motion(&m, d.v, lambda);
            for (int c = 0; c < keel_system_m(m.system); c++)
                for (int j = 0; j < m.system->n_v; j++)
                    expected -= lambda[c] * jacobian(&m, c, j) * from->v[j];
            double *energy = &m.terms.energy;
            assert_near(slope(&m, from, &d, KEEL_ENERGY, &energy, 0), expected, 1e-8);
        }
        keel_state_free(from);
        drop(&m);
    }
}

/* A bead on the curve y = x^2, directly and with the curve's parameter as an auxiliary unknown. */
static void curve_parameter_as_auxiliary(void **state) {
    (void)state;
    static const line DIRECT[] = {
        {KEEL_EQ_COORDINATE, "x", "1", 0},
        {KEEL_EQ_COORDINATE, "y", "1", 0},
        {KEEL_EQ_KINETIC, NULL, "(x'^2 + y'^2)/2", 0},
        {KEEL_EQ_HOLONOMIC, "curve", "y - x^2", 0},
        {KEEL_EQ_NONHOLONOMIC, "n", "y' - x^2*x'", 0},
    };
    static const line THROUGH[] = {
        {KEEL_EQ_COORDINATE, "x", "1", 0},
        {KEEL_EQ_COORDINATE, "y", "1", 0},
        {KEEL_EQ_KINETIC, NULL, "(x'^2 + y'^2)/2", 0},
        {KEEL_EQ_AUXILIARY, "s", "1", 0},
        {KEEL_EQ_AUXILIARY_EQUATION, "foot", "x - s", 0},
        {KEEL_EQ_HOLONOMIC, "curve", "y - s^2", 0},
        {KEEL_EQ_NONHOLONOMIC, "n", "y' - s^2*x'", 0},
    };
    model a = compile_lines(DIRECT, COUNT(DIRECT)), b = compile_lines(THROUGH, COUNT(THROUGH));
    uint64_t seed = 7;
    for (int trial = 0; trial < 10; trial++) {
        any_point(&a, &seed);
        for (int i = 0; i < 2; i++) {
            b.at->q[i] = a.at->q[i];
            b.at->v[i] = a.at->v[i];
        }
        b.at->s[0] = a.at->q[0];
        evaluate(&a, EVERYTHING);
        evaluate(&b, EVERYTHING);
        for (int c = 0; c < 2; c++) {
            assert_near(b.terms.rate[c], a.terms.rate[c], 1e-15);
            assert_near(b.terms.xi[c], a.terms.xi[c], 1e-15);
            for (int j = 0; j < 2; j++)
                assert_near(jacobian(&b, c, j), jacobian(&a, c, j), 1e-15);
        }
        assert_near(b.terms.Phi[0], a.terms.Phi[0], 1e-15);
    }
    drop(&a);
    drop(&b);
}

static void jacobian_knows_whether_it_needs_velocities(void **state) {
    (void)state;
    model linear = compile_lines(AUXILIARY, COUNT(AUXILIARY) - 1);
    model nonlinear = compile_lines(NONHOLONOMIC, COUNT(NONHOLONOMIC));
    model skate = compile_lines(NONHOLONOMIC, COUNT(NONHOLONOMIC) - 1);
    assert_int_equal(linear.system->J_needs_v, 0);
    assert_int_equal(nonlinear.system->J_needs_v, 1);
    assert_int_equal(skate.system->J_needs_v, 0);
    drop(&linear);
    drop(&nonlinear);
    drop(&skate);
}

/* Constraints can do work if they know t, or are not linear homogeneous in v. */
static void knows_whether_constraints_do_work(void **state) {
    (void)state;
    static const struct {
        keel_equation_kind kind;
        const char *text;
        int has_drivers;
    } CASES[] = {
        {KEEL_EQ_HOLONOMIC, "x*y - 1", 0},      {KEEL_EQ_HOLONOMIC, "x - sin(t)", 1},
        {KEEL_EQ_NONHOLONOMIC, "x*x' - y'", 0}, {KEEL_EQ_NONHOLONOMIC, "t*x' - y'", 0},
        {KEEL_EQ_NONHOLONOMIC, "x' - y", 1},    {KEEL_EQ_NONHOLONOMIC, "x'^2 - y'", 1},
    };
    for (int i = 0; i < COUNT(CASES); i++) {
        const line lines[] = {{KEEL_EQ_COORDINATE, "x", "1", 0},
                              {KEEL_EQ_COORDINATE, "y", "1", 0},
                              {KEEL_EQ_KINETIC, NULL, "(x'^2 + y'^2)/2", 0},
                              {CASES[i].kind, "c", CASES[i].text, 0}};
        model m = compile_lines(lines, COUNT(lines));
        assert_int_equal(m.system->has_drivers, CASES[i].has_drivers);
        drop(&m);
    }
}

/* r_s without an inverse away from the start: the evaluation says so. */
static void singular_auxiliary_equations(void **state) {
    (void)state;
    static const line LINES[] = {
        {KEEL_EQ_COORDINATE, "x", "1", 0},    {KEEL_EQ_KINETIC, NULL, "x'^2/2", 0},
        {KEEL_EQ_AUXILIARY, "s", "1", 0},     {KEEL_EQ_AUXILIARY_EQUATION, "e", "s^2 - x", 0},
        {KEEL_EQ_HOLONOMIC, "c", "x - s", 0},
    };
    model m = compile_lines(LINES, COUNT(LINES));
    m.at->s[0] = 0;
    keel_point at = {0, m.at->q, m.at->v, NULL, m.at->s, m.at->lambda, NULL};
    assert_int_equal(m.system->evaluate(m.system, m.work, KEEL_JACOBIAN, &at, &m.terms), KEEL_ERROR_SINGULAR);
    assert_int_equal(m.system->evaluate(m.system, m.work, KEEL_POSITION, &at, &m.terms), KEEL_OK);
    m.at->s[0] = NAN; /* a step that went astray: the caller sees numbers that are not finite */
    assert_int_equal(m.system->evaluate(m.system, m.work, KEEL_JACOBIAN | KEEL_XI, &at, &m.terms), KEEL_OK);
    assert_true(isnan(m.terms.J[0]) && isnan(m.terms.xi[0]));
    drop(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_agree_with_differences),
        cmocka_unit_test(energy_balance),
        cmocka_unit_test(curve_parameter_as_auxiliary),
        cmocka_unit_test(jacobian_knows_whether_it_needs_velocities),
        cmocka_unit_test(knows_whether_constraints_do_work),
        cmocka_unit_test(singular_auxiliary_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

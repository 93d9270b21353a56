/* Gains: from what the user gave to matrices that act on rows, with every way to get them wrong; and what
 * they do to the accelerations, at a state that violates every constraint. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formulate/dynamics.h"

/* A particle in space, M = diag(1, 2, 3), with
 *
 *     bowl:   z - (x^2 + y^2)/2            J = (-x, -y, 1)      xi = x'^2 + y'^2
 *     wall:   x - 2 y                      J = (1, -2, 0)       xi = 0
 *     skate:  x' sin z - y' cos z          J = (sin z, -cos z, 0)   xi = -z' (x' cos z + y' sin z)
 */
enum { N = 3, ROWS = 3, HOLONOMIC = 2 };

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    const double *q = at->q, *v = at->v, s = sin(q[2]), c = cos(q[2]);
    (void)system, (void)work;
    if (what & KEEL_MASS)
        memcpy(terms->M, (double[]){1, 2, 3}, 3 * sizeof(double));
    if (what & KEEL_JACOBIAN)
        memcpy(terms->J, (double[]){-q[0], -q[1], 1, 1, -2, s, -c}, 7 * sizeof(double));
    if (what & KEEL_FORCE)
        memcpy(terms->Q, (double[]){0.3, -1, -9.81}, 3 * sizeof(double));
    if (what & KEEL_XI)
        memcpy(terms->xi, (double[]){v[0] * v[0] + v[1] * v[1], 0, -v[2] * (v[0] * c + v[1] * s)},
               3 * sizeof(double));
    if (what & KEEL_POSITION)
        memcpy(terms->Phi, (double[]){q[2] - (q[0] * q[0] + q[1] * q[1]) / 2, q[0] - 2 * q[1]},
               2 * sizeof(double));
    if (what & KEEL_VELOCITY)
        memcpy(terms->rate,
               (double[]){v[2] - q[0] * v[0] - q[1] * v[1], v[0] - 2 * v[1], v[0] * s - v[1] * c},
               3 * sizeof(double));
    return KEEL_OK;
}

static keel_system particle(void) {
    static const int M_start[] = {0, 1, 2, 3}, M_index[] = {0, 1, 2};
    static const int J_start[] = {0, 3, 5, 7}, J_index[] = {0, 1, 2, 0, 1, 0, 1};
    static const char *const q[] = {"x", "y", "z"}, *const rows[] = {"bowl", "wall", "skate"};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = N;
    system.n_h = HOLONOMIC;
    system.n_n = 1;
    system.M = (keel_pattern){N, N, M_start, M_index};
    system.J = (keel_pattern){ROWS, N, J_start, J_index};
    system.evaluate = evaluate;
    system.names.q = system.names.v = q;
    system.names.constraint = rows;
    return system;
}

static const char *const ANY_ORDER[] = {"skate", "bowl", "wall"};

static keel_gain scalar(double value) {
    return (keel_gain){.kind = KEEL_GAIN_SCALAR, .scalar = value};
}

static keel_gain matrix(int count, const double *values) {
    return (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = count, .values = values};
}

static keel_gain named(int count, const char *const *names, const double *values) {
    return (keel_gain){.kind = KEEL_GAIN_NAMED, .count = count, .names = names, .values = values};
}

static keel_settings settings_of(keel_formulation formulation, keel_stabilize stabilize) {
    return (keel_settings){
        .method = {.integrator = KEEL_RK4, .formulation = formulation, .stabilize = stabilize}};
}

/* The law of the settings is refused with a message that contains `expected`. */
static void assert_refused(const keel_settings *settings, const char *expected) {
    keel_system system = particle();
    keel_diagnostics *messages = keel_diagnostics_new();
    ki_arena arena;
    ki_law law;
    ki_arena_init(&arena);
    assert_int_equal(ki_law_init(&law, &arena, &system, settings, messages), KEEL_ERROR_INPUT);
    assert_int_equal(keel_diagnostics_errors(messages), 1);
    const char *text = keel_diagnostics_get(messages, 0).text;
    if (!strstr(text, expected))
        fail_msg("'%s' does not contain '%s'", text, expected);
    keel_diagnostics_free(messages);
    ki_arena_free(&arena);
}

static void names_become_rows(void **state) {
    (void)state;
    static const double BY_NAME[] = {3, 1, 2}, K[] = {4, 1, 1, 3};
    keel_system system = particle();
    keel_settings s = settings_of(KEEL_INDEX1, KEEL_BAUMGARTE);
    ki_arena arena;
    ki_law law;
    s.K_D = named(3, ANY_ORDER, BY_NAME);
    s.K_P = matrix(2, K);
    s.non_ideal = scalar(-2);
    ki_arena_init(&arena);
    assert_int_equal(ki_law_init(&law, &arena, &system, &s, NULL), KEEL_OK);
    double x[] = {1, 10, 100}, out[] = {0, 0, 0};
    ki_gain_apply(&law.K_D, 2, x, out);
    assert_true(out[0] == 2 * 1 && out[1] == 2 * 20 && out[2] == 2 * 300);
    memset(out, 0, sizeof out);
    ki_gain_apply(&law.K_P, -1, x, out);
    assert_true(out[0] == -14 && out[1] == -31 && out[2] == 0);
    assert_true(law.non_ideal.given && law.non_ideal.values[2] == -2);
    assert_false(law.penalty.given);
    ki_arena_free(&arena);
}

/* K_D = 2 alpha, K_P = beta^2; one of them alone means critical damping; K_D and K_P themselves win. */
static void classic_numbers(void **state) {
    (void)state;
    static const struct {
        double alpha, beta, K_D, K_P;
    } CASES[] = {{3, 4, 6, 16}, {3, 0, 6, 9}, {0, 4, 8, 16}};
    keel_system system = particle();
    for (int i = 0; i < 4; i++) {
        keel_settings s = settings_of(KEEL_INDEX1, KEEL_BAUMGARTE);
        ki_arena arena;
        ki_law law;
        s.alpha = CASES[i % 3].alpha;
        s.beta = CASES[i % 3].beta;
        if (i == 3)
            s.K_D = scalar(11);
        ki_arena_init(&arena);
        assert_int_equal(ki_law_init(&law, &arena, &system, &s, NULL), KEEL_OK);
        for (int k = 0; k < ROWS; k++)
            assert_true(law.K_D.values[k] == (i == 3 ? 11 : CASES[i].K_D));
        assert_int_equal(law.K_P.rows, HOLONOMIC);
        assert_true(law.K_P.values[1] == CASES[i % 3].K_P);
        ki_arena_free(&arena);
    }
}

static void wrong_gains_are_refused(void **state) {
    (void)state;
    static const char *const MISSPELT[] = {"bowl", "wal"}, *const FOREIGN[] = {"bowl", "gearbox"};
    static const char *const SKATE[] = {"bowl", "skate"};
    static const double TWO[] = {1, 2}, MINUS[] = {1, -2, 3};
    static const double SKEW[] = {4, 1, 1.5, 3}, SADDLE[] = {1, 2, 2, 1}, FLAT[] = {1, 1, 1, 1};
    keel_settings good = settings_of(KEEL_INDEX1, KEEL_BAUMGARTE), s = good;
    s.K_P = matrix(2, SKEW);
    assert_refused(&s, "option 'K_P' is not symmetric: entry 2,1 is 1.5, entry 1,2 is 1");
    s.K_P = matrix(2, SADDLE); /* eigenvalues 3 and -1 */
    assert_refused(&s, "option 'K_P' is not positive definite: its smallest eigenvalue is -1");
    s.K_P = matrix(2, FLAT); /* 2 and 0 */
    assert_refused(&s, "option 'K_P' is not positive definite: its smallest eigenvalue is ");
    s.K_P = matrix(3, SKEW);
    assert_refused(&s, "option 'K_P' is a 3 x 3 matrix, it should be 2 x 2");
    s.K_P = named(2, MISSPELT, TWO);
    assert_refused(&s, "option 'K_P': there is no row 'wal': did you mean 'wall'?");
    s.K_P = named(2, FOREIGN, TWO);
    assert_refused(&s, "option 'K_P': there is no row 'gearbox'");
    s.K_P = named(2, SKATE, TWO); /* K_P acts on holonomic rows only */
    assert_refused(&s, "option 'K_P': there is no row 'skate'");
    s.K_P = named(1, MISSPELT, TWO);
    assert_refused(&s, "option 'K_P' has no value for 'wall'");
    s = good;
    s.K_D = named(3, ANY_ORDER, MINUS);
    assert_refused(&s, "option 'K_D' is not positive definite: its eigenvalue for constraint 'bowl' is -2");
    s.K_D = scalar(0);
    assert_refused(&s, "option 'K_D' is not positive definite: its eigenvalue for constraint 'bowl' is 0");
    s = good;
    s.penalty = scalar(-1);
    assert_refused(&s, "option 'penalty' is not positive definite");
    s = good;
    s.method.formulation = KEEL_AUGMENTED;
    s.penalty = matrix(3, (double[]){2, 1, 0, 1, 2, 1, 0, 1, 2});
    assert_refused(&s, "formulation augmented takes a number or a map of constraints");
    s = good;
    s.metric = KEEL_METRIC_MATRIX;
    assert_refused(&s, "needs the option 'metric_matrix'");
    s.metric_matrix = matrix(2, SADDLE);
    assert_refused(&s, "option 'metric_matrix' is a 2 x 2 matrix, it should be 3 x 3");
    s = good;
    s.non_ideal = matrix(3, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    assert_refused(&s, "option 'non_ideal' is a vector");
}

/* A state off all constraints. */
static const double Y[] = {0.7, -0.2, 0.9, 0.4, 1.1, -0.6, 0};

static const double K_D[] = {5, 1, 0, 1, 7, 2, 0, 2, 6}, K_P[] = {40, -3, -3, 25};

/* s = xi - K_D rate - K_P Phi, written out */
static void expected_target(double s[ROWS]) {
    keel_terms terms = {.xi = s, .rate = (double[3]){0}, .Phi = (double[2]){0}};
    keel_point at = {.q = Y, .v = Y + N};
    evaluate(NULL, NULL, KEEL_XI | KEEL_VELOCITY | KEEL_POSITION, &at, &terms);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            s[i] -= K_D[i * ROWS + j] * terms.rate[j];
            if (i < HOLONOMIC && j < HOLONOMIC)
                s[i] -= K_P[i * HOLONOMIC + j] * terms.Phi[j];
        }
}

/* v' and lambda at Y in a formulation. */
static void rates(const keel_settings *settings, double v_rate[N], double lambda[ROWS]) {
    keel_system system = particle();
    ki_arena arena;
    ki_law law;
    ki_dynamics d;
    double k[2 * N + 1];
    ki_arena_init(&arena);
    assert_int_equal(ki_law_init(&law, &arena, &system, settings, NULL), KEEL_OK);
    assert_int_equal(ki_dynamics_init(&d, &system, &law), KEEL_OK);
    assert_int_equal(ki_evaluate_terms(&d, KEEL_MASS | KEEL_JACOBIAN, 0, Y), KEEL_OK);
    ki_fix_penalty(&d);
    assert_int_equal(ki_rate(&d, 0, Y, k), KEEL_OK);
    memcpy(v_rate, k + N, N * sizeof(double));
    memcpy(lambda, d.lambda, ROWS * sizeof(double));
    ki_dynamics_clear(&d);
    ki_arena_free(&arena);
}

static const double M[] = {1, 2, 3}, Q[] = {0.3, -1, -9.81};

static void jacobian(double J[ROWS][N]) {
    const double rows[ROWS][N] = {{-Y[0], -Y[1], 1}, {1, -2, 0}, {sin(Y[2]), -cos(Y[2]), 0}};
    memcpy(J, rows, sizeof rows);
}

/* M v' + J^T lambda = Q and J v' = s with full K_D, K_P: generalized Baumgarte in every exact formulation. */
static void generalized_baumgarte(void **state) {
    (void)state;
    static const keel_formulation EXACT[] = {KEEL_INDEX1, KEEL_NULLSPACE, KEEL_AUGMENTED,
                                             KEEL_GENERALIZED_INVERSE};
    double s[ROWS], J[ROWS][N];
    expected_target(s);
    jacobian(J);
    for (int i = 0; i < 4; i++) {
        keel_settings settings = settings_of(EXACT[i], KEEL_BAUMGARTE);
        double v_rate[N], lambda[ROWS];
        settings.K_D = matrix(3, K_D);
        settings.K_P = matrix(2, K_P);
        rates(&settings, v_rate, lambda);
        for (int r = 0; r < ROWS; r++) {
            double sum = -s[r];
            for (int j = 0; j < N; j++)
                sum += J[r][j] * v_rate[j];
            assert_true(fabs(sum) < 1e-11);
        }
        for (int j = 0; j < N; j++) {
            double sum = M[j] * v_rate[j] - Q[j];
            for (int r = 0; r < ROWS; r++)
                sum += J[r][j] * lambda[r];
            assert_true(fabs(sum) < 1e-10);
        }
    }
}

/* (M + J^T A J) v' = Q + J^T A s and lambda = A (J v' - s), with diagonal and with full A. */
static void modified_lagrange_equations(void **state) {
    (void)state;
    static const double DIAGONAL[] = {30, 20, 50}, FULL[] = {30, 4, 1, 4, 20, -2, 1, -2, 50};
    double s[ROWS], J[ROWS][N];
    expected_target(s);
    jacobian(J);
    for (int full = 0; full < 2; full++) {
        keel_settings settings = settings_of(KEEL_PENALTY, KEEL_BAUMGARTE);
        static const char *const IN_ORDER[] = {"bowl", "wall", "skate"};
        double v_rate[N], lambda[ROWS], excess[ROWS];
        settings.K_D = matrix(3, K_D);
        settings.K_P = matrix(2, K_P);
        settings.penalty = full ? matrix(3, FULL) : named(3, IN_ORDER, DIAGONAL);
        rates(&settings, v_rate, lambda);
        for (int r = 0; r < ROWS; r++) {
            excess[r] = -s[r];
            for (int j = 0; j < N; j++)
                excess[r] += J[r][j] * v_rate[j];
        }
        for (int r = 0; r < ROWS; r++) {
            double expected = full ? 0 : DIAGONAL[r] * excess[r];
            for (int j = 0; full && j < ROWS; j++)
                expected += FULL[r * ROWS + j] * excess[j];
            assert_true(fabs(lambda[r] - expected) < 1e-9);
            assert_true(fabs(excess[r]) > 1e-3); /* it is not the exact formulation */
        }
        for (int j = 0; j < N; j++) {
            double sum = M[j] * v_rate[j] - Q[j];
            for (int r = 0; r < ROWS; r++)
                sum += J[r][j] * lambda[r];
            assert_true(fabs(sum) < 1e-10);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_rows),           cmocka_unit_test(classic_numbers),
        cmocka_unit_test(wrong_gains_are_refused),     cmocka_unit_test(generalized_baumgarte),
        cmocka_unit_test(modified_lagrange_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The matrix of an implicit step in displacements and multipliers: its solutions against closed forms,
 * whatever the scaling, with exact derivatives and with differences; condition numbers; projections. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "integrate/index3.h"
#include "systems.h"
#include "unit/integrate_top.h"

typedef struct workspace {
    ki_law law;
    ki_dynamics d;
} workspace;

static void open_workspace(workspace *w, const keel_system *system) {
    w->law = (ki_law){.formulation = KEEL_INDEX3, .metric = KEEL_METRIC_MASS};
    assert_int_equal(ki_dynamics_init(&w->d, system, &w->law), KEEL_OK);
}

static const double S = 1e-4, C_V = 0.02, LAMBDA = 3, Y[] = {0.6, -0.8, 1.6, 1.2, 0};

/* The pendulum at (0.6, -0.8) with the multiplier 3: M = 1, R_q = d(J^T lambda)/dq = 2 lambda, R_v = 0, so
 * that A = 1 + 2 s lambda. From J dq = -r_C, A dq + s J^T dlambda = -s r_D and J J^T = 4 follows
 *
 *     dlambda = (A r_C - s J r_D) / (4 s) */
static void pendulum_closed_form(void **state) {
    (void)state;
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    workspace w;
    open_workspace(&w, &system);
    const double r_D[] = {5, -7}, r_C[] = {2e-3}, a[] = {1, 2}, lambda[] = {LAMBDA};
    double A = 1 + 2 * S * LAMBDA, J[] = {1.2, -1.6};
    double expected = (A * r_C[0] - S * (J[0] * r_D[0] + J[1] * r_D[1])) / (4 * S);
    for (int scaling = 0; scaling < 3; scaling++)
        for (int mass = 0; mass < 2; mass++) {
            ki_index3 *K = ki_index3_new(&w.d, false, (keel_scaling)scaling, mass);
            double dq[2], dlambda[1];
            assert_non_null(K);
            assert_int_equal(ki_index3_linearize(K, 0, Y, a, lambda), KEEL_OK);
            assert_int_equal(ki_index3_factor(K, S, C_V, S, 0), KEEL_OK);
            ki_index3_solve(K, r_D, r_C, dq, dlambda);
            assert_true(fabs(dlambda[0] - expected) < 1e-6 * fabs(expected)); /* R by differences */
            for (int i = 0; i < 2; i++)
                assert_true(fabs(A * dq[i] + S * J[i] * dlambda[0] + S * r_D[i]) < 1e-11);
            assert_true(fabs(J[0] * dq[0] + J[1] * dq[1] + r_C[0]) < 1e-15);
            double m = mass ? sqrt(2) / 2 : 1; /* |M| = sqrt 2, |J| = 2 */
            double scale = scaling == KEEL_SCALING_NONE ? 1 : S / m;
            assert_true(fabs(ki_index3_lambda_scale(K) / scale - 1) < 1e-14);
            ki_index3_free(K);
        }
    ki_dynamics_clear(&w.d);
}

/* At velocity level the constraint is J v = 0: C = J + c_r d(J v)/dq = J + 2 c_r v^T, and the residual is a
 * velocity. */
static void velocity_level(void **state) {
    (void)state;
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    workspace w;
    open_workspace(&w, &system);
    const double r_D[] = {0, 0}, r_C[] = {0.3}, a[] = {0, 0}, lambda[] = {0}, c_r = 0.005;
    ki_index3 *K = ki_index3_new(&w.d, true, KEEL_SCALING_BOTH, true);
    double dq[2], dlambda[1];
    assert_int_equal(ki_index3_linearize(K, 0, Y, a, lambda), KEEL_OK);
    assert_int_equal(ki_index3_factor(K, S, C_V, S, c_r), KEEL_OK);
    ki_index3_solve(K, r_D, r_C, dq, dlambda);
    double C[] = {1.2 + 2 * c_r * 1.6, -1.6 + 2 * c_r * 1.2};
    assert_true(fabs(C[0] * dq[0] + C[1] * dq[1] + c_r * r_C[0]) < 1e-9);
    assert_true(fabs(dq[0] * 1.6 + dq[1] * 1.2) < 1e-9); /* along J^T */
    ki_index3_free(K);
    ki_dynamics_clear(&w.d);
}

/* Three times the same row: the displacement of one row, its multiplier in equal parts (each Newton step
 * leaves 1e-6 of the violation). */
static void redundant_rows(void **state) {
    (void)state;
    pendulum_model one = {.copies = 1}, three = {.copies = 3};
    keel_system once = pendulum_system(&one), thrice = pendulum_system(&three);
    workspace w1, w3;
    open_workspace(&w1, &once);
    open_workspace(&w3, &thrice);
    ki_expect_redundancy(&w3.d);
    const double r_D[] = {5, -7}, r_C[] = {2e-3, 2e-3, 2e-3}, a[] = {1, 2}, l1[] = {LAMBDA}, l3[] = {1, 1, 1};
    ki_index3 *K1 = ki_index3_new(&w1.d, false, KEEL_SCALING_BOTH, true);
    ki_index3 *K3 = ki_index3_new(&w3.d, false, KEEL_SCALING_BOTH, true);
    double dq1[2], dl1[1], dq3[2], dl3[3];
    assert_int_equal(ki_index3_linearize(K1, 0, Y, a, l1), KEEL_OK);
    assert_int_equal(ki_index3_linearize(K3, 0, Y, a, l3), KEEL_OK);
    assert_int_equal(ki_index3_factor(K1, S, C_V, S, 0), KEEL_OK);
    assert_int_equal(ki_index3_factor(K3, S, C_V, S, 0), KEEL_OK);
    ki_index3_solve(K1, r_D, r_C, dq1, dl1);
    ki_index3_solve(K3, r_D, r_C, dq3, dl3);
    for (int i = 0; i < 2; i++)
        assert_true(fabs(dq1[i] - dq3[i]) < 1e-6 * fabs(dq1[i]) + 1e-9);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(dl3[i] - dl1[0] / 3) < 1e-5 * fabs(dl1[0]));
    ki_index3_free(K1);
    ki_index3_free(K3);
    ki_dynamics_clear(&w1.d);
    ki_dynamics_clear(&w3.d);
}

/* A row that vanishes, at a singular pose, does not stop the step: it is left open. */
static void singular_pose(void **state) {
    (void)state;
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    workspace w;
    open_workspace(&w, &system);
    const double y[] = {0, 0, 1, 0, 0}, r_D[] = {3, 4}, r_C[] = {0.1}, a[] = {0, 0}, lambda[] = {0};
    ki_index3 *K = ki_index3_new(&w.d, false, KEEL_SCALING_BOTH, true);
    double dq[2], dlambda[1];
    assert_int_equal(ki_index3_linearize(K, 0, y, a, lambda), KEEL_OK);
    assert_int_equal(ki_index3_factor(K, S, C_V, S, 0), KEEL_OK);
    ki_index3_solve(K, r_D, r_C, dq, dlambda);
    assert_true(fabs(dq[0] + 3 * S) < 1e-12 && fabs(dq[1] + 4 * S) < 1e-12);
    ki_index3_free(K);
    ki_dynamics_clear(&w.d);
}

/* The pendulum with S = s: [1/s J^T; J 0] has the singular values of a 3 x 3 matrix that can be written down;
 * here the slopes: h^-4, h^-2, 1 for s = h^2/4. */
static void condition_slopes(void **state) {
    (void)state;
    static const double SLOPES[] = {
        [KEEL_SCALING_NONE] = -4, [KEEL_SCALING_RIGHT] = -2, [KEEL_SCALING_BOTH] = 0};
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    workspace w;
    open_workspace(&w, &system);
    const double a[] = {0, 0}, lambda[] = {0};
    for (int scaling = 0; scaling < 3; scaling++) {
        ki_index3 *K = ki_index3_new(&w.d, false, (keel_scaling)scaling, false);
        double condition[2];
        for (int i = 0; i < 2; i++) {
            double h = i ? 1e-9 : 1e-4;
            assert_int_equal(ki_index3_linearize(K, 0, Y, a, lambda), KEEL_OK);
            assert_int_equal(ki_index3_factor(K, h * h / 4, h / 2, h * h / 4, 0), KEEL_OK);
            condition[i] = ki_index3_condition(K);
        }
        double slope = log10(condition[0] / condition[1]) / 5;
        assert_true(fabs(slope - SLOPES[scaling]) < 1e-3);
        if (scaling == KEEL_SCALING_BOTH) {
            /* eigenvalues of [1 J^T; J 0] with |J| = 2: 1 and (1 +- sqrt 17)/2 */
            double exact = (1 + sqrt(17)) / 2;
            assert_true(fabs(condition[1] / exact - 1) < 1e-9);
        }
        ki_index3_free(K);
    }
    ki_dynamics_clear(&w.d);
}

/* x'' = z, z' = -2 z + 3 x + 5 x', without constraints. */
static keel_status coupled_evaluate(const keel_system *system, void *work, unsigned what,
                                    const keel_point *at, keel_terms *terms) {
    (void)system, (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = 4;
    if (what & KEEL_FORCE)
        terms->Q[0] = at->z[0];
    if (what & KEEL_STATES)
        terms->f[0] = -2 * at->z[0] + 3 * at->q[0] + 5 * at->v[0];
    return KEEL_OK;
}

/* The unknowns (dq, dz) of 4 dq/s - dz = -r_D and dz - c_z (-2 dz + (3 c_q/s + 5 c_v/s) dq) = -r_z, c_q = s.
 */
static void states_are_coupled(void **state) {
    (void)state;
    static const int start[] = {0, 1}, index[] = {0};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = system.n_z = 1;
    system.M = (keel_pattern){1, 1, start, index};
    system.J = (keel_pattern){0, 1, start, index};
    system.evaluate = coupled_evaluate;
    workspace w;
    open_workspace(&w, &system);
    const double y[] = {1, 2, 3, 0}, a[] = {0}, r_D[] = {0.5}, r_z[] = {0.25}, c_z = 0.1;
    ki_index3 *K = ki_index3_new(&w.d, false, KEEL_SCALING_BOTH, true);
    double dq, dz, none;
    assert_int_equal(ki_index3_linearize(K, 0, y, a, &none), KEEL_OK);
    ki_index3_couple_states(K, c_z);
    assert_int_equal(ki_index3_factor(K, S, C_V, S, 0), KEEL_OK);
    ki_index3_solve_all(K, r_D, NULL, r_z, &dq, NULL, &dz);
    assert_true(fabs(4 * dq / S - dz + r_D[0]) < 1e-5);
    assert_true(fabs(dz * (1 + 2 * c_z) - c_z * (3 + 5 * C_V / S) * dq + r_z[0]) < 1e-6);
    ki_index3_free(K);
    ki_dynamics_clear(&w.d);
}

/* Rotations: a solution of the linear system takes the residuals r_D and r_C away to first order, at both
 * levels. */
static void linearises_rotations(void **state) {
    (void)state;
    keel_system system = top_system();
    workspace w;
    open_workspace(&w, &system);
    double y[14], rate[14], y_new[14], a[6], lambda[3], dq[6], dlambda[3], step[6];
    top_start(y, (const double[]){3, -2, 20});
    assert_int_equal(ki_rate(&w.d, 0, y, rate), KEEL_OK);
    memcpy(a, rate + 7, sizeof a);
    memcpy(lambda, w.d.lambda, sizeof lambda);
    double h = 1e-3, s = h * h / 4, c_v = h / 2;
    const double r_D[6] = {1e-3, -2e-3, 1e-3, 2e-5, 1e-5, -3e-5}, r_C[3] = {1e-8, -2e-8, 3e-8};
    for (int level = 0; level < 2; level++) {
        ki_index3 *K = ki_index3_new(&w.d, level, KEEL_SCALING_BOTH, true);
        assert_int_equal(ki_index3_linearize(K, 0, y, a, lambda), KEEL_OK);
        assert_int_equal(ki_index3_factor(K, s, c_v, s, h / 2), KEEL_OK);
        ki_index3_solve(K, r_D, r_C, dq, dlambda);
        memcpy(y_new, y, sizeof y);
        for (int i = 0; i < 6; i++) {
            step[i] = a[i] + dq[i] / s;
            y_new[7 + i] += dq[i] * c_v / s;
        }
        ki_move(&w.d, y_new, dq);
        for (int i = 0; i < 3; i++)
            w.d.lambda[i] = lambda[i] + dlambda[i];
        unsigned what = KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_POSITION | KEEL_VELOCITY;
        assert_int_equal(ki_evaluate_terms(&w.d, what, 0, y_new), KEEL_OK);
        double r[6] = {0};
        ki_mass_times(&w.d, step, r);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                r[system.J.index[3 * i + k]] += w.d.at.J[3 * i + k] * w.d.lambda[i];
        for (int i = 0; i < 6; i++)
            assert_true(fabs(r[i] - w.d.at.Q[i] + r_D[i]) < 1e-4 * (i < 3 ? 1e-3 : 1e-5));
        for (int i = 0; i < 3; i++)
            assert_true(fabs((level ? w.d.at.rate[i] : w.d.at.Phi[i]) + r_C[i]) < 1e-3 * 1e-8);
        ki_index3_free(K);
    }
    ki_dynamics_clear(&w.d);
}

/* x with J x = s, along A^-1 J^T. */
static void projects(void **state) {
    (void)state;
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    workspace w;
    open_workspace(&w, &system);
    const double a[] = {0, 0}, lambda[] = {0}, s[] = {0.4};
    ki_index3 *K = ki_index3_new(&w.d, false, KEEL_SCALING_NONE, true);
    double x[2];
    assert_int_equal(ki_index3_linearize(K, 0, Y, a, lambda), KEEL_OK);
    assert_int_equal(ki_index3_factor(K, S, C_V, S, 0), KEEL_OK);
    ki_index3_project(K, s, x);
    assert_true(fabs(x[0] - 0.12) < 1e-12 && fabs(x[1] + 0.16) < 1e-12);
    ki_index3_free(K);
    ki_dynamics_clear(&w.d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_closed_form), cmocka_unit_test(velocity_level),
        cmocka_unit_test(redundant_rows),       cmocka_unit_test(singular_pose),
        cmocka_unit_test(condition_slopes),     cmocka_unit_test(states_are_coupled),
        cmocka_unit_test(linearises_rotations), cmocka_unit_test(projects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

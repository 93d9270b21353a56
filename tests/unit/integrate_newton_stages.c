/* The linear systems of stages with derivatives of their own against f_y by hand: that of all stages, and the
 * real one that filters estimates. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "integrate/newton_stages.h"

enum { N = 5, STAGES = 3 }; /* components of y besides the work */

/* Two masses, 2 and 4, and a state:
 *
 *     2 q_0'' = -3 q_0 - q_0' + z,    4 q_1'' = -q_0 + 5 q_1',    z' = -2 z + 3 q_1 + 5 q_0'
 */
static const double F_Y[N][N] = {
    {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {-1.5, 0, -0.5, 0, 0.5}, {-0.25, 0, 0, 1.25, 0}, {0, 3, 5, 0, -2}};

static const double TANGENT[] = {3, 1, -1, 1, -5, -3, -5, 2};

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    (void)system, (void)work;
    const double *q = at->q, *v = at->v, *z = at->z;
    if (what & KEEL_MASS)
        memcpy(terms->M, (const double[]){2, 4}, 2 * sizeof(double));
    if (what & KEEL_FORCE) {
        terms->Q[0] = -3 * q[0] - v[0] + z[0];
        terms->Q[1] = -q[0] + 5 * v[1];
    }
    if (what & KEEL_STATES)
        terms->f[0] = -2 * z[0] + 3 * q[1] + 5 * v[0];
    if (what & KEEL_TANGENT)
        memcpy(terms->tangent, TANGENT, sizeof TANGENT);
    return KEEL_OK;
}

static keel_system masses_and_state(void) {
    static const int M_start[] = {0, 1, 2}, M_index[] = {0, 1}, none[] = {0};
    static const int start[] = {0, 3, 5, 8}, index[] = {0, 2, 4, 0, 3, 1, 2, 4};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 2;
    system.n_z = 1;
    system.M = (keel_pattern){2, 2, M_start, M_index};
    system.J = (keel_pattern){0, 2, none, none};
    system.tangent = (keel_pattern){3, 5, start, index};
    system.evaluate = evaluate;
    return system;
}

typedef struct workspace {
    ki_law law;
    ki_dynamics d;
    ki_newton newton;
    ki_coupled coupled;
} workspace;

static const double C[STAGES] = {0.2, 0.6, 1},
                    A[STAGES][KI_COUPLED_STAGES] = {{0.2, -0.1, 0.1}, {0.4, 0.3, -0.1}, {0.4, 0.5, 0.1}};

/* Derivatives are those of the middle and of the end: the same, for the system is linear. */
static void open_workspace(workspace *w, const keel_system *system) {
    double y[N + 1] = {0.1, 0.2, 0.3, 0.4, 0.5, 0}, rate[N + 1];
    w->law = (ki_law){.formulation = KEEL_INDEX1, .metric = KEEL_METRIC_MASS};
    assert_int_equal(ki_dynamics_init(&w->d, system, &w->law), KEEL_OK);
    assert_int_equal(ki_newton_init(&w->newton, &w->d), KEEL_OK);
    assert_true(ki_coupled_suits(&w->newton, STAGES));
    assert_int_equal(ki_coupled_init(&w->coupled, &w->newton, STAGES, 1, C, A), KEEL_OK);
    assert_int_equal(ki_rate(&w->d, 0, y, rate), KEEL_OK);
    assert_int_equal(ki_newton_differentiate(&w->newton, 0, y, rate), KEEL_OK);
    ki_coupled_take(&w->coupled, KI_NODE_MIDDLE);
    ki_coupled_take(&w->coupled, KI_NODE_END);
}

static void close_workspace(workspace *w) {
    ki_coupled_clear(&w->coupled);
    ki_newton_clear(&w->newton);
    ki_dynamics_clear(&w->d);
}

static double rate_of(int i, const double *x) {
    double sum = 0;
    for (int j = 0; j < N; j++)
        sum += F_Y[i][j] * x[j];
    return sum;
}

/* x - gamma f_y x = b, also with the pivots of another gamma; the work stays. */
static void filters(void **state) {
    (void)state;
    keel_system system = masses_and_state();
    workspace w;
    open_workspace(&w, &system);
    const double b[N + 1] = {1, -2, 3, 0.5, -1, 7}, gammas[] = {0.1, 0.1, 10, 0.01};
    for (int k = 0; k < 4; k++) {
        double x[N + 1 + KI_FOUR] = {0};
        memcpy(x, b, sizeof b);
        assert_int_equal(ki_coupled_filter(&w.coupled, gammas[k], x), KEEL_OK);
        for (int i = 0; i < N; i++)
            assert_true(fabs(x[i] - gammas[k] * rate_of(i, x) - b[i]) < 1e-11);
        assert_true(x[N] == b[N]);
    }
    close_workspace(&w);
}

/* x_i - h sum_j a_ij f_y x_j = b_i */
static void solves_all_stages(void **state) {
    (void)state;
    keel_system system = masses_and_state();
    workspace w;
    open_workspace(&w, &system);
    double h = 0.3, b[STAGES][N], room[STAGES][N + 1 + 2 * KI_FOUR] = {{0}}, *x[STAGES];
    for (int s = 0; s < STAGES; s++) {
        x[s] = room[s];
        for (int i = 0; i < N; i++)
            x[s][i] = b[s][i] = sin(1 + i + N * s);
    }
    assert_int_equal(ki_coupled_factor(&w.coupled, h), KEEL_OK);
    ki_coupled_solve(&w.coupled, x);
    for (int s = 0; s < STAGES; s++)
        for (int i = 0; i < N; i++) {
            double rest = x[s][i] - b[s][i];
            for (int j = 0; j < STAGES; j++)
                rest -= h * A[s][j] * rate_of(i, x[j]);
            assert_true(fabs(rest) < 1e-12);
        }
    close_workspace(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(filters), cmocka_unit_test(solves_all_stages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

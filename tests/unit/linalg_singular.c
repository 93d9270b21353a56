/* A that is singular: solved where J makes up for it, reported with its row where not. Larger systems: see
 * linalg_massless.c. */
#include "linalg_helper.h"

static problem P, Q;

/* A point without mass on a spring between two masses: its position follows from the constraint. */
static void massless_point_held_by_a_constraint(void **state) {
    memset(&P, 0, sizeof P);
    P.n = 3;
    P.m = 1;
    P.A[0][0] = 2;
    P.A[2][2] = 4;
    P.J[0][0] = -0.5;
    P.J[0][1] = 1;
    P.J[0][2] = -0.5;
    P.r[0] = 2;
    P.r[2] = 8;
    P.s[0] = 0.25;
    assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
    assert_true(residual_of(&P) <= 1e-13);
    /* no force on the massless point: y = 0, so x_0 = 1, x_2 = 2, x_1 = 1.5 + 0.25 */
    assert_close(P.y[0], 0, 1e-14);
    assert_close(P.x[0], 1, 1e-14);
    assert_close(P.x[1], 1.75, 1e-14);
    assert_close(P.x[2], 2, 1e-14);
}

/* Random A of low rank with enough rows, some of them dependent: y against the residual, x against a penalty.
 */
static void random_semidefinite(void **state) {
    for (int trial = 0; trial < 40; trial++) {
        int n = uniform_int(3, 15), missing = uniform_int(1, n / 2), m = missing + uniform_int(0, 2);
        fill_random(&P, n, m + 1, 1);
        for (int i = 0; i < missing; i++)
            P.A[(3 * i + 1) % n][(3 * i + 1) % n] = 0;
        copy_row(&P, m, 0, -2);
        make_consistent(&P);
        keel_saddle *K;
        assert_int_equal(solve_keeping(&P, path_of(state), &K), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-13);
        assert_int_equal(keel_saddle_regularized(K), 1);
        /* y and -2 times itself share as 1 : -2 */
        assert_int_equal(keel_saddle_least_norm(K, P.y), KEEL_OK);
        assert_close(P.y[m], -2 * P.y[0], 1e-11 * largest_of(P.y, P.m));
        assert_true(residual_of(&P) <= 1e-13);
        keel_saddle_free(K);
    }
}

/* x_1^2 - x_0^2 grows downwards, but not along the null space of J: x_0 is given. */
static void indefinite_where_j_forbids_motion(void **state) {
    (void)state;
    memset(&P, 0, sizeof P);
    P.n = 2;
    P.m = 1;
    P.A[0][0] = -1;
    P.A[1][0] = 0.5;
    P.A[1][1] = 2;
    P.J[0][0] = 3;
    P.r[1] = 4;
    P.s[0] = 6;
    assert_int_equal(solve(&P, KEEL_SADDLE_DENSE), KEEL_OK);
    /* x_0 = 2; 0.5 * 2 + 2 x_1 = 4; -2 + 0.5 * 1.5 + 3 y = 0 */
    assert_close(P.x[0], 2, 1e-14);
    assert_close(P.x[1], 1.5, 1e-14);
    assert_close(P.y[0], 1.25 / 3, 1e-14);
}

static void penalties_hold_a_massless_point(void **state) {
    for (int trial = 0; trial < 20; trial++) {
        int n = uniform_int(2, 10);
        fill_random(&P, n, 3, 1);
        P.A[1][1] = 0;
        P.has_D = 1;
        P.D[0] = 0.1;
        P.D[2] = trial % 2 ? 1e-3 : 0;
        make_consistent(&P);
        assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-13);
    }
}

static void contradiction_with_singular_a(void **state) {
    fill_random(&P, 5, 3, 1);
    P.A[2][2] = 0;
    copy_row(&P, 2, 0, 1);
    make_consistent(&P);
    P.s[0] += 1;
    P.s[2] -= 1;
    Q = P;
    Q.m = 2;
    Q.s[0] -= 1;
    assert_int_equal(solve(&Q, path_of(state)), KEEL_OK);
    assert_int_equal(solve(&P, path_of(state)), KEEL_INCONSISTENT);
    assert_true(largest_difference(P.x, Q.x, 5) <= 1e-12 * largest_of(Q.x, 5));
}

/* The row that is named is the unknown that nothing holds. */
static void names_the_unknown_that_nothing_holds(void **state) {
    (void)state;
    static const keel_saddle_path paths[] = {KEEL_SADDLE_DENSE, KEEL_SADDLE_SPARSE};
    for (int k = 0; k < 2; k++)
        for (int row = 0; row < 6; row++) {
            fill_random(&P, 6, 2, 1);
            P.A[row][row] = 0;
            P.J[0][row] = P.J[1][row] = 0;
            keel_saddle *K = new_kernel(&P, paths[k]);
            assert_int_equal(factor(K, &P), KEEL_ERROR_SINGULAR);
            assert_int_equal(keel_saddle_bad_pivot(K), row);
            assert_true(keel_saddle_solve(K, P.r, P.s, P.x, P.y, NULL) < 0);
            /* and the kernel is as good as new afterwards */
            P.A_values[row] = 1;
            assert_int_equal(factor(K, &P), KEEL_OK);
            assert_int_equal(keel_saddle_bad_pivot(K), -1);
            assert_int_equal(keel_saddle_solve(K, P.r, P.s, P.x, P.y, NULL), KEEL_OK);
            keel_saddle_free(K);
        }
}

/* Two unknowns with one mass between them: (1 1; 1 1) cannot tell them apart, and a row can. */
static void mass_shared_by_two_unknowns(void **state) {
    memset(&P, 0, sizeof P);
    P.n = 3;
    P.m = 1;
    P.A[0][0] = P.A[1][0] = P.A[1][1] = P.A[2][2] = 1;
    P.J[0][2] = 1;
    keel_saddle *K = new_kernel(&P, path_of(state));
    assert_int_equal(factor(K, &P), KEEL_ERROR_SINGULAR);
    assert_true(keel_saddle_bad_pivot(K) == 0 || keel_saddle_bad_pivot(K) == 1);
    keel_saddle_free(K);

    P.J[0][0] = 1;
    P.r[0] = 3;
    P.r[1] = 3;
    P.s[0] = 1;
    assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
    assert_true(residual_of(&P) <= 1e-13);
}

static void negative_mass_is_singular_on_both_paths(void **state) {
    (void)state;
    static const keel_saddle_path paths[] = {KEEL_SADDLE_DENSE, KEEL_SADDLE_SPARSE};
    for (int k = 0; k < 2; k++) {
        fill_random(&P, 5, 0, 1);
        P.A[3][3] = -1;
        keel_saddle *K = new_kernel(&P, paths[k]);
        assert_int_equal(factor(K, &P), KEEL_ERROR_SINGULAR);
        assert_int_equal(keel_saddle_bad_pivot(K), 3);
        keel_saddle_free(K);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ALL_PATHS(massless_point_held_by_a_constraint),
        ALL_PATHS(random_semidefinite),
        cmocka_unit_test(indefinite_where_j_forbids_motion),
        ALL_PATHS(penalties_hold_a_massless_point),
        ALL_PATHS(contradiction_with_singular_a),
        cmocka_unit_test(names_the_unknown_that_nothing_holds),
        ALL_PATHS(mass_shared_by_two_unknowns),
        cmocka_unit_test(negative_mass_is_singular_on_both_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

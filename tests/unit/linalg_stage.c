/* Solves of which only the solution is wanted, and the pivots behind them: against elimination in extended
 * precision of the matrix as a whole, with rows of J that follow from others left out. */
#include "linalg_helper.h"

#include "linalg/saddle_code.h"
#include "linalg/saddle_internal.h"

enum { SIDE = 2 * MOST };

static problem P;

/* M z = b with the largest pivots; M and b are used up. */
static void eliminate(int size, long double M[SIDE][SIDE], long double *b) {
    for (int k = 0; k < size; k++) {
        int best = k;
        for (int i = k + 1; i < size; i++)
            best = fabsl(M[i][k]) > fabsl(M[best][k]) ? i : best;
        for (int j = 0; j < size; j++) {
            long double keep = M[k][j];
            M[k][j] = M[best][j];
            M[best][j] = keep;
        }
        long double keep = b[k];
        b[k] = b[best];
        b[best] = keep;
        for (int i = k + 1; i < size; i++) {
            long double factor = M[i][k] / M[k][k];
            for (int j = k; j < size; j++)
                M[i][j] -= factor * M[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = size - 1; i >= 0; i--) {
        for (int j = i + 1; j < size; j++)
            b[i] -= M[i][j] * b[j];
        b[i] /= M[i][i];
    }
}

/* x of the system with the first `rows` rows of J only. */
static void reference(int rows, double *x) {
    static long double M[SIDE][SIDE];
    long double b[SIDE];
    memset(M, 0, sizeof M);
    for (int i = 0; i < P.n; i++) {
        b[i] = P.r[i];
        for (int j = 0; j < P.n; j++)
            M[i][j] = P.A[i > j ? i : j][i > j ? j : i];
    }
    for (int k = 0; k < rows; k++) {
        b[P.n + k] = P.s[k];
        for (int j = 0; j < P.n; j++)
            M[P.n + k][j] = M[j][P.n + k] = P.J[k][j];
    }
    eliminate(P.n + rows, M, b);
    for (int i = 0; i < P.n; i++)
        x[i] = (double)b[i];
}

static void expect_reference(int rows, double tolerance) {
    double x[MOST];
    reference(rows, x);
    assert_true(largest_difference(x, P.x, P.n) <= tolerance * largest_of(x, P.n));
}

/* J with `repeated` last rows that are sums of others, with s that agrees up to `off`. */
static void fill_dependent(int n, int m, int repeated, double off) {
    fill_random(&P, n, m, 1);
    for (int k = m - repeated; k < m; k++)
        for (int j = 0; j < n; j++)
            P.J[k][j] = 2 * P.J[0][j] - P.J[1][j];
    make_consistent(&P);
    for (int k = m - repeated; k < m; k++)
        P.s[k] += off;
}

static void a_stage_has_the_solution(void **state) {
    keel_saddle_path path = path_of(state);
    for (int turn = 0; turn < 40; turn++) {
        int n = uniform_int(1, 24), m = uniform_int(0, n - 1);
        fill_random(&P, n, m, turn % 2);
        make_consistent(&P);
        keel_saddle *K = new_kernel(&P, path);
        assert_int_equal(factor(K, &P), KEEL_OK);
        assert_int_equal(ki_saddle_solve_stage(K, P.r, P.s, P.x, P.y), KEEL_OK);
        expect_reference(m, 1e-9);
        memset(P.x, 0, sizeof P.x);
        assert_int_equal(ki_saddle_solve_once(K, P.r, P.s, P.x, P.y), KEEL_OK);
        expect_reference(m, 1e-9);
        keel_saddle_free(K);
    }
}

/* Sides that are left out are zero, for one application as for a whole solve. */
static void sides_may_be_left_out(void **state) {
    fill_random(&P, 12, 5, 0);
    make_consistent(&P);
    keel_saddle *K = new_kernel(&P, path_of(state));
    assert_int_equal(factor(K, &P), KEEL_OK);
    assert_int_equal(ki_saddle_solve_once(K, NULL, P.s, P.x, P.y), KEEL_OK);
    memset(P.r, 0, sizeof P.r);
    expect_reference(5, 1e-10);
    assert_int_equal(ki_saddle_solve_once(K, NULL, NULL, P.x, P.y), KEEL_OK);
    assert_true(largest_of(P.x, P.n) == 0 && largest_of(P.y, P.m) == 0);
    P.s[2] = NAN;
    assert_int_equal(ki_saddle_solve_once(K, NULL, P.s, P.x, P.y), KEEL_ERROR_NOT_FINITE);
    P.r[1] = INFINITY;
    assert_int_equal(ki_saddle_solve_once(K, P.r, NULL, P.x, P.y), KEEL_ERROR_NOT_FINITE);
    keel_saddle_free(K);
}

/* A system that repeats rows may leave what they disagree by in them: the others hold exactly. */
static void repeated_rows_are_left(void **state) {
    keel_saddle_path path = path_of(state);
    for (int turn = 0; turn < 20; turn++) {
        double off = turn % 2 ? 1e-9 : 0;
        int n = uniform_int(8, 20), m = uniform_int(4, 7), repeated = uniform_int(1, 2);
        fill_dependent(n, m, repeated, off);
        keel_saddle *K = new_kernel(&P, path);
        keel_saddle_set_dependent(K, 1e-4); /* then no row passes closely */
        ki_saddle_leave_rest(K, 1e-6);
        assert_int_equal(factor(K, &P), KEEL_OK);
        assert_int_equal(keel_saddle_regularized(K), 1);
        keel_status status = ki_saddle_solve_stage(K, P.r, P.s, P.x, P.y);
        assert_true(status == KEEL_OK || (off > 0 && status == KEEL_INACCURATE));
        expect_reference(m - repeated, 1e-8);
        assert_int_equal(ki_saddle_solve_leaving(K, P.r, P.s, P.x, P.y), KEEL_OK);
        expect_reference(m - repeated, 1e-8);
        keel_saddle_free(K);
    }
}

/* What they disagree by is too much to be left: all rows share it by least squares, and that is told. */
static void contradictions_are_told(void **state) {
    fill_dependent(12, 5, 1, 0.3);
    keel_saddle *K = new_kernel(&P, path_of(state));
    keel_saddle_set_dependent(K, 1e-4);
    ki_saddle_leave_rest(K, 1e-6);
    assert_int_equal(factor(K, &P), KEEL_OK);
    assert_int_equal(ki_saddle_solve_stage(K, P.r, P.s, P.x, P.y), KEEL_INCONSISTENT);
    double rest = -P.s[0]; /* rows 0, 1 and 4 share it: none of them holds */
    for (int j = 0; j < P.n; j++)
        rest += P.J[0][j] * P.x[j];
    assert_true(fabs(rest) > 1e-3);
    keel_saddle_free(K);
}

/* A far from the unit matrix: factors alone would not do, the answer is refined. */
static void bad_pivots_are_refined(void **state) {
    fill_random(&P, 10, 4, 0);
    for (int i = 0; i < 10; i++) /* two unknowns that move together, but for 1e-7 of their mass */
        P.A[1][i] = P.A[i][1] = P.A[0][i];
    P.A[1][0] = P.A[0][1] = P.A[0][0];
    P.A[1][1] = P.A[0][0] * (1 + 1e-7);
    make_consistent(&P);
    keel_saddle *K = new_kernel(&P, path_of(state));
    assert_int_equal(factor(K, &P), KEEL_OK);
    assert_int_equal(ki_saddle_solve_stage(K, P.r, P.s, P.x, P.y), KEEL_OK);
    assert_true(residual_of(&P) < 2e-14);
    keel_saddle_free(K);
}

static void what_is_not_finite_is_refused(void **state) {
    fill_random(&P, 6, 2, 0);
    make_consistent(&P);
    keel_saddle *K = new_kernel(&P, path_of(state));
    assert_int_equal(ki_saddle_solve_stage(K, P.r, P.s, P.x, P.y),
                     KEEL_ERROR_SINGULAR); /* nothing factored */
    assert_int_equal(ki_saddle_solve_once(K, P.r, P.s, P.x, P.y), KEEL_ERROR_SINGULAR);
    double pivot[MOST], size[MOST];
    assert_false(ki_saddle_pivots(K, pivot, size));
    assert_int_equal(factor(K, &P), KEEL_OK);
    P.r[3] = NAN;
    assert_int_equal(ki_saddle_solve_stage(K, P.r, P.s, P.x, P.y), KEEL_ERROR_NOT_FINITE);
    keel_saddle_free(K);
    memset(&P, 0, sizeof P); /* all is finite but the answer */
    P.n = 1;
    P.A[0][0] = 1e-200;
    P.r[0] = 1e200;
    K = new_kernel(&P, path_of(state));
    assert_int_equal(factor(K, &P), KEEL_OK);
    assert_int_equal(ki_saddle_solve_stage(K, P.r, P.s, P.x, P.y), KEEL_ERROR_NOT_FINITE);
    keel_saddle_free(K);
}

/* `legs` legs of `size` unknowns each that as many rows close with the crank, the last unknown: A couples
 * each leg in itself and with the crank. In some legs the rows hold each other up only together with the
 * crank, if they are `stretched`. */
static void fill_legs(int legs, int size, int stretched) {
    memset(&P, 0, sizeof P);
    int n = P.n = legs * size + 1, crank = n - 1;
    P.m = legs * size;
    for (int i = 0; i < n; i++) {
        P.r[i] = uniform(-1, 1);
        P.A[i][i] = i == crank ? 4 * legs : uniform(2, 4);
    }
    for (int leg = 0; leg < legs; leg++) {
        int first = leg * size;
        for (int i = first; i < first + size; i++) {
            P.A[i][crank] = P.A[crank][i] = uniform(-0.5, 0.5);
            P.J[i][crank] = uniform(0.5, 1);
            for (int j = first; j < first + size; j++) {
                P.J[i][j] = uniform(-1, 1) + (i == j ? 2 : 0);
                if (j < i)
                    P.A[i][j] = P.A[j][i] = uniform(-0.2, 0.2);
            }
        }
        for (int j = first; j < first + size && leg < stretched; j++)
            P.J[first + 1][j] = 1.5 * P.J[first][j];
    }
    make_consistent(&P);
}

/* Legs on a crank: their rows need not wait for it, which saves most of the work. */
static void stages_have_an_order_of_their_own(void **state) {
    (void)state;
    for (int turn = 0; turn < 20; turn++) {
        fill_legs(uniform_int(5, 9), uniform_int(3, 5), 0);
        keel_saddle *K = new_kernel(&P, KEEL_SADDLE_SPARSE);
        assert_int_equal(ki_saddle_prepare_stages(K, false), KEEL_OK);
        assert_true(ki_saddle_factor_stage(K, P.A_values, P.J_values));
        assert_true(1.5 * ki_saddle_sparse_work(K->stage.sparse) < keel_saddle_factor_work(K));
        assert_int_equal(ki_saddle_solve_stage(K, P.r, P.s, P.x, P.y), KEEL_OK);
        expect_reference(P.m, 1e-10);
        P.r[2] = NAN;
        assert_int_equal(ki_saddle_solve_stage(K, P.r, P.s, P.x, P.y), KEEL_ERROR_NOT_FINITE);
        P.A_values[0] = NAN;
        assert_false(ki_saddle_factor_stage(K, P.A_values, P.J_values));
        keel_saddle_free(K);
    }
}

/* Where a leg cannot move without the crank those factors are refused, and the usual ones have the solution.
 */
static void a_stretched_leg_waits_for_the_crank(void **state) {
    (void)state;
    fill_legs(6, 4, 1);
    keel_saddle *K = new_kernel(&P, KEEL_SADDLE_SPARSE);
    assert_int_equal(ki_saddle_prepare_stages(K, false), KEEL_OK);
    assert_non_null(K->stage.sparse);
    assert_false(ki_saddle_factor_stage(K, P.A_values, P.J_values));
    assert_int_equal(factor(K, &P), KEEL_OK);
    assert_int_equal(ki_saddle_solve_stage(K, P.r, P.s, P.x, P.y), KEEL_OK);
    expect_reference(P.m, 1e-9);
    keel_saddle_free(K);
}

/* S = J A^-1 J^T and its pivots, row after row. */
static void pivots_are_those_of_the_schur_complement(void **state) {
    (void)state;
    for (int turn = 0; turn < 20; turn++) {
        static long double M[SIDE][SIDE], S[MOST][MOST];
        int n = uniform_int(2, 18), m = uniform_int(1, n - 1);
        fill_random(&P, n, m, 0);
        if (turn % 2 && m > 1)
            copy_row(&P, m - 1, 0, -3);
        for (int k = 0; k < m; k++) {
            long double b[SIDE];
            for (int i = 0; i < n; i++) {
                b[i] = P.J[k][i];
                for (int j = 0; j < n; j++)
                    M[i][j] = P.A[i > j ? i : j][i > j ? j : i];
            }
            eliminate(n, M, b);
            for (int i = 0; i < m; i++) {
                S[i][k] = 0;
                for (int j = 0; j < n; j++)
                    S[i][k] += P.J[i][j] * b[j];
            }
        }
        keel_saddle *K = new_kernel(&P, KEEL_SADDLE_DENSE);
        double pivot[MOST], size[MOST];
        assert_int_equal(factor(K, &P), KEEL_OK);
        assert_true(ki_saddle_pivots(K, pivot, size));
        for (int k = 0; k < m; k++)
            assert_close(size[k], (double)S[k][k], 1e-12 * size[k]);
        for (int k = 0; k < m; k++) {
            assert_close(pivot[k], (double)S[k][k], 1e-10 * size[k]);
            for (int i = k + 1; i < m; i++)
                for (int j = k + 1; j < m; j++)
                    S[i][j] -= S[i][k] * S[k][j] / S[k][k];
        }
        keel_saddle_free(K);
    }
}

/* The sparse path takes rows in another order; in any, as many pivots vanish as rows follow from others. */
static void sparse_pivots_find_what_repeats(void **state) {
    (void)state;
    fill_dependent(30, 8, 2, 0);
    keel_saddle *K = new_kernel(&P, KEEL_SADDLE_SPARSE);
    double pivot[MOST], size[MOST];
    int small = 0;
    assert_int_equal(factor(K, &P), KEEL_OK);
    assert_true(ki_saddle_pivots(K, pivot, size));
    for (int i = 0; i < P.m; i++) {
        assert_true(size[i] > 0 && pivot[i] <= size[i] * (1 + 1e-12));
        small += fabs(pivot[i]) < 1e-12 * size[i];
    }
    assert_int_equal(small, 2);
    keel_saddle_free(K);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TWO_PATHS(a_stage_has_the_solution),
        TWO_PATHS(sides_may_be_left_out),
        TWO_PATHS(repeated_rows_are_left),
        TWO_PATHS(contradictions_are_told),
        TWO_PATHS(bad_pivots_are_refined),
        TWO_PATHS(what_is_not_finite_is_refused),
        cmocka_unit_test(stages_have_an_order_of_their_own),
        cmocka_unit_test(a_stretched_leg_waits_for_the_crank),
        cmocka_unit_test(pivots_are_those_of_the_schur_complement),
        cmocka_unit_test(sparse_pivots_find_what_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

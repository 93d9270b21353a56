/* Rows of J that depend on each other, and rows that contradict each other, on every path. */
#include <lapacke.h>

#include "linalg/saddle_code.h"
#include "linalg_helper.h"

static problem P, Q;

/* y with the least norm from LAPACK: min |y| among the minimizers of |J^T y - b|, b = J^T y. */
static void least_norm_reference(const problem *from, double *y) {
    int n = from->n, m = from->m, most = n > m ? n : m;
    static double J_transposed[MOST * MOST], b[MOST], singular[MOST];
    memset(b, 0, sizeof b);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            J_transposed[i * n + j] = from->J[i][j];
            b[j] += from->J[i][j] * from->y[i];
        }
    lapack_int rank;
    assert_int_equal(
        LAPACKE_dgelsd(LAPACK_COL_MAJOR, n, m, 1, J_transposed, n, b, most, singular, 1e-11, &rank), 0);
    memcpy(y, b, (size_t)m * sizeof(double));
}

/* Solves with dependent rows that agree, and compares the multiplier with LAPACK's least norm. Returns
 * whether the dependence showed in the pivots. */
static int check_dependent(keel_saddle_path path, int refinements) {
    double reference[MOST];
    keel_saddle *K;
    assert_int_equal(solve_keeping(&P, path, &K), KEEL_OK);
    assert_true(residual_of(&P) <= 1e-13);
    assert_true(P.info.refinements <= refinements);
    int regularized = keel_saddle_regularized(K);
    assert_int_equal(keel_saddle_least_norm(K, P.y), KEEL_OK);
    assert_true(residual_of(&P) <= 1e-13);
    least_norm_reference(&P, reference);
    assert_true(largest_difference(P.y, reference, P.m) <= 1e-11 * largest_of(reference, P.m));
    keel_saddle_free(K);
    return regularized;
}

static void equal_rows_share(void **state) {
    for (int copies = 2; copies <= 3; copies++) {
        fill_random(&P, 8, 3 + copies, 0);
        for (int k = 1; k < copies; k++)
            copy_row(&P, 2 + k, 0, 1);
        make_consistent(&P);
        assert_int_equal(check_dependent(path_of(state), 1), 1);
        for (int k = 1; k < copies; k++)
            assert_close(P.y[2 + k], P.y[0], 1e-13 * largest_of(P.y, P.m));
    }
}

/* min y_0^2 + y_1^2 with y_0 + f y_1 given: y_1 = f y_0 */
static void scaled_rows_share_by_length(void **state) {
    static const double factors[] = {3, -0.25, 1e4, 1e-6};
    for (int k = 0; k < 4; k++) {
        fill_random(&P, 6, 4, 1);
        copy_row(&P, 3, 1, factors[k]);
        make_consistent(&P);
        assert_int_equal(check_dependent(path_of(state), 1), 1);
        /* the null vector is (f, -1) */
        double along = (factors[k] * P.y[1] - P.y[3]) / hypot(factors[k], 1);
        assert_close(along, 0, 1e-14 * largest_of(P.y, P.m));
    }
}

static void combinations_of_rows(void **state) {
    for (int trial = 0; trial < 50; trial++) {
        int n = uniform_int(3, 30), m = uniform_int(2, n), extra = uniform_int(1, 4);
        fill_random(&P, n, m + extra, trial % 2);
        for (int i = m; i < P.m; i++) {
            memset(P.J[i], 0, sizeof P.J[i]);
            for (int k = 0; k < m; k++) {
                double factor = uniform(-3, 3);
                for (int j = 0; j < n; j++)
                    P.J[i][j] += factor * P.J[k][j];
            }
        }
        make_consistent(&P);
        check_dependent(path_of(state), 2);
    }
}

/* Row 2 is a thousand times the difference of rows 0 and 1, which are close: round-off of S leaves it a pivot
 * far above round-off. The multiplier is the shortest one all the same, and a contradiction is found. */
static void dependence_with_large_coefficients(void **state) {
    for (int trial = 0; trial < 20; trial++) {
        fill_random(&P, 8, 5, trial % 2);
        for (int j = 0; j < 8; j++) {
            P.J[2][j] = P.J[1][j];
            P.J[1][j] = P.J[0][j] + 1e-3 * P.J[2][j];
        }
        make_consistent(&P);
        double reference[MOST];
        keel_saddle *K;
        assert_int_equal(solve_keeping(&P, path_of(state), &K), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-13);
        /* y was up to 1e4 longer before: its round-off remains */
        assert_int_equal(keel_saddle_least_norm(K, P.y), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-11);
        least_norm_reference(&P, reference);
        assert_true(largest_difference(P.y, reference, P.m) <= 1e-9 * largest_of(reference, P.m));
        keel_saddle_free(K);
        P.s[2] += 1;
        assert_int_equal(solve(&P, path_of(state)), KEEL_INCONSISTENT);
        assert_true(largest_of(P.y, P.m) <= 1e10);
    }
}

static void more_rows_than_unknowns(void **state) {
    for (int trial = 0; trial < 20; trial++) {
        int n = uniform_int(1, 12);
        fill_random(&P, n, n + uniform_int(1, 6), trial % 2);
        make_consistent(&P);
        check_dependent(path_of(state), 4);
    }
}

static void zero_row(void **state) {
    fill_random(&P, 5, 3, 0);
    memset(P.J[1], 0, sizeof P.J[1]);
    make_consistent(&P);
    assert_int_equal(check_dependent(path_of(state), 1), 1);
    assert_true(P.y[1] == 0);

    /* and one that asks for the impossible: 0 x = 2 */
    P.s[1] = 2;
    assert_int_equal(solve(&P, path_of(state)), KEEL_INCONSISTENT);
    assert_int_equal(P.info.worst_row, 1);
    P.s[1] = 0;
    assert_true(residual_of(&P) <= 1e-13);
}

/* Rows 0 and 2 are equal and ask for different values: least squares takes the mean. */
static void contradiction_takes_the_mean(void **state) {
    fill_random(&P, 6, 3, 0);
    copy_row(&P, 2, 0, 1);
    make_consistent(&P);
    P.s[0] += 1;
    P.s[2] -= 1;
    Q = P;
    Q.m = 2;
    Q.s[0] -= 1;
    assert_int_equal(solve(&Q, path_of(state)), KEEL_OK);
    assert_int_equal(solve(&P, path_of(state)), KEEL_INCONSISTENT);
    assert_true(largest_difference(P.x, Q.x, P.n) <= 1e-12 * largest_of(Q.x, P.n));
    assert_true(P.info.worst_row == 0 || P.info.worst_row == 2);
    assert_true(P.info.residual > 0.1);
    /* the forces are those of the mean as well, however they are shared */
    assert_close(P.y[0] + P.y[2], Q.y[0], 1e-12 * largest_of(Q.y, 2));
    assert_close(P.y[1], Q.y[1], 1e-12 * largest_of(Q.y, 2));
    assert_true(largest_of(P.y, P.m) <= 1e3);
}

/* Random contradictions: x satisfies the normal equations of the unit rows, and y does not grow with the
 * number of refinements allowed. */
static void contradictions_stay_bounded(void **state) {
    for (int trial = 0; trial < 30; trial++) {
        int n = uniform_int(4, 20), m = uniform_int(2, n - 1);
        fill_random(&P, n, m + 2, trial % 2);
        copy_row(&P, m, 0, 2);
        for (int j = 0; j < n; j++)
            P.J[m + 1][j] = P.J[0][j] - P.J[1][j];
        make_consistent(&P);
        P.s[m] += 0.5;
        P.s[m + 1] -= 0.3;
        assert_int_equal(solve(&P, path_of(state)), KEEL_INCONSISTENT);
        assert_true(largest_of(P.x, n) <= 1e4 && largest_of(P.y, P.m) <= 1e6);
        double gradient[MOST] = {0};
        for (int i = 0; i < P.m; i++) {
            double rest = P.s[i], square = 0;
            for (int j = 0; j < n; j++) {
                rest -= P.J[i][j] * P.x[j];
                square += P.J[i][j] * P.J[i][j];
            }
            for (int j = 0; j < n; j++)
                gradient[j] += P.J[i][j] * rest / square;
        }
        assert_true(largest_of(gradient, n) <= 1e-11 * largest_of(P.x, n));
    }
}

/* After a factorization that needed the slow way the next one starts afresh. */
static void one_factorization_leaves_no_trace(void **state) {
    fill_random(&P, 8, 4, 0);
    for (int i = 0; i < 4; i++)
        P.s[i] = uniform(-1, 1);
    keel_saddle *K;
    assert_int_equal(solve_keeping(&P, path_of(state), &K), KEEL_OK);
    Q = P;
    copy_row(&Q, 3, 0, 1);
    pack(&Q);
    assert_int_equal(factor(K, &Q), KEEL_OK);
    assert_int_equal(keel_saddle_solve(K, Q.r, Q.s, Q.x, Q.y, NULL), KEEL_INCONSISTENT);
    assert_int_equal(keel_saddle_least_norm(K, Q.y), KEEL_OK);
    assert_int_equal(keel_saddle_regularized(K), 1);
    /* other rows are dependent now */
    Q = P;
    copy_row(&Q, 2, 1, -1);
    make_consistent(&Q);
    pack(&Q);
    double reference[MOST];
    assert_int_equal(factor(K, &Q), KEEL_OK);
    assert_int_equal(keel_saddle_solve(K, Q.r, Q.s, Q.x, Q.y, NULL), KEEL_OK);
    assert_int_equal(keel_saddle_least_norm(K, Q.y), KEEL_OK);
    assert_true(residual_of(&Q) <= 1e-13);
    least_norm_reference(&Q, reference);
    assert_true(largest_difference(Q.y, reference, 4) <= 1e-11 * largest_of(reference, 4));
    assert_int_equal(factor(K, &P), KEEL_OK);
    assert_int_equal(keel_saddle_regularized(K), 0);
    assert_int_equal(keel_saddle_solve(K, P.r, P.s, Q.x, Q.y, NULL), KEEL_OK);
    assert_memory_equal(Q.x, P.x, sizeof P.x);
    assert_memory_equal(Q.y, P.y, sizeof P.y);
    keel_saddle_free(K);
}

/* The slower way is found in the first solve; those after it start on it, and must not be worse. */
static void later_solves_are_as_good(void **state) {
    for (int trial = 0; trial < 20; trial++) {
        fill_random(&P, 20, 12, 1);
        for (int i = 6; i < 12; i++) {
            copy_row(&P, i, i - 6, 1);
            P.J[i][i] += 1e-7 * uniform(0.5, 1);
        }
        make_consistent(&P);
        keel_saddle *K;
        assert_int_equal(solve_keeping(&P, path_of(state), &K), KEEL_OK);
        memcpy(Q.x, P.x, sizeof P.x);
        for (int again = 0; again < 3; again++) {
            assert_int_equal(keel_saddle_solve(K, P.r, P.s, P.x, P.y, &P.info), KEEL_OK);
            assert_true(residual_of(&P) <= 1e-13);
            assert_true(largest_difference(P.x, Q.x, P.n) <= 1e-6 * largest_of(Q.x, P.n));
        }
        keel_saddle_free(K);
    }
}

/* Equal rows that contradict each other by 1e-5: all of it stands in the one whose pivot failed if that is
 * allowed, half in each otherwise. The others are satisfied in either case. */
static void contradiction_may_stand_in_one_row(void **state) {
    const double gap = 1e-5;
    for (int leave = 0; leave < 2; leave++) {
        fill_random(&P, 8, 4, 0);
        copy_row(&P, 3, 0, 1);
        make_consistent(&P);
        P.s[3] += gap;
        keel_saddle *K = new_kernel(&P, path_of(state));
        keel_saddle_set_dependent(K, 1e-3);
        if (leave)
            ki_saddle_leave_rest(K, 1e-3);
        assert_int_equal(factor(K, &P), KEEL_OK);
        assert_int_equal(keel_saddle_solve(K, P.r, P.s, P.x, P.y, &P.info), KEEL_INACCURATE);
        for (int i = 0; i < P.m; i++) {
            double rest = P.s[i], share = i == 3 ? gap : 0;
            for (int j = 0; j < P.n; j++)
                rest -= P.J[i][j] * P.x[j];
            if (!leave && (i == 0 || i == 3))
                share = i == 3 ? gap / 2 : -gap / 2;
            assert_close(rest, share, 1e-12);
        }
        keel_saddle_free(K);
    }
}

/* One application of the factors: the row whose pivot failed is left alone, however much it contradicts. */
static void one_application_leaves_contradictions(void **state) {
    for (double gap = 1e-6; gap < 10; gap *= 10) {
        fill_random(&P, 8, 4, 0);
        copy_row(&P, 3, 0, 1);
        make_consistent(&P);
        keel_saddle *K = new_kernel(&P, path_of(state));
        keel_saddle_set_dependent(K, 1e-3);
        ki_saddle_leave_rest(K, 1e-3);
        assert_int_equal(factor(K, &P), KEEL_OK);
        assert_int_equal(keel_saddle_solve(K, P.r, P.s, P.x, P.y, &P.info), KEEL_OK);
        P.s[3] += gap;
        assert_int_equal(ki_saddle_solve_leaving(K, P.r, P.s, Q.x, Q.y), KEEL_OK);
        assert_true(largest_difference(P.x, Q.x, P.n) <= 1e-12 * (1 + largest_of(P.x, P.n)));
        keel_saddle_free(K);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ALL_PATHS(equal_rows_share),
        ALL_PATHS(scaled_rows_share_by_length),
        ALL_PATHS(combinations_of_rows),
        ALL_PATHS(dependence_with_large_coefficients),
        ALL_PATHS(more_rows_than_unknowns),
        ALL_PATHS(zero_row),
        ALL_PATHS(contradiction_takes_the_mean),
        ALL_PATHS(contradictions_stay_bounded),
        ALL_PATHS(one_factorization_leaves_no_trace),
        ALL_PATHS(later_solves_are_as_good),
        TWO_PATHS(contradiction_may_stand_in_one_row),
        TWO_PATHS(one_application_leaves_contradictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Rank, dependent rows and null space. */
#include "keel/rank.h"
#include "linalg_helper.h"

static problem P;

/* |J^T y| for each row y of the null space, relative to the sizes of the terms; and orthonormality. */
static void check_null_space(const keel_rank *R) {
    for (int a = 0; a < R->dependent_count; a++) {
        const double *y = R->null_space + a * P.m;
        for (int b = 0; b <= a; b++) {
            double dot = 0;
            for (int i = 0; i < P.m; i++)
                dot += y[i] * R->null_space[b * P.m + i];
            assert_close(dot, a == b ? 1 : 0, 1e-14);
        }
        double most = 0;
        for (int i = 0; i < P.m; i++)
            most = fmax(most, fabs(y[i]) * largest_of(P.J[i], P.n));
        for (int j = 0; j < P.n; j++) {
            double sum = 0;
            for (int i = 0; i < P.m; i++)
                sum += P.J[i][j] * y[i];
            assert_true(fabs(sum) <= 1e-12 * most);
        }
    }
}

static keel_rank rank_of(double tolerance) {
    keel_rank R;
    pack(&P);
    assert_int_equal(keel_rank_compute(P.J_pattern, P.J_values, tolerance, &R), KEEL_OK);
    assert_int_equal(R.rank + R.dependent_count, P.m);
    check_null_space(&R);
    return R;
}

static void full_rank(void **state) {
    (void)state;
    fill_random(&P, 9, 6, 1);
    keel_rank R = rank_of(0);
    assert_int_equal(R.rank, 6);
    assert_true(R.smallest > 1e-3 && R.largest_dropped == 0 && isinf(R.gap));
    keel_rank_clear(&R);
    assert_null(R.dependent);
}

/* Rows (1 0) and (3 4)/5: the singular values of the scaled rows are (1 +- 3/5)^(1/2). */
static void singular_values_by_hand(void **state) {
    (void)state;
    memset(&P, 0, sizeof P);
    P.n = P.m = 2;
    P.J[0][0] = 7;
    P.J[1][0] = 3e5;
    P.J[1][1] = 4e5;
    keel_rank R = rank_of(0);
    assert_int_equal(R.rank, 2);
    assert_close(R.smallest, sqrt(0.4), 1e-15);
    keel_rank_clear(&R);
    /* the smaller one is half of the larger one */
    R = rank_of(0.49);
    assert_int_equal(R.rank, 2);
    keel_rank_clear(&R);
    assert_int_equal(keel_rank_compute(P.J_pattern, P.J_values, 0.51, &R), KEEL_OK);
    assert_int_equal(R.rank, 1);
    assert_close(R.smallest, sqrt(1.6), 1e-15);
    assert_close(R.largest_dropped, sqrt(0.4), 1e-15);
    assert_close(R.gap, 2, 1e-14);
    keel_rank_clear(&R);
}

/* Of equal rows the later ones are the dependent ones, whatever their length. */
static void later_rows_are_dependent(void **state) {
    (void)state;
    fill_random(&P, 8, 7, 1);
    copy_row(&P, 2, 0, 1);
    copy_row(&P, 5, 0, -1e7);
    copy_row(&P, 6, 4, 1e-5);
    keel_rank R = rank_of(0);
    assert_int_equal(R.rank, 4);
    assert_int_equal(R.dependent_count, 3);
    assert_int_equal(R.dependent[0], 2);
    assert_int_equal(R.dependent[1], 5);
    assert_int_equal(R.dependent[2], 6);
    assert_true(R.gap > 1e10);
    keel_rank_clear(&R);
}

static void zero_rows_are_dependent(void **state) {
    (void)state;
    fill_random(&P, 4, 3, 1);
    memset(P.J[0], 0, sizeof P.J[0]);
    keel_rank R = rank_of(0);
    assert_int_equal(R.rank, 2);
    assert_int_equal(R.dependent[0], 0);
    assert_close(fabs(R.null_space[0]), 1, 1e-15);
    keel_rank_clear(&R);

    memset(P.J, 0, sizeof P.J);
    R = rank_of(0);
    assert_int_equal(R.rank, 0);
    assert_true(R.smallest == 0 && R.largest_dropped == 0);
    assert_int_equal(R.dependent[2], 2);
    keel_rank_clear(&R);
}

/* Rows that sum to zero, as in a closed loop: the last is a combination of the others. */
static void combinations(void **state) {
    (void)state;
    for (int trial = 0; trial < 30; trial++) {
        int n = uniform_int(3, 20), m = uniform_int(2, n);
        fill_random(&P, n, m + 1, 1);
        for (int j = 0; j < n; j++) {
            P.J[m][j] = 0;
            for (int i = 0; i < m; i++)
                P.J[m][j] -= P.J[i][j];
        }
        keel_rank R = rank_of(0);
        assert_int_equal(R.rank, m);
        assert_int_equal(R.dependent[0], m);
        /* the null vector is (1, ..., 1) / (m + 1)^(1/2) */
        for (int i = 0; i <= m; i++)
            assert_close(fabs(R.null_space[i]), 1 / sqrt(m + 1), 1e-11);
        keel_rank_clear(&R);
    }
}

static void more_rows_than_columns(void **state) {
    (void)state;
    fill_random(&P, 3, 8, 1);
    keel_rank R = rank_of(0);
    assert_int_equal(R.rank, 3);
    for (int k = 0; k < 5; k++)
        assert_int_equal(R.dependent[k], 3 + k);
    keel_rank_clear(&R);
}

/* Rows of a Hilbert matrix: singular values that fall by 10 to 100 from one to the next. The count of
 * dependent rows is that of the rank all the same. */
static void no_gap(void **state) {
    (void)state;
    enum { N = 12 };
    memset(&P, 0, sizeof P);
    P.n = P.m = N;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            P.J[i][j] = 1.0 / (i + j + 1);
    pack(&P);
    for (double tolerance = 1e-3; tolerance > 1e-13; tolerance /= 3) {
        keel_rank R;
        assert_int_equal(keel_rank_compute(P.J_pattern, P.J_values, tolerance, &R), KEEL_OK);
        assert_true(R.rank < N && R.rank > 2);
        assert_true(R.gap > 1 && R.gap < 1e3);
        assert_int_equal(R.dependent_count, N - R.rank);
        for (int k = 0; k < R.dependent_count; k++)
            assert_true(R.dependent[k] < N && R.dependent[k] > (k ? R.dependent[k - 1] : -1));
        keel_rank_clear(&R);
    }
}

static void nothing(void **state) {
    (void)state;
    keel_rank R;
    assert_int_equal(keel_rank_compute((keel_pattern){0, 5, NULL, NULL}, NULL, 0, &R), KEEL_OK);
    assert_true(R.rank == 0 && R.dependent_count == 0 && isinf(R.gap));
    keel_rank_clear(&R);
    static const int start[3] = {0};
    assert_int_equal(keel_rank_compute((keel_pattern){2, 0, start, NULL}, NULL, 0, &R), KEEL_OK);
    assert_true(R.rank == 0 && R.dependent_count == 2 && R.dependent[1] == 1);
    assert_true(R.null_space[0] == 1 && R.null_space[1] == 0 && R.null_space[3] == 1);
    keel_rank_clear(&R);
}

static void values_that_are_not_finite(void **state) {
    (void)state;
    fill_random(&P, 4, 3, 1);
    pack(&P);
    P.J_values[5] = NAN;
    keel_rank R;
    assert_int_equal(keel_rank_compute(P.J_pattern, P.J_values, 0, &R), KEEL_ERROR_NOT_FINITE);
    assert_null(R.dependent);
    keel_rank_clear(&R);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_rank),
        cmocka_unit_test(singular_values_by_hand),
        cmocka_unit_test(later_rows_are_dependent),
        cmocka_unit_test(zero_rows_are_dependent),
        cmocka_unit_test(combinations),
        cmocka_unit_test(more_rows_than_columns),
        cmocka_unit_test(no_gap),
        cmocka_unit_test(nothing),
        cmocka_unit_test(values_that_are_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

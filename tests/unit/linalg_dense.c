/* Small dense factorizations. */
#include "linalg/dense.h"

#include "linalg_helper.h"

enum { N = 12 };

/* b = A x for x = (1, 2, ..., n) */
static void multiply(int n, const double *A, double *b) {
    for (int i = 0; i < n; i++) {
        b[i] = 0;
        for (int j = 0; j < n; j++)
            b[i] += A[i * n + j] * (j + 1);
    }
}

static void cholesky_solves(void **state) {
    (void)state;
    for (int n = 1; n <= N; n++) {
        double B[N * N], A[N * N], b[N];
        for (int i = 0; i < n * n; i++)
            B[i] = uniform(-1, 1);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                A[i * n + j] = ki_dot(n, B + i * n, B + j * n) + (i == j);
        multiply(n, A, b);
        assert_int_equal(ki_dense_cholesky(n, A), -1);
        ki_dense_cholesky_solve(n, A, b);
        for (int i = 0; i < n; i++)
            assert_close(b[i], i + 1, 1e-12);
    }
}

/* L L^T = (4 2; 2 10) with L = (2 0; 1 3) */
static void cholesky_by_hand(void **state) {
    (void)state;
    double A[4] = {4, 99, 2, 10};
    assert_int_equal(ki_dense_cholesky(2, A), -1);
    assert_true(A[0] == 2 && A[2] == 1 && A[3] == 3);
}

static void cholesky_names_the_row(void **state) {
    (void)state;
    double indefinite[9] = {1, 0, 0, 2, 3, 0, 0, 0, 1};
    assert_int_equal(ki_dense_cholesky(3, indefinite), 1);
    double singular[9] = {1, 0, 0, 1, 2, 0, 1, 2, 2};
    assert_int_equal(ki_dense_cholesky(3, singular), 2);
    double nan[4] = {1, 0, 0, NAN};
    assert_int_equal(ki_dense_cholesky(2, nan), 1);
    assert_int_equal(ki_dense_cholesky(0, nan), -1);
}

static void lu_solves(void **state) {
    (void)state;
    for (int n = 1; n <= N; n++)
        for (int trial = 0; trial < 10; trial++) {
            double A[N * N], b[N];
            int pivot[N];
            for (int i = 0; i < n * n; i++)
                A[i] = uniform(-1, 1);
            multiply(n, A, b);
            assert_int_equal(ki_dense_lu_factor(n, A, pivot), -1);
            ki_dense_lu_solve(n, A, pivot, b);
            for (int i = 0; i < n; i++)
                assert_close(b[i], i + 1, 1e-9);
        }
}

/* Needs row exchanges at every step: 0 on the diagonal. */
static void lu_exchanges_rows(void **state) {
    (void)state;
    double A[9] = {0, 2, 0, 0, 0, 3, 4, 0, 0}, b[3];
    int pivot[3];
    multiply(3, A, b);
    assert_int_equal(ki_dense_lu_factor(3, A, pivot), -1);
    ki_dense_lu_solve(3, A, pivot, b);
    assert_true(b[0] == 1 && b[1] == 2 && b[2] == 3);
}

/* Columns in units 1e-12 and 1e12 are not singular; a column that depends on the ones before it is. */
static void lu_names_the_column(void **state) {
    (void)state;
    double units[4] = {1e-12, 1e12, 2e-12, 1e12};
    int pivot[3];
    assert_int_equal(ki_dense_lu_factor(2, units, pivot), -1);
    double dependent[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    assert_int_equal(ki_dense_lu_factor(3, dependent, pivot), 2);
    double empty[4] = {0, 1, 0, 1};
    assert_int_equal(ki_dense_lu_factor(2, empty, pivot), 0);
    double nan[4] = {1, NAN, 0, 1};
    assert_int_equal(ki_dense_lu_factor(2, nan, pivot), 1);
}

static void reflections(void **state) {
    (void)state;
    for (int n = 1; n <= N; n++) {
        double x[N], v[N], alpha, square = 0;
        for (int i = 0; i < n; i++) {
            v[i] = x[i] = uniform(-1, 1);
            square += x[i] * x[i];
        }
        double beta = ki_reflection_make(n, v, &alpha);
        assert_close(fabs(alpha), sqrt(square), 1e-15);
        ki_reflection_apply(n, v, beta, x);
        assert_close(x[0], alpha, 1e-14);
        for (int i = 1; i < n; i++)
            assert_close(x[i], 0, 1e-15);
    }
    double zero[3] = {0}, alpha;
    assert_true(ki_reflection_make(3, zero, &alpha) == 0 && alpha == 0);
}

static void orthonormalization_drops_what_depends(void **state) {
    (void)state;
    double v[4][3] = {{3, 0, 0}, {1e200, 0, 0}, {1, 0, 2}, {0, 0, 0}};
    assert_int_equal(ki_orthonormalize(4, 3, v[0], 3, 1e-10), 2);
    assert_true(v[0][0] == 1 && v[0][1] == 0 && v[0][2] == 0);
    assert_true(v[1][0] == 0 && v[1][1] == 0 && v[1][2] == 1);
}

/* Long and short sums take different loops. */
static void sums_of_every_length(void **state) {
    (void)state;
    double a[40], b[40];
    for (int n = 0; n <= 40; n++) {
        for (int i = 0; i < n; i++) {
            a[i] = i + 1;
            b[i] = i % 2 ? 1 : -1;
        }
        assert_true(ki_dot(n, a, b) == (n % 2 ? -(n + 1) / 2 : n / 2));
        ki_axpy(n, 2, b, a);
        for (int i = 0; i < n; i++)
            assert_true(a[i] == i + 1 + 2 * b[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cholesky_solves),
        cmocka_unit_test(cholesky_by_hand),
        cmocka_unit_test(cholesky_names_the_row),
        cmocka_unit_test(lu_solves),
        cmocka_unit_test(lu_exchanges_rows),
        cmocka_unit_test(lu_names_the_column),
        cmocka_unit_test(reflections),
        cmocka_unit_test(orthonormalization_drops_what_depends),
        cmocka_unit_test(sums_of_every_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

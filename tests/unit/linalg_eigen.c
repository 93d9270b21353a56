/* Extreme eigenvalues and singular values against closed forms. */
#include "linalg/eigen.h"
#include "linalg/singular_values.h"
#include "linalg_helper.h"

enum { SIZE = 40 };
static const double PI = 3.141592653589793;
static double A[SIZE * SIZE], left[SIZE * SIZE], singular[SIZE];

static double noise(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1;
}

/* x <- x - 2 w (w.x) / w.w for all rows of B [rows x n]: an orthogonal change with a random w. */
static void reflect_rows(int rows, int n, double *B, unsigned *seed) {
    double w[SIZE], square = 0;
    for (int j = 0; j < n; j++) {
        w[j] = noise(seed);
        square += w[j] * w[j];
    }
    for (int i = 0; i < rows; i++) {
        double dot = 0;
        for (int j = 0; j < n; j++)
            dot += w[j] * B[i * n + j];
        for (int j = 0; j < n; j++)
            B[i * n + j] -= 2 * dot / square * w[j];
    }
}

static void transpose(int rows, int n, double *B) {
    double copy[SIZE * SIZE];
    memcpy(copy, B, sizeof(double) * (size_t)(rows * n));
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            B[j * rows + i] = copy[i * n + j];
}

/* Second differences have the eigenvalues 2 - 2 cos(k pi / (n + 1)), however they are turned and scaled. */
static void eigenvalues_of_second_differences(void **state) {
    (void)state;
    unsigned seed = 1;
    for (int n = 1; n <= SIZE; n++)
        for (int power = -300; power <= 300; power += 150) {
            double scale = pow(10, power), small, large;
            memset(A, 0, sizeof A);
            for (int i = 0; i < n; i++) {
                A[i * n + i] = 2 * scale;
                if (i)
                    A[i * n + i - 1] = A[(i - 1) * n + i] = -scale;
            }
            unsigned same = seed; /* from both sides, so that eigenvalues stay */
            reflect_rows(n, n, A, &seed);
            transpose(n, n, A);
            reflect_rows(n, n, A, &same);
            assert_int_equal(ki_eigenvalue_range(n, A, &small, &large), KEEL_OK);
            assert_close(small / scale, 2 - 2 * cos(PI / (n + 1)), 4e-15 * n);
            assert_close(large / scale, 2 - 2 * cos(n * PI / (n + 1)), 4e-15 * n);
        }
    A[0] = NAN;
    double small, large;
    assert_int_equal(ki_eigenvalue_range(1, A, &small, &large), KEEL_ERROR_NOT_FINITE);
}

/* Rows with the singular values 2^-k, and `zeros` of them zero, in any orthogonal bases. */
static void check_singular_values(int m, int n, int zeros, unsigned *seed) {
    int least = m < n ? m : n;
    memset(A, 0, sizeof A);
    for (int k = 0; k < least - zeros; k++)
        A[k * n + k] = ldexp(1, -k);
    for (int again = 0; again < 3; again++) {
        reflect_rows(m, n, A, seed);
        transpose(m, n, A);
        reflect_rows(n, m, A, seed);
        transpose(n, m, A);
    }
    double before[SIZE * SIZE];
    memcpy(before, A, sizeof before);
    assert_int_equal(ki_singular_values(m, n, A, singular, left), KEEL_OK);
    for (int k = 0; k < m; k++) {
        assert_close(singular[k], k < least - zeros ? ldexp(1, -k) : 0, 4e-15);
        for (int i = 0; i <= k; i++) {
            double dot = 0;
            for (int l = 0; l < m; l++)
                dot += left[k * m + l] * left[i * m + l];
            assert_close(dot, i == k, 1e-14);
        }
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < m; l++)
                sum += left[k * m + l] * before[l * n + j];
            assert_close(sum, A[k * n + j], 1e-14);
        }
    }
}

static void singular_values_of_products(void **state) {
    (void)state;
    unsigned seed = 2;
    for (int m = 1; m <= 24; m += 3)
        for (int n = 1; n <= 24; n += 3)
            for (int zeros = 0; zeros <= (m < n ? m : n); zeros += 2)
                check_singular_values(m, n, zeros, &seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_of_second_differences),
        cmocka_unit_test(singular_values_of_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Explicit inverses of small matrices: A A^-1 = 1, and what is no matrix for them is refused. */
#include "linalg/inverse.h"

#include "linalg_helper.h"

enum { SIZE = KI_INVERTED_MOST, ROOM = SIZE * SIZE };

/* Entries of [-1, 1], zero on the diagonal so that rows must be exchanged; zeros in the padding. */
static void fill(int n, double *A) {
    memset(A, 0, ROOM * sizeof *A);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i * ki_padded(n) + j] = i == j && n > 1 ? 0 : uniform(-1, 1);
}

/* x = A^-T b: A^T x against b. */
static void real_ones(void **state) {
    (void)state;
    for (int n = 1; n <= SIZE; n++)
        for (int turn = 0; turn < 5; turn++) {
            double A[ROOM], inverse[ROOM], b[SIZE], x[SIZE];
            int place[SIZE], stride = ki_padded(n);
            fill(n, A);
            memcpy(inverse, A, sizeof A);
            assert_true(ki_invert(n, inverse, place));
            for (int i = 0; i < n; i++)
                b[i] = uniform(-1, 1);
            ki_inverse_apply(n, inverse, b, x);
            for (int j = 0; j < n; j++) {
                double rest = b[j], size = 1;
                for (int i = 0; i < n; i++) {
                    rest -= A[i * stride + j] * x[place[i]];
                    size += fabs(x[place[i]]);
                }
                assert_true(fabs(rest) < 1e-11 * size);
            }
        }
}

static void complex_ones(void **state) {
    (void)state;
    for (int n = 1; n <= SIZE; n++) {
        double A[ROOM], B[ROOM], re[ROOM], im[ROOM], b[SIZE], c[SIZE], x[SIZE], y[SIZE];
        int place[SIZE], stride = ki_padded(n);
        fill(n, A);
        fill(n, B);
        memcpy(re, A, sizeof A);
        memcpy(im, B, sizeof B);
        assert_true(ki_invert_complex(n, re, im, place));
        for (int i = 0; i < n; i++) {
            b[i] = uniform(-1, 1);
            c[i] = uniform(-1, 1);
        }
        ki_inverse_apply_complex(n, re, im, b, c, x, y);
        for (int j = 0; j < n; j++) {
            double rest_re = b[j], rest_im = c[j], size = 1;
            for (int i = 0; i < n; i++) {
                int p = place[i], k = i * stride + j;
                rest_re -= A[k] * x[p] - B[k] * y[p];
                rest_im -= A[k] * y[p] + B[k] * x[p];
                size += fabs(x[p]) + fabs(y[p]);
            }
            assert_true(fabs(rest_re) + fabs(rest_im) < 1e-11 * size);
        }
    }
}

static bool inverts(int n, const double *from) {
    double A[ROOM], re[ROOM], im[ROOM] = {0};
    int place[SIZE];
    memcpy(A, from, sizeof A);
    memcpy(re, from, sizeof re);
    bool real = ki_invert(n, A, place);
    assert_true(ki_invert_complex(n, re, im, place) == real);
    return real;
}

static void others_are_refused(void **state) {
    (void)state;
    for (int n = 2; n <= SIZE; n++) {
        double A[ROOM], hilbert[ROOM] = {0};
        int stride = ki_padded(n);
        fill(n, A);
        assert_true(inverts(n, A));
        A[stride] = NAN;
        assert_false(inverts(n, A));
        A[stride] = INFINITY;
        assert_false(inverts(n, A));
        memset(A + stride, 0, (size_t)stride * sizeof *A); /* a row of zeros */
        assert_false(inverts(n, A));
        memcpy(A + stride, A, (size_t)stride * sizeof *A); /* a row twice */
        assert_false(inverts(n, A));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                hilbert[i * stride + j] = 1.0 / (i + j + 1);
        assert_true(inverts(n, hilbert) == (n <= 5)); /* condition numbers 4.8e5 for 5, 1.5e7 for 6 */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_ones), cmocka_unit_test(complex_ones),
                                       cmocka_unit_test(others_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

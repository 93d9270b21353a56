/* Rotation matrices, quaternions, frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rotation.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static const double PI = 3.14159265358979323846;

/* Rodrigues: R = 1 + sin a [n] + (1 - cos a) [n]^2 */
static void rodrigues(const double n[3], double a, double R[9]) {
    const double N[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
    double square[9];
    ki_multiply(N, N, square);
    for (int i = 0; i < 9; i++)
        R[i] = (i % 4 == 0) + sin(a) * N[i] + (1 - cos(a)) * square[i];
}

static void assert_same(const double *a, const double *b, int n, double tolerance) {
    for (int i = 0; i < n; i++)
        assert_near(a[i], b[i], tolerance);
}

static void assert_rotation(const double R[9]) {
    static const double IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double product[9], x[3], y[3], z[3], xy[3];
    ki_transposed_multiply(R, R, product);
    assert_same(product, IDENTITY, 9, 1e-15);
    ki_axis(R, 0, x), ki_axis(R, 1, y), ki_axis(R, 2, z);
    ki_cross(x, y, xy);
    assert_same(xy, z, 3, 1e-15);
}

/* Axes of length 1 (Pythagorean quadruples) and one that is a coordinate axis. */
static const double AXES[4][3] = {
    {1.0 / 3, 2.0 / 3, -2.0 / 3}, {2.0 / 7, -3.0 / 7, 6.0 / 7}, {0, -1, 0}, {0.6, 0, 0.8}};

static void products(void **state) {
    (void)state;
    const double A[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10}, B[9] = {2, 0, 1, -1, 3, 2, 0, 5, -2};
    const double AB[9] = {0, 21, -1, 3, 45, 2, 6, 74, 3};
    const double ABt[9] = {5, 11, 4, 14, 23, 13, 24, 37, 20}, AtB[9] = {-2, 47, -5, -1, 55, -4, 0, 68, -5};
    double C[9];
    ki_multiply(A, B, C);
    assert_same(C, AB, 9, 0);
    ki_multiply_transposed(A, B, C);
    assert_same(C, ABt, 9, 0);
    ki_transposed_multiply(A, B, C);
    assert_same(C, AtB, 9, 0);
}

/* All angles up to half a turn, its end and tiny ones included. */
static void vectors_and_quaternions_return(void **state) {
    (void)state;
    const double angles[] = {0, 1e-12, 1e-5, 0.3, 1.5, 2.5, 3.1, 3.1415926, PI};
    for (size_t i = 0; i < sizeof AXES / sizeof *AXES; i++)
        for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) {
            double R[9], e[4], back[9], d[3], unit[4] = {1, 0, 0, 0};
            double vector[3] = {angles[k] * AXES[i][0], angles[k] * AXES[i][1], angles[k] * AXES[i][2]};
            rodrigues(AXES[i], angles[k], R);
            ki_matrix_quaternion(R, e);
            assert_true(e[0] >= 0);
            assert_near(e[0] * e[0] + ki_dot3(e + 1, e + 1), 1, 1e-15);
            ki_quaternion_matrix(e, back);
            assert_same(back, R, 9, 1e-15);
            ki_quaternion_advance(unit, vector);
            ki_quaternion_matrix(unit, back);
            assert_same(back, R, 9, 1e-15);
            ki_rotation_vector(R, d);
            assert_near(sqrt(ki_dot3(d, d)), angles[k], 2e-15);
            if (angles[k] < PI) /* at half a turn either sign will do */
                assert_same(d, vector, 3, 2e-15);
        }
}

/* A quaternion that is not of unit length stands for the same rotation. */
static void length_does_not_matter(void **state) {
    (void)state;
    const double e[4] = {0.5, -0.1, 0.7, 0.2}, twice[4] = {1, -0.2, 1.4, 0.4};
    double R[9], S[9];
    ki_quaternion_matrix(e, R);
    ki_quaternion_matrix(twice, S);
    assert_rotation(R);
    assert_same(R, S, 9, 1e-15);
}

/* R' = R [omega], with omega in body components: differences of a path that starts with the rate. */
static void rate_turns_with_omega(void **state) {
    (void)state;
    const double omega[3] = {0.4, -1.1, 0.8}, W[9] = {0, -0.8, -1.1, 0.8, 0, -0.4, 1.1, 0.4, 0}, h = 1e-5;
    double e[4] = {1, 0, 0, 0}, rate[4], there[4], back[4], R[9], R_rate[9], Rp[9], Rm[9];
    ki_quaternion_advance(e, (double[3]){0.3, 0.9, -0.5});
    ki_quaternion_rate(e, omega, rate);
    for (int i = 0; i < 4; i++) {
        there[i] = e[i] + h * rate[i];
        back[i] = e[i] - h * rate[i];
    }
    ki_quaternion_matrix(e, R);
    ki_quaternion_matrix(there, Rp);
    ki_quaternion_matrix(back, Rm);
    ki_multiply(R, W, R_rate);
    for (int i = 0; i < 9; i++)
        assert_near((Rp[i] - Rm[i]) / (2 * h), R_rate[i], 1e-9);
}

/* Steps are taken on the right, in body axes: e (+) d = e * exp(d/2). */
static void advance_is_in_body_axes(void **state) {
    (void)state;
    double e[4] = {1, 0, 0, 0}, R[9], A[9], B[9], AB[9];
    const double first[3] = {0, 0, PI / 2}, second[3] = {0.7, 0, 0};
    ki_quaternion_advance(e, first);
    ki_quaternion_advance(e, second);
    ki_quaternion_matrix(e, R);
    rodrigues((double[3]){0, 0, 1}, PI / 2, A);
    rodrigues((double[3]){1, 0, 0}, 0.7, B);
    ki_multiply(A, B, AB);
    assert_same(R, AB, 9, 1e-15);
}

static void frames_have_their_axes(void **state) {
    (void)state;
    const double across[5][3] = {{1, 1, 1}, {0, 0, 0}, {2, 4, -4}, {2, 4, -4 + 1e-6}, {1e-300, 0, 0}};
    for (size_t i = 0; i < sizeof AXES / sizeof *AXES; i++)
        for (size_t k = 0; k < 5; k++) {
            double axis[3] = {5 * AXES[i][0], 5 * AXES[i][1], 5 * AXES[i][2]}, R[9], x[3], y[3], z[3];
            ki_frame_from_axes(axis, across[k], R);
            assert_rotation(R);
            ki_axis(R, 0, x), ki_axis(R, 1, y), ki_axis(R, 2, z);
            assert_same(z, AXES[i], 3, 1e-15);
            /* x is what of `across` is perpendicular: nothing of it is left along y, and it does not point
             * back */
            assert_near(ki_dot3(y, across[k]), 0, 1e-14);
            assert_true(ki_dot3(x, across[k]) >= -1e-14);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(vectors_and_quaternions_return),
        cmocka_unit_test(length_does_not_matter),
        cmocka_unit_test(rate_turns_with_omega),
        cmocka_unit_test(advance_is_in_body_axes),
        cmocka_unit_test(frames_have_their_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

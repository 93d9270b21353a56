#include "base/rotation.h"

#include <stdbool.h>
#include <stddef.h>

void ki_multiply(const double A[9], const double B[9], double C[9]) {
    for (int i = 0; i < 9; i += 3) {
        double x = A[i], y = A[i + 1], z = A[i + 2];
        C[i] = x * B[0] + y * B[3] + z * B[6];
        C[i + 1] = x * B[1] + y * B[4] + z * B[7];
        C[i + 2] = x * B[2] + y * B[5] + z * B[8];
    }
}

void ki_multiply_transposed(const double A[9], const double B[9], double C[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = ki_dot3(A + (ptrdiff_t)3 * i, B + (ptrdiff_t)3 * j);
}

void ki_transposed_multiply(const double A[9], const double B[9], double C[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}

/* Scales a to unit length; false if it is zero. The largest component goes first: no overflow, no underflow.
 */
static bool normalise(double a[3]) {
    double largest = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
    if (!(largest > 0))
        return false;
    for (int i = 0; i < 3; i++)
        a[i] /= largest;
    double length = sqrt(ki_dot3(a, a));
    for (int i = 0; i < 3; i++)
        a[i] /= length;
    return true;
}

/* The part of `direction` across the unit vector z, at unit length; false if too little of it is left for its
 * direction to mean anything. */
static bool perpendicular(const double direction[3], const double z[3], double x[3]) {
    ki_copy3(direction, x);
    if (!normalise(x))
        return false;
    ki_add_scaled(-ki_dot3(x, z), z, x);
    if (ki_dot3(x, x) < 1e-16)
        return false;
    normalise(x);
    /* once more: the first time lost digits when the two were nearly parallel */
    ki_add_scaled(-ki_dot3(x, z), z, x);
    return normalise(x);
}

void ki_frame_from_axes(const double axis[3], const double across[3], double R[9]) {
    double z[3], x[3], y[3];
    ki_copy3(axis, z);
    normalise(z);
    if (!perpendicular(across, z, x)) {
        const double world_x[3] = {1, 0, 0}, world_y[3] = {0, 1, 0};
        perpendicular(fabs(z[0]) < 0.9 ? world_x : world_y, z, x);
    }
    ki_cross(z, x, y);
    for (int i = 0; i < 3; i++) {
        R[3 * i] = x[i];
        R[3 * i + 1] = y[i];
        R[3 * i + 2] = z[i];
    }
}

/* Divided by |e|^2: a rotation also where an integrator has let the length slip. */
void ki_quaternion_matrix(const double e[4], double R[9]) {
    double two = 2 / (e[0] * e[0] + ki_dot3(e + 1, e + 1));
    double x = two * e[1], y = two * e[2], z = two * e[3];
    double xx = x * e[1], yy = y * e[2], zz = z * e[3], xy = x * e[2], yz = y * e[3], zx = z * e[1];
    double wx = x * e[0], wy = y * e[0], wz = z * e[0];
    R[0] = 1 - (yy + zz), R[1] = xy - wz, R[2] = zx + wy;
    R[3] = xy + wz, R[4] = 1 - (zz + xx), R[5] = yz - wx;
    R[6] = zx - wy, R[7] = yz + wx, R[8] = 1 - (xx + yy);
}

/* With T = trace R the squares are 4 e0^2 = 1 + T, 4 ei^2 = 1 - T + 2 R_ii; the largest of the four is at
 * least 1 and is the one to divide by; products of two come from sums and differences of R_ij, R_ji. */
void ki_matrix_quaternion(const double R[9], double e[4]) {
    double trace = R[0] + R[4] + R[8];
    double square[4] = {1 + trace, 1 - trace + 2 * R[0], 1 - trace + 2 * R[4], 1 - trace + 2 * R[8]};
    int largest = 0;
    for (int i = 1; i < 4; i++)
        if (square[i] > square[largest])
            largest = i;
    double wx = R[7] - R[5], wy = R[2] - R[6], wz = R[3] - R[1];
    double xy = R[3] + R[1], yz = R[7] + R[5], zx = R[2] + R[6];
    const double product[4][4] = {
        {square[0], wx, wy, wz}, {wx, square[1], xy, zx}, {wy, xy, square[2], yz}, {wz, zx, yz, square[3]}};
    double length = 0;
    for (int i = 0; i < 4; i++)
        length += product[largest][i] * product[largest][i];
    length = copysign(sqrt(length), product[largest][0]);
    for (int i = 0; i < 4; i++)
        e[i] = product[largest][i] / length;
}

void ki_quaternion_rate(const double e[4], const double omega[3], double e_rate[4]) {
    e_rate[0] = -0.5 * (e[1] * omega[0] + e[2] * omega[1] + e[3] * omega[2]);
    e_rate[1] = 0.5 * (e[0] * omega[0] + e[2] * omega[2] - e[3] * omega[1]);
    e_rate[2] = 0.5 * (e[0] * omega[1] + e[3] * omega[0] - e[1] * omega[2]);
    e_rate[3] = 0.5 * (e[0] * omega[2] + e[1] * omega[1] - e[2] * omega[0]);
}

/* e * (cos h, sin h d/|d|) = cos h e + (sin h / h) 1/2 e * (0, d), h = |d|/2, and the last product is the
 * rate that d as angular velocity gives */
void ki_quaternion_advance(double e[4], const double d[3]) {
    double h = 0.5 * sqrt(ki_dot3(d, d));
    double scale = h > 1e-8 ? sin(h) / h : 1.0;
    double rate[4], length = 0;
    ki_quaternion_rate(e, d, rate);
    for (int i = 0; i < 4; i++) {
        e[i] = cos(h) * e[i] + scale * rate[i];
        length += e[i] * e[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 4; i++)
        e[i] /= length;
}

void ki_rotation_vector(const double R[9], double d[3]) {
    double e[4];
    ki_matrix_quaternion(R, e);
    double size = sqrt(ki_dot3(e + 1, e + 1));
    double scale = size > 0 ? 2 * atan2(size, e[0]) / size : 2;
    for (int i = 0; i < 3; i++)
        d[i] = scale * e[1 + i];
}

/* c = 1/12 + |d|^2/720 + ... */
void ki_rotation_vector_rate(const double d[3], double L[9]) {
    double square = ki_dot3(d, d), half = sqrt(square) / 2;
    double c =
        square < 1e-4 ? 1.0 / 12 + square / 720 + square * square / 30240 : (1 - half / tan(half)) / square;
    double cross[9] = {0, -d[2], d[1], d[2], 0, -d[0], -d[1], d[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double identity = i == j;
            L[3 * i + j] = identity - cross[3 * i + j] / 2 + c * (d[i] * d[j] - square * identity);
        }
}

void ki_rotation_of_vector(const double d[3], double R[9]) {
    double e[4] = {1, 0, 0, 0};
    ki_quaternion_advance(e, d);
    ki_quaternion_matrix(e, R);
}

/* One rotation of Jacobi's method: makes A_ij zero, turns the columns i, j of R. */
static void jacobi_rotation(double A[9], double R[9], int i, int j) {
    double off = A[3 * i + j];
    if (off == 0)
        return;
    double theta = (A[4 * j] - A[4 * i]) / (2 * off);
    double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1), s = t * c;
    for (int k = 0; k < 3; k++) { /* A G */
        double a = A[3 * k + i], b = A[3 * k + j];
        A[3 * k + i] = c * a - s * b;
        A[3 * k + j] = s * a + c * b;
    }
    for (int k = 0; k < 3; k++) { /* G^T A, R G */
        double a = A[3 * i + k], b = A[3 * j + k];
        A[3 * i + k] = c * a - s * b;
        A[3 * j + k] = s * a + c * b;
        double x = R[3 * k + i], y = R[3 * k + j];
        R[3 * k + i] = c * x - s * y;
        R[3 * k + j] = s * x + c * y;
    }
    A[3 * i + j] = A[3 * j + i] = 0;
}

void ki_principal_axes(const double I[6], double R[9], double moment[3]) {
    enum { SWEEPS = 12 }; /* quadratic convergence: four or five are enough */
    double A[9] = {I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]};
    for (int i = 0; i < 9; i++)
        R[i] = i % 4 == 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        jacobi_rotation(A, R, 0, 1);
        jacobi_rotation(A, R, 1, 2);
        jacobi_rotation(A, R, 0, 2);
    }
    double most = fmax(A[0], fmax(A[4], A[8]));
    for (int i = 0; i < 3; i++)
        moment[i] = A[4 * i] > 1e-14 * most ? A[4 * i] : 0;
}

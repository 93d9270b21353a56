/* rotation.h - vectors of three, rotation matrices and unit quaternions.
 *
 * Matrices are 3 x 3, row-major. A quaternion e = (e0, e1, e2, e3), e0 the scalar part, turns body components
 * into outer ones; with the angular velocity omega in body components
 *
 *     e' = 1/2 e * (0, omega),        e (+) d = e * (cos |d|/2, sin |d|/2 d/|d|).
 */
#ifndef KI_ROTATION_H
#define KI_ROTATION_H

#include <math.h>

static inline double ki_dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c = a x b; c may not be a or b */
static inline void ki_cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* c += a x b */
static inline void ki_add_cross(const double a[3], const double b[3], double c[3]) {
    c[0] += a[1] * b[2] - a[2] * b[1];
    c[1] += a[2] * b[0] - a[0] * b[2];
    c[2] += a[0] * b[1] - a[1] * b[0];
}

static inline void ki_add_scaled(double s, const double a[3], double c[3]) {
    c[0] += s * a[0];
    c[1] += s * a[1];
    c[2] += s * a[2];
}

static inline void ki_copy3(const double a[3], double c[3]) {
    c[0] = a[0];
    c[1] = a[1];
    c[2] = a[2];
}

/* c = a - b */
static inline void ki_minus(const double a[3], const double b[3], double c[3]) {
    c[0] = a[0] - b[0];
    c[1] = a[1] - b[1];
    c[2] = a[2] - b[2];
}

/* y = R x; y may not be x */
static inline void ki_rotate(const double R[9], const double x[3], double y[3]) {
    y[0] = R[0] * x[0] + R[1] * x[1] + R[2] * x[2];
    y[1] = R[3] * x[0] + R[4] * x[1] + R[5] * x[2];
    y[2] = R[6] * x[0] + R[7] * x[1] + R[8] * x[2];
}

/* y = R^T x */
static inline void ki_rotate_back(const double R[9], const double x[3], double y[3]) {
    y[0] = R[0] * x[0] + R[3] * x[1] + R[6] * x[2];
    y[1] = R[1] * x[0] + R[4] * x[1] + R[7] * x[2];
    y[2] = R[2] * x[0] + R[5] * x[1] + R[8] * x[2];
}

/* Column k of R: where axis k of the inner frame points. */
static inline void ki_axis(const double R[9], int k, double a[3]) {
    a[0] = R[k];
    a[1] = R[3 + k];
    a[2] = R[6 + k];
}

void ki_multiply(const double A[9], const double B[9], double C[9]);            /* C = A B   */
void ki_multiply_transposed(const double A[9], const double B[9], double C[9]); /* C = A B^T */
void ki_transposed_multiply(const double A[9], const double B[9], double C[9]); /* C = A^T B */

/* A right-handed frame whose axis z is along `axis` and whose axis x is as near to `across` as it can be (any
 * perpendicular direction when `across` is zero or along the axis). `axis` must not be zero. */
void ki_frame_from_axes(const double axis[3], const double across[3], double R[9]);

void ki_quaternion_matrix(const double e[4], double R[9]);
void ki_matrix_quaternion(const double R[9], double e[4]); /* e0 >= 0 */
void ki_quaternion_rate(const double e[4], const double omega[3], double e_rate[4]);
void ki_quaternion_advance(double e[4], const double d[3]); /* also puts e back to unit length */

/* Principal axes (columns of R, right-handed) and moments of the symmetric matrix I = xx yy zz xy yz zx. A
 * diagonal I keeps its axes; moments that are round-off of the largest come out as exactly zero. */
void ki_principal_axes(const double I[6], double R[9], double moment[3]);

/* The rotation vector of R, |d| <= pi: R = exp([d]). */
void ki_rotation_vector(const double R[9], double d[3]);

/* d' = L omega where R' = [omega] R: L = I - [d]/2 + c [d]^2, c = (1 - (|d|/2) cot(|d|/2)) / |d|^2. */
void ki_rotation_vector_rate(const double d[3], double L[9]);

/* R = exp([d]), d of any length. */
void ki_rotation_of_vector(const double d[3], double R[9]);

#endif

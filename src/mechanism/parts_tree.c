/* What the tree roles of several joints share. */
#include <string.h>

#include "base/sine.h"
#include "mechanism/joint.h"

/* Below this size of a force [N] its length is rounded off, so that it has a derivative at zero. */
static const double SMALL_FORCE = 1e-9;

void ki_turn_about(int k, double angle, double R[9]) {
    double c, s;
    ki_sine_cosine(angle, &s, &c);
    int i = (k + 1) % 3, j = (k + 2) % 3;
    memset(R, 0, 9 * sizeof *R);
    R[4 * k] = 1;
    R[4 * i] = R[4 * j] = c;
    R[3 * j + i] = s;
    R[3 * i + j] = -s;
}

double ki_turn_of(const double R[9]) {
    return atan2(R[3] - R[1], R[0] + R[4]);
}

void ki_no_columns(int d, int n_v, const double *v, double *S, double *bias) {
    memset(S, 0, (size_t)(d * n_v) * sizeof *S);
    if (v)
        memset(bias, 0, (size_t)d * sizeof *bias);
}

void ki_ball_columns(const double e[4], double *S) {
    double R[9];
    ki_quaternion_matrix(e, R);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            S[6 * k + i] = R[3 * i + k];
            S[6 * k + 3 + i] = 0;
        }
}

/* e' = N omega with N^T N = |e|^2 / 4, hence N^+ = 4 N^T / |e|^2; N's columns are the rates of unit omega. */
void ki_quaternion_pull(const double e[4], const double de[4], double dv[3]) {
    double square = e[0] * e[0] + ki_dot3(e + 1, e + 1);
    for (int k = 0; k < 3; k++) {
        double unit[3] = {k == 0, k == 1, k == 2}, column[4];
        ki_quaternion_rate(e, unit, column);
        dv[k] = 4 * (column[0] * de[0] + ki_dot3(column + 1, de + 1)) / square;
    }
}

double ki_force_size(const double *lambda, int n, int rows, double *derivative) {
    double square = SMALL_FORCE * SMALL_FORCE;
    for (int i = 0; i < n; i++)
        square += lambda[i] * lambda[i];
    double size = sqrt(square);
    for (int i = 0; i < rows; i++)
        derivative[i] = i < n ? lambda[i] / size : 0;
    return size - SMALL_FORCE;
}

/* points.c - rows of points, and what the roles of several joints share. */
#include "mechanism/joints/law_numbers.h"

#include "mechanism/generated/points.inc"

typedef void between(const ki_state *s0, const ki_state *s1, const double *r0, const double *r1, ki_row *row);

void ki_row_apart(int d, const ki_state *s0, const double r0[3], const ki_state *s1, const double r1[3],
                  int k, ki_level level, ki_row *row) {
    static between *const PLANAR[2][2] = {{planar_apart_0, planar_apart_0_moving},
                                          {planar_apart_1, planar_apart_1_moving}};
    static between *const SPATIAL[3][2] = {{spatial_apart_0, spatial_apart_0_moving},
                                           {spatial_apart_1, spatial_apart_1_moving},
                                           {spatial_apart_2, spatial_apart_2_moving}};
    (d == KI_PLANAR ? PLANAR : SPATIAL)[k][level == KI_AT_VELOCITY](s0, s1, r0, r1, row);
}

void ki_row_length(int d, const ki_state *s0, const double r0[3], const ki_state *s1, const double r1[3],
                   ki_level level, ki_row *row) {
    static between *const LENGTH[2][2] = {{planar_length, planar_length_moving},
                                          {spatial_length, spatial_length_moving}};
    LENGTH[d == KI_SPATIAL][level == KI_AT_VELOCITY](s0, s1, r0, r1, row);
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

double ki_normal_force(const ki_joint_role *role, const double *lambda, double *derivative) {
    /* below this size [N] the length is rounded off, so that it has a derivative at zero */
    static const double SMALL_FORCE = 1e-9;
    double square = SMALL_FORCE * SMALL_FORCE;
    for (int i = 0; i < role->pressing; i++)
        square += lambda[i] * lambda[i];
    double size = sqrt(square);
    for (int i = 0; i < role->n_h + role->n_n; i++)
        derivative[i] = i < role->pressing ? lambda[i] / size : 0;
    return size - SMALL_FORCE;
}

/* integrate_top.h - an asymmetric top whose tip is held by a ball joint: q' = N(q) v, no tangent.
 *
 *     q = (r, e)   centre of mass, unit quaternion (body axes to world axes)      v = (r', w)   w in body
 * axes m r'' + lambda = (0, 0, -m g),   I w' + l ... = -w x (I w) Phi = r - l R(e) k,  k = (0, 0, 1)
 *
 * The equations of samples/spinning_top.c with three different moments of inertia. `advance` is the exact
 * rotation by the vector dv.
 */
#ifndef TEST_INTEGRATE_TOP_H
#define TEST_INTEGRATE_TOP_H

#include <math.h>

#include "keel/system.h"

#define TOP_MASS   0.5
#define TOP_LENGTH 0.1

static const double TOP_I[3] = {2e-3, 3e-3, 1e-3};

static inline void top_rotation(const double e[4], double R[3][3]) {
    double a = e[0], b = e[1], c = e[2], d = e[3];
    R[0][0] = a * a + b * b - c * c - d * d, R[0][1] = 2 * (b * c - a * d), R[0][2] = 2 * (b * d + a * c);
    R[1][0] = 2 * (b * c + a * d), R[1][1] = a * a - b * b + c * c - d * d, R[1][2] = 2 * (c * d - a * b);
    R[2][0] = 2 * (b * d - a * c), R[2][1] = 2 * (c * d + a * b), R[2][2] = a * a - b * b - c * c + d * d;
}

static inline keel_status top_evaluate(const keel_system *system, void *work, unsigned what,
                                       const keel_point *at, keel_terms *terms) {
    (void)system, (void)work;
    const double *v = at->v, *w = at->v + 3, g = 9.81;
    double R[3][3];
    top_rotation(at->q + 3, R);
    if (what & KEEL_MASS)
        for (int i = 0; i < 6; i++)
            terms->M[i] = i < 3 ? TOP_MASS : TOP_I[i - 3];
    if (what & KEEL_FORCE)
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            terms->Q[i] = i == 2 ? -TOP_MASS * g : 0;
            terms->Q[3 + i] = (TOP_I[j] - TOP_I[k]) * w[j] * w[k];
        }
    for (int i = 0; i < 3; i++) {
        /* d(R k)/dt = R (w x k), w x k = (w1, -w0, 0); w x (w x k) = (w0 w2, w1 w2, -w0^2 - w1^2) */
        if (what & KEEL_JACOBIAN) {
            terms->J[3 * i] = 1;
            terms->J[3 * i + 1] = TOP_LENGTH * R[i][1];
            terms->J[3 * i + 2] = -TOP_LENGTH * R[i][0];
        }
        if (what & KEEL_POSITION)
            terms->Phi[i] = at->q[i] - TOP_LENGTH * R[i][2];
        if (what & KEEL_VELOCITY)
            terms->rate[i] = v[i] - TOP_LENGTH * (R[i][0] * w[1] - R[i][1] * w[0]);
        if (what & KEEL_XI)
            terms->xi[i] = TOP_LENGTH * (R[i][0] * w[0] * w[2] + R[i][1] * w[1] * w[2] -
                                         R[i][2] * (w[0] * w[0] + w[1] * w[1]));
    }
    if (what & KEEL_ENERGY) {
        terms->energy = TOP_MASS * g * at->q[2];
        for (int i = 0; i < 3; i++)
            terms->energy += (TOP_MASS * v[i] * v[i] + TOP_I[i] * w[i] * w[i]) / 2;
    }
    if (what & KEEL_POWER)
        terms->power = 0;
    return KEEL_OK;
}

/* out = e (0, w) / 2 */
static inline void top_quaternion_rate(const double e[4], const double w[3], double out[4]) {
    out[0] = (-e[1] * w[0] - e[2] * w[1] - e[3] * w[2]) / 2;
    out[1] = (e[0] * w[0] + e[2] * w[2] - e[3] * w[1]) / 2;
    out[2] = (e[0] * w[1] + e[3] * w[0] - e[1] * w[2]) / 2;
    out[3] = (e[0] * w[2] + e[1] * w[1] - e[2] * w[0]) / 2;
}

static inline void top_kinematics(const keel_system *system, const double *q, const double *v,
                                  double *q_rate) {
    (void)system;
    for (int i = 0; i < 3; i++)
        q_rate[i] = v[i];
    top_quaternion_rate(q + 3, v + 3, q_rate + 3);
}

/* e <- e exp(w/2): cos(|w|/2) e + sin(|w|/2)/|w| e (0, w) */
static inline void top_advance(const keel_system *system, double *q, const double *dv) {
    double de[4], angle = sqrt(dv[3] * dv[3] + dv[4] * dv[4] + dv[5] * dv[5]), n = 0;
    double sine = angle > 1e-4 ? sin(angle / 2) / (angle / 2) : 1 - angle * angle / 24;
    (void)system;
    top_quaternion_rate(q + 3, dv + 3, de);
    for (int i = 0; i < 3; i++)
        q[i] += dv[i];
    for (int i = 0; i < 4; i++) {
        q[3 + i] = cos(angle / 2) * q[3 + i] + sine * de[i];
        n += q[3 + i] * q[3 + i];
    }
    for (int i = 0; i < 4; i++)
        q[3 + i] /= sqrt(n);
}

static inline keel_system top_system(void) {
    static const int M_start[] = {0, 1, 2, 3, 4, 5, 6}, M_index[] = {0, 1, 2, 3, 4, 5};
    static const int J_start[] = {0, 3, 6, 9}, J_index[] = {0, 3, 4, 1, 3, 4, 2, 3, 4};
    keel_system system = keel_system_default();
    system.n_q = 7, system.n_v = 6, system.n_h = 3;
    system.M = (keel_pattern){6, 6, M_start, M_index};
    system.J = (keel_pattern){3, 6, J_start, J_index};
    system.has_energy = 1;
    system.evaluate = top_evaluate;
    system.kinematics = top_kinematics;
    system.advance = top_advance;
    return system;
}

/* y = (q, v, W): the axis tilted by 1 rad about x, spinning at w. */
static inline void top_start(double y[14], const double w[3]) {
    const double e[4] = {cos(0.5), sin(0.5), 0, 0};
    double R[3][3];
    top_rotation(e, R);
    for (int i = 0; i < 14; i++)
        y[i] = 0;
    for (int i = 0; i < 4; i++)
        y[3 + i] = e[i];
    for (int i = 0; i < 3; i++) {
        y[i] = TOP_LENGTH * R[i][2];
        y[7 + i] = TOP_LENGTH * (R[i][0] * w[1] - R[i][1] * w[0]);
        y[10 + i] = w[i];
    }
}

#endif

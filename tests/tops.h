/* tops.h - a heavy body of three different moments of inertia that turns about a fixed point: q' = N(q) v.
 *
 *     q = (r, e)   centre of mass, unit quaternion from body axes to world axes
 *     v = (r', w)  w in body axes;  e' = e (0, w) / 2
 *     m r'' + lambda = -m g k,      I w' + (R [c]x)^T lambda = -w x I w - d w
 *     Phi = r - R c = 0             c: centre of mass from the fixed point, in body axes
 *     J = [ 1  R [c]x ],            xi = R (w x (w x c))
 *
 * Displacements turn the body about its own axes: R <- R (1 + [delta]x). With u = R^T lambda and
 * accelerations a = (a_r, alpha), b = c x alpha - w x (w x c),
 *
 *     motion       d/ddelta = -[c]x [u]x            d/dw = [w]x I - [I w]x + d
 *     constraints  d/ddelta = -R [b]x               d/dw = -R ((w.c) 1 + w c^T - 2 c w^T)
 *     rate_q       d/ddelta = -R [c x w]x
 *
 * Constant are the energy, if d = 0, and the angular momentum about the vertical, k . (R I w + r x m r').
 */
#ifndef TEST_TOPS_H
#define TEST_TOPS_H

#include <math.h>
#include <string.h>

#include "keel/keel.h"

typedef struct top_model {
    double mass, g, I[3], c[3];
    double damping;  /* d */
    int exponential; /* `advance` is the exact rotation; otherwise e + e' normalised */
} top_model;

static const top_model TOP = {.mass = 0.5, .g = 9.81, .I = {2e-3, 3e-3, 1e-3}, .c = {0.02, -0.01, 0.1}};

static inline void top_cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double top_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* [a]x */
static inline void top_skew(const double a[3], double S[3][3]) {
    memset(S, 0, 9 * sizeof(double));
    S[0][1] = -a[2], S[0][2] = a[1], S[1][2] = -a[0];
    S[1][0] = a[2], S[2][0] = -a[1], S[2][1] = a[0];
}

/* out = factor A B */
static inline void top_times(double factor, double A[3][3], double B[3][3], double out[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = factor * (A[i][0] * B[0][j] + A[i][1] * B[1][j] + A[i][2] * B[2][j]);
}

static inline void top_rotation(const double e[4], double R[3][3]) {
    double a = e[0], b = e[1], c = e[2], d = e[3], n = a * a + b * b + c * c + d * d;
    R[0][0] = (a * a + b * b - c * c - d * d) / n, R[0][1] = 2 * (b * c - a * d) / n;
    R[0][2] = 2 * (b * d + a * c) / n, R[1][0] = 2 * (b * c + a * d) / n;
    R[1][1] = (a * a - b * b + c * c - d * d) / n, R[1][2] = 2 * (c * d - a * b) / n;
    R[2][0] = 2 * (b * d - a * c) / n, R[2][1] = 2 * (c * d + a * b) / n;
    R[2][2] = (a * a - b * b - c * c + d * d) / n;
}

static inline void top_rotate(double R[3][3], const double u[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = top_dot(R[i], u);
}

/* The tangent: rows 0-2 (r) are empty, 3-5 (w) and 6-8 (constraints) have delta and w. */
static inline void top_tangent(const top_model *top, const keel_point *at, double R[3][3], double *tangent) {
    const double *w = at->v + 3, *alpha = at->a + 3, *c = top->c;
    double Iw[3], u[3], b[3], b2[3], w_c[3], A[3][3], B[3][3], D[4][3][3], S[3][3];
    for (int i = 0; i < 3; i++) {
        Iw[i] = top->I[i] * w[i];
        u[i] = R[0][i] * at->lambda[0] + R[1][i] * at->lambda[1] + R[2][i] * at->lambda[2];
    }
    top_skew(c, A), top_skew(u, B);
    top_times(-1, A, B, D[0]);
    top_skew(w, A), top_skew(Iw, B);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            D[1][i][j] = A[i][j] * top->I[j] - B[i][j] + (i == j) * top->damping;
    top_cross(w, c, w_c), top_cross(w, w_c, b2), top_cross(c, alpha, b);
    for (int i = 0; i < 3; i++)
        b[i] -= b2[i];
    top_skew(b, A);
    top_times(-1, R, A, D[2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            S[i][j] = (i == j) * top_dot(w, c) + w[i] * c[j] - 2 * c[i] * w[j];
    top_times(-1, R, S, D[3]);
    for (int part = 0; part < 4; part++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                tangent[(part / 2) * 18 + 6 * i + 3 * (part % 2) + j] = D[part][i][j];
}

/* The energy and the angular momentum, with their derivatives by (r, delta, r', w): rows of 12. */
static inline void top_invariants(const top_model *top, const keel_point *at, double R[3][3],
                                  keel_terms *terms) {
    const double *r = at->q, *v = at->v, *w = at->v + 3, m = top->mass;
    double Iw[3], L[3], S[3][3], T[3][3], *E_y = terms->invariant_y, *L_y = E_y + 12;
    memset(E_y, 0, 24 * sizeof(double));
    terms->invariant[0] = m * top->g * r[2] + m * top_dot(v, v) / 2;
    for (int i = 0; i < 3; i++) {
        Iw[i] = top->I[i] * w[i];
        terms->invariant[0] += Iw[i] * w[i] / 2;
        E_y[6 + i] = m * v[i];
        E_y[9 + i] = Iw[i];
        L_y[9 + i] = R[2][i] * top->I[i];
    }
    E_y[2] = m * top->g;
    top_rotate(R, Iw, L);
    terms->invariant[1] = L[2] + m * (r[0] * v[1] - r[1] * v[0]);
    L_y[0] = m * v[1], L_y[1] = -m * v[0], L_y[6] = -m * r[1], L_y[7] = m * r[0];
    top_skew(Iw, S);
    top_times(-1, R, S, T);
    memcpy(L_y + 3, T[2], sizeof T[2]);
}

static inline void top_constraints(const top_model *top, unsigned what, const keel_point *at, double R[3][3],
                                   keel_terms *terms) {
    const double *w = at->v + 3, *c = top->c;
    double arm[3], w_c[3], w_w_c[3], turn[3], bend[3], S[3][3], RS[3][3], c_w[3], rate_q[3][3];
    top_skew(c, S);
    top_times(1, R, S, RS);
    top_cross(w, c, w_c), top_cross(w, w_c, w_w_c), top_cross(c, w, c_w);
    top_rotate(R, c, arm), top_rotate(R, w_c, turn), top_rotate(R, w_w_c, bend);
    top_skew(c_w, S);
    top_times(-1, R, S, rate_q);
    for (int i = 0; i < 3; i++) {
        if (what & KEEL_POSITION)
            terms->Phi[i] = at->q[i] - arm[i];
        if (what & KEEL_VELOCITY)
            terms->rate[i] = at->v[i] - turn[i];
        if (what & KEEL_XI)
            terms->xi[i] = bend[i];
        if (what & KEEL_VELOCITY_Q)
            memcpy(terms->rate_q + 3 * i, rate_q[i], sizeof rate_q[i]);
        if (what & KEEL_JACOBIAN) {
            terms->J[4 * i] = 1;
            memcpy(terms->J + 4 * i + 1, RS[i], sizeof RS[i]);
        }
    }
}

static inline keel_status top_evaluate(const keel_system *system, void *work, unsigned what,
                                       const keel_point *at, keel_terms *terms) {
    const top_model *top = system->model;
    const double *v = at->v, *w = at->v + 3;
    double R[3][3];
    (void)work;
    top_rotation(at->q + 3, R);
    if (what & KEEL_MASS)
        for (int i = 0; i < 6; i++)
            terms->M[i] = i < 3 ? top->mass : top->I[i - 3];
    for (int i = 0; (what & KEEL_FORCE) && i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        terms->Q[i] = i == 2 ? -top->mass * top->g : 0;
        terms->Q[3 + i] = (top->I[j] - top->I[k]) * w[j] * w[k] - top->damping * w[i];
    }
    top_constraints(top, what, at, R, terms);
    if (what & KEEL_TANGENT)
        top_tangent(top, at, R, terms->tangent);
    if (what & KEEL_INVARIANTS)
        top_invariants(top, at, R, terms);
    if (what & KEEL_ENERGY) {
        terms->energy = top->mass * (top->g * at->q[2] + top_dot(v, v) / 2);
        for (int i = 0; i < 3; i++)
            terms->energy += top->I[i] * w[i] * w[i] / 2;
    }
    if (what & KEEL_POWER)
        terms->power = -top->damping * top_dot(w, w);
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
    memcpy(q_rate, v, 3 * sizeof(double));
    top_quaternion_rate(q + 3, v + 3, q_rate + 3);
}

/* The vector part of 2 e^-1 de */
static inline void top_pull(const keel_system *system, const double *q, const double *dq, double *dv) {
    const double *e = q + 3, *d = dq + 3;
    double n = 2 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    (void)system;
    memcpy(dv, dq, 3 * sizeof(double));
    dv[3] = n * (e[0] * d[1] - e[1] * d[0] - e[2] * d[3] + e[3] * d[2]);
    dv[4] = n * (e[0] * d[2] - e[2] * d[0] - e[3] * d[1] + e[1] * d[3]);
    dv[5] = n * (e[0] * d[3] - e[3] * d[0] - e[1] * d[2] + e[2] * d[1]);
}

/* Either cos(|w|/2) e + sin(|w|/2)/|w| e (0, w), or the same to second order in w. */
static inline void top_advance(const keel_system *system, double *q, const double *dv) {
    const top_model *top = system->model;
    double de[4], *e = q + 3, angle = sqrt(top_dot(dv + 3, dv + 3)), cosine = 1, sine = 1, n = 0;
    if (top->exponential) {
        cosine = cos(angle / 2);
        sine = angle > 1e-4 ? sin(angle / 2) / (angle / 2) : 1 - angle * angle / 24;
    }
    top_quaternion_rate(e, dv + 3, de);
    for (int i = 0; i < 3; i++)
        q[i] += dv[i];
    for (int i = 0; i < 4; i++) {
        e[i] = cosine * e[i] + sine * de[i];
        n += e[i] * e[i];
    }
    for (int i = 0; i < 4; i++)
        e[i] /= sqrt(n);
}

static inline keel_system top_system(const top_model *top) {
    static const int M_start[] = {0, 1, 2, 3, 4, 5, 6}, M_index[] = {0, 1, 2, 3, 4, 5};
    static const int J_start[] = {0, 4, 8, 12}, J_index[] = {0, 3, 4, 5, 1, 3, 4, 5, 2, 3, 4, 5};
    static const int T_start[] = {0, 0, 0, 0, 6, 12, 18, 24, 30, 36};
    static const int T_index[] = {3, 4, 5, 9, 10, 11, 3, 4, 5, 9, 10, 11, 3, 4, 5, 9, 10, 11,
                                  3, 4, 5, 9, 10, 11, 3, 4, 5, 9, 10, 11, 3, 4, 5, 9, 10, 11};
    static const int V_start[] = {0, 3, 6, 9}, V_index[] = {3, 4, 5, 3, 4, 5, 3, 4, 5};
    static const int I_start[] = {0, 12, 24},
                     I_index[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    static const char *const invariants[] = {"energy", "vertical momentum"};
    keel_system system = keel_system_default();
    system.n_q = 7, system.n_v = 6, system.n_h = 3;
    system.M = (keel_pattern){6, 6, M_start, M_index};
    system.J = (keel_pattern){3, 6, J_start, J_index};
    system.tangent = (keel_pattern){9, 12, T_start, T_index};
    system.rate_q = (keel_pattern){3, 6, V_start, V_index};
    if (top->damping == 0) {
        system.n_i = 2;
        system.invariant_y = (keel_pattern){2, 12, I_start, I_index};
        system.names.invariant = invariants;
    }
    system.has_energy = 1;
    system.model = top;
    system.evaluate = top_evaluate;
    system.kinematics = top_kinematics;
    system.advance = top_advance;
    system.pull = top_pull;
    return system;
}

/* Tilted by 1 rad about x, turning at w about its own axes. */
static inline void top_start(const top_model *top, const double w[3], keel_state *start) {
    const double e[4] = {cos(0.5), sin(0.5), 0, 0};
    double R[3][3], w_c[3];
    top_rotation(e, R);
    memcpy(start->q + 3, e, sizeof e);
    memcpy(start->v + 3, w, 3 * sizeof(double));
    top_cross(w, top->c, w_c);
    top_rotate(R, top->c, start->q);
    top_rotate(R, w_c, start->v);
}

#endif

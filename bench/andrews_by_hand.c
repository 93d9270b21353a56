#include "andrews_by_hand.h"

#include <math.h>

static const double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706, m7 = .05498;
static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7,
                    I7 = 1.912e-5;
static const double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072;
static const double c0 = 4530, l0 = .07785, mom = .033;
static const double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035,
                    sa = .01874, sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04,
                    ua = .01228, ub = .00449, zf = .02, zt = .04, fa = .01421;

/* Sines and cosines of the angles and their sums, each once. */
typedef struct angles {
    double s1, c1, s2, c2, s12, c12, s3, c3, s4, c4, s5, c5, s45, c45, s6, c6, s7, c7, s67, c67;
} angles;

static angles angles_of(const double *q) {
    return (angles){sin(q[0]),        cos(q[0]), sin(q[1]),        cos(q[1]),        sin(q[0] + q[1]),
                    cos(q[0] + q[1]), sin(q[2]), cos(q[2]),        sin(q[3]),        cos(q[3]),
                    sin(q[4]),        cos(q[4]), sin(q[3] + q[4]), cos(q[3] + q[4]), sin(q[5]),
                    cos(q[5]),        sin(q[6]), cos(q[6]),        sin(q[5] + q[6]), cos(q[5] + q[6])};
}

/* Lower triangle by rows: 11, 21 22, 33, 44, 54 55, 66, 76 77. */
static void mass(const angles *w, double *M) {
    double a = e - ea, b = zf - fa;
    M[0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * w->c2 + da * da) + I1 + I2;
    M[1] = m2 * (da * da - da * rr * w->c2) + I2;
    M[2] = m2 * da * da + I2;
    M[3] = m3 * (sa * sa + sb * sb) + I3;
    M[4] = m4 * a * a + I4;
    M[5] = m4 * (a * a + zt * a * w->s4) + I4;
    M[6] = m4 * (zt * zt + 2 * zt * a * w->s4 + a * a) + m5 * (ta * ta + tb * tb) + I4 + I5;
    M[7] = m6 * b * b + I6;
    M[8] = m6 * (b * b - u * b * w->s6) + I6;
    M[9] = m6 * (b * b - 2 * u * b * w->s6 + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
}

static void force(const angles *w, const double *v, double *Q) {
    double a = e - ea, b = zf - fa;
    double xd = sd * w->c3 + sc * w->s3 + xb, yd = sd * w->s3 - sc * w->c3 + yb;
    double L = sqrt((xd - xc) * (xd - xc) + (yd - yc) * (yd - yc)), F = -c0 * (L - l0) / L;
    Q[0] = mom - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * w->s2;
    Q[1] = m2 * da * rr * v[0] * v[0] * w->s2;
    Q[2] = F * (xd - xc) * (sc * w->c3 - sd * w->s3) + F * (yd - yc) * (sd * w->c3 + sc * w->s3);
    Q[3] = m4 * zt * a * v[4] * v[4] * w->c4;
    Q[4] = -m4 * zt * a * v[3] * (v[3] + 2 * v[4]) * w->c4;
    Q[5] = -m6 * u * b * v[6] * v[6] * w->c6;
    Q[6] = m6 * u * b * v[5] * (v[5] + 2 * v[6]) * w->c6;
}

static void position(const angles *w, double *Phi) {
    double X = rr * w->c1 - d * w->c12, Y = rr * w->s1 - d * w->s12;
    Phi[0] = X - ss * w->s3 - xb;
    Phi[1] = Y + ss * w->c3 - yb;
    Phi[2] = X - e * w->s45 - zt * w->c5 - xa;
    Phi[3] = Y + e * w->c45 - zt * w->s5 - ya;
    Phi[4] = X - zf * w->c67 - u * w->s7 - xa;
    Phi[5] = Y - zf * w->s67 + u * w->c7 - ya;
}

/* Rows: 1 2 3 | 1 2 3 | 1 2 4 5 | 1 2 4 5 | 1 2 6 7 | 1 2 6 7. */
static void jacobian(const angles *w, double *J) {
    double X1 = -rr * w->s1 + d * w->s12, X2 = d * w->s12, Y1 = rr * w->c1 - d * w->c12, Y2 = -d * w->c12;
    J[0] = X1, J[1] = X2, J[2] = -ss * w->c3;
    J[3] = Y1, J[4] = Y2, J[5] = -ss * w->s3;
    J[6] = X1, J[7] = X2, J[8] = -e * w->c45, J[9] = -e * w->c45 + zt * w->s5;
    J[10] = Y1, J[11] = Y2, J[12] = -e * w->s45, J[13] = -e * w->s45 - zt * w->c5;
    J[14] = X1, J[15] = X2, J[16] = zf * w->s67, J[17] = zf * w->s67 - u * w->c7;
    J[18] = Y1, J[19] = Y2, J[20] = -zf * w->c67, J[21] = -zf * w->c67 - u * w->s7;
}

static void xi_of(const angles *w, const double *v, double *xi) {
    double w12 = (v[0] + v[1]) * (v[0] + v[1]), w45 = (v[3] + v[4]) * (v[3] + v[4]),
           w67 = (v[5] + v[6]) * (v[5] + v[6]);
    double A = -rr * w->c1 * v[0] * v[0] + d * w->c12 * w12, B = -rr * w->s1 * v[0] * v[0] + d * w->s12 * w12;
    xi[0] = -(A + ss * w->s3 * v[2] * v[2]);
    xi[1] = -(B - ss * w->c3 * v[2] * v[2]);
    xi[2] = -(A + e * w->s45 * w45 + zt * w->c5 * v[4] * v[4]);
    xi[3] = -(B - e * w->c45 * w45 + zt * w->s5 * v[4] * v[4]);
    xi[4] = -(A + zf * w->c67 * w67 + u * w->s7 * v[6] * v[6]);
    xi[5] = -(B + zf * w->s67 * w67 - u * w->c7 * v[6] * v[6]);
}

static void velocity(const angles *w, const double *v, double *rate) {
    double X = (-rr * w->s1 + d * w->s12) * v[0] + d * w->s12 * v[1];
    double Y = (rr * w->c1 - d * w->c12) * v[0] - d * w->c12 * v[1];
    rate[0] = X - ss * w->c3 * v[2];
    rate[1] = Y - ss * w->s3 * v[2];
    rate[2] = X - e * w->c45 * (v[3] + v[4]) + zt * w->s5 * v[4];
    rate[3] = Y - e * w->s45 * (v[3] + v[4]) - zt * w->c5 * v[4];
    rate[4] = X + zf * w->s67 * (v[5] + v[6]) - u * w->c7 * v[6];
    rate[5] = Y - zf * w->c67 * (v[5] + v[6]) - u * w->s7 * v[6];
}

static double kinetic(const double *M, const double *v) {
    return (M[0] * v[0] * v[0] + M[2] * v[1] * v[1] + M[3] * v[2] * v[2] + M[4] * v[3] * v[3] +
            M[6] * v[4] * v[4] + M[7] * v[5] * v[5] + M[9] * v[6] * v[6]) /
               2 +
           M[1] * v[0] * v[1] + M[5] * v[3] * v[4] + M[8] * v[5] * v[6];
}

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    (void)system, (void)work;
    angles w = angles_of(at->q);
    if (what & KEEL_MASS)
        mass(&w, terms->M);
    if (what & KEEL_FORCE)
        force(&w, at->v, terms->Q);
    if (what & KEEL_JACOBIAN)
        jacobian(&w, terms->J);
    if (what & KEEL_XI)
        xi_of(&w, at->v, terms->xi);
    if (what & KEEL_POSITION)
        position(&w, terms->Phi);
    if (what & KEEL_VELOCITY)
        velocity(&w, at->v, terms->rate);
    if (what & KEEL_ENERGY) {
        double M[10], xd = sd * w.c3 + sc * w.s3 + xb, yd = sd * w.s3 - sc * w.c3 + yb;
        double stretch = sqrt((xd - xc) * (xd - xc) + (yd - yc) * (yd - yc)) - l0;
        mass(&w, M);
        terms->energy = kinetic(M, at->v) + c0 * stretch * stretch / 2;
    }
    if (what & KEEL_POWER)
        terms->power = mom * at->v[0];
    return KEEL_OK;
}

keel_system andrews_by_hand(void) {
    static const int M_start[] = {0, 1, 3, 4, 5, 7, 8, 10}, M_index[] = {0, 0, 1, 2, 3, 3, 4, 5, 5, 6};
    static const int J_start[] = {0, 3, 6, 10, 14, 18, 22};
    static const int J_index[] = {0, 1, 2, 0, 1, 2, 0, 1, 3, 4, 0, 1, 3, 4, 0, 1, 5, 6, 0, 1, 5, 6};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 7;
    system.n_h = 6;
    system.M = (keel_pattern){7, 7, M_start, M_index};
    system.J = (keel_pattern){6, 7, J_start, J_index};
    system.has_energy = 1;
    system.evaluate = evaluate;
    return system;
}

void andrews_start(keel_state *start) {
    static const double q[] = {-0.0617138900142764496358948458001, 0,
                               0.455279819163070380255912382449,   0.222668390165885884674473185609,
                               0.487364979543842550225598953530,   -0.222668390165885884674473185609,
                               1.23054744454982119249735015568};
    for (int i = 0; i < 7; i++)
        start->q[i] = q[i];
}

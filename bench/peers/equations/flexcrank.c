/* Slider crank with a flexible rod (models/flexible_crank.yaml; Test Set for IVP Solvers), q = phi1 phi2 x3
 * q1 q2 q3 q4.
 *
 * With the rod's deformation e = (q1..q4), w = e', p1 = phi1', p2 = phi2', s and c of phi1 - phi2, and
 * constant vectors C1, C2, C12, C21, matrices Me, Ke (symmetric) and B (skew), the energies of the model file
 * are
 *
 *     2 T = A p1^2 + (J2 + e.Me e + 2 rho C12.e) p2^2 + m3 x3'^2 + w.Me w + 2 h p1 p2
 *           + 2 rho l1 (c C2 - s C1).w p1 + 2 rho (C21.w + e.B w) p2,     2 V = e.Ke e
 *     h = l1 l2 m2 c/2 + rho l1 (s C2 + c C1).e
 *
 * and the forces that follow, h' being the derivative of h by phi1:
 *
 *     Q_phi1 = h' p2^2 - 2 rho l1 (s C2 + c C1).w p2
 *     Q_phi2 = -h' p1^2 - 2 (e.Me w + rho C12.w) p2
 *     Q_e = (Me e + rho C12) p2^2 + rho l1 (s C2 + c C1) p1^2 + 2 rho p2 B w - Ke e
 */
#include "equations.h"

#include <math.h>

#define PI 3.1415927 /* sic: the source computes with this value */

static const double m2 = 0.151104, m3 = 0.075552, l1 = 0.15, l2 = 0.30, J1 = 0.002727, J2 = 0.0045339259,
                    rho = 7870, Omega = 150;
static const double fm = 7870 * 0.008 * 0.008 * 0.30, fk = 0.2e12 * 0.008 * 0.008 / 0.30,
                    fb = 0.008 * 0.008 * 0.30;
static const double bend = (0.008 / 0.30) * (0.008 / 0.30) * PI * PI * PI * PI;
static const double b1 = 16 / (PI * PI * PI), b2 = 8 / (PI * PI * PI) - 1 / PI, b3 = 1 / (2 * PI);

/* Sine and cosine of phi1, phi2 and their difference. */
typedef struct angles {
    double s1, c1, s2, c2, s, c;
} angles;

static angles angles_of(const double *q) {
    angles w = {.s1 = sin(q[0]), .c1 = cos(q[0]), .s2 = sin(q[1]), .c2 = cos(q[1])};
    w.s = w.s1 * w.c2 - w.c1 * w.s2;
    w.c = w.c1 * w.c2 + w.s1 * w.s2;
    return w;
}

static double dot_C1(const double *e) {
    return fb * (2.0 / 3 * e[2] + e[3] / 6);
}

static double dot_C2(const double *e) {
    return fb * 2 / PI * e[0];
}

static double dot_C12(const double *e) {
    return l2 * fb * (e[2] / 3 + e[3] / 6);
}

/* Rows: phi1 | phi1 phi2 | x3 | phi1 phi2 q1 | phi2 q2 | phi1 phi2 q3 | phi1 phi2 q3 q4. */
static void mass(const angles *w, const double *e, double *M) {
    double eMe =
        fm * (0.5 * (e[0] * e[0] + e[1] * e[1]) + 8 * e[2] * e[2] + 2 * e[2] * e[3] + 2 * e[3] * e[3]);
    M[0] = J1 + m2 * l1 * l1;
    M[1] = l1 * l2 * m2 * w->c / 2 + rho * l1 * (w->s * dot_C2(e) + w->c * dot_C1(e));
    M[2] = J2 + eMe + 2 * rho * dot_C12(e);
    M[3] = m3;
    M[4] = rho * l1 * w->c * fb * 2 / PI;
    M[5] = rho * fb * (l2 / PI + b1 * e[2] - b2 * e[3]);
    M[6] = fm / 2;
    M[7] = -rho * fb * (l2 + e[3]) * b3;
    M[8] = fm / 2;
    M[9] = -rho * l1 * w->s * fb * 2 / 3;
    M[10] = -rho * fb * b1 * e[0];
    M[11] = 8 * fm;
    M[12] = -rho * l1 * w->s * fb / 6;
    M[13] = rho * fb * (b2 * e[0] + b3 * e[1]);
    M[14] = fm;
    M[15] = 2 * fm;
}

static void force(const angles *a, const double *q, const double *v, double *Q) {
    const double *e = q + 3, *w = v + 3;
    double p1 = v[0], p2 = v[1], p11 = p1 * p1, p22 = p2 * p2, twice = 2 * rho * fb * p2,
           r = rho * l1 * fb * p11;
    double h_phi = -l1 * l2 * m2 * a->s / 2 + rho * l1 * (a->c * dot_C2(e) - a->s * dot_C1(e));
    double h_w = rho * l1 * (a->s * dot_C2(w) + a->c * dot_C1(w));
    double Me[] = {fm * e[0] / 2, fm * e[1] / 2, fm * (8 * e[2] + e[3]), fm * (e[2] + 2 * e[3])};
    double eMw = Me[0] * w[0] + Me[1] * w[1] + Me[2] * w[2] + Me[3] * w[3];
    Q[0] = h_phi * p22 - 2 * h_w * p2;
    Q[1] = -h_phi * p11 - 2 * (eMw + rho * dot_C12(w)) * p2;
    Q[2] = 0;
    Q[3] = Me[0] * p22 + r * a->s * 2 / PI + twice * (b2 * w[3] - b1 * w[2]) - fk * bend * e[0] / 24;
    Q[4] = Me[1] * p22 + twice * b3 * w[3] - fk * bend * 2 / 3 * e[1];
    Q[5] = (Me[2] + rho * l2 * fb / 3) * p22 + r * a->c * 2 / 3 + twice * b1 * w[0] -
           fk * (16 * e[2] - 8 * e[3]) / 3;
    Q[6] = (Me[3] + rho * l2 * fb / 6) * p22 + r * a->c / 6 - twice * (b2 * w[0] + b3 * w[1]) -
           fk * (7 * e[3] - 8 * e[2]) / 3;
}

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    const double *q = at->q, *v = at->v;
    angles w = angles_of(q);
    double l = l2 + q[6];
    (void)system, (void)work;
    if (what & KEEL_MASS)
        mass(&w, q + 3, terms->M);
    if (what & KEEL_FORCE)
        force(&w, q, v, terms->Q);
    if (what & KEEL_JACOBIAN) { /* rows: phi1 phi2 q4 | phi1 phi2 x3 q4 | phi1 */
        double *J = terms->J;
        J[0] = l1 * w.c1, J[1] = l * w.c2, J[2] = w.s2;
        J[3] = l1 * w.s1, J[4] = l * w.s2, J[5] = 1, J[6] = -w.c2;
        J[7] = 1;
    }
    if (what & KEEL_XI) {
        double p11 = v[0] * v[0], p22 = v[1] * v[1], mixed = 2 * v[1] * v[6];
        terms->xi[0] = l1 * w.s1 * p11 + l * w.s2 * p22 - w.c2 * mixed;
        terms->xi[1] = -l1 * w.c1 * p11 - l * w.c2 * p22 - w.s2 * mixed;
        terms->xi[2] = 0;
    }
    if (what & KEEL_POSITION) {
        terms->Phi[0] = l1 * w.s1 + l * w.s2;
        terms->Phi[1] = q[2] - l1 * w.c1 - l * w.c2;
        terms->Phi[2] = q[0] - Omega * at->t;
    }
    if (what & KEEL_VELOCITY) {
        terms->rate[0] = l1 * w.c1 * v[0] + l * w.c2 * v[1] + w.s2 * v[6];
        terms->rate[1] = v[2] + l1 * w.s1 * v[0] + l * w.s2 * v[1] - w.c2 * v[6];
        terms->rate[2] = v[0] - Omega;
    }
    return KEEL_OK;
}

void flexcrank_make(equations *problem) {
    static const int M_start[] = {0, 1, 3, 4, 7, 9, 12, 16};
    static const int M_index[] = {0, 0, 1, 2, 0, 1, 3, 1, 4, 0, 1, 5, 0, 1, 5, 6};
    static const int J_start[] = {0, 3, 7, 8}, J_index[] = {0, 1, 6, 0, 1, 2, 6, 0};
    static const double q[] = {0, 0, 0.45 + 0.169327969e-4, 0, 0, 0.103339863e-4, 0.169327969e-4};
    static const double v[] = {150,
                               -74.99576703969453,
                               -2.689386719979040e-6,
                               0.4448961125815990,
                               4.634339319238670e-3,
                               -1.785910760000550e-6,
                               -2.689386719979040e-6};
    equations_init(problem, 7, 3, 0.1);
    problem->system.M = (keel_pattern){7, 7, M_start, M_index};
    problem->system.J = (keel_pattern){3, 7, J_start, J_index};
    problem->system.has_drivers = 1;
    problem->rate = 100; /* 1/s: the crank turns at 150 rad/s */
    problem->system.evaluate = evaluate;
    for (int i = 0; i < 7; i++)
        problem->q[i] = q[i], problem->v[i] = v[i];
}

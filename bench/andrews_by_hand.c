#include "andrews_by_hand.h"

#include <math.h>

typedef double real;
#define REAL(x)    (x)
#define ROOT(x, y) (y = sqrt(x))
#include "andrews_formulas.h"

static angles angles_of(const double *q) {
    return (angles){sin(q[0]),        cos(q[0]), sin(q[1]),        cos(q[1]),        sin(q[0] + q[1]),
                    cos(q[0] + q[1]), sin(q[2]), cos(q[2]),        sin(q[3]),        cos(q[3]),
                    sin(q[4]),        cos(q[4]), sin(q[3] + q[4]), cos(q[3] + q[4]), sin(q[5]),
                    cos(q[5]),        sin(q[6]), cos(q[6]),        sin(q[5] + q[6]), cos(q[5] + q[6])};
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

void andrews_solve_by_hand(const double *M, const double *J, const double *Q, const double *xi, double *a,
                           double *lambda) {
    accelerate(M, J, Q, xi, a, lambda);
}

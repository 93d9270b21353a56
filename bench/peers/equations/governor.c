/* Flyball governor with stiff struts (models/a05_governor.yaml) in its four freedoms: an ordinary
 * differential equation. q: angle of the shaft, height s of the slider, angles p1, p2 of the rods below the
 * horizontal.
 *
 * In axes that turn with the shaft (rate w) a rod is u = (cos p, 0, -sin p), hinged at (a,0,1). Its own axis,
 * across, and the axis of the hinge are principal axes; of the shaft's turning w the first sees -w sin p, the
 * second w cos p. So the kinetic energy has no mixed terms:
 *
 *     2 T = (I + R(p1) + R(p2)) w^2 + m_s s'^2 + I_p (p1'^2 + p2'^2)
 *     R(p) = I_along sin^2 p + I_across cos^2 p + m (a + cos(p)/2)^2 + ball (a + cos p)^2
 *
 * The strut from (a,0,s) to the middle of the rod has x = cos(p)/2, z = 1 - sin(p)/2 - s, L^2 = x^2 + z^2.
 */
#include "equations.h"

#include <math.h>

static const double g = 9.81, a = 0.05, K = 8e5, C = 4e4, ball = 5;
static const double rod = 0.3, slider = 3; /* kg: 3000 kg/m^3 times 1e-4 and 1e-3 m^3 */
static const double I_along = 0.3 * 2e-4 / 12, I_across = 0.3 * (1 + 1e-4) / 12;
static const double I_axis = 0.3 * 2e-4 / 12 + 3 * 2e-2 / 12; /* shaft and slider */

/* One rod and its strut. */
typedef struct arm {
    double R, R_p;   /* moment about the shaft and its derivative */
    double Q_p, Q_s; /* forces on p and s                         */
} arm;

static arm arm_at(double p, double s, double dp, double ds, double w) {
    double c = cos(p), n = sin(p), middle = a + c / 2, end = a + c;
    double x = c / 2, z = 1 - n / 2 - s, L = sqrt(x * x + z * z);
    double L_p = (-x * n - z * c) / (2 * L), L_s = -z / L; /* derivatives of L */
    double F = K * (L - 0.5) + C * (L_p * dp + L_s * ds);
    arm e;
    e.R = I_along * n * n + I_across * c * c + rod * middle * middle + ball * end * end;
    e.R_p = 2 * (I_along - I_across) * n * c - rod * middle * n - 2 * ball * end * n;
    e.Q_p = g * c * (rod / 2 + ball) + e.R_p * w * w / 2 - F * L_p;
    e.Q_s = -F * L_s;
    return e;
}

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    const double *q = at->q, *v = at->v;
    arm e1 = arm_at(q[2], q[1], v[2], v[1], v[0]), e2 = arm_at(q[3], q[1], v[3], v[1], v[0]);
    (void)system, (void)work;
    if (what & KEEL_MASS) {
        terms->M[0] = I_axis + e1.R + e2.R;
        terms->M[1] = slider;
        terms->M[2] = terms->M[3] = I_across + rod / 4 + ball;
    }
    if (what & KEEL_FORCE) {
        terms->Q[0] = -v[0] * (e1.R_p * v[2] + e2.R_p * v[3]);
        terms->Q[1] = e1.Q_s + e2.Q_s - slider * g;
        terms->Q[2] = e1.Q_p;
        terms->Q[3] = e2.Q_p;
    }
    return KEEL_OK;
}

static void observe(const equations *problem, const double *q, const double *v, double *q_seen,
                    double *v_seen) {
    (void)problem;
    q_seen[0] = q[1], q_seen[1] = q[0];
    v_seen[0] = v[1], v_seen[1] = v[0];
}

void governor_make(equations *problem) {
    static const int M_start[] = {0, 1, 2, 3, 4}, M_index[] = {0, 1, 2, 3};
    const double pi = 3.14159265358979323846;
    equations_init(problem, 4, 0, 10);
    problem->system.M = (keel_pattern){4, 4, M_start, M_index};
    problem->system.evaluate = evaluate;
    problem->q[1] = 0.5;
    problem->q[2] = problem->q[3] = pi / 6;
    problem->v[0] = 2 * pi;
    problem->watched = 2;
    problem->observe = observe;
}

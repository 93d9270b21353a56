/* Spatial slider-crank (models/slider_crank_3d.yaml) with q = (crank angle th, angles A and b of the rod).
 *
 * The rod of length l goes from the slider C = (x,0,0) along u = (cos b, sin b p), p = (-sin A, cos A), the
 * cross of its universal joint being x and e = (0, cos A, sin A). It ends on the crank at (0, 0.1 - r sin th,
 * 0.12 + r cos th), so that x = -l cos b and two conditions are left:
 *
 *     -l sin b sin A - 0.1 + r sin th = 0,   l sin b cos A - 0.12 - r cos th = 0
 *
 * The rod turns by A' about x and b' about e; the part A' cos b is about its own axis. Its centre has the
 * speed (l/2) |u'|, |u'|^2 = b'^2 + A'^2 sin^2 b. All together
 *
 *     2 T = I_c th'^2 + D |u'|^2 + I_a A'^2 cos^2 b + m_s l^2 b'^2 sin^2 b,   D = I_t + m l^2/4
 */
#include "equations.h"

#include <math.h>

static const double g = 9.81, l = 0.3, r = 0.08;
static const double m_crank = 0.12, m_rod = 0.5, m_slider = 2;
static const double I_c = 1e-4 + 0.12 * 0.04 * 0.04, I_a = 4e-4, D = 4e-3 + 0.5 * 0.15 * 0.15;

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    const double *q = at->q, *v = at->v;
    double st = sin(q[0]), ct = cos(q[0]), sA = sin(q[1]), cA = cos(q[1]), sb = sin(q[2]), cb = cos(q[2]);
    double M_A = D * sb * sb + I_a * cb * cb, M_b = D + m_slider * l * l * sb * sb;
    (void)system, (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = I_c, terms->M[1] = M_A, terms->M[2] = M_b;
    if (what & KEEL_FORCE) {
        double M_A_b = 2 * (D - I_a) * sb * cb, M_b_b = 2 * m_slider * l * l * sb * cb;
        terms->Q[0] = m_crank * g * 0.04 * st;
        terms->Q[1] = m_rod * g * l / 2 * sb * sA - M_A_b * v[1] * v[2];
        terms->Q[2] = -m_rod * g * l / 2 * cb * cA + M_A_b * v[1] * v[1] / 2 - M_b_b * v[2] * v[2] / 2;
    }
    if (what & KEEL_JACOBIAN) {
        double *J = terms->J;
        J[0] = r * ct, J[1] = -l * sb * cA, J[2] = -l * cb * sA;
        J[3] = r * st, J[4] = -l * sb * sA, J[5] = l * cb * cA;
    }
    if (what & KEEL_XI) {
        double tt = v[0] * v[0], both = v[1] * v[1] + v[2] * v[2], mixed = 2 * v[1] * v[2];
        terms->xi[0] = r * st * tt - l * (sb * sA * both - cb * cA * mixed);
        terms->xi[1] = -r * ct * tt + l * (sb * cA * both + cb * sA * mixed);
    }
    if (what & KEEL_POSITION) {
        terms->Phi[0] = -l * sb * sA - 0.1 + r * st;
        terms->Phi[1] = l * sb * cA - 0.12 - r * ct;
    }
    if (what & KEEL_VELOCITY) {
        terms->rate[0] = r * ct * v[0] - l * sb * cA * v[1] - l * cb * sA * v[2];
        terms->rate[1] = r * st * v[0] - l * sb * sA * v[1] + l * cb * cA * v[2];
    }
    if (what & KEEL_ENERGY)
        terms->energy = (I_c * v[0] * v[0] + M_A * v[1] * v[1] + M_b * v[2] * v[2]) / 2 +
                        g * (m_crank * (0.12 + 0.04 * ct) + m_rod * l / 2 * sb * cA);
    return KEEL_OK;
}

static void observe(const equations *problem, const double *q, const double *v, double *q_seen,
                    double *v_seen) {
    (void)problem;
    q_seen[0] = -l * cos(q[2]), q_seen[1] = q[0];
    v_seen[0] = l * sin(q[2]) * v[2], v_seen[1] = v[0];
}

/* B - C = (-0.2, 0.1, 0.2) at the start: cos b = -2/3, sin b = sqrt(5)/3, p = (1,2)/sqrt(5). The crank turns
 * at 6 rad/s and moves B by (0, -0.48, 0): l (cos b b' p + sin b A' p_A) = (-0.48, 0) with p_A =
 * (-2,1)/sqrt(5). */
void slidercrank_make(equations *problem) {
    static const int M_start[] = {0, 1, 2, 3}, M_index[] = {0, 1, 2};
    static const int J_start[] = {0, 3, 6}, J_index[] = {0, 1, 2, 0, 1, 2};
    equations_init(problem, 3, 2, 5);
    problem->system.M = (keel_pattern){3, 3, M_start, M_index};
    problem->system.J = (keel_pattern){2, 3, J_start, J_index};
    problem->system.evaluate = evaluate;
    problem->q[1] = atan2(-1, 2);
    problem->q[2] = atan2(sqrt(5), -2);
    problem->v[0] = 6;
    problem->v[1] = 0.96 / sqrt(5) / (l * sqrt(5) / 3);
    problem->v[2] = 0.48 / sqrt(5) / (l * 2 / 3);
    problem->unit = 0.76643568; /* energy at the start */
    problem->watched = 2;
    problem->observe = observe;
}

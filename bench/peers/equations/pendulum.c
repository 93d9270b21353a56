/* A point mass on a rod of 1 m in Cartesian coordinates, period 2 s (models/pendulum.yaml). */
#include "equations.h"

static const double g = 13.750371636040745654980191559621;

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    const double *q = at->q, *v = at->v;
    (void)system, (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = terms->M[1] = 1;
    if (what & KEEL_FORCE)
        terms->Q[0] = 0, terms->Q[1] = -g;
    if (what & KEEL_JACOBIAN)
        terms->J[0] = 2 * q[0], terms->J[1] = 2 * q[1];
    if (what & KEEL_XI)
        terms->xi[0] = -2 * (v[0] * v[0] + v[1] * v[1]);
    if (what & KEEL_POSITION)
        terms->Phi[0] = q[0] * q[0] + q[1] * q[1] - 1;
    if (what & KEEL_VELOCITY)
        terms->rate[0] = 2 * (q[0] * v[0] + q[1] * v[1]);
    if (what & KEEL_ENERGY)
        terms->energy = (v[0] * v[0] + v[1] * v[1]) / 2 + g * q[1];
    return KEEL_OK;
}

void pendulum_make(equations *problem, int end) {
    static const int M_start[] = {0, 1, 2}, M_index[] = {0, 1}, J_start[] = {0, 2}, J_index[] = {0, 1};
    equations_init(problem, 2, 1, end);
    problem->system.M = (keel_pattern){2, 2, M_start, M_index};
    problem->system.J = (keel_pattern){1, 2, J_start, J_index};
    problem->system.evaluate = evaluate;
    problem->q[0] = 1;
    problem->unit = g; /* kinetic energy at the lowest point */
}

/* energy_systems.h - the two particles of Garcia Orden (2010), section 6, in C.
 *
 *     q1^2 + q2^2 = 1,  M = diag(1, mu),  mu = 0.1,  E = 1/2 (q1'^2 + mu q2'^2) = 1/2;   W = diag(15, 1)
 *
 * and the same with q1^4 + q2^2 = 1, a constraint that is not quadratic.
 */
#ifndef TEST_ENERGY_SYSTEMS_H
#define TEST_ENERGY_SYSTEMS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "keel/run.h"

#define MU 0.1
static const double W_MATRIX[] = {15, 0, 0, 1};

static keel_status particles_evaluate(const keel_system *system, void *work, unsigned what,
                                      const keel_point *at, keel_terms *terms) {
    const double *q = at->q, *v = at->v;
    double x = q[0], power = system->model ? 4 : 2;
    (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = 1, terms->M[1] = MU;
    if (what & KEEL_FORCE)
        terms->Q[0] = terms->Q[1] = 0;
    if (what & KEEL_POSITION)
        terms->Phi[0] = pow(x, power) + q[1] * q[1] - 1;
    if (what & KEEL_JACOBIAN)
        terms->J[0] = power * pow(x, power - 1), terms->J[1] = 2 * q[1];
    if (what & KEEL_VELOCITY)
        terms->rate[0] = power * pow(x, power - 1) * v[0] + 2 * q[1] * v[1];
    if (what & KEEL_XI)
        terms->xi[0] = -power * (power - 1) * pow(x, power - 2) * v[0] * v[0] - 2 * v[1] * v[1];
    if (what & KEEL_ENERGY)
        terms->energy = (v[0] * v[0] + MU * v[1] * v[1]) / 2;
    if (what & KEEL_POWER)
        terms->power = 0;
    return KEEL_OK;
}

static inline keel_system particles_system(void) {
    static const int M_start[] = {0, 1, 2}, M_index[] = {0, 1}, J_start[] = {0, 2}, J_index[] = {0, 1};
    static const char *const q_names[] = {"q1", "q2"}, *const rows[] = {"circle"};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 2;
    system.n_h = 1;
    system.M = (keel_pattern){2, 2, M_start, M_index};
    system.J = (keel_pattern){1, 2, J_start, J_index};
    system.has_energy = 1;
    system.evaluate = particles_evaluate;
    system.names.q = system.names.v = q_names;
    system.names.constraint = rows;
    return system;
}

static inline keel_system quartic_particles_system(void) {
    static const int quartic = 1;
    keel_system system = particles_system();
    system.model = &quartic;
    return system;
}

static inline double particles_energy(const double *v) {
    return (v[0] * v[0] + MU * v[1] * v[1]) / 2;
}

#endif

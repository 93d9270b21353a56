/* integrate_ida_systems.h - systems for the tests of IDA, and a bench that drives one integrator without a
 * run. */
#ifndef TEST_INTEGRATE_IDA_SYSTEMS_H
#define TEST_INTEGRATE_IDA_SYSTEMS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "integrate/integrator.h"
#include "systems.h"

/* The pendulum with what systems.h leaves out: derivatives, forces that jump or end. */
typedef struct bob {
    pendulum_model pendulum; /* first: pendulum_evaluate looks for it */
    double kick_from;        /* from this time on a force of 5 along x; 0: never   */
    double nan_from;         /* ... of NaN                                         */
    double refuse_from;      /* ... evaluate fails                                 */
} bob;

static keel_status bob_evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                                keel_terms *terms) {
    const bob *model = system->model;
    const double *v = at->v;
    double sum = 0;
    keel_status status = pendulum_evaluate(system, work, what, at, terms);
    if (model->refuse_from > 0 && at->t >= model->refuse_from)
        return (keel_status)-1;
    if ((what & KEEL_FORCE) && model->kick_from > 0 && at->t >= model->kick_from)
        terms->Q[0] += 5;
    if ((what & KEEL_FORCE) && model->nan_from > 0 && at->t >= model->nan_from)
        terms->Q[0] = NAN;
    for (int i = 0; i < model->pendulum.copies; i++)
        sum += at->lambda ? at->lambda[i] : 0;
    if (what & KEEL_TANGENT) {
        terms->tangent[0] = terms->tangent[1] = 2 * sum;
        for (int i = 0; i < model->pendulum.copies; i++)
            memcpy(terms->tangent + 2 + 4 * i, (double[]){2 * at->a[0], 2 * at->a[1], 4 * v[0], 4 * v[1]},
                   4 * sizeof(double));
    }
    if (what & KEEL_VELOCITY_Q)
        for (int i = 0; i < model->pendulum.copies; i++)
            terms->rate_q[2 * i] = 2 * v[0], terms->rate_q[2 * i + 1] = 2 * v[1];
    return status;
}

static inline keel_system bob_system(bob *model, bool tangent, bool rate_q) {
    static const int start[] = {0, 1, 2, 6, 10, 14}, index[] = {0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
    keel_system system = pendulum_system(&model->pendulum);
    int m = model->pendulum.copies;
    system.model = model;
    system.evaluate = bob_evaluate;
    if (tangent)
        system.tangent = (keel_pattern){2 + m, 4, start, index};
    if (rate_q)
        system.rate_q = (keel_pattern){m, 2, system.J.start, system.J.index};
    return system;
}

/* Everything at once: a particle on a ring whose radius R(t) = 1 + sin(t)/10 is driven, a disc theta
 * geared to it by a nonholonomic constraint, a state z, an auxiliary unknown s, a force and a rate that
 * depend on multipliers.
 *
 *     ring:  x^2 + y^2 - R^2 = 0      gear:  theta' - (1 + x) y' = 0      0 = s + s^3/10 - y
 *     Q = (-0.3 z - 0.1 x', -2 g - s, 0.05 lambda.ring)       z' = -2 z + x + 0.1 lambda.gear      M =
 * diag(1, 2, 1/2)
 */
enum { GEAR_N_Y = 8 };
static const double GEAR_START[GEAR_N_Y] = {1, 0, 0, 0.1, 0.5, 1, 0.5, 0};

static keel_status gear_evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                                 keel_terms *terms) {
    const double g = 9.81, *q = at->q, *v = at->v;
    double R = 1 + sin(at->t) / 10, R1 = cos(at->t) / 10, R2 = -sin(at->t) / 10;
    (void)system, (void)work;
    if (what & KEEL_MASS)
        memcpy(terms->M, (double[]){1, 2, 0.5}, 3 * sizeof(double));
    if (what & KEEL_JACOBIAN)
        memcpy(terms->J, (double[]){2 * q[0], 2 * q[1], -(1 + q[0]), 1}, 4 * sizeof(double));
    if (what & KEEL_POSITION)
        terms->Phi[0] = q[0] * q[0] + q[1] * q[1] - R * R;
    if (what & KEEL_VELOCITY)
        memcpy(terms->rate, (double[]){2 * (q[0] * v[0] + q[1] * v[1] - R * R1), v[2] - (1 + q[0]) * v[1]},
               2 * sizeof(double));
    if (what & KEEL_XI)
        memcpy(terms->xi, (double[]){-2 * (v[0] * v[0] + v[1] * v[1] - R1 * R1 - R * R2), v[0] * v[1]},
               2 * sizeof(double));
    if (what & KEEL_FORCE)
        memcpy(terms->Q, (double[]){-0.3 * at->z[0] - 0.1 * v[0], -2 * g - at->s[0], 0.05 * at->lambda[0]},
               3 * sizeof(double));
    if (what & KEEL_FORCE_LAMBDA)
        terms->Q_lambda[0] = 0.05;
    if (what & KEEL_STATES)
        terms->f[0] = -2 * at->z[0] + q[0] + 0.1 * at->lambda[1];
    if (what & KEEL_AUXILIARY) {
        terms->r[0] = at->s[0] + pow(at->s[0], 3) / 10 - q[1];
        terms->r_s[0] = 1 + 0.3 * at->s[0] * at->s[0];
    }
    if (what & KEEL_ENERGY)
        terms->energy = (v[0] * v[0] + 2 * v[1] * v[1] + v[2] * v[2] / 2) / 2 + 2 * g * q[1];
    if (what & KEEL_POWER)
        terms->power = (-0.3 * at->z[0] - 0.1 * v[0]) * v[0] - at->s[0] * v[1] + 0.05 * at->lambda[0] * v[2];
    return KEEL_OK;
}

static inline keel_system gear_system(void) {
    static const int start[] = {0, 1, 2, 3}, index[] = {0, 1, 2}, J_start[] = {0, 2, 4},
                     J_index[] = {0, 1, 1, 2};
    static const int L_start[] = {0, 0, 0, 1};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 3;
    system.n_h = system.n_n = system.n_z = system.n_s = 1;
    system.M = (keel_pattern){3, 3, start, index};
    system.J = (keel_pattern){2, 3, J_start, J_index};
    system.r_s = (keel_pattern){1, 1, start, index};
    system.Q_lambda = (keel_pattern){3, 2, L_start, index};
    system.f_needs_lambda = system.has_energy = system.has_drivers = 1;
    system.evaluate = gear_evaluate;
    return system;
}

/* A body that turns, q a unit quaternion and v the angular velocity in the body, whose x axis is kept in a
 * horizontal plane: Phi = u_x with u the vertical seen from the body, u' = u x v. A torque that is constant
 * in the body does work. */
enum { TOP_N_Y = 8 };
static const double TOP_START[TOP_N_Y] = {1, 0, 0, 0, 1, 0, 2, 0};

static void top_kinematics(const keel_system *system, const double *q, const double *v, double *rate) {
    (void)system;
    rate[0] = -(q[1] * v[0] + q[2] * v[1] + q[3] * v[2]) / 2;
    rate[1] = (q[0] * v[0] + q[2] * v[2] - q[3] * v[1]) / 2;
    rate[2] = (q[0] * v[1] + q[3] * v[0] - q[1] * v[2]) / 2;
    rate[3] = (q[0] * v[2] + q[1] * v[1] - q[2] * v[0]) / 2;
}

static void top_advance(const keel_system *system, double *q, const double *dv) {
    double change[4], square = 0;
    top_kinematics(system, q, dv, change);
    for (int i = 0; i < 4; i++) {
        q[i] += change[i];
        square += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(square);
}

static keel_status top_evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                                keel_terms *terms) {
    const double *q = at->q, *v = at->v, I[] = {1, 2, 3};
    double u[] = {2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]),
                  q[0] * q[0] - q[1] * q[1] - q[2] * q[2] + q[3] * q[3]};
    (void)system, (void)work;
    if (what & KEEL_MASS)
        memcpy(terms->M, I, sizeof I);
    if (what & KEEL_JACOBIAN)
        terms->J[0] = -u[2], terms->J[1] = u[1];
    if (what & KEEL_POSITION)
        terms->Phi[0] = u[0];
    if (what & KEEL_VELOCITY)
        terms->rate[0] = u[1] * v[2] - u[2] * v[1];
    if (what & KEEL_XI) {
        double wy = u[2] * v[0] - u[0] * v[2], wz = u[0] * v[1] - u[1] * v[0];
        terms->xi[0] = v[1] * wz - v[2] * wy;
    }
    for (int i = 0; i < 3 && (what & KEEL_FORCE); i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        terms->Q[i] = (I[j] - I[k]) * v[j] * v[k] + 0.1 * (i + 1);
    }
    if (what & KEEL_ENERGY)
        terms->energy = (I[0] * v[0] * v[0] + I[1] * v[1] * v[1] + I[2] * v[2] * v[2]) / 2;
    if (what & KEEL_POWER)
        terms->power = 0.1 * v[0] + 0.2 * v[1] + 0.3 * v[2];
    return KEEL_OK;
}

static inline keel_system top_system(void) {
    static const int start[] = {0, 1, 2, 3}, index[] = {0, 1, 2}, J_start[] = {0, 2}, J_index[] = {1, 2};
    keel_system system = keel_system_default();
    system.n_q = 4;
    system.n_v = 3;
    system.n_h = 1;
    system.M = (keel_pattern){3, 3, start, index};
    system.J = (keel_pattern){1, 3, J_start, J_index};
    system.has_energy = 1;
    system.evaluate = top_evaluate;
    system.kinematics = top_kinematics;
    system.advance = top_advance;
    return system;
}

/* What a test drives. */
typedef struct bench {
    keel_system system;
    ki_arena arena;
    ki_law law;
    ki_dynamics d, rows;
    ki_integrator *integrator;
} bench;

static inline ki_integrator_settings with_tolerance(double tolerance) {
    return (ki_integrator_settings){
        .tolerance = tolerance, .absolute_tolerance = tolerance, .most_steps = 1e6, .projected_error = true};
}

/* dop853 with projection; IDA with none. */
static inline keel_status open_bench(bench *b, const keel_system *system, keel_integrator kind,
                                     keel_formulation formulation, ki_integrator_settings settings,
                                     const double *y, bool redundant) {
    keel_stabilize stabilize = kind == KEEL_IDA ? KEEL_STABILIZE_NONE : KEEL_PROJECTION;
    keel_settings method = {.method = {.formulation = formulation, .stabilize = stabilize},
                            .projection_tolerance = 5e-15};
    keel_status status;
    b->system = *system;
    ki_arena_init(&b->arena);
    assert_int_equal(ki_law_init(&b->law, &b->arena, &b->system, &method, NULL), KEEL_OK);
    assert_int_equal(ki_dynamics_init(&b->d, &b->system, &b->law), KEEL_OK);
    assert_int_equal(ki_dynamics_init(&b->rows, &b->system, &b->law), KEEL_OK);
    if (redundant) {
        ki_expect_redundancy(&b->d);
        ki_expect_redundancy(&b->rows);
    }
    ki_problem problem = {.kind = kind,
                          .flow = {&b->d, stabilize},
                          .flow_rows = {&b->rows, stabilize},
                          .settings = settings,
                          .t_end = 1,
                          .y = y};
    b->integrator = ki_integrator_new(&problem, &status);
    assert_true((status == KEEL_OK) == (b->integrator != NULL));
    return status;
}

static inline void close_bench(bench *b) {
    ki_integrator_free(b->integrator);
    ki_dynamics_clear(&b->d);
    ki_dynamics_clear(&b->rows);
    ki_arena_free(&b->arena);
}

static inline void step_to(ki_integrator *self, double t_end) {
    while (self->t < t_end)
        assert_int_equal(self->method->step(self, t_end), KEEL_OK);
}

#endif

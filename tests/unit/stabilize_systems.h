/* stabilize_systems.h - small systems with invariants, and a workspace to project their states. */
#ifndef TEST_STABILIZE_SYSTEMS_H
#define TEST_STABILIZE_SYSTEMS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stabilize/invariants.h"
#include "stabilize/stabilizer.h"

static inline keel_settings projection_settings(void) {
    return (keel_settings){
        .method = {.integrator = KEEL_RK4, .formulation = KEEL_INDEX1, .stabilize = KEEL_PROJECTION},
        .projection_tolerance = 5e-15};
}

/* A workspace with its law. */
typedef struct bench {
    ki_arena arena;
    ki_law law;
    ki_dynamics d;
} bench;

static inline void bench_open(bench *b, const keel_system *system, const keel_settings *settings) {
    char message[200] = "";
    if (keel_system_validate(system, message, sizeof message))
        fail_msg("%s", message);
    ki_arena_init(&b->arena);
    assert_int_equal(ki_law_init(&b->law, &b->arena, system, settings, NULL), KEEL_OK);
    assert_int_equal(ki_dynamics_init(&b->d, system, &b->law), KEEL_OK);
}

static inline void bench_close(bench *b) {
    ki_dynamics_clear(&b->d);
    ki_arena_free(&b->arena);
}

/* The largest violation of constraints and invariants at y, relative to their sizes. */
static inline double violation_of(bench *b, double t, const double *y) {
    ki_violation w;
    assert_int_equal(ki_evaluate_terms(&b->d, KEEL_JACOBIAN, t, y), KEEL_OK);
    b->d.factored = false;
    assert_int_equal(ki_measure_violation(&b->d, t, y, &w), KEEL_OK);
    return fmax(fmax(w.position_scaled, w.velocity_scaled), w.invariant_scaled);
}

/* Reproducible numbers in [-1, 1]. */
static inline double noise(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1;
}

/* Pendulum: x^2 + y^2 = 1, the rod written `copies` times; I = energy. y = (x, y, x', y', W) */
#define GRAVITY 9.81
typedef struct rod_model {
    int copies;
    double damping;
} rod_model;

static keel_status rod_evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                                keel_terms *terms) {
    const rod_model *model = system->model;
    double x = at->q[0], y = at->q[1], vx = at->v[0], vy = at->v[1];
    (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = terms->M[1] = 1;
    if (what & KEEL_FORCE)
        terms->Q[0] = -model->damping * vx, terms->Q[1] = -GRAVITY - model->damping * vy;
    for (int i = 0; i < model->copies; i++) {
        if (what & KEEL_POSITION)
            terms->Phi[i] = x * x + y * y - 1;
        if (what & KEEL_JACOBIAN)
            terms->J[2 * i] = 2 * x, terms->J[2 * i + 1] = 2 * y;
        if (what & KEEL_VELOCITY)
            terms->rate[i] = 2 * (x * vx + y * vy);
        if (what & KEEL_VELOCITY_Q)
            terms->rate_q[2 * i] = 2 * vx, terms->rate_q[2 * i + 1] = 2 * vy;
        if (what & KEEL_XI)
            terms->xi[i] = -2 * (vx * vx + vy * vy);
    }
    if (what & KEEL_INVARIANTS) {
        terms->invariant[0] = (vx * vx + vy * vy) / 2 + GRAVITY * y;
        terms->invariant_y[0] = GRAVITY, terms->invariant_y[1] = vx, terms->invariant_y[2] = vy;
    }
    return KEEL_OK;
}

static inline keel_system rod_system(const rod_model *model) {
    static const int M_start[] = {0, 1, 2}, M_index[] = {0, 1};
    static const int J_start[] = {0, 2, 4, 6}, J_index[] = {0, 1, 0, 1, 0, 1};
    static const int I_start[] = {0, 3}, I_index[] = {1, 2, 3};
    static const char *const invariants[] = {"energy"}, *const rows[] = {"rod", "rod again", "rod once more"};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 2;
    system.n_h = model->copies;
    system.n_i = 1;
    system.M = (keel_pattern){2, 2, M_start, M_index};
    system.J = (keel_pattern){model->copies, 2, J_start, J_index};
    system.rate_q = system.J;
    system.invariant_y = (keel_pattern){1, 4, I_start, I_index};
    system.model = model;
    system.evaluate = rod_evaluate;
    system.names.invariant = invariants;
    system.names.constraint = rows;
    return system;
}

/* Kepler: x'' = -x / r^3 in the plane; I = (energy, angular momentum). y = (x, y, x', y', W) */
static keel_status kepler_evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                                   keel_terms *terms) {
    double x = at->q[0], y = at->q[1], vx = at->v[0], vy = at->v[1], r = hypot(x, y), r3 = r * r * r;
    (void)system, (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = terms->M[1] = 1;
    if (what & KEEL_FORCE)
        terms->Q[0] = -x / r3, terms->Q[1] = -y / r3;
    if (what & KEEL_INVARIANTS) {
        terms->invariant[0] = (vx * vx + vy * vy) / 2 - 1 / r;
        terms->invariant[1] = x * vy - y * vx;
        memcpy(terms->invariant_y, (double[]){x / r3, y / r3, vx, vy, vy, -vx, -y, x}, 8 * sizeof(double));
    }
    return KEEL_OK;
}

static inline keel_system kepler_system(void) {
    static const int M_start[] = {0, 1, 2}, M_index[] = {0, 1};
    static const int I_start[] = {0, 4, 8}, I_index[] = {0, 1, 2, 3, 0, 1, 2, 3};
    static const char *const invariants[] = {"energy", "angular_momentum"};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 2;
    system.n_i = 2;
    system.M = (keel_pattern){2, 2, M_start, M_index};
    system.invariant_y = (keel_pattern){2, 4, I_start, I_index};
    system.evaluate = kepler_evaluate;
    system.names.invariant = invariants;
    return system;
}

/* Knife edge on a slope, x downhill: x' sin p - y' cos p = 0; I = (energy, p'). y = (x, y, p, x', y', p', W)
 */
static keel_status knife_evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                                  keel_terms *terms) {
    const double *q = at->q, *v = at->v, s = sin(q[2]), c = cos(q[2]), slope = 3, inertia = 0.5;
    (void)system, (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = terms->M[1] = 1, terms->M[2] = inertia;
    if (what & KEEL_FORCE)
        terms->Q[0] = slope, terms->Q[1] = terms->Q[2] = 0;
    if (what & KEEL_JACOBIAN)
        terms->J[0] = s, terms->J[1] = -c;
    if (what & KEEL_VELOCITY)
        terms->rate[0] = v[0] * s - v[1] * c;
    if (what & KEEL_VELOCITY_Q)
        terms->rate_q[0] = v[0] * c + v[1] * s;
    if (what & KEEL_XI)
        terms->xi[0] = -v[2] * (v[0] * c + v[1] * s);
    if (what & KEEL_INVARIANTS) {
        terms->invariant[0] = (v[0] * v[0] + v[1] * v[1] + inertia * v[2] * v[2]) / 2 - slope * q[0];
        terms->invariant[1] = v[2];
        memcpy(terms->invariant_y, (double[]){-slope, v[0], v[1], inertia * v[2], 1}, 5 * sizeof(double));
    }
    return KEEL_OK;
}

static inline keel_system knife_system(void) {
    static const int M_start[] = {0, 1, 2, 3}, M_index[] = {0, 1, 2};
    static const int J_start[] = {0, 2}, J_index[] = {0, 1}, Q_start[] = {0, 1}, Q_index[] = {2};
    static const int I_start[] = {0, 4, 5}, I_index[] = {0, 3, 4, 5, 5};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 3;
    system.n_n = 1;
    system.n_i = 2;
    system.M = (keel_pattern){3, 3, M_start, M_index};
    system.J = (keel_pattern){1, 3, J_start, J_index};
    system.rate_q = (keel_pattern){1, 3, Q_start, Q_index};
    system.invariant_y = (keel_pattern){2, 6, I_start, I_index};
    system.evaluate = knife_evaluate;
    return system;
}

/* A particle that friction heats: x'' = -x - b x', heat z' = b x'^2; I = energy with heat.
 * y = (x, x', z, W) */
static keel_status heated_evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                                   keel_terms *terms) {
    double x = at->q[0], v = at->v[0], b = *(const double *)system->model;
    (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = 1;
    if (what & KEEL_FORCE)
        terms->Q[0] = -x - b * v;
    if (what & KEEL_STATES)
        terms->f[0] = b * v * v;
    if (what & KEEL_INVARIANTS) {
        terms->invariant[0] = (x * x + v * v) / 2 + at->z[0];
        terms->invariant_y[0] = x, terms->invariant_y[1] = v, terms->invariant_y[2] = 1;
    }
    return KEEL_OK;
}

static inline keel_system heated_system(const double *b) {
    static const int M_start[] = {0, 1}, M_index[] = {0}, I_start[] = {0, 3}, I_index[] = {0, 1, 2};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = system.n_z = system.n_i = 1;
    system.M = (keel_pattern){1, 1, M_start, M_index};
    system.invariant_y = (keel_pattern){1, 3, I_start, I_index};
    system.model = b;
    system.evaluate = heated_evaluate;
    return system;
}

/* Rod and skate at once: x^2 + y^2 = 1 and p' = x y'. No invariants, all derivatives. y = (q, v, W), q = (x,
 * y, p) */
static keel_status mixed_evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                                  keel_terms *terms) {
    const double *q = at->q, *v = at->v;
    (void)system, (void)work;
    if (what & KEEL_MASS)
        memcpy(terms->M, (double[]){2, 0.5, 1, 3}, 4 * sizeof(double));
    if (what & KEEL_JACOBIAN)
        memcpy(terms->J, (double[]){2 * q[0], 2 * q[1], -q[0], 1}, 4 * sizeof(double));
    if (what & KEEL_FORCE)
        memcpy(terms->Q, (double[]){0, -GRAVITY, 0}, 3 * sizeof(double));
    if (what & KEEL_POSITION)
        terms->Phi[0] = q[0] * q[0] + q[1] * q[1] - 1;
    if (what & KEEL_VELOCITY)
        terms->rate[0] = 2 * (q[0] * v[0] + q[1] * v[1]), terms->rate[1] = v[2] - q[0] * v[1];
    if (what & KEEL_VELOCITY_Q)
        memcpy(terms->rate_q, (double[]){2 * v[0], 2 * v[1], -v[1]}, 3 * sizeof(double));
    if (what & KEEL_XI)
        terms->xi[0] = -2 * (v[0] * v[0] + v[1] * v[1]), terms->xi[1] = v[0] * v[1];
    return KEEL_OK;
}

static inline keel_system mixed_system(void) {
    static const int M_start[] = {0, 1, 3, 4}, M_index[] = {0, 0, 1, 2};
    static const int J_start[] = {0, 2, 4}, J_index[] = {0, 1, 1, 2};
    static const int Q_start[] = {0, 2, 3}, Q_index[] = {0, 1, 0};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 3;
    system.n_h = system.n_n = 1;
    system.M = (keel_pattern){3, 3, M_start, M_index};
    system.J = (keel_pattern){2, 3, J_start, J_index};
    system.rate_q = (keel_pattern){2, 3, Q_start, Q_index};
    system.evaluate = mixed_evaluate;
    return system;
}

/* A free body with principal moments (1, 2, 3), unit quaternion q = (w, x, y, z), angular velocity in the
 * body; I = (energy, angular momentum in space), 4 in all. y = (q, v, W) */
static const double MOMENTS[] = {1, 2, 3};

static inline void rotation(const double *q, double R[9]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    memcpy(R,
           (double[]){1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
                      1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x),
                      1 - 2 * (x * x + y * y)},
           9 * sizeof(double));
}

static keel_status body_evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                                 keel_terms *terms) {
    const double *v = at->v, L[] = {MOMENTS[0] * v[0], MOMENTS[1] * v[1], MOMENTS[2] * v[2]};
    (void)system, (void)work;
    if (what & KEEL_MASS)
        memcpy(terms->M, MOMENTS, sizeof MOMENTS);
    if (what & KEEL_FORCE) /* L x v */
        memcpy(terms->Q,
               (double[]){L[1] * v[2] - L[2] * v[1], L[2] * v[0] - L[0] * v[2], L[0] * v[1] - L[1] * v[0]},
               3 * sizeof(double));
    if (what & KEEL_INVARIANTS) {
        /* a rotation by the small angle a in the body changes R L by R (a x L) = -R [L]x a */
        const double cross[] = {0, L[2], -L[1], -L[2], 0, L[0], L[1], -L[0], 0}; /* -[L]x */
        double R[9], *to = terms->invariant_y;
        rotation(at->q, R);
        terms->invariant[0] = (L[0] * v[0] + L[1] * v[1] + L[2] * v[2]) / 2;
        memcpy(to, L, sizeof L);
        to += 3;
        for (int i = 0; i < 3; i++) {
            terms->invariant[1 + i] = R[3 * i] * L[0] + R[3 * i + 1] * L[1] + R[3 * i + 2] * L[2];
            for (int j = 0; j < 3; j++)
                *to++ = R[3 * i] * cross[j] + R[3 * i + 1] * cross[3 + j] + R[3 * i + 2] * cross[6 + j];
            for (int j = 0; j < 3; j++)
                *to++ = R[3 * i + j] * MOMENTS[j];
        }
    }
    return KEEL_OK;
}

static void body_kinematics(const keel_system *system, const double *q, const double *v, double *rate) {
    (void)system;
    rate[0] = -(q[1] * v[0] + q[2] * v[1] + q[3] * v[2]) / 2;
    rate[1] = (q[0] * v[0] + q[2] * v[2] - q[3] * v[1]) / 2;
    rate[2] = (q[0] * v[1] + q[3] * v[0] - q[1] * v[2]) / 2;
    rate[3] = (q[0] * v[2] + q[1] * v[1] - q[2] * v[0]) / 2;
}

/* small displacements only: a step along the tangent, then back to unit length */
static void body_advance(const keel_system *system, double *q, const double *dv) {
    double step[4], length = 0;
    body_kinematics(system, q, dv, step);
    for (int i = 0; i < 4; i++) {
        q[i] += step[i];
        length += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(length);
}

static inline keel_system body_system(void) {
    static const int M_start[] = {0, 1, 2, 3}, M_index[] = {0, 1, 2};
    static const int I_start[] = {0, 3, 9, 15, 21};
    static const int I_index[] = {3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5};
    keel_system system = keel_system_default();
    system.n_q = 4;
    system.n_v = 3;
    system.n_i = 4;
    system.M = (keel_pattern){3, 3, M_start, M_index};
    system.invariant_y = (keel_pattern){4, 6, I_start, I_index};
    system.evaluate = body_evaluate;
    system.kinematics = body_kinematics;
    system.advance = body_advance;
    return system;
}

#endif

/* integrate_helper.h - drives an integrator directly, without a run, on small systems. */
#ifndef TEST_INTEGRATE_HELPER_H
#define TEST_INTEGRATE_HELPER_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "integrate/integrator.h"
#include "systems.h"

/* What a test drives: a system with two workspaces, the second for rows, and an integrator. */
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

static inline void open_bench(bench *b, const keel_system *system, keel_integrator kind,
                              keel_stabilize stabilize, ki_integrator_settings settings, const double *y,
                              double t_end) {
    keel_settings method = {.method = {.formulation = KEEL_INDEX1, .stabilize = stabilize},
                            .projection_tolerance = 5e-15};
    keel_status status;
    b->system = *system;
    ki_arena_init(&b->arena);
    assert_int_equal(ki_law_init(&b->law, &b->arena, &b->system, &method, NULL), KEEL_OK);
    assert_int_equal(ki_dynamics_init(&b->d, &b->system, &b->law), KEEL_OK);
    assert_int_equal(ki_dynamics_init(&b->rows, &b->system, &b->law), KEEL_OK);
    ki_problem problem = {.kind = kind,
                          .flow = {&b->d, stabilize},
                          .flow_rows = {&b->rows, stabilize},
                          .settings = settings,
                          .t_end = t_end,
                          .y = y};
    b->integrator = ki_integrator_new(&problem, &status);
    assert_int_equal(status, KEEL_OK);
    assert_non_null(b->integrator);
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

/* A particle on a line, x'' = force. */
typedef struct line_model {
    double (*force)(const struct line_model *self, double t, double x);
    int power;
} line_model;

static inline keel_status line_evaluate(const keel_system *system, void *work, unsigned what,
                                        const keel_point *at, keel_terms *terms) {
    const line_model *model = system->model;
    (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = 1;
    if (what & KEEL_FORCE)
        terms->Q[0] = model->force(model, at->t, at->q[0]);
    return KEEL_OK;
}

static inline keel_system line_system(const line_model *model) {
    static const int start[] = {0, 1}, index[] = {0};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 1;
    system.M = (keel_pattern){1, 1, start, index};
    system.J = (keel_pattern){0, 1, start, index};
    system.model = model;
    system.evaluate = line_evaluate;
    return system;
}

static const double PENDULUM_START[] = {1, 0, 0, 0, 0};

static inline double pendulum_violation(const double *y) {
    return fmax(fabs(y[0] * y[0] + y[1] * y[1] - 1), fabs(2 * (y[0] * y[2] + y[1] * y[3])));
}

#endif

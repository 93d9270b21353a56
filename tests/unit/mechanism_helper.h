/* Mechanisms built part by part, compiled and evaluated at one point. */
#ifndef MECHANISM_HELPER_H
#define MECHANISM_HELPER_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keel/mechanism.h"
#include "keel/saddle.h"
#include "mechanism/forces/force.h"
#include "mechanism/joint.h"
#include "mechanism/mech_system.h"
#include "mechanism/reaction.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* A number in (-1, 1) that depends on nothing but the calls before it. */
static unsigned long any_seed = 1;
static inline double any(void) {
    any_seed = (any_seed * 1103515245UL + 12345UL) & 0x7fffffffUL;
    return (double)any_seed / 1073741824.0 - 1;
}

static inline keel_formula formula(const char *text) {
    return (keel_formula){.text = text, .where = {"test", 1, 1}};
}

static inline int add_body(keel_mechanism *m, const char *name, double mass, double x, double y, double z) {
    keel_body body = keel_body_default(name);
    const double inertia[6] = {0.3, 0.5, 0.4, 0.02, -0.03, 0.01};
    body.mass = mass;
    body.centre[0] = x, body.centre[1] = y, body.centre[2] = z;
    memcpy(body.inertia, inertia, sizeof inertia);
    return keel_mechanism_add_body(m, &body, NULL);
}

/* At one place of both bodies. */
static inline keel_joint joint_at(const char *name, const char *type, int a, int b, double x, double y,
                                  double z) {
    keel_joint joint = keel_joint_default(name, type, a, b);
    for (int k = 0; k < 2; k++)
        joint.at[k][0] = x, joint.at[k][1] = y, joint.at[k][2] = z;
    return joint;
}

static inline void set_axis(keel_joint *joint, double x, double y, double z) {
    for (int k = 0; k < 2; k++)
        joint->axis[k][0] = x, joint->axis[k][1] = y, joint->axis[k][2] = z;
}

static inline int add_joint(keel_mechanism *m, const char *name, const char *type, int a, int b, double x,
                            double y, double z) {
    keel_joint joint = joint_at(name, type, a, b, x, y, z);
    int number = keel_mechanism_add_joint(m, &joint, NULL);
    assert_true(number >= 0);
    return number;
}

static inline keel_force force_at(const char *name, keel_force_kind kind, int a, int b, const double p[3],
                                  const double r[3]) {
    keel_force force = keel_force_default(name, kind);
    force.body[0] = a, force.body[1] = b;
    memcpy(force.at[0], p, sizeof force.at[0]);
    memcpy(force.at[1], r, sizeof force.at[1]);
    return force;
}

static inline void add_force(keel_mechanism *m, const keel_force *force) {
    assert_true(keel_mechanism_add_force(m, force, NULL) >= 0);
}

static inline void add_output(keel_mechanism *m, const char *name, const char *text) {
    assert_int_equal(keel_mechanism_add_output(m, name, (keel_location){"test", 1, 1}, formula(text)),
                     KEEL_OK);
}

/* A compiled mechanism, a state that can be changed, and all terms. */
typedef struct probe {
    keel_compiled compiled;
    const keel_system *system;
    const ki_mech *mech;
    ki_mech_work *work;
    double t, *q, *v, *a, *lambda;
    keel_terms terms;
} probe;

static inline double *numbers(int count) {
    double *x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* Frees the description. */
static inline probe probe_new(keel_mechanism *m, keel_coordinates coordinates) {
    probe p = {.t = 0};
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_mechanism_set_coordinates(m, coordinates);
    keel_status status = keel_mechanism_compile(m, messages, &p.compiled);
    for (int i = 0; i < keel_diagnostics_count(messages); i++)
        print_error("%s\n", keel_diagnostics_get(messages, i).text);
    assert_int_equal(status, KEEL_OK);
    keel_diagnostics_free(messages);
    keel_mechanism_free(m);
    const keel_system *s = p.system = p.compiled.system;
    void *work;
    assert_int_equal(s->work_new(s, &work), KEEL_OK);
    p.work = work;
    p.mech = s->model;
    int rows = keel_system_m(s);
    p.q = numbers(s->n_q), p.v = numbers(s->n_v), p.a = numbers(s->n_v), p.lambda = numbers(rows);
    memcpy(p.q, p.compiled.start->q, (size_t)s->n_q * sizeof *p.q);
    p.terms = (keel_terms){.M = numbers(keel_pattern_count(s->M)),
                           .J = numbers(keel_pattern_count(s->J)),
                           .Q = numbers(s->n_v),
                           .xi = numbers(rows),
                           .Phi = numbers(s->n_h),
                           .rate = numbers(rows),
                           .Q_lambda = numbers(keel_pattern_count(s->Q_lambda))};
    return p;
}

static inline void probe_free(probe *p) {
    double *arrays[] = {p->q,       p->v,        p->a,         p->lambda,     p->terms.M,       p->terms.J,
                        p->terms.Q, p->terms.xi, p->terms.Phi, p->terms.rate, p->terms.Q_lambda};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    p->system->work_free(p->work);
    keel_compiled_clear(&p->compiled);
}

static inline keel_point probe_point(const probe *p) {
    return (keel_point){.t = p->t, .q = p->q, .v = p->v, .lambda = p->lambda};
}

static inline void evaluate(probe *p, unsigned what) {
    keel_point at = probe_point(p);
    assert_int_equal(p->system->evaluate(p->system, p->work, what, &at, &p->terms), KEEL_OK);
}

/* q <- q (+) h d */
static inline void displace(const probe *p, double *q, const double *d, double h) {
    double *step = numbers(p->system->n_v);
    for (int i = 0; i < p->system->n_v; i++)
        step[i] = h * d[i];
    if (p->system->advance)
        p->system->advance(p->system, q, step);
    else
        for (int i = 0; i < p->system->n_v; i++)
            q[i] += step[i];
    free(step);
}

/* Moves the state by h along its motion: q (+) (h v + h^2 a / 2), v + h a. */
static inline void travel(probe *p, double h) {
    double *d = numbers(p->system->n_v);
    for (int i = 0; i < p->system->n_v; i++)
        d[i] = p->v[i] + h / 2 * p->a[i];
    displace(p, p->q, d, h);
    for (int i = 0; i < p->system->n_v; i++)
        p->v[i] += h * p->a[i];
    p->t += h;
    free(d);
}

/* Solves [A J^T; J 0] (x, y) = (r, s) at the present point. */
static inline void solve(probe *p, const double *r, const double *s, double *x, double *y) {
    keel_saddle *K = keel_saddle_new(p->system->M, p->system->J, NULL);
    assert_non_null(K);
    assert_true(keel_saddle_factor(K, p->terms.M, p->terms.J, NULL) >= 0);
    assert_true(keel_saddle_solve(K, r, s, x, y, NULL) >= 0);
    keel_saddle_free(K);
}

/* The velocities nearest to the present ones that the constraints allow. */
static inline void project_velocities(probe *p) {
    double *correction = numbers(p->system->n_v), *y = numbers(keel_system_m(p->system));
    evaluate(p, KEEL_MASS | KEEL_JACOBIAN | KEEL_VELOCITY);
    solve(p, NULL, p->terms.rate, correction, y);
    for (int i = 0; i < p->system->n_v; i++)
        p->v[i] -= correction[i];
    free(correction);
    free(y);
}

/* Accelerations and multipliers. */
static inline void accelerate(probe *p) {
    evaluate(p, KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI);
    solve(p, p->terms.Q, p->terms.xi, p->a, p->lambda);
}

static inline void outputs(probe *p, double *values) {
    keel_point at = probe_point(p);
    assert_int_equal(p->system->outputs(p->system, p->work, &at, p->a, values), KEEL_OK);
}

/* Random velocities that the constraints allow, then accelerations. */
static inline void set_in_motion(probe *p) {
    for (int i = 0; i < p->system->n_v; i++)
        p->v[i] = any();
    project_velocities(p);
    accelerate(p);
}

/* Compiling must fail with a message that contains `part`. Frees the description. */
static inline void expect_message(keel_mechanism *m, const char *part) {
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_compiled compiled;
    bool found = false;
    keel_status status = keel_mechanism_compile(m, messages, &compiled);
    for (int i = 0; i < keel_diagnostics_count(messages); i++)
        found |= strstr(keel_diagnostics_get(messages, i).text, part) != NULL;
    if (!found)
        print_error("'%s' is not in: %s\n", part,
                    keel_diagnostics_count(messages) ? keel_diagnostics_get(messages, 0).text : "nothing");
    assert_int_equal(status, KEEL_ERROR_INPUT);
    assert_true(found);
    keel_diagnostics_free(messages);
    keel_mechanism_free(m);
}

#endif

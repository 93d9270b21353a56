/* reductions.h - a system and its reduction (keel_system.reduction) at states of chance. After cmocka.h. */
#ifndef TEST_REDUCTIONS_H
#define TEST_REDUCTIONS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "long_run.h"
#include "trials.h"

static inline double *zeroed(int count) {
    double *x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* In (-1, 1). */
static inline double chance(void) {
    static uint32_t seed = 12345;
    seed = seed * 1664525u + 1013904223u;
    return seed / 2147483648.0 - 1;
}

static inline double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fabs(x[i]) <= most ? most : fabs(x[i]);
    return most;
}

/* A state of chance of the system in u, and the same of the full system. */
typedef struct pair {
    const keel_system *full, *small;
    const keel_reduction *r;
    void *work, *small_work;
    double t, *u, *u_rate, *q, *v;
    double *value; /* [n_poses] */
} pair;

static inline pair pair_of(const trial *t) {
    const keel_system *full = long_run(t->model->system);
    pair p = {.full = full, .r = full->reduction};
    assert_non_null(p.r);
    p.small = p.r->system;
    assert_int_equal(p.full->work_new(p.full, &p.work), KEEL_OK);
    assert_int_equal(p.small->work_new(p.small, &p.small_work), KEEL_OK);
    p.u = zeroed(p.small->n_q), p.u_rate = zeroed(p.small->n_v);
    p.q = zeroed(p.full->n_q), p.v = zeroed(p.full->n_v), p.value = zeroed(p.r->n_poses);
    return p;
}

static inline void pair_end(pair *p) {
    p->full->work_free(p->work);
    p->small->work_free(p->small_work);
    free(p->u), free(p->u_rate), free(p->q), free(p->v), free(p->value);
}

/* v' of a system by its kernel; energy, power, and M x if there is an x. */
static inline void accelerate(const keel_system *s, void *work, const keel_point *point, double *v_rate,
                              double energy[2], const double *x, double *M_x) {
    int m = keel_system_m(s);
    double *lambda = zeroed(m);
    keel_terms terms = {.M = zeroed(keel_pattern_count(s->M)),
                        .J = zeroed(keel_pattern_count(s->J)),
                        .Q = zeroed(s->n_v),
                        .xi = zeroed(m)};
    keel_point at = *point;
    at.lambda = lambda;
    keel_saddle *K = keel_saddle_new(s->M, s->J, NULL);
    assert_non_null(K);
    unsigned what = KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI | KEEL_ENERGY | KEEL_POWER;
    assert_int_equal(s->evaluate(s, work, what, &at, &terms), KEEL_OK);
    assert_int_equal(keel_saddle_factor(K, terms.M, terms.J, NULL), KEEL_OK);
    assert_int_equal(keel_saddle_solve(K, terms.Q, terms.xi, v_rate, lambda, NULL), KEEL_OK);
    energy[0] = terms.energy, energy[1] = terms.power;
    for (int i = 0; x && i < s->n_v; i++)
        for (int k = s->M.start[i]; k < s->M.start[i + 1]; k++) {
            int j = s->M.index[k];
            M_x[i] += terms.M[k] * x[j];
            M_x[j] += i == j ? 0 : terms.M[k] * x[i];
        }
    keel_saddle_free(K);
    free(lambda), free(terms.M), free(terms.J), free(terms.Q), free(terms.xi);
}

#endif

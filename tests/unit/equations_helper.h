/* equations_helper.h - models written in a few lines, compiled and evaluated; for the tests of the layer. */
#ifndef EQUATIONS_HELPER_H
#define EQUATIONS_HELPER_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keel/equations.h"
#include "linalg/dense.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* One line of a model. Line i (from 1) has its name at column 1 and its formula at column 40. */
typedef struct line {
    keel_equation_kind kind;
    const char *name, *text;
    int block; /* 0: top level */
} line;

enum { FORMULA_COLUMN = 40 };

static inline void add_lines(keel_equations *e, const line *lines, int count) {
    for (int i = 0; i < count; i++) {
        keel_location name_at = {"model", i + 1, 1}, text_at = {"model", i + 1, FORMULA_COLUMN};
        assert_int_equal(keel_equations_add(e, lines[i].block, lines[i].kind, lines[i].name, name_at,
                                            lines[i].text, text_at),
                         KEEL_OK);
    }
}

static inline void show(const keel_diagnostics *d) {
    for (int i = 0; i < keel_diagnostics_count(d); i++) {
        keel_diagnostic m = keel_diagnostics_get(d, i);
        print_message("%s:%d:%d: %s\n", m.where.file ? m.where.file : "?", m.where.line, m.where.column,
                      m.text);
    }
}

/* A compiled system with everything to evaluate it. `at` holds copies that the test may change. */
typedef struct model {
    keel_system *system;
    keel_state *at;
    double *a; /* [n_v] accelerations, for the tangent */
    void *work;
    keel_terms terms;
} model;

static inline double *numbers(int count) {
    double *x = calloc((size_t)(count > 0 ? count : 1), sizeof *x);
    assert_non_null(x);
    return x;
}

/* Everything but the system and its start. */
static inline void equip(model *m) {
    const keel_system *s = m->system;
    char message[200] = "";
    if (keel_system_validate(s, message, sizeof message) != KEEL_OK)
        fail_msg("%s", message);
    assert_int_equal(s->work_new(s, &m->work), KEEL_OK);
    m->a = numbers(s->n_v);
    m->terms = (keel_terms){.M = numbers(keel_pattern_count(s->M)),
                            .J = numbers(keel_pattern_count(s->J)),
                            .Q = numbers(s->n_v),
                            .xi = numbers(keel_system_m(s)),
                            .Phi = numbers(s->n_h),
                            .rate = numbers(keel_system_m(s)),
                            .f = numbers(s->n_z),
                            .r = numbers(s->n_s),
                            .r_s = numbers(keel_pattern_count(s->r_s)),
                            .Q_lambda = numbers(keel_pattern_count(s->Q_lambda)),
                            .tangent = numbers(keel_pattern_count(s->tangent)),
                            .rate_q = numbers(keel_pattern_count(s->rate_q)),
                            .invariant = numbers(s->n_i),
                            .invariant_y = numbers(keel_pattern_count(s->invariant_y))};
}

static inline model compile(const keel_equations *e) {
    model m = {0};
    keel_diagnostics *d = keel_diagnostics_new();
    keel_status status = keel_equations_compile(e, d, &m.system, &m.at);
    show(d);
    assert_int_equal(status, KEEL_OK);
    assert_int_equal(keel_diagnostics_count(d), 0);
    keel_diagnostics_free(d);
    equip(&m);
    return m;
}

static inline model compile_lines(const line *lines, int count) {
    keel_equations *e = keel_equations_new();
    add_lines(e, lines, count);
    model m = compile(e);
    keel_equations_free(e);
    return m;
}

/* Frees what equip() made. */
static inline void strip(model *m) {
    const keel_terms *of = &m->terms;
    double *arrays[] = {of->M,       of->J,      of->Q,         of->xi,          of->Phi,
                        of->rate,    of->f,      of->r,         of->r_s,         of->Q_lambda,
                        of->tangent, of->rate_q, of->invariant, of->invariant_y, m->a};
    for (int i = 0; i < COUNT(arrays); i++)
        free(arrays[i]);
    m->system->work_free(m->work);
}

static inline void drop(model *m) {
    strip(m);
    keel_state_free(m->at);
    keel_equations_system_free(m->system);
}

static inline void evaluate(model *m, unsigned what) {
    keel_point at = {m->at->t, m->at->q, m->at->v, m->at->z, m->at->s, m->at->lambda, m->a};
    assert_int_equal(m->system->evaluate(m->system, m->work, what, &at, &m->terms), KEEL_OK);
}

enum { EVERYTHING = 2 * KEEL_INVARIANTS - 1 };

/* Entry of a sparse matrix; 0 where the pattern has none. */
static inline double entry(keel_pattern p, const double *values, int row, int column) {
    for (int k = p.start[row]; k < p.start[row + 1]; k++)
        if (p.index[k] == column)
            return values[k];
    return 0;
}

static inline double mass(const model *m, int i, int j) {
    return i >= j ? entry(m->system->M, m->terms.M, i, j) : entry(m->system->M, m->terms.M, j, i);
}

static inline double jacobian(const model *m, int c, int j) {
    return entry(m->system->J, m->terms.J, c, j);
}

/* |x - y| <= tolerance (1 + |y|) */
static inline void near_(double x, double y, double tolerance, const char *file, int line_number) {
    if (!(fabs(x - y) <= tolerance * (1 + fabs(y)))) {
        print_error("%.17g is not %.17g (difference %g)\n", x, y, x - y);
        _fail(file, line_number);
    }
}
#define assert_near(x, y, tolerance) near_((x), (y), (tolerance), __FILE__, __LINE__)

/* Numbers in (-1, 1), always the same ones (Knuth's 64-bit linear congruence). */
static inline double any_number(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static inline void any_point(model *m, uint64_t *seed) {
    m->at->t = any_number(seed);
    for (int i = 0; i < m->system->n_q; i++)
        m->at->q[i] += any_number(seed);
    for (int i = 0; i < m->system->n_v; i++)
        m->at->v[i] = any_number(seed);
    for (int i = 0; i < m->system->n_v; i++)
        m->a[i] = any_number(seed);
    for (int i = 0; i < m->system->n_z; i++)
        m->at->z[i] = any_number(seed);
    for (int i = 0; i < keel_system_m(m->system); i++)
        m->at->lambda[i] = any_number(seed);
}

/* Solves r = 0 for s from where it is: Newton with the exact r_s. */
static inline void solve_auxiliaries(model *m) {
    int n = m->system->n_s;
    double *A = numbers(n * n), *r = numbers(n);
    int *pivot = calloc((size_t)n + 1, sizeof *pivot);
    for (int step = 0; step < 50 && n; step++) {
        evaluate(m, KEEL_AUXILIARY);
        for (int i = 0; i < n; i++) {
            r[i] = m->terms.r[i];
            for (int j = 0; j < n; j++)
                A[i * n + j] = entry(m->system->r_s, m->terms.r_s, i, j);
        }
        assert_int_equal(ki_dense_lu_factor(n, A, pivot), -1);
        ki_dense_lu_solve(n, A, pivot, r);
        for (int i = 0; i < n; i++)
            m->at->s[i] -= r[i];
        if (ki_max_norm(n, r) < 1e-15)
            break;
    }
    free(A);
    free(r);
    free(pivot);
}

#endif

#include "papers/random_system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/dense.h"

double ki_random(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1;
}

void ki_random_vector(int n, double *x, unsigned *seed) {
    for (int i = 0; i < n; i++)
        x[i] = ki_random(seed);
}

/* A = D S D with a symmetric S that its diagonal of ones dominates, and a diagonal D of 0.3 to 3. */
void ki_random_definite(int n, double *A, unsigned *seed) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[i * n + j] = A[j * n + i] = i == j ? 1 : 0.8 * ki_random(seed) / n;
    for (int i = 0; i < n; i++) {
        double D = pow(10, ki_random(seed) / 2);
        for (int j = 0; j < n; j++) {
            A[i * n + j] *= D;
            A[j * n + i] *= D;
        }
    }
}

static void fill_mass(const ki_random_system *s, double *M) {
    int n = s->kind.n;
    for (int i = 0, k = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            M[k++] = s->M[i * n + j];
}

/* Everything that constraint i tells, at q and v. */
static void fill_row(const ki_random_system *s, int i, unsigned what, const keel_point *at,
                     keel_terms *terms) {
    int n = s->kind.n;
    const double *g = s->linear + i * n, *c = s->square + i * n, *d = s->cube + i * n, *q = at->q, *v = at->v;
    double Phi = 0, rate = 0, xi = 0;
    for (int j = 0; j < n; j++) {
        double slope = g[j] + q[j] * (c[j] + q[j] * d[j] / 2);
        Phi += q[j] * (g[j] + q[j] * (c[j] / 2 + q[j] * d[j] / 6));
        if (what & KEEL_JACOBIAN)
            terms->J[i * n + j] = slope;
        if (what & KEEL_VELOCITY)
            rate += slope * v[j];
        if (what & KEEL_XI)
            xi -= (c[j] + q[j] * d[j]) * v[j] * v[j];
    }
    if ((what & KEEL_POSITION) && i < s->system.n_h)
        terms->Phi[i] = Phi;
    if (what & KEEL_VELOCITY)
        terms->rate[i] = rate;
    if (what & KEEL_XI)
        terms->xi[i] = xi;
}

static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    const ki_random_system *s = system->model;
    int n = s->kind.n;
    (void)work;
    if (what & KEEL_MASS)
        fill_mass(s, terms->M);
    for (int i = 0; i < s->kind.m; i++)
        fill_row(s, i, what, at, terms);
    if (what & KEEL_FORCE)
        for (int i = 0; i < n; i++)
            terms->Q[i] = -s->f[i] - s->k * at->q[i];
    if (what & KEEL_ENERGY) {
        terms->energy = 0;
        for (int i = 0; i < n; i++)
            terms->energy +=
                at->v[i] * ki_dot(n, s->M + i * n, at->v) / 2 + at->q[i] * (s->f[i] + s->k * at->q[i] / 2);
    }
    if (what & KEEL_POWER)
        terms->power = 0;
    return KEEL_OK;
}

/* Lower triangle with its diagonal, or all of it. */
static bool full_pattern(ki_arena *arena, int rows, int columns, bool triangle, keel_pattern *pattern) {
    int *start = KI_NEW(arena, int, rows + 1), *index = KI_NEW(arena, int, rows *columns + 1);
    if (!start || !index)
        return false;
    int k = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < (triangle ? i + 1 : columns); j++)
            index[k++] = j;
        start[i + 1] = k;
    }
    *pattern = (keel_pattern){rows, columns, start, index};
    return true;
}

/* The rows beyond the rank, one table of coefficients at a time. */
static void combine_rows(const ki_random_kind *kind, const double *weights, double *rows) {
    for (int i = kind->rank; i < kind->m; i++) {
        memset(rows + i * kind->n, 0, (size_t)kind->n * sizeof *rows);
        for (int k = 0; k < kind->rank; k++)
            ki_axpy(kind->n, weights[i * kind->rank + k], rows + k * kind->n, rows + i * kind->n);
    }
}

static void draw(ki_random_system *s, double *weights, unsigned *seed) {
    const ki_random_kind *kind = &s->kind;
    int n = kind->n, entries = kind->m * n;
    ki_random_definite(n, s->M, seed);
    for (int i = 0; i < entries; i++) {
        s->linear[i] = ki_random(seed);
        s->square[i] = kind->curvature * ki_random(seed);
        s->cube[i] = kind->torsion * ki_random(seed);
    }
    for (int i = 0; i < n; i++)
        s->f[i] = kind->force * ki_random(seed);
    s->k = kind->force;
    ki_random_vector(kind->m * kind->rank, weights, seed);
    combine_rows(kind, weights, s->linear);
    combine_rows(kind, weights, s->square);
    combine_rows(kind, weights, s->cube);
}

/* Constraints are called 1, 2, ... */
static bool name_rows(ki_random_system *s, ki_arena *arena) {
    const char **names = KI_NEW(arena, const char *, s->kind.m + 1);
    for (int i = 0; i < s->kind.m && names; i++) {
        char text[16];
        int length = snprintf(text, sizeof text, "%d", i + 1);
        names[i] = ki_arena_text(arena, text, (size_t)length);
    }
    s->system.names.constraint = names;
    return names;
}

ki_random_system *ki_random_system_new(ki_arena *arena, const ki_random_kind *kind, unsigned *seed) {
    int n = kind->n, m = kind->m;
    ki_random_system *s = KI_NEW(arena, ki_random_system, 1);
    if (!s)
        return NULL;
    s->kind = *kind;
    s->system = keel_system_default();
    s->M = KI_NEW(arena, double, n *n);
    s->linear = KI_NEW(arena, double, m *n + 1);
    s->square = KI_NEW(arena, double, m *n + 1);
    s->cube = KI_NEW(arena, double, m *n + 1);
    s->f = KI_NEW(arena, double, n);
    double *weights = KI_NEW(arena, double, m * kind->rank + 1);
    if (!full_pattern(arena, n, n, true, &s->system.M) || !full_pattern(arena, m, n, false, &s->system.J) ||
        !name_rows(s, arena) || arena->failed)
        return NULL;
    draw(s, weights, seed);
    s->system.n_q = s->system.n_v = n;
    s->system.n_h = m - kind->nonholonomic;
    s->system.n_n = kind->nonholonomic;
    s->system.has_energy = 1;
    s->system.model = s;
    s->system.evaluate = evaluate;
    return s;
}

void ki_matrix_times(int n, const double *A, const double *x, double *out) {
    for (int i = 0; i < n; i++)
        out[i] = ki_dot(n, A + i * n, x);
}

/* Twice is enough: v may be nearly normal to the constraints. */
keel_status ki_make_compatible(const ki_random_system *s, double *v) {
    int n = s->kind.n, m = s->kind.m;
    ki_arena arena;
    ki_arena_init(&arena);
    double *rows = KI_NEW(&arena, double, m *n);
    if (rows) {
        memcpy(rows, s->linear, (size_t)(m * n) * sizeof *rows);
        int rank = ki_orthonormalize(m, n, rows, n, 1e-10);
        for (int twice = 0; twice < 2; twice++)
            for (int k = 0; k < rank; k++)
                ki_axpy(n, -ki_dot(n, rows + k * n, v), rows + k * n, v);
    }
    ki_arena_free(&arena);
    return rows ? KEEL_OK : KEEL_ERROR_MEMORY;
}

keel_status ki_bench_open(ki_bench *b, const keel_system *system, const keel_settings *settings) {
    *b = (ki_bench){0};
    ki_arena_init(&b->arena);
    keel_status status = ki_law_init(&b->law, &b->arena, system, settings, NULL);
    if (!status)
        status = ki_dynamics_init(&b->d, system, &b->law);
    if (!status) {
        b->y = KI_NEW(&b->arena, double, b->d.n_y + KI_FOUR);
        status = b->y ? KEEL_OK : KEEL_ERROR_MEMORY;
    }
    return status;
}

void ki_bench_close(ki_bench *b) {
    ki_dynamics_clear(&b->d);
    ki_arena_free(&b->arena);
}

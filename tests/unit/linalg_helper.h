/* Saddle-point problems for the tests: small, dense, checked in extended precision. */
#ifndef LINALG_HELPER_H
#define LINALG_HELPER_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keel/saddle.h"

enum { MOST = 80 };

/* The same numbers in every run (xorshift). */
static uint64_t random_state = 88172645463325252u;

static inline double uniform(double from, double to) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return from + (to - from) * ((double)(random_state >> 11) / 9007199254740992.0);
}

static inline int uniform_int(int from, int to) {
    return from + (int)(uniform(0, 1) * (to - from + 1));
}

/* A and J as full matrices; entries that are zero are left out of the patterns. */
typedef struct problem {
    int n, m;
    double A[MOST][MOST], J[MOST][MOST];
    double D[MOST], r[MOST], s[MOST];
    int has_D;
    double x[MOST], y[MOST]; /* what the last solve gave */
    keel_saddle_info info;

    keel_pattern A_pattern, J_pattern;
    int A_start[MOST + 1], A_index[MOST * MOST], J_start[MOST + 1], J_index[MOST * MOST];
    double A_values[MOST * MOST], J_values[MOST * MOST];
} problem;

static inline void pack(problem *P) {
    int count = 0;
    for (int i = 0; i < P->n; i++) {
        P->A_start[i] = count;
        for (int j = 0; j <= i; j++)
            if (P->A[i][j] != 0 || i == j) {
                P->A_index[count] = j;
                P->A_values[count++] = P->A[i][j];
            }
    }
    P->A_start[P->n] = count;
    count = 0;
    for (int i = 0; i < P->m; i++) {
        P->J_start[i] = count;
        for (int j = 0; j < P->n; j++)
            if (P->J[i][j] != 0) {
                P->J_index[count] = j;
                P->J_values[count++] = P->J[i][j];
            }
    }
    P->J_start[P->m] = count;
    P->A_pattern = (keel_pattern){P->n, P->n, P->A_start, P->A_index};
    P->J_pattern = (keel_pattern){P->m, P->n, P->J_start, P->J_index};
}

/* Random symmetric positive definite A (diagonal if asked), full random J, r, and s = J x for some x. */
static inline void fill_random(problem *P, int n, int m, int diagonal) {
    memset(P, 0, sizeof *P);
    P->n = n;
    P->m = m;
    double B[MOST][MOST];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            B[i][j] = uniform(-1, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            P->A[i][j] = i == j ? uniform(0.5, 1.5) : 0;
            for (int k = 0; k < n && !diagonal; k++)
                P->A[i][j] += B[i][k] * B[j][k];
        }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            P->J[i][j] = uniform(-1, 1);
    for (int i = 0; i < n; i++)
        P->r[i] = uniform(-1, 1);
}

/* Row `to` of J = factor times row `from`. */
static inline void copy_row(problem *P, int to, int from, double factor) {
    for (int j = 0; j < P->n; j++)
        P->J[to][j] = factor * P->J[from][j];
}

/* s = J x for a random x: rows that depend on each other agree. */
static inline void make_consistent(problem *P) {
    double x[MOST];
    for (int j = 0; j < P->n; j++)
        x[j] = uniform(-1, 1);
    for (int i = 0; i < P->m; i++) {
        P->s[i] = 0;
        for (int j = 0; j < P->n; j++)
            P->s[i] += P->J[i][j] * x[j];
    }
}

/* The larger of two block residuals in extended precision. Each row is measured against its own scale:
 * A_ii^(1/2) for the first block, the length of the row of J for the second; each block against its largest
 * terms. */
static inline double residual_of(const problem *P) {
    long double first = 0, first_size = 0, second = 0, second_size = 0;
    for (int i = 0; i < P->n; i++) {
        long double rest = P->r[i], size = fabsl(rest), scale = P->A[i][i] > 0 ? 1 / sqrtl(P->A[i][i]) : 1;
        for (int j = 0; j < P->n; j++) {
            long double term = (long double)P->A[i > j ? i : j][i > j ? j : i] * P->x[j];
            rest -= term;
            size += fabsl(term);
        }
        for (int k = 0; k < P->m; k++) {
            long double term = (long double)P->J[k][i] * P->y[k];
            rest -= term;
            size += fabsl(term);
        }
        first = fmaxl(first, scale * fabsl(rest));
        first_size = fmaxl(first_size, scale * size);
    }
    for (int i = 0; i < P->m; i++) {
        long double term = P->has_D ? (long double)P->D[i] * P->y[i] : 0, length = 0;
        long double rest = P->s[i] + term, size = fabsl((long double)P->s[i]) + fabsl(term);
        for (int j = 0; j < P->n; j++) {
            term = (long double)P->J[i][j] * P->x[j];
            rest -= term;
            size += fabsl(term);
            length += (long double)P->J[i][j] * P->J[i][j];
        }
        length = length > 0 ? sqrtl(length) : 1;
        second = fmaxl(second, fabsl(rest) / length);
        second_size = fmaxl(second_size, size / length);
    }
    long double a = first > 0 ? first / first_size : 0, b = second > 0 ? second / second_size : 0;
    return (double)fmaxl(a, b);
}

static inline keel_saddle *new_kernel(problem *P, keel_saddle_path path) {
    keel_saddle_settings settings = keel_saddle_settings_default();
    settings.path = path;
    pack(P);
    keel_saddle *K = keel_saddle_new(P->A_pattern, P->J_pattern, &settings);
    assert_non_null(K);
    return K;
}

static inline keel_status factor(keel_saddle *K, problem *P) {
    return keel_saddle_factor(K, P->A_values, P->J_values, P->has_D ? P->D : NULL);
}

/* Factors and solves; the kernel is kept for more questions. */
static inline keel_status solve_keeping(problem *P, keel_saddle_path path, keel_saddle **K) {
    *K = new_kernel(P, path);
    keel_status status = factor(*K, P);
    return status < 0 ? status : keel_saddle_solve(*K, P->r, P->s, P->x, P->y, &P->info);
}

static inline keel_status solve(problem *P, keel_saddle_path path) {
    keel_saddle *K;
    keel_status status = solve_keeping(P, path, &K);
    keel_saddle_free(K);
    return status;
}

static inline double largest_of(const double *v, int count) {
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(v[i]));
    return most;
}

static inline double largest_difference(const double *a, const double *b, int count) {
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* Rows of a test table: the test on one path, on both factorizations, on every path; path_of(state) tells
 * which. */
static const keel_saddle_path DENSE = KEEL_SADDLE_DENSE, SPARSE = KEEL_SADDLE_SPARSE,
                              NULL_SPACE = KEEL_SADDLE_NULL_SPACE;

#define ON(path, label, test)                                                                                \
    { #test " (" label ")", test, NULL, NULL, (void *)&path }
#define TWO_PATHS(test) ON(DENSE, "dense", test), ON(SPARSE, "sparse", test)
#define ALL_PATHS(test) TWO_PATHS(test), ON(NULL_SPACE, "null space", test)

static inline keel_saddle_path path_of(void **state) {
    return *(const keel_saddle_path *)*state;
}

#define assert_close(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

#endif

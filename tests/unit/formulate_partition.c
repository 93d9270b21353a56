/* The projective criterion and the partition it chooses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formulate/partition.h"

enum { MOST = 8 };

/* A full lower triangle and full rows as patterns. */
static keel_pattern triangle(int n) {
    static int start[MOST + 1], index[MOST * MOST];
    int count = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            index[count++] = j;
        start[i + 1] = count;
    }
    return (keel_pattern){n, n, start, index};
}

static keel_pattern full_rows(int m, int n) {
    static int start[MOST + 1], index[MOST * MOST];
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++)
            index[i * n + j] = j;
        start[i + 1] = (i + 1) * n;
    }
    return (keel_pattern){m, n, start, index};
}

static void lower_values(int n, const double *M, double *values) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            *values++ = M[i * n + j];
}

/* X = A^-1 by Gauss-Jordan with pivoting; A [n x n] is destroyed. */
static void invert(int n, double *A, double *X) {
    for (int i = 0; i < n * n; i++)
        X[i] = i % (n + 1) == 0;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            p = fabs(A[i * n + k]) > fabs(A[p * n + k]) ? i : p;
        for (int j = 0; j < n; j++) {
            double a = A[k * n + j], x = X[k * n + j];
            A[k * n + j] = A[p * n + j], A[p * n + j] = a;
            X[k * n + j] = X[p * n + j], X[p * n + j] = x;
        }
        double pivot = A[k * n + k];
        for (int j = 0; j < n; j++)
            A[k * n + j] /= pivot, X[k * n + j] /= pivot;
        for (int i = 0; i < n; i++) {
            double factor = i == k ? 0 : A[i * n + k];
            for (int j = 0; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j], X[i * n + j] -= factor * X[k * n + j];
        }
    }
}

/* d_i = 1 - [M^-1 J^T (J M^-1 J^T)^-1 J M^-1]_ii / [M^-1]_ii, as it is written */
static void criterion(int n, int m, const double *M, const double *J, double *d) {
    double copy[MOST * MOST], W[MOST * MOST], JW[MOST * MOST] = {0}, S[MOST * MOST] = {0}, T[MOST * MOST];
    memcpy(copy, M, sizeof(double) * (size_t)(n * n));
    invert(n, copy, W);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                JW[i * n + j] += J[i * n + k] * W[k * n + j];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < n; k++)
                S[i * m + j] += JW[i * n + k] * J[j * n + k];
    invert(m, S, T);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int a = 0; a < m; a++)
            for (int b = 0; b < m; b++)
                sum += JW[a * n + i] * T[a * m + b] * JW[b * n + i];
        d[i] = 1 - sum / W[i * n + i];
    }
}

typedef struct problem {
    int n, m;
    double M[MOST * MOST], J[MOST * MOST];
} problem;

/* The snakeboard at its start: theta = phi_b = 0, phi_f = pi/3, l = 0.2; (x, y, theta, psi, phi_b, phi_f). */
static problem snakeboard(void) {
    const double m = 6, J = 0.016, Jr = 0.072, Jw = 0.0013, l = 0.2, f = 3.14159265358979323846 / 3;
    problem p = {.n = 6, .m = 2};
    double *M = p.M;
    M[0] = M[7] = m;
    M[14] = J + Jr + 2 * Jw;
    M[15] = M[20] = M[21] = Jr;
    M[16] = M[26] = M[28] = M[17] = M[32] = M[35] = Jw;
    double rows[2][6] = {{0, 1, -l, 0, 0, 0}, {-sin(f), cos(f), l * cos(f), 0, 0, 0}};
    memcpy(p.J, rows, sizeof rows);
    return p;
}

static bool choose(ki_partition *part, const problem *p, ki_partition_choice choice) {
    double values[MOST * MOST];
    lower_values(p->n, p->M, values);
    return ki_partition_choose(part, triangle(p->n), values, full_rows(p->m, p->n), p->J, choice);
}

static void assert_dependent(const ki_partition *part, int rank, const int *expected) {
    assert_int_equal(part->rank, rank);
    for (int i = 0; i < rank; i++)
        assert_int_equal(part->dependent[i], expected[i]);
    for (int i = 0, k = 0; i < part->n; i++) {
        bool among = k < rank && expected[k] == i;
        assert_int_equal(part->is_dependent[i], among);
        k += among;
    }
}

/* The numbers for x, y, theta are those of an independent recomputation of the paper's example. */
static void criterion_of_the_snakeboard(void **state) {
    (void)state;
    static const double PRINTED[] = {0.5555556, 0.4166667, 0.0277778};
    static const int BEST[] = {1, 2}, SECOND[] = {0, 2}, WORST[] = {0, 1};
    problem p = snakeboard();
    double d[6];
    ki_arena arena;
    ki_partition part;
    ki_arena_init(&arena);
    ki_partition_init(&part, &arena, p.n, p.m);
    assert_true(choose(&part, &p, KI_PARTITION_BEST));
    criterion(p.n, p.m, p.M, p.J, d);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(part.d[i] - d[i]) < 1e-14);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(part.d[i] - PRINTED[i]) < 5e-8);
    assert_dependent(&part, 2, BEST); /* x' independent */
    assert_false(choose(&part, &p, KI_PARTITION_BEST));
    assert_true(choose(&part, &p, KI_PARTITION_SECOND));
    assert_dependent(&part, 2, SECOND); /* y' independent, as in S4 */
    assert_true(choose(&part, &p, KI_PARTITION_WORST));
    assert_dependent(&part, 2, WORST); /* psi, phi_b, phi_f have larger d but stand in no constraint */
    ki_arena_free(&arena);
}

/* Rows that say nothing new change neither d nor the choice. */
static void superfluous_rows_change_nothing(void **state) {
    (void)state;
    problem p = snakeboard(), more = p;
    ki_arena arena;
    ki_partition a, b;
    more.m = 4;
    for (int j = 0; j < 6; j++) {
        more.J[12 + j] = 1000 * p.J[j];
        more.J[18 + j] = p.J[j] - 3 * p.J[6 + j];
    }
    ki_arena_init(&arena);
    ki_partition_init(&a, &arena, 6, 2);
    ki_partition_init(&b, &arena, 6, 4);
    for (int c = KI_PARTITION_BEST; c <= KI_PARTITION_WORST; c++) {
        choose(&a, &p, (ki_partition_choice)c);
        choose(&b, &more, (ki_partition_choice)c);
        assert_dependent(&b, a.rank, a.dependent);
        for (int i = 0; i < 6; i++)
            assert_true(fabs(a.d[i] - b.d[i]) < 1e-12);
    }
    ki_arena_free(&arena);
}

static double pseudo_random(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

static problem random_problem(int n, int m, unsigned *seed) {
    problem p = {.n = n, .m = m};
    double L[MOST * MOST];
    for (int i = 0; i < n * n; i++)
        L[i] = pseudo_random(seed);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            p.M[i * n + j] = (i == j) * 0.3;
            for (int k = 0; k < n; k++)
                p.M[i * n + j] += L[i * n + k] * L[j * n + k];
        }
    for (int i = 0; i < m * n; i++)
        p.J[i] = pseudo_random(seed);
    return p;
}

/* The criterion as it is written, and J (x_d) = b from the partition, on random systems. */
static void random_systems(void **state) {
    (void)state;
    unsigned seed = 7;
    for (int round = 0; round < 40; round++) {
        int n = 3 + round % 5, m = 1 + round % (n - 1);
        problem p = random_problem(n, m, &seed);
        double d[MOST], b[MOST], rest[MOST], x[MOST];
        ki_arena arena;
        ki_partition part;
        ki_arena_init(&arena);
        ki_partition_init(&part, &arena, n, m);
        choose(&part, &p, KI_PARTITION_BEST);
        criterion(n, m, p.M, p.J, d);
        assert_int_equal(part.rank, m);
        for (int i = 0; i < n; i++)
            assert_true(fabs(part.d[i] - d[i]) < 1e-9);
        for (int i = 0; i < m; i++)
            rest[i] = b[i] = pseudo_random(&seed);
        assert_true(ki_partition_factor(&part, full_rows(m, n), p.J));
        ki_partition_solve(&part, b, x);
        for (int j = 0; j < n; j++) {
            assert_true(part.is_dependent[j] || x[j] == 0);
            for (int i = 0; i < m; i++)
                rest[i] -= p.J[i * n + j] * x[j];
        }
        for (int i = 0; i < m; i++)
            assert_true(fabs(rest[i]) < 1e-11);
        ki_arena_free(&arena);
    }
}

/* One constraint in the plane with a metric that is not the identity: d by hand. M = diag(1, 4), J = (1, 1):
 * M^-1 J^T = (1, 1/4), J M^-1 J^T = 5/4, d = (1 - 1/(5/4), 1 - (1/16)/(5/4)/(1/4)) = (1/5, 4/5). */
static void heavy_coordinates_stay_independent(void **state) {
    (void)state;
    static const int LIGHT[] = {0}, HEAVY[] = {1};
    problem p = {.n = 2, .m = 1, .M = {1, 0, 0, 4}, .J = {1, 1}};
    ki_arena arena;
    ki_partition part;
    ki_arena_init(&arena);
    ki_partition_init(&part, &arena, 2, 1);
    choose(&part, &p, KI_PARTITION_BEST);
    assert_true(fabs(part.d[0] - 0.2) < 1e-15 && fabs(part.d[1] - 0.8) < 1e-15);
    assert_dependent(&part, 1, LIGHT);
    choose(&part, &p, KI_PARTITION_WORST);
    assert_dependent(&part, 1, HEAVY);
    /* a mass matrix that is not positive definite is replaced by the identity: d = (1/2, 1/2) */
    p.M[3] = 0;
    choose(&part, &p, KI_PARTITION_BEST);
    assert_true(fabs(part.d[0] - 0.5) < 1e-15 && fabs(part.d[1] - 0.5) < 1e-15);
    ki_arena_free(&arena);
}

/* A choice that has become singular is noticed. */
static void singular_choice_is_noticed(void **state) {
    (void)state;
    problem p = {.n = 2, .m = 1, .M = {1, 0, 0, 1}, .J = {1, 0.1}};
    static const double LATER[] = {0, 1};
    ki_arena arena;
    ki_partition part;
    ki_arena_init(&arena);
    ki_partition_init(&part, &arena, 2, 1);
    choose(&part, &p, KI_PARTITION_BEST);
    assert_true(part.is_dependent[0]);
    assert_true(ki_partition_factor(&part, full_rows(1, 2), p.J));
    assert_false(ki_partition_factor(&part, full_rows(1, 2), LATER));
    ki_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(criterion_of_the_snakeboard),
        cmocka_unit_test(superfluous_rows_change_nothing),
        cmocka_unit_test(random_systems),
        cmocka_unit_test(heavy_coordinates_stay_independent),
        cmocka_unit_test(singular_choice_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

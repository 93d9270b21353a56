/* Partitions from sparse factors are those from full matrices: criterion, choice, solutions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formulate/partition.h"

enum { BLOCK = 3, REACH = 9, OF_ROW = 4 };

typedef struct problem {
    keel_pattern M, J;
    int *M_start, *M_index, *J_start, *J_index;
    double *M_values, *J_values;
} problem;

static unsigned seed;

static double uniform(void) {
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 24) - 0.5;
}

static int sorted(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* Masses in blocks; rows with OF_ROW entries within REACH of each other; row i repeats row i - 1, times 2,
 * where `repeated`. */
static problem random_problem(int n, int m, bool repeated) {
    problem p = {.M = {n, n, NULL, NULL}, .J = {m, n, NULL, NULL}};
    p.M_start = calloc((size_t)n + 1, sizeof(int));
    p.M_index = calloc((size_t)n * BLOCK, sizeof(int));
    p.M_values = calloc((size_t)n * BLOCK, sizeof(double));
    p.J_start = calloc((size_t)m + 1, sizeof(int));
    p.J_index = calloc((size_t)m * OF_ROW, sizeof(int));
    p.J_values = calloc((size_t)m * OF_ROW, sizeof(double));
    assert_true(p.M_start && p.M_index && p.M_values && p.J_start && p.J_index && p.J_values);
    for (int i = 0, count = 0; i < n; i++) {
        for (int j = i - i % BLOCK; j <= i; j++) {
            p.M_index[count] = j;
            p.M_values[count++] = i == j ? 1.5 + uniform() : 0.4 * uniform();
        }
        p.M_start[i + 1] = count;
    }
    for (int i = 0; i < m; i++) {
        int *index = p.J_index + OF_ROW * i, first = (int)((long)i * (n - REACH) / m);
        bool copy = repeated && i % 5 == 4;
        for (int k = 0; k < OF_ROW; k++)
            index[k] = first + k * REACH / OF_ROW + (uniform() > 0);
        qsort(index, OF_ROW, sizeof *index, sorted);
        for (int k = 0; k < OF_ROW; k++) {
            index[k] = copy ? index[k - OF_ROW] : index[k];
            p.J_values[OF_ROW * i + k] = copy ? 2 * p.J_values[OF_ROW * (i - 1) + k] : uniform();
        }
        p.J_start[i + 1] = OF_ROW * (i + 1);
    }
    p.M.start = p.M_start, p.M.index = p.M_index;
    p.J.start = p.J_start, p.J.index = p.J_index;
    return p;
}

static void clear(problem *p) {
    free(p->M_start), free(p->M_index), free(p->M_values);
    free(p->J_start), free(p->J_index), free(p->J_values);
}

static bool choose(ki_partition *part, const problem *p, ki_partition_choice choice) {
    return ki_partition_choose(part, p->M, p->M_values, p->J, p->J_values, choice);
}

/* J_d x_d = J (1, 2, ...)_d */
static void assert_solves(ki_partition *part, const problem *p) {
    double *b = calloc((size_t)part->m, sizeof(double)), *x = calloc((size_t)part->n, sizeof(double));
    assert_true(b && x);
    for (int i = 0; i < p->J.rows; i++)
        for (int k = p->J.start[i]; k < p->J.start[i + 1]; k++)
            b[i] += part->is_dependent[p->J.index[k]] ? p->J_values[k] * (1 + p->J.index[k] % 7) : 0;
    assert_true(ki_partition_factor(part, p->J, p->J_values));
    ki_partition_solve(part, b, x);
    for (int j = 0; j < part->n; j++)
        assert_true(fabs(x[j] - (part->is_dependent[j] ? 1 + j % 7 : 0)) < 1e-6);
    free(b), free(x);
}

static void compare(int n, int m, bool repeated) {
    problem p = random_problem(n, m, repeated);
    ki_arena arena;
    ki_partition full, large;
    ki_arena_init(&arena);
    ki_partition_init(&full, &arena, n, m);
    assert_true(ki_partition_init_for(&large, &arena, p.M, p.J));
    assert_non_null(large.large);
    for (int choice = KI_PARTITION_BEST; choice <= KI_PARTITION_WORST; choice++) {
        choose(&full, &p, (ki_partition_choice)choice);
        choose(&large, &p, (ki_partition_choice)choice);
        assert_int_equal(large.rank, full.rank);
        for (int i = 0; i < n; i++)
            assert_true(fabs(large.d[i] - full.d[i]) < 1e-10);
        assert_memory_equal(large.is_dependent, full.is_dependent, (size_t)n * sizeof(bool));
        assert_memory_equal(large.dependent, full.dependent, (size_t)full.rank * sizeof(int));
        assert_solves(&large, &p);
        assert_false(choose(&large, &p, (ki_partition_choice)choice));
    }
    ki_partition_clear(&large);
    ki_arena_free(&arena);
    clear(&p);
}

/* By rows of the null space's basis: few freedoms. By columns of J: many. */
static void as_full_matrices(void **state) {
    (void)state;
    seed = 5;
    for (int round = 0; round < 6; round++) {
        compare(60 + 3 * round, 30 + 5 * round, false);
        compare(180 + 6 * round, 60 + 8 * round, false);
    }
}

static void repeated_rows(void **state) {
    (void)state;
    seed = 11;
    compare(90, 50, true);
    compare(210, 90, true);
}

/* A mass matrix that is not positive definite is replaced by the identity. */
static void without_mass(void **state) {
    (void)state;
    seed = 3;
    problem p = random_problem(66, 40, false), q;
    ki_arena arena;
    ki_partition a, b;
    ki_arena_init(&arena);
    assert_true(ki_partition_init_for(&a, &arena, p.M, p.J) && ki_partition_init_for(&b, &arena, p.M, p.J));
    q = p;
    q.M_values = calloc((size_t)keel_pattern_count(p.M), sizeof(double));
    assert_non_null(q.M_values);
    for (int i = 0; i < 66; i++)
        q.M_values[p.M.start[i + 1] - 1] = 1;
    p.M_values[p.M.start[11] - 1] = -1;
    choose(&a, &p, KI_PARTITION_BEST);
    choose(&b, &q, KI_PARTITION_BEST);
    assert_memory_equal(a.is_dependent, b.is_dependent, 66 * sizeof(bool));
    assert_int_equal(a.rank, 40);
    free(q.M_values);
    ki_partition_clear(&a);
    ki_partition_clear(&b);
    ki_arena_free(&arena);
    clear(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_full_matrices), cmocka_unit_test(repeated_rows),
                                       cmocka_unit_test(without_mass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Inverses by exchange: solutions against the matrix, rows of all sizes, rows of pivots that are kept and
 * that are not, what is singular. */
#include "linalg/sweep.h"

#include "linalg_helper.h"

enum { SIZE = KI_SWEEP_MOST };

static double A[SIZE * SIZE];

/* Zero on the diagonal, large `beside` it, so that pivots are found there; rows of sizes from 1e-6 to 1e6. */
static void fill(ki_sweep *s, int beside, double others) {
    int n = s->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double a = i == j && n > 1 ? 0 : uniform(-1, 1) * others;
            a = (a + (j == (i + beside) % n)) * pow(10, i % 5 * 3 - 6);
            A[i * n + j] = s->A[j * s->stride + i] = a;
        }
}

static void expect_solution(ki_sweep *s) {
    double b[SIZE], x[SIZE];
    int n = s->n;
    for (int i = 0; i < n; i++)
        x[i] = b[i] = uniform(-1, 1) * pow(10, i % 5 * 3 - 6);
    ki_sweep_solve(s, x);
    for (int i = 0; i < n; i++) {
        double rest = b[i], size = fabs(b[i]);
        for (int j = 0; j < n; j++) {
            rest -= A[i * n + j] * x[j];
            size += fabs(A[i * n + j] * x[j]);
        }
        assert_true(fabs(rest) < 1e-12 * size);
    }
}

/* Pivots of one matrix serve for others like it. */
static void solves(void **state) {
    (void)state;
    for (int n = 1; n <= SIZE; n++) {
        ki_arena arena;
        ki_sweep s;
        ki_arena_init(&arena);
        ki_sweep_init(&s, &arena, n);
        for (int turn = 0; turn < 5; turn++) {
            fill(&s, 1, 0.9 / n);
            assert_true(s.ordered == (turn > 0));
            assert_true(ki_sweep_invert(&s));
            expect_solution(&s);
        }
        ki_arena_free(&arena);
    }
}

/* With large entries in other places they do not. */
static void finds_other_rows(void **state) {
    (void)state;
    for (int n = 3; n <= SIZE; n++) {
        ki_arena arena;
        ki_sweep s;
        ki_arena_init(&arena);
        ki_sweep_init(&s, &arena, n);
        fill(&s, 1, 1e-3);
        assert_true(ki_sweep_invert(&s));
        fill(&s, 2, 1e-3);
        assert_false(ki_sweep_invert(&s));
        fill(&s, 2, 1e-3);
        assert_true(ki_sweep_invert(&s));
        expect_solution(&s);
        ki_arena_free(&arena);
    }
}

/* A row of zeros, a column of zeros, what is not finite; with rows of pivots from before and without. */
static void others_are_refused(void **state) {
    (void)state;
    for (int n = 2; n <= SIZE; n++) {
        ki_arena arena;
        ki_sweep s;
        ki_arena_init(&arena);
        ki_sweep_init(&s, &arena, n);
        for (int kind = 0; kind < 8; kind++) {
            fill(&s, 1, 0.1);
            if (kind >= 4) {
                assert_true(ki_sweep_invert(&s));
                fill(&s, 1, 0.1);
            }
            for (int k = 0; k < n && kind % 4 < 2; k++)
                s.A[kind % 4 == 0 ? k * s.stride + 1 : s.stride + k] = 0;
            if (kind % 4 >= 2)
                s.A[1] = kind % 4 == 2 ? NAN : INFINITY;
            assert_false(ki_sweep_invert(&s));
        }
        ki_arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(finds_other_rows),
                                       cmocka_unit_test(others_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* LU of dense matrices by columns: solutions against the matrix, rows of all sizes, what is singular. */
#include "linalg/lu_columns.h"

#include "linalg_helper.h"

enum { SIZE = KI_LU_COLUMNS_MOST };

/* Zero on the diagonal, so that pivots are found elsewhere; rows of sizes from 1e-6 to 1e6. */
static void fill(ki_lu_columns *lu, double *A) {
    for (int i = 0; i < lu->n; i++)
        for (int j = 0; j < lu->n; j++) {
            double a = i == j && lu->n > 1 ? 0 : uniform(-1, 1) * pow(10, i % 5 * 3 - 6);
            A[i * lu->n + j] = lu->A[j * lu->stride + i] = a;
        }
}

static void solves(void **state) {
    (void)state;
    static double A[SIZE * SIZE];
    for (int n = 1; n <= SIZE; n++)
        for (int turn = 0; turn < 5; turn++) {
            double b[SIZE], x[SIZE];
            ki_arena arena;
            ki_lu_columns lu;
            ki_arena_init(&arena);
            ki_lu_columns_init(&lu, &arena, n);
            fill(&lu, A);
            assert_true(ki_lu_columns_factor(&lu));
            for (int i = 0; i < n; i++)
                x[i] = b[i] = uniform(-1, 1) * pow(10, i % 5 * 3 - 6);
            ki_lu_columns_solve(&lu, x);
            for (int i = 0; i < n; i++) {
                double rest = b[i], size = fabs(b[i]);
                for (int j = 0; j < n; j++) {
                    rest -= A[i * n + j] * x[j];
                    size += fabs(A[i * n + j] * x[j]);
                }
                assert_true(fabs(rest) < 1e-11 * size);
            }
            ki_arena_free(&arena);
        }
}

/* A row of zeros, a column of zeros, what is not finite. */
static void others_are_refused(void **state) {
    (void)state;
    static double A[SIZE * SIZE];
    for (int n = 2; n <= SIZE; n++) {
        ki_arena arena;
        ki_lu_columns lu;
        ki_arena_init(&arena);
        ki_lu_columns_init(&lu, &arena, n);
        for (int kind = 0; kind < 4; kind++) {
            fill(&lu, A);
            for (int k = 0; k < n && kind < 2; k++)
                lu.A[kind == 0 ? k * lu.stride + 1 : lu.stride + k] = 0;
            if (kind >= 2)
                lu.A[1] = kind == 2 ? NAN : INFINITY;
            assert_false(ki_lu_columns_factor(&lu));
        }
        fill(&lu, A);
        assert_true(ki_lu_columns_factor(&lu));
        ki_arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(others_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

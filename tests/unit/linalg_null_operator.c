/* The null space as an operator: the same solutions as the other sparse path, with every row met by the
 * factors of J. */
#include "linalg_helper.h"

enum { REACH = 5 };

static problem P, other;

/* Coordinates in a row, diagonal A; a constraint between every few of them. */
static void fill_chain(int n, int m) {
    fill_random(&P, n, m, 1);
    for (int i = 0; i < m; i++) {
        int first = i * (n - REACH) / m;
        for (int j = 0; j < n; j++)
            P.J[i][j] = j >= first && j < first + REACH ? uniform(-1, 1) : 0;
    }
    make_consistent(&P);
}

static void assert_same_as_sparse(keel_saddle *K, double tolerance) {
    assert_int_equal(keel_saddle_path_taken(K), KEEL_SADDLE_SPARSE);
    assert_true(residual_of(&P) <= 1e-13);
    other = P;
    solve(&other, KEEL_SADDLE_SPARSE);
    assert_true(largest_difference(P.x, other.x, P.n) <= tolerance * largest_of(P.x, P.n));
    for (int j = 0; j < P.n; j++) {
        double sum = 0;
        for (int i = 0; i < P.m; i++)
            sum += P.J[i][j] * (P.y[i] - other.y[i]);
        assert_true(fabs(sum) <= tolerance * (largest_of(P.y, P.m) + largest_of(P.r, P.n)));
    }
}

static void as_the_sparse_path(void **state) {
    (void)state;
    for (int round = 0; round < 20; round++) {
        keel_saddle *K;
        fill_chain(40 + round, 5 + round);
        assert_int_equal(solve_keeping(&P, NULL_SPACE, &K), KEEL_OK);
        assert_same_as_sparse(K, 1e-9);
        keel_saddle_free(K);
    }
}

/* Every column in turn loses its entries: the columns chosen at first become bad ones, and others take their
 * place. */
static void other_columns_become_better(void **state) {
    (void)state;
    fill_chain(50, 20);
    keel_saddle *K = new_kernel(&P, NULL_SPACE);
    for (int step = 0; step < 60; step++) {
        for (int i = 0; i < P.m; i++)
            for (int j = 0, first = i * (P.n - REACH) / P.m; j < REACH; j++)
                P.J[i][first + j] = sin(0.11 * step + 1.3 * j + 0.7 * i) + (step % 20 == 19 ? 0 : 1e-3);
        make_consistent(&P);
        pack(&P);
        assert_int_equal(factor(K, &P), KEEL_OK);
        assert_true(keel_saddle_solve(K, P.r, P.s, P.x, P.y, &P.info) >= 0);
        assert_true(residual_of(&P) <= 1e-12);
    }
    keel_saddle_free(K);
}

static void dependent_rows(void **state) {
    (void)state;
    keel_saddle *K;
    fill_chain(50, 20);
    copy_row(&P, 7, 6, 2);
    copy_row(&P, 12, 11, -1);
    make_consistent(&P);
    assert_true(solve_keeping(&P, NULL_SPACE, &K) >= 0);
    assert_same_as_sparse(K, 1e-9);
    keel_saddle_free(K);
}

/* A is zero for a coordinate that a row holds. */
static void without_mass(void **state) {
    (void)state;
    keel_saddle *K;
    fill_chain(50, 20);
    P.A[2][2] = 0;
    assert_true(solve_keeping(&P, NULL_SPACE, &K) >= 0);
    assert_same_as_sparse(K, 1e-8);
    keel_saddle_free(K);
}

/* A penalty has no null space to move in: the ordinary factors. */
static void with_a_penalty(void **state) {
    (void)state;
    keel_saddle *K;
    fill_chain(50, 20);
    P.has_D = 1;
    for (int i = 0; i < P.m; i++)
        P.D[i] = uniform(0, 1);
    assert_int_equal(solve_keeping(&P, NULL_SPACE, &K), KEEL_OK);
    assert_same_as_sparse(K, 1e-10);
    keel_saddle_free(K);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_sparse_path), cmocka_unit_test(other_columns_become_better),
        cmocka_unit_test(dependent_rows),     cmocka_unit_test(without_mass),
        cmocka_unit_test(with_a_penalty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

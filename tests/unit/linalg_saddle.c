/* The contract of the saddle-point kernel, on every path: shapes, arguments, bad values, settings. */
#include "linalg/saddle_code.h"
#include "linalg_helper.h"

static problem P, Q;

static void full_rank_needs_one_solve(void **state) {
    int refinements = 0;
    for (int trial = 0; trial < 100; trial++) {
        int n = uniform_int(1, 30);
        fill_random(&P, n, uniform_int(1, n), trial % 2);
        for (int i = 0; i < P.m; i++)
            P.s[i] = uniform(-1, 1);
        keel_saddle *K;
        assert_int_equal(solve_keeping(&P, path_of(state), &K), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-13);
        assert_true(P.info.residual <= 1e-14);
        refinements += P.info.refinements;
        /* without dependent rows there is nothing to make shorter */
        memcpy(Q.y, P.y, sizeof P.y);
        assert_int_equal(keel_saddle_least_norm(K, P.y), KEEL_OK);
        assert_true(largest_difference(P.y, Q.y, P.m) <= 1e-14 * largest_of(Q.y, P.m));
        keel_saddle_free(K);
    }
    /* square random J come close to singular now and then */
    assert_true(refinements <= 10);
}

/* One application of the factors is good to round-off times condition, here to nine digits; where rows depend
 * on each other it is the solution that refinement finds. */
static void one_application(void **state) {
    for (int trial = 0; trial < 100; trial++) {
        int n = uniform_int(3, 30);
        fill_random(&P, n, uniform_int(2, n / 2 + 1), trial % 2);
        if (trial % 4 == 0)
            memcpy(P.J[1], P.J[0], sizeof P.J[0]);
        make_consistent(&P);
        keel_saddle *K;
        assert_true(solve_keeping(&P, path_of(state), &K) >= 0);
        assert_int_equal(factor(K, &P), KEEL_OK);
        assert_int_equal(ki_saddle_solve_once(K, P.r, P.s, Q.x, Q.y), KEEL_OK);
        assert_true(largest_difference(P.x, Q.x, P.n) <= 1e-9 * (1 + largest_of(P.x, P.n)));
        P.r[0] = NAN;
        assert_int_equal(ki_saddle_solve_once(K, P.r, P.s, Q.x, Q.y), KEEL_ERROR_NOT_FINITE);
        keel_saddle_free(K);
    }
}

/* Patterns with gaps, rows of J with one to four entries, some of them dependent by chance. */
static void sparse_patterns(void **state) {
    for (int trial = 0; trial < 200; trial++) {
        int n = uniform_int(2, 40), m = uniform_int(1, n);
        fill_random(&P, n, m, 1);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                if (uniform(0, 1) < 0.1) {
                    P.A[i][j] = uniform(-1, 1);
                    P.A[i][i] += 1;
                    P.A[j][j] += 1;
                }
        memset(P.J, 0, sizeof P.J);
        for (int i = 0; i < m; i++)
            for (int k = uniform_int(1, 4); k > 0; k--)
                P.J[i][uniform_int(0, n - 1)] = uniform(-1, 1);
        make_consistent(&P);
        keel_saddle *K;
        assert_int_equal(solve_keeping(&P, path_of(state), &K), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-13);
        /* what the first factorization left behind in the gaps does not matter to the second */
        assert_int_equal(factor(K, &P), KEEL_OK);
        assert_int_equal(keel_saddle_solve(K, P.r, P.s, Q.x, Q.y, NULL), KEEL_OK);
        assert_memory_equal(P.x, Q.x, (size_t)n * sizeof(double));
        keel_saddle_free(K);
    }
}

static void no_constraints(void **state) {
    fill_random(&P, 7, 0, 0);
    assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
    assert_true(residual_of(&P) <= 1e-13);
    assert_int_equal(P.info.worst_row, -1);
    /* a pattern without rows may have no arrays */
    keel_saddle_settings settings = keel_saddle_settings_default();
    settings.path = path_of(state);
    keel_saddle *K = keel_saddle_new(P.A_pattern, (keel_pattern){0, 7, NULL, NULL}, &settings);
    assert_non_null(K);
    assert_int_equal(keel_saddle_factor(K, P.A_values, NULL, NULL), KEEL_OK);
    assert_int_equal(keel_saddle_solve(K, P.r, NULL, P.x, NULL, NULL), KEEL_OK);
    assert_true(residual_of(&P) <= 1e-13);
    keel_saddle_free(K);
}

static void nothing_at_all(void **state) {
    keel_saddle_settings settings = keel_saddle_settings_default();
    settings.path = path_of(state);
    keel_pattern empty = {0, 0, NULL, NULL};
    keel_saddle *K = keel_saddle_new(empty, empty, &settings);
    assert_non_null(K);
    assert_int_equal(keel_saddle_factor(K, NULL, NULL, NULL), KEEL_OK);
    assert_int_equal(keel_saddle_solve(K, NULL, NULL, NULL, NULL, NULL), KEEL_OK);
    keel_saddle_free(K);
}

static void right_sides_may_alias_or_be_missing(void **state) {
    fill_random(&P, 6, 3, 0);
    make_consistent(&P);
    keel_saddle *K;
    assert_int_equal(solve_keeping(&P, path_of(state), &K), KEEL_OK);
    double x[6], y[3];
    memcpy(x, P.r, sizeof x);
    memcpy(y, P.s, sizeof y);
    assert_int_equal(keel_saddle_solve(K, x, y, x, y, NULL), KEEL_OK);
    assert_memory_equal(x, P.x, sizeof x);
    assert_memory_equal(y, P.y, sizeof y);
    memset(P.s, 0, sizeof P.s);
    assert_int_equal(keel_saddle_solve(K, P.r, NULL, P.x, P.y, NULL), KEEL_OK);
    assert_true(residual_of(&P) <= 1e-13);
    memset(P.r, 0, sizeof P.r);
    assert_int_equal(keel_saddle_solve(K, NULL, NULL, P.x, P.y, &P.info), KEEL_OK);
    assert_true(largest_of(P.x, 6) == 0 && largest_of(P.y, 3) == 0 && P.info.residual == 0);
    keel_saddle_free(K);
}

/* Patterns and values are copied; factoring the same values again gives the same bits. */
static void nothing_is_kept_by_reference(void **state) {
    fill_random(&P, 9, 5, 0);
    copy_row(&P, 4, 0, 1);
    make_consistent(&P);
    keel_saddle *K;
    assert_int_equal(solve_keeping(&P, path_of(state), &K), KEEL_OK);
    Q = P;
    memset(P.A_start, 0, sizeof P.A_start);
    memset(P.J_index, 0, sizeof P.J_index);
    memset(P.A_values, 0, sizeof P.A_values);
    memset(P.J_values, 0, sizeof P.J_values);
    assert_int_equal(keel_saddle_solve(K, P.r, P.s, P.x, P.y, NULL), KEEL_OK);
    assert_memory_equal(P.x, Q.x, sizeof P.x);
    assert_int_equal(factor(K, &Q), KEEL_OK);
    assert_int_equal(keel_saddle_solve(K, P.r, P.s, P.x, P.y, NULL), KEEL_OK);
    assert_memory_equal(P.x, Q.x, sizeof P.x);
    assert_memory_equal(P.y, Q.y, sizeof P.y);
    keel_saddle_free(K);
}

static void values_that_are_not_finite(void **state) {
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    fill_random(&P, 5, 3, 0);
    make_consistent(&P);
    P.has_D = 1;
    keel_saddle *K;
    assert_int_equal(solve_keeping(&P, path_of(state), &K), KEEL_OK);
    double *places[] = {&P.A_values[3], &P.J_values[4], &P.D[1]};
    for (int k = 0; k < 3; k++)
        for (int place = 0; place < 3; place++) {
            double good = *places[place];
            *places[place] = bad[k];
            assert_int_equal(factor(K, &P), KEEL_ERROR_NOT_FINITE);
            double x[5] = {7, 7, 7, 7, 7}, y[3] = {7, 7, 7};
            assert_true(keel_saddle_solve(K, P.r, P.s, x, y, NULL) < 0);
            assert_true(x[2] == 7 && y[1] == 7);
            *places[place] = good;
        }
    assert_int_equal(factor(K, &P), KEEL_OK);
    for (int k = 0; k < 3; k++) {
        double x[5] = {7, 7, 7, 7, 7}, y[3] = {7, 7, 7}, r[5] = {0}, s[3] = {0};
        r[4] = bad[k];
        assert_int_equal(keel_saddle_solve(K, r, s, x, y, NULL), KEEL_ERROR_NOT_FINITE);
        r[4] = 0;
        s[0] = bad[k];
        assert_int_equal(keel_saddle_solve(K, r, s, x, y, NULL), KEEL_ERROR_NOT_FINITE);
        assert_true(x[2] == 7 && y[1] == 7);
    }
    /* an answer that is too large to be written down */
    double x[5] = {7, 7, 7, 7, 7}, y[3] = {7, 7, 7};
    for (int j = 0; j < 5; j++)
        P.r[j] = 1e308;
    assert_int_equal(keel_saddle_solve(K, P.r, P.r, x, y, NULL), KEEL_ERROR_NOT_FINITE);
    assert_true(x[2] == 7 && y[1] == 7);
    /* finite, but their squares are not */
    P.J_values[4] = 1e200;
    assert_int_equal(factor(K, &P), KEEL_ERROR_NOT_FINITE);
    for (int p = 0; p < P.A_start[5]; p++)
        P.A_values[p] *= 1e250;
    assert_int_equal(factor(K, &P), KEEL_ERROR_NOT_FINITE);
    keel_saddle_free(K);
}

static void loose_tolerance_takes_the_first_answer(void **state) {
    fill_random(&P, 8, 4, 1);
    for (int i = 0; i < 8; i++)
        P.A[i][i] = i % 2 ? 1 : 1e12;
    make_consistent(&P);
    pack(&P);
    keel_saddle_settings settings = keel_saddle_settings_default();
    settings.path = path_of(state);
    settings.tolerance = 1e-2;
    keel_saddle *K = keel_saddle_new(P.A_pattern, P.J_pattern, &settings);
    assert_int_equal(factor(K, &P), KEEL_OK);
    assert_int_equal(keel_saddle_solve(K, P.r, P.s, P.x, P.y, &P.info), KEEL_OK);
    assert_int_equal(P.info.refinements, 0);
    keel_saddle_free(K);

    /* an unreachable one is told, with the best answer */
    settings.tolerance = 1e-30;
    K = keel_saddle_new(P.A_pattern, P.J_pattern, &settings);
    assert_int_equal(factor(K, &P), KEEL_OK);
    assert_int_equal(keel_saddle_solve(K, P.r, P.s, P.x, P.y, &P.info), KEEL_INACCURATE);
    assert_true(P.info.residual <= 1e-13 && residual_of(&P) <= 1e-13);
    keel_saddle_free(K);
}

/* Without refinements the first answer is kept, and told to be inaccurate. */
static void refinements_may_be_forbidden(void **state) {
    memset(&P, 0, sizeof P);
    P.n = 10;
    P.m = 9;
    for (int i = 0; i < P.n; i++) {
        P.A[i][i] = i % 2 ? 1 : 1e12;
        P.r[i] = uniform(-1, 1) * P.A[i][i];
    }
    for (int i = 0; i < P.m; i++) {
        P.J[i][i] = 1;
        P.J[i][i + 1] = -1;
    }
    pack(&P);
    keel_saddle_settings settings = keel_saddle_settings_default();
    settings.path = path_of(state);
    settings.refinements = 0;
    keel_saddle *K = keel_saddle_new(P.A_pattern, P.J_pattern, &settings);
    assert_true(keel_saddle_least_norm(K, P.y) < 0);
    assert_int_equal(factor(K, &P), KEEL_OK);
    assert_int_equal(keel_saddle_solve(K, P.r, P.s, P.x, P.y, &P.info), KEEL_INACCURATE);
    assert_int_equal(P.info.refinements, 0);
    assert_true(P.info.residual < 0.1 && P.info.residual > 1e-14);
    assert_close(P.info.residual, residual_of(&P), 1e-14);
    keel_saddle_free(K);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ALL_PATHS(full_rank_needs_one_solve),
        ALL_PATHS(one_application),
        ALL_PATHS(sparse_patterns),
        ALL_PATHS(no_constraints),
        ALL_PATHS(nothing_at_all),
        ALL_PATHS(right_sides_may_alias_or_be_missing),
        ALL_PATHS(nothing_is_kept_by_reference),
        ALL_PATHS(values_that_are_not_finite),
        ALL_PATHS(loose_tolerance_takes_the_first_answer),
        TWO_PATHS(refinements_may_be_forbidden), /* the null space needs none */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

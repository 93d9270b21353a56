/* Systems that are hard on round-off, on every path: mass ratios, rows that nearly depend on each other,
 * penalties, forces in balance. */
#include "linalg_helper.h"

static problem P, Q;

/* Three bodies in a row, pinned to each other; the one in the middle is lighter by 1e12. */
static void light_body_between_heavy_ones(void **state) {
    memset(&P, 0, sizeof P);
    P.n = 3;
    P.m = 2;
    P.A[0][0] = P.A[2][2] = 1e12;
    P.A[1][1] = 1;
    P.J[0][0] = P.J[1][1] = 1;
    P.J[0][1] = P.J[1][2] = -1;
    P.r[0] = 1e12;
    P.r[1] = 5;
    P.r[2] = -2e12;
    assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
    assert_true(residual_of(&P) <= 1e-13);
    /* they move as one: (1e12 + 5 - 2e12) / (2e12 + 1) */
    for (int i = 0; i < 3; i++)
        assert_close(P.x[i], (5 - 1e12) / (2e12 + 1), 1e-12);
}

static void mass_ratios(void **state) {
    for (int trial = 0; trial < 60; trial++) {
        int n = uniform_int(3, 20);
        fill_random(&P, n, uniform_int(1, n), 1);
        for (int i = 0; i < n; i++) {
            P.A[i][i] = pow(1e12, trial % 3 ? (double)i / (n - 1) : uniform(0, 1));
            P.r[i] *= trial % 2 ? 1 : P.A[i][i];
        }
        make_consistent(&P);
        assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-13);
    }
}

static void chain_of_light_and_heavy(void **state) {
    memset(&P, 0, sizeof P);
    P.n = 40;
    P.m = 39;
    for (int i = 0; i < P.n; i++) {
        P.A[i][i] = i % 2 ? 1 : 1e12;
        P.r[i] = uniform(-1, 1) * P.A[i][i];
    }
    for (int i = 0; i < P.m; i++) {
        P.J[i][i] = 1;
        P.J[i][i + 1] = -1;
    }
    assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
    assert_true(residual_of(&P) <= 1e-13);
    assert_true(P.info.refinements <= 8);
}

/* Both at once: rows at a distance of 1e-6 and masses from 1 to 1e12, so that in the A^-1 metric the rows are
 * up to 1e-12 close, and the heavy bodies alone tell them apart. */
static void mass_ratios_and_nearly_dependent_rows(void **state) {
    for (int trial = 0; trial < 60; trial++) {
        int n = uniform_int(3, 20);
        fill_random(&P, n, uniform_int(2, n - 1), 1);
        for (int j = 0; j < n; j++) {
            P.A[j][j] = pow(1e12, (double)j / (n - 1));
            P.r[j] *= P.A[j][j];
            P.J[P.m - 1][j] = P.J[0][j] + 1e-6 * (j % 2 ? 1 : -1);
        }
        make_consistent(&P);
        assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-13);
    }
}

/* Two equal rows among masses from 1 to 1e12: the null vector is that of J, whatever A is. */
static void mass_ratios_and_equal_rows(void **state) {
    for (int trial = 0; trial < 30; trial++) {
        int n = uniform_int(4, 20), m = uniform_int(2, n - 2);
        fill_random(&P, n, m, 1);
        for (int j = 0; j < n; j++)
            P.A[j][j] = pow(1e12, (double)j / (n - 1));
        copy_row(&P, m - 1, 0, 1);
        make_consistent(&P);
        keel_saddle *K;
        assert_int_equal(solve_keeping(&P, path_of(state), &K), KEEL_OK);
        assert_int_equal(keel_saddle_least_norm(K, P.y), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-13);
        assert_close(P.y[m - 1], P.y[0], 1e-12 * largest_of(P.y, m));
        keel_saddle_free(K);
    }
}

/* From far above what S = J A^-1 J^T resolves (1e-3: pivot 1e-6) to far below (1e-9: pivot 1e-18). */
static void nearly_dependent_rows(void **state) {
    static const double distances[] = {1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
    for (int k = 0; k < 6; k++)
        for (int trial = 0; trial < 10; trial++) {
            int n = uniform_int(5, 20);
            fill_random(&P, n, n / 2 + 1, trial % 2);
            for (int j = 0; j < n; j++)
                P.J[n / 2][j] = P.J[0][j] + distances[k] * (j % 2 ? 1 : -1);
            for (int i = 0; i < P.m; i++)
                P.s[i] = uniform(-1, 1);
            assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
            assert_true(residual_of(&P) <= 1e-13);
            assert_true(P.info.refinements <= 4);
        }
}

/* Three rows close to the same one, at different distances: their directions are far from orthogonal. */
static void several_nearly_dependent_rows(void **state) {
    for (int trial = 0; trial < 20; trial++) {
        int n = uniform_int(8, 20);
        fill_random(&P, n, 7, trial % 2);
        for (int i = 4; i < 7; i++)
            for (int j = 0; j < n; j++)
                P.J[i][j] = P.J[0][j] + pow(10, -i - 2) * P.J[i][j];
        make_consistent(&P);
        assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-13);
        assert_true(P.info.refinements <= 4);
    }
}

/* Rows closer than settings.dependent are one row; what they disagree by decides between the two verdicts. */
static void dependent_sets_what_counts_as_equal(void **state) {
    fill_random(&P, 6, 3, 0);
    copy_row(&P, 2, 0, 1);
    P.J[2][1] += 1e-6;
    make_consistent(&P);
    pack(&P);
    keel_saddle_settings settings = keel_saddle_settings_default();
    settings.path = path_of(state);
    settings.dependent = 1e-4;
    for (int contradict = 0; contradict < 2; contradict++) {
        P.s[2] += 0.1 * contradict;
        keel_saddle *K = keel_saddle_new(P.A_pattern, P.J_pattern, &settings);
        assert_int_equal(factor(K, &P), KEEL_OK);
        assert_int_equal(keel_saddle_solve(K, P.r, P.s, P.x, P.y, &P.info),
                         contradict ? KEEL_INCONSISTENT : KEEL_INACCURATE);
        assert_true(largest_of(P.x, P.n) <= 10);
        keel_saddle_free(K);
    }
    /* by default 1e-6 is a difference, and the rows are solved as they stand */
    assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
    assert_true(largest_of(P.x, P.n) > 1e3);
}

static void penalties(void **state) {
    for (int trial = 0; trial < 40; trial++) {
        int n = uniform_int(2, 20), m = uniform_int(2, n);
        fill_random(&P, n, m, trial % 2);
        P.has_D = 1;
        for (int i = 0; i < m; i++) {
            P.D[i] = trial % 3 == 2 && i % 2 ? 0 : pow(10, uniform(-10, 2));
            P.s[i] = uniform(-1, 1);
        }
        /* equal rows with penalties contradict nothing */
        if (trial % 3 == 1)
            copy_row(&P, m - 1, 0, 1);
        assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-13);
        assert_true(P.info.refinements <= 2);
    }
}

/* Equal rows that contradict each other, reconciled by penalties so hard that S does not see them: 1e-16.
 * With y_0 D_0 - y_1 D_1 = s_1 - s_0 the multipliers are large, but there is an answer. */
static void hard_penalties_reconcile(void **state) {
    for (int trial = 0; trial < 20; trial++) {
        fill_random(&P, 6, 3, trial % 2);
        copy_row(&P, 2, 0, 1);
        make_consistent(&P);
        P.s[2] += 1e-3;
        P.has_D = 1;
        P.D[0] = P.D[2] = 1e-16;
        assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-13);
        assert_close((P.y[0] - P.y[2]) / 1e13, 1, 1e-6);
    }
}

/* 2 x + y = 5, x - y/4 = 1: x = 3/2, y = 2 */
static void one_row_with_penalty_by_hand(void **state) {
    memset(&P, 0, sizeof P);
    P.n = P.m = P.has_D = 1;
    P.A[0][0] = 2;
    P.J[0][0] = 1;
    P.D[0] = 0.25;
    P.r[0] = 5;
    P.s[0] = 1;
    assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
    assert_close(P.x[0], 1.5, 1e-15);
    assert_close(P.y[0], 2, 1e-15);
}

/* r = J^T y exactly balanced: x is round-off, which must not look like a failure. */
static void forces_in_balance(void **state) {
    for (int trial = 0; trial < 40; trial++) {
        int n = uniform_int(1, 20);
        fill_random(&P, n, trial % 2 ? n : uniform_int(1, n), trial % 3 == 0);
        for (int j = 0; j < n; j++) {
            P.r[j] = 0;
            for (int i = 0; i < P.m; i++)
                P.r[j] += P.J[i][j] * (i % 3 + 1);
        }
        assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
        for (int i = 0; i < P.m; i++)
            assert_close(P.y[i], i % 3 + 1, 1e-6);
    }
}

/* The same where rows differ in pairs by 1e-4 to 1e-5 of their length only, so that pivots of S are 1e-8 to
 * 1e-10, bodies are light and heavy, and multipliers are large: x is next to nothing. */
static void forces_in_balance_on_rows_close_to_each_other(void **state) {
    for (int trial = 0; trial < 300; trial++) {
        int n = 20;
        fill_random(&P, n, 18, trial % 2);
        for (int j = 0; j < n; j++)
            P.A[j][j] *= j % 2 ? 1 : 1e4;
        for (int i = 1; i < 8; i += 2) {
            double apart = pow(10, uniform(-5, -4));
            for (int j = 0; j < n; j++)
                P.J[i][j] = P.J[i - 1][j] + apart * P.J[i][j];
        }
        for (int j = 0; j < n; j++) {
            P.r[j] = 0;
            for (int i = 0; i < P.m; i++)
                P.r[j] += P.J[i][j] * (i + 1) * (i % 2 ? -1e5 : 1e5);
        }
        for (int i = 0; i < P.m; i++)
            P.s[i] = 0;
        assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
        assert_true(largest_of(P.x, n) <= 1e-8 * largest_of(P.r, n));
    }
}

/* Rows in any unit: factors of 1e20 and 1e-20 change neither x nor the verdict. */
static void units_of_rows_do_not_matter(void **state) {
    fill_random(&P, 8, 5, 0);
    copy_row(&P, 4, 1, 1);
    make_consistent(&P);
    assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
    Q = P;
    for (int i = 0; i < 5; i++) {
        double unit = pow(10, 10 * (i - 2));
        copy_row(&Q, i, i, unit);
        Q.s[i] *= unit;
    }
    assert_int_equal(solve(&Q, path_of(state)), KEEL_OK);
    assert_true(residual_of(&Q) <= 1e-13);
    assert_true(largest_difference(P.x, Q.x, 8) <= 1e-12 * largest_of(P.x, 8));
}

/* Who does not ask for the residual gets the same solution bit by bit: the quicker look at the residual
 * accepts nothing that the full one would refine, not even where squares vanish (below 1e-162) or overflow
 * (1e154). */
static void solution_is_the_same_if_nobody_asks(void **state) {
    static const double UNITS[] = {1e-170, 1e-100, 1, 1e100, 1e160};
    int refined = 0;
    for (int trial = 0; trial < 100; trial++) {
        double unit = UNITS[trial % 5], x[20], y[20];
        int n = uniform_int(3, 20), m = uniform_int(1, n);
        fill_random(&P, n, m, 1);
        for (int i = 0; i < n; i++) {
            P.A[i][i] = pow(1e12, uniform(0, 1));
            P.r[i] *= unit;
        }
        for (int i = 0; i < m; i++)
            P.s[i] *= unit;
        keel_saddle *K;
        keel_status status = solve_keeping(&P, path_of(state), &K);
        refined += P.info.refinements > 0;
        assert_int_equal(factor(K, &P), KEEL_OK); /* forgets what the first solve has learnt */
        assert_int_equal(keel_saddle_solve(K, P.r, P.s, x, y, NULL), status);
        keel_saddle_free(K);
        assert_memory_equal(x, P.x, (size_t)n * sizeof(double));
        assert_memory_equal(y, P.y, (size_t)m * sizeof(double));
    }
    assert_true(refined > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ALL_PATHS(light_body_between_heavy_ones),
        ALL_PATHS(mass_ratios),
        ALL_PATHS(chain_of_light_and_heavy),
        ALL_PATHS(mass_ratios_and_nearly_dependent_rows),
        ALL_PATHS(mass_ratios_and_equal_rows),
        ALL_PATHS(nearly_dependent_rows),
        ALL_PATHS(several_nearly_dependent_rows),
        ALL_PATHS(dependent_sets_what_counts_as_equal),
        ALL_PATHS(penalties),
        ALL_PATHS(hard_penalties_reconcile),
        ALL_PATHS(one_row_with_penalty_by_hand),
        ALL_PATHS(forces_in_balance),
        ALL_PATHS(units_of_rows_do_not_matter),
        ALL_PATHS(solution_is_the_same_if_nobody_asks),
        TWO_PATHS(forces_in_balance_on_rows_close_to_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The contract of the saddle-point kernel: every check runs on every path. */
#include <lapacke.h>

#include "linalg_helper.h"

static problem P, Q;

static keel_saddle_path path_of(void **state) {
    return *(const keel_saddle_path *)*state;
}

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

/* y with the least norm from LAPACK: min |y| among the minimizers of |J^T y - b|, b = J^T y. */
static void least_norm_reference(const problem *from, double *y) {
    int n = from->n, m = from->m, most = n > m ? n : m;
    static double J_transposed[MOST * MOST], b[MOST], singular[MOST];
    memset(b, 0, sizeof b);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            J_transposed[i * n + j] = from->J[i][j];
            b[j] += from->J[i][j] * from->y[i];
        }
    lapack_int rank;
    assert_int_equal(
        LAPACKE_dgelsd(LAPACK_COL_MAJOR, n, m, 1, J_transposed, n, b, most, singular, 1e-11, &rank), 0);
    memcpy(y, b, (size_t)m * sizeof(double));
}

/* Solves with dependent rows that agree, and compares the multiplier with LAPACK's least norm. */
static void check_dependent(keel_saddle_path path, int refinements) {
    double reference[MOST];
    keel_saddle *K;
    assert_int_equal(solve_keeping(&P, path, &K), KEEL_OK);
    assert_true(residual_of(&P) <= 1e-13);
    assert_true(P.info.refinements <= refinements);
    assert_int_equal(keel_saddle_regularized(K), 1);
    assert_int_equal(keel_saddle_least_norm(K, P.y), KEEL_OK);
    assert_true(residual_of(&P) <= 1e-13);
    least_norm_reference(&P, reference);
    assert_true(largest_difference(P.y, reference, P.m) <= 1e-11 * largest_of(reference, P.m));
    keel_saddle_free(K);
}

static void equal_rows_share(void **state) {
    for (int copies = 2; copies <= 3; copies++) {
        fill_random(&P, 8, 3 + copies, 0);
        for (int k = 1; k < copies; k++)
            copy_row(&P, 2 + k, 0, 1);
        make_consistent(&P);
        check_dependent(path_of(state), 1);
        for (int k = 1; k < copies; k++)
            assert_close(P.y[2 + k], P.y[0], 1e-13 * largest_of(P.y, P.m));
    }
}

/* min y_0^2 + y_1^2 with y_0 + f y_1 given: y_1 = f y_0 */
static void scaled_rows_share_by_length(void **state) {
    static const double factors[] = {3, -0.25, 1e4, 1e-6};
    for (int k = 0; k < 4; k++) {
        fill_random(&P, 6, 4, 1);
        copy_row(&P, 3, 1, factors[k]);
        make_consistent(&P);
        check_dependent(path_of(state), 1);
        /* the null vector is (f, -1) */
        double along = (factors[k] * P.y[1] - P.y[3]) / hypot(factors[k], 1);
        assert_close(along, 0, 1e-14 * largest_of(P.y, P.m));
    }
}

static void combinations_of_rows(void **state) {
    for (int trial = 0; trial < 50; trial++) {
        int n = uniform_int(3, 30), m = uniform_int(2, n), extra = uniform_int(1, 4);
        fill_random(&P, n, m + extra, trial % 2);
        for (int i = m; i < P.m; i++) {
            memset(P.J[i], 0, sizeof P.J[i]);
            for (int k = 0; k < m; k++) {
                double factor = uniform(-3, 3);
                for (int j = 0; j < n; j++)
                    P.J[i][j] += factor * P.J[k][j];
            }
        }
        make_consistent(&P);
        check_dependent(path_of(state), 2);
    }
}

/* Row 2 is a thousand times the difference of rows 0 and 1, which are close: round-off of S leaves it a pivot
 * far above round-off. The multiplier is the shortest one all the same, and a contradiction is found. */
static void dependence_with_large_coefficients(void **state) {
    for (int trial = 0; trial < 20; trial++) {
        fill_random(&P, 8, 5, trial % 2);
        for (int j = 0; j < 8; j++) {
            P.J[2][j] = P.J[1][j];
            P.J[1][j] = P.J[0][j] + 1e-3 * P.J[2][j];
        }
        make_consistent(&P);
        double reference[MOST];
        keel_saddle *K;
        assert_int_equal(solve_keeping(&P, path_of(state), &K), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-13);
        /* y was up to 1e4 longer before: its round-off remains */
        assert_int_equal(keel_saddle_least_norm(K, P.y), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-11);
        least_norm_reference(&P, reference);
        assert_true(largest_difference(P.y, reference, P.m) <= 1e-9 * largest_of(reference, P.m));
        keel_saddle_free(K);
        P.s[2] += 1;
        assert_int_equal(solve(&P, path_of(state)), KEEL_INCONSISTENT);
        assert_true(largest_of(P.y, P.m) <= 1e10);
    }
}

static void more_rows_than_unknowns(void **state) {
    for (int trial = 0; trial < 20; trial++) {
        int n = uniform_int(1, 12);
        fill_random(&P, n, n + uniform_int(1, 6), trial % 2);
        make_consistent(&P);
        check_dependent(path_of(state), 4);
    }
}

static void zero_row(void **state) {
    fill_random(&P, 5, 3, 0);
    memset(P.J[1], 0, sizeof P.J[1]);
    make_consistent(&P);
    check_dependent(path_of(state), 1);
    assert_true(P.y[1] == 0);

    /* and one that asks for the impossible: 0 x = 2 */
    P.s[1] = 2;
    assert_int_equal(solve(&P, path_of(state)), KEEL_INCONSISTENT);
    assert_int_equal(P.info.worst_row, 1);
    P.s[1] = 0;
    assert_true(residual_of(&P) <= 1e-13);
}

/* Rows 0 and 2 are equal and ask for different values: least squares takes the mean. */
static void contradiction_takes_the_mean(void **state) {
    fill_random(&P, 6, 3, 0);
    copy_row(&P, 2, 0, 1);
    make_consistent(&P);
    P.s[0] += 1;
    P.s[2] -= 1;
    Q = P;
    Q.m = 2;
    Q.s[0] -= 1;
    assert_int_equal(solve(&Q, path_of(state)), KEEL_OK);
    assert_int_equal(solve(&P, path_of(state)), KEEL_INCONSISTENT);
    assert_true(largest_difference(P.x, Q.x, P.n) <= 1e-12 * largest_of(Q.x, P.n));
    assert_true(P.info.worst_row == 0 || P.info.worst_row == 2);
    assert_true(P.info.residual > 0.1);
    /* the forces are those of the mean as well, however they are shared */
    assert_close(P.y[0] + P.y[2], Q.y[0], 1e-12 * largest_of(Q.y, 2));
    assert_close(P.y[1], Q.y[1], 1e-12 * largest_of(Q.y, 2));
    assert_true(largest_of(P.y, P.m) <= 1e3);
}

/* Random contradictions: x satisfies the normal equations of the unit rows, and y does not grow with the
 * number of refinements allowed. */
static void contradictions_stay_bounded(void **state) {
    for (int trial = 0; trial < 30; trial++) {
        int n = uniform_int(4, 20), m = uniform_int(2, n - 1);
        fill_random(&P, n, m + 2, trial % 2);
        copy_row(&P, m, 0, 2);
        for (int j = 0; j < n; j++)
            P.J[m + 1][j] = P.J[0][j] - P.J[1][j];
        make_consistent(&P);
        P.s[m] += 0.5;
        P.s[m + 1] -= 0.3;
        assert_int_equal(solve(&P, path_of(state)), KEEL_INCONSISTENT);
        assert_true(largest_of(P.x, n) <= 1e4 && largest_of(P.y, P.m) <= 1e6);
        double gradient[MOST] = {0};
        for (int i = 0; i < P.m; i++) {
            double rest = P.s[i], square = 0;
            for (int j = 0; j < n; j++) {
                rest -= P.J[i][j] * P.x[j];
                square += P.J[i][j] * P.J[i][j];
            }
            for (int j = 0; j < n; j++)
                gradient[j] += P.J[i][j] * rest / square;
        }
        assert_true(largest_of(gradient, n) <= 1e-11 * largest_of(P.x, n));
    }
}

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
    assert_true(P.info.refinements <= 6);
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

/* After a factorization that needed the slow way the next one starts afresh. */
static void one_factorization_leaves_no_trace(void **state) {
    fill_random(&P, 8, 4, 0);
    for (int i = 0; i < 4; i++)
        P.s[i] = uniform(-1, 1);
    keel_saddle *K;
    assert_int_equal(solve_keeping(&P, path_of(state), &K), KEEL_OK);
    Q = P;
    copy_row(&Q, 3, 0, 1);
    pack(&Q);
    assert_int_equal(factor(K, &Q), KEEL_OK);
    assert_int_equal(keel_saddle_solve(K, Q.r, Q.s, Q.x, Q.y, NULL), KEEL_INCONSISTENT);
    assert_int_equal(keel_saddle_least_norm(K, Q.y), KEEL_OK);
    assert_int_equal(keel_saddle_regularized(K), 1);
    /* other rows are dependent now */
    Q = P;
    copy_row(&Q, 2, 1, -1);
    make_consistent(&Q);
    pack(&Q);
    double reference[MOST];
    assert_int_equal(factor(K, &Q), KEEL_OK);
    assert_int_equal(keel_saddle_solve(K, Q.r, Q.s, Q.x, Q.y, NULL), KEEL_OK);
    assert_int_equal(keel_saddle_least_norm(K, Q.y), KEEL_OK);
    assert_true(residual_of(&Q) <= 1e-13);
    least_norm_reference(&Q, reference);
    assert_true(largest_difference(Q.y, reference, 4) <= 1e-11 * largest_of(reference, 4));
    assert_int_equal(factor(K, &P), KEEL_OK);
    assert_int_equal(keel_saddle_regularized(K), 0);
    assert_int_equal(keel_saddle_solve(K, P.r, P.s, Q.x, Q.y, NULL), KEEL_OK);
    assert_memory_equal(Q.x, P.x, sizeof P.x);
    assert_memory_equal(Q.y, P.y, sizeof P.y);
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
    assert_true(P.info.residual < 1e-2 && P.info.residual > 1e-14);
    assert_close(P.info.residual, residual_of(&P), 1e-14);
    keel_saddle_free(K);
}

static const keel_saddle_path DENSE = KEEL_SADDLE_DENSE, SPARSE = KEEL_SADDLE_SPARSE,
                              NULL_SPACE = KEEL_SADDLE_NULL_SPACE;

#define ON(path, label, test)                                                                                \
    { #test " (" label ")", test, NULL, NULL, (void *)&path }
#define TWO_PATHS(test) ON(DENSE, "dense", test), ON(SPARSE, "sparse", test)
#define ALL_PATHS(test) TWO_PATHS(test), ON(NULL_SPACE, "null space", test)

int main(void) {
    const struct CMUnitTest tests[] = {
        ALL_PATHS(full_rank_needs_one_solve),
        ALL_PATHS(sparse_patterns),
        ALL_PATHS(equal_rows_share),
        ALL_PATHS(scaled_rows_share_by_length),
        ALL_PATHS(combinations_of_rows),
        ALL_PATHS(dependence_with_large_coefficients),
        ALL_PATHS(more_rows_than_unknowns),
        ALL_PATHS(zero_row),
        ALL_PATHS(contradiction_takes_the_mean),
        ALL_PATHS(contradictions_stay_bounded),
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
        ALL_PATHS(no_constraints),
        ALL_PATHS(nothing_at_all),
        ALL_PATHS(right_sides_may_alias_or_be_missing),
        ALL_PATHS(nothing_is_kept_by_reference),
        ALL_PATHS(one_factorization_leaves_no_trace),
        ALL_PATHS(values_that_are_not_finite),
        ALL_PATHS(units_of_rows_do_not_matter),
        ALL_PATHS(loose_tolerance_takes_the_first_answer),
        TWO_PATHS(refinements_may_be_forbidden), /* the null space needs none */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

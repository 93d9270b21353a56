/* Chains with points that have no mass: the mass matrix is singular, the saddle-point matrix is not. */
#include <stdbool.h>

#include "../../bench/saddle_systems.h"
#include "linalg_helper.h"

static problem P;

/* Element by element: 'b' a planar body (x, y, angle), 'p' a point without mass, 'm' one with mass (x, y).
 * Each is pinned to the one before, the first one to the ground if asked: two rows of J per joint, `copies`
 * of them. */
static int coordinates(char element) {
    return element == 'b' ? 3 : 2;
}

static void put_joint_end(saddle_system *S, int row, char element, int first, int axis, double sign) {
    saddle_put_J(S, row, first + axis, sign);
    if (element == 'b')
        saddle_put_J(S, row, first + 2, sign * uniform(-0.5, 0.5));
}

static saddle_system chain_of(const char *elements, bool grounded, int copies) {
    int count = (int)strlen(elements), n = 0, joints = count - 1 + grounded, m = 2 * copies * joints;
    for (int e = 0; e < count; e++)
        n += coordinates(elements[e]);
    saddle_system S = saddle_system_new(n, m, n, 6 * m);
    for (int i = 0; i < n; i++) {
        saddle_next_row(S.A_start, i);
        saddle_put_A(&S, i, i, uniform(0.1, 10));
    }
    uint64_t seed = random_state;
    for (int row = 0; row < m; row++) {
        if (row % (2 * joints) == 0)
            random_state = seed; /* every copy has the same numbers */
        int joint = row / 2 % joints, second = joint + 1 - grounded, first = 0;
        saddle_next_row(S.J_start, row);
        for (int e = 0; e < second - 1; e++)
            first += coordinates(elements[e]);
        if (second > 0) {
            put_joint_end(&S, row, elements[second - 1], first, row % 2, 1);
            first += coordinates(elements[second - 1]);
        }
        put_joint_end(&S, row, elements[second], first, row % 2, -1);
        S.s[row] = sin(1 + joint + 0.5 * (row % 2));
    }
    for (int e = 0, first = 0; e < count; first += coordinates(elements[e++]))
        if (elements[e] == 'p')
            S.A_values[first] = S.A_values[first + 1] = 0;
    return S;
}

/* The larger of the residuals of both blocks, against their largest terms, in extended precision. */
static double residual_of_system(const saddle_system *S, const double *D) {
    int n = S->A.rows, m = S->J.rows;
    long double *rest = calloc((size_t)n, sizeof *rest), first = 0, second = 0, first_size = 0,
                second_size = 0;
    for (int i = 0; i < n; i++) {
        rest[i] = S->r[i];
        for (int p = S->A_start[i]; p < S->A_start[i + 1]; p++) {
            rest[i] -= (long double)S->A_values[p] * S->x[S->A_index[p]]; /* diagonal */
            first_size = fmaxl(first_size, fabsl((long double)S->A_values[p] * S->x[S->A_index[p]]));
        }
    }
    for (int k = 0; k < m; k++) {
        long double gap = S->s[k] + (D ? (long double)D[k] * S->y[k] : 0);
        for (int p = S->J_start[k]; p < S->J_start[k + 1]; p++) {
            gap -= (long double)S->J_values[p] * S->x[S->J_index[p]];
            rest[S->J_index[p]] -= (long double)S->J_values[p] * S->y[k];
            first_size = fmaxl(first_size, fabsl((long double)S->J_values[p] * S->y[k]));
            second_size = fmaxl(second_size, fabsl((long double)S->J_values[p] * S->x[S->J_index[p]]));
        }
        second = fmaxl(second, fabsl(gap));
    }
    for (int i = 0; i < n; i++)
        first = fmaxl(first, fabsl(rest[i]));
    free(rest);
    return (double)fmaxl(first / first_size, second / second_size);
}

static keel_saddle *kernel_of(const saddle_system *S, keel_saddle_path path) {
    keel_saddle_settings settings = keel_saddle_settings_default();
    settings.path = path;
    keel_saddle *K = keel_saddle_new(S->A, S->J, &settings);
    assert_non_null(K);
    return K;
}

/* Of the last solve_system. */
static keel_saddle_info last;

static keel_status solve_system(keel_saddle *K, saddle_system *S, const double *D) {
    keel_status status = keel_saddle_factor(K, S->A_values, S->J_values, D);
    return status < 0 ? status : keel_saddle_solve(K, S->r, S->s, S->x, S->y, &last);
}

static void random_elements(char *elements, int count) {
    for (int e = 0; e < count; e++)
        elements[e] = "bbmpp"[uniform_int(0, 4)];
    elements[count / 2] = 'b';
    elements[count] = 0;
}

/* Sparse against dense: same x, same y, residuals at round-off, as good as at once. */
static void assert_paths_agree(saddle_system *S, const double *D) {
    static const keel_saddle_path paths[] = {KEEL_SADDLE_SPARSE, KEEL_SADDLE_DENSE, KEEL_SADDLE_NULL_SPACE};
    int n = S->A.rows, m = S->J.rows;
    double *x = calloc((size_t)n, sizeof(double)), *y = calloc((size_t)m, sizeof(double));
    for (int k = 0; k < 3; k++) {
        keel_saddle *K = kernel_of(S, paths[k]);
        assert_int_equal(solve_system(K, S, D), KEEL_OK);
        assert_int_equal(keel_saddle_bad_pivot(K), -1);
        assert_true(residual_of_system(S, D) <= 1e-13);
        assert_true(last.refinements <= 1);
        keel_saddle_free(K);
        if (k > 0) {
            assert_true(largest_difference(x, S->x, n) <= 1e-11 * largest_of(x, n));
            assert_true(largest_difference(y, S->y, m) <= 1e-11 * largest_of(y, m));
        }
        memcpy(x, S->x, (size_t)n * sizeof(double));
        memcpy(y, S->y, (size_t)m * sizeof(double));
    }
    free(x);
    free(y);
}

static void ends_and_middle_on_all_paths(void **state) {
    (void)state;
    static const char *const shapes[] = {"pb",   "bp",    "bpb",     "pbp",     "pbpbp",      "bppb",
                                         "bpmp", "pbbpb", "bpppppb", "mpmpmpm", "pbbbbbbbbp", "bmppmb"};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int grounded = 0; grounded < 2; grounded++) {
            saddle_system S = chain_of(shapes[k], grounded, 1);
            assert_paths_agree(&S, NULL);
            saddle_system_clear(&S);
        }
    char elements[64];
    for (int trial = 0; trial < 30; trial++) {
        random_elements(elements, uniform_int(4, 40));
        saddle_system S = chain_of(elements, trial % 2, 1);
        assert_paths_agree(&S, NULL);
        saddle_system_clear(&S);
    }
}

/* n of about 600; the dense path once. */
static void long_chains(void **state) {
    (void)state;
    char elements[301];
    double largest_share = 0;
    for (int trial = 0; trial < 8; trial++) {
        random_elements(elements, 260);
        saddle_system S = chain_of(elements, trial % 2, 1);
        keel_saddle *K = kernel_of(&S, KEEL_SADDLE_SPARSE);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(solve_system(K, &S, NULL), KEEL_OK);
            assert_true(residual_of_system(&S, NULL) <= 1e-13);
        }
        double size = S.A.rows + S.J.rows;
        largest_share = fmax(largest_share, (double)keel_saddle_factor_entries(K) / size);
        if (trial == 0) {
            double *x = calloc((size_t)S.A.rows, sizeof(double));
            memcpy(x, S.x, (size_t)S.A.rows * sizeof(double));
            keel_saddle *dense = kernel_of(&S, KEEL_SADDLE_DENSE);
            assert_int_equal(solve_system(dense, &S, NULL), KEEL_OK);
            assert_true(residual_of_system(&S, NULL) <= 1e-13);
            assert_true(largest_difference(x, S.x, S.A.rows) <= 1e-11 * largest_of(x, S.A.rows));
            keel_saddle_free(dense);
            free(x);
        }
        keel_saddle_free(K);
        saddle_system_clear(&S);
    }
    /* as sparse as chains are: a few entries per unknown, not a number that grows with the chain */
    assert_true(largest_share <= 12);
}

/* Every joint twice: the same x, y shared by both. */
static void redundant_rows(void **state) {
    static const char *const shapes[] = {"pb", "bpb", "pbpbp", "bppmb", "pbbbbbbpbbbbbp"};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        uint64_t seed = random_state;
        saddle_system once = chain_of(shapes[k], true, 1);
        random_state = seed;
        saddle_system twice = chain_of(shapes[k], true, 2);
        keel_saddle *K = kernel_of(&once, path_of(state)), *K_twice = kernel_of(&twice, path_of(state));
        int n = once.A.rows, m = once.J.rows;
        assert_int_equal(solve_system(K, &once, NULL), KEEL_OK);
        assert_int_equal(solve_system(K_twice, &twice, NULL), KEEL_OK);
        assert_int_equal(keel_saddle_regularized(K_twice), 1);
        assert_true(residual_of_system(&twice, NULL) <= 1e-13);
        assert_true(largest_difference(once.x, twice.x, n) <= 1e-12 * largest_of(once.x, n));
        assert_int_equal(keel_saddle_least_norm(K_twice, twice.y), KEEL_OK);
        for (int i = 0; i < m; i++) {
            assert_close(twice.y[i], once.y[i] / 2, 1e-11 * largest_of(once.y, m));
            assert_close(twice.y[m + i], once.y[i] / 2, 1e-11 * largest_of(once.y, m));
        }
        keel_saddle_free(K);
        keel_saddle_free(K_twice);
        saddle_system_clear(&once);
        saddle_system_clear(&twice);
    }
}

/* More dependent rows than the kernel keeps a basis for. */
static void many_redundant_rows(void **state) {
    (void)state;
    char elements[61];
    random_elements(elements, 60);
    saddle_system S = chain_of(elements, true, 2);
    keel_saddle *K = kernel_of(&S, KEEL_SADDLE_SPARSE);
    assert_int_equal(solve_system(K, &S, NULL), KEEL_OK);
    assert_true(residual_of_system(&S, NULL) <= 1e-13);
    keel_saddle_free(K);
    saddle_system_clear(&S);
}

/* Copies of rows that differ by 1e-7 in one place, which settings.dependent tells apart; with penalties
 * beside. */
static void nearly_redundant_rows(void **state) {
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        saddle_system S = chain_of(trial % 2 ? "pbmpbbp" : "bppbmb", true, 2);
        int m = S.J.rows;
        double *D = calloc((size_t)m, sizeof(double)), x[40];
        for (int k = m / 2; k < m; k++)
            S.J_values[S.J_start[k]] *= 1 + 1e-7 * uniform(0.5, 1);
        /* consistent: s = J x for some x */
        for (int k = 0; k < m; k++) {
            S.s[k] = 0;
            for (int p = S.J_start[k]; p < S.J_start[k + 1]; p++)
                S.s[k] += S.J_values[p] * sin(1 + S.J_index[p]);
            D[k] = trial % 4 < 2 && k % 5 == 0 ? 0.3 : 0;
        }
        keel_saddle *K = kernel_of(&S, KEEL_SADDLE_SPARSE), *dense = kernel_of(&S, KEEL_SADDLE_NULL_SPACE);
        assert_int_equal(solve_system(dense, &S, D), KEEL_OK);
        memcpy(x, S.x, (size_t)S.A.rows * sizeof(double));
        assert_int_equal(keel_saddle_factor(K, S.A_values, S.J_values, D), KEEL_OK);
        for (int again = 0; again < 3; again++) {
            assert_int_equal(keel_saddle_solve(K, S.r, S.s, S.x, S.y, &last), KEEL_OK);
            assert_true(last.refinements <= (again ? 1 : 3));
            assert_true(residual_of_system(&S, D) <= 1e-13);
            /* 1e-16 / 1e-7, and the condition of the rest */
            assert_true(largest_difference(x, S.x, S.A.rows) <= 1e-6 * largest_of(x, S.A.rows));
        }
        keel_saddle_free(K);
        keel_saddle_free(dense);
        free(D);
        saddle_system_clear(&S);
    }
}

/* Rows with D > 0, small, of the size of 1 / mass, and large, beside rows without. */
static void penalties(void **state) {
    (void)state;
    static const double sizes[] = {0, 1e-6, 0.3, 1e4};
    char elements[32];
    for (int trial = 0; trial < 20; trial++) {
        random_elements(elements, uniform_int(4, 20));
        saddle_system S = chain_of(elements, trial % 2, 1);
        double *D = calloc((size_t)S.J.rows, sizeof(double));
        for (int i = 0; i < S.J.rows; i++)
            D[i] = trial < 4 ? sizes[trial] : sizes[uniform_int(0, 3)] * uniform(0.5, 1.5);
        assert_paths_agree(&S, D);
        free(D);
        saddle_system_clear(&S);
    }
}

/* An isolated coordinate, two of them, and a massless point whose one row leaves it a direction. */
static void names_what_nothing_holds(void **state) {
    for (int trial = 0; trial < 30; trial++) {
        int n = uniform_int(4, 20), alone = uniform_int(0, n - 2);
        fill_random(&P, n, 2, 1);
        P.A[alone][alone] = 0;
        P.J[0][alone] = P.J[1][alone] = 0;
        if (trial % 2) {
            P.A[n - 1][n - 1] = 0;
            P.J[0][n - 1] = P.J[1][n - 1] = 0;
        }
        keel_saddle *K = new_kernel(&P, path_of(state));
        for (int again = 0; again < 2; again++) {
            assert_int_equal(factor(K, &P), KEEL_ERROR_SINGULAR);
            assert_int_equal(keel_saddle_bad_pivot(K), alone);
        }
        keel_saddle_free(K);
    }
    /* x_1 + c x_2 is given, so (c, -1) is free: the one that moves more is named, of two alike the first */
    static const double slopes[] = {3, 0.25, 1, -1};
    static const int named[] = {1, 2, 1, 1};
    for (int k = 0; k < 4; k++) {
        fill_random(&P, 4, 1, 1);
        P.A[1][1] = P.A[2][2] = 0;
        P.J[0][1] = 1;
        P.J[0][2] = slopes[k];
        keel_saddle *K = new_kernel(&P, path_of(state));
        assert_int_equal(factor(K, &P), KEEL_ERROR_SINGULAR);
        assert_int_equal(keel_saddle_bad_pivot(K), named[k]);
        keel_saddle_free(K);
    }
}

/* The middle point of three, and the rows say something about the ends only. */
static void constraints_elsewhere_do_not_help(void **state) {
    fill_random(&P, 6, 3, 1);
    P.A[2][2] = P.A[3][3] = 0;
    memset(P.J, 0, sizeof P.J);
    P.J[0][0] = P.J[1][1] = P.J[2][2] = 1;
    P.J[0][5] = P.J[1][4] = P.J[2][4] = -1;
    keel_saddle *K = new_kernel(&P, path_of(state));
    assert_int_equal(factor(K, &P), KEEL_ERROR_SINGULAR);
    assert_int_equal(keel_saddle_bad_pivot(K), 3);
    keel_saddle_free(K);
}

/* A point on five rods, each with a mass at its other end. The two that hold it best at the start, across
 * each other, lie on one line later. */
static void fill_rods(int rods, double first, double second) {
    const double direction[5] = {first, second, 0.8, 1.1, -0.9};
    memset(&P, 0, sizeof P);
    P.n = 2 + rods;
    P.m = rods;
    for (int k = 0; k < rods; k++) {
        /* the pattern must not change where a number is zero */
        P.J[k][0] = cos(direction[k]) + 1e-300;
        P.J[k][1] = sin(direction[k]) + 1e-300;
        P.J[k][2 + k] = -1;
        P.A[2 + k][2 + k] = 2 + k;
        P.s[k] = 0.5 - k;
    }
    for (int i = 0; i < P.n; i++)
        P.r[i] = 1 + i;
}

static void rows_that_hold_change(void **state) {
    fill_rods(5, 0, 1.570796326794896);
    keel_saddle *K = new_kernel(&P, path_of(state));
    for (int step = 0; step <= 17; step++) {
        fill_rods(5, 0, step == 0 ? 1.570796326794896 : step == 17 ? 0 : pow(10, 1 - step));
        pack(&P);
        assert_int_equal(factor(K, &P), KEEL_OK);
        assert_int_equal(keel_saddle_solve(K, P.r, P.s, P.x, P.y, &P.info), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-14);
        assert_int_equal(keel_saddle_regularized(K), 0);
        assert_true(P.info.refinements <= 1);
    }
    keel_saddle_free(K);
}

/* Two rods close to one line are all that holds the point: as good as it gets. */
static void held_weakly(void **state) {
    fill_rods(2, 0.7, 1.7);
    keel_saddle *K = new_kernel(&P, path_of(state));
    for (int step = 0; step <= 6; step++) {
        fill_rods(2, 0.7, 0.7 + pow(10, -step));
        pack(&P);
        assert_int_equal(factor(K, &P), KEEL_OK);
        assert_int_equal(keel_saddle_solve(K, P.r, P.s, P.x, P.y, &P.info), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-13);
    }
    keel_saddle_free(K);
}

/* cos(pi / 2) is 6e-17, not zero: a row that holds the point alone, and looks as if a mass were behind it. */
static void entries_of_round_off(void **state) {
    for (int trial = 0; trial < 20; trial++) {
        memset(&P, 0, sizeof P);
        P.n = 5;
        P.m = 3;
        for (int i = 2; i < 5; i++)
            P.A[i][i] = uniform(0.5, 2);
        double small = trial ? 6e-17 * pow(10, trial / 2) : 6e-17;
        P.J[0][0] = P.J[1][1] = 1;
        P.J[0][2] = small;
        P.J[1][3] = -small;
        P.J[2][0] = 0.6;
        P.J[2][1] = 0.8;
        P.J[2][4] = -1;
        for (int i = 0; i < 5; i++)
            P.r[i] = uniform(-1, 1);
        for (int k = 0; k < 3; k++)
            P.s[k] = uniform(-1, 1);
        assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-14);
        assert_true(P.info.refinements <= 1);
    }
}

/* Mass comes and goes with the values, in points that are not known before. */
static void masses_change(void **state) {
    enum { POINTS = 14 };
    static const int coordinate[POINTS] = {3, 4, 5, 6, 10, 11, 15, 16, 17, 18, 19, 20, 24, 25};
    saddle_system S = chain_of("bmmbmbmmmbm", true, 1);
    keel_saddle *K = kernel_of(&S, path_of(state));
    for (int turn = 0; turn < 40; turn++) {
        int i = coordinate[uniform_int(0, POINTS - 1)];
        double mass = S.A_values[i];
        if (turn > 2)
            S.A_values[i] = 0;
        assert_int_equal(solve_system(K, &S, NULL), KEEL_OK);
        assert_true(residual_of_system(&S, NULL) <= 1e-13);
        if (turn % 3)
            S.A_values[i] = mass;
    }
    keel_saddle_free(K);
    saddle_system_clear(&S);
}

/* A rod in space has no inertia about its axis e: I = 1 - e e^T, no row of it zero. A row holds the axis. */
static void rod_without_inertia_about_its_axis(void **state) {
    for (int trial = 0; trial < 20; trial++) {
        fill_random(&P, 12, 4, 1);
        double e[3], length = 0;
        for (int i = 0; i < 3; i++) {
            e[i] = uniform(0.2, 1);
            length += e[i] * e[i];
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                P.A[4 + i][4 + j] = (i == j) - e[i] * e[j] / length;
        for (int i = 0; i < 4; i++)
            P.s[i] = uniform(-1, 1);
        assert_int_equal(solve(&P, path_of(state)), KEEL_OK);
        assert_true(residual_of(&P) <= 1e-13);
        /* rows that see only what is across: nothing holds the axis */
        for (int k = 0; k < 4; k++) {
            double along = 0;
            for (int i = 0; i < 3; i++)
                along += P.J[k][4 + i] * e[i] / length;
            for (int i = 0; i < 3; i++)
                P.J[k][4 + i] -= along * e[i];
        }
        keel_saddle *K = new_kernel(&P, path_of(state));
        assert_int_equal(factor(K, &P), KEEL_ERROR_SINGULAR);
        int bad = keel_saddle_bad_pivot(K), most = e[0] > e[1] ? 0 : 1;
        assert_int_equal(bad, 4 + (e[2] > e[most] ? 2 : most));
        keel_saddle_free(K);
    }
}

/* Masses from a grain to a ship in one chain. */
static void masses_of_all_sizes(void **state) {
    char elements[41];
    for (int trial = 0; trial < 20; trial++) {
        random_elements(elements, 40);
        saddle_system S = chain_of(elements, trial % 2, 1);
        for (int i = 0; i < S.A.rows; i++)
            S.A_values[i] *= pow(10, uniform(-5, 5));
        keel_saddle *K = kernel_of(&S, path_of(state));
        keel_saddle_info info;
        assert_int_equal(keel_saddle_factor(K, S.A_values, S.J_values, NULL), KEEL_OK);
        assert_int_equal(keel_saddle_solve(K, S.r, S.s, S.x, S.y, &info), KEEL_OK);
        assert_true(info.residual <= 1e-14);
        keel_saddle_free(K);
        saddle_system_clear(&S);
    }
}

/* Rows of one to four entries, a quarter of the coordinates without mass, some systems singular. */
static void fill_sparse(uint64_t seed) {
    random_state = 88172645463325252u * seed + 977 * seed;
    for (int skip = 0; skip < 5; skip++)
        uniform(0, 1);
    int n = uniform_int(2, 25), m = uniform_int(1, n);
    fill_random(&P, n, m, 1);
    memset(P.J, 0, sizeof P.J);
    for (int k = 0; k < m; k++)
        for (int entries = uniform_int(1, 4); entries > 0; entries--) {
            int i = uniform_int(0, n - 1);
            P.J[k][i] = seed % 2 ? uniform_int(-2, 2) : uniform(-1, 1);
        }
    for (int i = 0; i < n; i++)
        P.A[i][i] = uniform(0, 1) < 0.25 ? 0 : P.A[i][i];
    P.has_D = seed % 5 == 0;
    for (int k = 0; k < m && P.has_D; k++)
        P.D[k] = uniform(0, 1) < 0.3 ? uniform(0, 1) : 0;
    make_consistent(&P);
}

/* The last ones have a null space of J that is known to 1e-12 only, and nothing but round-off for a mass
 * there. */
static void all_paths_judge_alike(void **state) {
    (void)state;
    static const keel_saddle_path paths[] = {KEEL_SADDLE_SPARSE, KEEL_SADDLE_DENSE, KEEL_SADDLE_NULL_SPACE};
    static const uint64_t hard[] = {17714, 15976};
    int regular = 0, singular = 0;
    for (uint64_t trial = 1; trial <= 402; trial++) {
        fill_sparse(trial <= 400 ? trial : hard[trial - 401]);
        keel_status status[3];
        int bad[3];
        for (int k = 0; k < 3; k++) {
            keel_saddle *K;
            status[k] = solve_keeping(&P, paths[k], &K);
            bad[k] = keel_saddle_bad_pivot(K);
            assert_true(status[k] < 0 || residual_of(&P) <= 1e-13);
            assert_int_equal(status[k], status[0]);
            assert_int_equal(bad[k], bad[0]);
            keel_saddle_free(K);
        }
        assert_true(status[0] == KEEL_OK || status[0] == KEEL_ERROR_SINGULAR);
        assert_true(status[0] == KEEL_OK || P.A[bad[0]][bad[0]] == 0);
        regular += status[0] == KEEL_OK;
        singular += status[0] != KEEL_OK;
    }
    assert_true(regular > 50 && singular > 50);
}

/* A system with masses everywhere has the factor that its pattern asks for: a chain of bodies has 3 + 2
 * pivots per body, and below the diagonal 4 entries of J in each of 2 rows, the coupling of the 2 rows of a
 * joint, and 4 entries with the next joint. */
static void ordinary_chains_pay_nothing(void **state) {
    (void)state;
    enum { BODIES = 100 };
    saddle_system S = saddle_chain(BODIES, 1);
    keel_saddle *K = kernel_of(&S, KEEL_SADDLE_SPARSE);
    long entries = keel_saddle_factor_entries(K);
    assert_int_equal(entries, 5 * BODIES + (8 * BODIES - 4) + BODIES + 4 * (BODIES - 1));
    assert_int_equal(solve_system(K, &S, NULL), KEEL_OK);
    assert_int_equal(keel_saddle_factor_entries(K), entries);
    /* the last body becomes a massless one, held by its joint; only its own unknowns are coupled */
    S.A_values[3 * BODIES - 3] = S.A_values[3 * BODIES - 2] = 0;
    assert_int_equal(solve_system(K, &S, NULL), KEEL_OK);
    assert_true(keel_saddle_factor_entries(K) > entries);
    assert_true(keel_saddle_factor_entries(K) <= entries + 40);
    keel_saddle_free(K);
    saddle_system_clear(&S);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_and_middle_on_all_paths),
        cmocka_unit_test(long_chains),
        TWO_PATHS(redundant_rows),
        cmocka_unit_test(many_redundant_rows),
        cmocka_unit_test(nearly_redundant_rows),
        cmocka_unit_test(penalties),
        ALL_PATHS(names_what_nothing_holds),
        ALL_PATHS(constraints_elsewhere_do_not_help),
        ALL_PATHS(rows_that_hold_change),
        ALL_PATHS(held_weakly),
        ALL_PATHS(entries_of_round_off),
        cmocka_unit_test(all_paths_judge_alike),
        TWO_PATHS(masses_change),
        ALL_PATHS(rod_without_inertia_about_its_axis),
        TWO_PATHS(masses_of_all_sizes),
        cmocka_unit_test(ordinary_chains_pay_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

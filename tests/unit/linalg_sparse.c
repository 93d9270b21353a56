/* Large systems: chains of bodies, many dependent rows, and the choice between the two paths. */
#include "../../bench/saddle_systems.h"
#include "linalg/saddle_internal.h"
#include "linalg_helper.h"

static keel_saddle *factored(const saddle_system *system, keel_saddle_path path) {
    keel_saddle_settings settings = keel_saddle_settings_default();
    settings.path = path;
    keel_saddle *K = keel_saddle_new(system->A, system->J, &settings);
    assert_non_null(K);
    assert_int_equal(keel_saddle_factor(K, system->A_values, system->J_values, NULL), KEEL_OK);
    return K;
}

static keel_status solve_system(keel_saddle *K, saddle_system *system, keel_saddle_info *info) {
    return keel_saddle_solve(K, system->r, system->s, system->x, system->y, info);
}

/* Largest |s - J x|; the rows of the chain are of length one to 1.5. */
static double violation(const saddle_system *system) {
    double most = 0;
    for (int i = 0; i < system->J.rows; i++) {
        double rest = system->s[i];
        for (int p = system->J.start[i]; p < system->J.start[i + 1]; p++)
            rest -= system->J_values[p] * system->x[system->J.index[p]];
        most = fmax(most, fabs(rest));
    }
    return most;
}

static void long_chain(void **state) {
    (void)state;
    saddle_system chain = saddle_chain(10000, 1);
    keel_saddle *K = factored(&chain, KEEL_SADDLE_AUTO);
    assert_int_equal(keel_saddle_path_taken(K), KEEL_SADDLE_SPARSE);
    keel_saddle_info info;
    assert_int_equal(solve_system(K, &chain, &info), KEEL_OK);
    assert_true(info.residual <= 1e-14 && info.refinements == 0);
    assert_true(violation(&chain) <= 1e-13 * largest_of(chain.x, chain.A.rows));
    keel_saddle_free(K);
    saddle_system_clear(&chain);
}

/* The factor of a chain grows with its length, in whatever order the joints are written down. */
static void entries_grow_linearly(void **state) {
    (void)state;
    for (int stride = 1; stride <= 7; stride += 6) {
        saddle_system small = saddle_chain(1000, stride), large = saddle_chain(4000, stride);
        keel_saddle *K = factored(&small, KEEL_SADDLE_SPARSE), *L = factored(&large, KEEL_SADDLE_SPARSE);
        assert_true((double)keel_saddle_factor_entries(L) <= 4.2 * (double)keel_saddle_factor_entries(K));
        /* 5 unknowns per body and about 13 entries below them */
        assert_true(keel_saddle_factor_entries(K) <= 22 * 1000);
        keel_saddle_free(K);
        keel_saddle_free(L);
        saddle_system_clear(&small);
        saddle_system_clear(&large);
    }
}

static void paths_agree(void **state) {
    (void)state;
    for (int bodies = 1; bodies <= 30; bodies += 4) {
        saddle_system a = saddle_chain(bodies, bodies % 7 ? 7 : 5),
                      b = saddle_chain(bodies, bodies % 7 ? 7 : 5);
        keel_saddle *K = factored(&a, KEEL_SADDLE_DENSE), *L = factored(&b, KEEL_SADDLE_SPARSE);
        assert_int_equal(solve_system(K, &a, NULL), KEEL_OK);
        assert_int_equal(solve_system(L, &b, NULL), KEEL_OK);
        assert_true(largest_difference(a.x, b.x, a.A.rows) <= 1e-9 * largest_of(a.x, a.A.rows));
        assert_true(largest_difference(a.y, b.y, a.J.rows) <= 1e-9 * largest_of(a.y, a.J.rows));
        keel_saddle_free(K);
        keel_saddle_free(L);
        saddle_system_clear(&a);
        saddle_system_clear(&b);
    }
}

/* A chain whose every joint is written down `copies` times. */
static saddle_system with_copies(int bodies, int copies) {
    saddle_system chain = saddle_chain(bodies, 1);
    int m = chain.J.rows, count = chain.J.start[m];
    saddle_system all = saddle_system_new(3 * bodies, copies * m, 3 * bodies, copies * count);
    memcpy(all.A_start, chain.A_start, (size_t)(3 * bodies + 1) * sizeof(int));
    memcpy(all.A_index, chain.A_index, (size_t)(3 * bodies) * sizeof(int));
    memcpy(all.A_values, chain.A_values, (size_t)(3 * bodies) * sizeof(double));
    for (int row = 0; row < copies * m; row++) {
        saddle_next_row(all.J_start, row);
        for (int p = chain.J.start[row % m]; p < chain.J.start[row % m + 1]; p++)
            saddle_put_J(&all, row, chain.J.index[p], chain.J_values[p]);
        all.s[row] = chain.s[row % m];
    }
    saddle_system_clear(&chain);
    return all;
}

/* Up to 64 dependent rows a basis of their null space is kept, beyond it is implicit: 10, 64, 66 and 400 of
 * them. */
static void many_equal_rows_share(void **state) {
    (void)state;
    static const int bodies[] = {5, 32, 33, 200};
    for (int k = 0; k < 4; k++) {
        saddle_system system = with_copies(bodies[k], 2);
        keel_saddle *K = factored(&system, KEEL_SADDLE_SPARSE);
        int m = system.J.rows / 2;
        keel_saddle_info info;
        assert_int_equal(keel_saddle_regularized(K), 1);
        assert_int_equal(solve_system(K, &system, &info), KEEL_OK);
        assert_true(info.residual <= 1e-14 && info.refinements <= 1);
        assert_int_equal(keel_saddle_least_norm(K, system.y), KEEL_OK);
        assert_true(largest_difference(system.y, system.y + m, m) <= 1e-11 * largest_of(system.y, m));
        keel_saddle_free(K);
        saddle_system_clear(&system);
    }
}

static void contradiction_among_many_equal_rows(void **state) {
    (void)state;
    static const int bodies[] = {20, 60};
    for (int k = 0; k < 2; k++) {
        saddle_system system = with_copies(bodies[k], 2), mean = with_copies(bodies[k], 2);
        int m = system.J.rows / 2, row = m / 3;
        system.s[row] += 1;
        system.s[row + m] -= 1;
        keel_saddle *K = factored(&system, KEEL_SADDLE_SPARSE);
        keel_saddle_info info;
        assert_int_equal(solve_system(K, &mean, NULL), KEEL_OK);
        assert_int_equal(solve_system(K, &system, &info), KEEL_INCONSISTENT);
        assert_true(info.worst_row == row || info.worst_row == row + m);
        assert_true(largest_difference(system.x, mean.x, system.A.rows) <=
                    1e-10 * largest_of(mean.x, mean.A.rows));
        assert_true(largest_of(system.y, 2 * m) <= 1e6);
        keel_saddle_free(K);
        saddle_system_clear(&system);
        saddle_system_clear(&mean);
    }
}

/* Points in the plane whose masses are coupled from each to the next, as the tops of four-bar windows are; a
 * row of J for each of them, and one for each pair of neighbours. All rows `copies` times. */
static saddle_system coupled_points(int points, int copies) {
    int n = 2 * points, rows = 2 * points - 1;
    saddle_system system = saddle_system_new(n, copies * rows, 2 * n, 4 * copies * rows);
    for (int i = 0; i < n; i++) {
        saddle_next_row(system.A_start, i);
        if (i >= 2)
            saddle_put_A(&system, i, i - 2, 1 / 6.0);
        saddle_put_A(&system, i, i, 1 + 0.1 * (i % 3));
    }
    for (int row = 0; row < copies * rows; row++) {
        int k = row % rows / 2, pair = row % rows % 2;
        double angle = 0.3 + 0.9 * k + (pair ? 1.1 : 0);
        saddle_next_row(system.J_start, row);
        for (int axis = 0; axis < 2; axis++)
            saddle_put_J(&system, row, 2 * k + axis, axis ? sin(angle) : cos(angle));
        for (int axis = 0; axis < 2 && pair; axis++)
            saddle_put_J(&system, row, 2 * k + 2 + axis, axis ? -sin(angle) : -cos(angle));
        system.s[row] = cos(2 + 5.0 * (row % rows));
    }
    return system;
}

/* Eliminating all masses before the first constraint would couple each constraint with all others. */
static void coupled_masses_do_not_fill(void **state) {
    (void)state;
    saddle_system small = coupled_points(1000, 1), large = coupled_points(4000, 1);
    keel_saddle *K = factored(&small, KEEL_SADDLE_AUTO), *L = factored(&large, KEEL_SADDLE_AUTO);
    keel_saddle_info info;
    assert_int_equal(keel_saddle_path_taken(L), KEEL_SADDLE_SPARSE);
    assert_true((double)keel_saddle_factor_entries(L) <= 4.2 * (double)keel_saddle_factor_entries(K));
    assert_true(keel_saddle_factor_work(L) <= 4.2 * keel_saddle_factor_work(K));
    assert_int_equal(solve_system(L, &large, &info), KEEL_OK);
    assert_true(info.residual <= 1e-14);
    keel_saddle_free(K);
    keel_saddle_free(L);
    saddle_system_clear(&small);
    saddle_system_clear(&large);
}

/* The same with all rows twice, in an order with constraints between the masses: the copies are found (their
 * number is known), x is that of the dense path, and the shortest y gives both copies the same share. 9 and
 * 50 points have 17 and 99 dependent rows: with a basis of their null space, and without. */
static void copies_among_coupled_masses(void **state) {
    (void)state;
    static const int points[] = {9, 50};
    for (int k = 0; k < 2; k++) {
        saddle_system a = coupled_points(points[k], 2), b = coupled_points(points[k], 2);
        keel_saddle *K = factored(&a, KEEL_SADDLE_DENSE), *L = factored(&b, KEEL_SADDLE_SPARSE);
        int n = a.A.rows, m = a.J.rows / 2;
        assert_int_equal(L->pivots.count, m);
        assert_int_equal(solve_system(K, &a, NULL), KEEL_OK);
        assert_int_equal(solve_system(L, &b, NULL), KEEL_OK);
        assert_true(largest_difference(a.x, b.x, n) <= 1e-10 * largest_of(a.x, n));
        assert_int_equal(keel_saddle_least_norm(L, b.y), KEEL_OK);
        assert_true(largest_difference(b.y, b.y + m, m) <= 1e-11 * largest_of(b.y, m));
        keel_saddle_free(K);
        keel_saddle_free(L);
        saddle_system_clear(&a);
        saddle_system_clear(&b);
    }
}

/* A contradiction between two copies is named, and x is that of their mean. */
static void contradiction_among_coupled_masses(void **state) {
    (void)state;
    saddle_system system = coupled_points(20, 2), mean = coupled_points(20, 2);
    int m = system.J.rows / 2, row = m / 3, n = system.A.rows;
    system.s[row] += 1;
    system.s[row + m] -= 1;
    keel_saddle *K = factored(&system, KEEL_SADDLE_SPARSE);
    keel_saddle_info info;
    assert_int_equal(solve_system(K, &mean, NULL), KEEL_OK);
    assert_int_equal(solve_system(K, &system, &info), KEEL_INCONSISTENT);
    assert_true(info.worst_row == row || info.worst_row == row + m);
    assert_true(largest_difference(system.x, mean.x, n) <= 1e-10 * largest_of(mean.x, n));
    keel_saddle_free(K);
    saddle_system_clear(&system);
    saddle_system_clear(&mean);
}

/* Bodies on a line, each tied to the next, every second one lighter by `ratio`. With `copies` = 2 all ties
 * are written down again, with `difference` in an unknown of their own (the second half of the unknowns). */
static saddle_system tied_bodies(int bodies, double ratio, int copies, double difference) {
    int ties = bodies - 1, m = copies * ties, n = copies * bodies;
    saddle_system system = saddle_system_new(n, m, n, 3 * m);
    for (int i = 0; i < n; i++) {
        saddle_next_row(system.A_start, i);
        saddle_put_A(&system, i, i, i % 2 ? 1 : ratio);
        system.r[i] *= i % 2 ? 1 : ratio;
    }
    for (int row = 0; row < m; row++) {
        saddle_next_row(system.J_start, row);
        saddle_put_J(&system, row, row % ties, 1);
        saddle_put_J(&system, row, row % ties + 1, -1);
        if (row >= ties)
            saddle_put_J(&system, row, bodies + row % ties, difference);
    }
    return system;
}

/* 200 pivots of 1e-11, more than a basis is kept for, but none of them zero. */
static void many_light_bodies(void **state) {
    (void)state;
    saddle_system system = tied_bodies(401, 1e11, 1, 0);
    keel_saddle *K = factored(&system, KEEL_SADDLE_SPARSE);
    keel_saddle_info info;
    assert_int_equal(keel_saddle_regularized(K), 0);
    assert_int_equal(solve_system(K, &system, &info), KEEL_OK);
    assert_true(violation(&system) <= 1e-13 * largest_of(system.x, 401));
    double y = system.y[7];
    assert_int_equal(keel_saddle_least_norm(K, system.y), KEEL_OK);
    assert_true(system.y[7] == y);
    assert_int_equal(solve_system(K, &system, &info), KEEL_OK);
    assert_true(info.refinements <= 6);
    keel_saddle_free(K);
    saddle_system_clear(&system);
}

/* More nearly dependent rows than the sparse path keeps vectors for: not solved, but told, and nothing blows
 * up. */
static void too_many_nearly_dependent_rows(void **state) {
    (void)state;
    saddle_system system = tied_bodies(100, 1, 2, 1e-8);
    keel_saddle *K = factored(&system, KEEL_SADDLE_SPARSE);
    keel_saddle_info info;
    assert_int_equal(solve_system(K, &system, &info), KEEL_INACCURATE);
    assert_true(info.residual > 1e-3);
    assert_true(largest_of(system.x, 200) <= 1e6 && largest_of(system.y, 198) <= 1e6);
    /* the rows are independent: there is no null vector to take out */
    double y[198];
    memcpy(y, system.y, sizeof y);
    assert_int_equal(keel_saddle_least_norm(K, system.y), KEEL_OK);
    assert_memory_equal(y, system.y, sizeof y);
    keel_saddle_free(K);
    saddle_system_clear(&system);

    /* with fewer of them it is solved */
    system = tied_bodies(30, 1, 2, 1e-8);
    K = factored(&system, KEEL_SADDLE_SPARSE);
    assert_int_equal(solve_system(K, &system, &info), KEEL_OK);
    assert_true(violation(&system) <= 1e-13 * largest_of(system.x, 60));
    keel_saddle_free(K);
    saddle_system_clear(&system);
}

/* Bodies coupled by mass: A is not block-diagonal, its own fill comes first. */
static void mass_couples_bodies(void **state) {
    (void)state;
    enum { N = 500 };
    saddle_system system = saddle_system_new(N, N / 2, 2 * N, N);
    for (int i = 0; i < N; i++) {
        saddle_next_row(system.A_start, i);
        if (i > 0)
            saddle_put_A(&system, i, i - 1, -1);
        saddle_put_A(&system, i, i, 2.5);
    }
    for (int i = 0; i < N / 2; i++) {
        saddle_next_row(system.J_start, i);
        saddle_put_J(&system, i, 2 * i, 1 + 0.1 * (i % 3));
        saddle_put_J(&system, i, 2 * i + 1, -2);
    }
    keel_saddle *K = factored(&system, KEEL_SADDLE_SPARSE);
    keel_saddle_info info;
    assert_int_equal(solve_system(K, &system, &info), KEEL_OK);
    assert_true(info.residual <= 1e-14);
    assert_true(violation(&system) <= 1e-13 * largest_of(system.x, N));
    keel_saddle_free(K);
    saddle_system_clear(&system);
}

/* Pairs of unknowns coupled by mass, tied together to a binary tree, ties near the root first: in this order
 * S would fill up. To find a better one the ordering has to see through A which ties are neighbours. */
static void ordering_sees_through_mass(void **state) {
    (void)state;
    enum { PAIRS = 1023 };
    saddle_system system = saddle_system_new(2 * PAIRS, PAIRS - 1, 3 * PAIRS, 2 * PAIRS);
    for (int i = 0; i < 2 * PAIRS; i++) {
        saddle_next_row(system.A_start, i);
        if (i % 2)
            saddle_put_A(&system, i, i - 1, 1);
        saddle_put_A(&system, i, i, 2);
    }
    for (int row = 0; row < PAIRS - 1; row++) {
        int child = row + 1, parent = row / 2;
        saddle_next_row(system.J_start, row);
        saddle_put_J(&system, row, 2 * parent + 1, 1);
        saddle_put_J(&system, row, 2 * child, -1);
    }
    keel_saddle *K = factored(&system, KEEL_SADDLE_SPARSE);
    assert_int_equal(solve_system(K, &system, NULL), KEEL_OK);
    /* for each pair: 3 on the diagonal, 1 in A, about 5 in J with its fill, 2 in S */
    assert_true(keel_saddle_factor_entries(K) <= 12 * PAIRS);
    keel_saddle_free(K);
    saddle_system_clear(&system);
}

static void small_and_full_systems_are_dense(void **state) {
    (void)state;
    saddle_system systems[] = {saddle_chain(1, 1), saddle_andrews(), saddle_full(40, 20),
                               saddle_full(250, 100)};
    for (int k = 0; k < 4; k++) {
        keel_saddle *K = factored(&systems[k], KEEL_SADDLE_AUTO);
        assert_int_equal(keel_saddle_path_taken(K), KEEL_SADDLE_DENSE);
        keel_saddle_info info;
        assert_int_equal(solve_system(K, &systems[k], &info), KEEL_OK);
        assert_true(info.residual <= 1e-14);
        keel_saddle_free(K);
        saddle_system_clear(&systems[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_chain),
        cmocka_unit_test(entries_grow_linearly),
        cmocka_unit_test(coupled_masses_do_not_fill),
        cmocka_unit_test(copies_among_coupled_masses),
        cmocka_unit_test(contradiction_among_coupled_masses),
        cmocka_unit_test(paths_agree),
        cmocka_unit_test(many_equal_rows_share),
        cmocka_unit_test(contradiction_among_many_equal_rows),
        cmocka_unit_test(many_light_bodies),
        cmocka_unit_test(too_many_nearly_dependent_rows),
        cmocka_unit_test(mass_couples_bodies),
        cmocka_unit_test(ordering_sees_through_mass),
        cmocka_unit_test(small_and_full_systems_are_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Only the analysis allocates (again when A becomes singular), and it survives every allocation that fails.
 * The linker sends the allocations of the layer through the functions below (--wrap). */
#include <stdbool.h>

#include "../../bench/saddle_systems.h"
#include "keel/rank.h"
#include "linalg/eigen.h"
#include "linalg/lu.h"
#include "linalg/row_choice.h"
#include "linalg_helper.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static long allocations, failing = -1; /* the allocation that fails; -1: none */

static bool fails(void) {
    return allocations++ == failing;
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) {
    return fails() ? NULL : __real_realloc(block, size);
}

static problem P;

static void fill(int kind) {
    fill_random(&P, 40, 20, 0);
    for (int i = 0; i < P.m; i++)
        P.s[i] = uniform(-1, 1);
    if (kind >= 1) /* dependent, and contradicting */
        copy_row(&P, 19, 0, 1);
    if (kind == 2) /* nearly dependent too */
        for (int j = 0; j < P.n; j++)
            P.J[18][j] = P.J[1][j] + 1e-7 * j;
}

static void analysis_may_run_out_of_memory(void **state) {
    (void)state;
    static const keel_saddle_path paths[] = {KEEL_SADDLE_AUTO, KEEL_SADDLE_DENSE, KEEL_SADDLE_SPARSE};
    fill(0);
    pack(&P);
    for (int k = 0; k < 3; k++) {
        keel_saddle_settings settings = keel_saddle_settings_default();
        settings.path = paths[k];
        keel_saddle *K = NULL;
        long tried = 0;
        for (; !K; tried++) {
            allocations = 0;
            failing = tried;
            K = keel_saddle_new(P.A_pattern, P.J_pattern, &settings);
            failing = -1;
            assert_true(!K == (allocations > tried));
        }
        assert_true(tried > 3);
        assert_int_equal(factor(K, &P), KEEL_OK);
        keel_saddle_free(K);
    }
}

static void rank_may_run_out_of_memory(void **state) {
    (void)state;
    fill(1);
    pack(&P);
    keel_status status = KEEL_ERROR_MEMORY;
    keel_rank R;
    long tried = 0;
    for (; status; tried++) {
        allocations = 0;
        failing = tried;
        status = keel_rank_compute(P.J_pattern, P.J_values, 0, &R);
        failing = -1;
        assert_int_equal(status, allocations > tried ? KEEL_ERROR_MEMORY : KEEL_OK);
        if (status)
            assert_null(R.dependent);
    }
    assert_true(tried > 3);
    keel_rank_clear(&R);
}

/* Factoring, solving and the least norm, on all ways through the kernel. */
static void only_the_analysis_allocates(void **state) {
    (void)state;
    static const keel_saddle_path paths[] = {KEEL_SADDLE_DENSE, KEEL_SADDLE_SPARSE, KEEL_SADDLE_NULL_SPACE};
    for (int k = 0; k < 3; k++)
        for (int kind = 0; kind < 3; kind++) {
            fill(kind);
            keel_saddle *K = new_kernel(&P, paths[k]);
            allocations = 0;
            assert_int_equal(factor(K, &P), KEEL_OK);
            assert_int_equal(keel_saddle_solve(K, P.r, P.s, P.x, P.y, NULL),
                             kind ? KEEL_INCONSISTENT : KEEL_OK);
            assert_int_equal(keel_saddle_least_norm(K, P.y), KEEL_OK);
            assert_int_equal(allocations, 0);
            keel_saddle_free(K);
        }
}

/* Masses of a chain of points that come and go; the first one is held by the ground. */
static void fill_points(int massless) {
    memset(&P, 0, sizeof P);
    P.n = P.m = 30;
    for (int i = 0; i < P.n; i++) {
        P.A[i][i] = 1 + i % 3;
        P.J[i][i] = 1;
        if (i > 0)
            P.J[i][i - 1] = -1;
        P.r[i] = P.s[i] = 0.1 * i;
    }
    pack(&P);
    for (int i = 0; i < massless; i++)
        P.A_values[7 * i] = 0;
}

static void singular_a_allocates_once(void **state) {
    (void)state;
    fill_points(3);
    keel_saddle *K = new_kernel(&P, KEEL_SADDLE_SPARSE);
    fill_points(3);
    allocations = 0;
    assert_int_equal(factor(K, &P), KEEL_OK);
    assert_true(allocations > 0);
    allocations = 0;
    for (int massless = 0; massless <= 3; massless++) {
        fill_points(massless);
        assert_int_equal(factor(K, &P), KEEL_OK);
        assert_int_equal(keel_saddle_solve(K, P.r, P.s, P.x, P.y, NULL), KEEL_OK);
    }
    assert_int_equal(allocations, 0);
    keel_saddle_free(K);
}

/* Whatever allocation fails, the kernel can still be used: for a regular A, and for the same one again. */
static void singular_a_may_run_out_of_memory(void **state) {
    (void)state;
    keel_status status = KEEL_ERROR_MEMORY;
    long tried = 0;
    for (; status; tried++) {
        fill_points(0);
        keel_saddle *K = new_kernel(&P, KEEL_SADDLE_SPARSE);
        for (int massless = 2; massless <= 4; massless++) {
            fill_points(massless);
            allocations = 0;
            failing = tried;
            status = factor(K, &P);
            failing = -1;
            assert_int_equal(status, allocations > tried ? KEEL_ERROR_MEMORY : KEEL_OK);
            if (status)
                assert_true(keel_saddle_solve(K, P.r, P.s, P.x, P.y, NULL) < 0);
        }
        for (int massless = 0; massless <= 4; massless += 4) {
            fill_points(massless);
            assert_int_equal(factor(K, &P), KEEL_OK);
            assert_int_equal(keel_saddle_solve(K, P.r, P.s, P.x, P.y, NULL), KEEL_OK);
        }
        keel_saddle_free(K);
    }
    assert_true(tried > 10);
}

static void lu_may_run_out_of_memory(void **state) {
    (void)state;
    for (int n = 4; n <= 40; n += 36) {
        fill_random(&P, n, n, 1);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                P.J[i][j] = i == j ? 2 : i == j + 1 || j == i + 2 ? 1 : 0;
        pack(&P);
        ki_lu *lu = NULL;
        long tried = 0;
        for (; !lu; tried++) {
            allocations = 0;
            failing = tried;
            lu = ki_lu_new(P.J_pattern);
            failing = -1;
            assert_true(!lu == (allocations > tried));
        }
        assert_true(tried > 1);
        allocations = 0;
        for (int again = 0; again < 3; again++) {
            assert_int_equal(ki_lu_factor(lu, P.J_values), KEEL_OK);
            ki_lu_solve(lu, P.r);
        }
        assert_int_equal(allocations, 0);
        ki_lu_free(lu);
    }
}

/* More dependent rows than a basis is kept for. */
static void many_dependent_rows_allocate_nothing(void **state) {
    (void)state;
    saddle_system chain = saddle_chain(40, 1);
    int n = chain.A.rows, m = chain.J.rows, *start = calloc((size_t)(2 * m + 1), sizeof(int));
    int count = chain.J.start[m], *index = calloc((size_t)(2 * count), sizeof(int));
    double *values = calloc((size_t)(2 * count), sizeof(double)),
           *s = calloc((size_t)(2 * m), sizeof(double));
    double *y = calloc((size_t)(2 * m), sizeof(double));
    for (int i = 0; i <= 2 * m; i++)
        start[i] = i <= m ? chain.J.start[i] : count + chain.J.start[i - m];
    for (int p = 0; p < 2 * count; p++) {
        index[p] = chain.J.index[p % count];
        values[p] = chain.J_values[p % count];
    }
    for (int i = 0; i < 2 * m; i++)
        s[i] = chain.s[i % m];
    keel_saddle_settings settings = keel_saddle_settings_default();
    settings.path = KEEL_SADDLE_SPARSE;
    keel_saddle *K = keel_saddle_new(chain.A, (keel_pattern){2 * m, n, start, index}, &settings);
    allocations = 0;
    assert_int_equal(keel_saddle_factor(K, chain.A_values, values, NULL), KEEL_OK);
    assert_int_equal(keel_saddle_solve(K, chain.r, s, chain.x, y, NULL), KEEL_OK);
    assert_int_equal(keel_saddle_least_norm(K, y), KEEL_OK);
    assert_int_equal(allocations, 0);
    keel_saddle_free(K);
    saddle_system_clear(&chain);
    free(start);
    free(index);
    free(values);
    free(s);
    free(y);
}

/* All that a choice of rows is asked for, with an allocation that fails somewhere; after a failure it can be
 * loaded again. */
static keel_status choose_and_combine(ki_row_choice *choice) {
    bool all[MOST];
    double least[MOST], w[MOST], c[MOST];
    for (int i = 0; i < P.m; i++)
        all[i] = true, least[i] = 1e-10;
    keel_status status = ki_row_choice_load(choice, P.J_pattern, P.J_values, NULL);
    status = status ? status : ki_row_choice_take(choice, all, least, P.m);
    memcpy(w, P.J[P.m - 1], sizeof w);
    status = status ? status : ki_row_choice_combine(choice, w, c);
    for (int j = 0; j < P.n && !status; j++) {
        double sum = -P.J[P.m - 1][j];
        for (int i = 0; i < P.m; i++)
            sum += c[i] * P.J[i][j];
        assert_close(sum, 0, 1e-11);
    }
    return status;
}

static void row_choice_may_run_out_of_memory(void **state) {
    (void)state;
    fill(1);
    for (int i = 0; i < P.m - 1; i++) /* few entries at first: rows grow */
        for (int j = 0; j < P.n; j++)
            P.J[i][j] = (j + 3 * i) % 7 < 2 || j == i ? P.J[i][j] : 0;
    copy_row(&P, P.m - 1, 0, 1);
    pack(&P);
    keel_status status = KEEL_ERROR_MEMORY;
    long tried = 0;
    for (; status; tried++) {
        allocations = 0;
        failing = tried;
        ki_row_choice *choice = ki_row_choice_new(P.m, P.n);
        status = choice ? choose_and_combine(choice) : KEEL_ERROR_MEMORY;
        failing = -1;
        assert_int_equal(status, allocations > tried ? KEEL_ERROR_MEMORY : KEEL_OK);
        if (choice && status)
            assert_int_equal(choose_and_combine(choice), KEEL_OK);
        if (choice)
            assert_int_equal(ki_row_choice_count(choice), P.m - 1);
        ki_row_choice_free(choice);
    }
    assert_true(tried > 50);
}

static void eigenvalues_may_run_out_of_memory(void **state) {
    (void)state;
    double A[4] = {2, 0, 0, 3}, smallest = 7;
    failing = 0;
    allocations = 0;
    assert_int_equal(ki_smallest_eigenvalue(2, A, &smallest), KEEL_ERROR_MEMORY);
    failing = -1;
    assert_true(smallest == 7);
    assert_int_equal(ki_smallest_eigenvalue(2, A, &smallest), KEEL_OK);
    assert_close(smallest, 2, 1e-14);
}

/* The real matrix first, then a complex one of its pattern. */
static void complex_lu_may_run_out_of_memory(void **state) {
    (void)state;
    for (int n = 4; n <= 40; n += 36) {
        fill_random(&P, n, n, 1);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                P.J[i][j] = i == j ? 2 : i == j + 1 || j == i + 2 ? 1 : 0;
        pack(&P);
        ki_lu *real = ki_lu_new(P.J_pattern);
        assert_int_equal(ki_lu_factor(real, P.J_values), KEEL_OK);
        ki_lu_complex *lu = NULL;
        long tried = 0;
        for (; !lu; tried++) {
            allocations = 0;
            failing = tried;
            lu = ki_lu_complex_new(real);
            failing = -1;
            assert_true(!lu == (allocations > tried));
        }
        assert_true(tried > 1);
        assert_int_equal(ki_lu_complex_factor(lu, P.J_values, P.J_values), KEEL_OK);
        ki_lu_complex_free(lu);
        ki_lu_free(real);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(analysis_may_run_out_of_memory),
        cmocka_unit_test(rank_may_run_out_of_memory),
        cmocka_unit_test(only_the_analysis_allocates),
        cmocka_unit_test(many_dependent_rows_allocate_nothing),
        cmocka_unit_test(singular_a_allocates_once),
        cmocka_unit_test(singular_a_may_run_out_of_memory),
        cmocka_unit_test(lu_may_run_out_of_memory),
        cmocka_unit_test(complex_lu_may_run_out_of_memory),
        cmocka_unit_test(row_choice_may_run_out_of_memory),
        cmocka_unit_test(eigenvalues_may_run_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

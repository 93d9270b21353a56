/* Factors of unsymmetric matrices: residuals in extended precision, on patterns of both paths. */
#include "linalg/lu.h"

#include "linalg_helper.h"

enum { MOST_ROWS = 200 };

/* A full matrix; what is exactly zero is left out of the pattern. */
typedef struct matrix {
    int n;
    double full[MOST_ROWS][MOST_ROWS];
    int start[MOST_ROWS + 1], index[MOST_ROWS * MOST_ROWS];
    double values[MOST_ROWS * MOST_ROWS];
} matrix;

static matrix A;

static void clear(int n) {
    memset(&A, 0, sizeof A);
    A.n = n;
}

static keel_pattern pattern_of(void) {
    int count = 0;
    for (int i = 0; i < A.n; i++) {
        for (int j = 0; j < A.n; j++)
            if (A.full[i][j] != 0)
                A.index[count++] = j;
        A.start[i + 1] = count;
    }
    return (keel_pattern){A.n, A.n, A.start, A.index};
}

static const double *values_of(void) {
    for (int i = 0; i < A.n; i++)
        for (int p = A.start[i]; p < A.start[i + 1]; p++)
            A.values[p] = A.full[i][A.index[p]];
    return A.values;
}

/* Solves for a random right-hand side; the largest residual, each row against the sizes of its terms. */
static double residual_after_solve(ki_lu *lu) {
    double b[MOST_ROWS], x[MOST_ROWS];
    for (int i = 0; i < A.n; i++)
        x[i] = b[i] = uniform(-1, 1) * largest_of(A.full[i], A.n);
    ki_lu_solve(lu, x);
    long double most = 0, size = 0;
    for (int i = 0; i < A.n; i++) {
        long double rest = b[i], terms = fabsl(rest), scale = 1 / largest_of(A.full[i], A.n);
        for (int j = 0; j < A.n; j++) {
            rest -= (long double)A.full[i][j] * x[j];
            terms += fabsl((long double)A.full[i][j] * x[j]);
        }
        most = fmaxl(most, scale * fabsl(rest));
        size = fmaxl(size, scale * terms);
    }
    return size > 0 ? (double)(most / size) : 0;
}

static void assert_solves(void) {
    ki_lu *lu = ki_lu_new(pattern_of());
    assert_non_null(lu);
    assert_int_equal(ki_lu_factor(lu, values_of()), KEEL_OK);
    for (int k = 0; k < 3; k++)
        assert_true(residual_after_solve(lu) <= 1e-13);
    /* again, with the pivots at hand */
    assert_int_equal(ki_lu_factor(lu, values_of()), KEEL_OK);
    assert_true(residual_after_solve(lu) <= 1e-13);
    ki_lu_free(lu);
}

static void assert_singular(void) {
    ki_lu *lu = ki_lu_new(pattern_of());
    assert_non_null(lu);
    assert_int_equal(ki_lu_factor(lu, values_of()), KEEL_ERROR_SINGULAR);
    ki_lu_free(lu);
}

/* A permutation without fixed points. */
static int shifted(int i) {
    return (i + A.n / 2) % A.n;
}

/* Entries with probability `density`, and a diagonal of `strength`, shifted if asked. */
static void fill_sparse(int n, double density, double strength, int shift) {
    clear(n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            A.full[i][j] = uniform(0, 1) < density && (i != j || !shift) ? uniform(-1, 1) : 0;
        A.full[i][shift ? shifted(i) : i] += strength;
    }
}

static void full_matrices(void **state) {
    (void)state;
    for (int n = 1; n <= 60; n += 1 + n / 6) {
        fill_sparse(n, 1, 0, 0);
        assert_solves();
    }
}

static void sparse_matrices(void **state) {
    (void)state;
    for (int n = 2; n <= 180; n += 1 + n / 5) {
        fill_sparse(n, 3.0 / n, 1.5, 0);
        assert_solves();
    }
}

static void zero_diagonal(void **state) {
    (void)state;
    for (int n = 2; n <= 180; n += 1 + n / 5) {
        fill_sparse(n, 2.0 / n, 1.5, 1);
        assert_solves();
    }
}

/* [A J^T; J 0] of a chain, one unknown mass and one constraint per link. */
static void saddle_point_shape(void **state) {
    (void)state;
    for (int links = 1; links <= 90; links += 1 + links / 3) {
        clear(2 * links);
        for (int i = 0; i < links; i++) {
            A.full[i][i] = uniform(0.5, 1.5);
            A.full[links + i][i] = A.full[i][links + i] = uniform(0.5, 1.5);
            if (i > 0)
                A.full[links + i][i - 1] = A.full[i - 1][links + i] = uniform(-1, 1);
        }
        assert_solves();
    }
}

/* Units of equations and of unknowns, 1e-12 to 1e12. */
static void units_do_not_matter(void **state) {
    (void)state;
    static const int sizes[] = {5, 20, 100};
    for (int k = 0; k < 3; k++) {
        int n = sizes[k];
        fill_sparse(n, 3.0 / n, 2, 0);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                A.full[i][j] *= pow(10, (7 * i) % 25 - 12) * pow(10, (11 * j) % 25 - 12);
        assert_solves();
    }
}

/* 2 x 2 blocks [a b; c d] in a ring of weak couplings: first a = d = 1 and b = c = 1e-9, then the other way
 * round. */
static void fill_blocks(int n, double straight, double crossed) {
    clear(n);
    for (int i = 0; i < n; i++) {
        A.full[i][i] = straight;
        A.full[i][i ^ 1] = crossed;
        A.full[i][(i + 2) % n] = 0.1;
        A.full[i][(i + 5) % n] = -0.1;
    }
}

static void good_pivots_change(void **state) {
    (void)state;
    static const int sizes[] = {6, 20, 120};
    for (int k = 0; k < 3; k++) {
        fill_blocks(sizes[k], 1, 1e-9);
        ki_lu *lu = ki_lu_new(pattern_of());
        for (int turn = 0; turn < 6; turn++) {
            double small = turn < 4 ? 1e-9 : 1e-300;
            fill_blocks(sizes[k], turn % 2 ? small : 1, turn % 2 ? 1 : small);
            pattern_of();
            assert_int_equal(ki_lu_factor(lu, values_of()), KEEL_OK);
            assert_true(residual_after_solve(lu) <= 1e-13);
        }
        ki_lu_free(lu);
    }
}

/* Small and nearly singular: factors, whose residuals stay small, take the place of the inverse, and the
 * inverse comes back. */
static void ill_conditioned_matrices(void **state) {
    (void)state;
    for (int n = 2; n <= 16; n++) {
        fill_sparse(n, 1, 0, 0);
        ki_lu *lu = ki_lu_new(pattern_of());
        for (int turn = 0; turn < 60; turn++) {
            for (int j = 0; j < n; j++) {
                A.full[0][j] = uniform(-1, 1);
                if (turn / 20 % 2)
                    A.full[0][j] = A.full[1][j] + 1e-9 * uniform(-1, 1);
            }
            assert_int_equal(ki_lu_factor(lu, values_of()), KEEL_OK);
            assert_true(residual_after_solve(lu) <= (turn / 20 % 2 ? 1e-13 : 1e-10));
        }
        ki_lu_free(lu);
    }
}

/* Values that wander for as long as a run might: the factors never degrade. */
static void values_wander(void **state) {
    (void)state;
    fill_sparse(60, 0.06, 1, 0);
    ki_lu *lu = ki_lu_new(pattern_of());
    for (int step = 0; step < 400; step++) {
        for (int i = 0; i < A.n; i++)
            for (int p = A.start[i]; p < A.start[i + 1]; p++)
                A.full[i][A.index[p]] += uniform(-0.2, 0.2);
        assert_int_equal(ki_lu_factor(lu, values_of()), KEEL_OK);
        assert_true(residual_after_solve(lu) <= 1e-11);
    }
    ki_lu_free(lu);
}

/* A + i B with the entries of B about as large as those of A, on both paths; again with other values. */
static void complex_matrices(void **state) {
    (void)state;
    static double B[MOST_ROWS][MOST_ROWS], im[MOST_ROWS * MOST_ROWS];
    static const int sizes[] = {1, 4, 10, 30, 120};
    for (int k = 0; k < 5; k++) {
        int n = sizes[k];
        fill_sparse(n, k < 3 ? 1 : 3.0 / n, 2, 0);
        ki_lu *real = ki_lu_new(pattern_of());
        ki_lu_complex *lu = ki_lu_complex_new(real);
        for (int turn = 0; turn < 4; turn++) {
            double x[MOST_ROWS], y[MOST_ROWS], b_re[MOST_ROWS], b_im[MOST_ROWS];
            for (int i = 0; i < n; i++) {
                x[i] = b_re[i] = uniform(-1, 1);
                y[i] = b_im[i] = uniform(-1, 1);
                for (int p = A.start[i]; p < A.start[i + 1]; p++)
                    im[p] = B[i][A.index[p]] = A.full[i][A.index[p]] * uniform(-1, 1);
            }
            assert_int_equal(ki_lu_factor(real, values_of()), KEEL_OK);
            assert_int_equal(ki_lu_complex_factor(lu, values_of(), im), KEEL_OK);
            ki_lu_complex_solve(lu, x, y);
            for (int i = 0; i < n; i++) {
                for (int p = A.start[i]; p < A.start[i + 1]; p++) {
                    int j = A.index[p];
                    b_re[i] -= A.full[i][j] * x[j] - B[i][j] * y[j];
                    b_im[i] -= A.full[i][j] * y[j] + B[i][j] * x[j];
                }
                assert_true(fabs(b_re[i]) < 1e-11 && fabs(b_im[i]) < 1e-11);
            }
        }
        im[0] = NAN;
        assert_int_equal(ki_lu_complex_factor(lu, values_of(), im), KEEL_ERROR_SINGULAR);
        ki_lu_complex_free(lu);
        ki_lu_free(real);
    }
}

static void singular_matrices(void **state) {
    (void)state;
    static const int sizes[] = {1, 4, 20, 100};
    for (int k = 0; k < 4; k++) {
        int n = sizes[k];
        /* without entries; with a row, then a column, without entries */
        clear(n);
        assert_singular();
        fill_sparse(n, 3.0 / n, 2, 0);
        memset(A.full[n / 2], 0, sizeof A.full[n / 2]);
        assert_singular();
        fill_sparse(n, 3.0 / n, 2, 0);
        for (int i = 0; i < n; i++)
            A.full[i][n / 2] = 0;
        assert_singular();
        /* the last row the difference of two others: a pivot of round-off, not of zero */
        fill_sparse(n, 3.0 / n, 2, 0);
        for (int j = 0; j < n && n > 3; j++)
            A.full[n - 1][j] = A.full[0][j] / 3 - A.full[1][j] / 7;
        if (n > 3)
            assert_singular();
    }
}

/* Numerically singular in one factorization, regular in the next. */
static void recovers_from_singular(void **state) {
    (void)state;
    static const int sizes[] = {4, 20, 100};
    for (int k = 0; k < 3; k++) {
        int n = sizes[k];
        fill_sparse(n, 3.0 / n, 2, 0);
        ki_lu *lu = ki_lu_new(pattern_of());
        double keep = A.full[n / 2][n / 2], row[MOST_ROWS];
        memcpy(row, A.full[n / 2], sizeof row);
        for (int turn = 0; turn < 3; turn++) {
            assert_int_equal(ki_lu_factor(lu, values_of()), KEEL_OK);
            assert_true(residual_after_solve(lu) <= 1e-13);
            memset(A.full[n / 2], 0, sizeof row);
            assert_int_equal(ki_lu_factor(lu, values_of()), KEEL_ERROR_SINGULAR);
            memcpy(A.full[n / 2], row, sizeof row);
            A.full[n / 2][n / 2] = turn == 0 ? NAN : turn == 1 ? INFINITY : -INFINITY;
            assert_int_equal(ki_lu_factor(lu, values_of()), KEEL_ERROR_SINGULAR);
            A.full[n / 2][n / 2] = keep;
        }
        ki_lu_free(lu);
    }
}

/* A chain of `parts` with BLOCK coupled unknowns each, the last of which are tied to the first of the next
 * part by two constraints with a diagonal of next to nothing: unknowns first, then constraints. */
enum { BLOCK = 6, TIED = 2, MOST_OF_ROW = BLOCK + 2 * TIED + 1 };

typedef struct chain {
    int parts, unknowns, size, count, *start, *index;
    double *values;
} chain;

static void add_entry(chain *C, int column, double value) {
    C->index[C->count] = column;
    C->values[C->count++] = value;
}

/* The entry of constraint row `row` at the unknown: the same whether it is asked for by row or by column. */
static double tie(int row, int unknown) {
    return sin(1 + 3 * row + 7 * unknown);
}

static void add_unknown(chain *C, int i) {
    int part = i / BLOCK, place = i % BLOCK;
    for (int j = 0; j < BLOCK; j++)
        add_entry(C, part * BLOCK + j, j == place ? 2 : 0.1 * cos(place * j));
    int before = part - 1, after = part;
    for (int r = 0; r < TIED && place < TIED && before >= 0; r++)
        add_entry(C, C->unknowns + before * TIED + r, tie(before * TIED + r, i));
    for (int r = 0; r < TIED && place >= BLOCK - TIED && after < C->parts - 1; r++)
        add_entry(C, C->unknowns + after * TIED + r, tie(after * TIED + r, i));
}

static void add_constraint(chain *C, int row) {
    int first =
        (row / TIED + 1) * BLOCK - TIED; /* the last unknowns of one part, then the first of the next */
    for (int k = 0; k < 2 * TIED; k++)
        add_entry(C, first + k, tie(row, first + k));
    add_entry(C, C->unknowns + row, -1e-10);
}

static chain chain_of(int parts) {
    chain C = {.parts = parts, .unknowns = parts * BLOCK, .size = parts * BLOCK + (parts - 1) * TIED};
    C.start = calloc((size_t)C.size + 1, sizeof(int));
    C.index = calloc((size_t)C.size * MOST_OF_ROW, sizeof(int));
    C.values = calloc((size_t)C.size * MOST_OF_ROW, sizeof(double));
    assert_true(C.start && C.index && C.values);
    for (int i = 0; i < C.size; i++) {
        if (i < C.unknowns)
            add_unknown(&C, i);
        else
            add_constraint(&C, i - C.unknowns);
        C.start[i + 1] = C.count;
    }
    return C;
}

/* Entries of the factors, which solve for 1, 2, 3, 1, 2, ... */
static long entries_of_chain(int parts) {
    chain C = chain_of(parts);
    double *x = calloc((size_t)C.size, sizeof(double));
    ki_lu *lu =
        ki_lu_new_saddle((keel_pattern){C.size, C.size, C.start, C.index}, C.unknowns, C.size - C.unknowns);
    assert_true(x && lu);
    assert_int_equal(ki_lu_factor(lu, C.values), KEEL_OK);
    for (int i = 0; i < C.size; i++)
        for (int p = C.start[i]; p < C.start[i + 1]; p++)
            x[i] += C.values[p] * (1 + C.index[p] % 3);
    ki_lu_solve(lu, x);
    for (int i = 0; i < C.size; i++)
        assert_true(fabs(x[i] - (1 + i % 3)) < 1e-8);
    long entries = ki_lu_entries(lu);
    ki_lu_free(lu);
    free(C.start), free(C.index), free(C.values), free(x);
    return entries;
}

/* An order that knows nothing of constraints meets their diagonal before their unknowns, and has a third
 * more. */
static void chains_fill_in_linearly(void **state) {
    (void)state;
    long few = entries_of_chain(50), many = entries_of_chain(800);
    assert_true(few < 50 * 80);
    assert_true(many <= 17 * few);
}

static void nothing_to_solve(void **state) {
    (void)state;
    ki_lu *lu = ki_lu_new((keel_pattern){0});
    assert_non_null(lu);
    assert_int_equal(ki_lu_factor(lu, NULL), KEEL_OK);
    ki_lu_solve(lu, NULL);
    ki_lu_free(lu);
    ki_lu_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_matrices),
        cmocka_unit_test(sparse_matrices),
        cmocka_unit_test(zero_diagonal),
        cmocka_unit_test(saddle_point_shape),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(good_pivots_change),
        cmocka_unit_test(ill_conditioned_matrices),
        cmocka_unit_test(values_wander),
        cmocka_unit_test(complex_matrices),
        cmocka_unit_test(singular_matrices),
        cmocka_unit_test(recovers_from_singular),
        cmocka_unit_test(chains_fill_in_linearly),
        cmocka_unit_test(nothing_to_solve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

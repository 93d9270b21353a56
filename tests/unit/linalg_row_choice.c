/* Independent rows of sparse matrices: bands of random rows, and others that are sums of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/row_choice.h"

enum { BANDS = 300, WIDE = 5, COLUMNS = BANDS + WIDE + 1, ROWS = 2 * BANDS };

static double random_number(void) {
    static unsigned state = 1;
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / 8388608.0 - 1;
}

typedef struct matrix {
    double full[ROWS][COLUMNS];
    int start[ROWS + 1], index[ROWS * 2 * COLUMNS];
    double value[ROWS * 2 * COLUMNS];
    keel_pattern pattern;
} matrix;

static matrix A;

/* Row 2k is a band from column k on; row 2k + 1 the sum of the bands k and k - 1, plus `off` in a column of
 * its own. */
static void make(double off) {
    memset(&A, 0, sizeof A);
    for (int k = 0; k < BANDS; k++)
        for (int j = 0; j < WIDE; j++)
            A.full[2 * k][k + j] = random_number() + (j == 2 ? 1.5 : 0);
    for (int k = 0; k < BANDS; k++)
        for (int j = 0; j < COLUMNS; j++)
            A.full[2 * k + 1][j] = A.full[2 * k][j] + (k ? A.full[2 * k - 2][j] : 0);
    A.full[101][COLUMNS - 1] += off;
    int count = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++)
            if (A.full[i][j] != 0) {
                A.index[count] = j;
                A.value[count++] = A.full[i][j];
            }
        A.start[i + 1] = count;
    }
    A.pattern = (keel_pattern){ROWS, COLUMNS, A.start, A.index};
}

static int take(ki_row_choice *choice, double limit) {
    bool all[ROWS];
    double least[ROWS];
    for (int i = 0; i < ROWS; i++)
        all[i] = true, least[i] = limit;
    assert_int_equal(ki_row_choice_load(choice, A.pattern, A.value, NULL), KEEL_OK);
    assert_int_equal(ki_row_choice_take(choice, all, least, ROWS), KEEL_OK);
    return ki_row_choice_count(choice);
}

static void finds_the_rank(void **state) {
    (void)state;
    ki_row_choice *choice = ki_row_choice_new(ROWS, COLUMNS);
    make(0);
    assert_int_equal(take(choice, 1e-10), BANDS);
    make(1e-3);
    assert_int_equal(take(choice, 1e-5), BANDS + 1);
    assert_int_equal(take(choice, 1e-2), BANDS); /* within the precision, one row follows the others */
    double rest = 0;
    for (int i = 0; i < ROWS; i++)
        rest = fmax(rest, ki_row_choice_rest(choice, i));
    assert_true(rest > 1e-5 && rest <= 1e-2);
    ki_row_choice_free(choice);
}

static void solves_the_rows_taken(void **state) {
    (void)state;
    ki_row_choice *choice = ki_row_choice_new(ROWS, COLUMNS);
    double b[ROWS], x[COLUMNS], wanted[ROWS];
    make(0);
    take(choice, 1e-10);
    for (int j = 0; j < COLUMNS; j++)
        x[j] = random_number();
    for (int i = 0; i < ROWS; i++)
        b[i] = wanted[i] = random_number();
    double before[COLUMNS];
    memcpy(before, x, sizeof x);
    ki_row_choice_solve(choice, b, x);
    bool pivot[COLUMNS] = {false};
    for (int k = 0; k < ki_row_choice_count(choice); k++) {
        const double *row = A.full[ki_row_choice_row(choice, k)];
        double sum = -wanted[ki_row_choice_row(choice, k)], size = 1;
        pivot[ki_row_choice_column(choice, k)] = true;
        for (int j = 0; j < COLUMNS; j++) {
            sum += row[j] * x[j];
            size = fmax(size, fabs(row[j] * x[j]));
        }
        assert_true(fabs(sum) < 1e-10 * size);
    }
    for (int j = 0; j < COLUMNS; j++)
        assert_true(pivot[j] || x[j] == before[j]);
    ki_row_choice_free(choice);
}

static void combines_the_rows_taken(void **state) {
    (void)state;
    ki_row_choice *choice = ki_row_choice_new(ROWS, COLUMNS);
    double c[ROWS], w[COLUMNS];
    make(0);
    take(choice, 1e-10);
    for (int d = 0; d < ROWS; d++) {
        memcpy(w, A.full[d], sizeof w);
        assert_int_equal(ki_row_choice_combine(choice, w, c), KEEL_OK);
        for (int j = 0; j < COLUMNS; j++) {
            double sum = -A.full[d][j];
            assert_true(fabs(w[j]) < 1e-11);
            for (int k = 0; k < ki_row_choice_count(choice); k++)
                sum += c[ki_row_choice_row(choice, k)] * A.full[ki_row_choice_row(choice, k)][j];
            assert_true(fabs(sum) < 1e-10);
        }
    }
    ki_row_choice_free(choice);
}

/* Rows of a second call count only as far as those of the first leave something of them. */
static void takes_in_classes(void **state) {
    (void)state;
    ki_row_choice *choice = ki_row_choice_new(ROWS, COLUMNS);
    bool even[ROWS], odd[ROWS], none_of_three[ROWS] = {false};
    double least[ROWS];
    make(0);
    for (int i = 0; i < ROWS; i++) {
        even[i] = i % 2 == 0, odd[i] = !even[i];
        least[i] = 1e-10;
    }
    none_of_three[0] = none_of_three[2] = none_of_three[4] = true;
    assert_int_equal(ki_row_choice_load(choice, A.pattern, A.value, none_of_three), KEEL_OK);
    assert_int_equal(ki_row_choice_take(choice, odd, least, ROWS), KEEL_OK);
    assert_int_equal(ki_row_choice_count(choice), BANDS);
    for (int k = 0; k < BANDS; k++)
        assert_int_equal(ki_row_choice_row(choice, k) % 2, 1);
    assert_int_equal(ki_row_choice_take(choice, even, least, ROWS), KEEL_OK);
    assert_int_equal(ki_row_choice_count(choice), BANDS);
    assert_true(ki_row_choice_rest(choice, 0) < 0);
    ki_row_choice_free(choice);
}

/* ---- a sheet of cells: bars between neighbouring nodes, in a direction that is no axis */

enum { EDGE = 24, NODES = (EDGE + 1) * (EDGE + 1), BARS = 2 * EDGE * (EDGE + 1), ENTRIES = 8 };

typedef struct sheet {
    int rows, start[6 * BARS + 1], index[6 * BARS * ENTRIES];
    double value[6 * BARS * ENTRIES], least[6 * BARS];
    bool all[6 * BARS];
} sheet;

static sheet S;

static void add_entry(int j, double value) {
    S.index[S.start[S.rows + 1]] = j;
    S.value[S.start[S.rows + 1]++] = value;
}

static void end_row(void) {
    S.least[S.rows] = 1e-10, S.all[S.rows] = true;
    S.rows++;
    S.start[S.rows + 1] = S.start[S.rows];
}

static const double ALONG[3] = {0.5, 0.4, -0.3}, DOWN[3] = {-0.2, 0.6, 0.4};

/* A bar turns by omega: u_b - u_a = omega x e. About the two directions of the sheet its neighbour `other`
 * turns as it does, by rows of the length `small`. */
static void add_bar(int a, int b, const double e[3], int bar, int other, double small) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        add_entry(3 * a + i, -1);
        add_entry(3 * b + i, 1);
        add_entry(3 * NODES + 3 * bar + j, -e[k]);
        add_entry(3 * NODES + 3 * bar + k, e[j]);
        end_row();
    }
    for (int l = 0; other >= 0 && l < 2; l++) {
        const double *t = l ? DOWN : ALONG;
        for (int i = 0; i < 3; i++) {
            add_entry(3 * NODES + 3 * bar + i, small * t[i]);
            add_entry(3 * NODES + 3 * other + i, -small * t[i]);
        }
        end_row();
    }
}

/* Numbers kept of the sheet, with some rows shorter than others. */
static long numbers_of_sheet(double small, int *rank) {
    S.rows = S.start[0] = S.start[1] = 0;
    int bar = 0;
    for (int y = 0; y <= EDGE; y++)
        for (int x = 0; x <= EDGE; x++) {
            int node = y * (EDGE + 1) + x;
            if (x < EDGE)
                add_bar(node, node + 1, ALONG, bar, bar - 1, small), bar++;
            if (y < EDGE)
                add_bar(node, node + EDGE + 1, DOWN, bar, bar - 1, small), bar++;
        }
    int columns = 3 * NODES + 3 * BARS;
    ki_row_choice *choice = ki_row_choice_new(S.rows, columns);
    keel_pattern pattern = {S.rows, columns, S.start, S.index};
    assert_int_equal(ki_row_choice_load(choice, pattern, S.value, NULL), KEEL_OK);
    assert_int_equal(ki_row_choice_take(choice, S.all, S.least, S.rows), KEEL_OK);
    *rank = ki_row_choice_count(choice);
    long numbers = ki_row_choice_numbers(choice);
    ki_row_choice_free(choice);
    return numbers;
}

static void short_rows_do_not_make_others_long(void **state) {
    (void)state;
    int rank[2];
    long numbers[] = {numbers_of_sheet(1, &rank[0]), numbers_of_sheet(0.05, &rank[1])};
    print_message("a sheet of %d rows, %d of them independent: %ld numbers, with short rows %ld\n", S.rows,
                  rank[0], numbers[0], numbers[1]);
    assert_int_equal(rank[0], rank[1]);
    assert_true(numbers[0] < 150L * S.rows && numbers[1] < 150L * S.rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_rank),
        cmocka_unit_test(solves_the_rows_taken),
        cmocka_unit_test(combines_the_rows_taken),
        cmocka_unit_test(takes_in_classes),
        cmocka_unit_test(short_rows_do_not_make_others_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

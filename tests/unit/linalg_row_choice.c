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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_rank),
        cmocka_unit_test(solves_the_rows_taken),
        cmocka_unit_test(combines_the_rows_taken),
        cmocka_unit_test(takes_in_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

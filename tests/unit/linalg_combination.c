/* Combinations of rates, for all lengths of vectors and numbers of terms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "linalg/combination.h"

enum { LONGEST = 43, ROOM = 44 };

static double number(int i) {
    return sin(1 + 7.3 * i);
}

/* Against the sum as it is written; every second weight is zero. */
static void compare(int n, int count, const double *y, double *const *k) {
    double weights[KI_TERMS_MAX] = {0}, out[ROOM];
    for (int j = 0; j < count; j++)
        weights[j] = j % 2 ? 0 : number(1000 + j);
    ki_combination c = ki_combination_of(count, weights, k);
    assert_int_equal(c.used, (count + 1) / 2);
    for (int j = 0; j < count; j++)
        weights[j] = number(2000 + j);
    c = ki_combination_of(count, weights, k);
    ki_combine(&c, n, 0.1, y, out);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < count; j++)
            sum += weights[j] * k[j][i];
        assert_true(fabs(out[i] - ((y ? y[i] : 0) + 0.1 * sum)) < 1e-14);
    }
}

static void is_the_sum(void **state) {
    (void)state;
    double values[KI_TERMS_MAX][ROOM], *k[KI_TERMS_MAX], y[ROOM];
    for (int i = 0; i < ROOM; i++)
        y[i] = number(3000 + i);
    for (int j = 0; j < KI_TERMS_MAX; j++) {
        k[j] = values[j];
        for (int i = 0; i < ROOM; i++)
            values[j][i] = number(ROOM * j + i);
    }
    for (int n = 1; n <= LONGEST; n++)
        for (int count = 0; count <= KI_TERMS_MAX; count++) {
            compare(n, count, y, k);
            compare(n, count, NULL, k);
        }
}

/* The result may take the place of what it starts from. */
static void in_place(void **state) {
    (void)state;
    double rate[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {1, 1, 1, 1, 1, 1, 1, 1}, weight = 1, *k = rate;
    ki_combination c = ki_combination_of(1, &weight, &k);
    ki_combine(&c, 8, 0.5, y, y);
    for (int i = 0; i < 8; i++)
        assert_true(y[i] == 1 + 0.5 * rate[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_sum),
        cmocka_unit_test(in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

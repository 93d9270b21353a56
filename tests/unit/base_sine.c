/* Sine and cosine against the library's in extended precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>

#include "base/sines.h"

/* Distance in units of the last place of the exact value. */
static double units(double value, long double exact) {
    int exponent;
    frexpl(exact, &exponent);
    return (double)(fabsl((long double)value - exact) / ldexpl(1, exponent - DBL_MANT_DIG));
}

static double worse(double worst, double x) {
    double s, c;
    ki_sine_cosine(x, &s, &c);
    worst = fmax(worst, units(s, sinl((long double)x)));
    return fmax(worst, units(c, cosl((long double)x)));
}

/* A number in 0 .. 1 from a linear congruence (Knuth's MMIX constants). */
static double next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static void is_within_a_unit(void **state) {
    static const double RANGE[] = {1e-9, 1e-3, 0.7, 3, 50, 1e3, 9.9e4};
    uint64_t seed = 7;
    (void)state;
    for (size_t i = 0; i < sizeof RANGE / sizeof *RANGE; i++) {
        double worst = 0;
        for (int k = 0; k < 200000; k++)
            worst = worse(worst, RANGE[i] * (2 * next(&seed) - 1));
        assert_true(worst < 0.9);
    }
}

/* Next to multiples of pi/2 one of the two almost vanishes: its digits come from the parts of pi/2. */
static void is_exact_next_to_zeros(void **state) {
    (void)state;
    double worst = 0;
    for (int k = -60000; k <= 60000; k++) {
        double zero = k * 1.57079632679489661923;
        for (int side = -1; side <= 1; side++)
            worst = worse(worst, side ? nextafter(zero, side * 1e9) : zero);
    }
    assert_true(worst < 0.9);
}

static void large_and_odd_arguments_are_the_librarys(void **state) {
    static const double ODD[] = {1e5, -3e7, 1e22, 1e300};
    (void)state;
    for (size_t i = 0; i < sizeof ODD / sizeof *ODD; i++) {
        assert_true(ki_sine(ODD[i]) == sin(ODD[i]));
        assert_true(ki_cosine(ODD[i]) == cos(ODD[i]));
    }
    assert_true(isnan(ki_sine(NAN)) && isnan(ki_cosine(INFINITY)));
    assert_true(ki_sine(0) == 0 && ki_cosine(0) == 1);
}

/* Many at once are the same to the bit; one large angle among them does not matter. */
static void many_are_the_same(void **state) {
    enum { COUNT = 1001 };
    double x[COUNT], s[COUNT], c[COUNT];
    uint64_t seed = 11;
    (void)state;
    for (int large = 0; large < 2; large++) {
        for (int i = 0; i < COUNT; i++)
            x[i] = i == 500 && large ? 1e6 : i % 3 ? 40 * (2 * next(&seed) - 1) : i * 0.78539816339744830962;
        ki_sines_cosines(COUNT, x, s, c);
        for (int i = 0; i < COUNT; i++) {
            assert_true(s[i] == ki_sine(x[i]));
            assert_true(c[i] == ki_cosine(x[i]));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_within_a_unit), cmocka_unit_test(is_exact_next_to_zeros),
        cmocka_unit_test(many_are_the_same), cmocka_unit_test(large_and_odd_arguments_are_the_librarys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

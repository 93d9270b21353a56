/* Units of a system: told ones, and those that follow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "keel/system.h"

static void assert_unit(const keel_system *system, keel_unit_of of, int i, const char *unit) {
    char buffer[KEEL_UNIT];
    assert_string_equal(keel_system_unit(system, of, i, buffer), unit);
}

static void nothing_is_known(void **state) {
    (void)state;
    keel_system system = keel_system_default();
    system.n_q = system.n_v = system.n_z = system.n_s = system.n_h = system.n_n = system.n_outputs = 1;
    assert_unit(&system, KEEL_UNIT_TIME, 0, "s");
    for (keel_unit_of of = KEEL_UNIT_ENERGY; of <= KEEL_UNIT_OUTPUT; of++)
        assert_unit(&system, of, 0, "");
}

/* What is told counts; the rest follows from it by division. */
static void units_follow(void **state) {
    (void)state;
    static const struct {
        const char *q, *time, *v, *a;
    } CASES[] = {
        {"m", NULL, "m/s", "m/s^2"},
        {"rad", "s", "rad/s", "rad/s^2"},
        {"1", "s", "1/s", "1/s^2"},
        {"km/h", "s", "km/(h s)", "km/(h s s)"},
        {"m/s^2", "s", "m/s^3", "m/s^4"},
        {"N m", "ms", "N m/ms", "N m/ms^2"},
        {"s", "s", "1", "1/s"},
        {"x", "1", "x", "x"},
        {NULL, "s", "", ""},
        {"m", "", "", ""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        keel_system system = keel_system_default();
        system.n_q = system.n_v = 1;
        system.units.q = &CASES[i].q;
        system.units.time = CASES[i].time;
        assert_unit(&system, KEEL_UNIT_V, 0, CASES[i].v);
        assert_unit(&system, KEEL_UNIT_V_RATE, 0, CASES[i].a);
    }
}

static void kinematics(const keel_system *system, const double *q, const double *v, double *q_rate) {
    (void)system, (void)q, (void)v, (void)q_rate;
}

/* A quaternion has no velocity of its own: what is not told of v is not known. */
static void velocities_that_are_no_rates(void **state) {
    (void)state;
    static const char *const q[] = {"1"}, *const v[] = {"rad/s"};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 1;
    system.kinematics = kinematics;
    system.units.q = q;
    assert_unit(&system, KEEL_UNIT_V, 0, "");
    system.units.v = v;
    assert_unit(&system, KEEL_UNIT_V, 0, "rad/s");
    assert_unit(&system, KEEL_UNIT_V_RATE, 0, "rad/s^2");
}

/* Powers that people write may have any number of digits. */
static void powers(void **state) {
    (void)state;
    static const char *const q[] = {"m/s^2",
                                    "m/s^999",
                                    "m/s^1000",
                                    "m/s^2147483647",
                                    "m/s^99999999999999999999",
                                    "m/s^-9223372036854775808",
                                    "m/s^",
                                    "m/s^0"};
    static const char *const rate[] = {"m/s^3", "m/s^1000"};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 8;
    system.units.q = q;
    for (int i = 0; i < 2; i++)
        assert_unit(&system, KEEL_UNIT_V, i, rate[i]);
    for (int i = 2; i < 8; i++) {
        char expected[KEEL_UNIT];
        snprintf(expected, sizeof expected, "m/(%s s)", q[i] + 2);
        assert_unit(&system, KEEL_UNIT_V, i, expected);
    }
}

/* lambda Phi is an energy, lambda Psi a power: J/m is N, J/rad is N m, W/(m/s) is N. */
static void multipliers(void **state) {
    (void)state;
    static const char *const row[] = {"m", "rad", "m^2", NULL, "m/s", "rad/s", "kg"};
    keel_system system = keel_system_default();
    system.n_h = 4;
    system.n_n = 3;
    system.units.constraint = row;
    assert_unit(&system, KEEL_UNIT_MULTIPLIER, 0, "");
    system.units.energy = "J";
    static const char *const lambda[] = {"N", "N m", "J/m^2", "", "N", "N m", ""};
    static const char *const rate[] = {"m/s", "rad/s", "m^2/s", "", "m/s", "rad/s", "kg"};
    for (int i = 0; i < 7; i++) {
        assert_unit(&system, KEEL_UNIT_MULTIPLIER, i, lambda[i]);
        assert_unit(&system, KEEL_UNIT_RATE, i, rate[i]);
    }
    static const char *const own[] = {"kN", NULL, NULL, NULL, NULL, NULL, NULL};
    system.units.multiplier = own;
    assert_unit(&system, KEEL_UNIT_MULTIPLIER, 0, "kN");
    assert_unit(&system, KEEL_UNIT_MULTIPLIER, 1, "N m");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known),
        cmocka_unit_test(units_follow),
        cmocka_unit_test(velocities_that_are_no_rates),
        cmocka_unit_test(powers),
        cmocka_unit_test(multipliers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

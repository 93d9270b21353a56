/* Settings: one table for all options, values that are checked where they are set, rules between them, and
 * gains that a run refuses in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "systems.h"

static const keel_location HERE = {"m.yaml", 3, 7}, THERE = {"m.yaml", 3, 12};

/* The only message, which must contain `expected` and stand at `where`. */
static void assert_message(keel_diagnostics *messages, const char *expected, keel_location where) {
    assert_int_equal(keel_diagnostics_errors(messages), 1);
    keel_diagnostic d = keel_diagnostics_get(messages, 0);
    if (!strstr(d.text, expected))
        fail_msg("'%s' does not contain '%s'", d.text, expected);
    assert_int_equal(d.where.line, where.line);
    assert_int_equal(d.where.column, where.column);
    keel_diagnostics_free(messages);
}

static double number_of(const keel_settings *s, const keel_option *option) {
    double value;
    memcpy(&value, (const char *)s + option->offset, sizeof value);
    return value;
}

static int word_of(const keel_settings *s, const keel_option *option) {
    int value;
    memcpy(&value, (const char *)s + option->offset, sizeof value);
    return value;
}

/* Every row of the table can be set to its bounds and not beyond, and the default is what the table says. */
static void table_is_consistent(void **state) {
    (void)state;
    int count;
    const keel_option *options = keel_options(&count);
    keel_settings s = keel_settings_default();
    for (int i = 0; i < count; i++) {
        const keel_option *o = &options[i];
        assert_ptr_equal(keel_option_find(o->name, HERE, NULL), o);
        assert_true(strlen(o->help) > 0);
        if (o->type == KEEL_OPTION_WORD) {
            int words = 0;
            assert_int_equal(word_of(&s, o), (int)o->initial);
            for (; o->words[words]; words++) {
                assert_int_equal(keel_settings_set_word(&s, o->name, HERE, o->words[words], THERE, NULL),
                                 KEEL_OK);
                assert_int_equal(word_of(&s, o), words);
            }
            assert_true(words >= 2);
            continue;
        }
        if (o->type == KEEL_OPTION_NUMBER)
            assert_true(number_of(&s, o) == o->initial);
        assert_true(o->least <= o->most);
        assert_int_equal(keel_settings_set(&s, o->name, HERE, o->least, THERE, NULL), KEEL_OK);
        assert_int_equal(keel_settings_set(&s, o->name, HERE, o->most, THERE, NULL), KEEL_OK);
        assert_int_equal(keel_settings_set(&s, o->name, HERE, NAN, THERE, NULL), KEEL_ERROR_INPUT);
        if (o->least > -1e300)
            assert_int_equal(keel_settings_set(&s, o->name, HERE, o->least - 1, THERE, NULL),
                             KEEL_ERROR_INPUT);
    }
    assert_true(s.K_D.kind == KEEL_GAIN_SCALAR && s.K_D.scalar == 1e300); /* a number makes a scalar gain */
}

static void wrong_values_are_explained(void **state) {
    (void)state;
    keel_settings s = keel_settings_default();
    keel_gain gain = {.kind = KEEL_GAIN_SCALAR, .scalar = 1};
    keel_diagnostics *m;
    m = keel_diagnostics_new();
    assert_int_equal(keel_settings_set(&s, "tolerence", HERE, 1, THERE, m), KEEL_ERROR_INPUT);
    assert_message(m, "unknown option 'tolerence': did you mean 'tolerance'?", HERE);
    m = keel_diagnostics_new();
    assert_int_equal(keel_settings_set(&s, "tolerance", HERE, 2, THERE, m), KEEL_ERROR_INPUT);
    assert_message(m, "option 'tolerance' is 2: it must be between 1e-14 and 1", THERE);
    m = keel_diagnostics_new();
    assert_int_equal(keel_settings_set(&s, "metric", HERE, 2, THERE, m), KEEL_ERROR_INPUT);
    assert_message(m, "option 'metric' is one of the words natural, mass, identity, matrix", THERE);
    m = keel_diagnostics_new();
    assert_int_equal(keel_settings_set_word(&s, "metric", HERE, "mas", THERE, m), KEEL_ERROR_INPUT);
    assert_message(m, "mass, identity, matrix", THERE);
    m = keel_diagnostics_new();
    assert_int_equal(keel_settings_set_word(&s, "K_D", HERE, "large", THERE, m), KEEL_ERROR_INPUT);
    assert_message(m, "option 'K_D' is a number, a map 'constraint: number' or a matrix", THERE);
    m = keel_diagnostics_new();
    assert_int_equal(keel_settings_set_gain(&s, "step", HERE, &gain, THERE, m), KEEL_ERROR_INPUT);
    assert_message(m, "option 'step' is a number", THERE);
    /* nothing was changed */
    assert_true(s.tolerance == 1e-6 && s.step == 0);
    assert_true(s.metric == KEEL_METRIC_NATURAL && s.K_D.kind == KEEL_GAIN_AUTOMATIC);
}

static void rules_between_options(void **state) {
    (void)state;
    keel_settings s = keel_settings_default();
    const keel_location nowhere = {0};
    keel_diagnostics *m;
    assert_int_equal(keel_settings_validate(&s, 0, NULL), KEEL_OK);
    m = keel_diagnostics_new();
    assert_int_equal(keel_settings_validate(&s, s.until, m), KEEL_ERROR_INPUT);
    assert_message(m, "the end time 10 is not after the start time 10", nowhere);
    m = keel_diagnostics_new();
    s.method.integrator = KEEL_RK4;
    assert_int_equal(keel_settings_validate(&s, 0, m), KEEL_ERROR_INPUT);
    assert_message(m, "rk4 takes a fixed step", nowhere);
    m = keel_diagnostics_new();
    s.step = 0.01;
    s.method.formulation = KEEL_PENALTY;
    assert_int_equal(keel_settings_validate(&s, 0, m), KEEL_ERROR_INPUT);
    assert_message(m, "penalty has no stabiliser 'projection'", nowhere);
    m = keel_diagnostics_new();
    s.method.formulation = (keel_formulation)99;
    assert_int_equal(keel_settings_validate(&s, 0, m), KEEL_ERROR_INPUT);
    assert_message(m, "unknown integrator, formulation or stabiliser", nowhere);
}

/* A run with this K_P on the pendulum with `copies` rods ends before it begins, with the message. */
static void assert_gain_refused(int copies, keel_gain K_P, const char *expected) {
    pendulum_model model = {.copies = copies};
    keel_system system = pendulum_system(&model);
    keel_state *start = keel_state_new(&system);
    keel_diagnostics *m = keel_diagnostics_new();
    keel_settings s = keel_settings_default();
    keel_result result;
    start->q[0] = 1;
    s.method.stabilize = KEEL_BAUMGARTE;
    s.K_P = K_P;
    assert_int_equal(keel_run(&system, start, 1, &s, NULL, m, &result), KEEL_ERROR_INPUT);
    assert_int_equal(result.status, KEEL_ERROR_INPUT);
    assert_null(result.final);
    keel_result_clear(&result);
    keel_state_free(start);
    assert_message(m, expected, (keel_location){0});
}

static void runs_refuse_wrong_gains(void **state) {
    (void)state;
    static const double SKEW[] = {4, 1, 2, 3}, SADDLE[] = {2, 3, 3, 2}, VALUES[] = {1, 2};
    static const char *const MISSPELT[] = {"rod", "rod agan"}, *const ONE[] = {"rod"};
    assert_gain_refused(2, (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = 2, .values = SKEW},
                        "option 'K_P' is not symmetric: entry 2,1 is 2, entry 1,2 is 1");
    assert_gain_refused(2, (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = 2, .values = SADDLE},
                        "option 'K_P' is not positive definite: its smallest eigenvalue is -1");
    assert_gain_refused(2,
                        (keel_gain){.kind = KEEL_GAIN_NAMED, .count = 2, .names = MISSPELT, .values = VALUES},
                        "there is no row 'rod agan': did you mean 'rod again'?");
    assert_gain_refused(2, (keel_gain){.kind = KEEL_GAIN_NAMED, .count = 1, .names = ONE, .values = VALUES},
                        "option 'K_P' has no value for 'rod again'");
    assert_gain_refused(1, (keel_gain){.kind = KEEL_GAIN_SCALAR, .scalar = -3},
                        "option 'K_P' is not positive definite: its eigenvalue for constraint 'rod' is -3");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_consistent),
        cmocka_unit_test(wrong_values_are_explained),
        cmocka_unit_test(rules_between_options),
        cmocka_unit_test(runs_refuse_wrong_gains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

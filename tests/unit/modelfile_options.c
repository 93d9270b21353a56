/* The section `simulate`: words and gains, in every form that a file may write them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keel/modelfile.h"
#include "keel/run.h"

static keel_diagnostics *messages;

static int new_messages(void **state) {
    (void)state;
    messages = keel_diagnostics_new();
    return 0;
}

static int free_messages(void **state) {
    (void)state;
    keel_diagnostics_free(messages);
    return 0;
}

/* Two coordinates held by two constraints against a force of 1, then `simulate`. The text is gone when the
 * model is returned: what it keeps is its own. */
static keel_model *parse(const char *simulate) {
    static const char BEGIN[] = "keel: 1\n"
                                "parameters: {a: 20, N: 2}\n"
                                "equations:\n"
                                "  coordinates: {x: 1, y: 0}\n"
                                "  kinetic: (x'^2 + y'^2)/2\n"
                                "  forces: {x: 1, y: 1}\n"
                                "  holonomic: {\"bar[1]\": x - 1, \"bar[2]\": y}\n";
    size_t length = sizeof BEGIN - 1 + strlen(simulate);
    char *text = malloc(length + 1);
    assert_non_null(text);
    memcpy(text, BEGIN, sizeof BEGIN - 1);
    strcpy(text + sizeof BEGIN - 1, simulate);
    keel_status status;
    keel_model *model = keel_model_parse("m.yaml", text, length, NULL, 0, messages, &status);
    memset(text, 'x', length);
    free(text);
    assert_int_equal(status, model ? KEEL_OK : KEEL_ERROR_INPUT);
    return model;
}

static keel_model *parse_good(const char *simulate) {
    keel_model *model = parse(simulate);
    for (int i = 0; i < keel_diagnostics_count(messages); i++)
        print_message("%s\n", keel_diagnostics_get(messages, i).text);
    assert_non_null(model);
    return model;
}

static void words(void **state) {
    (void)state;
    keel_model *model = parse_good(
        "simulate: {metric: identity, levels: 'velocity', partition: \"worst\", singular: stop}\n");
    assert_int_equal(model->settings.metric, KEEL_METRIC_IDENTITY);
    assert_int_equal(model->settings.levels, KEEL_LEVELS_VELOCITY);
    assert_int_equal(model->settings.partition, KEEL_CHOICE_WORST);
    assert_int_equal(model->settings.singular, KEEL_SINGULAR_STOP);
    keel_model_free(model);

    model = parse_good("simulate: {until: 1}\n");
    assert_int_equal(model->settings.metric, KEEL_METRIC_NATURAL);
    assert_int_equal(model->settings.K_D.kind, KEEL_GAIN_AUTOMATIC);
    keel_model_free(model);
}

static void scalar_gains(void **state) {
    (void)state;
    keel_model *model = parse_good("simulate: {K_D: 2*a, penalty: 1e6, non_ideal: -3}\n");
    assert_int_equal(model->settings.K_D.kind, KEEL_GAIN_SCALAR);
    assert_true(model->settings.K_D.scalar == 40);
    assert_true(model->settings.penalty.scalar == 1e6);
    assert_true(model->settings.non_ideal.scalar == -3);
    assert_int_equal(model->settings.K_P.kind, KEEL_GAIN_AUTOMATIC);
    keel_model_free(model);
}

static void assert_named(const keel_gain *gain, const char *first, double a, const char *second, double b) {
    assert_int_equal(gain->kind, KEEL_GAIN_NAMED);
    assert_int_equal(gain->count, 2);
    assert_string_equal(gain->names[0], first);
    assert_string_equal(gain->names[1], second);
    assert_true(gain->values[0] == a && gain->values[1] == b);
}

static void named_gains(void **state) {
    (void)state;
    keel_model *model = parse_good("simulate:\n"
                                   "  K_D: {\"bar[1]\": a, bar[2]: max(1, a/2)}\n"
                                   "  K_P:\n"
                                   "    bar[2]: 25   # in any order\n"
                                   "    bar[1]: 100\n"
                                   "  non_ideal: {bar[1]: -1, bar[2]: 0}\n");
    assert_named(&model->settings.K_D, "bar[1]", 20, "bar[2]", 10);
    assert_named(&model->settings.K_P, "bar[2]", 25, "bar[1]", 100);
    assert_named(&model->settings.non_ideal, "bar[1]", -1, "bar[2]", 0);
    keel_model_free(model);
}

static void matrices(void **state) {
    (void)state;
    keel_model *model = parse_good("simulate:\n"
                                   "  K_D: [[a, 1], [1, max(2, 3)]]\n"
                                   "  K_P:\n"
                                   "    - [100, 1]\n"
                                   "    -\n"
                                   "      - 1\n"
                                   "      - a + 5\n"
                                   "  penalty: [[7]]\n");
    static const double D[] = {20, 1, 1, 3}, P[] = {100, 1, 1, 25};
    const keel_settings *settings = &model->settings;
    assert_int_equal(settings->K_D.kind, KEEL_GAIN_MATRIX);
    assert_int_equal(settings->K_D.count, 2);
    assert_memory_equal(settings->K_D.values, D, sizeof D);
    assert_int_equal(settings->K_P.kind, KEEL_GAIN_MATRIX);
    assert_memory_equal(settings->K_P.values, P, sizeof P);
    assert_int_equal(settings->penalty.count, 1);
    assert_true(settings->penalty.values[0] == 7);
    keel_model_free(model);
}

/* The modified Lagrange equations come to rest where p K_P Phi = 1, p being the penalty mass: every value of
 * the file acts on its own row. */
static void gains_reach_their_rows(void **state) {
    (void)state;
    keel_model *model = parse_good("simulate:\n"
                                   "  until: 10\n"
                                   "  method: dop853/penalty/baumgarte\n"
                                   "  tolerance: 1e-10\n"
                                   "  penalty: {bar[2]: 100, bar[1]: 10}\n"
                                   "  K_D: {bar[1]: 20, bar[2]: 10}\n"
                                   "  K_P: [[100, 0], [0, 25]]\n");
    keel_result result;
    assert_int_equal(keel_run(model->system, model->start, 0, &model->settings, NULL, messages, &result),
                     KEEL_OK);
    assert_true(fabs(result.final->q[0] - 1 - 1 / (10. * 100)) < 1e-8);
    assert_true(fabs(result.final->q[1] - 1 / (100. * 25)) < 1e-8);
    keel_result_clear(&result);
    keel_model_free(model);
}

/* All problems of a section are reported at once, each at its place. */
static void problems_are_collected(void **state) {
    (void)state;
    static const struct {
        int line, column;
        const char *text;
    } EXPECTED[] = {
        {9, 11, "option 'metric' is one of the words natural, mass, identity, matrix, not a map"},
        {10, 28, "in 'K_D', the value of 'bar[2]' must be one formula, not a list"},
        {11, 17, "row 2 of 'K_P' has length 1, but row 1 has length 2"},
        {12, 12, "the matrix 'penalty' must be square, but it is 1 x 2"},
        {13, 14, "option 'non_ideal' is a vector"},
    };
    assert_null(parse("simulate:\n"
                      "  metric: {mass: 1}\n"
                      "  K_D: {bar[1]: 1, bar[2]: [1]}\n"
                      "  K_P: [[1, 2], [3]]\n"
                      "  penalty: [[1, 2]]\n"
                      "  non_ideal: [[1]]\n"));
    assert_int_equal(keel_diagnostics_count(messages), 5);
    for (int i = 0; i < 5; i++) {
        keel_diagnostic message = keel_diagnostics_get(messages, i);
        print_message("%d:%d: %s\n", message.where.line, message.where.column, message.text);
        assert_non_null(strstr(message.text, EXPECTED[i].text));
        assert_int_equal(message.where.line, EXPECTED[i].line);
        assert_int_equal(message.where.column, EXPECTED[i].column);
    }
}

static void values_are_collected(void **state) {
    (void)state;
    assert_null(parse("simulate:\n"
                      "  singular: halt\n"
                      "  K_D: {bar[1]: b, bar[2]: c}\n"
                      "  K_P: [[1, d], [e, 2]]\n"
                      "  penalty: {bar[1]: 1e200*1e200, bar[2]: 1}\n"));
    static const char *const EXPECTED[] = {"'singular' is one of the words continue, stop",
                                           "'b'",
                                           "'c'",
                                           "'d'",
                                           "'e'",
                                           "the result is too large"};
    for (int i = 0; i < keel_diagnostics_count(messages); i++)
        print_message("%d:%d: %s\n", keel_diagnostics_get(messages, i).where.line,
                      keel_diagnostics_get(messages, i).where.column, keel_diagnostics_get(messages, i).text);
    assert_int_equal(keel_diagnostics_count(messages), 6);
    for (int i = 0; i < 6; i++)
        assert_non_null(strstr(keel_diagnostics_get(messages, i).text, EXPECTED[i]));
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, new_messages, free_messages)
    const struct CMUnitTest tests[] = {
        TEST(words),
        TEST(scalar_gains),
        TEST(named_gains),
        TEST(matrices),
        TEST(gains_reach_their_rows),
        TEST(problems_are_collected),
        TEST(values_are_collected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

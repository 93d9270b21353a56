/* The page of a report: its place for data, what is packed into it, thinning of rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/page.h"
#include "results/series.h"
#include "unit/results_reading.h"

/* Phi = q0, rates = v0, v1: easy to find again. */
static keel_status evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                            keel_terms *terms) {
    (void)system, (void)work;
    if (what & KEEL_POSITION)
        terms->Phi[0] = at->q[0];
    if (what & KEEL_VELOCITY)
        memcpy(terms->rate, at->v, 2 * sizeof(double));
    return KEEL_OK;
}

static keel_record *record_of(const keel_system *system, int rows) {
    keel_record *record = keel_record_new(system);
    assert_non_null(record);
    for (int i = 0; i < rows; i++) {
        keel_row row = fixture_row(0.5 * i);
        row.shared = (const int[]){0, 1};
        row.energy = i;
        assert_int_equal(keel_record_row(record, &row), KEEL_OK);
        keel_step step = {.t = 0.5 * i, .size = 0.5, .order = 3, .gap = -1};
        assert_int_equal(keel_record_step(record, &step), KEEL_OK);
    }
    return record;
}

static members *page_members(keel_record *record, const keel_origin *origin, const keel_result *result) {
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(keel_page_write(file, record, origin, result, NULL), KEEL_OK);
    char *page = fixture_text(file), *data = page_data(page);
    assert_non_null(data);
    members *m = calloc(1, sizeof *m);
    assert_null(json_read(data, take_member, m));
    free(data);
    free(page);
    return m;
}

static void assert_member(const members *m, const char *path, const char *value) {
    assert_non_null(member(m, path));
    assert_string_equal(member(m, path), value);
}

static void text_cannot_end_the_script(void **state) {
    (void)state;
    static const char JSON[] = "{\"a\": \"</script><script>alert(1)</script>\"}";
    FILE *file = tmpfile();
    assert_int_equal(ki_page_put(file, JSON, strlen(JSON)), KEEL_OK);
    char *page = fixture_text(file), *data = page_data(page);
    assert_string_equal(data, "{\"a\": \"\\u003c/script>\\u003cscript>alert(1)\\u003c/script>\"}");
    assert_null(json_read(data, NULL, NULL));
    free(data);
    free(page);
}

static void columns_and_values(void **state) {
    (void)state;
    keel_system system = fixture_system();
    system.evaluate = evaluate;
    keel_result result = fixture_result(&system);
    keel_record *record = record_of(&system, 3);
    keel_origin origin = {.name = "arm </script>", .model_text = "keel: 1\n", .model_file = "arm.yaml"};
    members *m = page_members(record, &origin, &result);
    assert_member(m, "format", "\"keel-report\"");
    assert_member(m, "title", "\"arm \\u003c/script>\"");
    assert_member(m, "model_text", "\"keel: 1\\u000a\"");
    assert_member(m, "rows", "3");
    assert_member(m, "time_unit", "\"s\"");
    assert_member(m, "steps.unit", "\"s\"");
    assert_member(m, "time.count", "3");
    assert_true(packed_double(member(m, "time.base64"), 2) == 1.0);

    static const struct {
        const char *name, *group, *unit;
    } COLUMNS[] = {
        {"\"x\"", "\"coordinate\"", "\"m\""},
        {"\"y[1,2]\"", "\"coordinate\"", "\"\""},
        {"\"x'\"", "\"velocity\"", "\"m/s\""},
        {"\"y[1,2]'\"", "\"velocity\"", "\"\""},
        {"\"motor\"", "\"state\"", "\"\""},
        {"\"contact\"", "\"auxiliary\"", "\"\""},
        {"\"lambda.rod\"", "\"multiplier\"", "\"N\""},
        {"\"lambda.say \\\"hi\\\"\"", "\"multiplier\"", "\"N m\""},
        {"\"angle\"", "\"output\"", "\"deg\""},
        {"\"energy\"", "\"energy\"", "\"J\""},
        {"\"energy_drift\"", "\"energy\"", "\"J\""},
        {"\"position_violation\"", "\"violation\"", "\"m\""},
        {"\"velocity_violation\"", "\"violation\"", "\"\""}, /* m/s and rad/s */
        {"\"rod\"", "\"violation\"", "\"m\""},
        {"\"rod'\"", "\"violation\"", "\"m/s\""},
        {"\"say \\\"hi\\\"\"", "\"violation\"", "\"rad/s\""},
    };
    enum { COUNT = sizeof COLUMNS / sizeof *COLUMNS };
    char path[64];
    for (int i = 0; i < COUNT; i++) {
        snprintf(path, sizeof path, "columns[%d].name", i);
        assert_member(m, path, COLUMNS[i].name);
        snprintf(path, sizeof path, "columns[%d].group", i);
        assert_member(m, path, COLUMNS[i].group);
        snprintf(path, sizeof path, "columns[%d].unit", i);
        assert_member(m, path, COLUMNS[i].unit);
    }
    snprintf(path, sizeof path, "columns[%d].name", COUNT);
    assert_null(member(m, path)); /* accelerations are not shown */
    assert_member(m, "columns[7].shared", "true");
    assert_null(member(m, "columns[6].shared"));
    assert_true(packed_double(member(m, "columns[9].data.base64"), 2) == 2);       /* energy */
    assert_true(packed_double(member(m, "columns[13].data.base64"), 1) == 0.1);    /* Phi = q0 */
    assert_true(packed_double(member(m, "columns[14].data.base64"), 1) == 2);      /* rate = v0 */
    assert_true(packed_double(member(m, "columns[15].data.base64"), 1) == 1e-300); /* Psi = v1 */
    free(m);
    keel_record_free(record);
    keel_result_clear(&result);
}

static void verdict_steps_and_events(void **state) {
    (void)state;
    keel_system system = fixture_system();
    system.evaluate = evaluate;
    keel_result result = fixture_result(&system);
    keel_record *record = record_of(&system, 3);
    members *m = page_members(record, NULL, &result);
    assert_member(m, "verdict[0].ok", "true");
    assert_member(m, "verdict[0].text", "\"reached t = 10 s\"");
    assert_member(m, "verdict[1].text", "\"constraints held to 3e-16 m (worst: rod)\"");
    assert_member(m, "verdict[4].text", "\"passed 1 singular pose\"");
    assert_member(m, "finished", "true");
    assert_member(m, "worst[0].level", "\"position\""); /* of the steps, whatever the rows have */
    assert_member(m, "worst[0].column", "\"rod\"");
    assert_member(m, "worst[0].t", "4.5");
    assert_member(m, "worst[0].unit", "\"m\"");
    assert_member(m, "worst[1].column", "\"say \\\"hi\\\"\"");
    assert_member(m, "worst[1].unit", "\"rad/s\"");
    assert_null(member(m, "worst[2].t"));
    assert_member(m, "events[0].kind", "\"singular\"");
    assert_member(m, "events[1].t", "3.5");
    assert_member(m, "summary.status", "\"ok\"");
    assert_member(m, "steps.t.count", "3");
    assert_true(packed_double(member(m, "steps.order.base64"), 1) == 3);
    assert_member(m, "steps.gap", "null"); /* not watched */
    assert_member(m, "scene", "null");
    free(m);
    keel_record_free(record);

    /* a promise that was broken, and a run that failed, are told as such */
    result.verdict.check[KEEL_CHECK_POSITIONS] =
        (keel_judgement){.made = 1, .text = "the constraints are not held"};
    result.verdict.check[KEEL_CHECK_OUTPUTS] =
        (keel_judgement){.made = 1, .text = "output 'y' is not finite"};
    result.status = KEEL_ERROR_STEP_SIZE;
    record = record_of(&system, 1);
    m = page_members(record, NULL, &result);
    assert_member(m, "verdict[0].ok", "false");
    assert_member(m, "verdict[1].ok", "false");
    assert_member(m, "verdict[1].text", "\"the constraints are not held\"");
    assert_member(m, "verdict[2].ok", "true");
    assert_member(m, "verdict[4].text", "\"output 'y' is not finite\"");
    assert_null(member(m, "verdict[5].text")); /* it did not pass the singular pose */
    assert_member(m, "finished", "false");
    free(m);
    keel_record_free(record);
    keel_result_clear(&result);
}

/* "constraints held to 6.8e+302" is no verdict. */
static void numbers_beyond_use(void **state) {
    (void)state;
    keel_system system = fixture_system();
    system.evaluate = evaluate;
    keel_result result = fixture_result(&system);
    result.position.max = result.position.max_scaled = 6.8e302;
    result.velocity.max = result.velocity.max_scaled = 3;
    result.energy_drift_max = INFINITY;
    keel_record *record = record_of(&system, 2);
    members *m = page_members(record, NULL, &result);
    assert_member(m, "verdict[1].ok", "false");
    assert_member(m, "verdict[1].text",
                  "\"constraints not held: the numbers grew beyond use (worst: rod at t = 4.5 s)\"");
    assert_member(m, "verdict[2].ok", "false");
    assert_member(m, "verdict[2].text",
                  "\"velocities not consistent: off by 3 rad/s (worst: say \\\"hi\\\")\"");
    assert_member(m, "verdict[3].ok", "false");
    assert_member(m, "verdict[3].text", "\"energy not accounted for: the numbers grew beyond use\"");
    free(m);
    keel_record_free(record);
    keel_result_clear(&result);
}

/* Nothing to be worst of. */
static void no_violation_at_all(void **state) {
    (void)state;
    keel_system system = fixture_system();
    system.evaluate = evaluate;
    keel_result result = fixture_result(&system);
    result.position.max = result.position.max_scaled = 0;
    result.velocity.max = result.velocity.max_scaled = 0;
    keel_record *record = record_of(&system, 2);
    members *m = page_members(record, NULL, &result);
    assert_member(m, "verdict[1].ok", "true");
    assert_member(m, "verdict[1].text", "\"constraints exactly held\"");
    assert_member(m, "verdict[2].text", "\"velocities exactly consistent\"");
    free(m);
    keel_record_free(record);
    keel_result_clear(&result);
}

/* What is left is spread evenly, the first and the last row are there, and the limit holds. */
static void rows_are_thinned(void **state) {
    (void)state;
    enum { LIMIT = 8 };
    for (int count = 1; count <= 100; count++) {
        ki_series series;
        assert_int_equal(ki_series_init(&series, 2, LIMIT), KEEL_OK);
        for (int i = 0; i < count; i++)
            assert_int_equal(ki_series_add(&series, (const double[]){i, -i}), KEEL_OK);
        assert_int_equal(ki_series_end(&series), KEEL_OK);
        assert_int_equal(series.seen, count);
        assert_true(series.rows <= LIMIT + 1);
        assert_true(series.rows >= (count < LIMIT ? count : LIMIT / 2));
        assert_true(ki_series_row(&series, 0)[0] == 0);
        assert_true(ki_series_row(&series, series.rows - 1)[0] == count - 1);
        for (long i = 0; i + 1 < series.rows; i++) {
            assert_true(ki_series_row(&series, i)[0] == (double)(i * series.stride));
            assert_true(ki_series_row(&series, i)[1] == (double)(-i * series.stride));
        }
        ki_series_clear(&series);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_cannot_end_the_script), cmocka_unit_test(columns_and_values),
        cmocka_unit_test(verdict_steps_and_events),   cmocka_unit_test(numbers_beyond_use),
        cmocka_unit_test(no_violation_at_all),        cmocka_unit_test(rows_are_thinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

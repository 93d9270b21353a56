/* The JSON summary: strictly valid, complete, and exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json.h"
#include "unit/results_fixture.h"

enum { MOST = 96 };

typedef struct members {
    int count;
    char path[MOST][64], value[MOST][64];
} members;

static void collect(void *user, const char *path, const char *value) {
    members *m = user;
    assert_true(m->count < MOST);
    for (int i = 0; i < m->count; i++)
        assert_string_not_equal(m->path[i], path);
    snprintf(m->path[m->count], sizeof *m->path, "%s", path);
    snprintf(m->value[m->count++], sizeof *m->value, "%s", value);
}

static const char *member(const members *m, const char *path) {
    for (int i = 0; i < m->count; i++)
        if (strcmp(m->path[i], path) == 0)
            return m->value[i];
    fail_msg("the summary has no %s", path);
    return NULL;
}

static members write_and_read(const char *name, const keel_system *system, const keel_result *result,
                              const char *message) {
    members m = {0};
    FILE *file = tmpfile();
    assert_int_equal(keel_summary_write(file, name, system, result, message), KEEL_OK);
    char *text = fixture_text(file);
    const char *wrong = json_read(text, collect, &m);
    if (wrong)
        fail_msg("not JSON from here: %s", wrong);
    free(text);
    return m;
}

static void has_every_key(void **state) {
    (void)state;
    static const char *const EXPECTED[][2] = {
        {"model", "\"pendulum\""},
        {"status", "\"ok\""},
        {"message", "null"},
        {"method.integrator", "\"rk4\""},
        {"method.formulation", "\"index1\""},
        {"method.stabilize", "\"projection\""},
        {"method.reason", "null"},
        {"final.t", "10"},
        {"final.q.x", "0.10000000000000001"},
        {"final.q.y[1,2]", "-1"},
        {"final.v.x", "2"},
        {"final.v.y[1,2]", "1e-300"},
        {"final.v_rate.x", "6"},
        {"final.v_rate.y[1,2]", "7"},
        {"final.z.motor", "3"},
        {"final.s.contact", "4"},
        {"final.lambda.rod", "5"},
        {"final.lambda.say \\\"hi\\\"", "0.33333333333333331"},
        {"final.outputs.angle", "8"},
        {"violation.position.max", "2.9999999999999999e-16"},
        {"violation.position.final", "9.9999999999999998e-17"},
        {"violation.position.worst", "\"rod\""},
        {"violation.position.time", "4.5"},
        {"violation.position.max_scaled", "2e-16"},
        {"violation.velocity.worst", "\"say \\\"hi\\\"\""},
        {"energy.initial", "-9.5"},
        {"energy.final", "-9.25"},
        {"energy.drift", "9.9999999999999998e-13"},
        {"energy.drift_max", "2e-12"},
        {"audit.integrator", "0.5"},
        {"audit.projection", "-0.375"},
        {"audit.projection_1", "0.125"},
        {"audit.projection_2", "-0.25"},
        {"audit.gains", "4"},
        {"audit.losses", "6"},
        {"start.position_moved", "0"},
        {"start.velocity_moved", "0"},
        {"correction.position", "1.0000000000000001e-09"},
        {"correction.velocity", "2.0000000000000001e-09"},
        {"rank.rank", "2"},
        {"rank.constraints", "2"},
        {"rank.gap", "null"},
        {"shared[0]", "\"say \\\"hi\\\"\""},
        {"gap.smallest", "0.125"},
        {"gap.time", "6.5"},
        {"events[0].t", "2.5"},
        {"events[0].kind", "\"singular\""},
        {"events[0].text", "\"singular pose: rank 2 before, 1 at, 2 after\""},
        {"events[1].t", "3.5"},
        {"events[1].kind", "\"partition\""},
        {"events[1].text", "\"independent velocities: x'\""},
        {"events_dropped", "7"},
        {"count.steps", "11"},
        {"count.rejected", "12"},
        {"count.evaluations", "13"},
        {"count.jacobians", "17"},
        {"count.factorizations", "22"},
        {"count.factorizations_per_step", "2"},
        {"count.projections", "15"},
        {"count.projection_factorizations", "18"},
        {"invariants[0].name", "\"momentum\""},
        {"invariants[0].initial", "2.5"},
        {"invariants[0].final", "2.75"},
        {"invariants[0].drift", "0.25"},
        {"invariants[0].drift_max", "0.5"},
        {"count.rows", "16"},
        {"cpu_seconds", "0.25"},
    };
    keel_system system = fixture_system();
    keel_result result = fixture_result(&system);
    members m = write_and_read("pendulum", &system, &result, NULL);
    for (unsigned i = 0; i < sizeof EXPECTED / sizeof *EXPECTED; i++)
        assert_string_equal(member(&m, EXPECTED[i][0]), EXPECTED[i][1]);
    member(&m, "keel");
    keel_result_clear(&result);
}

/* Lists without anything in them, and what nobody looked for. */
static void what_is_not_known_is_null(void **state) {
    (void)state;
    keel_system system = fixture_system();
    keel_result result = fixture_result(&system);
    result.method_reason = "it is the best";
    result.shared[1] = 0;
    result.event_count = 0;
    result.events_dropped = 0;
    members m = write_and_read("m", &system, &result, NULL);
    assert_string_equal(member(&m, "method.reason"), "\"it is the best\"");
    assert_string_equal(member(&m, "shared"), "[]");
    assert_string_equal(member(&m, "events"), "[]");
    assert_string_equal(member(&m, "events_dropped"), "0");

    free(result.shared);
    result.shared = NULL;
    result.gap_smallest = -1;
    m = write_and_read("m", &system, &result, NULL);
    assert_string_equal(member(&m, "shared"), "null");
    assert_string_equal(member(&m, "gap"), "null");

    keel_result_clear(&result); /* a run that never began has no gap either */
    m = write_and_read("m", &system, &result, NULL);
    assert_string_equal(member(&m, "gap"), "null");
}

static void numbers_come_back_exactly(void **state) {
    (void)state;
    static const double VALUES[] = {
        0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 1e22, 123456789.123456789};
    keel_system system = fixture_system();
    keel_result result = fixture_result(&system);
    for (unsigned i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
        result.final->q[0] = VALUES[i];
        members m = write_and_read("m", &system, &result, NULL);
        double back = strtod(member(&m, "final.q.x"), NULL);
        assert_memory_equal(&back, &VALUES[i], sizeof back);
    }
    keel_result_clear(&result);
}

static void what_is_not_finite_is_null(void **state) {
    (void)state;
    keel_system system = fixture_system();
    keel_result result = fixture_result(&system);
    result.final->q[0] = NAN;
    result.final->v[0] = INFINITY;
    result.outputs[0] = -INFINITY;
    members m = write_and_read("m", &system, &result, NULL);
    assert_string_equal(member(&m, "final.q.x"), "null");
    assert_string_equal(member(&m, "final.v.x"), "null");
    assert_string_equal(member(&m, "final.outputs.angle"), "null");
    keel_result_clear(&result);
}

static void any_text_is_escaped(void **state) {
    (void)state;
    static const char *const TEXTS[][2] = {
        {"quote \" and \\", "\"quote \\\" and \\\\\""},
        {"tab\tline\nbell\a", "\"tab\\u0009line\\u000abell\\u0007\""},
        {"caf\xC3\xA9 \xE2\x86\x92 \xF0\x9F\x98\x80", "\"caf\xC3\xA9 \xE2\x86\x92 \xF0\x9F\x98\x80\""},
        {"latin \xE9", "\"latin \\ufffd\""},
        {"cut \xE2\x86", "\"cut \\ufffd\\ufffd\""},
        {"overlong \xC0\x80", "\"overlong \\ufffd\\ufffd\""},
        {"surrogate \xED\xA0\x80", "\"surrogate \\ufffd\\ufffd\\ufffd\""},
        {"too large \xF4\x90\x80\x80", "\"too large \\ufffd\\ufffd\\ufffd\\ufffd\""},
    };
    keel_system system = fixture_system();
    keel_result result = fixture_result(&system);
    for (unsigned i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        members m = write_and_read(TEXTS[i][0], &system, &result, TEXTS[i][0]);
        assert_string_equal(member(&m, "model"), TEXTS[i][1]);
        assert_string_equal(member(&m, "message"), TEXTS[i][1]);
    }
    keel_result_clear(&result);
}

static void a_failed_run_is_told(void **state) {
    (void)state;
    keel_system system = fixture_system();
    keel_result result = fixture_result(&system);
    result.status = KEEL_ERROR_STEP_SIZE;
    result.has_energy = 0;
    result.position.worst = -1;
    result.rank = -1;
    members m = write_and_read("m", &system, &result, "the step fell to 1e-17 at t = 3");
    assert_string_equal(member(&m, "status"), "\"step_size\"");
    assert_string_equal(member(&m, "message"), "\"the step fell to 1e-17 at t = 3\"");
    assert_string_equal(member(&m, "energy"), "null");
    assert_string_equal(member(&m, "audit"), "null");
    assert_string_equal(member(&m, "violation.position.worst"), "null");
    assert_string_equal(member(&m, "rank.rank"), "null");
    keel_result_clear(&result);

    // a run that never had a state
    keel_result empty = {
        .status = KEEL_ERROR_SINGULAR, .rank_gap = NAN, .position.worst = -1, .velocity.worst = -1};
    m = write_and_read(NULL, &system, &empty, NULL);
    assert_string_equal(member(&m, "final"), "null");
    assert_string_equal(member(&m, "model"), "null");
}

static void a_full_disk_is_noticed(void **state) {
    (void)state;
    FILE *file = fopen("/dev/full", "w");
    if (!file)
        skip();
    keel_system system = fixture_system();
    keel_result result = fixture_result(&system);
    assert_int_equal(keel_summary_write(file, "m", &system, &result, NULL), KEEL_ERROR_IO);
    fclose(file);
    keel_result_clear(&result);
}

/* The reader the other tests rely on must itself refuse what is not JSON. */
static void the_reader_is_strict(void **state) {
    (void)state;
    static const char *const GOOD[] = {"{}", "{\"a\": {\"b\": -1.5e+3, \"c\": null}, \"d\": \"\\u00e9\\n\"}",
                                       "0",  "-0.0",
                                       "[]", "{\"a\": [ ], \"b\": [1, [null], {}]}"};
    static const char *const BAD[] = {
        "",
        "{",
        "{}x",
        "{\"a\": nan}",
        "{\"a\": inf}",
        "{\"a\": 01}",
        "{\"a\": 1.}",
        "{\"a\": .5}",
        "{\"a\": +1}",
        "{\"a\": 1,}",
        "{\"a\" 1}",
        "{a: 1}",
        "{\"a\": \"\n\"}",
        "{\"a\": \"\\x\"}",
        "{\"a\": \"\\u00g0\"}",
        "{\"a\": \"\xE9\"}",
        "{\"a\": 1 \"b\": 2}",
        "{\"a\": 1e}",
        "{\"a\": -}",
        "{\"a\": \"open}",
        "[",
        "[1",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1}",
        "{\"a\": []]}",
    };
    for (unsigned i = 0; i < sizeof GOOD / sizeof *GOOD; i++)
        assert_null(json_read(GOOD[i], NULL, NULL));
    for (unsigned i = 0; i < sizeof BAD / sizeof *BAD; i++)
        if (!json_read(BAD[i], NULL, NULL))
            fail_msg("accepted: %s", BAD[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_every_key),
        cmocka_unit_test(what_is_not_known_is_null),
        cmocka_unit_test(numbers_come_back_exactly),
        cmocka_unit_test(what_is_not_finite_is_null),
        cmocka_unit_test(any_text_is_escaped),
        cmocka_unit_test(a_failed_run_is_told),
        cmocka_unit_test(a_full_disk_is_noticed),
        cmocka_unit_test(the_reader_is_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

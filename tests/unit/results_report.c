/* The report: the verdict stands in the first line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/results_fixture.h"

static char *report(const keel_system *system, const keel_result *result) {
    FILE *file = tmpfile();
    assert_int_equal(keel_report_write(file, "pendulum", system, result), KEEL_OK);
    return fixture_text(file);
}

static void assert_first_line(const char *text, const char *line) {
    assert_memory_equal(text, line, strlen(line));
    assert_int_equal(text[strlen(line)], '\n');
}

static void verdict_first(void **state) {
    (void)state;
    keel_system system = fixture_system();
    keel_result result = fixture_result(&system);
    char *text = report(&system, &result);
    assert_first_line(text, "pendulum: reached t = 10, constraints held to 3e-16 (worst: rod)");
    assert_non_null(strstr(text, "rk4/index1/projection"));
    assert_non_null(
        strstr(text, "11 steps, 12 rejected, 13 evaluations, 17 Jacobians, 22 factorizations (2.00 a step)"));
    assert_non_null(strstr(text, "drift 1e-12, at most 2e-12 at the steps"));
    assert_non_null(strstr(text, "angle =  8"));
    assert_null(strstr(text, "constraints are independent"));
    assert_null(strstr(text, "auto"));
    free(text);

    static const char *const joint[] = {"crank", NULL};
    system.names.joint = joint;
    result.status = KEEL_ERROR_STEP_SIZE;
    result.rank = 1;
    text = report(&system, &result);
    assert_first_line(text, "pendulum: the step size became too small at t = 10, constraints held to 3e-16 "
                            "(worst: rod of joint crank)");
    assert_non_null(strstr(text, "1 of 2 constraints are independent"));
    free(text);
    keel_result_clear(&result);
}

static void numbers_beyond_use(void **state) {
    (void)state;
    keel_system system = fixture_system();
    keel_result result = fixture_result(&system);
    result.position.max = result.position.max_scaled = 6.8e302;
    char *text = report(&system, &result);
    assert_first_line(text, "pendulum: reached t = 10, constraints not held: the numbers grew beyond use: "
                            "6.8e+302 (worst: rod)");
    free(text);
    result.energy_final = INFINITY;
    result.audit.integrator = NAN;
    text = report(&system, &result);
    assert_non_null(strstr(text, "at the start, too large for a number at the end\n"));
    assert_null(strstr(text, "nan"));
    free(text);
    keel_result_clear(&result);
}

static void tells_what_happened(void **state) {
    (void)state;
    keel_system system = fixture_system();
    keel_result result = fixture_result(&system);
    result.method_reason = "it is the best";
    char *text = report(&system, &result);
    assert_non_null(strstr(text, "  shared       say \"hi\": multipliers not unique"));
    assert_non_null(strstr(text, "  gap          smallest 0.12 at t = 6.5"));
    assert_non_null(strstr(text, "  correction   position 1e-09, velocity 2e-09"));
    assert_non_null(strstr(text,
                           "  audit        integrator 0.5, projection -0.38; it added energy in 4 steps, "
                           "took some in 6\n"));
    assert_non_null(strstr(text, "  events       t = 2.5: singular pose: rank 2 before, 1 at, 2 after\n"
                                 "               t = 3.5: independent velocities: x'\n"
                                 "               ... and 7 more\n"));
    assert_non_null(strstr(text, "chosen by auto: it is the best\n"));
    free(text);

    result.shared[1] = 0;
    result.gap_smallest = -1;
    result.correction_position = result.correction_velocity = 0;
    result.audit.projection = 0;
    result.gains = result.losses = 0;
    result.event_count = 0;
    result.events_dropped = 0;
    text = report(&system, &result);
    assert_null(strstr(text, "shared"));
    assert_null(strstr(text, "gap"));
    assert_null(strstr(text, "correction"));
    assert_null(strstr(text, "audit"));
    assert_null(strstr(text, "events"));
    assert_null(strstr(text, "more"));
    free(text);
    keel_result_clear(&result);
}

static int occurrences(const char *text, const char *part) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

/* Twelve events and twelve names are listed, the others counted, those that were not kept included. */
static void many_events_and_names(void **state) {
    (void)state;
    enum { N = 30 };
    keel_system system = keel_system_default();
    system.n_h = N;
    keel_state final = {0};
    keel_event events[N];
    int shared[N];
    for (int i = 0; i < N; i++) {
        events[i] = (keel_event){i, KEEL_EVENT_PARTITION, "switch"};
        shared[i] = 1;
    }
    keel_result result = {.final = &final,
                          .position.worst = -1,
                          .velocity.worst = -1,
                          .events = events,
                          .event_count = N,
                          .events_dropped = 100,
                          .shared = shared};
    char *text = report(&system, &result);
    assert_int_equal(occurrences(text, ": switch\n"), 12);
    assert_non_null(strstr(text, "t = 11: switch\n               ... and 118 more\n"));
    assert_non_null(strstr(text, "c[11], ... and 18 more: "));
    assert_null(strstr(text, "c[12]"));
    free(text);
    result.event_count = 12;
    result.events_dropped = 0;
    text = report(&system, &result);
    assert_int_equal(occurrences(text, ": switch\n"), 12);
    assert_int_equal(occurrences(text, "more"), 1); /* of the names */
    free(text);
}

static void without_constraints_or_state(void **state) {
    (void)state;
    keel_system system = keel_system_default();
    system.n_q = system.n_v = 1;
    double q = 1, v = 2;
    keel_state final = {.t = 3, .q = &q, .v = &v};
    keel_result result = {.final = &final, .position.worst = -1, .velocity.worst = -1};
    char *text = report(&system, &result);
    assert_first_line(text, "pendulum: reached t = 3, no constraints");
    assert_non_null(strstr(text, "not known to the model"));
    free(text);

    result = (keel_result){.status = KEEL_ERROR_SINGULAR, .position.worst = -1, .velocity.worst = -1};
    text = report(&system, &result);
    assert_first_line(text, "pendulum: the equations of motion have no unique solution here");
    free(text);
}

static void long_lists_are_cut(void **state) {
    (void)state;
    enum { N = 40 };
    double q[N] = {0}, v[N] = {0};
    keel_system system = keel_system_default();
    system.n_q = system.n_v = N;
    keel_state final = {.q = q, .v = v};
    keel_result result = {.final = &final, .position.worst = -1, .velocity.worst = -1};
    char *text = report(&system, &result);
    assert_non_null(strstr(text, "q[11]"));
    assert_null(strstr(text, "q[12]"));
    assert_non_null(strstr(text, "... and 28 more"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdict_first),
        cmocka_unit_test(numbers_beyond_use),
        cmocka_unit_test(tells_what_happened),
        cmocka_unit_test(many_events_and_names),
        cmocka_unit_test(without_constraints_or_state),
        cmocka_unit_test(long_lists_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

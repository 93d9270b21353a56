/* Failures in words: what by its name, with numbers and a way out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run/events.h"
#include "run/trouble.h"

static void says(keel_status status, ki_trouble trouble, const char *expected) {
    static const char *const names[] = {"momentum", "energy"};
    keel_system system = keel_system_default();
    system.names.invariant = names;
    ki_dynamics d = {.system = &system, .trouble = trouble};
    keel_diagnostics *list = keel_diagnostics_new();
    ki_report_failure(&d, status, trouble.t, list);
    assert_int_equal(keel_diagnostics_errors(list), 1);
    assert_string_equal(keel_diagnostics_get(list, 0).text, expected);
    keel_diagnostics_free(list);
}

static void invariants_by_name(void **state) {
    (void)state;
    says(KEEL_ERROR_INPUT,
         (ki_trouble){.kind = KI_TROUBLE_INVARIANT, .t = 0.5, .index = 1, .amount = -0.04, .size = 31.4},
         "t = 0.5: invariant 'energy' is not constant along the motion: it changes at the rate -0.04, the "
         "sum of "
         "terms of size 31.4 (keep_invariants = no runs without)");
    says(
        KEEL_ERROR_STEP_SIZE, (ki_trouble){.kind = KI_TROUBLE_KEEPING, .t = 2, .index = 0, .amount = 1e-3},
        "t = 2: the step size became too small: projection cannot keep invariant 'momentum': it stays off by "
        "0.001");
}

/* How many notes a failure of this kind gets at a tolerance. */
static int notes(ki_trouble_kind kind, keel_integrator integrator, double step, double tolerance) {
    ki_trouble trouble = {.kind = kind, .t = 1, .amount = 0.5};
    keel_simulation sim = {.diagnostics = keel_diagnostics_new()};
    sim.settings.method.integrator = integrator;
    sim.settings.step = step;
    sim.settings.tolerance = tolerance;
    ki_explain_looseness(&sim, &trouble);
    int count = keel_diagnostics_count(sim.diagnostics);
    if (count)
        assert_string_equal(keel_diagnostics_get(sim.diagnostics, 0).text,
                            "a tolerance of 0.5 lets steps leave the constraints farther than projection can "
                            "bring them back: take 0.01 or less");
    keel_diagnostics_free(sim.diagnostics);
    return count;
}

/* Where projection fails a loose tolerance is named, but only then. */
static void tolerances_too_loose_for_projection(void **state) {
    (void)state;
    assert_int_equal(notes(KI_TROUBLE_POSITION, KEEL_DOP853, 0, 0.5), 1);
    assert_int_equal(notes(KI_TROUBLE_POSITION, KEEL_DOP853, 0, 0.01), 0);
    assert_int_equal(notes(KI_TROUBLE_FORCE, KEEL_DOP853, 0, 0.5), 0);
    assert_int_equal(notes(KI_TROUBLE_POSITION, KEEL_RK4, 0.1, 0.5), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(invariants_by_name),
                                       cmocka_unit_test(tolerances_too_loose_for_projection)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

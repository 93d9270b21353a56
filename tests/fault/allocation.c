/* Memory: every allocation may fail, one at a time, and the answer is a status, not a crash; a step allocates
 * nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keel/keel.h"
#include "keel/mechanism.h"
#include "keel/modelfile.h"
#include "keel/native.h"

#include "faults.h"
#include "long_run.h"

/* Every kind of entry: definitions, nonholonomic rows, states, auxiliaries, forces with multipliers,
 * repetition. */
static const char MODEL[] =
    "keel: 1\n"
    "parameters: {g: 9.81, L: 1, N: 2, mu: 0.01}\n"
    "equations:\n"
    "  coordinates: {x: 1, y: 0, a: 0.1}\n"
    "  definitions: {r: sqrt(x^2 + y^2)}\n"
    "  kinetic: (x'^2 + y'^2 + a'^2)/2\n"
    "  potential: g*y\n"
    "  forces: {x: -mu*abs(lambda.rod)*x', y: -c*y'}\n"
    "  holonomic: {rod: r - L}\n"
    "  nonholonomic: {roll: a' - (x*y' - y*x')}\n"
    "  states: {c: {start: 0.1, rate: -c}}\n"
    "  auxiliary: {w: 0.5}\n"
    "  auxiliary_equations: {fit: w + w^3 - x}\n"
    "  repeat: {for: {i: 1..N}, coordinates: {\"p[i]\": i}, kinetic: \"p[i]'^2/2\"}\n"
    "outputs: {angle: \"atan2(x, -y)\", pull: lambda.rod, ax: \"x''\"}\n"
    "simulate: {until: 0.1, tolerance: 1e-6, K_D: {rod: 20, roll: 10}, K_P: [[100]]}\n";

/* Without auxiliaries: exact tangents; with an invariant: joint projection. */
static const char TANGENT_MODEL[] = "keel: 1\n"
                                    "equations:\n"
                                    "  coordinates: {x: 1, y: 0}\n"
                                    "  velocities: {x: 0, y: 0}\n"
                                    "  kinetic: (x'^2 + y'^2)/2\n"
                                    "  potential: 9.81*y\n"
                                    "  holonomic: {rod: x^2 + y^2 - 1}\n"
                                    "  states: {c: {start: 0.1, rate: x - c}}\n"
                                    "  invariants: {all: energy}\n"
                                    "simulate: {until: 0.1, tolerance: 1e-6, step: 0.01}\n";

/* A loop of many pins, for sparse factors and those of stages. */
static const char PINS[] =
    "keel: 1\nplanar: true\ngravity: 9.81\nparameters: {N: 16}\n"
    "bodies: {bar: {mass: 1, centre: [0.5, 0], inertia: 1}}\n"
    "joints: {pin: {type: revolute, bodies: [ground, bar], at: [0, 0]},\n"
    "         end: {type: revolute, bodies: [ground, \"b[N]\"], at: [N + 1, 0]},\n"
    "         first: {type: revolute, bodies: [bar, \"b[1]\"], at: [1, 0.2]}}\n"
    "repeat:\n"
    "  - {for: {i: 1..N}, bodies: {\"b[i]\": {mass: 1, centre: [i + 0.5, 0.1*i], inertia: 1}}}\n"
    "  - {for: {i: 2..N}, joints: {\"p[i]\": {type: revolute, bodies: [\"b[i-1]\", \"b[i]\"], at: [i, "
    "0.3]}}}\n"
    "simulate: {until: 0.05, tolerance: 1e-3}\n";

/* A loop in space, with formulas in long runs. */
static const char ROD_IN_SPACE[] =
    "keel: 1\ngravity: [0, 0, -9.81]\ncoordinates: relative\n"
    "bodies:\n"
    "  crank: {mass: 0.12, centre: [0, 0.1, 0.16], inertia: [1e-4, 1e-4, 1e-5]}\n"
    "  rod: {mass: 0.5, centre: [0.1, 0.05, 0.1], inertia: [4e-3, 4e-3, 4e-3]}\n"
    "  slider: {mass: 2, centre: [0.2, 0, 0], inertia: [1e-4, 1e-4, 1e-4]}\n"
    "joints:\n"
    "  pivot: {type: revolute, bodies: [ground, crank], at: [0, 0.1, 0.12], axis: x}\n"
    "  ball: {type: spherical, bodies: [crank, rod], at: [0, 0.1, 0.2]}\n"
    "  cross: {type: universal, bodies: [slider, rod], at: [0.2, 0, 0], axis: x, across: [0, 2, -1]}\n"
    "  slide: {type: prismatic, bodies: [ground, slider], at: [0.2, 0, 0], axis: x, friction: {viscous: 1}}\n"
    "simulate: {until: 0.05, tolerance: 1e-3}\n";

/* Every section of a mechanism, shapes, parts, a loop, a repeat block. */
static const char MECHANISM[] =
    "keel: 1\nplanar: true\ngravity: 9.81\n"
    "parameters: {N: 2, k: 3}\n"
    "points: {O: [0, 0], C: [0, 1]}\n"
    "bodies:\n"
    "  rod: {shape: rod, from: O, to: [1, 0], mass: 1, points: {tip: [1, 0]}}\n"
    "  plate: {parts: [{mass: 1, at: [0, 2]}, {shape: box, centre: [0, 3], size: [1, 1], mass: 1}]}\n"
    "joints:\n"
    "  O: {type: revolute, bodies: [ground, rod], friction: {viscous: 0.1}}\n"
    "  Q: {type: revolute, bodies: [ground, plate], at: [0, 2.2]}\n"
    "  bar: {type: distance, bodies: [rod, plate], at: [rod.tip, [1, 2]]}\n"
    "forces:\n"
    "  pull: {type: spring, between: [ground.C, tip], law: k*length + 0.1*rate}\n"
    "  push: {type: force, body: rod, at: tip, vector: [0, sin(t)]}\n"
    "repeat: {for: {i: 1..N}, bodies: {\"b[i]\": {mass: 1, centre: [i, 5], inertia: 1}},\n"
    "  joints: {\"p[i]\": {type: prismatic, bodies: [ground, \"b[i]\"], at: [i, 5], axis: x}}}\n"
    "motions: {drive: {of: \"p[1].displacement\", value: 0.5 + sin(t)}}\n"
    "start: {\"p[2].displacement'\": 1}\n"
    "outputs: {angle: O.angle, f: bar.reaction.force, repeat: {for: {i: 1..N}, \"x[i]\": \"b[i].x\"}}\n"
    "simulate: {until: 0.1, tolerance: 1e-6, step: 0.01}\n";

static keel_status read_and_run(const char *text, const char *method) {
    keel_status status = KEEL_ERROR_MEMORY;
    keel_diagnostics *messages = keel_diagnostics_new();
    if (!messages)
        return status;
    keel_model *model = keel_model_parse("test", text, strlen(text), NULL, 0, messages, &status);
    if (model)
        status = keel_model_assemble(model, messages, NULL);
    if (status == KEEL_OK &&
        keel_method_parse(method, (keel_location){0}, messages, &model->settings.method) == KEEL_OK) {
        keel_result result;
        status = keel_run(model->system, model->start, model->velocities_given, &model->settings, NULL,
                          messages, &result);
        keel_result_clear(&result);
    }
    keel_model_free(model);
    if (status != KEEL_OK && status != KEEL_ERROR_MEMORY)
        for (int i = 0; i < keel_diagnostics_count(messages); i++)
            print_message("call %ld: %s\n", fail_at, keel_diagnostics_get(messages, i).text);
    keel_diagnostics_free(messages);
    return status;
}

typedef struct read_case {
    const char *model, *method;
} read_case;

static void read_with_failure(void *context, bool failing) {
    const read_case *what = context;
    keel_status status = read_and_run(what->model, what->method);
    /* a message that does not fit into memory is only counted, everything else is reported */
    if (status != KEEL_OK && !(failing && status == KEEL_ERROR_MEMORY))
        fail_msg("%s, allocation %ld: status %s", what->method, fail_at, keel_status_word(status));
}

/* Allocations fail, one in each run. */
static void fail_everywhere(const char *model, const char *method) {
    read_case what = {model, method};
    fail_in_all_places(read_with_failure, &what, method);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    static const char *const METHODS[] = {"auto",
                                          "adams",
                                          "radau5",
                                          "radau9",
                                          "bdf",
                                          "bdf-fixed",
                                          "ida/index1",
                                          "ida/ggl",
                                          "generalized-alpha",
                                          "newmark/index3/projection",
                                          "hht/index2",
                                          "trapezoidal/ggl",
                                          "bdf-fixed/index3"};
    fail_everywhere(MECHANISM, "auto");
    fail_everywhere(PINS, "auto");
    fail_everywhere(ROD_IN_SPACE, "auto");
    fail_everywhere(MECHANISM, "bdf");
    fail_everywhere(MODEL, "auto");
    fail_everywhere(MODEL, "bdf");
    fail_everywhere(MODEL, "radau9");
    fail_everywhere(MODEL, "generalized-alpha"); /* differences */
    for (unsigned i = 0; i < sizeof METHODS / sizeof *METHODS; i++)
        fail_everywhere(TANGENT_MODEL, METHODS[i]);
}

/* Writing machine code: out of memory there is none, or less of it, and the system is as it was. */
static void attach_everywhere(const char *text) {
    keel_status status;
    keel_model *model = keel_model_parse("test", text, strlen(text), NULL, 0, NULL, &status);
    assert_non_null(model);
    const keel_system *system = long_run(model->system), *formulas = keel_mechanism_formulas(system);
    formulas = formulas ? formulas : system;
    int failed = 0, attached = 0;
    long k = 0;
    while (!attached) {
        k++;
        calls = 0;
        fail_at = k;
        keel_native *native = keel_native_attach(model->system, NULL, NULL);
        attached = native && calls < k;
        failed += !native;
        fail_at = 0;
        keel_native_detach(native);
        assert_string_equal(keel_equations_code(formulas), "tape");
    }
    assert_true(failed >= 2 && k > 50); /* the object, its text; a few for every program */
    keel_model_free(model);
}

static void every_allocation_of_machine_code_may_fail(void **state) {
    (void)state;
    attach_everywhere(MODEL);
    attach_everywhere(TANGENT_MODEL);
    attach_everywhere(ROD_IN_SPACE);
}

static void step_without_allocation(const char *text, const char *const *methods, size_t count, int code) {
    keel_status status;
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_model *model = keel_model_parse("test", text, strlen(text), NULL, 0, messages, &status);
    assert_non_null(model);
    assert_int_equal(keel_model_assemble(model, messages, NULL), KEEL_OK);
    for (size_t i = 0; i < count; i++) {
        keel_settings settings = model->settings;
        settings.until = 10;
        settings.step = 0.01;
        settings.code = code;
        assert_int_equal(keel_method_parse(methods[i], (keel_location){0}, messages, &settings.method),
                         KEEL_OK);
        keel_simulation *sim = keel_simulation_new(model->system, model->start, model->velocities_given,
                                                   &settings, messages, &status);
        assert_non_null(sim);
        long before = calls;
        for (int step = 0; step < 50; step++) {
            keel_row row;
            double t = keel_simulation_time(sim);
            assert_int_equal(keel_simulation_step(sim), KEEL_OK);
            assert_int_equal(keel_simulation_row(sim, (t + keel_simulation_time(sim)) / 2, &row), KEEL_OK);
        }
        if (calls != before)
            print_message("%s\n", methods[i]);
        assert_int_equal(calls, before);
        keel_simulation_free(sim);
    }
    keel_model_free(model);
    keel_diagnostics_free(messages);
}

static void steps_and_rows_allocate_nothing(void **state) {
    (void)state;
    static const char *const METHODS[] = {"rk4",
                                          "dopri5",
                                          "dop853",
                                          "dop853/index1/none",
                                          "radau5",
                                          "radau9",
                                          "bdf",
                                          "bdf-fixed",
                                          "ida/index1",
                                          "ida/ggl",
                                          "adams",
                                          "generalized-alpha",
                                          "newmark/index3/projection",
                                          "hht/index2",
                                          "trapezoidal/ggl",
                                          "bdf-fixed/index3"};
    static const char *const MODELS[] = {MODEL, TANGENT_MODEL, MECHANISM, PINS};
    for (unsigned m = 0; m < sizeof MODELS / sizeof *MODELS; m++)
        for (int code = KEEL_CODE_AUTO; code <= KEEL_CODE_TAPE; code++) /* a short run, and as a long one */
            step_without_allocation(MODELS[m], METHODS, sizeof METHODS / sizeof *METHODS, code);
    /* in fewer coordinates */
    static const char *const AUTO[] = {"auto"};
    step_without_allocation(ROD_IN_SPACE, AUTO, 1, KEEL_CODE_TAPE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_of_machine_code_may_fail),
        cmocka_unit_test(steps_and_rows_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

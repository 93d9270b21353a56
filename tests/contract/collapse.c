/* What every integrator that chooses its steps must do where a motion ends: say so after a bounded number of
 * attempts, at the right time, with a reason; and what it must not do: stop where steps are short for a
 * while.
 *
 * Origins. Dead points and ends of laws: closed forms, beside the models. Blow-up: x'' = x^2 with x = x' = 1
 * has the energy x'^2/2 - x^3/3 = 1/6 and ends at t = int_1^inf dx / sqrt(1/3 + 2 x^3/3) = 2.3758705509.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

typedef struct ending {
    const char *what, *model;
    double t;           /* where the motion ends */
    const char *reason; /* part of the message, or NULL */
} ending;

#define DRIVEN_SLIDER                                                                                        \
    "keel: 1\nplanar: true\npoints: {O: [0, 0], A: [0.1, 0.05], B: [0.4, 0]}\n"                              \
    "bodies:\n"                                                                                              \
    "  crank: {shape: rod, from: O, to: A, mass: 1}\n"                                                       \
    "  rod: {shape: rod, from: A, to: B, mass: 1}\n"                                                         \
    "  slider: {mass: 1, centre: B, inertia: 0.01}\n"                                                        \
    "joints:\n"                                                                                              \
    "  O: {type: revolute, bodies: [ground, crank]}\n"                                                       \
    "  A: {type: revolute, bodies: [crank, rod]}\n"                                                          \
    "  B: {type: revolute, bodies: [rod, slider]}\n"                                                         \
    "  S: {type: prismatic, bodies: [ground, slider], at: B, axis: [1, 0]}\n"                                \
    "motions: {push: {of: S.displacement, speed: 0.1}}\n"                                                    \
    "simulate: {until: 3, output: 0.5}\n"

#define FOUR_BAR_WITH(force)                                                                                 \
    "keel: 1\nplanar: true\ngravity: 9.81\n"                                                                 \
    "points: {O: [0, 0], C: [0.3, 0], A: [0, 0.1], B: [0.25, 0.25]}\n"                                       \
    "bodies:\n"                                                                                              \
    "  crank: {shape: rod, from: O, to: A, mass: 1}\n"                                                       \
    "  coupler: {shape: rod, from: A, to: B, mass: 1}\n"                                                     \
    "  rocker: {shape: rod, from: C, to: B, mass: 1}\n"                                                      \
    "joints:\n"                                                                                              \
    "  O: {type: revolute, bodies: [ground, crank]}\n"                                                       \
    "  A: {type: revolute, bodies: [crank, coupler]}\n"                                                      \
    "  B: {type: revolute, bodies: [coupler, rocker]}\n"                                                     \
    "  C: {type: revolute, bodies: [ground, rocker]}\n"                                                      \
    "forces:\n  push: {type: torque, joint: C, value: " force "}\n"                                          \
    "simulate: {until: 3, output: 0.5}\n"

static const ending ENDINGS[] = {
    {"pole in time",
     "keel: 1\n"
     "equations: {coordinates: {x: 1, y: 0}, kinetic: (x'^2 + y'^2)/2, holonomic: {rod: x^2 + y^2 - 1},\n"
     "  forces: {y: 1/(1 - t)^2}}\n"
     "simulate: {until: 3, output: 0.5}\n",
     1, NULL},
    {"blow-up",
     "keel: 1\n"
     "equations: {coordinates: {x: 1}, velocities: {x: 1}, kinetic: x'^2/2, forces: {x: x^2}}\n"
     "simulate: {until: 100, output: 0.5}\n",
     2.3758705509, NULL},
    {"force that ends",
     "keel: 1\n"
     "equations: {coordinates: {x: 1, y: 0}, kinetic: (x'^2 + y'^2)/2, holonomic: {rod: x^2 + y^2 - 1},\n"
     "  forces: {y: sqrt(1 - t)}}\n"
     "simulate: {until: 2, output: 0.5}\n",
     1, "force on 'y'' is not finite"},
    {"rod that vanishes",
     "keel: 1\n"
     "equations: {coordinates: {x: 1, y: 0}, velocities: {x: -0.5, y: 0}, kinetic: (x'^2 + y'^2)/2,\n"
     "  potential: 9.81*y, holonomic: {rod: x^2 + y^2 - (1 - t)}}\n"
     "simulate: {until: 2, output: 0.5}\n",
     1, NULL},
    {"beyond its reach", /* x = 1 at t = sqrt(5) */
     "keel: 1\n"
     "equations: {coordinates: {x: 0.5, y: sqrt(0.75)}, velocities: {x: 0, y: 0},\n"
     "  kinetic: (x'^2 + y'^2)/2, holonomic: {rod: x^2 + y^2 - 1, puller: x - 0.5 - 0.1*t^2}}\n"
     "simulate: {until: 5, output: 0.5}\n",
     2.2360679775, "constraints 'rod', 'puller' become dependent"},
    /* crank and rod in line: (sqrt(0.0125) + sqrt(0.0925) - 0.4)/0.1 */
    {"driven slider", DRIVEN_SLIDER, 0.15941525, "dead point"},
    {"pole on a four-bar", FOUR_BAR_WITH("1/(1 - t)^2"), 1, NULL},
};
enum { ENDING_COUNT = sizeof ENDINGS / sizeof *ENDINGS };

static bool chooses_steps(keel_integrator kind) {
    return kind != KEEL_RK4 && kind != KEEL_BDF_FIXED && kind != KEEL_CONSERVING; /* midpoint's steps */
}

static bool has_order_2(keel_integrator kind) {
    return kind >= KEEL_NEWMARK;
}

static bool says(const trial *t, const char *words) {
    for (int i = 0; i < keel_diagnostics_count(t->messages); i++)
        if (strstr(keel_diagnostics_get(t->messages, i).text, words))
            return true;
    return false;
}

/* Accuracy takes some tolerance^(-1/(order + 1)) steps for each of the some fifty times that the distance
 * from the end halves until round-off; what comes on top is bounded. Methods of order 2 let a step err by
 * tolerance^(3/2) only. */
static double most_attempts(keel_integrator kind, double tolerance) {
    double of_a_step = 0.1 * (has_order_2(kind) ? pow(tolerance, 1.5) : tolerance);
    return 10000 + 120 * pow(of_a_step, -1.0 / (has_order_2(kind) ? 3 : 6));
}

/* The trial of a text; a mechanism is put together first. */
static trial trial_of_text(const char *model, const char *method) {
    keel_assembly_report report;
    keel_mechanism_facts facts;
    trial t = trial_of(model, method);
    if (keel_mechanism_look(t.model->system, &facts))
        assert_int_equal(keel_model_assemble(t.model, t.messages, &report), KEEL_OK);
    return t;
}

static void check_ending(const ending *e, keel_integrator kind, double tolerance) {
    const char *name = keel_integrator_word(kind).name;
    trial t = trial_of_text(e->model, name);
    t.settings.tolerance = tolerance;
    trial_run(&t, NULL);
    double attempts = (double)(t.result.count.steps + t.result.count.rejected);
    if (t.status != KEEL_ERROR_STEP_SIZE)
        fail_msg("%s with %s at %g: %s, %s", e->what, name, tolerance, keel_status_word(t.status),
                 trial_error(&t));
    if (!(attempts <= most_attempts(kind, tolerance)))
        fail_msg("%s with %s at %g: %g attempts", e->what, name, tolerance, attempts);
    /* the iteration of midpoint meets round-off in a closed loop before it meets 1e-8 */
    bool at_round_off = kind == KEEL_MIDPOINT && tolerance < 1e-6;
    if (!at_round_off && !(fabs(t.result.final->t - e->t) < 5e-3 * e->t))
        fail_msg("%s with %s at %g: ends at t = %.10g", e->what, name, tolerance, t.result.final->t);
    /* bdf at 1e-12 ends before the singular pose is near enough to be seen */
    if (e->reason && !at_round_off && tolerance > 1e-10 && !says(&t, e->reason))
        fail_msg("%s with %s at %g: %s", e->what, name, tolerance, trial_error(&t));
    trial_end(&t);
}

/* Sanitizers make runs ten times as long: there, every fourth. */
#if defined(__SANITIZE_ADDRESS__)
enum { EVERY = 4 };
#else
enum { EVERY = 1 };
#endif

static void a_motion_that_ends_is_told_soon(void **state) {
    (void)state;
    const double tolerances[] = {1e-4, 1e-8, 1e-12};
    for (int i = 0, n = 0; i < ENDING_COUNT; i++)
        for (int k = 0; k < KEEL_INTEGRATORS; k++)
            for (int j = 0; j < 3; j++)
                if (chooses_steps((keel_integrator)k) && !(has_order_2((keel_integrator)k) && j == 2) &&
                    n++ % EVERY == 0)
                    check_ending(&ENDINGS[i], (keel_integrator)k, tolerances[j]);
}

/* Round-off in 1 - t makes steps shrink like n^-2: without a limit to attempts there are 200000. */
static void the_pole_is_named(void **state) {
    (void)state;
    trial t = trial_of_text(FOUR_BAR_WITH("1/(1 - t)^2"), "dop853/index1/projection");
    t.settings.tolerance = 1e-12;
    trial_run(&t, NULL);
    assert_int_equal(t.status, KEEL_ERROR_STEP_SIZE);
    assert_true(t.result.count.steps + t.result.count.rejected < 20000);
    if (!says(&t, "look at force 'push', which is not finite near t = 1"))
        fail_msg("%s", trial_error(&t));
    trial_end(&t);
}

/* No step is possible at all: told after the attempts that halve the first step away, in any unit of time. */
static void a_start_without_a_step_is_told_at_once(void **state) {
    (void)state;
    static const char *const MODELS[] = {"keel: 1\nequations: {coordinates: {x: 0}, velocities: {x: 1}, "
                                         "kinetic: x'^2/2, forces: {x: sqrt(-x)}}\n"
                                         "simulate: {until: 2, output: 0.5}\n",
                                         "keel: 1\nequations: {coordinates: {x: 0}, velocities: {x: 1}, "
                                         "kinetic: x'^2/2, forces: {x: sqrt(-x)}}\n"
                                         "simulate: {until: 2e9, output: 5e8}\n"};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < KEEL_INTEGRATORS; k++) {
            if (!chooses_steps((keel_integrator)k))
                continue;
            trial t = trial_of(MODELS[i], keel_integrator_word((keel_integrator)k).name);
            trial_run(&t, NULL);
            double attempts = (double)(t.result.count.steps + t.result.count.rejected);
            if (t.status != KEEL_ERROR_STEP_SIZE || attempts > 500)
                fail_msg("%s: %s after %g attempts: %s", keel_integrator_word((keel_integrator)k).name,
                         keel_status_word(t.status), attempts, trial_error(&t));
            trial_end(&t);
        }
}

/* Slow for a good reason. */
typedef struct passage {
    const char *what, *model, *method;
    double tolerance;
} passage;

#define COMET                                                                                                \
    "keel: 1\n"                                                                                              \
    "equations: {coordinates: {x: 1, y: 0}, velocities: {x: 0, y: 0.01}, kinetic: (x'^2 + y'^2)/2,\n"        \
    "  potential: -1/sqrt(x^2 + y^2)}\n"                                                                     \
    "simulate: {until: 3, output: 1}\n"
#define PULSE                                                                                                \
    "keel: 1\n"                                                                                              \
    "equations: {coordinates: {x: 1}, kinetic: x'^2/2, potential: x^2/2,\n"                                  \
    "  forces: {x: 1e-3/((t - 50)^2 + 1e-6)}}\n"                                                             \
    "simulate: {until: 100, output: 10}\n"
#define SHORT_PULSE                                                                                          \
    "keel: 1\n"                                                                                              \
    "equations: {coordinates: {x: 1}, kinetic: x'^2/2, potential: x^2/2,\n"                                  \
    "  forces: {x: 1e-6/((t - 50)^2 + 1e-12)}}\n"                                                            \
    "simulate: {until: 100, output: 10}\n"
#define REPULSION                                                                                            \
    "keel: 1\n"                                                                                              \
    "equations: {coordinates: {x: 1}, velocities: {x: -1}, kinetic: x'^2/2,\n"                               \
    "  potential: 1e-9/x^2 + 0.1*x^2}\n"                                                                     \
    "simulate: {until: 20, output: 1}\n"
#define FRICTION                                                                                             \
    "keel: 1\n"                                                                                              \
    "equations: {coordinates: {x: 1, y: 0}, kinetic: (x'^2 + y'^2)/2, potential: 5*x^2,\n"                   \
    "  holonomic: {guide: y}, forces: {x: -2*tanh(x'/1e-6)}}\n"                                              \
    "simulate: {until: 3, output: 1}\n"

static const passage PASSAGES[] = {
    {"comet", COMET, "dop853", 1e-12},
    {"comet", COMET, "dopri5", 1e-12},
    {"comet", COMET, "adams", 1e-12},
    {"comet", COMET, "radau5", 1e-12},
    {"comet", COMET, "radau9", 1e-12},
    {"comet", COMET, "bdf", 1e-12},
    {"comet", COMET, "ida", 1e-12},
    {"comet", COMET, "newmark", 1e-6},
    {"comet", COMET, "midpoint", 1e-6},
    {"pulse", PULSE, "dop853", 1e-12},
    {"pulse", PULSE, "dopri5", 1e-12},
    {"pulse", PULSE, "bdf", 1e-12},
    {"pulse", PULSE, "hht", 1e-6},
    {"pulse next to the round-off of t", SHORT_PULSE, "dop853", 1e-12},
    {"pulse next to the round-off of t", SHORT_PULSE, "dopri5", 1e-12},
    {"repulsion", REPULSION, "dop853", 1e-12},
    {"repulsion", REPULSION, "dopri5", 1e-12},
    {"repulsion", REPULSION, "bdf", 1e-12},
    {"repulsion", REPULSION, "generalized-alpha", 1e-6},
    {"friction", FRICTION, "dop853", 1e-8},
    {"friction", FRICTION, "radau5", 1e-8},
    {"stiff spring by an explicit method", "stiff_spring", "dop853/index1/projection", 1e-6},
    {"governor by an explicit method", "a05_governor", "dopri5", 1e-6},
};

static void short_steps_are_no_reason_to_stop(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof PASSAGES / sizeof *PASSAGES; i += EVERY) {
        const passage *p = &PASSAGES[i];
        trial t = trial_of(p->model, p->method);
        t.settings.tolerance = p->tolerance;
        trial_run(&t, NULL);
        if (t.status != KEEL_OK)
            fail_msg("%s with %s: %s", p->what, p->method, trial_error(&t));
        trial_end(&t);
    }
}

static void a_tiny_first_step_may_grow(void **state) {
    (void)state;
    const double first[] = {1e-20, 1e-40};
    for (int k = 0; k < KEEL_INTEGRATORS; k++)
        for (int i = 0; i < 2 && chooses_steps((keel_integrator)k); i++) {
            trial t = trial_of("pendulum", keel_integrator_word((keel_integrator)k).name);
            t.settings.first_step = first[i];
            t.settings.until = 0.1;
            trial_run(&t, NULL);
            trial_expect_ok(&t);
            trial_end(&t);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motion_that_ends_is_told_soon),
        cmocka_unit_test(the_pole_is_named),
        cmocka_unit_test(a_start_without_a_step_is_told_at_once),
        cmocka_unit_test(short_steps_are_no_reason_to_stop),
        cmocka_unit_test(a_tiny_first_step_may_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

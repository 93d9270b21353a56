/* Closed forms in all units: the same mechanism in units of length, mass and time that differ by up to 1e9,
 * of random proportions, has the same closed form and moves alike; and as it does without one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

/* Numbers of units that make a metre, a kilogram and a second. */
typedef struct units {
    const char *name;
    double L, M, T;
} units;

static const units UNITS[] = {
    {"m, kg, s", 1, 1, 1},
    {"mm, t, s", 1e3, 1e-3, 1},
    {"mm, kg, ms", 1e3, 1, 1e3},
    {"cm, g, s", 1e2, 1e3, 1},
    {"inch, slinch, s", 1 / 0.0254, 1 / 175.126835, 1},
    {"lengths 1e9", 1e9, 1, 1},
    {"lengths 1e-9", 1e-9, 1, 1},
    {"masses 1e9", 1, 1e9, 1},
    {"masses 1e-9", 1, 1e-9, 1},
    {"times 1e9", 1, 1, 1e9},
    {"times 1e-9", 1, 1, 1e-9},
    {"all", 1e9, 1e-9, 1e-9},
};

/* A mechanism whose numbers are formulas of L, M, T, and of proportions a .. d between 0 and 1. */
typedef struct kind {
    const char *name, *text;
    double until; /* s */
} kind;

#define HEAD "keel: 1\nname: test\nparameters: {L: 1, M: 1, T: 1, a: 0.5, b: 0.5, c: 0.5, d: 0.5}\n"

static const kind KINDS[] = {
    {"crank and rocker, driven",
     HEAD
     "planar: true\ngravity: 9.81*L/T^2\n"
     "points: {O: [0, 0], C: [(0.3 + 0.05*a)*L, 0.02*b*L], A: [0, 0.08*L], B: [(0.25 + 0.02*c)*L, (0.25 + "
     "0.02*d)*L]}\n"
     "bodies:\n"
     "  crank: {mass: (1 + a)*M, centre: [0.01*b*L, 0.04*L], inertia: 0.01*M*L^2}\n"
     "  coupler: {mass: (1 + c)*M, centre: [0.1*L, 0.15*L], inertia: 0.02*M*L^2}\n"
     "  rocker: {mass: (1 + d)*M, centre: [0.28*L, 0.1*L], inertia: 0.015*M*L^2}\n"
     "joints:\n"
     "  O: {type: revolute, bodies: [ground, crank]}\n  A: {type: revolute, bodies: [crank, coupler]}\n"
     "  B: {type: revolute, bodies: [coupler, rocker]}\n  C: {type: revolute, bodies: [ground, rocker]}\n"
     "forces: {drive: {type: torque, joint: O, value: (0.5 + a)*M*L^2/T^2}}\n",
     2},
    {"slider and crank, under its weight",
     HEAD "planar: true\ngravity: 9.81*L/T^2\n"
          "points: {O: [0, 0], A: [0.06*L, (0.08 + 0.02*a)*L], B: [(0.4 + 0.1*b)*L, 0.02*c*L]}\n"
          "bodies:\n"
          "  crank: {mass: (1 + a)*M, centre: [0.03*L, 0.04*L], inertia: 0.004*M*L^2}\n"
          "  rod: {mass: (1 + c)*M, centre: [0.2*L, 0.05*d*L], inertia: 0.02*M*L^2}\n"
          "  slider: {mass: (1 + d)*M, centre: B, inertia: 0.01*M*L^2}\n"
          "joints:\n"
          "  O: {type: revolute, bodies: [ground, crank]}\n  A: {type: revolute, bodies: [crank, rod]}\n"
          "  B: {type: revolute, bodies: [rod, slider]}\n"
          "  slide: {type: prismatic, bodies: [ground, slider], at: B, axis: [1, 0.1*a]}\n"
          "start: {O.angle': 3/T}\n",
     2},
    {"rod on a line, with a spring",
     HEAD "planar: true\n"
          "points: {O: [0, 0], B: [0, (0.4 + 0.1*a)*L], C: [(0.8 + 0.1*b)*L, 0]}\n"
          "bodies:\n"
          "  crank: {mass: (1 + a)*M, centre: O, inertia: M*L^2, points: {middle: [0, 0.2*L]}}\n"
          "  rod: {mass: (1 + b)*M, centre: C, inertia: 2*M*L^2, points: {middle: [0.4*L, 0.2*L]}}\n"
          "joints:\n"
          "  pivot: {type: revolute, bodies: [ground, crank], at: O}\n  pin: {type: revolute, bodies: "
          "[crank, rod], at: B}\n"
          "  slide: {type: point-on-line, bodies: [ground, rod], at: C, axis: [1, 0]}\n"
          "forces: {strut: {type: spring, between: [crank.middle, rod.middle], stiffness: (1 + c)*M/T^2, "
          "damping: d*M/T, free: L}}\n"
          "start: {pivot.angle': 2/T}\n",
     4},
    {"spatial slider and crank",
     HEAD "gravity: [0, 0, -9.81*L/T^2]\n"
          "points: {A: [0, 0.1*L, 0.12*L], B: [0, 0.1*L, (0.19 + 0.01*a)*L], C: [(0.2 + 0.02*b)*L, 0, 0]}\n"
          "bodies:\n"
          "  crank: {mass: (0.1 + 0.1*a)*M, centre: [0, 0.1*L, 0.16*L], inertia: [1e-4*M*L^2, 1e-4*M*L^2, "
          "1e-5*M*L^2]}\n"
          "  rod: {mass: (0.4 + 0.1*b)*M, centre: [0.1*L, 0.05*L, 0.1*L], inertia: [4e-4*M*L^2, 4e-3*M*L^2, "
          "4e-3*M*L^2]}\n"
          "  slider: {mass: (1 + c)*M, centre: C, inertia: [1e-4*M*L^2, 1e-4*M*L^2, 1e-4*M*L^2]}\n"
          "joints:\n"
          "  pivot: {type: revolute, bodies: [ground, crank], at: A, axis: x}\n"
          "  ball: {type: spherical, bodies: [crank, rod], at: B}\n"
          "  cross: {type: universal, bodies: [slider, rod], at: C, axis: x, across: [0, 2, -1]}\n"
          "  slide: {type: prismatic, bodies: [ground, slider], at: C, axis: x}\n"
          "start: {pivot.angle': 6/T}\n",
     2},
    {"parallelogram",
     HEAD
     "planar: true\ngravity: [0, -9.81*L/T^2]\n"
     "points: {A: [0, 0], B: [(1 + a)*L, 0.3*b*L], P: [0.4*c*L, -L], Q: [(1 + a + 0.4*c)*L, (0.3*b - 1)*L]}\n"
     "bodies:\n"
     "  left: {shape: rod, from: A, to: P, mass: (1 + c)*M}\n  right: {shape: rod, from: B, to: Q, mass: (1 "
     "+ d)*M}\n"
     "  coupler: {shape: rod, from: P, to: Q, mass: (1 + a)*M}\n"
     "joints:\n"
     "  A: {type: revolute, bodies: [ground, left]}\n  B: {type: revolute, bodies: [ground, right]}\n"
     "  P: {type: revolute, bodies: [left, coupler]}\n  Q: {type: revolute, bodies: [right, coupler]}\n"
     "start: {A.angle': 2/T}\n",
     2},
    {"ring of six pins",
     HEAD
     "gravity: [0, -9.81*L/T^2, 0]\n"
     "points: {P1: [0, 0, 0], P2: [L, 0, 0], P3: [L, -L, 0], P4: [L, -L, L], P5: [0, -L, L], P6: [0, 0, L]}\n"
     "bodies:\n"
     "  rod1: {mass: (1 + a)*M, centre: [0.5*L, 0, 0], inertia: [0.02*M*L^2, 0.1*M*L^2, 0.1*M*L^2]}\n"
     "  rod2: {mass: (1 + b)*M, centre: [L, -0.5*L, 0], inertia: [0.1*M*L^2, 0.02*M*L^2, 0.1*M*L^2]}\n"
     "  rod3: {mass: (1 + c)*M, centre: [L, -L, 0.5*L], inertia: [0.1*M*L^2, 0.1*M*L^2, 0.02*M*L^2]}\n"
     "  rod4: {mass: (1 + d)*M, centre: [0.5*L, -L, L], inertia: [0.02*M*L^2, 0.1*M*L^2, 0.1*M*L^2]}\n"
     "  rod5: {mass: M, centre: [0, -0.5*L, L], inertia: [0.1*M*L^2, 0.02*M*L^2, 0.1*M*L^2]}\n"
     "joints:\n"
     "  A: {type: revolute, bodies: [ground, rod1], at: P1, axis: y}\n"
     "  B: {type: revolute, bodies: [rod1, rod2], at: P2, axis: z}\n"
     "  C: {type: revolute, bodies: [rod2, rod3], at: P3, axis: x}\n"
     "  D: {type: revolute, bodies: [rod3, rod4], at: P4, axis: y}\n"
     "  E: {type: revolute, bodies: [rod4, rod5], at: P5, axis: z}\n"
     "  F: {type: revolute, bodies: [ground, rod5], at: P6, axis: x}\n",
     2},
    {"constraints in formulas",
     HEAD
     "equations:\n"
     "  coordinates: {q: 1, x: L*((0.3 + 0.2*a)*cos(1) + cos(asin((0.3 + 0.2*a)*sin(1)))), p: -asin((0.3 + "
     "0.2*a)*sin(1))}\n"
     "  kinetic: M*(L^2*(1 + b)*q'^2 + (1 + c)*x'^2 + L^2*(1 + d)*p'^2)/2\n"
     "  forces: {q: M*L^2/T^2, x: -M/T*x'}\n"
     "  holonomic: {slider: x - L*cos(p) - L*(0.3 + 0.2*a)*cos(q), pin: L*sin(p) + L*(0.3 + 0.2*a)*sin(q)}\n",
     4},
    {"constraints in formulas, with a clock",
     HEAD
     "equations:\n"
     "  coordinates: {q: 1, x: L*((0.3 + 0.2*a)*cos(1) + cos(asin((0.3 + 0.2*a)*sin(1)))), p: "
     "-asin((0.3 + 0.2*a)*sin(1)), s: 1}\n"
     "  velocities: {q: 2/T, x: -L*(0.3 + 0.2*a)*2/T*(sin(1) + cos(1)*tan(asin((0.3 + 0.2*a)*sin(1)))), "
     "p: -2/T*(0.3 + 0.2*a)*cos(1)/cos(asin((0.3 + 0.2*a)*sin(1))), s: 0}\n"
     "  kinetic: M*((1 + b)*L^2*(q'^2 + p'^2) + c*x'^2 + (x' + 0.5*L*s'*cos(s))^2 + "
     "(0.5*L*s'*sin(s))^2)/2\n"
     "  potential: -M*9.81*L/T^2*0.5*L*cos(s)\n"
     "  holonomic: {drive: q - 1 - 2*t/T, slider: x - L*cos(p) - L*(0.3 + 0.2*a)*cos(q), pin: L*sin(p) + "
     "L*(0.3 + 0.2*a)*sin(q)}\n",
     4},
};

enum { PROPORTIONS = 2, COUNT_UNITS = sizeof UNITS / sizeof *UNITS, MOST = 16 };

static double chance(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

static keel_model *model_of(const kind *k, const units *u, uint64_t seed) {
    static const char *const NAMES[] = {"L", "M", "T", "a", "b", "c", "d"};
    enum { COUNT = sizeof NAMES / sizeof *NAMES };
    char value[COUNT][32];
    keel_assignment set[COUNT];
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status;
    for (int i = 0; i < COUNT; i++) {
        double x = i == 0 ? u->L : i == 1 ? u->M : i == 2 ? u->T : chance(&seed);
        snprintf(value[i], sizeof value[i], "%.17g", x);
        set[i] = (keel_assignment){NAMES[i], value[i]};
    }
    keel_model *model = keel_model_parse("test", k->text, strlen(k->text), set, COUNT, messages, &status);
    if (!model || keel_model_assemble(model, messages, NULL) < 0)
        fail_msg("%s in %s: %s", k->name, u->name, keel_diagnostics_get(messages, 0).text);
    keel_diagnostics_free(messages);
    return model;
}

/* Coordinates that are lengths: all others are angles. */
static bool is_length(const keel_system *s, int i) {
    const char *name = s->names.q[i];
    return !strstr(name, "angle") && (strlen(name) > 1 || !strchr("qps", name[0]));
}

/* Where it is at the end, in metres and seconds, with so many steps of rk4, which depend on no tolerance; 0:
 * as near as dop853 gets. */
static bool end_of(const kind *k, const units *u, uint64_t seed, int closed_forms, int steps,
                   double end[MOST]) {
    keel_model *model = model_of(k, u, seed);
    const keel_system *s = model->system;
    keel_settings settings = model->settings;
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_result result;
    settings.until = k->until * u->T;
    settings.step = steps ? settings.until / steps : 0;
    settings.tolerance = 1e-12;
    settings.closed_forms = closed_forms;
    settings.code = KEEL_CODE_TAPE; /* of shortened formulas, as in a long run */
    assert_int_equal(keel_method_parse(steps ? "rk4/index1/projection" : "dop853/index1/projection",
                                       (keel_location){0}, messages, &settings.method),
                     KEEL_OK);
    if (closed_forms == KEEL_CLOSED_FORMS_YES)
        settings.method.stabilize = KEEL_STABILIZE_NONE; /* there is nothing to project */
    keel_status status =
        keel_run(s, model->start, model->velocities_given, &settings, NULL, messages, &result);
    if (status < 0)
        fail_msg("%s in %s: %s", k->name, u->name,
                 keel_diagnostics_count(messages) ? keel_diagnostics_get(messages, 0).text : "failed");
    bool closed = result.closed_forms != NULL;
    assert_true(s->n_q + s->n_v <= MOST);
    for (int i = 0; i < s->n_q; i++) {
        double length = is_length(s, i) ? u->L : 1;
        end[i] = result.final->q[i] / length;
        end[s->n_q + i] = result.final->v[i] / length * u->T;
    }
    keel_result_clear(&result);
    keel_diagnostics_free(messages);
    keel_model_free(model);
    return closed;
}

/* The largest difference, relative to the largest number of the same kind. */
static double apart(const double *a, const double *b, int n) {
    double off = 0, size = 1;
    for (int i = 0; i < n; i++) {
        off = fmax(off, fabs(a[i] - b[i]));
        size = fmax(size, fabs(a[i]));
    }
    return off / size;
}

static void compare_kind(const kind *k, uint64_t seed) {
    /* of round-off in 1000 steps; of two ways to integrate at a tolerance of 1e-12 */
    static const double SAME = 1e-9, AS_WITHOUT = 1e-7;
    enum { STEPS = 1000 };
    double first[MOST] = {0}, other[MOST] = {0};
    assert_true(end_of(k, &UNITS[0], seed, KEEL_CLOSED_FORMS_YES, STEPS, first));
    for (int i = 1; i < COUNT_UNITS; i++) {
        assert_true(end_of(k, &UNITS[i], seed, KEEL_CLOSED_FORMS_YES, STEPS, other));
        double off = apart(first, other, MOST);
        if (!(off <= SAME))
            fail_msg("%s, proportions %d: in %s it ends %g off", k->name, (int)seed, UNITS[i].name, off);
    }
    assert_true(end_of(k, &UNITS[0], seed, KEEL_CLOSED_FORMS_YES, 0, first));
    assert_false(end_of(k, &UNITS[0], seed, KEEL_CLOSED_FORMS_NO, 0, other));
    double off = apart(first, other, MOST);
    if (!(off <= AS_WITHOUT))
        fail_msg("%s, proportions %d: with a closed form it ends %g off", k->name, (int)seed, off);
}

static void test_all_kinds(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        for (int seed = 1; seed <= PROPORTIONS; seed++)
            compare_kind(&KINDS[i], (uint64_t)seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_kinds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

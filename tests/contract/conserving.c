/* What integrator conserving promises (docs/conserving.md), on every model and on mechanisms that are in no
 * folder: the balance of energy and work to round-off, order two, momenta. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mechanisms.h"

/* Sanitizers make runs ten times as long: there, every tenth model, and shorter runs. */
#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1, EVERY = 10 };
#else
enum { SANITIZED = 0, EVERY = 1 };
#endif

/* The largest energy, in total or of the motion, in the rows of a run. */
typedef struct energies {
    const keel_system *system;
    void *work;
    double *rest; /* [n_v] */
    double most;
} energies;

static keel_status look_at_energy(void *user, const keel_row *row) {
    energies *e = user;
    keel_terms terms = {0};
    keel_point at = {.t = row->t, .q = row->q, .v = e->rest, .z = row->z, .s = row->s, .lambda = row->lambda};
    assert_int_equal(e->system->evaluate(e->system, e->work, KEEL_ENERGY, &at, &terms), KEEL_OK);
    e->most = fmax(e->most, fmax(fabs(row->energy), fabs(row->energy - terms.energy)));
    return KEEL_OK;
}

/* Runs with twenty rows; returns the size of the energy. */
static double run_for_energy(trial *t) {
    const keel_system *sys = t->model->system;
    energies e = {.system = sys, .rest = calloc((size_t)sys->n_v + 1, sizeof(double))};
    keel_observer observer = {.row = look_at_energy, .user = &e};
    assert_non_null(e.rest);
    if (sys->work_new)
        assert_int_equal(sys->work_new(sys, &e.work), KEEL_OK);
    t->settings.output = (t->settings.until - t->model->start->t) / 20;
    trial_run(t, &observer);
    if (sys->work_free)
        sys->work_free(e.work);
    free(e.rest);
    return e.most;
}

static bool is_model(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0;
}

/* Every model, in steps of a two thousandth of its run: whatever its coordinates, drivers and forces. */
static void every_model(void **state) {
    (void)state;
    DIR *folder = opendir(KEEL_SOURCE_DIR "/models");
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!is_model(entry))
            continue;
        if (count++ % EVERY)
            continue;
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)strlen(entry->d_name) - 5, entry->d_name);
        trial t = variant_trial(&(variant){.model = name, .method = "conserving"});
        t.settings.step = (t.settings.until - t.model->start->t) / 2000;
        t.settings.until = t.model->start->t + 200 * t.settings.step;
        double size = run_for_energy(&t);
        if (t.status)
            fail_msg("%s: %s", name, trial_error(&t));
        /* all forces of the truck are forces: its weight, 18 t, goes up and down by centimetres */
        if (strcmp(name, "truck") == 0)
            size = 1e4;
        if (!(t.result.energy_drift_max <= 1e-11 * size))
            fail_msg("%s: the balance is off by %g of %g", name, t.result.energy_drift_max, size);
        trial_end(&t);
    }
    closedir(folder);
    assert_true(count > 50);
}

/* ---- mechanisms that are in no folder ---------------------------------------------------------------- */

/* Spatial four-bar: a crank on the ground, a coupler between two balls, a rocker about another axis. The
 * coupler turns about itself. */
#define RSSR                                                                                                 \
    "keel: 1\ngravity: [0, 0, -9.81]\n"                                                                      \
    "points: {A: [0, 0, 0], B: [0.2, 0, 0.1], C: [0.9, 0.7, 0.4], D: [0.9, 0.3, 0]}\n"                       \
    "bodies:\n  crank: {shape: rod, from: A, to: B, mass: 1, radius: 0.02}\n"                                \
    "  coupler: {shape: rod, from: B, to: C, mass: 2, radius: 0.02}\n"                                       \
    "  rocker: {shape: rod, from: D, to: C, mass: 1.5, radius: 0.02}\n"                                      \
    "joints:\n  A: {type: revolute, bodies: [ground, crank], axis: [0, 1, 0.2]}\n"                           \
    "  B: {type: spherical, bodies: [crank, coupler]}\n  C: {type: spherical, bodies: [coupler, rocker]}\n"  \
    "  D: {type: revolute, bodies: [ground, rocker], axis: [1, 0, 0]}\n"                                     \
    "start: {A.angle': 9, coupler.spin.x: 4}\nsimulate: {until: 2}\n"

/* A heavy top with three different moments of inertia, that spins on a ball. */
#define TOP                                                                                                  \
    "keel: 1\ngravity: [0, 0, -9.81]\n"                                                                      \
    "bodies: {top: {mass: 0.5, centre: [0.03, 0, 0.09], inertia: [2e-3, 2.6e-3, 1e-3, 0, 1e-4, 0]}}\n"       \
    "joints: {tip: {type: spherical, bodies: [ground, top], at: [0, 0, 0]}}\n"                               \
    "start: {top.spin.x: 1, top.spin.y: -2, top.spin.z: 40}\nsimulate: {until: 1}\n"

/* A rotor in two rings: the mass matrix of the angles changes. */
#define GIMBALS                                                                                              \
    "keel: 1\nbodies:\n  outer: {mass: 1, centre: [0, 0, 0], inertia: [0.02, 0.03, 0.02, 0, 0, 0]}\n"        \
    "  inner: {mass: 1, centre: [0, 0, 0], inertia: [0.02, 0.01, 0.03, 0, 0, 0]}\n"                          \
    "  rotor: {shape: cylinder, from: [0, 0, -0.01], to: [0, 0, 0.01], radius: 0.1, mass: 2}\n"              \
    "joints:\n  a: {type: revolute, bodies: [ground, outer], at: [0, 0, 0], axis: x}\n"                      \
    "  b: {type: revolute, bodies: [outer, inner], at: [0, 0, 0], axis: y}\n"                                \
    "  c: {type: revolute, bodies: [inner, rotor], at: [0, 0, 0], axis: z}\n"                                \
    "forces: {leaf: {type: torsion, joint: b, stiffness: 0.3}}\n"                                            \
    "start: {a.angle': 1, b.angle: 0.4, b.angle': 2, c.angle': 60}\nsimulate: {until: 2}\n"

/* Two bricks on universal joints, tied to the ground and to each other by springs with a free length. */
#define BRICKS                                                                                               \
    "keel: 1\ngravity: [0, 0, -9.81]\n"                                                                      \
    "bodies:\n  upper: {shape: box, centre: [0, 0, -0.5], size: [0.2, 0.3, 1], mass: 3}\n"                   \
    "  lower: {shape: box, centre: [0.1, 0, -1.5], size: [0.3, 0.1, 1], mass: 2}\n"                          \
    "joints:\n  top: {type: universal, bodies: [ground, upper], at: [0, 0, 0], axis: x, across: y}\n"        \
    "  middle: {type: universal, bodies: [upper, lower], at: [0, 0, -1], axis: y, across: x}\n"              \
    "forces:\n  stay: {type: spring, bodies: [ground, lower], at: [[2, 1, -1], [0.1, 0, -2]], stiffness: "   \
    "80, "                                                                                                   \
    "free: 1}\n"                                                                                             \
    "  tie: {type: spring, bodies: [upper, lower], at: [[0.3, 0, -0.4], [0.3, 0, -1.6]], stiffness: 200, "   \
    "free: 0.7}\n"                                                                                           \
    "start: {top.angle1': 1, top.angle2': 2, middle.angle1': -1, middle.angle2': 3}\nsimulate: {until: 2}\n"

/* A table whose four feet stand on balls that slide on the floor: one of the four conditions repeats the
 * others. A spring pulls it to a wall. */
#define TABLE                                                                                                \
    "keel: 1\ngravity: [0, 0, -9.81]\n"                                                                      \
    "bodies: {table: {shape: box, centre: [0, 0, 0.7], size: [1.2, 0.8, 0.05], mass: 20}}\n"                 \
    "joints:\n"                                                                                              \
    "  f1: {type: point-on-plane, bodies: [ground, table], at: [0.5, 0.3, 0], axis: z}\n"                    \
    "  f2: {type: point-on-plane, bodies: [ground, table], at: [-0.5, 0.3, 0], axis: z}\n"                   \
    "  f3: {type: point-on-plane, bodies: [ground, table], at: [-0.5, -0.3, 0], axis: z}\n"                  \
    "  f4: {type: point-on-plane, bodies: [ground, table], at: [0.5, -0.3, 0], axis: z}\n"                   \
    "forces:\n  rope: {type: spring, bodies: [ground, table], at: [[2, 0.5, 0.7], [0.6, 0.4, 0.7]], "        \
    "stiffness: 150, free: 0.5}\n"                                                                           \
    "start: {table.x': 0.5, table.y': -0.2, table.spin.z: 2}\nsimulate: {until: 2}\n"

/* Three bars free in space on a ball and a hinge, with a spring and a damper between their ends. */
#define FREE_BARS                                                                                            \
    "keel: 1\nbodies:\n  a: {shape: rod, from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 0.05}\n"           \
    "  b: {shape: rod, from: [1, 0, 0], to: [1, 1, 0], mass: 2, radius: 0.05}\n"                             \
    "  c: {shape: box, centre: [1, 1.2, 0.2], size: [0.2, 0.4, 0.6], mass: 3}\n"                             \
    "joints:\n  ab: {type: spherical, bodies: [a, b], at: [1, 0, 0]}\n"                                      \
    "  bc: {type: revolute, bodies: [b, c], at: [1, 1, 0], axis: [0, 1, 1]}\n"                               \
    "forces:\n  tie: {type: spring, bodies: [a, c], at: [[0, 0, 0], [1, 1.2, 0.5]], stiffness: 60, free: "   \
    "1}\n"                                                                                                   \
    "start: {a.spin.x: 2, a.spin.y: 1, a.x': 0.3, b.spin.z: -3, bc.angle': 4}\nsimulate: {until: 2}\n"

/* A coin that rolls on a tilted plane and pulls a spring. */
#define COIN                                                                                                 \
    "keel: 1\ngravity: [2, 1, -9.5]\n"                                                                       \
    "bodies: {coin: {shape: cylinder, from: [0, -0.01, 0.1], to: [0, 0.01, 0.1], radius: 0.1, mass: 0.3}}\n" \
    "joints: {rim: {type: disc, bodies: [ground, coin], at: [[0, 0, 0], [0, 0, 0.1]], axis: [z, y], "        \
    "radius: 0.1}}\n"                                                                                        \
    "start: {coin.spin.y: 10, coin.spin.z: 1}\nsimulate: {until: 1}\n"

/* A crank whose motor stops and turns back; its slide, which a damper holds and a force without potential
 * pushes, carries a pendulum. */
#define DRIVEN                                                                                               \
    "keel: 1\nplanar: true\ngravity: 9.81\n"                                                                 \
    "points: {O: [0, 0], A: [0, 0.3], B: [1, 0], C: [1.2, -0.6]}\n"                                          \
    "bodies:\n  crank: {shape: rod, from: O, to: A, mass: 2}\n  rod: {shape: rod, from: A, to: B, mass: "    \
    "3}\n"                                                                                                   \
    "  slide: {mass: 5, centre: B, inertia: 0.1}\n  bob: {shape: rod, from: B, to: C, mass: 1}\n"            \
    "joints:\n  O: {type: revolute, bodies: [ground, crank]}\n  A: {type: revolute, bodies: [crank, rod]}\n" \
    "  B: {type: revolute, bodies: [rod, slide]}\n  hook: {type: revolute, bodies: [slide, bob], at: B}\n"   \
    "  way: {type: prismatic, bodies: [ground, slide], at: B, axis: x}\n"                                    \
    "motions: {motor: {of: O.angle, value: 2*sin(2*t)^2}}\n"                                                 \
    "forces:\n  damper: {type: spring, bodies: [ground, slide], at: [[2, 0.2], B], stiffness: 100, "         \
    "damping: 5, free: 0.5}\n"                                                                               \
    "  push: {type: force, body: slide, at: B, vector: [30*sin(5*t), 0]}\n"                                  \
    "simulate: {until: 3}\n"

static const struct {
    const char *name, *text;
    double step, until;
} DRAWN[] = {{"RSSR", RSSR, 5e-4, 0.5},           {"top", TOP, 5e-4, 0.3},
             {"gimbals", GIMBALS, 5e-4, 0.5},     {"bricks", BRICKS, 2e-3, 1},
             {"table", TABLE, 2e-3, 1},           {"free bars", FREE_BARS, 2e-3, 1},
             {"driven crank", DRIVEN, 2e-3, 1.2}, {"coin", COIN, 1e-3, 0.3}};
enum { DRAWN_COUNT = sizeof DRAWN / sizeof *DRAWN };

/* Five thousand steps of each, in both kinds of coordinates. */
static void drawn_mechanisms(void **state) {
    (void)state;
    static const char *const COORDINATES[] = {"relative", "absolute"};
    for (int i = 0; i < DRAWN_COUNT; i++)
        for (int k = 0; k < 2; k++) {
            trial t = variant_trial(
                &(variant){.model = DRAWN[i].text, .method = "conserving", .coordinates = COORDINATES[k]});
            t.settings.step = DRAWN[i].step;
            t.settings.until = (SANITIZED ? 100 : 5000) * DRAWN[i].step;
            double size = run_for_energy(&t);
            if (t.status)
                fail_msg("%s, %s: %s", DRAWN[i].name, COORDINATES[k], trial_error(&t));
            print_message("%s, %s: %.1e of %.3g\n", DRAWN[i].name, COORDINATES[k], t.result.energy_drift_max,
                          size);
            if (!(t.result.energy_drift_max <= 1e-11 * size))
                fail_msg("%s: the balance is off by %g of %g", DRAWN[i].name, t.result.energy_drift_max,
                         size);
            trial_end(&t);
        }
}

/* Order two in q and v against dop853 at 1e-12. */
static void order_two(void **state) {
    (void)state;
    static const char *const COORDINATES[] = {"relative", "absolute"};
    for (int i = 0; i < 2 * DRAWN_COUNT; i++) {
        const char *text = DRAWN[i / 2].text;
        trial exact = variant_trial(&(variant){.model = text,
                                               .method = "dop853",
                                               .coordinates = COORDINATES[i % 2],
                                               .tolerance = 1e-12,
                                               .until = DRAWN[i / 2].until});
        trial_run(&exact, NULL);
        trial_expect_ok(&exact);
        double q[2], v[2];
        for (int half = 0; half < 2; half++) {
            trial t = variant_trial(&(variant){.model = text,
                                               .method = "conserving",
                                               .coordinates = COORDINATES[i % 2],
                                               .until = DRAWN[i / 2].until});
            t.settings.step = DRAWN[i / 2].step / (half ? 2 : 1);
            trial_run(&t, NULL);
            trial_expect_ok(&t);
            q[half] = difference(t.result.final->q, exact.result.final->q, t.model->system->n_q);
            v[half] = difference(t.result.final->v, exact.result.final->v, t.model->system->n_v);
            trial_end(&t);
        }
        print_message("%s, %s: errors %.1e %.1e, order %.2f in q, %.2f in v\n", DRAWN[i / 2].name,
                      COORDINATES[i % 2], q[0], v[0], log2(q[0] / q[1]), log2(v[0] / v[1]));
        assert_true(fabs(log2(q[0] / q[1]) - 2) < 0.2 && fabs(log2(v[0] / v[1]) - 2) < 0.2);
        trial_end(&exact);
    }
}

/* ---- momenta ----------------------------------------------------------------------------------------- */

/* Cubes, whose moment of inertia is the same about all axes, so that the momenta are short formulas: outputs.
 */
#define CUBE(name, x, y, z, m)                                                                               \
    "  " name ": {mass: " m ", centre: [" x ", " y ", " z "], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
#define TURN(name, m, i, j, k)                                                                               \
    m "*(" name "." i "*" name "." j "' - " name "." j "*" name "." i "') + 0.1*" name ".spin." k
#define MOMENTUM(i, j, k)                                                                                    \
    "  L" k ": " TURN("a", "1", i, j, k) " + " TURN("b", "2", i, j, k) " + " TURN(                           \
        "c", "3", i, j, k) "\n"                                                                              \
                           "  P" k ": a." k "' + 2*b." k "' + 3*c." k "'\n"
#define MOMENTA "outputs:\n" MOMENTUM("y", "z", "x") MOMENTUM("z", "x", "y") MOMENTUM("x", "y", "z")
#define CUBES                                                                                                \
    "bodies:\n" CUBE("a", "0.1", "0", "0", "1") CUBE("b", "1", "0.2", "0", "2")                              \
        CUBE("c", "1", "1", "0.3", "3")

/* Free in space: a ball, a hinge with a torsion spring, a spring with a free length, a damper. */
#define FREE_CUBES                                                                                           \
    "keel: 1\n" CUBES "joints:\n  ab: {type: spherical, bodies: [a, b], at: [0.6, 0, 0]}\n"                  \
    "  bc: {type: revolute, bodies: [b, c], at: [1, 0.6, 0], axis: [0, 1, 1]}\n"                             \
    "forces:\n  tie: {type: spring, bodies: [a, c], at: [[0, 0, 0], [1, 1.2, 0.5]], stiffness: 60, free: "   \
    "1, "                                                                                                    \
    "damping: 0.1}\n  coil: {type: torsion, joint: bc, stiffness: 5}\n"                                      \
    "start: {a.spin.x: 2, a.spin.y: 1, a.spin.z: 0, a.x': 0.3, bc.angle': 4}\n" MOMENTA                      \
    "simulate: {until: 1}\n"

/* On a ball at the origin, with weight and a spring to a point above it: the momentum about the vertical is
 * left. */
#define HUNG_CUBES                                                                                           \
    "keel: 1\ngravity: [0, 0, -9.81]\n" CUBES                                                                \
    "joints:\n  o: {type: spherical, bodies: [ground, a], at: [0, 0, 0]}\n"                                  \
    "  ab: {type: universal, bodies: [a, b], at: [0.6, 0, 0], axis: x, across: y}\n"                         \
    "  bc: {type: revolute, bodies: [b, c], at: [1, 0.6, 0], axis: [0, 1, 1]}\n"                             \
    "forces: {rope: {type: spring, bodies: [ground, c], at: [[0, 0, 3], [1, 1, 0.3]], stiffness: 30, free: " \
    "1}}\n"                                                                                                  \
    "start: {a.spin.x: 1, a.spin.y: 1, a.spin.z: 2, bc.angle': 2}\n" MOMENTA "simulate: {until: 1}\n"

/* Outputs at the start, and their largest changes. */
typedef struct momentum_log {
    double start[6], change[6], size;
    int rows;
} momentum_log;

static keel_status look_at_momenta(void *user, const keel_row *row) {
    momentum_log *log = user;
    for (int i = 0; i < 6; i++) {
        if (log->rows == 0)
            log->start[i] = row->outputs[i];
        log->change[i] = fmax(log->change[i], fabs(row->outputs[i] - log->start[i]));
        log->size = fmax(log->size, fabs(row->outputs[i]));
    }
    log->rows++;
    return KEEL_OK;
}

static momentum_log run_for_momenta(const char *text, const char *method, const char *coordinates,
                                    double *energy) {
    momentum_log log = {0};
    keel_observer observer = {.row = look_at_momenta, .user = &log};
    trial t = variant_trial(&(variant){.model = text, .method = method, .coordinates = coordinates});
    t.settings.step = 2e-3;
    t.settings.until = (SANITIZED ? 200 : 5000) * t.settings.step;
    t.settings.output = t.settings.until / 50;
    trial_run(&t, &observer);
    trial_expect_ok(&t);
    *energy = t.result.energy_drift_max;
    trial_end(&t);
    return log;
}

/* All six of the free system, that about the vertical of the other one, with energy at the same time; the
 * midpoint rule loses them in relative coordinates. */
static void momenta_stay(void **state) {
    (void)state;
    static const struct {
        const char *name, *text;
        bool kept[6]; /* Lx Px Ly Py Lz Pz */
    } CASES[] = {{"free", FREE_CUBES, {true, true, true, true, true, true}},
                 {"hung", HUNG_CUBES, {false, false, false, false, true, false}}};
    static const char *const COORDINATES[] = {"relative", "absolute"};
    for (int i = 0; i < 4; i++) {
        const char *text = CASES[i / 2].text, *coordinates = COORDINATES[i % 2];
        double energy, energy_of_midpoint, most = 0, most_of_midpoint = 0;
        momentum_log log = run_for_momenta(text, "conserving", coordinates, &energy);
        momentum_log plain = run_for_momenta(text, "midpoint", coordinates, &energy_of_midpoint);
        for (int k = 0; k < 6; k++) {
            if (!CASES[i / 2].kept[k])
                continue;
            most = fmax(most, log.change[k] / log.size);
            most_of_midpoint = fmax(most_of_midpoint, plain.change[k] / plain.size);
        }
        print_message("%s, %s: momenta change by %.1e, energy by %.1e; midpoint rule %.1e, %.1e\n",
                      CASES[i / 2].name, coordinates, most, energy, most_of_midpoint, energy_of_midpoint);
        assert_true(most <= 1e-11 && energy <= 1e-11 * 30);
        assert_true(most_of_midpoint > 1e-7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model),
        cmocka_unit_test(drawn_mechanisms),
        cmocka_unit_test(order_two),
        cmocka_unit_test(momenta_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

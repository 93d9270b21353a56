/* The conserving integrator and velocity projection on the two particles of Garcia Orden (2010), and what
 * conserving means elsewhere: energy over many steps, momentum, order, two ways to solve the same step.
 *
 * Origin of the numbers of the two particles: the step equations (conserving.h) solved to round-off in an
 * independent computation, M = diag(1, 0.1), W = diag(15, 1), E_0 = 1/2. The paper prints two or three digits
 * of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trials.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* What is seen at the ends of steps. */
typedef struct record {
    double energy_before, lambda;
    long gains, losses, rows;
    double velocity_violation;
    int most_iterations;
} record;

static keel_status take(void *user, const keel_row *row) {
    record *r = user;
    double change = row->energy - r->energy_before;
    r->gains += r->rows > 0 && change > 0;
    r->losses += r->rows > 0 && change < 0;
    r->energy_before = row->energy;
    r->velocity_violation = fmax(r->velocity_violation, row->velocity_violation);
    if (row->newton && row->newton->iterations > r->most_iterations)
        r->most_iterations = row->newton->iterations;
    r->lambda = row->lambda ? row->lambda[0] : 0;
    r->rows++;
    return KEEL_OK;
}

static trial two_particles(double step, double until) {
    trial t = trial_of("two_particles", "conserving/index3/none");
    t.settings.step = step;
    t.settings.until = until;
    t.settings.output = 0;
    return t;
}

/* Velocity projection (A + alpha J^T J) v = A v* after every step; A = W or M. */
static void project(trial *t, keel_metric metric, double alpha) {
    static const double W[] = {15, 0, 0, 1};
    t->settings.method.stabilize = KEEL_PROJECTION;
    t->settings.levels = KEEL_LEVELS_VELOCITY;
    t->settings.metric = (int)metric;
    t->settings.metric_matrix = (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = 2, .values = W};
    t->settings.projection_penalty = alpha;
}

static record run(trial *t) {
    record r = {0};
    keel_observer observer = {.user = &r, .row = take};
    trial_run(t, &observer);
    trial_expect_ok(t);
    return r;
}

static void near(double x, double reference, double tolerance) {
    if (!(fabs(x - reference) <= tolerance))
        fail_msg("%.15g is not %.15g to %.0e", x, reference, tolerance);
}

static void without_projection(void **state) {
    (void)state;
    trial t = two_particles(0.04, 10);
    record r = run(&t);
    const keel_state *end = t.result.final;
    near(end->q[0], 0.989319637294, 1e-10);
    near(end->q[1], -0.145762324569, 1e-10);
    near(end->v[0], -0.432934787511, 1e-10);
    near(end->v[1], -2.85055691008, 1e-10);
    near(r.velocity_violation, 0.025614, 5e-7);
    assert_true(t.result.position.max <= 1e-15);
    assert_true(t.result.energy_drift_max <= 1e-13);
    trial_end(&t);
}

static void metric_that_adds_energy(void **state) {
    (void)state;
    trial t = two_particles(0.1, 10);
    project(&t, KEEL_METRIC_MATRIX, 1);
    record r = run(&t);
    near(t.result.energy_final, 0.529715999822, 1e-11);
    assert_true(r.gains == 88 && r.losses == 12);
    project(&t, KEEL_METRIC_MATRIX, 20);
    r = run(&t);
    near(t.result.energy_final, 0.669107974738, 1e-11);
    assert_true(r.gains == 96 && r.losses == 4);
    t.settings.until = 35.5;
    run(&t);
    near(t.result.energy_final / 0.5, 2.5588, 5e-5);
    trial_end(&t);
}

static void mass_metric_only_takes(void **state) {
    (void)state;
    trial t = two_particles(0.1, 10);
    project(&t, KEEL_METRIC_MASS, 1);
    run(&t);
    near(t.result.final->q[0], 0.888120519433, 1e-10);
    near(t.result.final->q[1], 0.459610642786, 1e-10);
    near(t.result.energy_final, 0.463384149107, 1e-11);
    t.settings.until = 50;
    record r = run(&t);
    near(t.result.energy_final / 0.5, 0.7390693461, 1e-10);
    assert_true(r.gains == 0 && r.losses == 500);
    trial_end(&t);
}

/* The author's iteration ends at 5.2 s without projection, and at 35.5 s with A = W, alpha = 20. The
 * equations have a solution at every step, and Newton's method with a new matrix in every iteration finds it
 * within seven. */
static void never_fails(void **state) {
    (void)state;
    trial t = two_particles(0.1, 50);
    t.settings.newton_report = KEEL_YES;
    t.settings.newton = KEEL_NEWTON_FULL;
    record r = run(&t);
    print_message("dt 0.1 without projection: at most %d iterations, energy %.1e\n", r.most_iterations,
                  t.result.energy_drift_max);
    assert_true(r.most_iterations <= 7);
    assert_true(t.result.energy_drift_max <= 1e-13);
    project(&t, KEEL_METRIC_MATRIX, 20);
    t.settings.until = 50;
    r = run(&t);
    print_message("dt 0.1, W, 20: at most %d iterations\n", r.most_iterations);
    assert_true(r.most_iterations <= 7);
    t.settings.newton = KEEL_NEWTON_MODIFIED;
    run(&t);
    t.settings.method.stabilize = KEEL_STABILIZE_NONE;
    t.settings.until = SANITIZED ? 100 : 2000;
    run(&t);
    assert_true(t.result.energy_drift_max <= 1e-13);
    trial_end(&t);
}

/* The augmented Lagrangian converges to the same equations, whatever penalty it begins with. Andrews'
 * mechanism starts from its dead centre, where round-off grows fastest: a new matrix in every iteration
 * changes it by 1e-12. */
static void solutions_agree(void **state) {
    (void)state;
    static const struct {
        const char *model;
        double step, until, penalty, apart;
    } CASES[] = {{"two_particles", 0.04, 10, 1e3, 1e-12},
                 {"two_particles", 0.1, 10, 1, 1e-12},
                 {"pendulum", 0.01, 4, 1e3, 1e-12},
                 {"andrews_bodies", 1e-5, 0.003, 1e3, 1e-10}};
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        trial one = trial_of(CASES[i].model, "conserving"), other = trial_of(CASES[i].model, "conserving");
        one.settings.step = other.settings.step = CASES[i].step;
        one.settings.until = other.settings.until = CASES[i].until;
        other.settings.solution = KEEL_SOLUTION_AUGMENTED;
        other.settings.augmented_penalty = CASES[i].penalty;
        run(&one);
        run(&other);
        int n = one.model->system->n_v;
        double q = difference(one.result.final->q, other.result.final->q, n);
        print_message("%s: q differ by %.1e\n", CASES[i].model, q);
        assert_true(q <= CASES[i].apart);
        assert_true(other.result.energy_drift_max <= 1e-12);
        trial_end(&one);
        trial_end(&other);
    }
}

/* Errors in q, v and the multiplier against dop853 at 1e-13. */
static void errors(double step, bool projected, double error[3]) {
    trial t = two_particles(step, 2), exact = trial_of("two_particles", "dop853");
    if (projected)
        project(&t, KEEL_METRIC_MASS, 0);
    record r = run(&t);
    exact.settings.tolerance = exact.settings.absolute_tolerance = 1e-13;
    exact.settings.until = 2;
    trial_run(&exact, NULL);
    error[0] = difference(t.result.final->q, exact.result.final->q, 2);
    error[1] = difference(t.result.final->v, exact.result.final->v, 2);
    error[2] = fabs(r.lambda - exact.result.final->lambda[0]);
    trial_end(&t);
    trial_end(&exact);
}

static void orders(void **state) {
    (void)state;
    for (int projected = 0; projected < 2; projected++) {
        double coarse[3], fine[3];
        errors(0.004, projected, coarse);
        errors(0.002, projected, fine);
        double order[3];
        for (int i = 0; i < 3; i++)
            order[i] = log2(coarse[i] / fine[i]);
        print_message("%s: order %.3f in q, %.3f in v, %.3f in L\n", projected ? "projected" : "plain",
                      order[0], order[1], order[2]);
        for (int i = 0; i < 3; i++)
            assert_true(fabs(order[i] - 2) < 0.1);
    }
}

/* Largest |energy - work - energy at the start|, relative to the energy that goes to and fro. */
typedef struct long_run {
    const char *model, *mom, *speed;
    double step, size;
} long_run;

static trial open_long(const long_run *c, const char *method) {
    trial t = trial_of(c->model, method);
    if (c->mom) {
        const keel_assignment set[] = {{"mom", c->mom}, {"speed", c->speed}};
        char path[512];
        snprintf(path, sizeof path, "%s/models/%s.yaml", KEEL_SOURCE_DIR, c->model);
        keel_model_free(t.model);
        t.model = keel_model_read(path, set, 2, t.messages, &t.status);
        assert_non_null(t.model);
    }
    t.settings.step = c->step;
    t.settings.max_steps = 1e6;
    return t;
}

static void energy_stays(void **state) {
    (void)state;
    static const long_run CASES[] = {{"pendulum", NULL, NULL, 0.01, 13.75},
                                     {"two_particles", NULL, NULL, 0.04, 0.5},
                                     {"two_particles", NULL, NULL, 0.1, 0.5},
                                     {"spring_pendulum", NULL, NULL, 0.01, 10.8},
                                     {"andrews_bodies", "0", "100", 1e-6, 1.45}};
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const long_run *c = &CASES[i];
        trial t = open_long(c, "conserving"), plain = open_long(c, "midpoint");
        double steps = SANITIZED ? 1000 : 1e5;
        t.settings.until = steps * c->step;
        plain.settings.until = 1000 * c->step;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        trial_run(&plain, NULL);
        trial_expect_ok(&plain);
        print_message(
            "%s, %.0f steps of %g: energy changed by %.1e (%.2f s); midpoint rule, 1000 steps: %.1e\n",
            c->model, (double)t.result.count.steps, c->step, t.result.energy_drift_max / c->size,
            t.result.cpu_seconds, plain.result.energy_drift_max / c->size);
        assert_true(fabs((double)t.result.count.steps - steps) <= 1);
        assert_true(t.result.energy_drift_max <= 1e-12 * c->size);
        if (i == 3) /* a potential that is not quadratic: the midpoint rule does not conserve */
            assert_true(plain.result.energy_drift_max > 1e-8 * c->size);
        trial_end(&t);
        trial_end(&plain);
    }
}

/* Drivers and dampers do work, which is accounted for exactly; steps may vary. */
static void work_balances(void **state) {
    (void)state;
    static const struct {
        const char *model;
        double step, until, size;
    } CASES[] = {{"car_axis", 0, 3, 1e-3},     {"car_axis", 1e-3, 3, 1e-3}, {"circular_track", 0.01, 3, 10},
                 {"stiff_spring", 1e-3, 2, 1}, {"wheelset", 1e-4, 1, 0.8},  {"andrews_bodies", 0, 0.01, 1}};
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        trial t = trial_of(CASES[i].model, "conserving");
        t.settings.tolerance = 5e-4;
        t.settings.step = CASES[i].step;
        t.settings.until = CASES[i].until;
        run(&t);
        print_message("%s: %ld steps, %ld rejected, balance %.1e\n", CASES[i].model, t.result.count.steps,
                      t.result.count.rejected, t.result.energy_drift_max / CASES[i].size);
        assert_true(fabs(t.result.energy_final - t.result.energy_initial) > 1e-6 * CASES[i].size);
        assert_true(t.result.energy_drift_max <= 1e-11 * CASES[i].size);
        trial_end(&t);
    }
}

/* The two models of Andrews' mechanism move alike, and have the same energy. */
static void bodies_are_the_mechanism(void **state) {
    (void)state;
    enum { SPRING_OF_ANGLES = 2, SPRING_OF_BODIES = 1 };
    trial angles = trial_of("andrews", "dop853"), bodies = trial_of("andrews_bodies", "dop853");
    angles.settings.tolerance = bodies.settings.tolerance = 1e-11;
    angles.settings.until = bodies.settings.until = 0.01;
    run(&angles);
    run(&bodies);
    const double *q = angles.result.final->q, *v = angles.result.final->v;
    double p[7] = {q[0], q[0] + q[1], q[2], q[3] + q[4], q[4], q[5] + q[6], q[6]};
    double w[7] = {v[0], v[0] + v[1], v[2], v[3] + v[4], v[4], v[5] + v[6], v[6]};
    for (int i = 0; i < 7; i++) {
        near(bodies.result.final->q[3 * i + 2], p[i], 1e-10);
        near(bodies.result.final->v[3 * i + 2], w[i], 1e-8 * fmax(1, fabs(w[i])));
    }
    double spring = angles.result.outputs[SPRING_OF_ANGLES];
    near(bodies.result.outputs[SPRING_OF_BODIES], spring, 1e-10);
    near(bodies.result.energy_final, angles.result.energy_final + spring, 1e-10);
    trial_end(&angles);
    trial_end(&bodies);
}

/* Two masses, free in the plane: linear and angular momentum. */
#define DUMBBELL(potential, constraint)                                                                      \
    "keel: 1\nequations:\n  coordinates: {x1: 0, y1: 0, x2: 1, y2: 0}\n"                                     \
    "  velocities: {x1: 0.3, y1: -1, x2: 0.3, y2: 2}\n"                                                      \
    "  kinetic: (x1'^2 + y1'^2)/2 + (x2'^2 + y2'^2)\n"                                                       \
    "  definitions: {rr: (x2 - x1)^2 + (y2 - y1)^2}\n"                                                       \
    "  potential: " potential "\n" constraint                                                                \
    "  invariants: {p: x1' + 2*x2', l: x1*y1' - y1*x1' + 2*(x2*y2' - y2*x2')}\n"                             \
    "simulate: {until: 20, step: 0.02}\n"

static void momentum(void **state) {
    (void)state;
    static const struct {
        const char *model, *method;
        bool kept;
    } CASES[] = {
        {DUMBBELL("3*rr", ""), "conserving", true},
        {DUMBBELL("0", "  holonomic: {rod: rr - 1}\n"), "conserving", true},
        {DUMBBELL("0", "  holonomic: {rod: sqrt(rr) - 1}\n"), "conserving",
         true}, /* distances: no correction */
        {DUMBBELL("20*(sqrt(rr) - 1)^2", ""), "conserving", false},
        {DUMBBELL("20*(sqrt(rr) - 1)^2", ""), "midpoint", true},
    };
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        double change[2];
        for (int half = 0; half < 2; half++) {
            trial t = trial_of(CASES[i].model, CASES[i].method);
            t.settings.step *= half ? 0.5 : 1;
            run(&t);
            change[half] = fmax(t.result.invariants[0].drift_max, t.result.invariants[1].drift_max);
            if (strcmp(CASES[i].method, "conserving") == 0)
                assert_true(t.result.energy_drift_max <= 1e-12);
            trial_end(&t);
        }
        print_message("case %u (%s): momentum changes by %.1e, %.1e with half the step\n", i, CASES[i].method,
                      change[0], change[1]);
        if (CASES[i].kept)
            assert_true(change[0] <= 1e-12);
        else /* the price of the energy, of second order */
            assert_true(change[0] > 1e-9 && change[0] < 1e-2 && change[1] < 0.4 * change[0]);
    }
}

/* Order two against dop853 at 1e-12: mass matrices that change, drivers, nonholonomic rows, auxiliary
 * unknowns. */
static void orders_elsewhere(void **state) {
    (void)state;
    static const struct {
        const char *model, *method;
        double step, until;
    } CASES[] = {{"pendulum", "midpoint", 0.005, 2.5},  {"pendulum", "conserving", 0.005, 2.5},
                 {"andrews", "midpoint", 1e-5, 0.01},   {"andrews_bodies", "conserving", 1e-5, 0.01},
                 {"andrews", "conserving", 1e-5, 0.01}, {"car_axis", "midpoint", 5e-4, 1},
                 {"car_axis", "conserving", 5e-4, 1},   {"snakeboard", "midpoint", 2e-3, 1},
                 {"knife_edge", "midpoint", 0.01, 1},   {"spring_pendulum", "conserving", 0.005, 3}};
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        trial exact = trial_of(CASES[i].model, "dop853");
        exact.settings.tolerance = exact.settings.absolute_tolerance = 1e-12;
        exact.settings.until = CASES[i].until;
        run(&exact);
        double q[2], v[2];
        for (int half = 0; half < 2; half++) {
            trial t = trial_of(CASES[i].model, CASES[i].method);
            t.settings.step = half ? CASES[i].step / 2 : CASES[i].step;
            t.settings.until = CASES[i].until;
            run(&t);
            int n = t.model->system->n_v;
            q[half] = difference(t.result.final->q, exact.result.final->q, n);
            v[half] = difference(t.result.final->v, exact.result.final->v, n);
            trial_end(&t);
        }
        print_message("%s, %s: errors %.1e %.1e, order %.2f in q, %.2f in v\n", CASES[i].model,
                      CASES[i].method, q[0], v[0], log2(q[0] / q[1]), log2(v[0] / v[1]));
        assert_true(fabs(log2(q[0] / q[1]) - 2) < 0.15 && fabs(log2(v[0] / v[1]) - 2) < 0.15);
        trial_end(&exact);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_projection),
        cmocka_unit_test(metric_that_adds_energy),
        cmocka_unit_test(mass_metric_only_takes),
        cmocka_unit_test(never_fails),
        cmocka_unit_test(solutions_agree),
        cmocka_unit_test(orders),
        cmocka_unit_test(energy_stays),
        cmocka_unit_test(work_balances),
        cmocka_unit_test(bodies_are_the_mechanism),
        cmocka_unit_test(momentum),
        cmocka_unit_test(orders_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

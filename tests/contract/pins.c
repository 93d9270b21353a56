/* Accelerations from the forces of pins (src/mechanism/pins.h) against those from M and J, in every kind of
 * tree, with every kind of force; where they must not be offered; and whole runs with and without them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mechanism/mech_system.h"
#include "mechanism/pins.h"
#include "mechanisms.h"

/* A number in -1 .. 1 from a linear congruence (Knuth's MMIX constants): the same points every time. */
static double number(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed / 9223372036854775808.0;
}

static double *zeroed(int count) {
    double *x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* v' by M, J, Q and xi. */
static void by_matrices(const keel_system *s, void *work, const keel_point *at, double *v_rate,
                        double *power) {
    int m = keel_system_m(s);
    keel_terms terms = {.M = zeroed(keel_pattern_count(s->M)),
                        .J = zeroed(keel_pattern_count(s->J)),
                        .Q = zeroed(s->n_v),
                        .xi = zeroed(m)};
    double *lambda = zeroed(m);
    keel_saddle *K = keel_saddle_new(s->M, s->J, NULL);
    assert_non_null(K);
    assert_int_equal(
        s->evaluate(s, work, KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI | KEEL_POWER, at, &terms),
        KEEL_OK);
    assert_int_equal(keel_saddle_factor(K, terms.M, terms.J, NULL), KEEL_OK);
    assert_int_equal(keel_saddle_solve(K, terms.Q, terms.xi, v_rate, lambda, NULL), KEEL_OK);
    *power = terms.power;
    keel_saddle_free(K);
    free(terms.M), free(terms.J), free(terms.Q), free(terms.xi), free(lambda);
}

static double largest(const double *x, int count) {
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* At the start and at points off the constraints: the equations are the same there too. */
static void compare(const char *name, const trial *t) {
    const keel_system *s = t->model->system;
    uint64_t seed = 1;
    void *work = NULL;
    int n = s->n_v, offered = 0;
    double *y = zeroed(4 * n), *q = y, *v = y + n, *a = y + 2 * n, *b = y + 3 * n;
    assert_int_equal(s->work_new(s, &work), KEEL_OK);
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < n; i++) {
            q[i] = t->model->start->q[i] + (k ? 0.2 : 0) * number(&seed);
            v[i] = t->model->start->v[i] + number(&seed);
        }
        double power = 0, expected = 0;
        keel_point at = {.t = 0.1 * k, .q = q, .v = v};
        if (!ki_pins_accelerate(s, work, &at, a, &power))
            continue;
        offered++;
        by_matrices(s, work, &at, b, &expected);
        double size = 1 + largest(b, n);
        for (int i = 0; i < n; i++)
            if (!(fabs(a[i] - b[i]) <= 1e-10 * size))
                fail_msg("%.300s (%d velocities): point %d: v'[%d] is %.15g by pins, %.15g by matrices", name,
                         n, k, i, a[i], b[i]);
        if (!(fabs(power - expected) <= 1e-12 * (1 + fabs(expected))))
            fail_msg("%.300s: power is %.15g, not %.15g", name, power, expected);
    }
    assert_true(offered >= 4);
    s->work_free(work);
    free(y);
}

static void compare_variant(const char *model, const char *coordinates, int N) {
    char size[16];
    snprintf(size, sizeof size, "%d", N);
    keel_assignment set = {"N", size};
    trial t = variant_trial(
        &(variant){.model = model, .coordinates = coordinates, .set = &set, .set_count = N > 0});
    if (!ki_mech_of(t.model->system)->pins)
        fail_msg("%.300s: not offered", model);
    compare(model, &t);
    trial_end(&t);
}

static void test_models(void **state) {
    (void)state;
    const char *const kinds[] = {"relative", "absolute", NULL};
    for (int k = 0; k < 3; k++) {
        compare_variant("chain_bodies", kinds[k], 7);
        compare_variant("chain_bodies", kinds[k], k ? 60 : 15); /* M of a long chain is ill-conditioned */
        compare_variant("a02_four_bars", kinds[k], 1);
        compare_variant("a02_four_bars", kinds[k], 9);
        compare_variant("a03_andrews", kinds[k], 0);
        compare_variant("a01_pendulum", kinds[k], 0);
    }
    compare_variant("chain_bodies", NULL, 1000);
    compare_variant("a02_four_bars", NULL, 300);
}

/* A plate that flies, with three pins, one of them told from the other side; a loop to the ground; a bar with
 * a branch. */
#define PLATE                                                                                                \
    "keel: 1\nplanar: true\ngravity: [0.4, -9.81]\nbodies:\n"                                                \
    "  plate: {mass: 2.3, centre: [0.1, 0.2], inertia: 0.3}\n"                                               \
    "  left: {mass: 0.7, centre: [-1, 0.6], inertia: 0.1}\n"                                                 \
    "  right: {mass: 0.9, centre: [1.2, 0.3], inertia: 0.2}\n"                                               \
    "  tail: {mass: 0.2, centre: [0.3, -1.4], inertia: 0.05}\n"                                              \
    "joints:\n"                                                                                              \
    "  l: {type: revolute, bodies: [plate, left], at: [-0.5, 0.3]}\n"                                        \
    "  r: {type: revolute, bodies: [right, plate], at: [0.6, 0.1], reading: 0.3}\n"                          \
    "  t: {type: revolute, bodies: [plate, tail], at: [0.2, -0.7]}\n"
#define TIED                                                                                                 \
    PLATE "  g: {type: revolute, bodies: [ground, left], at: [-1.5, 1.1]}\n"                                 \
          "  h: {type: revolute, bodies: [right, ground], at: [1.9, -0.2]}\n"

static const char *const SMALL[] = {
    PLATE,
    TIED,
    TIED "forces:\n"
         "  s: {type: spring, bodies: [plate, ground], at: [[0, 0], [0.3, 2]], stiffness: 40, damping: 2}\n"
         "  w: {type: torsion, joint: r, stiffness: 5, damping: 0.1}\n"
         "  f: {type: force, body: tail, at: [0.3, -2], vector: [sin(t), tail.x']}\n"
         "  m: {type: torque, body: left, value: 0.3*t - l.angle'}\n",
    "keel: 1\nplanar: true\ngravity: 9.81\nbodies:\n"
    "  a: {mass: 1.3, centre: [0.5, 0.1], inertia: 0.2}\n  b: {mass: 0.7, centre: [1.2, 0.4], inertia: 0.1}\n"
    "joints:\n"
    "  first: {type: revolute, bodies: [a, ground], at: [0, 0], friction: {viscous: 0.3}}\n"
    "  second: {type: revolute, bodies: [b, a], at: [1, 0.2], friction: {viscous: 0.1}}\n",
};

static void test_small(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof SMALL / sizeof *SMALL; i++) {
        compare_variant(SMALL[i], "relative", 0);
        compare_variant(SMALL[i], "absolute", 0);
    }
}

/* A slider, another joint, space, a motion, friction that asks for multipliers: not pins only. A point mass
 * that no pin holds to the ground. A plate with many pins: S would be full. */
static void test_not_offered(void **state) {
    (void)state;
    const char *const models[] = {
        "slider_crank_bodies",
        "excavator",
        "a04_bricard",
        "a05_governor",
        TIED "motions: {turn: {of: g.angle, speed: 1}}\n",
        TIED "  k: {type: distance, bodies: [ground, tail], at: [[0, -2], [0.3, -1.6]]}\n",
        PLATE "  g: {type: revolute, bodies: [ground, left], at: [-1.5, 1.1], "
              "friction: {coulomb: 0.1, radius: 0.02}}\n",
        "keel: 1\nplanar: true\nbodies:\n  a: {mass: 1, centre: [1, 0], inertia: 1}\n"
        "  b: {mass: 1, centre: [2, 0], inertia: 0}\njoints:\n"
        "  p: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
        "  q: {type: revolute, bodies: [a, b], at: [1.5, 0]}\n"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        trial t = variant_trial(&(variant){.model = models[i]});
        assert_null(ki_mech_of(t.model->system)->pins);
        assert_null(t.model->system->accelerate);
        trial_end(&t);
    }
    trial t = variant_trial(&(variant){
        .model =
            "keel: 1\nplanar: true\ngravity: 9.81\n"
            "bodies: {hub: {mass: 1, centre: [0, 0], inertia: 1}}\n"
            "repeat:\n  for: {i: 1..40}\n"
            "  bodies: {\"bar[i]\": {mass: 1, centre: [2*cos(i), 2*sin(i)], inertia: 1}}\n"
            "  joints: {\"pin[i]\": {type: revolute, bodies: [hub, \"bar[i]\"], at: [cos(i), sin(i)]}}\n"});
    assert_null(ki_mech_of(t.model->system)->pins);
    trial_end(&t);
}

/* Flat: the four bars of a parallelogram on one line. There, and next to it, the answer is no. */
static void test_singular_pose(void **state) {
    (void)state;
    trial t = variant_trial(&(variant){.model = "a02_four_bars", .coordinates = "relative"});
    const keel_system *s = t.model->system;
    void *work = NULL;
    double power, *a = zeroed(s->n_v);
    assert_int_equal(s->work_new(s, &work), KEEL_OK);
    keel_point at = {.q = t.model->start->q, .v = t.model->start->v};
    assert_true(ki_pins_accelerate(s, work, &at, a, &power));
    int refused = 0;
    for (double off = -0.3; off <= 0.3; off += 1e-4) {
        double *q = zeroed(s->n_q); /* relative angles: cranks turn against the ground, couplers back */
        for (int b = 0; b < s->n_q; b++) {
            char buffer[32];
            const char *name = keel_system_name(s, KEEL_NAME_Q, b, buffer);
            q[b] = t.model->start->q[b] + (strstr(name, "left") ? -1 : 1) * (1.5707963267948966 + off);
        }
        at.q = q;
        refused += !ki_pins_accelerate(s, work, &at, a, &power);
        free(q);
    }
    assert_true(refused > 0 && refused < 400);
    s->work_free(work);
    free(a);
    trial_end(&t);
}

/* The same run without the offer, which is not made where machine code of few bodies is faster. */
static void test_runs(void **state) {
    (void)state;
    const struct {
        const char *model;
        int N;
        double until, bound;
    } runs[] = {{"chain_bodies", 30, 0.5, 1e-8}, {"a02_four_bars", 5, 5, 1e-6}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char size[16];
        snprintf(size, sizeof size, "%d", runs[i].N);
        keel_assignment set = {"N", size};
        trial t = variant_trial(&(variant){.model = runs[i].model,
                                           .method = "dop853/index1/projection",
                                           .tolerance = 1e-9,
                                           .until = runs[i].until,
                                           .set = &set,
                                           .set_count = runs[i].N > 0});
        t.settings.output = runs[i].until;
        history with = {.outputs = t.model->system->n_outputs}, without = with;
        keel_observer observer = {.user = &with, .row = history_row};
        trial_run(&t, &observer);
        trial_expect_ok(&t);
        long factorizations = t.result.count.factorizations;
        assert_true(t.result.position.max < 1e-12 && t.result.velocity.max < 1e-11);
        ((keel_system *)t.model->system)->accelerate = NULL;
        observer.user = &without;
        trial_run(&t, &observer);
        trial_expect_ok(&t);
        assert_true(4 * factorizations < t.result.count.factorizations);
        double d = history_difference(&with, &without, with.outputs);
        print_message("%s: difference %.2g\n", runs[i].model, d);
        assert_true(d < runs[i].bound);
        trial_end(&t);
    }
    trial few = variant_trial(&(variant){.model = "a03_andrews"});
    assert_null(few.model->system->accelerate);
    trial_end(&few);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_models), cmocka_unit_test(test_small),
                                       cmocka_unit_test(test_not_offered),
                                       cmocka_unit_test(test_singular_pose), cmocka_unit_test(test_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

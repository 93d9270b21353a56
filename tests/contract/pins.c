/* Accelerations from the forces of pins (src/mechanism/pins.h) against those from M and J, in every kind of
 * tree, with every kind of force, in paths and in nets of pins; solutions with the factors that they leave;
 * where they must not be offered; and whole runs with and without them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "long_run.h"
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

/* At the start and at points off the constraints, by up to `off`: the equations are the same there too. Not
 * so for a pin that closes a loop of moving bodies, whose J takes for granted that it is closed. */
static void compare(const char *name, const trial *t, double off) {
    const keel_system *s = t->model->system;
    uint64_t seed = 1;
    void *work = NULL;
    int n = s->n_v, offered = 0;
    double *y = zeroed(4 * n), *q = y, *v = y + n, *a = y + 2 * n, *b = y + 3 * n;
    assert_int_equal(s->work_new(s, &work), KEEL_OK);
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < n; i++) {
            q[i] = t->model->start->q[i] + (k ? off : 0) * number(&seed);
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

/* b = S f, from r and the inertias of the bodies. */
static void apply_S(const ki_pins *pins, const ki_pins_work *w, const double (*f)[2], double (*b)[2]) {
    double(*rate)[3] = calloc((size_t)pins->body_count, sizeof *rate);
    assert_non_null(rate);
    for (int turn = 0; turn < 2; turn++) /* what forces do to bodies, then bodies to pins */
        for (int side = 0; side < 2 * pins->count; side++) {
            int p = side / 2, k = pins->pin[p].body[side % 2];
            double r[2], s = side % 2 ? 1 : -1, *a = rate[k], *to = b[p];
            ki_pins_arm(pins, w, side, r);
            if (turn == 0) {
                a[0] += pins->body[k].i_m * s * f[p][0];
                a[1] += pins->body[k].i_m * s * f[p][1];
                a[2] += pins->body[k].i_I * (r[0] * f[p][1] - r[1] * f[p][0]);
                to[0] = to[1] = 0;
            } else {
                to[0] += s * a[0] - a[2] * r[1];
                to[1] += s * a[1] + a[2] * r[0];
            }
        }
    free(rate);
}

/* omega^2 r of each pin, which is what velocities add to -c. */
static void find_centripetal(const ki_pins *pins, const ki_pins_work *w, const double *v, double (*b)[2]) {
    double *omega = zeroed(pins->body_count);
    for (int k = 1; k < pins->body_count; k++) {
        const ki_pinned *body = &pins->body[k];
        omega[k] = omega[body->parent] + body->sign * v[body->v < 0 ? ~body->v + 2 : body->v];
    }
    for (int side = 0; side < 2 * pins->count; side++) {
        double r[2], speed = omega[pins->pin[side / 2].body[side % 2]];
        ki_pins_arm(pins, w, side, r);
        for (int i = 0; i < 2; i++)
            b[side / 2][i] = (side % 2 ? b[side / 2][i] : 0) + speed * speed * r[i];
    }
    free(omega);
}

/* With the factors of the last accelerations: S S^-1 b = b, and v' with velocities - v' at rest is what the
 * centripetal part makes. A body with coordinates of its own and a hub has more of it: only its angle. */
static void compare_solves(const char *name, const trial *t) {
    const keel_system *s = t->model->system;
    const ki_pins *pins = ki_mech_of(s)->pins;
    int n = s->n_v;
    uint64_t seed = 3;
    void *work = NULL;
    double power, *y = zeroed(4 * n), *v = y, *a = y + n, *rest = y + 2 * n, *response = y + 3 * n;
    double(*b)[2] = calloc(3 * ((size_t)pins->count + 1), sizeof *b), (*f)[2] = b + pins->count,
    (*c)[2] = f + pins->count;
    assert_non_null(b);
    assert_int_equal(s->work_new(s, &work), KEEL_OK);
    ki_pins_work *w = &((ki_mech_work *)work)->pins;
    keel_point at = {.q = t->model->start->q, .v = v};
    assert_true(ki_pins_accelerate(s, work, &at, rest, &power));
    for (int i = 0; i < n; i++)
        v[i] = number(&seed);
    assert_true(ki_pins_accelerate(s, work, &at, a, &power));
    find_centripetal(pins, w, v, b);
    memcpy(f, b, (size_t)pins->count * sizeof *b);
    ki_pins_solve(pins, w, f);
    apply_S(pins, w, (const double(*)[2])f, c);
    double most = largest(b[0], 2 * pins->count);
    for (int k = 0; k < pins->count; k++)
        for (int i = 0; i < 2; i++)
            if (!(fabs(c[k][i] - b[k][i]) <= 1e-9 * (1 + most)))
                fail_msg("%.300s: S f is %.15g, not %.15g", name, c[k][i], b[k][i]);
    ki_pins_respond(pins, w, (const double(*)[2])f, response);
    for (int k = 1; k < pins->body_count; k++) {
        int i = pins->body[k].v, own = i < 0 ? ~i : i;
        bool hub = pins->body[k].i_m == 0;
        for (int j = i < 0 && hub ? own + 2 : own; j < own + (i < 0 ? 3 : 1); j++)
            if (!(fabs(a[j] - rest[j] - response[j]) <= 1e-9 * (1 + largest(a, n))))
                fail_msg("%.300s: response %d is %.15g, not %.15g", name, j, response[j], a[j] - rest[j]);
    }
    s->work_free(work);
    free(b), free(y);
}

static void compare_within(const char *model, const char *coordinates, int N, double off) {
    char size[16];
    snprintf(size, sizeof size, "%d", N);
    keel_assignment set = {"N", size};
    trial t = variant_trial(
        &(variant){.model = model, .coordinates = coordinates, .set = &set, .set_count = N > 0});
    if (!ki_mech_of(t.model->system)->pins)
        fail_msg("%.300s: not offered", model);
    compare(model, &t, off);
    if (ki_mech_of(t.model->system)->force_count == 0 &&
        ki_mech_of(t.model->system)->layout->rubbing_count == 0)
        compare_solves(model, &t);
    trial_end(&t);
}

static void compare_variant(const char *model, const char *coordinates, int N) {
    compare_within(model, coordinates, N, 0.2);
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

/* Bars of a row, pinned to each other; `bodies`, `joints`: whatever else. */
#define ROW(bodies, joints)                                                                                  \
    "keel: 1\nplanar: true\ngravity: [0.4, -9.81]\nparameters: {N: 4}\n"                                     \
    "bodies:\n  \"bar[1]\": {mass: 0.8, centre: [0.5, 0.1], inertia: 0.1}\n" bodies                          \
    "joints:\n  \"pin[2]\": {type: revolute, bodies: [\"bar[1]\", \"bar[2]\"], at: [1, 0]}\n" joints         \
    "repeat:\n  - for: {i: 2..N}\n"                                                                          \
    "    bodies: {\"bar[i]\": {mass: 1 + 0.1*i, centre: [i - 0.5, 0.1*sin(i)], inertia: 0.1 + 0.01*i}}\n"    \
    "  - for: {i: 3..N}\n"                                                                                   \
    "    joints: {\"pin[i]\": {type: revolute, bodies: [\"bar[i]\", \"bar[i-1]\"], at: [i - 1, "             \
    "0.3*sin(i)]}}\n"
#define HUB  "  hub: {type: revolute, bodies: [ground, \"bar[1]\"], at: [0, 0.2]}\n"
#define END  "  end: {type: revolute, bodies: [\"bar[N]\", ground], at: [N, 0.1]}\n"
#define LONE "  lone: {mass: 2, centre: [0, 5], inertia: 1}\n  swing: {mass: 2, centre: [1, 5], inertia: 1}\n"

static const struct {
    const char *name, *model;
    bool path;
    double off;
} ROWS[] = {
    {"free", ROW("", ""), true, 0.2},
    {"hanging", ROW("", HUB), true, 0.2},
    {"held at both ends", ROW("", HUB END), true, 0.2},
    {"held at the far end", ROW("", END), true, 0.2},
    {"with others beside it",
     ROW(LONE, HUB "  s: {type: revolute, bodies: [swing, ground], at: [0.5, 5.2]}\n"), true, 0.2},
    {"beside another one", ROW(LONE, HUB "  s: {type: revolute, bodies: [swing, lone], at: [0.5, 5.2]}\n"),
     false, 0.2},
    {"closed", ROW("", "  c: {type: revolute, bodies: [\"bar[N]\", \"bar[1]\"], at: [N/2, 2]}\n"), false, 0},
    {"with a branch", ROW(LONE, HUB "  s: {type: revolute, bodies: [swing, \"bar[2]\"], at: [1.5, 3]}\n"),
     false, 0.2},
    {"with forces",
     ROW("", HUB END) "forces:\n"
                      "  s: {type: spring, bodies: [\"bar[1]\", \"bar[3]\"], at: [[0.5, 1], [2, -1]], "
                      "stiffness: 40, damping: 2}\n"
                      "  w: {type: torsion, joint: hub, stiffness: 5, damping: 0.1}\n"
                      "  f: {type: force, body: \"bar[2]\", at: [2, 0], vector: [sin(t), 3]}\n",
     true, 0.2},
};

/* Even and odd numbers of pins, and those that leave a vector of four places partly filled. */
static void test_rows(void **state) {
    (void)state;
    const char *const kinds[] = {"relative", "absolute", NULL};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        for (int N = 3; N <= 12; N++)
            for (int k = 0; k < 3; k++) {
                char size[16];
                snprintf(size, sizeof size, "%d", N);
                keel_assignment set = {"N", size};
                trial t = variant_trial(
                    &(variant){.model = ROWS[i].model, .coordinates = kinds[k], .set = &set, .set_count = 1});
                if (!ki_mech_of(t.model->system)->pins->path == ROWS[i].path)
                    fail_msg("%s: %d bars are %s", ROWS[i].name, N, ROWS[i].path ? "no path" : "a path");
                trial_end(&t);
                compare_within(ROWS[i].model, kinds[k], N, ROWS[i].off);
            }
    compare_variant("chain_bodies", "relative", 1); /* a hub alone, and one pin */
    compare_variant("chain_bodies", "absolute", 1);
    compare_variant("chain_bodies", "relative", 2);
    compare_variant("chain_bodies", "absolute", 2);
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
    assert_null(long_run(few.model->system)->accelerate); /* machine code is faster */
    trial_end(&few);
}

/* N four-bars on one crank. Its pins all have blocks with each other: from some number on elimination costs
 * less. */
static bool is_offered_on_a_crank(int N) {
    size_t size = 400 + 500 * (size_t)N;
    char *text = calloc(size, 1), *end = text;
    assert_non_null(text);
    end += sprintf(end, "keel: 1\nplanar: true\nbodies:\n  crank: {mass: 2, centre: [0, 0], inertia: 0.1}\n");
    for (int k = 0; k < N; k++)
        end += sprintf(end,
                       "  a%d: {mass: 1, centre: [%d.5, 1], inertia: 0.1}\n  b%d: {mass: 1, centre: [%d.8, "
                       "1], inertia: 0.1}\n",
                       k, k, k, k);
    end += sprintf(end, "joints:\n  axle: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n");
    for (int k = 0; k < N; k++)
        end += sprintf(end,
                       "  c%d: {type: revolute, bodies: [crank, a%d], at: [%g, %g]}\n"
                       "  e%d: {type: revolute, bodies: [a%d, b%d], at: [%d, 1.5]}\n"
                       "  g%d: {type: revolute, bodies: [ground, b%d], at: [%d.9, 0]}\n",
                       k, k, 0.1 * cos(k), 0.1 * sin(k), k, k, k, k, k, k, k);
    trial t = variant_trial(&(variant){.model = text});
    bool offered = t.model->system->accelerate != NULL;
    trial_end(&t);
    free(text);
    return offered;
}

static void test_legs_on_a_crank(void **state) {
    (void)state;
    assert_true(is_offered_on_a_crank(2));
    assert_false(is_offered_on_a_crank(20));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_legs_on_a_crank),
                                       cmocka_unit_test(test_models),
                                       cmocka_unit_test(test_small),
                                       cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_not_offered),
                                       cmocka_unit_test(test_singular_pose),
                                       cmocka_unit_test(test_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

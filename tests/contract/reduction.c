/* Reductions (keel_system.reduction): the system in u moves as the full one does. At poses and speeds of
 * chance the full system at q(u), v(u, u') satisfies its constraints, has the same energy and power, and
 * accelerates by q_u u'' (M v' + J^T lambda = Q, J v' = xi; the maps are affine, so v' has no more parts). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "keel/mechanism.h"
#include "keel/native.h"
#include "mechanisms.h"
#include "reductions.h"

/* Two groups of cranks on oblique ground, led by 'f' and 'a'. The first: three cranks that are bent (pins of
 * two couplers at different places), the leader with a spring, friction and a pendulum, and pins described
 * from either side with readings. The second: a plate on three cranks whose pivots are on no line. Beside
 * them a slider, with a body that swings, and a body that nothing holds. */
static const char TWO_GROUPS[] =
    "keel: 1\nplanar: true\ngravity: [1.5, -9.81]\n"
    "points: {H: [5, 3], K: [21, 2]}\n"
    "bodies:\n"
    "  d: {mass: 0.7, centre: [0.3, 0.9], inertia: 0.2}\n"
    "  e: {mass: 1.1, centre: [2.4, 1.8], inertia: 0.1}\n"
    "  f: {mass: 0.9, centre: [4.2, 1.1], inertia: 0.3, points: {top: [4.4, 1.3]}}\n"
    "  low: {mass: 2, centre: [1.5, 3], inertia: 0.4}\n"
    "  high: {mass: 1.3, centre: [3, 2], inertia: 0.6}\n"
    "  swing: {mass: 0.8, centre: [4.5, -0.5], inertia: 0.2}\n"
    "  a: {mass: 0.5, centre: [10, 1.2], inertia: 0.1}\n"
    "  b: {mass: 0.6, centre: [12, 1], inertia: 0.1}\n"
    "  c: {mass: 0.7, centre: [11, 2.4], inertia: 0.1}\n"
    "  plate: {mass: 3, centre: [11.5, 3], inertia: 2}\n"
    "  slider: {mass: 1, centre: [20, 0], inertia: 1}\n"
    "  kite: {mass: 1, centre: [30, 2], inertia: 0.5}\n"
    "  bob: {mass: 1, centre: [20.3, -1], inertia: 0.1, points: {end: [20.4, -1.2]}}\n"
    "joints:\n"
    "  D: {type: revolute, bodies: [d, ground], at: [0, 0], reading: 0.3}\n"
    "  E: {type: revolute, bodies: [ground, e], at: [2, 1], reading: -0.2}\n"
    "  F: {type: revolute, bodies: [f, ground], at: [4, 0], reading: 1.1, friction: {viscous: 0.4}}\n"
    "  D1: {type: revolute, bodies: [d, low], at: [0.5, 1.5], reading: 2}\n"
    "  E1: {type: revolute, bodies: [low, e], at: [2.5, 2.5]}\n"
    "  E2: {type: revolute, bodies: [e, high], at: [1.2, 2.1]}\n"
    "  F2: {type: revolute, bodies: [high, f], at: [3.2, 1.1], reading: -1}\n"
    "  S: {type: revolute, bodies: [swing, f], at: [4.6, 0.4]}\n"
    "  A: {type: revolute, bodies: [ground, a], at: [10, 0]}\n"
    "  B: {type: revolute, bodies: [ground, b], at: [12, 0]}\n"
    "  C: {type: revolute, bodies: [c, ground], at: [11, 1]}\n"
    "  A1: {type: revolute, bodies: [a, plate], at: [10.3, 2]}\n"
    "  B1: {type: revolute, bodies: [plate, b], at: [12.3, 2]}\n"
    "  C1: {type: revolute, bodies: [plate, c], at: [11.3, 3]}\n"
    "  rail: {type: prismatic, bodies: [slider, ground], at: [20, 0], axis: [1, 0.5], reading: 0.1}\n"
    "  pin: {type: revolute, bodies: [slider, bob], at: [20, 0]}\n"
    "forces:\n"
    "  pull: {type: spring, between: [ground.H, f.top], stiffness: 20, damping: 1}\n"
    "  twist: {type: torsion, joint: A, stiffness: 6, free: 0.2}\n"
    "  hold: {type: spring, between: [ground.K, bob.end], law: 10*(length - 1) + f.angle + 0.3*rate}\n"
    "start: {\"F.angle'\": 1, \"A.angle'\": 2}\n"
    "simulate: {until: 1}\n";

/* Not near a flat pose, where multipliers and with them all comparisons lose digits. */
static void move_by_chance(pair *p) {
    double least;
    do {
        for (int i = 0; i < p->small->n_q; i++)
            p->u[i] = 4 * chance(), p->u_rate[i] = 3 * chance();
        least = 1;
        if (p->r->poses)
            p->r->poses(p->r, p->u, p->value);
        for (int i = 0; i < p->r->n_poses; i++)
            least = fmin(least, fabs(sin(3.14159265358979323846 * p->value[i])));
    } while (least < 0.3);
    p->r->expand(p->r, p->small_work, 0, p->u, p->u_rate, p->q, p->v);
}

static void expect_closed(const pair *p) {
    const keel_system *s = p->full;
    int m = keel_system_m(s);
    keel_terms terms = {.Phi = zeroed(m), .rate = zeroed(m)};
    keel_point at = {.q = p->q, .v = p->v};
    assert_int_equal(s->evaluate(s, p->work, KEEL_POSITION | KEEL_VELOCITY, &at, &terms), KEEL_OK);
    double reach = 1 + largest(s->Phi_size, s->n_h);
    if (!(largest(terms.Phi, m) < 1e-14 * reach && largest(terms.rate, m) < 1e-13 * reach))
        fail_msg("Phi %.2e, rate %.2e", largest(terms.Phi, m), largest(terms.rate, m));
    free(terms.Phi), free(terms.rate);
}

/* q_u x, by the map of velocities: it is linear. */
static void expect_same_motion(pair *p) {
    int n = p->full->n_v, left = p->small->n_v;
    double *a = zeroed(n), *u_second = zeroed(left), *b = zeroed(n), *ignored = zeroed(p->full->n_q);
    double energy[2], small_energy[2];
    accelerate(p->full, p->work, &(keel_point){.q = p->q, .v = p->v}, a, energy, NULL, NULL);
    accelerate(p->small, p->small_work, &(keel_point){.q = p->u, .v = p->u_rate}, u_second, small_energy,
               NULL, NULL);
    p->r->expand(p->r, p->small_work, 0, p->u, u_second, ignored, b);
    double size = largest(a, n);
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-10 * size))
            fail_msg("acceleration %d is %.15g, not %.15g", i, b[i], a[i]);
    for (int i = 0; i < 2; i++)
        if (!(fabs(energy[i] - small_energy[i]) <= 1e-12 * fmax(fabs(energy[i]), 100)))
            fail_msg("%s %.16g, not %.16g", i ? "power" : "energy", small_energy[i], energy[i]);
    free(a), free(u_second), free(b), free(ignored);
}

static void expect_inverse(pair *p) {
    int n = p->small->n_q;
    double *u = zeroed(n), *u_rate = zeroed(n);
    assert_true(p->r->shrink(p->r, p->small_work, 0, p->q, p->v, u, u_rate));
    assert_true(difference(u, p->u, n) < 1e-14 && difference(u_rate, p->u_rate, n) < 1e-14);
    free(u), free(u_rate);
}

static trial model_of_size(const char *model, int N) {
    char size[16];
    snprintf(size, sizeof size, "%d", N);
    keel_assignment set = {"N", size};
    return variant_trial(&(variant){.model = model, .set = &set, .set_count = N > 0});
}

static void compare(const char *model, int N, int left, int poses, int states) {
    trial t = model_of_size(model, N);
    pair p = pair_of(&t);
    assert_int_equal(p.small->n_q, left);
    assert_int_equal(keel_system_m(p.small), 0);
    assert_int_equal(p.r->n_poses, poses);
    for (int i = 0; i < poses; i++) /* of a cut joint */
        assert_true(p.r->pose_row[i] >= 0 && p.r->pose_row[i] < p.full->n_h);
    for (int i = 0; i < states; i++) {
        move_by_chance(&p);
        expect_closed(&p);
        expect_same_motion(&p);
        expect_inverse(&p);
    }
    assert_true(p.r->shrink(p.r, p.small_work, 0, t.model->start->q, t.model->start->v, p.u, p.u_rate));
    pair_end(&p);
    trial_end(&t);
}

static void test_windows(void **state) {
    (void)state;
    compare("a02_four_bars", 1, 1, 1, 20);
    compare("a02_four_bars", 2, 1, 1, 20);
    compare("a02_four_bars", 5, 1, 1, 20);
    compare("a02_four_bars", 60, 1, 1, 5); /* recursions, no formulas */
}

static void test_platform(void **state) {
    (void)state;
    compare("parallelogram_bodies", 0, 1, 1, 20); /* a redundant crank */
}

static void test_two_groups(void **state) {
    (void)state;
    compare(TWO_GROUPS, 0, 8, 2, 40);
}

/* 2001 bodies: a pendulum, with machine code though the full one has no formulas. */
static void test_many(void **state) {
    (void)state;
    trial t = model_of_size("a02_four_bars", 1000);
    pair p = pair_of(&t);
    assert_int_equal(p.full->n_q, 2001);
    assert_int_equal(p.small->n_q, 1);
    assert_string_equal(p.r->reason, "1000 parallelograms turn with 'bar[0]'");
    move_by_chance(&p);
    expect_closed(&p);
    expect_inverse(&p);
    assert_null(keel_mechanism_formulas(p.full));
    assert_non_null(keel_mechanism_formulas(p.small));
    keel_native *native = keel_native_attach(t.model->system, NULL, NULL);
    assert_int_equal(keel_native_compile(native, 1), KEEL_NATIVE_READY);
    assert_non_null(p.small->kernel(p.small, p.small_work));
    keel_native_detach(native);
    assert_null(p.small->kernel(p.small, p.small_work));
    pair_end(&p);
    trial_end(&t);
}

/* Code of both: they evaluate to the same numbers as their tapes. */
static void test_machine_code(void **state) {
    (void)state;
    trial t = model_of_size("a02_four_bars", 2);
    pair p = pair_of(&t);
    double before[2], after[2], a[5], b[5];
    move_by_chance(&p);
    accelerate(p.small, p.small_work, &(keel_point){.q = p.u, .v = p.u_rate}, a, before, NULL, NULL);
    keel_native *native = keel_native_attach(t.model->system, NULL, NULL);
    assert_int_equal(keel_native_compile(native, 1), KEEL_NATIVE_READY);
    assert_non_null(p.small->kernel(p.small, p.small_work));
    assert_non_null(p.full->kernel(p.full, p.work));
    accelerate(p.small, p.small_work, &(keel_point){.q = p.u, .v = p.u_rate}, b, after, NULL, NULL);
    assert_true(a[0] == b[0] && before[0] == after[0]);
    keel_native_detach(native);
    pair_end(&p);
    trial_end(&t);
}

/* A pose that is flat, or nearly; a state of the other branch; angles that differ by a turn. */
static void test_refusals(void **state) {
    (void)state;
    trial t = model_of_size("a02_four_bars", 1);
    pair p = pair_of(&t);
    const double flat = 1.5707963267948966;
    double u, u_rate;
    for (int i = 0; i < 3; i++) { /* upright at u = 0 */
        const double off[3] = {0, 5e-7, 5e-6};
        p.u[0] = flat + off[i], p.u_rate[0] = 1;
        p.r->expand(p.r, p.small_work, 0, p.u, p.u_rate, p.q, p.v);
        assert_int_equal(p.r->shrink(p.r, p.small_work, 0, p.q, p.v, &u, &u_rate), i == 2);
        p.r->poses(p.r, p.u, p.value);
        assert_true(fabs(p.value[0] - round(p.value[0])) < 2e-6);
    }
    p.u[0] = 0.7;
    p.r->expand(p.r, p.small_work, 0, p.u, p.u_rate, p.q, p.v);
    p.v[1] *= 1 + 1e-6;
    assert_false(p.r->shrink(p.r, p.small_work, 0, p.q, p.v, &u, &u_rate));
    p.r->expand(p.r, p.small_work, 0, p.u, p.u_rate, p.q, p.v);
    p.q[1] += 6.283185307179586;
    assert_false(p.r->shrink(p.r, p.small_work, 0, p.q, p.v, &u, &u_rate));
    pair_end(&p);
    trial_end(&t);
}

/* Dependent constraints where a pose passes a whole number, and not beside it. */
static void test_poses(void **state) {
    (void)state;
    trial t = model_of_size("a02_four_bars", 2);
    pair p = pair_of(&t);
    const keel_system *s = p.full;
    for (int i = 0; i < 8; i++) {
        int flat = i % 2;
        p.u[0] = -5.5 + 1.5 * i;
        p.r->poses(p.r, p.u, p.value);
        p.u[0] += flat ? 3.14159265358979323846 * (round(p.value[0]) - p.value[0]) : 0;
        p.r->expand(p.r, p.small_work, 0, p.u, p.u_rate, p.q, p.v);
        assert_int_equal(s->own.factor(s, p.work, p.q), !flat);
        double gap = s->own.gap(s, p.work);
        assert_true(flat ? gap < 1e-6 : gap > 0.01);
    }
    pair_end(&p);
    trial_end(&t);
}

/* Integrated in u, two windows are where quadrature of the one equation says (models/a02_four_bars.yaml),
 * five revolutions and ten flat poses later. */
static void test_known_motion(void **state) {
    (void)state;
    trial t = model_of_size("a02_four_bars", 2);
    pair p = pair_of(&t);
    keel_state *start = keel_state_new(p.small);
    keel_result result;
    assert_non_null(start);
    assert_true(p.r->shrink(p.r, p.small_work, 0, t.model->start->q, t.model->start->v, start->q, start->v));
    t.settings.tolerance = 1e-12;
    assert_int_equal(keel_run(p.small, start, 1, &t.settings, NULL, t.messages, &result), KEEL_OK);
    double angle = result.final->q[0]; /* from the upright, against the clock */
    print_message("error %.1e, energy off by %.1e\n", -sin(angle) - 0.328458111540815379,
                  result.energy_final - 35.835);
    assert_true(fabs(-sin(angle) - 0.328458111540815379) < 1e-9);
    assert_true(fabs(cos(angle) - 0.944518538178600962) < 1e-9);
    assert_true(fabs(result.energy_initial - 35.835) < 1e-12 && fabs(result.energy_final - 35.835) < 1e-9);
    keel_result_clear(&result);
    keel_state_free(start);
    pair_end(&p);
    trial_end(&t);
}

/* Two wheels with coupling rods a quarter of a turn apart, as locomotives have them: where one is flat the
 * other holds, and constraints never become dependent but for those that the second rod repeats. */
static void test_locomotive(void **state) {
    (void)state;
    static const char TEXT[] = "keel: 1\nplanar: true\ngravity: [0, -9.81]\n"
                               "bodies:\n"
                               "  front: {mass: 2, centre: [0, 0], inertia: 1}\n"
                               "  rear: {mass: 2, centre: [3, 0], inertia: 1}\n"
                               "  left: {mass: 1, centre: [1.5, 0.5], inertia: 0.7}\n"
                               "  right: {mass: 1, centre: [2, 0], inertia: 0.7}\n"
                               "joints:\n"
                               "  A: {type: revolute, bodies: [ground, front], at: [0, 0]}\n"
                               "  B: {type: revolute, bodies: [ground, rear], at: [3, 0]}\n"
                               "  L: {type: revolute, bodies: [front, left], at: [0, 0.5]}\n"
                               "  M: {type: revolute, bodies: [left, rear], at: [3, 0.5]}\n"
                               "  R: {type: revolute, bodies: [front, right], at: [0.5, 0]}\n"
                               "  S: {type: revolute, bodies: [right, rear], at: [3.5, 0]}\n"
                               "start: {\"A.angle'\": 1}\n";
    compare(TEXT, 0, 1, 0, 20);
}

/* A coordinate of the full system by its name, if it has one. */
static void set_coordinate(const pair *p, const char *name, double value) {
    char buffer[32];
    for (int i = 0; i < p->full->n_q; i++)
        if (strcmp(keel_system_name(p->full, KEEL_NAME_Q, i, buffer), name) == 0)
            p->q[i] = value;
}

/* The antiparallelogram of a window 2 m wide: its second top is the one of the parallelogram, A_1 + B_0 -
 * A_0, mirrored at the line through B_0 and A_1. */
static void test_other_branch(void **state) {
    (void)state;
    static const swap WIDE[] = {
        {"\"A[k]\": [k, 0], \"B[k]\": [k, 1]", "\"A[k]\": [2*k, 0], \"B[k]\": [2*k, 1]"}, {NULL, NULL}};
    keel_assignment set = {"N", "1"};
    trial t = variant_trial(&(variant){.model = "a02_four_bars", .swaps = WIDE, .set = &set, .set_count = 1});
    pair p = pair_of(&t);
    double first = 0.5, B0[2] = {-sin(first), cos(first)}; /* upright at 0 */
    for (int crossed = 0; crossed < 2; crossed++) {
        double B1[2] = {2 + B0[0], B0[1]}, u, u_rate;
        double line[2] = {2 - B0[0], -B0[1]}, length = hypot(line[0], line[1]);
        double off = ((B1[0] - 2) * -line[1] + B1[1] * line[0]) / length; /* distance from the line */
        B1[0] -= crossed * 2 * off * -line[1] / length;
        B1[1] -= crossed * 2 * off * line[0] / length;
        double second = atan2(-(B1[0] - 2), B1[1]), coupler = atan2(B1[1] - B0[1], B1[0] - B0[0]);
        memset(p.v, 0, (size_t)p.full->n_v * sizeof *p.v);
        set_coordinate(&p, "pivot[0].angle", first);
        set_coordinate(&p, "pivot[1].angle", second);
        set_coordinate(&p, "left[1].angle", coupler - first);
        set_coordinate(&p, "right[1].angle", second - coupler);
        expect_closed(&p);
        assert_int_equal(p.r->shrink(p.r, p.small_work, 0, p.q, p.v, &u, &u_rate), !crossed);
    }
    pair_end(&p);
    trial_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),      cmocka_unit_test(test_platform),
        cmocka_unit_test(test_two_groups),   cmocka_unit_test(test_many),
        cmocka_unit_test(test_machine_code), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_other_branch), cmocka_unit_test(test_poses),
        cmocka_unit_test(test_locomotive),   cmocka_unit_test(test_known_motion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

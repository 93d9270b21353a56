/* Which parallelograms are found, and what keeps a body from being taken away. */
#include "mechanism/parallelogram.h"
#include "mechanism_helper.h"

/* N windows side by side, 1 m wide: bars on the ground at (k, 0), couplers between their tops at (k + lean,
 * 1). */
typedef struct windows {
    int N;
    double lean;
    double longer;             /* the last bar's top is so much higher                                  */
    double friction[3];        /* viscous, of the first two pivots and of the first coupler's first pin */
    double coulomb;            /* of the second pivot                                                   */
    const char *push, *pushed; /* formula of a force in x, and the body that it acts on                 */
    const char *driven;        /* a quantity that a motion drives                                       */
    const char *also;          /* a body from which a pendulum hangs                                    */
    const char *torsion;       /* a joint with a spring                                                 */
    bool brace, sideways;      /* a rod from the first bar to the coupler; a rail for the second pivot  */
} windows;

static const char *name_of(const char *word, int k) {
    static char text[8][24];
    static int next;
    char *name = text[next++ % 8];
    snprintf(name, sizeof *text, "%s[%d]", word, k);
    return name;
}

static void add_pin(keel_mechanism *m, const char *name, int a, int b, double x, double y, double viscous,
                    double coulomb) {
    keel_joint pin = joint_at(name, "revolute", a, b, x, y, 0);
    pin.friction.viscous = viscous;
    pin.friction.coulomb = coulomb, pin.friction.slip = 0.1, pin.friction.radius = 0.05;
    assert_true(keel_mechanism_add_joint(m, &pin, NULL) >= 0);
}

static void add_bars(keel_mechanism *m, const windows *w) {
    int before = 0;
    for (int k = 0; k <= w->N; k++) {
        double top = k == w->N ? 1 + w->longer : 1;
        int bar = add_body(m, name_of("bar", k), 1, k + 0.5 * w->lean, 0.5, 0);
        keel_joint rail = joint_at("rail", "prismatic", KEEL_GROUND, bar, k, 0, 0);
        set_axis(&rail, 1, 0, 0);
        if (k == 1 && w->sideways)
            assert_true(keel_mechanism_add_joint(m, &rail, NULL) >= 0);
        else
            add_pin(m, name_of("pivot", k), KEEL_GROUND, bar, k, 0, k < 2 ? w->friction[k] : 0,
                    k == 1 ? w->coulomb : 0);
        if (k > 0) {
            int coupler = add_body(m, name_of("coupler", k), 1, k - 0.5 + w->lean, 1, 0);
            add_pin(m, name_of("left", k), before, coupler, k - 1 + w->lean, 1, k == 1 ? w->friction[2] : 0,
                    0);
            add_pin(m, name_of("right", k), coupler, bar, k + w->lean, top, 0, 0);
        }
        before = bar;
    }
}

static keel_mechanism *build(const windows *w) {
    const double gravity[3] = {0.5, -9.81, 0}, middle[3] = {0.5, 1, 0};
    keel_mechanism *m = keel_mechanism_new();
    keel_mechanism_set_planar(m, 1);
    keel_mechanism_set_gravity(m, gravity);
    add_bars(m, w);
    if (w->push) {
        keel_force push = force_at("push", KEEL_FORCE_PUSH, KEEL_GROUND,
                                   keel_mechanism_find_body(m, w->pushed), middle, middle);
        push.component[0] = formula(w->push);
        add_force(m, &push);
    }
    if (w->torsion) {
        keel_force torsion = keel_force_default("torsion", KEEL_FORCE_TORSION);
        torsion.joint = w->torsion, torsion.stiffness = 7, torsion.free = 0;
        add_force(m, &torsion);
    }
    if (w->driven) {
        keel_motion motion = {.name = "motor", .quantity = w->driven, .speed = 1};
        assert_true(keel_mechanism_add_motion(m, &motion, NULL) >= 0);
    }
    if (w->also) {
        int bob = add_body(m, "bob", 1, 0.3, 0.2, 0);
        add_joint(m, "hook", "revolute", keel_mechanism_find_body(m, w->also), bob, 0.3, 0.7, 0);
    }
    if (w->brace)
        add_joint(m, "brace", "distance", keel_mechanism_find_body(m, "bar[0]"),
                  keel_mechanism_find_body(m, "coupler[1]"), 0.3, 0.7, 0);
    return m;
}

/* What is found of windows: loops and the leader, and whether there is a reduction. */
static void expect(const windows *w, int loops, const char *leader) {
    keel_mechanism *m = build(w);
    ki_arena arena;
    ki_parallelograms found;
    ki_arena_init(&arena);
    assert_int_equal(ki_find_parallelograms(m, &arena, &found), KEEL_OK);
    assert_int_equal(found.loops, loops);
    for (int b = 1, turning = 0; loops && b < m->body_count; b++) {
        const ki_follower *f = &found.body[b];
        if (f->how != KI_ALONE)
            assert_string_equal(m->body[f->leader].name, leader);
        if (f->how == KI_TRANSLATES)
            assert_true(hypot(f->arm[0] - w->lean, f->arm[1] - 1) < 1e-14);
        turning += f->how == KI_TURNS;
        assert_true(b < m->body_count - 1 || turning == loops + 1);
    }
    ki_arena_free(&arena);
    keel_mechanism_free(m);
}

/* Is there a reduction, with so many coordinates? 0: none. */
static void expect_left(const windows *w, keel_coordinates coordinates, int left) {
    probe p = probe_new(build(w), coordinates);
    const keel_reduction *r = p.system->reduction;
    assert_int_equal(r ? r->system->n_q : 0, left);
    probe_free(&p);
}

static void test_windows(void **state) {
    (void)state;
    for (int N = 1; N <= 5; N++) {
        expect(&(windows){.N = N}, N, "bar[0]");
        expect(&(windows){.N = N, .lean = -0.4}, N, "bar[0]");
        expect_left(&(windows){.N = N}, KEEL_COORDINATES_AUTO, 1);
    }
    expect_left(&(windows){.N = 2}, KEEL_COORDINATES_ABSOLUTE, 0); /* not by an affine map */
}

static void test_unequal(void **state) {
    (void)state;
    expect(&(windows){.N = 1, .longer = 1e-6}, 0, NULL);
    expect(&(windows){.N = 1, .longer = 1e-15}, 1, "bar[0]");
    expect(&(windows){.N = 3, .longer = 1e-6}, 2, "bar[2]"); /* the last loop stays, and leads */
    expect_left(&(windows){.N = 3, .longer = 1e-6}, KEEL_COORDINATES_AUTO, 0);
    expect_left(&(windows){.N = 1, .sideways = true}, KEEL_COORDINATES_AUTO, 0);
}

/* A crank that must stay leads; two that must stay, or a coupler, leave the loop. */
static void test_what_stays(void **state) {
    (void)state;
    expect(&(windows){.N = 2, .push = "3", .pushed = "bar[2]"}, 2, "bar[2]");
    expect_left(&(windows){.N = 2, .push = "3", .pushed = "bar[2]"}, KEEL_COORDINATES_AUTO, 1);
    expect(&(windows){.N = 2, .push = "3", .pushed = "coupler[1]"}, 1, "bar[1]");
    expect_left(&(windows){.N = 2, .push = "3", .pushed = "coupler[1]"}, KEEL_COORDINATES_AUTO, 0);
    expect(&(windows){.N = 2, .push = "bar[1].angle", .pushed = "bar[2]"}, 0, NULL);
    expect(&(windows){.N = 2, .push = "bar[2].angle", .pushed = "bar[2]"}, 2, "bar[2]");
    expect(&(windows){.N = 2, .push = "bar[2].x", .pushed = "bar[2]"}, 0, NULL); /* the centre of its mass */
    expect(&(windows){.N = 1, .push = "left[1].angle'", .pushed = "bar[1]"}, 0, NULL);
    expect(&(windows){.N = 2, .torsion = "pivot[1]"}, 2, "bar[1]");
    expect(&(windows){.N = 1, .torsion = "left[1]"}, 0, NULL);
    expect(&(windows){.N = 2, .friction = {0.1, 0, 0}}, 2, "bar[0]");
    expect(&(windows){.N = 2, .friction = {0, 0.1, 0}}, 2, "bar[1]");
    expect(&(windows){.N = 2, .friction = {0.1, 0.1, 0}}, 0, NULL);
    expect(&(windows){.N = 1, .friction = {0, 0, 0.1}}, 0, NULL);
    expect_left(&(windows){.N = 2, .coulomb = 0.1}, KEEL_COORDINATES_AUTO, 0);
    expect(&(windows){.N = 1, .driven = "pivot[0].angle"}, 0, NULL);
    expect(&(windows){.N = 2, .also = "bar[1]"}, 2, "bar[1]");
    expect_left(&(windows){.N = 2, .also = "bar[1]"}, KEEL_COORDINATES_AUTO, 2);
    expect(&(windows){.N = 1, .also = "coupler[1]"}, 0, NULL);
    expect(&(windows){.N = 1, .brace = true}, 0, NULL);
}

/* Drawn as the other branch: the tops of the bars are on either side of the ground. */
static void test_antiparallelogram(void **state) {
    (void)state;
    keel_mechanism *m = keel_mechanism_new();
    keel_mechanism_set_planar(m, 1);
    int a = add_body(m, "a", 1, 0.3, 0.4, 0), b = add_body(m, "b", 1, 2, 0, 0),
        c = add_body(m, "c", 1, 1, 0, 0);
    /* A_0 = 0, A_1 = (2, 0), B_0 = (0.6, 0.8); B_1 is (2.6, 0.8) mirrored at the line from B_0 to A_1 */
    const double x = 2.6 - 2 * 0.8 * 2 * 0.8 / 2.6, y = 0.8 - 2 * 0.8 * 2 * 1.4 / 2.6;
    add_joint(m, "A0", "revolute", KEEL_GROUND, a, 0, 0, 0);
    add_joint(m, "A1", "revolute", KEEL_GROUND, b, 2, 0, 0);
    add_joint(m, "B0", "revolute", a, c, 0.6, 0.8, 0);
    add_joint(m, "B1", "revolute", c, b, x, y, 0);
    assert_near(hypot(x - 2, y), 1, 1e-14); /* sides of a parallelogram */
    assert_near(hypot(x - 0.6, y - 0.8), 2, 1e-14);
    probe p = probe_new(m, KEEL_COORDINATES_AUTO);
    assert_null(p.system->reduction);
    probe_free(&p);
}

/* A platform on three cranks, whose pivots are on a line or not; on two at the same place it would spin. */
static void test_platform(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        const double third[3][2] = {{1.3, 0}, {1.3, 0.5}, {0, 0}}, *A = third[k];
        keel_mechanism *m = keel_mechanism_new();
        keel_mechanism_set_planar(m, 1);
        int plate = add_body(m, "plate", 1, 1, 1, 0), crank[3];
        const double pivot[3][2] = {{0, 0}, {k == 2 ? 0 : 2, 0}, {A[0], A[1]}};
        static const char *const NAMES[3][3] = {{"a", "b", "c"}, {"A", "B", "C"}, {"P", "Q", "R"}};
        for (int i = 0; i < 3; i++) {
            double X = pivot[i][0], Y = pivot[i][1];
            crank[i] = add_body(m, NAMES[0][i], 1, X + 0.1, Y + 0.5, 0);
            add_joint(m, NAMES[1][i], "revolute", crank[i], KEEL_GROUND, X, Y, 0);
            add_joint(m, NAMES[2][i], "revolute", crank[i], plate, X + 0.2, Y + 1, 0);
        }
        probe p = probe_new(m, KEEL_COORDINATES_AUTO);
        const keel_reduction *r = p.system->reduction;
        assert_int_equal(r != NULL, k < 2);
        if (r) {
            assert_int_equal(r->n_poses, k == 0); /* flat with all on a line only */
            assert_string_equal(r->reason, "2 parallelograms turn with 'a'");
        }
        probe_free(&p);
    }
}

static void test_words(void **state) {
    (void)state;
    probe p = probe_new(build(&(windows){.N = 1}), KEEL_COORDINATES_AUTO);
    assert_string_equal(p.system->reduction->reason, "1 parallelogram turns with 'bar[0]'");
    assert_null(p.compiled.assembly->reduction);
    assert_null(p.system->reduction->system->reduction);
    probe_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),    cmocka_unit_test(test_unequal),
        cmocka_unit_test(test_what_stays), cmocka_unit_test(test_antiparallelogram),
        cmocka_unit_test(test_platform),   cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

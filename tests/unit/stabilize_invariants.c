/* Invariants: whether they are constant, and what keeping them needs. */
#include "stabilize_systems.h"

/* The check at a state, with the rate there. */
static keel_status check(const keel_system *system, double t, const double *y, ki_trouble *trouble) {
    bench b;
    double k[9];
    keel_settings s = projection_settings();
    bench_open(&b, system, &s);
    assert_int_equal(ki_set_invariants(&b.d, t, y), KEEL_OK);
    assert_int_equal(ki_rate(&b.d, t, y, k), KEEL_OK);
    keel_status status = ki_check_invariants(&b.d, t, y, k);
    *trouble = b.d.trouble;
    bench_close(&b);
    return status;
}

static void true_invariants_pass(void **state) {
    (void)state;
    const double friction = 0.3, pendulum[] = {0.6, -0.8, 1.6, 1.2, 0}, rest[] = {0, -1, 0, 0, 0},
                 orbit[] = {0.4, 0.1, 0.3, 2, 0}, knife[] = {0, 0, 0.5, 2 * cos(0.5), 2 * sin(0.5), 1, 0},
                 warm[] = {1, 0.5, 2, 0}, body[] = {0.5, -0.5, 0.5, 0.5, 0.1, 2, 0.3, 0};
    const rod_model model = {.copies = 2};
    const struct {
        keel_system system;
        const double *y;
    } CASES[] = {{rod_system(&model), pendulum}, {rod_system(&model), rest},
                 {kepler_system(), orbit},       {knife_system(), knife},
                 {body_system(), body},          {heated_system(&friction), warm}};
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        ki_trouble trouble;
        assert_int_equal(check(&CASES[i].system, 0, CASES[i].y, &trouble), KEEL_OK);
    }
}

/* Damping takes energy at the rate b |v|^2 = 0.01 * 4; the terms are those of (m g) y' and v v'. */
static void damping_is_found(void **state) {
    (void)state;
    const double y[] = {0.6, -0.8, 1.6, 1.2, 0};
    rod_model model = {.copies = 1, .damping = 0.01};
    keel_system system = rod_system(&model);
    ki_trouble trouble;
    assert_int_equal(check(&system, 1.5, y, &trouble), KEEL_ERROR_INPUT);
    assert_int_equal(trouble.kind, KI_TROUBLE_INVARIANT);
    assert_int_equal(trouble.index, 0);
    assert_true(trouble.t == 1.5);
    assert_true(fabs(trouble.amount + 0.04) < 1e-12);
    assert_true(trouble.size > 10 && trouble.size < 100);
}

/* x'' = F cos(w t) with two quantities that depend on t: x' - (F/w) sin(w t), constant; and the same with a
 * factor `wrong` in front of the second term. */
typedef struct pushed_model {
    double F, w, wrong;
} pushed_model;

static keel_status pushed_evaluate(const keel_system *system, void *work, unsigned what, const keel_point *at,
                                   keel_terms *terms) {
    const pushed_model *p = system->model;
    (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = 1;
    if (what & KEEL_FORCE)
        terms->Q[0] = p->F * cos(p->w * at->t);
    if (what & KEEL_INVARIANTS) {
        terms->invariant[0] = at->v[0] - p->wrong * p->F / p->w * sin(p->w * at->t);
        terms->invariant_y[0] = 1;
    }
    return KEEL_OK;
}

static void explicit_time_is_understood(void **state) {
    (void)state;
    static const int start[] = {0, 1}, zero[] = {0}, one[] = {1};
    const double y[] = {1, 2, 0};
    for (double w = 1e-2; w < 1e5; w *= 10) {
        pushed_model model = {3, w, 1};
        keel_system system = keel_system_default();
        ki_trouble trouble;
        system.n_q = system.n_v = system.n_i = 1;
        system.M = (keel_pattern){1, 1, start, zero};
        system.invariant_y = (keel_pattern){1, 2, start, one};
        system.evaluate = pushed_evaluate;
        system.model = &model;
        assert_int_equal(check(&system, 0.5 / w, y, &trouble), KEEL_OK);
        model.wrong = 1.01;
        assert_int_equal(check(&system, 0.5 / w, y, &trouble), KEEL_ERROR_INPUT);
        assert_true(fabs(trouble.amount + 0.01 * 3 * cos(0.5)) < 1e-3);
        model.wrong = 0;
        assert_int_equal(check(&system, 0.5 / w, y, &trouble), KEEL_ERROR_INPUT);
    }
}

/* A particle that glides along a straight line of slope `tilt`, pressed against it: x'' is zero, which in
 * numbers is round-off of the forces in balance. I = x' */
static keel_status gliding_evaluate(const keel_system *system, void *work, unsigned what,
                                    const keel_point *at, keel_terms *terms) {
    double tilt = *(const double *)system->model, s = sin(tilt), c = cos(tilt);
    (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = terms->M[1] = 0.7;
    if (what & KEEL_FORCE)
        terms->Q[0] = 9.81 * s, terms->Q[1] = -9.81 * c;
    if (what & KEEL_JACOBIAN)
        terms->J[0] = -s, terms->J[1] = c;
    if (what & KEEL_POSITION)
        terms->Phi[0] = -s * at->q[0] + c * at->q[1];
    if (what & KEEL_VELOCITY)
        terms->rate[0] = -s * at->v[0] + c * at->v[1];
    if (what & KEEL_XI)
        terms->xi[0] = 0;
    if (what & KEEL_INVARIANTS)
        terms->invariant[0] = at->v[0], terms->invariant_y[0] = 1;
    return KEEL_OK;
}

static void round_off_is_no_change(void **state) {
    (void)state;
    static const int M_start[] = {0, 1, 2}, M_index[] = {0, 1}, J_start[] = {0, 2}, J_index[] = {0, 1};
    static const int I_start[] = {0, 1}, I_index[] = {2};
    for (double tilt = 0.1; tilt < 1.5; tilt += 0.07) {
        const double y[] = {0, 0, cos(tilt), sin(tilt), 0};
        keel_system system = keel_system_default();
        ki_trouble trouble;
        system.n_q = system.n_v = 2;
        system.n_h = system.n_i = 1;
        system.M = (keel_pattern){2, 2, M_start, M_index};
        system.J = system.rate_q = (keel_pattern){1, 2, J_start, J_index};
        system.invariant_y = (keel_pattern){1, 4, I_start, I_index};
        system.evaluate = gliding_evaluate;
        system.model = &tilt;
        assert_int_equal(check(&system, 0, y, &trouble), KEEL_OK);
    }
}

static void a_start_without_value_is_refused(void **state) {
    (void)state;
    bench b;
    keel_system system = kepler_system();
    keel_settings s = projection_settings();
    const double centre[] = {0, 0, 1, 0, 0};
    bench_open(&b, &system, &s);
    assert_int_equal(ki_set_invariants(&b.d, 0, centre), KEEL_ERROR_NOT_FINITE);
    assert_int_equal(b.d.trouble.kind, KI_TROUBLE_KEEPING);
    bench_close(&b);
}

/* What the settings make of it; `expected` must be in the message of a refusal. */
static keel_status law_of(const keel_system *system, const keel_settings *settings, ki_law *law,
                          const char *expected) {
    ki_arena arena;
    keel_diagnostics *list = keel_diagnostics_new();
    ki_arena_init(&arena);
    keel_status status = ki_law_init(law, &arena, system, settings, list);
    assert_int_equal(keel_diagnostics_count(list), expected ? 1 : 0);
    if (expected && !strstr(keel_diagnostics_get(list, 0).text, expected))
        fail_msg("'%s' is not in '%s'", expected, keel_diagnostics_get(list, 0).text);
    keel_diagnostics_free(list);
    ki_arena_free(&arena);
    return status;
}

static void what_the_settings_make_of_it(void **state) {
    (void)state;
    ki_law law;
    rod_model model = {.copies = 1};
    keel_system rod = rod_system(&model), kepler = kepler_system(), mixed = mixed_system();
    keel_settings s = projection_settings();
    assert_int_equal(law_of(&rod, &s, &law, NULL), KEEL_OK);
    assert_true(law.joint && law.keep_invariants);
    assert_int_equal(law_of(&kepler, &s, &law, NULL), KEEL_OK); /* no constraints: no rate_q needed */
    assert_true(law.joint && law.keep_invariants);
    assert_int_equal(law_of(&mixed, &s, &law, NULL), KEEL_OK);
    assert_true(!law.joint && !law.keep_invariants);
    s.keep_invariants = KEEL_NO;
    assert_int_equal(law_of(&rod, &s, &law, NULL), KEEL_OK);
    assert_true(!law.joint && !law.keep_invariants);
    s.projection_mode = KEEL_MODE_JOINT;
    assert_int_equal(law_of(&rod, &s, &law, NULL), KEEL_OK);
    assert_true(law.joint && !law.keep_invariants);
    assert_int_equal(law_of(&kepler, &s, &law, NULL), KEEL_OK);
    assert_true(!law.joint); /* nothing to do */
    s.keep_invariants = KEEL_YES;
    s.method.stabilize = KEEL_BAUMGARTE;
    assert_int_equal(law_of(&rod, &s, &law, NULL), KEEL_OK);
    assert_true(!law.joint && !law.keep_invariants);
}

static void what_is_missing_is_said(void **state) {
    (void)state;
    ki_law law;
    rod_model model = {.copies = 1};
    keel_system rod = rod_system(&model);
    keel_settings s = projection_settings();
    rod.rate_q = (keel_pattern){0};
    assert_int_equal(law_of(&rod, &s, &law, "KEEL_VELOCITY_Q); keep_invariants = no runs without"),
                     KEEL_ERROR_INPUT);
    rod = rod_system(&model);
    s.levels = KEEL_LEVELS_VELOCITY;
    assert_int_equal(law_of(&rod, &s, &law, "'levels'"), KEEL_ERROR_INPUT);
    s.levels = KEEL_LEVELS_POSITION_VELOCITY;
    s.projection_penalty = 10;
    assert_int_equal(law_of(&rod, &s, &law, "'projection_penalty'"), KEEL_ERROR_INPUT);
    s.keep_invariants = KEEL_NO;
    s.projection_mode = KEEL_MODE_JOINT;
    assert_int_equal(law_of(&rod, &s, &law, "projection_mode = sequential runs without"), KEEL_ERROR_INPUT);
}

/* The largest change of the invariants, by name, in their own units and relative to their terms. */
static void changes_are_measured(void **state) {
    (void)state;
    bench b;
    ki_violation w;
    keel_system system = kepler_system();
    keel_settings s = projection_settings();
    const double start[] = {0.4, 0, 0, 2, 0}, later[] = {0.4, 0, 0, 2 + 1e-3, 0};
    bench_open(&b, &system, &s);
    assert_int_equal(ki_measure_violation(&b.d, 0, later, &w), KEEL_OK);
    assert_true(w.invariant == 0 && w.invariant_row == -1); /* nothing to compare with yet */
    assert_int_equal(ki_set_invariants(&b.d, 0, start), KEEL_OK);
    assert_int_equal(ki_measure_violation(&b.d, 0, later, &w), KEEL_OK);
    assert_int_equal(w.invariant_row, 0);
    assert_true(fabs(w.invariant - (2e-3 + 5e-7)) < 1e-12);
    /* 0.4 / 0.4^2 + 2.001^2 of the energy; 2 * 0.4 * 2.001 of the momentum, of which 4e-4 is less */
    assert_true(fabs(w.invariant_scaled - 2.0005e-3 / (2.5 + 2.001 * 2.001)) < 1e-5);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(true_invariants_pass),         cmocka_unit_test(damping_is_found),
        cmocka_unit_test(explicit_time_is_understood),  cmocka_unit_test(a_start_without_value_is_refused),
        cmocka_unit_test(what_the_settings_make_of_it), cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(round_off_is_no_change),       cmocka_unit_test(changes_are_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

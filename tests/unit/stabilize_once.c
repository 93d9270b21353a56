/* What a step asks for at one point is evaluated once: by projections, the audit, and the measures after it.
 */
#include "stabilize/energy.h"
#include "stabilize_systems.h"

enum { POSITION, VELOCITY, ENERGY, MATRICES, FORCE, KINDS };

/* A pendulum that counts what it is asked for. */
typedef struct counting_rod {
    rod_model rod;
    int count[KINDS];
} counting_rod;

static keel_status count_and_evaluate(const keel_system *system, void *work, unsigned what,
                                      const keel_point *at, keel_terms *terms) {
    counting_rod *model = (counting_rod *)(uintptr_t)system->model;
    model->count[POSITION] += (what & KEEL_POSITION) != 0;
    model->count[VELOCITY] += (what & KEEL_VELOCITY) != 0;
    model->count[ENERGY] += (what & KEEL_ENERGY) != 0;
    model->count[MATRICES] += (what & (KEEL_MASS | KEEL_JACOBIAN)) != 0;
    model->count[FORCE] += (what & (KEEL_FORCE | KEEL_XI)) != 0;
    if (what & KEEL_ENERGY)
        terms->energy = (at->v[0] * at->v[0] + at->v[1] * at->v[1]) / 2 + GRAVITY * at->q[1];
    return rod_evaluate(system, work, what, at, terms);
}

static keel_system counting_system(const counting_rod *model) {
    keel_system system = rod_system(&model->rod);
    system.model = model; /* begins with the rod */
    system.evaluate = count_and_evaluate;
    system.has_energy = 1;
    return system;
}

static void expect_counts(counting_rod *model, int position, int velocity, int energy) {
    assert_int_equal(model->count[POSITION], position);
    assert_int_equal(model->count[VELOCITY], velocity);
    assert_int_equal(model->count[ENERGY], energy);
    memset(model->count, 0, sizeof model->count);
}

/* One correction of either kind reaches the circle: before and after it, that makes two evaluations each. The
 * measures after the step need none, and tell the same as those of a workspace that knows nothing. */
static void step_evaluates_once(void **state) {
    (void)state;
    bench b, other;
    counting_rod model = {.rod = {.copies = 1}};
    keel_system system = counting_system(&model);
    keel_settings s = projection_settings();
    s.keep_invariants = KEEL_NO;
    double y[5] = {cos(1), sin(1) + 1e-9, -2 * sin(1), 2 * cos(1) + 1e-9, 0};
    ki_violation w, fresh;
    bench_open(&b, &system, &s);
    assert_int_equal(ki_audit_on(&b.d), KEEL_OK);
    assert_int_equal(ki_factor_at(&b.d, 0, y), KEEL_OK);
    memset(model.count, 0, sizeof model.count);
    assert_int_equal(ki_settle(&b.d, KEEL_PROJECTION, 0, y), KEEL_OK);
    assert_int_equal(model.count[MATRICES], 1);
    expect_counts(&model, 2, 2, 2);
    assert_int_equal(ki_measure_violation(&b.d, 0, y, &w), KEEL_OK);
    assert_int_equal(ki_evaluate_once(&b.d, KEEL_ENERGY, 0, y), KEEL_OK);
    expect_counts(&model, 0, 0, 0);
    double energy = b.d.at.energy;
    bench_open(&other, &system, &s);
    assert_int_equal(ki_factor_at(&other.d, 0, y), KEEL_OK);
    assert_int_equal(ki_measure_violation(&other.d, 0, y, &fresh), KEEL_OK);
    assert_int_equal(ki_evaluate_terms(&other.d, KEEL_ENERGY, 0, y), KEEL_OK);
    assert_true(w.position == fresh.position && w.velocity == fresh.velocity);
    assert_true(energy == other.d.at.energy);
    bench_close(&other);
    bench_close(&b);
}

/* Where a rate follows a projection all that it takes comes with the velocities; at another velocity it is
 * evaluated again. The rates are those of a workspace that knows nothing. */
static void rate_after_projection_evaluates_nothing(void **state) {
    (void)state;
    bench b, other;
    counting_rod model = {.rod = {.copies = 1, .damping = 0.3}};
    keel_system system = counting_system(&model);
    keel_settings s = projection_settings();
    s.keep_invariants = KEEL_NO;
    double y[5] = {cos(1), sin(1) + 1e-9, -2 * sin(1), 2 * cos(1) + 1e-9, 0}, k[5], expected[5];
    bench_open(&b, &system, &s);
    bench_open(&other, &system, &s);
    assert_int_equal(ki_factor_at(&b.d, 0, y), KEEL_OK);
    b.d.rate_follows = true;
    assert_int_equal(ki_settle(&b.d, KEEL_PROJECTION, 0, y), KEEL_OK);
    assert_int_equal(model.count[FORCE], 1);
    for (int again = 0; again < 2; again++) {
        memset(model.count, 0, sizeof model.count);
        assert_int_equal(ki_rate(&b.d, 0, y, k), KEEL_OK);
        assert_int_equal(model.count[FORCE], again);
        assert_int_equal(model.count[MATRICES], 0);
        assert_int_equal(ki_rate(&other.d, 0, y, expected), KEEL_OK);
        for (int i = 0; i < 5; i++)
            assert_true(fabs(k[i] - expected[i]) <= 1e-13);
        y[2] *= 2, y[3] *= 2;
    }
    bench_close(&other);
    bench_close(&b);
}

/* What also depends on states of its own, or on multipliers, is evaluated every time. */
static void rates_of_states_are_evaluated(void **state) {
    (void)state;
    bench b;
    counting_rod model = {.rod = {.copies = 1}};
    keel_system system = counting_system(&model);
    keel_settings s = projection_settings();
    double y[6] = {0.6, 0.8, 0.8, -0.6, 1, 0};
    system.n_z = 1;
    system.n_i = 0;
    system.invariant_y = keel_system_default().invariant_y;
    bench_open(&b, &system, &s);
    for (int i = 1; i < 3; i++) {
        y[4] = i; /* z */
        assert_int_equal(ki_evaluate_once(&b.d, KEEL_FORCE | KEEL_STATES | KEEL_POWER, 0, y), KEEL_OK);
        assert_int_equal(model.count[FORCE], i);
    }
    bench_close(&b);
}

/* Another velocity, another position, another time, and other values in the same place. */
static void another_point_is_evaluated(void **state) {
    (void)state;
    static const unsigned ALL = KEEL_POSITION | KEEL_VELOCITY | KEEL_ENERGY;
    bench b;
    counting_rod model = {.rod = {.copies = 1}};
    keel_system system = counting_system(&model);
    keel_settings s = projection_settings();
    double y[5] = {0.6, 0.8, 1, 2, 0};
    bench_open(&b, &system, &s);
    assert_int_equal(ki_evaluate_once(&b.d, ALL, 0, y), KEEL_OK);
    expect_counts(&model, 1, 1, 1);
    y[4] = 3; /* the work is in none of them */
    assert_int_equal(ki_evaluate_once(&b.d, ALL, 0, y), KEEL_OK);
    expect_counts(&model, 0, 0, 0);
    y[3] = 5;
    assert_int_equal(ki_evaluate_once(&b.d, ALL, 0, y), KEEL_OK);
    expect_counts(&model, 0, 1, 1);
    assert_true(b.d.at.rate[0] == 2 * (0.6 * 1 + 0.8 * 5));
    y[0] = 0.7;
    assert_int_equal(ki_evaluate_once(&b.d, ALL, 0, y), KEEL_OK);
    expect_counts(&model, 1, 1, 1);
    assert_int_equal(ki_evaluate_once(&b.d, ALL, 1, y), KEEL_OK);
    expect_counts(&model, 1, 1, 1);
    double elsewhere[5] = {0};
    assert_int_equal(ki_evaluate_terms(&b.d, KEEL_POSITION, 1, elsewhere), KEEL_OK);
    assert_int_equal(ki_evaluate_once(&b.d, ALL, 1, y), KEEL_OK);
    expect_counts(&model, 2, 0, 0);
    assert_true(b.d.at.Phi[0] == 0.7 * 0.7 + 0.8 * 0.8 - 1);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_evaluates_once),
        cmocka_unit_test(rate_after_projection_evaluates_nothing),
        cmocka_unit_test(rates_of_states_are_evaluated),
        cmocka_unit_test(another_point_is_evaluated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

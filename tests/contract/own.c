/* A system's own elimination (keel_system.own) against M and J: solutions, gaps, and whole runs with it and
 * without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mechanisms.h"

static double *zeroed(int count) {
    double *x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static trial trial_of_size(const char *model, const char *coordinates, int N, double until) {
    char size[16];
    snprintf(size, sizeof size, "%d", N);
    keel_assignment set = {"N", size};
    return variant_trial(&(variant){.model = model,
                                    .method = "dop853/index1/projection",
                                    .coordinates = coordinates,
                                    .tolerance = 1e-9,
                                    .until = until,
                                    .set = &set,
                                    .set_count = N > 0});
}

static void expect_same(const char *what, const double *a, const double *b, int count) {
    double size = 0;
    for (int i = 0; i < count; i++)
        size = fmax(size, fabs(b[i]));
    assert_true(size > 0);
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-10 * size))
            fail_msg("%s[%d] is %.15g, not %.15g", what, i, a[i], b[i]);
}

/* J x = s, M x + J^T lambda = 0, at the start: off it J is that of loops which are closed. */
static void compare_with_kernel(const char *model, const char *coordinates, int N) {
    trial t = trial_of_size(model, coordinates, N, 1);
    const keel_system *s = t.model->system;
    int n = s->n_v, m = keel_system_m(s);
    void *work = NULL;
    double *x = zeroed(n), *y = zeroed(n), *lambda = zeroed(m), *mu = zeroed(m), *rhs = zeroed(m);
    keel_terms terms = {.M = zeroed(keel_pattern_count(s->M)), .J = zeroed(keel_pattern_count(s->J))};
    keel_point at = {.q = t.model->start->q, .v = t.model->start->v};
    keel_saddle *K = keel_saddle_new(s->M, s->J, NULL);
    assert_non_null(K);
    assert_non_null(s->own.constrain);
    assert_int_equal(s->work_new(s, &work), KEEL_OK);
    assert_int_equal(s->evaluate(s, work, KEEL_MASS | KEEL_JACOBIAN, &at, &terms), KEEL_OK);
    assert_int_equal(keel_saddle_factor(K, terms.M, terms.J, NULL), KEEL_OK);
    for (int i = 0; i < m; i++)
        rhs[i] = sin(1 + i * i);
    assert_int_equal(keel_saddle_solve(K, NULL, rhs, y, mu, NULL), KEEL_OK);
    assert_true(s->own.factor(s, work, at.q));
    double gap = s->own.gap(s, work);
    assert_true(gap > 0.01 && gap <= 1);
    s->own.constrain(s, work, rhs, x, lambda);
    expect_same("x", x, y, n);
    expect_same("lambda", lambda, mu, m);
    s->own.constrain(s, work, rhs, x, rhs); /* multipliers may take the place of s */
    expect_same("lambda in place", rhs, mu, m);
    s->work_free(work);
    keel_saddle_free(K);
    free(x), free(y), free(lambda), free(mu), free(rhs), free(terms.M), free(terms.J);
    trial_end(&t);
}

static void test_solutions(void **state) {
    (void)state;
    compare_with_kernel("a02_four_bars", "relative", 1);
    compare_with_kernel("a02_four_bars", "relative", 6);
    compare_with_kernel("a02_four_bars", NULL, 35);
    compare_with_kernel("chain_bodies", NULL, 150);    /* bodies with coordinates of their own */
    compare_with_kernel("a03_andrews", "relative", 0); /* pins that are no row */
}

/* A hub that is cut has rows, and no way to open: not offered. Half an offer is refused. */
static void test_not_offered(void **state) {
    (void)state;
    trial t = trial_of_size("a02_four_bars", "absolute", 3, 1);
    assert_null(t.model->system->own.constrain);
    trial_end(&t);
    char message[160];
    t = trial_of_size("a02_four_bars", "relative", 3, 1);
    keel_system half = *t.model->system;
    half.own.gap = NULL;
    assert_int_equal(keel_system_validate(&half, message, sizeof message), KEEL_ERROR_INPUT);
    assert_non_null(strstr(message, "own.gap"));
    trial_end(&t);
}

/* Windows that lean, cranks turned by `turn` from the drawn pose; flat at pi/2. */
static double gap_of(const keel_system *s, void *work, const double *start, double turn, int *sound) {
    double *q = zeroed(s->n_q);
    for (int i = 0; i < s->n_q; i++) {
        char buffer[32];
        const char *name = keel_system_name(s, KEEL_NAME_Q, i, buffer);
        q[i] = start[i] + (strstr(name, "left") ? -turn : turn);
    }
    *sound = s->own.factor(s, work, q);
    free(q);
    return s->own.gap(s, work);
}

/* In proportion to the distance from the flat pose, and refused next to it. */
static void test_gap(void **state) {
    (void)state;
    const double flat = 1.5707963267948966;
    trial t = trial_of_size("a02_four_bars", "relative", 6, 1);
    const keel_system *s = t.model->system;
    const double *start = t.model->start->q;
    void *work = NULL;
    int sound;
    assert_int_equal(s->work_new(s, &work), KEEL_OK);
    double far = gap_of(s, work, start, flat - 1e-2, &sound);
    assert_true(sound);
    double near = gap_of(s, work, start, flat - 1e-4, &sound);
    assert_false(sound);
    assert_true(fabs(near / far - 1e-2) < 1e-4);
    assert_true(gap_of(s, work, start, flat, &sound) < 1e-6);
    assert_false(sound);
    s->work_free(work);
    trial_end(&t);
}

/* Times of the poses that a run reports. */
static int list_poses(const trial *t, double *times, int most) {
    int count = 0;
    for (int i = 0; i < t->result.event_count && count < most; i++)
        if (t->result.events[i].kind == KEEL_EVENT_SINGULAR)
            times[count++] = t->result.events[i].t;
    return count;
}

/* The same motion and the same singular poses; hardly a factorization of M and J. */
static void test_runs(void **state) {
    (void)state;
    enum { MOST = 30 };
    double with[MOST], without[MOST];
    trial t = trial_of_size("a02_four_bars", "relative", 12, 6);
    t.settings.output = 6;
    history by_own = {.outputs = t.model->system->n_outputs}, by_K = by_own;
    keel_observer observer = {.user = &by_own, .row = history_row};
    trial_run(&t, &observer);
    trial_expect_ok(&t);
    long factorizations = t.result.count.factorizations, steps = t.result.count.steps;
    int poses = list_poses(&t, with, MOST);
    assert_true(t.result.position.max < 1e-12 && t.result.velocity.max < 1e-12);
    assert_true(poses > 2 && factorizations < steps / 2);
    ((keel_system *)t.model->system)->own = keel_system_default().own;
    observer.user = &by_K;
    trial_run(&t, &observer);
    trial_expect_ok(&t);
    print_message("factorizations %ld in %ld steps; by K %ld in %ld\n", factorizations, steps,
                  t.result.count.factorizations, t.result.count.steps);
    assert_true(t.result.count.factorizations >= 2 * t.result.count.steps); /* last stage and end of each */
    assert_int_equal(list_poses(&t, without, MOST), poses);
    for (int i = 0; i < poses; i++)
        assert_true(fabs(with[i] - without[i]) < 1e-6);
    assert_true(history_difference(&by_own, &by_K, by_own.outputs) < 1e-6);
    trial_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_solutions), cmocka_unit_test(test_not_offered),
                                       cmocka_unit_test(test_gap), cmocka_unit_test(test_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

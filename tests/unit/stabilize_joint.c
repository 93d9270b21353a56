/* Joint projection of positions, velocities and states onto constraints and invariants. */
#include "stabilize_systems.h"

enum { MOST = 9 };

/* A state on the constraints, and what projection must leave at most, relative to the sizes at the end. (At
 * rest the velocity is nothing but the perturbation, and shrinks on the way: it is compared with what it
 * was.) */
typedef struct place {
    double y[MOST];
    double round_off;
} place;

static keel_settings sharp_settings(void) {
    keel_settings s = projection_settings();
    s.projection_tolerance = 1e-15;
    return s;
}

/* Projects states near `start`, with every component but the last (work) off by up to `amount`: constraints
 * and invariants must come back to round-off, the state must stay near. */
static void comes_back(const keel_system *system, const place *start, double amount) {
    enum { TRIALS = 100 };
    bench b;
    unsigned seed = 1;
    keel_settings s = sharp_settings();
    bench_open(&b, system, &s);
    assert_int_equal(ki_set_invariants(&b.d, 0, start->y), KEEL_OK);
    for (int trial = 0; trial < TRIALS; trial++) {
        double y[MOST], moved = 0;
        for (int i = 0; i < b.d.n_y; i++)
            y[i] = start->y[i] + (i < b.d.n_y - 1 ? amount * noise(&seed) : 0);
        ki_normalize(&b.d, y);
        assert_int_equal(ki_settle(&b.d, KEEL_PROJECTION, 0, y), KEEL_OK);
        double left = violation_of(&b, 0, y);
        if (!(left <= start->round_off))
            print_error("trial %d, off by %g: %.3g is left\n", trial, amount, left);
        assert_true(left <= start->round_off);
        for (int i = 0; i < b.d.n_y; i++)
            moved = fmax(moved, fabs(y[i] - start->y[i]));
        assert_true(moved <= 3 * amount);
    }
    assert_int_equal(b.d.projections, TRIALS);
    bench_close(&b);
}

static const double AMOUNTS[] = {1e-2, 1e-3, 1e-4, 1e-6, 1e-9};

static void all_amounts(const keel_system *system, const place *start) {
    for (unsigned i = 0; i < sizeof AMOUNTS / sizeof *AMOUNTS; i++)
        comes_back(system, start, AMOUNTS[i]);
}

/* Also where rows depend on each other: in an equilibrium, and with the rod written up to three times. */
static void pendulum_energy(void **state) {
    (void)state;
    const place PLACES[] = {
        {{0.6, -0.8, 1.6, 1.2, 0}, 2e-15}, /* on its way           */
        {{0, -1, 3, 0, 0}, 2e-15},         /* lowest point         */
        {{1, 0, 0, 0, 0}, 1e-13},          /* turning point        */
        {{0.6, -0.8, 0, 0, 0}, 1e-13},     /* another              */
        {{0, -1, 0, 0, 0}, 1e-13},         /* stable equilibrium   */
        {{0, 1, 0, 0, 0}, 1e-13},          /* unstable equilibrium */
    };
    for (int copies = 1; copies <= 3; copies++) {
        rod_model model = {.copies = copies};
        keel_system system = rod_system(&model);
        for (unsigned i = 0; i < sizeof PLACES / sizeof *PLACES; i++)
            all_amounts(&system, &PLACES[i]);
    }
}

static void kepler_energy_and_momentum(void **state) {
    (void)state;
    const place ELLIPSE = {{0.4, 0, 0, 2, 0}, 2e-15}, CIRCLE = {{0.6, 0.8, -0.8, 0.6, 0}, 2e-15};
    keel_system system = kepler_system();
    all_amounts(&system, &ELLIPSE);
    all_amounts(&system, &CIRCLE);
}

/* Circular orbits of a wrong radius, and nearly circular ones: the gradients are parallel but for `off`, and
 * contradict each other by the square of the error of the radius. */
static void nearly_circular_orbits(void **state) {
    (void)state;
    bench b;
    unsigned seed = 1;
    keel_system system = kepler_system();
    keel_settings s = sharp_settings();
    const double circle[] = {1, 0, 0, 1, 0};
    bench_open(&b, &system, &s);
    assert_int_equal(ki_set_invariants(&b.d, 0, circle), KEEL_OK);
    for (double wrong = 1e-1; wrong > 1e-9; wrong /= 10)
        for (double off = 1e-1; off > 1e-17; off /= 10) {
            double r = 1 + wrong, y[5] = {r, 0, 0, 1 / sqrt(r), 0};
            for (int i = 0; i < 4; i++)
                y[i] += off * noise(&seed);
            assert_int_equal(ki_project(&b.d, 0, y), KEEL_OK);
            assert_true(violation_of(&b, 0, y) <= 2e-15);
            for (int i = 0; i < 4; i++)
                assert_true(fabs(y[i] - circle[i]) <= 6 * fmax(wrong, off));
        }
    bench_close(&b);
}

static void nonholonomic_with_states_and_rotations(void **state) {
    (void)state;
    const double b = 0.3;
    const place SLIDING = {{0, 0, 0.5, 2 * cos(0.5), 2 * sin(0.5), 1, 0}, 2e-15};
    const place WARM = {{1, 0.5, 2, 0}, 2e-15};
    const place TUMBLING = {{1, 0, 0, 0, 0.1, 2, 0.3, 0}, 2e-15}; /* about the unstable axis */
    const place SPINNING = {{1, 0, 0, 0, 0, 0, 2, 0}, 2e-15};     /* energy and momentum dependent */
    keel_system knife = knife_system(), heated = heated_system(&b), body = body_system();
    all_amounts(&knife, &SLIDING);
    all_amounts(&heated, &WARM);
    all_amounts(&body, &TUMBLING);
    all_amounts(&body, &SPINNING);
}

/* x'' = -x; I = energy. y = (x, x', W) */
static keel_status oscillator_evaluate(const keel_system *system, void *work, unsigned what,
                                       const keel_point *at, keel_terms *terms) {
    double x = at->q[0], v = at->v[0];
    (void)system, (void)work;
    if (what & KEEL_MASS)
        terms->M[0] = 1;
    if (what & KEEL_INVARIANTS) {
        terms->invariant[0] = (x * x + v * v) / 2;
        terms->invariant_y[0] = x, terms->invariant_y[1] = v;
    }
    return KEEL_OK;
}

/* Energy zero and every term of it zero at rest: the oscillator comes back there as far as it is far, and
 * stays there if it is there. */
static void an_oscillator_at_rest(void **state) {
    (void)state;
    static const int M_start[] = {0, 1}, M_index[] = {0}, I_start[] = {0, 2}, I_index[] = {0, 1};
    bench b;
    const double rest[] = {0, 0, 0};
    keel_system system = keel_system_default();
    keel_settings s = projection_settings();
    system.n_q = system.n_v = system.n_i = 1;
    system.M = (keel_pattern){1, 1, M_start, M_index};
    system.invariant_y = (keel_pattern){1, 2, I_start, I_index};
    system.evaluate = oscillator_evaluate;
    bench_open(&b, &system, &s);
    assert_int_equal(ki_set_invariants(&b.d, 0, rest), KEEL_OK);
    double still[] = {0, 0, 0};
    assert_int_equal(ki_project(&b.d, 0, still), KEEL_OK);
    assert_memory_equal(still, rest, sizeof rest);
    for (double off = 1; off > 1e-12; off /= 10) {
        double y[] = {off, -2 * off, 0};
        assert_int_equal(ki_project(&b.d, 0, y), KEEL_OK);
        assert_true(hypot(y[0], y[1]) < 1e-7 * off);
    }
    bench_close(&b);
}

/* Where nothing is violated nothing moves, whatever the gradients. */
static void consistent_states_stay(void **state) {
    (void)state;
    const double STATES[][5] = {{0, -1, 0, 0, 0}, {0, 1, 0, 0, 0}, {1, 0, 0, 0, 0}, {0, -1, 3, 0, 0}};
    rod_model model = {.copies = 2};
    keel_system system = rod_system(&model);
    keel_settings s = projection_settings();
    for (int i = 0; i < 4; i++) {
        bench b;
        double y[5];
        memcpy(y, STATES[i], sizeof y);
        bench_open(&b, &system, &s);
        assert_int_equal(ki_set_invariants(&b.d, 0, y), KEEL_OK);
        assert_int_equal(ki_project(&b.d, 0, y), KEEL_OK);
        assert_memory_equal(y, STATES[i], sizeof y);
        assert_int_equal(b.d.projection_iterations, 0);
        bench_close(&b);
    }
}

/* x <- solution of the n equations a x = b by elimination with pivoting; a is n x n by rows. */
static void eliminate(int n, double *a, double *b) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
                best = i;
        for (int j = 0; j < n; j++) {
            double swap = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (int i = 0; i < n; i++) {
            double factor = i == k ? 0 : a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = 0; k < n; k++)
        b[k] /= a[k * n + k];
}

/* The nearest state of the pendulum to y0 with energy E, exactly: Newton's method on
 *
 *     A (x - y0) + H(x)^T mu = 0,   c(x) = 0        x = (q, v), A = diag(W, W)
 *
 * for x and the three multipliers, with all second derivatives. */
static void nearest(const double *y0, double E, const double W[4], double *x) {
    double mu[3] = {0};
    memcpy(x, y0, 4 * sizeof(double));
    for (int iteration = 0; iteration < 20; iteration++) {
        double a[49] = {0}, r[7] = {0};
        const double c[] = {x[0] * x[0] + x[1] * x[1] - 1, 2 * (x[0] * x[2] + x[1] * x[3]),
                            (x[2] * x[2] + x[3] * x[3]) / 2 + GRAVITY * x[1] - E};
        const double H[3][4] = {
            {2 * x[0], 2 * x[1], 0, 0}, {2 * x[2], 2 * x[3], 2 * x[0], 2 * x[1]}, {0, GRAVITY, x[2], x[3]}};
        for (int i = 0; i < 4; i++) {
            int block = i / 2 * 2, other = 2 - block;
            for (int j = 0; j < 2; j++) {
                a[i * 7 + block + j] += W[i % 2 * 2 + j];
                r[i] -= W[i % 2 * 2 + j] * (x[block + j] - y0[block + j]);
            }
            a[i * 7 + i] += block ? mu[2] : 2 * mu[0];
            a[i * 7 + other + i % 2] += 2 * mu[1];
            for (int k = 0; k < 3; k++) {
                a[i * 7 + 4 + k] = a[(4 + k) * 7 + i] = H[k][i];
                r[i] -= H[k][i] * mu[k];
            }
        }
        for (int k = 0; k < 3; k++)
            r[4 + k] = -c[k];
        eliminate(7, a, r);
        for (int i = 0; i < 4; i++)
            x[i] += r[i];
        for (int k = 0; k < 3; k++)
            mu[k] += r[4 + k];
    }
}

/* Gauss-Newton leaves the exact minimiser by the square of the perturbation. */
static void the_nearest_state_in_every_metric(void **state) {
    (void)state;
    static const double IDENTITY[] = {1, 0, 0, 1}, MATRIX[] = {4, 1, 1, 2};
    const double start[] = {0.6, -0.8, 1.6, 1.2, 0}, E = 2 + GRAVITY * -0.8;
    const double direction[] = {0.3, -1, 0.7, 0.9};
    rod_model model = {.copies = 1};
    keel_system system = rod_system(&model);
    for (int metric = KEEL_METRIC_MASS; metric <= KEEL_METRIC_MATRIX; metric++)
        for (double amount = 1e-3; amount > 1e-7; amount /= 10) {
            bench b;
            double y[5], y0[5], x[4];
            keel_settings s = sharp_settings();
            s.metric = metric;
            s.metric_matrix = (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = 2, .values = MATRIX};
            for (int i = 0; i < 5; i++)
                y[i] = y0[i] = start[i] + (i < 4 ? amount * direction[i] : 0);
            bench_open(&b, &system, &s);
            assert_int_equal(ki_set_invariants(&b.d, 0, start), KEEL_OK);
            assert_int_equal(ki_project(&b.d, 0, y), KEEL_OK);
            nearest(y0, E, metric == KEEL_METRIC_MATRIX ? MATRIX : IDENTITY, x);
            for (int i = 0; i < 4; i++) {
                assert_true(fabs(y[i] - x[i]) <= 10 * amount * amount + 1e-14);
                assert_true(amount > 2e-6 || fabs(y[i] - x[i]) < 1e-10);
            }
            assert_true(fabs(x[1] - y0[1]) > 0.01 * amount); /* there was something to do */
            bench_close(&b);
        }
}

/* Without invariants, or when they are not to be kept: both levels at once, in the metric of both. */
static void joint_without_invariants(void **state) {
    (void)state;
    unsigned seed = 3;
    const double knife[] = {0, 0, 0.5, 2 * cos(0.5), 2 * sin(0.5), 1, 0},
                 mixed[] = {0.6, 0.8, 0, 0.8, -0.6, -0.36, 0};
    keel_system systems[] = {knife_system(), mixed_system()};
    const double *const starts[] = {knife, mixed};
    for (int k = 0; k < 2; k++) {
        bench b;
        double y[7];
        keel_settings s = sharp_settings();
        s.projection_mode = KEEL_MODE_JOINT;
        s.keep_invariants = KEEL_NO;
        bench_open(&b, &systems[k], &s);
        assert_true(b.law.joint && !b.law.keep_invariants);
        for (int i = 0; i < 7; i++)
            y[i] = starts[k][i] + (i < 6 ? 1e-3 * noise(&seed) : 0);
        assert_int_equal(ki_project(&b.d, 0, y), KEEL_OK);
        assert_true(violation_of(&b, 0, y) <= 2e-15);
        bench_close(&b);
    }
}

/* With relaxed orthogonality the factors of an earlier projection serve. */
static void factors_serve_again(void **state) {
    (void)state;
    bench b;
    unsigned seed = 5;
    rod_model model = {.copies = 1};
    keel_system system = rod_system(&model);
    keel_settings s = sharp_settings();
    const double start[] = {0.6, -0.8, 1.6, 1.2, 0};
    bench_open(&b, &system, &s);
    assert_int_equal(ki_set_invariants(&b.d, 0, start), KEEL_OK);
    for (int relaxed = 0; relaxed < 2; relaxed++) {
        b.d.relaxed = relaxed;
        for (int trial = 0; trial < 10; trial++) {
            double y[5];
            long before = b.d.projection_factorizations;
            for (int i = 0; i < 5; i++)
                y[i] = start[i] + (i < 4 ? 1e-4 * noise(&seed) : 0);
            assert_int_equal(ki_project(&b.d, 0, y), KEEL_OK);
            /* otherwise one of the joint matrix, and one of K at the end */
            assert_int_equal(b.d.projection_factorizations - before, relaxed ? 0 : 2);
        }
    }
    double y[] = {0.6, -0.8, 1.6, 1.2 + 1e-4, 0};
    assert_int_equal(ki_project(&b.d, 0, y), KEEL_OK);
    assert_true(violation_of(&b, 0, y) <= 2e-15);
    bench_close(&b);
}

/* A target that does not exist: no velocity has this energy. The invariant is named. */
static void an_energy_out_of_reach(void **state) {
    (void)state;
    bench b;
    rod_model model = {.copies = 1};
    keel_system system = rod_system(&model);
    keel_settings s = projection_settings();
    double y[] = {0, -1, 0, 0, 0};
    bench_open(&b, &system, &s);
    assert_int_equal(ki_set_invariants(&b.d, 0, y), KEEL_OK);
    b.d.invariant_start[0] -= 1;
    assert_int_equal(ki_project(&b.d, 2.5, y), KEEL_ERROR_CONVERGENCE);
    assert_true(b.d.trouble.kind == KI_TROUBLE_KEEPING || b.d.trouble.kind == KI_TROUBLE_POSITION);
    assert_true(b.d.trouble.t == 2.5 && b.d.trouble.index == 0);
    y[2] = NAN;
    assert_int_equal(ki_project(&b.d, 2.5, y), KEEL_ERROR_CONVERGENCE);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_energy),
        cmocka_unit_test(kepler_energy_and_momentum),
        cmocka_unit_test(nearly_circular_orbits),
        cmocka_unit_test(nonholonomic_with_states_and_rotations),
        cmocka_unit_test(an_oscillator_at_rest),
        cmocka_unit_test(consistent_states_stay),
        cmocka_unit_test(the_nearest_state_in_every_metric),
        cmocka_unit_test(joint_without_invariants),
        cmocka_unit_test(factors_serve_again),
        cmocka_unit_test(an_energy_out_of_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

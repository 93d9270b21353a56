/* The energy of a projection (Garcia Orden 2010, eq. 16-21) in closed form, the cases of a metric, and the
 * projection of accelerations (eq. 7). */
#include "energy_systems.h"
#include "linalg/dense.h"
#include "stabilize/energy.h"
#include "stabilize_systems.h"
#include "systems.h"

enum { MOST = 6 };

/* Constant matrices: Phi = J q, energy 1/2 v^T M v. */
typedef struct matrices {
    int n, m;
    double M[MOST * MOST], J[MOST * MOST];
} matrices;

static keel_status constant_evaluate(const keel_system *system, void *work, unsigned what,
                                     const keel_point *at, keel_terms *terms) {
    const matrices *c = system->model;
    (void)work;
    terms->energy = 0;
    for (int i = 0, k = 0; i < c->n; i++)
        for (int j = 0; j < c->n; j++) {
            if ((what & KEEL_MASS) && j <= i)
                terms->M[k++] = c->M[i * c->n + j];
            if (what & KEEL_ENERGY)
                terms->energy += at->v[i] * c->M[i * c->n + j] * at->v[j] / 2;
        }
    if (what & KEEL_JACOBIAN)
        memcpy(terms->J, c->J, (size_t)(c->m * c->n) * sizeof(double));
    for (int i = 0; i < c->m; i++) {
        if (what & KEEL_POSITION)
            terms->Phi[i] = ki_dot(c->n, c->J + i * c->n, at->q);
        if (what & KEEL_VELOCITY)
            terms->rate[i] = ki_dot(c->n, c->J + i * c->n, at->v);
    }
    return KEEL_OK;
}

/* The patterns are full. */
static keel_system constant_system(const matrices *c) {
    static int M_start[MOST + 1], M_index[MOST * MOST], J_start[MOST + 1], J_index[MOST * MOST];
    keel_system system = keel_system_default();
    for (int i = 0, k = 0; i < c->n; i++) {
        for (int j = 0; j <= i; j++)
            M_index[k++] = j;
        M_start[i + 1] = k;
    }
    for (int i = 0; i < c->m; i++) {
        J_start[i + 1] = (i + 1) * c->n;
        for (int j = 0; j < c->n; j++)
            J_index[i * c->n + j] = j;
    }
    system.n_q = system.n_v = c->n;
    system.n_h = c->m;
    system.M = (keel_pattern){c->n, c->n, M_start, M_index};
    system.J = (keel_pattern){c->m, c->n, J_start, J_index};
    system.has_energy = 1;
    system.model = c;
    system.evaluate = constant_evaluate;
    return system;
}

/* A = R R^T + 1/10 */
static void random_definite(int n, double *A, unsigned *seed) {
    double R[MOST * MOST];
    for (int i = 0; i < n * n; i++)
        R[i] = noise(seed);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i * n + j] = ki_dot(n, R + i * n, R + j * n) + (i == j ? 0.1 : 0);
}

/* x <- A^-1 x */
static void solve(int n, const double *A, double *x) {
    double LU[MOST * MOST];
    int pivot[MOST];
    memcpy(LU, A, (size_t)(n * n) * sizeof(double));
    assert_int_equal(ki_dense_lu_factor(n, LU, pivot), -1);
    ki_dense_lu_solve(n, LU, pivot, x);
}

/* out = M A^-1 J^T J v */
static void B_times(const matrices *c, const double *A, const double *v, double *out) {
    double x[MOST] = {0};
    for (int k = 0; k < c->m; k++)
        ki_axpy(c->n, ki_dot(c->n, c->J + k * c->n, v), c->J + k * c->n, x);
    solve(c->n, A, x);
    for (int i = 0; i < c->n; i++)
        out[i] = ki_dot(c->n, c->M + i * c->n, x);
}

static keel_settings with_matrix(const double *A, int n, double alpha) {
    keel_settings s = projection_settings();
    s.metric = KEEL_METRIC_MATRIX;
    s.metric_matrix = (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = n, .values = A};
    s.levels = KEEL_LEVELS_VELOCITY;
    s.projection_penalty = alpha;
    return s;
}

/* Projects random velocities and compares d->settled with the right-hand side of eq. 21. Returns the error
 * relative to the energies. */
static double error_of_eq_21(unsigned *seed, int n, int m) {
    matrices c = {.n = n, .m = m};
    double A[MOST * MOST], y[2 * MOST + 1] = {0}, Bv[MOST], MBv[MOST], alpha = pow(10, 3 * noise(seed));
    random_definite(n, c.M, seed);
    random_definite(n, A, seed);
    for (int i = 0; i < m * n; i++)
        c.J[i] = noise(seed);
    for (int i = 0; i < n; i++)
        y[n + i] = noise(seed);
    keel_system system = constant_system(&c);
    keel_settings s = with_matrix(A, n, alpha);
    bench b;
    bench_open(&b, &system, &s);
    assert_int_equal(ki_audit_on(&b.d), KEEL_OK);
    assert_int_equal(ki_settle(&b.d, KEEL_PROJECTION, 0, y), KEEL_OK);
    const double *v = y + n;
    B_times(&c, A, v, Bv);
    memcpy(MBv, Bv, sizeof MBv);
    solve(n, c.M, MBv);
    double part_1 = -alpha * ki_dot(n, v, Bv), part_2 = -alpha * alpha * ki_dot(n, Bv, MBv) / 2;
    ki_energy_change e = b.d.settled;
    assert_true(fabs(e.all - e.part_1 - e.part_2) < 1e-14 * e.size);
    /* J v, of the size of 1/alpha, is known to round-off of v */
    double error = fmax(fabs(e.part_1 - part_1), fabs(e.part_2 - part_2)) / (e.size * (1 + alpha));
    bench_close(&b);
    return error;
}

static void energy_of_a_projection_is_eq_21(void **state) {
    (void)state;
    unsigned seed = 1;
    double most = 0;
    for (int trial = 0; trial < 300; trial++) {
        int n = 1 + trial % MOST, m = 1 + trial / MOST % n;
        most = fmax(most, error_of_eq_21(&seed, n, m));
    }
    print_message("eq. 21: largest error %.1e of the energy\n", most);
    assert_true(most < 1e-13); /* A and M have condition numbers of up to 100 */
}

/* Case, smallest and largest eigenvalue of the two particles at q1^2 = x. */
static ki_metric_case classify(double x, const double *A, double *smallest, double *largest) {
    ki_arena arena;
    ki_metric metric;
    ki_metric_case which;
    ki_arena_init(&arena);
    ki_metric_init(&metric, &arena, 2, 1);
    memcpy(metric.M, (double[]){1, 0, 0, MU}, 4 * sizeof(double));
    memcpy(metric.A, A, 4 * sizeof(double));
    metric.J[0] = 2 * sqrt(x), metric.J[1] = -2 * sqrt(1 - x);
    assert_int_equal(ki_metric_classify(&metric, &which), KEEL_OK);
    *smallest = metric.smallest, *largest = metric.largest;
    ki_arena_free(&arena);
    return which;
}

/* A = M: B^s = J^T J has the eigenvalues 0 and |J|^2 = 4. A = W, from the trace 2/5 - 2x/15 and the
 * determinant -x (1 - x)/225 of B^s with x = q1^2: the smallest is -1/300 at x = 0.55, and none is negative
 * where q1 q2 = 0. */
static void cases_of_the_two_particles(void **state) {
    (void)state;
    double smallest, largest, least = 0, where = 0;
    for (int i = 0; i <= 1000; i++) {
        double x = i / 1000.0, trace = 0.4 - 2 * x / 15, minus_det = x * (1 - x) / 225;
        assert_int_equal(classify(x, (double[]){1, 0, 0, MU}, &smallest, &largest), KI_CASE_IV);
        assert_true(fabs(smallest) < 1e-14 && fabs(largest - 4) < 1e-14);
        ki_metric_case which = classify(x, W_MATRIX, &smallest, &largest);
        assert_int_equal(which, i > 0 && i < 1000 ? KI_CASE_II : KI_CASE_IV);
        assert_true(fabs(smallest - (trace / 2 - sqrt(trace * trace / 4 + minus_det))) < 1e-15);
        if (smallest < least)
            least = smallest, where = x;
    }
    assert_true(fabs(least + 1.0 / 300) < 1e-15);
    assert_true(where == 0.55);
}

/* Where the constraints leave no freedom, an exact projection ends at v = 0 whatever the metric: nothing is
 * added. A penalty projection can add energy there too. With a freedom left both can, for random A and M. */
static void exact_projection_without_freedom(void **state) {
    (void)state;
    unsigned seed = 7;
    int penalty_adds = 0;
    for (int trial = 0; trial < 100; trial++) {
        int n = 2 + trial % (MOST - 1), full = trial / (MOST - 1) % 2, m = full ? n + 1 : n - 1;
        ki_arena arena;
        ki_metric metric;
        ki_metric_case exact, penalty;
        ki_arena_init(&arena);
        ki_metric_init(&metric, &arena, n, m);
        random_definite(n, metric.M, &seed);
        random_definite(n, metric.A, &seed);
        for (int i = 0; i < m * n; i++)
            metric.J[i] = noise(&seed);
        assert_int_equal(ki_metric_classify(&metric, &penalty), KEEL_OK);
        metric.exact = true;
        assert_int_equal(ki_metric_classify(&metric, &exact), KEEL_OK);
        assert_int_equal(exact, full ? KI_CASE_IV : KI_CASE_II);
        penalty_adds += full && penalty == KI_CASE_II;
        assert_true(full || penalty == KI_CASE_II);
        ki_arena_free(&arena);
    }
    assert_true(penalty_adds > 10);
}

/* The metric as it is taken from a workspace. */
static void metric_of_a_workspace(void **state) {
    (void)state;
    keel_system system = particles_system();
    double y[] = {sqrt(0.55), sqrt(0.45), 0, 0, 0};
    for (int metric = KEEL_METRIC_IDENTITY; metric <= KEEL_METRIC_MATRIX; metric++) {
        keel_settings s = with_matrix(W_MATRIX, 2, 0);
        ki_metric work;
        ki_metric_case which;
        bench b;
        s.metric = metric;
        bench_open(&b, &system, &s);
        ki_metric_init(&work, &b.arena, 2, 1);
        assert_int_equal(ki_evaluate_terms(&b.d, KEEL_MASS | KEEL_JACOBIAN, 0, y), KEEL_OK);
        ki_metric_load(&work, &b.d);
        assert_int_equal(ki_metric_classify(&work, &which), KEEL_OK);
        assert_int_equal(which, KI_CASE_II);
        double smallest, largest;
        classify(0.55, metric == KEEL_METRIC_MATRIX ? W_MATRIX : (double[]){1, 0, 0, 1}, &smallest, &largest);
        assert_true(fabs(work.smallest - smallest) < 1e-15); /* the sign of q1 q2 does not matter */
        bench_close(&b);
    }
}

/* In case II there are velocities to which projection adds energy, as many as the eigenvalue promises: along
 * its eigenvector Delta E_p1 = alpha |v|^2 / 300. In the mass metric there are none. */
static void case_II_adds_energy(void **state) {
    (void)state;
    const double x = 0.55, alpha = 1e-6, A_MASS[] = {1, 0, 0, MU};
    /* B^s v = -v/300: (B^s_11 + 1/300) v1 + B^s_12 v2 = 0 */
    double q[] = {sqrt(x), sqrt(1 - x)}, v[] = {-2 * q[0] * q[1] / 6, 4 * x / 15 + 1.0 / 300};
    double Jv = 2 * (q[0] * v[0] + q[1] * v[1]);
    keel_system system = particles_system();
    for (int mass = 0; mass < 2; mass++) {
        const double *A = mass ? A_MASS : W_MATRIX;
        keel_settings s = with_matrix(A, 2, alpha);
        /* v* with the projection v */
        double y[] = {q[0], q[1], v[0] + alpha * 2 * q[0] * Jv / A[0], v[1] + alpha * 2 * q[1] * Jv / A[3],
                      0};
        bench b;
        bench_open(&b, &system, &s);
        assert_int_equal(ki_audit_on(&b.d), KEEL_OK);
        assert_int_equal(ki_settle(&b.d, KEEL_PROJECTION, 0, y), KEEL_OK);
        assert_true(fabs(y[2] - v[0]) < 1e-15 && fabs(y[3] - v[1]) < 1e-15);
        double promised = mass ? -alpha * Jv * Jv : alpha * (v[0] * v[0] + v[1] * v[1]) / 300;
        assert_true(fabs(b.d.settled.all - promised) < 1e-3 * fabs(promised));
        bench_close(&b);
    }
}

/* Where positions move too, Delta E_p is the change of the whole energy, and what its two parts do not
 * explain is the work against gravity, M being constant. */
static void displacements_change_the_energy_too(void **state) {
    (void)state;
    pendulum_model model = {.copies = 1};
    keel_system system = pendulum_system(&model);
    keel_settings s = projection_settings();
    const double before[] = {0.6, 0.81, 0.4, 0.3, 0};
    double y[5];
    bench b;
    memcpy(y, before, sizeof y);
    bench_open(&b, &system, &s);
    assert_int_equal(ki_audit_on(&b.d), KEEL_OK);
    double *M = b.d.at.M;
    assert_int_equal(ki_settle(&b.d, KEEL_PROJECTION, 0, y), KEEL_OK);
    assert_ptr_equal(b.d.at.M, M);
    ki_energy_change e = b.d.settled;
    double kinetic = (y[2] * y[2] + y[3] * y[3] - 0.4 * 0.4 - 0.3 * 0.3) / 2, lift = y[1] - before[1];
    assert_true(fabs(lift) > 1e-3);
    assert_true(fabs(e.part_1 + e.part_2 - kinetic) < 1e-15);
    assert_true(fabs(e.all - kinetic - PENDULUM_G * lift) < 1e-14);
    assert_true(fabs(e.part_1) <
                1e-15); /* exact, in the mass metric: what goes is orthogonal to what stays */
    assert_true(e.part_2 < -0.1);
    bench_close(&b);
}

/* A system with holonomic and nonholonomic rows, and a metric for it. */
enum { N_MIXED = 3, M_MIXED = 2 };
static const double MIXED_A[] = {4, 1, 0, 1, 2, 0.5, 0, 0.5, 1};

/* J a - xi at y for the system `mixed` */
static void mixed_residual(ki_dynamics *d, const double *y, const double *a, double *residual, double *J) {
    assert_int_equal(ki_evaluate_terms(d, KEEL_JACOBIAN | KEEL_XI, 0, y), KEEL_OK);
    keel_pattern P = d->system->J;
    memset(J, 0, M_MIXED * N_MIXED * sizeof(double));
    for (int i = 0; i < M_MIXED; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            J[i * N_MIXED + P.index[k]] = d->at.J[k];
    for (int i = 0; i < M_MIXED; i++)
        residual[i] = ki_dot(N_MIXED, J + i * N_MIXED, a) - d->at.xi[i];
}

/* Eq. 7: A (a - a*) + alpha J^T (J a - xi) = 0. Exact: J a = xi with A (a - a*) in the range of J^T, which
 * the penalty form reaches as alpha grows. */
static void accelerations_are_projected(void **state) {
    (void)state;
    keel_system system = mixed_system();
    const double y[] = {0.6, 0.8, 0.2, 0.8, -0.6, -0.36, 0}, start[] = {1, -2, 0.5};
    double exact[N_MIXED], a[N_MIXED], residual[M_MIXED], J[M_MIXED * N_MIXED];
    static const double ALPHAS[] = {0, 1e9, 0.3, 20};
    for (int i = 0; i < 4; i++) {
        keel_settings s = with_matrix(MIXED_A, N_MIXED, ALPHAS[i]);
        bench b;
        s.levels = KEEL_LEVELS_VELOCITY_ACCELERATION;
        bench_open(&b, &system, &s);
        memcpy(a, start, sizeof a);
        assert_int_equal(ki_settle_acceleration(&b.d, KEEL_PROJECTION, 0, y, a), KEEL_OK);
        mixed_residual(&b.d, y, a, residual, J);
        for (int j = 0; j < N_MIXED && ALPHAS[i] > 0 && ALPHAS[i] < 1e6; j++) {
            double sum = ALPHAS[i] * (J[j] * residual[0] + J[N_MIXED + j] * residual[1]);
            for (int k = 0; k < N_MIXED; k++)
                sum += MIXED_A[j * N_MIXED + k] * (a[k] - start[k]);
            assert_true(fabs(sum) < 1e-13);
        }
        if (i == 0)
            memcpy(exact, a, sizeof a);
        for (int j = 0; j < M_MIXED && i == 0; j++)
            assert_true(fabs(residual[j]) < 1e-14);
        for (int j = 0; j < N_MIXED && i == 1; j++)
            assert_true(fabs(a[j] - exact[j]) < 1e-7);
        bench_close(&b);
    }
    for (int j = 0; j < N_MIXED; j++)
        assert_true(fabs(exact[j] - start[j]) > 1e-3);
}

/* Only where a level asks for it, and only by the stabiliser projection. */
static void levels_say_what_is_projected(void **state) {
    (void)state;
    static const struct {
        int levels;
        bool position, velocity, acceleration;
    } CASES[] = {{KEEL_LEVELS_POSITION, true, false, false},
                 {KEEL_LEVELS_VELOCITY, false, true, false},
                 {KEEL_LEVELS_POSITION_VELOCITY, true, true, false},
                 {KEEL_LEVELS_VELOCITY_ACCELERATION, false, true, true},
                 {KEEL_LEVELS_ALL, true, true, true}};
    keel_system system = particles_system();
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        keel_settings s = projection_settings();
        double y[] = {0.61, 0.8, 0.5, 1.5, 0}, a[] = {1, 2};
        bench b;
        s.levels = CASES[i].levels;
        bench_open(&b, &system, &s);
        assert_int_equal(ki_settle(&b.d, KEEL_PROJECTION, 0, y), KEEL_OK);
        assert_int_equal(ki_settle_acceleration(&b.d, KEEL_STABILIZE_NONE, 0, y, a), KEEL_OK);
        assert_true(a[0] == 1 && a[1] == 2);
        assert_int_equal(ki_settle_acceleration(&b.d, KEEL_PROJECTION, 0, y, a), KEEL_OK);
        double residual = 2 * (y[0] * a[0] + y[1] * a[1]) + 2 * (y[2] * y[2] + y[3] * y[3]);
        assert_int_equal(fabs(y[0] * y[0] + y[1] * y[1] - 1) < 1e-14, CASES[i].position);
        assert_int_equal(y[0] != 0.61, CASES[i].position);
        assert_int_equal(fabs(y[0] * y[2] + y[1] * y[3]) < 1e-14, CASES[i].velocity);
        assert_int_equal(fabs(residual) < 1e-13, CASES[i].acceleration);
        assert_int_equal(a[0] != 1, CASES[i].acceleration);
        bench_close(&b);
    }
}

/* Rows written three times: accelerations as with one row. */
static void accelerations_with_dependent_rows(void **state) {
    (void)state;
    double once[] = {3, -1}, thrice[] = {3, -1};
    const double y[] = {0.6, 0.8, 0.8, -0.6, 0};
    for (int copies = 1; copies <= 3; copies += 2) {
        rod_model model = {.copies = copies};
        keel_system system = rod_system(&model);
        keel_settings s = projection_settings();
        bench b;
        s.keep_invariants = KEEL_NO;
        bench_open(&b, &system, &s);
        assert_int_equal(ki_project_acceleration(&b.d, 0, y, copies == 1 ? once : thrice), KEEL_OK);
        bench_close(&b);
    }
    /* M = 1: a* + q (xi - J a*)/|J|^2 2 with J = 2 q^T, xi = -2 |v|^2 = -2 */
    double along = 3 * 0.6 - 1 * 0.8 + 1;
    assert_true(fabs(once[0] - (3 - 0.6 * along)) < 1e-14 && fabs(once[1] - (-1 - 0.8 * along)) < 1e-14);
    assert_true(fabs(once[0] - thrice[0]) < 1e-14 && fabs(once[1] - thrice[1]) < 1e-14);
}

/* A metric that is none is refused, with the eigenvalue that is to blame: 1 - 2 = -1. */
static void indefinite_metric_is_refused(void **state) {
    (void)state;
    const double indefinite[] = {1, 2, 2, 1};
    keel_system system = particles_system();
    keel_settings s = with_matrix(indefinite, 2, 0);
    keel_diagnostics *diagnostics = keel_diagnostics_new();
    ki_arena arena;
    ki_law law;
    ki_arena_init(&arena);
    assert_int_equal(ki_law_init(&law, &arena, &system, &s, diagnostics), KEEL_ERROR_INPUT);
    assert_string_equal(keel_diagnostics_get(diagnostics, 0).text,
                        "option 'metric_matrix' is not positive definite: its smallest eigenvalue is -1");
    ki_arena_free(&arena);
    keel_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_of_a_projection_is_eq_21),
        cmocka_unit_test(cases_of_the_two_particles),
        cmocka_unit_test(exact_projection_without_freedom),
        cmocka_unit_test(metric_of_a_workspace),
        cmocka_unit_test(case_II_adds_energy),
        cmocka_unit_test(displacements_change_the_energy_too),
        cmocka_unit_test(accelerations_are_projected),
        cmocka_unit_test(levels_say_what_is_projected),
        cmocka_unit_test(accelerations_with_dependent_rows),
        cmocka_unit_test(indefinite_metric_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

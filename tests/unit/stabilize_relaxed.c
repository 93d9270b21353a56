/* Relaxed orthogonality (Eich 1993, section 4): projections with the factors of a nearby point reach the
 * constraints as exactly, and end where the orthogonal projection ends but for (distance of the factors) x
 * (correction). */
#include "stabilize_systems.h"

static keel_settings sharp_settings(void) {
    keel_settings s = projection_settings();
    s.projection_tolerance = 1e-15;
    s.keep_invariants = KEEL_NO;
    return s;
}

/* On the circle at the angle a, moving along it. */
static void on_the_circle(double a, double *y) {
    memcpy(y, (double[]){cos(a), sin(a), -2 * sin(a), 2 * cos(a), 0}, 5 * sizeof(double));
}

/* Projects the state at angle 1, off by `off`, with the factors of the state at angle 1 + `distance`; returns
 * the factorizations it took. */
static long project_with_factors(double distance, double off, bool relaxed, double *y) {
    bench b;
    rod_model model = {.copies = 1};
    keel_system system = rod_system(&model);
    keel_settings s = sharp_settings();
    double near[5];
    bench_open(&b, &system, &s);
    b.d.relaxed = relaxed;
    on_the_circle(1 + distance, near);
    on_the_circle(1, y);
    y[0] += off, y[1] += 0.5 * off, y[2] -= 0.3 * off, y[3] += 2 * off;
    assert_int_equal(ki_factor_at(&b.d, 0, near), KEEL_OK);
    assert_int_equal(ki_settle(&b.d, KEEL_PROJECTION, 0, y), KEEL_OK);
    long factorizations = b.d.projection_factorizations;
    assert_int_equal(b.d.factorizations, 1 + factorizations);
    assert_true(b.d.projection_iterations >= 2);
    assert_true(violation_of(&b, 0, y) <= 1e-15);
    bench_close(&b);
    return factorizations;
}

static void nearby_factors_suffice(void **state) {
    (void)state;
    for (double distance = 1e-2; distance > 1e-7; distance /= 10)
        for (double off = 1e-2; off > 1e-9; off /= 10) {
            double relaxed[5], exact[5];
            assert_int_equal(project_with_factors(distance, off, true, relaxed), 0);
            project_with_factors(0, off, false, exact);
            for (int i = 0; i < 5; i++)
                assert_true(fabs(relaxed[i] - exact[i]) <= 5 * (distance + off) * off + 1e-15);
        }
}

/* Without `relaxed` the velocity is projected with the factors of its own position. */
static void exact_projection_factors_once(void **state) {
    (void)state;
    double y[5];
    assert_int_equal(project_with_factors(1e-3, 1e-4, false, y), 1);
}

/* Factors that contract too slowly are replaced: at a distance of 1 the cosine between the normals is 0.54.
 */
static void distant_factors_are_replaced(void **state) {
    (void)state;
    double y[5];
    long factorizations = project_with_factors(1, 1e-3, true, y);
    assert_true(factorizations >= 1 && factorizations <= 3);
}

/* Kernels of their own (another metric, holonomic rows alone) keep their factors from projection to
 * projection. */
static void other_kernels_keep_their_factors(void **state) {
    (void)state;
    static const double MATRIX[] = {4, 1, 0, 1, 2, 0, 0, 0, 1};
    const double start[] = {0.6, 0.8, 0, 0.8, -0.6, -0.36, 0};
    keel_system system = mixed_system();
    for (int metric = KEEL_METRIC_MASS; metric <= KEEL_METRIC_MATRIX; metric++) {
        bench b;
        unsigned seed = 7;
        keel_settings s = sharp_settings();
        s.metric = metric;
        s.metric_matrix = (keel_gain){.kind = KEEL_GAIN_MATRIX, .count = 3, .values = MATRIX};
        bench_open(&b, &system, &s);
        b.d.relaxed = true;
        for (int trial = 0; trial < 5; trial++) {
            double y[7];
            long before = b.d.projection_factorizations;
            for (int i = 0; i < 7; i++)
                y[i] = start[i] + (i < 6 ? 1e-4 * noise(&seed) : 0);
            assert_int_equal(ki_project(&b.d, 0, y), KEEL_OK);
            assert_true(trial == 0 || b.d.projection_factorizations == before);
            /* the rate of the next step evaluates and factors K elsewhere */
            double rate[7];
            assert_int_equal(ki_rate(&b.d, 0, y, rate), KEEL_OK);
            assert_true(violation_of(&b, 0, y) <= 1e-15);
            assert_int_equal(ki_factor_at(&b.d, 0, y), KEEL_OK);
        }
        bench_close(&b);
    }
}

/* An error estimate keeps a hundredth of its normal part at the present point, in every metric of projection,
 * also where the holonomic rows have a kernel of their own. */
static void errors_become_tangential(void **state) {
    (void)state;
    keel_system system = mixed_system();
    for (int joint = 0; joint < 2; joint++)
        for (int metric = KEEL_METRIC_MASS; metric <= KEEL_METRIC_IDENTITY; metric++) {
            bench b;
            keel_settings s = sharp_settings();
            s.metric = metric;
            s.projection_mode = joint ? KEEL_MODE_JOINT : KEEL_MODE_SEQUENTIAL;
            const double e[] = {1, 2, -3, 0.5, 4, 1, 0};
            double y[] = {0.6, 0.8, 0, 0.8, -0.6, -0.36, 0}, elsewhere[] = {-0.8, 0.6, 1, 0, 0, 0, 0};
            bench_open(&b, &system, &s);
            assert_int_equal(ki_project(&b.d, 0, elsewhere), KEEL_OK);
            assert_int_equal(ki_project(&b.d, 0, y), KEEL_OK);
            double left[7];
            memcpy(left, e, sizeof e);
            assert_int_equal(ki_settle_error(&b.d, KEEL_PROJECTION, left), KEEL_OK);
            /* G e, then J e of the velocities */
            double G_e = 1.2 * e[0] + 1.6 * e[1], G_left = 1.2 * left[0] + 1.6 * left[1];
            double J_e = -0.6 * e[4] + e[5], J_left = -0.6 * left[4] + left[5];
            assert_true(fabs(G_left - 0.01 * G_e) < 1e-13);
            assert_true(fabs(J_left - 0.01 * J_e) < 1e-13);
            bench_close(&b);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearby_factors_suffice),       cmocka_unit_test(exact_projection_factors_once),
        cmocka_unit_test(distant_factors_are_replaced), cmocka_unit_test(other_kernels_keep_their_factors),
        cmocka_unit_test(errors_become_tangential),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

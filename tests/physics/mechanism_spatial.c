/* Spatial mechanisms of models/: benchmarks against their references, mechanisms against each other in
 * relative and absolute coordinates.
 *
 * A04, slender rods: one coordinate is left of the linkage; its joint angles are known in closed form and the
 * energy gives the time (independent computation in quadruple precision). The first digits are those of the
 * benchmark's own table.
 * A04, square rods: dop853 and adams at a tolerance of 1e-12 and 1e-13, in both coordinates, agree to the
 * digits given; bdf at 1e-11 to ten of them.
 * A05: dop853 at 1e-12 in both coordinates and a separate integration of the two equations that remain when
 * the angular momentum is eliminated (classical Runge-Kutta, steps of 1e-5 s) agree to the digits given.
 * Slider-crank: dop853 and adams at 1e-12 and 1e-13 in both coordinates.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mechanisms.h"

enum { BOTH = 2 };
static const char *const COORDINATES[BOTH] = {"relative", "absolute"};

static const double PI = 3.14159265358979323846;

/* Outputs at a time of the history. */
static const double *values_at(const history *h, double t) {
    for (int i = 0; i < h->rows; i++)
        if (fabs(h->t[i] - t) < 1e-9)
            return h->value[i];
    fail_msg("there is no row at t = %g", t);
    return NULL;
}

/* A time and what the first outputs are there. */
typedef struct known {
    double t, value[3];
} known;

/* Largest error of the first `count` outputs. */
static double error_of(const history *h, const known *row, int rows, int count) {
    double most = 0;
    for (int i = 0; i < rows; i++) {
        const double *x = values_at(h, row[i].t);
        for (int k = 0; k < count; k++)
            most = fmax(most, fabs(x[k] - row[i].value[k]));
    }
    return most;
}

static void expect_closed(const trial *t, const char *name) {
    double energy = fmax(fabs(t->result.energy_initial), fabs(t->result.energy_final));
    print_message("%s: closure %.1e, drift of the energy %.1e of %.3g J\n", name, t->result.position.max,
                  t->result.energy_drift_max, energy);
    assert_true(t->result.position.max <= 1e-12);
    assert_true(t->result.has_energy && t->result.energy_drift_max <= 1e-8 * energy);
}

/* ---- A04 ------------------------------------------------------------------------------------------------
 */

enum { BRICARD_ROWS = 4 };
static const known SLENDER[BRICARD_ROWS] = {
    {1, {2.733339158096608e-1, -8.865440007919790e-1, -4.626442852340786e-1}},
    {2, {-7.799472277880534e-1, -9.806356304379663e-1, -1.958411609328652e-1}},
    {5, {9.998161187050653e-1, -9.999999830969431e-1, -1.838643887693587e-4}},
    {10, {9.992646100894149e-1, -9.999997297996155e-1, -7.351195114248411e-4}}};
static const known SQUARE[BRICARD_ROWS - 1] = {{1, {0.27448131926, -0.88670793873, -0.46233000269}},
                                               {5, {0.99993274230, -0.99999999774, -0.00006725544}},
                                               {10, {0.99973098730, -0.99999996383, -0.00026897651}}};
static const keel_assignment THIN[] = {{"section", "0"}};

static void bricard_with_slender_rods(void **state) {
    (void)state;
    for (int i = 0; i < BOTH; i++) {
        variant v = {.model = "a04_bricard",
                     .coordinates = COORDINATES[i],
                     .tolerance = 1e-10,
                     .set = THIN,
                     .set_count = 1};
        history h;
        trial t = history_trial(&v, 1, &h);
        double error = error_of(&h, SLENDER, BRICARD_ROWS, 3);
        print_message("A04 slender, %s: error %.1e m\n", v.coordinates, error);
        assert_true(error <= 1e-9);
        assert_true(fabs(t.result.energy_initial + 29.43) < 1e-13);
        expect_closed(&t, v.coordinates);
        assert_non_null(t.result.shared);
        for (int k = 0; k < keel_system_m(t.model->system); k++)
            assert_int_equal(t.result.shared[k], 1);
        trial_end(&t);
    }
}

static void bricard_with_square_rods(void **state) {
    (void)state;
    static const struct {
        const char *coordinates, *method;
        double tolerance, error;
    } RUNS[] = {{"relative", "dop853", 1e-12, 1e-11},
                {"absolute", "adams", 1e-12, 1e-11},
                {"relative", "bdf", 1e-11, 5e-10}};
    for (unsigned i = 0; i < sizeof RUNS / sizeof *RUNS; i++) {
        variant v = {.model = "a04_bricard",
                     .coordinates = RUNS[i].coordinates,
                     .method = RUNS[i].method,
                     .tolerance = RUNS[i].tolerance};
        history h = history_of(&v, 1);
        double error = error_of(&h, SQUARE, BRICARD_ROWS - 1, 3);
        print_message("A04 square, %s, %s: error %.1e m\n", v.coordinates, v.method, error);
        assert_true(error <= RUNS[i].error);
    }
}

/* Coarse tolerances give coarse results, and nothing worse. */
static void bricard_at_coarse_tolerances(void **state) {
    (void)state;
    for (int i = 0; i < BOTH; i++)
        for (double tolerance = 1e-3; tolerance > 0.9e-5; tolerance /= 10) {
            variant v = {.model = "a04_bricard",
                         .coordinates = COORDINATES[i],
                         .tolerance = tolerance,
                         .set = THIN,
                         .set_count = 1};
            history h;
            trial t = history_trial(&v, 1, &h);
            double error = error_of(&h, SLENDER, BRICARD_ROWS, 3);
            print_message("A04 slender, %s, tolerance %.0e: error %.1e m\n", v.coordinates, tolerance, error);
            assert_true(error <= 20 * tolerance);
            assert_true(t.result.position.max <= 1e-12);
            trial_end(&t);
        }
}

/* ---- A05, slider-crank ----------------------------------------------------------------------------------
 */

static void governor(void **state) {
    (void)state;
    static const known S[3] = {{0.1, {0.5238364755696, 6.103717808831}},
                               {0.5, {0.7432494247863, 5.103415421972}},
                               {2, {0.5059092942967, 6.236223614436}}};
    static const known OFFICIAL[2] = {{0.1, {0.523836}},
                                      {0.5, {0.743249}}}; /* of the benchmark, six digits */
    static const struct {
        const char *coordinates, *method;
        double tolerance, error;
    } RUNS[] = {{"relative", "dop853", 1e-11, 1e-10},
                {"relative", "bdf", 1e-10, 1e-8},
                {"relative", "ida", 1e-10, 1e-8},
                {"absolute", "bdf", 1e-10, 1e-8},
                {"relative", "auto", 1e-6, 1e-4}};
    for (unsigned i = 0; i < sizeof RUNS / sizeof *RUNS; i++) {
        variant v = {.model = "a05_governor",
                     .coordinates = RUNS[i].coordinates,
                     .method = RUNS[i].method,
                     .tolerance = RUNS[i].tolerance,
                     .until = 2};
        history h;
        trial t = history_trial(&v, 0.1, &h);
        double error = error_of(&h, S, 3, 2);
        print_message("A05, %s, %s, %.0e: error %.1e\n", v.coordinates, v.method, v.tolerance, error);
        assert_true(error <= RUNS[i].error);
        assert_true(error_of(&h, OFFICIAL, 2, 1) <= 1e-6);
        trial_end(&t);
    }
}

/* Angles of cut joints are reduced to a turn, so that whole turns do not count. */
static void spatial_slider_crank(void **state) {
    (void)state;
    static const known END[3] = {{1, {0.2117216613934, 10.91359072986}},
                                 {3, {0.2284848136980, 32.00832775576}},
                                 {5, {0.2407195737293, 54.33333216832}}};
    static const struct {
        const char *coordinates, *method;
        double tolerance, error;
    } RUNS[] = {{"relative", "dop853", 1e-12, 1e-10},
                {"absolute", "adams", 1e-12, 1e-9},
                {"absolute", "dop853", 1e-10, 1e-8}};
    for (unsigned i = 0; i < sizeof RUNS / sizeof *RUNS; i++) {
        variant v = {.model = "slider_crank_3d",
                     .coordinates = RUNS[i].coordinates,
                     .method = RUNS[i].method,
                     .tolerance = RUNS[i].tolerance};
        history h;
        trial t = history_trial(&v, 1, &h);
        double error = error_of(&h, END, 3, 1);
        for (int k = 0; k < 3; k++) {
            double angle = values_at(&h, END[k].t)[1];
            error = fmax(error, fabs(remainder(angle - END[k].value[1], 2 * PI)));
        }
        print_message("slider-crank, %s, %s: error %.1e\n", v.coordinates, v.method, error);
        assert_true(error <= RUNS[i].error);
        assert_true(fabs(t.result.energy_initial - 0.76643568) <= 1e-15);
        expect_closed(&t, v.coordinates);
        trial_end(&t);
    }
}

/* ---- redundant joints -----------------------------------------------------------------------------------
 */

/* The door moves as if its second hinge were not there, and its hinges share what they carry. */
static void door_on_two_hinges(void **state) {
    (void)state;
    variant free = {.model = "door_free", .tolerance = 1e-12};
    history h_free = history_of(&free, 0.5);
    for (int i = 0; i < BOTH; i++) {
        variant v = {.model = "door", .coordinates = COORDINATES[i], .tolerance = 1e-12};
        history h;
        trial t = history_trial(&v, 0.5, &h);
        double apart = history_difference(&h, &h_free, 3);
        print_message("door, %s: %.1e from the one without redundancy\n", v.coordinates, apart);
        assert_true(apart <= 1e-10);
        expect_closed(&t, v.coordinates);
        assert_non_null(t.result.shared);
        for (int k = 0; k < keel_system_m(t.model->system); k++)
            assert_int_equal(t.result.shared[k], 1);
        trial_end(&t);
    }
}

/* Bricard's linkage without the condition that repeats the others: joint D has one condition less. */
static void bricard_without_redundancy(void **state) {
    (void)state;
    static const swap CROSS[] = {{"D: {type: revolute, bodies: [rod3, rod4], at: P4, axis: y}",
                                  "D: {type: universal, bodies: [rod3, rod4], at: P4, axis: y, across: x}"},
                                 {NULL, NULL}};
    variant full = {.model = "a04_bricard", .tolerance = 1e-12, .until = 3};
    variant less = full;
    less.swaps = CROSS;
    history h_full = history_of(&full, 0.25), h_less;
    trial t = history_trial(&less, 0.25, &h_less);
    double apart = history_difference(&h_full, &h_less, 4);
    print_message("Bricard: %.1e from the one without redundancy\n", apart);
    assert_true(apart <= 1e-10);
    assert_int_equal(t.result.rank, keel_system_m(t.model->system));
    trial_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricard_with_slender_rods),    cmocka_unit_test(bricard_with_square_rods),
        cmocka_unit_test(bricard_at_coarse_tolerances), cmocka_unit_test(governor),
        cmocka_unit_test(spatial_slider_crank),         cmocka_unit_test(door_on_two_hinges),
        cmocka_unit_test(bricard_without_redundancy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

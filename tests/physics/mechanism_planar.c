/* Planar mechanisms against benchmarks, against the same systems written as equations, and against what is
 * known of them in closed form.
 *
 * Origin of the numbers: IFToMM library of computational benchmark problems, A01 to A03. A01: Jacobi elliptic
 * functions; A02: quadrature of the one-degree-of-freedom equation that holds on the parallelogram branch;
 * A03: quadruple precision, two formulations that agree to 22 digits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mechanisms.h"

enum { RELATIVE, ABSOLUTE, WAYS };
static const char *const COORDINATES[WAYS] = {"relative", "absolute"};

/* Largest error of the first two outputs against rows (t, x, y). */
static double error_of(const history *h, const double (*reference)[3], int count) {
    double most = 0;
    for (int k = 0; k < count; k++) {
        int i = 0;
        while (i < h->rows && fabs(h->t[i] - reference[k][0]) > 1e-9)
            i++;
        assert_true(i < h->rows);
        double e = hypot(h->value[i][0] - reference[k][1], h->value[i][1] - reference[k][2]);
        most = e <= most ? most : e;
    }
    return most;
}

/* In one kind of coordinates. */
static void expect_values(const char *model, const char *N, int c, double until, double interval,
                          const double (*reference)[3], int count, double size) {
    keel_assignment set = {"N", N};
    history h;
    variant v = {.model = model, .coordinates = COORDINATES[c], .tolerance = 1e-10, .until = until};
    v.set = &set, v.set_count = N != NULL;
    trial t = history_trial(&v, interval, &h);
    double error = error_of(&h, reference, count) / size;
    print_message("%s %s, %s: %.1f digits, closure %.1e, energy %.1e, %ld steps\n", model, N ? N : "",
                  COORDINATES[c], -log10(error), t.result.position.max, t.result.energy_drift_max,
                  t.result.count.steps);
    assert_true(error <= 1e-8);
    assert_true(t.result.position.max <= 1e-12);
    trial_end(&t);
}

static void expect_benchmark(const char *model, const char *N, double until, double interval,
                             const double (*reference)[3], int count, double size) {
    for (int c = 0; c < WAYS; c++)
        expect_values(model, N, c, until, interval, reference, count, size);
}

static void pendulum_A01(void **state) {
    (void)state;
    static const double P1[][3] = {{1, 9.86291751131875319e-01, -1.65010853125541169e-01},
                                   {2, -7.93566195343321747e-01, -6.08483930443791515e-01},
                                   {5, -9.42305435043757335e-01, -3.34754338414000581e-01},
                                   {10, -2.75087462576116860e-01, -9.61419205099125064e-01}};
    expect_benchmark("a01_pendulum", NULL, 10, 1, P1, 4, 1);
}

static void four_bars_A02(void **state) {
    (void)state;
    static const double N2[][3] = {{1, -1.95020301949435094e-01, -9.80799205662173833e-01},
                                   {2, 5.78157957680114318e-02, 9.98327267863455481e-01},
                                   {5, -8.11310461005107412e-01, -5.84615545348975548e-01},
                                   {10, 3.28458111540815379e-01, 9.44518538178600962e-01}};
    static const double N40[][3] = {{1, -1.15356880632109898e-01, -9.93324111300450186e-01},
                                    {5, -5.40190050675526274e-01, -8.41543052464443055e-01},
                                    {10, 1.80512226686728390e-01, 9.83572740582311575e-01},
                                    {20, 4.10901153762945222e-01, 9.11679900971980652e-01}};
    expect_benchmark("a02_four_bars", "2", 10, 1, N2, 4, 1);
    expect_values("a02_four_bars", "40", RELATIVE, 20, 1, N40, 4, 1);
    /* Each flat pose of forty loops in absolute coordinates adds round-off: at t = 20 it is 5e-9 to 1.6e-8
     * for all tolerances from 1e-11 to 1.3e-10, at t = 10 up to 1.8e-9. */
    expect_values("a02_four_bars", "40", ABSOLUTE, 10, 1, N40, 3, 1);
}

static void andrews_A03(void **state) {
    (void)state;
    static const double F[][3] = {{0.01, -3.851290593627422e-03, 5.845302452691130e-03},
                                  {0.02, -2.229411834531650e-03, 6.635489648251305e-03},
                                  {0.03, -6.970260781768039e-03, -6.445654614904544e-04},
                                  {0.04, 5.051245442674753e-03, -4.846124170701524e-03},
                                  {0.05, -5.158985250188670e-03, 4.731265284079487e-03}};
    expect_benchmark("a03_andrews", NULL, 0.05, 0.01, F, 5, 0.007);
}

/* ---- the same systems as equations ----------------------------------------------------------------------
 */

/* Coordinates q of an equations model at its end. */
static void equations_at(const char *model, double until, int n, double *q) {
    trial t = trial_of(model, "auto");
    t.settings.tolerance = 1e-13;
    t.settings.until = until;
    trial_run(&t, NULL);
    trial_expect_ok(&t);
    memcpy(q, t.result.final->q, (size_t)n * sizeof(double));
    trial_end(&t);
}

/* beta, gamma, delta, epsilon; the last three are counted from the drawn pose by the bodies. */
static void andrews_equals_its_equations(void **state) {
    (void)state;
    static const double START[4] = {0, 0.455279819163070380255912382449, 0.487364979543842550225598953530,
                                    1.23054744454982119249735015568};
    static const int AT[4] = {0, 2, 4, 6};
    keel_assignment set = {"beta0", "-0.0617138900142764496358948458001"};
    double q[3][7];
    for (int k = 0; k < 3; k++)
        equations_at("andrews", 0.01 * (k + 1), 7, q[k]);
    for (int c = 0; c < 2; c++) {
        variant v = {.model = "a03_andrews",
                     .coordinates = COORDINATES[c],
                     .tolerance = 1e-13,
                     .until = 0.03,
                     .set = &set,
                     .set_count = 1};
        history h = history_of(&v, 0.01);
        double most = 0;
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 4; i++)
                most = fmax(most, fabs(h.value[k + 1][2 + i] + START[i] - q[k][AT[i]]));
        print_message("Andrews, %s: %.1e from the equations\n", COORDINATES[c], most);
        assert_true(most <= 1e-9);
    }
}

static void snakeboard_equals_its_equations(void **state) {
    (void)state;
    double q[6];
    equations_at("snakeboard", 2, 6, q);
    for (int c = 0; c < 2; c++) {
        variant v = {.model = "snakeboard_bodies", .coordinates = COORDINATES[c], .tolerance = 1e-13};
        history h = history_of(&v, 1);
        double most = difference(h.value[2], q, 6);
        print_message("snakeboard, %s: %.1e from the equations\n", COORDINATES[c], most);
        assert_true(most <= 1e-9);
    }
}

/* Quadruple precision, see models/slider_crank.yaml. */
static void slider_crank_equals_its_equations(void **state) {
    (void)state;
    static const double END[3] = {1.2756758486502394, 1.0235785589798395, -0.49881304918249875};
    for (int c = 0; c < WAYS; c++) {
        variant v = {.model = "slider_crank_bodies", .coordinates = COORDINATES[c], .tolerance = 1e-12};
        history h = history_of(&v, 10);
        double most = difference(h.value[1], END, 3);
        print_message("slider crank, %s: %.1e from quadruple precision\n", COORDINATES[c], most);
        assert_true(most <= 1e-10);
    }
}

/* ---- closure and energy ---------------------------------------------------------------------------------
 */

/* `energy` is the size of the energies that are exchanged. Work of forces and drivers is counted. */
static void closure_and_energy(void **state) {
    (void)state;
    static const struct {
        const char *model;
        double until, energy;
    } CASES[] = {
        {"a01_pendulum", 10, 9.81},       {"a02_four_bars", 10, 35.835},
        {"a03_andrews", 0.05, 1.4358},    {"chain_bodies", 0.5, 4.9},
        {"ring_bodies", 0.5, 1},          {"rolling_disc", 5, 3.9},
        {"parallelogram_bodies", 5, 2.8}, {"five_bar", 2, 1},
        {"scissor_lift", 2, 1000},        {"excavator", 2, 1000},
        {"slider_crank_bodies", 5, 0.5},  {"gear_train", 2, 1},
        {"snakeboard_bodies", 2, 10},
    };
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++)
        for (int c = 0; c < WAYS; c++) {
            variant v = {.model = CASES[i].model, .coordinates = COORDINATES[c], .tolerance = 1e-10};
            v.until = CASES[i].until;
            history h;
            trial t = history_trial(&v, CASES[i].until, &h);
            double drift = t.result.energy_drift_max / CASES[i].energy;
            print_message("%s, %s: closure %.1e, energy %.1e\n", CASES[i].model, COORDINATES[c],
                          t.result.position.max, drift);
            assert_true(t.result.has_energy);
            assert_true(t.result.position.max <= 1e-12);
            assert_true(drift <= 1e-8);
            trial_end(&t);
        }
}

/* ---- closed forms ---------------------------------------------------------------------------------------
 */

static void gears_lift_with_constant_acceleration(void **state) {
    (void)state;
    double i = 17.0 / 51, r = 0.02, m = 5;
    double acceleration = (0.5 - m * 9.81 * r * i) / (2e-4 + 3e-3 * i * i + m * r * r * i * i);
    for (int c = 0; c < 2; c++) {
        variant v = {.model = "gear_train", .coordinates = COORDINATES[c], .tolerance = 1e-10};
        history h = history_of(&v, 1);
        for (int k = 0; k <= 2; k++) {
            double turned = acceleration * k * k / 2;
            assert_true(fabs(h.value[k][0] + turned / (2 * acos(-1.0))) <= 1e-8 * turned);
            assert_true(fabs(h.value[k][1] - r * i * turned) <= 1e-8);
            assert_true(fabs(h.value[k][2] - r * i * acceleration * k) <= 1e-8);
        }
    }
}

static void rolling_disc_keeps_its_momentum(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        variant v = {.model = "rolling_disc", .coordinates = COORDINATES[c], .tolerance = 1e-10};
        history h = history_of(&v, 0.25);
        double travel = 0;
        for (int k = 0; k < h.rows; k++) {
            travel = fmax(travel, fabs(h.value[k][0]));
            assert_true(fabs(h.value[k][2]) <= 1e-8);
        }
        assert_true(travel > 0.1);
    }
}

/* foot = l cos th, table = N l sin th; the ram of the lift that stands still at the end carries
 * (M + N m) g N cot th, and slows nothing down: its law ends with speed and acceleration zero. */
static void scissor_lift_in_closed_form(void **state) {
    (void)state;
    for (int N = 1; N <= 4; N += 3) {
        char text[8];
        snprintf(text, sizeof text, "%d", N);
        keel_assignment set = {"N", text};
        variant v = {.model = "scissor_lift", .tolerance = 1e-10, .set = &set, .set_count = 1};
        history h = history_of(&v, 0.25);
        for (int k = 0; k < h.rows; k++)
            assert_true(fabs(h.value[k][0] - N * sqrt(1.44 - pow(h.value[k][1], 2))) <= 1e-9);
        const double *end = h.value[h.rows - 1];
        double cot = end[1] / sqrt(1.44 - end[1] * end[1]);
        double force = (150 + N * 4) * 9.81 * N * cot;
        print_message("scissor lift of %d: ram %.6f, statics %.6f\n", N, end[2], force);
        assert_true(fabs(fabs(end[2]) - force) <= 1e-6 * force);
    }
}

/* Symmetric to the vertical through the hook. */
static void ring_stays_symmetric(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        variant v = {.model = "ring_bodies", .coordinates = COORDINATES[c], .tolerance = 1e-10, .until = 0.5};
        history h = history_of(&v, 0.1);
        for (int k = 0; k < h.rows; k++)
            assert_true(fabs(h.value[k][2]) <= 1e-6 * fabs(h.value[k][1]));
    }
}

/* The number of cranks of the same mass in all does not matter; nor does what it makes redundant. */
static void redundant_crank_changes_nothing(void **state) {
    (void)state;
    keel_assignment set = {"C", "2"};
    for (int c = 0; c < WAYS; c++) {
        variant v = {
            .model = "parallelogram_bodies", .coordinates = COORDINATES[c], .tolerance = 1e-12, .until = 5};
        history three = history_of(&v, 0.5);
        v.set = &set, v.set_count = 1;
        history two = history_of(&v, 0.5);
        double apart = history_difference(&three, &two, 2);
        print_message("redundant crank, %s: %.1e\n", COORDINATES[c], apart);
        assert_true(apart <= 1e-10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_A01),
        cmocka_unit_test(four_bars_A02),
        cmocka_unit_test(andrews_A03),
        cmocka_unit_test(andrews_equals_its_equations),
        cmocka_unit_test(snakeboard_equals_its_equations),
        cmocka_unit_test(slider_crank_equals_its_equations),
        cmocka_unit_test(closure_and_energy),
        cmocka_unit_test(gears_lift_with_constant_acceleration),
        cmocka_unit_test(rolling_disc_keeps_its_momentum),
        cmocka_unit_test(scissor_lift_in_closed_form),
        cmocka_unit_test(ring_stays_symmetric),
        cmocka_unit_test(redundant_crank_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

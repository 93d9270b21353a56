/* Spatial mechanisms whose motion is known in closed form, and all models of models/ that have no such form:
 * relative and absolute coordinates must agree, close their loops and keep their energy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mechanisms.h"

static const double PI = 3.14159265358979323846;
static const char *const COORDINATES[] = {"relative", "absolute"};
enum { BOTH = 2 };

/* ---- closed forms ---------------------------------------------------------------------------------------
 */

/* What the first `count` outputs of a model are at time t. */
typedef void closed_form(double t, double *values);

/* Largest error over all rows, in both coordinates. */
static void expect_motion(const char *model, closed_form *known, int count, double until, double bound) {
    for (int c = 0; c < BOTH; c++) {
        variant v = {.model = model, .coordinates = COORDINATES[c], .tolerance = 1e-11, .until = until};
        history h = history_of(&v, until / 20);
        double most = 0, values[4];
        for (int i = 0; i < h.rows; i++) {
            known(h.t[i], values);
            double error = difference(h.value[i], values, count);
            most = error <= most ? most : error;
        }
        print_message("%s, %s: error %.1e\n", model, v.coordinates, most);
        assert_int_equal(h.rows, 21);
        assert_true(most <= bound);
    }
}

/* The coin goes round in a circle; w is its spin about the axle (models/rolling_coin.yaml). */
static void coin_motion(double t, double *values) {
    const double r = 0.02, alpha = 1, Omega = 6, g = 9.81;
    double w = (r * Omega * Omega * sin(alpha) / 4 - g) * cos(alpha) / (1.5 * r * Omega * sin(alpha));
    values[0] = -r * w * sin(Omega * t) / Omega;
    values[1] = -r * w * (1 - cos(Omega * t)) / Omega;
    values[2] = alpha;
}

static void steady_coin(void **state) {
    (void)state;
    expect_motion("rolling_coin", coin_motion, 3, 1, 1e-8);
}

/* A coin that rolls straight on wobbles with 12/5 w^2 - 4/5 g/r (Neimark and Fufaev). */
static void wobbling_coin(void **state) {
    (void)state;
    static const swap STRAIGHT[] = {
        {"w: (A*Omega^2*sin(alpha) - m*g*r)*cos(alpha)/((C + m*r^2)*Omega*sin(alpha))", "w: 30"},
        {NULL, NULL}};
    static const keel_assignment UPRIGHT[] = {{"alpha", "pi/2"}, {"Omega", "0"}, {"wobble", "1e-5"}};
    variant v = {.model = "rolling_coin",
                 .tolerance = 1e-12,
                 .until = 1,
                 .swaps = STRAIGHT,
                 .set = UPRIGHT,
                 .set_count = 3};
    history h = history_of(&v, 0.05);
    double nu = sqrt(12.0 / 5 * 30 * 30 - 4.0 / 5 * 9.81 / 0.02), size = 1e-5 / nu, most = 0;
    for (int i = 0; i < h.rows; i++)
        most = fmax(most, fabs(fabs(h.value[i][2] - PI / 2) - fabs(size * sin(nu * h.t[i]))));
    print_message("wobbling coin: %.1e of its amplitude\n", most / size);
    assert_true(most <= 1e-5 * size);
}

/* The centre goes round at 2/7 of the speed of the table. */
static void ball_motion(double t, double *values) {
    const double nu = 2.0 / 7 * 3;
    values[0] = 0.4 + 0.3 * sin(nu * t) / nu;
    values[1] = 0.3 * (1 - cos(nu * t)) / nu;
    values[2] = 0.05;
}

static void ball_on_a_turntable(void **state) {
    (void)state;
    expect_motion("rolling_ball", ball_motion, 3, 8, 1e-9);
}

static void load_motion(double t, double *values) {
    double h = 0.05 / (2 * PI), a = 9.81 * 10 * h * h / (2e-3 + 10 * h * h);
    values[0] = 0.8 - a * t * t / 2;
}

static void load_on_a_screw(void **state) {
    (void)state;
    expect_motion("screw_jack", load_motion, 1, 0.7, 1e-10);
}

static void heave(double t, double *values) {
    values[0] = 0.62 + 0.1 * (1 - cos(2 * PI * t)) / 2;
}

static void driven_platform(void **state) {
    (void)state;
    expect_motion("stewart", heave, 1, 1, 1e-10);
}

/* The output turns as the input, the shaft between with Cardan's error. */
static void universal_joints(void **state) {
    (void)state;
    for (int c = 0; c < BOTH; c++) {
        variant v = {.model = "universal_shaft", .coordinates = COORDINATES[c], .tolerance = 1e-11};
        history h = history_of(&v, 0.05);
        double most = 0, slant = 0.6;
        for (int i = 0; i < h.rows; i++) {
            const double *x = h.value[i];
            double part = sin(slant) * sin(10 * h.t[i]), speed = 10 * cos(slant) / (1 - part * part);
            most = fmax(most, fabs(remainder(x[0] - 10 * h.t[i], 2 * PI)));
            most = fmax(most, fabs(remainder(x[1] - 10 * h.t[i], 2 * PI)));
            most = fmax(most, fabs(x[2] - speed));
        }
        print_message("universal joints, %s: error %.1e\n", v.coordinates, most);
        assert_true(most <= 1e-10);
    }
}

/* Gears hold their ratio, and the speed follows from the height of the weight:
 * (J2 + m a^2 + J1/ratio^2) angle'^2/2 = -m g a sin(angle). */
static void bevel_gears(void **state) {
    (void)state;
    variant v = {.model = "gear_pair", .tolerance = 1e-11};
    history h;
    trial t = history_trial(&v, 0.1, &h);
    for (int i = 0; i < h.rows; i++)
        assert_true(fabs(h.value[i][1] - h.value[i][0] / 2) <= 1e-12);
    double inertia = 8e-3 + 0.5 * 0.01 + 4e-3, angle = h.value[h.rows - 1][1];
    double speed = sqrt(-2 * 0.5 * 9.81 * 0.1 * sin(angle) / inertia);
    print_message("bevel gears: speed %.9f, should be %.9f\n", fabs(t.result.final->v[1]), speed);
    assert_true(fabs(fabs(t.result.final->v[1]) - speed) <= 1e-9 * speed);
    trial_end(&t);
}

/* The platform of a delta robot stays level, whatever its arms do. */
static void level_platform(void **state) {
    (void)state;
    for (int c = 0; c < BOTH; c++) {
        variant v = {.model = "delta", .coordinates = COORDINATES[c], .tolerance = 1e-9};
        history h = history_of(&v, 0.1);
        double travel = 0, drop = 0;
        for (int i = 0; i < h.rows; i++) {
            assert_true(fabs(h.value[i][3] - 1) <= 1e-13);
            travel = fmax(travel, hypot(h.value[i][0], h.value[i][1]));
            drop = fmin(drop, h.value[i][2]);
        }
        assert_true(travel > 0.02 && drop < -0.46);
    }
}

/* Rods without mass are bodies too, and do what distances do. */
static void massless_rods(void **state) {
    (void)state;
    static const swap FREE[] = {
        {"  motions:\n    turn[i]: {of: \"motor[i].angle\", value: swing*(1 - cos(4*t + i*t))/2}",
         "  forces:\n    spring[i]: {type: torsion, joint: \"motor[i].angle\", stiffness: 5*i, free: 0}"},
        {", torque: \"turn[1].torque\"", ""},
        {NULL, NULL}};
    static const swap MASSLESS[] = {
        {"left[i]: {shape: rod, from: \"elbow_l[i]\", to: \"ball_l[i]\", mass: rod}",
         "left[i]: {points: {in: \"elbow_l[i]\", out: \"ball_l[i]\"}}"},
        {"right[i]: {shape: rod, from: \"elbow_r[i]\", to: \"ball_r[i]\", mass: rod}",
         "right[i]: {points: {in: \"elbow_r[i]\", out: \"ball_r[i]\"}}"},
        {NULL, NULL}};
    variant distances = {.model = "delta", .tolerance = 1e-11, .until = 1, .swaps = FREE};
    history h = history_of(&distances, 0.1);
    for (int c = 0; c < BOTH; c++) {
        variant rods = {.model = "delta_rods",
                        .coordinates = COORDINATES[c],
                        .tolerance = 1e-11,
                        .until = 1,
                        .swaps = MASSLESS};
        history h_rods = history_of(&rods, 0.1);
        double apart = history_difference(&h, &h_rods, 4);
        print_message("massless rods, %s: %.1e from distances\n", rods.coordinates, apart);
        assert_true(apart <= 1e-9);
    }
}

/* ---- one engine, two coordinates ------------------------------------------------------------------------
 */

typedef struct sample {
    const char *model;
    double until;
    int outputs;  /* that are compared: no reactions that are shared, no angles of several turns */
    double bound; /* of their difference */
} sample;

static const sample SAMPLES[] = {
    {"a04_bricard", 5, 3, 1e-9},       {"a05_governor", 0.2, 2, 1e-8},
    {"slider_crank_3d", 2, 1, 1e-8},   {"door", 5, 3, 1e-9},
    {"door_free", 5, 4, 1e-8},         {"stewart", 1, 2, 1e-6},
    {"stewart_springs", 1, 4, 1e-8},   {"delta", 2, 5, 1e-8},
    {"delta_rods", 1, 4, 1e-8},        {"rolling_coin", 1, 4, 1e-8},
    {"rolling_ball", 2, 4, 1e-9},      {"bicycle", 1, 5, 1e-9},
    {"universal_shaft", 0.3, 4, 1e-8}, {"screw_jack", 0.4, 1, 1e-9},
    {"gear_pair", 1, 2, 1e-9},         {"wishbone", 1, 5, 1e-7},
};

static void check_run(const sample *s, const char *coordinates, history *h) {
    variant v = {.model = s->model, .coordinates = coordinates, .tolerance = 1e-10, .until = s->until};
    trial t = history_trial(&v, s->until / 20, h);
    double energy = fmax(fabs(t.result.energy_initial), fabs(t.result.energy_final));
    print_message("%s, %s: closure %.1e, energy %.1e of %.3g J, %ld steps\n", s->model, coordinates,
                  t.result.position.max, t.result.energy_drift_max, energy, t.result.count.steps);
    assert_true(t.result.position.max <= 1e-12);
    assert_true(t.result.has_energy);
    assert_true(t.result.energy_drift_max <= 1e-8 * energy); /* with the work of dampers and drivers */
    trial_end(&t);
}

static void relative_and_absolute_are_the_same(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof SAMPLES / sizeof *SAMPLES; i++) {
        const sample *s = &SAMPLES[i];
        history h[BOTH];
        for (int c = 0; c < BOTH; c++)
            check_run(s, COORDINATES[c], &h[c]);
        double apart = history_difference(&h[0], &h[1], s->outputs);
        print_message("  %.1e apart\n", apart);
        assert_true(apart <= s->bound);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_coin),         cmocka_unit_test(wobbling_coin),
        cmocka_unit_test(ball_on_a_turntable), cmocka_unit_test(load_on_a_screw),
        cmocka_unit_test(driven_platform),     cmocka_unit_test(universal_joints),
        cmocka_unit_test(bevel_gears),         cmocka_unit_test(level_platform),
        cmocka_unit_test(massless_rods),       cmocka_unit_test(relative_and_absolute_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

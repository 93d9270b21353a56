/* The uncontrolled bicycle: the three manoeuvres of the IFToMM benchmark, and small motions against the
 * linearised equations of Meijaard, Papadopoulos, Ruina and Schwab (2007),
 *
 *     M q'' + v C1 q' + (g K0 + v^2 K2) q = 0,      q = (roll, steer),
 *
 * with the matrices printed there for the same data. Riding upright is stable between 4.292 and 6.024 m/s.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mechanisms.h"

enum { ROLL, ROLL_RATE, STEER, STEER_RATE, SPEED, OUTPUTS }; /* outputs of the model */

static trial ride(const char *coordinates, const char *speed, const char *roll_rate, double tolerance,
                  double until, double interval, history *h) {
    const keel_assignment set[] = {{"v0", speed}, {"roll_rate", roll_rate}};
    variant v = {.model = "bicycle",
                 .coordinates = coordinates,
                 .tolerance = tolerance,
                 .until = until,
                 .set = set,
                 .set_count = 2};
    return history_trial(&v, interval, h);
}

/* Largest |roll| in rows [from, to). */
static double swing(const history *h, int from, int to) {
    double most = 0;
    for (int i = from; i < to; i++)
        most = fmax(most, fabs(h->value[i][ROLL]));
    return most;
}

static trial manoeuvre(const char *name, const char *speed, const char *roll_rate, history *h) {
    trial t = ride("relative", speed, roll_rate, 1e-10, 5, 0.1, h);
    double spread = t.result.energy_drift_max / t.result.energy_initial;
    print_message("%s: energy %.1e, roll %.4f in the first half, %.4f in the second, closure %.1e\n", name,
                  spread, swing(h, 0, 25), swing(h, 25, h->rows), t.result.position.max);
    assert_int_equal(h->rows, 51);
    assert_true(spread <= 1e-8);
    assert_true(t.result.position.max <= 1e-12);
    return t;
}

/* Too slow: the weave grows. */
static void manoeuvre_1(void **state) {
    (void)state;
    history h;
    trial t = manoeuvre("M1", "4.0", "0.05", &h);
    assert_true(swing(&h, 25, 51) > 1.5 * swing(&h, 0, 25));
    trial_end(&t);
}

/* In the stable range: the bicycle rights itself. */
static void manoeuvre_2(void **state) {
    (void)state;
    history h;
    trial t = manoeuvre("M2", "4.6", "0.5", &h);
    assert_true(swing(&h, 25, 51) < 0.5 * swing(&h, 0, 25));
    trial_end(&t);
}

/* Too fast: the weave dies out, and it falls over slowly, in linear theory by a factor of
 * exp(0.14328 t) = 1.33 in two seconds. */
static void manoeuvre_3(void **state) {
    (void)state;
    history h;
    trial t = manoeuvre("M3", "8.0", "0.05", &h);
    double growth = h.value[50][ROLL] / h.value[30][ROLL];
    print_message("M3: factor %.4f in the last two seconds\n", growth);
    assert_true(fabs(growth - exp(2 * 0.14327879765712)) < 0.01);
    trial_end(&t);
}

static void both_coordinates(void **state) {
    (void)state;
    history relative, absolute;
    trial a = ride("relative", "4.6", "0.5", 1e-11, 2, 0.1, &relative);
    trial b = ride("absolute", "4.6", "0.5", 1e-11, 2, 0.1, &absolute);
    double apart = history_difference(&relative, &absolute, OUTPUTS);
    print_message("relative and absolute coordinates: %.1e\n", apart);
    assert_true(apart <= 1e-8);
    assert_true(b.result.position.max <= 1e-12);
    trial_end(&a);
    trial_end(&b);
}

/* ---- small motions ---------------------------------------------------------------------------------------
 */

static const double M[2][2] = {{80.81722, 2.31941332208709}, {2.31941332208709, 0.29784188199686}};
static const double C1[2][2] = {{0, 33.86641391492494}, {-0.85035641456978, 1.68540397397560}};
static const double K0[2][2] = {{-80.95, -2.59951685249872}, {-2.59951685249872, -0.80329488458618}};
static const double K2[2][2] = {{0, 76.59734589573222}, {0, 2.65431523794604}};

/* y = (roll, steer, roll', steer') */
static void linear_rate(double v, const double y[4], double rate[4]) {
    double f[2], det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
    for (int i = 0; i < 2; i++) {
        f[i] = 0;
        for (int j = 0; j < 2; j++)
            f[i] -= v * C1[i][j] * y[2 + j] + (9.81 * K0[i][j] + v * v * K2[i][j]) * y[j];
    }
    rate[0] = y[2];
    rate[1] = y[3];
    rate[2] = (M[1][1] * f[0] - M[0][1] * f[1]) / det;
    rate[3] = (M[0][0] * f[1] - M[1][0] * f[0]) / det;
}

/* Classical Runge-Kutta over an interval, steps of about 1 ms: exact enough for six digits. */
static void linear_motion(double v, double interval, double y[4]) {
    int steps = (int)ceil(interval / 1e-3);
    double h = interval / steps, k[4][4], x[4];
    static const double AT[4] = {0, 0.5, 0.5, 1}, WEIGHT[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (int n = 0; n < steps; n++) {
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < 4; i++)
                x[i] = y[i] + (s ? h * AT[s] * k[s - 1][i] : 0);
            linear_rate(v, x, k[s]);
        }
        for (int s = 0; s < 4; s++)
            for (int i = 0; i < 4; i++)
                y[i] += h * WEIGHT[s] * k[s][i];
    }
}

static void small_motions(void **state) {
    (void)state;
    static const char *const SPEEDS[] = {"1", "3", "5", "8"};
    for (unsigned i = 0; i < sizeof SPEEDS / sizeof *SPEEDS; i++) {
        history h;
        trial t = ride("relative", SPEEDS[i], "1e-5", 1e-12, 1.5, 0.05, &h);
        double v = strtod(SPEEDS[i], NULL), y[4] = {0, 0, 1e-5, 0}, error = 0, size = 0;
        for (int n = 1; n < h.rows; n++) {
            linear_motion(v, h.t[n] - h.t[n - 1], y);
            const double *x = h.value[n];
            const double observed[4] = {x[ROLL], x[STEER], x[ROLL_RATE], x[STEER_RATE]};
            for (int k = 0; k < 4; k++) {
                error = fmax(error, fabs(observed[k] - y[k]));
                size = fmax(size, fabs(y[k]));
            }
            assert_true(fabs(x[SPEED] - v) <= 1e-6 * v);
        }
        print_message("%s m/s: %.1e from the linearised motion, relative\n", SPEEDS[i], error / size);
        assert_true(error <= 1e-5 * size);
        trial_end(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(manoeuvre_1), cmocka_unit_test(manoeuvre_2),
                                       cmocka_unit_test(manoeuvre_3), cmocka_unit_test(both_coordinates),
                                       cmocka_unit_test(small_motions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

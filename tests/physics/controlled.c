/* A carriage under a cascaded controller with a motor that lags (models/servo.yaml), against the closed form
 * of its linear equations: as states of the model, and as a program that samples it and sets an input.
 *
 *     m x'' = F,  lag F' = u - F                                          carriage and motor
 *     u = kv e + kw K,  K' = e,  e = kp (r - x) + ki I - x',  I' = r - x  the controller
 *
 * y' = A y + b has the solution y(t + h) = P y + d of the exponential of [A b; 0 0] h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trials.h"

enum { SIZE = 6 }; /* x, x', F, I, K, 1 */

typedef struct matrix {
    double a[SIZE][SIZE];
} matrix;

static matrix product(const matrix *x, const matrix *y) {
    matrix p = {0};
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            for (int k = 0; k < SIZE; k++)
                p.a[i][j] += x->a[i][k] * y->a[k][j];
    return p;
}

/* By its series, of a part so small that few terms are left, squared again and again. */
static matrix exponential(matrix A, double h) {
    enum { HALVINGS = 20, TERMS = 12 };
    matrix E = {0}, term = {0};
    double part = ldexp(h, -HALVINGS);
    for (int i = 0; i < SIZE; i++) {
        E.a[i][i] = term.a[i][i] = 1;
        for (int j = 0; j < SIZE; j++)
            A.a[i][j] *= part;
    }
    for (int k = 1; k <= TERMS; k++) {
        term = product(&term, &A);
        for (int i = 0; i < SIZE; i++)
            for (int j = 0; j < SIZE; j++) {
                term.a[i][j] /= k;
                E.a[i][j] += term.a[i][j];
            }
    }
    for (int k = 0; k < HALVINGS; k++)
        E = product(&E, &E);
    return E;
}

static void apply(const matrix *E, double y[SIZE]) {
    double next[SIZE] = {0};
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            next[i] += E->a[i][j] * y[j];
    memcpy(y, next, sizeof next);
}

static const double M = 2.5, LAG = 0.01, KP = 8, KI = 4, KV = 60, KW = 90, TARGET = 0.3;

/* With the controller; `push` acts on the carriage. */
static matrix closed_loop(double push) {
    matrix A = {0};
    const double e[SIZE] = {-KP, -1, 0, KI, 0, KP * TARGET};
    A.a[0][1] = 1;
    A.a[1][2] = 1 / M, A.a[1][5] = push / M;
    for (int j = 0; j < SIZE; j++)
        A.a[2][j] = KV * e[j] / LAG, A.a[4][j] = e[j];
    A.a[2][2] -= 1 / LAG, A.a[2][4] += KW / LAG;
    A.a[3][0] = -1, A.a[3][5] = TARGET;
    return A;
}

static keel_simulation *open_simulation(trial *t) {
    assert_int_equal(keel_model_prepare(t->model, t->messages), KEEL_OK);
    keel_simulation *sim = keel_simulation_new(t->model->system, t->model->start, t->model->velocities_given,
                                               &t->settings, t->messages, &t->status);
    if (!sim)
        fail_msg("%s", trial_error(t));
    return sim;
}

static int input(const trial *t, const char *name) {
    int i = keel_find_input(t->model->system, name, t->messages);
    assert_true(i >= 0);
    return i;
}

/* A disturbance comes at 0.5 and goes at 0.8. */
static void test_controller_in_the_model(void **state) {
    (void)state;
    static const char *const METHODS[] = {"auto", "dop853", "radau5", "adams", "bdf"};
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        trial t = trial_of("servo", METHODS[i]);
        double y[SIZE] = {[SIZE - 1] = 1},
               bound = i == 4 ? 1e-6 : 1e-9; /* bdf: low order at a tight tolerance */
        t.settings.tolerance = 1e-12;
        keel_simulation *sim = open_simulation(&t);
        keel_quantity x = keel_find_quantity(t.model->system, "position", t.messages);
        keel_quantity force = keel_find_quantity(t.model->system, "force", t.messages);
        matrix E[2];
        for (int k = 0; k < 2; k++)
            E[k] = exponential(closed_loop(10 * k), 0.05);
        for (int k = 0; k < 40; k++) {
            int pushed = k >= 10 && k < 16;
            keel_row row;
            assert_int_equal(keel_simulation_set_input(sim, input(&t, "push"), 10 * pushed), KEEL_OK);
            if (keel_simulation_advance(sim, 0.05 * (k + 1), &row))
                fail_msg("%s: %s", METHODS[i], trial_error(&t));
            apply(&E[pushed], y);
            if (!(fabs(keel_row_value(&row, x) - y[0]) < bound) ||
                !(fabs(keel_row_value(&row, force) - y[2]) < 100 * bound))
                fail_msg("%s: at %g x = %.15g instead of %.15g, F = %.15g instead of %.15g", METHODS[i],
                         row.t, keel_row_value(&row, x), y[0], keel_row_value(&row, force), y[2]);
        }
        keel_simulation_free(sim);
        trial_end(&t);
    }
}

/* The same carriage and motor; the command is held for a millisecond. */
static const char SAMPLED[] =
    "keel: 1\n"
    "planar: true\n"
    "inputs: {command: 0}\n"
    "states: {force: {start: 0, rate: (command - force)/0.01}}\n"
    "bodies: {carriage: {mass: 2.5, centre: [0, 0], inertia: 0.1}}\n"
    "joints: {rail: {type: prismatic, bodies: [ground, carriage], at: [0, 0], axis: [0.8, 0.6]}}\n"
    "forces: {motor: {type: force, joint: rail, value: force}}\n"
    "outputs: {position: rail.displacement, speed: rail.displacement'}\n"
    "simulate: {until: 1, tolerance: 1e-11}\n";

static void test_sampled_controller(void **state) {
    (void)state;
    trial t = trial_of(SAMPLED, "auto");
    keel_simulation *sim = open_simulation(&t);
    keel_quantity x = keel_find_quantity(t.model->system, "position", t.messages);
    keel_quantity v = keel_find_quantity(t.model->system, "speed", t.messages);
    double y[SIZE] = {0}, h = 1e-3;
    matrix A = {0};
    A.a[0][1] = 1, A.a[1][2] = 1 / M;
    A.a[2][2] = -1 / LAG, A.a[2][5] = 1 / LAG; /* the last component is the command */
    matrix E = exponential(A, h);
    keel_row row;
    assert_int_equal(keel_simulation_advance(sim, 0, &row), KEEL_OK);
    for (int k = 0; k < 1000; k++) {
        double command = KV * (KP * (TARGET - keel_row_value(&row, x)) - keel_row_value(&row, v));
        y[5] = KV * (KP * (TARGET - y[0]) - y[1]);
        assert_int_equal(keel_simulation_set_input(sim, input(&t, "command"), command), KEEL_OK);
        if (keel_simulation_advance(sim, h * (k + 1), &row))
            fail_msg("%s", trial_error(&t));
        apply(&E, y);
        if (!(fabs(keel_row_value(&row, x) - y[0]) < 1e-9))
            fail_msg("at %g: %.15g instead of %.15g", row.t, keel_row_value(&row, x), y[0]);
    }
    assert_true(fabs(y[0] - TARGET) < 1e-3); /* it has arrived */
    keel_simulation_free(sim);
    trial_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_controller_in_the_model),
        cmocka_unit_test(test_sampled_controller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

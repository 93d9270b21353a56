/* A simulation that is led by its caller is the run: the same rows, a later end, other states, again from the
 * start; and every column of results can be asked for by its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keel/results.h"
#include "trials.h"

/* Of every kind of system: equations, a mechanism with loops, one with quaternions and rolling, with states,
 * with auxiliary unknowns, with switches of time. */
static const char *const MODELS[] = {"pendulum", "four_bar", "rolling_coin", "a05_governor", "wheelset"};
static const char *const METHODS[] = {"auto", "rk4", "bdf", "radau5", "generalized-alpha/index3/none",
                                      "adams"};

static const char SWITCHED[] = "keel: 1\n"
                               "equations:\n"
                               "  coordinates: {x: 0}\n"
                               "  velocities: {x: 0}\n"
                               "  kinetic: x'^2/2\n"
                               "  forces: {x: if(t < 1.5, 1, -1)}\n"
                               "simulate: {until: 1, tolerance: 1e-10}\n";

/* The contact of wheel and rail costs more than all others together. */
static size_t methods_of(const char *model) {
    return strcmp(model, "wheelset") == 0 ? 1 : sizeof METHODS / sizeof *METHODS;
}

static double at_time[200], value_of[200][64];

static keel_status keep(void *user, const keel_row *row) {
    int *count = user;
    at_time[*count] = row->t;
    memcpy(value_of[*count], row->q, sizeof(double)); /* the first coordinate stands for all */
    ++*count;
    return *count < 200 ? KEEL_OK : KEEL_ERROR_MEMORY;
}

static keel_simulation *open_simulation(trial *t) {
    keel_simulation *sim = keel_simulation_new(t->model->system, t->model->start, t->model->velocities_given,
                                               &t->settings, t->messages, &t->status);
    if (!sim)
        fail_msg("%s", trial_error(t));
    return sim;
}

static trial opened(const char *model, const char *method) {
    trial t = trial_of(model, method);
    assert_int_equal(keel_model_prepare(t.model, t.messages), KEEL_OK);
    if (keel_integrator_takes_step(t.settings.method.integrator) &&
        !keel_integrator_is_adaptive(t.settings.method.integrator))
        t.settings.step = 1e-3;
    t.settings.until = 0.3;
    return t;
}

static void test_rows_are_those_of_the_run(void **state) {
    (void)state;
    int runs = 0;
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++)
        for (size_t i = 0; i < methods_of(MODELS[m]); i++) {
            trial t = opened(MODELS[m], METHODS[i]);
            int count = 0;
            t.settings.output = 0.01;
            keel_observer observer = {.user = &count, .row = keep};
            trial_run(&t, &observer);
            if (t.status == KEEL_OK) {
                keel_simulation *sim = open_simulation(&t);
                keel_row row;
                for (int k = 0; k < count; k++) {
                    assert_int_equal(keel_simulation_advance(sim, at_time[k], &row), KEEL_OK);
                    assert_true(row.t == at_time[k]);
                    assert_memory_equal(row.q, value_of[k], sizeof(double));
                }
                keel_simulation_free(sim);
                runs++;
            }
            trial_end(&t);
        }
    assert_true(runs >= 20);
}

static void test_the_end_moves(void **state) {
    (void)state;
    int runs = 0;
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++)
        for (size_t i = 0; i < methods_of(MODELS[m]); i++) {
            trial t = opened(MODELS[m], METHODS[i]), longer = opened(MODELS[m], METHODS[i]);
            longer.settings.until = 1;
            if (trial_run(&longer, NULL) == KEEL_OK) {
                keel_simulation *sim = open_simulation(&t);
                keel_row row;
                keel_result result;
                assert_int_equal(keel_simulation_advance(sim, 0.29, &row), KEEL_OK);
                assert_int_equal(keel_simulation_advance(sim, 1, &row), KEEL_OK);
                assert_true(keel_simulation_until(sim) >= 1);
                double error = 100 * t.settings.tolerance + 1e-4 * (t.settings.step > 0);
                for (int k = 0; k < t.model->system->n_q; k++)
                    assert_true(fabs(row.q[k] - longer.result.final->q[k]) <=
                                error * fmax(1, fabs(row.q[k])));
                assert_int_equal(keel_simulation_result(sim, &result), KEEL_OK);
                assert_true(result.count.steps > 3); /* those before the end count too */
                keel_result_clear(&result);
                keel_simulation_free(sim);
                runs++;
            }
            trial_end(&t);
            trial_end(&longer);
        }
    assert_true(runs >= 20);
}

/* x = t^2 / 2 until 1.5, then the force turns round: beyond the end that the model gives. */
static void test_a_switch_beyond_the_end(void **state) {
    (void)state;
    trial t = trial_of(SWITCHED, "dopri5");
    keel_simulation *sim = open_simulation(&t);
    keel_row row;
    assert_int_equal(keel_simulation_advance(sim, 2, &row), KEEL_OK);
    assert_true(fabs(row.q[0] - (1.125 + 1.5 * 0.5 - 0.125)) < 1e-12);
    assert_int_equal(keel_simulation_advance(sim, 0.1, &row), KEEL_ERROR_INPUT);
    assert_non_null(strstr(trial_error(&t), "t = 0.1 has passed"));
    assert_int_equal(keel_simulation_advance(sim, NAN, &row), KEEL_ERROR_INPUT);
    keel_simulation_free(sim);
    trial_end(&t);
}

static void test_states_are_set(void **state) {
    (void)state;
    trial t = opened("four_bar", "auto");
    const keel_system *sys = t.model->system;
    keel_simulation *sim = open_simulation(&t);
    keel_state *then = keel_state_new(sys);
    keel_row row;
    double first[2][8];
    assert_true(sys->n_q <= 8);
    assert_int_equal(keel_simulation_advance(sim, 0.1, NULL), KEEL_OK);
    assert_int_equal(keel_simulation_state(sim, then), KEEL_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(keel_simulation_set_state(sim, then), KEEL_OK);
        assert_true(keel_simulation_time(sim) == then->t);
        assert_int_equal(keel_simulation_advance(sim, then->t + 0.05, &row), KEEL_OK);
        memcpy(first[k], row.q, (size_t)sys->n_q * sizeof(double));
    }
    assert_memory_equal(first[0], first[1], (size_t)sys->n_q * sizeof(double));
    for (int k = 0; k < 2; k++) {
        assert_int_equal(keel_simulation_reset(sim), KEEL_OK);
        assert_int_equal(keel_simulation_advance(sim, 0.05, &row), KEEL_OK);
        memcpy(first[k], row.q, (size_t)sys->n_q * sizeof(double));
    }
    assert_memory_equal(first[0], first[1], (size_t)sys->n_q * sizeof(double));
    then->q[0] = 100; /* far off the constraints: refused, and nothing changes */
    then->q[1] = -50;
    double reached = keel_simulation_time(sim);
    assert_true(keel_simulation_set_state(sim, then) < 0);
    assert_true(keel_simulation_time(sim) == reached);
    keel_state_free(then);
    keel_simulation_free(sim);
    trial_end(&t);
}

/* A simulation whose end was moved can be saved and loaded with that end. */
static void test_a_moved_end_is_saved(void **state) {
    (void)state;
    trial t = opened("four_bar", "auto");
    keel_simulation *sim = open_simulation(&t);
    keel_row row;
    assert_int_equal(keel_simulation_advance(sim, 0.5, NULL), KEEL_OK);
    keel_checkpoint *saved = keel_simulation_save(sim, &t.status);
    assert_non_null(saved);
    assert_int_equal(keel_simulation_advance(sim, 0.8, &row), KEEL_OK);
    double q = row.q[0];
    t.settings.until = keel_simulation_until(sim);
    keel_simulation *loaded =
        keel_simulation_load(t.model->system, &t.settings, saved, t.messages, &t.status);
    if (!loaded)
        fail_msg("%s", trial_error(&t));
    assert_int_equal(keel_simulation_advance(loaded, 0.8, &row), KEEL_OK);
    assert_memory_equal(&q, row.q, sizeof q);
    keel_checkpoint_free(saved);
    keel_simulation_free(loaded);
    keel_simulation_free(sim);
    trial_end(&t);
}

/* Every name in the header of a CSV file but those of columns that rows do not have. */
static void test_columns_have_handles(void **state) {
    (void)state;
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++) {
        trial t = opened(MODELS[m], "auto");
        const keel_system *sys = t.model->system;
        keel_simulation *sim = open_simulation(&t);
        keel_row row;
        keel_status status;
        char header[8192];
        assert_int_equal(keel_simulation_advance(sim, 0.1, &row), KEEL_OK);
        keel_csv *csv = keel_csv_open("advance_columns.csv", sys, NULL, &status);
        assert_non_null(csv);
        assert_int_equal(keel_csv_close(csv), KEEL_OK);
        FILE *file = fopen("advance_columns.csv", "r");
        assert_non_null(fgets(header, sizeof header, file));
        fclose(file);
        int count = 0;
        for (char *name = strtok(header, ",\r\n"); name; name = strtok(NULL, ",\r\n"), count++) {
            keel_quantity quantity = keel_find_quantity(sys, name, t.messages);
            if (quantity.kind == KEEL_QUANTITY_NONE)
                fail_msg("%s: no '%s'", MODELS[m], name);
            assert_true(isfinite(keel_row_value(&row, quantity)));
        }
        assert_true(count >= sys->n_q + sys->n_v);
        keel_simulation_free(sim);
        trial_end(&t);
    }
}

static void test_unknown_names(void **state) {
    (void)state;
    trial t = opened("four_bar", "auto");
    const keel_system *sys = t.model->system;
    char misspelt[64];
    snprintf(misspelt, sizeof misspelt, "%sx", sys->names.q[0]);
    assert_int_equal(keel_find_quantity(sys, misspelt, t.messages).kind, KEEL_QUANTITY_NONE);
    assert_non_null(strstr(trial_error(&t), "did you mean"));
    assert_true(isnan(keel_row_value(&(keel_row){.t = 1}, keel_find_quantity(sys, misspelt, NULL))));
    trial_end(&t);
}

/* x'' = u with u held between times that the caller chooses: x is a polynomial in each of them. */
static const char PUSHED[] = "keel: 1\n"
                             "inputs: {u: 1, wind.x: 0}\n"
                             "equations:\n"
                             "  coordinates: {x: 0}\n"
                             "  velocities: {x: 0}\n"
                             "  kinetic: x'^2/2\n"
                             "  forces: {x: u + wind.x}\n"
                             "simulate: {until: 1, tolerance: 1e-8}\n";
static const char PUSHED_BODY[] =
    "keel: 1\n"
    "planar: true\n"
    "inputs: {u: 1, wind.x: 0}\n"
    "definitions: {push: u + wind.x}\n"
    "bodies: {cart: {mass: 1, centre: [0, 0], inertia: 1}}\n"
    "joints: {x: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}}\n"
    "forces: {push: {type: force, body: cart, at: [0, 0], vector: [push, 0]}}\n"
    "simulate: {until: 1, tolerance: 1e-8}\n";

static const char *const STEPPING[] = {"auto",   "rk4",   "dopri5", "bdf",
                                       "radau5", "adams", "ida",    "generalized-alpha/index3/none"};

/* Leads a simulation through inputs that change every 0.05 (linear in the number of the interval), and saves
 * and loads it on the way. */
static void push(const char *model, const char *method, bool is_saved, double result[2]) {
    trial t = trial_of(model, method);
    if (keel_integrator_takes_step(t.settings.method.integrator) &&
        !keel_integrator_is_adaptive(t.settings.method.integrator))
        t.settings.step = 1e-3;
    keel_simulation *sim = open_simulation(&t);
    int u = keel_find_input(t.model->system, "u", t.messages);
    int wind = keel_find_input(t.model->system, "wind.x", t.messages);
    double x = 0, v = 0;
    keel_row row;
    assert_true(u >= 0 && wind >= 0);
    for (int k = 0; k < 30; k++) { /* beyond the end of the model */
        double h = 0.05, a = 1 - 0.1 * k + (k % 3 == 0 ? 2 : 0);
        assert_int_equal(keel_simulation_set_input(sim, u, 1 - 0.1 * k), KEEL_OK);
        assert_int_equal(keel_simulation_set_input(sim, wind, k % 3 == 0 ? 2 : 0), KEEL_OK);
        x += h * v + a * h * h / 2, v += a * h;
        if (keel_simulation_advance(sim, h * (k + 1), &row))
            fail_msg("%s: %s", method, trial_error(&t));
        assert_true(keel_simulation_time(sim) == h * (k + 1));
        if (!(fabs(row.q[0] - x) < 1e-6) || !(fabs(row.v[0] - v) < 1e-6))
            fail_msg("%s: x = %g instead of %g, v = %g instead of %g at %g", method, row.q[0], x, row.v[0], v,
                     h * (k + 1));
        if (is_saved && k % 7 == 4) {
            keel_checkpoint *saved = keel_simulation_save(sim, &t.status);
            if (!saved) /* the end has just moved */
                continue;
            keel_settings settings = t.settings;
            settings.until = keel_simulation_until(sim);
            keel_simulation *loaded =
                keel_simulation_load(t.model->system, &settings, saved, t.messages, &t.status);
            if (!loaded)
                fail_msg("%s: %s", method, trial_error(&t));
            keel_checkpoint_free(saved);
            keel_simulation_free(sim);
            sim = loaded;
        }
    }
    result[0] = row.q[0], result[1] = row.v[0];
    assert_int_equal(keel_simulation_set_input(sim, 2, 1), KEEL_ERROR_INPUT);
    assert_int_equal(keel_simulation_set_input(sim, u, NAN), KEEL_ERROR_INPUT);
    assert_int_equal(keel_find_input(t.model->system, "v", t.messages), -1);
    keel_simulation_free(sim);
    trial_end(&t);
}

static void test_inputs(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof STEPPING / sizeof *STEPPING; i++)
        for (int body = 0; body < 2; body++) {
            double straight[2], saved[2];
            push(body ? PUSHED_BODY : PUSHED, STEPPING[i], false, straight);
            push(body ? PUSHED_BODY : PUSHED, STEPPING[i], true, saved);
            assert_memory_equal(straight, saved, sizeof saved);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_those_of_the_run),
        cmocka_unit_test(test_the_end_moves),
        cmocka_unit_test(test_a_switch_beyond_the_end),
        cmocka_unit_test(test_states_are_set),
        cmocka_unit_test(test_a_moved_end_is_saved),
        cmocka_unit_test(test_columns_have_handles),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

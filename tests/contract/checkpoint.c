/* What every method must do: a run that is saved and loaded goes on as the one that was not, bit for bit; and
 * what is not the checkpoint of this run is refused, with what differs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keel/checkpoint.h"
#include "trials.h"

enum { BEFORE = 25, AFTER = 25 };

/* A step with a row inside of it and one at its end, and what they showed. */
typedef struct shown {
    keel_status status;
    keel_step step;
    uint64_t mark;
} shown;

static uint64_t add(uint64_t mark, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        mark = (mark ^ at[i]) * UINT64_C(1099511628211);
    return mark;
}

static uint64_t add_row(uint64_t mark, const keel_system *sys, keel_simulation *sim, double t) {
    keel_row row;
    keel_status status = keel_simulation_row(sim, t, &row);
    mark = add(mark, &status, sizeof status);
    if (status)
        return mark;
    mark = add(mark, row.q, (size_t)sys->n_q * sizeof(double));
    mark = add(mark, row.v, (size_t)sys->n_v * sizeof(double));
    mark = add(mark, row.lambda, (size_t)keel_system_m(sys) * sizeof(double));
    mark = add(mark, row.outputs, (size_t)sys->n_outputs * sizeof(double));
    return add(mark, &row.energy_drift, sizeof(double));
}

static shown take_step(const keel_system *sys, keel_simulation *sim) {
    shown s = {.status = keel_simulation_step(sim)};
    s.step = keel_simulation_last_step(sim);
    s.mark = UINT64_C(14695981039346656037);
    if (s.status)
        return s;
    s.mark = add_row(s.mark, sys, sim, s.step.t - 0.3 * s.step.size);
    s.mark = add_row(s.mark, sys, sim, s.step.t);
    return s;
}

static bool is_same(const shown *a, const shown *b) {
    return a->status == b->status && a->step.t == b->step.t && a->step.size == b->step.size &&
           a->step.order == b->step.order && a->step.gap == b->step.gap && a->mark == b->mark;
}

/* The checkpoint through bytes, as from a file. */
static keel_checkpoint *stored(keel_simulation *sim, keel_diagnostics *messages) {
    keel_status status;
    size_t size;
    keel_checkpoint *saved = keel_simulation_save(sim, &status);
    assert_non_null(saved);
    const void *bytes = keel_checkpoint_bytes(saved, &size);
    keel_checkpoint *read = keel_checkpoint_read(bytes, size, messages, &status);
    assert_non_null(read);
    keel_checkpoint_free(saved);
    return read;
}

/* Steps after which the runs that follow begin anew. */
static double base_steps;

/* One of the models by one of the methods: true if it went so far that there was something to be compared. */
static bool goes_on(const char *model, const char *method, double until, double step, double tolerance) {
    trial first = trial_of(model, method), second = trial_of(model, method);
    shown log[AFTER];
    int count = 0;
    keel_status status;
    trial *trials[] = {&first, &second};
    for (int i = 0; i < 2; i++) {
        keel_model_assemble(trials[i]->model, trials[i]->messages, NULL);
        trials[i]->settings.until = until;
        trials[i]->settings.base_steps = base_steps;
        trials[i]->settings.tolerance = tolerance;
        trials[i]->settings.step =
            keel_integrator_takes_step(trials[i]->settings.method.integrator) ? step : 0;
        trials[i]->settings.K_D.kind = trials[i]->settings.K_P.kind = KEEL_GAIN_AUTOMATIC;
    }
    keel_simulation *sim =
        keel_simulation_new(first.model->system, first.model->start, first.model->velocities_given,
                            &first.settings, first.messages, &status);
    bool began = sim;
    for (int i = 0; began && i < BEFORE; i++)
        began = take_step(first.model->system, sim).status == KEEL_OK;
    if (began) {
        keel_checkpoint *saved = stored(sim, first.messages);
        for (; count < AFTER; count++)
            if ((log[count] = take_step(first.model->system, sim)).status)
                break;
        keel_simulation *again =
            keel_simulation_load(second.model->system, &second.settings, saved, second.messages, &status);
        if (!again)
            fail_msg("%s by %s: %s", model, method, trial_error(&second));
        for (int i = 0; i < count; i++) {
            shown s = take_step(second.model->system, again);
            if (!is_same(&s, &log[i]))
                fail_msg("%s by %s: step %d after the checkpoint is another one", model, method, i + 1);
        }
        keel_simulation_free(again);
        keel_checkpoint_free(saved);
    }
    keel_simulation_free(sim);
    trial_end(&first);
    trial_end(&second);
    return began && count > 0;
}

/* Every valid method on a model; returns how many went far enough. */
static int try_methods(const char *model, double until, double step, double tolerance) {
    int count = 0;
    for (int i = 0; i < KEEL_INTEGRATORS; i++)
        for (int f = 0; f < KEEL_FORMULATIONS; f++)
            for (int s = 0; s < KEEL_STABILIZERS; s++) {
                keel_method method = {.integrator = (keel_integrator)i,
                                      .formulation = (keel_formulation)f,
                                      .stabilize = (keel_stabilize)s};
                char text[64];
                if (keel_method_is_valid(method))
                    count += goes_on(model, keel_method_text(method, text), until, step, tolerance);
            }
    return count;
}

static void holonomic(void **state) {
    (void)state;
    for (base_steps = 0; base_steps < 10; base_steps += 7)
        assert_true(try_methods("pendulum", 4, 0.01, 1e-7) >= 100);
    base_steps = 0;
}

static void mechanism(void **state) {
    (void)state;
    for (base_steps = 0; base_steps < 10; base_steps += 7)
        assert_true(try_methods("four_bar", 5, 0.01, 1e-6) >= 100);
    base_steps = 0;
}

static void nonholonomic(void **state) {
    (void)state;
    for (base_steps = 0; base_steps < 10; base_steps += 7)
        assert_true(try_methods("snakeboard", 4, 0.01, 1e-6) >= 100);
    base_steps = 0;
}

/* Runs that change on the way: method auto with its trials, singular poses, switches, repeated
 * constraints, steps with a first integrator that is given up. */
static void changing(void **state) {
    (void)state;
    static const char *const MODELS[] = {"flexible_crank", "a05_governor", "a02_four_bars", "two_link",
                                         "a04_bricard",    "door",         "parallelogram", "wheelset",
                                         "scissor_lift",   "stewart",      "rolling_disc",  "chain"};
    for (base_steps = 0; base_steps < 8; base_steps += 3.5) {
        int count = 0;
        for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++)
            count += goes_on(MODELS[i], "auto", 10, 0, 1e-6);
        assert_true(count >= 10);
    }
    base_steps = 0;
}

/* A run that has begun anew many times is as good as one that has not, and tells the same. */
static void beginning_anew(void **state) {
    (void)state;
    static const struct {
        const char *model, *method;
        double step, difference;
    } RUNS[] = {{"pendulum", "dop853", 0, 1e-5},         {"pendulum", "radau5", 0, 1e-4},
                {"four_bar", "rk4", 0.005, 1e-12},       {"four_bar", "conserving", 0.005, 1e-9},
                {"snakeboard", "midpoint", 0.005, 1e-6}, {"a02_four_bars", "auto", 0, 1e-4}};
    for (size_t i = 0; i < sizeof RUNS / sizeof *RUNS; i++) {
        trial t = trial_of(RUNS[i].model, RUNS[i].method);
        keel_model_assemble(t.model, t.messages, NULL);
        t.settings.until = 5;
        t.settings.step = RUNS[i].step;
        t.settings.base_steps = 0;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        keel_result whole = t.result;
        t.result = (keel_result){0};
        t.settings.base_steps = 20;
        trial_run(&t, NULL);
        trial_expect_ok(&t);
        int n = t.model->system->n_q;
        assert_true(difference(t.result.final->q, whole.final->q, n) < RUNS[i].difference);
        assert_true(labs(t.result.count.steps - whole.count.steps) <= whole.count.steps / 20);
        assert_true(t.result.energy_drift_max <= 3 * whole.energy_drift_max + 1e-12);
        assert_int_equal(t.result.event_count, whole.event_count);
        assert_int_equal(t.result.note_count, whole.note_count);
        if (RUNS[i].step == 0) /* a sign that it did begin anew */
            assert_true(difference(t.result.final->q, whole.final->q, n) > 0);
        keel_result_clear(&whole);
        trial_end(&t);
    }
}

static void refuses(const keel_checkpoint *saved, trial *t, const char *because) {
    keel_status status;
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_simulation *sim = keel_simulation_load(t->model->system, &t->settings, saved, messages, &status);
    assert_null(sim);
    assert_int_equal(status, KEEL_ERROR_INPUT);
    assert_true(keel_diagnostics_errors(messages) > 0);
    if (!strstr(keel_diagnostics_get(messages, 0).text, because))
        fail_msg("'%s' does not say '%s'", keel_diagnostics_get(messages, 0).text, because);
    keel_diagnostics_free(messages);
}

static keel_checkpoint *some_checkpoint(trial *t) {
    keel_status status;
    keel_simulation *sim = keel_simulation_new(t->model->system, t->model->start, t->model->velocities_given,
                                               &t->settings, t->messages, &status);
    if (!sim)
        fail_msg("%s", trial_error(t));
    for (int i = 0; i < 5; i++)
        assert_int_equal(keel_simulation_step(sim), KEEL_OK);
    keel_checkpoint *saved = stored(sim, t->messages);
    keel_simulation_free(sim);
    return saved;
}

/* Other settings, other models, other numbers in the same model. */
static void other_runs(void **state) {
    (void)state;
    trial t = trial_of("pendulum", "dop853"), other = trial_of("four_bar", "dop853");
    keel_checkpoint *saved = some_checkpoint(&t);
    refuses(saved, &other, "coordinates: x, y");
    trial_end(&other);
    t.settings.tolerance = 1e-3;
    refuses(saved, &t, "option tolerance: ");
    t.settings.tolerance = other.settings.tolerance;
    trial_end(&t);

    static const char *const MODEL = "keel: 1\nequations:\n  coordinates: {x: 1}\n  kinetic: x'^2/2\n"
                                     "  potential: %g*x^2\nsimulate: {until: 10}\n";
    char one[256], two[256];
    snprintf(one, sizeof one, MODEL, 1.0);
    snprintf(two, sizeof two, MODEL, 1.0001);
    t = trial_of(one, "dop853");
    other = trial_of(two, "dop853");
    keel_checkpoint *of_one = some_checkpoint(&t);
    refuses(of_one, &other, "does not come to the state of its checkpoint");

    /* the state may start it all the same */
    keel_state *from = keel_state_new(other.model->system);
    assert_int_equal(keel_checkpoint_state(of_one, other.model->system, from, NULL), KEEL_OK);
    assert_true(from->t > 0);
    assert_int_equal(keel_checkpoint_state(saved, other.model->system, from, NULL), KEEL_OK); /* has x, too */
    keel_state_free(from);
    keel_checkpoint_free(of_one);
    keel_checkpoint_free(saved);
    trial_end(&t);
    trial_end(&other);
}

/* Every byte that is changed, every length that is cut: refused with a message. */
static void damage(void **state) {
    (void)state;
    trial t = trial_of("pendulum", "dop853");
    keel_checkpoint *saved = some_checkpoint(&t);
    size_t size;
    const unsigned char *bytes = keel_checkpoint_bytes(saved, &size);
    unsigned char *copy = malloc(size);
    for (size_t i = 0; i < size; i++) {
        keel_status status = KEEL_OK;
        keel_diagnostics *messages = keel_diagnostics_new();
        memcpy(copy, bytes, size);
        copy[i] ^= (unsigned char)(1 + i % 255);
        assert_null(keel_checkpoint_read(copy, size, messages, &status));
        assert_int_equal(status, KEEL_ERROR_INPUT);
        assert_int_equal(keel_diagnostics_errors(messages), 1);
        assert_null(keel_checkpoint_read(bytes, i, messages, &status));
        assert_int_equal(keel_diagnostics_errors(messages), 2);
        keel_diagnostics_free(messages);
    }
    free(copy);
    keel_checkpoint_free(saved);
    trial_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holonomic), cmocka_unit_test(mechanism),      cmocka_unit_test(nonholonomic),
        cmocka_unit_test(changing),  cmocka_unit_test(beginning_anew), cmocka_unit_test(other_runs),
        cmocka_unit_test(damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

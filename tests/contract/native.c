/* Machine code gives the numbers of the tape and of the dense kernel, for every model in models/ that has
 * formulas, its own or those of a mechanism: all terms at points off the motion, one factorization and solve,
 * and a whole run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "equations/model.h"
#include "keel/mechanism.h"
#include "keel/modelfile.h"
#include "keel/native.h"
#include "keel/run.h"
#include "linalg/saddle_code.h"

enum { POINTS = 4, TERMS = 14 };

/* All numbers of a set of terms in one array. */
typedef struct collected {
    keel_terms terms;
    double *values;
    size_t count;
} collected;

static void *zeroed(size_t count) {
    void *block = calloc(count + 1, sizeof(double));
    assert_non_null(block);
    return block;
}

static collected collected_new(const keel_system *s) {
    size_t m = (size_t)keel_system_m(s);
    const size_t sizes[] = {(size_t)keel_pattern_count(s->M),
                            (size_t)keel_pattern_count(s->J),
                            (size_t)s->n_v,
                            m,
                            (size_t)s->n_h,
                            m,
                            (size_t)s->n_z,
                            (size_t)s->n_s,
                            (size_t)keel_pattern_count(s->r_s),
                            (size_t)keel_pattern_count(s->Q_lambda),
                            (size_t)keel_pattern_count(s->tangent),
                            (size_t)keel_pattern_count(s->rate_q),
                            (size_t)s->n_i,
                            (size_t)keel_pattern_count(s->invariant_y)};
    collected c = {.count = 0};
    keel_terms *t = &c.terms;
    double **const places[] = {&t->M,       &t->J,      &t->Q,         &t->xi,         &t->Phi,
                               &t->rate,    &t->f,      &t->r,         &t->r_s,        &t->Q_lambda,
                               &t->tangent, &t->rate_q, &t->invariant, &t->invariant_y};
    for (int i = 0; i < TERMS; i++)
        c.count += sizes[i];
    c.values = zeroed(c.count);
    double *next = c.values;
    for (int i = 0; i < TERMS; i++) {
        *places[i] = next;
        next += sizes[i];
    }
    return c;
}

/* A number in -1 .. 1 from a linear congruence (Knuth's MMIX constants): the same points every time. */
static double number(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed / 9223372036854775808.0;
}

static double *moved(const double *from, int count, double by, uint64_t *seed) {
    double *to = zeroed((size_t)count);
    for (int i = 0; i < count; i++)
        to[i] = (from ? from[i] : 0) + by * number(seed);
    return to;
}

/* The same bits, or two NaN; the sign of a zero counts too. */
static void assert_same(const double *a, const double *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) && !(isnan(a[i]) && isnan(b[i])))
            fail_msg("number %zu of %zu: %.17g by machine code, %.17g by the tape", i, count, b[i], a[i]);
}

/* The formulas of a system, NULL if it has none. */
static ki_model *formulas_of(const keel_system *system) {
    const keel_system *formulas = keel_mechanism_formulas(system);
    return keel_equations_inside(formulas ? formulas : system);
}

static void set_code(keel_system *system, const ki_native_code *code) {
    atomic_store(&formulas_of(system)->native, code);
}

static void compare_terms(keel_system *system, const ki_native_code *code, const keel_point *at) {
    static const unsigned SETS[] = {
        KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI | KEEL_STATES | KEEL_POWER | KEEL_VELOCITY,
        KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI | KEEL_STATES | KEEL_POWER,
        KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI | KEEL_STATES,
        KEEL_FORCE | KEEL_XI | KEEL_STATES | KEEL_POWER,
        KEEL_POSITION | KEEL_VELOCITY,
        KEEL_POSITION | KEEL_JACOBIAN,
        KEEL_MASS | KEEL_JACOBIAN | KEEL_VELOCITY,
        KEEL_FORCE | KEEL_FORCE_LAMBDA,
        (1u << TERMS) - 1};
    void *work = NULL;
    collected tape = collected_new(system), native = collected_new(system);
    assert_int_equal(system->work_new(system, &work), KEEL_OK);
    for (unsigned i = 0; i < sizeof SETS / sizeof *SETS + TERMS; i++) {
        unsigned what = i < sizeof SETS / sizeof *SETS ? SETS[i] : 1u << (i - sizeof SETS / sizeof *SETS);
        set_code(system, NULL);
        keel_status by_tape = system->evaluate(system, work, what, at, &tape.terms);
        set_code(system, code);
        assert_int_equal(system->evaluate(system, work, what, at, &native.terms), by_tape);
        assert_same(tape.values, native.values, tape.count);
        assert_same(&tape.terms.energy, &native.terms.energy, 1);
        assert_same(&tape.terms.power, &native.terms.power, 1);
    }
    system->work_free(work);
    free(tape.values);
    free(native.values);
}

/* M and J at the point; forces and targets are the point's own numbers. */
static void compare_kernel(keel_system *system, const keel_saddle_code *code, const keel_point *at) {
    int n = system->n_v, m = keel_system_m(system);
    collected c = collected_new(system);
    double *x[2] = {zeroed((size_t)n), zeroed((size_t)n)}, *y[2] = {zeroed((size_t)m), zeroed((size_t)m)};
    keel_status status[2] = {KEEL_OK, KEEL_OK};
    void *work = NULL;
    assert_int_equal(system->work_new(system, &work), KEEL_OK);
    system->evaluate(system, work, KEEL_MASS | KEEL_JACOBIAN, at, &c.terms);
    keel_saddle *K = keel_saddle_new(system->M, system->J, NULL);
    assert_non_null(K);
    for (int i = 0; i < 2; i++) {
        ki_saddle_use(K, i ? code : NULL);
        status[i] = keel_saddle_factor(K, c.terms.M, c.terms.J, NULL);
        if (!status[i])
            status[i] = keel_saddle_solve(K, at->v, at->lambda, x[i], y[i], NULL);
    }
    assert_int_equal(status[0], status[1]);
    for (int i = 0; i < n; i++)
        assert_true(x[0][i] == x[1][i]); /* zeros may differ in sign */
    for (int i = 0; i < m; i++)
        assert_true(y[0][i] == y[1][i]);
    keel_saddle_free(K);
    system->work_free(work);
    free(c.values);
    for (int i = 0; i < 2; i++) {
        free(x[i]);
        free(y[i]);
    }
}

static void compare_points(const keel_model *model, const ki_native_code *code) {
    keel_system *s = model->system;
    const keel_state *start = model->start;
    uint64_t seed = 1;
    for (int k = 0; k < POINTS; k++) {
        double by = k ? 0.3 : 0; /* the start itself first */
        double *q = moved(start->q, s->n_q, by, &seed), *v = moved(start->v, s->n_v, by, &seed),
               *z = moved(start->z, s->n_z, by, &seed), *aux = moved(start->s, s->n_s, by, &seed),
               *lambda = moved(NULL, keel_system_m(s), 1, &seed), *a = moved(NULL, s->n_v, 1, &seed);
        keel_point at = {.t = 0.1 * k, .q = q, .v = v, .z = z, .s = aux, .lambda = lambda, .a = a};
        compare_terms(s, code, &at);
        if (code->saddle)
            compare_kernel(s, code->saddle, &at);
        double *all[] = {q, v, z, aux, lambda, a};
        for (int i = 0; i < 6; i++)
            free(all[i]);
    }
}

/* A tenth of the model's own run: what it costs, and where it ends. */
static void compare_runs(const keel_model *model, const ki_native_code *code) {
    keel_system *s = model->system;
    keel_settings settings = model->settings;
    keel_result result[2];
    settings.until = model->start->t + 0.1 * (settings.until - model->start->t);
    for (int i = 0; i < 2; i++) {
        set_code(s, i ? code : NULL);
        keel_run(s, model->start, model->velocities_given, &settings, NULL, NULL, &result[i]);
    }
    assert_int_equal(result[0].status, result[1].status);
    assert_int_equal(result[0].count.steps, result[1].count.steps);
    assert_int_equal(result[0].count.evaluations, result[1].count.evaluations);
    assert_int_equal(!result[0].final, !result[1].final);
    for (int i = 0; result[0].final && i < s->n_q; i++)
        assert_true(result[0].final->q[i] == result[1].final->q[i]);
    for (int i = 0; result[0].final && i < s->n_v; i++)
        assert_true(result[0].final->v[i] == result[1].final->v[i]);
    for (int i = 0; i < 2; i++)
        keel_result_clear(&result[i]);
}

static void compare_model(const char *path, int *compared, int *kernels) {
    keel_status status;
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_model *model = keel_model_read(path, NULL, 0, messages, &status);
    assert_non_null(model);
    keel_native *native = keel_native_attach(model->system, NULL, messages);
    assert_non_null(native);
    if (formulas_of(model->system)) {
        print_message("%s\n", path);
        if (keel_native_compile(native, 1) != KEEL_NATIVE_READY)
            fail_msg("%s: %s", path, keel_diagnostics_get(messages, 0).text);
        assert_string_equal(keel_equations_code(&formulas_of(model->system)->system), "native");
        const ki_native_code *code = atomic_load(&formulas_of(model->system)->native);
        compare_points(model, code);
        compare_runs(model, code);
        ++*compared;
        *kernels += code->saddle != NULL;
    } else {
        assert_int_equal(keel_native_compile(native, 1), KEEL_NATIVE_FAILED);
        assert_null(keel_equations_code(model->system));
    }
    keel_native_detach(native);
    keel_model_free(model);
    keel_diagnostics_free(messages);
}

static void test_all_models(void **state) {
    (void)state;
    glob_t files;
    int compared = 0, kernels = 0;
    assert_int_equal(glob(KEEL_SOURCE_DIR "/models/*.yaml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        compare_model(files.gl_pathv[i], &compared, &kernels);
    globfree(&files);
    assert_true(compared >= 25 && kernels >= 20); /* as many as there were when this was written */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_models)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

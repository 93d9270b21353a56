/* Machine code gives the numbers of the tape and of the kernel, dense or sparse, for every model of equations
 * in models/ and every mechanism that is written as formulas: all terms at points off the motion,
 * factorizations and solves, also of dependent constraints, and a whole run. */
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
#include <sys/stat.h>
#include <unistd.h>

#include "equations/model.h"
#include "keel/mechanism.h"
#include "keel/modelfile.h"
#include "keel/native.h"
#include "keel/run.h"
#include "linalg/saddle_internal.h"
#include "long_run.h"
#include "system/stage_run.h"

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

/* The formulas of a model, of equations or of a mechanism; NULL if it has none. */
static ki_model *formulas_of(const keel_system *system) {
    const keel_system *formulas = keel_mechanism_formulas(system);
    return keel_equations_inside(formulas ? formulas : system);
}

static void set_code(const keel_system *system, const ki_native_code *code) {
    atomic_store(&formulas_of(system)->native, code);
}

static void compare_terms(const keel_system *system, const ki_native_code *code, const keel_point *at) {
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

/* Zeros may differ in sign. */
static void assert_equal(const double *a, const double *b, int count) {
    for (int i = 0; i < count; i++)
        assert_true(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])));
}

/* All that is asked of a factorization. */
typedef struct answers {
    keel_status status, asked;
    bool known;
    double *x, *y;           /* a solve; this is where the code has a word         */
    double *x_info, *y_info; /* a solve with a report: the general one, same factors */
    double *x_once, *y_once; /* a solve without refinement                          */
    double *pivot, *size;
} answers;

static answers answers_new(int n, int m) {
    answers a = {.status = KEEL_OK};
    double **const of_n[] = {&a.x, &a.x_info, &a.x_once};
    double **const of_m[] = {&a.y, &a.y_info, &a.y_once, &a.pivot, &a.size};
    for (int i = 0; i < 3; i++)
        *of_n[i] = zeroed((size_t)n);
    for (int i = 0; i < 5; i++)
        *of_m[i] = zeroed((size_t)m);
    return a;
}

static void answers_clear(answers *a) {
    double *all[] = {a->x, a->x_info, a->x_once, a->y, a->y_info, a->y_once, a->pivot, a->size};
    for (int i = 0; i < 8; i++)
        free(all[i]);
}

static void ask(keel_saddle *K, const double *M, const double *J, const double *D, const keel_point *at,
                answers *a) {
    keel_saddle_info info;
    a->status = keel_saddle_factor(K, M, J, D);
    if (a->status)
        return;
    a->known = ki_saddle_pivots(K, a->pivot, a->size);
    ki_saddle_solve_once(K, at->v, at->lambda, a->x_once, a->y_once);
    a->status = keel_saddle_solve(K, at->v, at->lambda, a->x, a->y, NULL);
    a->asked = keel_saddle_solve(K, at->v, at->lambda, a->x_info, a->y_info, &info);
}

/* Factorizations of the sparse path that the code did, and that it gave back. */
static int done, given_back;

/* The same matrices with the code and without; forces and targets are the point's own numbers. */
static void compare_solves(const keel_system *system, const keel_saddle_code *code, const double *M,
                           const double *J, const double *D, const keel_point *at) {
    int n = system->n_v, m = keel_system_m(system);
    answers a[2];
    for (int i = 0; i < 2; i++) {
        keel_saddle *K = keel_saddle_new(system->M, system->J, NULL);
        assert_non_null(K);
        ki_saddle_use(K, i ? code : NULL);
        assert_true(!i || K->code == code);
        a[i] = answers_new(n, m);
        ask(K, M, J, D, at, &a[i]);
        done += i && K->sparse && !K->code_pause;
        given_back += i && K->sparse && K->code_pause;
        keel_saddle_free(K);
    }
    assert_int_equal(a[0].status, a[1].status);
    assert_int_equal(a[0].asked, a[1].asked);
    assert_int_equal(a[0].known, a[1].known);
    double *const of_n[2][3] = {{a[0].x, a[0].x_info, a[0].x_once}, {a[1].x, a[1].x_info, a[1].x_once}};
    double *const of_m[2][5] = {{a[0].y, a[0].y_info, a[0].y_once, a[0].pivot, a[0].size},
                                {a[1].y, a[1].y_info, a[1].y_once, a[1].pivot, a[1].size}};
    for (int i = 0; i < 3; i++)
        assert_equal(of_n[0][i], of_n[1][i], n);
    for (int i = 0; i < 5; i++)
        assert_equal(of_m[0][i], of_m[1][i], m);
    for (int i = 0; i < 2; i++)
        answers_clear(&a[i]);
}

/* A x and |J| x, in the order of the loops over the patterns. */
static void compare_products(const keel_system *system, const keel_saddle_code *code, const double *M,
                             const double *J, const double *x) {
    keel_pattern A = system->M, P = system->J;
    double *out = zeroed((size_t)A.rows), *expected = zeroed((size_t)A.rows);
    double *sums = zeroed((size_t)P.rows), *expected_sums = zeroed((size_t)P.rows);
    keel_saddle *K = keel_saddle_new(A, P, NULL);
    assert_non_null(K);
    assert_false(ki_saddle_times(K, M, x, out) || ki_saddle_row_sums(K, J, x, sums));
    ki_saddle_use(K, code);
    assert_true(ki_saddle_times(K, M, x, out) && ki_saddle_row_sums(K, J, x, sums));
    for (int i = 0; i < A.rows; i++)
        for (int k = A.start[i]; k < A.start[i + 1]; k++) {
            expected[i] += M[k] * x[A.index[k]];
            if (A.index[k] < i)
                expected[A.index[k]] += M[k] * x[i];
        }
    for (int i = 0; i < P.rows; i++)
        for (int k = P.start[i]; k < P.start[i + 1]; k++)
            expected_sums[i] += fabs(J[k]) * x[P.index[k]];
    assert_equal(out, expected, A.rows);
    assert_equal(sums, expected_sums, P.rows);
    keel_saddle_free(K);
    double *all[] = {out, expected, sums, expected_sums};
    for (int i = 0; i < 4; i++)
        free(all[i]);
}

/* How often all stages were done in one go. */
static int in_one_go;

/* Stages that were given back because forces or right-hand sides were not finite. */
static int not_finite;

/* With a velocity that is no number: where that reaches Q or xi, stages() must say so. */
static void break_stage(const keel_system *system, void *work, const keel_saddle_code *code,
                        const keel_point *at) {
    int n = system->n_v, m = keel_system_m(system);
    double *y = zeroed((size_t)(2 * n + 1)), *v = y + n, *rate = zeroed((size_t)(2 * n + 1)), sum = 0;
    collected c = collected_new(system);
    keel_saddle *K = keel_saddle_new(system->M, system->J, NULL);
    assert_non_null(K);
    memcpy(y, at->q, (size_t)n * sizeof *y);
    memcpy(v, at->v, (size_t)n * sizeof *v);
    v[0] = NAN;
    keel_point broken = *at;
    broken.v = v;
    system->evaluate(system, work, KEEL_FORCE | KEEL_XI, &broken, &c.terms);
    for (int i = 0; i < n; i++)
        sum += 0 * c.terms.Q[i];
    for (int i = 0; i < m; i++)
        sum += 0 * c.terms.xi[i];
    ki_saddle_use(K, code);
    ki_stage_code stages = ki_saddle_begin_stages(K, code->what);
    assert_true(stages.stages == code->stages);
    if (sum != 0) {
        ki_combination none = {0};
        ki_stage_run run = {
            .t = at->t, .c = &(double){0}, .row = &none, .y = y, .Y = y, .k = &rate, .end = 1};
        assert_int_equal(stages.stages(stages.places, &run), 0);
        assert_int_equal(run.now, 0);
        not_finite++;
    }
    keel_saddle_free(K);
    free(c.values);
    free(y);
    free(rate);
}

/* Stages in one go against stages one by one at points that are combined before; the weights make rows of all
 * lengths. Where one is given back both stop there. */
static void compare_stages(const keel_system *system, const keel_saddle_code *code, const keel_point *at) {
    enum { STAGES = 8 };
    int n = system->n_v, width = 2 * n + 1 + 3; /* whole fours */
    double *all = zeroed((size_t)((2 * STAGES + 3) * width)), *y = all, *Y[2] = {y + width, y + 2 * width};
    double *k[2][STAGES], weight[STAGES], c[STAGES], h = 1e-3;
    ki_combination row[2][STAGES] = {{{0}}}, none = {0};
    keel_saddle *K = keel_saddle_new(system->M, system->J, NULL);
    assert_non_null(K);
    memcpy(y, at->q, (size_t)n * sizeof *y);
    memcpy(y + n, at->v, (size_t)n * sizeof *y);
    for (int s = 0; s < STAGES; s++) {
        c[s] = 0.1 * s;
        weight[s] = s % 3 == 1 ? 0 : 0.1 + 0.01 * s;
        for (int i = 0; i < 2; i++) {
            k[i][s] = all + (3 + 2 * s + i) * width;
            row[i][s] = ki_combination_of(s, weight, k[i]);
        }
    }
    ki_saddle_use(K, code);
    ki_stage_code stages = ki_saddle_begin_stages(K, code->what);
    ki_stage_run run = {
        .t = at->t, .h = h, .c = c, .row = row[0], .y = y, .Y = Y[0], .k = k[0], .end = STAGES};
    memcpy(Y[0], y, (size_t)(2 * n) * sizeof *y); /* the first row has no terms */
    int done_all = stages.stages(stages.places, &run), s = 0, ok = 1;
    for (; s < STAGES && ok; s += ok) {
        ki_combine(&row[1][s], 2 * n, h, y, Y[1]);
        ki_stage_run one = {
            .t = at->t + c[s] * h, .c = c, .row = &none, .y = Y[1], .Y = Y[1], .k = &k[1][s], .end = 1};
        ok = stages.stages(stages.places, &one);
    }
    assert_int_equal(done_all, ok);
    assert_int_equal(run.now, s);
    for (int i = 0; i < s; i++)
        assert_equal(k[0][i], k[1][i], 2 * n + 1);
    assert_equal(Y[0], Y[1], 2 * n);
    in_one_go += done_all;
    keel_saddle_free(K);
    free(all);
}

/* Makes two rows of J with the same pattern the same; false if there are none. */
static bool repeat_row(keel_pattern P, double *J) {
    for (int i = 1; i < P.rows; i++)
        for (int j = 0; j < i; j++) {
            int count = P.start[i + 1] - P.start[i];
            size_t size = (size_t)count * sizeof(int);
            if (count == 0 || count != P.start[j + 1] - P.start[j] ||
                memcmp(P.index + P.start[i], P.index + P.start[j], size))
                continue;
            memcpy(J + P.start[i], J + P.start[j], (size_t)count * sizeof(double));
            return true;
        }
    return false;
}

/* M and J at the point; then with D, with dependent rows, without mass somewhere. */
static void compare_kernel(const keel_system *system, const keel_saddle_code *code, const keel_point *at) {
    collected c = collected_new(system);
    int m = keel_system_m(system);
    double *D = zeroed((size_t)m);
    void *work = NULL;
    assert_int_equal(system->work_new(system, &work), KEEL_OK);
    system->evaluate(system, work, KEEL_MASS | KEEL_JACOBIAN, at, &c.terms);
    compare_solves(system, code, c.terms.M, c.terms.J, NULL, at);
    compare_products(system, code, c.terms.M, c.terms.J, at->v);
    if (code->stages) {
        break_stage(system, work, code, at);
        compare_stages(system, code, at);
    }
    for (int i = 0; i < m; i++)
        D[i] = 1e-3 * (1 + i % 3);
    compare_solves(system, code, c.terms.M, c.terms.J, D, at);
    if (repeat_row(system->J, c.terms.J)) {
        compare_solves(system, code, c.terms.M, c.terms.J, NULL, at);
        compare_solves(system, code, c.terms.M, c.terms.J, D, at);
    }
    for (int p = system->M.start[0]; p < system->M.start[1]; p++)
        c.terms.M[p] = 0;
    compare_solves(system, code, c.terms.M, c.terms.J, NULL, at);
    system->work_free(work);
    free(c.values);
    free(D);
}

static void compare_points(const keel_model *model, const ki_native_code *code) {
    const keel_system *s = long_run(model->system);
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
    const keel_system *s = long_run(model->system);
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

/* How many models were compared, and how many of them had code for their kernel, by its path. */
typedef struct tally {
    int compared, dense, sparse;
} tally;

static void compare_model(const char *path, const keel_assignment *set, int set_count, tally *counts) {
    keel_status status;
    keel_diagnostics *messages = keel_diagnostics_new();
    keel_model *model = keel_model_read(path, set, set_count, messages, &status);
    assert_non_null(model);
    const keel_system *system = long_run(model->system);
    if (model->is_mechanism && formulas_of(system))
        assert_true(keel_model_assemble(model, messages, NULL) >= 0);
    keel_native *native = keel_native_attach(model->system, NULL, messages);
    assert_non_null(native);
    if (formulas_of(system)) {
        if (keel_native_compile(native, 1) != KEEL_NATIVE_READY)
            fail_msg("%s: %s", path, keel_diagnostics_get(messages, 0).text);
        assert_string_equal(keel_equations_code(&formulas_of(system)->system), "native");
        const ki_native_code *code = atomic_load(&formulas_of(system)->native);
        const keel_saddle_code *kernel = code->saddle;
        print_message("%s%s\n", path,
                      !kernel                              ? ""
                      : kernel->path == KEEL_SADDLE_SPARSE ? ": sparse"
                                                           : ": dense");
        compare_points(model, code);
        compare_runs(model, code);
        counts->compared++;
        counts->dense += kernel && kernel->path == KEEL_SADDLE_DENSE;
        counts->sparse += kernel && kernel->path == KEEL_SADDLE_SPARSE;
    } else {
        assert_int_equal(keel_native_compile(native, 1), KEEL_NATIVE_FAILED);
        assert_null(keel_equations_code(system));
    }
    keel_native_detach(native);
    keel_model_free(model);
    keel_diagnostics_free(messages);
}

static void test_all_models(void **state) {
    (void)state;
    glob_t files;
    tally counts = {0};
    assert_int_equal(glob(KEEL_SOURCE_DIR "/models/*.yaml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        compare_model(files.gl_pathv[i], NULL, 0, &counts);
    globfree(&files);
    /* as many as there were when this was written */
    assert_true(counts.compared >= 25 && counts.dense >= 20 && counts.sparse >= 1);
    assert_true(not_finite >= 20 * POINTS);
    assert_true(in_one_go >= 10 * POINTS);
}

/* Sizes at which models take the sparse path. */
static void test_sparse(void **state) {
    (void)state;
    static const struct {
        const char *path;
        keel_assignment set;
    } MODELS[] = {{KEEL_SOURCE_DIR "/models/a02_four_bars.yaml", {"N", "10"}},
                  {KEEL_SOURCE_DIR "/models/a02_four_bars.yaml", {"N", "23"}},
                  {KEEL_SOURCE_DIR "/models/insulator_chain.yaml", {"N", "9"}},
                  {KEEL_SOURCE_DIR "/models/ring_bodies.yaml", {"N", "24"}}};
    enum { COUNT = sizeof MODELS / sizeof *MODELS };
    tally counts = {0};
    for (int i = 0; i < COUNT; i++)
        compare_model(MODELS[i].path, &MODELS[i].set, 1, &counts);
    assert_int_equal(counts.sparse, COUNT);
    assert_true(done >= 2 * POINTS * COUNT && given_back >= POINTS * COUNT);
}

/* A compiler that does not end is ended. */
static void test_patience(void **state) {
    (void)state;
    char folder[] = "/tmp/keel-native-XXXXXX", script[64];
    assert_non_null(mkdtemp(folder));
    snprintf(script, sizeof script, "%s/cc", folder);
    FILE *file = fopen(script, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\nexec sleep 1000\n", file);
    assert_int_equal(fclose(file) | chmod(script, 0700), 0);

    keel_diagnostics *messages = keel_diagnostics_new();
    keel_status status;
    keel_model *model = keel_model_read(KEEL_SOURCE_DIR "/models/pendulum.yaml", NULL, 0, messages, &status);
    assert_non_null(model);
    const keel_native_options options = {.compiler = script, .cache = folder, .patience = 0.1};
    keel_native *native = keel_native_attach(model->system, &options, messages);
    assert_int_equal(keel_native_compile(native, 1), KEEL_NATIVE_FAILED);
    assert_int_equal(keel_diagnostics_count(messages), 1);
    assert_non_null(strstr(keel_diagnostics_get(messages, 0).text, "it was still at work after 0.1 s"));
    keel_native_detach(native);
    keel_model_free(model);
    keel_diagnostics_free(messages);
    assert_int_equal(unlink(script) | rmdir(folder), 0); /* nothing else is left in there */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_patience), cmocka_unit_test(test_sparse),
                                       cmocka_unit_test(test_all_models)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Formulas of a mechanism against its recursions, for every mechanism in models/ that is written: all terms
 * at points off the motion, and the derivatives against differences. */
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
#include <unistd.h>

#include "keel/mechanism.h"
#include "keel/modelfile.h"
#include "long_run.h"
#include "mechanism/work.h"

enum { POINTS = 4 };

typedef struct terms {
    keel_terms at;
    double *values;
    int count;
} terms;

static double *zeroed(int count) {
    double *x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* M, J, Q, xi, Phi, rate in one array */
static terms terms_new(const keel_system *s) {
    int m = keel_system_m(s), M = keel_pattern_count(s->M), J = keel_pattern_count(s->J);
    terms t = {.count = M + J + s->n_v + m + s->n_h + m};
    double *next = t.values = zeroed(t.count);
    t.at.M = next, next += M;
    t.at.J = next, next += J;
    t.at.Q = next, next += s->n_v;
    t.at.xi = next, next += m;
    t.at.Phi = next, next += s->n_h;
    t.at.rate = next;
    return t;
}

static const unsigned ALL = KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI | KEEL_POSITION | KEEL_VELOCITY |
                            KEEL_ENERGY | KEEL_POWER;

/* A number in -1 .. 1 from a linear congruence (Knuth's MMIX constants): the same points every time. */
static double number(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed / 9223372036854775808.0;
}

static void evaluate(const keel_system *s, void *work, bool by_formulas, unsigned what, const keel_point *at,
                     keel_terms *to) {
    ki_mech_work *w = work;
    w->formulas = by_formulas ? keel_mechanism_formulas(s) : NULL;
    assert_int_equal(s->evaluate(s, work, what, at, to), KEEL_OK);
    w->formulas = keel_mechanism_formulas(s);
}

static double largest(const double *x, int count) {
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* Sums of terms that cancel lose digits: what counts is the largest number of its kind, and at least
 * `least`. */
static void assert_near(const char *path, const char *what, const double *a, const double *b, int count,
                        double least, double tolerance) {
    double size = fmax(largest(a, count), least);
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance * size))
            fail_msg("%s: %s number %d of %d is %.17g by formulas, %.17g by recursion", path, what, i, count,
                     b[i], a[i]);
}

static void compare_terms(const char *path, const keel_system *s, void *work, const keel_point *at) {
    terms recursion = terms_new(s), formulas = terms_new(s);
    const keel_terms *a = &recursion.at, *b = &formulas.at;
    int m = keel_system_m(s);
    evaluate(s, work, false, ALL, at, &recursion.at);
    evaluate(s, work, true, ALL, at, &formulas.at);
    assert_near(path, "M", a->M, b->M, keel_pattern_count(s->M), 1e-3, 1e-13);
    assert_near(path, "J", a->J, b->J, keel_pattern_count(s->J), 1e-3, 1e-13);
    assert_near(path, "Q", a->Q, b->Q, s->n_v, 1e-3, 1e-12);
    assert_near(path, "xi", a->xi, b->xi, m, 1e-3, 1e-12);
    assert_near(path, "Phi", a->Phi, b->Phi, s->n_h, 1, 1e-13);
    assert_near(path, "rate", a->rate, b->rate, m, 1, 1e-13);
    assert_near(path, "energy", &a->energy, &b->energy, 1, 1e-3, 1e-12);
    assert_near(path, "power", &a->power, &b->power, 1, 1e-3, 1e-12);
    free(recursion.values);
    free(formulas.values);
}

/* R = (M a + J^T lambda - Q, J a - xi) by recursion, then rate */
static void residual(const keel_system *s, void *work, const keel_point *at, double *R) {
    terms t = terms_new(s);
    int n = s->n_v, m = keel_system_m(s);
    evaluate(s, work, false, ALL, at, &t.at);
    for (int i = 0; i < n; i++)
        R[i] = -t.at.Q[i];
    for (int c = 0; c < m; c++) {
        R[n + c] = -t.at.xi[c];
        R[n + m + c] = t.at.rate[c];
    }
    for (int i = 0; i < n; i++)
        for (int k = s->M.start[i]; k < s->M.start[i + 1]; k++) {
            int j = s->M.index[k];
            R[i] += t.at.M[k] * at->a[j];
            if (j != i)
                R[j] += t.at.M[k] * at->a[i];
        }
    for (int c = 0; c < m; c++)
        for (int k = s->J.start[c]; k < s->J.start[c + 1]; k++) {
            R[s->J.index[k]] += t.at.J[k] * at->lambda[c];
            R[n + c] += t.at.J[k] * at->a[s->J.index[k]];
        }
    free(t.values);
}

/* Column j of the derivatives by central differences: q first, then v. Returns the size of what they are
 * differences of. */
static double difference(const keel_system *s, void *work, const keel_point *at, int j, double *column) {
    const double h = 1e-5;
    int n = s->n_v, rows = n + 2 * keel_system_m(s);
    double *R[2] = {zeroed(rows), zeroed(rows)}, *y = zeroed(2 * n);
    for (int side = 0; side < 2; side++) {
        memcpy(y, at->q, (size_t)n * sizeof *y);
        memcpy(y + n, at->v, (size_t)n * sizeof *y);
        y[j] += side ? h : -h;
        keel_point moved = *at;
        moved.q = y, moved.v = y + n;
        residual(s, work, &moved, R[side]);
    }
    for (int i = 0; i < rows; i++)
        column[i] = (R[1][i] - R[0][i]) / (2 * h);
    double size = largest(R[1], rows);
    free(R[0]);
    free(R[1]);
    free(y);
    return size;
}

static double entry(keel_pattern P, const double *values, int row, int column) {
    for (int k = P.start[row]; k < P.start[row + 1]; k++)
        if (P.index[k] == column)
            return values[k];
    return 0;
}

/* Differences are exact to h^2 and to round-off divided by h. */
static void compare_tangent(const char *path, const keel_system *s, void *work, const keel_point *at) {
    int n = s->n_v, m = keel_system_m(s), rows = n + 2 * m;
    double *tangent = zeroed(keel_pattern_count(s->tangent)), *rate_q = zeroed(keel_pattern_count(s->rate_q));
    double *column = zeroed(rows), *exact = zeroed(rows);
    keel_terms to = {.tangent = tangent, .rate_q = rate_q};
    evaluate(s, work, true, KEEL_TANGENT | KEEL_VELOCITY_Q, at, &to);
    for (int j = 0; j < 2 * n; j++) {
        double size = difference(s, work, at, j, column);
        for (int i = 0; i < n + m; i++)
            exact[i] = entry(s->tangent, tangent, i, j);
        for (int c = 0; c < m && j < n; c++)
            exact[n + m + c] = entry(s->rate_q, rate_q, c, j);
        assert_near(path, "derivative", column, exact, j < n ? rows : n + m, fmax(size, 1), 2e-8);
    }
    free(tangent);
    free(rate_q);
    free(column);
    free(exact);
}

static void compare_points(const char *path, const keel_model *model, bool tangent) {
    const keel_system *s = long_run(model->system);
    int n = s->n_v, m = keel_system_m(s);
    uint64_t seed = 1;
    void *work = NULL;
    assert_int_equal(s->work_new(s, &work), KEEL_OK);
    for (int k = 0; k < POINTS; k++) {
        double *y = zeroed(3 * n + m), *q = y, *v = y + n, *a = y + 2 * n, *lambda = y + 3 * n;
        for (int i = 0; i < n; i++) {
            q[i] = model->start->q[i] + (k ? 0.3 : 0) * number(&seed);
            v[i] = model->start->v[i] + (k ? 0.3 : 0) * number(&seed);
            a[i] = number(&seed);
        }
        for (int c = 0; c < m; c++)
            lambda[c] = number(&seed);
        keel_point at = {.t = 0.1 * k, .q = q, .v = v, .a = a, .lambda = lambda};
        compare_terms(path, s, work, &at);
        if (tangent)
            compare_tangent(path, s, work, &at);
        free(y);
    }
    s->work_free(work);
}

static void test_models(void **state) {
    (void)state;
    glob_t files;
    int written = 0, tangents = 0;
    assert_int_equal(glob(KEEL_SOURCE_DIR "/models/*.yaml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        keel_status status;
        keel_model *model = keel_model_read(files.gl_pathv[i], NULL, 0, NULL, &status);
        assert_non_null(model);
        const keel_system *formulas = keel_mechanism_formulas(long_run(model->system));
        if (formulas) {
            print_message("%s\n", files.gl_pathv[i]);
            bool tangent = formulas->tangent.rows > 0;
            compare_points(files.gl_pathv[i], model, tangent);
            written++;
            tangents += tangent;
        }
        keel_model_free(model);
    }
    globfree(&files);
    assert_true(written >= 10 && tangents >= 8); /* as many as there were when this was written */
}

/* Every joint that is written, in the tree and closing a loop (which may lock the bodies: only terms are
 * compared), and every force. `tree`: how many of its joints hang in the tree. */
static const struct {
    const char *text;
    int tree;
} SMALL[] = {
#define SPACE                                                                                                \
    "keel: 1\ngravity: [0.3, -0.2, -9.81]\ncoordinates: relative\nbodies:\n"                                 \
    "  a: {mass: 1.3, centre: [0.5, 0.1, -0.2], inertia: [0.1, 0.2, 0.25, 0.01, -0.02, 0.03]}\n"             \
    "  b: {mass: 0.7, centre: [1.2, 0.4, 0.3], inertia: [0.3, 0.1, 0.2]}\njoints:\n"                         \
    "  first: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0.2, 1, 0.1]}\n"
#define JOINT(type)                                                                                          \
    {SPACE "  second: {type: " type ", bodies: [a, b], at: [0.9, 0.2, 0.1], axis: [0.3, -0.5, 1]}\n", 2}, {  \
        SPACE "  second: {type: revolute, bodies: [b, a], at: [0.9, 0.2, 0.1], axis: [1, 0.5, 0.4]}\n"       \
              "  third: {type: " type ", bodies: [ground, b], at: [1.3, 0.2, 0.2], axis: [0.3, 1, 0]}\n",    \
            2                                                                                                \
    }
    JOINT("prismatic"),
    JOINT("cylindrical"),
    JOINT("planar"),
    JOINT("universal"),
    JOINT("fixed"),
    JOINT("revolute"),
    {SPACE "  second: {type: universal, bodies: [a, b], at: [0.9, 0.2, 0.1], axis: x}\n"
           "  third: {type: spherical, bodies: [ground, b], at: [1.3, 0.2, 0.2]}\n"
           "  rod: {type: distance, bodies: [a, b], at: [[0.3, 0, 0], [1.2, 0, 0.9]]}\n"
           "  slot: {type: point-on-line, bodies: [a, b], at: [1.2, 0.1, 0.3], axis: [1, 0.2, 0.1]}\n",
     2},
    {SPACE
     "  second: {type: cylindrical, bodies: [a, b], at: [0.9, 0.2, 0.1], axis: x, friction: {viscous: 0.4}}\n"
     "forces:\n"
     "  s: {type: spring, bodies: [a, b], at: [[1, 1, 0], [1.4, 0, 1]], stiffness: 40, "
     "damping: 2, free: 0.6}\n"
     "  law: {type: spring, bodies: [ground, b], at: [[0, 1, 0], [1.4, 0, 1]], "
     "law: 3*length^2 + rate*cos(t)}\n"
     "  twist: {type: torsion, joint: first, stiffness: 5, damping: 0.1}\n"
     "  push: {type: force, body: b, at: [1.4, 0, 1], vector: [sin(t), b.x, 2], axes: body}\n"
     "  turn: {type: torque, body: b, vector: [0.1, second.angle', t]}\n"
     "motions: {drive: {of: second.displacement, value: 0.1*sin(2*t)}}\n",
     2},
#define PLANE                                                                                                \
    "keel: 1\nplanar: true\ngravity: 9.81\nbodies:\n"                                                        \
    "  a: {mass: 1.3, centre: [0.5, 0.1], inertia: 0.2}\n  b: {mass: 0.7, centre: [1.2, 0.4], inertia: "     \
    "0.1}\n"
    {PLANE "coordinates: relative\njoints:\n"
           "  slide: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0.3]}\n"
           "  weld: {type: fixed, bodies: [b, a], at: [0.9, 0.2]}\n",
     2},
    {PLANE
     "coordinates: absolute\njoints:\n"
     "  slide: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0.3], friction: {viscous: 0.2}}\n"
     "  weld: {type: fixed, bodies: [b, a], at: [0.9, 0.2]}\n"
     "  rod: {type: distance, bodies: [ground, b], at: [[0, 2], [1.3, 0.2]]}\n"
     "motions: {height: {of: b.y, speed: 0.2}, tilt: {of: b.angle, speed: 0.1}}\n",
     0},
};

static void test_small(void **state) {
    char path[] = "/tmp/keel_written_XXXXXX";
    (void)state;
    int file = mkstemp(path);
    assert_true(file >= 0);
    for (size_t i = 0; i < sizeof SMALL / sizeof *SMALL; i++) {
        keel_status status;
        keel_diagnostics *messages = keel_diagnostics_new();
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(SMALL[i].text, out);
        fclose(out);
        keel_model *model = keel_model_read(path, NULL, 0, messages, &status);
        if (!model)
            fail_msg("%s\n%s", keel_diagnostics_get(messages, 0).text, SMALL[i].text);
        keel_mechanism_facts facts;
        assert_true(keel_mechanism_look(model->system, &facts));
        assert_int_equal(facts.tree_joints, SMALL[i].tree);
        if (!keel_mechanism_formulas(long_run(model->system)))
            fail_msg("not written:\n%s", SMALL[i].text);
        compare_points(SMALL[i].text, model, true);
        keel_model_free(model);
        keel_diagnostics_free(messages);
    }
    close(file);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_models), cmocka_unit_test(test_small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

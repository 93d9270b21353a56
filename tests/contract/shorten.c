/* Shortened formulas are the formulas that were given: compared in numbers of 33 digits, for random formulas
 * and those of all models, with constants and inputs of sizes 1e-12 to 1e12. What may differ is 1e-13 of the
 * sum of the absolute values of the terms that were given: more than any order of operations rounds, less
 * than any term that is left out, wherever it counts. */
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "equations/prepare.h"
#include "expr/graph.h"
#include "keel/mechanism.h"
#include "keel/modelfile.h"
#include "long_run.h"

/* libquadmath, of every gcc; its header is found by gcc only. */
__extension__ typedef __float128 quad;
quad sinq(quad), cosq(quad), tanq(quad), asinq(quad), acosq(quad), atanq(quad), sinhq(quad), coshq(quad),
    tanhq(quad), sqrtq(quad), expq(quad), logq(quad), fabsq(quad), powq(quad, quad), atan2q(quad, quad),
    hypotq(quad, quad), floorq(quad);

static const double ALLOWED = 1e-13;

/* A value, and the sum of the absolute values of its terms. */
typedef struct measured {
    quad value, size;
} measured;

static quad unary(ki_op op, quad a) {
    switch (op) {
    case KI_SIN:
        return sinq(a);
    case KI_COS:
        return cosq(a);
    case KI_TAN:
        return tanq(a);
    case KI_ASIN:
        return asinq(a);
    case KI_ACOS:
        return acosq(a);
    case KI_ATAN:
        return atanq(a);
    case KI_SINH:
        return sinhq(a);
    case KI_COSH:
        return coshq(a);
    case KI_TANH:
        return tanhq(a);
    case KI_SQRT:
        return sqrtq(a);
    case KI_EXP:
        return expq(a);
    case KI_LOG:
        return logq(a);
    case KI_ABS:
        return fabsq(a);
    case KI_SIGN:
        return a > 0 ? 1 : a < 0 ? -1 : a;
    default: /* KI_NOT */
        return a == 0;
    }
}

static quad other(ki_op op, quad a, quad b, quad c) {
    switch (op) {
    case KI_ATAN2:
        return atan2q(a, b);
    case KI_MIN:
        return a < b ? a : b;
    case KI_MAX:
        return a > b ? a : b;
    case KI_HYPOT:
        return hypotq(a, b);
    case KI_LT:
        return a < b;
    case KI_LE:
        return a <= b;
    case KI_EQ:
        return a == b;
    case KI_AND:
        return a != 0 && b != 0;
    case KI_OR:
        return a != 0 || b != 0;
    default: /* KI_IF */
        return a != 0 ? b : c;
    }
}

/* Sums and products have terms, everything else is one: that of its value. */
static measured measure(ki_op op, measured a, measured b, measured c) {
    quad value;
    switch (op) {
    case KI_NEG:
        return (measured){-a.value, a.size};
    case KI_ADD:
        return (measured){a.value + b.value, a.size + b.size};
    case KI_SUB:
        return (measured){a.value - b.value, a.size + b.size};
    case KI_MUL:
        return (measured){a.value * b.value, a.size * b.size};
    case KI_DIV:
        return (measured){a.value / b.value, a.size / fabsq(b.value) * (b.size / fabsq(b.value))};
    case KI_POW:
        value = powq(a.value, b.value);
        return (measured){value,
                          floorq(b.value) == b.value && b.value > 0 ? powq(a.size, b.value) : fabsq(value)};
    default:
        value = op <= KI_NOT ? unary(op, a.value) : other(op, a.value, b.value, c.value);
        return (measured){value, fabsq(value)};
    }
}

static measured *measure_all(ki_graph *g, const ki_node *nodes, int count, const double *inputs) {
    ki_cone cone;
    measured *result = calloc((size_t)count, sizeof *result), none = {0, 0};
    assert_true(ki_cone_make(g, nodes, count, &cone));
    measured *at = calloc((size_t)cone.count + 1, sizeof *at);
    for (int i = 0; i < cone.count; i++) {
        const ki_expression *n = &g->nodes[cone.node[i]];
        const int *arg = cone.arg[i];
        double number = n->op == KI_SYMBOL ? inputs[n->arg[0]] : 0;
        if (n->op == KI_SYMBOL || ki_is_number(g, cone.node[i], &number))
            at[i] = (measured){number, fabs(number)};
        else
            at[i] = measure(n->op, at[arg[0]], arg[1] == KI_NONE ? none : at[arg[1]],
                            arg[2] == KI_NONE ? none : at[arg[2]]);
        for (int k = 0; k < count; k++)
            if (nodes[k] == cone.node[i])
                result[k] = at[i];
    }
    free(at);
    ki_cone_free(&cone);
    return result;
}

/* ---- chance */

static uint64_t seed;

static double chance(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

static int pick(int count) {
    return (int)(chance() * count);
}

/* Either sign, of order 1 or of any order up to 1e12 and down to 1e-12. */
static double any_size(void) {
    double x = (0.5 + chance()) * (chance() < 0.5 ? -1 : 1);
    return chance() < 0.3 ? x : x * pow(10, pick(25) - 12);
}

/* ---- comparing */

enum { POINTS = 4 };

static int compared;

static bool is_finite(quad x) {
    return x - x == 0;
}

static void compare(ki_graph *g, const ki_node *given, const ki_node *made, int count, int inputs,
                    const char *what) {
    double *in = calloc((size_t)inputs, sizeof *in);
    for (int point = 0; point < POINTS; point++) {
        for (int i = 0; i < inputs; i++)
            in[i] = any_size();
        measured *a = measure_all(g, given, count, in), *b = measure_all(g, made, count, in);
        for (int k = 0; k < count; k++) {
            quad off = fabsq(a[k].value - b[k].value);
            if (!is_finite(a[k].value) || !is_finite(a[k].size))
                continue;
            compared++;
            if (!(off <= ALLOWED * a[k].size))
                fail_msg("%s: %.17g instead of %.17g, of terms of %g", what, (double)b[k].value,
                         (double)a[k].value, (double)a[k].size);
        }
        free(a);
        free(b);
    }
    free(in);
}

static void shorten_and_compare(ki_graph *g, const ki_node *given, int count, int first, int symbols,
                                int inputs, const char *what) {
    ki_node *made = calloc((size_t)count, sizeof *made);
    memcpy(made, given, (size_t)count * sizeof *made);
    ki_shortener *shortener = ki_shortener_new(g, made, count, first, symbols);
    assert_non_null(shortener);
    assert_true(ki_shorten(shortener, made, count));
    ki_shortener_free(shortener);
    compare(g, given, made, count, inputs, what);
    free(made);
}

/* ---- random formulas */

enum { SYMBOLS = 5, ROUNDS = 400, FORMULAS = 4 };

static ki_node random_node(ki_graph *g, const ki_node *pool, int count) {
    static const ki_op BINARY[] = {KI_ADD, KI_SUB, KI_MUL, KI_MUL, KI_ADD, KI_SUB, KI_DIV};
    static const ki_op UNARY[] = {KI_SIN, KI_COS, KI_NEG, KI_SQRT, KI_TANH, KI_ABS};
    ki_node a = pool[pick(count)], b = pool[pick(count)];
    double kind = chance();
    if (kind < 0.6)
        return ki_binary(g, BINARY[pick(7)], a, b);
    if (kind < 0.75)
        return ki_unary(g, UNARY[pick(6)], a);
    if (kind < 0.85)
        return ki_binary(g, KI_POW, a, ki_number(g, 2));
    if (kind < 0.95)
        return ki_binary(g, KI_MUL, ki_number(g, any_size()), a);
    return ki_binary(g, KI_ADD, ki_number(g, any_size()), a);
}

/* p (q + r), and p q + p r, next to which something much smaller or larger stands. */
static void add_neighbours(ki_graph *g, ki_node *pool, int count, ki_node formula[FORMULAS]) {
    ki_node p = pool[pick(count)], q = pool[pick(count)], r = pool[pick(count)], s = pool[pick(count)];
    ki_node small = ki_binary(g, KI_MUL, ki_number(g, any_size()), s);
    formula[0] = ki_binary(g, KI_MUL, p, ki_binary(g, KI_ADD, q, r));
    formula[1] = ki_binary(g, KI_ADD, ki_binary(g, KI_MUL, p, q), ki_binary(g, KI_MUL, p, r));
    formula[2] = ki_binary(g, KI_ADD, formula[0], small);
    formula[3] = ki_binary(g, KI_ADD, formula[1], ki_binary(g, KI_MUL, ki_number(g, any_size()), r));
}

static void test_random_formulas(void **state) {
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        enum { POOL = 24 };
        ki_graph *g = ki_graph_new();
        ki_node pool[POOL], formula[FORMULAS];
        char what[32];
        seed = 1000003u * (uint64_t)(round + 1);
        for (int i = 0; i < SYMBOLS; i++)
            pool[i] = ki_symbol(g, i);
        for (int i = SYMBOLS; i < POOL; i++)
            pool[i] = random_node(g, pool, i);
        add_neighbours(g, pool, POOL, formula);
        snprintf(what, sizeof what, "round %d", round);
        shorten_and_compare(g, formula, FORMULAS, 0, 2, SYMBOLS, what);
        ki_graph_free(g);
    }
    assert_true(compared > 2 * ROUNDS);
}

/* ---- models */

/* Whole numbers and simple fractions belong to the formulas; the others are lengths, masses, ... */
static bool is_data(double value) {
    return value * 64 != rint(value * 64);
}

/* The nodes again in graph g, the data in other units. */
static void scale_data(ki_graph *from, const ki_node *nodes, int count, ki_graph *g, ki_node *scaled) {
    ki_cone cone;
    assert_true(ki_cone_make(from, nodes, count, &cone));
    ki_node *made = calloc((size_t)cone.count + 1, sizeof *made);
    for (int i = 0; i < cone.count; i++) {
        const ki_expression *n = &from->nodes[cone.node[i]];
        double value;
        if (n->op == KI_SYMBOL)
            made[i] = ki_symbol(g, n->arg[0]);
        else if (ki_is_number(from, cone.node[i], &value))
            made[i] = ki_number(g, is_data(value) ? value * fabs(any_size()) : value);
        else
            made[i] = ki_node_rebuild(g, from, &cone, made, i);
        for (int k = 0; k < count; k++)
            if (nodes[k] == cone.node[i])
                scaled[k] = made[i];
    }
    free(made);
    ki_cone_free(&cone);
}

/* As it is, then with its data scaled. */
static void compare_formulas(const ki_formulas *f, unsigned what, const char *path) {
    enum { SCALES = 4, MOST = 4000 };
    static ki_node nodes[MOST], scaled[MOST];
    int count = 0;
    for (int s = 0; s < KI_SECTIONS; s++)
        for (int i = 0; (ki_section_bit[s] & what) && i < f->count[s] && count < MOST; i++)
            nodes[count++] = f->section[s][i];
    for (int k = 0; count && k < SCALES; k++) {
        ki_graph *g = ki_graph_new();
        seed = 77u + (uint64_t)k;
        if (k)
            scale_data(f->graph, nodes, count, g, scaled);
        shorten_and_compare(k ? g : f->graph, k ? scaled : nodes, count, f->q, f->n, f->inputs, path);
        ki_graph_free(g);
    }
}

static void compare_system(const keel_system *system, const char *path, int *systems) {
    const keel_system *formulas = keel_mechanism_formulas(system);
    const ki_model *model = keel_equations_inside(formulas ? formulas : system);
    if (!model || !model->preparation)
        return;
    const ki_formulas *f = ki_preparation_formulas(model->preparation);
    if (!f)
        return;
    compare_formulas(f, f->available & ~(unsigned)(KEEL_TANGENT | KEEL_ENERGY), path);
    compare_formulas(f, f->available & KEEL_TANGENT, path);
    ++*systems;
}

static void test_all_models(void **state) {
    (void)state;
    glob_t files;
    int systems = 0;
    assert_int_equal(glob(KEEL_SOURCE_DIR "/models/*.yaml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        keel_status status;
        keel_model *model = keel_model_read(files.gl_pathv[i], NULL, 0, NULL, &status);
        assert_non_null(model);
        const keel_system *system = long_run(model->system);
        compare_system(system, files.gl_pathv[i], &systems);
        keel_model_free(model);
    }
    globfree(&files);
    assert_true(systems >= 39); /* as many as there were when this was written */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_formulas),
        cmocka_unit_test(test_all_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

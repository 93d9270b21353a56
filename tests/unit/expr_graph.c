/* The graph: equal expressions are one node, identities, and costs that do not depend on the size of the
 * graph. */
#include "expr/graph.h"
#include "expr_helper.h"

/* Stands in front of the layer's own: counts what is asked for. */
static size_t bytes_asked, largest_ask;

void *ki_expr_resize(void *block, size_t count, size_t size) {
    size_t bytes = count * size;
    bytes_asked += bytes;
    largest_ask = bytes > largest_ask ? bytes : largest_ask;
    return realloc(block, bytes > 0 ? bytes : 1);
}

static const double POINT[INPUTS] = {[X] = 0.73, [Y] = -1.37, [Z] = 0.0451};

/* Both formulas are the same node. */
static const char *const SAME[][2] = {
    {"x + y", "y + x"},
    {"x*y", "y*x"},
    {"x + 0", "x"},
    {"0 + x", "x"},
    {"x - 0", "x"},
    {"0 - x", "-x"},
    {"x*1", "x"},
    {"x*0", "0"},
    {"x*-1", "-x"},
    {"x/1", "x"},
    {"x/-1", "-x"},
    {"-(-x)", "x"},
    {"x - x", "0"},
    {"x + x", "2*x"},
    {"x - (-y)", "x + y"},
    {"x + (-y)", "x - y"},
    {"-x + y", "y - x"},
    {"-x - y", "-(x + y)"},
    {"-(x - y)", "y - x"},
    {"2*(3*x)", "6*x"},
    {"(2*x)*(3*y)", "6*(x*y)"},
    {"x*2*y*3", "6*(x*y)"},
    {"2*x + 3*x", "5*x"},
    {"2*x - 2*x", "0"},
    {"x*y*3 - x*y*2", "x*y"},
    {"1 + (2 + x)", "3 + x"},
    {"(x - 2) + 3", "x + 1"},
    {"1 - (2 - x)", "x - 1"},
    {"1 - (x + 2)", "-1 - x"},
    {"x/2", "0.5*x"},
    {"(4*x)/3", "4/3*x"},
    {"x/3/5", "x/15"},
    {"2/(4*x)", "0.5/x"},
    {"(6*x)/(3*y)", "2*(x/y)"},
    {"(-x)*(-y)", "x*y"},
    {"(-x)/y", "-(x/y)"},
    {"x*x", "x^2"},
    {"x*x*x", "x^3"},
    {"x^2*x^3", "x^5"},
    {"x*(x*y)", "x^2*y"},
    {"(x^2)^3", "x^6"},
    {"(2*x)^3", "8*x^3"},
    {"(-x)^2", "x^2"},
    {"(-x)^3", "-x^3"},
    {"(x - y)^2", "(y - x)^2"},
    {"(x - 1)^2", "(1 - x)^2"},
    {"x^0", "1"},
    {"x^1", "x"},
    {"x^0.5", "sqrt(x)"},
    {"x^-2", "1/x^2"},
    {"x*(1/y)", "x/y"},
    {"1^x", "1"},
    {"hypot(x, y)^2", "x^2 + y^2"},
    {"hypot(-x, y)", "hypot(y, x)"},
    {"hypot(x, 0)", "abs(x)"},
    {"abs(-x)", "abs(x)"},
    {"abs(abs(x))", "abs(x)"},
    {"abs(3*x)", "3*abs(x)"},
    {"abs(x)^2", "x^2"},
    {"sign(-2*x)", "-sign(x)"},
    {"sin(-x)", "-sin(x)"},
    {"cos(-x)", "cos(x)"},
    {"cos(x - y)", "cos(y - x)"},
    {"sin(x - y)", "-sin(y - x)"},
    {"tanh(-x)", "-tanh(x)"},
    {"x < x", "0"},
    {"x <= x", "1"},
    {"x == y", "y == x"},
    {"x > y", "y < x"},
    {"min(x, x)", "x"},
    {"not not (x < y)", "x < y"},
    {"x < y and 1", "x < y"},
    {"x and 0", "0"},
    {"x or 1", "1"},
    {"x < y and not (x < y)", "0"},
    {"x < y or not (x < y)", "1"},
    {"if(1, x, y)", "x"},
    {"if(x < y, z, z)", "z"},
    {"if(not (x < y), x, y)", "if(x < y, y, x)"},
    {"if(x < y, if(x < y, 1, 2), 3)", "if(x < y, 1, 3)"},
    {"2*3 + 4", "10"},
    {"sin(1)^2 + cos(0)", "sin(1)^2 + 1"},
};

static void identities(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(SAME); i++) {
        world w = world_new();
        ki_node a = parse(&w, SAME[i][0]), b = parse(&w, SAME[i][1]);
        if (a != b)
            print_error("%s is not %s\n", SAME[i][0], SAME[i][1]);
        assert_int_equal(a, b);
        world_free(&w);
    }
}

/* Not valid for all finite arguments: must stay. */
static void what_must_not_be_simplified(void **state) {
    (void)state;
    static const char *const DIFFERENT[][2] = {
        {"x/x", "1"},
        {"0/x", "0"},
        {"x^3/x", "x^2"},
        {"sqrt(x)^2", "x"},
        {"sqrt(x^2)", "x"},
        {"x - y", "y - x"},
        {"atan2(x, y)", "atan2(y, x)"},
        {"x^y", "y^x"},
        {"min(x, y)", "max(x, y)"},
        {"1e200*(1e200*x)", "x"},
        {"exp(log(x))", "x"},
    };
    for (int i = 0; i < COUNT(DIFFERENT); i++) {
        world w = world_new();
        assert_int_not_equal(parse(&w, DIFFERENT[i][0]), parse(&w, DIFFERENT[i][1]));
        world_free(&w);
    }
    /* neither overflow nor underflow from putting numbers together */
    world w = world_new();
    double at[INPUTS] = {[X] = 1e-300};
    assert_close(ki_evaluate(w.graph, parse(&w, "1e200*(1e200*x)"), at), 1e100, 1e-14 * 1e100, "overflow");
    at[X] = 1e300;
    assert_close(ki_evaluate(w.graph, parse(&w, "1e-200*(1e-200*x)"), at) / 1e-100, 1, 1e-14, "underflow");
    world_free(&w);
}

static void numbers_that_are_not_finite_stay_visible(void **state) {
    (void)state;
    world w = world_new();
    ki_node zero = ki_number(w.graph, 0), one = ki_number(w.graph, 1), minus = ki_number(w.graph, -1);
    ki_node quotient = ki_binary(w.graph, KI_DIV, one, zero), root = ki_unary(w.graph, KI_SQRT, minus);
    assert_false(ki_is_number(w.graph, quotient, NULL));
    assert_false(ki_is_number(w.graph, root, NULL));
    assert_true(isinf(ki_evaluate(w.graph, quotient, NULL)));
    assert_true(isnan(ki_evaluate(w.graph, root, NULL)));
    assert_true(isnan(tape_value(&w, root, (double[INPUTS]){0})));
    assert_int_equal(ki_number(w.graph, -0.0), zero);
    assert_true(ki_is_zero(w.graph, zero));
    assert_int_equal(ki_unary(w.graph, KI_SIN, KI_NONE), KI_NONE);
    assert_int_equal(ki_binary(w.graph, KI_ADD, zero, KI_NONE), KI_NONE);
    assert_int_equal(ki_if(w.graph, one, zero, KI_NONE), KI_NONE);
    assert_false(ki_graph_failed(w.graph));
    world_free(&w);
}

static void shared_parts_exist_once(void **state) {
    (void)state;
    world w = world_new();
    parse(&w, "sin(x*y)*cos(x*y) + (x*y)^2");
    int count = w.graph->count;
    parse(&w, "(y*x)^2 + cos(x*y)*sin(y*x)");
    parse(&w, "sin(x*y)*cos(x*y)");
    assert_int_equal(w.graph->count, count);
    world_free(&w);
}

static ki_node chain(world *w, int terms, ki_op op) {
    ki_node sum = ki_symbol(w->graph, 0);
    for (int i = 1; i < terms; i++)
        sum = ki_binary(w->graph, op, sum, ki_unary(w->graph, KI_SIN, ki_symbol(w->graph, i)));
    return sum;
}

static void count_partial(void *user, int id, ki_node derivative) {
    (void)id;
    (void)derivative;
    ++*(int *)user;
}

static ki_node rate_is_next(void *user, int id) {
    return ki_symbol(user, id + 1);
}

/* Deep chains: no recursion, and a number of nodes that grows with the number of terms only. */
static void check_chain(ki_op op, int terms) {
    world w = world_new();
    double *inputs = calloc((size_t)terms + 1, sizeof *inputs);
    for (int i = 0; i < terms; i++)
        inputs[i] = 1.5;
    ki_node f = chain(&w, terms, op);
    int size = w.graph->count, partials = 0;
    assert_true(size <= 3 * terms);
    assert_true(ki_gradient(w.graph, f, count_partial, &partials));
    assert_int_equal(partials, terms);
    assert_true(w.graph->count <= 12 * size);
    size = w.graph->count;
    ki_node outputs[] = {f, ki_total(w.graph, f, rate_is_next, w.graph)};
    assert_int_not_equal(outputs[1], KI_NONE);
    assert_int_not_equal(ki_substitute(w.graph, f, rate_is_next, w.graph), KI_NONE);
    assert_true(w.graph->count <= size + 20 * terms);
    ki_tape *tape = ki_tape_new(w.graph, outputs, 2, terms + 1);
    assert_non_null(tape);
    assert_true(ki_tape_length(tape) <= 20 * terms);
    double *work = malloc(ki_tape_work_size(tape) * sizeof *work), values[2];
    ki_tape_prepare(tape, work);
    ki_tape_run(tape, inputs, work, values);
    assert_close(values[0], ki_evaluate(w.graph, f, inputs), 1e-9, "chain");
    free(work);
    free(inputs);
    ki_tape_free(tape);
    world_free(&w);
}

static void long_chains_are_linear(void **state) {
    (void)state;
    static const ki_op OPS[] = {KI_SUB, KI_MUL, KI_DIV, KI_MIN, KI_HYPOT, KI_POW};
    check_chain(KI_ADD, 100000);
    for (int k = 0; k < COUNT(OPS); k++)
        check_chain(OPS[k], 10000);
}

/* Small expressions in a large graph: the memory asked for is that of the expression. */
static void small_work_in_a_large_graph(void **state) {
    (void)state;
    world w = world_new();
    chain(&w, 300000, KI_ADD);
    ki_node f = parse(&w, "sin(u[1]*u[2])^2/u[3]");
    int partials = 0;
    ki_gradient(w.graph, f, count_partial, &partials); /* its nodes exist now */
    largest_ask = bytes_asked = 0;
    for (int i = 0; i < 100; i++) {
        ki_gradient(w.graph, f, count_partial, &partials);
        ki_total(w.graph, f, rate_is_next, w.graph);
        ki_evaluate(w.graph, f, (double[INPUTS]){[U + 1] = 1, [U + 2] = 1, [U + 3] = 1});
    }
    ki_tape *tape = ki_tape_new(w.graph, &f, 1, INPUTS);
    assert_non_null(tape);
    ki_tape_free(tape);
    assert_true(largest_ask < 50000);
    assert_true(bytes_asked < 100 * 50000);
    world_free(&w);
}

/* The size of derivatives stays a small multiple of the size of the formula. */
static void gradients_of_many_symbols_are_small(void **state) {
    (void)state;
    world w = world_new();
    ki_node product = ki_symbol(w.graph, 0);
    for (int i = 1; i < 1000; i++) /* each step uses the sum of all before it */
        product =
            ki_binary(w.graph, KI_ADD, ki_binary(w.graph, KI_MUL, product, ki_symbol(w.graph, i)), product);
    int size = w.graph->count, partials = 0;
    assert_true(ki_gradient(w.graph, product, count_partial, &partials));
    assert_int_equal(partials, 1000);
    assert_true(w.graph->count <= 5 * size);
    world_free(&w);
}

/* Numbers of a fixed sequence, 0 .. below - 1. */
static int draw(uint64_t *seed, int below) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (int)(*seed >> 33) % below;
}

/* A node with its value, computed beside the graph: no rule may change it by more than rounding. */
typedef struct shadow {
    ki_node node;
    double value;
} shadow;

static shadow random_operation(ki_graph *g, uint64_t *seed, const shadow *pool, int count) {
    static const ki_op UNARY[] = {KI_NEG, KI_SIN, KI_COS, KI_ATAN, KI_TANH, KI_ABS, KI_SINH, KI_COSH, KI_EXP},
                       BINARY[] = {KI_ADD, KI_ADD, KI_SUB, KI_SUB, KI_MUL,
                                   KI_MUL, KI_DIV, KI_MIN, KI_MAX, KI_HYPOT};
    static const double POWERS[] = {-2, -1, 0, 1, 2, 3, 4};
    shadow a = pool[draw(seed, count)], b = pool[draw(seed, count)];
    int kind = draw(seed, 10);
    if (kind < 2) {
        ki_op op = UNARY[draw(seed, COUNT(UNARY))];
        return (shadow){ki_unary(g, op, a.node), ki_op_value(op, a.value, 0, 0)};
    }
    if (kind == 2) {
        double n = POWERS[draw(seed, COUNT(POWERS))];
        return (shadow){ki_binary(g, KI_POW, a.node, ki_number(g, n)), pow(a.value, n)};
    }
    if (kind == 3) {
        ki_node c = ki_binary(g, KI_LT, ki_symbol(g, draw(seed, 3)), ki_number(g, 0.1));
        bool holds = ki_evaluate(g, c, POINT) != 0;
        return (shadow){ki_if(g, c, a.node, b.node), holds ? a.value : b.value};
    }
    ki_op op = BINARY[draw(seed, COUNT(BINARY))];
    return (shadow){ki_binary(g, op, a.node, b.node), ki_op_value(op, a.value, b.value, 0)};
}

static void rules_keep_values(void **state) {
    (void)state;
    enum { NODES = 40, GRAPHS = 3000, LEAVES = 9 };
    static const double NUMBERS[] = {-3, -1, 0.5, 2, 1. / 3, 7};
    uint64_t seed = 7;
    int compared = 0;
    for (int k = 0; k < GRAPHS; k++) {
        world w = world_new();
        shadow pool[NODES];
        for (int i = 0; i < NODES; i++) {
            if (i < 3)
                pool[i] = (shadow){ki_symbol(w.graph, i), POINT[i]};
            else if (i < LEAVES)
                pool[i] = (shadow){ki_number(w.graph, NUMBERS[i - 3]), NUMBERS[i - 3]};
            else
                pool[i] = random_operation(w.graph, &seed, pool, i);
            if (!(fabs(pool[i].value) < 1e3 && fabs(pool[i].value) > 1e-3)) {
                pool[i] = pool[0]; /* large values and cancellation would only show rounding */
                continue;
            }
            assert_close(ki_evaluate(w.graph, pool[i].node, POINT), pool[i].value, 1e-8, "random node");
            assert_close(tape_value(&w, pool[i].node, POINT), pool[i].value, 1e-8, "random node");
            compared++;
        }
        world_free(&w);
    }
    assert_true(compared > GRAPHS * NODES / 2);
}

/* The same formulas give the same nodes and tapes, run by run. */
static void everything_is_deterministic(void **state) {
    (void)state;
    static const char *const TEXT =
        "sum(i, 1, 9, sin(u[i]*x)*u[i]^2/(1 + y^2)) + if(x > y, x*z, hypot(x, y))";
    int counts[2];
    long lengths[2];
    ki_node nodes[2][INPUTS];
    for (int k = 0; k < 2; k++) {
        world w = world_new();
        gradient_of(&w, parse(&w, TEXT));
        memcpy(nodes[k], w.gradient, sizeof nodes[k]);
        counts[k] = w.graph->count;
        ki_tape *tape = ki_tape_new(w.graph, &w.gradient[X], 1, INPUTS);
        lengths[k] = ki_tape_length(tape);
        ki_tape_free(tape);
        world_free(&w);
    }
    assert_memory_equal(nodes[0], nodes[1], sizeof nodes[0]);
    assert_int_equal(counts[0], counts[1]);
    assert_int_equal(lengths[0], lengths[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identities),
        cmocka_unit_test(what_must_not_be_simplified),
        cmocka_unit_test(numbers_that_are_not_finite_stay_visible),
        cmocka_unit_test(shared_parts_exist_once),
        cmocka_unit_test(long_chains_are_linear),
        cmocka_unit_test(small_work_in_a_large_graph),
        cmocka_unit_test(gradients_of_many_symbols_are_small),
        cmocka_unit_test(rules_keep_values),
        cmocka_unit_test(everything_is_deterministic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Fewer operations for the same functions: what is equal is found, what only looks so is kept apart. */
#include "expr/graph.h"
#include "expr_helper.h"

enum { MOST = 8 };

/* Shortened together; x, y and z may drop out. */
static void shorten_nodes(world *w, ki_node *nodes, int count) {
    ki_shortener *shortener = ki_shortener_new(w->graph, nodes, count, X, 3);
    assert_non_null(shortener);
    assert_true(ki_shorten(shortener, nodes, count));
    ki_shortener_free(shortener);
}

static int shorten(world *w, const char *const *texts, ki_node nodes[MOST]) {
    int count = 0;
    for (; count < MOST && texts[count]; count++)
        nodes[count] = parse(w, texts[count]);
    shorten_nodes(w, nodes, count);
    return count;
}

static ki_node shorten_one(world *w, const char *text) {
    ki_node nodes[MOST];
    shorten(w, (const char *const[]){text, NULL}, nodes);
    return nodes[0];
}

static void constants_are_found(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } TABLE[] = {
        {"sin(x)^2 + cos(x)^2", 1},
        {"cos(x + y) - cos(x)*cos(y) + sin(x)*sin(y)", 0},
        {"sin(2*x) - 2*sin(x)*cos(x)", 0},
        {"(x + y)^3 - x^3 - y^3 - 3*x*y*(x + y)", 0},
        {"8e5*(sqrt(x)*sin(y)*cos(z) - sqrt(x)*cos(z)*sin(y)) + 5*sin(x)^2 + 5*cos(x)^2", 5},
    };
    for (int i = 0; i < COUNT(TABLE); i++) {
        world w = world_new();
        double value;
        if (!ki_is_number(w.graph, shorten_one(&w, TABLE[i].text), &value))
            fail_msg("%s is no number", TABLE[i].text);
        assert_close(value, TABLE[i].value, 0, TABLE[i].text);
        world_free(&w);
    }
}

/* Pairs that are the same function: one node. */
static void equal_functions_are_one_node(void **state) {
    (void)state;
    static const char *const TABLE[][2] = {
        {"(x*cos(z) - y*sin(z))^2 + (x*sin(z) + y*cos(z))^2", "x^2 + y^2"},
        {"cos(x)*cos(y) - sin(x)*sin(y)", "cos(x + y)"},
        {"(x + y)*(x - y)", "x^2 - y^2"},
        {"abs(x*sin(z)^2 + x*cos(z)^2)", "abs(x)"},
        {"if(x*(sin(z)^2 + cos(z)^2) > y, x, y)", "if(x > y, x, y)"},
        {"tanh(x*x + 2*x + 1)", "tanh((x + 1)^2)"},
        {"(x*cos(z)^2 + x*sin(z)^2)/sqrt(y)", "x/sqrt(y)"},
    };
    for (int i = 0; i < COUNT(TABLE); i++) {
        world w = world_new();
        ki_node nodes[MOST];
        shorten(&w, (const char *const[]){TABLE[i][0], TABLE[i][1], NULL}, nodes);
        if (nodes[0] != nodes[1])
            fail_msg("%s and %s are two", TABLE[i][0], TABLE[i][1]);
        world_free(&w);
    }
}

/* Pairs that are alike at many points, or nearly, and yet are not the same. */
static void what_only_looks_equal_stays(void **state) {
    (void)state;
    static const char *const TABLE[][2] = {
        {"x", "x + 1e-12*y"},
        {"x + 1e-20*y", "x"},
        {"1e-30*x", "0"},
        {"y + 1e-15*x^2", "y"},
        {"1e12*x + y", "1e12*x"},
        {"exp(x)*(1e200*y)*(1e200*z)", "0"},
        {"cos(1e-9*x)", "1"},
        {"sin(1e-9*x)", "1e-9*x"},
        {"abs(x)", "x"},
        {"sqrt(x^2)", "x"},
        {"sqrt((x + 1000)^2)", "x + 1000"},
        {"x/x", "1"},
        {"x*y/x", "y"},
        {"tanh(1000*x)", "tanh(500*x)"},
        {"tanh(1000*x)", "sign(x)"},
        {"max(x, -1e6)", "x"},
        {"if(x < 1e6, y, z)", "y"},
        {"asin(sin(x/1000))", "x/1000"},
        {"atan2(x*y, y)", "atan(x)"},
        {"exp(-1e9*x^2)", "0"},
        {"log(x^2)", "2*log(x)"},
        {"hypot(x, 1e-9)", "abs(x)"},
        {"(cos(30 deg)*cos(x) - sin(30 deg)*sin(x))^2 + (cos(30 deg)*sin(x) + sin(30 deg)*cos(x))^2", "1"},
        {"x*0.1 + x*y*0.2", "x*0.1 + x*y*0.20000000000000001 + 1e-17*z"},
        {"x^2", "x^2.0000000000000004"},
        {"2.0000000000000004*y + x^2 + z^2.0000000000000004", "2*y + x^2 + z^2"},
    };
    for (int i = 0; i < COUNT(TABLE); i++) {
        world w = world_new();
        ki_node nodes[MOST];
        shorten(&w, (const char *const[]){TABLE[i][0], TABLE[i][1], NULL}, nodes);
        if (nodes[0] == nodes[1])
            fail_msg("%s and %s are one", TABLE[i][0], TABLE[i][1]);
        world_free(&w);
    }
}

static void note_symbol(void *user, int id) {
    ((bool *)user)[id] = true;
}

/* Coordinates that formulas do not depend on are no input of them. */
static void a_symbol_drops_out(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool x, y;
    } TABLE[] = {
        {"(y*cos(x))^2 + (y*sin(x))^2", false, true},
        {"sqrt((t*cos(x) - cos(x + z))^2 + (t*sin(x) - sin(x + z))^2)", false, false},
        {"if(x' < 0, (cos(x + y)*cos(x + y + z) + sin(x + y)*sin(x + y + z)), t)", false, false},
        {"cos(x)*sin(x)", true, false},
        {"1e-18*x + y", true, true},
    };
    for (int i = 0; i < COUNT(TABLE); i++) {
        world w = world_new();
        bool found[INPUTS] = {false};
        ki_symbols_of(w.graph, shorten_one(&w, TABLE[i].text), note_symbol, found);
        if (found[X] != TABLE[i].x || found[Y] != TABLE[i].y)
            fail_msg("%s: x %d, y %d", TABLE[i].text, found[X], found[Y]);
        world_free(&w);
    }
}

static long length_of(world *w, const ki_node *nodes, int count) {
    ki_tape *tape = ki_tape_new(w->graph, nodes, count, INPUTS);
    assert_non_null(tape);
    long length = ki_tape_length(tape);
    ki_tape_free(tape);
    return length;
}

/* A product that is there already, a common factor, a square of a length that does not turn. */
static void fewer_operations(void **state) {
    (void)state;
    static const struct {
        const char *texts[MOST];
        long before, after; /* instructions */
    } TABLE[] = {
        {{"x*y", "z*t", "x*z*y*t"}, 4, 3},
        {{"(x*y + x*z)*t", "y + z"}, 3, 2},
        {{"(x*cos(z) - y*sin(z))^2 + (x*sin(z) + y*cos(z))^2"}, 4, 1},
    };
    for (int i = 0; i < COUNT(TABLE); i++) {
        world w = world_new();
        ki_node nodes[MOST];
        int count = 0;
        for (; TABLE[i].texts[count]; count++)
            nodes[count] = parse(&w, TABLE[i].texts[count]);
        assert_int_equal(length_of(&w, nodes, count), TABLE[i].before);
        shorten_nodes(&w, nodes, count);
        assert_int_equal(length_of(&w, nodes, count), TABLE[i].after);
        world_free(&w);
    }
}

/* 1 - cos^2 is sin^2, but not as good where the angle is small. */
static void the_accurate_way_is_taken(void **state) {
    (void)state;
    world w = world_new();
    ki_node nodes[MOST];
    double inputs[INPUTS] = {[X] = 1e-8, [Y] = 0.3};
    shorten(&w, (const char *const[]){"cos(x)", "1 - cos(x)^2", "sin(x)^2", "(1e6*y + x) - 1e6*y", NULL},
            nodes);
    assert_int_equal(nodes[1], nodes[2]);
    assert_close(1e16 * ki_evaluate(w.graph, nodes[1], inputs), 1, 1e-15, "sin(x)^2");
    assert_close(1e8 * ki_evaluate(w.graph, nodes[3], inputs), 1, 1e-15, "x");
    world_free(&w);
}

/* Formulas with every operation, and their derivatives, have the values they had. */
static void values_stay(void **state) {
    (void)state;
    static const char *const TEXTS[] = {
        "sum(i, 1, 9, sin(u[i]*x)*u[i]^2/(1 + y^2)) + if(x > y, x*z, hypot(x, y)^3)",
        "min(x, 30 deg) + atan2(sqrt(abs(x)), abs(y)) + 2^x + abs(x)^y - max(tan(x), tanh(z))",
        "exp(-x^2)*cosh(y)/sinh(z + 3) + asin(x/9) - acos(y/9) + atan(z) - log(2 + x^2) + sign(x)*t",
        "x' * cos(x + y)*(x' + y') - sin(x)*(x'*cos(x) + (x' + y')*cos(x + y))^2 + x^17 - y^5/z^3",
        "(y*cos(x))^2 + (y*sin(x))^2 + 1/x + log(x^2) - y/(x*z) + sqrt(x^2 + 1e-9)",
    };
    world w = world_new();
    uint64_t seed = 1;
    for (int i = 0; i < COUNT(TEXTS); i++) {
        ki_node f = parse(&w, TEXTS[i]), nodes[] = {f, partial(&w, f, X), partial(&w, f, Y), KI_NONE};
        nodes[3] = ki_binary(w.graph, KI_MUL, nodes[1], nodes[2]);
        ki_node old[COUNT(nodes)];
        memcpy(old, nodes, sizeof nodes);
        shorten_nodes(&w, nodes, COUNT(nodes));
        for (int point = 0; point < 20; point++) {
            double inputs[INPUTS];
            for (int k = 0; k < INPUTS; k++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                inputs[k] = 2 * (double)(int64_t)seed / 9223372036854775808.0;
            }
            for (int k = 0; k < COUNT(nodes); k++)
                assert_close(tape_value(&w, nodes[k], inputs), tape_value(&w, old[k], inputs), 1e-12,
                             TEXTS[i]);
        }
    }
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_found),
        cmocka_unit_test(equal_functions_are_one_node),
        cmocka_unit_test(what_only_looks_equal_stays),
        cmocka_unit_test(a_symbol_drops_out),
        cmocka_unit_test(fewer_operations),
        cmocka_unit_test(the_accurate_way_is_taken),
        cmocka_unit_test(values_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

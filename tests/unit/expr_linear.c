/* Formulas that are linear in a symbol, and those that only look so. */
#include "expr_helper.h"

static const double POINTS[][INPUTS] = {
    {[X] = 0.31, [Y] = 0.62, [Z] = 0.83, [T] = 0.2},
    {[X] = -1.7, [Y] = 2.4, [Z] = -0.45, [T] = 3.5},
    {[X] = 4.2, [Y] = -0.9, [Z] = 0.1, [T] = -1.1},
};

static void keep_symbol(void *user, int id) {
    *(unsigned *)user |= 1u << id;
}

static bool has_symbol(world *w, ki_node f, int id) {
    unsigned met = 0;
    ki_symbols_of(w->graph, f, keep_symbol, &met);
    return met >> id & 1;
}

static void linear_formulas(void **state) {
    static const struct {
        const char *f;
        double slope;
    } LINEAR[] = {{"x", 1},
                  {"y", 0},
                  {"y*z - 3*x/2 + t", -1.5},
                  {"2*(x + sin(y)) - x", 1},
                  {"x + sign(y)", 1},
                  {"x*two - min(y, z)", 2},
                  {"if(y > z, y, z) - x", -1}};
    static const char *const OTHERS[] = {"x*y",
                                         "x^2",
                                         "sin(x)",
                                         "abs(x)",
                                         "x + sign(x)",
                                         "x + (x > 1)",
                                         "if(x > 0, x + 1, x + 2)",
                                         "min(x, x + y)",
                                         "max(x + z, x)",
                                         "x - (not x)"};
    world w = world_new();
    double slope;
    ki_node rest;
    (void)state;
    for (int i = 0; i < COUNT(LINEAR); i++) {
        ki_node f = parse(&w, LINEAR[i].f);
        assert_true(ki_split_linear(w.graph, f, X, &slope, &rest));
        assert_close(slope, LINEAR[i].slope, 1e-15, LINEAR[i].f);
        assert_false(has_symbol(&w, rest, X));
        for (int p = 0; p < COUNT(POINTS); p++)
            assert_close(slope * POINTS[p][X] + ki_evaluate(w.graph, rest, POINTS[p]),
                         ki_evaluate(w.graph, f, POINTS[p]), 1e-14, LINEAR[i].f);
    }
    for (int i = 0; i < COUNT(OTHERS); i++)
        if (ki_split_linear(w.graph, parse(&w, OTHERS[i]), X, &slope, &rest))
            fail_msg("%s is not linear", OTHERS[i]);
    assert_false(ki_split_linear(w.graph, KI_NONE, X, &slope, &rest));
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Formulas of an angle: what is put for it, with its sine and cosine, against plain substitution; formulas
 * that are linear in it, or in its sine, and those that only look so. */
#include "expr_helper.h"

static const double POINTS[][INPUTS] = {
    {[X] = 0.31, [Y] = 0.62, [Z] = 0.83, [T] = 0.2},
    {[X] = -1.7, [Y] = 2.4, [Z] = -0.45, [T] = 3.5},
    {[X] = 4.2, [Y] = -0.9, [Z] = 0.1, [T] = -1.1},
};

/* ---- substitution */

/* What is put for x. */
static const char ANGLE[] = "y*z - 2*t";

static ki_node put_angle(void *user, int id) {
    world *w = user;
    return id == X ? parse(w, ANGLE) : ki_symbol(w->graph, id);
}

static ki_angle known_angle(world *w) {
    ki_node x = parse(w, ANGLE);
    return (ki_angle){x, ki_unary(w->graph, KI_SIN, x), ki_unary(w->graph, KI_COS, x)};
}

static void keep_symbol(void *user, int id) {
    *(unsigned *)user |= 1u << id;
}

static bool has_symbol(world *w, ki_node f, int id) {
    unsigned met = 0;
    ki_symbols_of(w->graph, f, keep_symbol, &met);
    return met >> id & 1;
}

static void substitution_is_substitution(void **state) {
    static const char *const FORMULAS[] = {
        "x",
        "y",
        "sin(x)",
        "cos(x)",
        "sin(x + y)",
        "cos(x - 3*y)",
        "sin(y - x)",
        "cos(t*y - x)",
        "sin(2*x + y)",
        "cos(x/3)",
        "sin(x*y)",
        "x*sin(x)*cos(x + 1)^2",
        "tan(x)/(2 + cos(x - y))",
        "sin(sin(x) + x)",
        "cos(x + cos(x))",
        "sin(x + sign(x))",
        "cos(if(x > 0, x + 1, x + 2))",
        "sin(y + min(x, x + 1))",
        "hypot(x, cos(x + t)) - exp(-x)",
    };
    (void)state;
    for (int known = 0; known < 2; known++) {
        world w = world_new();
        ki_angle angle = known_angle(&w);
        if (!known)
            angle.sine = angle.cosine = KI_NONE;
        for (int i = 0; i < COUNT(FORMULAS); i++) {
            ki_node f = parse(&w, FORMULAS[i]);
            ki_node plain = ki_substitute(w.graph, f, put_angle, &w);
            ki_node put = ki_substitute_angle(w.graph, f, X, &angle);
            assert_false(has_symbol(&w, put, X));
            if (!known) /* nothing to be clever with */
                assert_int_equal(put, plain);
            for (int p = 0; p < COUNT(POINTS); p++)
                assert_close(ki_evaluate(w.graph, put, POINTS[p]), ki_evaluate(w.graph, plain, POINTS[p]),
                             1e-14, FORMULAS[i]);
        }
        world_free(&w);
    }
}

/* The sine and cosine that were given are what sines and cosines become: with any others the result is
 * another. x itself stays what was put for it. */
static void known_sines_are_used(void **state) {
    world w = world_new();
    ki_angle angle = {parse(&w, "z"), parse(&w, "u[1]"), parse(&w, "u[2]")};
    static const struct {
        const char *of, *is;
    } PAIRS[] = {
        {"sin(x)", "u[1]"},
        {"cos(x)", "u[2]"},
        {"cos(-x)", "u[2]"},
        {"sin(x + y)", "u[1]*cos(y) + u[2]*sin(y)"},
        {"cos(x + y)", "u[2]*cos(y) - u[1]*sin(y)"},
        {"sin(y - x)", "-u[1]*cos(y) + u[2]*sin(y)"},
        {"cos(y - x)", "u[2]*cos(y) + u[1]*sin(y)"},
        {"x + sin(x)", "z + u[1]"},
        {"sin(2*x)", "sin(2*z)"},
        {"sin(x + sign(x))", "sin(z + sign(z))"},
    };
    (void)state;
    double at[INPUTS] = {[Y] = 0.7, [Z] = -0.4, [U + 1] = 3, [U + 2] = 5};
    for (int i = 0; i < COUNT(PAIRS); i++) {
        ki_node put = ki_substitute_angle(w.graph, parse(&w, PAIRS[i].of), X, &angle);
        assert_close(ki_evaluate(w.graph, put, at), ki_evaluate(w.graph, parse(&w, PAIRS[i].is), at), 1e-14,
                     PAIRS[i].of);
    }
    assert_int_equal(ki_substitute_angle(w.graph, KI_NONE, X, &angle), KI_NONE);
    world_free(&w);
}

/* ---- recognition */

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

static void expect_sine_form(world *w, const char *text, ki_op op, double slope) {
    ki_sine_form form;
    ki_node f = parse(w, text);
    if (!ki_split_sine(w->graph, f, X, INPUTS - 1, &form))
        fail_msg("%s was not recognised", text);
    assert_int_equal(form.op, op);
    assert_close(form.slope, slope, 1e-15, text);
    const ki_node parts[] = {form.factor, form.shift, form.rest};
    for (int k = 0; k < COUNT(parts); k++)
        assert_false(has_symbol(w, parts[k], X) || has_symbol(w, parts[k], INPUTS - 1));
    for (int p = 0; p < COUNT(POINTS); p++) {
        double angle = form.slope * POINTS[p][X] + ki_evaluate(w->graph, form.shift, POINTS[p]);
        double value =
            ki_evaluate(w->graph, form.factor, POINTS[p]) * (op == KI_SIN ? sin(angle) : cos(angle)) +
            ki_evaluate(w->graph, form.rest, POINTS[p]);
        assert_close(value, ki_evaluate(w->graph, f, POINTS[p]), 1e-14, text);
    }
}

static void sine_forms(void **state) {
    static const char *const OTHERS[] = {
        "y",                          /* no x */
        "x",                          /* no sine */
        "x + sin(x)",                 /* x beside its sine */
        "x*sin(x)",                   /* ... in its factor */
        "sin(x) + cos(x)",            /* two of them */
        "sin(x) - sin(2*x)",          /* ... */
        "sin(x)^2 - y",               /* not linear in it */
        "exp(cos(x))",                /* ... */
        "y/sin(x)",                   /* ... */
        "sin(x^2)",                   /* the angle is not linear */
        "sin(x*y)",                   /* its slope is no number */
        "cos(y + sin(x))",            /* a sine in a cosine */
        "tan(x) - y",                 /* not a sine */
        "sin(x) + sign(sin(x))",      /* jumps, which no derivative tells */
        "max(sin(x), sin(x) + y)",    /* ... */
        "sin(x + sign(x))",           /* ... */
        "cos(if(x > 0, x, x + 1))*y", /* ... */
        "2*(x > y) + 3",              /* depends on x by a jump alone */
    };
    world w = world_new();
    ki_sine_form form;
    (void)state;
    expect_sine_form(&w, "sin(x)", KI_SIN, 1);
    expect_sine_form(&w, "cos(x) - y", KI_COS, 1);
    expect_sine_form(&w, "y*z*sin(2*x - t) + exp(z)", KI_SIN, 2);
    expect_sine_form(&w, "3 - (cos(y - x/4)*2 + t)/5", KI_COS, -0.25);
    expect_sine_form(&w, "y*(z + sin(x + y*t)) - 2*sin(x + y*t)", KI_SIN, 1);
    expect_sine_form(&w, "cos(y)*cos(x) + sin(y)", KI_COS, 1);
    expect_sine_form(&w, "sin(x) + sign(y)", KI_SIN, 1);
    expect_sine_form(&w, "if(y > z, y, z)*sin(x)", KI_SIN, 1);
    for (int i = 0; i < COUNT(OTHERS); i++)
        if (ki_split_sine(w.graph, parse(&w, OTHERS[i]), X, INPUTS - 1, &form))
            fail_msg("%s is not of this form", OTHERS[i]);
    assert_false(ki_split_sine(w.graph, KI_NONE, X, INPUTS - 1, &form));
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(substitution_is_substitution),
        cmocka_unit_test(known_sines_are_used),
        cmocka_unit_test(linear_formulas),
        cmocka_unit_test(sine_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The tape against the plain evaluation and against C; what it shares; its use by several threads' work
 * arrays. */
#include "expr_helper.h"

static const double AT[INPUTS] = {[X] = 0.7,    [Y] = -1.3,    [Z] = 2.5,      [DX] = 0.3,
                                  [DY] = -4,    [DZ] = 11,     [T] = 1.5,      [U + 1] = 1,
                                  [U + 2] = 20, [U + 3] = 300, [U + 4] = 4000, [U + 5] = 50000};

typedef struct program {
    ki_tape *tape;
    double *work, *values;
} program;

static program compile(world *w, const ki_node *outputs, int count) {
    program p = {.tape = ki_tape_new(w->graph, outputs, count, INPUTS)};
    assert_non_null(p.tape);
    p.work = malloc((ki_tape_work_size(p.tape) + 1) * sizeof *p.work);
    p.values = malloc((size_t)(count + 1) * sizeof *p.values);
    ki_tape_prepare(p.tape, p.work);
    return p;
}

static void program_free(program *p) {
    ki_tape_free(p->tape);
    free(p->work);
    free(p->values);
}

static long length_of(world *w, const char *const *texts, int count) {
    ki_node outputs[16];
    for (int i = 0; i < count; i++)
        outputs[i] = parse(w, texts[i]);
    program p = compile(w, outputs, count);
    ki_tape_run(p.tape, AT, p.work, p.values);
    for (int i = 0; i < count; i++)
        assert_close(p.values[i], ki_evaluate(w->graph, outputs[i], AT), 1e-14, texts[i]);
    long length = ki_tape_length(p.tape);
    program_free(&p);
    return length;
}

/* How many instructions formulas take: shared parts once, sums of products in few. */
static void instructions(void **state) {
    (void)state;
    static const struct {
        const char *texts[4];
        long length;
    } TABLE[] = {
        {{"3"}, 0},
        {{"x"}, 1},
        {{"x", "x", "x"}, 3},
        {{"x*y"}, 1},
        {{"x*y + z"}, 1},
        {{"x*y - z"}, 1},
        {{"z - x*y"}, 1},
        {{"-(x*y)"}, 1},
        {{"x*y + z*t"}, 1},
        {{"x*y - z*t"}, 1},
        {{"-2*x"}, 1},
        {{"-2*x - 3*y"}, 1},
        {{"x*y*z"}, 1},
        {{"(x*y)*(z*t)"}, 2},
        {{"((x*y)*(z*t))*((x'*y')*(z'*u[1]))"}, 5},
        {{"x^-3.5"}, 4},
        {{"x^2"}, 1},
        {{"x^4"}, 2},
        {{"x^2", "x^4"}, 2},
        {{"x^3", "x^2"}, 2},
        {{"sin(x)", "cos(x)"}, 1},
        {{"sin(x) + cos(x)", "cos(x)*sin(x)"}, 3},
        {{"sin(x)*y", "sin(x)*z"}, 3},
        {{"x*y + z*t + x'*y'"}, 2},
        {{"x + y + z + t + x' + y' + z'"}, 1},
        {{"x*y - z*t - x'*y' - x*z + y*t - 2*x + t"}, 1},
        {{"x*y", "x*y", "x*y + 1"}, 3},
        {{"sqrt(x*x + y*y)"}, 2},
        {{"if(x > y, x*y, x/y)"}, 4},
    };
    for (int i = 0; i < COUNT(TABLE); i++) {
        world w = world_new();
        int count = 0;
        while (count < 4 && TABLE[i].texts[count])
            count++;
        long length = length_of(&w, TABLE[i].texts, count);
        if (length != TABLE[i].length)
            print_error("%s: %ld instructions\n", TABLE[i].texts[0], length);
        assert_int_equal(length, TABLE[i].length);
        world_free(&w);
    }
}

/* One term of kind x y, -x y, x or -x, which no other term shares; adds its text and gives its value. */
static double add_term(char *text, int kind, int number) {
    int a = 1 + number % 5, b = 1 + (number + 2 + kind) % 5;
    char term[48], sign = kind & 1 ? '-' : '+';
    double x = cos(number + AT[U + b]);
    if (kind < 2)
        snprintf(term, sizeof term, " %c u[%d]*cos(%d + u[%d])", sign, a, number, b);
    else
        snprintf(term, sizeof term, " %c cos(%d + u[%d])", sign, number, b);
    strcat(text, term);
    return (kind & 1 ? -1 : 1) * (kind < 2 ? AT[U + a] * x : x);
}

/* Sums of all shapes with up to three terms of each kind. */
static void sums_of_every_shape(void **state) {
    (void)state;
    for (int shape = 1; shape < 256; shape++) {
        world w = world_new();
        char text[600] = "0";
        double expected = 0;
        int number = 0;
        for (int kind = 0; kind < 4; kind++)
            for (int i = 0; i < (shape >> 2 * kind & 3); i++)
                expected += add_term(text, kind, number++);
        assert_close(tape_value(&w, parse(&w, text), AT), expected, 1e-12, text);
        world_free(&w);
    }
}

/* A formula in C and in the language. */
static void against_c(void **state) {
    (void)state;
    world w = world_new();
    double x = AT[X], y = AT[Y], z = AT[Z];
    assert_close(tape_value(&w, parse(&w, "x^2*sin(y) - z/(1 + x*y)^3 + hypot(x, y)*exp(-x*z)"), AT),
                 x * x * sin(y) - z / pow(1 + x * y, 3) + hypot(x, y) * exp(-x * z), 1e-15, "formula");
    assert_close(tape_value(&w, parse(&w, "atan2(y, x)^5 + abs(y)^1.5*tanh(z) - max(x, y, z)*min(x, y)"), AT),
                 pow(atan2(y, x), 5) + pow(fabs(y), 1.5) * tanh(z) - z * y, 1e-15, "formula");
    /* products are rounded before they are added: 1 + 2^-29 + 2^-60 loses its last digit */
    double a = 1 + ldexp(1, -30), at[INPUTS] = {[X] = a, [Y] = -(1 + ldexp(1, -29))};
    assert_true(tape_value(&w, parse(&w, "x*x + y"), at) == 0);
    world_free(&w);
}

static void all_kinds_of_outputs(void **state) {
    (void)state;
    world w = world_new();
    ki_node product = parse(&w, "x*y"),
            outputs[] = {ki_number(w.graph, 4), parse(&w, "x"),       product, product, parse(&w, "x*y + 1"),
                         parse(&w, "x"),        ki_number(w.graph, 4)};
    program p = compile(&w, outputs, COUNT(outputs));
    ki_graph_free(w.graph); /* the tape does not need it */
    w.graph = NULL;
    double second[64];
    assert_true(ki_tape_work_size(p.tape) <= COUNT(second));
    ki_tape_prepare(p.tape, second);
    for (int run = 0; run < 3; run++) {
        double inputs[INPUTS] = {[X] = 2 + run, [Y] = 10}, xy = inputs[X] * inputs[Y];
        double expected[] = {4, inputs[X], xy, xy, xy + 1, inputs[X], 4};
        ki_tape_run(p.tape, inputs, p.work, p.values);
        assert_memory_equal(p.values, expected, sizeof expected);
        inputs[X] = 7;
        ki_tape_run(p.tape, inputs, second, p.values); /* another thread's work */
        assert_true(p.values[2] == 70);
    }
    program_free(&p);
    keel_diagnostics_free(w.diagnostics);

    world empty = world_new();
    program none = compile(&empty, NULL, 0);
    ki_tape_run(none.tape, AT, none.work, none.values);
    assert_int_equal(ki_tape_length(none.tape), 0);
    assert_null(ki_tape_new(empty.graph, (ki_node[]){KI_NONE}, 1, 0));
    assert_false(ki_graph_failed(empty.graph));
    program_free(&none);
    world_free(&empty);
}

/* Only the chosen branch counts; NaN is not hidden by min and max. */
static void values_that_are_not_finite(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double x, value;
    } TABLE[] = {
        {"if(x > 0, log(x), 5)", -1, 5},
        {"if(x == 0, 1, sin(x)/x)", 0, 1},
        {"if(x < 0, 1/0.5, 1/x)", 0, INFINITY},
        {"min(sqrt(x), 1)", -1, NAN},
        {"min(1, sqrt(x))", -1, NAN},
        {"max(sqrt(x), 1)", -1, NAN},
        {"max(1, sqrt(x))", -1, NAN},
        {"sign(sqrt(x))", -1, NAN},
        {"sqrt(x) < 1", -1, 0},
        {"not (sqrt(x) < 1)", -1, 1},
        {"0*sqrt(x)", -1, 0},
    };
    for (int i = 0; i < COUNT(TABLE); i++) {
        world w = world_new();
        double at[INPUTS] = {[X] = TABLE[i].x};
        ki_node f = parse(&w, TABLE[i].text);
        assert_close(tape_value(&w, f, at), TABLE[i].value, 0, TABLE[i].text);
        assert_close(ki_evaluate(w.graph, f, at), TABLE[i].value, 0, TABLE[i].text);
        world_free(&w);
    }
}

/* Numbers of a fixed sequence, 0 .. below - 1. */
static unsigned draw(uint64_t *seed, unsigned below) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33) % below;
}

static ki_node random_node(ki_graph *g, uint64_t *seed, const ki_node *pool, int count) {
    static const ki_op UNARY[] = {KI_NEG, KI_SIN, KI_COS, KI_TANH, KI_ATAN, KI_ABS, KI_SIGN, KI_NOT},
                       BINARY[] = {KI_ADD, KI_ADD, KI_ADD, KI_SUB, KI_SUB, KI_MUL, KI_MUL,   KI_MUL,  KI_MIN,
                                   KI_MAX, KI_LT,  KI_LE,  KI_EQ,  KI_AND, KI_OR,  KI_HYPOT, KI_ATAN2};
    ki_node a = pool[draw(seed, (unsigned)count)], b = pool[draw(seed, (unsigned)count)];
    switch (draw(seed, 8)) {
    case 0:
    case 1:
        return ki_unary(g, UNARY[draw(seed, COUNT(UNARY))], a);
    case 2:
        return ki_if(g, pool[draw(seed, (unsigned)count)], a, b);
    case 3:
        return ki_binary(g, KI_POW, ki_unary(g, KI_TANH, a), ki_number(g, draw(seed, 5)));
    default:
        return ki_binary(g, BINARY[draw(seed, COUNT(BINARY))], a, b);
    }
}

/* Random graphs, larger than the window in which instructions are ordered: every node is an output. */
static void random_programs(void **state) {
    (void)state;
    enum { NODES = 1500, PROGRAMS = 20 };
    uint64_t seed = 2024;
    for (int k = 0; k < PROGRAMS; k++) {
        world w = world_new();
        ki_node pool[NODES];
        for (int i = 0; i < NODES; i++)
            pool[i] = i < 8    ? ki_symbol(w.graph, i)
                      : i < 12 ? ki_number(w.graph, i - 9.5)
                               : random_node(w.graph, &seed, pool, i);
        int step = k % 2 ? 1 : 37; /* few outputs leave more to be put together */
        ki_node outputs[NODES];
        int count = 0;
        for (int i = 0; i < NODES; i += step)
            outputs[count++] = pool[i];
        program p = compile(&w, outputs, count);
        ki_tape_run(p.tape, AT, p.work, p.values);
        for (int i = 0; i < count; i++) {
            double expected = ki_evaluate(w.graph, outputs[i], AT);
            if (fabs(expected) < 1e6) /* beyond, rounding errors decide comparisons */
                assert_close(p.values[i], expected, 1e-6, "random node");
        }
        program_free(&p);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions),
        cmocka_unit_test(sums_of_every_shape),
        cmocka_unit_test(against_c),
        cmocka_unit_test(all_kinds_of_outputs),
        cmocka_unit_test(values_that_are_not_finite),
        cmocka_unit_test(random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

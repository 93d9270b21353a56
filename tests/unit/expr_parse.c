/* What formulas mean: values of the whole language, names, indices, sums. */
#include "expr_helper.h"

static const double AT[INPUTS] = {[X] = 0.7,    [Y] = -1.3,    [Z] = 2.5,      [DX] = 0.3,
                                  [DY] = -4,    [DZ] = 11,     [T] = 1.5,      [U + 1] = 1,
                                  [U + 2] = 20, [U + 3] = 300, [U + 4] = 4000, [U + 5] = 50000};
static const double PI = 3.14159265358979323846;

static double value_of(world *w, const char *text) {
    ki_node node = parse(w, text);
    double value = ki_evaluate(w->graph, node, AT);
    assert_close(tape_value(w, node, AT), value, 1e-14, text);
    return value;
}

#define IS(text, expected) assert_close(value_of(&w, text), expected, 1e-15, text)

static void numbers(void **state) {
    (void)state;
    world w = world_new();
    IS("1", 1);
    IS(".5", .5);
    IS("1.", 1);
    IS("1e-3", 1e-3);
    IS("1.5E+6", 1.5e6);
    IS("0.1", 0.1);
    IS("12345678901234567890", 12345678901234567890.0);
    IS("1e-400", 0);
    IS("0e999999999999", 0);
    IS("4.9406564584124654e-324", 4.9406564584124654e-324);
    IS("1.7976931348623157e308", 1.7976931348623157e308);
    IS("0.00000000000000000000000000000000000001e38", 1);
    IS("pi", PI);
    world_free(&w);
}

static void precedence(void **state) {
    (void)state;
    world w = world_new();
    double x = AT[X], y = AT[Y], z = AT[Z];
    IS("x + y*z", x + y * z);
    IS("(x + y)*z", (x + y) * z);
    IS("x - y - z", x - y - z);
    IS("x/y/z", x / y / z);
    IS("x/y*z", x / y * z);
    IS("-x^2", -(x * x));
    IS("(-x)^2", x * x);
    IS("2^3^2", 512);
    IS("z^-2", 1 / (z * z));
    IS("2^-x", pow(2, -x));
    IS("-2^-2", -0.25);
    IS("2*-x", -2 * x);
    IS("x - -y", x + y);
    IS("+x", x);
    IS("- - x", x);
    IS("x*y^2*z", x * y * y * z);
    IS("x\n  + y\r\n\t+ z", x + y + z);
    world_free(&w);
}

static void conditions(void **state) {
    (void)state;
    world w = world_new();
    IS("1 < 2", 1);
    IS("2 < 1", 0);
    IS("2 <= 2", 1);
    IS("3 > 2", 1);
    IS("2 >= 3", 0);
    IS("2 == 2", 1);
    IS("2 != 2", 0);
    IS("x < y", 0);
    IS("x >= y", 1);
    IS("x != y", 1);
    IS("x + 1 > y*2", 1);
    IS("not x", 0);
    IS("not 0", 1);
    IS("not x < y", 1);
    IS("x > 0 and y > 0", 0);
    IS("x > 0 or y > 0", 1);
    IS("x < 0 and y < 0 or z > 0", 1);
    IS("x < 0 and (y < 0 or z > 0)", 0);
    IS("not x < 0 and z", 1);
    IS("if(x > 0, y, z)", AT[Y]);
    IS("if(x < 0, y, z)", AT[Z]);
    IS("if(z, 1, 2)", 1);
    IS("if(y < 0, sqrt(x), sqrt(y))", sqrt(AT[X]));
    world_free(&w);
}

static void functions(void **state) {
    (void)state;
    world w = world_new();
    double x = AT[X], y = AT[Y], z = AT[Z];
    IS("sin(x)", sin(x));
    IS("cos(y)", cos(y));
    IS("tan(x)", tan(x));
    IS("asin(x)", asin(x));
    IS("acos(x)", acos(x));
    IS("atan(y)", atan(y));
    IS("atan2(y, x)", atan2(y, x));
    IS("atan2(y, -x)", atan2(y, -x));
    IS("sinh(y)", sinh(y));
    IS("cosh(y)", cosh(y));
    IS("tanh(y)", tanh(y));
    IS("sqrt(z)", sqrt(z));
    IS("exp(y)", exp(y));
    IS("log(z)", log(z));
    IS("abs(y)", -y);
    IS("sign(y)", -1);
    IS("sign(0*x)", 0);
    IS("min(x, y)", y);
    IS("max(x, y, z, 2)", z);
    IS("min(x, y, z, -2)", -2);
    IS("hypot(3, 4)", 5);
    IS("hypot(x, y)", hypot(x, y));
    IS("sin(cos(tan(x)))", sin(cos(tan(x))));
    IS("sin ( x )", sin(x));
    world_free(&w);
}

static void powers(void **state) {
    (void)state;
    world w = world_new();
    double x = AT[X], y = AT[Y], z = AT[Z];
    IS("y^0", 1);
    IS("y^1", y);
    IS("y^2", y * y);
    IS("y^3", y * y * y);
    IS("y^7", pow(y, 7));
    IS("y^16", pow(y, 16));
    IS("y^17", pow(y, 17));
    IS("y^-1", 1 / y);
    IS("y^-3", pow(y, -3));
    IS("x^0.5", sqrt(x));
    IS("x^1.5", pow(x, 1.5));
    IS("x^-2.5", pow(x, -2.5));
    IS("x^0.3", pow(x, 0.3));
    IS("x^z", pow(x, z));
    IS("2^z", pow(2, z));
    IS("0^0", 1);
    IS("0*x^2 + 1", 1);
    world_free(&w);
}

static void degrees(void **state) {
    (void)state;
    world w = world_new();
    IS("30 deg", PI / 6);
    IS("180deg", PI);
    IS("30*deg", PI / 6);
    IS("(15 + 15) deg", PI / 6);
    IS("deg", PI / 180);
    IS("-90 deg", -PI / 2);
    IS("sin(30 deg)", 0.5);
    IS("(2 deg)^2", PI * PI / 8100);
    IS("2 deg^2", PI * PI / 8100);
    IS("x*deg", AT[X] * PI / 180);
    world_free(&w);
}

static void names(void **state) {
    (void)state;
    world w = world_new();
    IS("x'", AT[DX]);
    IS("x'^2", AT[DX] * AT[DX]);
    IS("lambda.rod", 7);
    IS("t", AT[T]);
    IS("u[2]", 20);
    IS("u[1+1]", 20);
    IS("u[N-1]", 300);
    IS("u[ two * 2 ]", 4000);
    IS("u[0.3/0.1]", 300); /* whole up to rounding */
    IS("m[1,two]", 12);
    IS("2*u[two].tip + u[2]", 46);
    IS("sum(i, 2, 2, u[i].tip*i)", 26);
    world_free(&w);
}

/* A scope that knows one more name, to see what a lookup is asked for. */
typedef struct echo {
    world *w;
    char name[300];
    int primes, line, column, calls;
} echo;

static ki_node echo_look_up(void *user, const char *name, int primes, keel_location where,
                            keel_diagnostics *diagnostics) {
    (void)diagnostics;
    echo *e = user;
    snprintf(e->name, sizeof e->name, "%s", name);
    e->primes = primes;
    e->line = where.line;
    e->column = where.column;
    e->calls++;
    return ki_number(e->w->graph, 5);
}

static void asked(world *w, const char *text, const char *name, int primes, int line, int column) {
    echo e = {.w = w};
    ki_scope scope = {&e, echo_look_up};
    ki_node node =
        ki_parse(w->graph, text, strlen(text), (keel_location){NULL, 3, 10}, &scope, w->diagnostics);
    assert_true(ki_is_number(w->graph, node, NULL));
    assert_string_equal(e.name, name);
    assert_int_equal(e.primes, primes);
    assert_int_equal(e.line, line);
    assert_int_equal(e.column, column);
}

static void lookups(void **state) {
    (void)state;
    world w = world_new();
    asked(&w, "abc", "abc", 0, 3, 10);
    asked(&w, "2*abc''", "abc", 2, 3, 12);
    asked(&w, "1 +\n  _a.b.C9[ -3 ]'''", "_a.b.C9[-3]", 3, 4, 3);
    asked(&w, "a[07, 1e2]", "a[7,100]", 0, 3, 10);
    asked(&w, "a[b[1]]", "a[5]", 0, 3, 10);
    asked(&w, "sum(i, 1, 3, q[i])", "q[3]", 0, 3, 23);
    asked(&w, "sum(i, 1, 2, i[i])", "i[2]", 0, 3, 23);
    /* a branch that is not chosen, and an empty sum, are not looked at */
    echo e = {.w = &w};
    ki_scope scope = {&e, echo_look_up};
    const char *text = "if(1 > 2, a[1/0], 3) + if(1, 4, b/0) + sum(i, 2, 1, c[i]/0)";
    ki_node node = ki_parse(w.graph, text, strlen(text), (keel_location){0}, &scope, w.diagnostics);
    double value;
    assert_true(ki_is_number(w.graph, node, &value));
    assert_true(value == 7);
    assert_int_equal(e.calls, 0);
    world_free(&w);
}

static void sums(void **state) {
    (void)state;
    world w = world_new();
    IS("sum(i, 1, 4, i)", 10);
    IS("sum(i, 1, 5, u[i])", 54321);
    IS("sum(i, 2, N, u[i] - u[i-1])", 3999);
    IS("sum(i, 1, 0, u[i]/0)", 0);
    IS("sum(i, -2, 2, i^2)", 10);
    IS("sum(i, 1, 3, sum(j, 1, i, i*j))", 1 + 2 + 4 + 3 + 6 + 9);
    IS("sum(i, 1, 3, sum(i, 1, 2, i))", 9);
    IS("sum(x, 1, 3, x) + x", 6 + AT[X]);
    IS("sum(i, 1, 3, if(i > 1, u[i-1], 0))", 21);
    IS("2*sum(i, 1, 2, u[i]*x)^2", 2 * 21 * 21 * AT[X] * AT[X]);
    IS("sum(k, 1, 100000, 1)", 100000);
    world_free(&w);
}

static void expect_name(world *w, const char *text, const char *expected) {
    ki_scope scope = {w, look_up};
    char buffer[40] = "?";
    bool good =
        ki_parse_name(w->graph, text, (keel_location){0}, &scope, w->diagnostics, buffer, sizeof buffer);
    if (expected) {
        assert_true(good);
        assert_string_equal(buffer, expected);
    } else {
        assert_false(good);
    }
}

static void names_outside_of_formulas(void **state) {
    (void)state;
    world w = world_new();
    expect_name(&w, "x", "x");
    expect_name(&w, " x[two+1] ", "x[3]");
    expect_name(&w, "a.b[N, -1]", "a.b[4,-1]");
    expect_name(&w, "bar[two].tip.x", "bar[2].tip.x");
    expect_name(&w, "stage[two-1].bar[N].angle", "stage[1].bar[4].angle");
    int before = keel_diagnostics_errors(w.diagnostics);
    const char *const BAD[] = {"",       "3",       "x y",      "x'",
                               "x[1",    "x[]",     "+",        "x[x]",
                               "x.",     "x[1.5]",  "x[1,2,3]", "x[1].",
                               "x[1].3", "x[1] .y", "x[1].y'",  "a23456789_123456789_123456789_123456789"};
    for (int i = 0; i < COUNT(BAD); i++) {
        expect_name(&w, BAD[i], i == COUNT(BAD) - 1 ? BAD[i] : NULL);
        assert_int_equal(keel_diagnostics_errors(w.diagnostics) - before, i == COUNT(BAD) - 1 ? i : i + 1);
    }
    expect_name(&w, "a23456789_123456789_123456789_1234567890", NULL); /* does not fit into the buffer */
    world_free(&w);
}

static void reserved_names_are_the_language(void **state) {
    (void)state;
    world w = world_new();
    int count = 0;
    for (const char *const *name = ki_reserved_names(); *name; name++, count++) {
        char text[64];
        bool is_time = !strcmp(*name, "t");
        snprintf(text, sizeof text, "sum(%s, 1, 2, 1)", *name);
        assert_int_equal(parse_bytes(&w, text, strlen(text)), KI_NONE);
        if (is_time)
            continue; /* what t is, the scope says */
        snprintf(text, sizeof text, "%s''", *name);
        assert_int_equal(parse_bytes(&w, text, strlen(text)), KI_NONE); /* never looked up */
    }
    assert_int_equal(count, 26);
    world_free(&w);
}

/* Long texts must neither take long nor need a deep stack. */
static void long_texts(void **state) {
    (void)state;
    world w = world_new();
    size_t length = 1000000;
    char *text = malloc(length + 1);
    for (size_t i = 0; i < length; i += 4)
        memcpy(text + i, i % 8 ? "y'+ " : "x - ", 4);
    text[length - 2] = ' ';
    ki_node node = parse_bytes(&w, text, length);
    assert_int_not_equal(node, KI_NONE);
    assert_close(ki_evaluate(w.graph, node, AT), 0.25e6 / 2 * 0.7 - 0.25e6 / 2 * -4, 1e-9, "long sum");
    memset(text, '(', length);
    assert_int_equal(parse_bytes(&w, text, length), KI_NONE);
    memset(text, '-', length);
    assert_int_equal(parse_bytes(&w, text, length), KI_NONE);
    memset(text, '7', length);
    assert_int_equal(parse_bytes(&w, text, length), KI_NONE);
    memset(text, 'q', length);
    assert_int_equal(parse_bytes(&w, text, length), KI_NONE);
    memset(text, 0, length);
    assert_int_equal(parse_bytes(&w, text, length), KI_NONE);
    text[0] = 'x';
    memset(text + 1, '\'', length - 1);
    assert_int_equal(parse_bytes(&w, text, length), KI_NONE);
    for (size_t i = 0; i < length; i += 2)
        memcpy(text + i, "x^", 2);
    assert_int_equal(parse_bytes(&w, text, length), KI_NONE);
    free(text);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(precedence),
        cmocka_unit_test(conditions),
        cmocka_unit_test(functions),
        cmocka_unit_test(powers),
        cmocka_unit_test(degrees),
        cmocka_unit_test(names),
        cmocka_unit_test(lookups),
        cmocka_unit_test(sums),
        cmocka_unit_test(names_outside_of_formulas),
        cmocka_unit_test(reserved_names_are_the_language),
        cmocka_unit_test(long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

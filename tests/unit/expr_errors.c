/* What is said about formulas that cannot be read, and where. */
#include "expr_helper.h"

typedef struct mistake {
    const char *text;
    int line, column;
    const char *message;
} mistake;

static const mistake MISTAKES[] = {
    /* values and operators */
    {"", 1, 1, "the formula is empty"},
    {"  \n ", 2, 2, "the formula is empty"},
    {"x*)", 1, 3, "unexpected ')' after '*': a value is missing here"},
    {"*x", 1, 1, "unexpected '*' at the start: a value is missing here"},
    {"x +", 1, 4, "the formula ends after '+': a value is missing here"},
    {"x + * y", 1, 5, "unexpected '*' after '+': a value is missing here"},
    {"x**2", 1, 3, "unexpected '*' after '*': a power is written '^'"},
    {"2 x", 1, 3, "unexpected 'x' after '2': an operator is missing; a product is written '2*x'"},
    {"2x", 1, 2, "unexpected 'x' after '2': an operator is missing; a product is written '2*x'"},
    {"x 2", 1, 3, "unexpected '2' after 'x': an operator is missing; a product is written 'x*2'"},
    {"2(x)", 1, 2, "unexpected '(' after '2': an operator is missing; a product is written '2*('"},
    {"(x)(y)", 1, 4, "unexpected '(' after ')': an operator is missing; a product is written ')*('"},
    {"x deg", 1, 3, "unexpected 'deg' after 'x': an operator is missing; a product is written 'x*deg'"},
    {"3 deg deg", 1, 7,
     "unexpected 'deg' after 'deg': an operator is missing; a product is written 'deg*deg'"},
    {"x < y < z", 1, 7, "comparisons cannot be chained: write 'a < b and b < c'"},
    {"x + not y", 1, 5, "'not' must stand in parentheses here"},
    {"x not y", 1, 3, "unexpected 'not' after 'x'"},
    /* parentheses */
    {"2*(x + 1", 1, 9, "missing ')' to match '(' at column 3"},
    {"2*(x +\n (1 + y)", 2, 9, "missing ')' to match '(' at line 1, column 3"},
    {"(x, y)", 1, 3, "missing ')' to match '(' at column 1"},
    {"(x y)", 1, 4, "unexpected 'y' after 'x': an operator is missing; a product is written 'x*y'"},
    {"x)", 1, 2, "unexpected ')': there is no '(' to match it"},
    {"x]", 1, 2, "unexpected ']': there is no '[' to match it"},
    {"()", 1, 2, "unexpected ')' after '(': a value is missing here"},
    {"sin(x", 1, 6, "missing ')' to match '(' at column 4"},
    {"1,5", 1, 2, "unexpected ',': numbers are written with a point, as in 1.5"},
    {"x, y", 1, 2, "unexpected ',' outside of the arguments of a function"},
    /* functions */
    {"sine(x)", 1, 1, "unknown function 'sine': did you mean 'sin'?"},
    {"1 + Cos(x)", 1, 5, "unknown function 'Cos': did you mean 'cos'?"},
    {"banana(x)", 1, 1, "unknown function 'banana': a product is written 'banana*(...)'"},
    {"sin(x, y)", 1, 1, "sin takes 1 argument, 2 given"},
    {"1 + atan2(x)", 1, 5, "atan2 takes 2 arguments, 1 given"},
    {"sin()", 1, 1, "sin takes 1 argument, none given"},
    {"min(x)", 1, 1, "min takes 2 or more arguments, 1 given"},
    {"if(x, 1)", 1, 1, "if takes 3 arguments, 2 given"},
    {"if(x, 1, 2, 3)", 1, 1, "if takes 3 arguments, 4 given"},
    {"sin(x,)", 1, 7, "unexpected ')' after ',': a value is missing here"},
    {"sin + 1", 1, 1, "the function 'sin' needs its arguments in parentheses"},
    {"x*cos", 1, 3, "the function 'cos' needs its arguments in parentheses"},
    {"pi(2)", 1, 3, "unexpected '(': 'pi' is a constant"},
    {"pi'", 1, 3, "unexpected ''': 'pi' is a constant"},
    /* numbers */
    {"1.2.3", 1, 1, "malformed number '1.2.3'"},
    {"x + 1e", 1, 5, "malformed number '1e'"},
    {"1e+x", 1, 1, "malformed number '1e+x'"},
    {"1..2", 1, 1, "malformed number '1..2'"},
    {"1e400", 1, 1, "number '1e400' is too large"},
    {"1e99999999999999999999", 1, 1, "number '1e99999999999999999999' is too large"},
    /* names and indices */
    {"1 + what*2", 1, 5, "unknown name 'what' with 0 primes"},
    {"x''", 1, 1, "unknown name 'x' with 2 primes"},
    {"a.3", 1, 2, "a '.' in a name must be followed by a letter"},
    {"lambda. + 1", 1, 7, "a '.' in a name must be followed by a letter"},
    {"1 + u[1].x'", 1, 5, "unknown name 'u[1].x' with 1 primes"},
    {"u[1].3", 1, 5, "a '.' in a name must be followed by a letter"},
    {"u[1] .x", 1, 6, "unexpected character '.'"},
    {"2'", 1, 2, "unexpected ' after '2': only a name can have a derivative"},
    {"(x)'", 1, 4, "unexpected ' after ')': only a name can have a derivative"},
    {"(x)[1]", 1, 4, "unexpected '[' after ')': only a name can have an index"},
    {"u[x]", 1, 3, "an index must be a constant: it depends on something that changes"},
    {"u[1.5]", 1, 3, "an index must be a whole number, not 1.5"},
    {"u[1e12]", 1, 3, "an index is too large: 1e+12"},
    {"u[1", 1, 4, "missing ']' to match '[' at column 2"},
    {"u[]", 1, 3, "unexpected ']' after '[': a value is missing here"},
    {"u[1,2,3]", 1, 6, "a name has at most two indices"},
    {"u[99]", 1, 1, "unknown name 'u[99]' with 0 primes"},
    {"u[1/0]", 1, 4, "division by zero"},
    /* sums */
    {"sum(3, 1, 2, 1)", 1, 1, "sum is written sum(i, from, to, term)"},
    {"sum(i, 1, 2)", 1, 1, "sum is written sum(i, from, to, term)"},
    {"sum(i, 1, 2, i, i)", 1, 15, "missing ')' to match '(' at column 4"},
    {"sum(pi, 1, 2, 1)", 1, 5, "'pi' cannot be the variable of a sum: it has a meaning already"},
    {"sum(i, 1, x, i)", 1, 11,
     "the last value of a sum must be a constant: it depends on something that changes"},
    {"sum(i, 0.5, 2, i)", 1, 8, "the first value of a sum must be a whole number, not 0.5"},
    {"sum(i, 1, 2, i')", 1, 14, "'i' counts the terms of a sum: it has no derivative"},
    {"sum(i, 1, 3, u[i-2])", 1, 14, "unknown name 'u[-1]' with 0 primes"},
    {"x + sum(i, 1, 2000000, i)", 1, 5,
     "all sums of a model may have 1000000 terms together, with this one they have 2000000; "
     "if the model is meant to be so large, set KEEL_MODEL_SIZE=10 for ten times as much"},
    {"sum(i, 1, 10, sum(j, 1, 999995, i))", 1, 15,
     "all sums of a model may have 1000000 terms together, with this one they have 1000005; "
     "if the model is meant to be so large, set KEEL_MODEL_SIZE=10 for ten times as much"},
    {"sum(i, 1, 3, x \xff", 1, 16, "the byte 0xff is not UTF-8 text"},
    {"sum(i, 2, 1, x y)", 1, 16,
     "unexpected 'y' after 'x': an operator is missing; a product is written 'x*y'"},
    {"if(1, 2, x y)", 1, 12, "unexpected 'y' after 'x': an operator is missing; a product is written 'x*y'"},
    /* constants that are no numbers */
    {"1/0", 1, 2, "division by zero"},
    {"x + y/(two - 2)", 1, 6, "division by zero"},
    {"0^-1", 1, 2, "division by zero: 0 to a negative power"},
    {"(-8)^(1/3)", 1, 5, "a negative number to a power that is not whole"},
    {"10^400", 1, 3, "the result is too large for a number"},
    {"x*exp(1000)", 1, 3, "the result is too large for a number"},
    {"1e300*1e300", 1, 6, "the result is too large for a number"},
    {"sqrt(-1)", 1, 1, "sqrt of a negative number"},
    {"log(0)", 1, 1, "log of a number that is not positive"},
    {"log(x - x)", 1, 1, "log of a number that is not positive"},
    {"asin(2)", 1, 1, "asin of a number outside of -1 .. 1"},
    {"acos(-2)", 1, 1, "acos of a number outside of -1 .. 1"},
    /* characters */
    {"x = y", 1, 3, "unexpected character '=': write 'a - b' for an equation a = b, '==' to compare"},
    {"x && y", 1, 3, "unexpected character '&': write 'and'"},
    {"!x", 1, 1, "unexpected character '!': write 'not' or '!='"},
    {"x @ y", 1, 3, "unexpected character '@'"},
    {"x\n+ 2\xc2\xb7y", 2, 4, "unexpected character '\xc2\xb7': write '*'"},
    {"x\xe2\x88\x92y", 1, 2, "unexpected character '\xe2\x88\x92': write '-'"},
    {"\xce\xb1", 1, 1,
     "unexpected character '\xce\xb1': names are made of the letters a-z, A-Z, digits, '_' and '.'"},
    {"x + \xf0\x9f\x98\x80", 1, 5,
     "unexpected character '\xf0\x9f\x98\x80': names are made of the letters a-z, A-Z, digits, '_' and '.'"},
    {"x + \xff", 1, 5, "the byte 0xff is not UTF-8 text"},
    {"x + \xc3", 1, 5, "the byte 0xc3 is not UTF-8 text"},
    {"x + \xc0\x80", 1, 5, "the byte 0xc0 is not UTF-8 text"},
    {"x + \xed\xa0\x80", 1, 5, "the byte 0xed is not UTF-8 text"},
    {"x\v", 1, 2, "unexpected control character U+000B"},
};

static void check(const mistake *m, size_t length) {
    world w = world_new();
    ki_node node = parse_bytes(&w, m->text, length);
    bool one = node == KI_NONE && keel_diagnostics_count(w.diagnostics) == 1;
    if (!one)
        print_error("%s: %d messages\n", m->text, keel_diagnostics_count(w.diagnostics));
    assert_true(one);
    keel_diagnostic d = keel_diagnostics_get(w.diagnostics, 0);
    if (strcmp(d.text, m->message) || d.where.line != m->line || d.where.column != m->column)
        print_error("%s: %d:%d: %s\n", m->text, d.where.line, d.where.column, d.text);
    assert_string_equal(d.text, m->message);
    assert_int_equal(d.where.line, m->line);
    assert_int_equal(d.where.column, m->column);
    assert_string_equal(d.where.file, "f");
    assert_int_equal(d.severity, KEEL_ERROR);
    world_free(&w);
}

static void mistakes(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(MISTAKES); i++)
        check(&MISTAKES[i], strlen(MISTAKES[i].text));
}

static void bytes_that_are_zero(void **state) {
    (void)state;
    check(&(mistake){"x +\0 y", 1, 4, "unexpected control character U+0000"}, 6);
}

static void nesting_is_limited(void **state) {
    (void)state;
    enum { DEPTH = 256, INDEX = 6 };
    char text[12 * (DEPTH + 2)];
    static const char *const OPEN[] = {"(", "sin(", "-", "x^", "sum(i,1,1,", "not ", "u["};
    static const char *const CLOSE[] = {")", ")", "", "", ")", "", "]"};
    for (int k = 0; k < COUNT(OPEN); k++)
        for (int depth = DEPTH; depth <= DEPTH + 1; depth++) {
            world w = world_new();
            text[0] = 0;
            for (int i = 0; i < depth; i++)
                strcat(text, OPEN[k]);
            strcat(text, "1");
            for (int i = 0; i < depth; i++)
                strcat(text, CLOSE[k]);
            ki_node node = parse_bytes(&w, text, strlen(text));
            const char *expected = depth > DEPTH ? "nested more than 256 levels deep" : NULL;
            if (!expected && k == INDEX) /* u[1] is a symbol */
                expected = "an index must be a constant: it depends on something that changes";
            assert_int_equal(node == KI_NONE, expected != NULL);
            if (expected)
                assert_string_equal(keel_diagnostics_get(w.diagnostics, 0).text, expected);
            world_free(&w);
        }
}

static void long_names_are_cut_in_messages(void **state) {
    (void)state;
    char text[400];
    memset(text, 'a', sizeof text);
    memcpy(text + 300, "(x)", 4);
    check(&(mistake){text, 1, 1,
                     "unknown function 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...': a product is written "
                     "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...*(...)'"},
          strlen(text));
    text[300] = 0;
    check(&(mistake){text, 1, 1,
                     "the name 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...' is longer than 255 characters"},
          strlen(text));
}

/* The place of the formula is where its first character stands; unknown places count from 1. */
static void places_start_where_the_formula_does(void **state) {
    (void)state;
    world w = world_new();
    ki_scope scope = {&w, look_up};
    ki_parse(w.graph, "1 + )", 5, (keel_location){"m", 7, 20}, &scope, w.diagnostics);
    ki_parse(w.graph, "1 +\n )", 6, (keel_location){"m", 7, 20}, &scope, w.diagnostics);
    ki_parse(w.graph, "1 + )", 5, (keel_location){0}, &scope, w.diagnostics);
    const int EXPECTED[][2] = {{7, 24}, {8, 2}, {1, 5}};
    for (int i = 0; i < 3; i++) {
        keel_diagnostic d = keel_diagnostics_get(w.diagnostics, i);
        assert_int_equal(d.where.line, EXPECTED[i][0]);
        assert_int_equal(d.where.column, EXPECTED[i][1]);
    }
    assert_int_equal(ki_parse(w.graph, "1 + )", 5, (keel_location){0}, &scope, NULL), KI_NONE);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes),
        cmocka_unit_test(bytes_that_are_zero),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(long_names_are_cut_in_messages),
        cmocka_unit_test(places_start_where_the_formula_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

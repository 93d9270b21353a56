/* Every way in which a model can be wrong: the message and its place. Line i of a model has its name at
 * column 1 and its formula at column 40. */
#include "equations_helper.h"

enum { LINES_MAX = 12, MESSAGES_MAX = 4, F = FORMULA_COLUMN };

typedef struct message {
    int line, column;
    const char *text;
} message;

typedef struct wrong_model {
    line lines[LINES_MAX];
    message messages[MESSAGES_MAX]; /* all that are expected, in order; text NULL: end */
} wrong_model;

#define X                                                                                                    \
    { KEEL_EQ_COORDINATE, "x", "1", 0 }
#define Y                                                                                                    \
    { KEEL_EQ_COORDINATE, "y", "1", 0 }
#define T                                                                                                    \
    { KEEL_EQ_KINETIC, NULL, "x'^2/2", 0 }
#define TXY                                                                                                  \
    { KEEL_EQ_KINETIC, NULL, "(x'^2 + y'^2)/2", 0 }

static const wrong_model PARAMETERS[] = {
    {{{KEEL_EQ_PARAMETER, "a", "2*b", 0},
      {KEEL_EQ_PARAMETER, "b", "c+1", 0},
      {KEEL_EQ_PARAMETER, "c", "a", 0},
      X,
      T},
     {{1, F, "these depend on each other: a -> b -> c -> a"}}},
    {{{KEEL_EQ_PARAMETER, "a", "a/2", 0},
      {KEEL_EQ_PARAMETER, "b", "2*a", 0},
      {KEEL_EQ_FORCE, "x", "b", 0},
      X,
      T},
     {{1, F, "a depends on itself"}}},
    {{{KEEL_EQ_PARAMETER, "mass", "1/0", 0}, {KEEL_EQ_PARAMETER, "w", "9.81*mas", 0}, X, T},
     {{1, F + 1, "division by zero"}, {2, F + 5, "unknown name 'mas'; did you mean 'mass'?"}}},
    {{{KEEL_EQ_PARAMETER, "k", "2*x", 0}, X, T},
     {{1, F + 2, "'x' is a coordinate: a parameter may only use numbers and other parameters"}}},
    {{{KEEL_EQ_PARAMETER, "k", "2*d", 0}, {KEEL_EQ_DEFINITION, "d", "3", 0}, X, T},
     {{1, F + 2, "'d' is a definition: a parameter may only use numbers and other parameters"}}},
    {{{KEEL_EQ_PARAMETER, "k", "2*k2'", 0}, {KEEL_EQ_PARAMETER, "k2", "3", 0}, X, T},
     {{1, F + 2, "k2' is not available: a parameter is constant"}}},
    {{X, T, {KEEL_EQ_PARAMETER, "x", "1", 0}}, {{3, 1, "'x' is defined twice, first at line 1"}}},
    {{X, T, {KEEL_EQ_STATE, "x", "1", 0}, {KEEL_EQ_STATE_RATE, "x", "1", 0}},
     {{3, 1, "'x' is defined twice, first at line 1"}}},
    {{X, T, {KEEL_EQ_PARAMETER, "pi", "3", 0}},
     {{3, 1, "'pi' is a word of the language: choose another name"}}},
    {{X, T, {KEEL_EQ_COORDINATE, "lambda.x", "3", 0}},
     {{3, 1, "'lambda.x' is a word of the language: choose another name"}}},
};

static const wrong_model PLACES[] = {
    {{X, Y, TXY, {KEEL_EQ_COORDINATE, "w", "y", 0}},
     {{4, F, "'y' is a coordinate: a start value may only use numbers and parameters"}}},
    {{X, T, {KEEL_EQ_VELOCITY, "x", "2*t", 0}},
     {{3, F + 2, "'t' is the time: a start value may only use numbers and parameters"}}},
    {{X, T, {KEEL_EQ_HOLONOMIC, "c", "x - x'", 0}},
     {{3, F + 4, "x' is a velocity, so this is a velocity constraint: put it under nonholonomic"}}},
    {{X, T, {KEEL_EQ_DEFINITION, "d", "x'", 0}, {KEEL_EQ_HOLONOMIC, "c", "x - d", 0}},
     {{4, F + 4, "'d' depends on a velocity, so this is a velocity constraint: put it under nonholonomic"}}},
    {{X, T, {KEEL_EQ_DEFINITION, "d", "x'^2", 0}, {KEEL_EQ_FORCE, "x", "1 + d'", 0}},
     {{4, F + 4, "d' depends on an acceleration: only outputs may use it"}}},
    {{X, T, {KEEL_EQ_FORCE, "x", "-x''", 0}},
     {{3, F + 1, "x'' is an acceleration: only outputs may use it"}}},
    {{X, T, {KEEL_EQ_OUTPUT, "o", "x'''", 0}},
     {{3, F, "x''' is not available: there are no derivatives above the second"}}},
    {{X, T, {KEEL_EQ_HOLONOMIC, "c", "x", 0}, {KEEL_EQ_POTENTIAL, NULL, "lambda.c", 0}},
     {{4, F, "'lambda.c' is a multiplier: only forces and outputs may use it"}}},
    {{X, T, {KEEL_EQ_HOLONOMIC, "chain", "x", 0}, {KEEL_EQ_FORCE, "x", "lambda.chian", 0}},
     {{4, F, "there is no constraint 'chian'; did you mean 'lambda.chain'?"}}},
    {{X,
      {KEEL_EQ_STATE, "z", "0", 0},
      {KEEL_EQ_STATE_RATE, "z", "1", 0},
      {KEEL_EQ_KINETIC, NULL, "z*x'^2", 0}},
     {{4, F, "'z' is a state: the kinetic energy may only use coordinates, velocities and t"}}},
    {{X, T, {KEEL_EQ_POTENTIAL, NULL, "x'", 0}},
     {{3, F, "x' is a velocity: the potential energy may only use coordinates and t"}}},
    {{X, {KEEL_EQ_MASS, "x", "2 + x'", 0}},
     {{2, F + 4, "x' is a velocity: the mass matrix may only use coordinates and t"}}},
    {{X,
      T,
      {KEEL_EQ_AUXILIARY, "s", "0", 0},
      {KEEL_EQ_AUXILIARY_EQUATION, "e", "s-x", 0},
      {KEEL_EQ_OUTPUT, "o", "s'", 0}},
     {{5, F, "s' is not available: an auxiliary unknown has no derivative"}}},
    {{X, T, {KEEL_EQ_FORCE, "x", "velocty", 0}, {KEEL_EQ_DEFINITION, "velocity", "x'", 0}},
     {{3, F, "unknown name 'velocty'; did you mean 'velocity'?"}}},
    {{X, T, {KEEL_EQ_FORCE, "x", "2*\n  xx7", 0}}, {{4, 3, "unknown name 'xx7'"}}},
    {{X,
      T,
      {KEEL_EQ_DEFINITION, "a", "b + 1", 0},
      {KEEL_EQ_DEFINITION, "b", "a'", 0},
      {KEEL_EQ_FORCE, "x", "a", 0}},
     {{3, F, "these depend on each other: a -> b -> a"}}},
    {{X, T, {KEEL_EQ_STATE, "z", "0", 0}, {KEEL_EQ_STATE_RATE, "z", "z'", 0}},
     {{4, F, "z' depends on itself"}}},
};

static const wrong_model PIECES[] = {
    {{{KEEL_EQ_PARAMETER, "g", "1", 0}}, {{0, 0, "the model has no coordinates"}}},
    {{X}, {{0, 0, "the model has neither a kinetic energy nor a mass matrix"}}},
    {{X, T, {KEEL_EQ_MASS, "x", "1", 0}},
     {{3, 1, "a model has either a kinetic energy or a mass matrix, this one has both"}}},
    {{X, T, {KEEL_EQ_STATE, "z", "0", 0}}, {{3, 1, "state 'z' has no rate"}}},
    {{X,
      T,
      {KEEL_EQ_STATE, "zeta", "0", 0},
      {KEEL_EQ_STATE_RATE, "zeta", "1", 0},
      {KEEL_EQ_STATE_RATE, "zet", "1", 0}},
     {{5, 1, "there is no state 'zet'; did you mean 'zeta'?"}}},
    {{X,
      T,
      {KEEL_EQ_STATE, "z", "0", 0},
      {KEEL_EQ_STATE_RATE, "z", "1", 0},
      {KEEL_EQ_STATE_RATE, "z", "2", 0}},
     {{5, 1, "the rate of 'z' is given twice"}}},
    {{X, T, {KEEL_EQ_VELOCITY, "x", "1", 0}, {KEEL_EQ_VELOCITY, "x", "1", 0}},
     {{4, 1, "the start velocity of 'x' is given twice"}}},
    {{X, T, {KEEL_EQ_FORCE, "X", "1", 0}}, {{3, 1, "there is no coordinate 'X'; did you mean 'x'?"}}},
    {{X, T, {KEEL_EQ_PARAMETER, "g", "1", 0}, {KEEL_EQ_FORCE, "g", "1", 0}},
     {{4, 1, "'g' is a parameter, not a coordinate"}}},
    {{X, T, {KEEL_EQ_VELOCITY, "why", "1", 0}}, {{3, 1, "there is no coordinate 'why'"}}},
    {{X,
      T,
      {KEEL_EQ_AUXILIARY, "s", "0", 0},
      {KEEL_EQ_AUXILIARY, "w", "0", 0},
      {KEEL_EQ_AUXILIARY_EQUATION, "e", "s+w", 0}},
     {{4, 1, "2 auxiliary unknowns, but 1 auxiliary equation: there must be as many of each"}}},
    {{X, T, {KEEL_EQ_HOLONOMIC, "c", "x", 0}, {KEEL_EQ_NONHOLONOMIC, "c", "x'", 0}},
     {{4, 1, "'c' is defined twice, first at line 3"}}},
    {{X, T, {KEEL_EQ_OUTPUT, "x", "1", 0}},
     {{3, 1, "'x' is a coordinate and part of the results already: give the output another name"}}},
    {{X, T, {KEEL_EQ_HOLONOMIC, NULL, "x", 0}}, {{3, F, "this formula needs a name"}}},
    /* several at once, one for each entry */
    {{X,
      T,
      {KEEL_EQ_FORCE, "x", "1 +", 0},
      {KEEL_EQ_FORCE, "x", "foo + bar", 0},
      {KEEL_EQ_HOLONOMIC, "c", "x'", 0}},
     {{3, F + 3, "the formula ends after '+': a value is missing here"},
      {4, F, "unknown name 'foo'"},
      {5, F, "x' is a velocity, so this is a velocity constraint: put it under nonholonomic"}}},
};

static const wrong_model MATHEMATICS[] = {
    {{X, Y, TXY, {KEEL_EQ_KINETIC, NULL, "x'^2*y'", 0}},
     {{4, F,
       "the kinetic energy must be quadratic in the velocities: its second derivatives may not depend on "
       "them"}}},
    {{X, T, {KEEL_EQ_PARAMETER, "g", "1", 0}, {KEEL_EQ_HOLONOMIC, "c", "2*g - t", 0}},
     {{4, F, "constraint 'c' does not depend on any coordinate"}}},
    {{X, T, {KEEL_EQ_NONHOLONOMIC, "c", "2*x - t", 0}},
     {{3, F, "constraint 'c' does not depend on any velocity: put it under holonomic"}}},
    {{X, T, {KEEL_EQ_AUXILIARY, "s", "0", 0}, {KEEL_EQ_AUXILIARY_EQUATION, "e", "x - 1", 0}},
     {{4, F, "auxiliary equation 'e' does not depend on any auxiliary unknown"}}},
    {{X,
      T,
      {KEEL_EQ_AUXILIARY, "s", "0", 0},
      {KEEL_EQ_AUXILIARY, "w", "0", 0},
      {KEEL_EQ_AUXILIARY_EQUATION, "e", "s - x", 0},
      {KEEL_EQ_AUXILIARY_EQUATION, "f", "s - 2*x", 0}},
     {{4, 1, "the auxiliary equations do not determine 'w'"}}},
    {{X,
      T,
      {KEEL_EQ_AUXILIARY, "s", "1", 0},
      {KEEL_EQ_AUXILIARY_EQUATION, "e", "s - x'", 0},
      {KEEL_EQ_HOLONOMIC, "c", "x - s", 0}},
     {{4, F, "a constraint depends on 's', so its equation 'e' may not depend on a velocity"}}},
    {{X, T, {KEEL_EQ_AUXILIARY, "s", "0", 0}, {KEEL_EQ_AUXILIARY_EQUATION, "e", "s^2 - x", 0}},
     {{3, F, "the auxiliary equations do not determine 's' near its start value 0: choose another one"}}},
};

static const wrong_model START[] = {
    {{{KEEL_EQ_COORDINATE, "x", "0", 0}, T, {KEEL_EQ_HOLONOMIC, "rod", "1/x - 1", 0}},
     {{3, F, "division by zero or domain error: constraint 'rod' is not finite at the start"}}},
    {{{KEEL_EQ_COORDINATE, "x", "0", 0},
      T,
      {KEEL_EQ_FORCE, "x", "log(x)", 0},
      {KEEL_EQ_OUTPUT, "o", "1/x", 0},
      {KEEL_EQ_OUTPUT, "later", "1/x'", 0}},
     {{3, F, "division by zero or domain error: the force on 'x' is not finite at the start"},
      {4, F, "division by zero or domain error: output 'o' is not finite at the start"}}},
    {{{KEEL_EQ_COORDINATE, "x", "0", 0}, T, {KEEL_EQ_POTENTIAL, NULL, "1/x", 0}},
     {{3, F, "division by zero or domain error: the potential energy is not finite at the start"}}},
    {{{KEEL_EQ_COORDINATE, "x", "0", 0}, Y, TXY, {KEEL_EQ_HOLONOMIC, "rod", "sqrt(x) + y", 0}},
     {{4, F,
       "division by zero or domain error: a derivative of constraint 'rod' is not finite at the start"}}},
    {{{KEEL_EQ_COORDINATE, "x", "0", 0}, T, {KEEL_EQ_POTENTIAL, NULL, "sqrt(x)", 0}},
     {{1, 1, "division by zero or domain error: the equation of motion of 'x' is not finite at the start"}}},
    {{X, {KEEL_EQ_MASS, "x", "-2", 0}}, {{2, F, "the mass of 'x' is negative: -2"}}},
    {{X, Y, T}, {{2, 1, "'y' has no mass, and no constraint determines its motion"}}},
    {{X, Y, {KEEL_EQ_MASS, "x", "1", 0}, {KEEL_EQ_MASS, "y", "1", 0}, {KEEL_EQ_MASS, "x,y", "2*x", 0}},
     {{4, F, "the mass matrix is not positive definite at the start: look at the row of 'y'"}}},
    {{X, Y, {KEEL_EQ_KINETIC, NULL, "(x' + y')^2/2", 0}},
     {{2, 1,
       "the mass matrix is singular at the start, and no constraint makes up for it: look at the row of "
       "'y'"}}},
    {{X, Y, T, {KEEL_EQ_HOLONOMIC, "c", "x", 0}},
     {{2, 1, "'y' has no mass, and no constraint determines its motion"}}},
};

/* Adds the lines, compiles, and compares all messages. Frees the description. */
static void check_description(keel_equations *e, const line *lines, const message *messages, int count) {
    int line_count = 0;
    while (line_count < LINES_MAX && lines[line_count].text)
        line_count++;
    keel_diagnostics *d = keel_diagnostics_new();
    keel_system *system;
    keel_state *start;
    add_lines(e, lines, line_count);
    assert_int_equal(keel_equations_compile(e, d, &system, &start), KEEL_ERROR_INPUT);
    assert_null(system);
    assert_null(start);
    bool as_expected = keel_diagnostics_count(d) == count;
    for (int i = 0; i < count && as_expected; i++) {
        keel_diagnostic m = keel_diagnostics_get(d, i);
        as_expected = strcmp(m.text, messages[i].text) == 0 && m.where.line == messages[i].line &&
                      m.where.column == messages[i].column && strcmp(m.where.file, "model") == 0;
    }
    if (!as_expected) {
        print_message("got:\n");
        show(d);
        print_message("expected:\n");
        for (int i = 0; i < count; i++)
            print_message("model:%d:%d: %s\n", messages[i].line, messages[i].column, messages[i].text);
        fail();
    }
    keel_diagnostics_free(d);
    keel_equations_free(e);
}

static void check(const wrong_model *wrong) {
    int count = 0;
    while (count < MESSAGES_MAX && wrong->messages[count].text)
        count++;
    check_description(keel_equations_new(), wrong->lines, wrong->messages, count);
}

/* Repeat blocks: one block at the top, one inside it, and what goes wrong with them. */
typedef struct wrong_block {
    const char *from, *to, *variable, *inner_from, *inner_to, *inner_variable;
    line lines[LINES_MAX]; /* of block 0, 1 or 2 */
    message message;
} wrong_block;

static const wrong_block BLOCKS[] = {
    {"1",
     "N/2",
     "i",
     "1",
     "0",
     "j",
     {X, T, {KEEL_EQ_PARAMETER, "N", "5", 0}},
     {50, 5, "the range of 'i' must be whole numbers, but 'N/2' is 2.5"}},
    {"1", "M", "i", "1", "0", "j", {X, T, {KEEL_EQ_PARAMETER, "N", "5", 0}}, {50, 5, "unknown name 'M'"}},
    {"1",
     "x",
     "i",
     "1",
     "0",
     "j",
     {X, T},
     {50, 5,
      "'x' is a coordinate: the range of a repeat block may only use numbers, parameters and variables "
      "of outer blocks"}},
    {"1",
     "N",
     "i",
     "1",
     "0",
     "j",
     {X, T, {KEEL_EQ_PARAMETER, "N", "2*k", 0}, {KEEL_EQ_PARAMETER, "kk", "1", 0}},
     {3, F + 2, "unknown name 'k'; did you mean 'kk'?"}},
    {"1",
     "1e7",
     "i",
     "1",
     "0",
     "j",
     {X, T},
     {50, 5, "the model has more than 1000000 entries: is the range of the repeat block right?"}},
    {"1",
     "2000",
     "i",
     "1",
     "2000",
     "j",
     {X, T},
     {51, 5, "the model has more than 1000000 entries: is the range of the repeat block right?"}},
    {"1", "3", "i", "1", "i", "i", {X, T}, {51, 5, "'i' is already the variable of an outer repeat block"}},
    {"1", "3", "sin", "1", "0", "j", {X, T}, {50, 5, "'sin' cannot be the variable of a repeat block"}},
    {"1", "3", "2i", "1", "0", "j", {X, T}, {50, 5, "'2i' cannot be the variable of a repeat block"}},
    {"1",
     "3",
     "x",
     "1",
     "0",
     "j",
     {X, T},
     {50, 5, "'x' is the variable of a repeat block and also a coordinate"}},
    {"1",
     "N",
     "i",
     "1",
     "0",
     "j",
     {X, T, {KEEL_EQ_PARAMETER, "N", "p[1]", 0}, {KEEL_EQ_PARAMETER, "p[i]", "3", 1}},
     {3, F, "unknown name 'p[1]'"}},
    {"1",
     "3",
     "i",
     "1",
     "N",
     "j",
     {X, T, {KEEL_EQ_PARAMETER, "N", "p[2]", 0}, {KEEL_EQ_PARAMETER, "p[i]", "3", 1}},
     {51, 5, "'N' is needed here to expand the repeat blocks, but depends on a parameter inside one"}},
    {"1",
     "3",
     "i",
     "1",
     "0",
     "j",
     {X, T, {KEEL_EQ_COORDINATE, "y", "1", 1}},
     {3, 1, "'y' is defined again in each pass of the repeat block: give it an index, as in 'y[i]'"}},
    {"1",
     "3",
     "i",
     "1",
     "0",
     "j",
     {X, T, {KEEL_EQ_FORCE, "x", "x[i] + x", 1}},
     {3, F, "unknown name 'x[1]'"}},
    {"1",
     "3",
     "i",
     "1",
     "0",
     "j",
     {X, T, {KEEL_EQ_FORCE, "x[i", "1", 1}},
     {3, 4, "missing ']' to match '[' at column 2"}},
};

static const wrong_block INDICES[] = {
    {"1",
     "3",
     "i",
     "1",
     "0",
     "j",
     {T,
      {KEEL_EQ_COORDINATE, "x", "1", 0},
      {KEEL_EQ_COORDINATE, "y[i]", "1", 1},
      {KEEL_EQ_FORCE, "x", "y[i+1]", 1}},
     {4, F, "unknown name 'y[4]'; there are 'y[1]' to 'y[3]'"}},
    {"1",
     "1",
     "i",
     "1",
     "0",
     "j",
     {T,
      {KEEL_EQ_COORDINATE, "x", "1", 0},
      {KEEL_EQ_COORDINATE, "y[i]", "1", 1},
      {KEEL_EQ_FORCE, "y[i-1]", "1", 1}},
     {4, 1, "there is no coordinate 'y[0]'; there is 'y[1]'"}},
    {"1",
     "2",
     "i",
     "1",
     "0",
     "j",
     {X, T, {KEEL_EQ_HOLONOMIC, "c[i]", "x-i", 1}, {KEEL_EQ_FORCE, "x", "lambda.c[i+1]", 1}},
     {4, F, "there is no constraint 'c[3]'; there are 'lambda.c[1]' to 'lambda.c[2]'"}},
};

static void check_blocks(const wrong_block *b) {
    keel_equations *e = keel_equations_new();
    int outer = keel_equations_repeat(e, 0, b->variable, b->from, b->to, (keel_location){"model", 50, 5});
    keel_equations_repeat(e, outer, b->inner_variable, b->inner_from, b->inner_to,
                          (keel_location){"model", 51, 5});
    check_description(e, b->lines, &b->message, 1);
}

static void problems_with_repeat_blocks(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(BLOCKS); i++)
        check_blocks(&BLOCKS[i]);
    for (int i = 0; i < COUNT(INDICES); i++)
        check_blocks(&INDICES[i]);
}

#define TEST_GROUP(name, group)                                                                              \
    static void name(void **state) {                                                                         \
        (void)state;                                                                                         \
        for (int i = 0; i < COUNT(group); i++)                                                               \
            check(&(group)[i]);                                                                              \
    }

TEST_GROUP(wrong_parameters_and_names, PARAMETERS)
TEST_GROUP(names_where_they_may_not_be, PLACES)
TEST_GROUP(missing_and_superfluous_pieces, PIECES)
TEST_GROUP(mathematics_that_cannot_work, MATHEMATICS)
TEST_GROUP(problems_at_the_start, START)

/* The saddle-point matrix is regular although M is not. */
static void massless_points_are_fine_when_constrained(void **state) {
    (void)state;
    static const line POINT[] = {X, Y, T, {KEEL_EQ_HOLONOMIC, "c", "y - x^2", 0}};
    static const line SINGULAR[] = {
        X, Y, {KEEL_EQ_KINETIC, NULL, "(x' + y')^2/2", 0}, {KEEL_EQ_NONHOLONOMIC, "c", "y' - 2*x'", 0}};
    model a = compile_lines(POINT, COUNT(POINT)), b = compile_lines(SINGULAR, COUNT(SINGULAR));
    drop(&a);
    drop(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_parameters_and_names),
        cmocka_unit_test(names_where_they_may_not_be),
        cmocka_unit_test(missing_and_superfluous_pieces),
        cmocka_unit_test(mathematics_that_cannot_work),
        cmocka_unit_test(problems_at_the_start),
        cmocka_unit_test(problems_with_repeat_blocks),
        cmocka_unit_test(massless_points_are_fine_when_constrained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

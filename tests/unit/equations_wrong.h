/* equations_wrong.h - models that are wrong, with the messages they must get. Line i of a model has its name
 * at column 1 and its formula at column 40. */
#ifndef EQUATIONS_WRONG_H
#define EQUATIONS_WRONG_H

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

/* Adds the lines, compiles, and compares all messages. Frees the description. */
static inline void check_description(keel_equations *e, const line *lines, const message *messages,
                                     int count) {
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

static inline void check(const wrong_model *wrong) {
    int count = 0;
    while (count < MESSAGES_MAX && wrong->messages[count].text)
        count++;
    check_description(keel_equations_new(), wrong->lines, wrong->messages, count);
}

/* A test of all models of an array. */
#define TEST_GROUP(name, group)                                                                              \
    static void name(void **state) {                                                                         \
        (void)state;                                                                                         \
        for (int i = 0; i < COUNT(group); i++)                                                               \
            check(&(group)[i]);                                                                              \
    }

#endif

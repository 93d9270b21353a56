/* YAML as a tree: the exact text and place of formulas, limits, and messages for YAML that is broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "modelfile/yaml.h"

typedef struct tree {
    ki_arena arena;
    keel_diagnostics *list;
    keel_status status;
    ki_yaml *root;
} tree;

static tree read_bytes(const char *text, size_t length) {
    tree t = {.list = keel_diagnostics_new()};
    ki_arena_init(&t.arena);
    ki_source source = {"m.yaml", text, length};
    t.root = ki_yaml_read(&source, &t.arena, t.list, &t.status);
    return t;
}

static tree read_text(const char *text) {
    return read_bytes(text, strlen(text));
}

static void end_tree(tree *t) {
    ki_arena_free(&t->arena);
    keel_diagnostics_free(t->list);
}

/* A value of the root map, the formula that is handed on, and where it begins. */
static const struct {
    const char *text, *formula;
    int line, column;
} FORMULAS[] = {
    {"a: x + 1\n", "x + 1", 1, 4},
    {"a:   x + 1   # comment\n", "x + 1", 1, 6},
    {"a:\n  x + 1\n", "x + 1", 2, 3},
    {"a: x\n  + 1\n  + 2\nb: 3\n", "x\n  + 1\n  + 2", 1, 4},
    {"a: x\r\n  + 1\r\nb: 3\r\n", "x\r\n  + 1", 1, 4},
    {"a: \"x + 1\"\n", "x + 1", 1, 5},
    {"a: \"x\n  + 1\"\n", "x\n  + 1", 1, 5},
    {"a: 'x + 1'\n", "x + 1", 1, 5},
    {"a: \"x\\x2B 1\"\n", "x+ 1", 1, 5}, /* an escape: the value, at the place where the text begins */
    {"a: 'x''+ 1'\n", "x'+ 1", 1, 5},
    {"a: |\n  x\n  + 1\nb: 3\n", "  x\n  + 1", 2, 1},
    {"a: >-\n\n   x\n   + 1\n", "\n   x\n   + 1", 2, 1},
    {"{b: 1, a: f(x, y[1]), c: 2}\n", "f(x, y[1])", 1, 11},
    {"{b: 1, a: f(x,\n  y), c: 2}\n", "f(x,\n  y)", 1, 11},
    {"\xC3\xA4: 1\n\xC3\xB6\xC3\xBC: 1\na: x\n", "x", 3, 4},
    {"{\xC3\xB6\xC3\xBC: 1, a: x}\n", "x", 1, 12},
    {"\xEF\xBB\xBF"
     "a: x\n",
     "x", 1, 4},
    {"a: yes\n", "yes", 1, 4},
    {"a: -1e-3\n", "-1e-3", 1, 4},
    {"---\na: x\n...\n", "x", 2, 4},
};

static void formulas_are_as_in_the_file(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof FORMULAS / sizeof *FORMULAS; i++) {
        tree t = read_text(FORMULAS[i].text);
        assert_non_null(t.root);
        assert_int_equal(t.root->kind, KI_YAML_MAP);
        const ki_yaml *a = t.root->first;
        while (a && strcmp(a->key, "a") != 0)
            a = a->next;
        assert_non_null(a);
        assert_string_equal(a->formula, FORMULAS[i].formula);
        assert_int_equal(a->formula_at.line, FORMULAS[i].line);
        assert_int_equal(a->formula_at.column, FORMULAS[i].column);
        end_tree(&t);
    }
}

static void texts_are_decoded(void **state) {
    (void)state;
    static const char *const TEXTS[][2] = {
        {"a: one\n  two\n\n  three  four\n", "one two three  four"},
        {"a: 'it''s  so'", "it's  so"},
        {"a: '\'\'\'\'\'\'\'\'\'\'\'\'\'\'\'\'\'\'\'\''", "\'\'\'\'\'\'\'\'\'\'"},
        {"a: \"\\\"\\\\\\/ \\x41\\u00e9\\u20AC\\U0001F6B2\"", "\"\\/ A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x9A\xB2"},
        {"a: \"one \\\n   two\n  three\"", "one two three"},
        {"a: \"x\\0y\\n\\x1b[31mz\"", "x y  [31mz"}, /* no control characters */
        {"a: |\n  one\n  two\n", "one two"},
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        tree t = read_text(TEXTS[i][0]);
        assert_non_null(t.root);
        assert_string_equal(t.root->first->text, TEXTS[i][1]);
        end_tree(&t);
    }
}

static void knows_missing_values(void **state) {
    (void)state;
    static const char *const TEXTS[] = {"a:\nb: 1\n", "a: ~\n", "a: null\n", "{a: , b: 1}\n", "{a}\n", "a:"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        tree t = read_text(TEXTS[i]);
        assert_non_null(t.root);
        assert_int_equal(t.root->first->kind, KI_YAML_MISSING);
        assert_int_equal(t.root->first->at.line, 1);
        assert_int_equal(t.root->first->at.column, TEXTS[i][0] == '{' ? 2 : 1);
        end_tree(&t);
    }
    tree t = read_text("a: \"null\"\n"); /* quoted, it is a text */
    assert_int_equal(t.root->first->kind, KI_YAML_TEXT);
    end_tree(&t);
}

static void names_both_places_of_a_duplicate(void **state) {
    (void)state;
    tree t = read_text("a: 1\nb: {x: 1, y: 2, x: 3}\nc: 1\na: 2\n");
    assert_non_null(t.root); /* further problems can be looked for */
    assert_int_equal(t.status, KEEL_ERROR_INPUT);
    assert_int_equal(keel_diagnostics_count(t.list), 2);
    keel_diagnostic first = keel_diagnostics_get(t.list, 0), second = keel_diagnostics_get(t.list, 1);
    assert_int_equal(first.where.line, 2);
    assert_int_equal(first.where.column, 17);
    assert_non_null(strstr(first.text, "'x' is here for the second time: it was given in line 2"));
    assert_int_equal(second.where.line, 4);
    assert_non_null(strstr(second.text, "'a' is here for the second time: it was given in line 1"));
    end_tree(&t);
}

/* What is refused, with place and a part of the message. */
static const struct {
    const char *text;
    int line, column;
    const char *message;
} BROKEN[] = {
    {"", 1, 1, "the file is empty"},
    {"# only\n  # comments\n", 1, 1, "only comments"},
    {"a:\n\tb: 1\n", 2, 1, "a tab is used for indentation"},
    {"a: 1\n \tb: 1\n", 2, 2, "a tab is used for indentation"},
    {"a: {x: 1, y: 2\nb: 3\n", 2, 2, "the '{' of line 1, column 4 is still open"},
    {"a: {x: 1, y: 2\n", 1, 4, "this '{' is not closed"},
    {"a: [1, 2", 1, 4, "this '[' is not closed"},
    {"a: [1}\n", 1, 6, "',' or ']' expected"},
    {"a: {x: 1}}\n", 1, 10, "this '}' closes nothing"},
    {"a: {x: 1,, y: 2}\n", 1, 10, "a comma too many"},
    {"a:\n  x:1\n  y: 2\n", 2, 3, "is a blank missing after a colon"},
    {"a: b: c\n", 1, 5, "a second ': ' in the same line"},
    {"a:\n  b: 1\n c: 2\n", 3, 2, "indented differently"},
    {"a: \"b\nc: 1\n", 1, 5, "the quote \" that begins here is not closed"},
    {"a: 'b\n", 1, 5, "the quote ' that begins here is not closed"},
    {"a: \"b\" c\n", 1, 8, "text follows a closing quote"},
    {"a: @b\n", 1, 4, "put it in quotes"},
    {"a: - b\n", 1, 4, "wants no blank after the '-'"},
    {"a: 1\nb\nc: 1\n", 2, 1, "a ':' is missing"},
    {"a: \"\\q\"\n", 1, 5, "not valid YAML: invalid escape 'q'"},
    {"a: *b\n", 1, 4, "aliases (*name) are not part"},
    {"a: &b 1\n", 1, 4, "anchors (&name) are not part"},
    {"a: &b {x: 1}\n", 1, 4, "anchors (&name) are not part"},
    {"a: !!float 1\n", 1, 4, "tags (!name) are not part"},
    {"a: 1\n---\nb: 1\n", 2, 1, "a second YAML document"},
    {"? {a: 1}\n: 2\n", 1, 3, "a key must be a text"},
    {"[a]: 2\n", 1, 1, "a key must be a text"},
    {": 2\n", 1, 1, "a key is missing"},
};

static void tells_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof BROKEN / sizeof *BROKEN; i++) {
        tree t = read_text(BROKEN[i].text);
        assert_null(t.root);
        assert_int_equal(t.status, KEEL_ERROR_INPUT);
        assert_int_equal(keel_diagnostics_count(t.list), 1);
        keel_diagnostic message = keel_diagnostics_get(t.list, 0);
        if (!strstr(message.text, BROKEN[i].message) || message.where.line != BROKEN[i].line ||
            message.where.column != BROKEN[i].column)
            fail_msg("case %zu: %d:%d: %s", i, message.where.line, message.where.column, message.text);
        end_tree(&t);
    }
}

/* `count` times a piece of text. */
static char *many(const char *before, const char *piece, size_t count, size_t *length) {
    size_t a = strlen(before), b = strlen(piece);
    char *text = malloc(a + b * count);
    memcpy(text, before, a);
    for (size_t i = 0; i < count; i++)
        memcpy(text + a + b * i, piece, b);
    *length = a + b * count;
    return text;
}

static void keeps_to_its_limits(void **state) {
    (void)state;
    static const struct {
        const char *before, *piece;
        size_t count;
        const char *message;
    } CASES[] = {
        {"a: ", "[", 10000, "nested more than 64 deep"},
        {"a: ", "{a: ", 10000, "nested more than 64 deep"},
        {"", "- ", 10000, "nested more than 64 deep"},
        {"a: ", "x+", KI_YAML_MAX_TEXT, "a single text of"},
        {"a: \"", "x\\n", 10000, "is not closed"},
        {"a: [", "x,", KI_YAML_MAX_NODES + 10, "more than 1048576 entries"},
        {"a: {", "(x,", 300000, "is not closed"}, /* parentheses that stay open: no quadratic effort */
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        size_t length;
        char *text = many(CASES[i].before, CASES[i].piece, CASES[i].count, &length);
        tree t = read_bytes(text, length);
        assert_null(t.root);
        assert_int_equal(t.status, KEEL_ERROR_INPUT);
        assert_non_null(strstr(keel_diagnostics_get(t.list, 0).text, CASES[i].message));
        end_tree(&t);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_as_in_the_file), cmocka_unit_test(texts_are_decoded),
        cmocka_unit_test(knows_missing_values),        cmocka_unit_test(names_both_places_of_a_duplicate),
        cmocka_unit_test(tells_what_is_wrong),         cmocka_unit_test(keeps_to_its_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

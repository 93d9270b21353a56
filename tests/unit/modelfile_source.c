/* The text of a model file: is it text, where is what, and formulas inside { }. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "modelfile/source.h"

static ki_source source_of(const char *text) {
    return (ki_source){"m.yaml", text, strlen(text)};
}

static void places_count_characters(void **state) {
    (void)state;
    ki_source unix_text = source_of("a: \xC3\xA4 b\nc");
    assert_int_equal(ki_source_place(&unix_text, 6).column, 6); /* the two bytes of ä are one character */
    assert_int_equal(ki_source_place(&unix_text, 8).line, 2);
    assert_int_equal(ki_source_place(&unix_text, 8).column, 1);
    ki_source dos_text = source_of("a\r\nb\r\nc");
    assert_int_equal(ki_source_place(&dos_text, 6).line, 3);
    assert_int_equal(ki_source_place(&dos_text, 6).column, 1);
    assert_int_equal(ki_source_place(&dos_text, 1000).line, 3);
}

/* One byte sequence that is refused, and where. */
static const struct {
    const char *bytes;
    size_t length;
    int line, column;
    const char *message;
} NO_TEXT[] = {
    {"keel: 1\nx\0y", 11, 2, 2, "byte 0x00 is a control character"},
    {"\x7F"
     "ELF",
     4, 1, 1, "byte 0x7F is a control character"},
    {"name: caf\xE9", 10, 1, 10, "byte 0xE9 is not valid UTF-8"},
    {"\xC3\xA4\xC3", 3, 1, 2, "byte 0xC3 is not valid UTF-8"},     /* cut off in the middle of a character */
    {"\xC0\xAF", 2, 1, 1, "byte 0xC0 is not valid UTF-8"},         /* '/' in two bytes */
    {"\xED\xA0\x80", 3, 1, 1, "byte 0xED is not valid UTF-8"},     /* a surrogate */
    {"\xF4\x90\x80\x80", 4, 1, 1, "byte 0xF4 is not valid UTF-8"}, /* beyond U+10FFFF */
    {"\xFF", 1, 1, 1, "byte 0xFF is not valid UTF-8"},
    {"a\xC2\x80", 3, 1, 2, "byte 0xC2 is a control character"},
    {"\xFF\xFEk\0", 4, 1, 1, "UTF-16"},
    {"\xFE\xFF\0k", 4, 1, 1, "UTF-16"},
};

static void refuses_what_is_no_text(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof NO_TEXT / sizeof *NO_TEXT; i++) {
        keel_diagnostics *list = keel_diagnostics_new();
        ki_source source = {"m.yaml", NO_TEXT[i].bytes, NO_TEXT[i].length};
        assert_false(ki_source_check(&source, list));
        assert_int_equal(keel_diagnostics_count(list), 1);
        keel_diagnostic message = keel_diagnostics_get(list, 0);
        assert_non_null(strstr(message.text, NO_TEXT[i].message));
        assert_int_equal(message.where.line, NO_TEXT[i].line);
        assert_int_equal(message.where.column, NO_TEXT[i].column);
        keel_diagnostics_free(list);
    }
}

static void accepts_text_of_any_language(void **state) {
    (void)state;
    keel_diagnostics *list = keel_diagnostics_new();
    ki_source source =
        source_of("\xEF\xBB\xBFname: \xD0\x9C\xD0\xB0\xD1\x8F\xE2\x82\xAC\xF0\x9F\x9B\xB6\t\r\n");
    assert_true(ki_source_check(&source, list));
    assert_int_equal(keel_diagnostics_count(list), 0);
    keel_diagnostics_free(list);
}

/* Original and what the YAML parser gets to see. */
static const char *const MASKED[][2] = {
    {"{a: f(x, y), b: 1}", "{a: f(x_ y), b: 1}"},
    {"{a: x[i], x[i+1]: 2}", "{a: x_i_, x_i+1_: 2}"},
    {"{a: f(x[1, 2], (y, z)), c: 3}", "{a: f(x_1_ 2__ (y_ z)), c: 3}"},
    {"[f(x, y), [a, b], {c: g(d, e)}]", "[f(x_ y), [a, b], {c: g(d_ e)}]"},
    {"a: {b: f(x,\n  y),\n  c: 1}\n", "a: {b: f(x_\n  y),\n  c: 1}\n"},
    {"- {a: f(x, y)}\n", "- {a: f(x_ y)}\n"},
    {"--- {a: f(x, y)}\n", "--- {a: f(x_ y)}\n"},
    /* what is no plain text in flow style stays as it is */
    {"a: f(x, y)\nb: [1, 2]", "a: f(x, y)\nb: [1, 2]"},
    {"{a: \"f(x, y)\", b: 'g(x, ''y)'}", "{a: \"f(x, y)\", b: 'g(x, ''y)'}"},
    {"{a: 1, # f(x, y)\n b: x'^2}", "{a: 1, # f(x, y)\n b: x'^2}"},
    {"a: |\n  {b: f(x, y)}\nc: 1", "a: |\n  {b: f(x, y)}\nc: 1"},
    {"a: text\n  {b: f(x, y)}\nc: {d: f(x, y)}", "a: text\n  {b: f(x, y)}\nc: {d: f(x_ y)}"},
    {"a: x' + y'\nb: {c: z'*f(x, y)}", "a: x' + y'\nb: {c: z'*f(x_ y)}"},
    /* parentheses that are not closed */
    {"{a: f(x, b: 1}", "{a: f(x, b: 1}"},
    {"{a: (x, y}", "{a: (x, y}"},
    {"{a: f((x, y), b: {c: g(1, 2)}}", "{a: f((x, y), b: {c: g(1_ 2)}}"},
    {"{a: x), b: 1}", "{a: x), b: 1}"},
    {"{", "{"},
    {"{a", "{a"},
    {"{a: (", "{a: ("},
    {"{'", "{'"},
    {"", ""},
};

static void masks_formulas_in_flow_style(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof MASKED / sizeof *MASKED; i++) {
        ki_arena arena;
        ki_arena_init(&arena);
        ki_source source = source_of(MASKED[i][0]);
        char *masked = ki_source_mask(&source, &arena);
        assert_non_null(masked);
        assert_string_equal(masked, MASKED[i][1]);
        ki_arena_free(&arena);
    }
}

static void shortens_between_characters(void **state) {
    (void)state;
    char buffer[KI_BRIEF], text[200];
    assert_string_equal(ki_brief("short", buffer), "short");
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    memcpy(text + 58, "\xE2\x82\xAC", 3); /* would be cut after 60 bytes */
    const char *brief = ki_brief(text, buffer);
    assert_int_equal(strlen(brief), 61);
    assert_string_equal(brief + 57, "a...");
}

static void tells_why_a_file_cannot_be_read(void **state) {
    (void)state;
    static const char *const PATHS[][2] = {
        {"/nonexistent/model.yaml", "cannot open '/nonexistent/model.yaml': No such file or directory"},
        {"/", "cannot read '/': Is a directory"},
    };
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++) {
        keel_diagnostics *list = keel_diagnostics_new();
        char *text;
        size_t length;
        assert_int_equal(ki_source_load(PATHS[i][0], list, &text, &length), KEEL_ERROR_IO);
        assert_null(text);
        assert_string_equal(keel_diagnostics_get(list, 0).text, PATHS[i][1]);
        assert_string_equal(keel_diagnostics_get(list, 0).where.file, PATHS[i][0]);
        assert_int_equal(keel_diagnostics_get(list, 0).where.line, 0);
        keel_diagnostics_free(list);
    }
}

static void stops_reading_a_file_without_end(void **state) {
    (void)state;
    keel_diagnostics *list = keel_diagnostics_new();
    char *text;
    size_t length;
    assert_int_equal(ki_source_load("/dev/zero", list, &text, &length), KEEL_ERROR_INPUT);
    assert_null(text);
    assert_string_equal(keel_diagnostics_get(list, 0).text,
                        "the file is larger than 64 MB: this is not a model file");
    keel_diagnostics_free(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_count_characters),          cmocka_unit_test(refuses_what_is_no_text),
        cmocka_unit_test(accepts_text_of_any_language),     cmocka_unit_test(masks_formulas_in_flow_style),
        cmocka_unit_test(shortens_between_characters),      cmocka_unit_test(tells_why_a_file_cannot_be_read),
        cmocka_unit_test(stops_reading_a_file_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

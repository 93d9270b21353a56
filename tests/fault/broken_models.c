/* Broken model files: each gets the message it deserves, at its place; none crashes or leaks.
 *
 * The files of tests/broken say in their first lines what is expected of them:
 *
 *     # expect: 7:14: unknown name 'lenght'; did you mean 'length'?
 *     # expect: a message without a place
 *
 * The text is a part of a message at that line and column. Files that would be large or are no text are made
 * here.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keel/modelfile.h"
#include "keel/run.h"

#define FOLDER KEEL_SOURCE_DIR "/tests/broken"

/* What `keel check` does up to the first failure: read, then make the start consistent. */
static keel_status try_file(const char *path, keel_diagnostics *list) {
    keel_status status;
    keel_model *model = keel_model_read(path, NULL, 0, list, &status);
    if (!model)
        return status;
    keel_simulation_free(keel_simulation_new(model->system, model->start, model->velocities_given,
                                             &model->settings, list, &status));
    keel_model_free(model);
    return status;
}

static void show(const char *path, const keel_diagnostics *list) {
    for (int i = 0; i < keel_diagnostics_count(list); i++) {
        keel_diagnostic message = keel_diagnostics_get(list, i);
        print_message("  %s:%d:%d: %s\n", path, message.where.line, message.where.column, message.text);
    }
}

static int has_message(const keel_diagnostics *list, const char *path, int line, int column,
                       const char *text) {
    for (int i = 0; i < keel_diagnostics_count(list); i++) {
        keel_diagnostic message = keel_diagnostics_get(list, i);
        int in_file = message.where.file && strcmp(message.where.file, path) == 0;
        if (message.severity == KEEL_ERROR && (in_file || line == 0) && message.where.line == line &&
            message.where.column == column && strstr(message.text, text))
            return 1;
    }
    return 0;
}

/* Checks one line `# expect: ...` of a file; 0 if it is something else. */
static int check_expectation(const char *path, char *line, const keel_diagnostics *list) {
    static const char BEGIN[] = "# expect: ";
    if (strncmp(line, BEGIN, sizeof BEGIN - 1) != 0)
        return 0;
    line[strcspn(line, "\r\n")] = '\0';
    const char *text = line + sizeof BEGIN - 1;
    int at_line = 0, at_column = 0, used = 0;
    if (sscanf(text, "%d:%d: %n", &at_line, &at_column, &used) == 2 && used > 0)
        text += used;
    else
        at_line = at_column = 0;
    assert_true(strlen(text) > 5);
    if (!has_message(list, path, at_line, at_column, text)) {
        show(path, list);
        fail_msg("%s: expected %d:%d: %s", path, at_line, at_column, text);
    }
    return 1;
}

static void check_file(const char *path) {
    keel_diagnostics *list = keel_diagnostics_new();
    keel_status status = try_file(path, list);
    if (status != KEEL_ERROR_INPUT && status != KEEL_ERROR_START)
        fail_msg("%s: %s", path, keel_status_word(status));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[1024];
    int expectations = 0;
    while (fgets(line, sizeof line, file) && check_expectation(path, line, list))
        expectations++;
    fclose(file);
    assert_true(expectations > 0);
    keel_diagnostics_free(list);
}

static void every_file_gets_its_message(void **state) {
    (void)state;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    int files = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        char path[1024];
        if (!dot || strcmp(dot, ".yaml") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", FOLDER, entry->d_name);
        check_file(path);
        files++;
    }
    closedir(folder);
    assert_true(files >= 100);
}

/* A text as a model file; expects one message at a place. */
static void expect_one(const char *text, size_t length, int line, int column, const char *expected) {
    keel_diagnostics *list = keel_diagnostics_new();
    keel_status status;
    keel_model *model = keel_model_parse("made.yaml", text, length, NULL, 0, list, &status);
    assert_null(model);
    assert_int_equal(status, KEEL_ERROR_INPUT);
    if (!has_message(list, "made.yaml", line, column, expected)) {
        show("made.yaml", list);
        fail_msg("expected %d:%d: %s", line, column, expected);
    }
    keel_diagnostics_free(list);
}

static void an_empty_file(void **state) {
    (void)state;
    expect_one("", 0, 1, 1, "the file is empty: a model begins with 'keel: 1'");
}

static void a_binary_file(void **state) {
    (void)state;
    static const char PNG[] = "\x89PNG\r\n\x1A\n\0\0\0\rIHDR";
    expect_one(PNG, sizeof PNG, 1, 1, "does not look like a text file: the byte 0x89 is not valid UTF-8");
    static const char ELF[] = "\x7F"
                              "ELF\2\1\1\0\0\0\0";
    expect_one(ELF, sizeof ELF, 1, 1, "does not look like a text file: the byte 0x7F is a control character");
}

/* A model with `count` times `piece` in the place of a start value, at line 5, column 8. */
static char *repeated(const char *piece, size_t count, size_t *length) {
    static const char BEGIN[] = "keel: 1\nequations:\n  kinetic: x'^2/2\n  coordinates:\n    x: ";
    size_t a = sizeof BEGIN - 1, b = strlen(piece);
    char *text = malloc(a + count * b + 1);
    assert_non_null(text);
    memcpy(text, BEGIN, a);
    for (size_t i = 0; i < count; i++)
        memcpy(text + a + i * b, piece, b);
    text[a + count * b] = '\n';
    *length = a + count * b + 1;
    return text;
}

static void expect_of_repeated(const char *piece, size_t count, int column, const char *expected) {
    size_t length;
    char *text = repeated(piece, count, &length);
    expect_one(text, length, 5, column, expected);
    free(text);
}

static void a_line_of_ten_megabytes(void **state) {
    (void)state;
    static const char TOO_LONG[] = "a single text of 10000000 bytes: the limit is 1048576";
    expect_of_repeated("1+", 5000000, 8, TOO_LONG);
    expect_of_repeated("a", 10000000, 8, TOO_LONG);
    expect_of_repeated("((((((((((", 1000000, 8, TOO_LONG);
    expect_of_repeated("[1,2],", 1700000, 13, "a new key is expected here");
}

static void deep_nesting(void **state) {
    (void)state;
    expect_of_repeated("[", 10000, 69, "maps and lists are nested more than 64 deep");
    expect_of_repeated("{a: ", 10000, 252, "maps and lists are nested more than 64 deep");
    expect_of_repeated("(", 10000, 264, "nested more than 256 levels deep");
    expect_of_repeated("-", 10000, 264, "nested more than 256 levels deep");
    expect_of_repeated("2^", 10000, 521, "nested more than 256 levels deep");
    expect_of_repeated("sin(", 10000, 1032, "nested more than 256 levels deep");
}

/* A model that uses every section. */
static const char COMPLETE[] = "keel: 1\n"
                               "name: 'all of it'\n"
                               "parameters: {m: 2, N: 2, L: sqrt(2)}\n"
                               "equations:\n"
                               "  coordinates: {x: 1, y: -1}\n"
                               "  velocities: {x: 1, y: 1}\n"
                               "  definitions: {r: \"hypot(x, y)\"}\n"
                               "  mass: {x: m, y: m, \"x,y\": 0.1}\n"
                               "  potential: >\n"
                               "    9.81*y\n"
                               "    + (r - L)^2\n"
                               "  forces: {x: -f + 0.1*lambda.rod}\n"
                               "  holonomic: {rod: x^2 + y^2 - L^2}\n"
                               "  invariants: {h: energy - f, \"m\": x*y' - y*x'}\n"
                               "  states: {f: {start: 0, rate: x - f}}\n"
                               "  auxiliary: {s: 1}\n"
                               "  auxiliary_equations: {c: s - x}\n"
                               "  repeat:\n"
                               "    - for: {i: 1..N}\n"
                               "      coordinates: {u[i]: 0}\n"
                               "      mass: {u[i]: m}\n"
                               "      nonholonomic: {roll[i]: u[i]' - x'}\n"
                               "outputs: {a: atan2(x, y), repeat: {for: {i: 1..N}, b[i]: u[i]''}}\n"
                               "simulate: {until: 2*m, method: auto, tolerance: 1e-6}\n";

/* Reads a text that may or may not be a model: the only question is whether the answer is one of the two. */
static int is_model(const char *text, size_t length) {
    keel_diagnostics *list = keel_diagnostics_new();
    keel_status status;
    /* a block of its exact size, so that reading beyond the end is found by the sanitizers */
    char *copy = malloc(length + !length);
    assert_non_null(copy);
    memcpy(copy, text, length);
    keel_model *model = keel_model_parse("made.yaml", copy, length, NULL, 0, list, &status);
    free(copy);
    int good = model != NULL;
    if (good)
        assert_int_equal(status, KEEL_OK);
    else
        assert_int_equal(status, KEEL_ERROR_INPUT);
    assert_int_equal(keel_diagnostics_errors(list) == 0, good);
    keel_model_free(model);
    keel_diagnostics_free(list);
    return good;
}

static void truncated_at_every_byte(void **state) {
    (void)state;
    size_t length = sizeof COMPLETE - 1;
    assert_true(is_model(COMPLETE, length));
    int models = 0;
    for (size_t n = 0; n < length; n++)
        models += is_model(COMPLETE, n);
    /* complete without `simulate`, without `outputs`, ... but hardly ever in the middle of a line */
    assert_in_range(models, 1, length / 4);
}

static void one_byte_wrong_at_every_place(void **state) {
    (void)state;
    static const char REPLACEMENTS[] = "\n\t :{[(',\"0*&\x80";
    size_t length = sizeof COMPLETE - 1;
    char text[sizeof COMPLETE];
    for (size_t n = 0; n < length; n++) {
        memcpy(text, COMPLETE, length);
        text[n] = REPLACEMENTS[n % (sizeof REPLACEMENTS - 1)];
        is_model(text, length);
        memmove(text + n, COMPLETE + n + 1, length - n - 1); /* or left out */
        is_model(text, length - 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_gets_its_message),
        cmocka_unit_test(an_empty_file),
        cmocka_unit_test(a_binary_file),
        cmocka_unit_test(a_line_of_ten_megabytes),
        cmocka_unit_test(deep_nesting),
        cmocka_unit_test(truncated_at_every_byte),
        cmocka_unit_test(one_byte_wrong_at_every_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

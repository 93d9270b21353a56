/* Model files with one word changed: whatever comes of it, it is a model, or messages at places in the file.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keel/modelfile.h"

enum { CHANGES = 10000, MOST_BYTES = 6000, MOST_FILES = 400 };

static const char *const FOLDERS[] = {KEEL_SOURCE_DIR "/models", KEEL_SOURCE_DIR "/tests/stiff",
                                      KEEL_SOURCE_DIR "/tests/broken"};

/* What is put in the place of a word: other kinds of values, numbers that are out of range, names of nothing,
 * signs that mean something to YAML or to formulas. */
static const char *const WORDS[] = {"",
                                    "0",
                                    "-1",
                                    "1e999",
                                    "1/0",
                                    "nan",
                                    "2*",
                                    "x",
                                    "nothing_like_it",
                                    "t",
                                    "[]",
                                    "{}",
                                    "[1]",
                                    "[1, 2]",
                                    "[1, 2, 3]",
                                    "[[1, 0], [0, 1]]",
                                    "{a: 1}",
                                    "{1: 2}",
                                    "~",
                                    "yes",
                                    "\"\"",
                                    "\"x",
                                    "'",
                                    "&a",
                                    "*a",
                                    "!!int",
                                    "|",
                                    "- 1",
                                    "a: b",
                                    "# ",
                                    "x'",
                                    "x''",
                                    "q[1]",
                                    "q[",
                                    "sum(i, 1, 3, i)",
                                    "if(1, 2)",
                                    "ground",
                                    "auto",
                                    "\xc3\xa9",
                                    "\xff",
                                    "1e-300",
                                    "1000000",
                                    "a.b",
                                    "a-b",
                                    "[x, y, z]",
                                    "?",
                                    "%",
                                    "@",
                                    "..",
                                    "1..3"};
enum { WORD_COUNT = sizeof WORDS / sizeof *WORDS };

static uint64_t random_state = 88172645463325252u;

static int below(int count) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)((random_state >> 11) % (uint64_t)count);
}

static char *text_of[MOST_FILES];
static int file_count;

static void read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, MOST_BYTES + 1);
    size_t length = fread(text, 1, MOST_BYTES, file);
    fclose(file);
    if (length == 0 || length == MOST_BYTES || file_count == MOST_FILES)
        free(text);
    else
        text_of[file_count++] = text;
}

static void read_folder(const char *name) {
    DIR *folder = opendir(name);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        char path[1024];
        if (!dot || strcmp(dot, ".yaml") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
        read_file(path);
    }
    closedir(folder);
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_all(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++)
        read_folder(FOLDERS[i]);
    qsort(text_of, (size_t)file_count, sizeof *text_of, compare_texts); /* in any file system the same */
    return file_count > 100 ? 0 : 1;
}

static int free_all(void **state) {
    (void)state;
    for (int i = 0; i < file_count; i++)
        free(text_of[i]);
    return 0;
}

static const char SEPARATORS[] = " \n,:{}[]#\"'";

/* `text` with a word replaced. */
static void change(const char *text, char *out, size_t size) {
    size_t length = strlen(text), at = (size_t)below((int)length);
    while (at < length && strchr(SEPARATORS, text[at]))
        at++;
    size_t from = at, to = at;
    while (from > 0 && !strchr(SEPARATORS, text[from - 1]))
        from--;
    while (to < length && !strchr(SEPARATORS, text[to]))
        to++;
    const char *word = WORDS[below(WORD_COUNT)];
    bool whole_value = below(3) == 0; /* up to the end of the line */
    while (whole_value && to < length && text[to] != '\n')
        to++;
    snprintf(out, size, "%.*s%s%s", (int)from, text, word, text + to);
}

static void show(const char *text, keel_diagnostic d) {
    print_error("%s\n%d:%d: %s\n", text, d.where.line, d.where.column, d.text);
}

/* A message has words, and its place, if it has one, is in the text. */
static void check_message(const char *text, keel_diagnostic d) {
    int lines = 1;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    bool good = strlen(d.text) > 8 && !strstr(d.text, "(null)");
    if (d.where.line != 0) {
        good = good && d.where.file && strcmp(d.where.file, "changed.yaml") == 0;
        good = good && d.where.line >= 1 && d.where.line <= lines + 1 && d.where.column >= 1;
        good = good && d.where.column <= MOST_BYTES;
    }
    if (!good) {
        show(text, d);
        fail();
    }
}

static void every_change_is_understood_or_told(void **state) {
    (void)state;
    static char text[2 * MOST_BYTES];
    int models = 0, refused = 0, without_place = 0;
    for (int turn = 0; turn < CHANGES; turn++) {
        change(text_of[below(file_count)], text, sizeof text);
        keel_status status;
        keel_diagnostics *list = keel_diagnostics_new();
        keel_model *model = keel_model_parse("changed.yaml", text, strlen(text), NULL, 0, list, &status);
        assert_true(!model == (status < 0));
        for (int i = 0; i < keel_diagnostics_count(list); i++)
            check_message(text, keel_diagnostics_get(list, i));
        if (model) {
            models++;
            assert_int_equal(keel_diagnostics_errors(list), 0);
        } else {
            refused++;
            if (status != KEEL_ERROR_INPUT || keel_diagnostics_errors(list) == 0) {
                print_error("%s\n%s, without a message\n", text, keel_status_word(status));
                fail();
            }
            without_place += keel_diagnostics_get(list, 0).where.line == 0;
        }
        keel_model_free(model);
        keel_diagnostics_free(list);
    }
    print_message("%d models, %d refused, %d of them without a place\n", models, refused, without_place);
    assert_true(models > CHANGES / 20 && refused > CHANGES / 4);
    assert_true(without_place < refused / 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_change_is_understood_or_told)};
    return cmocka_run_group_tests(tests, read_all, free_all);
}

/* compare_lists.c - flags of `keel compare` that take a list. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

static int count_commas(const char *text) {
    int commas = 0;
    for (; *text; text++)
        commas += *text == ',';
    return commas;
}

static bool out_of_memory(void) {
    cli_error("compare", "%s", keel_status_text(KEEL_ERROR_MEMORY));
    return false;
}

bool cli_compare_names(const char *flag, char *text, const char ***names, int *count) {
    *count = 0;
    free(*names);
    *names = calloc((size_t)count_commas(text) + 1, sizeof **names);
    if (!*names)
        return out_of_memory();
    int depth = 0;
    (*names)[(*count)++] = text;
    for (char *c = text; *c; c++) {
        depth += (*c == '[' || *c == '(') - (*c == ']' || *c == ')');
        if (*c == ',' && depth <= 0) {
            *c = 0;
            (*names)[(*count)++] = c + 1;
        }
    }
    for (int i = 0; i < *count; i++)
        if (!(*names)[i][0]) {
            cli_error("compare", "--%s: something is missing between the commas", flag);
            return false;
        }
    return true;
}

bool cli_compare_numbers(const char *flag, const char *text, double **values, int *count) {
    *count = 0;
    free(*values);
    *values = calloc((size_t)count_commas(text) + 1, sizeof **values);
    if (!*values)
        return out_of_memory();
    for (const char *begin = text;; begin += strcspn(begin, ",") + 1) {
        char piece[64] = "";
        size_t length = strcspn(begin, ",");
        if (length < sizeof piece)
            memcpy(piece, begin, length);
        double *value = &(*values)[(*count)++];
        if (!cli_number(piece, value) || !(*value > 0)) {
            cli_error("compare", "--%s: '%.*s' is not a positive number", flag, (int)length, begin);
            return false;
        }
        if (!begin[length])
            return true;
    }
}

static bool is_pattern(const char *text) {
    return strpbrk(text, "*?[") != NULL;
}

/* True if one of the words asks for the method; matched[i] counts for patterns. */
static bool is_wanted(keel_method method, const char *const *words, const keel_method *parsed, int count,
                      int *matched) {
    char text[64];
    bool wanted = false;
    for (int i = 0; i < count; i++) {
        bool fits = is_pattern(words[i])
                        ? !method.automatic && fnmatch(words[i], keel_method_text(method, text), 0) == 0
                        : keel_method_is_same(method, parsed[i]);
        matched[i] += fits;
        wanted = wanted || fits;
    }
    return wanted;
}

/* Methods that are written out; false if there is none of that name. */
static bool parse_words(const char *const *words, int count, keel_method *parsed) {
    bool good = true;
    for (int i = 0; i < count; i++) {
        if (is_pattern(words[i]))
            continue;
        keel_diagnostics *diagnostics = keel_diagnostics_new();
        keel_location where = {.file = "keel compare: --methods"};
        if (keel_method_parse(words[i], where, diagnostics, &parsed[i]) != KEEL_OK) {
            cli_show(diagnostics, 0);
            good = false;
        }
        keel_diagnostics_free(diagnostics);
    }
    return good;
}

/* Goes through the whole table of methods; "auto" is its first row. */
static void take_wanted(const char *const *words, const keel_method *parsed, int count, int *matched,
                        keel_method *methods, int *method_count) {
    if (is_wanted(keel_method_auto(), words, parsed, count, matched))
        methods[(*method_count)++] = keel_method_auto();
    for (int i = 0; i < KEEL_INTEGRATORS * KEEL_FORMULATIONS * KEEL_STABILIZERS; i++) {
        keel_method m = {(keel_integrator)(i / (KEEL_FORMULATIONS * KEEL_STABILIZERS)),
                         (keel_formulation)(i / KEEL_STABILIZERS % KEEL_FORMULATIONS),
                         (keel_stabilize)(i % KEEL_STABILIZERS), 0};
        if (keel_method_is_valid(m) && is_wanted(m, words, parsed, count, matched))
            methods[(*method_count)++] = m;
    }
}

bool cli_compare_methods(char *text, keel_method **methods, int *method_count) {
    const char **words = NULL;
    int count;
    size_t most = (size_t)KEEL_INTEGRATORS * KEEL_FORMULATIONS * KEEL_STABILIZERS + 1;
    bool good = cli_compare_names("methods", text, &words, &count);
    keel_method *parsed = calloc((size_t)count + 1, sizeof *parsed);
    int *matched = calloc((size_t)count + 1, sizeof *matched);
    free(*methods);
    *methods = calloc(most, sizeof **methods);
    *method_count = 0;
    if (!parsed || !matched || !*methods)
        good = out_of_memory();
    good = good && parse_words(words, count, parsed);
    if (good)
        take_wanted(words, parsed, count, matched, *methods, method_count);
    for (int i = 0; good && i < count; i++)
        if (!matched[i]) {
            cli_error("compare", "no method fits '%s'; 'keel methods' lists what there is", words[i]);
            good = false;
        }
    free(parsed);
    free(matched);
    free(words);
    return good;
}

/* yaml_scalar.c - the text of a scalar: folded for names, as it stands in the file for formulas. */
#include <stdlib.h>
#include <string.h>

#include "modelfile/yaml_build.h"

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_null_word(const char *text) {
    static const char *const WORDS[] = {"", "~", "null", "Null", "NULL"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strcmp(text, WORDS[i]) == 0)
            return true;
    return false;
}

/* Does the quoted text between the quotes stand there as it is meant, but for line breaks? */
static bool is_literal(const char *raw, size_t length, enum fy_scalar_style style) {
    if (style == FYSS_DOUBLE_QUOTED)
        return !memchr(raw, '\\', length);
    if (style == FYSS_SINGLE_QUOTED)
        return !memchr(raw, '\'', length);
    return true;
}

static keel_status refuse_length(ki_yaml_builder *b, keel_location at, size_t length) {
    keel_diagnostics_add(b->diagnostics, KEEL_ERROR, at,
                         "a single text of %zu bytes: the limit is %d; is this the right file?", length,
                         KI_YAML_MAX_TEXT);
    return KEEL_ERROR_INPUT;
}

keel_status ki_yaml_scalar(ki_yaml_builder *b, struct fy_token *token, ki_yaml *node) {
    const struct fy_mark *start = token ? fy_token_start_mark(token) : NULL;
    const struct fy_mark *end = token ? fy_token_end_mark(token) : NULL;
    if (!start || !end || end->input_pos < start->input_pos || end->input_pos > b->source->length) {
        node->kind = KI_YAML_MISSING;
        return KEEL_OK;
    }
    enum fy_scalar_style style = fy_token_scalar_style(token);
    const char *raw = b->source->text + start->input_pos;
    size_t length = end->input_pos - start->input_pos;
    node->formula_at = ki_yaml_place(b, start);
    if (length > KI_YAML_MAX_TEXT)
        return refuse_length(b, node->at, length);

    /* the parser saw the masked text: what is said is read from the original */
    while (length > 0 && is_space(raw[length - 1]))
        length--;
    node->text = ki_yaml_text(b->arena, raw, length, style);
    if (!node->text)
        return KEEL_ERROR_MEMORY;
    node->formula = is_literal(raw, length, style) ? ki_arena_text(b->arena, raw, length) : node->text;
    if (!node->formula)
        return KEEL_ERROR_MEMORY;
    if (style == FYSS_PLAIN && is_null_word(node->text))
        node->kind = KI_YAML_MISSING;
    return KEEL_OK;
}

static int compare_keys(const void *left, const void *right) {
    const ki_yaml *a = *(const ki_yaml *const *)left, *b = *(const ki_yaml *const *)right;
    int order = strcmp(a->key, b->key);
    if (order == 0)
        order = a->key_at.line - b->key_at.line;
    return order ? order : a->key_at.column - b->key_at.column;
}

keel_status ki_yaml_check_duplicates(ki_yaml_builder *b, const ki_yaml *map) {
    if (map->count < 2)
        return KEEL_OK;
    const ki_yaml **sorted = malloc((size_t)map->count * sizeof(*sorted));
    if (!sorted)
        return KEEL_ERROR_MEMORY;
    int n = 0;
    for (const ki_yaml *entry = map->first; entry; entry = entry->next)
        sorted[n++] = entry;
    qsort(sorted, (size_t)n, sizeof(*sorted), compare_keys);
    for (int i = 1; i < n; i++) {
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) != 0)
            continue;
        char brief[KI_BRIEF];
        keel_diagnostics_add(b->diagnostics, KEEL_ERROR, sorted[i]->key_at,
                             "the key '%s' is here for the second time: it was given in line %d already",
                             ki_brief(sorted[i]->key, brief), sorted[i - 1]->key_at.line);
        b->duplicates = true;
    }
    free(sorted);
    return KEEL_OK;
}

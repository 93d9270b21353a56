/* mechanism_values.c - names, numbers, directions and formulas in the parts of a mechanism. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "modelfile/mechanism.h"

/* ---- what names mean in a formula that is a number ------------------------------------------------------
 */

static const char *closest_number_name(const ki_sketch *s, const char *name) {
    const char *closest = ki_closest_name(name, s->variable, s->variables);
    for (int i = 0; i < s->mechanism->parameter_count; i++) {
        const char *candidate = s->mechanism->parameter[i].name;
        const char *pair[] = {closest ? closest : candidate, candidate};
        closest = ki_closest_name(name, pair, 2);
    }
    return closest;
}

static void report_unknown(ki_sketch *s, const char *name, keel_location where, keel_diagnostics *list) {
    double at[3];
    const char *closest = closest_number_name(s, name);
    if (strcmp(name, "t") == 0)
        keel_diagnostics_add(list, KEEL_ERROR, where,
                             "'t' cannot be used here: this value must be known before the motion begins");
    else if (ki_sketch_find_place(s, name, -1, at))
        keel_diagnostics_add(list, KEEL_ERROR, where, "'%s' is a point, but a number is needed here", name);
    else if (closest)
        keel_diagnostics_add(list, KEEL_ERROR, where, "unknown name '%s'; did you mean '%s'?", name, closest);
    else
        keel_diagnostics_add(list, KEEL_ERROR, where,
                             "unknown name '%s': this value is made of numbers and parameters", name);
}

static ki_node look_up(void *user, const char *name, int primes, keel_location where,
                       keel_diagnostics *diagnostics) {
    ki_sketch *s = user;
    double value;
    if (primes) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where,
                             "\"%s'\" cannot be used here: this value must be known before the motion begins",
                             name);
        return KI_NONE;
    }
    for (int i = s->variables - 1; i >= 0; i--)
        if (strcmp(s->variable[i], name) == 0)
            return ki_number(s->graph, s->value[i]);
    if (ki_find_parameter(s->mechanism, name, &value))
        return ki_number(s->graph, value);
    report_unknown(s, name, where, diagnostics);
    return KI_NONE;
}

static void fail_reading(ki_sketch *s) {
    ki_loader_fail(s->loader, ki_graph_failed(s->graph) ? KEEL_ERROR_MEMORY : KEEL_ERROR_INPUT);
}

bool ki_sketch_name(ki_sketch *s, const char *text, keel_location where, char name[KI_SKETCH_NAME]) {
    ki_scope scope = {s, look_up};
    if (ki_parse_name(s->graph, text, where, &scope, s->loader->diagnostics, name, KI_SKETCH_NAME))
        return true;
    fail_reading(s);
    return false;
}

bool ki_sketch_is_name(ki_sketch *s, const char *text, char name[KI_SKETCH_NAME]) {
    ki_scope scope = {s, look_up};
    return ki_parse_name(s->graph, text, (keel_location){0}, &scope, NULL, name, KI_SKETCH_NAME);
}

bool ki_sketch_is_number_name(const ki_sketch *s, const char *name) {
    double value;
    for (int i = 0; i < s->variables; i++)
        if (strcmp(s->variable[i], name) == 0)
            return true;
    return ki_find_parameter(s->mechanism, name, &value);
}

/* ---- fields ---------------------------------------------------------------------------------------------
 */

bool ki_sketch_fields(ki_sketch *s, const ki_yaml *map, const char *place, const char *const *keys, int count,
                      const ki_yaml **field) {
    bool good = true;
    for (int i = 0; i < count; i++)
        field[i] = NULL;
    for (const ki_yaml *entry = map->first; entry; entry = entry->next) {
        int i = 0;
        while (i < count && strcmp(keys[i], entry->key) != 0)
            i++;
        if (i < count)
            field[i] = entry;
        else
            ki_unknown_key(s->loader, entry, place, keys, count);
        good = good && i < count;
    }
    return good;
}

bool ki_sketch_open(ki_sketch *s, const ki_yaml *entry, const char *word, const char *const *keys, int count,
                    ki_item_reading *item) {
    char brief[KI_BRIEF], place[32];
    item->entry = entry;
    item->word = word;
    if (!ki_sketch_name(s, entry->key, entry->key_at, item->name))
        return false;
    if (entry->kind != KI_YAML_MAP && entry->kind != KI_YAML_MISSING) {
        KI_COMPLAIN(s->loader, entry->at, "%s '%s' must be a map {%s: ..., %s: ...}, not %s", word,
                    ki_brief(entry->key, brief), keys[0], keys[1], ki_yaml_kind_word(entry->kind));
        return false;
    }
    snprintf(place, sizeof place, "of a %s", word);
    return ki_sketch_fields(s, entry, place, keys, count, item->field);
}

/* ---- numbers --------------------------------------------------------------------------------------------
 */

/* "'mass' of", for messages about a field; entries of lists have no key. */
static const char *what_of(const ki_yaml *value, char what[KI_BRIEF + 16]) {
    char brief[KI_BRIEF];
    if (value->key)
        snprintf(what, KI_BRIEF + 16, "'%s' of", ki_brief(value->key, brief));
    else
        snprintf(what, KI_BRIEF + 16, "a number of");
    return what;
}

bool ki_sketch_number(ki_sketch *s, const ki_yaml *value, const char *owner, double *number) {
    char what[KI_BRIEF + 16], brief[KI_BRIEF];
    if (!ki_expect_formula(s->loader, value, what_of(value, what), owner))
        return false;
    ki_scope scope = {s, look_up};
    ki_node node = ki_parse(s->graph, value->formula, strlen(value->formula), value->formula_at, &scope,
                            s->loader->diagnostics);
    if (node == KI_NONE || ki_graph_failed(s->graph)) {
        fail_reading(s);
        return false;
    }
    if (!ki_is_number(s->graph, node, number))
        *number = ki_evaluate(s->graph, node, NULL);
    if (isfinite(*number))
        return true;
    KI_COMPLAIN(s->loader, value->formula_at, "'%s' is not a finite number", ki_brief(value->formula, brief));
    return false;
}

bool ki_sketch_is_zero(ki_sketch *s, const ki_yaml *value) {
    ki_scope scope = {s, look_up};
    double number = NAN;
    if (value->kind != KI_YAML_TEXT)
        return false;
    ki_node node =
        ki_parse(s->graph, value->formula, strlen(value->formula), value->formula_at, &scope, NULL);
    if (node != KI_NONE && !ki_graph_failed(s->graph) && !ki_is_number(s->graph, node, &number))
        number = ki_evaluate(s->graph, node, NULL);
    return number == 0;
}

bool ki_sketch_numbers(ki_sketch *s, const ki_yaml *list, const char *owner, int count, double *numbers) {
    char brief[KI_BRIEF], what[KI_BRIEF + 16];
    bool good = true;
    int i = 0;
    if (list->key && strcmp(list->key, owner) != 0)
        snprintf(what, sizeof what, "'%s' of", ki_brief(list->key, brief));
    else
        snprintf(what, sizeof what, list->key ? "the place" : "a list of");
    if (list->kind != KI_YAML_LIST) {
        KI_COMPLAIN(s->loader, list->at, "%s '%s' must be a list of %d numbers, not %s", what, owner, count,
                    ki_yaml_kind_word(list->kind));
        return false;
    }
    if (list->count != count) {
        KI_COMPLAIN(s->loader, list->at, "%s '%s' must have %d numbers, but it has %d", what, owner, count,
                    list->count);
        return false;
    }
    for (const ki_yaml *entry = list->first; entry; entry = entry->next)
        good = ki_sketch_number(s, entry, owner, &numbers[i++]) && good;
    return good;
}

bool ki_sketch_optional(ki_sketch *s, const ki_yaml *value, const char *owner, double *number) {
    return !value || ki_sketch_number(s, value, owner, number);
}

/* x, y, z, -x, -y, -z */
static bool is_axis_word(const char *text, double direction[3]) {
    bool minus = *text == '-';
    text += minus;
    if (!*text || text[1] || *text < 'x' || *text > 'z')
        return false;
    direction[0] = direction[1] = direction[2] = 0;
    direction[*text - 'x'] = minus ? -1 : 1;
    return true;
}

bool ki_sketch_direction(ki_sketch *s, const ki_yaml *value, const char *owner, double direction[3]) {
    char what[KI_BRIEF + 16], brief[KI_BRIEF];
    if (value->kind == KI_YAML_TEXT && is_axis_word(value->text, direction))
        return true;
    int count = s->planar && value->count != 3 ? 2 : 3;
    bool word = value->kind == KI_YAML_TEXT && value->text[0];
    direction[2] = 0;
    if (value->kind != KI_YAML_LIST) {
        KI_COMPLAIN(s->loader, value->at,
                    "%s '%s' must be a direction: x, y, z, -x, -y, -z or a list of %s numbers, not %s%s%s",
                    value->key ? what_of(value, what) : "a direction of", owner, s->planar ? "two" : "three",
                    word ? "'" : "", word ? ki_brief(value->text, brief) : ki_yaml_kind_word(value->kind),
                    word ? "'" : "");
        return false;
    }
    if (!ki_sketch_numbers(s, value, owner, count, direction))
        return false;
    if (direction[0] != 0 || direction[1] != 0 || direction[2] != 0)
        return true;
    KI_COMPLAIN(s->loader, value->at, "%s '%s' has length zero: it must point somewhere",
                value->key ? what_of(value, what) : "a direction of", owner);
    return false;
}

bool ki_sketch_word(ki_sketch *s, const ki_yaml *value, const char *const *words, int count, int *number) {
    char what[KI_BRIEF], all[512] = "";
    size_t used = 0;
    if (value->kind == KI_YAML_TEXT)
        for (*number = 0; *number < count; ++*number)
            if (strcmp(words[*number], value->text) == 0)
                return true;
    for (int i = 0; i < count && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", words[i]);
    const char *closest = value->kind == KI_YAML_TEXT ? ki_closest_name(value->text, words, count) : NULL;
    const char *given =
        value->kind == KI_YAML_TEXT ? ki_brief(value->text, what) : ki_yaml_kind_word(value->kind);
    if (closest)
        KI_COMPLAIN(s->loader, value->at, "'%s' cannot be '%s'; did you mean '%s'?", value->key, given,
                    closest);
    else
        KI_COMPLAIN(s->loader, value->at, "'%s' is one of the words %s, not %s", value->key, all, given);
    return false;
}

bool ki_sketch_formula(ki_sketch *s, const ki_yaml *value, const char *owner, keel_formula *formula) {
    char what[KI_BRIEF + 16];
    if (!ki_expect_formula(s->loader, value, value->key ? what_of(value, what) : "a component of", owner))
        return false;
    *formula = (keel_formula){.text = value->formula,
                              .where = value->formula_at,
                              .local_count = s->variables,
                              .local_name = s->variable,
                              .local_value = s->value};
    return true;
}

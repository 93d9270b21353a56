/* keys.c - keys and values that are not what they must be, and what was probably meant. */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "modelfile/loader.h"

void ki_loader_fail(ki_loader *loader, keel_status status) {
    if (status < 0)
        loader->problems++;
    if (status < 0 && (loader->status == KEEL_OK || status == KEEL_ERROR_MEMORY))
        loader->status = status;
}

static bool contains(const char *const *keys, int count, const char *key) {
    for (int i = 0; i < count; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

/* The place where a key that is wrong here would be right, or NULL. */
static const char *home_of(const ki_loader *loader, const char *key) {
    static const char *const TOP[] = {"parameters", "equations", "outputs",     "draw",
                                      "units",      "simulate",  "description", "inputs"};
    const char *keys[KI_MAX_KEYS];
    if (contains(TOP, sizeof TOP / sizeof *TOP, key))
        return "at the top level";
    if (loader->root && contains(keys, ki_mechanism_keys(keys), key))
        return "at the top level";
    if (!loader->root && contains(keys, ki_equations_keys(keys), key))
        return "in 'equations'";
    if (contains(keys, ki_simulate_keys(keys), key))
        return "in 'simulate'";
    if (strcmp(key, "for") == 0)
        return "in a block of 'repeat'";
    return NULL;
}

void ki_unknown_key(ki_loader *loader, const ki_yaml *entry, const char *place, const char *const *keys,
                    int count) {
    char brief[KI_BRIEF], all[1024] = "";
    const char *key = ki_brief(entry->key, brief), *home = home_of(loader, entry->key);
    const char *closest = ki_closest_name(entry->key, keys, count);
    if (home && strcmp(home, place) != 0) {
        KI_COMPLAIN(loader, entry->key_at, "unknown key '%s' %s: it belongs %s", key, place, home);
    } else if (closest) {
        KI_COMPLAIN(loader, entry->key_at, "unknown key '%s' %s: did you mean '%s'?", key, place, closest);
    } else {
        size_t used = 0;
        for (int i = 0; i < count && used < sizeof all; i++)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", keys[i]);
        KI_COMPLAIN(loader, entry->key_at, "unknown key '%s' %s: the keys are %s", key, place, all);
    }
}

bool ki_expect_map(ki_loader *loader, const ki_yaml *section, const char *form) {
    if (section->kind == KI_YAML_MAP || section->kind == KI_YAML_MISSING)
        return true;
    char brief[KI_BRIEF];
    KI_COMPLAIN(loader, section->at, "'%s' must be a map (%s), not %s", ki_brief(section->key, brief), form,
                ki_yaml_kind_word(section->kind));
    return false;
}

/* In { } a formula ends at a comma unless it stands in parentheses that are closed; what follows then looks
 * like a key without a value. */
static bool is_rest_of_formula(const ki_yaml *value) {
    const ki_yaml *before = value->previous;
    if (!value->in_flow || value->kind != KI_YAML_MISSING || !before || before->kind != KI_YAML_TEXT)
        return false;
    int open = 0;
    for (const char *c = before->formula; *c; c++)
        open += (*c == '(') - (*c == ')');
    return open > 0;
}

static void report_missing(ki_loader *loader, const ki_yaml *value, const char *what, const char *name) {
    const char *colon = value->key ? strchr(value->key, ':') : NULL;
    if (is_rest_of_formula(value))
        KI_COMPLAIN(loader, value->at, "the formula before '%s' is cut off by the comma: a '(' is not closed",
                    name);
    else if (colon && colon[1])
        KI_COMPLAIN(loader, value->at, "%s '%s' is missing: a colon wants a blank after it, as in 'x: 1'",
                    what, name);
    else
        KI_COMPLAIN(loader, value->at, "%s '%s' is missing", what, name);
}

bool ki_expect_formula(ki_loader *loader, const ki_yaml *value, const char *what, const char *name) {
    char brief[KI_BRIEF];
    if (value->kind == KI_YAML_TEXT && value->text[0])
        return true;
    name = ki_brief(name, brief);
    if (value->kind == KI_YAML_MISSING || value->kind == KI_YAML_TEXT)
        report_missing(loader, value, what, name);
    else
        KI_COMPLAIN(loader, value->at, "%s '%s' must be one formula, not %s", what, name,
                    ki_yaml_kind_word(value->kind));
    return false;
}

bool ki_expect_text(ki_loader *loader, const ki_yaml *value) {
    if (value->kind == KI_YAML_TEXT || value->kind == KI_YAML_MISSING)
        return true;
    KI_COMPLAIN(loader, value->at, "'%s' must be a text, not %s", value->key, ki_yaml_kind_word(value->kind));
    return false;
}

/* A key is the name of a thing, not of its derivative. */
static bool expect_no_prime(ki_loader *loader, const ki_yaml *value) {
    size_t length = strcspn(value->key, "'");
    if (!value->key[length])
        return true;
    char brief[KI_BRIEF];
    KI_COMPLAIN(loader, value->key_at, "the key \"%s\" has a prime: write the name alone, '%.*s'",
                ki_brief(value->key, brief), length < KI_BRIEF ? (int)length : KI_BRIEF, value->key);
    return false;
}

void ki_load_formula(ki_loader *loader, int block, keel_equation_kind kind, const ki_yaml *value,
                     const char *what) {
    if (!expect_no_prime(loader, value) || !ki_expect_formula(loader, value, what, value->key))
        return;
    bool nameless = kind == KEEL_EQ_KINETIC || kind == KEEL_EQ_POTENTIAL;
    loader->seen |= 1u << kind;
    ki_loader_fail(loader, keel_equations_add(loader->equations, block, kind, nameless ? NULL : value->key,
                                              value->key_at, value->formula, value->formula_at));
}

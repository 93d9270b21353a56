/* root.c - the top level of a model file. */
#include <string.h>

#include "modelfile/loader.h"

static void load_version(ki_loader *loader, const ki_yaml *version) {
    if (!ki_expect_formula(loader, version, "the value of", version->key) || strcmp(version->text, "1") == 0)
        return;
    char brief[KI_BRIEF];
    KI_COMPLAIN(loader, version->at,
                "version '%s' of the model format is not known: this program reads version 1 ('keel: 1')",
                ki_brief(version->text, brief));
}

static void load_name(ki_loader *loader, const ki_yaml *value) {
    if (ki_expect_text(loader, value) && value->kind == KI_YAML_TEXT && value->text[0])
        loader->name = value->text;
}

static void load_description(ki_loader *loader, const ki_yaml *value) {
    if (ki_expect_text(loader, value) && value->kind == KI_YAML_TEXT)
        loader->description = value->text;
}

static void load_parameters(ki_loader *loader, const ki_yaml *section) {
    if (ki_expect_map(loader, section, "name: value"))
        for (const ki_yaml *entry = section->first; entry; entry = entry->next)
            ki_load_formula(loader, 0, KEEL_EQ_PARAMETER, entry, "the value of parameter");
}

/* An input is a state that keeps its value until it is set. */
static void load_inputs(ki_loader *loader, const ki_yaml *section) {
    loader->inputs = section;
    if (!ki_expect_map(loader, section, "name: value until it is set"))
        return;
    for (const ki_yaml *entry = section->first; entry; entry = entry->next) {
        ki_load_formula(loader, 0, KEEL_EQ_STATE, entry, "the value of input");
        ki_loader_fail(loader, keel_equations_add(loader->equations, 0, KEEL_EQ_STATE_RATE, entry->key,
                                                  entry->key_at, "0", entry->at));
    }
}

static const struct {
    const char *key;
    void (*load)(ki_loader *loader, const ki_yaml *value);
} TOP[] = {
    {"keel", load_version},          {"name", load_name},     {"description", load_description},
    {"parameters", load_parameters}, {"inputs", load_inputs}, {"equations", ki_load_equations},
    {"outputs", ki_load_outputs},    {"draw", ki_load_draw},  {"units", ki_load_units},
    {"simulate", ki_load_simulate},
};
enum { TOP_COUNT = sizeof TOP / sizeof *TOP };

static const ki_yaml *find(const ki_yaml *root, const char *key) {
    for (const ki_yaml *entry = root->first; entry; entry = entry->next)
        if (strcmp(entry->key, key) == 0)
            return entry;
    return NULL;
}

/* A file without `equations` is a mechanism if it has a key that only mechanisms have; that key, or NULL. */
static const ki_yaml *find_mechanism(const ki_yaml *root) {
    static const char *const OWN[] = {"bodies", "joints", "motions", "points", "planar", "gravity"};
    const ki_yaml *found = NULL, *equations = find(root, "equations"), *repeat = find(root, "repeat");
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN && !found; i++)
        found = find(root, OWN[i]);
    return found || equations ? found : repeat;
}

/* True for keys of a mechanism, which are read later, and its outputs. */
static bool is_later(const ki_loader *loader, const char *key) {
    const char *keys[KI_MAX_KEYS];
    int count = ki_mechanism_keys(keys);
    if (!loader->root)
        return false;
    for (int i = 0; i < count; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return strcmp(key, "outputs") == 0;
}

static void load_entry(ki_loader *loader, const ki_yaml *entry) {
    const char *keys[KI_MAX_KEYS + TOP_COUNT];
    if (is_later(loader, entry->key))
        return;
    int count = loader->root ? ki_mechanism_keys(keys) : 0;
    for (int i = 0; i < TOP_COUNT; i++) {
        keys[count++] = TOP[i].key;
        if (strcmp(TOP[i].key, entry->key) == 0) {
            TOP[i].load(loader, entry);
            return;
        }
    }
    ki_unknown_key(loader, entry, "at the top level", keys, count);
}

void ki_load_root(ki_loader *loader, const ki_yaml *root) {
    if (root->kind != KI_YAML_MAP) {
        KI_COMPLAIN(loader, root->at,
                    "this is not a model but %s: a model is a map of keys ('keel: 1', 'equations: ...')",
                    root->kind == KI_YAML_LIST ? "a list" : "plain text");
        return;
    }
    const ki_yaml *equations = find(root, "equations"), *mechanism = find_mechanism(root);
    if (equations && mechanism) {
        KI_COMPLAIN(loader, mechanism->key_at,
                    "'%s' belongs to a mechanism, but this file has 'equations': a model is one or the other",
                    mechanism->key);
        return;
    }
    loader->root = mechanism ? root : NULL;
    for (const ki_yaml *entry = root->first; entry; entry = entry->next)
        load_entry(loader, entry);
    if (!find(root, "keel"))
        KI_COMPLAIN(loader, root->at,
                    "'keel: 1', the version of the model format, is missing at the top level");
    if (!equations && !mechanism)
        KI_COMPLAIN(loader, root->at,
                    "'equations' is missing (or 'bodies', for a mechanism): there is no system to simulate");
}

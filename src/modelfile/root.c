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
    ki_expect_text(loader, value);
}

static void load_parameters(ki_loader *loader, const ki_yaml *section) {
    if (ki_expect_map(loader, section, "name: value"))
        for (const ki_yaml *entry = section->first; entry; entry = entry->next)
            ki_load_formula(loader, 0, KEEL_EQ_PARAMETER, entry, "the value of parameter");
}

static const struct {
    const char *key;
    void (*load)(ki_loader *loader, const ki_yaml *value);
    const char *needed; /* what to say when it is not there; NULL: need not be */
} TOP[] = {
    {"keel", load_version, "'keel: 1', the version of the model format, is missing at the top level"},
    {"name", load_name, NULL},
    {"description", load_description, NULL},
    {"parameters", load_parameters, NULL},
    {"equations", ki_load_equations, "'equations' is missing: there is no system to simulate"},
    {"outputs", ki_load_outputs, NULL},
    {"simulate", ki_load_simulate, NULL},
};
enum { TOP_COUNT = sizeof TOP / sizeof *TOP };

static void load_entry(ki_loader *loader, const ki_yaml *entry, bool found[TOP_COUNT]) {
    const char *keys[TOP_COUNT];
    for (int i = 0; i < TOP_COUNT; i++) {
        keys[i] = TOP[i].key;
        if (strcmp(TOP[i].key, entry->key) == 0) {
            found[i] = true;
            TOP[i].load(loader, entry);
            return;
        }
    }
    ki_unknown_key(loader, entry, "at the top level", keys, TOP_COUNT);
}

void ki_load_root(ki_loader *loader, const ki_yaml *root) {
    bool found[TOP_COUNT] = {false};
    if (root->kind != KI_YAML_MAP) {
        KI_COMPLAIN(loader, root->at,
                    "this is not a model but %s: a model is a map of keys ('keel: 1', 'equations: ...')",
                    root->kind == KI_YAML_LIST ? "a list" : "plain text");
        return;
    }
    for (const ki_yaml *entry = root->first; entry; entry = entry->next)
        load_entry(loader, entry, found);
    for (int i = 0; i < TOP_COUNT; i++)
        if (TOP[i].needed && !found[i])
            KI_COMPLAIN(loader, root->at, "%s", TOP[i].needed);
}

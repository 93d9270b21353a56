/* mechanism_states.c - the sections `inputs`, `states` and `definitions` of a mechanism. */
#include "modelfile/mechanism.h"

void ki_read_input(ki_sketch *s, const ki_yaml *entry) {
    char name[KI_SKETCH_NAME];
    double start;
    if (ki_expect_formula(s->loader, entry, "the value of input", entry->key) &&
        ki_sketch_name(s, entry->key, entry->key_at, name) && ki_sketch_number(s, entry, entry->key, &start))
        ki_loader_fail(s->loader,
                       keel_mechanism_add_state(s->mechanism, name, entry->key_at, start,
                                                &(keel_formula){.text = NULL}, s->loader->diagnostics));
}

void ki_read_state(ki_sketch *s, const ki_yaml *entry) {
    enum { START, RATE, FIELDS };
    static const char *const KEYS[FIELDS] = {"start", "rate"};
    char brief[KI_BRIEF], name[KI_SKETCH_NAME];
    const ki_yaml *field[FIELDS];
    keel_formula rate;
    double start;
    if (entry->kind != KI_YAML_MAP) {
        KI_COMPLAIN(s->loader, entry->at, "state '%s' must be a map {start: formula, rate: formula}, not %s",
                    ki_brief(entry->key, brief), ki_yaml_kind_word(entry->kind));
        return;
    }
    if (!ki_sketch_name(s, entry->key, entry->key_at, name) ||
        !ki_sketch_fields(s, entry, "of a state", KEYS, FIELDS, field))
        return;
    for (int i = 0; i < FIELDS; i++)
        if (!field[i]) {
            KI_COMPLAIN(s->loader, entry->key_at, "state '%s' needs '%s'%s", name, KEYS[i],
                        i == RATE ? ", a formula; what keeps its value until it is set is an input: list it "
                                    "under 'inputs'"
                                  : ", its value at the start");
            return;
        }
    if (ki_sketch_number(s, field[START], name, &start) && ki_sketch_formula(s, field[RATE], name, &rate))
        ki_loader_fail(s->loader, keel_mechanism_add_state(s->mechanism, name, entry->key_at, start, &rate,
                                                           s->loader->diagnostics));
}

void ki_read_definition(ki_sketch *s, const ki_yaml *entry) {
    char name[KI_SKETCH_NAME];
    keel_formula formula;
    if (ki_expect_formula(s->loader, entry, "the formula of definition", entry->key) &&
        ki_sketch_name(s, entry->key, entry->key_at, name) &&
        ki_sketch_formula(s, entry, entry->key, &formula))
        ki_loader_fail(s->loader, keel_mechanism_add_definition(s->mechanism, name, entry->key_at, &formula,
                                                                s->loader->diagnostics));
}

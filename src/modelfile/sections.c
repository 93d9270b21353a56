/* sections.c - the keys of `equations` and `outputs`. */
#include <string.h>

#include "modelfile/loader.h"

typedef enum section_form { ONE_FORMULA, MAP_OF_FORMULAS, MAP_OF_STATES, BLOCKS } section_form;

/* The one list of what may stand in `equations`. */
static const struct {
    const char *key;
    section_form form;
    keel_equation_kind kind;
    const char *what;    /* a value of it, for messages: "start value of 'x' is missing" */
    const char *written; /* how its map is written */
} SECTIONS[] = {
    {"coordinates", MAP_OF_FORMULAS, KEEL_EQ_COORDINATE, "the start value of", "name: start value"},
    {"velocities", MAP_OF_FORMULAS, KEEL_EQ_VELOCITY, "the start velocity of", "coordinate: start value"},
    {"definitions", MAP_OF_FORMULAS, KEEL_EQ_DEFINITION, "the formula of", "name: formula"},
    {"kinetic", ONE_FORMULA, KEEL_EQ_KINETIC, "the value of", NULL},
    {"potential", ONE_FORMULA, KEEL_EQ_POTENTIAL, "the value of", NULL},
    {"mass", MAP_OF_FORMULAS, KEEL_EQ_MASS, "the mass of", "x: entry, or x,y: entry"},
    {"forces", MAP_OF_FORMULAS, KEEL_EQ_FORCE, "the force on", "coordinate: formula"},
    {"holonomic", MAP_OF_FORMULAS, KEEL_EQ_HOLONOMIC, "the formula of constraint", "name: formula"},
    {"nonholonomic", MAP_OF_FORMULAS, KEEL_EQ_NONHOLONOMIC, "the formula of constraint", "name: formula"},
    {"invariants", MAP_OF_FORMULAS, KEEL_EQ_INVARIANT, "the formula of invariant", "name: formula"},
    {"scale", MAP_OF_FORMULAS, KEEL_EQ_SCALE, "the scale of", "coordinate or state: size"},
    {"states", MAP_OF_STATES, KEEL_EQ_STATE, NULL, "name: {start: formula, rate: formula}"},
    {"auxiliary", MAP_OF_FORMULAS, KEEL_EQ_AUXILIARY, "the first guess of", "name: first guess"},
    {"auxiliary_equations", MAP_OF_FORMULAS, KEEL_EQ_AUXILIARY_EQUATION, "the formula of", "name: formula"},
    {"repeat", BLOCKS, KEEL_EQ_COORDINATE, NULL, NULL},
};
enum { SECTION_COUNT = sizeof SECTIONS / sizeof *SECTIONS };

int ki_equations_keys(const char *keys[KI_MAX_KEYS]) {
    for (int i = 0; i < SECTION_COUNT; i++)
        keys[i] = SECTIONS[i].key;
    return SECTION_COUNT;
}

enum { STATE_PARTS = 2 };
static const struct {
    const char *key;
    keel_equation_kind kind;
    const char *what;
} STATE[STATE_PARTS] = {
    {"start", KEEL_EQ_STATE, "the start value of"},
    {"rate", KEEL_EQ_STATE_RATE, "the rate of"},
};

/* Finds the parts of a state among its entries; false after a key that is none. */
static bool find_state_parts(ki_loader *loader, const ki_yaml *state, const ki_yaml *part[STATE_PARTS]) {
    const char *const keys[STATE_PARTS] = {STATE[0].key, STATE[1].key};
    bool all_known = true;
    for (const ki_yaml *entry = state->first; entry; entry = entry->next) {
        int i = 0;
        while (i < STATE_PARTS && strcmp(entry->key, keys[i]) != 0)
            i++;
        if (i < STATE_PARTS) {
            part[i] = entry;
        } else {
            ki_unknown_key(loader, entry, "of a state", keys, STATE_PARTS);
            all_known = false;
        }
    }
    return all_known;
}

/* One state, `name: {start: formula, rate: formula}`. */
static void load_state(ki_loader *loader, int block, const ki_yaml *state) {
    char brief[KI_BRIEF];
    const char *name = ki_brief(state->key, brief);
    if (state->kind != KI_YAML_MAP) {
        KI_COMPLAIN(loader, state->at, "state '%s' must be a map {start: formula, rate: formula}, not %s",
                    name, ki_yaml_kind_word(state->kind));
        return;
    }
    const ki_yaml *part[STATE_PARTS] = {NULL, NULL};
    if (!find_state_parts(loader, state, part))
        return;
    for (int i = 0; i < STATE_PARTS; i++) {
        if (!part[i])
            KI_COMPLAIN(loader, state->key_at, "%s '%s' is missing", STATE[i].what, name);
        else if (ki_expect_formula(loader, part[i], STATE[i].what, state->key))
            ki_loader_fail(loader, keel_equations_add(loader->equations, block, STATE[i].kind, state->key,
                                                      state->key_at, part[i]->formula, part[i]->formula_at));
    }
}

static void load_equations_block(ki_loader *loader, int block, const ki_yaml *map);

/* The value of key number `i` of SECTIONS. */
static void load_section(ki_loader *loader, int block, int i, const ki_yaml *section) {
    switch (SECTIONS[i].form) {
    case ONE_FORMULA:
        ki_load_formula(loader, block, SECTIONS[i].kind, section, SECTIONS[i].what);
        break;
    case MAP_OF_FORMULAS:
        if (ki_expect_map(loader, section, SECTIONS[i].written))
            for (const ki_yaml *entry = section->first; entry; entry = entry->next)
                ki_load_formula(loader, block, SECTIONS[i].kind, entry, SECTIONS[i].what);
        break;
    case MAP_OF_STATES:
        if (ki_expect_map(loader, section, SECTIONS[i].written))
            for (const ki_yaml *entry = section->first; entry; entry = entry->next)
                load_state(loader, block, entry);
        break;
    case BLOCKS:
        ki_load_repeat(loader, block, section, load_equations_block);
        break;
    }
}

/* `block` is 0 outside of repeat blocks; only inside is `for` a key. */
static void load_equations_block(ki_loader *loader, int block, const ki_yaml *map) {
    for (const ki_yaml *entry = map->first; entry; entry = entry->next) {
        if (block != 0 && strcmp(entry->key, "for") == 0)
            continue;
        int i = 0;
        while (i < SECTION_COUNT && strcmp(SECTIONS[i].key, entry->key) != 0)
            i++;
        if (i < SECTION_COUNT) {
            load_section(loader, block, i, entry);
        } else {
            const char *keys[KI_MAX_KEYS];
            ki_unknown_key(loader, entry, block ? "in 'repeat'" : "in 'equations'", keys,
                           ki_equations_keys(keys));
        }
    }
}

/* What every system needs; formulas with problems of their own were reported already. */
static void check_complete(ki_loader *loader, const ki_yaml *section) {
    if (loader->status != KEEL_OK)
        return;
    if (!(loader->seen & 1u << KEEL_EQ_COORDINATE))
        KI_COMPLAIN(loader, section->key_at,
                    "'coordinates' is missing in 'equations': a system needs at least one");
    if (!(loader->seen & (1u << KEEL_EQ_KINETIC | 1u << KEEL_EQ_MASS)))
        KI_COMPLAIN(loader, section->key_at,
                    "'kinetic', the kinetic energy, is missing in 'equations' (or 'mass', the mass matrix)");
}

void ki_load_equations(ki_loader *loader, const ki_yaml *section) {
    if (!ki_expect_map(loader, section, "coordinates, kinetic, ..."))
        return;
    load_equations_block(loader, 0, section);
    check_complete(loader, section);
}

bool ki_expect_output_name(ki_loader *loader, const ki_yaml *entry) {
    static const char *const COLUMNS[] = {"t",
                                          "energy",
                                          "energy_drift",
                                          "energy_integrator",
                                          "energy_projection",
                                          "energy_projection_1",
                                          "energy_projection_2",
                                          "newton_iterations",
                                          "newton_correction_q",
                                          "newton_correction_lambda",
                                          "condition",
                                          "position_violation",
                                          "velocity_violation"};
    for (size_t i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; i++)
        if (strcmp(COLUMNS[i], entry->key) == 0) {
            KI_COMPLAIN(loader, entry->key_at,
                        "'%s' is a column of the results already: give the output another name", entry->key);
            return false;
        }
    return true;
}

static void load_outputs_block(ki_loader *loader, int block, const ki_yaml *map) {
    for (const ki_yaml *entry = map->first; entry; entry = entry->next) {
        if (strcmp(entry->key, "repeat") == 0)
            ki_load_repeat(loader, block, entry, load_outputs_block);
        else if ((block == 0 || strcmp(entry->key, "for") != 0) && ki_expect_output_name(loader, entry))
            ki_load_formula(loader, block, KEEL_EQ_OUTPUT, entry, "the formula of output");
    }
}

void ki_load_outputs(ki_loader *loader, const ki_yaml *section) {
    if (ki_expect_map(loader, section, "name: formula"))
        load_outputs_block(loader, 0, section);
}

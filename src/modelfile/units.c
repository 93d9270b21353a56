/* units.c - the section `units`: what the columns of results are measured in. */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "modelfile/loader.h"

/* Longer texts are no units: what follows from them has room in KEEL_UNIT. */
enum { MOST_BYTES = KEEL_UNIT / 2 - 1 };

void ki_load_units(ki_loader *loader, const ki_yaml *section) {
    char brief[KI_BRIEF];
    if (!ki_expect_map(loader, section, "name: unit"))
        return;
    loader->units = section;
    for (const ki_yaml *entry = section->first; entry; entry = entry->next)
        if (ki_expect_formula(loader, entry, "the unit of", entry->key) &&
            (strlen(entry->text) > MOST_BYTES || strpbrk(entry->text, "\r\n\t")))
            KI_COMPLAIN(loader, entry->at, "the unit of '%s' must be a word such as m/s, not '%s'",
                        entry->key, ki_brief(entry->text, brief));
}

/* A name that has a unit. */
typedef struct slot {
    const char *name;
    const char **unit;
    bool is_constraint;
} slot;

typedef struct table {
    ki_loader *loader;
    keel_system *system;
    slot *slot;
    int count;
} table;

static void add(table *t, const char *before, const char *name, const char *after, const char **unit) {
    size_t size = strlen(before) + strlen(name) + strlen(after) + 1;
    char *text = ki_arena_alloc(t->loader->arena, size, 1);
    if (!text)
        return;
    snprintf(text, size, "%s%s%s", before, name, after);
    t->slot[t->count++] = (slot){.name = text, .unit = unit};
}

/* A vector of the system: its units are copied, so that they can be changed. */
static const char **add_all(table *t, const char *before, keel_name_of of, const char *after, int count,
                            const char *const *known) {
    char buffer[32];
    const char **unit = KI_NEW(t->loader->kept, const char *, count);
    for (int i = 0; unit && i < count; i++) {
        unit[i] = known ? known[i] : NULL;
        add(t, before, keel_system_name(t->system, of, i, buffer), after, &unit[i]);
    }
    return unit;
}

static void add_constraints(table *t) {
    int first = t->count;
    t->system->units.constraint =
        add_all(t, "", KEEL_NAME_CONSTRAINT, "", keel_system_m(t->system), t->system->units.constraint);
    for (int i = first; i < t->count; i++)
        t->slot[i].is_constraint = true;
}

static bool make_table(table *t) {
    keel_system *sys = t->system;
    bool rate = !sys->kinematics;
    int m = keel_system_m(sys);
    t->slot = KI_NEW(t->loader->arena, slot,
                     3 + sys->n_q + sys->n_v + sys->n_z + sys->n_s + sys->n_outputs + 2 * m);
    if (!t->slot)
        return false;
    add(t, "", "time", "", &sys->units.time);
    add(t, "", "energy", "", &sys->units.energy);
    if (keel_equations_drawing(sys).point_count)
        add(t, "", "draw", "", &sys->units.length);
    sys->units.q = add_all(t, "", KEEL_NAME_Q, "", sys->n_q, sys->units.q);
    sys->units.v = add_all(t, "", rate ? KEEL_NAME_Q : KEEL_NAME_V, rate ? "'" : "", sys->n_v, sys->units.v);
    sys->units.z = add_all(t, "", KEEL_NAME_Z, "", sys->n_z, sys->units.z);
    sys->units.s = add_all(t, "", KEEL_NAME_S, "", sys->n_s, sys->units.s);
    sys->units.output = add_all(t, "", KEEL_NAME_OUTPUT, "", sys->n_outputs, sys->units.output);
    sys->units.multiplier = add_all(t, "lambda.", KEEL_NAME_CONSTRAINT, "", m, sys->units.multiplier);
    add_constraints(t);
    return !t->loader->arena->failed && !t->loader->kept->failed;
}

/* Is it this name, or this name with indices: x is x[1], x[2], ...? */
static bool means(const char *key, const char *name) {
    if (strcmp(key, name) == 0)
        return true;
    for (; *name; name++) {
        if (*name == '[' && *key != '[')
            name += strcspn(name, "]");
        else if (*key++ != *name)
            return false;
    }
    return !*key;
}

static void refuse(table *t, const ki_yaml *entry) {
    char brief[KI_BRIEF], list[300] = "";
    const char *key = ki_brief(entry->key, brief);
    const char **names = KI_NEW(t->loader->arena, const char *, t->count);
    for (int i = 0; names && i < t->count; i++)
        names[i] = t->slot[i].name;
    const char *closest = names ? ki_closest_name(entry->key, names, t->count) : NULL;
    for (int i = 0; i < t->count && i < 8; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.30s", i ? ", " : "", t->slot[i].name);
    if (closest)
        KI_COMPLAIN(t->loader, entry->key_at, "unknown name '%s' in 'units': did you mean '%s'?", key,
                    closest);
    else
        KI_COMPLAIN(t->loader, entry->key_at,
                    "unknown name '%s' in 'units': it has the columns of results, such as %s", key, list);
}

/* A constraint is meant where nothing else is called so. */
static void apply(table *t, const ki_yaml *entry) {
    const char *unit = ki_arena_text(t->loader->kept, entry->text, strlen(entry->text));
    bool found = false;
    for (int i = 0; i < t->count; i++) {
        const slot *s = &t->slot[i];
        bool other = found && s->is_constraint && !t->slot[i - 1].is_constraint;
        if (other)
            return;
        if (!means(entry->key, s->name))
            continue;
        *s->unit = unit;
        found = true;
    }
    if (!found)
        refuse(t, entry);
}

void ki_apply_units(ki_loader *loader, keel_system *system) {
    table t = {.loader = loader, .system = system};
    if (!loader->units)
        return;
    if (!make_table(&t)) {
        ki_loader_fail(loader, KEEL_ERROR_MEMORY);
        return;
    }
    for (const ki_yaml *entry = loader->units->first; entry; entry = entry->next)
        apply(&t, entry);
    if (loader->kept->failed)
        ki_loader_fail(loader, KEEL_ERROR_MEMORY);
}

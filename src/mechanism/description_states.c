/* description_states.c - states, inputs and definitions of a description: names that formulas use.
 *
 * They are found by their whole name, before parts are looked for, and may have dots.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"
#include "mechanism/description_parts.h"
#include "mechanism/name_help.h"

static int find(const keel_mechanism *m, int space, const char *name) {
    const ki_index_entry *found = ki_index_find(m->index, space, name, strlen(name));
    return found ? found->number : -1;
}

int ki_find_state(const keel_mechanism *m, const char *name) {
    return find(m, KI_STATES, name);
}

int ki_find_definition(const keel_mechanism *m, const char *name) {
    return find(m, KI_DEFINITIONS, name);
}

static bool is_reserved(const char *name) {
    for (const char *const *word = ki_reserved_names(); *word; word++)
        if (strcmp(*word, name) == 0)
            return true;
    return strcmp(name, "t") == 0;
}

/* Names joined by dots, each made of letters, digits and '_', the last one perhaps with an index. */
static bool is_name(const char *name) {
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char MORE[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    for (;;) {
        if (!*name || !strchr(LETTERS, *name))
            return false;
        name += strspn(name, MORE);
        if (*name != '.')
            break;
        name++;
    }
    if (!*name)
        return true;
    size_t inside = strspn(name + 1, "0123456789,-");
    return *name == '[' && inside > 0 && strcmp(name + 1 + inside, "]") == 0;
}

/* What else is called so, or NULL. */
static const char *taken_by(const keel_mechanism *m, const char *name) {
    double value;
    if (ki_find_state(m, name) >= 0)
        return "a state or an input";
    if (ki_find_definition(m, name) >= 0)
        return "a definition";
    if (ki_find_parameter(m, name, &value))
        return "a parameter";
    return ki_name_is_part(m, name) ? "a part of the mechanism" : NULL;
}

static bool check_name(const keel_mechanism *m, const char *word, const char *name, keel_location where,
                       keel_diagnostics *list) {
    const char *other = taken_by(m, name);
    if (!is_name(name))
        keel_diagnostics_add(list, KEEL_ERROR, where,
                             "'%s' cannot be the name of %s: a name is made of letters, digits, '_' and '.', "
                             "and begins with a letter",
                             name, word);
    else if (is_reserved(name))
        keel_diagnostics_add(list, KEEL_ERROR, where,
                             "'%s' is a word of the language: %s cannot be called so", name, word);
    else if (other)
        keel_diagnostics_add(list, KEEL_ERROR, where, "the name '%s' of %s is taken by %s", name, word,
                             other);
    else
        return true;
    return false;
}

keel_status keel_mechanism_add_state(keel_mechanism *m, const char *name, keel_location where, double start,
                                     const keel_formula *rate, keel_diagnostics *list) {
    if (!m || !name || !rate)
        return KEEL_ERROR_INPUT;
    const char *word = rate->text ? "a state" : "an input";
    if (!check_name(m, word, name, where, list))
        return KEEL_ERROR_INPUT;
    if (!isfinite(start)) {
        keel_diagnostics_add(list, KEEL_ERROR, where, "the start value of '%s' is not a finite number", name);
        return KEEL_ERROR_INPUT;
    }
    ki_state_spec *array = ki_make_room(m->state, m->state_count, sizeof *array);
    if (!array)
        return KEEL_ERROR_MEMORY;
    m->state = array;
    ki_state_spec *copy = &array[m->state_count];
    *copy = (ki_state_spec){ki_copy_text(m, name), ki_copy_place(m, where), start, ki_copy_formula(m, rate)};
    ki_index_entry entry = {copy->name, KI_STATES, KI_NO_PART, m->state_count, false};
    if (m->arena.failed || !ki_index_add(m->index, entry))
        return KEEL_ERROR_MEMORY;
    m->state_count++;
    return KEEL_OK;
}

keel_status keel_mechanism_add_definition(keel_mechanism *m, const char *name, keel_location where,
                                          const keel_formula *formula, keel_diagnostics *list) {
    if (!m || !name || !formula || !formula->text)
        return KEEL_ERROR_INPUT;
    if (!check_name(m, "a definition", name, where, list))
        return KEEL_ERROR_INPUT;
    ki_output_spec *array = ki_make_room(m->definition, m->definition_count, sizeof *array);
    if (!array)
        return KEEL_ERROR_MEMORY;
    m->definition = array;
    ki_output_spec *copy = &array[m->definition_count];
    *copy = (ki_output_spec){ki_copy_text(m, name), ki_copy_place(m, where), ki_copy_formula(m, formula)};
    ki_index_entry entry = {copy->name, KI_DEFINITIONS, KI_NO_PART, m->definition_count, false};
    if (m->arena.failed || !ki_index_add(m->index, entry))
        return KEEL_ERROR_MEMORY;
    m->definition_count++;
    return KEEL_OK;
}

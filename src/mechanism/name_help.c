#include "mechanism/name_help.h"

#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "expr/expr.h"

enum { LOOKED_AT_MAX = 20000 }; /* names of each kind: keeps a message about a huge model quick */

ki_part_kind ki_split_name(const keel_mechanism *description, const char *name, int *number,
                           const char **rest) {
    for (size_t length = strlen(name); length > 0; length--) {
        if (name[length] != '.' && name[length] != '\0')
            continue;
        ki_part_kind kind = ki_find_part(description, name, (int)length, number);
        *rest = name[length] == '.' ? name + length + 1 : "";
        if (kind != KI_NO_PART)
            return kind;
    }
    return KI_NO_PART;
}

bool ki_name_is_part(const keel_mechanism *description, const char *name) {
    int number;
    const char *rest;
    return ki_split_name(description, name, &number, &rest) != KI_NO_PART;
}

const char *ki_part_words(ki_part_kind kind) {
    static const char *const WORDS[] = {"nothing", "a body", "a joint", "a force", "a motion", "a point"};
    return WORDS[kind];
}

/* The best guess so far for a misspelt name. */
typedef struct guess {
    const char *name, *closest;
} guess;

static void look_at(guess *g, const char *candidate) {
    const char *both[] = {g->closest ? g->closest : candidate, candidate};
    const char *closer = ki_closest_name(g->name, both, 2);
    g->closest = closer ? closer : g->closest;
}

static void look_at_parts(guess *g, const keel_mechanism *m) {
    for (int i = 0; i < m->body_count && i < LOOKED_AT_MAX; i++)
        look_at(g, m->body[i].name);
    for (int i = 0; i < m->joint_count && i < LOOKED_AT_MAX; i++)
        look_at(g, m->joint[i].name);
    for (int i = 0; i < m->point_count && i < LOOKED_AT_MAX; i++)
        look_at(g, m->point[i].name);
    for (int i = 0; i < m->force_count && i < LOOKED_AT_MAX; i++)
        look_at(g, m->force[i].name);
    for (int i = 0; i < m->motion_count && i < LOOKED_AT_MAX; i++)
        look_at(g, m->motion[i].name);
}

static void look_at_numbers(guess *g, const keel_mechanism *m, const keel_formula *formula,
                            const char *const *extra, int extra_count) {
    for (int i = 0; formula && i < formula->local_count; i++)
        look_at(g, formula->local_name[i]);
    for (int i = 0; i < extra_count; i++)
        look_at(g, extra[i]);
    for (int i = 0; i < m->parameter_count && i < LOOKED_AT_MAX; i++)
        look_at(g, m->parameter[i].name);
    for (int i = 0; i < m->state_count && i < LOOKED_AT_MAX; i++)
        look_at(g, m->state[i].name);
    for (int i = 0; i < m->definition_count && i < LOOKED_AT_MAX; i++)
        look_at(g, m->definition[i].name);
    for (const char *const *word = ki_reserved_names(); *word; word++)
        look_at(g, *word);
}

/* A point that several bodies have is not found by its name alone. */
static const char *shared_point(const keel_mechanism *m, const char *name, size_t length) {
    int found = 0, body = 0;
    for (int i = 0; i < m->point_count; i++)
        if (strlen(m->point[i].name) == length && memcmp(m->point[i].name, name, length) == 0) {
            found++;
            body = m->point[i].body;
        }
    return found > 1 ? m->body[body].name : NULL;
}

const char *ki_name_hint(const keel_mechanism *description, const keel_formula *formula,
                         const char *const *extra, int extra_count, const char *name,
                         char hint[KI_NAME_HINT]) {
    char first[KI_NAME_HINT / 2];
    size_t bracket = strcspn(name, "]"), length;
    bracket = name[bracket] ? bracket + 1 : 0;
    length = bracket + strcspn(name + bracket, ".");
    hint[0] = '\0';
    if (length >= sizeof first)
        return hint;
    memcpy(first, name, length);
    first[length] = '\0';
    const char *body = shared_point(description, name, length);
    if (body) {
        snprintf(hint, KI_NAME_HINT, "; several bodies have a point of that name: write '%.40s.%.40s'", body,
                 first);
        return hint;
    }
    if (description->drawing && ki_find_point(description->drawing, KEEL_GROUND, first, (int)length) >= 0) {
        snprintf(hint, KI_NAME_HINT,
                 ": point '%.60s' belongs to no body; list it under 'points' of the body that carries it",
                 first);
        return hint;
    }
    guess g = {first, NULL};
    look_at_parts(&g, description);
    if (!name[length])
        look_at_numbers(&g, description, formula, extra, extra_count);
    if (g.closest)
        snprintf(hint, KI_NAME_HINT, "; did you mean '%.60s%.60s'?", g.closest, name + length);
    return hint;
}

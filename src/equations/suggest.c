#include "equations/suggest.h"

#include <stdio.h>
#include <string.h>

enum { LOOKED_AT_MAX = 20000 }; /* names of each kind: keeps a message about a huge model quick */

/* The best guess so far. */
typedef struct guess {
    const char *name;
    size_t base;              /* characters up to and with the bracket of "x[4]"; 0: no index */
    const char *closest;      /* in spelling */
    const char *first, *last; /* with the same base, "x[1]" and "x[3]" */
} guess;

static guess guess_for(const char *name) {
    const char *bracket = strchr(name, '[');
    return (guess){.name = name, .base = bracket ? (size_t)(bracket - name) + 1 : 0};
}

/* Messages beyond the last one that is kept need no guess. */
static bool is_heard(const ki_builder *b) {
    return keel_diagnostics_count(b->diagnostics) < KEEL_DIAGNOSTICS_MAX;
}

static void look_at(guess *g, const ki_builder *b, const ki_list *list) {
    for (int i = 0; is_heard(b) && i < list->count && i < LOOKED_AT_MAX; i++) {
        const char *candidate = list->at[i]->name;
        g->closest = ki_closer_name(g->name, g->closest, candidate);
        if (!g->base || strncmp(candidate, g->name, g->base) != 0)
            continue;
        if (!g->first)
            g->first = candidate;
        g->last = candidate;
    }
}

/* An index out of range is more likely than a misspelt name. */
static const char *tell(const guess *g, const char *before, char hint[KI_HINT_SIZE]) {
    if (g->first && g->first != g->last)
        snprintf(hint, KI_HINT_SIZE, "; there are '%s%s' to '%s%s'", before, g->first, before, g->last);
    else if (g->first)
        snprintf(hint, KI_HINT_SIZE, "; there is '%s%s'", before, g->first);
    else if (g->closest)
        snprintf(hint, KI_HINT_SIZE, "; did you mean '%s%s'?", before, g->closest);
    else
        hint[0] = '\0';
    return hint;
}

const char *ki_hint_any(const ki_builder *b, const ki_binding *bindings, const char *name,
                        char hint[KI_HINT_SIZE]) {
    guess g = guess_for(name);
    for (const ki_binding *i = bindings; i; i = i->outer)
        g.closest = ki_closer_name(name, g.closest, i->variable);
    look_at(&g, b, &b->of[KEEL_EQ_COORDINATE]);
    look_at(&g, b, &b->of[KEEL_EQ_PARAMETER]);
    look_at(&g, b, &b->of[KEEL_EQ_DEFINITION]);
    look_at(&g, b, &b->of[KEEL_EQ_STATE]);
    look_at(&g, b, &b->of[KEEL_EQ_AUXILIARY]);
    for (const char *const *word = ki_reserved_names(); *word; word++)
        g.closest = ki_closer_name(name, g.closest, *word);
    return tell(&g, "", hint);
}

const char *ki_hint_kind(const ki_builder *b, keel_equation_kind kind, const char *name,
                         char hint[KI_HINT_SIZE]) {
    guess g = guess_for(name);
    look_at(&g, b, &b->of[kind]);
    return tell(&g, "", hint);
}

const char *ki_hint_multiplier(const ki_builder *b, const char *name, char hint[KI_HINT_SIZE]) {
    guess g = guess_for(name);
    look_at(&g, b, &b->of[KEEL_EQ_HOLONOMIC]);
    look_at(&g, b, &b->of[KEEL_EQ_NONHOLONOMIC]);
    return tell(&g, "lambda.", hint);
}

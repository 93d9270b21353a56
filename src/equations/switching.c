/* switching.c - where the formulas of a model change over from one branch to another.
 *
 * What depends on t alone is known beforehand; the other functions are one tape. Formulas of multipliers and
 * of auxiliary unknowns are left to the error control.
 */
#include <stdio.h>
#include <string.h>

#include "equations/builder.h"

/* Functions found so far; the sign does not matter. */
typedef struct found_switches {
    ki_builder *b;
    int count, capacity;
    ki_node *g;
    ki_op *op;
} found_switches;

static int place_among(const found_switches *f, ki_node g) {
    ki_node negative = ki_unary(f->b->graph, KI_NEG, g);
    int i = 0;
    while (i < f->count && f->g[i] != g && f->g[i] != negative)
        i++;
    return i;
}

static void note_switch(void *user, ki_op op, ki_node g) {
    found_switches *f = user;
    int known = place_among(f, g);
    if (known < f->count) {
        f->op[known] = f->op[known] == KI_TANH ? op : f->op[known];
        return;
    }
    if (f->count == f->capacity) {
        int capacity = f->capacity ? 2 * f->capacity : 16;
        ki_node *larger = KI_SCRATCH(f->b, ki_node, capacity);
        ki_op *ops = KI_SCRATCH(f->b, ki_op, capacity);
        if (!larger || !ops)
            return;
        if (f->count) {
            memcpy(larger, f->g, (size_t)f->count * sizeof *larger);
            memcpy(ops, f->op, (size_t)f->count * sizeof *ops);
        }
        f->g = larger, f->op = ops;
        f->capacity = capacity;
    }
    f->op[f->count] = op;
    f->g[f->count++] = g;
}

/* Who has a formula with the function: the first item of these kinds. */
typedef struct owner_search {
    const found_switches *all;
    const ki_item **owner; /* [all->count] */
    const ki_item *item;
} owner_search;

static void note_owner(void *user, ki_op op, ki_node g) {
    owner_search *s = user;
    (void)op;
    int i = place_among(s->all, g);
    if (i < s->all->count && !s->owner[i])
        s->owner[i] = s->item;
}

static void find_owners(ki_builder *b, const found_switches *all, const ki_item **owner) {
    static const keel_equation_kind KINDS[] = {
        KEEL_EQ_DEFINITION,   KEEL_EQ_FORCE, KEEL_EQ_POTENTIAL, KEEL_EQ_STATE_RATE,        KEEL_EQ_HOLONOMIC,
        KEEL_EQ_NONHOLONOMIC, KEEL_EQ_MASS,  KEEL_EQ_KINETIC,   KEEL_EQ_AUXILIARY_EQUATION};
    for (unsigned k = 0; k < sizeof KINDS / sizeof *KINDS; k++)
        for (int i = 0; i < b->of[KINDS[k]].count; i++) {
            owner_search s = {all, owner, b->of[KINDS[k]].at[i]};
            if (s.item->node != KI_NONE)
                ki_switches_of(b->graph, &s.item->node, 1, note_owner, &s);
        }
}

static void name_switch(ki_builder *b, ki_op op, const ki_item *owner, const char **name,
                        keel_location *where) {
    char text[200];
    ki_arena *arena = &b->model->arena;
    const char *of = owner ? owner->name : NULL;
    if (of)
        snprintf(text, sizeof text, "%s in %s'%s'", ki_switch_word(op),
                 owner->entry->kind == KEEL_EQ_FORCE ? "the force on " : "", of);
    else
        snprintf(text, sizeof text, "%s", ki_switch_word(op));
    *name = ki_arena_text(arena, text, strlen(text));
    if (owner)
        *where = owner->entry->text_at;
    if (where->file)
        where->file = ki_arena_text(arena, where->file, strlen(where->file));
}

static void build_sides(ki_builder *b, const found_switches *f) {
    keel_system *s = &b->model->system;
    const ki_item **owner = KI_SCRATCH(b, const ki_item *, f->count);
    const char **name = KI_NEW(&b->model->arena, const char *, f->count);
    int *steep = KI_NEW(&b->model->arena, int, f->count);
    keel_location *where = KI_NEW(&b->model->arena, keel_location, f->count);
    if (!owner || !name || !where || !steep || f->count == 0)
        return;
    find_owners(b, f, owner);
    for (int i = 0; i < f->count; i++)
        name_switch(b, f->op[i], owner[i], &name[i], &where[i]);
    for (int i = 0; i < f->count; i++) {
        steep[i] = f->op[i] == KI_TANH;
        f->g[i] = ki_switch_side(b->graph, f->op[i], f->g[i]);
    }
    b->model->sides = ki_tape_new(b->graph, f->g, f->count, b->inputs.count);
    b->out_of_memory |= !b->model->sides;
    s->switches.count = f->count;
    s->switches.name = name;
    s->switches.where = where;
    s->switches.steep = steep;
}

static bool find_switches(ki_builder *b, found_switches *all) {
    static const ki_section SECTIONS[] = {KI_SECTION_M,   KI_SECTION_Q, KI_SECTION_XI,
                                          KI_SECTION_PHI, KI_SECTION_F, KI_SECTION_R};
    bool ok = true;
    for (unsigned k = 0; k < sizeof SECTIONS / sizeof *SECTIONS; k++)
        ok = ok && ki_switches_of(b->graph, b->section[SECTIONS[k]], b->model->count[SECTIONS[k]],
                                  note_switch, all);
    return ok;
}

bool ki_build_switches(ki_builder *b) {
    found_switches all = {.b = b}, of_time = {.b = b}, of_state = {.b = b};
    b->out_of_memory |= !find_switches(b, &all);
    for (int i = 0; i < all.count; i++) {
        unsigned uses = ki_uses_of(b, all.g[i]);
        if (uses == KI_USES_T)
            note_switch(&of_time, all.op[i], all.g[i]);
        else if (!(uses & (unsigned)(KI_USES_S | KI_USES_LAMBDA | KI_USES_A)))
            note_switch(&of_state, all.op[i], all.g[i]);
    }
    if (of_time.count) {
        b->model->instants = ki_instants_new(b->graph, of_time.g, of_time.count, 0);
        b->out_of_memory |= !b->model->instants;
    }
    build_sides(b, &of_state);
    return !ki_out_of_memory(b);
}

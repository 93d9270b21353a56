/* switching.c - where laws of forces and motions change over from one branch to another.
 *
 * What depends on t alone is known beforehand. The other switching functions of a force are a formula of the
 * inputs of its law.
 */
#include <stdio.h>
#include <string.h>

#include "mechanism/forces/force.h"
#include "mechanism/mech_system.h"
#include "mechanism/states.h"

/* Functions found so far, in one list. */
typedef struct laws_found {
    ki_mech *mech;
    bool of_time; /* which of them are wanted */
    bool is_of_time;
    int first, count, capacity; /* those before `first` do not count as equal */
    ki_node *g;
    ki_op *op;
    bool no_memory;
} laws_found;

static void note_symbol(void *user, int id) {
    laws_found *f = user;
    f->is_of_time = f->is_of_time && id == 0;
}

static bool has_room(laws_found *f) {
    if (f->count < f->capacity)
        return true;
    int capacity = f->capacity ? 2 * f->capacity : 16;
    ki_node *g = KI_NEW(&f->mech->arena, ki_node, capacity);
    ki_op *op = KI_NEW(&f->mech->arena, ki_op, capacity);
    if (!g || !op)
        return false;
    if (f->count) {
        memcpy(g, f->g, (size_t)f->count * sizeof *g);
        memcpy(op, f->op, (size_t)f->count * sizeof *op);
    }
    f->g = g, f->op = op;
    f->capacity = capacity;
    return true;
}

static void note_function(void *user, ki_op op, ki_node g) {
    laws_found *f = user;
    ki_node negative = ki_unary(f->mech->laws, KI_NEG, g);
    f->is_of_time = true;
    ki_symbols_of(f->mech->laws, g, note_symbol, f);
    if (f->is_of_time != f->of_time)
        return;
    for (int i = f->first; i < f->count; i++)
        if (f->g[i] == g || f->g[i] == negative) {
            f->op[i] = f->op[i] == KI_TANH ? op : f->op[i];
            return;
        }
    if (!has_room(f)) {
        f->no_memory = true;
        return;
    }
    f->op[f->count] = op;
    f->g[f->count++] = g;
}

static keel_status look_at(laws_found *f, const ki_node *node, int count) {
    bool ok = ki_switches_of(f->mech->laws, node, count, note_function, f);
    return ok && !f->no_memory ? KEEL_OK : KEEL_ERROR_MEMORY;
}

static keel_status build_instants(ki_mech *mech) {
    laws_found f = {.mech = mech, .of_time = true};
    keel_status status = KEEL_OK;
    for (int i = 0; i < mech->force_count && !status; i++)
        if (mech->force[i].law.tape)
            status = look_at(&f, mech->force[i].law.node, mech->force[i].law.outputs);
    for (int i = 0; i < mech->motion_count && !status; i++)
        status = look_at(&f, mech->motion[i].node, 1);
    if (!status && mech->rates.tape)
        status = look_at(&f, mech->rates.node, mech->rates.outputs);
    if (status || f.count == 0)
        return status;
    mech->instants = ki_instants_new(mech->laws, f.g, f.count, 0);
    if (!mech->instants)
        return KEEL_ERROR_MEMORY;
    mech->instants_work = mech->tape_size;
    mech->tape_size += ki_instants_work_size(mech->instants);
    return KEEL_OK;
}

static int extra_inputs(const ki_force *force) {
    return force->kind == KEEL_FORCE_SPRING || force->kind == KEEL_FORCE_TORSION ? 2 : 0;
}

/* The switching functions of a law with `extra` inputs between t and its measures. */
static keel_status build_sides(ki_mech *mech, laws_found *f, const ki_formula *law, int extra,
                               ki_formula *sides) {
    f->first = f->count;
    keel_status status = look_at(f, law->node, law->outputs);
    if (status || f->count == f->first)
        return status;
    *sides = (ki_formula){.input_count = law->input_count,
                          .input = law->input,
                          .outputs = f->count - f->first,
                          .work = mech->tape_size};
    for (int i = f->first; i < f->count; i++)
        f->g[i] = ki_switch_side(mech->laws, f->op[i], f->g[i]);
    sides->tape = ki_tape_new(mech->laws, f->g + f->first, sides->outputs, 1 + extra + law->input_count);
    if (!sides->tape)
        return KEEL_ERROR_MEMORY;
    mech->tape_size += ki_tape_work_size(sides->tape);
    return KEEL_OK;
}

static keel_status name_sides(ki_mech *mech, const laws_found *f) {
    const char **name = KI_NEW(&mech->arena, const char *, f->count);
    keel_location *where = KI_NEW(&mech->arena, keel_location, f->count);
    int *steep = KI_NEW(&mech->arena, int, f->count);
    char text[200];
    int k = 0;
    for (int i = 0; i < mech->force_count && name && where && steep; i++)
        for (int j = 0; j < mech->force[i].sides.outputs; j++, k++) {
            snprintf(text, sizeof text, "%s in '%s'", ki_switch_word(f->op[k]), mech->force[i].name);
            name[k] = ki_arena_text(&mech->arena, text, strlen(text));
            where[k] = mech->force[i].where;
            steep[k] = f->op[k] == KI_TANH;
        }
    for (; name && where && steep && k < f->count; k++) {
        steep[k] = f->op[k] == KI_TANH;
        snprintf(text, sizeof text, "%s in the rate of a state", ki_switch_word(f->op[k]));
        name[k] = ki_arena_text(&mech->arena, text, strlen(text));
    }
    mech->system.switches.count = f->count;
    mech->system.switches.name = name;
    mech->system.switches.where = where;
    mech->system.switches.steep = steep;
    return mech->arena.failed ? KEEL_ERROR_MEMORY : KEEL_OK;
}

static int next_switch(const keel_system *system, void *user, double from, double until, double when[3]) {
    const ki_mech *mech = ki_mech_of(system);
    ki_mech_work *w = user;
    ki_instant found;
    if (!ki_instants_next(mech->instants, from, until, w->tape + mech->instants_work, &found))
        return 0;
    when[0] = found.before, when[1] = found.at, when[2] = found.after;
    return 1;
}

static void switching_values(const keel_system *system, void *user, const keel_point *at, double *g) {
    const ki_mech *mech = ki_mech_of(system);
    ki_mech_work *w = user;
    ki_load_states(mech, w, at);
    ki_place(mech, w, at->q);
    ki_move_bodies(mech, w, at->v);
    for (int i = 0; i < mech->force_count; i++) {
        const ki_force *force = &mech->force[i];
        double extra[2] = {0};
        if (!force->sides.tape)
            continue;
        if (extra_inputs(force))
            ki_resistance_inputs(mech, w, force, extra);
        ki_formula_run(mech, w, &force->sides, extra_inputs(force), extra, at->t, g);
        g += force->sides.outputs;
    }
    if (mech->rate_sides.tape)
        ki_formula_run(mech, w, &mech->rate_sides, 0, NULL, at->t, g);
}

keel_status ki_switching_build(ki_mech *mech) {
    laws_found f = {.mech = mech};
    keel_status status = mech->laws ? build_instants(mech) : KEEL_OK;
    for (int i = 0; i < mech->force_count && !status; i++)
        if (mech->force[i].law.tape)
            status = build_sides(mech, &f, &mech->force[i].law, extra_inputs(&mech->force[i]),
                                 &mech->force[i].sides);
    if (!status && mech->rates.tape)
        status = build_sides(mech, &f, &mech->rates, 0, &mech->rate_sides);
    if (!status && f.count)
        status = name_sides(mech, &f);
    mech->system.switches.next = mech->instants ? next_switch : NULL;
    mech->system.switches.values = f.count ? switching_values : NULL;
    return status;
}

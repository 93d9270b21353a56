/* programs.c - tapes for the sets of terms that are asked for together.
 *
 * One tape computes shared subexpressions once, so the sets that integrators use in every step have a tape of
 * their own. Any other set is put together from these, the largest that fits inside it first.
 */
#include <stdlib.h>
#include <string.h>

#include "equations/builder.h"
#include "equations/prepare.h"

static const unsigned WANTED[] = {
    /* a right-hand side, without and with the power, without and with drivers */
    KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI | KEEL_STATES,
    KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI | KEEL_STATES | KEEL_POWER,
    KEEL_MASS | KEEL_JACOBIAN | KEEL_FORCE | KEEL_XI | KEEL_STATES | KEEL_POWER | KEEL_VELOCITY,
    /* ... when mass and Jacobian at the same q are known */
    KEEL_FORCE | KEEL_XI | KEEL_STATES,
    KEEL_FORCE | KEEL_XI | KEEL_STATES | KEEL_POWER,
    KEEL_FORCE | KEEL_XI | KEEL_STATES | KEEL_POWER | KEEL_VELOCITY,
    /* projections and their measure */
    KEEL_POSITION | KEEL_VELOCITY,
    KEEL_POSITION | KEEL_JACOBIAN,
    KEEL_VELOCITY | KEEL_JACOBIAN,
    KEEL_MASS | KEEL_JACOBIAN,
    KEEL_MASS | KEEL_JACOBIAN | KEEL_VELOCITY,
    KEEL_MASS | KEEL_JACOBIAN | KEEL_VELOCITY | KEEL_POSITION,
    /* ... and what they do to the energy, before and after */
    KEEL_POSITION | KEEL_ENERGY,
    KEEL_VELOCITY | KEEL_ENERGY,
    /* ... where a rate follows */
    KEEL_VELOCITY | KEEL_ENERGY | KEEL_FORCE | KEEL_XI | KEEL_STATES | KEEL_POWER,
    KEEL_VELOCITY | KEEL_JACOBIAN | KEEL_VELOCITY_Q | KEEL_POSITION | KEEL_INVARIANTS,
    /* forces that depend on multipliers */
    KEEL_FORCE | KEEL_FORCE_LAMBDA,
    /* each term alone */
    KEEL_MASS,
    KEEL_JACOBIAN,
    KEEL_FORCE,
    KEEL_XI,
    KEEL_POSITION,
    KEEL_VELOCITY,
    KEEL_STATES,
    KEEL_AUXILIARY,
    KEEL_FORCE_LAMBDA,
    KEEL_ENERGY,
    KEEL_POWER,
    KEEL_TANGENT,
    KEEL_VELOCITY_Q,
    KEEL_INVARIANTS,
};

_Static_assert(sizeof WANTED / sizeof *WANTED <= KI_PROGRAMS_MAX, "room for all programs");

static void build_states(ki_builder *b) {
    int n_z = b->inputs.n_z;
    ki_node *f = KI_SCRATCH(b, ki_node, n_z);
    for (int i = 0; f && i < n_z; i++)
        f[i] = b->of[KEEL_EQ_STATE].at[i]->about->node;
    for (int i = 0; f && i < n_z; i++)
        if (ki_uses_of(b, f[i]) & KI_USES_LAMBDA)
            b->model->system.f_needs_lambda = 1;
    ki_set_section(b, KI_SECTION_F, f, n_z);
}

static bool has_program(const ki_programs *programs, unsigned what) {
    for (int i = 0; i < programs->count; i++)
        if (programs->at[i].what == what)
            return true;
    return false;
}

/* The sections of `what`, one after another; how many nodes. */
static int collect(const ki_formulas *f, unsigned what, ki_node *nodes) {
    int count = 0;
    for (int s = 0; s < KI_SECTIONS; s++)
        for (int i = 0; (ki_section_bit[s] & what) && i < f->count[s]; i++)
            nodes[count++] = f->section[s][i];
    return count;
}

static ki_shortener *shortener_of(const ki_formulas *f, unsigned what, ki_node *nodes) {
    return ki_shortener_new(f->graph, nodes, collect(f, what, nodes), f->q, f->n);
}

/* shortener: NULL for formulas as they are. False when out of memory. */
static bool add_program(const ki_formulas *f, unsigned what, ki_shortener *shortener, ki_node *nodes,
                        ki_programs *programs) {
    int count = collect(f, what, nodes);
    bool ok = !shortener || ki_shorten(shortener, nodes, count);
    ki_tape *tape = ok ? ki_tape_new(f->graph, nodes, count, f->inputs) : NULL;
    if (tape)
        programs->at[programs->count++] = (ki_program){what, tape};
    return tape;
}

static int bits_in(unsigned what) {
    int count = 0;
    for (; what; what &= what - 1)
        count++;
    return count;
}

/* Those for more terms first, otherwise in the order of WANTED. */
static void sort_programs(ki_programs *programs) {
    for (int i = 1; i < programs->count; i++) {
        ki_program moved = programs->at[i];
        int to = i;
        for (; to > 0 && bits_in(programs->at[to - 1].what) < bits_in(moved.what); to--)
            programs->at[to] = programs->at[to - 1];
        programs->at[to] = moved;
    }
}

static void build_outputs(ki_builder *b) {
    const ki_list *list = &b->of[KEEL_EQ_OUTPUT];
    ki_node *nodes = KI_SCRATCH(b, ki_node, list->count);
    if (!nodes || list->count == 0)
        return;
    for (int i = 0; i < list->count; i++)
        nodes[i] = list->at[i]->node;
    b->model->outputs = ki_tape_new(b->graph, nodes, list->count, b->inputs.count);
    if (!b->model->outputs)
        b->out_of_memory = true;
}

/* Which formulas are shortened together. Derivatives are a program of their own, much longer than the rest.
 * The energy stays as it is: where it is a small difference, its drift would show how its terms were put
 * together. */
typedef struct shorteners {
    ki_shortener *terms, *tangent;
} shorteners;

static ki_shortener *choose_shortener(const shorteners *s, unsigned what) {
    if (what & KEEL_ENERGY)
        return NULL;
    return what == KEEL_TANGENT ? s->tangent : s->terms;
}

/* Whether runs ask for such a set: right-hand sides have the power where it is known, and the velocity level
 * for what drivers do. */
static bool is_asked(const ki_formulas *f, unsigned what) {
    bool rate = (what & KEEL_FORCE) && (what & KEEL_XI) && !(what & KEEL_ENERGY);
    if (!rate)
        return true;
    return !(f->available & KEEL_POWER) == !(what & KEEL_POWER) && f->drivers == !!(what & KEEL_VELOCITY);
}

static bool add_all(const ki_formulas *f, const shorteners *s, ki_node *nodes, ki_programs *programs) {
    for (unsigned i = 0; i < sizeof WANTED / sizeof *WANTED; i++) {
        unsigned what = WANTED[i] & f->available;
        if (!is_asked(f, WANTED[i]))
            continue;
        if (f->f_needs_lambda && what != KEEL_STATES)
            what &= ~(unsigned)KEEL_STATES; /* asked for alone, after the multipliers */
        if (what && !has_program(programs, what) &&
            !add_program(f, what, choose_shortener(s, what), nodes, programs))
            return false;
    }
    sort_programs(programs);
    return true;
}

static bool add_shortened(const ki_formulas *f, ki_node *nodes, ki_programs *programs) {
    unsigned apart = KEEL_TANGENT | KEEL_ENERGY;
    shorteners s = {shortener_of(f, f->available & ~apart, nodes),
                    shortener_of(f, f->available & KEEL_TANGENT, nodes)};
    bool ok = s.terms && s.tangent && add_all(f, &s, nodes, programs);
    ki_shortener_free(s.terms);
    ki_shortener_free(s.tangent);
    return ok;
}

bool ki_make_programs(const ki_formulas *f, bool shortened, ki_programs *programs) {
    int total = 0;
    for (int s = 0; s < KI_SECTIONS; s++)
        total += f->count[s];
    ki_node *nodes = calloc((size_t)total + 1, sizeof *nodes);
    *programs = (ki_programs){0};
    bool ok = nodes && (shortened ? add_shortened(f, nodes, programs)
                                  : add_all(f, &(shorteners){NULL, NULL}, nodes, programs));
    free(nodes);
    if (!ok)
        ki_programs_clear(programs);
    return ok;
}

void ki_programs_clear(ki_programs *programs) {
    for (int i = 0; i < programs->count; i++)
        ki_tape_free(programs->at[i].tape);
    programs->count = 0;
}

static ki_formulas formulas_of(const ki_builder *b) {
    const ki_model *model = b->model;
    ki_formulas f = {.graph = b->graph,
                     .available = model->available,
                     .f_needs_lambda = model->system.f_needs_lambda,
                     .drivers = model->system.has_drivers,
                     .q = b->inputs.q,
                     .n = b->inputs.n,
                     .inputs = b->inputs.count};
    memcpy(f.count, model->count, sizeof f.count);
    memcpy(f.section, b->section, sizeof f.section);
    return f;
}

bool ki_build_programs(ki_builder *b) {
    ki_model *model = b->model;
    build_states(b);
    for (int s = 0; s < KI_SECTIONS; s++)
        if (model->count[s])
            model->available |= ki_section_bit[s];
    if (ki_out_of_memory(b))
        return false;
    ki_formulas f = formulas_of(b);
    if (ki_make_programs(&f, false, &model->given))
        model->preparation = ki_preparation_new(&f, &model->given);
    b->out_of_memory |= !model->preparation;
    build_outputs(b);
    return !ki_out_of_memory(b);
}

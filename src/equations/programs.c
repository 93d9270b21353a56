/* programs.c - tapes for the sets of terms that are asked for together.
 *
 * One tape computes shared subexpressions once, so the sets that integrators use in every step have a tape of
 * their own. Any other set is put together from these, the largest that fits inside it first.
 */
#include "equations/builder.h"

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

static bool has_program(const ki_model *model, unsigned what) {
    for (int i = 0; i < model->programs; i++)
        if (model->program[i].what == what)
            return true;
    return false;
}

/* The sections of `what`, one after another; how many nodes. */
static int collect(const ki_builder *b, unsigned what, ki_node *nodes) {
    int count = 0;
    for (int s = 0; s < KI_SECTIONS; s++)
        for (int i = 0; (ki_section_bit[s] & what) && i < b->model->count[s]; i++)
            nodes[count++] = b->section[s][i];
    return count;
}

static ki_shortener *shortener_of(ki_builder *b, unsigned what, ki_node *nodes) {
    int count = collect(b, what, nodes);
    ki_shortener *shortener = ki_shortener_new(b->graph, nodes, count, b->inputs.q, b->inputs.n);
    b->out_of_memory = b->out_of_memory || !shortener;
    return shortener;
}

/* shortener: NULL for formulas as they are */
static void add_program(ki_builder *b, unsigned what, ki_shortener *shortener, ki_node *nodes) {
    ki_model *model = b->model;
    int count = collect(b, what, nodes);
    bool ok = !shortener || ki_shorten(shortener, nodes, count);
    ki_tape *tape = ok ? ki_tape_new(b->graph, nodes, count, b->inputs.count) : NULL;
    if (!tape) {
        b->out_of_memory = true;
        return;
    }
    model->program[model->programs++] = (ki_program){what, tape};
}

static int bits_in(unsigned what) {
    int count = 0;
    for (; what; what &= what - 1)
        count++;
    return count;
}

/* Those for more terms first, otherwise in the order of WANTED. */
static void sort_programs(ki_model *model) {
    for (int i = 1; i < model->programs; i++) {
        ki_program moved = model->program[i];
        int to = i;
        for (; to > 0 && bits_in(model->program[to - 1].what) < bits_in(moved.what); to--)
            model->program[to] = model->program[to - 1];
        model->program[to] = moved;
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

static void build_all(ki_builder *b, ki_node *nodes) {
    ki_model *model = b->model;
    unsigned apart = KEEL_TANGENT | KEEL_ENERGY;
    shorteners s = {shortener_of(b, model->available & ~apart, nodes),
                    shortener_of(b, model->available & KEEL_TANGENT, nodes)};
    for (unsigned i = 0; i < sizeof WANTED / sizeof *WANTED && !ki_out_of_memory(b); i++) {
        unsigned what = WANTED[i] & model->available;
        if (model->system.f_needs_lambda && what != KEEL_STATES)
            what &= ~(unsigned)KEEL_STATES; /* asked for alone, after the multipliers */
        if (what && !has_program(model, what))
            add_program(b, what, choose_shortener(&s, what), nodes);
    }
    ki_shortener_free(s.terms);
    ki_shortener_free(s.tangent);
}

bool ki_build_programs(ki_builder *b) {
    ki_model *model = b->model;
    int total = 0;
    build_states(b);
    for (int s = 0; s < KI_SECTIONS; s++) {
        total += model->count[s];
        if (model->count[s])
            model->available |= ki_section_bit[s];
    }
    ki_node *nodes = KI_SCRATCH(b, ki_node, total);
    if (nodes && !ki_out_of_memory(b))
        build_all(b, nodes);
    sort_programs(model);
    build_outputs(b);
    return !ki_out_of_memory(b);
}

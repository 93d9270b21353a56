/* scope.c - what a name means in a formula, and whether it may be used there.
 *
 *     t                 time
 *     x   x'   x''      coordinate, velocity, acceleration
 *     z   z'            state and its rate
 *     s                 auxiliary unknown
 *     g                 parameter
 *     lambda.c          multiplier of constraint c
 *     d   d'   d''      definition and its total time derivatives: x' for x, x'' for x', the rate of z for z,
 *                       1 for t
 *     kinetic  potential  energy      in invariants
 */
#include "equations/scope.h"

#include <stdio.h>
#include <string.h>

#include "equations/suggest.h"

enum {
    TQ = KI_USES_T | KI_USES_Q,
    TQVS = TQ | KI_USES_V | KI_USES_S,
    TQVZS = TQVS | KI_USES_Z,
    ANYTHING = TQVZS | KI_USES_LAMBDA | KI_USES_A
};

static const struct {
    const char *subject;
    unsigned allowed;
    const char *may_use;
} CONTEXT[KI_CONTEXTS] = {
    [KEEL_EQ_PARAMETER] = {"a parameter", 0, "numbers and other parameters"},
    [KEEL_EQ_DEFINITION] = {"a definition", ANYTHING, "anything"},
    [KEEL_EQ_COORDINATE] = {"a start value", 0, "numbers and parameters"},
    [KEEL_EQ_VELOCITY] = {"a start value", 0, "numbers and parameters"},
    [KEEL_EQ_KINETIC] = {"the kinetic energy", TQ | KI_USES_V, "coordinates, velocities and t"},
    [KEEL_EQ_POTENTIAL] = {"the potential energy", TQ, "coordinates and t"},
    [KEEL_EQ_MASS] = {"the mass matrix", TQ, "coordinates and t"},
    [KEEL_EQ_FORCE] = {"a force", TQVZS | KI_USES_LAMBDA, "anything but accelerations"},
    [KEEL_EQ_HOLONOMIC] = {"a holonomic constraint", TQ | KI_USES_S, "coordinates, auxiliary unknowns and t"},
    [KEEL_EQ_NONHOLONOMIC] = {"a nonholonomic constraint", TQVS,
                              "coordinates, velocities, auxiliary unknowns and t"},
    [KEEL_EQ_STATE] = {"a start value", 0, "numbers and parameters"},
    [KEEL_EQ_STATE_RATE] = {"the rate of a state", TQVZS | KI_USES_LAMBDA, "anything but accelerations"},
    [KEEL_EQ_AUXILIARY] = {"a start value", 0, "numbers and parameters"},
    [KEEL_EQ_AUXILIARY_EQUATION] = {"an auxiliary equation", TQVZS,
                                    "coordinates, velocities, states, auxiliary unknowns and t"},
    [KEEL_EQ_OUTPUT] = {"an output", ANYTHING, "anything"},
    [KEEL_EQ_INVARIANT] = {"an invariant", TQ | KI_USES_V | KI_USES_Z,
                           "coordinates, velocities, states, t and the energies"},
    [KEEL_EQ_SCALE] = {"a scale", 0, "numbers and parameters"},
    [KEEL_EQ_DRAW_X] = {"a point to draw", TQVZS, "anything but accelerations and multipliers"},
    [KEEL_EQ_DRAW_Y] = {"a point to draw", TQVZS, "anything but accelerations and multipliers"},
    [KEEL_EQ_DRAW_Z] = {"a point to draw", TQVZS, "anything but accelerations and multipliers"},
    [KEEL_EQ_DRAW_LINE] = {"a line to draw", 0, "points"},
    [KI_IN_RANGE] = {"the range of a repeat block", 0, "numbers, parameters and variables of outer blocks"},
    [KI_IN_NAME] = {"an index", 0, "numbers, parameters and variables of repeat blocks"},
    [KI_IN_SETTING] = {"a setting", 0, "numbers and parameters"},
};

static const struct {
    unsigned uses;
    const char *words;
} USES[] = {
    /* the first that is not allowed is the one reported */
    {KI_USES_A, "an acceleration"}, {KI_USES_LAMBDA, "a multiplier"},    {KI_USES_V, "a velocity"},
    {KI_USES_Z, "a state"},         {KI_USES_S, "an auxiliary unknown"}, {KI_USES_Q, "a coordinate"},
    {KI_USES_T, "the time"},
};

const char *ki_kind_words(keel_equation_kind kind) {
    switch (kind) {
    case KEEL_EQ_PARAMETER:
        return "a parameter";
    case KEEL_EQ_DEFINITION:
        return "a definition";
    case KEEL_EQ_COORDINATE:
        return "a coordinate";
    case KEEL_EQ_STATE:
        return "a state";
    default:
        return "an auxiliary unknown";
    }
}

/* A name as the parser met it, with where to complain about it. */
typedef struct mention {
    const char *name;
    int primes;
    keel_location where;
    keel_diagnostics *diagnostics;
} mention;

/* A name with primes is shown without quotes: x' is a velocity, 'x' is a coordinate. */
static ki_node refuse(const mention *m, const char *reason) {
    static const char PRIMES[] = "''''''''";
    int primes = m->primes < (int)sizeof PRIMES ? m->primes : (int)sizeof PRIMES - 1;
    if (primes == 0)
        keel_diagnostics_add(m->diagnostics, KEEL_ERROR, m->where, "'%s' %s", m->name, reason);
    else
        keel_diagnostics_add(m->diagnostics, KEEL_ERROR, m->where, "%s%.*s %s", m->name, primes, PRIMES,
                             reason);
    return KI_NONE;
}

static ki_node refuse_words(const ki_reader *reader, const mention *m, const char *verb, const char *words) {
    char reason[300];
    snprintf(reason, sizeof reason, "%s %s: %s may only use %s", verb, words,
             CONTEXT[reader->context].subject, CONTEXT[reader->context].may_use);
    return refuse(m, reason);
}

/* The node, if what it depends on may be used in the reader's formula. */
static ki_node permit(ki_reader *reader, const mention *m, ki_node node, unsigned uses, const char *verb) {
    unsigned refused = uses & ~CONTEXT[reader->context].allowed;
    reader->uses |= uses;
    if (!refused)
        return node;
    int k = 0;
    while (!(USES[k].uses & refused))
        k++;
    bool is = strcmp(verb, "is") == 0;
    if (USES[k].uses == KI_USES_A)
        return refuse(m, is ? "is an acceleration: only outputs may use it"
                            : "depends on an acceleration: only outputs may use it");
    if (USES[k].uses == KI_USES_LAMBDA)
        return refuse(m, is ? "is a multiplier: only forces, rates of states and outputs may use it"
                            : "depends on a multiplier: only forces, rates of states and outputs may use it");
    if (USES[k].uses == KI_USES_V && reader->context == KEEL_EQ_HOLONOMIC)
        return refuse(m, is ? "is a velocity, so this is a velocity constraint: put it under nonholonomic"
                            : "depends on a velocity, so this is a velocity constraint: put it under "
                              "nonholonomic");
    return refuse_words(reader, m, verb, USES[k].words);
}

/* A symbol that is refused is never made: while names are collected it has no number yet. */
static ki_node permit_symbol(ki_reader *reader, const mention *m, int id, unsigned uses) {
    ki_node allowed = permit(reader, m, 0, uses, "is");
    return allowed == KI_NONE ? KI_NONE : ki_symbol(reader->b->graph, id);
}

/* The node of another formula, or the reason why there is none. */
static ki_node formula_node(ki_reader *reader, ki_item *item) {
    if (item->state == KI_ITEM_DONE)
        return item->node;
    if (item->state == KI_ITEM_FAILED)
        reader->broken = true;
    else if (!reader->missing)
        reader->missing = item;
    return KI_NONE;
}

static ki_node coordinate(ki_reader *reader, const mention *m, int i) {
    const ki_inputs *at = &reader->b->inputs;
    switch (m->primes) {
    case 0:
        return permit_symbol(reader, m, at->q + i, KI_USES_Q);
    case 1:
        return permit_symbol(reader, m, at->v + i, KI_USES_V);
    case 2:
        return permit_symbol(reader, m, at->a + i, KI_USES_A);
    default:
        return refuse(m, "is not available: there are no derivatives above the second");
    }
}

/* The rate of a state; NULL (reported where the state is defined) if it has none. */
static ki_node state(ki_reader *reader, const mention *m, ki_item *item) {
    if (m->primes == 0)
        return permit_symbol(reader, m, reader->b->inputs.z + item->index, KI_USES_Z);
    if (m->primes > 1)
        return refuse(m, "is not available: a state has a first derivative only");
    if (!item->about) {
        reader->broken = true;
        return KI_NONE;
    }
    ki_node rate = formula_node(reader, item->about);
    return rate == KI_NONE ? KI_NONE : permit(reader, m, rate, item->about->uses, "depends on");
}

/* Definitions may use states whose rates have no node yet; those come first. */
static void find_missing_rate(void *user, int id) {
    ki_reader *reader = user;
    const ki_inputs *at = &reader->b->inputs;
    if (id < at->z || id >= at->s)
        return;
    const ki_item *z = reader->b->of[KEEL_EQ_STATE].at[id - at->z];
    if (z->about)
        formula_node(reader, z->about);
    else
        reader->broken = true;
}

/* q' = v, v' = a, z' = its rate, t' = 1 */
static ki_node rate_of_symbol(void *user, int id) {
    const ki_reader *reader = user;
    ki_graph *graph = reader->b->graph;
    const ki_inputs *at = &reader->b->inputs;
    if (id == 0)
        return ki_number(graph, 1);
    if (id < at->v)
        return ki_symbol(graph, id - at->q + at->v);
    if (id < at->z)
        return ki_symbol(graph, id - at->v + at->a);
    return reader->b->of[KEEL_EQ_STATE].at[id - at->z]->about->node;
}

static ki_node differentiate(ki_reader *reader, const mention *m, ki_node f, unsigned *uses) {
    if (*uses & KI_USES_S)
        return refuse(m, "is not available: it would need the derivative of an auxiliary unknown");
    if (*uses & KI_USES_LAMBDA)
        return refuse(m, "is not available: a multiplier has no derivative");
    if (*uses & KI_USES_A)
        return refuse(m, "is not available: an acceleration has no derivative");
    if (*uses & KI_USES_Z) {
        ki_symbols_of(reader->b->graph, f, find_missing_rate, reader);
        if (reader->missing || reader->broken)
            return KI_NONE;
    }
    ki_node derivative = ki_total(reader->b->graph, f, rate_of_symbol, reader);
    *uses = ki_uses_of(reader->b, derivative);
    return derivative;
}

static ki_node definition(ki_reader *reader, const mention *m, ki_item *item) {
    ki_node f = formula_node(reader, item);
    if (f == KI_NONE)
        return KI_NONE;
    if (m->primes > 2)
        return refuse(m, "is not available: there are no derivatives above the second");
    unsigned uses = item->uses;
    if (m->primes > 0 && item->derivative == KI_NONE) {
        item->derivative = differentiate(reader, m, f, &uses);
        item->derivative_uses = uses;
    }
    if (m->primes > 0) {
        f = item->derivative;
        uses = item->derivative_uses;
    }
    if (m->primes > 1 && f != KI_NONE)
        f = differentiate(reader, m, f, &uses);
    return f == KI_NONE ? KI_NONE : permit(reader, m, f, uses, "depends on");
}

static ki_node quantity(ki_reader *reader, const mention *m, ki_item *item) {
    switch (item->entry->kind) {
    case KEEL_EQ_PARAMETER:
        if (m->primes)
            return refuse(m, "is not available: a parameter is constant");
        return formula_node(reader, item);
    case KEEL_EQ_COORDINATE:
        return coordinate(reader, m, item->index);
    case KEEL_EQ_STATE:
        return state(reader, m, item);
    case KEEL_EQ_DEFINITION:
        if (reader->context == KEEL_EQ_PARAMETER || reader->context >= KI_KINDS)
            return refuse_words(reader, m, "is", "a definition");
        return definition(reader, m, item);
    default:
        if (m->primes)
            return refuse(m, "is not available: an auxiliary unknown has no derivative");
        return permit_symbol(reader, m, reader->b->inputs.s + item->index, KI_USES_S);
    }
}

static ki_node unknown(ki_reader *reader, const mention *m) {
    char hint[KI_HINT_SIZE];
    reader->unknown = true;
    if (m->diagnostics)
        keel_diagnostics_add(m->diagnostics, KEEL_ERROR, m->where, "unknown name '%s'%s", m->name,
                             ki_hint_any(reader->b, reader->bindings, m->name, hint));
    return KI_NONE;
}

/* The energies have names in invariants, if the model does not use these names itself. */
static const struct {
    const char *word;
    ki_node (*node)(ki_builder *b);
} ENERGIES[] = {{"kinetic", ki_kinetic_energy}, {"potential", ki_potential_energy}, {"energy", ki_energy}};
enum { ENERGY_COUNT = sizeof ENERGIES / sizeof *ENERGIES };

static int energy_number(const ki_reader *reader, const char *name) {
    int i = 0;
    while (i < ENERGY_COUNT && strcmp(ENERGIES[i].word, name) != 0)
        i++;
    return reader->context == KEEL_EQ_INVARIANT && i < ENERGY_COUNT ? i : -1;
}

static ki_node energy(ki_reader *reader, const mention *m, int number) {
    ki_builder *b = reader->b;
    if (m->primes)
        return refuse(m, "is not available: use the energy itself");
    if (ENERGIES[number].node == ki_potential_energy && b->of[KEEL_EQ_POTENTIAL].count == 0)
        return refuse(m, "is not available: the model has no potential energy");
    ki_node node = ENERGIES[number].node(b);
    if (node == KI_NONE) {
        reader->broken = true;
        return KI_NONE;
    }
    return permit(reader, m, node, ki_uses_of(b, node), "depends on");
}

static const char LAMBDA[] = "lambda.";
enum { LAMBDA_LENGTH = sizeof LAMBDA - 1 };

static ki_node multiplier(ki_reader *reader, const mention *m) {
    const ki_builder *b = reader->b;
    const char *name = m->name + LAMBDA_LENGTH;
    const ki_item *constraint = ki_table_find(&b->constraints, name);
    if (constraint && m->primes)
        return refuse(m, "is not available: a multiplier has no derivative");
    if (constraint) {
        int n_h = constraint->entry->kind == KEEL_EQ_NONHOLONOMIC ? b->of[KEEL_EQ_HOLONOMIC].count : 0;
        return permit_symbol(reader, m, b->inputs.lambda + n_h + constraint->index, KI_USES_LAMBDA);
    }
    char hint[KI_HINT_SIZE];
    reader->unknown = true;
    if (m->diagnostics)
        keel_diagnostics_add(m->diagnostics, KEEL_ERROR, m->where, "there is no constraint '%s'%s", name,
                             ki_hint_multiplier(b, name, hint));
    return KI_NONE;
}

static ki_node lookup(void *user, const char *name, int primes, keel_location where,
                      keel_diagnostics *diagnostics) {
    ki_reader *reader = user;
    mention m = {.name = name, .primes = primes, .where = where, .diagnostics = diagnostics};
    for (const ki_binding *i = reader->bindings; i; i = i->outer)
        if (strcmp(i->variable, name) == 0)
            return primes ? refuse(&m, "is not available: a repeat variable is constant")
                          : ki_number(reader->b->graph, i->value);
    if (strcmp(name, "t") == 0)
        return primes ? refuse(&m, "is not available: t has no derivative")
                      : permit_symbol(reader, &m, 0, KI_USES_T);
    if (strncmp(name, LAMBDA, LAMBDA_LENGTH) == 0)
        return multiplier(reader, &m);
    ki_item *item = ki_table_find(&reader->b->quantities, name);
    int number = item ? -1 : energy_number(reader, name);
    if (number >= 0)
        return energy(reader, &m, number);
    return item ? quantity(reader, &m, item) : unknown(reader, &m);
}

ki_scope ki_reader_scope(ki_reader *reader) {
    return (ki_scope){reader, lookup};
}

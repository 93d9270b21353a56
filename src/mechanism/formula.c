/* formula.c - formulas of t, parameters and quantities: compiled into tapes, and run. */
#include <string.h>

#include "mechanism/forces/force.h"
#include "mechanism/name_help.h"
#include "mechanism/units.h"

/* One set of formulas while it is read. */
typedef struct reader {
    const ki_names *names;
    ki_graph *graph;
    const keel_formula *formula; /* the one being read */
    const char *const *extra;
    int extra_count;
    bool of_time; /* a law of motion: t and parameters only */
    bool unknown; /* parameters are the symbol 1, not their value: for dimensions */
    ki_use use;   /* of the quantities, if not */
    ki_arena *arena;
    ki_measure *input;
    int input_count, input_room;
    bool no_memory;
    int depth; /* definitions inside of each other */
} reader;

static bool same_measure(const ki_measure *a, const ki_measure *b) {
    return a->kind == b->kind && a->object == b->object && a->component == b->component &&
           a->primes == b->primes;
}

/* The number of a measure among the inputs, or -1 when out of memory. */
static int input_of(reader *r, const ki_measure *measure) {
    for (int i = r->input_count - 1; i >= 0; i--)
        if (same_measure(&r->input[i], measure))
            return i;
    if (r->input_count == r->input_room) {
        int room = r->input_room ? 2 * r->input_room : 8;
        ki_measure *larger = KI_NEW(r->arena, ki_measure, room);
        if (!larger)
            return -1;
        if (r->input_count)
            memcpy(larger, r->input, (size_t)r->input_count * sizeof *larger);
        r->input = larger;
        r->input_room = room;
    }
    r->input[r->input_count] = *measure;
    return r->input_count++;
}

static ki_node refuse_prime(const char *name, keel_location where, keel_diagnostics *diagnostics) {
    keel_diagnostics_add(diagnostics, KEEL_ERROR, where, "'%s' has no derivative here: remove the prime",
                         name);
    return KI_NONE;
}

static ki_node refuse_quantity(const reader *r, const char *name, keel_location where,
                               keel_diagnostics *diagnostics) {
    char hint[KI_NAME_HINT];
    if (ki_name_is_part(r->names->description, name))
        keel_diagnostics_add(
            diagnostics, KEEL_ERROR, where,
            "'%s' cannot be used here: the value of a motion is a formula of t and parameters", name);
    else
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where, "unknown name '%s'%s", name,
                             ki_name_hint(r->names->description, r->formula, NULL, 0, name, hint));
    return KI_NONE;
}

/* A name that stands for a number, or for t or an extra input. */
static bool find_plain(const reader *r, const char *name, ki_node *node) {
    double value;
    for (int i = 0; i < r->formula->local_count; i++)
        if (strcmp(r->formula->local_name[i], name) == 0)
            return *node = ki_number(r->graph, r->formula->local_value[i]), true;
    if (strcmp(name, "t") == 0)
        return *node = ki_symbol(r->graph, 0), true;
    for (int i = 0; i < r->extra_count; i++)
        if (strcmp(r->extra[i], name) == 0)
            return *node = ki_symbol(r->graph, 1 + i), true;
    if (ki_find_parameter(r->names->description, name, &value))
        return *node = r->unknown ? ki_symbol(r->graph, 1) : ki_number(r->graph, value), true;
    return false;
}

static ki_node read_definition(reader *r, const char *name, const keel_formula *definition,
                               keel_location where, keel_diagnostics *diagnostics);

/* A state, an input or a definition. */
static ki_node look_up_named(reader *r, int state, const char *name, int primes, keel_location where,
                             keel_diagnostics *diagnostics) {
    int definition = ki_find_definition(r->names->description, name);
    if (primes)
        return refuse_prime(name, where, diagnostics);
    if (definition >= 0)
        return read_definition(r, name, &r->names->description->definition[definition].formula, where,
                               diagnostics);
    if (r->of_time) {
        keel_diagnostics_add(
            diagnostics, KEEL_ERROR, where,
            "'%s' cannot be used here: the value of a motion is a formula of t and parameters; a "
            "force that follows '%s' (k*(%s - x) - d*x') drives as well",
            name, name, name);
        return KI_NONE;
    }
    int i = input_of(r, &(ki_measure){.kind = KI_MEASURE_STATE, .object = state});
    r->no_memory |= i < 0;
    return i < 0 ? KI_NONE : ki_symbol(r->graph, 1 + r->extra_count + i);
}

static ki_node look_up(void *user, const char *name, int primes, keel_location where,
                       keel_diagnostics *diagnostics) {
    reader *r = user;
    char hint[KI_NAME_HINT];
    ki_node node;
    ki_measure measure;
    if (find_plain(r, name, &node))
        return primes ? refuse_prime(name, where, diagnostics) : node;
    int state = ki_find_state(r->names->description, name);
    if (state >= 0 || ki_find_definition(r->names->description, name) >= 0)
        return look_up_named(r, state, name, primes, where, diagnostics);
    if (r->of_time)
        return refuse_quantity(r, name, where, diagnostics);
    if (!ki_name_is_part(r->names->description, name)) {
        keel_diagnostics_add(
            diagnostics, KEEL_ERROR, where, "unknown name '%s'%s", name,
            ki_name_hint(r->names->description, r->formula, r->extra, r->extra_count, name, hint));
        return KI_NONE;
    }
    if (!ki_quantity(r->names, name, primes, r->use, where, diagnostics, &measure))
        return KI_NONE;
    int i = input_of(r, &measure);
    r->no_memory |= i < 0;
    return i < 0 ? KI_NONE : ki_symbol(r->graph, 1 + r->extra_count + i);
}

static ki_node read_formula(reader *r, const keel_formula *formula, keel_diagnostics *diagnostics) {
    ki_scope scope = {r, look_up};
    r->formula = formula;
    if (!formula->text)
        return ki_number(r->graph, 0);
    return ki_parse(r->graph, formula->text, strlen(formula->text), formula->where, &scope, diagnostics);
}

/* What a definition stands for, as if it were written in the place of its name. */
static ki_node read_definition(reader *r, const char *name, const keel_formula *definition,
                               keel_location where, keel_diagnostics *diagnostics) {
    enum { DEEPEST = 64 };
    const keel_formula *outer = r->formula;
    if (r->depth == DEEPEST) {
        keel_diagnostics_add(diagnostics, KEEL_ERROR, where,
                             "'%s' refers to itself, or definitions are nested more than %d deep", name,
                             DEEPEST);
        return KI_NONE;
    }
    r->depth++;
    ki_node node = read_formula(r, definition, diagnostics);
    r->depth--;
    r->formula = outer;
    return node;
}

static keel_status read_formulas(reader *r, const keel_formula *formula, int count, ki_node *node,
                                 keel_diagnostics *diagnostics) {
    bool wrong = false;
    for (int i = 0; i < count; i++) {
        node[i] = read_formula(r, &formula[i], diagnostics);
        wrong |= node[i] == KI_NONE;
    }
    if (r->no_memory || ki_graph_failed(r->graph))
        return KEEL_ERROR_MEMORY;
    return wrong ? KEEL_ERROR_INPUT : KEEL_OK;
}

/* Gives a tape its part of the work area. */
static size_t place_tape(ki_mech *mech, const ki_tape *tape) {
    size_t at = mech->tape_size;
    mech->tape_size += ki_tape_work_size(tape);
    return at;
}

/* The graph of all laws, made when it is first asked for; NULL when out of memory. */
static ki_graph *laws_of(ki_mech *mech) {
    if (!mech->laws)
        mech->laws = ki_graph_new();
    return mech->laws;
}

keel_status ki_formula_compile(const ki_names *names, ki_mech *mech, const keel_formula *formula, int count,
                               const char *const *extra, int extra_count, ki_use use,
                               keel_diagnostics *diagnostics, ki_formula *out) {
    bool law = use == KI_FOR_FORCE; /* kept: src/symbolic/ may read it */
    reader r = {.names = names,
                .graph = law ? laws_of(mech) : ki_graph_new(),
                .extra = extra,
                .extra_count = extra_count,
                .use = use,
                .arena = &mech->arena};
    ki_node *node = KI_NEW(&mech->arena, ki_node, count);
    keel_status status =
        r.graph && node ? read_formulas(&r, formula, count, node, diagnostics) : KEEL_ERROR_MEMORY;
    *out = (ki_formula){.outputs = count};
    if (status == KEEL_OK) {
        out->input = r.input;
        out->input_count = r.input_count;
        out->node = law ? node : NULL;
        out->tape = ki_tape_new(r.graph, node, count, 1 + extra_count + r.input_count);
        if (out->tape)
            out->work = place_tape(mech, out->tape);
        else
            status = KEEL_ERROR_MEMORY;
    }
    if (!law)
        ki_graph_free(r.graph);
    return status;
}

/* Symbols are t, the one of all parameters, measures. */
static ki_dimension symbol_dimension(void *user, int id) {
    const reader *r = user;
    if (id >= 2)
        return ki_measure_dimension(r->names->mech, &r->input[id - 2]);
    return id == 0 ? (ki_dimension){true, {[KI_SECOND] = 1}} : (ki_dimension){.known = false};
}

ki_dimension ki_formula_dimension(const ki_names *names, ki_mech *mech, ki_graph *graph,
                                  const keel_formula *formula) {
    static const char *const PARAMETER[] = {""};
    reader r = {.names = names,
                .graph = graph,
                .extra = PARAMETER,
                .extra_count = 1,
                .unknown = true,
                .use = KI_FOR_OUTPUT,
                .arena = &mech->arena};
    return ki_dimension_of(graph, read_formula(&r, formula, NULL), symbol_dimension, &r);
}

static ki_node rate_of_time(void *user, int id) {
    (void)id;
    return ki_number(user, 1);
}

keel_status ki_law_compile(const ki_names *names, ki_mech *mech, const keel_formula *law, double start,
                           double speed, keel_diagnostics *diagnostics, ki_motion *motion) {
    reader r = {.names = names, .graph = laws_of(mech), .of_time = true, .arena = &mech->arena};
    ki_graph *g = r.graph;
    ki_node *f = motion->node;
    keel_status status = KEEL_ERROR_MEMORY;
    if (g && law->text) {
        status = read_formulas(&r, law, 1, f, diagnostics);
    } else if (g) {
        f[0] = ki_binary(g, KI_ADD, ki_number(g, start),
                         ki_binary(g, KI_MUL, ki_number(g, speed), ki_symbol(g, 0)));
        status = KEEL_OK;
    }
    if (status == KEEL_OK) {
        f[1] = ki_total(g, f[0], rate_of_time, g);
        f[2] = ki_total(g, f[1], rate_of_time, g);
        motion->tape = ki_graph_failed(g) ? NULL : ki_tape_new(g, f, 3, 1);
        if (motion->tape)
            motion->work = place_tape(mech, motion->tape);
        else
            status = KEEL_ERROR_MEMORY;
    }
    return status;
}

void ki_formula_run(const ki_mech *mech, ki_mech_work *w, const ki_formula *formula, int extra_count,
                    const double *extra, double t, double *values) {
    double *inputs = w->inputs;
    inputs[0] = t;
    for (int i = 0; i < extra_count; i++)
        inputs[1 + i] = extra[i];
    for (int i = 0; i < formula->input_count; i++)
        inputs[1 + extra_count + i] = ki_measure_value(mech, w, &formula->input[i]);
    ki_tape_run(formula->tape, inputs, w->tape + formula->work, values);
}

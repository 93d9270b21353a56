/* linear.c - whether a formula is linear in one symbol. */
#include "expr/graph.h"

typedef struct one_symbol {
    ki_graph *g;
    int id;
    ki_node put; /* in its place */
    bool met;
} one_symbol;

static ki_node unit_rate(void *user, int id) {
    const one_symbol *s = user;
    return ki_number(s->g, id == s->id);
}

static ki_node put_for_symbol(void *user, int id) {
    const one_symbol *s = user;
    return id == s->id ? s->put : ki_symbol(s->g, id);
}

static void meet(void *user, int id) {
    one_symbol *s = user;
    s->met = s->met || id == s->id;
}

static bool depends_on(ki_graph *g, ki_node f, int id) {
    one_symbol s = {.g = g, .id = id};
    ki_symbols_of(g, f, meet, &s);
    return s.met;
}

static ki_node derivative(ki_graph *g, ki_node f, int id) {
    one_symbol s = {.g = g, .id = id};
    return ki_total(g, f, unit_rate, &s);
}

static ki_node at_zero(ki_graph *g, ki_node f, int id) {
    one_symbol s = {.g = g, .id = id, .put = ki_number(g, 0)};
    return ki_substitute(g, f, put_for_symbol, &s);
}

/* Operations that tell nothing of themselves by a derivative, or not all. */
static bool may_jump(ki_op op) {
    return op == KI_MIN || op == KI_MAX || (op != KI_NUMBER && !ki_op_is_differentiable(op, 0));
}

/* True if nothing that depends on symbol id may jump: what derivatives say of f is all there is to say. */
static bool is_smooth_in(ki_graph *g, ki_node f, int id) {
    ki_cone cone;
    bool smooth = true;
    if (f == KI_NONE || !ki_cone_make(g, &f, 1, &cone))
        return false;
    for (int i = 0; smooth && i < cone.count; i++)
        smooth = !may_jump(g->nodes[cone.node[i]].op) || !depends_on(g, cone.node[i], id);
    ki_cone_free(&cone);
    return smooth;
}

bool ki_split_linear(ki_graph *g, ki_node f, int id, double *slope, ki_node *rest) {
    if (f == KI_NONE || !ki_is_number(g, derivative(g, f, id), slope) || !is_smooth_in(g, f, id))
        return false;
    *rest = at_zero(g, f, id);
    return *rest != KI_NONE;
}

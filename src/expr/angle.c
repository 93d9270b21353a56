/* angle.c - formulas of an angle: what else they are made of, and what becomes of them when its sine and
 * cosine are known. */
#include <stdlib.h>

#include "expr/graph.h"

/* ---- one symbol */

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

/* ---- linear formulas */

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

/* ---- substitution */

static bool is_sine(ki_op op) {
    return op == KI_SIN || op == KI_COS;
}

static ki_node mul(ki_graph *g, ki_node a, ki_node b) {
    return ki_binary(g, KI_MUL, a, b);
}

/* op(slope x + rest), slope = 1 or -1 */
static ki_node add_angles(ki_graph *g, ki_op op, double slope, const ki_angle *x, ki_node rest) {
    ki_node c = ki_unary(g, KI_COS, rest), s = ki_unary(g, KI_SIN, rest);
    ki_node sine = slope > 0 ? x->sine : ki_unary(g, KI_NEG, x->sine);
    if (op == KI_SIN)
        return ki_binary(g, KI_ADD, mul(g, sine, c), mul(g, x->cosine, s));
    return ki_binary(g, KI_SUB, mul(g, x->cosine, c), mul(g, sine, s));
}

/* Node i of a cone with the angle in place of symbol id. */
static ki_node with_angle(ki_graph *g, const ki_cone *cone, const ki_node *result, int i, int id,
                          const ki_angle *angle) {
    ki_expression n = g->nodes[cone->node[i]];
    double slope;
    ki_node rest;
    if (n.op == KI_SYMBOL)
        return n.arg[0] == id ? angle->x : cone->node[i];
    if (is_sine(n.op) && angle->sine != KI_NONE && ki_split_linear(g, n.arg[0], id, &slope, &rest) &&
        (slope == 1 || slope == -1))
        return add_angles(g, n.op, slope, angle, rest);
    return ki_node_rebuild(g, g, cone, result, i);
}

ki_node ki_substitute_angle(ki_graph *g, ki_node f, int id, const ki_angle *angle) {
    ki_cone cone;
    if (f == KI_NONE || !ki_cone_make(g, &f, 1, &cone))
        return KI_NONE;
    ki_node last = KI_NONE, *result = ki_expr_resize(NULL, (size_t)cone.count, sizeof *result);
    g->failed = g->failed || !result;
    for (int i = 0; result && i < cone.count; i++) {
        last = result[i] = with_angle(g, &cone, result, i, id, angle);
        if (last == KI_NONE)
            break;
    }
    free(result);
    ki_cone_free(&cone);
    return last;
}

/* ---- recognition */

/* The one sine or cosine of the cone that depends on symbol id; KI_NONE: there is none, or several. */
static ki_node only_sine(ki_graph *g, const ki_cone *cone, int id) {
    ki_node found = KI_NONE;
    for (int i = 0; i < cone->count; i++) {
        ki_node node = cone->node[i];
        if (!is_sine(g->nodes[node].op) || !depends_on(g, node, id))
            continue;
        if (found != KI_NONE)
            return KI_NONE;
        found = node;
    }
    return found;
}

/* The last node of the cone with symbol `spare` in place of `node`. */
static ki_node replace_node(ki_graph *g, const ki_cone *cone, ki_node node, int spare) {
    ki_node last = KI_NONE, *result = ki_expr_resize(NULL, (size_t)cone->count, sizeof *result);
    g->failed = g->failed || !result;
    for (int i = 0; result && i < cone->count; i++) {
        if (cone->node[i] == node)
            last = ki_symbol(g, spare);
        else if (g->nodes[cone->node[i]].op == KI_SYMBOL)
            last = cone->node[i];
        else
            last = ki_node_rebuild(g, g, cone, result, i);
        result[i] = last;
        if (last == KI_NONE)
            break;
    }
    free(result);
    return last;
}

bool ki_split_sine(ki_graph *g, ki_node f, int id, int spare, ki_sine_form *form) {
    ki_cone cone;
    if (f == KI_NONE || !ki_cone_make(g, &f, 1, &cone))
        return false;
    ki_node sine = only_sine(g, &cone, id), outer = KI_NONE;
    if (sine != KI_NONE)
        outer = replace_node(g, &cone, sine, spare);
    ki_cone_free(&cone);
    if (outer == KI_NONE || depends_on(g, outer, id))
        return false;
    ki_node angle = g->nodes[sine].arg[0];
    form->op = g->nodes[sine].op;
    form->factor = derivative(g, outer, spare);
    form->rest = at_zero(g, outer, spare);
    return !depends_on(g, form->factor, spare) && is_smooth_in(g, outer, spare) &&
           ki_split_linear(g, angle, id, &form->slope, &form->shift) && form->slope != 0;
}

/* simplify_logic.c - rules for comparisons, conditions, choices, and the functions of two arguments. */
#include "expr/graph.h"

/* 1 where a is not zero */
static ki_node as_condition(ki_graph *graph, ki_node a) {
    return ki_node_is_condition(graph, a) ? a : ki_unary(graph, KI_NOT, ki_unary(graph, KI_NOT, a));
}

static bool are_opposite(const ki_graph *graph, ki_node a, ki_node b) {
    return (graph->nodes[a].op == KI_NOT && graph->nodes[a].arg[0] == b) ||
           (graph->nodes[b].op == KI_NOT && graph->nodes[b].arg[0] == a);
}

/* `and` with a number: 0, or the other; `or` the same with the roles of true and false exchanged */
static ki_node and_or(ki_graph *graph, ki_op op, ki_node a, ki_node b) {
    double dominant = op == KI_OR, c;
    ki_node arg[2] = {a, b};
    for (int k = 0; k < 2; k++)
        if (ki_node_is_finite(graph, arg[k], &c))
            return (c != 0) == (dominant != 0) ? ki_number(graph, dominant) : as_condition(graph, arg[1 - k]);
    if (a == b)
        return as_condition(graph, a);
    if (are_opposite(graph, a, b))
        return ki_number(graph, dominant);
    return ki_node_intern(graph, op, a < b ? a : b, a < b ? b : a, KI_NONE);
}

static ki_node hypotenuse(ki_graph *graph, ki_node a, ki_node b) {
    ki_node_flip(graph, &a);
    ki_node_flip(graph, &b);
    if (ki_is_zero(graph, a))
        return ki_unary(graph, KI_ABS, b);
    if (ki_is_zero(graph, b))
        return ki_unary(graph, KI_ABS, a);
    return ki_node_intern(graph, KI_HYPOT, a < b ? a : b, a < b ? b : a, KI_NONE);
}

ki_node ki_simplify_logic(ki_graph *graph, ki_op op, ki_node a, ki_node b) {
    switch (op) {
    case KI_AND:
    case KI_OR:
        return and_or(graph, op, a, b);
    case KI_HYPOT:
        return hypotenuse(graph, a, b);
    case KI_EQ:
        return a == b ? ki_number(graph, 1)
                      : ki_node_intern(graph, op, a < b ? a : b, a < b ? b : a, KI_NONE);
    case KI_LT:
        return a == b ? ki_number(graph, 0) : ki_node_intern(graph, op, a, b, KI_NONE);
    case KI_LE:
        return a == b ? ki_number(graph, 1) : ki_node_intern(graph, op, a, b, KI_NONE);
    case KI_MIN:
    case KI_MAX:
        return a == b ? a : ki_node_intern(graph, op, a, b, KI_NONE);
    default:
        return ki_node_intern(graph, op, a, b, KI_NONE);
    }
}

ki_node ki_if(ki_graph *graph, ki_node c, ki_node a, ki_node b) {
    double value;
    if (c == KI_NONE || a == KI_NONE || b == KI_NONE)
        return KI_NONE;
    if (ki_is_number(graph, c, &value))
        return value != 0 ? a : b;
    if (a == b)
        return a;
    if (graph->nodes[c].op == KI_NOT)
        return ki_if(graph, graph->nodes[c].arg[0], b, a);
    if (graph->nodes[a].op == KI_IF && graph->nodes[a].arg[0] == c)
        return ki_if(graph, c, graph->nodes[a].arg[1], b);
    if (graph->nodes[b].op == KI_IF && graph->nodes[b].arg[0] == c)
        return ki_if(graph, c, a, graph->nodes[b].arg[2]);
    return ki_node_intern(graph, KI_IF, c, a, b);
}

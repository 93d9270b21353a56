/* simplify_unary.c - rules for operations of one argument. */
#include "expr/graph.h"

static ki_node negate(ki_graph *graph, ki_node a) {
    ki_expression n = graph->nodes[a];
    double c;
    if (n.op == KI_NEG)
        return n.arg[0];
    if (n.op == KI_SUB)
        return ki_binary(graph, KI_SUB, n.arg[1], n.arg[0]);
    if (n.op == KI_ADD && ki_node_is_finite(graph, n.arg[0], &c))
        return ki_binary(graph, KI_SUB, ki_number(graph, -c), n.arg[1]);
    return ki_node_intern(graph, KI_NEG, a, KI_NONE, KI_NONE);
}

bool ki_node_flip(ki_graph *graph, ki_node *a) {
    ki_expression n = graph->nodes[*a];
    if (n.op == KI_NEG)
        *a = n.arg[0];
    else if (n.op == KI_SUB && (n.arg[1] < n.arg[0] || ki_is_number(graph, n.arg[0], NULL)))
        *a = ki_binary(graph, KI_SUB, n.arg[1], n.arg[0]);
    else
        return false;
    return true;
}

static ki_node simplify_odd(ki_graph *graph, ki_op op, ki_node a) {
    bool flipped = ki_node_flip(graph, &a);
    ki_node result = ki_node_intern(graph, op, a, KI_NONE, KI_NONE);
    return flipped ? ki_unary(graph, KI_NEG, result) : result;
}

static ki_node simplify_even(ki_graph *graph, ki_op op, ki_node a) {
    ki_node_flip(graph, &a);
    return ki_node_intern(graph, op, a, KI_NONE, KI_NONE);
}

static ki_node simplify_abs(ki_graph *graph, ki_node a) {
    ki_node_flip(graph, &a);
    if (a == KI_NONE)
        return KI_NONE;
    ki_op op = graph->nodes[a].op;
    double c;
    ki_node x = ki_node_split_factor(graph, a, &c);
    if (op == KI_ABS || op == KI_SQRT || op == KI_EXP || op == KI_HYPOT || op == KI_COSH)
        return a;
    if (x != a)
        return ki_node_scale(graph, c, ki_unary(graph, KI_ABS, x));
    return ki_node_intern(graph, KI_ABS, a, KI_NONE, KI_NONE);
}

static ki_node simplify_sign(ki_graph *graph, ki_node a) {
    bool flipped = ki_node_flip(graph, &a);
    if (a == KI_NONE)
        return KI_NONE;
    double c;
    a = ki_node_split_factor(graph, a, &c);
    ki_node result = ki_node_intern(graph, KI_SIGN, a, KI_NONE, KI_NONE);
    return flipped ? ki_unary(graph, KI_NEG, result) : result;
}

bool ki_node_is_condition(const ki_graph *graph, ki_node a) {
    ki_op op = graph->nodes[a].op;
    double value;
    if (ki_is_number(graph, a, &value))
        return value == 0 || value == 1;
    return op == KI_NOT || op == KI_LT || op == KI_LE || op == KI_EQ || op == KI_AND || op == KI_OR;
}

static ki_node negate_condition(ki_graph *graph, ki_node a) {
    if (graph->nodes[a].op == KI_NOT && ki_node_is_condition(graph, graph->nodes[a].arg[0]))
        return graph->nodes[a].arg[0];
    return ki_node_intern(graph, KI_NOT, a, KI_NONE, KI_NONE);
}

ki_node ki_simplify_unary(ki_graph *graph, ki_op op, ki_node a) {
    switch (op) {
    case KI_NEG:
        return negate(graph, a);
    case KI_SIN:
    case KI_TAN:
    case KI_ASIN:
    case KI_ATAN:
    case KI_SINH:
    case KI_TANH:
        return simplify_odd(graph, op, a);
    case KI_COS:
    case KI_COSH:
        return simplify_even(graph, op, a);
    case KI_ABS:
        return simplify_abs(graph, a);
    case KI_SIGN:
        return simplify_sign(graph, a);
    case KI_NOT:
        return negate_condition(graph, a);
    default:
        return ki_node_intern(graph, op, a, KI_NONE, KI_NONE);
    }
}

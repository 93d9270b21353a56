#include "expr/switches.h"

#include <stdlib.h>

#include "expr/graph.h"

/* The function whose sign tells the branch; KI_NONE: the operation has no branches. */
static ki_node switching_function(ki_graph *graph, const ki_expression *n) {
    switch (n->op) {
    case KI_LT:
    case KI_LE:
    case KI_MIN:
    case KI_MAX:
        return ki_binary(graph, KI_SUB, n->arg[0], n->arg[1]);
    case KI_SIGN:
    case KI_ABS:
    case KI_ATAN2:
    case KI_TANH:
        return n->arg[0];
    default:
        return KI_NONE;
    }
}

bool ki_switches_of(ki_graph *graph, const ki_node *nodes, int count,
                    void (*visit)(void *user, ki_op op, ki_node g), void *user) {
    ki_cone cone;
    if (!ki_cone_make(graph, nodes, count, &cone))
        return false;
    for (int i = 0; i < cone.count; i++) {
        ki_expression n = graph->nodes[cone.node[i]]; /* a copy: nodes may move */
        ki_node g = switching_function(graph, &n);
        if (g != KI_NONE && !ki_is_number(graph, g, NULL))
            visit(user, n.op, g);
    }
    ki_cone_free(&cone);
    return !graph->failed;
}

ki_node ki_switch_side(ki_graph *graph, ki_op op, ki_node g) {
    static const double BETWEEN = 3;
    if (op != KI_TANH)
        return g;
    ki_node above = ki_binary(graph, KI_MAX, g, ki_number(graph, -BETWEEN));
    return ki_binary(graph, KI_SUB, g, ki_binary(graph, KI_MIN, above, ki_number(graph, BETWEEN)));
}

const char *ki_switch_word(ki_op op) {
    switch (op) {
    case KI_MIN:
        return "min";
    case KI_MAX:
        return "max";
    case KI_SIGN:
        return "sign";
    case KI_ABS:
        return "abs";
    case KI_ATAN2:
        return "atan2";
    case KI_TANH:
        return "tanh";
    default:
        return "a comparison";
    }
}

/* simplify_sum.c - rules for a + b and a - b.
 *
 * The form kept: a number stands first; x - c is (-c) + x; no argument is a KI_NEG; like terms are collected,
 * c1 x + c2 x = (c1 + c2) x. */
#include "expr/graph.h"

#include <math.h>

ki_node ki_node_split_factor(const ki_graph *graph, ki_node a, double *factor) {
    *factor = 1;
    if (graph->nodes[a].op == KI_NEG) {
        *factor = -1;
        a = graph->nodes[a].arg[0];
    }
    double c;
    if (graph->nodes[a].op == KI_MUL && ki_node_is_finite(graph, graph->nodes[a].arg[0], &c)) {
        *factor *= c;
        a = graph->nodes[a].arg[1];
    }
    return a;
}

ki_node ki_node_scale(ki_graph *graph, double factor, ki_node a) {
    return ki_binary(graph, KI_MUL, ki_number(graph, factor), a);
}

/* first + second of like terms */
static bool collect(ki_graph *graph, ki_node a, ki_node b, double sign_b, ki_node *sum) {
    double ca, cb;
    ki_node x = ki_node_split_factor(graph, a, &ca), y = ki_node_split_factor(graph, b, &cb);
    double c = ca + sign_b * cb;
    if (x != y || !isfinite(c))
        return false;
    *sum = ki_node_scale(graph, c, x);
    return true;
}

/* c + a, c - a where `a` itself is a number plus or minus something */
static bool merge_numbers(ki_graph *graph, double c, ki_op op, ki_node a, ki_node *sum) {
    ki_expression n = graph->nodes[a];
    double c2;
    if ((n.op != KI_ADD && n.op != KI_SUB) || !ki_node_is_finite(graph, n.arg[0], &c2))
        return false;
    double total = op == KI_ADD ? c + c2 : c - c2;
    if (!isfinite(total))
        return false;
    *sum = ki_binary(graph, op == n.op ? KI_ADD : KI_SUB, ki_number(graph, total), n.arg[1]);
    return true;
}

static ki_node add(ki_graph *graph, ki_node a, ki_node b) {
    double c;
    ki_node sum;
    if (ki_is_number(graph, b, NULL) || (!ki_is_number(graph, a, NULL) && b < a)) {
        ki_node swap = a;
        a = b;
        b = swap;
    }
    if (ki_is_zero(graph, a))
        return b;
    if (ki_node_is_finite(graph, a, &c) && merge_numbers(graph, c, KI_ADD, b, &sum))
        return sum;
    if (graph->nodes[b].op == KI_NEG)
        return ki_binary(graph, KI_SUB, a, graph->nodes[b].arg[0]);
    if (graph->nodes[a].op == KI_NEG)
        return ki_binary(graph, KI_SUB, b, graph->nodes[a].arg[0]);
    if (collect(graph, a, b, 1, &sum))
        return sum;
    return ki_node_intern(graph, KI_ADD, a, b, KI_NONE);
}

static ki_node subtract(ki_graph *graph, ki_node a, ki_node b) {
    double c;
    ki_node sum;
    if (ki_node_is_finite(graph, b, &c))
        return ki_binary(graph, KI_ADD, ki_number(graph, -c), a);
    if (ki_is_zero(graph, a))
        return ki_unary(graph, KI_NEG, b);
    if (ki_node_is_finite(graph, a, &c) && merge_numbers(graph, c, KI_SUB, b, &sum))
        return sum;
    if (graph->nodes[b].op == KI_NEG)
        return ki_binary(graph, KI_ADD, a, graph->nodes[b].arg[0]);
    if (graph->nodes[a].op == KI_NEG)
        return ki_unary(graph, KI_NEG, ki_binary(graph, KI_ADD, graph->nodes[a].arg[0], b));
    if (collect(graph, a, b, -1, &sum))
        return sum;
    return ki_node_intern(graph, KI_SUB, a, b, KI_NONE);
}

ki_node ki_simplify_sum(ki_graph *graph, ki_op op, ki_node a, ki_node b) {
    return op == KI_ADD ? add(graph, a, b) : subtract(graph, a, b);
}

/* graph.c - a graph, and making its nodes: numbers are folded, everything else is simplified. */
#include "expr/graph.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64, MAX_NODES = INT_MAX / 4 };

bool ki_expr_reserve(void *array_pointer, int *capacity, int need, size_t size) {
    if (need <= *capacity)
        return true;
    if (need < 0 || need > MAX_NODES)
        return false;
    int wanted = *capacity ? *capacity : FIRST_CAPACITY;
    while (wanted < need)
        wanted *= 2;
    void *block;
    memcpy(&block, array_pointer, sizeof block);
    block = ki_expr_resize(block, (size_t)wanted, size);
    if (!block)
        return false;
    memcpy(array_pointer, &block, sizeof block);
    *capacity = wanted;
    return true;
}

ki_graph *ki_graph_new(void) {
    ki_graph *graph = ki_expr_resize(NULL, 1, sizeof *graph);
    if (!graph)
        return NULL;
    *graph = (ki_graph){0};
    return graph;
}

void ki_graph_free(ki_graph *graph) {
    if (!graph)
        return;
    free(graph->nodes);
    free(graph->values);
    free(graph->buckets);
    free(graph->mark);
    free(graph->place);
    free(graph);
}

bool ki_graph_failed(const ki_graph *graph) {
    return graph->failed;
}

ki_node ki_symbol(ki_graph *graph, int id) {
    assert(id >= 0);
    return ki_node_intern(graph, KI_SYMBOL, id, KI_NONE, KI_NONE);
}

/* A value that is not finite stays a node of its own: its place can still be told. */
static bool fold(ki_graph *graph, ki_op op, const ki_node *arg, ki_node *result) {
    double x[3] = {0, 0, 0};
    for (int k = 0; k < ki_op_arity(op); k++)
        if (!ki_is_number(graph, arg[k], &x[k]))
            return false;
    double value = ki_op_value(op, x[0], x[1], x[2]);
    *result = isfinite(value) ? ki_number(graph, value) : ki_node_intern(graph, op, arg[0], arg[1], arg[2]);
    return true;
}

ki_node ki_unary(ki_graph *graph, ki_op op, ki_node a) {
    assert(ki_op_arity(op) == 1);
    ki_node folded;
    if (a == KI_NONE)
        return KI_NONE;
    return fold(graph, op, (ki_node[3]){a, KI_NONE, KI_NONE}, &folded) ? folded
                                                                       : ki_simplify_unary(graph, op, a);
}

ki_node ki_binary(ki_graph *graph, ki_op op, ki_node a, ki_node b) {
    assert(ki_op_arity(op) == 2);
    ki_node folded;
    if (a == KI_NONE || b == KI_NONE)
        return KI_NONE;
    if (fold(graph, op, (ki_node[3]){a, b, KI_NONE}, &folded))
        return folded;
    switch (op) {
    case KI_ADD:
    case KI_SUB:
        return ki_simplify_sum(graph, op, a, b);
    case KI_MUL:
    case KI_DIV:
        return ki_simplify_product(graph, op, a, b);
    case KI_POW:
        return ki_simplify_power(graph, a, b);
    default:
        return ki_simplify_logic(graph, op, a, b);
    }
}

bool ki_is_number(const ki_graph *graph, ki_node a, double *value) {
    if (a == KI_NONE || graph->nodes[a].op != KI_NUMBER)
        return false;
    if (value)
        *value = graph->values[graph->nodes[a].arg[0]];
    return true;
}

bool ki_node_is_finite(const ki_graph *graph, ki_node a, double *value) {
    return ki_is_number(graph, a, value) && isfinite(*value);
}

bool ki_is_zero(const ki_graph *graph, ki_node a) {
    double value;
    return ki_is_number(graph, a, &value) && value == 0;
}

/* evaluate.c - the value of one node, and the symbols it depends on. */
#include <math.h>
#include <stdlib.h>

#include "expr/graph.h"

static double value_of(const ki_graph *graph, const ki_cone *cone, const double *x, int i,
                       const double *inputs) {
    const ki_expression *n = &graph->nodes[cone->node[i]];
    const int *arg = cone->arg[i];
    double value = 0;
    if (ki_is_number(graph, cone->node[i], &value))
        return value;
    if (n->op == KI_SYMBOL)
        return inputs[n->arg[0]];
    int arity = ki_op_arity(n->op);
    return ki_op_value(n->op, x[arg[0]], arity > 1 ? x[arg[1]] : 0, arity > 2 ? x[arg[2]] : 0);
}

double ki_evaluate(ki_graph *graph, ki_node a, const double *inputs) {
    double value;
    if (ki_is_number(graph, a, &value))
        return value;
    ki_cone cone;
    if (a == KI_NONE || !ki_cone_make(graph, &a, 1, &cone))
        return NAN;
    double *x = ki_expr_resize(NULL, (size_t)cone.count, sizeof *x);
    graph->failed = graph->failed || !x;
    for (int i = 0; x && i < cone.count; i++)
        x[i] = value_of(graph, &cone, x, i, inputs);
    value = x ? x[cone.count - 1] : NAN;
    free(x);
    ki_cone_free(&cone);
    return value;
}

static int compare_ids(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

void ki_symbols_of(ki_graph *graph, ki_node a, void (*visit)(void *user, int id), void *user) {
    ki_cone cone;
    if (a == KI_NONE || !ki_cone_make(graph, &a, 1, &cone))
        return;
    int *ids = cone.node, count = 0; /* the ids replace the nodes that were looked at */
    for (int i = 0; i < cone.count; i++) {
        const ki_expression *n = &graph->nodes[cone.node[i]];
        if (n->op == KI_SYMBOL)
            ids[count++] = n->arg[0];
    }
    if (count)
        qsort(ids, (size_t)count, sizeof *ids, compare_ids);
    for (int i = 0; i < count; i++)
        visit(user, ids[i]);
    ki_cone_free(&cone);
}

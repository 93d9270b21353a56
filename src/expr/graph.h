/* graph.h - the inside of a graph of expressions, for the files of this layer only. */
#ifndef KI_GRAPH_H
#define KI_GRAPH_H

#include "expr/expr.h"

/* One node. Arguments come before the node that uses them, so that the order of numbers is an order of
 * evaluation. */
typedef struct ki_expression {
    ki_op op;
    int arg[3]; /* KI_NONE where there is none; KI_SYMBOL: arg[0] is its id; KI_NUMBER: its place in `values`
                 */
} ki_expression;

struct ki_graph {
    ki_expression *nodes;
    int count, capacity;
    double *values; /* of the nodes KI_NUMBER */
    int value_count, value_capacity;
    int *buckets; /* the table of table.c: a node, or KI_NONE; a power of two of them */
    int bucket_count;
    int *mark,
        *place; /* [capacity] of each node: the last walk that met it, and where it stands in that walk */
    int walks;
    bool failed;
};

/* Number of arguments of an operation that are nodes. */
static inline int ki_op_arity(ki_op op) {
    if (op <= KI_SYMBOL)
        return 0;
    if (op <= KI_NOT)
        return 1;
    return op < KI_IF ? 2 : 3;
}

/* The meaning of every operation but KI_NUMBER and KI_SYMBOL; unused arguments are ignored. */
double ki_op_value(ki_op op, double a, double b, double c);

/* 1, -1 or 0; a NaN stays one */
static inline double ki_sign(double a) {
    return a > 0 ? 1 : a < 0 ? -1 : a;
}

/* The node op(a, b, c) as it is, made if it does not exist yet. */
ki_node ki_node_intern(ki_graph *graph, ki_op op, int a, int b, int c);

/* True, with the value, for a node KI_NUMBER with a finite value. */
bool ki_node_is_finite(const ki_graph *graph, ki_node a, double *value);

/* Splits a = factor * rest with a number in front (1 if there is none, negative below a KI_NEG). */
ki_node ki_node_split_factor(const ki_graph *graph, ki_node a, double *factor);

/* factor * a */
ki_node ki_node_scale(ki_graph *graph, double factor, ki_node a);

/* Of x and -x, and of u - v and v - u, one is the chosen one. True if it is not `a`, which is then replaced
 * by it (or by KI_NONE when out of memory). */
bool ki_node_flip(ki_graph *graph, ki_node *a);

/* Whether the value of the node is always 0 or 1. */
bool ki_node_is_condition(const ki_graph *graph, ki_node a);

/* One rewriting step for an operation whose arguments are not all numbers (simplify_*.c): the simpler node,
 * or ki_node_intern's if no rule applies. */
ki_node ki_simplify_unary(ki_graph *graph, ki_op op, ki_node a);
ki_node ki_simplify_sum(ki_graph *graph, ki_op op, ki_node a, ki_node b);
ki_node ki_simplify_product(ki_graph *graph, ki_op op, ki_node a, ki_node b);
ki_node ki_simplify_power(ki_graph *graph, ki_node a, ki_node b);
ki_node ki_simplify_logic(ki_graph *graph, ki_op op, ki_node a, ki_node b);

/* The nodes that some roots depend on, the roots included, arguments first. Independent of the graph once
 * made: its user may make nodes and start other walks. */
typedef struct ki_cone {
    int count, capacity;
    ki_node *node;
    int (*arg)[3]; /* the arguments as places in `node`; KI_NONE where there is none */
} ki_cone;

/* Costs the size of the cone, not of the graph. False when out of memory (nothing to free then). */
bool ki_cone_make(ki_graph *graph, const ki_node *roots, int root_count, ki_cone *cone);
void ki_cone_free(ki_cone *cone);

/* Node i of a cone of graph `from`, but in graph g and of other arguments: result[j] in place of node j. */
ki_node ki_node_rebuild(ki_graph *g, const ki_graph *from, const ki_cone *cone, const ki_node *result, int i);

/* s * d(node)/d(argument k) for every operation but KI_IF, KI_MIN and KI_MAX. */
ki_node ki_scaled_partial(ki_graph *graph, ki_node node, int k, ki_node s);

/* Whether argument k can have an influence on the derivative of `op`. */
bool ki_op_is_differentiable(ki_op op, int k);

/* Whole powers up to this one are products. Beyond it the rounding errors of repeated products, about n/2
 * units in the last place, are worse than a call of pow. */
enum { KI_LARGEST_PRODUCT_POWER = 16 };

/* realloc of `count` items with a check for overflow; NULL (and the block untouched) when out of memory. All
 * memory of this layer comes from here; it is given back with free(). */
void *ki_expr_resize(void *block, size_t count, size_t size);

/* Makes room for `need` items of an array that grows by doubling. False when out of memory. */
bool ki_expr_reserve(void *array_pointer, int *capacity, int need, size_t size);

#endif

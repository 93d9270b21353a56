/* graph.c - nodes and their table: equal nodes exist once. */
#include "expr/graph.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
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

/* Every bit of the result depends on every bit of h: numbers of nodes are far from random. */
static uint64_t mix(uint64_t h) {
    h ^= h >> 30;
    h *= 0xbf58476d1ce4e5b9u;
    h ^= h >> 27;
    h *= 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

static uint64_t hash_node(ki_op op, int a, int b, int c) {
    uint64_t h = mix((uint64_t)op << 32 | (uint32_t)a);
    return mix(h ^ ((uint64_t)(uint32_t)b << 32 | (uint32_t)c));
}

static uint64_t hash_value(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return mix(bits);
}

static uint64_t hash_of(const ki_graph *graph, ki_node a) {
    const ki_expression *n = &graph->nodes[a];
    return n->op == KI_NUMBER ? hash_value(graph->values[n->arg[0]])
                              : hash_node(n->op, n->arg[0], n->arg[1], n->arg[2]);
}

static bool rebuild_buckets(ki_graph *graph, int bucket_count) {
    int *buckets = ki_expr_resize(NULL, (size_t)bucket_count, sizeof *buckets);
    if (!buckets)
        return false;
    for (int i = 0; i < bucket_count; i++)
        buckets[i] = KI_NONE;
    uint64_t mask = (uint64_t)bucket_count - 1;
    for (ki_node a = 0; a < graph->count; a++) {
        uint64_t i = hash_of(graph, a) & mask;
        while (buckets[i] != KI_NONE)
            i = (i + 1) & mask;
        buckets[i] = a;
    }
    free(graph->buckets);
    graph->buckets = buckets;
    graph->bucket_count = bucket_count;
    return true;
}

/* Room for one more node in every array; the table stays at most half full. */
static bool reserve_node(ki_graph *graph) {
    if (graph->count < graph->capacity)
        return true;
    int nodes = graph->capacity, marks = graph->capacity, places = graph->capacity;
    int need = graph->count + 1;
    bool ok = ki_expr_reserve(&graph->nodes, &nodes, need, sizeof *graph->nodes) &&
              ki_expr_reserve(&graph->mark, &marks, need, sizeof *graph->mark) &&
              ki_expr_reserve(&graph->place, &places, need, sizeof *graph->place) &&
              rebuild_buckets(graph, 2 * nodes);
    if (ok)
        graph->capacity = nodes;
    graph->failed = graph->failed || !ok;
    return ok;
}

static ki_node append_node(ki_graph *graph, uint64_t bucket, ki_expression entry) {
    ki_node a = graph->count++;
    graph->nodes[a] = entry;
    graph->mark[a] = 0;
    graph->buckets[bucket] = a;
    return a;
}

ki_node ki_node_intern(ki_graph *graph, ki_op op, int a, int b, int c) {
    if (graph->failed || !reserve_node(graph))
        return KI_NONE;
    uint64_t mask = (uint64_t)graph->bucket_count - 1, i = hash_node(op, a, b, c) & mask;
    for (; graph->buckets[i] != KI_NONE; i = (i + 1) & mask) {
        const ki_expression *n = &graph->nodes[graph->buckets[i]];
        if (n->op == op && n->arg[0] == a && n->arg[1] == b && n->arg[2] == c)
            return graph->buckets[i];
    }
    return append_node(graph, i, (ki_expression){op, {a, b, c}});
}

ki_node ki_number(ki_graph *graph, double value) {
    if (graph->failed || !reserve_node(graph))
        return KI_NONE;
    if (value == 0)
        value = 0; /* there is one zero, the positive one */
    uint64_t mask = (uint64_t)graph->bucket_count - 1, i = hash_value(value) & mask;
    for (; graph->buckets[i] != KI_NONE; i = (i + 1) & mask) {
        const ki_expression *n = &graph->nodes[graph->buckets[i]];
        if (n->op == KI_NUMBER && !memcmp(&graph->values[n->arg[0]], &value, sizeof value))
            return graph->buckets[i];
    }
    if (!ki_expr_reserve(&graph->values, &graph->value_capacity, graph->value_count + 1, sizeof value)) {
        graph->failed = true;
        return KI_NONE;
    }
    graph->values[graph->value_count] = value;
    return append_node(graph, i, (ki_expression){KI_NUMBER, {graph->value_count++, KI_NONE, KI_NONE}});
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

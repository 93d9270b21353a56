/* table.c - equal nodes exist once: a hash table of all of them.
 *
 * Buckets are looked through in a sequence that starts close to where the node's newest argument is: what is
 * made together is found together, and a large graph does not wait for memory at every node. Only when these
 * few buckets are taken, the search goes on wherever the hash tells. Nothing is ever removed, so that a free
 * bucket ends every search. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expr/graph.h"
#include "expr/quota.h"

enum { BUCKETS_PER_NODE = 2, NEAR = 8 };

/* Where a node may stand. */
typedef struct sequence {
    uint64_t near, hash, mask;
} sequence;

/* Beyond the near ones buckets are far from each other: whole stretches of near ones may be taken. */
static uint64_t bucket_at(const sequence *s, uint64_t step) {
    uint64_t stride = s->hash >> 32 | 1;
    return (step < NEAR ? s->near + step : s->hash + stride * step) & s->mask;
}

/* Every bit of the result depends on every bit of h: numbers of nodes are far from random. */
static uint64_t mix(uint64_t h) {
    h ^= h >> 30;
    h *= 0xbf58476d1ce4e5b9u;
    h ^= h >> 27;
    h *= 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

static sequence sequence_of_node(const ki_expression *n, int bucket_count) {
    uint64_t hash = mix((uint64_t)n->op << 32 | (uint32_t)n->arg[0]);
    hash = mix(hash ^ ((uint64_t)(uint32_t)n->arg[1] << 32 | (uint32_t)n->arg[2]));
    int newest = n->arg[0] > n->arg[1] ? n->arg[0] : n->arg[1];
    newest = n->arg[2] > newest ? n->arg[2] : newest;
    return (sequence){BUCKETS_PER_NODE * (uint64_t)newest, hash, (uint64_t)bucket_count - 1};
}

static sequence sequence_of_number(double value, int bucket_count) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t hash = mix(bits);
    return (sequence){hash, hash, (uint64_t)bucket_count - 1};
}

static bool rebuild_buckets(ki_graph *graph, int bucket_count) {
    int *buckets = ki_expr_resize(NULL, (size_t)bucket_count, sizeof *buckets);
    if (!buckets)
        return false;
    for (int i = 0; i < bucket_count; i++)
        buckets[i] = KI_NONE;
    for (ki_node a = 0; a < graph->count; a++) {
        const ki_expression *n = &graph->nodes[a];
        sequence s = n->op == KI_NUMBER ? sequence_of_number(graph->values[n->arg[0]], bucket_count)
                                        : sequence_of_node(n, bucket_count);
        uint64_t step = 0;
        while (buckets[bucket_at(&s, step)] != KI_NONE)
            step++;
        buckets[bucket_at(&s, step)] = a;
    }
    free(graph->buckets);
    graph->buckets = buckets;
    graph->bucket_count = bucket_count;
    return true;
}

/* Room for one more node in every array. */
static bool reserve_node(ki_graph *graph) {
    if (graph->count < graph->capacity)
        return true;
    int nodes = graph->capacity, marks = graph->capacity, places = graph->capacity;
    int need = graph->count + 1;
    bool ok = ki_expr_reserve(&graph->nodes, &nodes, need, sizeof *graph->nodes) &&
              ki_expr_reserve(&graph->mark, &marks, need, sizeof *graph->mark) &&
              ki_expr_reserve(&graph->place, &places, need, sizeof *graph->place) &&
              rebuild_buckets(graph, BUCKETS_PER_NODE * nodes);
    if (ok)
        graph->capacity = nodes;
    graph->failed = graph->failed || !ok;
    return ok;
}

static ki_node append_node(ki_graph *graph, uint64_t bucket, ki_expression n) {
    if (!ki_quota_take_node()) {
        graph->failed = true;
        return KI_NONE;
    }
    ki_node a = graph->count++;
    graph->nodes[a] = n;
    graph->mark[a] = 0;
    graph->buckets[bucket] = a;
    return a;
}

ki_node ki_node_intern(ki_graph *graph, ki_op op, int a, int b, int c) {
    if (graph->failed || !reserve_node(graph))
        return KI_NONE;
    ki_expression wanted = {op, {a, b, c}};
    sequence s = sequence_of_node(&wanted, graph->bucket_count);
    for (uint64_t step = 0;; step++) {
        ki_node found = graph->buckets[bucket_at(&s, step)];
        if (found == KI_NONE)
            return append_node(graph, bucket_at(&s, step), wanted);
        const ki_expression *n = &graph->nodes[found];
        if (n->op == op && n->arg[0] == a && n->arg[1] == b && n->arg[2] == c)
            return found;
    }
}

static ki_node append_number(ki_graph *graph, uint64_t bucket, double value) {
    if (!ki_expr_reserve(&graph->values, &graph->value_capacity, graph->value_count + 1, sizeof value)) {
        graph->failed = true;
        return KI_NONE;
    }
    graph->values[graph->value_count] = value;
    return append_node(graph, bucket, (ki_expression){KI_NUMBER, {graph->value_count++, KI_NONE, KI_NONE}});
}

ki_node ki_number(ki_graph *graph, double value) {
    if (graph->failed || !reserve_node(graph))
        return KI_NONE;
    if (value == 0)
        value = 0; /* there is one zero, the positive one */
    sequence s = sequence_of_number(value, graph->bucket_count);
    for (uint64_t step = 0;; step++) {
        ki_node found = graph->buckets[bucket_at(&s, step)];
        if (found == KI_NONE)
            return append_number(graph, bucket_at(&s, step), value);
        const ki_expression *n = &graph->nodes[found];
        if (n->op == KI_NUMBER && !memcmp(&graph->values[n->arg[0]], &value, sizeof value))
            return found;
    }
}

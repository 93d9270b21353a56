/* cone.c - the part of a graph that a few nodes depend on, in an order of evaluation. */
#include <limits.h>
#include <stdlib.h>

#include "expr/graph.h"

/* A node on the path from a root to where the search stands. */
typedef struct visit {
    ki_node node;
    int next; /* its next argument to look at */
} visit;

typedef struct search {
    ki_graph *graph;
    ki_cone *cone;
    visit *path;
    int depth, capacity;
} search;

enum { OPEN = -1 }; /* place of a node that is on the path */

static bool enter(search *s, ki_node node) {
    if (!ki_expr_reserve(&s->path, &s->capacity, s->depth + 1, sizeof *s->path))
        return false;
    s->graph->mark[node] = s->graph->walks;
    s->graph->place[node] = OPEN;
    s->path[s->depth++] = (visit){node, 0};
    return true;
}

static bool leave(search *s, ki_node node) {
    ki_cone *cone = s->cone;
    const ki_expression *n = &s->graph->nodes[node];
    int capacity = cone->capacity;
    if (!ki_expr_reserve(&cone->node, &capacity, cone->count + 1, sizeof *cone->node) ||
        !ki_expr_reserve(&cone->arg, &cone->capacity, cone->count + 1, sizeof *cone->arg))
        return false;
    int here = cone->count++, arity = ki_op_arity(n->op);
    cone->node[here] = node;
    for (int k = 0; k < 3; k++)
        cone->arg[here][k] = k < arity ? s->graph->place[n->arg[k]] : KI_NONE;
    s->graph->place[node] = here;
    s->depth--;
    return true;
}

static bool walk(search *s, ki_node root) {
    ki_graph *graph = s->graph;
    if (graph->mark[root] == graph->walks)
        return true;
    if (!enter(s, root))
        return false;
    while (s->depth) {
        visit *top = &s->path[s->depth - 1];
        const ki_expression *n = &graph->nodes[top->node];
        if (top->next == ki_op_arity(n->op)) {
            if (!leave(s, top->node))
                return false;
            continue;
        }
        ki_node arg = n->arg[top->next++];
        if (graph->mark[arg] != graph->walks && !enter(s, arg))
            return false;
    }
    return true;
}

static void begin_walk(ki_graph *graph) {
    if (graph->walks == INT_MAX) {
        graph->walks = 0;
        for (int i = 0; i < graph->count; i++)
            graph->mark[i] = 0;
    }
    graph->walks++;
}

bool ki_cone_make(ki_graph *graph, const ki_node *roots, int root_count, ki_cone *cone) {
    *cone = (ki_cone){0};
    begin_walk(graph);
    search s = {.graph = graph, .cone = cone};
    bool ok = true;
    for (int i = 0; i < root_count && ok; i++)
        ok = walk(&s, roots[i]);
    free(s.path);
    if (!ok) {
        ki_cone_free(cone);
        graph->failed = true;
    }
    return ok;
}

void ki_cone_free(ki_cone *cone) {
    free(cone->node);
    free(cone->arg);
    *cone = (ki_cone){0};
}

/* shorten.c - fewer operations for the same functions: from nodes to classes and back (shorten.h). */
#include <stdlib.h>
#include <string.h>

#include "expr/shorten.h"

/* What is longer stays as it is: it is not what steps of small systems wait for. */
enum { MOST_NODES = 6000 };

/* Searches for pairs: a second one finds what the first one brought into use, a third one hardly anything. */
enum { ROUNDS = 2 };

typedef struct rebuilding {
    ki_graph *graph;
    const ki_classes *all;
    const int *choice;
    ki_node *node; /* [classes] KI_NONE: not made yet */
} rebuilding;

static ki_node build_class(rebuilding *r, int c);

static ki_node negative(ki_graph *g, ki_node a) {
    double value;
    if (a == KI_NONE)
        return a;
    if (ki_is_number(g, a, &value))
        return ki_number(g, -value);
    return ki_node_intern(g, KI_NEG, a, KI_NONE, KI_NONE);
}

static ki_node build(rebuilding *r, ki_ref x) {
    ki_node a = build_class(r, ki_class_of(x));
    return x & 1 ? negative(r->graph, a) : a;
}

/* As chosen, without the simplifier, which has a mind of its own. */
static ki_node build_way(rebuilding *r, const ki_way *w) {
    ki_node arg[3] = {KI_NONE, KI_NONE, KI_NONE};
    ki_op op = w->op;
    if (op == KI_NUMBER)
        return ki_number(r->graph, w->number);
    if (op == KI_SYMBOL)
        return ki_symbol(r->graph, w->arg[0]);
    for (int i = 0; i < ki_op_arity(op); i++) {
        bool difference = w->op == KI_ADD && i == 1 && w->arg[1] & 1;
        op = difference ? KI_SUB : op;
        arg[i] = build(r, difference ? w->arg[i] ^ 1 : w->arg[i]);
        if (arg[i] == KI_NONE)
            return KI_NONE;
    }
    return ki_node_intern(r->graph, op, arg[0], arg[1], arg[2]);
}

static ki_node build_class(rebuilding *r, int c) {
    if (r->node[c] == KI_NONE)
        r->node[c] = build_way(r, &r->all->way[r->choice[c]]);
    return r->node[c];
}

static bool rebuild(ki_graph *g, const ki_classes *all, const int *choice, const ki_ref *root, int count,
                    ki_node *nodes) {
    rebuilding r = {g, all, choice, ki_expr_resize(NULL, (size_t)all->count, sizeof *r.node)};
    bool ok = r.node;
    for (int c = 0; ok && c < all->count; c++)
        r.node[c] = KI_NONE;
    for (int i = 0; ok && i < count; i++)
        ok = (nodes[i] = build(&r, root[i])) != KI_NONE;
    free(r.node);
    return ok;
}

struct ki_shortener {
    ki_graph *graph;
    ki_classes all;
    ki_ref *ref; /* [nodes] of each node of the graph; KI_NONE: not looked at */
    int nodes;   /* of the graph when it was made */
    int *choice; /* [known] a way of each class, */
    bool *used;  /* and whether it is in use, with all given nodes as roots */
    int known;
};

static bool choose(ki_shortener *s, const ki_ref *root, int count) {
    int *choice = ki_expr_resize(s->choice, (size_t)s->all.count, sizeof *choice);
    s->choice = choice ? choice : s->choice;
    bool *used = ki_expr_resize(s->used, (size_t)s->all.count, sizeof *used);
    s->used = used ? used : s->used;
    bool ok = choice && used && ki_choose_ways(&s->all, root, count, s->known, s->choice, s->used);
    s->known = s->all.count;
    return ok;
}

static bool find_classes(ki_shortener *s, const ki_cone *cone) {
    ki_ref *ref = ki_expr_resize(NULL, (size_t)cone->count, sizeof *ref);
    for (int i = 0; ref && i < cone->count; i++) {
        ref[i] = ki_class_of_node(&s->all, s->graph, cone, ref, i);
        s->ref[cone->node[i]] = ref[i];
    }
    free(ref);
    s->all.searching = true;
    return ref && !s->all.failed;
}

static bool refs_of(const ki_shortener *s, const ki_node *nodes, int count, ki_ref *root) {
    for (int i = 0; i < count; i++) {
        root[i] = nodes[i] >= 0 && nodes[i] < s->nodes ? s->ref[nodes[i]] : KI_NONE;
        if (root[i] == KI_NONE)
            return false;
    }
    return true;
}

static bool search(ki_shortener *s, const ki_cone *cone, const ki_ref *root, int count, int first,
                   int symbols) {
    bool ok = choose(s, root, count) && ki_search_without(&s->all, s->graph, cone, first, symbols);
    if (ok)
        ki_search_factors(&s->all);
    ok = ok && !s->all.failed && choose(s, root, count);
    for (int i = 0; i < ROUNDS && ok; i++)
        ok = ki_search_pairs(&s->all, s->used, s->known) && choose(s, root, count);
    return ok;
}

static bool fill(ki_shortener *s, const ki_node *nodes, int count, int first, int symbols) {
    ki_cone cone;
    if (!ki_cone_make(s->graph, nodes, count, &cone))
        return false;
    bool ok = true;
    if (cone.count <= MOST_NODES) {
        ki_ref *root = ki_expr_resize(NULL, (size_t)count, sizeof *root);
        ok = root && find_classes(s, &cone) && refs_of(s, nodes, count, root) &&
             search(s, &cone, root, count, first, symbols);
        free(root);
    }
    ki_cone_free(&cone);
    return ok;
}

ki_shortener *ki_shortener_new(ki_graph *g, const ki_node *nodes, int count, int first, int symbols) {
    ki_shortener *s = ki_expr_resize(NULL, 1, sizeof *s);
    g->failed = g->failed || !s;
    if (!s)
        return NULL;
    *s = (ki_shortener){.graph = g, .nodes = g->count};
    s->ref = ki_expr_resize(NULL, (size_t)g->count, sizeof *s->ref);
    for (int i = 0; s->ref && i < g->count; i++)
        s->ref[i] = KI_NONE;
    for (int i = 0; i < count; i++)
        g->failed = g->failed || nodes[i] == KI_NONE;
    if (!s->ref || g->failed || !fill(s, nodes, count, first, symbols)) {
        ki_shortener_free(s);
        g->failed = true;
        return NULL;
    }
    return s;
}

void ki_shortener_free(ki_shortener *s) {
    if (!s)
        return;
    ki_classes_free(&s->all);
    free(s->ref);
    free(s->choice);
    free(s->used);
    free(s);
}

bool ki_shorten(const ki_shortener *s, ki_node *nodes, int count) {
    if (!s->known)
        return true;
    size_t classes = (size_t)s->known;
    int *choice = ki_expr_resize(NULL, classes, sizeof *choice);
    bool *used = ki_expr_resize(NULL, classes, sizeof *used);
    ki_ref *root = ki_expr_resize(NULL, (size_t)count, sizeof *root);
    bool ok = choice && used && root && refs_of(s, nodes, count, root);
    if (ok) {
        memcpy(choice, s->choice, classes * sizeof *choice);
        ok = ki_choose_ways(&s->all, root, count, s->known, choice, used) &&
             rebuild(s->graph, &s->all, choice, root, count, nodes);
    }
    free(choice);
    free(used);
    free(root);
    s->graph->failed = s->graph->failed || !ok;
    return ok;
}

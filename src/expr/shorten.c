/* shorten.c - fewer operations for the same functions: from nodes to classes and back (shorten.h). */
#include <stdlib.h>
#include <string.h>

#include "expr/shorten.h"

/* Searches for pairs: a second one finds what the first one brought into use, a third one hardly anything. */
enum { ROUNDS = 2 };

struct ki_shortener {
    ki_graph *graph;
    ki_classes all;
    ki_chooser chooser;
    ki_ref *ref;   /* [nodes] of each node of the graph; KI_NONE: not looked at */
    int nodes;     /* of the graph when it was made */
    int *choice;   /* [classes] what is chosen for all given nodes together; NULL: they are too many */
    ki_node *node; /* [classes] as rebuilt; KI_NONE: not yet */
    ki_ref *root;  /* [given nodes] */
};

static ki_node build_class(ki_shortener *s, int c);

static ki_node negative(ki_graph *g, ki_node a) {
    double value;
    if (a == KI_NONE)
        return a;
    if (ki_is_number(g, a, &value))
        return ki_number(g, -value);
    return ki_node_intern(g, KI_NEG, a, KI_NONE, KI_NONE);
}

static ki_node build(ki_shortener *s, ki_ref x) {
    ki_node a = build_class(s, ki_class_of(x));
    return x & 1 ? negative(s->graph, a) : a;
}

/* As chosen, without the simplifier, which has a mind of its own. */
static ki_node build_way(ki_shortener *s, const ki_way *w) {
    ki_node arg[3] = {KI_NONE, KI_NONE, KI_NONE};
    ki_op op = w->op;
    if (op == KI_NUMBER)
        return ki_number(s->graph, w->number);
    if (op == KI_SYMBOL)
        return ki_symbol(s->graph, w->arg[0]);
    for (int i = 0; i < ki_op_arity(op); i++) {
        bool difference = w->op == KI_ADD && i == 1 && w->arg[1] & 1;
        op = difference ? KI_SUB : op;
        arg[i] = build(s, difference ? w->arg[i] ^ 1 : w->arg[i]);
        if (arg[i] == KI_NONE)
            return KI_NONE;
    }
    return ki_node_intern(s->graph, op, arg[0], arg[1], arg[2]);
}

static ki_node build_class(ki_shortener *s, int c) {
    if (s->node[c] == KI_NONE)
        s->node[c] = build_way(s, &s->all.way[s->chooser.choice[c]]);
    return s->node[c];
}

/* ref: of each node of the cone */
static bool find_classes(ki_shortener *s, const ki_cone *cone, ki_ref *ref) {
    for (int i = 0; i < cone->count; i++) {
        ref[i] = ki_class_of_node(&s->all, s->graph, cone, ref, i);
        s->ref[cone->node[i]] = ref[i];
    }
    s->all.searching = true;
    return !s->all.failed && !s->all.forms.failed;
}

static bool find_roots(ki_shortener *s, const ki_node *nodes, int count) {
    for (int i = 0; i < count; i++) {
        s->root[i] = nodes[i] >= 0 && nodes[i] < s->nodes ? s->ref[nodes[i]] : KI_NONE;
        if (s->root[i] == KI_NONE)
            return false;
    }
    return true;
}

static bool choose(ki_shortener *s, int count) {
    if (!ki_chooser_prepare(&s->chooser, &s->all))
        return false;
    ki_chooser_choose(&s->chooser, s->root, count);
    return true;
}

static bool search(ki_shortener *s, const ki_cone *cone, const ki_ref *ref, int count, int first,
                   int symbols) {
    bool ok = choose(s, count) && ki_search_without(&s->all, s->graph, cone, ref, first, symbols);
    if (ok)
        ki_search_factors(&s->all);
    ok = ok && !s->all.failed && choose(s, count);
    for (int i = 0; i < ROUNDS && ok; i++)
        ok = ki_search_pairs(&s->all, s->chooser.used, s->chooser.known) && choose(s, count);
    return ok;
}

/* Room for the results; the choice is kept. */
static bool conclude(ki_shortener *s) {
    size_t classes = (size_t)s->all.count;
    s->node = ki_expr_resize(NULL, classes, sizeof *s->node);
    s->choice = ki_expr_resize(NULL, classes, sizeof *s->choice);
    if (!s->node || !s->choice)
        return false;
    memcpy(s->choice, s->chooser.choice, classes * sizeof *s->choice);
    return true;
}

static bool fill(ki_shortener *s, const ki_node *nodes, int count, int first, int symbols) {
    ki_cone cone;
    if (!ki_cone_make(s->graph, nodes, count, &cone))
        return false;
    bool idle = cone.count == 0 || cone.count > KI_MOST_SHORTENED;
    ki_ref *ref = idle ? NULL : ki_expr_resize(NULL, (size_t)cone.count, sizeof *ref);
    bool ok = idle || (ref && find_classes(s, &cone, ref) && find_roots(s, nodes, count) &&
                       search(s, &cone, ref, count, first, symbols) && conclude(s));
    free(ref);
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
    s->root = ki_expr_resize(NULL, (size_t)count, sizeof *s->root);
    for (int i = 0; s->ref && i < g->count; i++)
        s->ref[i] = KI_NONE;
    for (int i = 0; i < count; i++)
        g->failed = g->failed || nodes[i] == KI_NONE;
    if (!s->ref || !s->root || g->failed || !fill(s, nodes, count, first, symbols)) {
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
    ki_chooser_free(&s->chooser);
    free(s->ref);
    free(s->choice);
    free(s->node);
    free(s->root);
    free(s);
}

bool ki_shorten(ki_shortener *s, ki_node *nodes, int count) {
    bool ok = true;
    if (!s->choice)
        return true;
    if (!find_roots(s, nodes, count))
        return false;
    memcpy(s->chooser.choice, s->choice, (size_t)s->all.count * sizeof *s->choice);
    ki_chooser_choose(&s->chooser, s->root, count);
    for (int c = 0; c < s->all.count; c++)
        s->node[c] = KI_NONE;
    for (int i = 0; ok && i < count; i++)
        ok = (nodes[i] = build(s, s->root[i])) != KI_NONE;
    s->graph->failed = s->graph->failed || !ok;
    return ok;
}

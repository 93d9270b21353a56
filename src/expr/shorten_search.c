/* shorten_search.c - further ways to compute the classes that are there. */
#include <stdlib.h>

#include "expr/shorten.h"

/* Pairs grow with the square of the classes in use, copies without a symbol with the number of symbols. */
enum { MOST_IN_PAIRS = 1000, MOST_COPIED = 20000 };

ki_ref ki_class_of_node(ki_classes *all, const ki_graph *g, const ki_cone *cone, const ki_ref *ref, int i) {
    const ki_expression *n = &g->nodes[cone->node[i]];
    double value;
    ki_ref arg[3];
    if (ki_is_number(g, cone->node[i], &value))
        return ki_classes_number(all, value);
    if (n->op == KI_SYMBOL)
        return ki_classes_symbol(all, n->arg[0]);
    for (int k = 0; k < 3; k++)
        arg[k] = cone->arg[i][k] == KI_NONE ? KI_NONE : ref[cone->arg[i][k]];
    return ki_classes_apply(all, n->op, arg[0], arg[1], arg[2]);
}

/* The formulas with 0 for the symbols first .. last. What does not depend on them is in the same class. */
static void put_zero(ki_classes *all, const ki_graph *g, const ki_cone *cone, ki_ref *ref, int first,
                     int last) {
    for (int i = 0; i < cone->count; i++) {
        const ki_expression *n = &g->nodes[cone->node[i]];
        bool gone = n->op == KI_SYMBOL && n->arg[0] >= first && n->arg[0] <= last;
        ref[i] = gone ? ki_classes_number(all, 0) : ki_class_of_node(all, g, cone, ref, i);
    }
}

/* Each symbol alone, and together with those before it: a body that hangs from others by several hinges does
 * not notice where they are. */
bool ki_search_without(ki_classes *all, const ki_graph *g, const ki_cone *cone, int first, int count) {
    if ((long)cone->count * count > MOST_COPIED)
        return true;
    ki_ref *ref = ki_expr_resize(NULL, (size_t)cone->count, sizeof *ref);
    for (int id = first; ref && id < first + count; id++) {
        put_zero(all, g, cone, ref, id, id);
        put_zero(all, g, cone, ref, first, id);
    }
    free(ref);
    return ref && !all->failed;
}

/* p x + q y with p = q or p = -q; sign: of the second term, 0 or 1 */
static void factor_out(ki_classes *all, const ki_way *a, const ki_way *b, int sign) {
    for (int k = 0; k < 4; k++) {
        ki_ref p = a->arg[k & 1], q = b->arg[k >> 1], x = a->arg[!(k & 1)], y = b->arg[!(k >> 1)];
        if (ki_class_of(p) != ki_class_of(q))
            continue;
        ki_ref sum = ki_classes_apply(all, KI_ADD, x, y ^ sign ^ ((p ^ q) & 1), KI_NONE);
        ki_classes_apply(all, KI_MUL, p, sum, KI_NONE);
    }
}

void ki_search_factors(ki_classes *all) {
    for (int i = 0, ways = all->way_count; i < ways && !all->failed; i++) {
        if (all->way[i].op != KI_ADD)
            continue;
        ki_ref x = all->way[i].arg[0], y = all->way[i].arg[1];
        for (int a = all->at[ki_class_of(x)].first; a != KI_NONE; a = all->way[a].next)
            for (int b = all->at[ki_class_of(y)].first; b != KI_NONE; b = all->way[b].next)
                if (all->way[a].op == KI_MUL && all->way[b].op == KI_MUL) {
                    ki_way first = all->way[a], second = all->way[b];
                    factor_out(all, &first, &second, (x ^ y) & 1);
                }
    }
}

static bool is_number(const ki_classes *all, ki_ref x) {
    return all->way[all->at[ki_class_of(x)].first].op == KI_NUMBER;
}

static void pair(ki_classes *all, ki_ref x, ki_ref y) {
    ki_classes_notice(all, KI_MUL, x, y);
    ki_classes_notice(all, KI_ADD, x, y);
    ki_classes_notice(all, KI_ADD, x, y ^ 1);
    if (!is_number(all, x) && !is_number(all, y))
        ki_classes_notice_multiple(all, x, y);
}

static void pair_all(ki_classes *all, const bool *used, int count, ki_ref *list) {
    int n = 0;
    for (int c = 0; c < count; c++)
        if (used[c])
            list[n++] = 2 * c;
    for (int i = 0; n <= MOST_IN_PAIRS && i < n; i++)
        for (int j = 0; j <= i && !all->failed; j++)
            if (!is_number(all, list[i]) || !is_number(all, list[j]))
                pair(all, list[i], list[j]);
}

bool ki_search_pairs(ki_classes *all, const bool *used, int classes) {
    ki_ref *list = ki_expr_resize(NULL, (size_t)classes, sizeof *list);
    if (list)
        pair_all(all, used, classes, list);
    free(list);
    return list && !all->failed;
}

/* shorten_search.c - further ways to compute the classes that are there. */
#include <math.h>
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

static bool is_polynomial(ki_op op) {
    return op == KI_NEG || op == KI_ADD || op == KI_SUB || op == KI_MUL || op == KI_SIN || op == KI_COS;
}

/* Whether node i has an argument that is another one than it was, or none. */
static bool is_changed(const ki_cone *cone, const ki_ref *ref, const ki_ref *given, int i) {
    for (int k = 0; k < 3; k++)
        if (cone->arg[i][k] != KI_NONE && ref[cone->arg[i][k]] != given[cone->arg[i][k]])
            return true;
    return false;
}

/* The formulas with 0 for the symbols first .. last. What does not depend on them is in the same class. Only
 * sums, products, sines and cosines are followed: anything else may have no value there. */
static void put_zero(ki_classes *all, const ki_graph *g, const ki_cone *cone, const ki_ref *given,
                     ki_ref *ref, int first, int last) {
    for (int i = 0; i < cone->count && !all->failed; i++) {
        const ki_expression *n = &g->nodes[cone->node[i]];
        double power;
        bool whole =
            n->op == KI_POW && ki_is_number(g, n->arg[1], &power) && power == floor(power) && power > 0;
        if (n->op == KI_SYMBOL && n->arg[0] >= first && n->arg[0] <= last)
            ref[i] = ki_classes_number(all, 0);
        else if (!is_changed(cone, ref, given, i))
            ref[i] = given[i];
        else
            ref[i] = is_polynomial(n->op) || whole ? ki_class_of_node(all, g, cone, ref, i) : KI_NONE;
    }
}

/* Each symbol alone, and together with those before it: a body that hangs from others by several hinges does
 * not notice where they are. */
bool ki_search_without(ki_classes *all, const ki_graph *g, const ki_cone *cone, const ki_ref *given,
                       int first, int count) {
    if ((long)cone->count * count > MOST_COPIED)
        return true;
    ki_ref *ref = ki_expr_resize(NULL, (size_t)cone->count, sizeof *ref);
    for (int id = first; ref && id < first + count; id++) {
        put_zero(all, g, cone, given, ref, id, id);
        if (id > first)
            put_zero(all, g, cone, given, ref, first, id);
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

static void pair(ki_classes *all, ki_ref x, ki_ref y) {
    double value;
    bool number_x = ki_classes_is_number(all, x, &value), number_y = ki_classes_is_number(all, y, &value);
    if (number_x && number_y)
        return;
    ki_classes_notice(all, KI_MUL, x, y);
    ki_classes_notice(all, KI_ADD, x, y);
    ki_classes_notice(all, KI_ADD, x, y ^ 1);
    if (!number_x && !number_y)
        ki_classes_notice_multiple(all, x, y);
}

static void pair_all(ki_classes *all, const bool *used, int count, ki_ref *list) {
    int n = 0;
    for (int c = 0; c < count; c++)
        if (used[c])
            list[n++] = 2 * c;
    for (int i = 0; n <= MOST_IN_PAIRS && i < n; i++)
        for (int j = 0; j <= i && !all->failed; j++)
            pair(all, list[i], list[j]);
}

bool ki_search_pairs(ki_classes *all, const bool *used, int classes) {
    ki_ref *list = ki_expr_resize(NULL, (size_t)classes, sizeof *list);
    if (list)
        pair_all(all, used, classes, list);
    free(list);
    return list && !all->failed;
}

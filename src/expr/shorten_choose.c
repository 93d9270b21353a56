/* shorten_choose.c - which way computes each class: few operations in all, each shared one counted once.
 *
 * From a start, one class after another goes over to another way while all that is computed then costs less.
 * There are two starts: what was chosen before, and for each class the way with the smallest tree of
 * operations; the better end is taken. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/shorten.h"

/* Sweeps after which hardly anything changes. */
enum { SWEEPS = 8 };

static double cost_of(ki_op op) {
    switch (op) {
    case KI_NUMBER:
    case KI_SYMBOL:
        return 0;
    case KI_ADD:
    case KI_MUL:
        return 1;
    case KI_DIV:
    case KI_SQRT:
    case KI_IF:
        return 4;
    default:
        return 25;
    }
}

/* A way that rounds much worse than what was given is for need only: 1 - cos^2 for sin^2. */
static bool is_accurate(const ki_way *w, const ki_class *c) {
    static const double AS_GOOD = 4;
    for (int k = 0; k < KI_POINTS; k++)
        if (w->sample.rounding[k] > AS_GOOD * (c->rounding[k] + DBL_EPSILON * fabs(c->sample.value[k])))
            return false;
    return true;
}

static double cost_of_way(const ki_way *w, const ki_class *c) {
    static const double INACCURATE = 1e4;
    bool bare_minus = w->op == KI_ADD && w->arg[0] & 1;
    return cost_of(w->op) + (bare_minus ? 1 : 0) + (is_accurate(w, c) ? 0 : INACCURATE);
}

static double tree_of(const ki_chooser *s, const ki_way *w) {
    double cost = s->cost[w - s->all->way];
    for (int i = 0; i < ki_op_arity(w->op); i++)
        cost += s->tree[ki_class_of(w->arg[i])];
    return cost;
}

/* Smallest trees, by going through all ways until nothing changes. */
static void find_trees(ki_chooser *s) {
    const ki_classes *all = s->all;
    for (int c = 0; c < all->count; c++)
        s->tree[c] = INFINITY;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < all->way_count; i++) {
            const ki_way *w = &all->way[i];
            double cost = tree_of(s, w);
            if (cost < s->tree[w->of]) {
                s->tree[w->of] = cost;
                s->tree_choice[w->of] = i;
                changed = true;
            }
        }
    }
}

static double use(ki_chooser *s, int c);

/* What it costs to have, or not to have any more, the arguments of a way. */
static double use_way(ki_chooser *s, int way) {
    const ki_way *w = &s->all->way[way];
    double cost = s->cost[way];
    for (int i = 0; i < ki_op_arity(w->op); i++)
        cost += use(s, ki_class_of(w->arg[i]));
    return cost;
}

static double use(ki_chooser *s, int c) {
    return s->users[c]++ ? 0 : use_way(s, s->trial[c]);
}

static double drop_way(ki_chooser *s, int way) {
    const ki_way *w = &s->all->way[way];
    double cost = s->cost[way];
    for (int i = 0; i < ki_op_arity(w->op); i++) {
        int c = ki_class_of(w->arg[i]);
        cost += --s->users[c] ? 0 : drop_way(s, s->trial[c]);
    }
    return cost;
}

/* Whether class c is needed for a way, as things are chosen now. */
static bool needs(ki_chooser *s, int way, int c) {
    int depth = 0;
    s->marks++;
    s->stack[depth++] = way;
    while (depth) {
        const ki_way *w = &s->all->way[s->stack[--depth]];
        for (int i = 0; i < ki_op_arity(w->op); i++) {
            int arg = ki_class_of(w->arg[i]);
            if (arg == c)
                return true;
            if (s->mark[arg] == s->marks)
                continue;
            s->mark[arg] = s->marks;
            s->stack[depth++] = s->trial[arg];
        }
    }
    return false;
}

/* The gain of another way for a class in use; taken if there is one. While both are counted, a way that needs
 * its own class does no harm: that one is in use. */
static double try_way(ki_chooser *s, int c, int way) {
    int old = s->trial[c];
    if (way == old)
        return 0;
    double price = use_way(s, way), gain = drop_way(s, old) - price;
    if (gain > 0 && !needs(s, way, c)) {
        s->trial[c] = way;
        return gain;
    }
    use_way(s, old);
    drop_way(s, way);
    return 0;
}

static double sweep(ki_chooser *s) {
    double gain = 0;
    for (int c = s->all->count - 1; c >= 0; c--)
        for (int way = s->all->at[c].first; s->users[c] && way != KI_NONE; way = s->all->way[way].next)
            gain += try_way(s, c, way);
    return gain;
}

/* From the trial as it is: the cost that is left. */
static double improve(ki_chooser *s, const ki_ref *roots, int count) {
    double cost = 0;
    for (int c = 0; c < s->all->count; c++)
        s->users[c] = 0;
    for (int i = 0; i < count; i++)
        cost += use(s, ki_class_of(roots[i]));
    for (int i = 0; i < SWEEPS; i++) {
        double gain = sweep(s);
        cost -= gain;
        if (gain == 0)
            break;
    }
    return cost;
}

static void accept(ki_chooser *s) {
    for (int c = 0; c < s->all->count; c++) {
        s->choice[c] = s->trial[c];
        s->used[c] = s->users[c] > 0;
    }
}

void ki_chooser_choose(ki_chooser *s, const ki_ref *roots, int count) {
    size_t size = (size_t)s->all->count * sizeof *s->trial;
    memcpy(s->trial, s->choice, size);
    double cost = improve(s, roots, count);
    accept(s);
    memcpy(s->trial, s->tree_choice, size);
    if (improve(s, roots, count) < cost)
        accept(s);
}

static bool resize(void *array_pointer, int count, size_t size) {
    void *block;
    memcpy(&block, array_pointer, sizeof block);
    block = ki_expr_resize(block, (size_t)count, size);
    if (block)
        memcpy(array_pointer, &block, sizeof block);
    return block;
}

/* A first way needs older classes only: such choices are free of circles, and can be added to others. */
bool ki_chooser_prepare(ki_chooser *s, const ki_classes *all) {
    int n = all->count;
    s->all = all;
    if (!resize(&s->choice, n, sizeof *s->choice) || !resize(&s->used, n, sizeof *s->used) ||
        !resize(&s->cost, all->way_count, sizeof *s->cost) || !resize(&s->tree, n, sizeof *s->tree) ||
        !resize(&s->tree_choice, n, sizeof *s->tree_choice) || !resize(&s->trial, n, sizeof *s->trial) ||
        !resize(&s->users, n, sizeof *s->users) || !resize(&s->mark, n, sizeof *s->mark) ||
        !resize(&s->stack, n + 1, sizeof *s->stack))
        return false;
    for (int i = 0; i < all->way_count; i++)
        s->cost[i] = cost_of_way(&all->way[i], &all->at[all->way[i].of]);
    for (int c = s->known; c < n; c++) {
        s->choice[c] = all->at[c].first;
        s->mark[c] = 0;
    }
    s->known = n;
    find_trees(s);
    return true;
}

void ki_chooser_free(ki_chooser *s) {
    free(s->choice);
    free(s->used);
    free(s->cost);
    free(s->tree);
    free(s->tree_choice);
    free(s->trial);
    free(s->users);
    free(s->mark);
    free(s->stack);
}

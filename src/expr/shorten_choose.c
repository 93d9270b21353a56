/* shorten_choose.c - which way computes each class: few operations in all, each shared one counted once.
 *
 * From a start, one class after another goes over to another way while all that is computed then costs less.
 * There are three starts: what was chosen before, for each class the way that was found first, and the one
 * with the smallest tree of operations; the best end is taken. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/shorten.h"

/* Sweeps after which hardly anything changes. */
enum { SWEEPS = 8 };

typedef struct chooser {
    const ki_classes *all;
    int *choice;  /* [count] a way of each class, of which none needs itself */
    int *users;   /* [count] how many ways in use, or roots, need it */
    double *cost; /* [way_count] of the operation of each way */
    double *tree; /* [count] cost of the smallest tree */
    int *mark, marks;
    int *stack;
} chooser;

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
        if (w->sample.rounding[k] > AS_GOOD * (c->rounding[k] + DBL_EPSILON * fabs(c->sample.value[k].high)))
            return false;
    return true;
}

static double cost_of_way(const ki_way *w, const ki_class *c) {
    static const double INACCURATE = 1e4;
    bool bare_minus = w->op == KI_ADD && w->arg[0] & 1;
    return cost_of(w->op) + (bare_minus ? 1 : 0) + (is_accurate(w, c) ? 0 : INACCURATE);
}

static double tree_of(const chooser *s, const ki_way *w) {
    double cost = s->cost[w - s->all->way];
    for (int i = 0; i < ki_way_arity(w); i++)
        cost += s->tree[ki_class_of(w->arg[i])];
    return cost;
}

/* Smallest trees, by going through all ways until nothing changes. */
static void find_trees(chooser *s, int *choice) {
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
                choice[w->of] = i;
                changed = true;
            }
        }
    }
}

static double use(chooser *s, int c);

/* What it costs to have, or not to have any more, the arguments of a way. */
static double use_way(chooser *s, int way) {
    const ki_way *w = &s->all->way[way];
    double cost = s->cost[way];
    for (int i = 0; i < ki_way_arity(w); i++)
        cost += use(s, ki_class_of(w->arg[i]));
    return cost;
}

static double use(chooser *s, int c) {
    return s->users[c]++ ? 0 : use_way(s, s->choice[c]);
}

static double drop_way(chooser *s, int way) {
    const ki_way *w = &s->all->way[way];
    double cost = s->cost[way];
    for (int i = 0; i < ki_way_arity(w); i++) {
        int c = ki_class_of(w->arg[i]);
        cost += --s->users[c] ? 0 : drop_way(s, s->choice[c]);
    }
    return cost;
}

/* Whether class c is needed for a way, as things are chosen now. */
static bool needs(chooser *s, int way, int c) {
    int depth = 0;
    s->marks++;
    s->stack[depth++] = way;
    while (depth) {
        const ki_way *w = &s->all->way[s->stack[--depth]];
        for (int i = 0; i < ki_way_arity(w); i++) {
            int arg = ki_class_of(w->arg[i]);
            if (arg == c)
                return true;
            if (s->mark[arg] == s->marks)
                continue;
            s->mark[arg] = s->marks;
            s->stack[depth++] = s->choice[arg];
        }
    }
    return false;
}

/* The gain of another way for a class in use; taken if there is one. */
static double try_way(chooser *s, int c, int way) {
    int old = s->choice[c];
    if (way == old || needs(s, way, c))
        return 0;
    double gain = -use_way(s, way);
    gain += drop_way(s, old);
    if (gain > 0) {
        s->choice[c] = way;
        return gain;
    }
    use_way(s, old);
    drop_way(s, way);
    return 0;
}

static double sweep(chooser *s) {
    double gain = 0;
    for (int c = s->all->count - 1; c >= 0; c--)
        for (int way = s->all->at[c].first; s->users[c] && way != KI_NONE; way = s->all->way[way].next)
            gain += try_way(s, c, way);
    return gain;
}

static bool begin(chooser *s, const ki_classes *all) {
    size_t count = (size_t)all->count;
    s->all = all;
    s->cost = ki_expr_resize(NULL, (size_t)all->way_count, sizeof *s->cost);
    s->users = ki_expr_resize(NULL, count, sizeof *s->users);
    s->tree = ki_expr_resize(NULL, count, sizeof *s->tree);
    s->mark = ki_expr_resize(NULL, count, sizeof *s->mark);
    s->stack = ki_expr_resize(NULL, count + 1, sizeof *s->stack);
    if (!s->cost || !s->users || !s->tree || !s->mark || !s->stack)
        return false;
    for (int i = 0; i < all->way_count; i++)
        s->cost[i] = cost_of_way(&all->way[i], &all->at[all->way[i].of]);
    return true;
}

static void end(chooser *s) {
    free(s->cost);
    free(s->users);
    free(s->tree);
    free(s->mark);
    free(s->stack);
}

/* From the choice as it is: the cost that is left. */
static double improve(chooser *s, int *choice, const ki_ref *roots, int count) {
    double cost = 0;
    s->choice = choice;
    s->marks = 0;
    for (int c = 0; c < s->all->count; c++)
        s->users[c] = s->mark[c] = 0;
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

/* Ends at `other` if that costs less than the best so far, `cost`. */
static void try_start(chooser *s, int *other, const ki_ref *roots, int count, double *cost, int *choice,
                      bool *used) {
    double better = improve(s, other, roots, count);
    if (better >= *cost)
        return;
    *cost = better;
    memcpy(choice, other, (size_t)s->all->count * sizeof *choice);
    for (int c = 0; c < s->all->count; c++)
        used[c] = s->users[c] > 0;
}

/* A first way needs older classes only: such choices are free of circles, and can be added to others. */
bool ki_choose_ways(const ki_classes *all, const ki_ref *roots, int count, int known, int *choice,
                    bool *used) {
    chooser s = {0};
    double cost = INFINITY;
    int *other = ki_expr_resize(NULL, (size_t)all->count, sizeof *other);
    bool ok = begin(&s, all) && other;
    if (ok) {
        for (int c = 0; c < all->count; c++)
            other[c] = c < known ? choice[c] : all->at[c].first;
        try_start(&s, other, roots, count, &cost, choice, used);
        for (int c = 0; c < all->count; c++)
            other[c] = all->at[c].first;
        try_start(&s, other, roots, count, &cost, choice, used);
        find_trees(&s, other);
        try_start(&s, other, roots, count, &cost, choice, used);
    }
    free(other);
    end(&s);
    return ok;
}

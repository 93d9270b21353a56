/* gradient.c - all derivatives of one formula at once, from the result down to the symbols (reverse mode).
 *
 *     adjoint of f = 1,   adjoint of a = sum over the nodes n that use a of  (adjoint of n) dn/da
 *
 * Below a choice, if(c, a, b), only the chosen branch may count: what reaches `a` is valid only where c
 * holds, and elsewhere may be infinite or NaN, so that it cannot be multiplied by 0. An adjoint is therefore
 * a value with a guard, the condition under which it counts; outside of it the adjoint is 0. Values are put
 * together with if(guard, value, 0) where adjoints of different guards meet, and at the symbols. */
#include "expr/graph.h"

#include <stdlib.h>

typedef struct adjoint {
    ki_node guard; /* KI_NONE: always */
    ki_node value;
} adjoint;

/* One summand of an adjoint, in a list per node of the cone. */
typedef struct contribution {
    adjoint a;
    int next;
} contribution;

/* factor * base, as it is sorted to collect like terms */
typedef struct term {
    ki_node guard, base;
    double factor;
} term;

typedef struct partial {
    int id;
    ki_node value;
} partial;

typedef struct sweep {
    ki_graph *g;
    ki_cone cone;
    bool *active; /* [cone.count] the node has a derivative with respect to some symbol */
    int *head;    /* [cone.count] its list of contributions */
    contribution *pool;
    int pool_count, pool_capacity;
    term *terms;
    int term_capacity;
    partial *partials;
    int partial_count, partial_capacity;
} sweep;

static ki_node masked(ki_graph *g, adjoint a) {
    return a.guard == KI_NONE ? a.value : ki_if(g, a.guard, a.value, ki_number(g, 0));
}

static ki_node both(ki_graph *g, ki_node guard, ki_node condition) {
    return guard == KI_NONE ? condition : ki_binary(g, KI_AND, guard, condition);
}

static bool is_not(const ki_graph *g, ki_node a, ki_node b) {
    return g->nodes[a].op == KI_NOT && g->nodes[a].arg[0] == b;
}

/* guards c and not c, or (p and c) and (p and not c): true, with c, and with p or KI_NONE */
static bool are_branches(const ki_graph *g, ki_node a, ki_node b, ki_node *c, ki_node *p) {
    *p = KI_NONE;
    *c = a;
    if (is_not(g, a, b) || is_not(g, b, a))
        return true;
    if (g->nodes[a].op != KI_AND || g->nodes[b].op != KI_AND)
        return false;
    const int *x = g->nodes[a].arg, *y = g->nodes[b].arg;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (x[i] == y[j] && (is_not(g, x[1 - i], y[1 - j]) || is_not(g, y[1 - j], x[1 - i]))) {
                *p = x[i];
                *c = x[1 - i];
                return true;
            }
    return false;
}

static adjoint add_adjoints(ki_graph *g, adjoint a, adjoint b) {
    ki_node c, p;
    if (a.guard == b.guard)
        return (adjoint){a.guard, ki_binary(g, KI_ADD, a.value, b.value)};
    if (a.guard != KI_NONE && b.guard != KI_NONE && are_branches(g, a.guard, b.guard, &c, &p))
        return (adjoint){p, ki_if(g, c, a.value, b.value)};
    ki_node guard = KI_NONE;
    if (a.guard != KI_NONE && b.guard != KI_NONE)
        guard = ki_binary(g, KI_OR, a.guard, b.guard);
    return (adjoint){guard, ki_binary(g, KI_ADD, masked(g, a), masked(g, b))};
}

static int compare_terms(const void *a, const void *b) {
    const term *x = a, *y = b;
    if (x->guard != y->guard)
        return x->guard < y->guard ? 1 : -1; /* the innermost condition, made last, comes first */
    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    return (x->factor > y->factor) - (x->factor < y->factor);
}

/* terms[0] + ... + terms[n-1] in pairs, pairs of pairs, ... */
static ki_node balanced_sum(ki_graph *g, const term *terms, int n) {
    if (n == 1)
        return ki_node_scale(g, terms->factor, terms->base);
    return ki_binary(g, KI_ADD, balanced_sum(g, terms, n / 2), balanced_sum(g, terms + n / 2, n - n / 2));
}

/* Sum of sorted terms of one guard; like terms are merged first, in place. */
static ki_node sum_terms(ki_graph *g, term *terms, int n) {
    int kept = 0;
    for (int i = 1; i < n; i++) {
        if (terms[i].base == terms[kept].base)
            terms[kept].factor += terms[i].factor;
        else
            terms[++kept] = terms[i];
    }
    return balanced_sum(g, terms, kept + 1);
}

/* The sum of all contributions to a node. */
static bool gather(sweep *s, int place, adjoint *sum) {
    int n = 0;
    for (int i = s->head[place]; i != KI_NONE; i = s->pool[i].next) {
        if (!ki_expr_reserve(&s->terms, &s->term_capacity, n + 1, sizeof *s->terms))
            return false;
        term *t = &s->terms[n++];
        t->guard = s->pool[i].a.guard;
        t->base = ki_node_split_factor(s->g, s->pool[i].a.value, &t->factor);
    }
    if (n > 1)
        qsort(s->terms, (size_t)n, sizeof *s->terms, compare_terms);
    *sum = (adjoint){KI_NONE, ki_number(s->g, 0)};
    for (int from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && s->terms[to].guard == s->terms[from].guard;)
            to++;
        adjoint part = {s->terms[from].guard, sum_terms(s->g, s->terms + from, to - from)};
        *sum = from ? add_adjoints(s->g, *sum, part) : part;
    }
    return sum->value != KI_NONE;
}

static bool contribute(sweep *s, int place, ki_node guard, ki_node value) {
    if (!s->active[place])
        return true;
    if (value == KI_NONE || !ki_expr_reserve(&s->pool, &s->pool_capacity, s->pool_count + 1, sizeof *s->pool))
        return false;
    s->pool[s->pool_count] = (contribution){{guard, value}, s->head[place]};
    s->head[place] = s->pool_count++;
    return true;
}

/* if(condition, a, b): each branch counts where it is chosen */
static bool push_choice(sweep *s, adjoint from, ki_node condition, int a, int b) {
    ki_node otherwise = ki_unary(s->g, KI_NOT, condition);
    return otherwise != KI_NONE && contribute(s, a, both(s->g, from.guard, condition), from.value) &&
           contribute(s, b, both(s->g, from.guard, otherwise), from.value);
}

static bool push(sweep *s, int place, adjoint from) {
    ki_graph *g = s->g;
    ki_node node = s->cone.node[place];
    ki_expression n = g->nodes[node];
    const int *arg = s->cone.arg[place];
    if (n.op == KI_IF)
        return push_choice(s, from, n.arg[0], arg[1], arg[2]);
    if (n.op == KI_MIN)
        return push_choice(s, from, ki_binary(g, KI_LT, n.arg[1], n.arg[0]), arg[1], arg[0]);
    if (n.op == KI_MAX)
        return push_choice(s, from, ki_binary(g, KI_LT, n.arg[0], n.arg[1]), arg[1], arg[0]);
    for (int k = 0; k < ki_op_arity(n.op); k++)
        if (s->active[arg[k]] &&
            !contribute(s, arg[k], from.guard, ki_scaled_partial(g, node, k, from.value)))
            return false;
    return true;
}

static bool record(sweep *s, int id, adjoint a) {
    ki_node value = masked(s->g, a);
    if (ki_is_zero(s->g, value))
        return true;
    if (value == KI_NONE ||
        !ki_expr_reserve(&s->partials, &s->partial_capacity, s->partial_count + 1, sizeof *s->partials))
        return false;
    s->partials[s->partial_count++] = (partial){id, value};
    return true;
}

static bool sweep_down(sweep *s) {
    int last = s->cone.count - 1;
    if (s->active[last] && !contribute(s, last, KI_NONE, ki_number(s->g, 1)))
        return false;
    for (int i = last; i >= 0; i--) {
        adjoint a;
        if (s->head[i] == KI_NONE)
            continue;
        if (!gather(s, i, &a))
            return false;
        if (ki_is_zero(s->g, a.value))
            continue;
        ki_expression n = s->g->nodes[s->cone.node[i]];
        if (!(n.op == KI_SYMBOL ? record(s, n.arg[0], a) : push(s, i, a)))
            return false;
    }
    return true;
}

static bool prepare(sweep *s, ki_node f) {
    if (!ki_cone_make(s->g, &f, 1, &s->cone))
        return false;
    size_t count = (size_t)s->cone.count;
    s->active = ki_expr_resize(NULL, count, sizeof *s->active);
    s->head = ki_expr_resize(NULL, count, sizeof *s->head);
    if (!s->active || !s->head)
        return false;
    for (int i = 0; i < s->cone.count; i++) {
        ki_op op = s->g->nodes[s->cone.node[i]].op;
        s->head[i] = KI_NONE;
        s->active[i] = op == KI_SYMBOL;
        for (int k = 0; k < ki_op_arity(op); k++)
            s->active[i] = s->active[i] || (ki_op_is_differentiable(op, k) && s->active[s->cone.arg[i][k]]);
    }
    return true;
}

static int compare_partials(const void *a, const void *b) {
    int x = ((const partial *)a)->id, y = ((const partial *)b)->id;
    return (x > y) - (x < y);
}

bool ki_gradient(ki_graph *g, ki_node f, void (*visit)(void *user, int id, ki_node derivative), void *user) {
    sweep s = {.g = g};
    bool ok = f != KI_NONE && prepare(&s, f) && sweep_down(&s);
    ki_cone_free(&s.cone);
    free(s.active);
    free(s.head);
    free(s.pool);
    free(s.terms);
    if (f != KI_NONE && !ok)
        g->failed = true;
    if (ok && s.partial_count)
        qsort(s.partials, (size_t)s.partial_count, sizeof *s.partials, compare_partials);
    for (int i = 0; ok && i < s.partial_count; i++)
        visit(user, s.partials[i].id, s.partials[i].value);
    free(s.partials);
    return ok;
}

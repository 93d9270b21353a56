/* tape_lower.c - nodes as the simplifier keeps them, rewritten into what is cheap to compute.
 *
 * New nodes are made as they are, without the simplifier, which would turn x x back into x^2. */
#include <math.h>
#include <stdlib.h>

#include "expr/tape.h"

static ki_node raw(ki_graph *g, ki_op op, ki_node a, ki_node b) {
    return a == KI_NONE || b == KI_NONE ? KI_NONE : ki_node_intern(g, op, a, b, KI_NONE);
}

/* x^n by squaring: x^(2k) = (x^k)^2, x^(2k+1) = x^(2k) x */
static ki_node whole_power(ki_graph *g, ki_node x, int n) {
    if (n == 1 || x == KI_NONE)
        return x;
    ki_node half = whole_power(g, x, n / 2), even = raw(g, KI_MUL, half, half);
    return n % 2 ? raw(g, KI_MUL, even, x) : even;
}

/* x^n and x^(n + 1/2) */
static ki_node lower_power(ki_graph *g, ki_node x, ki_node exponent) {
    double n;
    if (!ki_node_is_finite(g, exponent, &n) || n < 1 || n > KI_LARGEST_PRODUCT_POWER || 2 * n != floor(2 * n))
        return raw(g, KI_POW, x, exponent);
    ki_node whole = whole_power(g, x, (int)n);
    if (n == floor(n))
        return whole;
    return raw(g, KI_MUL, whole, ki_node_intern(g, KI_SQRT, x, KI_NONE, KI_NONE));
}

/* -(c x) and -(c / x): the sign goes into the number */
static ki_node lower_negation(ki_graph *g, ki_node a) {
    ki_expression n = g->nodes[a];
    double c;
    if ((n.op == KI_MUL || n.op == KI_DIV) && ki_node_is_finite(g, n.arg[0], &c))
        return raw(g, n.op, ki_number(g, -c), n.arg[1]);
    return ki_node_intern(g, KI_NEG, a, KI_NONE, KI_NONE);
}

static ki_node lower_node(ki_graph *g, ki_node node, const ki_node *arg) {
    ki_expression n = g->nodes[node];
    if (ki_op_arity(n.op) == 0)
        return node;
    if (n.op == KI_POW)
        return lower_power(g, arg[0], arg[1]);
    if (n.op == KI_NEG)
        return lower_negation(g, arg[0]);
    return ki_node_intern(g, n.op, arg[0], arg[1], arg[2]);
}

static bool lower_cone(ki_graph *g, const ki_cone *cone, ki_node *lowered) {
    for (int i = 0; i < cone->count; i++) {
        ki_node arg[3];
        for (int k = 0; k < 3; k++)
            arg[k] = cone->arg[i][k] == KI_NONE ? KI_NONE : lowered[cone->arg[i][k]];
        lowered[i] = lower_node(g, cone->node[i], arg);
        if (lowered[i] == KI_NONE)
            return false;
    }
    return true;
}

bool ki_tape_lower(ki_graph *g, const ki_node *outputs, int count, ki_node *lowered) {
    ki_cone cone;
    if (!ki_cone_make(g, outputs, count, &cone))
        return false;
    ki_node *all = ki_expr_resize(NULL, (size_t)cone.count, sizeof *all);
    for (int i = 0; i < count; i++)
        lowered[i] = g->place[outputs[i]];
    bool ok = all && lower_cone(g, &cone, all);
    for (int i = 0; ok && i < count; i++)
        lowered[i] = all[lowered[i]];
    free(all);
    ki_cone_free(&cone);
    return ok;
}

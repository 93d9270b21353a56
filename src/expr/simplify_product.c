/* simplify_product.c - rules for a b, a / b and a^b.
 *
 * The form kept: signs and numbers are moved out of a product, -(c (x y)) with c > 0, the number first; equal
 * factors with whole positive powers are one power; a negative power is a quotient. x / x and 0 / x stay:
 * they are not 1 and 0 at x = 0. */
#include "expr/graph.h"

#include <math.h>

/* Numbers are merged and moved only where neither they nor, at any sensible size of the other factors, the
 * products overflow or underflow. */
static bool is_safe(double value) {
    return fabs(value) > 1e-100 && fabs(value) < 1e100;
}

static ki_node negated(ki_graph *graph, ki_op op, ki_node a, ki_node b) {
    return ki_unary(graph, KI_NEG, ki_binary(graph, op, a, b));
}

/* x^n with whole n >= 1: the base and the power */
static ki_node split_power(const ki_graph *graph, ki_node a, double *power) {
    const ki_expression *n = &graph->nodes[a];
    *power = 1;
    double value;
    if (n->op != KI_POW || !ki_node_is_finite(graph, n->arg[1], &value) || value < 1 || value != floor(value))
        return a;
    *power = value;
    return n->arg[0];
}

static bool merge_powers(ki_graph *graph, ki_node a, ki_node b, ki_node *product) {
    double m, n;
    ki_node x = split_power(graph, a, &m), y = split_power(graph, b, &n);
    if (x != y || ki_is_number(graph, x, NULL))
        return false;
    *product = ki_binary(graph, KI_POW, x, ki_number(graph, m + n));
    return true;
}

/* a (u v) where a and u, or a and v, are powers of the same base */
static bool merge_inner_power(ki_graph *graph, ki_node a, ki_node uv, ki_node *product) {
    ki_expression n = graph->nodes[uv];
    if (n.op != KI_MUL)
        return false;
    for (int k = 0; k < 2; k++)
        if (merge_powers(graph, a, n.arg[k], product)) {
            *product = ki_binary(graph, KI_MUL, *product, n.arg[1 - k]);
            return true;
        }
    return false;
}

/* c b */
static ki_node multiply_number(ki_graph *graph, ki_node a, double c, ki_node b) {
    ki_expression n = graph->nodes[b];
    double c2;
    if (c == 0)
        return a;
    if (c == 1)
        return b;
    if (c < 0)
        return negated(graph, KI_MUL, ki_number(graph, -c), b);
    if (n.op == KI_MUL && ki_node_is_finite(graph, n.arg[0], &c2) && is_safe(c * c2))
        return ki_binary(graph, KI_MUL, ki_number(graph, c * c2), n.arg[1]);
    if (n.op == KI_DIV && ki_node_is_finite(graph, n.arg[0], &c2) && is_safe(c * c2))
        return ki_binary(graph, KI_DIV, ki_number(graph, c * c2), n.arg[1]);
    if (n.op == KI_DIV && ki_node_is_finite(graph, n.arg[1], &c2) && is_safe(c / c2))
        return ki_binary(graph, KI_MUL, ki_number(graph, c / c2), n.arg[0]);
    return ki_node_intern(graph, KI_MUL, a, b, KI_NONE);
}

/* 1 / y: y */
static bool is_reciprocal(const ki_graph *graph, ki_node a, ki_node *y) {
    double c;
    *y = graph->nodes[a].arg[1];
    return graph->nodes[a].op == KI_DIV && ki_node_is_finite(graph, graph->nodes[a].arg[0], &c) && c == 1;
}

static ki_node multiply(ki_graph *graph, ki_node a, ki_node b) {
    if (ki_is_number(graph, b, NULL) || (!ki_is_number(graph, a, NULL) && b < a)) {
        ki_node swap = a;
        a = b;
        b = swap;
    }
    ki_expression x = graph->nodes[a], y = graph->nodes[b];
    ki_node product;
    double c;
    if (y.op == KI_NEG)
        return negated(graph, KI_MUL, a, y.arg[0]);
    if (ki_node_is_finite(graph, a, &c))
        return multiply_number(graph, a, c, b);
    if (x.op == KI_NEG)
        return negated(graph, KI_MUL, x.arg[0], b);
    if (x.op == KI_MUL && ki_node_is_finite(graph, x.arg[0], &c) && is_safe(c))
        return ki_node_scale(graph, c, ki_binary(graph, KI_MUL, x.arg[1], b));
    if (y.op == KI_MUL && ki_node_is_finite(graph, y.arg[0], &c) && is_safe(c))
        return ki_node_scale(graph, c, ki_binary(graph, KI_MUL, a, y.arg[1]));
    if (merge_powers(graph, a, b, &product) || merge_inner_power(graph, a, b, &product) ||
        merge_inner_power(graph, b, a, &product))
        return product;
    if (is_reciprocal(graph, b, &product))
        return ki_binary(graph, KI_DIV, a, product);
    if (is_reciprocal(graph, a, &product))
        return ki_binary(graph, KI_DIV, b, product);
    return ki_node_intern(graph, KI_MUL, a, b, KI_NONE);
}

static bool has_exact_reciprocal(double c) {
    int exponent;
    return frexp(c, &exponent) == 0.5 && is_safe(1 / c);
}

/* a / c */
static ki_node divide_by_number(ki_graph *graph, ki_node a, ki_node b, double c) {
    ki_expression n = graph->nodes[a];
    double c1;
    if (c == 0)
        return ki_node_intern(graph, KI_DIV, a, b, KI_NONE);
    if (c < 0)
        return negated(graph, KI_DIV, a, ki_number(graph, -c));
    if (has_exact_reciprocal(c))
        return ki_node_scale(graph, 1 / c, a);
    if (n.op == KI_MUL && ki_node_is_finite(graph, n.arg[0], &c1) && is_safe(c1 / c))
        return ki_node_scale(graph, c1 / c, n.arg[1]);
    if (n.op == KI_DIV && ki_node_is_finite(graph, n.arg[1], &c1) && is_safe(c1 * c))
        return ki_binary(graph, KI_DIV, n.arg[0], ki_number(graph, c1 * c));
    return ki_node_intern(graph, KI_DIV, a, b, KI_NONE);
}

/* (c1 x) / (c2 y) = (c1 / c2) (x / y); a number c1 stays with its quotient, c / y */
static ki_node divide(ki_graph *graph, ki_node a, ki_node b) {
    double c;
    if (ki_node_is_finite(graph, b, &c))
        return divide_by_number(graph, a, b, c);
    if (graph->nodes[b].op == KI_NEG)
        return negated(graph, KI_DIV, a, graph->nodes[b].arg[0]);
    if (graph->nodes[a].op == KI_NEG)
        return negated(graph, KI_DIV, graph->nodes[a].arg[0], b);
    double c1, c2;
    ki_node y = ki_node_split_factor(graph, b, &c2);
    if (ki_node_is_finite(graph, a, &c1)) {
        if (c1 < 0)
            return negated(graph, KI_DIV, ki_number(graph, -c1), b);
        if (y != b && is_safe(c1 / c2))
            return ki_binary(graph, KI_DIV, ki_number(graph, c1 / c2), y);
        return ki_node_intern(graph, KI_DIV, a, b, KI_NONE);
    }
    ki_node x = ki_node_split_factor(graph, a, &c1);
    if ((x != a || y != b) && is_safe(c1 / c2))
        return ki_node_scale(graph, c1 / c2, ki_binary(graph, KI_DIV, x, y));
    return ki_node_intern(graph, KI_DIV, a, b, KI_NONE);
}

ki_node ki_simplify_product(ki_graph *graph, ki_op op, ki_node a, ki_node b) {
    return op == KI_MUL ? multiply(graph, a, b) : divide(graph, a, b);
}

/* a^n, n whole and at least 2 */
static ki_node whole_power(ki_graph *graph, ki_node a, ki_node b, double n) {
    ki_expression x = graph->nodes[a];
    bool even = fmod(n, 2) == 0;
    double c;
    if (even && (x.op == KI_ABS || ki_node_flip(graph, &a)))
        return ki_binary(graph, KI_POW, x.op == KI_ABS ? x.arg[0] : a, b);
    if (x.op == KI_NEG)
        return negated(graph, KI_POW, x.arg[0], b);
    if (n == 2 && x.op == KI_HYPOT)
        return ki_binary(graph, KI_ADD, ki_binary(graph, KI_POW, x.arg[0], b),
                         ki_binary(graph, KI_POW, x.arg[1], b));
    if (x.op == KI_MUL && ki_node_is_finite(graph, x.arg[0], &c) && is_safe(pow(c, n)))
        return ki_node_scale(graph, pow(c, n), ki_binary(graph, KI_POW, x.arg[1], b));
    ki_node base = split_power(graph, a, &c);
    if (base != a)
        return ki_binary(graph, KI_POW, base, ki_number(graph, c * n));
    return ki_node_intern(graph, KI_POW, a, b, KI_NONE);
}

ki_node ki_simplify_power(ki_graph *graph, ki_node a, ki_node b) {
    double c, n;
    if (ki_node_is_finite(graph, a, &c) && c == 1)
        return a;
    if (!ki_node_is_finite(graph, b, &n))
        return ki_node_intern(graph, KI_POW, a, b, KI_NONE);
    if (n == 0)
        return ki_number(graph, 1);
    if (n == 1)
        return a;
    if (n < 0)
        return ki_binary(graph, KI_DIV, ki_number(graph, 1),
                         ki_binary(graph, KI_POW, a, ki_number(graph, -n)));
    if (n == 0.5)
        return ki_unary(graph, KI_SQRT, a);
    if (n == floor(n))
        return whole_power(graph, a, b, n);
    return ki_node_intern(graph, KI_POW, a, b, KI_NONE);
}

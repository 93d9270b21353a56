/* derive.c - the rules of differentiation, and what walks along a formula from its symbols upwards: total
 * derivative, substitution, value. */
#include "expr/graph.h"

#include <assert.h>
#include <stdlib.h>

static ki_node mul(ki_graph *g, ki_node a, ki_node b) {
    return ki_binary(g, KI_MUL, a, b);
}

static ki_node quotient(ki_graph *g, ki_node a, ki_node b) {
    return ki_binary(g, KI_DIV, a, b);
}

static ki_node neg(ki_graph *g, ki_node a) {
    return ki_unary(g, KI_NEG, a);
}

/* c + sign a^2 */
static ki_node number_and_square(ki_graph *g, double c, ki_op sign, ki_node a) {
    return ki_binary(g, sign, ki_number(g, c), mul(g, a, a));
}

bool ki_op_is_differentiable(ki_op op, int k) {
    switch (op) {
    case KI_NUMBER:
    case KI_SIGN:
    case KI_NOT:
    case KI_LT:
    case KI_LE:
    case KI_EQ:
    case KI_AND:
    case KI_OR:
        return false;
    case KI_IF:
        return k > 0;
    default:
        return true;
    }
}

/* s f'(a), where f is the node f(a) */
static ki_node unary_partial(ki_graph *g, ki_op op, ki_node f, ki_node a, ki_node s) {
    switch (op) {
    case KI_NEG:
        return neg(g, s);
    case KI_SIN:
        return mul(g, s, ki_unary(g, KI_COS, a));
    case KI_COS:
        return neg(g, mul(g, s, ki_unary(g, KI_SIN, a)));
    case KI_TAN:
        return mul(g, s, number_and_square(g, 1, KI_ADD, f));
    case KI_ASIN:
        return quotient(g, s, ki_unary(g, KI_SQRT, number_and_square(g, 1, KI_SUB, a)));
    case KI_ACOS:
        return neg(g, quotient(g, s, ki_unary(g, KI_SQRT, number_and_square(g, 1, KI_SUB, a))));
    case KI_ATAN:
        return quotient(g, s, number_and_square(g, 1, KI_ADD, a));
    case KI_SINH:
        return mul(g, s, ki_unary(g, KI_COSH, a));
    case KI_COSH:
        return mul(g, s, ki_unary(g, KI_SINH, a));
    case KI_TANH:
        return mul(g, s, number_and_square(g, 1, KI_SUB, f));
    case KI_SQRT:
        return quotient(g, ki_node_scale(g, 0.5, s), f);
    case KI_EXP:
        return mul(g, s, f);
    case KI_LOG:
        return quotient(g, s, a);
    default:
        assert(op == KI_ABS);
        return mul(g, s, ki_unary(g, KI_SIGN, a));
    }
}

/* f = a^b: df/da = b a^(b-1), df/db = a^b log a. At a = 0 the latter is 0, the limit for b > 0, and not
 * 0 * log 0. */
static ki_node power_partial(ki_graph *g, ki_node f, ki_node a, ki_node b, int k, ki_node s) {
    if (k == 0) {
        ki_node less = ki_binary(g, KI_ADD, b, ki_number(g, -1));
        return mul(g, s, mul(g, b, ki_binary(g, KI_POW, a, less)));
    }
    ki_node zero = ki_number(g, 0);
    ki_node slope = mul(g, f, ki_unary(g, KI_LOG, a));
    return mul(g, s, ki_if(g, ki_binary(g, KI_EQ, a, zero), zero, slope));
}

/* f = a / b:          df/da = 1/b           df/db = -f/b
 * f = atan2(a, b):    df/da = b/(a^2+b^2)   df/db = -a/(a^2+b^2)
 * f = hypot(a, b):    df/da = a/f           df/db = b/f             */
static ki_node binary_partial(ki_graph *g, ki_op op, ki_node f, ki_node a, ki_node b, int k, ki_node s) {
    ki_node t;
    switch (op) {
    case KI_ADD:
        return s;
    case KI_SUB:
        return k == 0 ? s : neg(g, s);
    case KI_MUL:
        return mul(g, s, k == 0 ? b : a);
    case KI_DIV:
        t = quotient(g, s, b);
        return k == 0 ? t : neg(g, mul(g, t, f));
    case KI_POW:
        return power_partial(g, f, a, b, k, s);
    case KI_ATAN2:
        t = quotient(g, s, ki_binary(g, KI_ADD, mul(g, a, a), mul(g, b, b)));
        return k == 0 ? mul(g, t, b) : neg(g, mul(g, t, a));
    default:
        assert(op == KI_HYPOT);
        return mul(g, quotient(g, s, f), k == 0 ? a : b);
    }
}

ki_node ki_scaled_partial(ki_graph *g, ki_node node, int k, ki_node s) {
    ki_expression n = g->nodes[node];
    if (s == KI_NONE)
        return KI_NONE;
    return ki_op_arity(n.op) == 1 ? unary_partial(g, n.op, node, n.arg[0], s)
                                  : binary_partial(g, n.op, node, n.arg[0], n.arg[1], k, s);
}

/* The derivative of node number i of the cone from those of its arguments. */
static ki_node tangent_of(ki_graph *g, const ki_cone *cone, const ki_node *tangent, int i) {
    ki_node node = cone->node[i], sum = ki_number(g, 0);
    ki_expression n = g->nodes[node];
    const int *arg = cone->arg[i];
    if (n.op == KI_IF)
        return ki_if(g, n.arg[0], tangent[arg[1]], tangent[arg[2]]);
    if (n.op == KI_MIN)
        return ki_if(g, ki_binary(g, KI_LT, n.arg[1], n.arg[0]), tangent[arg[1]], tangent[arg[0]]);
    if (n.op == KI_MAX)
        return ki_if(g, ki_binary(g, KI_LT, n.arg[0], n.arg[1]), tangent[arg[1]], tangent[arg[0]]);
    for (int k = 0; k < ki_op_arity(n.op); k++)
        if (ki_op_is_differentiable(n.op, k) && !ki_is_zero(g, tangent[arg[k]]))
            sum = ki_binary(g, KI_ADD, sum, ki_scaled_partial(g, node, k, tangent[arg[k]]));
    return sum;
}

/* Walks the cone of f upwards with one node of result per node of the cone; the last one is f's. */
typedef ki_node (*symbol_rule)(void *user, int id);
typedef ki_node (*node_rule)(ki_graph *g, const ki_cone *cone, const ki_node *result, int i);

static ki_node walk_upwards(ki_graph *g, ki_node f, symbol_rule symbol, void *user, node_rule rule) {
    ki_cone cone;
    if (f == KI_NONE || !ki_cone_make(g, &f, 1, &cone))
        return KI_NONE;
    ki_node last = KI_NONE, *result = ki_expr_resize(NULL, (size_t)cone.count, sizeof *result);
    g->failed = g->failed || !result;
    for (int i = 0; result && i < cone.count; i++) {
        ki_expression n = g->nodes[cone.node[i]];
        last = result[i] = n.op == KI_SYMBOL ? symbol(user, n.arg[0]) : rule(g, &cone, result, i);
        if (last == KI_NONE)
            break;
    }
    free(result);
    ki_cone_free(&cone);
    return last;
}

ki_node ki_total(ki_graph *g, ki_node f, ki_node (*rate)(void *user, int id), void *user) {
    return walk_upwards(g, f, rate, user, tangent_of);
}

ki_node ki_node_rebuild(ki_graph *g, const ki_graph *from, const ki_cone *cone, const ki_node *result,
                        int i) {
    ki_expression n = from->nodes[cone->node[i]];
    const int *arg = cone->arg[i];
    switch (ki_op_arity(n.op)) {
    case 0:
        return ki_number(g, from->values[n.arg[0]]);
    case 1:
        return ki_unary(g, n.op, result[arg[0]]);
    case 2:
        return ki_binary(g, n.op, result[arg[0]], result[arg[1]]);
    default:
        return ki_if(g, result[arg[0]], result[arg[1]], result[arg[2]]);
    }
}

static ki_node rebuild_here(ki_graph *g, const ki_cone *cone, const ki_node *result, int i) {
    return ki_node_rebuild(g, g, cone, result, i);
}

ki_node ki_substitute(ki_graph *g, ki_node f, ki_node (*replace)(void *user, int id), void *user) {
    return walk_upwards(g, f, replace, user, rebuild_here);
}

ki_node ki_copy_node(ki_graph *from, ki_node f, ki_node (*replace)(void *user, int id), void *user,
                     ki_graph *to) {
    ki_cone cone;
    ki_node last = KI_NONE;
    if (!ki_cone_make(from, &f, 1, &cone))
        return KI_NONE;
    ki_node *result = ki_expr_resize(NULL, (size_t)cone.count, sizeof *result);
    for (int i = 0; result && i < cone.count; i++) {
        ki_expression n = from->nodes[cone.node[i]];
        last = result[i] =
            n.op == KI_SYMBOL ? replace(user, n.arg[0]) : ki_node_rebuild(to, from, &cone, result, i);
        if (last == KI_NONE)
            break;
    }
    to->failed |= !result;
    free(result);
    ki_cone_free(&cone);
    return last;
}

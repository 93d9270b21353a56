/* jets.c - derivatives by time along with values, by the rules of products and of chains. */
#include "laws/law.h"

static ki_node quotient(ki_graph *g, ki_node a, ki_node b) {
    return ki_binary(g, KI_DIV, a, b);
}

static ki_node twice(ki_graph *g, ki_node a) {
    return times(g, number(g, 2), a);
}

ki_jet ki_jet_plus(ki_graph *g, ki_jet a, ki_jet b) {
    return (ki_jet){plus(g, a.x, b.x), plus(g, a.rate, b.rate), plus(g, a.curve, b.curve)};
}

ki_jet ki_jet_minus(ki_graph *g, ki_jet a, ki_jet b) {
    return (ki_jet){minus(g, a.x, b.x), minus(g, a.rate, b.rate), minus(g, a.curve, b.curve)};
}

/* (a b)'' = a'' b + 2 a' b' + a b'' */
ki_jet ki_jet_times(ki_graph *g, ki_jet a, ki_jet b) {
    ki_node bent = plus(g, times(g, a.curve, b.x), times(g, a.x, b.curve));
    return (ki_jet){times(g, a.x, b.x), plus(g, times(g, a.rate, b.x), times(g, a.x, b.rate)),
                    plus(g, bent, twice(g, times(g, a.rate, b.rate)))};
}

/* y = 1 / a:  y' = -a' y^2,  y'' = -(a'' y + 2 a' y') y */
ki_jet ki_jet_inverse(ki_graph *g, ki_jet a) {
    ki_node y = quotient(g, number(g, 1), a.x), none = number(g, 0);
    ki_node rate = minus(g, none, times(g, times(g, a.rate, y), y));
    ki_node bent = plus(g, times(g, a.curve, y), twice(g, times(g, a.rate, rate)));
    return (ki_jet){y, rate, minus(g, none, times(g, bent, y))};
}

/* y^2 = a:  y' = a' / (2 y),  y'' = (a'' / 2 - y'^2) / y */
ki_jet ki_jet_root(ki_graph *g, ki_jet a, double least) {
    ki_node y = ki_binary(g, KI_MAX, ki_unary(g, KI_SQRT, a.x), number(g, least)), half = number(g, 0.5);
    ki_node rate = quotient(g, times(g, half, a.rate), y);
    ki_node bent = minus(g, times(g, half, a.curve), times(g, rate, rate));
    return (ki_jet){y, rate, quotient(g, bent, y)};
}

/* With n = s^2 + c^2:
 *     phi'  = (c s' - s c') / n
 *     phi'' = (c s'' - s c'' - 2 phi' (c c' + s s')) / n
 * the bound keeps the pose finite in which both vanish. */
ki_jet ki_jet_atan2(ki_graph *g, ki_jet s, ki_jet c) {
    ki_node square = plus(g, times(g, s.x, s.x), times(g, c.x, c.x));
    ki_node n = ki_binary(g, KI_MAX, square, number(g, 1e-18));
    ki_node rate = quotient(g, minus(g, times(g, c.x, s.rate), times(g, s.x, c.rate)), n);
    ki_node grows = plus(g, times(g, c.x, c.rate), times(g, s.x, s.rate));
    ki_node bent = minus(g, times(g, c.x, s.curve), times(g, s.x, c.curve));
    return (ki_jet){ki_binary(g, KI_ATAN2, s.x, c.x), rate,
                    quotient(g, minus(g, bent, twice(g, times(g, rate, grows))), n)};
}

ki_jet ki_jets_dot(ki_graph *g, ki_jets a, ki_jets b) {
    ki_node bent = plus(g, dot(g, a.curve, b.x), dot(g, a.x, b.curve));
    return (ki_jet){dot(g, a.x, b.x), plus(g, dot(g, a.rate, b.x), dot(g, a.x, b.rate)),
                    plus(g, bent, twice(g, dot(g, a.rate, b.rate)))};
}

ki_jets ki_jets_minus(ki_graph *g, ki_jets a, ki_jets b) {
    return (ki_jets){vec_minus(g, a.x, b.x), vec_minus(g, a.rate, b.rate), vec_minus(g, a.curve, b.curve)};
}

ki_jets ki_jets_cross(ki_graph *g, ki_jets a, ki_jets b) {
    vec bent = vec_plus(g, cross(g, a.curve, b.x), cross(g, a.x, b.curve));
    return (ki_jets){cross(g, a.x, b.x), vec_plus(g, cross(g, a.rate, b.x), cross(g, a.x, b.rate)),
                     vec_plus(g, bent, vec_times(g, number(g, 2), cross(g, a.rate, b.rate)))};
}

ki_jets ki_jets_times(ki_graph *g, ki_jet s, ki_jets a) {
    ki_jets y;
    for (int i = 0; i < 3; i++) {
        ki_jet product = ki_jet_times(g, s, (ki_jet){a.x.x[i], a.rate.x[i], a.curve.x[i]});
        y.x.x[i] = product.x, y.rate.x[i] = product.rate, y.curve.x[i] = product.curve;
    }
    return y;
}

ki_jets ki_jets_scaled(ki_graph *g, ki_node s, ki_jets a) {
    return (ki_jets){vec_times(g, s, a.x), vec_times(g, s, a.rate), vec_times(g, s, a.curve)};
}

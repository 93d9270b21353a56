/* rods_plane.c - a rod between two pins in the plane.
 *
 * The rod's angle p in the world turns r onto w = P - o:
 *
 *     cos p = r . w / L^2,   sin p = r x w / L^2,   p' = w x w' / L^2
 *
 * and with d = l r + n z x r its centre is at o + l w + n z x w, wherever its hinge is.
 */
#include <math.h>

#include "symbolic/rods.h"

static vec upright(ki_graph *g, vec a) {
    return (vec){{minus(g, number(g, 0), a.x[1]), a.x[0], number(g, 0)}};
}

/* o + l w + n z x w, or their derivative */
static vec centre(ki_graph *g, vec o, vec w, double l, double n) {
    return vec_plus(g, o,
                    vec_plus(g, vec_times(g, number(g, l), w), vec_times(g, number(g, n), upright(g, w))));
}

static ki_node flat_cross(ki_graph *g, vec a, vec b) {
    return minus(g, times(g, a.x[0], b.x[1]), times(g, a.x[1], b.x[0]));
}

static void turn(ki_rods *x, ki_rod *rod, vec w, vec w_u) {
    ki_graph *g = x->g;
    ki_turned *p = &rod->angle[0];
    const ki_body *body = &x->mech->body[rod->body], *parent = &x->mech->body[body->parent];
    double R[3] = {rod->r[0] / rod->L2, rod->r[1] / rod->L2, 0};
    vec r = vec_of(g, R), w_uu = ki_vec_by_u(x, w_u);
    ki_node over = number(g, 1 / rod->L2);
    p->rate =
        ki_letter_with(&x->l, times(g, over, flat_cross(g, w, w_u)), times(g, over, flat_cross(g, w, w_uu)));
    p->c = ki_letter_with(&x->l, dot(g, r, w), KI_NONE);
    p->s = ki_letter_with(&x->l, flat_cross(g, r, w), KI_NONE);
    p->drawn = parent->drawn_turn + body->drawn_turn;
    ki_letter_rate(&x->l, p->c, minus(g, number(g, 0), times(g, p->s, p->rate)));
    ki_letter_rate(&x->l, p->s, times(g, p->c, p->rate));
}

void ki_rod_in_plane(ki_rods *x, ki_rod *rod, const ki_swing *P) {
    ki_graph *g = x->g;
    const ki_body *body = &x->mech->body[rod->body];
    double across[3] = {-rod->r[1], rod->r[0], 0};
    double l = ki_without_noise(ki_dot3(rod->d, rod->r) / rod->L2, 1);
    double n = ki_without_noise(ki_dot3(rod->d, across) / rod->L2, 1);
    vec p = ki_swing_nodes(x, P), o = ki_rod_end(x, rod), w;
    if (rod->slides)
        w = vec_plus(g, ki_swing_nodes(x, &rod->across), vec_times(g, rod->sigma, vec_of(g, rod->e)));
    else
        w = vec_minus(g, p, o);
    vec w_u = ki_vec_by_u(x, w), v = centre(g, ki_vec_by_u(x, o), w_u, l, n);
    turn(x, rod, w, w_u);
    ki_node spin = times(g, rod->angle[0].rate, rod->angle[0].rate);
    x->m = plus(g, x->m, times(g, number(g, body->mass), dot(g, v, v)));
    x->m = plus(g, x->m, times(g, number(g, body->inertia[2]), spin));
    ki_node height = dot(g, vec_of(g, x->down), centre(g, o, w, l, n));
    x->V = minus(g, x->V, times(g, number(g, body->mass), height));
}

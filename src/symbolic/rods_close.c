/* rods_close.c - the slider from |P - o| = L, and what crank and slider weigh.
 *
 * A slider: o = o_0 + x e. With Y = P - o_0 and its part across the way, Y_e = Y - e (e . Y),
 *
 *     sigma = w . e = +- sqrt(L^2 - Y_e . Y_e),    x = e . Y - sigma
 *
 * and with E = Y_e . Y_e / 2:  sigma' = -E' / sigma,  sigma'' = -(E'' + sigma'^2) / sigma.
 *
 * A rocker: o = k + c cos a + s sin a. With A = (P - k) . c, B = (P - k) . s and
 * C = (|P - k|^2 + |c|^2 - L^2) / 2,
 *
 *     A cos a + B sin a = C,    S = A sin a - B cos a = +- sqrt(A^2 + B^2 - C^2),
 *     cos a = (A C - B S) / (A^2 + B^2),   sin a = (B C + A S) / (A^2 + B^2),
 *     a' = (A' cos a + B' sin a - C') / S.
 */
#include <math.h>

#include "symbolic/rods.h"

ki_node ki_wave_node(ki_rods *x, ki_wave wave) {
    ki_graph *g = x->g;
    ki_node c = x->cosine, s = x->sine;
    ki_node first = plus(g, times(g, number(g, wave.c), c), times(g, number(g, wave.s), s));
    ki_node second =
        plus(g, times(g, number(g, wave.cc), times(g, c, c)), times(g, number(g, wave.cs), times(g, c, s)));
    return plus(g, plus(g, number(g, wave.k), first), second);
}

vec ki_swing_nodes(ki_rods *x, const ki_swing *swing) {
    vec y;
    for (int i = 0; i < 3; i++)
        y.x[i] = ki_wave_node(x, (ki_wave){.k = swing->k[i], .c = swing->c[i], .s = swing->s[i]});
    return y;
}

vec ki_vec_by_u(ki_rods *x, vec a) {
    return (vec){{ki_by_u(&x->l, a.x[0]), ki_by_u(&x->l, a.x[1]), ki_by_u(&x->l, a.x[2])}};
}

void ki_rods_add_gap(ki_rods *x, ki_node gap) {
    x->gap[x->gap_count++] = ki_plain(&x->l, gap);
}

ki_root ki_root_of(ki_rods *x, ki_node square, bool positive) {
    ki_graph *g = x->g;
    ki_node root = ki_unary(g, KI_SQRT, square);
    ki_root r;
    r.S = ki_letter_with(&x->l, positive ? root : minus(g, number(g, 0), root), KI_NONE);
    /* S / S^2, for 2 / S^2 need not wait for the root. As 1 / S, or without the 2, it would become a division
     * again wherever it is a factor. */
    ki_node twice = times(g, r.S, ki_binary(g, KI_DIV, number(g, 2), square));
    r.inverse = ki_letter_with(&x->l, times(g, number(g, 0.5), twice), KI_NONE);
    return r;
}

void ki_root_rate(ki_rods *x, const ki_root *root, ki_node rate) {
    ki_graph *g = x->g;
    ki_node square = times(g, root->inverse, root->inverse);
    ki_letter_rate(&x->l, root->S, rate);
    ki_letter_rate(&x->l, root->inverse, minus(g, number(g, 0), times(g, square, rate)));
}

/* o_0 and e of a slider that is a body */
static void take_way(const ki_mech *mech, const ki_rod *rod, double o[3], double e[3]) {
    const ki_body *slider = &mech->body[rod->slider];
    double R[9], from[3];
    ki_drawn_turn(mech, slider, R);
    ki_hinge_direction(mech, slider, e);
    ki_minus(rod->on[1], slider->place[1], from);
    ki_rotate(R, from, o);
    ki_add_scaled(1, slider->place[0], o);
}

/* ... of a line: o_0 is where the end of the rod is as drawn, P - w, or next to it on the line */
static void take_line(const ki_mech *mech, const ki_rod *rod, const ki_swing *P, double o[3], double e[3]) {
    const ki_body *body = &mech->body[rod->body];
    double turn = mech->body[body->parent].drawn_turn + body->drawn_turn, c = cos(turn), s = sin(turn);
    double w[3] = {c * rod->r[0] - s * rod->r[1], s * rod->r[0] + c * rod->r[1], 0}, from[3];
    ki_axis(mech->joint[rod->cut].frame[0].R, 0, e);
    ki_clean(e, 3, 1);
    for (int i = 0; i < 3; i++)
        from[i] = P->k[i] + P->c[i] - w[i] - rod->on[1][i];
    ki_copy3(rod->on[1], o);
    ki_add_scaled(ki_dot3(from, e), e, o);
}

static void slide(ki_rods *x, ki_rod *rod, const ki_swing *P) {
    static const double WORLD[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ki_graph *g = x->g;
    double e[3], o[3];
    if (rod->slider)
        take_way(x->mech, rod, o, e);
    else
        take_line(x->mech, rod, P, o, e);
    ki_swing Y = ki_swing_seen(P, o, WORLD), across = ki_swing_across(&Y, e);
    ki_wave along = ki_swing_along(&Y, e);
    ki_node twice_E = ki_wave_node(x, ki_swing_square(&across));
    ki_node square = minus(g, number(g, rod->L2), twice_E);
    ki_node E_u = times(g, number(g, 0.5), ki_by_u(&x->l, twice_E)), E_uu = ki_by_u(&x->l, E_u);
    ki_root sigma = ki_root_of(x, square, along.k + along.c > 0);
    ki_node zero = number(g, 0), slope = minus(g, zero, times(g, E_u, sigma.inverse));
    ki_node slope_letter = ki_letter_with(&x->l, slope, KI_NONE);
    ki_node bent = plus(g, E_uu, times(g, slope_letter, slope_letter));
    ki_letter_rate(&x->l, slope_letter, minus(g, zero, times(g, bent, sigma.inverse)));
    ki_root_rate(x, &sigma, slope_letter);
    ki_rods_add_gap(x, times(g, number(g, 1 / rod->L2), square));
    rod->across = across;
    ki_copy3(o, rod->start);
    ki_copy3(e, rod->e);
    rod->twice_E = twice_E;
    rod->sigma = sigma.S;
    rod->x = minus(g, ki_wave_node(x, along), sigma.S);
    rod->x_rate = ki_letter_of(&x->l, ki_by_u(&x->l, rod->x));
}

static void rock(ki_rods *x, ki_rod *rod, const ki_swing *P) {
    static const double WORLD[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ki_graph *g = x->g;
    ki_swing o = ki_swing_of(x->mech, &x->mech->body[rod->slider], rod->on[1]);
    ki_swing Y = ki_swing_seen(P, o.k, WORLD);
    ki_wave a = ki_swing_along(&Y, o.c), b = ki_swing_along(&Y, o.s), c = ki_swing_square(&Y);
    double radius2 = ki_dot3(o.c, o.c);
    c = (ki_wave){(c.k + radius2 - rod->L2) / 2, c.c / 2, c.s / 2, c.cc / 2, c.cs / 2};
    ki_node A = ki_wave_node(x, a), B = ki_wave_node(x, b), C = ki_wave_node(x, c);
    ki_node size2 = ki_letter_of(&x->l, plus(g, times(g, A, A), times(g, B, B)));
    ki_node square = minus(g, size2, times(g, C, C));
    ki_root S = ki_root_of(x, square, b.k + b.c < 0);
    ki_node over = ki_binary(g, KI_DIV, number(g, 1), size2);
    ki_node cosine = times(g, minus(g, times(g, A, C), times(g, B, S.S)), over);
    ki_node sine = times(g, plus(g, times(g, B, C), times(g, A, S.S)), over);
    rod->rocker.c = ki_letter_with(&x->l, cosine, KI_NONE);
    rod->rocker.s = ki_letter_with(&x->l, sine, KI_NONE);
    ki_node slope =
        plus(g, times(g, ki_by_u(&x->l, A), rod->rocker.c), times(g, ki_by_u(&x->l, B), rod->rocker.s));
    slope = times(g, minus(g, slope, ki_by_u(&x->l, C)), S.inverse);
    rod->x_rate = ki_letter_with(&x->l, slope, KI_NONE);
    rod->rocker.rate = rod->x_rate;
    ki_letter_rate(&x->l, rod->rocker.c, minus(g, number(g, 0), times(g, rod->rocker.s, rod->x_rate)));
    ki_letter_rate(&x->l, rod->rocker.s, times(g, rod->rocker.c, rod->x_rate));
    /* S = A sin a - B cos a */
    ki_node turned = plus(g, times(g, A, rod->rocker.c), times(g, B, rod->rocker.s));
    ki_node S_u =
        minus(g, times(g, ki_by_u(&x->l, A), rod->rocker.s), times(g, ki_by_u(&x->l, B), rod->rocker.c));
    ki_root_rate(x, &S, plus(g, S_u, times(g, turned, rod->x_rate)));
    ki_letter_rate(&x->l, rod->x_rate, ki_by_u(&x->l, slope));
    /* open only where the pin of the rocker is not in the way: A^2 + B^2 is not small */
    ki_rods_add_gap(x, ki_binary(g, KI_DIV, square, size2));
    ki_rods_add_gap(x, times(g, number(g, 1 / (radius2 * (radius2 + rod->L2))), size2));
}

/* k + c cos + s sin of a rocker's angle */
static ki_node rocker_wave(ki_rods *x, const ki_rod *rod, ki_wave wave) {
    ki_graph *g = x->g;
    ki_node turning =
        plus(g, times(g, number(g, wave.c), rod->rocker.c), times(g, number(g, wave.s), rod->rocker.s));
    return plus(g, number(g, wave.k), turning);
}

/* a . y of a point of the slider that is at y_0 as drawn, point `at` in its components */
static ki_node slider_along(ki_rods *x, const ki_rod *rod, const double y_0[3], const double at[3],
                            const double a[3]) {
    ki_graph *g = x->g;
    if (rod->slides)
        return plus(g, number(g, ki_dot3(a, y_0)), times(g, number(g, ki_dot3(a, rod->e)), rod->x));
    ki_swing y = ki_swing_of(x->mech, &x->mech->body[rod->slider], at);
    return rocker_wave(x, rod, ki_swing_along(&y, a));
}

ki_node ki_rod_end_along(ki_rods *x, const ki_rod *rod, const double a[3]) {
    return slider_along(x, rod, rod->start, rod->on[1], a);
}

vec ki_rod_end(ki_rods *x, const ki_rod *rod) {
    vec o;
    for (int i = 0; i < 3; i++)
        o.x[i] = ki_rod_end_along(x, rod, (const double[3]){i == 0, i == 1, i == 2});
    return o;
}

/* Moment of inertia of a body about its pin. */
static double about_pin(const ki_mech *mech, const ki_body *body) {
    const double *I = body->inertia, *r = body->place[1];
    double axis[3] = {0, 0, 1}, arm[3], turned[3];
    const double full[9] = {I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]};
    if (mech->d == KI_SPATIAL)
        ki_axis(body->hinge.frame[1].R, 2, axis);
    ki_rotate(full, axis, turned);
    ki_cross(axis, r, arm);
    double own = mech->d == KI_SPATIAL ? ki_dot3(axis, turned) : I[2];
    return own + body->mass * ki_dot3(arm, arm);
}

static void add_crank(ki_rods *x) {
    static const double CENTRE[3] = {0, 0, 0};
    ki_graph *g = x->g;
    const ki_body *crank = &x->mech->body[x->crank];
    ki_swing y = ki_swing_of(x->mech, crank, CENTRE);
    ki_node height = ki_wave_node(x, ki_swing_along(&y, x->down));
    x->m = number(g, about_pin(x->mech, crank));
    x->V = times(g, number(g, -crank->mass), height);
}

static void add_slider(ki_rods *x, const ki_rod *rod) {
    static const double CENTRE[3] = {0, 0, 0};
    ki_graph *g = x->g;
    const ki_body *slider = &x->mech->body[rod->slider];
    double m = rod->slides ? slider->mass : about_pin(x->mech, slider), R[9], y_0[3], from[3];
    ki_drawn_turn(x->mech, slider, R);
    ki_minus(CENTRE, slider->place[1], from);
    ki_rotate(R, from, y_0);
    ki_add_scaled(1, slider->place[0], y_0);
    ki_node height = slider_along(x, rod, y_0, CENTRE, x->down);
    x->m = plus(g, x->m, times(g, number(g, m), times(g, rod->x_rate, rod->x_rate)));
    x->V = minus(g, x->V, times(g, number(g, slider->mass), height));
}

/* cos and sin of the crank: with u' = 1, its angle turns by `sense` */
static void begin(ki_rods *x) {
    ki_graph *g = x->g;
    int q = x->mech->body[x->crank].q;
    double sense = x->mech->q_sense[q];
    ki_node from = minus(g, ki_symbol(g, x->l.u), number(g, x->mech->q_reading[q]));
    x->angle = times(g, number(g, sense), from);
    x->cosine = ki_letter_with(&x->l, ki_unary(g, KI_COS, x->angle), KI_NONE);
    x->sine = ki_letter_with(&x->l, ki_unary(g, KI_SIN, x->angle), KI_NONE);
    ki_letter_rate(&x->l, x->cosine, times(g, number(g, -sense), x->sine));
    ki_letter_rate(&x->l, x->sine, times(g, number(g, sense), x->cosine));
}

void ki_rods_write(ki_rods *x) {
    bool plane = x->mech->d == KI_PLANAR;
    ki_copy3(x->mech->gravity, x->down);
    if (plane)
        x->down[2] = 0;
    begin(x);
    add_crank(x);
    for (int i = 0; i < x->rod_count; i++) {
        ki_rod *rod = &x->rod[i];
        ki_swing P = ki_swing_of(x->mech, &x->mech->body[x->crank], rod->on[0]);
        (rod->slides ? slide : rock)(x, rod, &P);
        if (rod->slider)
            add_slider(x, rod);
        if (rod->body)
            (plane ? ki_rod_in_plane : ki_rod_in_space)(x, rod, &P);
    }
}

/* rods_space.c - a rod between a ball on the crank and a universal joint on the slider.
 *
 * Axes: those of the joint's frame on the slider, and on the rod those of its frame there, turned about y by
 * the tilt, so that r = (rho, r_2, 0). From the latter to the former leads R_x(a) R_y(b), b with the tilt:
 *
 *     w_1 = rho cos b                               gives b, sin b = +- sqrt(1 - cos^2 b)
 *     (w_2, w_3) = (r_2, -rho sin b) turned by a    gives a
 *
 *     b' = -(w_1' / rho) / sin b                    b'' = -(w_1'' / rho + b'^2 cos b) / sin b
 *     a' = N / D,   N = w_2 w_3' - w_3 w_2' + r_2 w_1 b',   D = r_2^2 + rho^2 sin^2 b
 *     a'' = (N' - a' D') / D
 *
 * In the axes of the rod, with the slider's twist x' (Omega, V) at the joint in those of the slider,
 *
 *     omega = a' (cos b, 0, sin b) + (0, b', 0) + x' R^T Omega
 *     m = mass x'^2 V . V + 2 mass x' R^T V . (omega x d) + omega . Theta omega
 *
 * Theta about the joint. The centre is at o + l w + the rest of d, l = d . r / L^2: most rods have no rest.
 */
#include <math.h>

#include "symbolic/rods.h"

/* The rod in its own axes, and the slider in its own; numbers. */
typedef struct frames {
    double G[9];   /* axes on the slider as drawn, in the world */
    double own[9]; /* axes on the rod, in its components */
    double rho, r_2;
    double d[3]; /* centre */
    double Omega[3], V[3];
    double h[3], axis[3]; /* rocker: the joint from its pin; its pin's direction */
} frames;

static void turn_about_y(double angle, double R[9]) {
    double c = cos(angle), s = sin(angle);
    const double turned[9] = {c, 0, s, 0, 1, 0, -s, 0, c};
    for (int i = 0; i < 9; i++)
        R[i] = turned[i];
}

static frames frames_of(const ki_rods *x, ki_rod *rod) {
    const ki_body *slider = &x->mech->body[rod->slider], *body = &x->mech->body[rod->body];
    frames f = {.rho = 0};
    double R[9], turned[9], r[3], e[3], from[3], h[3], L = sqrt(rod->L2);
    ki_drawn_turn(x->mech, slider, R);
    ki_multiply(R, body->hinge.frame[0].R, f.G);
    ki_clean(f.G, 9, 1);
    ki_rotate_back(body->hinge.frame[1].R, rod->r, r);
    rod->tilt = atan2(-r[2], r[0]);
    turn_about_y(rod->tilt, turned);
    ki_multiply(body->hinge.frame[1].R, turned, f.own);
    f.rho = hypot(r[0], r[2]);
    f.r_2 = ki_without_noise(r[1], L);
    ki_rotate_back(f.own, rod->d, f.d);
    ki_clean(f.d, 3, sqrt(ki_dot3(rod->d, rod->d)));
    ki_hinge_direction(x->mech, slider, e);
    ki_rotate_back(f.G, e, f.axis);
    ki_clean(f.axis, 3, 1);
    ki_minus(rod->on[1], slider->place[1], from);
    ki_rotate(R, from, h);
    ki_rotate_back(f.G, h, f.h);
    if (rod->slides) {
        ki_copy3(f.axis, f.V);
    } else {
        ki_copy3(f.axis, f.Omega);
        ki_cross(f.axis, f.h, f.V);
        ki_clean(f.V, 3, sqrt(ki_dot3(f.h, f.h)));
    }
    return f;
}

/* w in axes of the slider */
static vec reach(ki_rods *x, const ki_rod *rod, const frames *f, const ki_swing *P) {
    static const double NOWHERE[3] = {0, 0, 0};
    ki_graph *g = x->g;
    if (rod->slides) {
        ki_swing across = ki_swing_seen(&rod->across, NOWHERE, f->G);
        return vec_plus(g, ki_swing_nodes(x, &across), vec_times(g, rod->sigma, vec_of(g, f->axis)));
    }
    /* P turned back by the angle of the rocker, - h */
    ki_swing Y = ki_swing_seen(P, x->mech->body[rod->slider].place[0], f->G);
    ki_swing across = ki_swing_across(&Y, f->axis), aside = ki_swing_cross(f->axis, &Y);
    vec along = vec_times(g, ki_wave_node(x, ki_swing_along(&Y, f->axis)), vec_of(g, f->axis));
    vec turned = vec_minus(g, vec_times(g, rod->rocker.c, ki_swing_nodes(x, &across)),
                           vec_times(g, rod->rocker.s, ki_swing_nodes(x, &aside)));
    vec w = vec_minus(g, vec_plus(g, along, turned), vec_of(g, f->h));
    for (int i = 0; i < 3; i++)
        w.x[i] = ki_letter_of(&x->l, w.x[i]);
    return w;
}

/* 1 - cos^2 b. Where w_1 is sigma and a factor, sigma^2 = L^2 - 2 E spares the wait for its root. */
static ki_node sine_square(const ki_rods *x, const ki_rod *rod, const frames *f, ki_node w_1) {
    ki_graph *g = x->g;
    double factor = f->axis[0] * f->axis[0] / (f->rho * f->rho);
    if (rod->slides && times(g, rod->sigma, number(g, f->axis[0])) == w_1)
        return plus(g, number(g, 1 - factor * rod->L2), times(g, number(g, factor), rod->twice_E));
    return minus(g, number(g, 1), times(g, number(g, 1 / (f->rho * f->rho)), times(g, w_1, w_1)));
}

/* Second angle b. */
static void bend(ki_rods *x, ki_rod *rod, const frames *f, vec w, vec w_u, vec w_uu) {
    ki_graph *g = x->g;
    ki_node zero = number(g, 0), over = number(g, 1 / f->rho);
    ki_turned *b = &rod->angle[1];
    ki_node c_u = times(g, over, w_u.x[0]), c_uu = times(g, over, w_uu.x[0]);
    b->c = ki_letter_with(&x->l, times(g, over, w.x[0]), c_u);
    b->drawn = rod->tilt;
    ki_node square = sine_square(x, rod, f, w.x[0]);
    ki_root root = ki_root_of(x, square, sin(rod->tilt) > 0);
    rod->sine2 = square;
    b->s = root.S;
    b->rate = ki_letter_with(&x->l, minus(g, zero, times(g, c_u, root.inverse)), KI_NONE);
    ki_node bent = plus(g, c_uu, times(g, b->c, times(g, b->rate, b->rate)));
    ki_letter_rate(&x->l, b->rate, minus(g, zero, times(g, bent, root.inverse)));
    ki_root_rate(x, &root, times(g, b->c, b->rate));
    ki_rods_add_gap(x, square);
    ki_rods_add_gap(x, number(g, f->rho * f->rho / rod->L2));
}

/* First angle a. */
static void swivel(ki_rods *x, ki_rod *rod, const frames *f, vec w, vec w_u, vec w_uu) {
    ki_graph *g = x->g;
    ki_turned *a = &rod->angle[0];
    const ki_turned *b = &rod->angle[1];
    ki_node r_2 = number(g, f->r_2), rho2 = number(g, f->rho * f->rho);
    ki_node b_uu = ki_by_u(&x->l, b->rate), lift = times(g, number(g, -f->rho), b->s);
    ki_node D_u = times(g, number(g, 2), times(g, times(g, rho2, times(g, b->s, b->c)), b->rate));
    ki_node scaled = plus(g, number(g, f->r_2 * f->r_2 / (f->rho * f->rho)), rod->sine2);
    ki_node over = ki_binary(g, KI_DIV, number(g, 1 / (f->rho * f->rho)), scaled);
    over = ki_letter_with(&x->l, over, KI_NONE);
    ki_letter_rate(&x->l, over, minus(g, number(g, 0), times(g, times(g, over, over), D_u)));
    ki_node N = minus(g, times(g, w.x[1], w_u.x[2]), times(g, w.x[2], w_u.x[1]));
    N = plus(g, N, times(g, r_2, times(g, w.x[0], b->rate)));
    ki_node N_u = minus(g, times(g, w.x[1], w_uu.x[2]), times(g, w.x[2], w_uu.x[1]));
    N_u = plus(g, N_u, times(g, r_2, plus(g, times(g, w_u.x[0], b->rate), times(g, w.x[0], b_uu))));
    a->rate = ki_letter_with(&x->l, times(g, N, over), KI_NONE);
    ki_letter_rate(&x->l, a->rate, times(g, minus(g, N_u, times(g, a->rate, D_u)), over));
    ki_node c = times(g, plus(g, times(g, r_2, w.x[1]), times(g, lift, w.x[2])), over);
    ki_node s = times(g, minus(g, times(g, r_2, w.x[2]), times(g, lift, w.x[1])), over);
    a->c = ki_letter_with(&x->l, c, KI_NONE);
    a->s = ki_letter_with(&x->l, s, KI_NONE);
    ki_letter_rate(&x->l, a->c, minus(g, number(g, 0), times(g, a->s, a->rate)));
    ki_letter_rate(&x->l, a->s, times(g, a->c, a->rate));
}

/* R^T y */
static vec to_rod(const ki_rods *x, const ki_rod *rod, vec y) {
    ki_graph *g = x->g;
    const ki_turned *a = &rod->angle[0], *b = &rod->angle[1];
    ki_node second = plus(g, times(g, a->c, y.x[1]), times(g, a->s, y.x[2]));
    ki_node third = minus(g, times(g, a->c, y.x[2]), times(g, a->s, y.x[1]));
    return (vec){{minus(g, times(g, b->c, y.x[0]), times(g, b->s, third)), second,
                  plus(g, times(g, b->s, y.x[0]), times(g, b->c, third))}};
}

/* own^T I own + m (|d|^2 - d d^T) */
static mat inertia_of(ki_graph *g, const ki_body *body, const frames *f) {
    const double *I = body->inertia, m = body->mass, d2 = ki_dot3(f->d, f->d);
    const double full[9] = {I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]};
    double turned[9], Theta[9], size = 0;
    ki_multiply(full, f->own, turned);
    ki_transposed_multiply(f->own, turned, Theta);
    for (int i = 0; i < 3; i++) {
        Theta[4 * i] += m * d2;
        for (int j = 0; j < 3; j++)
            Theta[3 * i + j] -= m * f->d[i] * f->d[j];
        size = fmax(size, Theta[4 * i]);
    }
    ki_clean(Theta, 9, size);
    return mat_of(g, Theta);
}

static void add_inertia(ki_rods *x, const ki_rod *rod, const frames *f) {
    ki_graph *g = x->g;
    const ki_body *body = &x->mech->body[rod->body];
    const ki_turned *a = &rod->angle[0], *b = &rod->angle[1];
    vec V = vec_times(g, rod->x_rate, to_rod(x, rod, vec_of(g, f->V)));
    vec omega = vec_times(g, rod->x_rate, to_rod(x, rod, vec_of(g, f->Omega)));
    omega = vec_plus(g, omega, (vec){{times(g, a->rate, b->c), b->rate, times(g, a->rate, b->s)}});
    mat Theta = inertia_of(g, body, f);
    ki_node carried =
        times(g, number(g, body->mass * ki_dot3(f->V, f->V)), times(g, rod->x_rate, rod->x_rate));
    ki_node mixed = dot(g, V, cross(g, omega, vec_times(g, number(g, 2 * body->mass), vec_of(g, f->d))));
    ki_node turning = dot(g, omega, mat_vec(g, &Theta, omega));
    x->m = plus(g, x->m, plus(g, plus(g, carried, mixed), turning));
}

/* -m g . ((1 - l) o + l P + rest) */
static void add_weight(ki_rods *x, const ki_rod *rod, const frames *f, const ki_swing *P) {
    ki_graph *g = x->g;
    const ki_body *body = &x->mech->body[rod->body];
    const double *gravity = x->down, r[3] = {f->rho, f->r_2, 0};
    double l = ki_without_noise(ki_dot3(f->d, r) / rod->L2, 1), rest[3], seen[3];
    ki_copy3(f->d, rest);
    ki_add_scaled(-l, r, rest);
    ki_clean(rest, 3, sqrt(ki_dot3(f->d, f->d)));
    ki_rotate_back(f->G, gravity, seen);
    ki_clean(seen, 3, sqrt(ki_dot3(gravity, gravity)));
    vec down = vec_of(g, seen);
    if (!rod->slides) { /* turned back by the angle of the rocker */
        double along = ki_dot3(f->axis, seen), across[3], aside[3];
        ki_copy3(seen, across);
        ki_add_scaled(-along, f->axis, across);
        ki_cross(f->axis, seen, aside);
        down = vec_plus(g, vec_times(g, number(g, along), vec_of(g, f->axis)),
                        vec_minus(g, vec_times(g, rod->rocker.c, vec_of(g, across)),
                                  vec_times(g, rod->rocker.s, vec_of(g, aside))));
    }
    ki_node height = times(g, number(g, 1 - l), ki_rod_end_along(x, rod, gravity));
    height = plus(g, height, times(g, number(g, l), ki_wave_node(x, ki_swing_along(P, gravity))));
    height = plus(g, height, dot(g, to_rod(x, rod, down), vec_of(g, rest)));
    x->V = minus(g, x->V, times(g, number(g, body->mass), height));
}

void ki_rod_in_space(ki_rods *x, ki_rod *rod, const ki_swing *P) {
    frames f = frames_of(x, rod);
    vec w = reach(x, rod, &f, P), w_u = ki_vec_by_u(x, w), w_uu = ki_vec_by_u(x, w_u);
    bend(x, rod, &f, w, w_u, w_uu);
    swivel(x, rod, &f, w, w_u, w_uu);
    add_inertia(x, rod, &f);
    add_weight(x, rod, &f, P);
}

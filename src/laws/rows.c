/* rows.c - points and directions of two bodies, and the rows that laws are put together from.
 *
 *     p = r + arm    p' = v + omega x arm    p'' = a + alpha x arm + omega x (omega x arm)
 *     u              u' = omega x u          u'' = alpha x u + omega x (omega x u)
 *
 * Rows are products of these; their rates follow by the product rule (jets.c).
 */
#include "laws/law.h"

/* x moves with a body: its rate, and the rate of that */
static void follow(ki_graph *g, const ki_law_body *b, vec x, vec *rate, vec *curve) {
    *rate = cross(g, b->omega, x);
    *curve = vec_plus(g, cross(g, b->alpha, x), cross(g, b->omega, *rate));
}

ki_law_point ki_law_point_of(ki_graph *g, const ki_law_body *b, vec local) {
    ki_law_point p = {.arm = mat_vec(g, &b->R, local)};
    p.x.x = vec_plus(g, b->r, p.arm);
    follow(g, b, p.arm, &p.x.rate, &p.x.curve);
    p.x.rate = vec_plus(g, b->v, p.x.rate);
    p.x.curve = vec_plus(g, b->a, p.x.curve);
    return p;
}

ki_law_point ki_law_origin(const ki_law *law, int side) {
    return ki_law_point_of(law->g, &law->body[side], law->at[side]);
}

ki_jets ki_law_axis(const ki_law *law, int side, int k) {
    ki_jets u = {.x = mat_vec(law->g, &law->body[side].R, mat_column(&law->F[side], k))};
    follow(law->g, &law->body[side], u.x, &u.rate, &u.curve);
    return u;
}

/* ---- rows -----------------------------------------------------------------------------------------------
 */

static ki_law_row row_of(ki_graph *g, ki_jet jet) {
    vec none = vec_zero(g);
    return (ki_law_row){.value = jet.x,
                        .rate = jet.rate,
                        .curve = jet.curve,
                        .arm = {none, none},
                        .P = {none, none},
                        .e = {none, none},
                        .T = {none, none}};
}

/* (p_1 - p_0) . u; u may turn with body 0, which is then felt there as a torque */
static ki_law_row gap_along(ki_graph *g, const ki_law_point *p_0, const ki_law_point *p_1, const ki_jets *u) {
    ki_jets D = ki_jets_minus(g, p_1->x, p_0->x);
    ki_law_row row = row_of(g, ki_jets_dot(g, D, *u));
    const ki_law_point *p[2] = {p_0, p_1};
    for (int k = 0; k < 2; k++) {
        row.arm[k] = p[k]->arm;
        row.P[k] = p[k]->x.x;
        row.e[k] = k ? u->x : vec_negative(g, u->x);
    }
    return row;
}

static ki_jets at_rest(ki_graph *g, vec x) {
    return (ki_jets){x, vec_zero(g), vec_zero(g)};
}

ki_law_row ki_law_apart(ki_graph *g, const ki_law_point *p_0, const ki_law_point *p_1, int k) {
    ki_jets u = at_rest(g, ki_law_unit(g, k));
    return gap_along(g, p_0, p_1, &u);
}

int ki_law_coincide(const ki_law *law, ki_law_row *out) {
    ki_law_point p_0 = ki_law_origin(law, 0), p_1 = ki_law_origin(law, 1);
    int count = law->plane ? 2 : 3;
    for (int k = 0; k < count; k++)
        out[k] = ki_law_apart(law->g, &p_0, &p_1, k);
    return count;
}

ki_law_row ki_law_along(const ki_law *law, int k) {
    ki_graph *g = law->g;
    ki_law_point p_0 = ki_law_origin(law, 0), p_1 = ki_law_origin(law, 1);
    ki_jets u = ki_law_axis(law, 0, k);
    ki_law_row row = gap_along(g, &p_0, &p_1, &u);
    row.T[0] = cross(g, u.x, vec_minus(g, p_1.x.x, p_0.x.x));
    return row;
}

ki_law_row ki_law_dot(const ki_law *law, int j, int k) {
    ki_jets a = ki_law_axis(law, 0, j), b = ki_law_axis(law, 1, k);
    ki_law_row row = row_of(law->g, ki_jets_dot(law->g, a, b));
    row.T[0] = cross(law->g, a.x, b.x);
    row.T[1] = vec_negative(law->g, row.T[0]);
    return row;
}

int ki_law_parallel(const ki_law *law, ki_law_row *out) {
    out[0] = ki_law_dot(law, 1, 2);
    out[1] = ki_law_dot(law, 0, 2);
    return 2;
}

int ki_law_aligned(const ki_law *law, ki_law_row *out) {
    ki_law_parallel(law, out);
    out[2] = ki_law_dot(law, 1, 0);
    return 3;
}

static ki_law_row angle_in_plane(const ki_law *law) {
    ki_graph *g = law->g;
    const ki_law_body *a = &law->body[0], *b = &law->body[1];
    ki_node value = plus(g, minus(g, b->angle, a->angle), law->drawn);
    ki_law_row row = row_of(
        g, (ki_jet){value, minus(g, b->omega.x[2], a->omega.x[2]), minus(g, b->alpha.x[2], a->alpha.x[2])});
    row.T[1] = ki_law_unit(g, 2);
    row.T[0] = vec_negative(g, row.T[1]);
    return row;
}

/* tan phi = (y_0 . x_1 - x_0 . y_1) / (x_0 . x_1 + y_0 . y_1). Write the rotation as R_z(alpha) R_y(beta)
 * R_z(delta): phi = alpha + delta, Omega = omega_1 - omega_0 = alpha' z_0 + beta' n + delta' z_1 with n
 * across both z, hence with u = z_0 + z_1, c = 1 + z_0 . z_1
 *
 *     phi' = u . Omega / c
 *     phi'' = (u . Omega' + u' . Omega - phi' c') / c
 *
 * c = 0 only where z_1 = -z_0; the bound keeps that pose finite. */
ki_law_row ki_law_angle(const ki_law *law) {
    ki_graph *g = law->g;
    const ki_law_body *a = &law->body[0], *b = &law->body[1];
    if (law->plane)
        return angle_in_plane(law);
    ki_jets axis[2][3];
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++)
            axis[side][k] = ki_law_axis(law, side, k);
    ki_jets *A = axis[0], *B = axis[1];
    ki_node sine = minus(g, dot(g, A[1].x, B[0].x), dot(g, A[0].x, B[1].x));
    ki_node cosine = plus(g, dot(g, A[0].x, B[0].x), dot(g, A[1].x, B[1].x));
    vec Omega = vec_minus(g, b->omega, a->omega), bent = vec_minus(g, b->alpha, a->alpha);
    vec u = vec_plus(g, A[2].x, B[2].x), u_rate = vec_plus(g, A[2].rate, B[2].rate);
    ki_node c = ki_binary(g, KI_MAX, plus(g, number(g, 1), dot(g, A[2].x, B[2].x)), number(g, 1e-9));
    ki_node c_rate = dot(g, cross(g, B[2].x, A[2].x), Omega), inverse = ki_binary(g, KI_DIV, number(g, 1), c);
    vec w = vec_times(g, inverse, u);
    ki_node rate = dot(g, w, Omega);
    ki_node extra = minus(g, dot(g, u_rate, Omega), times(g, rate, c_rate));
    ki_law_row row = row_of(g, (ki_jet){ki_binary(g, KI_ATAN2, sine, cosine), rate,
                                        plus(g, dot(g, w, bent), times(g, extra, inverse))});
    row.T[1] = w;
    row.T[0] = vec_negative(g, w);
    return row;
}

ki_law_row ki_law_atan2(ki_graph *g, const ki_law_row *sine, const ki_law_row *cosine) {
    ki_jet s = {sine->value, sine->rate, sine->curve}, c = {cosine->value, cosine->rate, cosine->curve};
    ki_law_row row = row_of(g, ki_jet_atan2(g, s, c));
    ki_node square = plus(g, times(g, s.x, s.x), times(g, c.x, c.x));
    ki_node n = ki_binary(g, KI_MAX, square, number(g, 1e-18));
    ki_node of_s = ki_binary(g, KI_DIV, c.x, n), of_c = ki_binary(g, KI_DIV, s.x, n);
    for (int k = 0; k < 2; k++)
        row.T[k] = vec_minus(g, vec_times(g, of_s, sine->T[k]), vec_times(g, of_c, cosine->T[k]));
    return row;
}

/* |D|' = n . D',  |D|'' = n . D'' + (n x D')^2 / |D|,  n = D / |D|. Points in the same place have no
 * direction; x is taken, which keeps the row finite. */
ki_law_row ki_law_length(ki_graph *g, const ki_law_point *p_0, const ki_law_point *p_1) {
    ki_jets D = ki_jets_minus(g, p_1->x, p_0->x);
    ki_node length = ki_unary(g, KI_SQRT, dot(g, D.x, D.x));
    ki_node inverse = ki_if(g, length, ki_binary(g, KI_DIV, number(g, 1), length), number(g, 0));
    vec n = vec_times(g, inverse, D.x), across = cross(g, n, D.rate);
    n.x[0] = ki_if(g, length, n.x[0], number(g, 1));
    ki_jets u = at_rest(g, n);
    ki_law_row row = gap_along(g, p_0, p_1, &u);
    row.value = length;
    row.curve = plus(g, row.curve, times(g, dot(g, across, across), inverse));
    return row;
}

/* psi = e . g with g = v_1 + omega_1 x arm_1 - v_0 - omega_0 x arm_0, the arms those of x = p + off:
 *     psi' = e' . g + e . g',    arm_1' = (p - r_1)' + off',  arm_0' = x' - v_0 */
ki_law_row ki_law_contact(const ki_law *law, const ki_law_point *p, const ki_jets *off, const ki_jets *e) {
    ki_graph *g = law->g;
    const ki_law_body *a = &law->body[0], *b = &law->body[1];
    vec x = vec_plus(g, p->x.x, off->x), x_rate = vec_plus(g, p->x.rate, off->rate);
    vec arm[2] = {vec_minus(g, x, a->r), vec_plus(g, p->arm, off->x)}, velocity[2], bent[2];
    for (int k = 0; k < 2; k++) {
        const ki_law_body *body = &law->body[k];
        vec drift = vec_minus(g, x_rate, body->v);
        if (k == 1) /* what is of the body alone cancels */
            drift = vec_plus(g, cross(g, b->omega, p->arm), off->rate);
        velocity[k] = vec_plus(g, body->v, cross(g, body->omega, arm[k]));
        bent[k] =
            vec_plus(g, vec_plus(g, body->a, cross(g, body->alpha, arm[k])), cross(g, body->omega, drift));
    }
    vec slip = vec_minus(g, velocity[1], velocity[0]);
    ki_law_row row =
        row_of(g, (ki_jet){number(g, 0), dot(g, e->x, slip),
                           plus(g, dot(g, e->rate, slip), dot(g, e->x, vec_minus(g, bent[1], bent[0])))});
    for (int k = 0; k < 2; k++) {
        row.arm[k] = arm[k];
        row.P[k] = x;
        row.e[k] = k ? e->x : vec_negative(g, e->x);
    }
    return row;
}

ki_law_row ki_law_add_turn(ki_graph *g, ki_law_row row, ki_node s, const ki_law_row *x) {
    row.value = plus(g, row.value, times(g, s, x->value));
    row.rate = plus(g, row.rate, times(g, s, x->rate));
    row.curve = plus(g, row.curve, times(g, s, x->curve));
    for (int k = 0; k < 2; k++)
        row.T[k] = vec_plus(g, row.T[k], vec_times(g, s, x->T[k]));
    return row;
}

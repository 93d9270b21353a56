/* ring.c - the angles of the ring (ring.h), its energy, and its coordinates.
 *
 * With rho = r'/r, and N = 8 c k' + D' the derivative of B + D,
 *
 *     k' = cos^2 u - sin^2 u,   k'' = -4 k,    B' = 8 c k',
 *     D' = E/D,   E = B B' - 12 K k k',        D'' = (E' - D'^2)/D,
 *     rho = -(r^2/12) N,                       rho' = -(r^2/12) N' + 2 rho^2,
 *     x' = rho x - y,   y' = rho y + x,
 *     phi' = 2 p x',   p = 1/(1 + x^2),        phi'' = 2 p x'' - x phi'^2
 *
 * and so for psi. Where c = 0 the curve is (1 + x^2) (1 + y^2) = 4, and no p is divided for.
 *
 * Bodies are reached from the nearer side. In the axes of each body, with u' = 1 and A the turn of its pin,
 *
 *     omega = A^T omega_p +- theta' z,    v = A^T (v_p + omega_p x (f - r_p)) + omega x (r - f)
 *     m = sum of mass v . v + omega . Theta omega
 *
 * f the foot of the pin, r the centre, all as drawn. Weights likewise: gravity is turned into the body.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "symbolic/ring.h"
#include "symbolic/swing.h"

/* ---- angles */

typedef struct curve {
    ki_node C, S; /* cos u, sin u */
    ki_node r2, rho, rho_u;
} curve;

static curve curve_of(ki_letters *l, double c) {
    ki_graph *g = l->g;
    ki_node one = number(g, 1), u = ki_symbol(g, l->u);
    double K = 12 * (4 * c * c - 1);
    curve y;
    y.C = ki_letter_with(l, ki_unary(g, KI_COS, u), KI_NONE);
    y.S = ki_letter_with(l, ki_unary(g, KI_SIN, u), y.C);
    ki_letter_rate(l, y.C, minus(g, number(g, 0), y.S));
    ki_node k_u = minus(g, times(g, y.C, y.C), times(g, y.S, y.S));
    k_u = ki_letter_with(l, k_u, KI_NONE);
    ki_node k = ki_letter_with(l, times(g, y.C, y.S), k_u);
    ki_letter_rate(l, k_u, times(g, number(g, -4), k));
    ki_node B = plus(g, one, times(g, number(g, 8 * c), k));
    ki_node square = minus(g, times(g, B, B), times(g, number(g, K), times(g, k, k)));
    ki_node E = minus(g, times(g, B, ki_by_u(l, B)), times(g, number(g, K), times(g, k, k_u)));
    ki_node D = ki_letter_with(l, ki_unary(g, KI_SQRT, square), KI_NONE);
    ki_node D_u = ki_letter_with(l, ki_binary(g, KI_DIV, E, D), KI_NONE);
    ki_letter_rate(l, D, D_u);
    ki_letter_rate(l, D_u, ki_binary(g, KI_DIV, minus(g, ki_by_u(l, E), times(g, D_u, D_u)), D));
    ki_node sum = plus(g, B, D), sum_u = ki_by_u(l, sum);
    y.r2 = ki_letter_with(l, ki_binary(g, KI_DIV, number(g, 6), sum), KI_NONE);
    ki_node part = times(g, number(g, -1.0 / 12), y.r2);
    y.rho = ki_letter_with(l, times(g, part, sum_u), KI_NONE);
    y.rho_u = plus(g, times(g, part, ki_by_u(l, sum_u)), times(g, number(g, 2), times(g, y.rho, y.rho)));
    ki_letter_rate(l, y.rho, y.rho_u);
    ki_letter_rate(l, y.r2, times(g, number(g, 2), times(g, y.rho, y.r2)));
    return y;
}

/* From x, x' and x'' */
static ki_ring_angle angle_of(ki_letters *l, ki_node x, ki_node x_u, ki_node x_uu, ki_node p) {
    ki_graph *g = l->g;
    ki_node zero = number(g, 0), twice = times(g, number(g, 2), p);
    ki_ring_angle a = {.half = x};
    a.rate = ki_letter_with(l, times(g, twice, x_u), KI_NONE);
    ki_letter_rate(l, a.rate, minus(g, times(g, twice, x_uu), times(g, x, times(g, a.rate, a.rate))));
    a.c = ki_letter_with(l, minus(g, twice, number(g, 1)), KI_NONE);
    a.s = ki_letter_with(l, times(g, twice, x), times(g, a.c, a.rate));
    ki_letter_rate(l, a.c, minus(g, zero, times(g, a.s, a.rate)));
    return a;
}

void ki_ring_angles(ki_solved *solved, double c, ki_ring_angle angle[2]) {
    ki_letters *l = &solved->l;
    ki_graph *g = l->g;
    curve k = curve_of(l, c);
    ki_node one = number(g, 1), root = ki_unary(g, KI_SQRT, k.r2);
    ki_node r = ki_letter_with(l, root, KI_NONE);
    ki_letter_rate(l, r, times(g, k.rho, r));
    ki_node x = ki_letter_with(l, times(g, r, k.C), KI_NONE),
            y = ki_letter_with(l, times(g, r, k.S), KI_NONE);
    ki_node x_u = ki_letter_with(l, minus(g, times(g, k.rho, x), y), KI_NONE);
    ki_node y_u = ki_letter_with(l, plus(g, times(g, k.rho, y), x), KI_NONE);
    ki_letter_rate(l, x, x_u);
    ki_letter_rate(l, y, y_u);
    ki_node x_uu = minus(g, plus(g, times(g, k.rho_u, x), times(g, k.rho, x_u)), y_u);
    ki_node y_uu = plus(g, plus(g, times(g, k.rho_u, y), times(g, k.rho, y_u)), x_u);
    ki_letter_rate(l, x_u, x_uu);
    ki_letter_rate(l, y_u, y_uu);
    ki_node X = plus(g, one, times(g, x, x)), Y = plus(g, one, times(g, y, y));
    ki_node over = c == 0 ? number(g, 0.25) : ki_binary(g, KI_DIV, one, times(g, X, Y));
    angle[0] = angle_of(l, x, x_u, x_uu, times(g, over, Y));
    angle[1] = angle_of(l, y, y_u, y_uu, times(g, over, X));
}

ki_turn ki_ring_turn(ki_graph *g, const ki_ring *ring, int i, const ki_ring_angle angle[2]) {
    const ki_ring_angle *a = &angle[i % 2];
    ki_node c = number(g, ki_without_noise(cos(ring->drawn[i % 2]), 1));
    ki_node s = number(g, ki_without_noise(sin(ring->drawn[i % 2]), 1));
    return (ki_turn){plus(g, times(g, a->c, c), times(g, a->s, s)),
                     minus(g, times(g, a->s, c), times(g, a->c, s))};
}

/* ---- energy */

/* A body with u' = 1, in its own axes. */
typedef struct moving {
    double at[3]; /* its centre, as drawn */
    vec omega, v, down;
    ki_node depth; /* down . its centre */
} moving;

/* A^T y: y turned back about z */
static vec turned_back(ki_graph *g, const double z[3], ki_turn turn, vec y) {
    vec e = vec_of(g, z), along = vec_times(g, dot(g, e, y), e);
    vec across = vec_minus(g, y, along), aside = cross(g, e, y);
    return vec_plus(g, along, vec_minus(g, vec_times(g, turn.c, across), vec_times(g, turn.s, aside)));
}

/* The body behind a pin, seen from the ground; the turn and the rate of the pin are as seen from there. */
static moving next_of(const ki_solved *solved, const ki_ring *ring, int pin, int body, const moving *p,
                      ki_turn turn, ki_node rate) {
    ki_graph *g = solved->l.g;
    const double *z = ring->axis[pin];
    double arm[3], out[3];
    moving b;
    ki_copy3(solved->mech->body[ring->body[body]].drawn, b.at);
    ki_minus(ring->foot[pin], p->at, arm);
    ki_minus(b.at, ring->foot[pin], out);
    vec at_pin = vec_plus(g, p->v, cross(g, p->omega, vec_of(g, arm)));
    b.omega = vec_plus(g, turned_back(g, z, turn, p->omega), vec_times(g, rate, vec_of(g, z)));
    b.v = vec_plus(g, turned_back(g, z, turn, at_pin), cross(g, b.omega, vec_of(g, out)));
    b.down = turned_back(g, z, turn, p->down);
    b.depth = plus(g, p->depth, plus(g, dot(g, p->down, vec_of(g, arm)), dot(g, b.down, vec_of(g, out))));
    return b;
}

static void add_body(ki_solved *solved, const ki_ring *ring, int body, const moving *b) {
    ki_graph *g = solved->l.g;
    const ki_body *own = &solved->mech->body[ring->body[body]];
    const double *I = own->inertia;
    const double full[9] = {I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]};
    mat Theta = mat_of(g, full);
    ki_node turning = dot(g, b->omega, mat_vec(g, &Theta, b->omega)), m = number(g, own->mass);
    solved->m = plus(g, solved->m, plus(g, turning, times(g, m, dot(g, b->v, b->v))));
    solved->V = minus(g, solved->V, times(g, m, b->depth));
}

void ki_ring_energy(ki_solved *solved, const ki_ring *ring, const ki_ring_angle angle[2]) {
    ki_graph *g = solved->l.g;
    vec none = vec_zero(g);
    moving ground = {.omega = none, .v = none, .down = vec_of(g, solved->mech->gravity)}, b = ground;
    ground.depth = b.depth = number(g, 0);
    solved->m = solved->V = number(g, 0);
    for (int i = 0; i < KI_RING / 2; i++) { /* forth */
        b = next_of(solved, ring, i, i + 1, &b, ki_ring_turn(g, ring, i, angle), angle[i % 2].rate);
        add_body(solved, ring, i + 1, &b);
    }
    b = ground;
    for (int i = KI_RING - 1; i > KI_RING / 2; i--) { /* back: pins turn the other way */
        ki_turn turn = ki_ring_turn(g, ring, i, angle);
        turn.s = minus(g, number(g, 0), turn.s);
        b = next_of(solved, ring, i, i, &b, turn, minus(g, number(g, 0), angle[i % 2].rate));
        add_body(solved, ring, i, &b);
    }
}

/* ---- coordinates */

/* q of the body that pin i carries in the tree: sense (q - reading) = way (theta - drawn). -1: it is cut. */
static int coordinate(const ki_mech *mech, const ki_ring *ring, int i, double *way) {
    const ki_joint *pin = &mech->joint[ring->joint[i]];
    int before = ring->body[i], behind = ring->body[(i + 1) % KI_RING];
    if (!pin->tree)
        return -1;
    bool forth = behind && mech->body[behind].joint == ring->joint[i];
    const ki_body *body = &mech->body[forth ? behind : before];
    double axis[3];
    ki_axis(body->hinge.frame[0].R, 2, axis);
    *way = (ki_dot3(axis, ring->axis[i]) > 0) == forth ? 1 : -1;
    return body->q;
}

static void set_coordinate(ki_solved *solved, const ki_ring *ring, int i, const ki_ring_angle angle[2]) {
    ki_graph *g = solved->l.g;
    const ki_mech *mech = solved->mech;
    double way = 1;
    int q = coordinate(mech, ring, i, &way);
    if (q < 0)
        return;
    const ki_ring_angle *a = &angle[i % 2];
    double factor = way * mech->q_sense[q], reading = mech->q_reading[q];
    ki_node theta = times(g, number(g, 2), ki_unary(g, KI_ATAN, a->half));
    ki_node moved = minus(g, theta, number(g, ring->drawn[i % 2]));
    ki_turn turn = ki_ring_turn(g, ring, i, angle);
    solved->q[q] = plus(g, times(g, number(g, factor), moved), number(g, reading));
    solved->q_u[q] = times(g, number(g, factor), a->rate);
    solved->turn[q] = (ki_turn){turn.c, times(g, number(g, way), turn.s)};
    solved->u.q[i % 2] = q;
    solved->u.factor[i % 2] = factor;
    solved->u.angle[i % 2] = ring->drawn[i % 2] - factor * reading;
}

static const char *reason_of(const ki_solved *solved, const ki_ring *ring) {
    size_t size = 80, at;
    for (int i = 0; i < KI_RING; i++)
        size += strlen(solved->mech->joint[ring->joint[i]].name) + 4;
    char *text = KI_NEW(&solved->b->model->arena, char, size);
    if (!text)
        return NULL;
    at = (size_t)snprintf(text, size, "the ring of ");
    for (int i = 0; i < KI_RING; i++)
        at += (size_t)snprintf(text + at, size - at, "%s'%s'", i ? ", " : "",
                               solved->mech->joint[ring->joint[i]].name);
    snprintf(text + at, size - at, " is solved in closed form");
    return text;
}

bool ki_solve_ring(ki_solved *solved) {
    ki_ring ring;
    ki_ring_angle angle[2];
    if (!ki_ring_find(solved->mech, &ring))
        return false;
    ki_ring_angles(solved, ring.cosine, angle);
    ki_ring_energy(solved, &ring, angle);
    solved->u.polar = true;
    for (int i = 0; i < KI_RING; i++)
        set_coordinate(solved, &ring, i, angle);
    solved->reason = reason_of(solved, &ring);
    return solved->reason && !ki_out_of_memory(solved->b);
}

/* inertia.c - what the masses make: M by composite bodies, Q from the wrenches of all bodies, the energy.
 *
 * C_b is the mass m, first moment h and inertia I of body b and all that hangs from it, about r_b; in space
 * without the rotary inertia of the bodies themselves, as if they were points. With the
 * momenta p, L of a unit velocity j (column S_j at r_b: Omega, u = V + Omega x (r_b - H)),
 *
 *     p = m u + Omega x h,   L = I Omega + h x u,   M_jk = Omega_k . L + u_k . p
 *
 * for the velocities k of b and of its ancestors, L moved towards the ground (mechanism/mass.c). In space the
 * rotary inertia Theta of each body adds, in its own axes, Omega_k . Theta Omega_j to M_jk and
 * -Omega_j . (Theta alpha + omega x Theta omega) to Q_j for all velocities that turn it. On each body
 * act the applied forces, its weight, and minus what its bias acceleration needs; Q is what is left of them
 * along the columns.
 */
#include "symbolic/writer.h"

typedef struct composite {
    ki_node m;
    vec h;
    mat I;
} composite;

/* u of a column at the reference point of its body */
static vec slide_of(const ki_writer *w, int b, const ki_column *column) {
    vec d = vec_minus(w->g, w->body[b].r, column->H);
    return vec_plus(w->g, column->V, cross(w->g, column->Omega, d));
}

static ki_node power_of(const ki_writer *w, int b, int j, vec torque, vec force) {
    const ki_column *column = &w->column[j];
    return plus(w->g, dot(w->g, column->Omega, torque), dot(w->g, slide_of(w, b, column), force));
}

/* I += (m |x|^2 + 2 h.x) E - m x x^T - h x^T - x h^T, h += m x, m += m */
static void add_moved(ki_graph *g, const composite *C, vec x, composite *to) {
    vec mx = vec_times(g, C->m, x), half = vec_plus(g, mx, vec_times(g, number(g, 2), C->h));
    ki_node trace = dot(g, half, x);
    to->m = plus(g, to->m, C->m);
    to->h = vec_plus(g, to->h, vec_plus(g, C->h, mx));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            ki_node own = plus(g, times(g, plus(g, mx.x[i], C->h.x[i]), x.x[j]), times(g, x.x[i], C->h.x[j]));
            ki_node rest = i == j ? minus(g, trace, own) : minus(g, number(g, 0), own);
            ki_node *entry = &to->I.x[3 * i + j];
            *entry = plus(g, *entry, plus(g, C->I.x[3 * i + j], rest));
        }
}

/* Rotary inertia in body axes; in the plane about z. */
static mat rotary(const ki_writer *w, int b) {
    const double *I = w->mech->body[b].inertia;
    const double full[9] = {I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]};
    const double flat[9] = {0, 0, 0, 0, 0, 0, 0, 0, I[2]};
    return mat_of(w->g, w->mech->d == KI_PLANAR ? flat : full);
}

static void compose(const ki_writer *w, composite *C) {
    const ki_mech *mech = w->mech;
    mat none = mat_of(w->g, (const double[9]){0});
    for (int b = 1; b < mech->body_count; b++)
        C[b] = (composite){number(w->g, mech->body[b].mass), vec_zero(w->g),
                           mech->d == KI_PLANAR ? rotary(w, b) : none};
    for (int b = mech->body_count - 1; b > 0; b--) {
        int parent = mech->body[b].parent;
        if (parent)
            add_moved(w->g, &C[b], vec_minus(w->g, w->body[b].r, w->body[parent].r), &C[parent]);
    }
}

static const int *write_row(ki_writer *w, const composite *C, int b, int j, const int *slot) {
    ki_graph *g = w->g;
    const ki_column *column = &w->column[j];
    vec u = slide_of(w, b, column);
    vec p = vec_plus(g, vec_times(g, C[b].m, u), cross(g, column->Omega, C[b].h));
    vec L = vec_plus(g, mat_vec(g, &C[b].I, column->Omega), cross(g, C[b].h, u));
    for (int k = w->mech->body[b].v; k <= j; k++)
        w->M[*slot++] = power_of(w, b, k, L, p);
    for (int parent = w->mech->body[b].parent; parent; b = parent, parent = w->mech->body[b].parent) {
        const ki_body *body = &w->mech->body[parent];
        L = vec_plus(g, L, cross(g, vec_minus(g, w->body[b].r, w->body[parent].r), p));
        for (int k = body->v; k < body->v + body->n_v; k++)
            w->M[*slot++] = power_of(w, parent, k, L, p);
    }
    return slot;
}

static void write_mass(ki_writer *w, const composite *C) {
    const int *slot = w->mech->layout->M_slot;
    for (int b = 1; b < w->mech->body_count; b++) {
        const ki_body *body = &w->mech->body[b];
        if (body->alone) { /* in the plane: x', y', angle' */
            w->M[slot[0]] = w->M[slot[1]] = number(w->g, body->mass);
            w->M[slot[2]] = number(w->g, body->inertia[2]);
            slot += 3;
            continue;
        }
        for (int j = body->v; j < body->v + body->n_v; j++)
            slot = write_row(w, C, b, j, slot);
    }
}

/* In space: the rotary inertia of a body, and the torque that its motion needs, in body axes. */
static void add_rotary(ki_writer *w, int b, vec needed) {
    ki_graph *g = w->g;
    const ki_moving *s = &w->body[b];
    mat Theta = rotary(w, b);
    for (int i = 0; i < s->turns; i++) {
        ki_node *Q = &w->Q[s->velocity[i]];
        vec L = mat_vec(g, &Theta, s->turn[i]);
        *Q = minus(g, *Q, dot(g, s->turn[i], needed));
        for (int k = 0; k < s->turns; k++) {
            int row = s->velocity[i], column = s->velocity[k];
            if (column > row)
                continue;
            ki_node *entry = &w->M[ki_pattern_slot(w->mech->system.M, row, column)];
            *entry = plus(g, *entry, dot(g, s->turn[k], L));
        }
    }
}

/* force += m (gravity - a), torque -= Theta alpha + omega x Theta omega; the energies */
static void add_inertia(ki_writer *w) {
    ki_graph *g = w->g;
    double gravity[3] = {w->mech->gravity[0], w->mech->gravity[1], w->mech->gravity[2]};
    if (w->mech->d == KI_PLANAR)
        gravity[2] = 0;
    for (int b = 1; b < w->mech->body_count; b++) {
        const ki_moving *s = &w->body[b];
        ki_node m = number(g, w->mech->body[b].mass);
        mat Theta = rotary(w, b);
        vec spin = mat_vec(g, &Theta, s->omega_own);
        vec needed = vec_plus(g, mat_vec(g, &Theta, s->alpha_own), cross(g, s->omega_own, spin));
        vec free = vec_times(g, m, vec_minus(g, vec_of(g, gravity), s->a));
        w->force[b] = vec_plus(g, w->force[b], free);
        if (w->mech->d == KI_PLANAR)
            w->torque[b] = vec_minus(g, w->torque[b], needed);
        else
            add_rotary(w, b, needed);
        ki_node weight = times(g, m, dot(g, vec_of(g, gravity), s->r));
        ki_node twice = plus(g, dot(g, s->omega_own, spin), times(g, m, dot(g, s->v, s->v)));
        w->potential = minus(g, w->potential, weight);
        w->kinetic = plus(g, w->kinetic, times(g, number(g, 0.5), twice));
    }
}

/* From the leaves to the ground. */
static void gather(ki_writer *w) {
    ki_graph *g = w->g;
    for (int b = w->mech->body_count - 1; b > 0; b--) {
        const ki_body *body = &w->mech->body[b];
        for (int j = body->v; j < body->v + body->n_v; j++)
            w->Q[j] = plus(g, w->Q[j], power_of(w, b, j, w->torque[b], w->force[b]));
        if (!body->parent)
            continue;
        vec x = vec_minus(g, w->body[b].r, w->body[body->parent].r), *torque = &w->torque[body->parent];
        *torque = vec_plus(g, *torque, vec_plus(g, w->torque[b], cross(g, x, w->force[b])));
        w->force[body->parent] = vec_plus(g, w->force[body->parent], w->force[b]);
    }
}

void ki_symbolic_inertia(ki_writer *w) {
    composite *C = ki_arena_alloc(w->arena, (size_t)w->mech->body_count, sizeof *C);
    if (!C)
        return;
    w->kinetic = number(w->g, 0);
    compose(w, C);
    write_mass(w, C);
    add_inertia(w);
    gather(w);
}

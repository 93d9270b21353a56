/* The mass matrix by composite bodies.
 *
 * C_b is the inertia of body b and all that hangs from it, about r_b, in world axes: mass m, first moment h,
 * inertia I. With the momentum F = C_b S_j of a unit velocity j of body b,
 *
 *     M_jk = S_k . F      for the velocities k of b and of its ancestors, F moved towards the ground,
 *
 * and zero for all other k < j (Featherstone, Rigid Body Dynamics Algorithms, 2008, section 6.2).
 */
#include <string.h>

#include "base/hints.h"
#include "mechanism/recursion.h"

/* Composite, spatial: m, h [3], I [6] = xx yy zz xy yz zx. Planar: m, h [2], I. Moved by x to the parent,
 * I + (m |x|^2 + 2 h.x) E - m x x^T - h x^T - x h^T adds to its I.
 *
 * F = C S: angular momentum L = I omega + h x v, momentum p = m v + omega x h. Rows of M are walked from
 * their body b to the ground. */

/* ---- in the plane ------------------------------------------------------------------------------------ */

/* Adds C, moved by (x, y), to the composite of the parent. */
KI_INLINE void add_moved_planar(const double *C, double x, double y, double *to) {
    to[0] += C[0];
    to[1] += C[1] + C[0] * x;
    to[2] += C[2] + C[0] * y;
    to[3] += C[3] + (C[0] * x + 2 * C[1]) * x + (C[0] * y + 2 * C[2]) * y;
}

/* The rows of a body with coordinates of its own, whose columns are the unit vectors of x', y' and angle'. */
KI_INLINE void own_rows_planar(const double *C, const int *slot, double *M) {
    M[slot[0]] = M[slot[2]] = C[0];
    M[slot[1]] = 0;
    M[slot[3]] = -C[2], M[slot[4]] = C[1], M[slot[5]] = C[3];
}

/* Row j, of body b. Returns the next slot. */
KI_INLINE const int *row_planar(const ki_mech *mech, const ki_mech_work *w, int b, int j, const int *slot,
                                double *M) {
    const double *C = w->composite[b], *S = w->S[j], x = w->state[b].r[0], y = w->state[b].r[1];
    const ki_body *body = &mech->body[b];
    const double F0 = C[3] * S[0] + C[1] * S[2] - C[2] * S[1], F1 = C[0] * S[1] - S[0] * C[2],
                 F2 = C[0] * S[2] + S[0] * C[1];
    for (int k = body->v; k < j; k++)
        M[*slot++] = w->S[k][0] * F0 + w->S[k][1] * F1 + w->S[k][2] * F2;
    M[*slot++] = S[0] * F0 + S[1] * F1 + S[2] * F2;
    const int *above = mech->layout->above;
    int k = above[body->v + body->n_v - 1];
    for (; k >= 0; k = above[k]) {
        S = w->S[k];
        M[*slot++] = S[0] * (F0 + (x - S[3]) * F2 - (y - S[4]) * F1) + S[1] * F1 + S[2] * F2;
    }
    if (k == KI_GROUND)
        return slot;
    S = w->S[~k]; /* unit vectors */
    M[slot[0]] = F1, M[slot[1]] = F2, M[slot[2]] = F0 + (x - S[3]) * F2 - (y - S[4]) * F1;
    return slot + 3;
}

/* From the last body to the first: a composite is complete when its body is reached. */
KI_TWICE static void mass_planar(const ki_mech *mech, ki_mech_work *w, double *M) {
    const int *slots = mech->layout->M_slot, *start = mech->system.M.start;
    for (int b = 1; b < mech->body_count && mech->layout->branches; b++) {
        double *C = w->composite[b];
        C[0] = mech->body[b].mass;
        C[1] = C[2] = 0;
        C[3] = mech->body[b].inertia[2];
    }
    for (int b = mech->body_count - 1; b > 0; b--) {
        const ki_body *body = &mech->body[b];
        const double *C = w->composite[b], *r = w->state[b].r;
        const int *slot = slots + start[body->v];
        if (body->alone) { /* x', y', angle' */
            M[slot[0]] = M[slot[1]] = body->mass;
            M[slot[2]] = body->inertia[2];
        } else if (body->kind == KI_HINGE_OWN) {
            own_rows_planar(C, slot, M);
        } else if (body->n_v == 1) {
            row_planar(mech, w, b, body->v, slot, M);
        } else {
            for (int j = body->v; j < body->v + body->n_v; j++)
                slot = row_planar(mech, w, b, j, slot, M);
        }
        if (body->parent != 0) {
            const double *p = w->state[body->parent].r;
            add_moved_planar(C, r[0] - p[0], r[1] - p[1], w->composite[body->parent]);
        }
    }
}

/* ---- in space ---------------------------------------------------------------------------------------- */

/* R I R^T */
static void turned_inertia(const double R[9], const double I[6], double out[6]) {
    double RI[9];
    for (int i = 0; i < 9; i += 3) {
        RI[i] = R[i] * I[0] + R[i + 1] * I[3] + R[i + 2] * I[5];
        RI[i + 1] = R[i] * I[3] + R[i + 1] * I[1] + R[i + 2] * I[4];
        RI[i + 2] = R[i] * I[5] + R[i + 1] * I[4] + R[i + 2] * I[2];
    }
    out[0] = ki_dot3(RI, R), out[1] = ki_dot3(RI + 3, R + 3), out[2] = ki_dot3(RI + 6, R + 6);
    out[3] = ki_dot3(RI, R + 3), out[4] = ki_dot3(RI + 3, R + 6), out[5] = ki_dot3(RI + 6, R);
}

static void add_moved(const double C[10], const double x[3], double to[10]) {
    const double *h = C + 1, m = C[0];
    double trace = m * ki_dot3(x, x) + 2 * ki_dot3(h, x);
    to[0] += m;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        to[1 + i] += h[i] + m * x[i];
        to[4 + i] += C[4 + i] + trace - (m * x[i] + 2 * h[i]) * x[i];
        to[7 + i] += C[7 + i] - m * x[i] * x[j] - h[i] * x[j] - x[i] * h[j];
    }
}

static void composites_spatial(const ki_mech *mech, ki_mech_work *w) {
    for (int b = 1; b < mech->body_count; b++) {
        double *C = w->composite[b];
        C[0] = mech->body[b].mass;
        C[1] = C[2] = C[3] = 0;
        if (!mech->body[b].alone)
            turned_inertia(w->state[b].R, mech->body[b].inertia, C + 4);
    }
    for (int b = mech->body_count - 1; b > 0; b--) {
        int parent = mech->body[b].parent;
        double x[3];
        if (parent == 0)
            continue;
        ki_minus(w->state[b].r, w->state[parent].r, x);
        add_moved(w->composite[b], x, w->composite[parent]);
    }
}

static void momentum(const double C[10], const double S[6], double F[6]) {
    const double *I = C + 4, *h = C + 1, *omega = S, *v = S + 3;
    F[0] = I[0] * omega[0] + I[3] * omega[1] + I[5] * omega[2];
    F[1] = I[3] * omega[0] + I[1] * omega[1] + I[4] * omega[2];
    F[2] = I[5] * omega[0] + I[4] * omega[1] + I[2] * omega[2];
    ki_add_cross(h, v, F);
    for (int i = 0; i < 3; i++)
        F[3 + i] = C[0] * v[i];
    ki_add_cross(omega, h, F + 3);
}

/* A slender rod has no inertia about its own axis; of what turns about that, round-off is left: of the terms
 * of S.F, which are no larger than this. It is no mass. */
static const double ROUND_OFF = 1e-14;

static bool has_no_mass(const double C[10], const double S[6], const double F[6]) {
    const double *I = C + 4, *omega = S, *v = S + 3;
    double terms = (I[0] + I[1] + I[2]) * ki_dot3(omega, omega) + C[0] * ki_dot3(v, v);
    return !(ki_dot6(S, F) > ROUND_OFF * terms);
}

static const int *row_spatial(const ki_mech *mech, const ki_mech_work *w, int b, int j, const int *slot,
                              double *M) {
    double F[6], x[3];
    momentum(w->composite[b], w->S[j], F);
    if (has_no_mass(w->composite[b], w->S[j], F))
        memset(F, 0, sizeof F);
    for (int k = mech->body[b].v; k <= j; k++)
        M[*slot++] = ki_dot6(w->S[k], F);
    for (int parent = mech->body[b].parent; parent != 0; b = parent, parent = mech->body[b].parent) {
        const ki_body *body = &mech->body[parent];
        ki_minus(w->state[b].r, w->state[parent].r, x);
        ki_add_cross(x, F + 3, F);
        for (int k = body->v; k < body->v + body->n_v; k++)
            M[*slot++] = ki_dot6(w->S[k], F);
    }
    return slot;
}

static void mass_spatial(const ki_mech *mech, ki_mech_work *w, double *M) {
    const int *slot = mech->layout->M_slot;
    if (mech->layout->branches)
        composites_spatial(mech, w);
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        if (body->alone) { /* x', y', z', omega about the principal axes */
            for (int i = 0; i < 3; i++) {
                M[slot[i]] = body->mass;
                M[slot[3 + i]] = body->moment[i];
            }
            slot += 6;
        } else {
            for (int j = body->v; j < body->v + body->n_v; j++)
                slot = row_spatial(mech, w, b, j, slot, M);
        }
    }
}

void ki_mass_matrix(const ki_mech *mech, ki_mech_work *w, double *M) {
    if (mech->d == KI_PLANAR)
        mass_planar(mech, w, M);
    else
        mass_spatial(mech, w, M);
}

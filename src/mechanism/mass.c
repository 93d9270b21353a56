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

#include "mechanism/recursion.h"

/* Composite, spatial: m, h [3], I [6] = xx yy zz xy yz zx. Planar: m, h [2], I. */

static void own_planar(const ki_body *body, double C[10]) {
    C[0] = body->mass;
    C[1] = C[2] = 0;
    C[3] = body->inertia[2];
}

static void own_spatial(const ki_body *body, const double R[9], double C[10]) {
    double column[3][3];
    for (int k = 0; k < 3; k++) {
        double e[3] = {k == 0, k == 1, k == 2};
        ki_rotated_inertia(R, body->inertia, e, column[k]);
    }
    C[0] = body->mass;
    C[1] = C[2] = C[3] = 0;
    C[4] = column[0][0], C[5] = column[1][1], C[6] = column[2][2];
    C[7] = column[0][1], C[8] = column[1][2], C[9] = column[2][0];
}

/* Adds the composite C, moved by x, to `to`: I + (m |x|^2 + 2 h.x) E - m x x^T - h x^T - x h^T */
static void add_planar(const double C[10], const double x[3], double to[10]) {
    to[0] += C[0];
    to[1] += C[1] + C[0] * x[0];
    to[2] += C[2] + C[0] * x[1];
    to[3] += C[3] + (C[0] * x[0] + 2 * C[1]) * x[0] + (C[0] * x[1] + 2 * C[2]) * x[1];
}

static void add_spatial(const double C[10], const double x[3], double to[10]) {
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

/* F = C S: angular momentum L = I omega + h x v, momentum p = m v + omega x h */
static void momentum(int d, const double C[10], const double *S, double *F) {
    if (d == KI_PLANAR) {
        F[0] = C[3] * S[0] + C[1] * S[2] - C[2] * S[1];
        F[1] = C[0] * S[1] - S[0] * C[2];
        F[2] = C[0] * S[2] + S[0] * C[1];
        return;
    }
    const double *I = C + 4, *h = C + 1, *omega = S, *v = S + 3;
    F[0] = I[0] * omega[0] + I[3] * omega[1] + I[5] * omega[2];
    F[1] = I[3] * omega[0] + I[1] * omega[1] + I[4] * omega[2];
    F[2] = I[5] * omega[0] + I[4] * omega[1] + I[2] * omega[2];
    ki_add_cross(h, v, F);
    for (int i = 0; i < 3; i++)
        F[3 + i] = C[0] * v[i];
    ki_add_cross(omega, h, F + 3);
}

static void composites(const ki_mech *mech, ki_mech_work *w) {
    for (int b = 1; b < mech->body_count; b++)
        if (mech->d == KI_PLANAR)
            own_planar(&mech->body[b], w->composite[b]);
        else
            own_spatial(&mech->body[b], w->state[b].R, w->composite[b]);
    for (int b = mech->body_count - 1; b > 0; b--) {
        int p = mech->body[b].parent;
        double x[3];
        if (p == 0)
            continue;
        ki_minus(w->state[b].r, w->state[p].r, x);
        if (mech->d == KI_PLANAR)
            add_planar(w->composite[b], x, w->composite[p]);
        else
            add_spatial(w->composite[b], x, w->composite[p]);
    }
}

/* A body with coordinates of its own: constant entries. Returns the next slot. */
static const int *lonely_entries(const ki_mech *mech, const ki_body *body, const int *slot, double *M) {
    if (mech->d == KI_PLANAR) {
        M[*slot++] = body->mass;
        M[*slot++] = body->mass;
        M[*slot++] = body->inertia[2];
        return slot;
    }
    for (int i = 0; i < 3; i++)
        M[*slot++] = body->mass;
    for (int i = 0; i < 3; i++)
        M[*slot++] = body->moment[i];
    return slot;
}

/* Row j of M, walking from body b to the ground. */
static const int *walk_row(const ki_mech *mech, const ki_mech_work *w, int b, int j, const int *slot,
                           double *M) {
    int d = mech->d;
    double F[6] = {0};
    momentum(d, w->composite[b], w->S[j], F);
    for (int c = b; c != 0; c = mech->body[c].parent) {
        const ki_body *body = &mech->body[c];
        int end = c == b ? j + 1 : body->v + body->n_v;
        for (int k = body->v; k < end; k++) {
            double sum = 0;
            for (int i = 0; i < d; i++)
                sum += w->S[k][i] * F[i];
            M[*slot++] = sum;
        }
        const double *r = w->state[c].r, *p = w->state[body->parent].r;
        if (d == KI_PLANAR) {
            F[0] += (r[0] - p[0]) * F[2] - (r[1] - p[1]) * F[1];
        } else {
            double x[3];
            ki_minus(r, p, x);
            ki_add_cross(x, F + 3, F);
        }
    }
    return slot;
}

void ki_mass_matrix(const ki_mech *mech, ki_mech_work *w, double *M) {
    const int *slot = mech->layout->M_slot;
    if (mech->layout->branches)
        composites(mech, w);
    for (int b = 1; b < mech->body_count; b++) {
        const ki_body *body = &mech->body[b];
        if (body->alone)
            slot = lonely_entries(mech, body, slot, M);
        else
            for (int j = body->v; j < body->v + body->n_v; j++)
                slot = walk_row(mech, w, b, j, slot, M);
    }
}
